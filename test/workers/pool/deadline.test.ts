/** A pool whose tasks have a short deadline. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { AnalysisPool } from '#workers'
import { runBatch } from '../support/batch.js'
import { AT, BASE, KNOCKS, syslog } from '../support/rulesets.js'
import { logtestAnswer, runCases, validationAnswer } from '../support/objects.js'

const HANG = 'please-hang'
const SPIN = 'please-spin'
const ruleset = { files: [...BASE, KNOCKS], includeDefaults: false, includeCustom: false }
let pool: AnalysisPool

before(async () => {
  pool = new AnalysisPool({ workers: 2, taskTimeoutMs: 1500, defaultRulesetDir: null, threadUrl: new URL('../support/thread-with-faults.js', import.meta.url).href })
  await pool.ready()
})

after(() => pool.close())

describe('deadline', () => {
  for (const word of [HANG, SPIN]) {
    it(`ends a task with its thread, and reports it as a diagnostic (${word})`, async () => {
      const outcome = await logtestAnswer(pool, { ruleset, input: syslog(word) }, { locale: 'pt-BR' })
      assert.ok(outcome.outcome === 'timeout')
      assert.equal(outcome.diagnostic.code, 'engine_timeout')
      assert.match(outcome.diagnostic.message, /1\.5 segundos/)
      assert.ok(!JSON.stringify(outcome).includes(word))
    })
  }

  it('costs a session only that event', async () => {
    const logtest = (event: string) => logtestAnswer(pool, { ruleset, input: syslog(event), sessionId: 's', at: AT })
    const rules = []
    for (const event of ['knock', 'knock', HANG, 'knock']) {
      const outcome = await logtest(event)
      rules.push(outcome.outcome === 'ok' ? outcome.value.rule?.id : outcome.outcome)
    }
    assert.deepEqual(rules, ['100100', '100100', 'timeout', '100101'])
  })

  it('costs a batch the lines of the events that exceed it, and all later lines after too many', async () => {
    const inputs = ['knock', HANG, 'knock', HANG, HANG, 'knock', 'knock'].map(syslog)
    const outcome = await runBatch(pool, { ruleset, inputs })
    assert.ok(outcome.outcome === 'ok')
    const { lines } = outcome.value
    assert.deepEqual(
      lines.map((line) => line.rule?.id ?? line.insights.length),
      ['100100', 1, '100100', 1, 1, 1, 1],
    )
    for (const { rule, insights } of lines) if (rule === null) assert.match(insights[0], /^The analysis was stopped after 1\.5 seconds \((?:rule|decoder) \S+\)\. Try fewer/)
    // The first line that ran alone has them.
    assert.deepEqual(
      lines.map(({ diagnostics, summary }) => [diagnostics !== undefined, summary !== undefined]),
      lines.map((_, i) => [i === 0, i === 0]),
    )
    assert.equal(outcome.value.failed, 5)
  })

  it('costs a run of cases only that case', async () => {
    const cases = ['knock', HANG, 'knock'].map((event_text) => ({ name: event_text, event_text, expected_rule: '100100' }))
    const outcome = await runCases(pool, { ruleset, cases })
    assert.ok(outcome.outcome === 'ok')
    assert.deepEqual(
      outcome.value.results.map((result) => result.outcome),
      ['ok', 'timeout', 'ok'],
    )
  })

  it('costs a session of cases that case and the later ones, and no other session', async () => {
    const cases = ['knock', 'knock', HANG, 'knock', 'knock'].flatMap((event_text) => [
      { name: event_text, event_text, session_id: 'stopped' },
      { name: 'other', event_text: 'knock', session_id: 'other' },
    ])
    const outcome = await runCases(pool, { ruleset, cases, at: AT })
    assert.ok(outcome.outcome === 'ok')
    assert.deepEqual(
      outcome.value.results.map((result) => (result.outcome === 'ok' ? result.report.analysis.rule?.id : result.outcome)),
      ['100100', '100100', '100100', '100100', 'timeout', '100101', 'timeout', '100100', 'timeout', '100100'],
    )
  })

  it('applies to a session of cases as a whole', async () => {
    // Each takes a moment, all together more than the deadline.
    const cases = Array.from({ length: 400 }, (_, i) => ({ name: String(i), event_text: `please-wait ${i}`, session_id: 'slow' }))
    const outcome = await runCases(pool, { ruleset, cases: [...cases, { name: 'last', event_text: 'knock' }] })
    assert.ok(outcome.outcome === 'ok')
    const { results } = outcome.value
    assert.equal(results[0].outcome, 'ok')
    assert.equal(results[399].outcome, 'timeout')
    assert.equal(results[400].outcome, 'ok')
  })
})

describe('close', () => {
  it('lets running tasks finish, and accepts no more', async () => {
    const other = new AnalysisPool({ workers: 1, defaultRulesetDir: null })
    const running = validationAnswer(other, { ruleset })
    const closing = other.close()
    assert.equal((await running).outcome, 'ok')
    await closing
    assert.deepEqual(await validationAnswer(other, { ruleset }), { outcome: 'aborted' })
  })
})
