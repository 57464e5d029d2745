/** First time seen (BEHAVIOUR.md#first-time-seen). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '../../../engine/event/event.js'
import type { Session } from '../../../engine/index.js'
import { compileRuleset, createSession, EventRunner, readLocation } from '../../../engine/index.js'
import { isFirstTimeSeen } from '../../../engine/match/fts.js'

function decoder(fts: string, type = 'syslog'): string {
  return `<decoder name="login"><prematch>^login </prematch><type>${type}</type><regex offset="after_prematch">^(\\S+) (\\S+) (\\S+) (\\S+)</regex><order>Room, user, srcip, extra_data</order>${fts}</decoder>`
}

/** Returns the decoded event of each text. */
function decode(decoders: string, texts: readonly string[], location = 'stdin'): Event[] {
  const ruleset = compileRuleset([
    { filename: 'd.xml', kind: 'decoders', scope: 'adhoc', content: `${decoders}<decoder name="p"><program_name>^p</program_name></decoder>` },
    {
      filename: 'r.xml',
      kind: 'rules',
      scope: 'adhoc',
      content: '<group name="g"><rule id="1" level="0" noalert="1"><category>syslog</category><description>t</description></rule></group>',
    },
  ])
  assert.equal(ruleset.loads, true, JSON.stringify(ruleset.loadDiagnostics.map(({ code }) => code)))
  const runner = new EventRunner(ruleset)
  const origin = readLocation(location)
  assert.ok(origin !== null)
  return texts.map((text) => runner.run(text, origin, { seconds: 0, local: () => ({ timeOfDay: '00:00', weekday: 0 }) }, null).event)
}

const seen = (events: readonly Event[], session: Session | null): boolean[] => events.map((event) => isFirstTimeSeen(event, session))
const keys = (fts: string, text: string, location?: string): string[] => {
  const session = createSession()
  seen(decode(decoder(fts), [text], location), session)
  return [...session.seen]
}

test('a key is new once, and contains the fields that fts names', () => {
  const events = decode(decoder('<fts>name, user, location</fts>'), ['login hall bob 10.0.0.1 x', 'login hall bob 10.0.0.2 x', 'login hall eve 10.0.0.1 x'])
  const session = createSession()
  assert.deepEqual(seen(events, session), [true, false, true])
  assert.deepEqual(seen(events, session), [false, false, false])
})

test('the key has the name and eight places, empty if not requested, then the dynamic words in any case', () => {
  const text = 'login Hall bob 10.0.0.1 more'
  assert.deepEqual(keys('<fts>name</fts>', text), [`login${' '.repeat(8)}`])
  assert.deepEqual(keys('<fts>srcip, dstuser</fts>', text), ['login  bob  10.0.0.1    '])
  assert.deepEqual(keys('<fts>location</fts>', text, '/var/log/x'), ['login        /var/log/x'])
  assert.deepEqual(keys('<fts>room</fts>', text), [`login${' '.repeat(8)} Hall`])
})

test('a word that is named twice is in the key once', () => {
  assert.deepEqual(keys('<fts>room, ROOM</fts><fts>room</fts>', 'login hall bob 10.0.0.1 x'), [`login${' '.repeat(8)} hall`])
})

test('extra_data sets the flag of data, which the event does not have', () => {
  assert.deepEqual(keys('<fts>extra_data</fts>', 'login hall bob 10.0.0.1 more'), [`login${' '.repeat(8)}`])
})

test('the key is cut to 255 bytes', () => {
  const long = 'x'.repeat(300)
  assert.equal(keys('<fts>user</fts>', `login hall ${long} 10.0.0.1 x`)[0].length, 255)
  assert.deepEqual(seen(decode(decoder('<fts>user</fts>'), [`login hall ${long}a 10.0.0.1 x`, `login hall ${long}b 10.0.0.1 x`]), createSession()), [true, false])
})

test('the key is cut to 256 bytes where it has dynamic fields', () => {
  // The name and eight places, then a blank and the field.
  const head = 256 - 'login'.length - 8 - 1
  const rooms = (length: number): string[] => ['a', 'b'].map((end) => `login ${'x'.repeat(length - 1)}${end} bob 10.0.0.1 x`)
  assert.deepEqual(seen(decode(decoder('<fts>room</fts>'), rooms(head)), createSession()), [true, true])
  assert.deepEqual(seen(decode(decoder('<fts>room</fts>'), rooms(head + 1)), createSession()), [true, false])
})

test('without fts nothing is new; without a session everything is', () => {
  const text = 'login hall bob 10.0.0.1 x'
  assert.deepEqual(seen(decode(decoder(''), [text, 'other']), createSession()), [false, false])
  assert.deepEqual(seen(decode(decoder('<fts>user</fts>'), [text, text]), null), [true, true])
})

const IDS = ['a', 'b', 'c', 'd', 'e', 'f'].map((end) => `login hall longusername-${end} 10.0.0.1 x`)

test('for type ids, keys with the same beginning count as one from the fifth on', () => {
  assert.deepEqual(seen(decode(decoder('<fts>user</fts>', 'ids'), IDS), createSession()), [true, true, true, true, false, false])
  assert.deepEqual(seen(decode(decoder('<fts>user</fts>'), IDS), createSession()), [true, true, true, true, true, true])
})

test('keys that share only fourteen bytes do not have the same beginning', () => {
  // "login " and seven more.
  const texts = ['a', 'b', 'c', 'd', 'e', 'f'].map((end) => `login hall sharing${end} 10.0.0.1 x`)
  assert.deepEqual(seen(decode(decoder('<fts>user</fts>', 'ids'), texts), createSession()), [true, true, true, true, true, true])
  const longer = texts.map((text) => text.replace('sharing', 'sharings'))
  assert.deepEqual(seen(decode(decoder('<fts>user</fts>', 'ids'), longer), createSession()), [true, true, true, true, false, false])
})

test('only the last 32 ids keys are compared', () => {
  const session = createSession()
  const others = Array.from({ length: 32 }, (_, i) => `login hall ${String.fromCharCode(65 + (i % 26))}${i}-other-user-name 10.0.0.1 x`)
  const before = seen(decode(decoder('<fts>user</fts>', 'ids'), IDS.slice(0, 3)), session)
  seen(decode(decoder('<fts>user</fts>', 'ids'), others), session)
  assert.deepEqual(before, [true, true, true])
  assert.equal(session.idsKeys.length, 32)
  assert.deepEqual(seen(decode(decoder('<fts>user</fts>', 'ids'), IDS.slice(3)), session), [true, true, true])
})
