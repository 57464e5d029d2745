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
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import { category } from '../rules/options/category.js'
import { checkDiff } from '../rules/options/check-diff.js'
import { decodedAs } from '../rules/options/decoded-as.js'
import { SEARCH_FAILS } from '../rules/options/explanations.js'
import { ifFts } from '../rules/options/if-fts.js'
import { list } from '../rules/options/list.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { fromByteString } from '../source/byte-string.js'
import type { RuleFailure } from '../rules/recorder.js'
import { historyTag, writtenCondition } from '../trace/rule-details.js'
import { cutText } from '../trace/text.js'
import { EXPLAIN_WORDS } from './explain-words.js'
import { findNearestDecoder } from './nearest-decoder.js'
import { findStop, type StoppedAt } from './stopped-at.js'
import type { TracedRun } from './tip.js'

/** Maximum number of examined placements: rules under `if_level` have thousands of parents. */
const PLACEMENTS_LIMIT = 500

type FailedCondition = NonNullable<Explanation['failed_condition']>
type Failure = RuleFailure | { readonly kind: 'category'; readonly expected: string; readonly actual: string }

const EMPTY = { matched: false, final: false, path: [], failed_condition: null, won_instead: null, nearest_decoder: null } as const

/** Explains a rule that is not in the tree. */
export function explainUnloaded(ruleset: CompiledRuleset, ruleId: string, locale: Locale): Explanation {
  const words = EXPLAIN_WORDS[locale]
  const dropped = ruleset.lossReasons.get(Number(ruleId))
  if (dropped !== undefined) return { ...EMPTY, rule_id: ruleId, exists: false, reason: words.droppedRule(ruleId, describeDiagnostic(dropped, locale).message) }
  if (!ruleset.loads) {
    const first = ruleset.diagnostics.find(({ severity, cause }) => severity === 'error' && cause === null)
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

/** A path from the top to the rule, and how far the event matched it. */
interface PathMatch {
  readonly nodes: readonly RuleNode[]
  /** Number of rules from the top that match. */
  readonly held: number
  /** The failure of the next rule; null if all match. */
  readonly failure: Failure | null
}

class Explainer {
  readonly #run: TracedRun
  readonly #rule: CompiledRule
  readonly #locale: Locale
  /** Results of the run by rule; null = matched. The last of several placements counts. */
  readonly #tried = new Map<CompiledRule, RuleFailure | null>()

  constructor(run: TracedRun, rule: CompiledRule, locale: Locale) {
    this.#run = run
    this.#rule = rule
    this.#locale = locale
    for (const { rule: tried, failure } of run.recorder.ruleSteps) this.#tried.set(tried, failure)
  }

  explain(): Explanation {
    const words = EXPLAIN_WORDS[this.#locale]
    const { outcome, event, runner } = this.#run
    const id = String(this.#rule.id)
    const match = this.#nearestPath(runner.ruleset.rules.placements(this.#rule.id))
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
    const condition = this.#describeFailure(failing, match.failure)
    const wrongDecoder = match.failure.kind === 'decoder' || match.failure.kind === 'category'
    const wanted = wrongDecoder ? (match.nodes.slice(match.held).find(({ rule }) => rule.definition.decodedAs !== null)?.rule.definition.decodedAs?.name ?? null) : null
    const nearest = event.decoder === null || wanted !== null ? findNearestDecoder(this.#run, wanted, this.#locale) : null
    return { ...base, reason: words.at(id, String(failing.id)) + this.#sentence(failing, match.failure, condition), failed_condition: condition, nearest_decoder: nearest }
  }

  #nearestPath(placements: readonly RuleNode[]): PathMatch {
    const { rules } = this.#run.runner.ruleset
    let best: PathMatch = { nodes: [], held: -1, failure: null }
    for (const placement of placements.slice(0, PLACEMENTS_LIMIT)) {
      const nodes: RuleNode[] = []
      for (let node: RuleNode | null = placement; node !== null; node = rules.parentOf(node)) nodes.unshift(node)
      const match = this.#follow(nodes)
      // Nearer means fewer remaining rules, then more that match.
      if (best.held < 0 || nodes.length - match.held < best.nodes.length - best.held || (nodes.length - match.held === best.nodes.length - best.held && match.held > best.held))
        best = match
    }
    return best
  }

  #follow(nodes: readonly RuleNode[]): PathMatch {
    for (let held = 0; held < nodes.length; held++) {
      const { rule } = nodes[held]
      const failure =
        held === 0 && rule.category !== this.#run.event.type ? { kind: 'category' as const, expected: rule.category, actual: this.#run.event.type } : this.#failureOf(rule)
      if (failure !== null) return { nodes, held, failure }
    }
    return { nodes, held: nodes.length, failure: null }
  }

  /** The failure that the run found, or else that of the conditions without side effects. */
  #failureOf(rule: CompiledRule): RuleFailure | null {
    const tried = this.#tried.get(rule)
    if (tried !== undefined) return tried
    const { event, runner } = this.#run
    const { evaluator } = runner
    if (rule.identity >= 0 && rule.identity !== event.decoder?.identity) {
      return { kind: 'decoder', expected: rule.definition.decodedAs?.name ?? '', actual: event.decoder?.name ?? null }
    }
    for (const condition of rule.conditions) if (!evaluator.passes(condition)) return { kind: 'condition', condition, text: evaluator.text(condition.subject) }
    for (const list of rule.lists) if (!evaluator.passesList(list)) return { kind: 'list', list, text: evaluator.text(list.subject) }
    return null
  }

  /** Explains a rule that would match but was not tried, by the rule that matched before it. */
  #explainUntried({ nodes }: PathMatch): Pick<Explanation, 'reason' | 'won_instead'> {
    const words = EXPLAIN_WORDS[this.#locale]
    const { outcome, runner } = this.#run
    const id = String(this.#rule.id)
    const at = nodes.findIndex(({ rule }) => !this.#tried.has(rule))
    const node = nodes[at]
    const { rules } = runner.ruleset
    const siblings = at < 0 ? [] : (rules.parentOf(node)?.children ?? rules.top)
    const winner = siblings
      .slice(
        0,
        siblings.findIndex(({ rule }) => rule === node?.rule),
      )
      .find(({ rule }) => outcome.path.includes(rule) && this.#tried.get(rule) === null)
    if (winner !== undefined)
      return { reason: words.wonInstead(id, String(node.rule.id), String(winner.rule.id), winner.rule.level), won_instead: this.#describeWinner(winner.rule) }
    return { reason: words.neverTried(id), won_instead: outcome.rule === null ? null : this.#describeWinner(outcome.rule) }
  }

  #describeWinner(rule: CompiledRule): NonNullable<Explanation['won_instead']> {
    return { rule_id: String(rule.id), level: rule.level, description: fromByteString(expandDescription(rule, this.#run.runner.evaluator)) }
  }

  #describeFailure(rule: CompiledRule, failure: Failure): FailedCondition {
    const plain = { rule_id: String(rule.id), field: null, pattern: '', negate: false, text: null, stopped_at: null }
    switch (failure.kind) {
      case 'category':
        return { ...plain, tag: 'category', pattern: failure.expected, text: failure.actual }
      case 'decoder':
        return { ...plain, tag: 'decoded_as', pattern: fromByteString(failure.expected), text: failure.actual === null ? null : fromByteString(failure.actual) }
      case 'condition':
        return { ...plain, ...writtenCondition(rule, failure.condition), text: failure.text === undefined ? null : cutText(failure.text), stopped_at: stopOf(failure) }
      case 'list':
        return {
          ...plain,
          tag: 'list',
          field: fromByteString(failure.list.field),
          pattern: fromByteString(failure.list.path),
          text: failure.text === undefined ? null : cutText(failure.text),
        }
      case 'history':
        return { ...plain, tag: historyTag(rule), pattern: this.#countedBy(rule) }
      case 'check_diff':
      case 'if_fts':
        return { ...plain, tag: failure.kind }
    }
  }

  #countedBy({ definition }: CompiledRule): string {
    return cutText(definition.ifMatchedSid ?? definition.ifMatchedGroup ?? definition.ifMatchedRegex ?? '')
  }

  /** Each option describes its own failure. */
  #sentence(rule: CompiledRule, failure: Failure, failed: FailedCondition): string {
    const locale = this.#locale
    const { decoder } = this.#run.event
    const { tag, field, pattern, negate, text, stopped_at: stop } = failed
    switch (failure.kind) {
      case 'category':
        return category.explain[locale](failure.expected, failure.actual)
      case 'decoder':
        return decodedAs.explain[locale]({ wanted: pattern, actual: text })
      case 'condition': {
        const stopped = stop === null ? null : { matched: stop.matched_part, expected: stop.expected }
        return failure.condition.option.explain[locale]({ tag, field, pattern, negate, text, stopped })
      }
      case 'list':
        return list.explain[locale]({ list: pattern, field: field ?? '', text })
      case 'history': {
        const counted = rule.search?.kind === 'rule' ? this.#run.runner.ruleset.rules.find(Number(pattern)) : undefined
        const isSilent = counted !== undefined && (counted.level === 0 || counted.definition.noalert)
        const { timeframe } = rule.definition
        return SEARCH_FAILS[locale]({ tag, counted: failure.counted, needed: failure.needed, timeframe, silent: isSilent ? String(counted.id) : null })
      }
      case 'check_diff':
        return checkDiff.explain[locale](null)
      case 'if_fts':
        return ifFts.explain[locale]({ decoder: decoder === null ? null : fromByteString(decoder.name), hasFts: decoder?.definition.fts != null })
    }
  }
}

/** Where a pattern stopped matching. Null for other conditions, and when there is no text or the match itself failed the rule. */
function stopOf({ condition: { test }, text }: Extract<RuleFailure, { readonly kind: 'condition' }>): StoppedAt | null {
  if (text === undefined) return null
  if (test.kind === 'pattern') return test.negate ? null : findStop(test.expression.dialect, test.expression.pattern, text)
  return test.kind === 'exact' && !test.negate ? findStop('exact', test.text, text) : null
}
