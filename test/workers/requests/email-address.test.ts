import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { emailKeyOf, isEmailAddress, normalizeEmail } from '#basics'

/** Invisible characters of each kind. */
const INVISIBLE = [
  '\u200b',
  '\u200c',
  '\u200d',
  '\u2060',
  '\ufeff',
  '\u00ad',
  '\u034f',
  '\u061c',
  '\u115f',
  '\u3164',
  '\uffa0',
  '\u180e',
  '\ufe0f',
  '\u{e0041}',
  '\u{e0100}',
  '\u200e',
  '\u202e',
  '\u2066',
  '\u00a0',
  '\u2003',
  '\u3000',
  '\u2028',
  '\u2800',
  '\u0007',
  '\ud800',
]

test('an address with an invisible character is refused', () => {
  for (const character of INVISIBLE) {
    for (const address of [`an${character}a@example.test`, `${character}ana@example.test`, `ana@exam${character}ple.test`, `ana@example.test${character}`])
      assert.equal(isEmailAddress(address), false, JSON.stringify(address))
  }
})

test('an address whose normalized form is invalid is refused', () => {
  // NFKC gives a space, parentheses, two dots, and eighteen letters.
  for (const address of ['an\u00a8a@example.test', '（ana）@example.test', 'a\u2025b@example.test', `${'\ufdfa'.repeat(14)}@example.test`])
    assert.equal(isEmailAddress(address), false)
  for (const address of ['ａｎａ＠ｅｘａｍｐｌｅ．ｔｅｓｔ', 'josé@exámple.test', '用户@例え.テスト', "o'neil+x@sub.example.test"])
    assert.equal(isEmailAddress(address), true, address)
})

test('spellings of one address have one key', () => {
  for (const [spelling, key] of [
    ['ＡＮＡ@Example.TEST', 'ana@example.test'],
    ['ﬁona@example.test', 'fiona@example.test'],
    ['jose\u0301@example.test', 'jos\u00e9@example.test'],
    ['\u212ban@example.test', '\u00e5an@example.test'],
  ])
    assert.equal(emailKeyOf(spelling), key)
  assert.equal(normalizeEmail('Ａna@Example.test'), 'Ana@Example.test')
  // As older versions may have stored it.
  assert.equal(emailKeyOf('an\u200ba@example.test\u202e'), 'ana@example.test')
})

test('a key equals its own key, and that of its address in capitals', () => {
  const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(word, (local) => {
      const key = emailKeyOf(`${local}@example.test`)
      assert.equal(emailKeyOf(key), key)
      assert.equal(emailKeyOf(normalizeEmail(`${local}@example.test`)), key)
    }),
  )
})
