import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileLayer, compileRuleset, EventRunner, explainRule } from '../../../engine/index.js'
import type { Explanation, Session } from '../../../engine/index.js'
import { splitPcre2 } from '../../../engine/insights/pcre2-pieces.js'
import { findStop } from '../../../engine/insights/stopped-at.js'
import { createSession, DOOR, FILES, MOMENT, RULESET, RUNNER, run } from '../logtest/small-ruleset.js'

function explain(id: string, event: string, session: Session | null = null, location?: string): Explanation {
  return explainRule(RUNNER, RULESET, id, { event, log_format: 'auto', ...(location === undefined ? {} : { location }) }, MOMENT, session, 'en-US')
}

test('explains the final rule, a rule that its child overrules, and a container', () => {
  assert.deepEqual([explain('100002', DOOR).final, explain('100002', DOOR).matched], [true, true])
  const parent = explain('100001', DOOR)
  assert.deepEqual([parent.matched, parent.final, parent.won_instead?.rule_id], [true, false, '100002'])
  assert.match(explain('100006', 'lamp level 1 room x').reason, /only a container/)
})

test('reports the condition that decided, and where its pattern stopped', () => {
  const { failed_condition: failed, path, reason } = explain('100002', 'Nov 17 08:15:30 gate doord[42]: opener')
  assert.deepEqual(failed, {
    rule_id: '100002',
    tag: 'match',
    field: null,
    pattern: '^opened',
    negate: false,
    text: 'opener',
    stopped_at: { pattern_offset: 6, text_offset: 5, matched_part: 'opene', expected: 'd' },
  })
  assert.deepEqual(path, [
    { rule_id: '1', matched: true },
    { rule_id: '100001', matched: true },
    { rule_id: '100002', matched: false },
  ])
  assert.match(reason, /up to "opene" \(character 5\); then "d" does not fit/)
})

test('names an ancestor that fails', () => {
  const { failed_condition: failed, reason, nearest_decoder: nearest } = explain('100004', 'Nov 17 08:15:30 gate doorman[42]: opened')
  assert.equal(failed?.rule_id, '100001')
  assert.equal(failed?.tag, 'decoded_as')
  assert.match(reason, /fails at its ancestor 100001.*decoder "door"/)
  // OSMatch has no end anchor here, so doorman needs no other program.
  assert.equal(nearest?.name, 'door')
  assert.match(nearest?.failed_at ?? '', /program_name "\^doord": the program is "doorman"/)
})

test('reports absent fields, lists, histories and categories', () => {
  assert.match(explain('100007', 'lamp level 1 room x').reason, /"rooms", which the event does not have/)
  assert.match(explain('100004', DOOR).reason, /look-up of srcip "192.0.2.7" in the list etc\/lists\/bad fails/)
  const session = createSession()
  run(DOOR, { session })
  assert.match(explain('100003', DOOR, session).reason, /needs 2 earlier events within 60 seconds, and found 1/)
  assert.match(explain('100008', 'wall x').reason, /category "syslog".*type "firewall"/)
  assert.match(explain('100010', '{"a":"secret"}').reason, /negate="yes".*matches/)
})

test('explaining does not change a session', () => {
  const session = createSession()
  for (let i = 0; i < 5; i++) explain('100003', DOOR, session)
  assert.equal(session.memory.length, 0)
  assert.equal(run(DOOR, { session }).rule?.firedtimes, 1)
})

test('names the sibling that matched first', () => {
  const rules =
    '<group name="x,"><rule id="100031" level="3"><match>a</match><description>low</description></rule><rule id="100032" level="9"><match>b</match><description>high</description></rule></group>'
  const ruleset = compileRuleset([FILES[0], FILES[1], { filename: 'r.xml', kind: 'rules', scope: 'adhoc', content: rules }])
  const runner = new EventRunner(ruleset)
  const { won_instead: won, reason } = explainRule(runner, ruleset, '100031', { event: 'a b', log_format: 'auto' }, MOMENT, null, 'en-US')
  assert.deepEqual(won, { rule_id: '100032', level: 9, description: 'high' })
  assert.match(reason, /rule 100032 \(level 9\) is before it/)
})

test('reports why a rule is not loaded', () => {
  const lost = explain('100009', DOOR)
  assert.equal(lost.exists, false)
  assert.match(lost.reason, /Rule 100009 is not loaded\. .*100999/)
  assert.match(explain('200001', DOOR).reason, /no file defines one/)
  assert.match(explain('100012', DOOR).reason, /There is a rule 100002|There is a rule 10001/)
  assert.match(explain('100002', DOOR, null, '[x').reason, /not valid/)
})

test('reports where patterns stop, in each dialect', () => {
  const stop = (dialect: Parameters<typeof findStop>[0], pattern: string, text: string) => {
    const found = findStop(dialect, pattern, text)
    return found === null ? null : [found.matched_part, found.expected, found.text_offset]
  }
  assert.deepEqual(stop('osregex', '^Failed \\S+ for root$', 'Failed password for bob'), ['Failed password for ', 'root$', 20])
  assert.deepEqual(stop('osregex', 'user (\\w+) from (\\d+)', 'login user bob at 12'), ['user bob ', 'from (\\d+)', 15])
  assert.deepEqual(stop('osregex', 'abc|login user x', 'login user bob'), ['login user ', 'x', 11])
  assert.deepEqual(stop('osmatch', '^abc|session opened', 'a session closed'), ['session ', 'opened', 10])
  assert.deepEqual(stop('osmatch', '^abc$', 'abcd'), ['abc', '$', 3])
  assert.deepEqual(stop('pcre2', '(?i)^error (\\d+): (foo|bar)$', 'ERROR 17: baz'), ['ERROR 17: ', '(foo|bar)$', 10])
  assert.deepEqual(stop('pcre2', 'x\\d{3}y', 'ax123z'), ['x123', 'y', 5])
  assert.deepEqual(stop('exact', 'deny', 'denied'), ['den', 'y', 3])
  assert.deepEqual(stop('osregex', 'é \\d', 'é x'), null)
  assert.equal(stop('pcre2', 'zzz', 'nothing of it'), null)
})

test('a PCRE2 pattern is split into parts that compile', () => {
  assert.deepEqual(
    splitPcre2('(?i)^a+\\d{2,}?[]|x](b|c)*|\\Qq|\\Ez').map(({ options, texts }) => [options, ...texts]),
    [
      ['(?i)', '^', 'a+', '\\d{2,}?', '[]|x]', '(b|c)*'],
      ['(?i)', '\\Qq|\\E', 'z'],
    ],
  )
})

test('explains a rule of the base with the content of the layer too', () => {
  const content = '<group name="z,"><rule id="100031" level="9"><decoded_as>lamp</decoded_as><description>lamp first</description></rule></group>'
  const layer = compileLayer(RULESET, [{ kind: 'rules', scope: 'adhoc', filename: 'zz.xml', content }])
  const { reason, won_instead } = explainRule(new EventRunner(layer), layer, '100005', { event: 'lamp level 9 room x', log_format: 'auto' }, MOMENT, null, 'en-US')
  assert.deepEqual([won_instead?.rule_id, reason.includes('rule 100031 (level 9) is before it')], ['100031', true])
})

test('accepts either rule of a top-level id that is used twice', () => {
  const content = '<group name="z,"><rule id="1" level="3" overwrite="yes"><match>never seen</match><description>second</description></rule></group>'
  const layer = compileLayer(RULESET, [{ kind: 'rules', scope: 'adhoc', filename: 'zz.xml', content }])
  const { matched, final } = explainRule(new EventRunner(layer), layer, '1', { event: DOOR, log_format: 'auto' }, MOMENT, null, 'en-US')
  assert.deepEqual([matched, final], [true, false])
})
