import assert from 'node:assert/strict'
import { test } from 'node:test'
import { suggest } from '../../../engine/diagnostics/suggest.js'

const OPTIONS = ['if_sid', 'if_group', 'if_level', 'match', 'regex', 'field', 'decoded_as', 'description', 'action']

test('one typing error of any kind is found', () => {
  assert.equal(suggest('if_sids', OPTIONS), 'if_sid')
  assert.equal(suggest('rgex', OPTIONS), 'regex')
  assert.equal(suggest('mathc', OPTIONS), 'match')
  assert.equal(suggest('feild', OPTIONS), 'field')
  assert.equal(suggest('descripton', OPTIONS), 'description')
})

test('case and blanks around a name are ignored', () => {
  assert.equal(suggest('SSHD', ['sshd']), 'sshd')
  assert.equal(suggest(' Match ', OPTIONS), 'match')
})

test('the nearest name is suggested, and the first of equally near ones', () => {
  assert.equal(suggest('sshd2', ['sshd-22', 'sshd', 'sshd3']), 'sshd')
})

test('a different word is not suggested', () => {
  assert.equal(suggest('frobnicate', OPTIONS), null)
  assert.equal(suggest('ab', ['cd']), null)
  assert.equal(suggest('x', ['y']), null)
  assert.equal(suggest('', OPTIONS), null)
  assert.equal(suggest('match', []), null)
})

test('the name itself is never suggested', () => {
  assert.equal(suggest('match', ['match']), null)
})

test('an id allows one wrong digit only', () => {
  assert.equal(suggest('571', ['5716']), '5716')
  assert.equal(suggest('571600', ['5716']), null)
})

test('long names, and names that grow when folded, are handled', () => {
  assert.equal(suggest('a'.repeat(100_000), ['a'.repeat(100_000)]), null)
  assert.equal(suggest('abc', ['İ'.repeat(64), 'abd']), 'abd')
  assert.equal(suggest(`${'a'.repeat(63)}b`, ['a'.repeat(64)]), 'a'.repeat(64))
})
