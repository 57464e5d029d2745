/**
 * `node dist/bench/server/logtest.bench.js [seconds] [rounds]`: logtests over HTTP with about 1 KB of inline rules that are compiled already, compared with bare Koa that
 * parses the same body and sends the same response; with and without trace. Bare Koa is measured twice: with a response that is serialized in advance, and with one
 * that it serializes for each request. Each server is a process; rounds alternate, and the median counts. Printed are the rate and the processor time per request,
 * which depends less on other load on the machine, then the latency at 80 % of that rate.
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { LOGTEST_BODIES } from './logtest-request.js'
import { cpuOf, startBenchService } from './service.js'
import { medianBy } from '../median.js'
import { report } from '../report.js'

const CONNECTIONS = 64
const WARM_SECONDS = 10
const WARM_BARE_SECONDS = 2
const WORKERS = '2'
/** Rounds alternate in this order. */
const FORMS_OF_ROUNDS = ['bytes', 'object', 'ours'] as const

interface Target {
  readonly url: string
  readonly headers: Record<string, string>
  cpu(): Promise<number>
}

const seconds = Number(process.argv[2] ?? 5)
const rounds = Number(process.argv[3] ?? 3)
const service = await startBenchService({ NATIVE_SERVICE_WORKERS: WORKERS })
const ours: Target = { url: `${service.url}/api/v1/analysis/logtest-native`, headers: { 'X-API-Key': service.key }, cpu: service.cpu }
for (const [name, body] of Object.entries(LOGTEST_BODIES)) await compare(name, body)
await service.stop()

/** Measures and prints our service and bare Koa with a body. */
async function compare(name: string, body: string): Promise<void> {
  const sent = await fetch(ours.url, { method: 'POST', headers: { 'Content-Type': 'application/json', ...ours.headers }, body })
  const answer = await sent.text()
  const targets = { ours, bytes: await startBare('bytes', answer), object: await startBare('object', answer) }
  await load(ours, body, WARM_SECONDS)
  await load(targets.bytes, body, WARM_BARE_SECONDS)
  await load(targets.object, body, WARM_BARE_SECONDS)
  const taken: Record<keyof typeof targets, Round[]> = { ours: [], bytes: [], object: [] }
  for (let round = 0; round < rounds; round++) for (const form of FORMS_OF_ROUNDS) taken[form].push(await load(targets[form], body, seconds))
  const { ours: own, bytes, object } = Object.fromEntries(FORMS_OF_ROUNDS.map((form) => [form, medianBy(taken[form], ({ rate }) => rate)])) as Record<keyof typeof targets, Round>
  const calm = await load(ours, body, seconds, 0.8 * own.rate)
  const row = (what: string, { rate, cpuUs }: Round): (string | number)[] => [what, rate, cpuUs, own.rate / rate]
  report('service-logtest', {
    title: `Logtests over HTTP ${name}, ${body.length} bytes to ${Buffer.byteLength(answer)}, ${CONNECTIONS} connections, ${WORKERS} threads, median of ${rounds} × ${seconds} s`,
    columns: ['server', 'requests/s', 'processor µs', 'logtest is'],
    rows: [row('bare Koa, bytes that exist', bytes), row('bare Koa, an object', object), row('logtest', own)],
  })
  report('service-logtest', {
    title: `Latency ${name} at 80 % of that rate, milliseconds`,
    columns: ['percentile', 'ms'],
    rows: [
      ['p50', calm.p50],
      ['p99', calm.p99],
    ],
  })
  targets.bytes.stop()
  targets.object.stop()
}

/** Starts bare Koa in its own process. */
async function startBare(form: 'bytes' | 'object', answer: string): Promise<Target & { stop(): void }> {
  const child = fork(fileURLToPath(new URL('./bare-target.js', import.meta.url)), [form])
  child.send(answer)
  const url = await new Promise<string>((resolve) => child.once('message', (url) => resolve(String(url))))
  return { url, headers: {}, cpu: () => cpuOf(child.pid as number), stop: () => void child.kill() }
}

interface Round {
  readonly rate: number
  readonly cpuUs: number
  readonly p50: number
  readonly p99: number
}

async function load({ url, headers, cpu }: Target, body: string, duration: number, rate?: number): Promise<Round> {
  const before = await cpu()
  const result = await autocannon({
    url,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
    connections: CONNECTIONS,
    duration,
    ...(rate === undefined ? {} : { overallRate: Math.round(rate) }),
  })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} errors`)
  const { p50, p99 } = result.latency
  return { rate: result.requests.average, cpuUs: ((await cpu()) - before) / result.requests.total, p50, p99 }
}
