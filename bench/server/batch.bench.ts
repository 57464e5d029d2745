/**
 * `node dist/bench/server/batch.bench.js [seconds] [workers]`: events per second of a batch over HTTP without trace, compared with `detection-content bench` on
 * the same events, which uses one thread. Three figures of `bench` are printed: the engine alone, with the report of every line, and with that report as JSON.
 * Default number of workers: that of the service, one per core.
 */
import { availableParallelism } from 'node:os'
import { batchBody, sendBatch } from './batch-sender.js'
import { type EngineRate, engineAlone } from './engine-alone.js'
import { startBenchService } from './service.js'
import { report } from '../report.js'
import { median } from '../median.js'

/** Batches before the measurement. `bench` warms up as well; a service with two threads gets faster during the first half million events. */
const WARM_BATCHES = 20
/** Measured batches per run of `bench`. */
const BATCHES = 4
/** Duration of one run of `bench`. */
const ENGINE_SECONDS = 2

const seconds = Number(process.argv[2] ?? 10)
const workers = process.argv[3] ?? String(availableParallelism())
const { body, lines, events } = batchBody()
const service = await startBenchService({ NATIVE_SERVICE_WORKERS: workers })
for (let i = 0; i < WARM_BATCHES; i++) await send()
const rates: number[] = []
const bench: EngineRate[] = []
for (const until = performance.now() + seconds * 1000; performance.now() < until; ) {
  bench.push(await engineAlone(events, 1, ENGINE_SECONDS))
  for (let i = 0; i < BATCHES; i++) rates.push(await send())
}
const rate = median(rates)
const engine = median(bench.map(({ alone }) => alone))
const engineWithReport = median(bench.map((rates) => rates.report))
const engineWithJson = median(bench.map(({ json }) => json))
report('service-batch', {
  title: `A batch of ${lines.toLocaleString('en-US')} lines (${events.length} different ones) without trace over HTTP, ${workers} threads`,
  columns: ['what', 'events/s', 'batch is'],
  rows: [
    ['batch over HTTP', rate, 1],
    ['engine alone, one thread', engine, rate / engine],
    ['engine with the report of every line, one thread', engineWithReport, rate / engineWithReport],
    ['engine with every report as JSON, one thread', engineWithJson, rate / engineWithJson],
  ],
})
await service.stop()

/** Sends one batch. @returns events a second */
async function send(): Promise<number> {
  const started = performance.now()
  await sendBatch(service, body)
  return (lines * 1000) / (performance.now() - started)
}
