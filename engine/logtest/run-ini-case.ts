/** Runs a case of a suite in Wazuh's format (BEHAVIOUR.md#test-suites-of-wazuh). */
import type { Locale } from '../diagnostics/text.js'
import type { EventRunner, Moment } from '../match/run-event.js'
import type { CaseCheck } from '../records/records.js'
import { type CaseOptions, crashChecks, type RanCase, runEvents } from './cases.js'
import type { IniCase } from './ini-suite.js'
import { suiteCaseInputs } from './suite-case.js'

const WORDS: Readonly<Record<Locale, { readonly decoder: string; readonly rule: string; readonly level: string; readonly verdict: string }>> = {
  'en-US': { decoder: 'Decoder', rule: 'Rule', level: 'Level', verdict: 'Verdict' },
  'pt-BR': { decoder: 'Decoder', rule: 'Regra', level: 'Nível', verdict: 'Veredito' },
}

/** Runs one case of a suite. For `fail` the check is the result itself; its values are shown with it. */
export function runIniCase(runner: EventRunner, testCase: IniCase, moment: Moment, locale: Locale, options: CaseOptions = {}): RanCase {
  const words = WORDS[locale]
  const { analysis, covered, times } = runEvents(runner, suiteCaseInputs(testCase), moment, locale, options)
  const values: readonly (readonly [label: string, expected: string, actual: string])[] = [
    [words.decoder, testCase.decoder, analysis.decoder?.name ?? ''],
    [words.rule, testCase.rule, analysis.rule?.id ?? ''],
    [words.level, testCase.level, analysis.rule === null ? '' : String(analysis.rule.level)],
  ]
  const crashed = crashChecks(analysis, locale)
  const ran = analysis.ok && crashed.length === 0
  const agree = ran && values.every(([, expected, actual]) => expected === actual && expected !== '')
  // An event that did not run (the ruleset does not load, or Wazuh crashes) neither passes nor fails.
  const passed = ran && agree === (testCase.verdict === 'pass')
  const show = (index: 1 | 2): string => values.map((value) => value[index] || '-').join(' / ')
  const checks: CaseCheck[] =
    testCase.verdict === 'pass'
      ? values.map(([label, expected, actual]) => ({ label, expected, actual, passed: expected === actual && expected !== '' }))
      : [{ label: words.verdict, expected: `≠ ${show(1)}`, actual: show(2), passed }]
  return { name: testCase.name, passed, checks: [...checks, ...crashed], analysis, covered, times }
}
