/** State from event to event (BEHAVIOUR.md#event-memory, #accumulate). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Event } from '../../../engine/event/event.js'
import { STATIC_INDEX } from '../../../engine/event/static-fields.js'
import { compileRuleset, EventRunner, readLocation } from '../../../engine/index.js'
import type { StoredEvent } from '../../../engine/match/session.js'
import { appendGroupHistory, appendRuleHistory, createSession, KEY_LIMIT, MEMORY_SIZE, remember, rememberKey, toStoredEvent } from '../../../engine/match/session.js'

function stored(sequence: number, received = 0): StoredEvent {
  return toStoredEvent(new Event(`log ${sequence}`, received), sequence, 0)
}

test('a stored event is a copy that later changes of the event do not affect', () => {
  const event = new Event('full', 7)
  event.setLog('log')
  event.statics[STATIC_INDEX.srcip] = '192.0.2.1'
  event.addField('a', 3, 'x\ny')
  event.addField('A', 3, 'second')
  event.addField('unknown', -1, 'z')
  const kept = toStoredEvent(event, 5, 2)
  event.statics[STATIC_INDEX.srcip] = 'changed'
  event.clearFields()
  const { statics, fields, ...rest } = kept
  assert.deepEqual(rest, { sequence: 5, received: 7, agentId: '000', type: 'syslog', log: 'log', fullLog: 'full', location: '', hasDynamic: true, mark: 2 })
  assert.equal(statics[STATIC_INDEX.srcip], '192.0.2.1')
  assert.deepEqual([...fields], [[3, 'x\ny']])
})

test('an event has dynamic fields even if no rule uses them', () => {
  const event = new Event('x', 0)
  assert.equal(toStoredEvent(event, 0, 0).hasDynamic, false)
  event.addField('unknown', -1, 'z')
  assert.equal(toStoredEvent(event, 0, 0).hasDynamic, true)
})

test('a full memory drops at least ten events, then those older in seconds than the largest frequency', () => {
  const fill = (age: number): number[] => {
    const session = createSession()
    for (let i = 0; i < MEMORY_SIZE; i++) remember(session, stored(i, i < 100 ? 0 : 50), 60)
    assert.equal(session.memory.length, MEMORY_SIZE)
    remember(session, stored(MEMORY_SIZE, 55), age)
    return [session.memory.length, session.memory[0].sequence]
  }
  assert.deepEqual(fill(60), [MEMORY_SIZE - 9, 10])
  assert.deepEqual(fill(55), [MEMORY_SIZE - 9, 10])
  assert.deepEqual(fill(54), [MEMORY_SIZE - 99, 100])
})

test('dropped events disappear from all histories', () => {
  const session = createSession()
  for (let i = 0; i < MEMORY_SIZE; i++) {
    const event = stored(i)
    remember(session, event, 60)
    if (i === 3) appendRuleHistory(session, 1, event)
    if (i === 5 || i === 20) appendGroupHistory(session, 2, event, i)
    if (i === 30) appendGroupHistory(session, 3, event, 1)
    if (i === 4) appendGroupHistory(session, 4, event, 1)
  }
  remember(session, stored(MEMORY_SIZE), 60)
  const sequences = (events: readonly StoredEvent[] | undefined): number[] | undefined => events?.map(({ sequence }) => sequence)
  assert.equal(session.ruleHistory.has(1), false)
  assert.deepEqual(sequences(session.groupHistory.get(2)?.events), [20])
  assert.deepEqual(session.groupHistory.get(2)?.times, [20])
  assert.deepEqual(sequences(session.groupHistory.get(3)?.events), [30])
  assert.equal(session.groupHistory.has(4), false)
})

test('the oldest remembered keys are dropped when there are too many', () => {
  const map = new Map<string, number>()
  for (let i = 0; i < KEY_LIMIT; i++) rememberKey(map, `k${i}`, i)
  rememberKey(map, 'k0', -1)
  assert.deepEqual([map.size, map.get('k0')], [KEY_LIMIT, -1])
  rememberKey(map, 'new', 1)
  assert.deepEqual([map.size, map.has('k0'), map.has('k1'), map.has('new')], [KEY_LIMIT, false, true, true])
})

test('a session is plain data: a copy continues in the same way', () => {
  const session = createSession()
  remember(session, stored(0), 60)
  appendRuleHistory(session, 1, session.memory[0])
  const copy = structuredClone(session)
  assert.deepEqual(copy, session)
  assert.equal(copy.ruleHistory.get(1)?.[0], copy.memory[0])
})

const ACCUMULATING = `<decoder name="json"><prematch>^{</prematch><plugin_decoder>JSON_Decoder</plugin_decoder><accumulate /></decoder>
<decoder name="p"><program_name>^p</program_name></decoder>`

/** Returns the static fields of each event, in one session. */
function accumulated(steps: readonly (readonly [fields: Record<string, string>, seconds: number])[]): Record<string, string | undefined>[] {
  const ruleset = compileRuleset([
    { filename: 'd.xml', kind: 'decoders', scope: 'adhoc', content: ACCUMULATING },
    {
      filename: 'r.xml',
      kind: 'rules',
      scope: 'adhoc',
      content: '<group name="g"><rule id="1" level="0" noalert="1"><category>syslog</category><description>t</description></rule></group>',
    },
  ])
  assert.equal(ruleset.loads, true)
  const runner = new EventRunner(ruleset)
  const session = createSession()
  const origin = readLocation('x')
  assert.ok(origin !== null)
  return steps.map(([fields, seconds]) => {
    const { event } = runner.run(JSON.stringify(fields), origin, { seconds, local: () => ({ timeOfDay: '00:00', weekday: 0 }) }, session)
    return { srcip: event.statics[STATIC_INDEX.srcip], user: event.statics[STATIC_INDEX.dstuser], url: event.statics[STATIC_INDEX.url] }
  })
}

test('accumulate adds only fields of earlier events with the same id', () => {
  const [, second, third, other] = accumulated([
    [{ id: '1', srcip: 'a', url: '/x' }, 0],
    [{ id: '1', dstuser: 'bob', srcip: '' }, 10],
    [{ id: '1', srcip: 'b' }, 20],
    [{ id: '2' }, 20],
  ])
  assert.deepEqual(second, { srcip: 'a', user: 'bob', url: undefined })
  assert.deepEqual(third, { srcip: 'b', user: 'bob', url: undefined })
  assert.deepEqual(other, { srcip: undefined, user: undefined, url: undefined })
})

test('an entry is kept for 120 seconds after its last use, with its first values', () => {
  const results = accumulated([
    [{ id: '1', srcip: 'a' }, 0],
    [{ id: '1', srcip: 'b' }, 120],
    [{ id: '1' }, 240],
    [{ id: '1' }, 361],
  ])
  assert.deepEqual(
    results.map(({ srcip }) => srcip),
    ['a', 'b', 'a', undefined],
  )
})

test('values over 80 bytes, and events without an id, are not accumulated', () => {
  const run = (length: number): string | undefined =>
    accumulated([
      [{ id: '1', srcip: 'x'.repeat(length) }, 0],
      [{ id: '1' }, 0],
    ])[1].srcip
  assert.equal(run(80), 'x'.repeat(80))
  assert.equal(run(81), undefined)
  assert.equal(
    accumulated([
      [{ srcip: 'a' }, 0],
      [{ srcip: '' }, 0],
    ])[1].srcip,
    '',
  )
})

test('events whose host, decoder and id are over 255 bytes are not accumulated', () => {
  const run = (length: number): string | undefined =>
    accumulated([
      [{ id: '1'.repeat(length), srcip: 'a' }, 0],
      [{ id: '1'.repeat(length) }, 0],
    ])[1].srcip
  const longest = 255 - 'manager json '.length
  assert.deepEqual([run(longest), run(longest + 1)], ['a', undefined])
})
