/** What tasks about single rules share: which rules a request names, and how long they are looked at. */
import type { CompiledRule } from '#engine'
import type { TaskHead } from '../../shared/protocol.js'
import { entryOf, type TaskContext } from './context.js'

export interface RulesTask extends TaskHead {
  /** Ids of rules of the ruleset; null: the rules in the request's own files. */
  readonly ruleIds: readonly string[] | null
  /** Milliseconds after which no further rule is tried. */
  readonly budgetMs: number
  /** Maximum number of rules in the answer. */
  readonly limit: number
}

export interface RulesAnswer {
  /** Whether Wazuh would start with the content; nothing is tried unless it would. */
  readonly loads: boolean
  /** Whether there was time for all rules. */
  readonly complete: boolean
}

/** The files of a request have this scope. */
export const OWN = 'adhoc'

export function chosen(context: Pick<TaskContext, 'found'>, ruleIds: readonly string[] | null): readonly CompiledRule[] {
  const { rules, loads } = entryOf(context).ruleset
  if (!loads) return []
  if (ruleIds === null) return rules.inOrder().filter(({ definition }) => definition.source.scope === OWN)
  return [...new Set(ruleIds)].flatMap((id) => rules.find(Number(id)) ?? [])
}
