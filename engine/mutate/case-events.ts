/** The events of a case that exists. */
import { isIniCase, nowOf, type SuiteCase, suiteCaseInputs } from '../logtest/suite-case.js'
import type { CaseEvents } from './killing-case.js'

export function eventsOfCase(testCase: SuiteCase): CaseEvents {
  const inputs = suiteCaseInputs(testCase)
  // Suites in Wazuh's format have one location for all events, which is the usual one.
  return { inputs: isIniCase(testCase) ? inputs.map(({ at, input: { event, log_format } }) => ({ at, input: { event, log_format } })) : inputs, now: nowOf(testCase) }
}
