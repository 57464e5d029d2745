/** Content that could not be compiled in time: it is treated as content with an error, and every route answers. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { AnalysisPool, type RulesetSelection, type TimedOut } from '#workers'
import { type Actor, bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { createProject, FAILED_LOGIN, openWorkspace, RULES_XML } from '../support/projects.js'
import { scopeOf, storeCase } from '../support/stored-cases.js'
import { DEFAULT_STORE } from '../support/stores.js'

const SLOW = '<!-- takes forever -->'

const STOP: TimedOut = {
  outcome: 'timeout',
  seconds: 10,
  at: { index: null, ruleId: null, decoder: null },
  diagnostic: {
    severity: 'error',
    source: 'engine',
    code: 'engine_timeout',
    message: 'too slow',
    filename: '',
    line: null,
    column: null,
    end_line: null,
    end_column: null,
    hint: '',
    evidence: null,
    source_scope: null,
    engine_effect: 'none',
    suggestion: null,
    related: [],
    cause: null,
    more: 0,
  },
}

const isSlow = (ruleset: RulesetSelection): boolean => 'files' in ruleset && ruleset.files?.some(({ content }) => content.includes(SLOW)) === true

/** Never compiles content with a certain text. */
class SlowPool extends AnalysisPool {
  attempts = 0

  override measure: AnalysisPool['measure'] = async (request, options) => {
    if (!isSlow(request.ruleset)) return AnalysisPool.prototype.measure.call(this, request, options)
    this.attempts++
    return STOP
  }
  override semantics: AnalysisPool['semantics'] = async (ruleset, options) => (isSlow(ruleset) ? STOP : AnalysisPool.prototype.semantics.call(this, ruleset, options))
}

describe(`content that takes too long, ${DEFAULT_STORE.name}`, () => {
  let pool: SlowPool
  let app: TestApp
  let admin: Actor

  before(async () => {
    pool = new SlowPool({ workers: 1 })
    app = await startTestApp({ pool })
    admin = await bootstrap(app.client)
  })
  after(async () => {
    await app?.close()
    await pool?.close()
  })

  test('has an error, fails every case, and passes no gate', async () => {
    const project = await createProject(admin, { rules_xml: SLOW + RULES_XML })
    await storeCase(scopeOf(app, admin), project, { name: 'a case', event_text: FAILED_LOGIN, expected_rule: '100101' })
    const path = `/platform/projects/${project.id}`
    const overview = await admin.client.get<{
      quality_score: number
      diagnostics_by_code: Record<string, number>
      quality_gate_result: { passed: boolean; case_count: number; failed_cases: number }
    }>(`${path}/overview`)
    assert.equal(overview.status, 200, overview.text)
    assert.deepEqual(overview.body.diagnostics_by_code, { engine_timeout: 1 })
    const { passed, case_count, failed_cases } = overview.body.quality_gate_result
    assert.deepEqual([overview.body.quality_score, passed, case_count, failed_cases], [50, false, 1, 1])
    const report = await admin.client.get<{ validation: { loads: boolean; findings: { code: string }[] }; regression: { failing: { name: string; checks: unknown[] }[] } }>(
      `${path}/report`,
    )
    assert.deepEqual([report.body.validation.loads, report.body.validation.findings[0].code], [false, 'engine_timeout'])
    assert.deepEqual(
      report.body.regression.failing.map(({ name, checks }) => [name, checks]),
      [['a case', []]],
    )
    assert.equal((await admin.client.get(`${path}/report`, { headers: { Accept: 'text/html' } })).status, 200)
    const version = await admin.client.post<{ regression_passed: boolean }>(`${path}/versions`, { name: 'slow' })
    assert.equal(version.body.regression_passed, false)
    // Each attempt would take and end a thread.
    assert.equal(pool.attempts, 1)
  })

  test('can be compared', async () => {
    const project = await createProject(admin)
    await storeCase(scopeOf(app, admin), project, { event_text: FAILED_LOGIN, expected_rule: '100101' })
    const workspace = await openWorkspace(admin, project.id, { rules_xml: SLOW + RULES_XML })
    const { status, body, text } = await admin.client.post<{
      candidate_loads: boolean
      regressed_cases: number
      candidate_diagnostics: { introduced: { code: string }[] }
      rules: { removed_count: number }
    }>(`/platform/projects/${project.id}/impact/${workspace.id}`)
    assert.equal(status, 200, text)
    assert.deepEqual(
      body.candidate_diagnostics.introduced.map(({ code }) => code),
      ['engine_timeout'],
    )
    assert.deepEqual([body.candidate_loads, body.regressed_cases, body.rules.removed_count], [false, 1, 2])
  })
})
