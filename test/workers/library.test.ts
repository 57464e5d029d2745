import assert from 'node:assert/strict'
import test from 'node:test'
import { audit, compile, createSession, diff, generate, guard, logtest, readRuleset, type Ruleset, type RulesetFile, wazuh5 } from '../../workers/library.js'
import { FOUNDATION } from '../support/rulesets.js'

const DECODERS: RulesetFile = { kind: 'decoders', filename: 'door_decoders.xml', content: '<decoder name="door"><program_name>^door</program_name></decoder>' }
const rules = (filename: string, content: string): RulesetFile => ({ kind: 'rules', filename, content: `<group name="door,">${content}</group>` })
const OPENED = rules('door_rules.xml', '<rule id="900" level="3"><decoded_as>door</decoded_as><description>Door opened</description></rule>')
const THRICE = rules('thrice_rules.xml', '<rule id="901" level="9" frequency="3" timeframe="60"><if_matched_sid>900</if_matched_sid><description>Thrice</description></rule>')
const LINE = 'Jan  5 10:11:12 web1 door: opened'
const idsOf = (ruleset: Ruleset, count: number, at: (index: number) => Date): (string | undefined)[] => {
  const session = createSession(ruleset)
  return Array.from({ length: count }, (_, index) => logtest(ruleset, LINE, { session, at: at(index) }).rule?.id)
}

test('a layer gives the ruleset of all files together', () => {
  const { ruleset: base, ok } = compile([...FOUNDATION, DECODERS, OPENED])
  assert.ok(ok && base.loads)
  const { ruleset } = compile([THRICE], { base })
  assert.equal(ruleset.hash, compile([...FOUNDATION, DECODERS, OPENED, THRICE]).ruleset.hash)
  assert.notEqual(ruleset.hash, base.hash)
  assert.equal(logtest(ruleset, LINE).rule?.id, '900')
  assert.equal(logtest(compile([]).ruleset, LINE).rule, null)
})

test('a local file replaces the one with that name in the base', () => {
  const { ruleset: base } = compile([...FOUNDATION, DECODERS, { ...OPENED, filename: 'local_rules.xml' }])
  const changed = rules('local_rules.xml', '<rule id="902" level="3"><decoded_as>door</decoded_as><description>Changed</description></rule>')
  const { ruleset, diagnostics } = compile([changed], { base })
  assert.deepEqual([logtest(ruleset, LINE).rule?.id, diagnostics.filter(({ severity }) => severity === 'error')], ['902', []])
  assert.equal(logtest(base, LINE).rule?.id, '900')
})

test('sessions correlate by the clock of the caller', () => {
  const { ruleset } = compile([...FOUNDATION, DECODERS, OPENED, THRICE])
  assert.deepEqual(
    idsOf(ruleset, 3, (index) => new Date(index * 1000)),
    ['900', '900', '901'],
  )
  assert.deepEqual(
    idsOf(ruleset, 3, (index) => new Date(index * 100_000)),
    ['900', '900', '900'],
  )
  assert.equal(logtest(ruleset, LINE).rule?.id, '900')
})

test('a session of another ruleset and an invalid date are refused', () => {
  const { ruleset } = compile([...FOUNDATION, DECODERS, OPENED])
  const other = compile([...FOUNDATION, DECODERS, OPENED]).ruleset
  assert.throws(() => logtest(ruleset, LINE, { session: createSession(other) }), TypeError)
  assert.throws(() => logtest(ruleset, LINE, { at: new Date(Number.NaN) }), RangeError)
})

test('faults are diagnostics in the requested language, and a ruleset that does not load runs no event', () => {
  const wrong = rules('door_rules.xml', '<rule id="900" level="3"><description>x</description>')
  const errorsIn = (locale: 'en-US' | 'pt-BR') => compile([...FOUNDATION, wrong], { locale }).diagnostics.filter(({ severity }) => severity === 'error')
  const { ruleset, ok } = compile([...FOUNDATION, wrong])
  assert.deepEqual([ok, ruleset.loads, logtest(ruleset, LINE).ok], [false, false, false])
  const [english] = errorsIn('en-US')
  const [portuguese] = errorsIn('pt-BR')
  assert.equal(english.filename, 'door_rules.xml')
  assert.equal(portuguese.code, english.code)
  assert.notEqual(portuguese.message, english.message)
})

test('traces and formats are returned as requested', () => {
  const { ruleset } = compile([...FOUNDATION, DECODERS, OPENED])
  assert.equal(logtest(ruleset, LINE).trace.length, 0)
  assert.ok(logtest(ruleset, LINE, { trace: true }).trace.length > 0)
  const { predecoded } = logtest(ruleset, { event: '{"a":1}', location: '/var/log/x' })
  assert.deepEqual([predecoded.detected_format, predecoded.location], ['json', '/var/log/x'])
})

test('the reference ruleset is read, and diagnostics of a base are not reported', () => {
  const files = readRuleset()
  assert.ok(files.some(({ kind }) => kind === 'decoders') && files.some(({ kind }) => kind === 'lists'))
  const { ruleset: base } = compile(files)
  const { ruleset, ok, diagnostics } = compile([rules('own_rules.xml', '<rule id="100100" level="10"><if_sid>5710</if_sid><description>Own</description></rule>')], { base })
  assert.deepEqual([ok, ruleset.loads, diagnostics.filter(({ source_scope }) => source_scope === 'default')], [true, true, []])
  assert.throws(() => readRuleset('/nowhere'))
})

test('rules have events, verdicts, differences and Sigma texts', () => {
  const { ruleset: base } = compile([...FOUNDATION, { ...DECODERS, scope: 'default' }])
  const opened = (text: string): string => `<rule id="900" level="3"><decoded_as>door</decoded_as><match>${text}</match><description>Door opened</description></rule>`
  const { ruleset: before } = compile([rules('door_rules.xml', opened('open'))], { base })
  const never = '<rule id="902" level="3"><if_sid>77</if_sid><description>Lost</description></rule>'
  const { ruleset: after } = compile([rules('door_rules.xml', opened('open gate') + never)], { base })

  const [witness, ...others] = [...generate(before, { near: true })]
  assert.deepEqual([witness.rule_id, witness.status, others], ['900', 'fires', []])
  assert.equal(logtest(before, witness.events[0].event).rule?.id, '900')
  assert.ok(witness.near.length > 0)

  assert.deepEqual(
    [...audit(after)].map(({ rule_id, verdict }) => [rule_id, verdict]),
    [
      ['902', 'dropped'],
      ['900', 'fires'],
    ],
  )
  assert.deepEqual(
    [...audit(after, { rules: [900] })].map(({ rule_id }) => rule_id),
    ['900'],
  )
  const { items, complete } = diff(before, after, { events: [[{ event: LINE }]] })
  const found = items.find(({ item }) => 'rule_id' in item && item.rule_id === '900')
  assert.ok(complete && found?.result === 'differs')
  assert.deepEqual([found.old?.rule_id, found.new?.rule_id], ['900', undefined])
  const [sigma] = wazuh5(before)
  assert.match(sigma.sigma ?? '', /detection:/)
})

test('an upgrade says what it breaks in own files, with cases and events, and merges it', () => {
  const baseWith = (id: string): Ruleset => {
    const opened = rules('0500-door_rules.xml', `<rule id="${id}" level="3"><decoded_as>door</decoded_as><match>open</match><description>Opened</description></rule>`)
    return compile([...FOUNDATION, ...[DECODERS, opened].map((file) => ({ ...file, scope: 'default' }) as const)]).ruleset
  }
  const [from, to] = [baseWith('900'), baseWith('905')]
  const own = rules('door_rules.xml', '<rule id="100100" level="5"><if_sid>900</if_sid><match>late</match><description>Late</description></rule>')
  const late = { name: 'late', event_text: `${LINE} late`, expected_rule: '100100' }
  const asked = { cases: [{ ...late, name: 'wrong already', expected_rule: '1' }, late], events: [[{ event: LINE }]], locale: 'pt-BR' } as const
  const { findings, own: behaviour, merged, complete } = guard(from, to, [own], asked)
  const found = findings.map(({ code, file, line }) => [code, file, line])
  assert.deepEqual(found, [
    ['parent_renumbered', 'door_rules.xml', 1],
    ['event_changed', '', 1],
    ['case_red', '', 2],
  ])
  assert.match(findings[0].effect, /a regra 905 tem as mesmas condições/)
  assert.equal(findings[0].new?.rule_id, '905')
  assert.match(findings[2].effect, /100100/)
  assert.deepEqual([complete, behaviour?.total, behaviour?.differ], [true, 1, 1])
  assert.deepEqual(merged, [{ ...own, content: own.content.replace('900', '905') }])

  const { findings: after, complete: isWhole } = guard(from, to, merged.concat(own), { signal: AbortSignal.abort(), cases: [late] })
  assert.deepEqual([isWhole, after.some(({ code }) => code === 'case_red')], [false, false])
  assert.deepEqual(guard(from, from, [own], asked).findings, [])
  assert.throws(() => guard(from, to, [rules('broken_rules.xml', '<rule id="x"')]), TypeError)
})

test('a search ends where its caller wants, and says so', () => {
  const { ruleset } = compile([...FOUNDATION, DECODERS, OPENED])
  assert.deepEqual(
    [...generate(ruleset, { signal: AbortSignal.abort() })].map(({ status, reason }) => [status, reason?.code]),
    [['unknown', 'time_limit']],
  )
  const { ruleset: broken } = compile([rules('broken_rules.xml', '<rule id="x"')])
  assert.throws(() => [...audit(broken)], TypeError)
})
