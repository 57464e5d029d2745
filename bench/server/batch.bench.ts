/**
 * `node dist/bench/server/batch.bench.js [seconds] [workers]`: events a second of a batch over HTTP, trace off, against `detection-content bench` on the same events, which
 * is one thread. Two figures of that are told: the engine's own work, and that with the report that every line of a batch is. Workers: cores, as a service
 * starts with.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { referenceData } from '../engine/data.js'
import { startBenchService } from './service.js'
import { median } from '../median.js'

/** Events of one batch: their lines stay below 8 MB. */
const BATCH_BYTES = 7 * 1024 * 1024

interface Measurement {
  readonly events_per_second: number
  readonly phases: { readonly report: { readonly events_per_second: number } }
}

const seconds = Number(process.argv[2] ?? 5)
const workers = process.argv[3] ?? String(availableParallelism())
const events = referenceData().lines.get('all') ?? []
const directory = mkdtempSync(join(tmpdir(), 'batch-'))
const file = join(directory, 'events.jsonl')
writeFileSync(file, events.map((event) => `${JSON.stringify({ event })}\n`).join(''))
const service = await startBenchService({ NATIVE_SERVICE_WORKERS: workers })

const lines: string[] = []
for (let bytes = 0, i = 0; bytes < BATCH_BYTES; i++) {
  const line = `${JSON.stringify({ event: events[i % events.length] })}\n`
  bytes += Buffer.byteLength(line)
  lines.push(line)
}
const body = Buffer.from(`${JSON.stringify({ files: [] })}\n${lines.join('')}`)
await send()
const rates: number[] = []
const bench: Measurement[] = []
for (const until = performance.now() + seconds * 1000; performance.now() < until; ) {
  bench.push(measureEngine())
  rates.push(await send(), await send())
}
const rate = median(rates)
const engine = median(bench.map(({ events_per_second }) => events_per_second))
const report = median(bench.map(({ phases }) => phases.report.events_per_second))
console.log(`batch: ${lines.length} events of ${events.length} kinds, ${body.byteLength} bytes, ${workers} worker(s), no trace, node ${process.version}`)
console.log(`  batch over HTTP           ${Math.round(rate).toString().padStart(8)} events/s`)
console.log(`  bench, engine alone       ${Math.round(engine).toString().padStart(8)} events/s  batch is ${(rate / engine).toFixed(2)} of it`)
console.log(`  bench, with the report    ${Math.round(report).toString().padStart(8)} events/s  batch is ${(rate / report).toFixed(2)} of it`)
service.stop()
rmSync(directory, { recursive: true })

function measureEngine(): Measurement {
  const cli = fileURLToPath(new URL('../../server/cli/main.js', import.meta.url))
  return JSON.parse(execFileSync(process.execPath, [cli, 'bench', file, '--json', '--seconds', '2'], { encoding: 'utf8' })) as Measurement
}

function send(): Promise<number> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const request = http.request(`${service.url}/api/v1/analysis/logtest-batch`, {
      method: 'POST',
      headers: { 'X-API-Key': service.key, 'Content-Type': 'application/x-ndjson', 'Content-Length': body.byteLength },
    })
    request.on('error', reject)
    request.on('response', (response) => {
      let last: Buffer = Buffer.alloc(0)
      response.on('data', (chunk: Buffer) => {
        last = chunk
      })
      response.on('end', () => {
        if (!last.toString().includes('"done":true')) reject(new Error(last.toString().slice(-500)))
        else resolve((lines.length * 1000) / (performance.now() - started))
      })
    })
    request.end(body)
  })
}
