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
  /** `count` per second. */
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
 * Keeps so many batches under way until the time is over, and waits for the last ones. The rate is that of the answers until then, so it has neither pauses between
 * batches nor the end, at which fewer and fewer are under way.
 */
async function batches({ body, lines }: { readonly body: Buffer; readonly lines: number }): Promise<Omit<Loaded, 'cpuUs'>> {
  const ends = performance.now() + load.seconds * 1000
  let bytes = 0
  let bytesInTime = 0
  let ended = 0
  const sender = async (): Promise<void> => {
    do {
      await sendBatch(load, body, (received) => {
        bytes += received
        if (performance.now() < ends) bytesInTime += received
      })
      ended++
    } while (performance.now() < ends)
  }
  await Promise.all(Array.from({ length: load.atOnce }, sender))
  const count = ended * lines
  return { count, perSecond: (count * bytesInTime) / bytes / load.seconds, p99: 0 }
}
