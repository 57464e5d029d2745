/** The hot paths that the guard compares: each run starts both builds again, lets them work in alternating turns, and gives one ratio a path. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { median } from '../median.js'
import { haveReplay } from '../engine/data.js'
import { batchBody, sendBatch } from '../server/batch-sender.js'
import { LOGTEST_BODIES } from '../server/logtest-request.js'
import { residentMb } from '../server/resident.js'
import { type BenchService, startBenchService } from '../server/service.js'
import { totalOf } from '../server/thread-times.js'

export interface Length {
  /** Work of each build before it is measured, in turns. */
  readonly warmTurns: number
  readonly turns: number
}

/** Folders of the builds: that of the baseline, and this one. */
export type Roots = readonly [baseline: string, current: string]

/** A ratio is what the current build costs, of what the baseline costs. */
export type Ratios = Readonly<Record<string, number>>

/** Compares some paths in one run. */
export type Run = (roots: Roots, length: Length) => Promise<Ratios>

export const RUNS: readonly Run[] = [
  async (roots, length) => ({ 'events of all kinds': await compareEngines(roots, 'all', length) }),
  async (roots, length): Promise<Ratios> => (haveReplay() ? { 'events of the event channel': await compareEngines(roots, 'eventchannel', length) } : {}),
  async (roots, length) => ({ compilation: await compareEngines(roots, 'compile', length) }),
  compareServices,
  compareMemory,
]

const ENGINE_TURN_MS = 60
const LOGTESTS = 400
const CALLERS = 16
const LOGTESTS_OF_ONE = 100
/** A batch takes as long as several turns of logtests. */
const TURNS_PER_BATCH = 4
const FEW_THREADS = 1
const MANY_THREADS = 3

/** Lets two builds work alternately. @returns the median ratio of turns beside each other */
async function inTurns<Build>(builds: readonly Build[], { warmTurns, turns }: Length, turn: (build: Build) => Promise<number>): Promise<number> {
  for (let count = 0; count < warmTurns; count++) for (const build of builds) await turn(build)
  const ratios: number[] = []
  for (let count = 0; count < turns; count++) {
    // The first one has colder caches.
    const order = count % 2 === 0 ? [0, 1] : [1, 0]
    const costs = [0, 0]
    for (const index of order) costs[index] = await turn(builds[index])
    ratios.push(costs[1] / costs[0])
  }
  return median(ratios)
}

async function compareEngines(roots: Roots, work: string, length: Length): Promise<number> {
  const probe = fileURLToPath(new URL('./engine-probe.js', import.meta.url))
  const probes: ChildProcess[] = []
  try {
    for (const root of roots) {
      const child = fork(probe, [root, work])
      probes.push(child)
      await messageOf(child)
    }
    return await inTurns(probes, length, async (child) => {
      child.send(ENGINE_TURN_MS)
      return Number(await messageOf(child))
    })
  } finally {
    for (const child of probes) child.kill()
  }
}

async function messageOf(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController()
  const exit = once(child, 'exit', { signal: ended.signal }).then(() => Promise.reject(new Error('a process of the guard has ended')))
  exit.catch(() => {})
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal: ended.signal }), exit])) as [unknown]
    return message
  } finally {
    ended.abort()
  }
}

async function compareServices(roots: Roots, length: Length): Promise<Ratios> {
  const services: BenchService[] = []
  try {
    for (const root of roots) services.push(await startBenchService({ NATIVE_SERVICE_WORKERS: '2' }, root))
    const perRequest = (body: string, callers: number, count: number) => async (service: BenchService) => {
      const before = totalOf(service.pid)
      await logtests(service, body, callers, count)
      return (totalOf(service.pid) - before) / count
    }
    const { body } = batchBody()
    const ofBatches = { warmTurns: Math.ceil(length.warmTurns / TURNS_PER_BATCH), turns: Math.ceil(length.turns / TURNS_PER_BATCH) }
    return {
      'logtest with its trace': await inTurns(services, length, perRequest(LOGTEST_BODIES['with its trace'], CALLERS, LOGTESTS)),
      'logtest without its trace': await inTurns(services, length, perRequest(LOGTEST_BODIES['without its trace'], CALLERS, LOGTESTS)),
      'latency of one caller': await inTurns(services, length, (service) => latencyOf(service, LOGTEST_BODIES['without its trace'], LOGTESTS_OF_ONE)),
      batch: await inTurns(services, ofBatches, async (service) => {
        const before = totalOf(service.pid)
        await sendBatch(service, body)
        return totalOf(service.pid) - before
      }),
    }
  } finally {
    for (const service of services) await service.stop()
  }
}

/** Sends logtests on several connections. Not autocannon: it looks once a second whether it has sent all, and a turn takes a tenth of that. */
async function logtests(service: BenchService, body: string, connections: number, amount: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let left = amount
  const caller = async (): Promise<void> => {
    while (left-- > 0) await logtest(service, agent, body)
  }
  await Promise.all(Array.from({ length: connections }, caller))
  agent.destroy()
}

/** @throws Error if it is not answered 200 */
async function logtest({ url, key }: BenchService, agent: Agent, body: string): Promise<void> {
  const headers = { 'Content-Type': 'application/json', 'X-API-Key': key, 'Content-Length': Buffer.byteLength(body) }
  const sending = request(`${url}/api/v1/analysis/logtest-native`, { method: 'POST', agent, headers })
  sending.end(body)
  const [answer] = (await once(sending, 'response')) as [IncomingMessage]
  await once(answer.resume(), 'end')
  if (answer.statusCode !== 200) throw new Error(`a logtest was answered ${answer.statusCode}`)
}

/** Sends logtests one after the other on one connection. @returns the median of their times, in milliseconds */
async function latencyOf(service: BenchService, body: string, count: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  for (let sent = 0; sent < count; sent++) {
    const started = performance.now()
    await logtest(service, agent, body)
    times.push(performance.now() - started)
  }
  agent.destroy()
  return median(times)
}

async function compareMemory(roots: Roots): Promise<Ratios> {
  const costs: number[] = []
  for (const root of roots) {
    const [few, many] = [await residentWith(FEW_THREADS, root), await residentWith(MANY_THREADS, root)]
    costs.push((many - few) / (MANY_THREADS - FEW_THREADS))
  }
  return { 'memory of a thread': costs[1] / costs[0] }
}

async function residentWith(threads: number, root: string): Promise<number> {
  const service = await startBenchService({ NATIVE_SERVICE_WORKERS: String(threads) }, root)
  try {
    await logtests(service, LOGTEST_BODIES['with its trace'], CALLERS, LOGTESTS)
    return residentMb(service.pid)
  } finally {
    await service.stop()
  }
}
