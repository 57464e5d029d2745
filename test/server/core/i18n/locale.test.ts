/** The language of a caller. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { chooseLocale } from '../../../../server/core/i18n/locale.js'

test('x-locale has precedence over the preference, Accept-Language and the default of the instance', () => {
  assert.equal(chooseLocale('en-US', 'pt-BR', 'pt-BR', 'pt-BR'), 'en-US')
  assert.equal(chooseLocale(undefined, 'en', 'pt-BR', 'pt-BR'), 'en-US')
  assert.equal(chooseLocale(undefined, null, 'en', 'pt-BR'), 'en-US')
  assert.equal(chooseLocale(undefined, null, undefined, 'pt-BR'), 'pt-BR')
  assert.equal(chooseLocale(undefined, null, undefined, 'en-US'), 'en-US')
  assert.equal(chooseLocale(undefined, null, 'pt', 'en-US'), 'pt-BR')
})

test('an unsupported language is skipped', () => {
  assert.equal(chooseLocale('fr-FR', 'en', undefined, 'pt-BR'), 'en-US')
  assert.equal(chooseLocale('', null, 'fr, de;q=0.9, en;q=0.1', 'pt-BR'), 'en-US')
  assert.equal(chooseLocale('klingon', null, '*', 'pt-BR'), 'pt-BR')
})

test('Accept-Language is ordered by weight', () => {
  assert.equal(chooseLocale(undefined, null, 'en;q=0.3, pt-BR;q=0.9', 'pt-BR'), 'pt-BR')
  assert.equal(chooseLocale(undefined, null, 'pt;q=0.3, en-GB', 'pt-BR'), 'en-US')
  assert.equal(chooseLocale(undefined, null, 'en;q=0, pt;q=0.1', 'pt-BR'), 'pt-BR')
  assert.equal(chooseLocale(undefined, null, `${'fr,'.repeat(10_000)}en`, 'pt-BR'), 'pt-BR')
})
