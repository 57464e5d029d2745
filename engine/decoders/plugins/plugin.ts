import type { Event } from '../../event/event.js'
import type { FlatFields } from '../../json/flat-fields.js'
import type { JsonPath } from '../../json/paths.js'
import type { CompiledDecoder } from '../../event/decoder.js'

/** What a plugin may use while it runs. */
export interface PluginContext {
  readonly event: Event
  /** The decoder that answers for the event: its offset and json options count (BEHAVIOUR.md#plugin-decoders). */
  readonly reported: CompiledDecoder
  /** Offsets in the log; -1 when there is none. */
  readonly afterParent: number
  readonly afterPrematch: number
  /** Names of JSON members, remembered by the ruleset. */
  readonly jsonRoot: JsonPath
  readonly flatFields: FlatFields
  /** Sets a static field. */
  setStatic(index: number, value: string): void
  /** Adds dynamic fields that were read from the log; over the capacity they are dropped. */
  addFields(fields: FlatFields): void
  /** Is that rule loaded? For imported alerts. */
  knowsRule(id: number): boolean
}

/** A built-in extractor. It never throws, whatever the event holds. */
export type Plugin = (context: PluginContext) => void
