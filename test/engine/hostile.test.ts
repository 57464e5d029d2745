/** Hostile input: whatever a tenant or an event contains, there is a result, it is the same every time, and nothing throws. */
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { SourceFile } from '../../engine/index.js'
import { compileLayer, compileRuleset, createSession, EventRunner, readLocation, runLogtest, toByteString } from '../../engine/index.js'
import { COMPARED_NAMES_LIMIT, KIND_LIMIT } from '../../engine/diagnostics/collector.js'
import { compileExpression } from '../../engine/expressions/compile.js'
import { createMatchResult } from '../../engine/expressions/expression.js'
import { FEEDS_LIMIT, PLACEMENTS_LIMIT } from '../../engine/rules/tree.js'
import { parseXml } from '../../engine/xml/parse.js'
import { foldCase } from '../../engine/source/byte-string.js'
import { EVENTS, FOUNDATION, randomFile } from '../support/rulesets.js'

const MOMENT = { seconds: 1000, local: () => ({ timeOfDay: '12:00', weekday: 1 }) }
const MEGABYTE = 1024 * 1024
const base = compileRuleset(FOUNDATION)

function outcomeOf(runner: EventRunner, text: string): unknown {
  const origin = readLocation('stdin')
  assert.ok(origin !== null)
  const { event, rule, path, description } = runner.run(toByteString(text), origin, MOMENT, createSession())
  return [event.decoder?.name, event.log.length, event.names, event.values, event.statics, rule?.id, path.map(({ id }) => id), description]
}

/** Texts with a meaning for the parsers, in any order. */
const XML_PIECE = fc.oneof(
  fc.constantFrom('<', '>', '</', '/>', '<!--', '-->', '<!', '!>', '\\', '\\<', '"', "'", '=', ' ', '\n', '$', '$X', '$(y)', '&lt;', '<?xml ?>', '<![CDATA['),
  fc.constantFrom('<group name="g,">', '</group>', '<rule id="100200" level="3">', '</rule>', '<decoder name="d">', '</decoder>', '<var name="X">', '</var>'),
  fc.constantFrom(
    '<match>',
    '</match>',
    '<if_sid>100</if_sid>',
    '<description>',
    '</description>',
    '<regex type="pcre2">',
    '</regex>',
    '<prematch>',
    '</prematch>',
    '<order>',
    '</order>',
  ),
  fc.string({ maxLength: 6 }),
)

test('any text is parsed or refused as XML', () => {
  fc.assert(
    fc.property(fc.array(XML_PIECE, { maxLength: 40 }), (pieces) => {
      const outcome = parseXml(toByteString(pieces.join('')))
      if (!outcome.ok) assert.ok(outcome.error.start <= outcome.error.end)
    }),
    { numRuns: 2000 },
  )
})

test('any text compiles to a ruleset with diagnostics, and runs if it loads', () => {
  fc.assert(
    fc.property(fc.constantFrom('rules' as const, 'decoders' as const, 'lists' as const), fc.array(XML_PIECE, { maxLength: 30 }), (kind, pieces) => {
      const file: SourceFile = { kind, scope: 'adhoc', filename: kind === 'lists' ? 'etc/lists/x' : 'x.xml', content: pieces.join('') }
      const layer = compileLayer(base, [file])
      for (const { span, filename } of layer.diagnostics) assert.ok(filename !== '' && (span === null || (span.line >= 1 && span.column >= 1)))
      if (layer.loads) outcomeOf(new EventRunner(layer), EVENTS[0])
    }),
    { numRuns: 600 },
  )
})

test('elements nested to the limit and beyond are handled', () => {
  for (const depth of [1000, 1025, 50_000]) {
    const outcome = parseXml('<a>'.repeat(depth) + '</a>'.repeat(depth))
    assert.equal(outcome.ok, depth <= 1024)
  }
})

test('a rule below the first rule and below all places of the previous rule has one place in every list on its path', () => {
  const deep = Array.from({ length: 900 }, (_, index) => `<rule id="${300001 + index}" level="3"><if_sid>300000,${300000 + index}</if_sid><description>d</description></rule>`)
  const first = '<rule id="300000" level="3"><match>m</match><description>d</description></rule>'
  const layer = compileLayer(base, [{ kind: 'rules', scope: 'adhoc', filename: 'zz.xml', content: `<group name="g,">${first}${deep.join('')}</group>` }])
  assert.equal(layer.rules.placements(300900).length, 900)
})

test('composites that each count thousands of rules are abandoned with a diagnostic', () => {
  const counting = Array.from(
    { length: 3000 },
    (_, index) =>
      `<rule id="${300000 + index}" level="3" frequency="3" timeframe="9"><if_sid>299999</if_sid><if_matched_group>zz</if_matched_group><description>d</description></rule>`,
  )
  const file: SourceFile = {
    kind: 'rules',
    scope: 'adhoc',
    filename: 'zz.xml',
    content: `<group name="zz,"><rule id="299999" level="3"><description>d</description></rule>${counting.join('')}</group>`,
  }
  for (const ruleset of [compileLayer(base, [file]), compileRuleset([...FOUNDATION, file])]) {
    assert.equal(ruleset.loads, false)
    assert.equal(ruleset.rules.feedCount <= FEEDS_LIMIT + 3000, true)
    assert.deepEqual(
      ruleset.loadDiagnostics.filter(({ severity }) => severity === 'error').map(({ code, params }) => [code, params.limit]),
      [['rule_too_many_placements', FEEDS_LIMIT]],
    )
  }
})

test('names are suggested until the limit of comparisons', () => {
  const rules = Array.from({ length: 2600 }, (_, index) => `<rule id="${300000 + index}" level="3"><match>m</match><description>d</description></rule>`)
  const lost = Array.from({ length: 2600 }, (_, index) => `<rule id="${310000 + index}" level="3"><if_sid>${400000 + index}</if_sid><description>d</description></rule>`)
  const layer = compileLayer(base, [{ kind: 'rules', scope: 'adhoc', filename: 'zz.xml', content: `<group name="g,">${rules.join('')}${lost.join('')}</group>` }])
  const suggestions = layer.loadDiagnostics.filter(({ code }) => code === 'rule_parent_missing').map(({ suggestion }) => suggestion)
  assert.deepEqual([suggestions.length, suggestions[0], suggestions.at(-1)], [KIND_LIMIT, '300000', null])
  assert.equal(suggestions.filter((suggestion) => suggestion !== null).length, Math.ceil(COMPARED_NAMES_LIMIT / layer.rules.ruleCount))
})

test('a rule tree that doubles with every rule is abandoned with a diagnostic', () => {
  const doubling = Array.from({ length: 2000 }, (_, index) => `<rule id="${300000 + index}" level="3"><if_group>g</if_group><description>d</description></rule>`)
  const file: SourceFile = {
    kind: 'rules',
    scope: 'adhoc',
    filename: 'zz.xml',
    content: `<group name="g,"><rule id="299999" level="3"><description>d</description></rule>${doubling.join('')}</group>`,
  }
  for (const ruleset of [compileLayer(base, [file]), compileRuleset([...FOUNDATION, file])]) {
    assert.equal(ruleset.loads, false)
    assert.equal(ruleset.rules.nodeCount <= PLACEMENTS_LIMIT, true)
    assert.equal(ruleset.diagnostics.filter(({ code }) => code === 'rule_too_many_placements').length, 1)
  }
})

test('fields are suggested until the limit of comparisons', () => {
  const decoders = Array.from({ length: 2500 }, (_, index) => `<decoder name="z${index}"><prematch>^z${index} </prematch><regex>(\\d+)</regex><order>fa${index}</order></decoder>`)
  const rules = Array.from({ length: 1200 }, (_, index) => `<rule id="${300000 + index}" level="3"><field name="fb${index}">a</field><description>d</description></rule>`)
  // Without the foundation, whose JSON decoder may set any field.
  const top = '<rule id="1" level="0"><category>syslog</category><description>t</description></rule>'
  const { diagnostics } = compileRuleset([
    { kind: 'decoders', scope: 'adhoc', filename: 'd.xml', content: `<decoder name="p"><program_name>^p$</program_name></decoder>${decoders.join('')}` },
    { kind: 'rules', scope: 'adhoc', filename: 'r.xml', content: `<group name="g,">${top}${rules.join('')}</group>` },
  ])
  const suggestions = diagnostics.filter(({ code }) => code === 'rule_field_never_extracted').map(({ suggestion }) => suggestion)
  assert.deepEqual([suggestions.length, suggestions[0], suggestions.at(-1)], [KIND_LIMIT, 'fa0', null])
})

const PATTERN_PIECE = fc.constantFrom(
  '\\d+',
  '\\w*',
  '\\.+',
  '\\S+',
  '\\s',
  '\\p*',
  'a',
  'b',
  '(',
  ')',
  '|',
  '^',
  '$',
  '+',
  '*',
  '.',
  '[a-z]+',
  '(a+)+',
  '(?:a|a)*',
  '(?=a)',
  '(?i)',
  '\\1',
  '{2,}',
  '!',
  '\\',
  '\xe9',
)

test('any pattern compiles or is refused, and matches the same every time', () => {
  const subject = 'aaaabbbb 1234 ((xx)) caf\xc3\xa9 ' + 'a'.repeat(300)
  const lower = foldCase(subject)
  fc.assert(
    fc.property(
      fc.constantFrom('osregex' as const, 'osmatch' as const, 'pcre2' as const),
      fc.array(PATTERN_PIECE, { maxLength: 12 }),
      fc.boolean(),
      (dialect, pieces, capturing) => {
        const outcome = compileExpression(dialect, pieces.join(''), capturing)
        if (!outcome.ok) {
          assert.ok(outcome.error.offset >= 0 && outcome.error.message !== '')
          return
        }
        const { expression } = outcome
        const result = createMatchResult()
        const matched = expression.search(subject, lower, 0, result)
        assert.equal(expression.test(subject, lower, 0), matched)
        if (!matched) return
        for (let i = 0; i < result.count; i++) assert.ok(result.bounds[2 * i] <= result.bounds[2 * i + 1] && result.bounds[2 * i + 1] <= subject.length)
        const { prefilter } = expression
        if (prefilter?.kind === 'contains') assert.ok(prefilter.values.some((value) => lower.includes(value)))
        if (prefilter?.kind === 'exact') assert.ok(prefilter.values.includes(lower))
        if (expression.firstBytes !== null) assert.equal(expression.firstBytes[subject.charCodeAt(0)], 1)
      },
    ),
    { numRuns: 3000 },
  )
})

test('patterns that were written to run forever end', () => {
  const subjects = ['a'.repeat(65_000), `${'a'.repeat(65_000)}!`, 'a b '.repeat(16_000), '1.'.repeat(32_000)]
  const patterns = [
    ['pcre2', '(a+)+$'],
    ['pcre2', '(a|a)*b'],
    ['pcre2', '(a|aa)+$'],
    ['pcre2', '.*.*.*.*x'],
    ['pcre2', '(?=(a+))a*b\\1'],
    ['pcre2', '((a*)*)*b'],
    ['pcre2', '(\\w+\\s?)*!$'],
    ['osregex', '\\w+\\w+\\w+\\w+\\w+b'],
    ['osregex', 'a\\w+\\s\\w+\\s\\d'],
    ['osregex', `${'a'.repeat(900)}b`],
    ['osmatch', Array.from({ length: 300 }, (_, index) => `needle${index}`).join('|')],
  ] as const
  for (const [dialect, pattern] of patterns) {
    const outcome = compileExpression(dialect, pattern, true)
    assert.ok(outcome.ok, pattern)
    for (const subject of subjects) outcome.expression.search(subject, subject, 0, createMatchResult())
  }
})

test('any bytes are accepted as an event', () => {
  const runner = new EventRunner(base)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      const text = Buffer.from(bytes).toString('latin1')
      assert.deepEqual(outcomeOf(runner, text), outcomeOf(runner, text))
    }),
    { numRuns: 1000 },
  )
})

test('events of many megabytes and of great depth are handled', () => {
  const runner = new EventRunner(base)
  const events = [
    'x'.repeat(8 * MEGABYTE),
    `{"a": "${'y\\n'.repeat(2 * MEGABYTE)}"}`,
    `{"a": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
    '{"a":'.repeat(200_000),
    `{${Array.from({ length: 100_000 }, (_, index) => `"key${index}": ${index}`).join(', ')}}`,
    `Jan  5 10:11:12 host sshd[1]: Failed ${'password '.repeat(500_000)}`,
    `kv ${'a='.repeat(MEGABYTE)}`,
    '\0'.repeat(1000),
  ]
  for (const event of events) assert.ok(Array.isArray(outcomeOf(runner, event)))
})

test('member names that are new in every event do not use memory permanently', () => {
  const runner = new EventRunner(base)
  for (let i = 0; i < 3000; i++) outcomeOf(runner, `{${Array.from({ length: 20 }, (_, index) => `"k${i}_${index}": 1`).join(',')}}`)
  assert.ok(Array.isArray(outcomeOf(runner, '{"alpha": "one"}')))
})

test('the result is the same with and without a trace, the first and the thousandth time', () => {
  fc.assert(
    fc.property(fc.array(randomFile, { maxLength: 2 }), fc.array(fc.constantFrom(...EVENTS), { minLength: 1, maxLength: 6 }), (files, events) => {
      const layer = compileLayer(base, files)
      if (!layer.loads) return
      const runner = new EventRunner(layer)
      const [quiet, traced] = [createSession(), createSession()]
      for (const event of events) {
        const input = { event, log_format: 'syslog' as const }
        const plain = runLogtest(runner, input, MOMENT, quiet, { trace: false, locale: 'en-US' })
        const watched = runLogtest(new EventRunner(layer), input, MOMENT, traced, { trace: true, locale: 'en-US' })
        for (const key of ['ok', 'predecoded', 'decoder', 'rule', 'matched_rules', 'extracted_fields', 'alert', 'previous_output'] as const)
          assert.deepEqual(watched[key], plain[key])
      }
    }),
    { numRuns: 200 },
  )
})

test('names with a meaning in JavaScript are treated as plain names', () => {
  const runner = new EventRunner(base)
  const { event } = runner.run('{"__proto__": {"x": "1"}, "constructor": "c", "toString": "t"}', { location: 'stdin', agentId: '000', agentName: undefined }, MOMENT, null)
  assert.deepEqual(event.names, ['__proto__.x', 'constructor', 'toString'])
  const report = runLogtest(runner, { event: '{"__proto__": "p", "constructor": "c"}', log_format: 'json' }, MOMENT, null, { trace: true, locale: 'en-US' })
  assert.equal(Object.getOwnPropertyDescriptor(report.extracted_fields, '__proto__')?.value ?? 'p', 'p')
  assert.equal(({} as Record<string, unknown>).x, undefined)
})
