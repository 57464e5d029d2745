/** Answers when threads hang, end or are all busy. */
import assert from 'node:assert/strict'
import http from 'node:http'
import { after, before, describe, it } from 'node:test'
import { AnalysisPool, type Fault, type LogtestAnswer, type ValidationAnswer } from '#workers'
import { SMALL_BODY_BYTES } from '../../server/analysis/outcomes.js'
import type { Client, Refusal } from '../support/client.js'
import { type AnalysisApp, startAnalysis } from '../server/analysis/support/service.js'
import { BASE, group, KNOCKS, rule, rulesFile } from '../workers/support/rulesets.js'

const HANG = 'please-hang'
const EXIT = 'please-exit'
const THROW = 'please-throw'
const FILES = [...BASE, KNOCKS]

const faults: Fault[] = []
let pool: AnalysisPool
let app: AnalysisApp
let client: Client

async function start(taskTimeoutMs: number, queueLimit?: number): Promise<void> {
  pool = new AnalysisPool({
    workers: 2,
    taskTimeoutMs,
    ...(queueLimit === undefined ? {} : { queueLimit }),
    defaultRulesetDir: null,
    threadUrl: new URL('../workers/support/thread-with-faults.js', import.meta.url).href,
    onFault: (fault) => faults.push(fault),
  })
  await pool.ready()
  app = await startAnalysis({ pool })
  client = app.client()
}

async function stop(): Promise<void> {
  await app.close()
  await pool.close()
}

const padding = { filename: 'padding.xml', kind: 'rules', content: `<!-- ${'x'.repeat(SMALL_BODY_BYTES)} -->${group(rule(100900, '<match>z</match>'))}` }
const logtest = (event: string, large = false, more: object = {}) =>
  client.post<LogtestAnswer & Refusal>('/analysis/logtest-native', { files: large ? [...FILES, padding] : FILES, input: { event, ...more } })

describe('a deadline', () => {
  // A new thread compiles the ruleset within it, beside all other tests.
  before(() => start(2500))
  after(stop)

  for (const large of [false, true]) {
    it(`is answered with 200 and its diagnostic, ${large ? 'also for a body that a worker reads' : 'whole'}`, async () => {
      const { status, body } = await logtest(HANG, large)
      assert.deepEqual([status, body.ok, body.rule, body.diagnostics[0].code], [200, false, null, 'engine_timeout'])
      assert.equal(body.diagnostics[0].source, 'engine')
      // The rule stage hangs; the last decoder was running before.
      assert.match(body.diagnostics[0].evidence ?? '', /^(rule|decoder) \S/)
      assert.equal((await logtest('knock', large)).body.rule?.id, '100100')
    })
  }

  it('emits its event, and costs a unit', async () => {
    app.events.length = 0
    app.plan.taken = 0
    await logtest(HANG)
    assert.deepEqual(app.events, [{ name: 'logtest.completed', payload: { ok: false, matched_rule_id: null, matched_rules: [] } }])
    assert.equal(app.plan.taken, 1)
  })

  it('does not delay requests that arrived with it', async () => {
    // Threads know the ruleset, so that the tasks share batches.
    await Promise.all(Array.from({ length: 8 }, () => logtest('knock')))
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => logtest(i % 20 === 7 ? HANG : `knock ${i}`)))
    answers.forEach(({ status, body }, i) => {
      assert.equal(status, 200)
      assert.equal(i % 20 === 7 ? body.diagnostics[0].code : body.rule?.id, i % 20 === 7 ? 'engine_timeout' : '100100')
    })
    assert.ok(pool.metrics().sharedBatches > 0)
  })
})

describe('faults', () => {
  before(() => start(60_000, 2))
  after(stop)

  it('are 500 with a debug id if they are ours: the caller gets no details, the log has them all', async () => {
    for (const large of [false, true]) {
      const { status, body } = await logtest(`${THROW} with-a-secret`, large)
      assert.deepEqual([status, body.code, body.details], [500, 'internal_error', {}])
      const fault = faults.at(-1)
      assert.ok(app.log.some((line) => line.includes(body.debug_id) && line.includes(fault?.debugId ?? 'none')))
      assert.ok(!JSON.stringify([body, fault, app.log]).includes('with-a-secret'))
    }
  })

  it('of a thread that ends cost only that request', async () => {
    for (const large of [false, true]) {
      assert.equal((await logtest(EXIT, large)).status, 500)
      assert.equal((await logtest('knock', large)).body.rule?.id, '100100')
    }
  })

  it('of a thread that is killed while it works cost only that request', async () => {
    let isOver = false
    const running = logtest(HANG).finally(() => {
      isOver = true
    })
    // A thread that is killed before the event has begun leaves it to the next.
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      if (pool.metrics().running > 0) await Promise.all(pool.threadPool.workers.map((worker) => worker.terminate()))
    }
    assert.equal((await running).status, 500)
    assert.equal((await logtest('knock')).body.rule?.id, '100100')
  })

  it('cost no unit', async () => {
    app.plan.taken = 0
    await logtest(THROW)
    await logtest(THROW, true)
    assert.equal(app.plan.taken, 0)
  })

  it('differ from a full queue, which is 503 with a time to retry', async () => {
    const callers = Array.from({ length: 4 }, () => new AbortController())
    const hanging = callers.map(({ signal }) =>
      fetch(`${app.url}/api/v1/analysis/logtest-native`, {
        method: 'POST',
        headers: { 'X-API-Key': 'svk_o_k', 'Content-Type': 'application/json' },
        body: JSON.stringify({ files: FILES, input: { event: HANG } }),
        signal,
      }).catch(() => null),
    )
    while (pool.metrics().running + pool.metrics().queueLength < 4) await new Promise((resolve) => setTimeout(resolve, 5))
    app.plan.taken = 0
    for (const large of [false, true]) {
      const { status, body, headers } = await logtest('knock', large)
      assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'service_unavailable', '1'])
    }
    assert.equal((await client.post('/analysis/validate', { files: FILES })).status, 503)
    assert.equal(app.plan.taken, 0)
    for (const caller of callers) caller.abort()
    await Promise.all(hanging)
    while (pool.metrics().running > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.equal((await logtest('knock')).body.rule?.id, '100100')
  })

  it('differ from a caller who disconnects, which ends the work', async () => {
    const request = http.request(`${app.url}/api/v1/analysis/logtest-native`, { method: 'POST', headers: { 'X-API-Key': 'svk_o_k', 'Content-Type': 'application/json' } })
    request.on('error', () => {})
    request.end(JSON.stringify({ files: FILES, input: { event: HANG } }))
    while (pool.metrics().running === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    request.destroy()
    while (pool.metrics().running > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.equal((await logtest('knock')).body.rule?.id, '100100')
  })
})

describe('a service that stops', () => {
  it('reports it', async () => {
    await start(60_000)
    await pool.close()
    for (const large of [false, true]) assert.equal((await logtest('knock', large)).status, 503)
    const { status, body } = await client.post<ValidationAnswer & Refusal>('/analysis/validate', { files: [rulesFile('')] })
    assert.deepEqual([status, body.code], [503, 'service_unavailable'])
    await app.close()
  })
})
