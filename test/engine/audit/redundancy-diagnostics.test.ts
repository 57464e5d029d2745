/** What decides nothing, as diagnostics: conditions that hold wherever others do, and alternatives. What is reported can be left out, in random patterns as well. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { compileLayer, compileRuleset, diagnosticsWithProofs, type Diagnostic, type Locale, type SourceFile } from '#engine'
import { REDUNDANCY_STEPS, RedundancyFinder } from '../../../engine/audit/redundancy-diagnostics.js'
import { Collector } from '../../../engine/diagnostics/collector.js'
import { applyReplacements } from '../../../engine/diagnostics/fixes.js'
import { compileExpression } from '../../../engine/expressions/compile.js'
import type { Dialect, Expression } from '../../../engine/expressions/expression.js'
import { boundsOf } from '../../../engine/expressions/pattern-bounds.js'
import { BoundPrograms, Bounds } from '../../../engine/generate/exclusion.js'
import { findText } from '../../../engine/generate/find-text.js'
import { idleAlternatives } from '../../../engine/generate/idle-alternatives.js'
import { impliedConditions } from '../../../engine/generate/implied-conditions.js'
import { presentDiagnostic } from '../../../engine/logtest/present-diagnostic.js'
import { fixesOf } from '../../../engine/repairs/fixes.js'
import type { CompiledRule } from '../../../engine/rules/compiled-rule.js'
import { Condition, SUBJECT_LOG } from '../../../engine/rules/condition.js'
import { RuleReporter, unplacedNodes } from '../../../engine/rules/reporter.js'
import { foldCase, fromByteString, toByteString } from '../../../engine/source/byte-string.js'
import { FOUNDATION_WITH_LISTS } from '../../support/rulesets.js'

const BASE = compileRuleset(FOUNDATION_WITH_LISTS)
const CODES: readonly string[] = ['rule_condition_redundant', 'regex_idle_alternative']
const rule = (id: number, options: string): string => `<rule id="${id}" level="5">${options}<description>rule ${id}</description></rule>\n`
const below = (parent: number, options: string): string => `<if_sid>${parent}</if_sid>${options}`

const rulesFile = (content: string): SourceFile => ({ kind: 'rules', scope: 'custom', filename: 'own_rules.xml', content: `<group name="own,">\n${content}</group>` })
const decodersFile = (content: string): SourceFile => ({ kind: 'decoders', scope: 'custom', filename: 'own_decoders.xml', content })

function foundIn(...files: readonly SourceFile[]): readonly Diagnostic[] {
  const ruleset = compileLayer(BASE, files)
  assert.ok(ruleset.loads, JSON.stringify(ruleset.diagnostics.filter(({ severity }) => severity === 'error')))
  return diagnosticsWithProofs(ruleset).filter(({ code, scope }) => scope === 'custom' && CODES.includes(code))
}

const messages = (found: readonly Diagnostic[], locale: Locale = 'en-US'): string[] => found.map((one) => presentDiagnostic(one, locale).message)

describe('conditions that hold wherever others do', () => {
  const implied = (parent: string, child: string): readonly Diagnostic[] => foundIn(rulesFile(rule(100100, parent) + rule(100101, below(100100, child))))

  test('are named with the condition that decides, in both languages', () => {
    const found = implied('<match>^sshd: </match>', '<match>sshd</match>')
    assert.deepEqual(messages(found), ['<match> of rule 100101 adds nothing: what passes <match>^sshd: </match> of rule 100100 passes it as well.'])
    assert.deepEqual(messages(found, 'pt-BR'), ['<match> da regra 100101 não acrescenta nada: o que passa em <match>^sshd: </match> da regra 100100 também passa nela.'])
    assert.deepEqual([found[0].severity, found[0].span?.line, found[0].related.map(({ span }) => span?.line)], ['warning', 3, [2]])
  })

  test('are found in all dialects, negated, and by several together', () => {
    const field = (pattern: string, attributes = ' type="pcre2"'): string => `<field name="x"${attributes}>${pattern}</field>`
    for (const [parent, child] of [
      [field('^\\d\\d\\d$', ''), field('^\\d', ' type="pcre2"')],
      [field('^\\d{3}$'), field('\\d')],
      [field('^[a-f]+$'), field('\\d', ' negate="yes" type="pcre2"')],
      ['<match negate="yes">fail</match>', '<match negate="yes">failed login|failure</match>'],
      ['<match>!root|toor</match>', '<regex negate="yes">by root</regex>'],
      ['<match>a b|zz</match><regex negate="yes">zz</regex>', '<match>a b</match>'],
      ['<user type="pcre2">^(?:ana|bob)$</user>', '<user type="pcre2">^[a-z]{3}$</user>'],
    ] as const)
      assert.equal(implied(parent, child).length, 1, `${parent} ${child}`)
    for (const [parent, child] of [
      ['<match>sshd</match>', '<match>^sshd</match>'],
      [field('^\\d{3}$'), '<field name="y" type="pcre2">\\d</field>'],
      ['<match negate="yes">failed login</match>', '<match negate="yes">fail</match>'],
      // What a pattern with a repetition accepts at least is not known of OSRegex.
      ['<match>^sshd: </match>', '<regex>\\w+: </regex>'],
    ] as const)
      assert.deepEqual(messages(implied(parent, child)), [], `${parent} ${child}`)
  })

  test('hold below every parent', () => {
    const parents = rule(100100, '<match>^sshd: </match>') + rule(100102, '<match>^sshd2: </match>')
    assert.equal(foundIn(rulesFile(parents + rule(100103, below(100100, '').replace('100100', '100100, 100102') + '<match>sshd</match>'))).length, 1)
    assert.equal(foundIn(rulesFile(parents + rule(100103, below(100100, '').replace('100100', '100100, 100102') + '<match>sshd: </match>'))).length, 0)
  })

  test('are found within a rule, but for a search that spares a regular expression', () => {
    const own = (options: string): string[] => messages(foundIn(rulesFile(rule(100100, options))))
    assert.deepEqual(own('<match>open by root</match><regex>open by</regex>'), [
      '<regex> of rule 100100 adds nothing: what passes <match>open by root</match> of rule 100100 passes it as well.',
    ])
    assert.deepEqual(own('<match>open by</match><regex type="pcre2">open by \\w+</regex>'), [])
  })

  test('are removed by their correction', () => {
    const file = rulesFile(rule(100100, '<match>^sshd: </match>') + rule(100101, below(100100, '<match>sshd</match><hostname>web</hostname>')))
    const [diagnostic] = foundIn(file)
    const [{ edits, isSure }] = fixesOf(diagnostic, toByteString(file.content), () => null)
    const content = fromByteString(applyReplacements(toByteString(file.content), edits))
    assert.ok(!isSure && content.includes('</if_sid><hostname>web'), content)
    assert.deepEqual(foundIn({ ...file, content }), [])
    // A condition that is joined from several tags cannot lose one of them.
    const joined = rulesFile(rule(100100, '<match>^sshd: </match>') + rule(100101, below(100100, '<match>ss</match><match>hd</match>')))
    assert.deepEqual(
      foundIn(joined).flatMap((one) => fixesOf(one, toByteString(joined.content), () => null)),
      [],
    )
  })
})

describe('alternatives that decide nothing', () => {
  const idle = (tag: string): readonly Diagnostic[] => foundIn(rulesFile(rule(100100, tag)))

  test('are named with the one that decides, in both languages', () => {
    const found = idle('<match>root|toor root</match>')
    assert.deepEqual(messages(found), ['"toor root" in the pattern of <match> decides nothing: every text that has it has "root" as well.'])
    assert.deepEqual(messages(found, 'pt-BR'), ['"toor root" no padrão de <match> nada decide: todo texto que a tem também tem "root".'])
    assert.deepEqual([found[0].severity, found[0].evidence], ['info', 'toor root'])
  })

  test('are found in all dialects and in groups, and taken out by their corrections', () => {
    for (const [tag, right] of [
      ['<match>toor root|root</match>', '<match>root</match>'],
      ['<match>^abc|abc|x</match>', '<match>abc|x</match>'],
      ['<match>!fail|failed</match>', '<match>!fail</match>'],
      ['<match>a b$|^a b$|b|^A</match>', '<match>b|^A</match>'],
      ['<regex>root|toor \\w+ root</regex>', '<regex>root</regex>'],
      ['<regex>^root$|root</regex>', '<regex>root</regex>'],
      ['<regex type="pcre2">root|toor \\w+ root</regex>', '<regex type="pcre2">root</regex>'],
      ['<regex type="pcre2">^(?:ab|a|b)c?</regex>', '<regex type="pcre2">^(?:a|b)c?</regex>'],
      ['<regex type="pcre2">(?i)ROOT x|root x</regex>', '<regex type="pcre2">(?i)ROOT x</regex>'],
      ['<regex type="pcre2">by (?:root|\\w+|ana) now</regex>', '<regex type="pcre2">by (?:\\w+) now</regex>'],
    ] as const) {
      const file = rulesFile(rule(100100, tag))
      let { content } = file
      for (;;) {
        const [first] = foundIn({ ...file, content })
        if (first === undefined) break
        const [fix] = fixesOf(first, toByteString(content), () => null)
        content = fromByteString(applyReplacements(toByteString(content), fix.edits))
      }
      assert.ok(content.includes(right), `${tag} becomes ${content}`)
    }
    for (const tag of [
      '<match>root|toor</match>',
      '<match>^abc|abcd</match>',
      '<regex>^a b|b c$</regex>',
      '<regex type="pcre2">^(?:ab|a)$</regex>',
      '<regex type="pcre2">(?!a|ab)c</regex>',
      '<regex type="pcre2">(?>a|ab)c</regex>',
      '<regex type="pcre2">(a|ab)\\1</regex>',
    ])
      assert.deepEqual(messages(idle(tag)), [], tag)
  })

  test('are not named again where another diagnostic has said it', () => {
    assert.deepEqual(messages(idle('<match>Error|ERROR</match>')), [])
    assert.deepEqual(messages(idle('<match>error|</match>')), [])
  })

  test('of decoders are named only where neither groups nor the end of a match count', () => {
    const decoder = (inside: string, child = ''): string[] => messages(foundIn(decodersFile(`<decoder name="gate">${inside}</decoder>${child}`)))
    assert.equal(decoder('<program_name>^gate|^gated</program_name>').length, 1)
    assert.equal(decoder('<prematch>open|open by</prematch>').length, 1)
    const regex = '<regex>by (\\w+)|by root (\\w+)</regex><order>user</order>'
    assert.deepEqual(decoder(`<program_name>^gate</program_name>${regex}`), [])
    assert.deepEqual(decoder(`<prematch>open by|open</prematch><regex offset="after_prematch">(\\w+)</regex><order>user</order>`), [])
    assert.deepEqual(decoder('<prematch>open by|open</prematch>', '<decoder name="in"><parent>gate</parent><prematch offset="after_parent">root</prematch></decoder>'), [])
    assert.deepEqual(decoder('<prematch type="pcre2">(open)|open by</prematch>'), [])
  })
})

const OSREGEX = ['a', 'b', 'ab', ' ', '\\d', '\\w', '\\.', '\\w+', '\\.*']
const PCRE2 = ['a', 'b', '\\d', '.', '[ab1]', 'a+', '\\w*', '(?:a|ab)', '(?:b|a|1)', '(?i:A|B)', '\\b', '(?=a|b)', '(?>a|ab)', '(?:a|b)?']
const OSMATCH = ['a', 'b', 'ab', 'A', ' ']
const patternOf = (items: readonly string[], most: number): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.constantFrom('', '', '^'), fc.array(fc.constantFrom(...items), { minLength: 1, maxLength: 3 }), fc.constantFrom('', '', '$')), {
      minLength: 1,
      maxLength: most,
    })
    .map((alternatives) => alternatives.map(([start, parts, end]) => `${start}${parts.join('')}${end}`).join('|'))
const patterns = (most: number): fc.Arbitrary<readonly [Dialect, string]> =>
  fc.oneof(
    patternOf(OSREGEX, most).map((pattern) => ['osregex', pattern] as const),
    patternOf(PCRE2, most).map((pattern) => ['pcre2', pattern] as const),
    patternOf(OSMATCH, most).map((pattern) => ['osmatch', pattern] as const),
  )
const TEXTS = fc.array(
  fc.array(fc.constantFrom('a', 'b', ' ', '1', ':', 'A', 'B', 'x', '\n'), { maxLength: 6 }).map((bytes) => bytes.join('')),
  { minLength: 200, maxLength: 200 },
)

function compiled([dialect, pattern]: readonly [Dialect, string]): Expression | null {
  const outcome = compileExpression(dialect, pattern, false)
  return outcome.ok ? outcome.expression : null
}

/** Texts that a pattern accepts, as it is and with a byte less or more. */
function acceptedTexts(expression: Expression): string[] {
  const { upper } = boundsOf(expression)
  const automaton = upper === null ? null : new Bounds(new BoundPrograms()).boundOf(expression, false)
  const text = automaton === null ? null : findText([automaton], [], { steps: 200 })
  return text === null ? [] : [text, `x${text}`, `${text}x`, text.slice(1), text.slice(0, -1), `${text} ${text}`]
}

const passes = (expression: Expression, text: string): boolean => expression.test(text, foldCase(text), 0)

describe('what is reported of random patterns', () => {
  test('can be left out: the pattern without an alternative accepts the same texts', () => {
    let reported = 0
    fc.assert(
      fc.property(patterns(4), TEXTS, ([dialect, pattern], random) => {
        const expression = compiled([dialect, pattern])
        if (expression === null) return
        const { found } = idleAlternatives(expression)
        if (found.length === 0) return
        reported++
        let rest = pattern
        const whole = [...found].sort((a, b) => b.start - a.start)
        for (const { start, end } of whole) rest = rest[end] === '|' ? rest.slice(0, start) + rest.slice(end + 1) : rest.slice(0, start - 1) + rest.slice(end)
        const reduced = compiled([dialect, rest])
        assert.ok(reduced !== null, `${pattern} → ${rest}`)
        const alone = found.flatMap(({ start, end }) => compiled([dialect, pattern.slice(start, end)]) ?? [])
        for (const text of [...random, ...alone.flatMap(acceptedTexts), ...acceptedTexts(expression)])
          assert.equal(passes(reduced, text), passes(expression, text), `${dialect} ${pattern} → ${rest} on ${JSON.stringify(text)}`)
      }),
      { numRuns: 500, seed: 36 },
    )
    assert.ok(reported > 150, `${reported} patterns have such alternatives`)
  })

  test('can be left out: a condition passes wherever the others do', () => {
    const conditionOf = (expression: Expression, negate: boolean, index: number): Condition =>
      new Condition(index, { name: 'match' } as unknown as Condition['option'], null, SUBJECT_LOG, { kind: 'pattern', expression, negate }, null, -1)
    let reported = 0
    fc.assert(
      fc.property(fc.array(fc.tuple(patterns(2), fc.boolean()), { minLength: 2, maxLength: 3 }), TEXTS, (drawn, random) => {
        const conditions = drawn.flatMap(([pattern, negate], index) => {
          const expression = compiled(pattern)
          return expression === null ? [] : [conditionOf(expression, negate, index)]
        })
        const [own, ...above] = conditions
        if (above.length === 0) return
        const found = impliedConditions(new Bounds(new BoundPrograms(), 20_000), { conditions: [own] } as unknown as CompiledRule, [
          [{ conditions: above } as unknown as CompiledRule],
        ])
        if (found.length === 0) return
        reported++
        const holds = ({ test }: Condition, text: string): boolean => test.kind === 'pattern' && passes(test.expression, text) !== test.negate
        const accepted = conditions.flatMap(({ test }) => (test.kind === 'pattern' ? acceptedTexts(test.expression) : []))
        for (const text of [...random, ...accepted]) assert.ok(!above.every((each) => holds(each, text)) || holds(own, text), `${JSON.stringify(drawn)} on ${JSON.stringify(text)}`)
      }),
      { numRuns: 500, seed: 36 },
    )
    assert.ok(reported > 30, `${reported} conditions are implied`)
  })
})

test('the search ends after a number of steps, whatever the patterns are', () => {
  const numbers = Array.from({ length: 40 }, (_, at) => at)
  for (const pattern of [
    '(?:(?:a|ab){12}){12}|(?:(?:a|b){12}){12}',
    '(?:(?:a|ab){10}){6}|(?:(?:a|b){10}){6}',
    `${'(?:a|'.repeat(40)}b${')'.repeat(40)}`,
    numbers.map((at) => `.*${at}.*x${at}`).join('|'),
    numbers
      .slice(0, 8)
      .map((at) => `(?:a|b){12}c(?:a|b){${at + 2}}c`)
      .join('|'),
  ]) {
    const expression = compiled(['pcre2', pattern])
    assert.ok(expression !== null, pattern)
    const { steps } = idleAlternatives(expression)
    assert.ok(steps < 150_000, `${steps} steps for ${pattern}`)
  }
  const list = compiled(['osmatch', numbers.flatMap((at) => [`${'ab'.repeat(at + 1)}${at}`, `${'ba'.repeat(2 * at)}c${at}`]).join('|')]) as Expression
  assert.ok(idleAlternatives(list).steps < 220_000)
  const many = Array.from({ length: 9 }, (_, at) => {
    const alternatives = ['', ...'defghi'].map((last) => `[ab]*a[ab]{${11 - (at % 3)}}c${at}${last}`)
    return rule(100200 + at, below(100100, `<regex type="pcre2">${alternatives.join('|')}</regex>`))
  })
  const ruleset = compileLayer(BASE, [rulesFile(rule(100100, '<match>a</match>') + many.join(''))])
  const collector = new Collector(ruleset.files)
  const finder = new RedundancyFinder(ruleset, collector)
  const unplaced = unplacedNodes(ruleset.rules)
  for (const one of ruleset.rules.inOrder().filter(({ id }) => id >= 100200)) finder.examineRule(new RuleReporter(one, ruleset.rules, collector, unplaced), true)
  assert.ok(finder.isExhausted && finder.steps < REDUNDANCY_STEPS + 150_000, `${finder.steps} steps`)
})
