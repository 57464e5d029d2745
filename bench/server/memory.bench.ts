/**
 * `node dist/bench/server/memory.bench.js [seconds]`: the resident memory of the service with the stock ruleset, by processes and threads, when it is ready and
 * after logtests of many different events. The default number of processes counts on what it finds (`server/core/default-processes.ts`). Linux only.
 */
import { fileURLToPath } from 'node:url'
import { haveRecordings, referenceData, stockData } from '../engine/data.js'
import { report } from '../report.js'
import { residentMb } from './resident.js'
import { startBenchService } from './service.js'

/** Processes and threads of each run. */
const SETTINGS = [
  [1, 1],
  [1, 2],
  [1, 4],
  [2, 2],
  [2, 4],
  [4, 4],
] as const
const CALLERS = 16
/** Time in which the service becomes idle, in milliseconds. */
const REST_MS = 2_000
const STOCK = fileURLToPath(new URL('../../../../shared/conformance/ruleset-default', import.meta.url))

const seconds = Number(process.argv[2] ?? 8)
const isStock = haveRecordings()
const data = isStock ? stockData('default') : referenceData()
const events = data.lines.get('all') ?? []
const measured: { readonly processes: number; readonly threads: number; readonly ready: number; readonly used: number; readonly requests: number }[] = []
for (const [processes, threads] of SETTINGS) {
  const service = await startBenchService({
    NATIVE_SERVICE_PROCESSES: String(processes),
    NATIVE_SERVICE_WORKERS: String(threads),
    ...(isStock ? { NATIVE_SERVICE_DEFAULT_RULESET_DIR: STOCK } : {}),
  })
  await rest()
  const ready = residentMb(service.pid)
  const requests = await load(service)
  await rest()
  measured.push({ processes, threads, ready, used: residentMb(service.pid), requests })
  await service.stop()
}
report('service-memory', {
  title: `Resident memory with the ruleset ${data.name}, before and after ${seconds} s of logtests with ${CALLERS} callers`,
  columns: ['processes', 'threads', 'ready, MB', 'after the logtests, MB', 'logtests'],
  rows: measured.map(({ processes, threads, ready, used, requests }) => [String(processes), threads, ready, used, requests]),
})
const rise = (kind: 'ready' | 'used', from: number, to: number, units: number): number => (measured[to][kind] - measured[from][kind]) / units
report('service-memory', {
  title: 'What one more takes, from the rows above, megabytes',
  columns: ['one more', 'ready', 'after the logtests'],
  rows: [
    ['thread, of one process', rise('ready', 0, 2, 3), rise('used', 0, 2, 3)],
    ['process and the supervisor, two threads', rise('ready', 1, 3, 1), rise('used', 1, 3, 1)],
    ['process and the supervisor, four threads', rise('ready', 2, 4, 1), rise('used', 2, 4, 1)],
    ['process, four threads', rise('ready', 4, 5, 2), rise('used', 4, 5, 2)],
  ],
})

function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, REST_MS))
}

/** Sends logtests, each of the next event, and returns their number. */
async function load({ url, key }: { readonly url: string; readonly key: string }): Promise<number> {
  const ends = performance.now() + seconds * 1000
  let sent = 0
  const call = async (): Promise<void> => {
    while (performance.now() < ends) {
      const body = JSON.stringify({ input: { event: events[sent++ % events.length] } })
      const answer = await fetch(`${url}/api/v1/analysis/logtest-native`, { method: 'POST', headers: { 'Content-Type': 'application/json', 'X-API-Key': key }, body })
      if (!answer.ok) throw new Error(await answer.text())
      await answer.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, call))
  return sent
}
