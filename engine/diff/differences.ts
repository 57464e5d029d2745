/** What differences mean for people: the kind of each, one event for each kind, and the alerts that are lost, gained and changed. */
import type { BehaviourItem } from './behaviour.js'
import type { BehaviourRecord, ItemRecord } from './behaviour-record.js'

/** The effects of a change on an event, the worst first: the alert is lost, a new alert, another rule, level, decoder or fields. */
export const EFFECTS = ['lost', 'gained', 'moved', 'level', 'decoder', 'fields'] as const
export type Effect = (typeof EFFECTS)[number]

/** What a change does, with one event that shows it. */
export interface Difference {
  readonly effect: Effect
  readonly record: BehaviourRecord
  /** Further items with the same kind of difference. */
  readonly others: readonly ItemRecord[]
}

/** Returns the worst effect that a difference has on the last event. */
export function effectOf({ old, new: now, alert }: Pick<BehaviourRecord, 'old' | 'new' | 'alert'>): Effect {
  if (alert?.old === true && !alert.new) return 'lost'
  if (alert?.old === false && alert.new) return 'gained'
  if (old?.rule_id !== now?.rule_id) return 'moved'
  if (old?.level !== now?.level) return 'level'
  return old?.decoder !== now?.decoder ? 'decoder' : 'fields'
}

/** A record for each difference of an item. */
function eachOf(record: BehaviourRecord): BehaviourRecord[] {
  return [record, ...record.more.map((other) => ({ ...record, ...other, more: [] }))]
}

/** One event for each kind of difference between the same answers, that of the first record. */
export function differencesOf(records: readonly BehaviourRecord[]): Difference[] {
  const shown = new Map<string, { effect: Effect; record: BehaviourRecord; others: ItemRecord[] }>()
  for (const record of records.filter(({ result }) => result === 'differs').flatMap(eachOf)) {
    const effect = effectOf(record)
    const key = JSON.stringify([effect, record.old?.rule_id, record.new?.rule_id])
    const known = shown.get(key)
    if (known === undefined) shown.set(key, { effect, record, others: [] })
    else if (![known.record.item, ...known.others].some((item) => isSameItem(item, record.item))) known.others.push(record.item)
  }
  return [...shown.values()]
}

function isSameItem(one: ItemRecord, other: ItemRecord): boolean {
  return 'rule_id' in one ? 'rule_id' in other && one.rule_id === other.rule_id : 'decoder' in other && one.decoder === other.decoder
}

/** Ids of rules, each once. */
export interface AlertChanges {
  /** Rules that no longer alert on a known event. */
  readonly lost: readonly string[]
  /** Rules that now alert on a known event that did not alert before. */
  readonly gained: readonly string[]
  /** Rules whose known event now alerts with another rule, level, decoder or other fields. */
  readonly changed: readonly string[]
}

/** Returns the rules that lose, gain or change an alert, by the differences of a comparison. */
export function alertChanges(items: readonly BehaviourItem[]): AlertChanges {
  const found = { lost: new Set<string>(), gained: new Set<string>(), changed: new Set<string>() }
  for (const difference of items.flatMap(({ difference, more }) => (difference === null ? [] : [difference, ...more]))) {
    const { old, new: now, alert } = difference
    const [kind, answer] = !alert.new ? (['lost', old] as const) : alert.old ? (['changed', old] as const) : (['gained', now] as const)
    if ((alert.old || alert.new) && answer !== null && answer.rule_id !== null) found[kind].add(answer.rule_id)
  }
  return { lost: [...found.lost], gained: [...found.gained], changed: [...found.changed] }
}
