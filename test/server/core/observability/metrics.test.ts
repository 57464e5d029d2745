/** The metrics for Prometheus. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { BUCKETS_MS } from '#workers'
import { Metrics } from '../../../../server/core/observability/metrics.js'
import { poolText } from '../../../../server/core/observability/pool-metrics.js'
import type { StoreStatus } from '../../../../server/core/observability/store-status.js'

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
  sharedBatches: 1,
  cachedBytes: 1024,
  unreleasedAnswers: 2,
  cachedRulesets: 2,
  sessions: 7,
  bytes: 99,
}

test('requests are counted by route, method and status', async () => {
  const metrics = new Metrics({ process: false })
  metrics.reportInFlight(() => 1)
  metrics.answered('projects.list', 'GET', 200, 3)
  metrics.answered('none', 'PROPFIND', 405, 3)
  metrics.rateLimited('auth.login')
  const { type, text } = await metrics.read()
  assert.match(type, /^text\/plain; version=0\.0\.4/)
  assert.match(text, /^http_requests_in_flight 1$/m)
  assert.match(text, /^http_request_duration_seconds_bucket\{le="0\.005",route="projects\.list",method="GET",status="200"\} 1$/m)
  assert.match(text, /^http_request_duration_seconds_count\{route="projects\.list",method="GET",status="200"\} 1$/m)
  assert.match(text, /^http_request_duration_seconds_count\{route="none",method="other",status="405"\} 1$/m)
  assert.match(text, /^http_rate_limited_total\{route="auth\.login"\} 1$/m)
})

test('the numbers of the pool are cumulative, as Prometheus requires', async () => {
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

test('build, store and its waiting jobs, streams, mail, deliveries, jobs and log are reported', async () => {
  let reading: StoreStatus = {
    isUp: true,
    isReady: true,
    backlogs: [
      { kind: 'webhook.deliver', waiting: 3, since: new Date(90_000) },
      { kind: 'notice', waiting: 0, since: null },
    ],
  }
  const metrics = new Metrics({
    process: false,
    build: { version: '1.2.3', engineVersion: '7' },
    store: { kind: 'mongodb', version: '8.0.4', migration: 5, read: async () => reading },
    streams: () => 4,
    peers: () => 2,
    mailWaiting: () => 6,
    logCounts: { warn: 1, error: 2, fatal: 0 },
    clock: () => 100_000,
  })
  metrics.mailEnded('sent')
  metrics.deliveries.attempted(null)
  metrics.deliveries.attempted('status_refused')
  metrics.deliveries.ended('failed')
  metrics.jobEnded('webhook.deliver', 'given_up')
  const { text } = await metrics.read()
  for (const line of [
    `detection_content_build_info{version="1.2.3",engine_version="7",node_version="${process.version}"} 1`,
    'store_info{kind="mongodb",version="8.0.4"} 1',
    'store_migration 5',
    'store_up 1',
    'service_ready 1',
    'jobs_waiting{kind="webhook.deliver"} 3',
    'jobs_waiting{kind="notice"} 0',
    'jobs_oldest_waiting_seconds{kind="webhook.deliver"} 10',
    'jobs_oldest_waiting_seconds{kind="notice"} 0',
    'event_streams_open 4',
    'service_peers 2',
    'mail_waiting 6',
    'mail_total{outcome="sent"} 1',
    'mail_total{outcome="given_up"} 0',
    'webhook_attempts_total{outcome="delivered"} 1',
    'webhook_attempts_total{outcome="status_refused"} 1',
    'webhook_deliveries_total{outcome="failed"} 1',
    'jobs_ended_total{kind="webhook.deliver",outcome="given_up"} 1',
    'log_entries_total{level="error"} 2',
  ])
    assert.ok(text.split('\n').includes(line), `${line} is not in\n${text}`)
  reading = { isUp: false, isReady: false, backlogs: null }
  const away = (await metrics.read()).text
  assert.match(away, /^store_up 0$/m)
  assert.match(away, /^service_ready 0$/m)
  // A zero would mean that nothing waits.
  assert.doesNotMatch(away, /^jobs_(waiting|oldest)/m)
  assert.match(away, /^log_entries_total\{level="error"\} 2$/m)
})
