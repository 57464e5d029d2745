/** The rules that a case is about. */
import { isIniCase, type SuiteCase } from '#engine'

/** Ids of the rules that a case expects; an `.ini` case that must fail expects none. */
export function expectedRules(suiteCase: SuiteCase): readonly string[] {
  if (isIniCase(suiteCase)) return suiteCase.verdict === 'pass' ? [suiteCase.rule] : []
  const { expected_rule, expected_rule_ids = [] } = suiteCase
  return expected_rule == null || expected_rule === '' ? expected_rule_ids : [expected_rule, ...expected_rule_ids]
}
