/** Searches the remembered events for a composite (BEHAVIOUR.md#frequency). */
import type { Event } from '../event/event.js'
import { foldCase } from '../source/byte-string.js'
import { FREQUENCY_MINIMUM } from '../rules/attributes.js'
import type { CompiledRule, HistorySearch } from '../rules/compiled-rule.js'
import type { Subject } from '../rules/condition.js'
import { SUBJECT_LOCATION, SUBJECT_STATIC, staticSubject } from '../rules/condition.js'
import type { ConditionEvaluator } from '../rules/evaluate.js'
import type { Session, StoredEvent } from './session.js'

/** The field that `same_user` compares. */
const SUBJECT_USER = staticSubject('dstuser')

/** Maximum number of logs in an alert's `previous_output`. */
const PREVIOUS_LIMIT = 11

/** The effect of a search on the event: its mark, and the counted logs, newest first. */
export interface SearchOutcome {
  mark: number
  previous: string[]
  /** Events counted in the last search, for explanations. */
  counted: number
}

/** Number of events that a composite counts before the one on which it fires. */
export function neededEvents(rule: CompiledRule): number {
  return Math.max(rule.definition.frequency ?? FREQUENCY_MINIMUM, FREQUENCY_MINIMUM) - 2
}

/** Whether the composite fires. Marks stored events and fills `outcome`. */
export function searchHistory(rule: CompiledRule, search: HistorySearch, event: Event, session: Session | null, evaluator: ConditionEvaluator, outcome: SearchOutcome): boolean {
  const need = neededEvents(rule)
  outcome.previous = []
  outcome.counted = 0
  if (session === null) return false
  const history = historyOf(rule, search, session)
  if (history === undefined) return false
  const { timeframe, globalFrequency } = rule.definition
  const inMemory = search.kind === 'memory'
  const comparison = comparisonOf(rule, event, evaluator)
  if ('kind' in comparison) {
    if (inMemory && !globalFrequency && searchesWithoutValue(rule, evaluator)) noteOtherAgent(rule, event, history)
    return false
  }
  const times = search.kind === 'group' ? (session.groupHistory.get(rule.index)?.times ?? null) : null
  let counted = 0
  let firstCounted: StoredEvent | null = null
  let metOtherAgent = false
  for (let i = history.length - 1; i >= 0; i--) {
    const stored = history[i]
    if (event.received - stored.received > timeframe) break
    if (!globalFrequency && stored.agentId !== event.agentId) {
      // In the memory of all events Wazuh hangs at the first event of another agent, even if the pattern does not match it (BEHAVIOUR.md#frequency).
      if (inMemory && !metOtherAgent) {
        metOtherAgent = true
        event.noteCrash('other_agent', rule.definition)
      }
      continue
    }
    if (search.kind === 'memory') {
      if (stored.type !== event.type) continue
      if (search.expression !== null && !search.expression.test(stored.log, foldCase(stored.log), 0)) continue
    }
    if (unequalValue(comparison, stored) !== null) continue
    if (stored.mark >= rule.level) break
    for (let left = times === null ? 1 : times[i]; left > 0; left--) {
      if (outcome.previous.length < PREVIOUS_LIMIT && (!inMemory || counted < need)) outcome.previous.push(stored.fullLog)
      if (counted < need) {
        counted++
        outcome.counted = counted
        firstCounted ??= stored
        continue
      }
      outcome.mark = rule.level
      if (firstCounted !== null) firstCounted.mark = rule.level
      return true
    }
  }
  outcome.previous = []
  return false
}

/** Whether the search of a composite may depend on earlier events: one without a source, or without a value to compare, finds none. */
export function searchesAnything(rule: CompiledRule, search: HistorySearch, event: Event, evaluator: ConditionEvaluator): boolean {
  if (search.kind === 'unwired') return false
  return search.kind === 'memory' || !('kind' in comparisonOf(rule, event, evaluator))
}

/** Whether all that the event lacks are the values of `same_user` and `same_field`, which Wazuh misses only in the search. Without another one it does not search. */
function searchesWithoutValue({ same }: CompiledRule, evaluator: ConditionEvaluator): boolean {
  return same.every((subject) => subject === SUBJECT_USER || evaluator.text(subject) !== undefined)
}

/** Records that Wazuh's search hangs at an event of another agent, although nothing can be counted. */
function noteOtherAgent({ definition }: CompiledRule, event: Event, memory: readonly StoredEvent[]): void {
  for (let i = memory.length - 1; i >= 0 && event.received - memory[i].received <= definition.timeframe; i--) {
    if (memory[i].agentId !== event.agentId) return event.noteCrash('other_agent', definition)
  }
}

/** The stored events that a composite searches, newest last. */
export function historyOf(rule: CompiledRule, search: HistorySearch, session: Session): readonly StoredEvent[] | undefined {
  switch (search.kind) {
    case 'rule':
      return session.ruleHistory.get(search.target)
    case 'group':
      return session.groupHistory.get(rule.index)?.events
    case 'memory':
      return session.memory
    case 'unwired':
      return undefined
  }
}

/** How a composite compares an event with a stored one: `same_*`, `different_*`, `same_field` or `different_field`. */
export type ComparisonKind = 'same' | 'different' | 'sameField' | 'differentField'

/** One value that must, or must not, be equal in both events. */
export interface Compared<T = string> {
  readonly kind: ComparisonKind
  /** Subject, or number of a field. */
  readonly of: number
  readonly text: T
}

/** The values that `same_*` and `different_*` of a rule compare with stored events, read from the event once. */
export interface Comparison {
  readonly same: readonly Compared[]
  readonly different: readonly Compared[]
  readonly sameFields: readonly Compared[]
  readonly differentFields: readonly Compared[]
  /** Quirk: a pair of events without any dynamic field fails. */
  readonly needsDynamic: boolean
}

const NOTHING: readonly Compared[] = []

/** The comparison of a pair of events without any dynamic field. */
const NO_DYNAMIC: Compared = { kind: 'differentField', of: -1, text: '' }

/** Returns the comparison, or the value of `same_*` that the event lacks: no stored event can pass then. */
export function comparisonOf(rule: CompiledRule, event: Event, evaluator: ConditionEvaluator): Comparison | Compared<undefined> {
  // Most composites compare one field, or none.
  const read = (kind: ComparisonKind, places: readonly number[], text: (of: number) => string | undefined): readonly Compared<string | undefined>[] =>
    places.length === 0 ? NOTHING : places.map((of) => ({ kind, of, text: text(of) }))
  const ofSubject = (subject: Subject): string | undefined => evaluator.text(subject)
  const ofField = (key: number): string | undefined => fieldOf(event, key)
  const same = read('same', rule.same, ofSubject)
  const sameFields = read('sameField', rule.sameKeys, ofField)
  const absent = same.find(isAbsent) ?? sameFields.find(isAbsent)
  if (absent !== undefined) return absent
  return {
    same: same as readonly Compared[],
    sameFields: sameFields as readonly Compared[],
    different: present(read('different', rule.different, ofSubject)),
    differentFields: present(read('differentField', rule.differentKeys, ofField)),
    needsDynamic: rule.differentKeys.length > 0 && event.names.length === 0,
  }
}

function present(values: readonly Compared<string | undefined>[]): readonly Compared[] {
  return values.length === 0 ? NOTHING : values.filter(isPresent)
}

function isPresent(compared: Compared<string | undefined>): compared is Compared {
  return compared.text !== undefined
}

function isAbsent(compared: Compared<string | undefined>): compared is Compared<undefined> {
  return compared.text === undefined
}

/** Returns the first value for which a stored event does not count; null: it counts. */
export function unequalValue({ same, different, sameFields, differentFields, needsDynamic }: Comparison, stored: StoredEvent): Compared | null {
  for (let i = 0; i < same.length; i++) if (same[i].text !== storedText(stored, same[i].of)) return same[i]
  for (let i = 0; i < different.length; i++) if (different[i].text === storedText(stored, different[i].of)) return different[i]
  for (let i = 0; i < sameFields.length; i++) if (sameFields[i].text !== stored.fields.get(sameFields[i].of)) return sameFields[i]
  if (needsDynamic && !stored.hasDynamic) return NO_DYNAMIC
  for (let i = 0; i < differentFields.length; i++) if (differentFields[i].text === stored.fields.get(differentFields[i].of)) return differentFields[i]
  return null
}

function fieldOf(event: Event, key: number): string | undefined {
  const at = event.keys.indexOf(key)
  return at < 0 ? undefined : event.valueAt(at)
}

function storedText(stored: StoredEvent, subject: Subject): string | undefined {
  if (subject === SUBJECT_LOCATION) return stored.location
  return subject >= SUBJECT_STATIC ? stored.statics[subject - SUBJECT_STATIC] : undefined
}
