/**
 * The state that is remembered from event to event (BEHAVIOUR.md#event-memory, #histories, #change-detection, #first-time-seen, #accumulate,
 * #captures-kept-between-searches). Plain data: it may be copied to another thread, and the same events in the same order always lead to the same state.
 */
import type { KeptCaptures } from '../decoders/match.js'
import type { Event, EventType } from '../event/event.js'
import { copyOf } from '../source/byte-string.js'

/** Number of events remembered for history searches (`memory_size`). */
export const MEMORY_SIZE = 8192
/** Minimum number of events that are dropped when the memory is full. */
const MEMORY_TRIM = 10
/** Number of keys remembered by if_fts, check_diff and accumulate together; the oldest are removed first. */
export const KEY_LIMIT = 20_000

/** An event that ended in a rule of a level above 0. */
export interface StoredEvent {
  /** Counts up from 0 in a session. */
  readonly sequence: number
  readonly received: number
  readonly agentId: string
  readonly type: EventType
  readonly log: string
  readonly fullLog: string
  readonly location: string
  readonly statics: readonly (string | undefined)[]
  /** Numbers and values of the dynamic fields that rules use; only the first of each name. */
  readonly fields: ReadonlyMap<number, string>
  /** Whether the event had any dynamic field. */
  readonly hasDynamic: boolean
  /** Level of the composite that last fired on it or ended its search at it; 0 = none. */
  mark: number
}

/** Fields of an earlier event with the same id (BEHAVIOUR.md#accumulate). */
export interface Accumulated {
  readonly values: (string | undefined)[]
  updated: number
}

/** A group history: events, newest last, and how often each counts (once per placement of its rule). */
export interface GroupHistory {
  readonly events: StoredEvent[]
  readonly times: number[]
}

/** The state that the engine keeps between events. It is plain data, belongs to the caller, and works only with its ruleset. */
export interface Session extends KeptCaptures {
  /** Rule index to number of final answers. */
  readonly fired: Map<number, number>
  /** Rule index to the second at which its `ignore` window began. */
  readonly silenced: Map<number, number>
  readonly memory: StoredEvent[]
  /** Remembered events by index of the counted rule, and by index of the composite, the newest last. */
  readonly ruleHistory: Map<number, StoredEvent[]>
  readonly groupHistory: Map<number, GroupHistory>
  readonly seen: Set<string>
  readonly idsKeys: string[]
  readonly lastLogs: Map<string, string>
  readonly accumulated: Map<string, Accumulated>
  nextSequence: number
}

/** Returns an empty session. */
export function createSession(): Session {
  return {
    fired: new Map(),
    silenced: new Map(),
    memory: [],
    ruleHistory: new Map(),
    groupHistory: new Map(),
    seen: new Set(),
    idsKeys: [],
    lastLogs: new Map(),
    accumulated: new Map(),
    captures: [],
    hasCaptured: false,
    nextSequence: 0,
  }
}

/** Adds a key to a bounded map; the oldest key is removed when it is full. */
export function rememberKey<V>(map: Map<string, V>, key: string, value: V): void {
  const isNew = !map.has(key)
  if (isNew && map.size >= KEY_LIMIT) {
    const oldest = map.keys().next().value
    if (oldest !== undefined) map.delete(oldest)
  }
  map.set(isNew ? copyOf(key) : key, value)
}

/** Returns the stored form of an event. */
export function toStoredEvent(event: Event, sequence: number, mark: number): StoredEvent {
  const fields = new Map<number, string>()
  for (let i = 0; i < event.keys.length; i++) if (event.keys[i] >= 0 && !fields.has(event.keys[i])) fields.set(event.keys[i], event.keptValueAt(i))
  return {
    sequence,
    received: event.received,
    agentId: event.agentId,
    type: event.type,
    log: event.log,
    fullLog: event.fullLog,
    location: event.location,
    statics: event.statics.slice(),
    fields,
    hasDynamic: event.names.length > 0,
    mark,
  }
}

/**
 * Adds an event to the memory and drops old ones. If the memory is full, at least ten are dropped, and further ones while their age in seconds exceeds
 * the largest frequency (BEHAVIOUR.md#event-memory).
 * @param oldestAge largest `frequency - 2` of all rules
 */
export function remember(session: Session, stored: StoredEvent, oldestAge: number): void {
  const { memory } = session
  memory.push(stored)
  if (memory.length <= MEMORY_SIZE) return
  let drop = MEMORY_TRIM
  while (drop < memory.length - 1 && stored.received - memory[drop].received > oldestAge) drop++
  memory.splice(0, drop)
  const first = memory[0].sequence
  for (const [index, events] of session.ruleHistory) {
    const droppedCount = countBefore(events, first)
    if (droppedCount === events.length) session.ruleHistory.delete(index)
    else if (droppedCount > 0) events.splice(0, droppedCount)
  }
  for (const [index, { events, times }] of session.groupHistory) {
    const droppedCount = countBefore(events, first)
    if (droppedCount === events.length) session.groupHistory.delete(index)
    else if (droppedCount > 0) {
      events.splice(0, droppedCount)
      times.splice(0, droppedCount)
    }
  }
}

/** Returns the number of events of a history that are older than the event of this number. */
function countBefore(events: readonly StoredEvent[], sequence: number): number {
  let count = 0
  while (count < events.length && events[count].sequence < sequence) count++
  return count
}

/** Appends to the history of the counted rule. */
export function appendRuleHistory({ ruleHistory }: Session, index: number, stored: StoredEvent): void {
  const history = ruleHistory.get(index)
  if (history === undefined) ruleHistory.set(index, [stored])
  else history.push(stored)
}

/** Appends to the history of a composite. @param times how often the event counts; a number, because a rule may have 100,000 placements */
export function appendGroupHistory({ groupHistory }: Session, composite: number, stored: StoredEvent, times: number): void {
  const history = groupHistory.get(composite)
  if (history === undefined) groupHistory.set(composite, { events: [stored], times: [times] })
  else {
    history.events.push(stored)
    history.times.push(times)
  }
}
