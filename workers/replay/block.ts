/** The messages of a replay between the main thread, which reads the sources and has the session, and the threads that run the events. */
import type { RecordFault, RecordFields, SourceFile, StoredForm } from '#engine'

/** Whether events are received at the times that they have, or at a fixed start and then a fixed step each. */
export type ReplayClock = 'event' | 'arrival'

/** The files of a content: those of the base, and those on top of it. */
export interface ReplayContent {
  readonly defaults: readonly SourceFile[]
  readonly custom: readonly SourceFile[]
}

/** What a thread is started with. */
export interface ReplayThreadData {
  /** Each block is run through all of them. Alerts are those of the first one. */
  readonly contents: readonly ReplayContent[]
  readonly fields: RecordFields
  readonly clock: ReplayClock
  /** What an alert has; null: everything. */
  readonly select: readonly string[] | null
}

/** Whole lines of one source. */
export interface Block {
  /** In memory that threads share; other memory is copied. */
  readonly bytes: Uint8Array
  /** Number of lines in it, and of the first one in its source, from 1. */
  readonly lines: number
  readonly firstLine: number
  /** Seconds since the epoch at which its first line arrives, by the clock `arrival`. */
  readonly seconds: number
  /** Name of the source, as JSON. */
  readonly source: string
}

/** Why a line was not run: it is no event, or Wazuh drops it (`dropped`), or it is too long to be read. */
export type LineFault = RecordFault | 'dropped' | 'too_long'

/** Bits of what is known of an event. */
export const EVENT = {
  /** Its rule depends on earlier events. */
  marked: 1,
  /** It has no time of its own. */
  timeless: 2,
  /** A decoder may take what an earlier event captured. */
  lacksCaptures: 4,
  /** No decoder was tried, so what was captured before stays. */
  keepsCaptures: 8,
  /** Its line is not in the bytes any more, because nothing reads it again. */
  textless: 16,
} as const

/** Runs a block in the thread of the caller. There is an answer for each content. */
export type RunHere = (block: Block) => readonly BlockAnswer[]

/** How many events there are of a kind, and the first of them. */
export interface Cluster {
  readonly template: string
  count: number
  readonly example: string
}

/** What a content makes of a block. Lists have an entry for each event, in the order of the block. */
export interface BlockAnswer {
  /** The bytes of the block. */
  readonly bytes: Uint8Array
  readonly count: number
  readonly states: Uint8Array
  /** Index of the final rule, -1 = none, or not known. */
  readonly rules: Int32Array
  /** When they are received. */
  readonly seconds: Float64Array
  /** Lines in the block, from 0. */
  readonly lines: Uint32Array
  /** Where their lines are in the bytes. */
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  /** Positions in `hosts`. */
  readonly hostOf: Uint32Array
  /** Lines of possible alerts, one after another, and where those of each event end. */
  readonly alerts: Uint8Array
  readonly alertEnds: Uint32Array
  /** Where in `alerts` the number of times belongs that the rule has fired. */
  readonly places: Uint32Array
  /** What composites may read of events, by the positions of the events. */
  readonly stored: ReadonlyMap<number, StoredForm>
  /** Names of hosts and decoders with their events; the empty name is that of none. */
  readonly hosts: readonly (readonly [name: string, events: number])[]
  readonly decoders: readonly (readonly [name: string, events: number])[]
  /** Events that no decoder knows. */
  readonly unknown: readonly Cluster[]
  readonly faults: readonly (readonly [fault: LineFault, line: number])[]
  /** Lines that are not UTF-8, and the first of them, in the block. */
  readonly notUtf8: number
  readonly firstNotUtf8: number
}

/** Bytes of a source in which its first time is looked for. */
export const BEGINNING_BYTES = 64 * 1024
/** Seconds at which the first line arrives by the clock `arrival`, and between two lines. */
export const ARRIVAL_START = 1_700_000_000
export const ARRIVAL_STEP = 1
