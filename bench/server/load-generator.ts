/** One load in its own process: `fork` it with a `Load` in JSON as its argument. It sends its `Loaded` to its parent, and ends. */
import autocannon from 'autocannon'
import { batchBody, sendBatch } from './batch-sender.js'

export interface Load {
  readonly url: string
  readonly key: string
  readonly seconds: number
  /** Connections on which a logtest is sent again and again, or batches at once. */
  readonly atOnce: number
  /** Body of a logtest; null: batches. */
  readonly logtest: string | null
}

export interface Loaded {
  /** Logtests, or events of batches. */
  readonly count: number
  /** Of `count`. */
  readonly perSecond: number
  /** Milliseconds of a logtest; 0: batches. */
  readonly p99: number
  /** Processor time of this process for it, microseconds. */
  readonly cpuUs: number
}

const load = JSON.parse(process.argv[2]) as Load
const batch = load.logtest === null ? batchBody() : null
const before = process.cpuUsage()
const loaded = batch === null ? await logtests(load) : await batches(batch)
const { user, system } = process.cpuUsage(before)
process.send?.({ ...loaded, cpuUs: user + system } satisfies Loaded, () => process.exit())

async function logtests({ url, key, seconds, atOnce, logtest }: Load): Promise<Omit<Loaded, 'cpuUs'>> {
  const result = await autocannon({
    url: `${url}/api/v1/analysis/logtest-native`,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
    body: logtest ?? '',
    connections: atOnce,
    duration: seconds,
  })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refused, ${result.errors} errors`)
  return { count: result.requests.total, perSecond: result.requests.total / result.duration, p99: result.latency.p99 }
}

/**
 * Keeps so many batches under way until the time is over, and at least one is answered. Those that are under way then count by the part of their answers that has
 * arrived: a pause after each batch would leave cores idle, as callers that send on do not.
 */
async function batches({ body, lines }: { readonly body: Buffer; readonly lines: number }): Promise<Omit<Loaded, 'cpuUs'>> {
  const started = performance.now()
  const over = new AbortController()
  let received = 0
  let ended = 0
  let endedBytes = 0
  const isOver = (): boolean => ended > 0 && performance.now() - started >= load.seconds * 1000
  const sender = async (): Promise<void> => {
    while (!over.signal.aborted) {
      let own = 0
      const onBytes = (bytes: number): void => {
        own += bytes
        received += bytes
        if (isOver()) over.abort()
      }
      if (!(await sendBatch(load, body, { onBytes, signal: over.signal }))) return
      ended++
      endedBytes += own
    }
  }
  await Promise.all(Array.from({ length: load.atOnce }, sender))
  const count = (lines * ended * received) / endedBytes
  return { count, perSecond: (count * 1000) / (performance.now() - started), p99: 0 }
}
