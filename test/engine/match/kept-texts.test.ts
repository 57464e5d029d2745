/** What is remembered of an event, such as a name or a key, does not keep the whole event in memory. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { compileRuleset, createSession, EventRunner, JsonWriter, runUnwritten, writeReport } from '#engine'

const EVENTS = 400
const MEGABYTE = 1024 * 1024
/** All events together take seven times as much. Each program name has lists of decoders and rules of its own. */
const LIMIT_BYTES = 3 * MEGABYTE
const PADDING = 'x'.repeat((20 * MEGABYTE) / EVENTS)
const MOMENT = { seconds: 0, local: () => ({ timeOfDay: '00:00', weekday: 0 }) }

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const DECODERS = `<decoder name="json"><prematch>^{</prematch><plugin_decoder>JSON_Decoder</plugin_decoder></decoder>
<decoder name="login"><prematch>^login </prematch><regex offset="after_prematch">^(\\S+) (\\S+) (\\S+)</regex><order>id, user, extra_data</order><fts>name, user</fts><accumulate/></decoder>
<decoder name="any"><program_name>\\.</program_name></decoder>`
const RULES = `<group name="g"><rule id="1" level="0" noalert="1"><category>syslog</category><description>top</description></rule>
<rule id="2" level="0"><if_sid>1</if_sid><decoded_as>login</decoded_as><if_fts/><description>new</description></rule>
<rule id="3" level="0"><if_sid>1</if_sid><check_diff/><program_name>^none</program_name><description>changed</description></rule></group>`

/** Returns how many bytes are kept after events, of which each has another name of some length. */
function keptAfter(eventOf: (name: string) => string, withSession: boolean): number {
  const ruleset = compileRuleset([
    { filename: 'd.xml', kind: 'decoders', scope: 'adhoc', content: DECODERS },
    { filename: 'r.xml', kind: 'rules', scope: 'adhoc', content: RULES },
  ])
  assert.equal(ruleset.loads, true, JSON.stringify(ruleset.loadDiagnostics))
  const runner = new EventRunner(ruleset)
  const session = withSession ? createSession() : null
  const writer = new JsonWriter(4 * PADDING.length)
  const run = (index: number): void => {
    // A text of its own, as one that was received.
    const event = Buffer.from(eventOf(`a-name-of-some-length-${index}`)).toString()
    const one = runUnwritten(runner, { event, log_format: 'syslog' }, MOMENT, session, { trace: false, locale: 'en-US' })
    writer.clear()
    writeReport(writer, one, one, null)
  }
  for (let index = 0; index < 10; index++) run(index)
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let index = 10; index < EVENTS; index++) run(index)
  collectGarbage()
  assert.ok(runner.ruleset === ruleset && (session === null || session.seen.size + session.accumulated.size > 0))
  return process.memoryUsage().heapUsed - before
}

test('names of JSON members', () => {
  assert.ok(keptAfter((name) => `{"${name}":"1","outer":{"${name}":"2"},"padding":"${PADDING}"}`, false) < LIMIT_BYTES)
})

test('program names', () => {
  assert.ok(keptAfter((name) => `Jan  1 00:00:00 host ${name}[1]: ${PADDING}`, false) < LIMIT_BYTES)
})

test('keys of a session: first time seen, and accumulated fields', () => {
  assert.ok(keptAfter((name) => `login id-${name} user-${name} value-${name} ${PADDING}`, true) < LIMIT_BYTES)
})
