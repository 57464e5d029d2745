/** The cases of a suite before they run: of a JSON suite or of an .ini suite of Wazuh, their events, and the chains of cases that share a session. */
import type { LogtestInput, TestCase } from '../records/records.js'
import type { IniCase } from './ini-suite.js'

export type SuiteCase = TestCase | IniCase

/** The location that Wazuh's own runner uses. */
const LOCATION = 'stdin'

/** An event of a case and its second on the virtual clock. */
export interface TimedInput {
  readonly input: LogtestInput
  readonly at: number
}

/** Only cases of .ini suites have a verdict. */
export function isIniCase(suiteCase: SuiteCase): suiteCase is IniCase {
  return 'verdict' in suiteCase
}

/** Returns the session id; empty: the case has its own session. */
export function sessionOf(suiteCase: SuiteCase): string {
  return isIniCase(suiteCase) ? '' : (suiteCase.session_id ?? '')
}

/** Returns when the first event of the case arrives; null: no time is written. */
export function nowOf({ now }: SuiteCase): string | null {
  return now === undefined || now === null || now === '' ? null : now
}

/** Whether the case expects something of rules. Decoders and fields do not depend on the time. */
export function expectsOfRules(suiteCase: SuiteCase): boolean {
  if (isIniCase(suiteCase)) return true
  const { expected_rule, expected_level, expected_rule_ids = [], forbidden_rule_ids = [], expect_no_rule } = suiteCase
  return (expected_rule ?? '') !== '' || expected_level != null || expected_rule_ids.length > 0 || forbidden_rule_ids.length > 0 || expect_no_rule === true
}

/** Returns the indexes of the cases of each chain, in order; chains in the order of their first cases. A case without a session is a chain by itself. */
export function caseChains(cases: readonly SuiteCase[]): number[][] {
  const chains: number[][] = []
  const bySession = new Map<string, number[]>()
  for (const [place, suiteCase] of cases.entries()) {
    const session = sessionOf(suiteCase)
    const known = session === '' ? undefined : bySession.get(session)
    if (known !== undefined) {
      known.push(place)
      continue
    }
    const chain = [place]
    chains.push(chain)
    if (session !== '') bySession.set(session, chain)
  }
  return chains
}

/** Returns the events of a case in the form that the engine runs, in order. */
export function suiteCaseInputs(suiteCase: SuiteCase): TimedInput[] {
  return isIniCase(suiteCase) ? iniInputs(suiteCase) : caseInputs(suiteCase)
}

/** Returns `events`, or the one event of the case. An event without a second has the second of the previous one. */
export function caseInputs({ events, event_text, log_format, location }: TestCase): TimedInput[] {
  let clock = 0
  const written: NonNullable<TestCase['events']> = events === undefined || events.length === 0 ? [{ event_text: event_text ?? '' }] : events
  return written.map((event) => {
    clock = event.at ?? clock
    const place = event.location ?? location
    return { at: clock, input: { event: event.event_text, log_format: log_format ?? 'auto', ...(place == null || place === '' ? {} : { location: place }) } }
  })
}

/** All events of a case have the same second. */
function iniInputs({ events }: IniCase): TimedInput[] {
  return events.map((event) => ({ at: 0, input: { event, log_format: 'syslog', location: LOCATION } }))
}
