/** What a PCRE2 match captured is kept until a decoder takes it, also from one event to the next (BEHAVIOUR.md#captures-kept-between-searches). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deserialize, serialize } from 'node:v8'
import type { LogtestReport, Session } from '../../../engine/index.js'
import { compileLayer, compileRuleset, createSession, EventRunner, runLogtest, type SourceFile } from '../../../engine/index.js'
import { writtenReport } from '../../support/written-report.js'

const MOMENT = { seconds: 0, local: () => ({ timeOfDay: '12:00', weekday: 1 }) }
const syslog = (log: string): string => `Jan  5 10:11:12 store1 ${log}`

const DECODERS = `<decoder name="quay"><program_name>^quay</program_name></decoder>
<decoder name="quay-box"><parent>quay</parent><regex type="pcre2">[a-z]+</regex><order>box, weight</order></decoder>
<decoder name="crane"><program_name type="pcre2">^crane(\\d)</program_name><prematch type="pcre2">^lift </prematch></decoder>
<decoder name="gate"><prematch type="pcre2">^gate (\\w+) (\\w+)</prematch></decoder>
<decoder name="belt"><prematch>^belt </prematch></decoder>
<decoder name="van"><program_name>^van</program_name><prematch>^loaded</prematch></decoder>
<decoder name="wall"><program_name>^wall</program_name><plugin_decoder>SonicWall_Decoder</plugin_decoder></decoder>`
const RULES = '<group name="g,"><rule id="1" level="0" noalert="1"><category>syslog</category><description>t</description></rule></group>'

const fileOf = (kind: SourceFile['kind'], content: string): SourceFile => ({ kind, scope: 'custom', filename: `${kind}.xml`, content })

/** Decoders of the two lists of roots, and whether plain roots begin with an OSRegex. */
function runnerOf(decoders = DECODERS): EventRunner {
  const ruleset = compileRuleset([fileOf('decoders', decoders), fileOf('rules', RULES)])
  assert.equal(ruleset.loads, true)
  return new EventRunner(ruleset)
}

type Way = (runner: EventRunner, event: string, session: Session | null) => Pick<LogtestReport, 'extracted_fields' | 'diagnostics'>

const asObject =
  (trace: boolean): Way =>
  (runner, event, session) =>
    runLogtest(runner, { event, log_format: 'syslog' }, MOMENT, session, { trace, locale: 'en-US' })

const asLine: Way = (runner, event, session) => {
  const { run, json } = writtenReport(JSON.stringify(event), runner, { event, log_format: 'syslog' }, MOMENT, session, { trace: false, locale: 'en-US' })
  return { ...(JSON.parse(json) as LogtestReport), diagnostics: run.diagnostics }
}

/** Each event with its fields and the codes of its run, which must be the same in every way. */
function inSession(events: readonly string[], runner = runnerOf()): unknown[] {
  const results = [asObject(false), asObject(true), asLine].map((way) => {
    let session = createSession()
    return events.map((event) => {
      const { extracted_fields, diagnostics } = way(runner, event, session)
      session = deserialize(serialize(session)) as Session
      return [extracted_fields, diagnostics.map(({ code }) => code)]
    })
  })
  for (const other of results.slice(1)) assert.deepEqual(other, results[0])
  return results[0]
}

const NOTHING = [{}, []]
const FOREIGN = 'captures_of_earlier_event'

test('a regex without groups takes the groups of an earlier event, once', () => {
  assert.deepEqual(inSession(['gate north open', syslog('quay: full'), syslog('quay: full')]), [NOTHING, [{ box: 'north', weight: 'open' }, [FOREIGN]], NOTHING])
  assert.deepEqual(inSession([syslog('crane7: idle'), syslog('quay: full')]), [NOTHING, [{ box: '7' }, [FOREIGN]]], 'also if no decoder is reported')
})

test('on the first event of a session Wazuh crashes', () => {
  assert.deepEqual(inSession([syslog('quay: full'), 'gate north open', syslog('quay: full')]), [[{}, ['wazuh_crash']], NOTHING, [{ box: 'north', weight: 'open' }, [FOREIGN]]])
  const [alone] = runLogtest(runnerOf(), { event: syslog('quay: full'), log_format: 'syslog' }, MOMENT, null, { trace: false, locale: 'en-US' }).diagnostics
  assert.equal(alone.code, 'wazuh_crash')
})

test('what another event leaves is named with its fields, in both languages, at the regex', () => {
  for (const locale of ['en-US', 'pt-BR'] as const) {
    const session = createSession()
    const runner = runnerOf()
    const run = (event: string): LogtestReport => runLogtest(runner, { event, log_format: 'syslog' }, MOMENT, session, { trace: false, locale })
    run('gate north open')
    const [{ message, severity, line, evidence }] = run(syslog('quay: full')).diagnostics
    assert.deepEqual([severity, line, evidence], ['warning', 2, '<regex type="pcre2">[a-z]+</regex>'])
    assert.ok(message.includes('"quay-box"') && message.includes('box, weight'), message)
  }
})

test('an OSRegex that runs in between clears the groups, whether or not it matches', () => {
  // The roots without a program name are tried in order: that of "belt" is behind that of "gate".
  assert.deepEqual(inSession(['gate north open', 'belt 4', syslog('quay: full')]).at(-1), NOTHING)
  assert.deepEqual(inSession(['gate north open', 'nothing known', syslog('quay: full')]).at(-1), NOTHING)
  assert.deepEqual(inSession(['gate north open', 'gate south shut', syslog('quay: full')]).at(-1), [{ box: 'south', weight: 'shut' }, [FOREIGN]])
  assert.deepEqual(inSession(['gate north open', syslog('van: empty'), syslog('quay: full')]).at(-1), NOTHING, 'the prematch of a program that is found')
  assert.deepEqual(inSession(['gate north open', syslog('boat: empty'), syslog('quay: full')]).at(-1), [{ box: 'north', weight: 'open' }, [FOREIGN]], 'only names are compared')
  assert.deepEqual(inSession(['gate north open', syslog('wall: x'), syslog('quay: full')]).at(-1), NOTHING, 'the plugin runs one')
})

test('a layer continues with what an event of its base left', () => {
  const base = compileRuleset([fileOf('decoders', DECODERS), fileOf('rules', RULES)])
  const more = '<decoder name="dock"><program_name>^dock</program_name><regex type="pcre2">\\d+</regex><order>berth</order></decoder>'
  const layer = compileLayer(base, [{ ...fileOf('decoders', more), filename: 'more.xml' }])
  assert.deepEqual(inSession(['gate north open', syslog('dock: 3')], new EventRunner(layer)).at(-1), [{ berth: 'north' }, [FOREIGN]])
})

test('the event of a regex without groups takes those of its own prematch first, without a word', () => {
  const own = `${DECODERS}<decoder name="mast"><program_name>^mast</program_name><prematch type="pcre2">^(\\w+)</prematch><regex type="pcre2">\\d+</regex><order>height</order></decoder>`
  assert.deepEqual(inSession(['gate north open', syslog('mast: fore 12')], runnerOf(own)).at(-1), [{ height: 'fore' }, []])
})
