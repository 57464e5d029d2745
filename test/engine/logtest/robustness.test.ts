/** For any input the result is plain data. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { explainRule, LOCALES, LOG_FORMATS, ruleCatalog, runLogtest } from '../../../engine/index.js'
import { findStop } from '../../../engine/insights/stopped-at.js'
import { createSession, DOOR, MOMENT, RULESET, RUNNER } from './small-ruleset.js'

const PIECES = [
  '<Event',
  '<Event>',
  '</Event>',
  '<System>',
  "Name='x'",
  '"',
  '{"Event":"',
  '"}',
  '\\',
  '&amp;',
  '&',
  '\0',
  '\n',
  'é',
  '\ud800',
  '💡',
  'lamp ',
  DOOR,
  'Nov 17 08:15:30 ',
  '2023-11-17T08:15:30.1Z ',
  '<34>',
  '[',
  ']',
]
const events = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join('')),
)

test('a run never throws, and its report can be cloned', () => {
  const session = createSession()
  fc.assert(
    fc.property(
      events,
      fc.constantFrom(...LOG_FORMATS),
      fc.constantFrom(...LOCALES),
      fc.constantFrom('stdin', '', '[001] (a) any->/x', '[', 'é'),
      (event, log_format, locale, location) => {
        const report = runLogtest(RUNNER, { event, log_format, location }, MOMENT, session, { trace: true, locale })
        assert.deepEqual(structuredClone(report), report)
        assert.equal(report.predecoded.raw_message, event)
      },
    ),
    { numRuns: 500 },
  )
})

test('an explanation never throws, and always has a reason', () => {
  const ids = [...ruleCatalog(RULESET).map(({ rule_id }) => rule_id), '100009', 'x', '', '-1', '99999999']
  fc.assert(
    fc.property(events, fc.constantFrom(...ids), fc.constantFrom(...LOCALES), (event, id, locale) => {
      const explanation = explainRule(RUNNER, RULESET, id, { event, log_format: 'auto' }, MOMENT, null, locale)
      assert.deepEqual(structuredClone(explanation), explanation)
      assert.notEqual(explanation.reason, '')
    }),
    { numRuns: 300 },
  )
})

test('the offsets where a pattern stops are inside the pattern and the text, for any pattern', () => {
  const texts = fc.array(fc.constantFrom('a', 'b', '\\', '(', ')', '|', '^', '$', '\\w+', '[', ']', '{2}', '*', '\xc3\xa9', ' '), { maxLength: 12 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(fc.constantFrom('osregex', 'osmatch', 'pcre2', 'exact'), texts, texts, (dialect, pattern, text) => {
      const stop = findStop(dialect, pattern, text)
      if (stop === null) return
      assert.ok(stop.pattern_offset >= 0 && stop.pattern_offset <= pattern.length)
      assert.ok(stop.text_offset >= 0 && stop.text_offset <= text.length)
    }),
    { numRuns: 2000 },
  )
})

test('hostile patterns and logs end', () => {
  findStop('pcre2', '(a+)+$|(a|aa)+b', 'a'.repeat(60_000))
  findStop('osregex', '\\w+a\\w+a\\w+b|\\S*x', 'a'.repeat(60_000))
  findStop('osmatch', Array.from({ length: 1000 }, (_, i) => `word${i}`).join('|'), 'word'.repeat(15_000))
})

test('only the beginning of long logs is searched, and only the first alternatives of long lists', () => {
  for (const [dialect, alternatives] of [
    ['pcre2', 32],
    ['osregex', 32],
    ['osmatch', 256],
  ] as const) {
    const near = `${'-'.repeat(2040)}failed--`
    assert.notEqual(findStop(dialect, 'failed x', near), null, dialect)
    assert.equal(findStop(dialect, 'failed x', `--------${near}`), null, dialect)
    const others = Array.from({ length: alternatives - 1 }, () => 'zz')
    assert.notEqual(findStop(dialect, [...others, 'failed x'].join('|'), 'failed'), null, dialect)
    assert.equal(findStop(dialect, [...others, 'zz', 'failed x'].join('|'), 'failed'), null, dialect)
  }
})
