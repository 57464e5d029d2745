/** Checks the id of a rule against the ranges that Wazuh reserves. */
import { TOP_LEVEL_IDS } from '../rules/tree.js'
import type { CheckContext } from './context.js'
import type { RuleReporter } from '../rules/reporter.js'

/** Wazuh reserves the ids below this for its own rules. */
const FIRST_OWN_ID = 100_000
/** Ids with a special meaning in the manager. */
const INTERNAL_IDS: ReadonlySet<number> = new Set([11, 12, 13, 15])

export function checkId(reporter: RuleReporter, { scope }: CheckContext): void {
  const { definition } = reporter.rule
  const { id } = definition
  // Shipped rules may have any id; custom rules may not.
  if (scope !== 'default' && id >= 0) {
    if (id < TOP_LEVEL_IDS || INTERNAL_IDS.has(id)) {
      if (!definition.overwrite) reporter.atAttribute('rule_id_internal', 'id', {})
    } else if (id < FIRST_OWN_ID && !definition.overwrite) reporter.atAttribute('rule_id_reserved_range', 'id', {})
  }
}
