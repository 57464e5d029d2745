/** Attacks against PCRE2 patterns, and their steps as PCRE2 itself counts them, where `pcre2test` is installed. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import type { Pattern } from '../../../engine/expressions/pcre2/ast.js'
import { compilePcre2 } from '../../../engine/expressions/pcre2/compile.js'
import { type Attack, attackText, CHECK_EFFORT, EVENT_BYTES, findAttack, MATCH_LIMIT, searchAttack } from '../../../engine/redos/attack.js'
import { CallCounter } from '../../../engine/redos/call-counter.js'

const CALLS = 3 * MATCH_LIMIT

function treeOf(pattern: string): Pattern {
  const outcome = compilePcre2(pattern)
  assert.ok(outcome.ok, pattern)
  return outcome.expression.tree
}

function counterOf(pattern: string): CallCounter {
  const counter = CallCounter.of(treeOf(pattern))
  assert.ok(counter !== null, pattern)
  return counter
}

function attackOn(pattern: string): Attack {
  const attack = findAttack(treeOf(pattern))
  assert.ok(attack !== null, pattern)
  return attack
}

/** Patterns in which a text can be read in a number of ways that doubles with each copy. */
const MULTIPLIED = ['^(\\w+\\s?)+$', '(a|a)*b', '(?:a|ab|b)*c', '(x+x+)+y']
/** Patterns and the degree by which the steps of one start position grow. */
const POLYNOMIAL: readonly [string, number][] = [
  ['^.*foo.*bar', 2],
  ['x.*b.*c$', 2],
  ['^.*a.*a.*a.*b$', 4],
  ['(?i)select.+from.+where', 2],
]
/** Patterns as rules and decoders have them, with their degrees. */
const MEASURED: readonly [string, number | null][] = [
  ['^(\\w+\\s?)+$', null],
  ['(a|a)*b', null],
  ['^.*foo.*bar', 2],
  ['(?:systemctl|service)\\s+.*(?:stop|disable|mask).*(?:auditd|rsyslog|syslog)', 2],
  ['^\\((\\S+)\\) ([A-Z]+) \\(\\s*(.*)\\)$', 2],
  [': list (\\S+) (denied|permitted) (\\S+) ([\\d.]+).*? -> ([\\d.]+)', 2],
  ['(?i)\\s(?:user\\s+\\S+.*/add|group\\s+.*/add)', 2],
  ['(?i)\\\\+[^\\\\]*(?:readme|decrypt)[^\\\\]*\\.(?:txt|hta)$', 2],
  ['"(\\w+)\\s(.+)"\\swith\\s\\{(.+)\\}\\sand', 2],
]
/** Patterns for which a long event only costs time. */
const SLOW = ['\\s+$', 'a[^b]*?b[^c]*?c', '\\w+@\\w+']
const HARMLESS = [
  'error',
  '^\\d+\\.\\d+',
  '^\\S+\\s+\\S+\\s+[a-z]+x$',
  '^(a[bc]*)*d',
  '^(?:[^,]*,)*x',
  '^\\w+(?:\\s\\w+)*$',
  // What is atomic is read in one way.
  '(?>a+)+b',
  '(a+)++b',
  '^(?>(a+)+)$',
]

describe('attacks against patterns', () => {
  const folder = mkdtempSync(join(tmpdir(), 'attack-'))
  after(() => rmSync(folder, { recursive: true }))

  for (const pattern of MULTIPLIED) {
    it(`a short event blinds ${pattern}`, () => {
      const attack = attackOn(pattern)
      assert.equal(attack.degree, null)
      assert.ok(attack.blind !== null && attack.blind.bytes < 100)
      assert.ok(searchAttack(treeOf(pattern), CHECK_EFFORT, { left: 15_000_000 }).attack !== null)
    })
  }

  for (const [pattern, degree] of POLYNOMIAL) {
    it(`a long event blinds ${pattern}`, () => {
      const attack = attackOn(pattern)
      assert.equal(attack.degree, degree)
      assert.ok(attack.blind !== null)
      const text = attackText(attack, attack.blind.copies)
      assert.equal(text.length, attack.blind.bytes)
      assert.ok(text.length <= EVENT_BYTES)
      assert.ok(counterOf(pattern).search(text, CALLS).calls >= MATCH_LIMIT)
      assert.ok(counterOf(pattern).search(attackText(attack, Math.floor(attack.blind.copies * 0.7)), CALLS).calls < MATCH_LIMIT)
    })
  }

  for (const pattern of SLOW) {
    it(`a long event stalls ${pattern}`, () => {
      const { blind, stall } = attackOn(pattern)
      assert.equal(blind, null)
      assert.ok(stall.bytes <= EVENT_BYTES && stall.ms > 1000)
    })
  }

  for (const pattern of HARMLESS) it(`none is found against ${pattern}`, () => assert.equal(findAttack(treeOf(pattern)), null))

  it('what is not counted is not examined', () => {
    for (const pattern of ['(a+)+\\1$', '(a+)(?1)+$', '(a+)+(*PRUNE)$']) assert.equal(findAttack(treeOf(pattern)), null)
  })

  it('a pattern of many alternatives and repetitions takes its share and no more', () => {
    const alternatives = Array.from({ length: 500 }, (_, index) => `\\x{${(index % 200).toString(16)}}`).join('|')
    for (const pattern of [`(${alternatives})*$`, `${'('.repeat(100)}${alternatives}${')+'.repeat(100)}$`, `(?:${'[a-z]?'.repeat(300)})*$`]) {
      const budget = { left: 100_000_000 }
      searchAttack(treeOf(pattern), CHECK_EFFORT, budget)
      assert.ok(budget.left > 95_000_000, `${pattern.slice(0, 20)} takes ${100_000_000 - budget.left}`)
    }
  })

  it('the search ends with its budget', () => {
    const patterns = Array.from({ length: 200 }, (_, index) => `^(?:(?:\\w+[a-z]?)+x${index}?)+(?:.*a.*b)+$`)
    const budget = { left: 50_000_000 }
    const found = patterns.map((pattern) => searchAttack(treeOf(pattern), CHECK_EFFORT, budget))
    const complete = found.filter(({ isComplete }) => isComplete)
    assert.ok(complete.length > 0 && complete.length < patterns.length)
    assert.ok(complete.every(({ attack }) => attack !== null))
    assert.ok(budget.left > -100_000)
  })

  const hasReference = spawnSync('pcre2test', ['-C', 'jit']).error === undefined
  const skip = hasReference ? false : 'pcre2test is not installed'
  const bytesOf = (text: string): string => [...text].map((char) => `\\x{${char.charCodeAt(0).toString(16)}}`).join('')
  /** What PCRE2 says about a text of an attack, with all of its optimizations. */
  const answerOf = (pattern: string, { prefix, pump, suffix }: Pick<Attack, 'prefix' | 'pump' | 'suffix'>, copies: number): string => {
    const file = join(folder, 'text')
    writeFileSync(file, `/${pattern.replaceAll('/', '\\x2f')}/\n    ${bytesOf(prefix)}\\[${bytesOf(pump)}]{${copies}}${bytesOf(suffix)}\n`)
    return spawnSync('pcre2test', ['-q', file], { encoding: 'latin1' }).stdout
  }

  for (const [pattern, kind] of MEASURED)
    it(`PCRE2 itself gives up on the text that blinds ${pattern}`, { skip }, () => {
      const attack = attackOn(pattern)
      assert.ok(attack.blind !== null && attack.degree === kind)
      assert.match(answerOf(pattern, attack, attack.blind.copies), /error -47: match limit exceeded/)
      assert.doesNotMatch(answerOf(pattern, attack, Math.floor(attack.blind.copies * 0.7)), /error/)
    })

  it('a text without the byte that every match has is no attack, because PCRE2 does not try it', { skip }, () => {
    const attack = attackOn('x.*b.*cd')
    const bare = { ...attack, suffix: '!' }
    assert.doesNotMatch(answerOf('x.*b.*cd', bare, attack.blind?.copies ?? 0), /error/)
    assert.equal(counterOf('x.*b.*cd').search(attackText(bare, attack.blind?.copies ?? 0), CALLS).allCalls, 0)
  })

  it('steps are those of PCRE2', { skip }, () => {
    for (const pattern of [...MULTIPLIED, ...POLYNOMIAL.map(([text]) => text), 'a(?=b+c)b*(?!d)(?<=b)x?e', '(?:(a|b)|c)*?d', '(a{2,3}){1,2}(b|c+?)*$']) {
      const attack = findAttack(treeOf(pattern)) ?? { prefix: 'abbc', pump: 'ab', suffix: 'x' }
      const copies = Math.floor(12 / attack.pump.length)
      const text = attackText(attack, copies)
      const file = join(folder, 'pattern')
      const escaped = [...text].map((char) => `\\x{${char.charCodeAt(0).toString(16)}}`).join('')
      writeFileSync(file, `/${pattern.replaceAll('/', '\\/')}/no_start_optimize\n    ${escaped}\\=find_limits,no_jit\n`)
      const { stdout } = spawnSync('pcre2test', ['-q', file], { encoding: 'utf8' })
      const limit = Number(/match limit = (\d+)/.exec(stdout)?.[1])
      const counter = CallCounter.of({ ...treeOf(pattern), startOptimizations: false })
      const { calls } = counter?.search(text, CALLS) ?? { calls: 0 }
      assert.ok(Math.abs(calls - limit) <= Math.max(3, limit / 50), `${pattern}: ${calls} counted, ${limit} of PCRE2`)
    }
  })
})
