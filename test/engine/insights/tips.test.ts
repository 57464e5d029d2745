import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileRuleset, EventRunner, LOCALES, runLogtest } from '../../../engine/index.js'
import type { Session } from '../../../engine/index.js'
import { TIPS } from '../../../engine/insights/index.js'
import { createSession, DOOR, FILES, MOMENT, run } from '../logtest/small-ruleset.js'

/** An event, the text of its tip, and the session that it needs. */
const TOLD: readonly (readonly [tip: string, event: string, words: RegExp, session?: () => Session])[] = [
  ['header-without-program', 'gate knobd[42]: opened by bob', /"knobd" looks like the program/],
  ['program-without-decoder', 'Nov 17 08:15:30 gate doorman[42]: opened', /"doorman".*there is none/],
  ['json-behind-header', 'Nov 17 08:15:30 gate app: {}', /JSON after a syslog header.*"app"/],
  ['iso-not-recognised', '2023-11-17T08:15:30Z gate doord[42]: opened by bob from x', /"2023-11-17T08:15:30Z".*"Z" is not known/],
  ['iso-not-recognised', '2023-11-17T08:15:30+00:00 g d: x', /at least 33 bytes, and this one has 32/],
  ['iso-cut-wrongly', '2023-11-17T08:15:30.123Z gate doord[42]: opened', /cuts logs with a timestamp like "2023-11-17T08:15:30.123Z".*column 32/],
  ['priority-prefix', '<34>Nov 17 08:15:30 gate doord[42]: opened', /begins with "<34>"/],
  ['decoder-without-child', 'Nov 17 08:15:30 gate doord[42]: shut', /"door" matched, but none of its 2 children/],
  ['regex-without-match', 'lamp level high', /"lamp" was chosen.*level, room.*up to "level "/],
  ['json-not-readable', '{ "a": broken', /found no readable object/],
  ['silenced', 'Nov 17 08:15:30 gate doord[42]: shut', /Rule 100001 has level 0/],
  ['below-alert-level', 'lamp level 9 room hall', /level 2 is below/],
  ['composite-needs-more', DOOR, /Rule 100003 counts events like this one: 2 more/, createSession],
  ['composite-needs-session', DOOR, /fires at number 3 within 60 seconds.*session_id/],
  ['description-field-absent', DOOR, /rule 100002 names fields.*: room\./],
  ['header-took-text', '2026-11-17 08:15:30,Gate opened', /first 24 bytes of this line, "2026-11-17 08:15:30,Gate"/],
  ['own-decoder', 'Nov 17 08:15:30 gate app: {"a":1}', /decoder "json" is not tried/],
  ['list-key-form', DOOR.replace('192.0.2.7', '198.51.100.9'), /has the key "198\.51\.100\.0\/24".*"198\.51\.100\."/],
  ['own-rule', 'lamp level 1 room hall', /rule 100007 comes nearest.*field "rooms", which the event does not have\. It does have "room"/],
  ['category-mismatch', 'wall x', /rule 100008 requires the decoder "wall".*<category>firewall<\/category>/],
]

for (const [tip, event, words, session] of TOLD) {
  test(`tip ${tip}: ${event.slice(0, 40)}`, () => {
    const told = run(event, { session: session?.() ?? null }).insights
    assert.ok(
      told.some((text) => words.test(text)),
      told.join('\n'),
    )
  })
}

test('every tip is produced by a test, except those of own-content.test.ts', () => {
  const told = new Set(TOLD.map(([tip]) => tip))
  assert.deepEqual(
    TIPS.map(({ id }) => id).filter((id) => !told.has(id)),
    [
      'json-array',
      'doubled-backslash',
      'field-name-near',
      'decoder-without-rule',
      'container-without-child',
      'ignore-window',
      'agent-host',
      'location-decides',
      'clock-decides',
      'composite-blocked',
      'group-member-taken',
      'counted-rule-overruled',
    ],
  )
})

test('reports a decoder that no rule uses, and a rule inside its ignore window', () => {
  const decoders = '<decoder name="lonely"><prematch>^lonely </prematch></decoder><decoder name="pn"><program_name>^pn$</program_name></decoder>'
  const rules = '<group name="x,"><rule id="100020" level="5" ignore="60"><match>^again</match><description>again</description></rule></group>'
  const ruleset = compileRuleset([
    FILES[0],
    { filename: 'd.xml', kind: 'decoders', scope: 'adhoc', content: decoders },
    { filename: 'r.xml', kind: 'rules', scope: 'adhoc', content: rules },
  ])
  assert.equal(ruleset.loads, true)
  const runner = new EventRunner(ruleset)
  const session = createSession()
  const insights = (event: string): string => runLogtest(runner, { event, log_format: 'auto' }, MOMENT, session, { trace: true, locale: 'en-US' }).insights.join('\n')
  assert.match(insights('lonely x'), /No rule requires the decoder "lonely"/)
  insights('again')
  assert.match(insights('again'), /fired less than 60 seconds ago/)
})

test('a plain success has no tip', () => {
  assert.deepEqual(run('{"a":"b"}').insights, [])
})

test('tips are in every language, and only present when a trace is requested', () => {
  const runner = run(DOOR, { trace: false })
  assert.deepEqual(runner.insights, [])
  for (const tip of TIPS) assert.deepEqual(Object.keys(tip.text).sort(), [...LOCALES].sort(), tip.id)
})
