/** What composites may read of a stored event, as JSON that is small: it is sent from the thread that ran the event to the one that has the session. */
import type { Event, EventType } from '../event/event.js'
import type { StoredEvent } from '../match/session.js'
import { SUBJECT_STATIC } from '../rules/condition.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'

/** `log` is empty if no composite searches it. Static fields are pairs of position and value, dynamic ones of number and value, in lists that are flat. */
export type StoredForm = readonly [
  agentId: string,
  type: EventType,
  location: string,
  fullLog: string,
  log: string,
  hasDynamic: 0 | 1,
  statics: readonly (number | string)[],
  fields: readonly (number | string)[],
]

const NO_FIELDS: ReadonlyMap<number, string> = new Map()
const NO_STATICS: readonly string[] = []

/** The forms of events of one ruleset. */
export class StoredForms {
  readonly #wiring: CompiledRuleset['rules']['wiring']
  /** Whether a composite searches all events, by their logs. */
  readonly #searchesLogs: boolean
  /** Positions of static fields, and numbers of dynamic ones, that a composite compares. */
  readonly #statics: ReadonlySet<number>
  readonly #keys: ReadonlySet<number>

  constructor({ rules }: CompiledRuleset) {
    const composites = rules.inOrder().filter(({ search }) => search !== null)
    this.#wiring = rules.wiring
    this.#searchesLogs = composites.some(({ search }) => search?.kind === 'memory')
    this.#statics = new Set(composites.flatMap(({ same, different }) => [...same, ...different].map((subject) => subject - SUBJECT_STATIC).filter((index) => index >= 0)))
    this.#keys = new Set(composites.flatMap(({ sameKeys, differentKeys }) => [...sameKeys, ...differentKeys]))
  }

  /** The form of an event with this final rule. Null: no composite reads more of it than its time. */
  of(event: Event, { index, level }: CompiledRule): StoredForm | null {
    const { matched, feeds } = this.#wiring
    if (level === 0 || !(this.#searchesLogs || matched.has(index) || feeds.has(index))) return null
    const statics: (number | string)[] = []
    for (const at of this.#statics) {
      const value = event.statics[at]
      if (value !== undefined) statics.push(at, value)
    }
    const fields: (number | string)[] = []
    const { keys } = event
    // If a name occurs several times, its first value is used.
    for (let i = 0; i < keys.length; i++) if (this.#keys.has(keys[i]) && keys.indexOf(keys[i]) === i) fields.push(keys[i], event.valueAt(i))
    return [event.agentId, event.type, event.location, event.fullLog, this.#searchesLogs ? event.log : '', event.names.length > 0 ? 1 : 0, statics, fields]
  }
}

/** @param form null: no composite reads anything of the event but its time */
export function toStored(form: StoredForm | null, sequence: number, received: number): StoredEvent {
  if (form === null)
    return { sequence, received, agentId: '', type: 'syslog', log: '', fullLog: '', location: '', statics: NO_STATICS, fields: NO_FIELDS, hasDynamic: false, mark: 0 }
  const [agentId, type, location, fullLog, log, hasDynamic, staticPairs, fieldPairs] = form
  const statics: (string | undefined)[] = []
  for (let i = 0; i < staticPairs.length; i += 2) statics[staticPairs[i] as number] = staticPairs[i + 1] as string
  let fields = NO_FIELDS
  if (fieldPairs.length > 0) {
    const read = new Map<number, string>()
    for (let i = 0; i < fieldPairs.length; i += 2) read.set(fieldPairs[i] as number, fieldPairs[i + 1] as string)
    fields = read
  }
  return { sequence, received, agentId, type, log, fullLog, location, statics, fields, hasDynamic: hasDynamic === 1, mark: 0 }
}
