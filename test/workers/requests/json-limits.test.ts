/** Limits of JSON texts, counted before they are parsed. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { DEPTH_LIMIT, MEMBERS_LIMIT, NAMES_LIMIT, overJsonLimit, VALUES_LIMIT } from '#requests'

const told = (text: string): string | null => overJsonLimit(text)?.message ?? null
const nested = (levels: number): string => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`
const members = (count: number): string => `{${Array.from({ length: count }, (_, i) => `"m${i}" : ${i}`).join(' ,')}}`

test('a text may have as many levels as the limit', () => {
  assert.equal(told(nested(DEPTH_LIMIT)), null)
  assert.equal(told(`[${nested(DEPTH_LIMIT)}]`), 'too_deep')
  assert.equal(told(`[${'[[]],'.repeat(1_000)}1]`), null)
})

test('an object may have as many members as the limit, and many objects may have them', () => {
  assert.equal(told(members(MEMBERS_LIMIT)), null)
  assert.equal(told(members(MEMBERS_LIMIT + 1)), 'too_many_members')
  assert.equal(told(`[${members(MEMBERS_LIMIT)},${members(MEMBERS_LIMIT)}]`), null)
  // Members of an inner object do not count for the outer one, before or after it.
  const half = members(MEMBERS_LIMIT / 2).slice(1, -1)
  assert.equal(told(`{${half},"inner":${members(MEMBERS_LIMIT)}}`), null)
  assert.equal(told(`{${half},"inner":${members(3)},${half}}`), 'too_many_members')
})

test('a text may have as many values as the limit', () => {
  assert.equal(told(`[${'1,'.repeat(VALUES_LIMIT - 2)}1]`), null)
  assert.equal(told(`[${'1,'.repeat(VALUES_LIMIT)}1]`), 'too_many_values')
  assert.equal(told('[],'.repeat(VALUES_LIMIT / 2)), 'too_many_values')
})

test('characters within strings do not count', () => {
  const text = '[{:,'.repeat(MEMBERS_LIMIT)
  for (const string of [text, `\\"${text}`, `${text}\\"${text}`, `\\\\\\"${text}`, `${text}\\\\`, `é\\u0022${text}`])
    assert.equal(told(`{"${string}":"${string}"}`), null, string.slice(0, 8))
  // The string ends at the second quote: its backslashes are a pair.
  assert.equal(told(`["\\\\",${'['.repeat(DEPTH_LIMIT)}`), 'too_deep')
})

test('a text that is not JSON is left to the parser', () => {
  for (const text of ['', '"', '{"a', ']]]]', '{"a":1', '\\"[', 'null', ':::']) assert.equal(told(text), null, text)
})

test('distinct names are counted, those of strings are none', () => {
  const named = (count: number, times = 1): string => `[${Array.from({ length: times * count }, (_, at) => `{"n${at % count}" : "a:b\\":"}`)}]`
  assert.equal(told(named(NAMES_LIMIT)), null)
  assert.equal(told(named(NAMES_LIMIT, 3)), null)
  assert.equal(told(named(NAMES_LIMIT + 1)), 'too_many_names')
  assert.equal(told(named(NAMES_LIMIT + 1, 3)), 'too_many_names')
  // A parser would read all of them before it finds that the text is not JSON.
  for (const end of ['"', ']"', '}']) assert.equal(told(named(NAMES_LIMIT + 1) + end), 'too_many_names', end)
  // As they are written: escapes are no second chance.
  assert.equal(told(`[${Array.from({ length: NAMES_LIMIT + 1 }, (_, at) => `{"\\u${at.toString(16).padStart(4, '0')}":0}`)}]`), 'too_many_names')
})

test('another limit of values is taken for JSON that needs it', () => {
  const list = `[${'1,'.repeat(VALUES_LIMIT)}1]`
  assert.equal(overJsonLimit(list, 2 * VALUES_LIMIT), null)
  assert.equal(overJsonLimit('[1,2,3]', 3)?.message, 'too_many_values')
})
