import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { after, describe, it } from 'node:test'
import { assertReportPage, HOSTILE } from '../../support/report-pages.js'
import { CLOSED, call, LOSING, OPENED, Workplace } from './call.js'

const INI = `; Tests of doors.
[Door: opened]
log 1 pass = ${OPENED}
log 2 fail = ${CLOSED}

rule = 901
alert = 7
decoder = door-opened
`

describe('test', () => {
  const workplace = new Workplace()
  const base = workplace.ruleset()
  after(() => workplace.remove())
  const suite = workplace.write(
    'tests/doors.json',
    `{
  "cases": [
    { "name": "opened", "event_text": ${JSON.stringify(OPENED)}, "expected_rule": "901", "expected_fields": { "srcuser": "ana" } },
    {
      "name": "often",
      "events": [${[0, 5, 10].map((at) => JSON.stringify({ event_text: OPENED, at })).join()}],
      "expected_rule": "902"
    },
    {
      "name": "seldom",
      "events": [${[0, 100, 200].map((at) => JSON.stringify({ event_text: OPENED, at })).join()}],
      "expected_rule": "902"
    }
  ]
}
`,
  )
  const ini = workplace.write('tests/doors.ini', INI.replace('decoder = door-opened', 'decoder = door'))
  const run = (...argv: string[]) => call(['test', '--ruleset', base, ...argv])

  it("runs Wazuh's suites", async () => {
    const { code, stdout } = await run(ini)
    assert.equal(code, 0, stdout)
    assert.match(stdout, /2 cases, 2 passed/)
    assert.match(stdout, /Covered: rules 4\/5 \(80\.0 %\)/)
  })

  it('reports file and line of a failed case, the expected result, and the reason', async () => {
    const { code, stdout } = await run(suite)
    assert.equal(code, 1)
    assert.ok(stdout.includes(`✗ seldom ${suite}:9`), stdout)
    assert.match(stdout, /Rule {2}expected 902 {2}got 901/)
    assert.match(stdout, /why {2}.*if_matched_sid/)
    assert.match(stdout, /3 cases, 2 passed, 1 failed/)
    assert.doesNotMatch(stdout, /✓ opened/)
    assert.match((await run(suite, '--verbose')).stdout, /✓ opened/)
  })

  it('lets cases of a file with the same session_id share it, in order', async () => {
    const knocks = (session_id: string) => ['901', '901', '902'].map((expected_rule, i) => ({ name: `${session_id} ${i}`, event_text: OPENED, session_id, expected_rule }))
    const [one, two] = [knocks('one'), knocks('two')]
    const shared = workplace.write('shared/sessions.json', JSON.stringify({ cases: one.flatMap((knock, i) => [knock, two[i]]) }))
    const { code, stdout } = await run(shared)
    assert.equal(code, 0, stdout)
    const alone = workplace.write('alone/sessions.json', JSON.stringify({ cases: one.map((knock) => ({ ...knock, session_id: '' })) }))
    assert.equal((await run(alone)).code, 1)
  })

  it('lists untested rules and decoders', async () => {
    const { stdout } = await run(ini, '--untested')
    assert.match(stdout, /Rules that no case matches \(1\)\n {2}902 +0010-base\.xml:\d+/)
    assert.match(stdout, /Decoders that no case runs \(1\)\n {2}json/)
  })

  it('fails for rules without a negative case where one is required, and counts them', async () => {
    const own = workplace.write(
      'own/rules/own.xml',
      '<group name="own,"><rule id="100001" level="3"><if_sid>901</if_sid><match>by ana</match><description>Ana.</description></rule></group>',
    )
    const named = (name: string, event_text: string, expected_rule: string): string =>
      workplace.write(`${name}.json`, JSON.stringify({ cases: [{ name, event_text, expected_rule }] }))
    const required = ['--custom', own, '--require-negative', '--format', 'json', named('positive', OPENED, '100001')]
    const lacking = await run(...required)
    assert.deepEqual([lacking.code, lacking.stderr], [1, 'test: 1 tested rule has no negative case: 100001\n'])
    const found = JSON.parse(lacking.stdout) as { ok: boolean; negatives: object }
    assert.deepEqual([found.ok, found.negatives], [false, { positive_count: 1, lacking_count: 1, lacking: ['100001'] }])
    const { code, stderr } = await run(...required, named('negative', OPENED.replace('ana', 'bob'), '901'))
    assert.deepEqual([code, stderr], [0, ''])
  })

  it('searches folders, and fails for files that it cannot read', async () => {
    workplace.write('wrong/broken.json', '{"cases": [')
    workplace.write('wrong/shape.json', '{\n"cases": [\n{"name": "x", "event_text": "y", "expected_rule": 5}]}')
    workplace.write('wrong/suite.ini', '[x]\nwhat is this\n')
    const { code, stdout } = await run(`${workplace.folder}/wrong`)
    assert.equal(code, 1)
    assert.match(stdout, /broken\.json:1/)
    assert.match(stdout, /shape\.json:3\n.*"expected_rule" is not a text/)
    assert.match(stdout, /suite\.ini:2/)
    assert.equal((await run('/nowhere.ini')).code, 2)
    assert.equal((await run()).code, 2)
  })

  it('fails for a test without expectations', async () => {
    const event = `"event_text": ${JSON.stringify(OPENED)}`
    const wrong: readonly (readonly [name: string, text: string, message: RegExp])[] = [
      ['misspelt.json', `{"cases": [{"name": "x", ${event}, "expected_rul": "1"}]}`, /misspelt\.json:1\n.*"expected_rul".*"expected_rule"/],
      ['list.json', `[{"name": "x", ${event}, "expected_rule": "1"}]`, /list\.json:1\n.*no list "cases"/],
      ['null.json', 'null', /null\.json:1\n.*no list "cases"/],
      ['empty.json', '', /empty\.json:1\n.*not JSON/],
      ['section.ini', '[x]\nrule = 1\n[y]\nrule = 2\n', /section\.ini:1\n.*"x" has no event[\s\S]*section\.ini:3\n.*"y"/],
      ['text.json', `{"cases": [{"name": "x", "events": [{${event}, "at": "5"}]}]}`, /"events" is not a list/],
      ['back.json', `{"cases": [{"name": "x", "events": [{${event}, "at": 5}, {${event}, "at": 4}]}]}`, /decrease/],
      ['both.json', `{"cases": [{"name": "x", ${event}, "events": [{${event}}]}]}`, /both/],
    ]
    for (const [name, text, message] of wrong) {
      const { code, stdout } = await run(workplace.write(`nothing/${name}`, text))
      assert.equal(code, 1, name)
      assert.match(stdout, message, name)
    }
    const notes = { name: 'x', event_text: OPENED, note: 7, $ticket: 8, id: 'of the API', location: null, expected_level: null, expected_decoder: null, expected_rule: '901' }
    assert.equal((await run(workplace.write('notes.json', JSON.stringify({ cases: [notes] })))).code, 0)
  })

  it('names unknown members of cases: those that are probably meant are refused, others are noted', async () => {
    const one = (members: object) => JSON.stringify({ cases: [{ name: 'x', event_text: OPENED, ...members }] })
    for (const [members, near] of [
      [{ event: OPENED }, 'event_text'],
      [{ rule: '1' }, 'expected_rule'],
      [{ Level: 7 }, 'expected_level'],
      [{ decoder: 'x' }, 'expected_decoder'],
      [{ session: 'x' }, 'session_id'],
      [{ even_text: 'x' }, 'event_text'],
      [{ expected_rul: '1' }, 'expected_rule'],
    ] as const) {
      const { code, stdout } = await run(workplace.write('unknown.json', one(members)))
      assert.deepEqual([code, stdout.includes(`a case has no "${Object.keys(members)[0]}"; did you mean "${near}"?`)], [1, true], stdout)
    }
    const odd = workplace.write('odd.json', one({ expected_rule: '901', ticket: 7 }))
    const { code, stdout } = await run(odd)
    assert.equal(code, 0)
    assert.match(stdout, /✓ x .*odd\.json:1\n {6}note {2}a case has no "ticket", so it is ignored\n[\s\S]*1 case, 1 passed, 1 has a note \(--strict lets it fail\)/)
    assert.equal((await run(odd, '--strict')).code, 1)
  })

  it('says that a result depends on the clock, unless the case sets it, and fails for it with --strict', async () => {
    const rules = `<group name="hours,"><rule id="100200" level="9"><if_sid>901</if_sid><time>6 pm - 8:30 am</time><description>at night</description></rule></group>`
    const custom = workplace.write('hours/rules/hours_rules.xml', rules)
    const [noon, night] = ['2026-01-05T12:00:00Z', '2026-01-05T22:30:00-03:00']
    const json = workplace.write(
      'hours.json',
      JSON.stringify({
        cases: [
          { name: 'noon', now: noon, event_text: OPENED, expected_rule: '901' },
          { name: 'night', now: night, event_text: OPENED, expected_rule: '100200' },
        ],
      }),
    )
    const section = `[door]\nlog 1 pass = ${OPENED}\nrule = 901\nalert = 7\ndecoder = door\n`
    const set = workplace.write('hours-set.ini', `; now = ${noon}\n${section}`)
    assert.equal((await run(json, set, '--custom', custom, '--strict')).code, 0)
    // Passes by day only.
    const open = workplace.write('hours-open.ini', section)
    const { code, stdout } = await run(open, '--custom', custom, '--strict')
    assert.equal(code, 1)
    assert.match(
      stdout,
      /note {2}the result depends on the time of the run, because a rule with <time> or <weekday> was tried; set the clock by a line above the section: ; now = /,
    )
    const forms = workplace.write('hours-open.json', JSON.stringify({ cases: [{ name: 'any', event_text: OPENED, expected_rule_ids: ['901'] }] }))
    const report = JSON.parse((await run(forms, '--custom', custom, '--format', 'json')).stdout)
    assert.deepEqual([report.ok, report.results[0].passed, report.results[0].depends_on_clock], [true, true, true])
    assert.match(report.results[0].remarks[0], /^the result depends on the time of the run/)
    assert.match((await run(forms, '--custom', custom, '--format', 'github')).stdout, /^::warning file=.*hours-open\.json,line=1,title=any::the result depends/m)
    const sarif = JSON.parse((await run(forms, '--custom', custom, '--format', 'sarif')).stdout)
    assert.deepEqual(
      sarif.runs[0].results.map(({ ruleId, level }: { ruleId: string; level: string }) => [ruleId, level]),
      [['case_remark', 'warning']],
    )
    assert.match((await run(forms, '--custom', custom, '--format', 'junit', '--strict')).stdout, /failures="1"[\s\S]*<failure type="case" message="the result depends/)
    assert.match((await run(forms, '--custom', custom, '--locale', 'pt-BR')).stdout, /nota {2}o resultado depende da hora da execução[\s\S]*1 com nota \(falha com --strict\)/)
  })

  it('passes no case on a ruleset that does not load', async () => {
    workplace.write('broken/rules/local_broken.xml', '<group name="x,"><rule id="100100" level="3"><descripton>x</descripton></rule></group>')
    const { code, stdout } = await run(ini, '--custom', `${workplace.folder}/broken`, '--format', 'junit')
    assert.equal(code, 1)
    assert.match(stdout, /<testsuites [^>]*tests="2" failures="2"/)
  })

  it('fails for an error of the own content, reported on stderr, although every case passes', async () => {
    const rules = workplace.write('losing/rules/my_rules.xml', LOSING)
    const cases = workplace.write('losing-tests/a.json', JSON.stringify({ cases: [{ name: 'opened', event_text: OPENED, expected_rule: '100001' }] }))
    for (const custom of [`${workplace.folder}/losing`, rules]) {
      const { code, stdout, stderr } = await run(cases, '--custom', custom, '--untested')
      assert.equal(code, 1)
      assert.match(stdout, /1 case, 1 passed/)
      assert.match(stderr, /error\[rule_parent_missing\][\s\S]*error\[rule_duplicate_id\][\s\S]*\n2 errors in your own content\.\n/)
      assert.ok(stderr.includes(`--> ${rules}:7:5`), stderr)
      // Rules that Wazuh drops are counted as untested, including the second rule with an id that a case matches.
      assert.match(stdout, /Covered: rules 1\/3 /)
      assert.match(stdout, /Rules that no case matches \(2\)\n {2}100002 +my_rules\.xml:6 Wazuh drops it\n {2}100001 +my_rules\.xml:10 Wazuh drops it\n/)
    }
    const json = JSON.parse((await run(cases, '--custom', rules, '--format', 'json')).stdout)
    assert.deepEqual([json.ok, json.loads, json.passed_cases, json.failed_cases], [false, true, 1, 0])
    assert.deepEqual(json.coverage.rules.untested[0], { name: '100002', filename: 'my_rules.xml', line: 6, dropped: true })
    const junit = await run(cases, '--custom', rules, '--format', 'junit')
    assert.equal(junit.code, 1)
    assert.match(junit.stdout, /^<\?xml [^\n]*\n<testsuites [^>]*tests="1" failures="0"/)
    const failing = workplace.write('losing-tests/b.json', JSON.stringify({ cases: [{ name: 'opened', event_text: OPENED, expected_rule: '901' }] }))
    assert.equal(JSON.parse((await run(failing, '--custom', rules, '--format', 'json')).stdout).results[0].analysis.ok, false)
    assert.equal(JSON.parse((await run(failing, '--format', 'json')).stdout).results.length, 1)
  })

  it('fails without cases unless that is allowed', async () => {
    const none = workplace.write('none/none.json', '{"cases": []}')
    const empty = workplace.write('none/empty.ini', '; nothing yet\n')
    for (const format of ['pretty', 'json', 'junit']) {
      const { code, stderr } = await run(none, empty, '--format', format)
      assert.deepEqual([code, stderr], [1, 'test: no case was run; use --allow-empty to accept this\n'])
      const allowed = await run(none, empty, '--format', format, '--allow-empty')
      assert.deepEqual([allowed.code, allowed.stderr], [0, ''])
    }
    assert.equal(JSON.parse((await run(none, '--format', 'json')).stdout).ok, false)
    assert.equal(JSON.parse((await run(none, '--format', 'json', '--allow-empty')).stdout).ok, true)
    assert.equal((await run(none, '--locale', 'pt-BR')).stderr, 'test: nenhum caso foi executado; use --allow-empty para aceitar isso\n')
    const folder = dirname(workplace.write('void/notes.txt', 'hello'))
    assert.equal((await run(folder)).code, 2)
    assert.equal((await run(folder, '--allow-empty')).code, 0)
    assert.equal((await run('/nowhere', '--allow-empty')).code, 2)
    assert.equal((await run(suite, '--allow-empty')).code, 1)
  })

  it('writes JSON', async () => {
    const report = JSON.parse((await run(suite, ini, '--format', 'json')).stdout)
    assert.deepEqual([report.ok, report.total_cases, report.passed_cases, report.failed_cases], [false, 5, 4, 1])
    const failed = report.results.find(({ passed }: { passed: boolean }) => !passed)
    assert.equal(failed.name, 'seldom')
    assert.equal(failed.line, 9)
    assert.equal(failed.analysis.rule.id, '901')
    assert.equal(report.coverage.rules.covered, 5)
  })

  it('writes JUnit XML', async () => {
    const { stdout } = await run(suite, ini, '--format', 'junit')
    assert.match(stdout, /^<\?xml [^\n]*\n<testsuites [^>]*tests="5" failures="1"/)
    assert.equal(stdout.match(/<testsuite /g)?.length, 2)
    assert.equal(stdout.match(/<testcase /g)?.length, 5)
    assert.match(stdout, /<testcase [^>]*name="seldom"[^>]*line="9"[^>]*>\n\s*<failure type="case" message="Rule: expected 902, got 901">/)
  })

  it('writes several reports of one run, and leaves diagnostics to validate with --cases-only', async () => {
    const lost = workplace.write('lost/rules/lost.xml', LOSING)
    const formats = ['sarif', 'github', 'json'] as const
    const path = (format: string): string => `${workplace.folder}/reports/${format}`
    const { code, stdout, stderr } = await run(suite, '--custom', lost, '--cases-only', ...formats.flatMap((format) => ['--output', `${format}=${path(format)}`]))
    assert.deepEqual([code, stderr], [1, ''])
    assert.match(stdout, /3 cases, 0 passed, 3 failed/)
    const { results } = JSON.parse(readFileSync(path('sarif'), 'utf8')).runs[0] as { results: { ruleId: string }[] }
    assert.deepEqual(
      results.map(({ ruleId }) => ruleId),
      ['case_failed', 'case_failed', 'case_failed'],
    )
    assert.equal(readFileSync(path('github'), 'utf8').match(/^::error /gm)?.length, 3)
    assert.equal(JSON.parse(readFileSync(path('json'), 'utf8')).total_cases, 3)
    // The content still decides: an error in it fails the run, although every case passes.
    const passing = workplace.write('lost-tests/a.json', JSON.stringify({ cases: [{ name: 'closed', event_text: CLOSED, expected_rule: '903' }] }))
    assert.equal((await run(passing, '--custom', lost, '--cases-only')).code, 1)
    assert.equal((await run(passing, '--cases-only')).code, 0)
  })

  it('writes a page: what failed and why, and what the cases cover', async () => {
    const content = workplace.write('page/rules/mine.xml', LOSING)
    const [good, bad] = [`${HOSTILE} good`, `${HOSTILE} bad`]
    const cases = workplace.write(
      'page-tests/a.json',
      JSON.stringify({
        cases: [
          { name: good, event_text: OPENED, expected_rule: '100001', colour: 'red' },
          { name: bad, event_text: `${CLOSED} ${HOSTILE}`, expected_rule: '901' },
        ],
      }),
    )
    const file = `${workplace.folder}/reports/page.html`
    assert.equal((await run(cases, '--custom', content, '--output', `html=${file}`)).code, 1)
    const english = readFileSync(file, 'utf8')
    const portuguese = (await run(cases, '--custom', content, '--format', 'html', '--locale', 'pt-BR')).stdout
    for (const page of [english, portuguese]) assertReportPage(page)
    for (const part of [
      '<p class="score">1<small> / 2</small></p>',
      'The run has failed.',
      '<td>Rule</td><td><code>901</code></td><td><code>903</code></td>',
      'Cases with a note',
      // Two of the three rules are dropped.
      '1 of 3 rules are tested.',
      '<title>Level 9: 1 of 1 rules are tested</title>',
      'rule_parent_missing',
      '&lt;script&gt;',
    ])
      assert.ok(english.includes(part), part)
    assert.match(portuguese, /A execução falhou\./)
    // Content without own rules: coverage is that of the base, with its technique.
    const based = (await run(cases, '--cases-only', '--format', 'html')).stdout
    assertReportPage(based)
    assert.match(based, /T1078 <span class="quiet">Valid Accounts<\/span>/)
    assert.ok(!based.includes('rule_parent_missing'))
  })

  it('shows progress with the share of all cases, beside the same output', async () => {
    let now = 0
    const argv = ['test', '--ruleset', base, suite, '--format', 'junit']
    const { stdout, stderr } = await call(argv, { clock: () => (now += 4000) })
    assert.match(stderr, /^test: 2 of 3 cases · 0\.\d\/s · 67 % · \d+ s left\n/m)
    assert.match(stdout, /^<\?xml [\s\S]*<\/testsuites>\n$/)
    assert.equal((await call([...argv, '-q'], { clock: () => (now += 4000) })).stderr, '')
  })

  it('writes workflow commands of GitHub: failed cases and diagnostics of the content, each at its line', async () => {
    const lost = workplace.write(
      'custom/rules/lost.xml',
      '<group name="x,">\n  <rule id="100001" level="3">\n    <if_sid>4711</if_sid>\n    <description>X.</description>\n  </rule>\n</group>\n',
    )
    const failing = workplace.write('annotated/doors.ini', INI.replace('rule = 901', 'rule = 902').replace('decoder = door-opened', 'decoder = door'))
    const { code, stdout, stderr } = await run(suite, failing, '--custom', `${workplace.folder}/custom`, '--format', 'github')
    assert.equal(code, 1, stderr)
    const lines = stdout.trimEnd().split('\n')
    assert.equal(lines.length, 3)
    assert.ok(lines[0].startsWith(`::error file=${lost},line=3,endLine=3,col=5,endColumn=26,title=rule_parent_missing::`), lines[0])
    assert.ok(lines[1].startsWith(`::error file=${suite},line=9,title=seldom::Rule: expected 902, got 901%0A`), lines[1])
    assert.ok(lines[2].startsWith(`::error file=${failing},line=3,title=Door%3A opened%2C log 1::Rule: expected 902, got 901`), lines[2])
    const portuguese = await run(suite, '--format', 'github', '--locale', 'pt-BR')
    assert.match(portuguese.stdout, /^::error [^:]*title=seldom::Regra: esperado 902, obtido 901/)
    assert.equal((await run(ini, '--format', 'github')).stdout, '')
  })
})
