/** Repairs of patterns: they accept the same texts, capture the same, and have no attack. The texts here are all short ones, made without the automata of the proofs. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createMatchResult } from '../../../engine/expressions/expression.js'
import { compilePcre2, type Pcre2Expression } from '../../../engine/expressions/pcre2/compile.js'
import { areSameTexts, BoundPrograms, Bounds } from '../../../engine/generate/exclusion.js'
import { compileRuleset } from '../../../engine/index.js'
import { type Attack, CHECK_EFFORT, searchAttack } from '../../../engine/redos/attack.js'
import { fixesOf } from '../../../engine/repairs/fixes.js'
import { repairPattern } from '../../../engine/repairs/repair-pattern.js'

const compiled = (pattern: string): Pcre2Expression => {
  const outcome = compilePcre2(pattern)
  assert.ok(outcome.ok, pattern)
  return outcome.expression
}

const attackOn = (expression: Pcre2Expression): Attack => {
  const { attack } = searchAttack(expression.tree, CHECK_EFFORT, { left: 60_000_000 })
  assert.ok(attack !== null, expression.pattern)
  return attack
}

/** All texts of some letters up to a length. */
function textsOf(letters: string, length: number): string[] {
  const texts = ['']
  for (const text of texts) if (text.length < length) for (const letter of letters) texts.push(text + letter)
  return texts
}

const answerOf = (expression: Pcre2Expression, text: string, groupsCount: boolean): string => {
  if (!groupsCount) return String(expression.test(text, text.toLowerCase(), 0))
  const result = createMatchResult()
  return expression.search(text, text.toLowerCase(), 0, result) ? `${result.end}: ${result.bounds.slice(0, 2 * result.count)}` : ''
}

/** Patterns, letters that matter in them, and the best repair: of a rule, and of a decoder, which uses what groups capture. */
const REPAIRED: readonly [pattern: string, letters: string, ofRule: string | undefined, ofDecoder: string | undefined][] = [
  ['^(\\w+\\s?)+$', 'a \n', '^(\\w++\\s?)+$', '^(\\w++\\s?)+$'],
  ['^.*fo.*b', 'fob\n', '^(?>.*?fo).*b', '^(?>.*?fo).*b'],
  ['x.*b.*c$', 'xbc\n', '(?:^|\\n)(?>.*?x)(?>.*?b).*c$', '(?:^|\\n)(?>.*?x)(?>.*?b).*c$'],
  ['(\\S+)\\[(\\d+)\\]:? t', 'a[1]t ', '(?:^|\\s)(\\S+)\\[(\\d+)\\]:? t', '(?:^|\\s)(\\S+)\\[(\\d+)\\]:? t'],
  ['(x+x+)+y', 'xy', '(xx+)y', undefined],
  ['^.*(?:a|ba).*(?:ab|b).*c$', 'abc\n', '^(?>.*?(?:a|ba))(?>.*?(?:ab|b)).*c$', '^(?>.*?(?:a|ba))(?>.*?(?:ab|b)).*c$'],
  ['"(.+)"b(.+)c', '"abc', '(?:^|\\n)(?>.*?")(?>(.+?)"b)(.+)c', undefined],
]

/** Pairs that are not the same, although one is the other with an atomic group or a possessive repetition. */
const DIFFERENT: readonly (readonly [string, string])[] = [
  ['^a.*(?:xbc|b).*c', '^a(?>.*?(?:xbc|b)).*c'],
  ['^.*b[^x]*c', '^(?>.*?b)[^x]*c'],
  ['^.*(?:a|b)b*c$', '^(?>.*?(?:a|b))b*c$'],
  ['^a*?(?:aab|a)b*c', '^(?>a*?(?:aab|a))b*c'],
  ['^\\w+a', '^\\w++a'],
  ['^(?:a+b?)+ab', '^(?:a++b?)+ab'],
]

describe('repairs of patterns', () => {
  for (const [pattern, letters, ...best] of REPAIRED)
    it(`${pattern} is repaired where that changes nothing`, () => {
      const before = compiled(pattern)
      const attack = attackOn(before)
      best.forEach((wanted, index) => {
        const groupsCount = index === 1
        const repairs = repairPattern(before, attack, groupsCount)
        assert.equal(repairs[0], wanted)
        for (const repair of repairs) {
          const after = compiled(repair)
          for (const text of textsOf(letters, letters.length > 4 ? 4 : 5))
            assert.equal(answerOf(after, text, groupsCount), answerOf(before, text, groupsCount), `${repair} on ${JSON.stringify(text)}`)
          assert.deepEqual(searchAttack(after.tree, CHECK_EFFORT, { left: 20_000_000 }), { attack: null, isComplete: true })
        }
      })
    })

  it('an atomic group is not taken for what it is not', () => {
    const texts = textsOf('abxc', 5)
    for (const [one, other] of DIFFERENT) {
      assert.ok(
        texts.some((text) => answerOf(compiled(one), text, false) !== answerOf(compiled(other), text, false)),
        other,
      )
      assert.equal(areSameTexts(new Bounds(new BoundPrograms()), compiled(one), compiled(other)), false, other)
    }
  })

  it('the file has the pattern as it is, or there is no correction', () => {
    const correctionsOf = (element: string, variable = ''): string[] => {
      const content = `${variable}<group name="a,"><rule id="100100" level="5"><category>syslog</category>${element}<description>A.</description></rule></group>`
      const found = compileRuleset([{ kind: 'rules', filename: 'a.xml', scope: 'custom', content }]).diagnostics.filter(({ code }) => code === 'regex_backtracking')
      assert.equal(found.length, 1, element)
      return fixesOf(found[0], content, () => null).flatMap(({ edits, isSure }) => (isSure ? [] : edits.map(({ text }) => text)))
    }
    assert.deepEqual(correctionsOf('<regex type="pcre2">^.*foo.*bar</regex>'), ['^(?>.*?foo).*bar'])
    assert.deepEqual(correctionsOf('<regex type="pcre2">^.*foo</regex><regex type="pcre2">.*bar</regex>'), [])
    assert.deepEqual(correctionsOf('<regex type="pcre2">^.*foo$X</regex>', '<var name="X">.*bar</var>'), [])
  })
})
