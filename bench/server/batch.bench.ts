/**
 * `node dist/bench/server/batch.bench.js [seconds] [workers]`: events per second of a batch over HTTP without trace, compared with `detection-content bench` on
 * the same events, which uses one thread. Two figures of `bench` are printed: the engine alone, and the engine with the report that each line of a batch needs.
 * Default number of workers: that of the service, one per core.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { referenceData } from '../engine/data.js'
import { startBenchService } from './service.js'
import { report } from '../report.js'
import { median } from '../median.js'

/** Size of a batch. Requests are limited to 8 MB. */
const BATCH_BYTES = 7 * 1024 * 1024
/** Batches before the measurement. `bench` warms up as well; a service with two threads gets faster during the first half million events. */
const WARM_BATCHES = 20
/** Measured batches per run of `bench`. */
const BATCHES = 4
const READ_BYTES = 256 * 1024
/** Bytes at the end of a response that are kept, which include its last line. */
const LAST_BYTES = 500

interface Measurement {
  readonly events_per_second: number
  readonly phases: { readonly report: { readonly events_per_second: number } }
}

const seconds = Number(process.argv[2] ?? 10)
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
  title: `A batch of ${lines.length.toLocaleString('en-US')} lines (${events.length} different ones) without trace over HTTP, ${workers} threads`,
  columns: ['what', 'events/s', 'batch is'],
  rows: [
    ['batch over HTTP', rate, 1],
    ['engine alone, one thread', engine, rate / engine],
    ['engine with the report of every line, one thread', engineWithReport, rate / engineWithReport],
  ],
})
service.stop()
rmSync(directory, { recursive: true })

function measureEngine(): Measurement {
  const cli = fileURLToPath(new URL('../../server/cli/main.js', import.meta.url))
  return JSON.parse(execFileSync(process.execPath, [cli, 'bench', file, '--json', '--seconds', '2'], { encoding: 'utf8' })) as Measurement
}

/** Sends one batch on a new connection. The response is read into one buffer repeatedly, because the cost of a reader is not measured. */
function send(): Promise<number> {
  const { hostname, port, host } = new URL(service.url)
  const head = `POST /api/v1/analysis/logtest-batch HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${service.key}\r\nContent-Type: application/x-ndjson\r\nContent-Length: ${body.byteLength}\r\n\r\n`
  return new Promise((resolve, reject) => {
    const started = performance.now()
    let last = ''
    const socket = net.connect({
      host: hostname,
      port: Number(port),
      onread: {
        buffer: Buffer.allocUnsafeSlow(READ_BYTES),
        callback: (bytes, buffer) => {
          last = (last + Buffer.from(buffer.buffer, buffer.byteOffset + Math.max(0, bytes - LAST_BYTES), Math.min(bytes, LAST_BYTES)).toString('latin1')).slice(-LAST_BYTES)
          if (!last.endsWith('\r\n0\r\n\r\n')) return true
          socket.destroy()
          if (last.includes('"done":true')) resolve((lines.length * 1000) / (performance.now() - started))
          else reject(new Error(last))
          return true
        },
      },
    })
    socket.on('error', reject)
    socket.write(head)
    socket.write(body)
  })
}
