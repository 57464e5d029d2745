/** Witnesses as cases of suites: in JSON, and in Wazuh's `.ini` format as far as it can express them. Each case passed when it was made. */
import type { Locale } from '../diagnostics/text.js'
import { type IniCase, parseIniSuite } from '../logtest/ini-suite.js'
import { runCase, runEvents } from '../logtest/cases.js'
import { runIniCase } from '../logtest/run-ini-case.js'
import { readNow } from '../logtest/virtual-clock.js'
import type { EventRunner } from '../match/run-event.js'
import type { LogtestReport, TestCase } from '../records/records.js'
import type { NearRecord, WitnessEventRecord, WitnessRecord } from '../records/witness.js'
import { caseInputs } from '../logtest/suite-case.js'

/** When the session of a witness begins: `1700000000` as the clock of cases is written. */
const NOW = '2023-11-14T22:13:20+00:00'
/** Characters of a name. */
const NAME_LIMIT = 120

/** The case of the rule, and one for each near event, which must not fire it. */
export function witnessCases(runner: EventRunner, { rule_id, events, near, status }: WitnessRecord, locale: Locale): TestCase[] {
  if (status !== 'fires') return []
  const description = runner.ruleset.rules.find(Number(rule_id))?.definition.description ?? ''
  const analysis = analysisOf(runner, events, locale)
  const fires: TestCase = {
    name: `${rule_id}: ${analysis?.rule?.description ?? description}`.slice(0, NAME_LIMIT),
    ...eventsOf(events, isClockRead(runner, events, locale)),
    expected_decoder: analysis?.decoder?.name ?? null,
    expected_rule: rule_id,
    ...(analysis?.rule == null ? {} : { expected_level: analysis.rule.level }),
  }
  const others = near.map(
    ({ option, field, events: theirs }: NearRecord): TestCase => ({
      name: `${rule_id} ≠ ${option}${field === null ? '' : ` ${field}`}`.slice(0, NAME_LIMIT),
      ...eventsOf(theirs, option === 'time' || option === 'weekday' || isClockRead(runner, theirs, locale)),
      forbidden_rule_ids: [rule_id],
    }),
  )
  return [fires, ...others].filter((one) => runCase(runner, one, readNow(NOW) as NonNullable<ReturnType<typeof readNow>>, locale).passed)
}

/** A section for the rule; null: the format cannot express its events. In the format all events are of one second, and have no location and no Windows form. */
export function witnessSection(runner: EventRunner, { rule_id, events, status }: WitnessRecord, locale: Locale): string | null {
  if (status !== 'fires' || events.some(({ event, location, log_format }) => location !== undefined || log_format === 'eventchannel' || /[\r\n]/.test(event))) return null
  const analysis = analysisOf(runner, events, locale)
  if (analysis?.rule == null) return null
  const lines = [
    `[${rule_id}: ${analysis.rule.description.replaceAll(/[\r\n[\]]/g, ' ')}]`,
    ...events.map(({ event }) => `log 1 pass = ${event}`),
    `rule = ${rule_id}`,
    `alert = ${analysis.rule.level}`,
    `decoder = ${analysis.decoder?.name ?? ''}`,
  ]
  const text = `${lines.join('\n')}\n`
  const [read] = parseIniSuite(text).cases as readonly (IniCase | undefined)[]
  const moment = readNow(NOW)
  return read !== undefined && moment !== null && runIniCase(runner, read, moment, locale).passed ? text : null
}

function eventsOf(records: readonly WitnessEventRecord[], isTimed: boolean): Pick<TestCase, 'event_text' | 'log_format' | 'location' | 'events' | 'now'> {
  const last = records[records.length - 1]
  let at = 0
  const events = records.map(({ event, advance = 1, location }) => {
    at += advance
    return { event_text: event, at, ...(location === undefined ? {} : { location }) }
  })
  const isSequence = records.length > 1 || isTimed
  return {
    // A case has one event, or several.
    event_text: isSequence ? '' : last.event,
    log_format: last.log_format,
    ...(last.location === undefined || isSequence ? {} : { location: last.location }),
    ...(isSequence ? { events } : {}),
    ...(isTimed ? { now: NOW } : {}),
  }
}

function analysisOf(runner: EventRunner, events: readonly WitnessEventRecord[], locale: Locale): LogtestReport | null {
  const moment = readNow(NOW)
  return moment === null ? null : runEvents(runner, caseInputs({ name: '', ...eventsOf(events, true) }), moment, locale, {}).analysis
}

/** Whether the result depends on the time of day or the weekday. */
function isClockRead(runner: EventRunner, events: readonly WitnessEventRecord[], locale: Locale): boolean {
  const moment = readNow(NOW)
  if (moment === null) return false
  let isRead = false
  const local = (): ReturnType<typeof moment.local> => {
    isRead = true
    return moment.local()
  }
  runEvents(runner, caseInputs({ name: '', ...eventsOf(events, true) }), { seconds: moment.seconds, local }, locale, {})
  return isRead
}
