/**
 * The messages between the main thread and a pooled thread. Invariants:
 *  1. plain data only, which structured clone can copy; an Error is never sent, it is flattened first (`failure.ts`)
 *  2. every task gets exactly one reply, unless its thread ends; a reply is a value, never an exception
 *  3. a task names the data that it needs (disk content, ruleset, session state) and carries it only if the thread probably lacks it. A thread that lacks it
 *     replies so and does nothing, and is sent the task again with all data
 *  4. answers are UTF-8 JSON in shared memory (`buffers.ts`), or in separate memory that is moved and not copied
 */
import type { Diagnostic, Locale, LogtestInput, SourceFile } from '#engine'
import type { AnalysisRequest, BodyKind, RulesetFiles } from '../requests/analysis-request.js'
import type { Refusal } from '../requests/read-request.js'
import type { AnswerPlace } from './buffers.js'

/** Both sides are from one build. A mismatch is a faulty deployment, and is answered as a fault. */
export const PROTOCOL_VERSION = 4

/** The instance's own content, read from its two folders. */
export interface DiskContent {
  /** Hash of the content: equal files have equal ids. */
  readonly id: string
  /** Hashes of the two folders. */
  readonly defaultsId: string
  readonly customId: string
  readonly defaults: readonly SourceFile[]
  readonly custom: readonly SourceFile[]
}

/** What the checks have found in the default content. Every thread has the same content, so only one runs the checks, and the others take over the result. */
export interface BaseChecks {
  /** Hash of the compiled ruleset. */
  readonly hash: string
  readonly diagnostics: readonly Diagnostic[]
}

/** Where a request's own files are: as values, or in the shared bytes of the body. */
export type FileSource = { readonly files: readonly SourceFile[] } | { readonly body: SharedArrayBuffer; readonly of: BodyKind }

/** The ruleset that a task uses. */
export interface RulesetReference {
  /** As returned by `rulesetKey`. */
  readonly key: string
  /** The organization whose share of the cache it uses. */
  readonly organization: string
  readonly diskId: string
  readonly includeDefaults: boolean
  readonly includeCustom: boolean
  /** The request's own files; null: the thread has the ruleset of that key. */
  source: FileSource | null
  /** Sent if the thread may lack it. */
  disk: DiskContent | null
  /** Why the custom content is not that of its folder; absent: it is, or it was not requested. */
  readonly notice?: ContentNotice
}

/** The custom folder does not load. Every answer to a request that uses custom content has a diagnostic about it. */
export interface ContentNotice {
  /** `stale`: older custom content is used; `left_out`: none is. */
  readonly state: 'stale' | 'left_out'
  /** ISO 8601. */
  readonly since: string
}

/** An answered input of a session, with the data that a replay needs. */
export interface JournalEntry {
  readonly input: LogtestInput
  readonly seconds: number
}

/** State from which a thread continues: the bytes of `v8.serialize`, and the inputs since then. */
export interface SessionState {
  readonly snapshot: Uint8Array | null
  readonly journal: readonly JournalEntry[]
}

export interface SessionReference {
  readonly key: string
  /** The organization whose share of the thread's memory it uses. */
  readonly organization: string
  /** Number of inputs answered so far. A thread whose state has another version does not have the session. */
  readonly version: number
  /** Null: the thread has it. */
  state: SessionState | null
  /** Whether the reply must contain a snapshot of the state after this task. */
  readonly wantSnapshot: boolean
  /** The session was discarded and starts again, and its caller does not know it yet. */
  readonly isLost: boolean
}

/** Data that every task has. */
export interface TaskHead {
  readonly version: typeof PROTOCOL_VERSION
  readonly locale: Locale
  readonly ruleset: RulesetReference
  /** Milliseconds in which the main thread prepared the files. */
  readonly prepareMs: number
}

/** Data of a task whose request may be the bytes of a body, which the thread reads. Its ruleset then names the disk content only. */
export interface ReadableTaskHead extends TaskHead {
  /** Null: the main thread has read the request. */
  readonly body: SharedArrayBuffer | null
}

/** The memory that a thread shares with the main thread (`Progress`, `SharedBuffers`). Sent once, before the thread accepts batches. */
export interface ThreadMemory {
  readonly progress: SharedArrayBuffer
  readonly answers: SharedArrayBuffer
}

/** The key under which the ruleset of a body is cached. */
export interface KeyedRuleset extends Pick<RulesetFiles, 'includeDefaults' | 'includeCustom'> {
  readonly key: string
  /** Null: they are large, and stay in the body. */
  readonly files: readonly SourceFile[] | null
}

/** The value of a reply to a task whose request is a body. */
export type BodyValue =
  | { readonly outcome: 'answered'; readonly value: unknown; readonly ruleset: KeyedRuleset }
  /** The task needs data that only the main thread has (a session, a ruleset by hash) and is submitted again without a body. Its ruleset is compiled. */
  | { readonly outcome: 'read'; readonly ruleset: KeyedRuleset | { readonly compiledHash: string }; readonly request: Omit<AnalysisRequest, 'ruleset'> }
  | { readonly outcome: 'refused'; readonly refusal: Refusal }

/** An Error as data. It has no message, because a message may quote event text, which must not be stored. */
export interface FlatError {
  readonly name: string
  readonly code: string | null
  /** The places of the stack, innermost first. For the log only. */
  readonly frames: readonly string[]
}

/** What the main thread learns from each reply. */
export interface ReplyStats {
  readonly threadId: number
  readonly cacheHit: boolean
  readonly compiledHash: string | null
  readonly cachedBytes: number
  readonly cachedRulesets: number
  /** Keys of rulesets that the thread has evicted since its last reply. */
  readonly evicted: readonly string[]
}

export type Reply =
  /** The answer is at `place`, or in `bytes`; a task without an answer has neither. */
  | {
      readonly outcome: 'ok'
      readonly value: unknown
      readonly bytes: Uint8Array | null
      readonly place: AnswerPlace | null
      readonly snapshot: Uint8Array | null
      readonly stats: ReplyStats
    }
  | { readonly outcome: 'missing'; readonly what: 'disk' | 'ruleset' | 'session'; readonly stats: ReplyStats }
  /** `unit`: the event or case that was running. */
  | { readonly outcome: 'failed'; readonly error: FlatError; readonly unit: number | null; readonly stats: ReplyStats }

/**
 * Replies to the first tasks of a batch, to one at least: a thread ends a batch early when its time is over. JSON if the answers are in shared memory.
 */
export type Replies = readonly Reply[] | string
