import { cutValue, type FlatFields } from '../json/flat-fields.js'
import { foldCase } from '../source/byte-string.js'
import type { CompiledDecoder } from './decoder.js'
import type { CrashKind } from '../diagnostics/crashes.js'
import type { SourceText } from '../source/source-text.js'
import type { XmlElement } from '../xml/node.js'
import { STATIC_FIELDS } from './static-fields.js'

/** Categories that decoders give events and rules ask for (BEHAVIOUR.md#decoder-tags, #rule-placement). */
export const DECODER_TYPES = ['syslog', 'firewall', 'ids', 'web-log', 'squid', 'windows', 'host-information', 'ossec'] as const
export type DecoderType = (typeof DECODER_TYPES)[number]

/** `alert` is the internal type of imported alerts (BEHAVIOUR.md#imported-alerts): no rule is tried, `importedRule` answers. */
export type EventType = DecoderType | 'alert'

/** Something in a rule or decoder on which Wazuh itself crashes or hangs, for this event. */
export interface CrashNote {
  readonly kind: CrashKind
  /** What was at work. */
  readonly definition: { readonly source: SourceText; readonly element: XmlElement }
}

/** Shared by all events on which nothing crashes. */
const NO_CRASHES: readonly CrashNote[] = []

/** Shared by all events without dynamic fields, and never written to: most plain text events need no lists of their own. */
const NO_TEXTS: string[] = []
const NO_NUMBERS: number[] = []

/**
 * One log on its way through the engine: what was received, what pre-decoding took from it, what decoders found. All texts are byte
 * strings. An event lives for one run; what is remembered of it is a `StoredEvent`.
 */
export class Event {
  /** The whole message as received. */
  fullLog: string
  /** What remains after pre-decoding; patterns without a field run on it. */
  log: string
  /** Is the byte in memory before `log` anything but NUL? Decides where text goes on after an empty match (BEHAVIOUR.md#text-after-a-match). */
  logFollowsByte: boolean
  timestamp: string | undefined
  /** Undefined: no header gave one, the manager's own name stands for it. */
  hostname: string | undefined
  programName: string | undefined
  location: string
  agentId: string
  /** Seconds since the epoch at which the event was received. */
  readonly received: number

  /** The decoder that answers for the event (BEHAVIOUR.md#reported-decoder). */
  decoder: CompiledDecoder | null = null
  type: EventType = 'syslog'
  importedRule: number | null = null
  /** Where Wazuh crashes or hangs on this event; the engine goes on as if it did not. */
  crashes: readonly CrashNote[] = NO_CRASHES

  readonly statics: (string | undefined)[] = new Array(STATIC_FIELDS.length)
  /** Dynamic fields in the order in which they were found; the first of a name is the one that counts. */
  names: string[] = NO_TEXTS
  /** Interned lower-case name of each dynamic field, -1 when no rule knows it. */
  keys: number[] = NO_NUMBERS
  /** Their values; null = it is cut out of `#source` when somebody looks at it (see `FlatFields`). */
  #texts: (string | null)[] = NO_TEXTS
  #starts: number[] = NO_NUMBERS
  #ends: number[] = NO_NUMBERS
  #source = ''

  #logLower: string | null = null

  constructor(fullLog: string, received: number) {
    this.fullLog = fullLog
    this.log = fullLog
    this.logFollowsByte = false
    this.received = received
    this.location = ''
    this.agentId = '000'
  }

  /** Notes a crash of Wazuh's, once for what causes it: one rule may be tried at thousands of places. */
  noteCrash(kind: CrashKind, definition: CrashNote['definition']): void {
    if (!this.crashes.some((known) => known.kind === kind && known.definition === definition)) this.crashes = [...this.crashes, { kind, definition }]
  }

  /** Adds a dynamic field. */
  addField(name: string, key: number, value: string): void {
    if (this.names === NO_TEXTS) this.clearFields()
    this.names.push(name)
    this.keys.push(key)
    this.#texts.push(value)
  }

  /** Adds fields that were read from the present log. @param limit of all dynamic fields; what is above it is dropped */
  addFields(fields: FlatFields, limit: number): void {
    const { names, keys, texts, starts, ends } = fields
    const before = this.names.length
    const count = Math.min(fields.count, limit - before)
    if (before === 0) {
      this.names = names.slice(0, count)
      this.keys = keys.slice(0, count)
      this.#texts = texts.slice(0, count)
      this.#starts = starts.slice(0, count)
      this.#ends = ends.slice(0, count)
      this.#source = this.log
    } else for (let i = 0; i < count; i++) this.addField(names[i], keys[i], fields.valueAt(i, this.log))
  }

  clearFields(): void {
    this.names = []
    this.keys = []
    this.#texts = []
  }

  /** The value of the i-th dynamic field. */
  valueAt(index: number): string {
    const text = this.#texts[index]
    if (text !== null) return text
    const value = cutValue(this.#source, this.#starts[index], this.#ends[index])
    this.#texts[index] = value
    return value
  }

  /** The values of the dynamic fields. */
  get values(): readonly string[] {
    return this.#texts.map((_, index) => this.valueAt(index))
  }

  /** `log` in lower case. */
  get logLower(): string {
    this.#logLower ??= foldCase(this.log)
    return this.#logLower
  }

  /** Replaces the log text, as some plugins do. */
  setLog(log: string): void {
    this.log = log
    this.#logLower = null
  }
}
