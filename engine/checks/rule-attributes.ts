/** The id of a rule, in the ranges that Wazuh keeps for itself. */
import { TOP_LEVEL_IDS } from '../rules/tree.js'
import type { CheckContext } from './context.js'
import type { RuleReporter } from '../rules/reporter.js'

/** Wazuh keeps the ids below this for the rules it ships. */
const FIRST_OWN_ID = 100_000
/** Ids that the manager itself gives a meaning. */
const INTERNAL_IDS: ReadonlySet<number> = new Set([11, 12, 13, 15])

export function checkId(reporter: RuleReporter, { scope }: CheckContext): void {
  const { definition } = reporter.rule
  const { id } = definition
  // What is shipped may have any id; what is written today may not.
  if (scope !== 'default' && id >= 0) {
    if (id < TOP_LEVEL_IDS || INTERNAL_IDS.has(id)) {
      if (!definition.overwrite) reporter.atAttribute('rule_id_internal', 'id', {})
    } else if (id < FIRST_OWN_ID && !definition.overwrite) reporter.atAttribute('rule_id_reserved_range', 'id', {})
  }
}
