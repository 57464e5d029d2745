/** Texts: none is missing, all placeholders have values, and values are inserted unchanged. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { ERRORS, type ErrorReason } from '../../../../server/core/errors.js'
import { errorTexts, fill } from '../../../../server/core/i18n/translate.js'
import { errors as english } from '../../../../server/core/i18n/messages/en-US/errors.js'
import { errors as portuguese } from '../../../../server/core/i18n/messages/pt-BR/errors.js'

const placeholders = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()

test('every refusal has texts in both languages, with the same placeholders', () => {
  for (const reason of Object.keys(ERRORS) as ErrorReason[]) {
    for (const part of ['message', 'hint'] as const) {
      assert.ok(english[reason][part].length > 0 && portuguese[reason][part].length > 0, reason)
      assert.deepEqual([...new Set(placeholders(portuguese[reason][part]))], [...new Set(placeholders(english[reason][part]))], reason)
    }
  }
})

test('the tables have texts of existing refusals only', () => {
  assert.deepEqual(Object.keys(english).sort(), Object.keys(ERRORS).sort())
  assert.deepEqual(Object.keys(portuguese).sort(), Object.keys(ERRORS).sort())
})

test('a parameter is inserted unchanged', () => {
  assert.equal(fill('{a} and {b}', { a: '{b}', b: '$&' }), '{b} and $&')
  assert.equal(fill('{constructor} {missing}', {}), '{constructor} {missing}')
  assert.equal(errorTexts('permission_missing', 'en-US', { permission: 'audit:view' }).message, 'Your role or key lacks the permission audit:view.')
})
