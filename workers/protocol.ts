/**
 * What crosses between the main thread and a pooled thread. Invariants:
 *  1. plain data only, readable by structured clone; an Error never crosses, it is flattened first (`failure.ts`)
 *  2. every task gets exactly one reply, unless its thread dies; a reply is a value, never an exception
 *  3. a task names what it needs (disk content, ruleset, session state) and carries it only when the thread is thought to lack it. A thread
 *     that lacks it replies so, has done nothing, and is sent the task again with everything
 *  4. answers are UTF-8 JSON in memory that both sides see (`shared-buffers.ts`), or in memory of their own, which is moved and not copied
 */
import type { Locale, LogtestInput, SourceFile } from '#engine'
import type { BodyKind, ReadRequest } from './requests/analysis-request.js'
import type { Refusal } from './requests/read-body.js'
import type { AnswerPlace } from './shared-buffers.js'
import type { Task } from './tasks/index.js'

/** Both sides are of one build. A mismatch is a faulty deployment, and is answered as a fault. */
export const PROTOCOL_VERSION = 3

/** The instance's own content, read from its two folders. */
export interface DiskContent {
  /** Hash of the content: the same files give the same id. */
  readonly id: string
  /** Of each folder. */
  readonly defaultsId: string
  readonly customId: string
  readonly defaults: readonly SourceFile[]
  readonly custom: readonly SourceFile[]
}

/** Where a request's own files are: as they are, or inside the body that brought them, which all threads see. */
export type FileSource = { readonly files: readonly SourceFile[] } | { readonly body: SharedArrayBuffer; readonly of: BodyKind }

/** Which ruleset a task stands on. */
export interface RulesetReference {
  /** As `rulesetKey`. */
  readonly key: string
  /** In whose share of the cache it counts. */
  readonly organization: string
  readonly diskId: string
  readonly includeDefaults: boolean
  readonly includeCustom: boolean
  /** The request's own files; null = the thread has the ruleset of that key. */
  source: FileSource | null
  /** Sent when the thread may not have it. */
  disk: DiskContent | null
  /** Why the custom content is not that of its folder; left out: it is, or it was not asked for. */
  readonly notice?: ContentNotice
}

/** The custom folder does not load. Its findings say so in every answer of a request that asks for custom content. */
export interface ContentNotice {
  /** `stale`: older custom content is used; `left_out`: none is. */
  readonly state: 'stale' | 'left_out'
  /** ISO 8601. */
  readonly since: string
}

/** An input of a session that was answered, enough to run it again. */
export interface JournalEntry {
  readonly input: LogtestInput
  readonly seconds: number
}

/** State from which a thread goes on: what `v8.serialize` made of it, and the inputs since. */
export interface SessionState {
  readonly snapshot: Uint8Array | null
  readonly journal: readonly JournalEntry[]
}

export interface SessionReference {
  readonly key: string
  /** In whose share of the thread's memory it counts. */
  readonly organization: string
  /** Inputs answered so far. A thread whose state is of another version doesn't have the session. */
  readonly version: number
  /** Null = the thread has it. */
  state: SessionState | null
  /** Send a snapshot of the state after this task. */
  readonly wantSnapshot: boolean
  /** The session was given up and begins anew, and its caller is yet to be told. */
  readonly isLost: boolean
}

/** What every task has. */
export interface TaskHead {
  readonly version: typeof PROTOCOL_VERSION
  readonly locale: Locale
  readonly ruleset: RulesetReference
  /** Milliseconds that the main thread took to prepare the files. */
  readonly prepareMs: number
}

/** The head of a task whose request may come as the bytes of a body, which the thread reads. Its ruleset then names the disk content only. */
export interface ReadableTaskHead extends TaskHead {
  /** Null: the main thread has read the request. */
  readonly body: SharedArrayBuffer | null
}

/** Sent once, when the thread takes batches. */
export interface ThreadReady {
  readonly isReady: true
}

/** One task, or several small ones that are answered together. Small plain data goes as JSON, which costs a third of structured clone. */
export interface Batch {
  readonly tasks: readonly Task[] | string
}

/** Replies to the first tasks of a batch, one at least: a thread ends a batch early when its time is over. As JSON where the answers are in shared memory. */
export interface BatchReply {
  readonly replies: readonly Reply[] | string
}

/** Under which key the ruleset of a body is cached. */
export interface FiledRuleset {
  readonly key: string
  readonly includeDefaults: boolean
  readonly includeCustom: boolean
  /** Null: they are long, and stay in the body. */
  readonly files: readonly SourceFile[] | null
}

/** The value of a reply to a task whose request came as a body. */
export type BodyValue =
  | { readonly outcome: 'answered'; readonly value: unknown; readonly ruleset: FiledRuleset }
  /** It needs what only the main thread knows (a session, a ruleset by hash) and comes again as a task without a body. Its ruleset is compiled. */
  | { readonly outcome: 'read'; readonly ruleset: FiledRuleset | { readonly compiledHash: string }; readonly request: Omit<ReadRequest, 'ruleset'> }
  | { readonly outcome: 'refused'; readonly refusal: Refusal }

/** An Error as data. No message: it may quote event text, which is nowhere to be written down. */
export interface FlatError {
  readonly name: string
  readonly code: string | null
  /** The places of the stack, innermost first. For the log; callers don't see it. */
  readonly frames: readonly string[]
}

/** What the main thread learns from every reply. */
export interface ReplyStats {
  readonly threadId: number
  readonly cacheHit: boolean
  readonly compiledHash: string | null
  readonly cachedBytes: number
  readonly cachedRulesets: number
  /** Keys of rulesets that the thread has let go of since its last reply. */
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
