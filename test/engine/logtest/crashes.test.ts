/** Events on which Wazuh itself would crash or hang: they are answered, and the answer has a diagnostic (BEHAVIOUR.md#crashes). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogtestReport, Session, SourceFile } from '../../../engine/index.js'
import { compileRuleset, createSession, EventRunner, isAnswerOk, runCase, runIniCase, runLogtest, runUnwritten } from '../../../engine/index.js'
import { CRASHES } from '../../../engine/diagnostics/crashes.js'
import { translatePhrase } from '../../../engine/diagnostics/phrases.js'

const DECODERS = `<decoder name="zz"><program_name>^zz$</program_name></decoder>
<decoder name="pay"><prematch>^pay </prematch></decoder>
<decoder name="pay-who"><parent>pay</parent>
  <regex type="pcre2">paid(?: by (\\w+))?(?: for (\\w+))?</regex><order>user, goods</order></decoder>
<decoder name="odd"><prematch>^\\<</prematch>
  <regex>^\\p\\.*\\w*(\\d+)$</regex><order>number</order></decoder>
<decoder name="two"><prematch type="pcre2">^two (x)?</prematch></decoder>
<decoder name="two-fields"><parent>two</parent><regex type="pcre2">a=(\\w+)?;</regex><order>user</order></decoder>
<decoder name="two-fields"><parent>two</parent><regex type="pcre2">b=(\\w+)?;</regex><order>goods</order></decoder>
<decoder name="bare"><prematch>^bare </prematch><regex type="pcre2">bare \\w+</regex><order>user</order></decoder>`
const TEMPLATES = '<rule id="1" level="0" noalert="1"><category>syslog</category><description>t</description></rule>'
const PAID = '<rule id="100" level="5"><decoded_as>pay</decoded_as><description>paid</description></rule>'

function files(rules: string): SourceFile[] {
  return [
    { filename: 'd.xml', kind: 'decoders', scope: 'adhoc', content: DECODERS },
    { filename: 'r.xml', kind: 'rules', scope: 'custom', content: `<group name="g,">${TEMPLATES}${PAID}\n${rules}</group>` },
  ]
}

const runner = (rules = ''): EventRunner => {
  const ruleset = compileRuleset(files(rules))
  assert.equal(ruleset.loads, true, JSON.stringify(ruleset.loadDiagnostics.map(({ code }) => code)))
  return new EventRunner(ruleset)
}

const plain = runner()

function run(event: string, on = plain, session: Session | null = null, location = 'stdin', seconds = 0, locale: 'en-US' | 'pt-BR' = 'en-US'): LogtestReport {
  const moment = { seconds, local: () => ({ timeOfDay: '12:00', weekday: 1 }) }
  return runLogtest(on, { event, log_format: 'syslog', location }, moment, session, { trace: false, locale })
}

const places = ({ diagnostics }: LogtestReport): unknown[] => diagnostics.map(({ code, filename, line, evidence }) => [code, filename, line, evidence])

test('a PCRE2 regex that matches without any of its groups crashes Wazuh', () => {
  const report = run('pay paid')
  assert.deepEqual(places(report), [['wazuh_crash', 'd.xml', 4, '<regex type="pcre2">paid(?: by (\\w+))?(?: for (\\w+))?</regex>']])
  // The answer is the one without the crash.
  assert.deepEqual([report.ok, report.decoder?.name, report.rule?.id, report.extracted_fields], [true, 'pay', '100', {}])
  const [{ severity, source, engine_effect, source_scope, message, hint }] = report.diagnostics
  assert.deepEqual([severity, source, engine_effect, source_scope], ['error', 'engine', 'crash', 'adhoc'])
  assert.equal(message, `Wazuh 4.14.7 crashes or hangs here: ${CRASHES.groups_unset.reason}.`)
  assert.ok(hint.includes(CRASHES.groups_unset.advice))
  assert.ok(run('pay paid', plain, null, 'stdin', 0, 'pt-BR').diagnostics[0].message.includes(translatePhrase(CRASHES.groups_unset.reason, 'pt-BR')))
})

test('one group that takes part prevents the crash', () => {
  for (const event of ['pay paid by ana', 'pay paid for tea', 'pay owed']) assert.deepEqual(run(event).diagnostics, [], event)
})

test('a PCRE2 regex without groups crashes Wazuh as well', () => {
  assert.deepEqual(places(run('bare x')), [['wazuh_crash', 'd.xml', 10, '<regex type="pcre2">bare \\w+</regex>']])
})

test('groups that take no part are harmless after something was captured in the session', () => {
  const session = createSession()
  assert.deepEqual(
    ['pay paid', 'pay paid by ana', 'pay paid', 'bare x'].map((event) => run(event, plain, session).diagnostics.length),
    [1, 0, 0, 0],
  )
  // By the prematch, and by an earlier regex.
  assert.deepEqual(run('two x a=; b=;').diagnostics, [])
  assert.deepEqual(run('two a=1; b=;').diagnostics, [])
  assert.deepEqual(run('two a=; b=;').diagnostics.length, 2)
  assert.deepEqual(run('two a=; b=1;').diagnostics.length, 1)
})

test('an answer with a crash of the own content is not ok, and its case does not pass', () => {
  const [good, bad] = [run('pay paid by ana'), run('pay paid')]
  assert.deepEqual([isAnswerOk(good, true), isAnswerOk(good, false), isAnswerOk(bad, true)], [true, false, false])
  const ofReference = bad.diagnostics.map((found) => ({ ...found, source_scope: 'default' as const }))
  assert.equal(isAnswerOk({ ok: true, diagnostics: ofReference }, true), true)
  const moment = { seconds: 0, local: () => ({ timeOfDay: '12:00', weekday: 1 }) }
  const results = (...events: string[]): unknown => {
    const { passed, checks, analysis } = runCase(
      plain,
      { name: 'c', expected_rule: '100', log_format: 'syslog', events: events.map((event_text) => ({ event_text })) },
      moment,
      'en-US',
    )
    const ini = runIniCase(plain, { name: 'i', line: 1, verdict: 'pass', events, decoder: 'pay', rule: '100', level: '5' }, moment, 'en-US')
    assert.deepEqual([ini.passed, ini.checks.filter((check) => !check.passed)], [passed, checks.filter((check) => !check.passed)])
    return [passed, checks.filter((check) => !check.passed).map(({ label }) => label), analysis.diagnostics.length]
  }
  assert.deepEqual(results('pay paid by ana'), [true, [], 0])
  assert.deepEqual(results('pay paid'), [false, ['Wazuh does not crash'], 1])
  // Also if it is not the last event; reported once.
  assert.deepEqual(results('pay paid', 'pay paid', 'pay paid by ana'), [false, ['Wazuh does not crash'], 1])
  assert.deepEqual(results('pay paid', 'pay paid'), [false, ['Wazuh does not crash'], 1])
})

test('an OS_Regex group that ends before it begins crashes Wazuh', () => {
  const report = run('<a1Z3')
  assert.deepEqual(places(report), [['wazuh_crash', 'd.xml', 6, '<regex>^\\p\\.*\\w*(\\d+)$</regex>']])
  assert.deepEqual([report.decoder?.name, report.extracted_fields], ['odd', {}])
  // It is not reported again for the next event.
  assert.deepEqual(run('<a').diagnostics, [])
})

const AGENT = (id: string): string => `[${id}] (web${id}) any->/var/log/app.log`
const search = (inside: string, tag = '<if_matched_regex>^pay</if_matched_regex>'): string =>
  `<rule id="101" level="10" frequency="3" timeframe="60">\n${tag}<if_sid>100</if_sid>${inside}<description>often</description></rule>`

/** Returns the diagnostics of each event, and the final rules. */
function inSession(rules: string, events: readonly (readonly [event: string, agent: string, seconds: number])[]): { crashes: number[]; rules: (string | undefined)[] } {
  const session = createSession()
  const on = runner(rules)
  const reports = events.map(([event, agent, seconds]) => run(event, on, session, AGENT(agent), seconds))
  return { crashes: reports.map(({ diagnostics }) => diagnostics.length), rules: reports.map(({ rule }) => rule?.id) }
}

test('a search through all events that meets another agent crashes Wazuh', () => {
  const mixed = [
    ['pay paid by ana', '001', 0],
    ['pay paid by ana', '002', 1],
    ['pay paid by ana', '001', 2],
    ['pay paid by ana', '001', 3],
  ] as const
  assert.deepEqual(inSession(search(''), mixed), { crashes: [0, 1, 1, 1], rules: ['100', '100', '100', '101'] })
  assert.deepEqual(inSession(search('', '<if_matched_sid></if_matched_sid>'), mixed).crashes, [0, 1, 1, 1])
  assert.deepEqual(inSession(search('<global_frequency />'), mixed), { crashes: [0, 0, 0, 0], rules: ['100', '100', '101', '100'] })
  assert.deepEqual(inSession(search('', '<if_matched_sid>100</if_matched_sid>'), mixed), { crashes: [0, 0, 0, 0], rules: ['100', '100', '100', '101'] })
})

test('an event of another agent has this effect if the search reaches it, even if it does not look for it', () => {
  const old = [
    ['pay paid by ana', '001', 0],
    ['pay paid by ana', '002', 61],
  ] as const
  assert.deepEqual(inSession(search(''), old).crashes, [0, 0])
  const other = [
    ['other', '001', 0],
    ['pay paid by ana', '002', 1],
  ] as const
  const alone = '<rule id="102" level="3"><match>other</match><description>o</description></rule>'
  assert.deepEqual(inSession(`${alone}${search('')}`, other).crashes, [0, 1], 'the agent is looked at first')
  assert.deepEqual(inSession(`${alone.replace('level="3"', 'level="0"')}${search('')}`, other).crashes, [0, 0], 'what is not remembered is not met')
})

test('an event without the compared user or dynamic field has this effect, one without another field has not', () => {
  const mixed = [
    ['other', '001', 0],
    ['pay owed', '002', 1],
  ] as const
  const alone = '<rule id="102" level="3"><match>other</match><description>o</description></rule>'
  const crashes = (same: string): number[] => inSession(`${alone}${search(same)}`, mixed).crashes
  assert.deepEqual(crashes('<same_user />'), [0, 1])
  assert.deepEqual(crashes('<same_field>shelf</same_field>'), [0, 1])
  assert.deepEqual(crashes('<same_user /><global_frequency />'), [0, 0])
  assert.deepEqual(crashes('<same_id />'), [0, 0], 'Wazuh does not search')
  assert.deepEqual(crashes('<same_id /><same_user />'), [0, 0])
  assert.deepEqual(inSession(`${alone}${search('<same_user />')}`, [mixed[0], ['pay owed', '002', 61]]).crashes, [0, 0], 'too old')
})

test('it is reported with a trace and in a written report as well', () => {
  const moment = { seconds: 0, local: () => ({ timeOfDay: '12:00', weekday: 1 }) }
  const input = { event: 'pay paid', log_format: 'syslog' as const }
  const want = run('pay paid').diagnostics
  assert.deepEqual(runLogtest(plain, input, moment, null, { trace: true, locale: 'en-US' }).diagnostics, want)
  assert.deepEqual(runUnwritten(plain, input, moment, null, { trace: true, locale: 'en-US' }).diagnostics, want)
  assert.deepEqual(runUnwritten(plain, input, moment, null, { trace: false, locale: 'en-US' }).diagnostics, want)
})

test('each crash has a Portuguese text', () => {
  for (const { reason, advice } of Object.values(CRASHES)) for (const text of [reason, advice]) assert.notEqual(translatePhrase(text, 'pt-BR'), text)
})
