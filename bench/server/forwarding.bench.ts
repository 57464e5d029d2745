/**
 * `node dist/bench/server/forwarding.bench.js [seconds] [rounds]`: a logtest in a session whose home is the process that took it, and one in a session of another
 * process. Two pools of one thread in this process are the two processes, so that its processor time is that of both sides. Rounds alternate.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AnalysisPool } from '#workers'
import { ProcessNeighbours } from '../../server/processes/neighbours.js'
import { Peers } from '../../server/processes/peers.js'
import { medianBy } from '../median.js'
import { report } from '../report.js'

const AT_ONCE = 16
const WARM_SECONDS = 3
const INPUT = { event: 'Jan  5 10:11:12 web1 sshd[12]: Failed password for root from 192.0.2.7 port 22 ssh2', log_format: 'auto' } as const
const CALLER = { organization: 'bench', caller: 'bench' }

interface Round {
  readonly rate: number
  readonly cpuUs: number
}

const seconds = Number(process.argv[2] ?? 3)
const rounds = Number(process.argv[3] ?? 5)
const folder = mkdtempSync(join(tmpdir(), 'forwarding-'))
const processes = [1, 2].map((number) => {
  const pool = new AnalysisPool({ workers: 1, processes: 2, sessionFile: join(folder, `${number}.sessions`) })
  const peers = new Peers({ number, folder, processes: 2, onError: (error) => console.error(error) })
  const neighbours = new ProcessNeighbours({ peers, pool })
  pool.join(neighbours)
  return { pool, peers, neighbours }
})
await Promise.all(processes.map(({ peers }) => peers.listen()))
await Promise.all(processes.map(({ pool }) => pool.ready()))
const [{ pool, neighbours }] = processes
const ids = Array.from({ length: 1_000 }, (_, index) => `session ${index}`)
const isAway = (id: string): boolean => neighbours.homeOf({ ...CALLER, id }) !== null
const sets = { here: ids.filter((id) => !isAway(id)).slice(0, AT_ONCE), away: ids.filter(isAway).slice(0, AT_ONCE) }

for (const [name, trace] of [
  ['with its trace', true],
  ['without its trace', false],
] as const) {
  for (const set of Object.values(sets)) await load(set, trace, WARM_SECONDS)
  const taken: Record<keyof typeof sets, Round[]> = { here: [], away: [] }
  for (let round = 0; round < rounds; round++) for (const set of ['here', 'away'] as const) taken[set].push(await load(sets[set], trace, seconds))
  const [here, away] = [medianBy(taken.here, ({ cpuUs }) => cpuUs), medianBy(taken.away, ({ cpuUs }) => cpuUs)]
  report('service-forwarding', {
    title: `Logtests in ${AT_ONCE} sessions ${name}, without HTTP of the caller, median of ${rounds} × ${seconds} s`,
    columns: ['session', 'logtests/s', 'processor µs', 'of the own process'],
    rows: [
      ['of the process that took it', here.rate, here.cpuUs, 1],
      ['of another process', away.rate, away.cpuUs, away.cpuUs / here.cpuUs],
    ],
  })
}
await Promise.all(processes.map(({ peers }) => peers.close()))
await Promise.all(processes.map((each) => each.pool.close()))
rmSync(folder, { recursive: true })

/** Runs one event after the other in each session. */
async function load(set: readonly string[], trace: boolean, duration: number): Promise<Round> {
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
  await Promise.all(set.map(run))
  const { user, system } = process.cpuUsage(before)
  return { rate: (count * 1000) / (performance.now() - started), cpuUs: (user + system) / count }
}
