/** The engines agree with each other, the prefilters agree with the engines, and no pattern exceeds its time limit. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { createMatchResult } from '../../../engine/expressions/expression.js'
import { compilePcre2, type Pcre2Expression } from '../../../engine/expressions/pcre2/compile.js'
import { assembleLinear, Automaton, StateMemory } from '../../../engine/expressions/pcre2/linear.js'
import type { Program } from '../../../engine/expressions/pcre2/program.js'
import { COMPILED, PLAIN } from '../../../engine/kernel/kernel.js'
import { searchedText } from '../../../engine/kernel/searched-text.js'

const PIECES = [
  'a',
  'b',
  'ab',
  '.',
  '\\d',
  '\\w',
  '\\s',
  '[ab]',
  '[^a]',
  '\\S',
  '.*',
  '.+',
  '.*?',
  '\\w+',
  'a?',
  'b??',
  '(?:ab|a)',
  '(a|b)',
  '(a)?',
  '(b)*',
  '(\\w+)',
  '(.+?)b',
  '(?:a|b)+',
  '(?:\\w\\d)*',
  '(?:a(b)?)*',
  '((a)|b)+',
  '(?:(a)b)+',
  '^',
  '$',
  '\\b',
  '\\B',
  '|',
  '(?i)',
  '(?m)',
  '(?s)',
  '(a|ab|c)',
  '(?=a)',
  '(?!b)',
  '(?<=a)',
  '(x|)',
  '(?:a?)*',
  '(a*)+',
  'a{2}',
  '(a{1,2}){2}',
  '[ab]{1,3}?',
  '\\z',
  '\xe9',
  '(?:^|b)',
  '(?:$|b)',
  '(?:a{1,2})*',
  '(?:.b)*',
  '(?:(?!ab).)*',
  '[[:punct:]]',
]
const patterns = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(''))
const texts = fc.array(fc.constantFrom('a', 'b', 'A', 'B', 'x', '1', ' ', '.', '\n', '\xe9'), { maxLength: 12 }).map((chars) => chars.join(''))
const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

function compiled(pattern: string): Pcre2Expression | null {
  const outcome = compilePcre2(pattern)
  return outcome.ok ? outcome.expression : null
}

function report(found: boolean, result: { end: number; count: number; bounds: number[] }, text: string): string {
  if (!found) return 'no match'
  return JSON.stringify([result.end, ...Array.from({ length: result.count }, (_, i) => text.slice(result.bounds[2 * i], result.bounds[2 * i + 1]))])
}

const KERNELS = [PLAIN, COMPILED].filter((kernel) => kernel !== null)

test('every eligible engine returns the result of the backtracking matcher', () => {
  let inKernel = 0
  fc.assert(
    fc.property(patterns, texts, (pattern, text) => {
      const expression = compiled(pattern)
      if (expression === null) return
      const result = createMatchResult()
      const expected = report(expression.searchWith('backtrack', text, result) as boolean, result, text)
      for (const kernel of KERNELS) {
        const found = expression.searchWith(kernel, text, result)
        if (found !== null) inKernel++
        if (found !== null) assert.equal(report(found, result, text), expected, 'the kernel')
      }
      for (const engine of ['native', 'linear'] as const) {
        const found = expression.searchWith(engine, text, result)
        if (found !== null) assert.equal(report(found, result, text), expected, engine)
        const matched = expression.testWith(engine, text)
        if (matched !== null) assert.equal(matched, expected !== 'no match', engine)
      }
      assert.equal(report(expression.search(text, lower(text), 0, result), result, text), expected)
      assert.equal(expression.test(text, lower(text), 0), expected !== 'no match')
    }),
    { numRuns: 2000 },
  )
  assert.ok(inKernel > 2000, 'most patterns run in the kernel')
})

/** A pattern that PCRE2 and RE2 read alike. */
interface SharedPattern {
  readonly source: string
  /** Matches the empty text. */
  readonly isNullable: boolean
  /** Repeats what matches the empty text: RE2 may end such a match, and its groups, elsewhere. */
  readonly repeatsNullable: boolean
}

const shared = (source: string, isNullable = false, repeatsNullable = false): SharedPattern => ({ source, isNullable, repeatsNullable })
const some = (parts: readonly SharedPattern[], key: 'isNullable' | 'repeatsNullable'): boolean => parts.some((part) => part[key])
/** `$` and `^` of lines differ at a final line feed only, which no text below has; RE2's `$` is `\z`, and its `\s` lacks the vertical tab. */
const UNITS = 'a b ab 1 \xe9 \\. . \\d \\D \\w \\W \\s \\S [ab] [^a] [^b-z\\s] [[:alpha:]] [[:punct:]] (?i:ab) (?i:[a-m]) (?s:.)'.split(' ').map((unit) => shared(unit))
const EDGES = '^ \\A \\z \\b \\B (?m:$) (?m:^)'.split(' ').map((edge) => shared(edge, true))
const { node: sharedPatterns } = fc.letrec<{ node: SharedPattern }>((tie) => {
  const nodes = (minLength: number) => fc.array(tie('node'), { minLength, maxLength: 3 })
  return {
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 4, arbitrary: fc.constantFrom(...UNITS) },
      { weight: 1, arbitrary: fc.constantFrom(...EDGES) },
      {
        weight: 4,
        arbitrary: nodes(2).map((parts) =>
          shared(
            parts.map(({ source }) => source).join(''),
            parts.every(({ isNullable }) => isNullable),
            some(parts, 'repeatsNullable'),
          ),
        ),
      },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom('(', '(?:'), nodes(1))
          .map(([open, parts]) => shared(`${open}${parts.map(({ source }) => source).join('|')})`, some(parts, 'isNullable'), some(parts, 'repeatsNullable'))),
      },
      {
        weight: 3,
        arbitrary: fc
          .tuple(fc.constantFrom('(', '(?:'), tie('node'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '{0,2}', '{2,}'), fc.constantFrom('', '?'))
          .map(([open, part, times, lazy]) => shared(`${open}${part.source})${times}${lazy}`, part.isNullable || /^[*?]|0/.test(times), part.isNullable || part.repeatsNullable)),
      },
    ),
  }
})

test('the automaton agrees with RE2 on random patterns', () => {
  let matched = 0
  let missed = 0
  let compared = 0
  fc.assert(
    fc.property(sharedPatterns, fc.array(texts, { minLength: 3, maxLength: 3 }), ({ source, repeatsNullable }, subjects) => {
      const expression = compiled(source) as Pcre2Expression
      const oracle = RE2JS.compile(source)
      for (const subject of subjects) {
        const text = subject.replace(/\n+$/, '')
        const matcher = oracle.matcher(text)
        const found = matcher.find()
        assert.equal(expression.testWith('linear', text), found)
        if (found) matched++
        else missed++
        const result = createMatchResult()
        const searched = repeatsNullable ? null : expression.searchWith('linear', text, result)
        if (searched === null) continue
        compared++
        const groups = (): (string | null)[] => Array.from({ length: result.count }, (_, index) => matcher.group(index + 1) ?? '')
        assert.equal(report(searched, result, text), found ? JSON.stringify([matcher.end() - 1, ...groups()]) : 'no match')
      }
    }),
    { numRuns: 1000 },
  )
  assert.ok(matched > 500 && missed > 500 && compared > 500, `${matched} matched, ${missed} did not, ${compared} compared with groups`)
})

test('the literals that a pattern requires occur in everything it matches', () => {
  fc.assert(
    fc.property(patterns, texts, (pattern, text) => {
      const expression = compiled(pattern)
      if (expression === null || expression.testWith('backtrack', text) !== true) return
      const { required } = expression
      if (required !== null) assert.ok(required.some((literal) => literal.isIn(searchedText(text, lower(text)), 0)))
    }),
    { numRuns: 2000 },
  )
})

test('a pattern of exact texts matches only those', () => {
  const words = fc.array(fc.constantFrom('a', 'ab', 'A', 'b1', 'x'), { minLength: 1, maxLength: 3 })
  const whole = fc.tuple(fc.constantFrom('', '(?i)'), words, fc.constantFrom('$', '\\z')).map(([fold, alternatives, end]) => `${fold}^(?:${alternatives.join('|')})${end}`)
  const subjects = fc.tuple(fc.constantFrom('', 'a', 'A', 'ab', 'aB', 'b1', 'B1', 'x', 'xa'), fc.constantFrom('', '\n')).map((parts) => parts.join(''))
  let known = 0
  let matched = 0
  fc.assert(
    fc.property(whole, subjects, (pattern, text) => {
      const expression = compiled(pattern)
      const exact = expression?.exact ?? null
      if (expression === null || exact === null) return
      known++
      const folded = exact.ignoreCase ? lower(text) : text
      const isOne = exact.values.includes(exact.trailingNewline ? folded.replace(/\n$/, '') : folded)
      assert.equal(expression.testWith('backtrack', text), isOne)
      if (!isOne) return
      matched++
      if (expression.prefilter?.kind === 'exact') assert.ok(expression.prefilter.values.includes(lower(text)))
    }),
    { numRuns: 2000 },
  )
  assert.ok(known > 1000 && matched > 100, `${known} known, ${matched} matched`)
})

test('literals are extracted where they help', () => {
  const required = (pattern: string): string[] | null => compiled(pattern)?.required?.map(({ text }) => text) ?? null
  assert.deepEqual(required('(?i)Failed .+ from (\\S+)'), ['failed '])
  assert.deepEqual(required('\\.(?:exe|DLL)$'), ['.exe', '.dll'])
  assert.deepEqual(required('(?:foo|bar).*|bazz'), ['foo', 'bar', 'bazz'])
  assert.deepEqual(required('(?:ab){2}c?'), ['abab'])
  assert.equal(required('\\d+|foo'), null)
  assert.equal(required('(?:foo)?x'), null)
  assert.equal(required('foo(*ACCEPT)bar|x'), null)
})

test('a literal of one byte is required only if the byte is rare in logs', () => {
  assert.deepEqual(compiled('\\s\\(\\S+\\)\\s')?.prefilter, { kind: 'contains', values: ['('] })
  assert.equal(compiled('\\d:\\d+:\\d')?.prefilter, null)
})

test('a pattern that equals its subjects lists them', () => {
  const exact = (pattern: string): unknown => compiled(pattern)?.exact ?? null
  assert.deepEqual(exact('^4624$'), { values: ['4624'], ignoreCase: false, trailingNewline: true })
  assert.deepEqual(exact('^(?:a|b)1\\z'), { values: ['a1', 'b1'], ignoreCase: false, trailingNewline: false })
  assert.deepEqual(exact('(?i)^Yes$|^NO$'), { values: ['yes', 'no'], ignoreCase: true, trailingNewline: true })
  assert.equal(exact('^(?i)a(?-i)b$'), null)
  assert.equal(exact('^a|b$'), null)
  assert.equal(exact('^a\\d$'), null)
  assert.deepEqual(compiled('^A$')?.prefilter, { kind: 'exact', values: ['a', 'a\n'] })
})

test('each pattern gets the right engine', () => {
  const engine = (pattern: string): string | undefined => compiled(pattern)?.engine
  assert.equal(engine('^user=(\\S+) from'), 'native')
  assert.equal(engine('(?i)\\\\cmd\\.exe'), 'native')
  assert.equal(engine('(a+)+$'), 'linear')
  assert.equal(engine('.*.*.*x'), 'linear')
  assert.equal(engine('(a)\\1'), 'backtrack')
  assert.equal(compiled('(?>a)b')?.needsBacktracking, true)
  assert.equal(compiled('a+b')?.needsBacktracking, false)
})

const PATHOLOGICAL: readonly (readonly [pattern: string, text: string])[] = [
  ['(a+)+$', `${'a'.repeat(5000)}!`],
  ['(a|a)*b', 'a'.repeat(5000)],
  ['.*.*.*x', 'y'.repeat(3000)],
  ['(?:a|b)*c', 'ab'.repeat(500_000)],
  ['(a+)\\1+$', `${'a'.repeat(3000)}b`],
  ['(?:(?=(a+))a)*b', 'a'.repeat(3000)],
  ['(\\w|\\((?1)\\))*z', '('.repeat(200_000)],
  ['(?<=a)(a*)*c(?!d)', 'a'.repeat(65_536)],
  ['(a(?R)?b)+', 'a'.repeat(100_000)],
  ['(?s).*?(.)(?=\\1)x', 'ab'.repeat(500_000)],
  // more states than an automaton may have, and more copies than its program may contain
  ['[ab]*a[ab]{200}!', 'abb'.repeat(20_000)],
  ['[ab]*a[ab]{1000}[ab]{1000}[ab]{1000}[ab]{1000}!', 'abb'.repeat(20_000)],
]

test('when the backtracking matcher gives up, a pattern without lookaround and back-reference still has its result', () => {
  const words = 'word '.repeat(12)
  for (const [pattern, text, groups] of [
    ['(?:\\w+\\s?)+!(\\d+)', `${words}? ${words}!17`, ['17']],
    ['(a+)+(b)$', `${'a'.repeat(5000)}! ab`, ['a', 'b']],
    ['(?:a|a)*?x(\\n)', `${'a'.repeat(60)}x!x\n`, ['\n']],
  ] as const) {
    const expression = compiled(pattern) as Pcre2Expression
    const result = createMatchResult()
    assert.equal(expression.searchWith('backtrack', text, result), false)
    assert.equal(expression.test(text, text, 0), true)
    assert.equal(report(expression.search(text, text, 0, result), result, text), JSON.stringify([text.length - 1, ...groups]))
  }
  // the groups of empty iterations are uncertain, the match is not
  const empty = compiled('(?:a?\\w*)*(b)!') as Pcre2Expression
  const text = `${'a'.repeat(200)}? ab!`
  assert.equal(empty.searchWith('linear', text, createMatchResult()), null)
  assert.deepEqual([empty.test(text, text, 0), empty.search(text, text, 0, createMatchResult())], [true, true])
})

/** The same every time. */
function randomAbs(length: number): string {
  let seed = 1
  return Array.from({ length }, () => 'ab'[((seed = (seed * 48_271) % 2_147_483_647) >> 7) & 1]).join('')
}

test('states of automata are dropped and created again, with the same results', () => {
  const text = randomAbs(3000)
  const ended = `${text}!`
  for (let copies = 9; copies < 13; copies++) {
    const expression = compiled(`[ab]*?(?:a[ab]{${copies}}a|b[ab]{${copies}}b)+!`) as Pcre2Expression
    for (const subject of [text, ended, text, ended]) assert.equal(expression.testWith('linear', subject), expression.testWith('backtrack', subject))
  }
})

test('the states of all automata have one limit, whichever automaton is used last', () => {
  const maxInts = 1 << 19
  const memory = new StateMemory(maxInts)
  const text = randomAbs(3000)
  const automata: Automaton[] = []
  let sum = 0
  let largest = 0
  // Together they exceed the limit, and none of them is used again.
  for (let count = 0; count < 20; count++) {
    const automaton = new Automaton(assembleLinear((compiled(`[ab]*?(?:a[ab]{12}a|b[ab]{12}b)+!${count}`) as Pcre2Expression).tree) as Program, memory)
    automata.push(automaton)
    automaton.test(text)
    sum += automaton.size
    largest = Math.max(
      largest,
      automata.reduce((held, { size }) => held + size, 0),
    )
  }
  assert.ok(sum > maxInts, `${sum} ints`)
  assert.ok(largest <= maxInts, `${largest} ints at once`)
})

for (const [pattern, text] of PATHOLOGICAL) {
  test(`${pattern} on ${text.length} bytes ends without a match and is never passed to V8, which might not end`, (context) => {
    const expression = compiled(pattern) as Pcre2Expression
    const whole = new Set<string>()
    let given = 0
    /** Records which patterns V8 runs; it must run none on which it might not end. */
    const watch = <Answer>(original: (this: RegExp, subject: string) => Answer) =>
      function (this: RegExp, subject: string): Answer {
        if (subject === '') whole.add(this.source)
        if (subject === text && whole.has(this.source)) {
          given++
          throw new Error('given to V8')
        }
        return original.call(this, subject)
      }
    const { exec, test } = RegExp.prototype
    context.mock.method(RegExp.prototype, 'exec', watch(exec))
    context.mock.method(RegExp.prototype, 'test', watch(test))
    expression.testWith('native', '')
    expression.searchWith('native', '', createMatchResult())
    for (const run of [() => expression.test(text, text, 0), () => expression.search(text, text, 0, createMatchResult()), () => expression.testWith('backtrack', text)])
      assert.equal(run(), false)
    assert.equal(given, 0)
  })
}
