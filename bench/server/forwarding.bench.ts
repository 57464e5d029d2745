/**
 * `node dist/bench/server/forwarding.bench.js [seconds] [rounds]`: a logtest in a session whose home is the process that took it, one in a session of another
 * process of the same instance, and one in a session of another instance. Pools of one thread in this process are the processes, so that its processor time is
 * that of both sides. Rounds alternate.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AnalysisPool } from '#workers'
import { openStorage } from '../../server/core/storage/open.js'
import type { HostAndPort } from '../../server/core/config.js'
import { createLog } from '../../server/core/observability/log.js'
import { Peers } from '../../server/cluster/peers.js'
import { PEERS } from '../../server/cluster/directory.js'
import { medianBy } from '../median.js'
import { report } from '../report.js'

const AT_ONCE = 16
const WARM_SECONDS = 3
/** Fires no rule that counts: those search the earlier events of their session, which takes longer than the way to another process. */
const INPUT = { event: 'Jan  5 10:11:12 web1 backup[12]: 17 files were copied from 192.0.2.7', log_format: 'auto' } as const
const CALLER = { organization: 'bench', caller: 'bench' }

type Pair = readonly { readonly pool: AnalysisPool; readonly peers: Peers }[]

/** Sessions, and the pools of which the first one takes their events. */
interface Set {
  readonly pair: Pair
  readonly ids: readonly string[]
}

interface Round {
  readonly rate: number
  readonly cpuUs: number
}

const seconds = Number(process.argv[2] ?? 3)
const rounds = Number(process.argv[3] ?? 5)
const folder = mkdtempSync(join(tmpdir(), 'forwarding-'))
const storage = await openStorage({ mongodbUrl: null, dataDir: folder })
await storage.prepare([PEERS])
const key = randomBytes(32)
const log = createLog({ logLevel: 'error' })

/** Two pools that know one another. @param address of the first process for other instances; null: both are processes of one instance */
async function startPair(address: HostAndPort | null): Promise<Pair> {
  const both: Pair = [1, 2].map((number) => {
    const pool = new AnalysisPool({ workers: 1, processes: 2, sessionFile: address === null ? join(folder, `${number}.sessions`) : null })
    const ownProcess = address === null ? { number, processes: 2, socketFolder: folder } : null
    const peerAddress = address === null ? null : { ...address, port: address.port + number - 1 }
    return { pool, peers: new Peers({ config: { peerAddress }, ownProcess, storage, key, pool, log, clock: Date.now }) }
  })
  for (const { peers } of both) await peers.open()
  await Promise.all(both.map(({ pool }) => pool.ready()))
  return both
}

const pairs = { processes: await startPair(null), instances: await startPair({ host: '127.0.0.1', port: await freePort() }) }
const ids = Array.from({ length: 1_000 }, (_, index) => `session ${index}`)
const idsOf = ([{ peers }]: Pair, isAway: boolean): readonly string[] => ids.filter((id) => (peers.pools.homeOf({ ...CALLER, id }) !== null) === isAway).slice(0, AT_ONCE)
const sets = {
  here: { pair: pairs.processes, ids: idsOf(pairs.processes, false) },
  process: { pair: pairs.processes, ids: idsOf(pairs.processes, true) },
  instance: { pair: pairs.instances, ids: idsOf(pairs.instances, true) },
}

for (const [name, trace] of [
  ['with its trace', true],
  ['without its trace', false],
] as const) {
  for (const set of Object.values(sets)) await load(set, trace, WARM_SECONDS)
  const taken: Record<keyof typeof sets, Round[]> = { here: [], process: [], instance: [] }
  for (let round = 0; round < rounds; round++) for (const set of ['here', 'process', 'instance'] as const) taken[set].push(await load(sets[set], trace, seconds))
  const median = (set: keyof typeof sets): Round => medianBy(taken[set], ({ cpuUs }) => cpuUs)
  const row = (label: string, { rate, cpuUs }: Round): [string, number, number, number] => [label, rate, cpuUs, cpuUs / median('here').cpuUs]
  report('service-forwarding', {
    title: `Logtests in ${AT_ONCE} sessions ${name}, without HTTP of the caller, median of ${rounds} × ${seconds} s`,
    columns: ['session', 'logtests/s', 'processor µs', 'of the own process'],
    rows: [row('of the process that took it', median('here')), row('of another process of the instance', median('process')), row('of another instance', median('instance'))],
  })
}
const all = [...pairs.processes, ...pairs.instances]
await Promise.all(all.map(({ peers }) => peers.close()))
await Promise.all(all.map(({ pool }) => pool.close()))
await storage.close()
rmSync(folder, { recursive: true })

/** A port of this machine that is free, and the one after it. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** Runs one event after the other in each session. */
async function load({ pair: [{ pool }], ids }: Set, trace: boolean, duration: number): Promise<Round> {
  const before = process.cpuUsage()
  const started = performance.now()
  const ends = started + duration * 1000
  let count = 0
  const run = async (sessionId: string): Promise<void> => {
    while (performance.now() < ends) {
      const outcome = await pool.logtest({ ruleset: {}, input: INPUT, trace, sessionId }, CALLER)
      if (outcome.outcome !== 'ok') throw new Error(outcome.outcome)
      outcome.value.release()
      count++
    }
  }
  await Promise.all(ids.map(run))
  const { user, system } = process.cpuUsage(before)
  return { rate: (count * 1000) / (performance.now() - started), cpuUs: (user + system) / count }
}
