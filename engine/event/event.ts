import { unescapeLower } from '../json/escapes.js'
import { cutValue, type FlatFields } from '../json/flat-fields.js'
import type { JsonWriter } from '../json/json-writer.js'
import { LOG_ROOM } from '../kernel/layout.js'
import { forgetLog, type LogHolder, searchedLog } from '../kernel/searched-text.js'
import type { Shape } from '../json/shape.js'
import { copyOf, foldCase } from '../source/byte-string.js'
import type { CompiledDecoder } from './decoder.js'
import type { CrashKind } from '../diagnostics/crashes.js'
import type { SourceText } from '../source/source-text.js'
import type { XmlElement } from '../xml/node.js'
import { STATIC_FIELDS } from './static-fields.js'

/** Event categories, set by decoders and tested by rules (BEHAVIOUR.md#decoder-tags, #rule-placement). */
export const DECODER_TYPES = ['syslog', 'firewall', 'ids', 'web-log', 'squid', 'windows', 'host-information', 'ossec'] as const
export type DecoderType = (typeof DECODER_TYPES)[number]

/** `alert` is the internal type of imported alerts (BEHAVIOUR.md#imported-alerts): no rule is tried, and `importedRule` is final. */
export type EventType = DecoderType | 'alert'

/** A rule or decoder at which Wazuh crashes or hangs for this event. */
export interface CrashNote {
  readonly kind: CrashKind
  /** The rule or decoder that was running. */
  readonly definition: { readonly source: SourceText; readonly element: XmlElement }
}

/** A decoder whose first fields have what an earlier event captured. */
export interface ForeignCaptures {
  readonly decoder: CompiledDecoder
  readonly count: number
}

/** Shared by all events without a crash, and by those without such a decoder. */
const NO_CRASHES: readonly CrashNote[] = []
const NO_FOREIGN: readonly ForeignCaptures[] = []

/** Shared by all events without dynamic fields, and never written: most plain text events need no lists. */
const NO_TEXTS: string[] = []
const NO_NUMBERS: number[] = []

/** Lists of a usual length, of which V8 makes others faster than it fills them. */
const NULLS: null[] = new Array<null>(512).fill(null)
const ZEROS: number[] = new Array<number>(512).fill(0)

/**
 * One log while the engine processes it: the received text, the results of pre-decoding, the fields of decoders. All texts are byte strings. An event exists
 * for one run; a session remembers it as a `StoredEvent`.
 */
export class Event implements LogHolder {
  #fullLog: string
  #log: string
  /** Prints both when they are read: few rules read the log of a Windows event. */
  #printLog: (() => string) | null = null
  /** Where `log` begins in `fullLog`, -1 if it is no part of it. */
  #logStart = 0
  /** Whether the byte before `log` is not a NUL. It decides where the text after an empty match begins (BEHAVIOUR.md#text-after-a-match). */
  logFollowsByte: boolean
  /** The received text, of which the header is a part, and where time and host of the header are in it, -1: nowhere. Few events need these as strings. */
  readonly #receivedText: string
  #timeStart = -1
  #timeEnd = -1
  #hostStart = -1
  #hostEnd = -1
  #hostname: string | undefined
  programName: string | undefined
  location: string
  agentId: string
  /** Seconds since the epoch at which the event was received. */
  readonly received: number

  /** The reported decoder (BEHAVIOUR.md#reported-decoder). */
  decoder: CompiledDecoder | null = null
  type: EventType = 'syslog'
  importedRule: number | null = null
  /** Rules and decoders at which Wazuh crashes or hangs on this event; this engine continues. */
  crashes: readonly CrashNote[] = NO_CRASHES
  /** Decoders that took the captures of an earlier event (BEHAVIOUR.md#captures-kept-between-searches). */
  foreignCaptures: readonly ForeignCaptures[] = NO_FOREIGN

  readonly statics: (string | undefined)[] = new Array(STATIC_FIELDS.length)
  /** Dynamic fields in the order of their assignment; the first of equal names is used. */
  names: readonly string[] = NO_TEXTS
  /** Number of each dynamic field's lower-case name, -1 if no rule uses it. */
  keys: readonly number[] = NO_NUMBERS
  /** Whether other events have the same two lists. */
  #isShared = false
  /** Their values; null: the value is cut out of `#source` when it is read (see `FlatFields`). */
  #texts: (string | null)[] = NO_TEXTS
  #starts: number[] = NO_NUMBERS
  #ends: number[] = NO_NUMBERS
  #source = ''

  #logLower: string | null = null

  constructor(fullLog: string, received: number) {
    this.#fullLog = fullLog
    this.#log = fullLog
    this.#receivedText = fullLog
    this.logFollowsByte = false
    this.received = received
    this.location = ''
    this.agentId = '000'
  }

  /** The time in the header, undefined: there is none. */
  get timestamp(): string | undefined {
    return this.#timeStart < 0 ? undefined : this.#receivedText.slice(this.#timeStart, this.#timeEnd)
  }

  /** Undefined if there was none in a header; the manager's name is used then. */
  get hostname(): string | undefined {
    if (this.#hostStart >= 0) {
      this.#hostname = this.#receivedText.slice(this.#hostStart, this.#hostEnd)
      this.#hostStart = -1
    }
    return this.#hostname
  }

  set hostname(name: string | undefined) {
    this.#hostStart = -1
    this.#hostname = name
  }

  /** Says where the time of the header is in the received text, -1: nowhere. */
  setTime(start: number, end: number): void {
    this.#timeStart = start
    this.#timeEnd = end
  }

  /** Says where the host of the header is in the received text. */
  setHost(start: number, end: number): void {
    this.#hostStart = start
    this.#hostEnd = end
  }

  /** The whole message as received. */
  get fullLog(): string {
    if (this.#printLog !== null) this.#print(this.#printLog)
    return this.#fullLog
  }

  /** The text that remains after pre-decoding; patterns without a field test it. */
  get log(): string {
    if (this.#printLog !== null) this.#print(this.#printLog)
    return this.#log
  }

  /** Whether the log is not printed yet. */
  get hasUnreadLog(): boolean {
    return this.#printLog !== null
  }

  #print(print: () => string): void {
    this.#printLog = null
    this.#fullLog = print()
    this.setLog(this.#fullLog)
  }

  /** Records a crash of Wazuh once for each cause: one rule may be tried at thousands of placements. */
  noteCrash(kind: CrashKind, definition: CrashNote['definition']): void {
    if (!this.crashes.some((known) => known.kind === kind && known.definition === definition)) this.crashes = [...this.crashes, { kind, definition }]
  }

  noteForeignCaptures(decoder: CompiledDecoder, count: number): void {
    this.foreignCaptures = [...this.foreignCaptures, { decoder, count }]
  }

  /** Adds a dynamic field. */
  addField(name: string, key: number, value: string): void {
    if (this.names === NO_TEXTS) this.clearFields()
    if (this.#isShared) {
      this.names = this.names.slice()
      this.keys = this.keys.slice()
      this.#isShared = false
    }
    const names = this.names as string[]
    const keys = this.keys as number[]
    names.push(name)
    keys.push(key)
    this.#texts.push(value)
  }

  /** Adds fields that were read from a text, the current log. @param limit maximum number of dynamic fields; further ones are dropped */
  addFields(fields: FlatFields, limit: number, source = this.log): void {
    const before = this.names.length
    if (before === 0 && fields.shape !== null) {
      this.#addShape(fields, fields.shape, limit, source)
      return
    }
    fields.fill()
    const { names, keys, texts, starts, ends } = fields
    const count = Math.min(fields.count, limit - before)
    if (before === 0) {
      this.names = names.slice(0, count)
      this.keys = keys.slice(0, count)
      this.#texts = texts.slice(0, count)
      this.#starts = starts.slice(0, count)
      this.#ends = ends.slice(0, count)
      this.#source = source
      this.#isShared = false
    } else for (let i = 0; i < count; i++) this.addField(names[i], keys[i], fields.valueAt(i, source))
  }

  /** The same for fields in the memory of the kernel, which the next text overwrites. */
  #addShape(fields: FlatFields, shape: Shape, limit: number, source: string): void {
    const { names, keys } = shape
    const count = Math.min(names.length, limit)
    this.#isShared = count === names.length
    this.names = this.#isShared ? names : names.slice(0, count)
    this.keys = this.#isShared ? keys : keys.slice(0, count)
    const isUsual = count <= NULLS.length
    this.#texts = isUsual ? NULLS.slice(0, count) : new Array<null>(count).fill(null)
    this.#starts = isUsual ? ZEROS.slice(0, count) : new Array<number>(count).fill(0)
    this.#ends = isUsual ? ZEROS.slice(0, count) : new Array<number>(count).fill(0)
    fields.copyValues(shape, this.#texts, this.#starts, this.#ends)
    this.#source = source
  }

  clearFields(): void {
    this.names = []
    this.keys = []
    this.#texts = []
    this.#isShared = false
  }

  /** Returns the value of the i-th dynamic field. */
  valueAt(index: number): string {
    const text = this.#texts[index]
    if (text !== null) return text
    const value = cutValue(this.#source, this.#starts[index], this.#ends[index])
    this.#texts[index] = value
    return value
  }

  /** Returns the value for a session that keeps the log: a part of another text would keep that as well. */
  keptValueAt(index: number): string {
    const value = this.valueAt(index)
    return this.#source === '' || this.#source === this.log ? value : copyOf(value)
  }

  /** Writes the value of the i-th dynamic field, which is not cut out for that. */
  writeValue(index: number, writer: JsonWriter): void {
    const text = this.#texts[index]
    const end = this.#ends[index]
    const start = this.#starts[index]
    const isPart = text === null && start >= 0
    if (isPart && end >= 0) writer.escaped(this.#source, start, end)
    else if (!isPart || !writer.partOfString(this.#source, start, -end)) writer.escaped(this.valueAt(index))
  }

  /** The values of the dynamic fields. */
  get values(): readonly string[] {
    return this.#texts.map((_, index) => this.valueAt(index))
  }

  /** Where the i-th dynamic field begins in the log, -1: it is no part of that. Its length is then that of the part. */
  startInLog(index: number): number {
    const start = this.#starts[index]
    return start >= 0 && this.#ends[index] > start && this.#source === this.#log ? start : -1
  }

  /** Length of the part. */
  lengthInLog(index: number): number {
    return this.#ends[index] - this.#starts[index]
  }

  /** The lower-case text of the i-th dynamic field. */
  lowerAt(index: number): string {
    const start = this.#starts[index]
    const end = this.#ends[index]
    // A value without escapes is a part of the log, of which the folded text may be known.
    if (start >= 0 && end > start && this.#logLower !== null && this.#source === this.#log) return this.#logLower.slice(start, end)
    const unescaped = start >= 0 && end < 0 ? unescapeLower(this.#source, start, -end) : null
    return unescaped ?? foldCase(this.valueAt(index))
  }

  /** `log` in lower case. Patterns read its bytes (`searchedLog`), so that few events need this text. */
  get logLower(): string {
    if (this.#logLower === null) {
      const { log } = this
      this.#logLower = log.length > LOG_ROOM ? foldCase(log) : searchedLog(this).lower
    }
    return this.#logLower
  }

  get knownLower(): string | null {
    return this.#logLower
  }

  get logStart(): number {
    return this.#logStart
  }

  /** Replaces the whole message and the log text; some plugins do so. */
  replaceLogs(text: string): void {
    this.#fullLog = text
    this.setLog(text)
  }

  /** The same with a text that is printed when it is read. */
  deferLogs(print: () => string): void {
    this.#printLog = print
    this.setLog('')
  }

  /** Replaces the log text by another one. */
  setLog(log: string): void {
    this.#log = log
    this.#logStart = -1
    this.#forgetLower()
  }

  /** Makes the log a part of the full one. */
  cutLog(start: number, end = this.#fullLog.length): void {
    this.#log = this.#fullLog.slice(start, end)
    this.#logStart = start
    this.#forgetLower()
  }

  #forgetLower(): void {
    this.#logLower = null
    forgetLog(this)
  }
}
