/** The terms of texts and questions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitText, TEXT_CHARACTERS } from '../../../../../server/features/assistant/knowledge/record.js'
import { conceptsOf, unusableWords } from '../../../../../server/features/assistant/knowledge/thesaurus.js'
import { isIdentifier, languageOf, termsOf } from '../../../../../server/features/assistant/knowledge/tokens.js'

test('names with signs are terms as a whole, and by their parts', () => {
  assert.deepEqual(termsOf('Use IF_MATCHED_SID', 'en-US'), ['if_matched_sid', 'match', 'sid'])
  assert.deepEqual(termsOf('WD-1234 data.win.eventdata', 'pt-BR').slice(0, 3), ['wd-1234', 'wd', '1234'])
  assert.ok(termsOf('data.win.eventdata', 'en-US').includes('data.win.eventdata'))
  assert.deepEqual(termsOf('returns -1, not 1', 'en-US'), ['return', '-1', 'not', '1'])
})

test('escapes of patterns keep their letter case', () => {
  assert.deepEqual(termsOf('\\S+ \\s \\.', 'en-US'), ['\\S', '\\s', '\\.'])
})

test('words are reduced to their stem, without accents, and frequent ones are left out', () => {
  assert.deepEqual(termsOf('As regras são órfãs', 'pt-BR'), termsOf('regra orfãs', 'pt-BR'))
  assert.deepEqual(termsOf("Why doesn't the rule match?", 'en-US'), termsOf('why doesnt rules matching', 'en-US'))
  assert.deepEqual(termsOf('descrição', 'pt-BR'), termsOf('DESCRIÇÃO'.normalize('NFD'), 'pt-BR'))
})

test('words that are also parts of options are never left out', () => {
  assert.deepEqual(termsOf('not the same', 'en-US'), ['not', 'same'])
  assert.equal(termsOf('não é o mesmo', 'pt-BR').length, 2)
})

test('a term has a limited length', () => {
  assert.deepEqual(termsOf('a'.repeat(10_000), 'en-US'), [])
})

test('identifiers are names with signs and numbers of codes', () => {
  assert.deepEqual(['if_sid', '7613', 'a.b', '-1', '\\s', 'rule', '22'].map(isIdentifier), [true, true, true, true, true, false, false])
})

test('the language of a question is that of its frequent words', () => {
  assert.equal(languageOf('what does the rule do'), 'en-US')
  assert.equal(languageOf('o que a regra faz'), 'pt-BR')
  assert.equal(languageOf('if_matched_sid frequency'), null)
})

test('words of both languages share concepts, also two words together', () => {
  const of = (text: string, locale: 'en-US' | 'pt-BR'): string[] => conceptsOf(termsOf(text, locale), locale).flat()
  const shared = (english: string, portuguese: string): boolean => of(english, 'en-US').some((concept) => of(portuguese, 'pt-BR').includes(concept))
  for (const [english, portuguese] of [
    ['duplicate', 'repetidas'],
    ['overwrite', 'sobrescrever'],
    ['blocklist', 'lista'],
    ['second factor', 'segundo fator'],
    ['brute force', 'força bruta'],
  ])
    assert.ok(shared(english, portuguese), `${english}, ${portuguese}`)
  assert.ok(!shared('weekend', 'senha'))
  assert.ok(!of('fator', 'pt-BR').some((concept) => of('segundo', 'pt-BR').includes(concept)))
})

test('the thesaurus has no word that is left out of every text', () => {
  assert.deepEqual(unusableWords(), [])
})

/** Half of a surrogate pair. */
const HALF = /\p{Cs}/u

test('a long text is split at line breaks or blanks, without a loss and without half a character', () => {
  const text = `${'word '.repeat(1000)}\n${'x'.repeat(TEXT_CHARACTERS * 2)}\u{1f600}`
  const parts = splitText(text)
  assert.equal(parts.join('').replace(/\s/g, ''), text.replace(/\s/g, ''))
  for (const part of parts) assert.ok(part.length <= TEXT_CHARACTERS && !HALF.test(part))
  const emoji = splitText(`x${'\u{1f600}'.repeat(TEXT_CHARACTERS)}`)
  for (const part of emoji) assert.ok(!HALF.test(part))
})
