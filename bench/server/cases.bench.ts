/**
 * `node dist/bench/server/cases.bench.js [cases] [workers]`: runs that many cases of one project against the reference ruleset over HTTP, in each response
 * format, and measures how much memory the service needs for it. The cases are events of the reference data, imported as suites.
 */
import { availableParallelism } from 'node:os'
import { referenceData } from '../engine/data.js'
import { startBenchService } from './service.js'
import { median } from '../median.js'
import { report } from '../report.js'

/** Cases per import, which is limited to 8 MB. */
const IMPORTED = 2500
const RUNS = 3

const count = Number(process.argv[2] ?? 5000)
const workers = process.argv[3] ?? String(availableParallelism())
const events = (referenceData().lines.get('all') ?? []).filter((event) => event.trim() !== '' && !event.includes('\n'))
const service = await startBenchService({ NATIVE_SERVICE_WORKERS: workers })
const headers = { 'X-API-Key': service.key, 'Content-Type': 'application/json' }

async function call(path: string, body: unknown, accept = 'application/json'): Promise<{ readonly bytes: number; readonly text: string }> {
  const response = await fetch(`${service.url}/api/v1${path}`, { method: 'POST', headers: { ...headers, Accept: accept }, body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok) throw new Error(text.slice(0, 500))
  return { bytes: Buffer.byteLength(text), text }
}

const project = JSON.parse((await call('/platform/projects', { name: 'Bench' })).text) as { readonly id: string }
const cases = `/platform/projects/${project.id}/cases`
const importStarted = performance.now()
for (let first = 0; first < count; first += IMPORTED) {
  const some = Array.from({ length: Math.min(IMPORTED, count - first) }, (_, i) => events[(first + i) % events.length])
  await call(`${cases}/import`, { content: some.map((event, i) => `[case ${first + i}]\nlog 1 pass = ${event}\nrule = 1\nalert = 3\ndecoder = x\n`).join('') })
}
const rows: (string | number | null)[][] = [['import', performance.now() - importStarted, null, null]]
for (const accept of ['application/json', 'application/xml', 'application/x-ndjson']) {
  const times: number[] = []
  let bytes = 0
  for (let i = 0; i < RUNS; i++) {
    const started = performance.now()
    bytes = (await call(`${cases}/run`, {}, accept)).bytes
    times.push(performance.now() - started)
  }
  rows.push([`run, ${accept}`, median(times), bytes / 1024 / 1024, (count * 1000) / median(times)])
}
report('service-cases', {
  title: `${count.toLocaleString('en-US')} cases of one project (${events.length} different events), ${workers} threads`,
  columns: ['call', 'ms', 'MB', 'cases/s'],
  rows,
})
await service.stop()
