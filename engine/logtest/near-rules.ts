/**
 * Finds the rules that an event comes near without matching them, for the question whether cases show where a rule ends. An event comes near a rule if
 *  1. the event does not match the rule
 *  2. every rule above it on one of its places in the tree matches the event
 *  3. at most one of its own conditions on the event fails: its decoder, each pattern, field, address or time, each list
 * Conditions that count or compare earlier events (`frequency`, `if_fts`, `check_diff`) are none of 3: an event that meets all others of such a rule comes near it.
 */
import type { Outcome } from '../match/outcome.js'
import type { EventRunner } from '../match/run-event.js'
import { findFailures, holds } from '../insights/find-failures.js'
import { dependsOnSession } from '../insights/own-content.js'
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import { pathTo } from '../rules/placement-path.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import type { FileScope } from '../source/source-file.js'

/** Examined places of a rule: one below `if_group` may have hundreds, which differ little. */
const PLACEMENTS_LIMIT = 16
/** One more than may fail. */
const FAILURES_READ = 2

interface SoughtRule {
  readonly id: string
  readonly rule: CompiledRule
  readonly paths: readonly (readonly RuleNode[])[]
}

/** Finds the rules of some files that an event comes near to. One instance for a ruleset. */
export class NearRules {
  readonly #rules: readonly SoughtRule[]
  readonly #ids: ReadonlySet<string>

  /** @param scopes scopes of the files whose rules are searched */
  constructor({ rules }: CompiledRuleset, scopes: readonly FileScope[]) {
    this.#rules = rules
      .inOrder()
      .filter(({ definition }) => scopes.includes(definition.source.scope))
      .map((rule) => ({
        id: String(rule.id),
        rule,
        paths: rules
          .placements(rule.id)
          .slice(0, PLACEMENTS_LIMIT)
          .map((placement) => pathTo(rules, placement)),
      }))
    this.#ids = new Set(this.#rules.map(({ id }) => id))
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  /** Adds the ids of the rules that the runner's current event comes near. */
  addTo(found: Set<string>, outcome: Outcome, runner: EventRunner): void {
    const { event } = outcome
    // Imported alerts try no rules.
    if (event.type === 'alert') return
    const run = { event, runner }
    for (const { id, rule, paths } of this.#rules) {
      if (found.has(id) || outcome.path.includes(rule)) continue
      if (paths.some((nodes) => holdsAbove(nodes, outcome, runner)) && findFailures(run, rule, FAILURES_READ).length < FAILURES_READ) found.add(id)
    }
  }
}

/** Whether all rules above the last one of a path match. */
function holdsAbove(nodes: readonly RuleNode[], { event, path }: Outcome, runner: EventRunner): boolean {
  if (nodes[0].rule.category !== event.type) return false
  return nodes.slice(0, -1).every(({ rule }) => path.includes(rule) || (!dependsOnSession(rule) && holds({ event, runner }, rule)))
}
