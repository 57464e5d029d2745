/**
 * `node dist/bench/server/login-mix.bench.js [seconds]`: latency of logtests while people log in. A login is 50 ms of argon2 on a thread of its own kind, and must not hold up who
 * only wants an event run.
 */
import autocannon from 'autocannon'
import { startBenchService } from './service.js'

const LOGTESTS_PER_SECOND = 200
const LOGINS_PER_SECOND = 5
const CONNECTIONS = 8

const seconds = Number(process.argv[2] ?? 8)
const service = await startBenchService({ NATIVE_SERVICE_WORKERS: '2' })
const logtests = (duration: number) =>
  autocannon({
    url: `${service.url}/api/v1/analysis/logtest-native`,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': service.key },
    body: JSON.stringify({ input: { event: 'Jan  5 10:11:12 web1 sshd[12]: Failed password for root from 192.0.2.7 port 22 ssh2' } }),
    connections: CONNECTIONS,
    overallRate: LOGTESTS_PER_SECOND,
    duration,
  })
const logins = (duration: number) =>
  autocannon({
    url: `${service.url}/api/v1/auth/login`,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(service.login),
    connections: 2,
    overallRate: LOGINS_PER_SECOND,
    duration,
  })

await logtests(5)
const alone = await logtests(seconds)
const [mixed, in_between] = await Promise.all([logtests(seconds), logins(seconds)])
console.log(`login mix: ${LOGTESTS_PER_SECOND} logtests/s, ${LOGINS_PER_SECOND} logins/s, node ${process.version}`)
console.log(`  alone   p50 ${alone.latency.p50} ms  p99 ${alone.latency.p99} ms  max ${alone.latency.max} ms`)
console.log(`  mixed   p50 ${mixed.latency.p50} ms  p99 ${mixed.latency.p99} ms  max ${mixed.latency.max} ms; logins p50 ${in_between.latency.p50} ms`)
service.stop()
