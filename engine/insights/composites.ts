/** Lists the composites that count this event, and finds what keeps earlier events from counting. */
import { type Compared, comparisonOf, historyOf, unequalValue } from '../match/history.js'
import type { StoredEvent } from '../match/session.js'
import type { CompiledRule, HistorySearch } from '../rules/compiled-rule.js'
import { foldCase } from '../source/byte-string.js'
import type { NearContent } from './near-content.js'
import type { ToldRun, TracedRun } from './tip.js'

/** Maximum number of composites whose obstacles are searched for a hint: it names one of them. */
export const OBSTACLES_LIMIT = 4
/** Maximum number of earlier events that are compared again: some multiples of a usual frequency. */
const EVENTS_LIMIT = 256
/** Above the largest frequency, so that own composites are sorted before all others. */
const NOT_OWN = 1e6

export interface PendingComposite {
  readonly rule: CompiledRule
  /** Earlier events that count. */
  readonly counted: number
  /** Earlier events that are needed. */
  readonly needed: number
}

/** Why a composite counts no event like this one, or not the earlier ones. */
export type Obstacle =
  /** The event lacks a value of `same_*`. */
  | { readonly kind: 'absent'; readonly compared: Compared<undefined> }
  /** `count` of the `of` earlier events in the timeframe have an equal value where a different one is required. */
  | { readonly kind: 'equal'; readonly compared: Compared; readonly count: number; readonly of: number }
  /** `count` of the `of` earlier events in the timeframe have a different value. That is usual, because a composite counts for each value. */
  | { readonly kind: 'differs'; readonly compared: Compared; readonly count: number; readonly of: number }
  /** A rule of this level, which is higher, fired on them. */
  | { readonly kind: 'used'; readonly level: number }
  | { readonly kind: 'other-agent'; readonly count: number }

/** Returns composites that were tried without firing and that count events of this rule, in evaluation order; each once. */
export function compositesCounting({ failures, outcome, event, runner }: ToldRun): readonly PendingComposite[] {
  const { rule: answer } = outcome
  // Events of a level 0 rule are never remembered.
  if (answer === null || answer.level === 0) return []
  const { wiring } = runner.ruleset.rules
  const pending: PendingComposite[] = []
  for (const [rule, { counted, needed }] of failures.composites) {
    const { search } = rule
    if (search === null) continue
    const counts =
      search.kind === 'rule'
        ? search.target === answer.index
        : search.kind === 'group'
          ? !wiring.matched.has(answer.index) && (wiring.feeds.get(answer.index) ?? []).some(({ composite }) => composite === rule.index)
          : search.kind === 'memory' && (search.expression === null || search.expression.test(event.log, foldCase(event.log), 0))
    if (counts) pending.push({ rule, counted, needed })
  }
  return pending
}

/** The caller's own first, then those that need fewer events. */
export function nearestFirst(pending: readonly PendingComposite[], near: NearContent | null): readonly PendingComposite[] {
  const rankOf = ({ rule, needed, counted }: PendingComposite): number => (near?.own.isOwn(rule) === true ? 0 : NOT_OWN) + needed - counted
  return [...pending].sort((a, b) => rankOf(a) - rankOf(b))
}

/** Whether a number of missing events would be misleading. */
export function isBlocking(obstacle: Obstacle | null): obstacle is Exclude<Obstacle, { readonly kind: 'differs' }> {
  return obstacle !== null && obstacle.kind !== 'differs'
}

/** Returns what keeps most of the earlier events from counting; null: nothing. */
export function findObstacle(run: TracedRun, { rule }: PendingComposite): Obstacle | null {
  const { event, runner, session } = run
  const { search } = rule
  const comparison = comparisonOf(rule, event, runner.evaluator)
  if ('kind' in comparison) return { kind: 'absent', compared: comparison }
  if (session === null || search === null) return null
  const counts = new Map<Compared | 'other-agent', number>()
  let inTime = 0
  for (const stored of earlierEvents(run, historyOf(rule, search, session) ?? [])) {
    if (event.received - stored.received > rule.definition.timeframe) break
    if (!rule.definition.globalFrequency && stored.agentId !== event.agentId) counts.set('other-agent', (counts.get('other-agent') ?? 0) + 1)
    else if (search.kind !== 'memory' || isOfMemory(search, event.type, stored)) {
      inTime++
      const unequal = unequalValue(comparison, stored)
      if (unequal !== null) counts.set(unequal, (counts.get(unequal) ?? 0) + 1)
      // The search ends at a mark. One of the same level may be the rule's own.
      else if (stored.mark > rule.level) return { kind: 'used', level: stored.mark }
      else if (stored.mark === rule.level) break
    }
  }
  const [first] = [...counts].sort(([, a], [, b]) => b - a)
  if (first === undefined) return null
  const [reason, count] = first
  if (reason === 'other-agent') return { kind: 'other-agent', count }
  return { kind: reason.kind === 'same' || reason.kind === 'sameField' ? 'differs' : 'equal', compared: reason, count, of: inTime }
}

/** The events before this one, newest first. */
function* earlierEvents({ event, session }: TracedRun, history: readonly StoredEvent[]): Generator<StoredEvent> {
  const newest = session?.memory.at(-1)
  // The event itself is stored by now, unless its rule silences it.
  const isStored = newest !== undefined && newest.fullLog === event.fullLog && newest.received === event.received
  const until = Math.max(0, history.length - EVENTS_LIMIT)
  for (let i = history.length - 1; i >= until; i--) if (!isStored || history[i] !== newest) yield history[i]
}

function isOfMemory({ expression }: Extract<HistorySearch, { readonly kind: 'memory' }>, type: StoredEvent['type'], stored: StoredEvent): boolean {
  return stored.type === type && (expression === null || expression.test(stored.log, foldCase(stored.log), 0))
}
