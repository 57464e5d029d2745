/**
 * Explains why a rule is not the final one for an event: the failed condition on the path to it, the sibling that matched first, or why the rule is
 * not loaded.
 *
 * For a rule with several placements, the explanation covers the one that the event came nearest to. Rules on that path that the run did
 * not try, because another rule matched before, are evaluated here without effects on history.
 */
import type { Locale } from '../diagnostics/text.js'
import { describeDiagnostic } from '../diagnostics/text.js'
import type { Explanation } from '../records/records.js'
import { expandDescription } from '../match/describe-rule.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { fromByteString } from '../source/byte-string.js'
import { EXPLAIN_WORDS } from './explain-words.js'
import { describeFailure, failureSentence } from './failed-condition.js'
import { findNearestDecoder } from './nearest-decoder.js'
import { nearestPath, type PathMatch, type RunResults, runResults } from './nearest-path.js'
import { findOvertaker } from './overtaker.js'
import type { TracedRun } from './tip.js'

const EMPTY = { matched: false, final: false, path: [], failed_condition: null, won_instead: null, nearest_decoder: null } as const

/** Explains a rule that is not in the tree. */
export function explainUnloaded(ruleset: CompiledRuleset, ruleId: string, locale: Locale): Explanation {
  const words = EXPLAIN_WORDS[locale]
  const dropped = ruleset.lossReasons.get(Number(ruleId))
  if (dropped !== undefined) return { ...EMPTY, rule_id: ruleId, exists: false, reason: words.droppedRule(ruleId, describeDiagnostic(dropped, locale).message) }
  if (!ruleset.loads) {
    const first = ruleset.diagnosticsWithoutAttacks.find(({ severity, cause }) => severity === 'error' && cause === null)
    return { ...EMPTY, rule_id: ruleId, exists: false, reason: words.notLoadedSet(first === undefined ? '' : describeDiagnostic(first, locale).message) }
  }
  return { ...EMPTY, rule_id: ruleId, exists: false, reason: words.unknownRule(ruleId, nearestId(ruleset, ruleId)) }
}

/** Returns the loaded rule whose id differs in one digit, or in length by one. */
function nearestId(ruleset: CompiledRuleset, ruleId: string): string | null {
  for (const { id } of ruleset.rules.inOrder()) {
    const known = String(id)
    let same = 0
    for (let i = 0; i < ruleId.length; i++) if (known[i] === ruleId[i]) same++
    if (known.length === ruleId.length && known.length > 2 && same === known.length - 1) return known
  }
  return null
}

/** Explains an event that was not run. @param why the message about it */
export function explainRefusal(ruleId: string, why: string | null, locale: Locale): Explanation {
  return { ...EMPTY, rule_id: ruleId, exists: true, reason: EXPLAIN_WORDS[locale].refusedEvent(why) }
}

export function explainRun(run: TracedRun, rule: CompiledRule, locale: Locale): Explanation {
  const explainer = new Explainer(run, rule, locale)
  return explainer.explain()
}

class Explainer {
  readonly #run: TracedRun
  readonly #rule: CompiledRule
  readonly #locale: Locale
  readonly #tried: RunResults

  constructor(run: TracedRun, rule: CompiledRule, locale: Locale) {
    this.#run = run
    this.#rule = rule
    this.#locale = locale
    this.#tried = runResults(run)
  }

  explain(): Explanation {
    const words = EXPLAIN_WORDS[this.#locale]
    const { outcome, event } = this.#run
    const id = String(this.#rule.id)
    const match = nearestPath(this.#run, this.#rule, this.#tried)
    const path = match.nodes.map(({ rule }, index) => ({ rule_id: String(rule.id), matched: index < match.held }))
    const base = { ...EMPTY, rule_id: id, exists: true, path }
    if (outcome.rule?.id === this.#rule.id) return { ...base, matched: true, final: true, reason: words.final(id) }
    // Compared by id, because one top-level id may have several rules.
    const matched = outcome.path.find((rule) => rule.id === this.#rule.id)
    if (matched !== undefined) {
      const won = outcome.rule === null ? null : this.#describeWinner(outcome.rule)
      const below = won !== null && !matched.definition.noalert
      return { ...base, matched: true, reason: below ? words.overruled(id, won.rule_id) : words.container(id), won_instead: won }
    }
    if (match.failure === null) return { ...base, ...this.#explainUntried(match) }
    const failing = match.nodes[match.held].rule
    const condition = describeFailure(failing, match.failure)
    const wrongDecoder = match.failure.kind === 'decoder' || match.failure.kind === 'category'
    const wanted = wrongDecoder ? (match.nodes.slice(match.held).find(({ rule }) => rule.definition.decodedAs !== null)?.rule.definition.decodedAs?.name ?? null) : null
    const nearest = event.decoder === null || wanted !== null ? findNearestDecoder(this.#run, wanted, this.#locale) : null
    return {
      ...base,
      reason: words.at(id, String(failing.id)) + failureSentence(this.#run, failing, match.failure, condition, this.#locale),
      failed_condition: condition,
      nearest_decoder: nearest,
    }
  }

  /** Explains a rule that would match but was not tried, by the rule that matched before it. */
  #explainUntried({ nodes }: PathMatch): Pick<Explanation, 'reason' | 'won_instead'> {
    const words = EXPLAIN_WORDS[this.#locale]
    const { outcome } = this.#run
    const id = String(this.#rule.id)
    const overtaken = findOvertaker(this.#run, nodes, (rule) => this.#tried.get(rule))
    if (overtaken === null) return { reason: words.neverTried(id), won_instead: outcome.rule === null ? null : this.#describeWinner(outcome.rule) }
    const { wanted, winner, reason } = overtaken
    return { reason: words.wonInstead(id, String(wanted.id), String(winner.id), winner.level, words.order[reason]), won_instead: this.#describeWinner(winner) }
  }

  #describeWinner(rule: CompiledRule): NonNullable<Explanation['won_instead']> {
    return { rule_id: String(rule.id), level: rule.level, description: fromByteString(expandDescription(rule, this.#run.runner.evaluator)) }
  }
}
