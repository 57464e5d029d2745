/** What Prometheus reads. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { BUCKETS_MS } from '#workers'
import { Metrics } from '../../../server/observability/metrics.js'
import { poolText } from '../../../server/observability/pool-metrics.js'

const counts = [2, 0, 1, ...new Array(BUCKETS_MS.length - 2).fill(0)]
const reading = { counts, count: 3, sum: 8 }
const pool = {
  threads: 2,
  running: 1,
  queueLength: 3,
  queueLimit: 64,
  waitMs: reading,
  runMs: reading,
  outcomes: { ok: 5, busy: 1, aborted: 0, timeout: 0, failed: 0 },
  cacheHits: 4,
  cacheMisses: 2,
  replacedThreads: 0,
  sharedTurns: 1,
  cachedBytes: 1024,
  lentAnswers: 2,
  cachedRulesets: 2,
  sessions: 7,
  bytes: 99,
}

test('requests are counted by route and status', async () => {
  const metrics = new Metrics({ process: false })
  metrics.tellInFlight(() => 1)
  metrics.answered('projects.list', 200, 3)
  metrics.rateLimited('auth.login')
  const { type, text } = await metrics.read()
  assert.match(type, /^text\/plain; version=0\.0\.4/)
  assert.match(text, /^http_requests_in_flight 1$/m)
  assert.match(text, /^http_request_duration_seconds_bucket\{le="0\.005",route="projects\.list",status="200"\} 1$/m)
  assert.match(text, /^http_request_duration_seconds_count\{route="projects\.list",status="200"\} 1$/m)
  assert.match(text, /^http_rate_limited_total\{route="auth\.login"\} 1$/m)
})

test("the pool's numbers are added up as Prometheus wants them", async () => {
  const { text } = await new Metrics({ process: false, pool: () => pool }).read()
  assert.match(text, /^analysis_queue_length 3$/m)
  assert.match(text, /^analysis_tasks_total\{outcome="busy"\} 1$/m)
  assert.match(text, /^analysis_run_seconds_bucket\{le="0\.001"\} 2$/m)
  assert.match(text, /^analysis_run_seconds_bucket\{le="0\.005"\} 3$/m)
  assert.match(text, /^analysis_run_seconds_bucket\{le="\+Inf"\} 3$/m)
  assert.match(text, /^analysis_run_seconds_sum 0\.008$/m)
  assert.match(text, /^analysis_answers_lent 2$/m)
  for (const line of text.split('\n').filter((line) => line !== '')) assert.match(line, /^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? \S+)$/)
})

test('every metric of the pool is described once', () => {
  const helps = [...poolText(pool).matchAll(/^# HELP (\w+)/gm)].map(([, name]) => name)
  assert.equal(new Set(helps).size, helps.length)
})
