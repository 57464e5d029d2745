/**
 * `node dist/bench/server/login-mix.bench.js [seconds]`: latency of logtests during logins. A login takes 50 ms of argon2 on a libuv thread, which must not
 * delay logtests.
 */
import autocannon from 'autocannon'
import { startBenchService } from './service.js'
import { report } from '../report.js'

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
const [mixed, logged] = await Promise.all([logtests(seconds), logins(seconds)])
report('service-login-mix', {
  title: `${LOGTESTS_PER_SECOND} logtests a second, without and with ${LOGINS_PER_SECOND} logins a second, milliseconds`,
  columns: ['requests', 'p50', 'p99', 'max'],
  rows: (
    [
      ['logtests alone', alone],
      ['logtests beside logins', mixed],
      ['logins', logged],
    ] as const
  ).map(([what, { latency }]) => [what, latency.p50, latency.p99, latency.max]),
})
await service.stop()
