/**
 * `node dist/bench/server/http.bench.js [seconds] [rounds]`: cost of our HTTP layer for a request with an API key, compared with bare Koa that parses and echoes the
 * same body. Each target is a process under full load. Printed are the rate and the processor time per request, which depends less on other load on the
 * machine. Targets alternate, and the median round counts.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { medianBy } from '../median.js'
import { report } from '../report.js'

const MODES = ['bare', 'json', 'bytes', 'silent'] as const
const CONNECTIONS = 32
const WARM_SECONDS = 2
const BODY = JSON.stringify({
  include_disk_defaults: true,
  files: [],
  input: {
    event: 'Oct  7 09:12:31 web-1 sshd[2841]: Failed password for invalid user admin from 203.0.113.7 port 51234 ssh2',
    log_format: 'syslog',
    location: '/var/log/auth.log',
  },
})

type Mode = (typeof MODES)[number]

const seconds = Number(process.argv[2] ?? 5)
const rounds = Number(process.argv[3] ?? 3)
const targets = new Map<Mode, { url: string; child: ChildProcess }>()
for (const mode of MODES) targets.set(mode, await start(mode))
interface Round {
  readonly rate: number
  readonly cpuUs: number
}

const results = new Map<Mode, Round[]>(MODES.map((mode) => [mode, []]))
for (const mode of MODES) await load(mode, WARM_SECONDS)
for (let round = 0; round < rounds; round++) for (const mode of MODES) results.get(mode)?.push(await load(mode, seconds))
for (const { child } of targets.values()) child.kill()

const base = middle('bare')
report('service-http', {
  title: `The HTTP layer with a handler that does nothing, ${BODY.length} bytes, ${CONNECTIONS} connections, median of ${rounds} × ${seconds} s`,
  columns: ['handler', 'requests/s', 'of bare Koa', 'processor µs', 'more than bare'],
  rows: MODES.map((mode) => {
    const { rate, cpuUs } = middle(mode)
    return [mode, rate, rate / base.rate, cpuUs, cpuUs - base.cpuUs]
  }),
})

function start(mode: Mode): Promise<{ url: string; child: ChildProcess }> {
  return new Promise((resolve) => {
    const child = fork(fileURLToPath(new URL('./http-target.js', import.meta.url)), [mode])
    child.once('message', (url) => resolve({ url: String(url), child }))
  })
}

async function load(mode: Mode, duration: number): Promise<Round> {
  const { url, child } = targets.get(mode) as { url: string; child: ChildProcess }
  const before = await cpuOf(child)
  const result = await autocannon({
    url: `${url}/api/v1/analysis/logtest-native`,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'svk_0123456789abcdef0123456789abcdef01234567' },
    body: BODY,
    connections: CONNECTIONS,
    duration,
  })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${mode}: ${result.non2xx} refusals, ${result.errors} errors`)
  return { rate: result.requests.average, cpuUs: ((await cpuOf(child)) - before) / result.requests.total }
}

/** Microseconds of processor time of the process, in user and kernel mode. */
function cpuOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('message', (usage) => {
      const { user, system } = usage as NodeJS.CpuUsage
      resolve(user + system)
    })
    child.send('cpu')
  })
}

function middle(mode: Mode): Round {
  return medianBy(results.get(mode) ?? [], ({ cpuUs }) => cpuUs)
}
