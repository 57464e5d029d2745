/**
 * `node dist/bench/server/batch.bench.js [seconds] [workers]`: events per second of a batch over HTTP without trace, compared with `detection-content bench` on
 * the same events, which uses one thread. Two figures of `bench` are printed: the engine alone, and the engine with the report that each line of a batch needs.
 * Default number of workers: that of the service, one per core.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { batchBody, sendBatch } from './batch-sender.js'
import { startBenchService } from './service.js'
import { report } from '../report.js'
import { median } from '../median.js'

/** Batches before the measurement. `bench` warms up as well; a service with two threads gets faster during the first half million events. */
const WARM_BATCHES = 20
/** Measured batches per run of `bench`. */
const BATCHES = 4

interface Measurement {
  readonly events_per_second: number
  readonly phases: { readonly report: { readonly events_per_second: number } }
}

const seconds = Number(process.argv[2] ?? 10)
const workers = process.argv[3] ?? String(availableParallelism())
const { body, lines, events } = batchBody()
const directory = mkdtempSync(join(tmpdir(), 'batch-'))
const file = join(directory, 'events.jsonl')
writeFileSync(file, events.map((event) => `${JSON.stringify({ event })}\n`).join(''))
const service = await startBenchService({ NATIVE_SERVICE_WORKERS: workers })
for (let i = 0; i < WARM_BATCHES; i++) await send()
const rates: number[] = []
const bench: Measurement[] = []
for (const until = performance.now() + seconds * 1000; performance.now() < until; ) {
  bench.push(measureEngine())
  for (let i = 0; i < BATCHES; i++) rates.push(await send())
}
const rate = median(rates)
const engine = median(bench.map(({ events_per_second }) => events_per_second))
const engineWithReport = median(bench.map(({ phases }) => phases.report.events_per_second))
report('service-batch', {
  title: `A batch of ${lines.toLocaleString('en-US')} lines (${events.length} different ones) without trace over HTTP, ${workers} threads`,
  columns: ['what', 'events/s', 'batch is'],
  rows: [
    ['batch over HTTP', rate, 1],
    ['engine alone, one thread', engine, rate / engine],
    ['engine with the report of every line, one thread', engineWithReport, rate / engineWithReport],
  ],
})
await service.stop()
rmSync(directory, { recursive: true })

function measureEngine(): Measurement {
  const cli = fileURLToPath(new URL('../../server/cli/main.js', import.meta.url))
  return JSON.parse(execFileSync(process.execPath, [cli, 'bench', file, '--json', '--seconds', '2'], { encoding: 'utf8' })) as Measurement
}

/** Sends one batch. @returns events a second */
async function send(): Promise<number> {
  const started = performance.now()
  await sendBatch(service, body)
  return (lines * 1000) / (performance.now() - started)
}
