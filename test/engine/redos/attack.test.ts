/** Attacks against PCRE2 patterns, and their steps as PCRE2 itself counts them, where `pcre2test` is installed. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { assemble } from '../../../engine/expressions/pcre2/assemble.js'
import type { Pattern } from '../../../engine/expressions/pcre2/ast.js'
import { compilePcre2 } from '../../../engine/expressions/pcre2/compile.js'
import { type Attack, attackText, EVENT_BYTES, findAttack, findRunaway, MATCH_LIMIT } from '../../../engine/redos/attack.js'
import { CallCounter } from '../../../engine/redos/call-counter.js'

const CALLS = 3 * MATCH_LIMIT

function treeOf(pattern: string): Pattern {
  const outcome = compilePcre2(pattern)
  assert.ok(outcome.ok, pattern)
  return outcome.expression.tree
}

function counterOf(pattern: string): CallCounter {
  const counter = CallCounter.of(assemble(treeOf(pattern)))
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
/** Patterns for which a long event only costs time. */
const SLOW = ['\\s+$', 'a[^b]*?b[^c]*?c']
const HARMLESS = [
  'error',
  '^\\d+\\.\\d+',
  '^\\S+\\s+\\S+\\s+[a-z]+x$',
  '\\w+@\\w+',
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
      assert.ok(findRunaway(treeOf(pattern), { left: 1_000_000 }) !== null)
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
      assert.equal(findRunaway(treeOf(pattern), { left: 1_000_000 }), null)
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
      findRunaway(treeOf(pattern), budget)
      assert.ok(budget.left > 95_000_000, `${pattern.slice(0, 20)} takes ${100_000_000 - budget.left}`)
    }
  })

  it('the search ends with its budget', () => {
    const patterns = Array.from({ length: 200 }, (_, index) => `^(?:(?:\\w+[a-z]?)+x${index}?)+(?:.*a.*b)+$`)
    const budget = { left: 500_000 }
    const found = patterns.map((pattern) => findRunaway(treeOf(pattern), budget)).filter((attack) => attack !== null)
    assert.ok(found.length > 0 && found.length < patterns.length)
    assert.ok(budget.left > -100_000)
  })

  const hasReference = spawnSync('pcre2test', ['-C', 'jit']).error === undefined
  it('steps are those of PCRE2', { skip: hasReference ? false : 'pcre2test is not installed' }, () => {
    for (const pattern of [...MULTIPLIED, ...POLYNOMIAL.map(([text]) => text), 'a(?=b+c)b*(?!d)(?<=b)x?e', '(?:(a|b)|c)*?d', '(a{2,3}){1,2}(b|c+?)*$']) {
      const attack = findAttack(treeOf(pattern)) ?? { prefix: 'abbc', pump: 'ab', suffix: 'x' }
      const copies = Math.floor(12 / attack.pump.length)
      const text = attackText(attack, copies)
      const file = join(folder, 'pattern')
      const escaped = [...text].map((char) => `\\x{${char.charCodeAt(0).toString(16)}}`).join('')
      writeFileSync(file, `/${pattern.replaceAll('/', '\\/')}/no_start_optimize\n    ${escaped}\\=find_limits,no_jit\n`)
      const { stdout } = spawnSync('pcre2test', ['-q', file], { encoding: 'utf8' })
      const limit = Number(/match limit = (\d+)/.exec(stdout)?.[1])
      const { calls } = counterOf(pattern).search(text, CALLS)
      assert.ok(Math.abs(calls - limit) <= Math.max(3, limit / 50), `${pattern}: ${calls} counted, ${limit} of PCRE2`)
    }
  })
})
