/**
 * Matches one event against the rule tree (BEHAVIOUR.md#rule-matching): the first matching sibling wins, then its children are tried.
 *
 * With a recorder every rule is tried in order, as Wazuh does. Without one an index skips rules that cannot match. Both have the same
 * outcome.
 */
import type { Event } from '../event/event.js'
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import { SUBJECT_HOSTNAME } from '../rules/condition.js'
import type { ConditionEvaluator } from '../rules/evaluate.js'
import type { RuleRecorder } from '../rules/recorder.js'
import { type Candidate, candidateAt, type CandidateIndex, candidatesOf, indexOf } from './candidates.js'
import { hasFts, isFirstTimeSeen } from './fts.js'
import type { SearchOutcome } from './history.js'
import { neededEvents, searchesAnything, searchHistory } from './history.js'
import type { Session } from './session.js'
import { rememberKey } from './session.js'

/** Maximum length of a log that check_diff remembers. */
const DIFF_LIMIT = 65_535

/** Maximum depth of recursion; the stock tree is 12 deep. Deeper recursion could overflow the stack. */
const RECURSION_LIMIT = 500

/** One per compiled ruleset and thread. Not reentrant. */
export class RuleMatcher {
  readonly #top: readonly RuleNode[]
  readonly #evaluator: ConditionEvaluator
  #event!: Event
  #session: Session | null = null
  #recorder: RuleRecorder | null = null
  /** For an event without a session: an `if_fts` has passed, so later ones find the key known. */
  #seenAlone = false
  #observe: ((rule: CompiledRule) => void) | null = null
  /** Rules that matched, in evaluation order, including branches without a final rule. */
  path: CompiledRule[] = []
  /** The effects of the composites that were tried. */
  readonly search: SearchOutcome = { mark: 0, previous: [], counted: 0 }
  /** The previous log if check_diff found a difference, else null. */
  previousLog: string | null = null
  /** Whether the walk stops at the first test of a rule that depends on earlier events. */
  #stopsAtHistory = false
  /** The rule at whose test the walk has stopped. Every walk returns it at once, as if it were final. */
  #stoppedAt: CompiledRule | null = null

  constructor(top: readonly RuleNode[], evaluator: ConditionEvaluator) {
    this.#top = top
    this.#evaluator = evaluator
  }

  /** The final rule, or null. The evaluator must have begun the event. */
  run(event: Event, session: Session | null, recorder: RuleRecorder | null): CompiledRule | null {
    this.#begin(event, session, recorder)
    return this.#walk()
  }

  /** Like `run` without a session, but undefined where the answer depends on earlier events: the walk ends at the first such test. */
  runUntilHistory(event: Event): CompiledRule | null | undefined {
    this.#begin(event, null, null)
    this.#stopsAtHistory = true
    const final = this.#walk()
    const isStopped = this.#stoppedAt !== null
    this.#stopsAtHistory = false
    this.#stoppedAt = null
    return isStopped ? undefined : final
  }

  /** Calls a function before each rule that is tried without a recorder. */
  observe(tried: (rule: CompiledRule) => void): void {
    this.#observe = tried
  }

  #begin(event: Event, session: Session | null, recorder: RuleRecorder | null): void {
    this.#event = event
    this.#session = session
    this.#recorder = recorder
    this.#seenAlone = false
    this.forget()
  }

  #walk(): CompiledRule | null {
    const { type } = this.#event
    for (const node of this.#top) {
      if (node.rule.category !== type) continue
      const final = this.#match(node, 0)
      if (final !== null) return final
    }
    return null
  }

  /** Clears the state of the previous event, which may belong to another session. */
  forget(): void {
    this.path = []
    this.search.mark = 0
    this.search.previous = []
    this.previousLog = null
  }

  #match(node: RuleNode, depth: number): CompiledRule | null {
    if (depth > RECURSION_LIMIT) return this.#matchDeep(node)
    const { rule } = node
    if (!this.#passes(rule)) return this.#stoppedAt
    this.path.push(rule)
    const { children } = node
    if (children.length > 0) {
      const final = this.#recorder === null ? this.#matchCandidates(indexOf(node), depth) : this.#matchAll(children, depth)
      if (final !== null) return final
    }
    return rule.definition.noalert ? null : rule
  }

  #matchAll(children: readonly RuleNode[], depth: number): CompiledRule | null {
    for (const child of children) {
      const final = this.#match(child, depth + 1)
      if (final !== null) return final
    }
    return null
  }

  #matchCandidates(index: CandidateIndex, depth: number): CompiledRule | null {
    const evaluator = this.#evaluator
    const candidates = candidatesOf(index, this.#event.decoder?.identity ?? -1, evaluator)
    for (let i = evaluator.next(candidates, 0); i < candidates.size; i = evaluator.next(candidates, i + 1)) {
      const final = this.#matchCandidate(candidateAt(candidates, i), depth + 1)
      if (final !== null) return final
    }
    return null
  }

  /** Like `#match`, of a rule of which the decoder is known to fit. */
  #matchCandidate(candidate: Candidate, depth: number): CompiledRule | null {
    if (depth > RECURSION_LIMIT) return this.#matchDeep(candidate.node)
    const { rule, first, second, further, children } = candidate
    const evaluator = this.#evaluator
    this.#observe?.(rule)
    if (candidate.needsHistory && this.#session === null && !this.#stopsAtHistory) return null
    if (first !== null && !evaluator.passes(first)) return this.#stoppedAt
    if (second !== null && !evaluator.passes(second)) return this.#stoppedAt
    for (let i = 0; i < further.length; i++) if (!evaluator.passes(further[i])) return this.#stoppedAt
    if (!candidate.conditionsOnly && !this.#passesRest(rule)) return this.#stoppedAt
    this.path.push(rule)
    if (children !== null) {
      const final = this.#matchCandidates(children, depth)
      if (final !== null) return final
    }
    return candidate.noalert ? null : rule
  }

  /** The same without recursion; every child is tried in order. */
  #matchDeep(top: RuleNode): CompiledRule | null {
    if (!this.#passes(top.rule)) return this.#stoppedAt
    this.path.push(top.rule)
    const open = [{ node: top, next: 0 }]
    for (let at = open.at(-1); at !== undefined; at = open.at(-1)) {
      const child = at.node.children[at.next++]
      if (child === undefined) {
        if (!at.node.rule.definition.noalert) return at.node.rule
        open.pop()
      } else if (this.#passes(child.rule)) {
        this.path.push(child.rule)
        open.push({ node: child, next: 0 })
      } else if (this.#stoppedAt !== null) return this.#stoppedAt
    }
    return null
  }

  #passes(rule: CompiledRule): boolean {
    const event = this.#event
    const evaluator = this.#evaluator
    const recorder = this.#recorder
    if (recorder === null) this.#observe?.(rule)
    if (rule.identity >= 0 && rule.identity !== event.decoder?.identity) {
      recorder?.ruleTried(rule, { kind: 'decoder', expected: rule.definition.decodedAs?.name ?? '', actual: event.decoder?.name ?? null })
      return false
    }
    const { conditions } = rule
    for (let i = 0; i < conditions.length; i++) {
      if (evaluator.passes(conditions[i])) continue
      recorder?.ruleTried(rule, { kind: 'condition', condition: conditions[i], text: evaluator.text(conditions[i].subject) })
      return false
    }
    if (!rule.conditionsOnly && !this.#passesRest(rule)) return false
    recorder?.ruleTried(rule, null)
    return true
  }

  /** Evaluates the tests that follow the conditions. */
  #passesRest(rule: CompiledRule): boolean {
    const event = this.#event
    const evaluator = this.#evaluator
    const recorder = this.#recorder
    const { checkDiff, ifFts } = rule.definition
    if (this.#stopsAtHistory && (checkDiff || (ifFts && hasFts(event)))) {
      this.#stoppedAt = rule
      return false
    }
    if (checkDiff && !this.#differs(rule)) {
      recorder?.ruleTried(rule, { kind: 'check_diff' })
      return false
    }
    if (ifFts && !this.#isNew()) {
      recorder?.ruleTried(rule, { kind: 'if_fts' })
      return false
    }
    for (const list of rule.lists) {
      if (evaluator.passesList(list)) continue
      recorder?.ruleTried(rule, { kind: 'list', list, text: evaluator.text(list.subject) })
      return false
    }
    if (this.#stopsAtHistory && rule.search !== null && searchesAnything(rule, rule.search, event, evaluator)) {
      this.#stoppedAt = rule
      return false
    }
    if (rule.search !== null && !searchHistory(rule, rule.search, event, this.#session, evaluator, this.search)) {
      recorder?.ruleTried(rule, { kind: 'history', counted: this.search.counted, needed: neededEvents(rule) + 1 })
      return false
    }
    return true
  }

  /** if_fts: an event has one key, so without a session only the first test finds it new. */
  #isNew(): boolean {
    if (this.#session !== null) return isFirstTimeSeen(this.#event, this.#session)
    if (this.#seenAlone) return false
    this.#seenAlone = isFirstTimeSeen(this.#event, null)
    return this.#seenAlone
  }

  /** check_diff: the first content and equal content fail; different content passes. */
  #differs(rule: CompiledRule): boolean {
    const { log } = this.#event
    if (this.#session === null || log.length > DIFF_LIMIT) return false
    const { lastLogs } = this.#session
    const key = `${rule.id} ${this.#evaluator.text(SUBJECT_HOSTNAME)}`
    const before = lastLogs.get(key)
    if (before === log) return false
    rememberKey(lastLogs, key, log)
    if (before === undefined) return false
    this.previousLog = before
    return true
  }
}
