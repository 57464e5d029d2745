/** Finds the way through the rule tree on which an event comes nearest to a rule. */
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import type { RuleFailure } from '../rules/recorder.js'
import type { Failure } from './failed-condition.js'
import { findFailures } from './find-failures.js'
import { pathTo } from '../rules/placement-path.js'
import type { TracedRun } from './tip.js'

/** Maximum number of examined placements: rules under `if_level` have thousands of parents. */
const PLACEMENTS_LIMIT = 500

/** A path from the top to the rule, and how far the event matched it. */
export interface PathMatch {
  readonly nodes: readonly RuleNode[]
  /** Number of rules from the top that match. */
  readonly held: number
  /** The failure of the next rule; null if all match. */
  readonly failure: Failure | null
}

/** Results of the run by rule; null = matched. The last of several placements counts. */
export type RunResults = ReadonlyMap<CompiledRule, RuleFailure | null>

export function runResults({ recorder }: TracedRun): RunResults {
  return new Map(recorder.ruleSteps.map(({ rule, failure }) => [rule, failure]))
}

/** Rules that the run did not try are evaluated without the conditions that read or change the session. */
export function nearestPath(run: TracedRun, rule: CompiledRule, results: RunResults): PathMatch {
  const { rules } = run.runner.ruleset
  let best: PathMatch = { nodes: [], held: -1, failure: null }
  for (const placement of rules.placements(rule.id).slice(0, PLACEMENTS_LIMIT)) {
    const match = follow(run, pathTo(rules, placement), results)
    const { length } = match.nodes
    // Nearer means fewer remaining rules, then more that match.
    if (best.held < 0 || length - match.held < best.nodes.length - best.held || (length - match.held === best.nodes.length - best.held && match.held > best.held)) best = match
  }
  return best
}

function follow(run: TracedRun, nodes: readonly RuleNode[], results: RunResults): PathMatch {
  const { type } = run.event
  for (let held = 0; held < nodes.length; held++) {
    const { rule } = nodes[held]
    const failure = held === 0 && rule.category !== type ? { kind: 'category' as const, expected: rule.category, actual: type } : failureOf(run, rule, results)
    if (failure !== null) return { nodes, held, failure }
  }
  return { nodes, held: nodes.length, failure: null }
}

function failureOf(run: TracedRun, rule: CompiledRule, results: RunResults): RuleFailure | null {
  const known = results.get(rule)
  return known === undefined ? (findFailures(run, rule, 1).at(0) ?? null) : known
}
