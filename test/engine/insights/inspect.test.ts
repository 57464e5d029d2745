import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect, nearMisses } from '../../../engine/index.js'
import type { InspectedTarget, Inspection, Session } from '../../../engine/index.js'
import { createSession, DOOR, MOMENT, RUNNER, run } from '../logtest/small-ruleset.js'

const HEADER = 'Nov 17 08:15:30 gate doord[42]: '

function inspectItem(target: InspectedTarget, event: string, session: Session | null = null): Inspection {
  return inspect(RUNNER, target, { event, log_format: 'auto' }, MOMENT, session)
}

/** Each rule or decoder with its state, and the states of its conditions. */
function statesOf({ path }: Inspection): readonly string[] {
  return path.map(({ name, state, conditions }) => `${name} ${state}: ${conditions.map((condition) => `${condition.tag} ${condition.state}`).join(', ')}`)
}

test('the conditions of a rule are listed from the top down, with the first that fails', () => {
  assert.deepEqual(statesOf(inspectItem({ kind: 'rule', id: '100004' }, DOOR)), [
    '1 met: category met',
    '100001 met: decoded_as met',
    '100002 met: match met',
    '100004 failed: list failed',
  ])
  assert.deepEqual(statesOf(inspectItem({ kind: 'rule', id: '100004' }, `${HEADER}opener`)), [
    '1 met: category met',
    '100001 met: decoded_as met',
    '100002 failed: match failed',
    '100004 skipped: list skipped',
  ])
})

test('a pattern has the part that matched, or the place where it stopped', () => {
  const [, , met] = inspectItem({ kind: 'rule', id: '100002' }, DOOR).path
  assert.deepEqual(met.conditions[0].match, { from: 0, to: 6 })
  const [, , failed] = inspectItem({ kind: 'rule', id: '100002' }, `${HEADER}opener`).path
  assert.deepEqual(failed.conditions[0].stopped_at, { pattern_offset: 6, text_offset: 5, matched_part: 'opene', expected: 'd' })
  const [, negated] = inspectItem({ kind: 'rule', id: '100010' }, '{"a":"secret"}').path
  assert.deepEqual([negated.conditions[1].state, negated.conditions[1].match], ['failed', { from: 6, to: 12 }])
})

test('a rule that counts has what it found, and the session stays as it was', () => {
  const session = createSession()
  run(DOOR, { session })
  const { path } = inspectItem({ kind: 'rule', id: '100003' }, DOOR, session)
  assert.deepEqual(path.at(-1)?.conditions.at(-1)?.events, { counted: 1, needed: 2, timeframe: 60 })
  assert.equal(session.memory.length, 1)
})

test('an absent field, and a rule that is not loaded', () => {
  const condition = inspectItem({ kind: 'rule', id: '100007' }, 'lamp level 1 room x').path.at(-1)?.conditions[0]
  assert.deepEqual([condition?.field, condition?.text, condition?.is_absent], ['rooms', null, true])
  assert.deepEqual(inspectItem({ kind: 'rule', id: '100009' }, DOOR).path, [])
  assert.deepEqual(inspectItem({ kind: 'decoder', name: 'nowhere' }, DOOR).path, [])
})

test('the conditions of a decoder are those of its root, and its own', () => {
  const decoder = (name: string, event: string): readonly string[] => statesOf(inspectItem({ kind: 'decoder', name }, event))
  assert.deepEqual(decoder('door-open', DOOR), ['door met: program_name met', 'door-open met: prematch met, regex met', 'door-open met: regex met'])
  assert.deepEqual(decoder('door-open', `${HEADER}opener`), ['door met: program_name met', 'door-open failed: prematch failed, regex skipped', 'door-open skipped: regex skipped'])
  assert.deepEqual(decoder('door', 'Nov 17 08:15:30 gate lampd[42]: x'), ['door failed: program_name failed'])
  // An event with a program is tried only against decoders with program_name, and the other way round.
  assert.deepEqual(decoder('lamp', DOOR), ['lamp failed: program_name failed, prematch skipped, regex skipped'])
  assert.deepEqual(decoder('door', 'lamp level 1 room x'), ['door failed: program_name failed'])
})

test('near misses are rules and decoders of which a part holds', () => {
  const near = nearMisses(RUNNER, { event: `${HEADER}opener`, log_format: 'auto' }, MOMENT, null)
  assert.deepEqual(
    near.map(({ kind, name, matched_part: part }) => [kind, name, part]),
    [
      ['rule', '100002', 'opene'],
      ['decoder', 'door-open', 'opene'],
    ],
  )
})
