import type { Event } from '../../event/event.js'
import type { FlatFields } from '../../json/flat-fields.js'
import type { JsonPath } from '../../json/paths.js'
import type { CompiledDecoder } from '../../event/decoder.js'

/** The interface that a running plugin uses. */
export interface PluginContext {
  readonly event: Event
  /** The reported decoder: its offset and JSON options apply (BEHAVIOUR.md#plugin-decoders). */
  readonly reported: CompiledDecoder
  /** Offsets in the log; -1: none. */
  readonly afterParent: number
  readonly afterPrematch: number
  /** Names of JSON members, cached in the ruleset. */
  readonly jsonRoot: JsonPath
  readonly flatFields: FlatFields
  /** Sets a static field. */
  setStatic(index: number, value: string): void
  /** Adds dynamic fields that were read from the log; fields above the limit are dropped. */
  addFields(fields: FlatFields): void
  /** Whether that rule is loaded. For imported alerts. */
  knowsRule(id: number): boolean
}

/** A built-in extractor. It throws for no event. */
export type Plugin = (context: PluginContext) => void
