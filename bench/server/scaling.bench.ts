/**
 * `node dist/bench/server/scaling.bench.js [seconds] [rows]`: what the service does with more threads and more processes, up to the cores of the machine: logtests,
 * one batch, and many batches at once, compared with the engine alone on all cores. `rows` are pairs of processes and threads, such as `1x1,8x16`. The processor time of a request is measured by what uses it, and
 * predicts the rate of each row from the first one (`scaling-model.ts`). Each row is a new service; the load comes from other processes on the same machine. Linux only.
 */
import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { readConfig } from '../../server/core/config.js'
import { limitTable } from '../../server/core/limits/table.js'
import { report } from '../report.js'
import { batchBody } from './batch-sender.js'
import { type EngineRate, engineAlone } from './engine-alone.js'
import type { Load, Loaded } from './load-generator.js'
import { LOGTEST_BODIES } from './logtest-request.js'
import { type Cost, predict, sumOf } from './scaling-model.js'
import { startBenchService } from './service.js'
import { threadTimesOf } from './thread-times.js'

/** Many batches at once: two for each thread, and at least eight. */
const BATCHES_PER_THREAD = 2
const FEWEST_BATCHES = 8
const CONNECTIONS_PER_THREAD = 32
/** Cores for which one load generator is enough. */
const CORES_PER_GENERATOR = 4
/** A load is repeated until it costs at least this share of the time before: V8 optimises in each process, for up to 12 s. */
const WARM_SHARE = 0.93
/** Repetitions in which a load gets warm, at most. */
const WARM_LIMIT = 6
/** Seconds of one measurement of the engine alone. */
const ENGINE_SECONDS = 6

interface Row {
  readonly processes: number
  readonly threads: number
}

interface Measured {
  readonly perSecond: number
  readonly p99: number
  readonly cost: Cost
}

const LOADS = ['with its trace', 'without its trace', 'a batch', 'many batches'] as const
type LoadName = (typeof LOADS)[number]
/** Many batches before one, which warms only the process that gets it. */
const ORDER: readonly LoadName[] = ['with its trace', 'without its trace', 'many batches', 'a batch']

const seconds = Number(process.argv[2] ?? 3)
const cores = availableParallelism()
const generators = Math.ceil(cores / CORES_PER_GENERATOR)
const rows = process.argv[3] === undefined ? rowsOf(cores) : process.argv[3].split(',').map(readRow)
const { body, lines, events } = batchBody()
const engine: (EngineRate & { readonly processes: number })[] = []
for (const processes of new Set([1, cores])) engine.push({ processes, ...(await engineAlone(events, processes, ENGINE_SECONDS)) })
const measured: Record<LoadName, Measured>[] = []
for (const row of rows) {
  measured.push(await measure(row))
  // A run takes minutes: what it has measured is not lost when a later row fails.
  console.error(nameOf(row), JSON.stringify(measured[measured.length - 1]))
}

const [first] = measured
const whole = engine[engine.length - 1]
report('service-scaling', {
  title: `The service on ${cores} cores, which it shares with ${generators} load ${generators === 1 ? 'generator' : 'generators'}; batches of ${(body.length / 1024 / 1024).toFixed(0)} MB (${lines.toLocaleString('en-US')} events), no trace; each scaling is that of the first row`,
  columns: [
    'service',
    'logtests/s with trace',
    'scaling',
    'p99 ms',
    'without',
    'scaling',
    'p99 ms',
    'a batch, events/s',
    'scaling',
    'many batches',
    'scaling',
    'of the engine with reports',
    'with reports as JSON',
  ],
  rows: rows.map((row, index) => [
    nameOf(row),
    ...LOADS.flatMap((name) => {
      const { perSecond, p99 } = measured[index][name]
      return [perSecond, perSecond / first[name].perSecond, ...(name.endsWith('trace') ? [p99] : [])]
    }),
    measured[index]['many batches'].perSecond / whole.report,
    measured[index]['many batches'].perSecond / whole.json,
  ]),
})
report('service-scaling', {
  title: 'The engine alone on the same events, without a service',
  columns: ['processes', 'events/s', 'scaling', 'with the report of every line', 'scaling', 'with every report as JSON', 'scaling'],
  rows: engine.map(({ processes, alone, report, json }) => [String(processes), alone, alone / engine[0].alone, report, report / engine[0].report, json, json / engine[0].json]),
})
for (const name of ['with its trace', 'without its trace', 'many batches'] as const)
  report('service-scaling', {
    title: `Processor time of ${name === 'many batches' ? 'an event of many batches' : `a logtest ${name}`} in microseconds, and the rate a second that the first row predicts`,
    columns: ['service', 'event loop', 'analysis thread', 'rest', 'load generator', 'all', 'limit', 'predicted', 'measured', 'measured / predicted'],
    rows: rows.map((row, index) => {
      const { cost, perSecond } = measured[index][name]
      const { limit, rate } = predict({ cores, ...row }, first[name].cost)
      return [nameOf(row), cost.main, cost.threads, cost.rest, cost.generators, sumOf(cost), limit, rate, perSecond, perSecond / rate]
    }),
  })

/** One thread, doubled in one process up to the cores; then so many threads in more and more processes; and the default. */
function rowsOf(cores: number): Row[] {
  const found: Row[] = []
  for (let threads = 1; threads < cores; threads *= 2) found.push({ processes: 1, threads })
  for (let processes = 1; processes < cores; processes *= 2) found.push({ processes, threads: cores })
  found.push({ processes: cores, threads: cores })
  const { processes, workers } = readConfig({})
  if (!found.some((row) => row.processes === processes)) found.push({ processes, threads: workers })
  return found
}

/** At most as many as the processes accept of one organization. */
function manyBatches({ processes, threads }: Row): number {
  const accepted = limitTable(readConfig({})).batches.organization * processes
  return Math.min(accepted, Math.max(FEWEST_BATCHES, BATCHES_PER_THREAD * threads))
}

function readRow(text: string): Row {
  const [processes, threads] = text.split('x').map(Number)
  return { processes, threads }
}

function nameOf({ processes, threads }: Row): string {
  return `${processes} ${processes === 1 ? 'process' : 'processes'}, ${threads} ${threads === 1 ? 'thread' : 'threads'}`
}

async function measure({ processes, threads }: Row): Promise<Record<LoadName, Measured>> {
  const service = await startBenchService({ NATIVE_SERVICE_WORKERS: String(threads), NATIVE_SERVICE_PROCESSES: String(processes) })
  const times = await threadTimesOf(service.pid, threads)
  const run = async (name: LoadName, duration: number): Promise<Measured> => {
    const logtest = name === 'with its trace' || name === 'without its trace' ? LOGTEST_BODIES[name] : null
    const atOnce = logtest !== null ? threads * CONNECTIONS_PER_THREAD : name === 'a batch' ? 1 : manyBatches({ processes, threads })
    const senders = Math.min(generators, atOnce)
    const parts = Array.from({ length: senders }, (_, index) => Math.floor((atOnce + index) / senders))
    const before = times()
    const loaded = await Promise.all(parts.map((part) => generate({ url: service.url, key: service.key, seconds: duration, atOnce: part, logtest })))
    const after = times()
    const count = loaded.reduce((sum, one) => sum + one.count, 0)
    return {
      perSecond: loaded.reduce((sum, one) => sum + one.perSecond, 0),
      p99: Math.max(...loaded.map(({ p99 }) => p99)),
      cost: {
        main: (after.main - before.main) / count,
        threads: (after.threads - before.threads) / count,
        rest: (after.rest - before.rest) / count,
        generators: loaded.reduce((sum, { cpuUs }) => sum + cpuUs, 0) / count,
      },
    }
  }
  const results: Partial<Record<LoadName, Measured>> = {}
  for (const name of ORDER) {
    let last = await run(name, seconds)
    for (let count = 1; count < WARM_LIMIT; count++) {
      const next = await run(name, seconds)
      const isWarm = sumOf(next.cost) > WARM_SHARE * sumOf(last.cost)
      last = next
      if (isWarm) break
    }
    results[name] = last
  }
  await service.stop()
  return results as Record<LoadName, Measured>
}

function generate(load: Load): Promise<Loaded> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('./load-generator.js', import.meta.url)), [JSON.stringify(load)])
    child.once('message', (loaded) => resolve(loaded as Loaded))
    child.once('exit', (code) => reject(new Error(`a load generator has ended with ${code}`)))
  })
}
