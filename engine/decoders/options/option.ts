/**
 * The declaration of a decoder option. Each file beside this one declares one option, or one family of options that differ by a name: how it is parsed,
 * checked, described and compared, and examples that run as tests (`test/engine/decoders/options.test.ts`). `index.ts` is the table of all options.
 */
import type { XmlElement } from '../../xml/node.js'
import type { TagOption } from '../../xml/tag-option.js'
import type { DecoderDefinition } from '../../event/decoder.js'
import type { DecoderReader } from '../parse.js'
import type { DecoderReporter } from '../reporter.js'

/** A decoder named `example` with the option and events, which run as a test. */
export interface DecoderExample {
  /** The option. */
  readonly xml: string
  /** Other tags of the decoder. */
  readonly around?: string
  /** Decoders that load before it. */
  readonly before?: string
  /** For each event, in one session, the decoder that is reported (null = none) and the fields that it sets. */
  readonly events: readonly { readonly event: string; readonly decoder: string | null; readonly fields?: Readonly<Record<string, string>> }[]
}

export interface DecoderOption extends TagOption {
  /** The tag affects only the decoder that is reported for the event: the root, or the child that its prematch selected. */
  readonly onlyReported?: boolean
  /** Whether a tag beside an earlier one replaces it, if not every one does. */
  repeatCounts?(element: XmlElement): boolean
  /** The first one is short and shows the usual form. */
  readonly examples: readonly [DecoderExample, ...DecoderExample[]]
  /** Parses one tag into `reader.draft`. */
  read(reader: DecoderReader, element: XmlElement): void
  /** Checks this option alone, on a decoder that has the tag. */
  check?(reporter: DecoderReporter): void
  /** Returns the meaning of the option in the decoder, as JSON: equal for two decoders if Wazuh treats them alike. Undefined: as if the tag were absent. */
  meaning(definition: DecoderDefinition): unknown
}

/** An option whose value only its own code interprets: the value is stored under the option itself, see `DecoderDefinition.valueOf`. */
export interface ValueOption<V> extends DecoderOption {
  /** The value if the tag is absent. */
  readonly byDefault: V
}

/** Returns the meaning of a value option. */
export function meaningOf<V>(definition: DecoderDefinition, option: ValueOption<V>): V | undefined {
  const value = definition.valueOf(option)
  return value === option.byDefault ? undefined : value
}
