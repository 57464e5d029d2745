/** Two phases of a replay answer each event as one session in one thread does. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Event } from '../../../engine/event/event.js'
import { compileRuleset, createSession, EventRunner, type Moment, type Outcome, readLocation, type Session, type SourceFile } from '../../../engine/index.js'
import { utcMoment } from '../../../engine/logtest/virtual-clock.js'
import { MEMORY_SIZE, type StoredEvent } from '../../../engine/match/session.js'
import { FirstPhase } from '../../../engine/replay/first-phase.js'
import { inheritsCaptures } from '../../../engine/replay/inherits-captures.js'
import { SecondPhase } from '../../../engine/replay/second-phase.js'
import { type StoredForm, StoredForms } from '../../../engine/replay/stored-form.js'
import { EVENTS, FOUNDATION, randomFile } from '../../support/rulesets.js'

interface Sent {
  readonly text: string
  readonly location: string
  /** Seconds since the event before. */
  readonly gap: number
}

/** What reads history in each way that there is. */
const HISTORY: readonly string[] = [
  '<rule id="301" level="4"><if_sid>100</if_sid><match>Accepted</match><check_diff /><description>differs</description></rule>',
  '<rule id="302" level="6"><if_sid>100</if_sid><if_fts /><description>new</description></rule>',
  '<rule id="303" level="9" frequency="3" timeframe="30"><if_matched_regex>root|disk</if_matched_regex><description>memory</description></rule>',
  '<rule id="304" level="7" frequency="2" timeframe="90"><if_matched_group>base</if_matched_group><different_srcip /><description>group</description></rule>',
  '<rule id="305" level="5" frequency="3" timeframe="90"><if_matched_sid>103</if_matched_sid><global_frequency /><description>all agents</description></rule>',
  '<rule id="307" level="3"><decoded_as>acc</decoded_as><description>acc</description></rule>',
  '<rule id="306" level="5"><if_sid>307</if_sid><dstip>192.0.2.20</dstip><description>accumulated</description></rule>',
  '<rule id="308" level="8" ignore="20"><if_sid>103</if_sid><match>disk</match><description>seldom</description></rule>',
  '<rule id="309" level="8" frequency="2" timeframe="60"><if_matched_sid>307</if_matched_sid><same_field>alpha</same_field><description>same</description></rule>',
]

const DECODERS: SourceFile = {
  kind: 'decoders',
  scope: 'adhoc',
  filename: 'history.xml',
  content: `<decoder name="acc"><prematch>^acc </prematch></decoder>
<decoder name="acc"><parent>acc</parent><accumulate /><regex>id=(\\d+) to=(\\S+)</regex><order>id, dstip</order></decoder>
<decoder name="seen"><parent>sshd</parent><prematch>^Accepted </prematch><regex offset="after_prematch">^(\\S+) for (\\S+)</regex><order>method, dstuser</order><fts>name, user, location</fts></decoder>
<decoder name="pcre"><prematch type="pcre2">^disk (\\w+)</prematch></decoder><decoder name="pcre-a"><parent>pcre</parent><regex type="pcre2">x=(\\d)</regex><order>alpha</order></decoder>`,
}

const TEXTS = [
  ...EVENTS,
  'acc id=1 to=192.0.2.20',
  'acc id=1',
  'acc id=2 to=192.0.2.21',
  'disk full x=1',
  'disk error x=2',
  'take error',
  'Jan  5 10:11:15 web1 named[1]: x',
  'Jan  5 10:11:15 web1 sshd[12]: Accepted password for bob',
]
const SENT: fc.Arbitrary<Sent> = fc.record({
  text: fc.constantFrom(...TEXTS),
  location: fc.constantFrom('stdin', '/var/log/auth.log', '[001] (web1) any->/var/log/auth.log', '[002] (web2) any->x'),
  gap: fc.constantFrom(0, 0, 1, 7, 40),
})

function compile(files: readonly SourceFile[]): EventRunner | null {
  const ruleset = compileRuleset([...FOUNDATION, ...files])
  return ruleset.loads ? new EventRunner(ruleset) : null
}

function ruleFile(rules: readonly string[]): SourceFile {
  return { kind: 'rules', scope: 'adhoc', filename: 'zz-history.xml', content: `<group name="base,">${rules.join('\n')}</group>` }
}

/** Decoders before any that forgets what was captured. */
const INHERITING: SourceFile = {
  kind: 'decoders',
  scope: 'adhoc',
  filename: '0000-inherit.xml',
  content: `<decoder name="leave"><prematch type="pcre2">^(no|kv) (\\w+)</prematch></decoder>
<decoder name="take"><prematch type="pcre2">^take</prematch></decoder>
<decoder name="take-a"><parent>take</parent><regex type="pcre2">t(h)?a</regex><order>alpha, srcip</order></decoder>
<decoder name="named"><program_name type="pcre2">^named</program_name></decoder>
<decoder name="named-a"><parent>named</parent><regex type="pcre2">x</regex><order>alpha</order></decoder>`,
}

const told = ({ rule, firedTimes, alert, previous, previousLog, description, event }: Outcome): unknown => ({
  rule: rule?.id,
  firedTimes,
  alert,
  previous,
  previousLog,
  description,
  fields: fieldsOf(event),
})
const fieldsOf = ({ decoder, statics, names, values }: Event): unknown => [decoder?.name, statics, names, values]

/** Which events the memory and the histories have, with their marks. */
function places({ memory, ruleHistory, groupHistory }: Session): unknown {
  const place = ({ sequence, mark }: StoredEvent): string => `${sequence} ${mark}`
  return [
    memory.map(({ sequence }) => sequence),
    [...ruleHistory].map(([index, events]) => [index, events.map(place)]),
    [...groupHistory].map(([index, { events, times }]) => [index, events.map(place), times]),
  ]
}

/** Runs the events both ways, and compares each answer and the state at the end. @returns how many events the second phase ran, and how many took captures of others */
function compare(runner: EventRunner, files: readonly SourceFile[], sent: readonly Sent[]): { readonly marked: number; readonly took: number } {
  const session = createSession()
  const seconds = createSession()
  const other = compile(files)
  assert.ok(other !== null)
  const first = new FirstPhase(other)
  const forms = new StoredForms(other.ruleset)
  const second = new SecondPhase(new EventRunner(runner.ruleset), seconds)
  let clock = 1_700_000_000
  let marked = 0
  let took = 0
  // All of the first phase is before the second.
  const events = sent.map(({ text, location, gap }) => {
    clock += gap
    const moment = utcMoment(clock)
    const origin = readLocation(location)
    assert.ok(origin !== null)
    const answer = first.run(text, 'syslog', origin, moment)
    const form = answer?.rule ? forms.of(answer.event, answer.rule) : null
    const stored = JSON.parse(JSON.stringify(form)) as StoredForm | null
    return { text, origin, moment, answer, stored }
  })
  for (const { text, origin, moment, answer, stored } of events) {
    const expected = runner.run(text, origin, moment, session)
    assert.ok(answer !== null)
    if (answer.rule === undefined) {
      marked++
      const outcome = second.run(text, 'syslog', origin, moment, answer.lacksCaptures)
      assert.ok(outcome !== null)
      assert.deepEqual(told(outcome), told(expected))
      if (answer.lacksCaptures) took += expected.event.foreignCaptures.length
      else second.pass(() => ({ text, format: 'syslog', origin }))
    } else {
      assert.equal(answer.rule?.id, expected.rule?.id)
      assert.deepEqual(fieldsOf(answer.event), fieldsOf(expected.event))
      second.pass(() => ({ text, format: 'syslog', origin }))
      if (answer.rule === null) continue
      const rule = runner.ruleset.rules.inOrder()[answer.rule.index]
      assert.equal(rule.id, answer.rule.id)
      const times = second.take(rule, moment.seconds, stored)
      assert.deepEqual([Math.abs(times), times > 0, [], null], [expected.firedTimes, expected.alert, expected.previous, expected.previousLog])
    }
  }
  second.settle()
  for (const part of ['captures', 'fired', 'silenced', 'seen', 'idsKeys', 'lastLogs', 'accumulated', 'nextSequence'] as const) assert.deepEqual(seconds[part], session[part])
  assert.deepEqual(places(seconds), places(session))
  return { marked, took }
}

test('random rulesets with correlation answer as in one thread', () => {
  let marked = 0
  let known = 0
  let took = 0
  fc.assert(
    fc.property(
      fc.array(randomFile, { maxLength: 3 }),
      fc.subarray([...HISTORY]),
      fc.boolean(),
      fc.array(SENT, { minLength: 5, maxLength: 40 }),
      (random, rules, inherits, sent) => {
        const files = [...random, DECODERS, ...(inherits ? [INHERITING] : []), ruleFile(rules)]
        const runner = compile(files)
        if (runner === null) return
        if (inherits) assert.equal(inheritsCaptures(runner.ruleset), true)
        const counts = compare(runner, files, sent)
        marked += counts.marked
        took += counts.took
        known += sent.length - counts.marked
      },
    ),
    { numRuns: process.env.FULL === '1' ? 3000 : 400 },
  )
  assert.ok(marked > 500 && known > 500 && took > 20, `${marked} events ran in the second phase, ${known} did not, and ${took} took captures of others`)
})

test('the memory is trimmed at the same events', () => {
  for (const rules of [HISTORY, HISTORY.filter((rule) => !rule.includes('if_matched_regex'))]) {
    const files = [DECODERS, ruleFile(rules)]
    const runner = compile(files)
    assert.ok(runner !== null)
    const sent = Array.from({ length: MEMORY_SIZE + 3000 }, (_, at): Sent => ({ text: TEXTS[(at * at + (at >> 3)) % TEXTS.length], location: 'stdin', gap: at % 50 === 0 ? 1 : 0 }))
    compare(runner, files, sent)
  }
})

test('captures are inherited where a PCRE2 regex may match without a group, before an OSRegex forgets them', () => {
  const inherits = (child: string, filename: string): boolean => {
    const content = `<decoder name="x"><prematch type="pcre2">^x</prematch></decoder><decoder name="x-a"><parent>x</parent>${child}</decoder>`
    const runner = compile([{ kind: 'decoders', scope: 'adhoc', filename, content }])
    assert.ok(runner !== null)
    return inheritsCaptures(runner.ruleset)
  }
  const pcre2 = (pattern: string): string => `<regex type="pcre2">${pattern}</regex><order>alpha</order>`
  for (const pattern of ['a', '(a)?b', '(?:(a)|b)', '(?:(a))*', 'x(?=(a))', '(*ACCEPT)(a)', '(a){0,2}']) {
    assert.equal(inherits(pcre2(pattern), '0000-first.xml'), true, pattern)
    assert.equal(inherits(pcre2(pattern), 'last.xml'), false, pattern)
  }
  for (const pattern of ['(a)', 'x(a)?(b)', '(?:(a)|(b))', '(?:(a))+', '(?>(a))']) assert.equal(inherits(pcre2(pattern), '0000-first.xml'), false, pattern)
  assert.equal(inherits('<regex>(a)</regex><order>alpha</order>', '0000-first.xml'), false)
})

test('an event decoded as a Windows event is the same in both phases', () => {
  const runner = compile([])
  assert.ok(runner !== null)
  const origin = readLocation('[001] (host) any->EventChannel')
  const moment: Moment = utcMoment(1_700_000_000)
  assert.ok(origin !== null)
  assert.equal(new FirstPhase(runner).run('no Windows event', 'eventchannel', origin, moment), null)
  assert.equal(new SecondPhase(runner, createSession()).run('no Windows event', 'eventchannel', origin, moment, false), null)
})
