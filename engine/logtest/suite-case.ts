/** A case of a JSON suite or of an .ini suite of Wazuh. */
import type { Locale } from '../diagnostics/text.js'
import type { EventRunner, Moment } from '../match/run-event.js'
import { type CaseOptions, caseInputs, runCase, type TimedInput } from './cases.js'
import type { CaseReport, TestCase } from '../records/records.js'
import { type IniCase, iniInputs, runIniCase } from './ini-suite.js'

export type SuiteCase = TestCase | IniCase

/** Only cases of .ini suites have a verdict. */
export function isIniCase(suiteCase: SuiteCase): suiteCase is IniCase {
  return 'verdict' in suiteCase
}

/** Returns the events of a case in the form that the engine runs, in order. */
export function suiteCaseInputs(suiteCase: SuiteCase): TimedInput[] {
  return isIniCase(suiteCase) ? iniInputs(suiteCase) : caseInputs(suiteCase)
}

/**
 * Runs one case.
 * @param moment second 0 of the virtual clock
 */
export function runSuiteCase(runner: EventRunner, suiteCase: SuiteCase, moment: Moment, locale: Locale, options: CaseOptions = {}): CaseReport {
  return isIniCase(suiteCase) ? runIniCase(runner, suiteCase, moment, locale, options) : runCase(runner, suiteCase, moment, locale, options)
}
