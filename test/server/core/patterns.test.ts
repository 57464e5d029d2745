/** The patterns that only validation reads, and the forms of them that the interface document shows. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { PORTABLE_FORMS } from '../../../server/core/patterns.js'
import { portabilityFaults } from '../../support/portable-pattern.js'

describe('portable forms of patterns', () => {
  const forms = [...PORTABLE_FORMS].flatMap(([strict, portable]) => (portable === null ? [] : [[strict, portable] as const]))

  it('are written in what every engine reads', () => {
    assert.ok(forms.length > 0)
    for (const [, portable] of forms) assert.deepEqual(portabilityFaults(portable), [])
  })

  it('stand beside patterns that need one', () => {
    for (const strict of PORTABLE_FORMS.keys()) assert.notDeepEqual(portabilityFaults(strict), [])
  })

  it('take every text that validation takes, in each engine', () => {
    /** Characters on both sides of every border that a pattern of ours draws. */
    const borders = [0, 9, 10, 13, 0x1f, 0x20, 0x7e, 0x7f, 0x80, 0x85, 0x9f, 0xa0, 0xad, 0x61c, 0x180e, 0x1680, 0x2000, 0x200b, 0x200f, 0x2027, 0x2028, 0x2029, 0x202a]
      .concat([0x202e, 0x202f, 0x2060, 0x2065, 0x2066, 0x2069, 0x206a, 0x3000, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xfeff, 0xfff9, 0xffff, 0x10000, 0x1d173, 0xe0001])
      .map((code) => String.fromCodePoint(code))
    const unit = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...borders) }, fc.constantFrom('a', 'é', '語', '🙂'), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }))
    const ids = fc.array(fc.integer({ min: 0, max: 1_200_000 }), { minLength: 1, maxLength: 5 }).map((numbers) => numbers.join(','))
    const text = fc.oneof(
      ids,

      { weight: 3, arbitrary: fc.string({ unit: fc.constantFrom(' ', 'a', 'é', '🙂', '\u202f', '\u200b', '\n'), maxLength: 5 }) },
      fc.string({ unit, maxLength: 4 }),
    )
    for (const [strict, portable] of forms) {
      const validation = new RegExp(strict, 'u')
      const engines = [new RegExp(portable), new RegExp(portable, 'u'), RE2JS.compile(portable)]
      let taken = 0
      fc.assert(
        fc.property(text, (value) => {
          if (!validation.test(value)) return
          taken++
          for (const engine of engines) assert.ok(engine.test(value), `${portable} ${JSON.stringify(value)}`)
        }),
        { numRuns: 5000 },
      )
      // One by one as well: chance may pass over a border.
      for (const value of borders.flatMap((border) => [border, `a${border}`, `${border}a`])) {
        if (validation.test(value)) for (const engine of engines) assert.ok(engine.test(value), `${portable} ${JSON.stringify(value)}`)
      }
      assert.ok(taken > 100, `${strict}: ${taken} samples were taken`)
    }
  })

  it('refuse what people get wrong: nothing but blanks where something must be seen, and control characters', () => {
    const [, name] = forms.find(([strict]) => strict.includes('(?=')) ?? []
    assert.ok(name)
    for (const wrong of ['', ' ', '\u00a0 ', 'a\nb', 'a\u0000']) assert.doesNotMatch(wrong, new RegExp(name))
  })
})

describe('what counts as portable', () => {
  it('is what ECMA-262, Python, Rust, RE2 and Java read alike', () => {
    for (const good of [
      '^[0-9]{1,6}(?:,[0-9]{1,6})*$',
      '^[0-9]{1,6}(?:,[0-9]{1,6}){0,150}$',
      '^T[0-9]{4}(?:\\.[0-9]{3})?$',
      'a|b*?',
      '^(?:^a$|b)$',
      '[A-Za-z0-9!#$&^_.+-]',
      '[\\x21-\\x7e\\t\\-]',
    ]) {
      assert.deepEqual(portabilityFaults(good), [], good)
      assert.ok(new RegExp(good) && new RegExp(good, 'u') && RE2JS.compile(good))
    }
    const bad = [
      '\\d',
      '\\w',
      '\\p{L}',
      '[\\s]',
      '\\u2028',
      'a\\b',
      '.',
      '(?=a)',
      '(?!a)',
      '(?<=a)',
      '(?<n>a)',
      '(?i)a',
      '[[a]',
      '[a&&b]',
      '[a--b]',
      'a**',
      'a++',
      'a{1001}',
      '(?:a{1,6}){0,199}',
      'é',
      '[é]',
      'a^',
      '$a',
      ']',
      '{',
      '(a',
      '[a',
      '[]',
      '\\1',
    ]
    for (const pattern of bad) assert.notDeepEqual(portabilityFaults(pattern), [], pattern)
  })
})
