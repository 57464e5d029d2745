/**
 * The pools of the same service in other processes. A session lives in one process, and every other one runs its events there; it moves when processes come and go.
 * A ruleset that any process has compiled is found by its hash in all of them. The server connects the processes (`server/processes/neighbours.ts`); the types here are plain data, which
 * `v8.serialize` copies.
 */
import type { LogtestInput, SourceFile } from '#engine'
import type { Answer, LogtestDigest } from './shared/answers.js'
import type { TaskOutcome } from './shared/failure.js'
import type { LineChunk, LineSource } from './runs/line-batch.js'
import type { LinesRequest, RequestOptions } from './pool-requests.js'
import type { ContentNotice, DiskContent, FileSource, SessionState } from './shared/protocol.js'
import type { BodyKind } from './requests/analysis-request.js'
import type { SessionName } from './sessions/sessions.js'

/** A ruleset for another process. Keys and ids are hashes of content: they are the same in every process. */
export interface PortableRuleset {
  readonly key: string
  readonly includeDefaults: boolean
  readonly includeCustom: boolean
  readonly diskId: string
  readonly notice?: ContentNotice
  readonly source: { readonly files: readonly SourceFile[] } | { readonly bytes: Uint8Array; readonly of: BodyKind }
}

/** A ruleset of which the other process may have the files. */
export type PortableSelection = PortableRuleset | { readonly compiledHash: string }

/** A logtest whose session is in another process. */
export interface PortableLogtest {
  readonly ruleset: PortableSelection
  readonly input: LogtestInput
  readonly trace: boolean
  readonly includeBaseline: boolean
  readonly sessionId: string
  readonly at?: number
}

/** The lines of a batch whose session is in another process. They follow. */
export interface PortableLines extends Pick<LinesRequest, 'texts' | 'requestId' | 'at'> {
  readonly ruleset: PortableRuleset
  readonly trace: boolean
  readonly includeBaseline: boolean
  readonly sessionId: string
}

/** What another process needs to know of the caller. What the caller may do was decided before. */
export type PortableOptions = Required<Pick<RequestOptions, 'organization' | 'caller' | 'locale'>>

/** A session, for another process that continues it. */
export interface PortableSession extends SessionState {
  /** Number of inputs answered so far. */
  readonly version: number
  /** Number of inputs in the snapshot. */
  readonly snapshotInputs: number
}

/** What the former processes of a session know of it. `lost`: one of them had it; `busy`: one of them can't hand it over now; null: none has had it. */
export type FormerSession = PortableSession | 'lost' | 'busy' | null

/** Whether another process has a session that was handed over to it. `unknown`: it has not answered. */
export type Given = 'given' | 'kept' | 'unknown'

/** Homes that are tried while a session moves. Processes agree on a home after one or two answers, or when the news has reached all of them. */
export const HOMES_LIMIT = 6
/** Wait before the next one, from the second on, in milliseconds. */
export const HOME_WAIT_MS = 20

/** The session is in another process by now: its home has to be found again. */
export interface Moved {
  readonly outcome: 'moved'
}

export const MOVED: Moved = { outcome: 'moved' }

/** The process of a session. `busy`: it can't be reached, or has ended with the session. */
export interface Home {
  logtest(request: PortableLogtest, options: PortableOptions, signal?: AbortSignal): Promise<TaskOutcome<Answer<LogtestDigest>> | Moved>
  /** Whether the session is there, before lines are sent: they can be sent once. */
  confirm(): Promise<'ok' | 'busy' | 'moved'>
  lines(request: PortableLines, source: LineSource, options: PortableOptions, signal?: AbortSignal): AsyncGenerator<TaskOutcome<LineChunk>, void, undefined>
}

export interface Neighbours {
  /** Where the session is, whatever its ruleset; null: in this process. */
  homeOf(session: Omit<SessionName, 'rulesetKey'>): Home | null
  /** Takes a session, which is in this process from now on, from the one that had it before. Never rejects. */
  takeSession(session: SessionName): Promise<FormerSession>
  /** Tells the process that gets the session when this one ends. @param mark for its `Sessions.addMarks` */
  markSession(session: SessionName, mark: Buffer): void
  /** The ruleset that the organization has compiled in another process; null: in none. */
  findRuleset(compiledHash: string, organization: string): Promise<PortableRuleset | null>
  /** The content that another process has read from the disk; null: none has it. */
  findDisk(id: string): Promise<DiskContent | null>
}

/** A single process. */
export const ALONE: Neighbours = {
  homeOf: () => null,
  takeSession: () => Promise.resolve(null),
  markSession: () => {},
  findRuleset: () => Promise.resolve(null),
  findDisk: () => Promise.resolve(null),
}

export function portableSource(source: FileSource): PortableRuleset['source'] {
  return 'files' in source ? source : { bytes: new Uint8Array(source.body), of: source.of }
}

/** The source for threads, which share its memory. */
export function sharedSource(source: PortableRuleset['source']): FileSource {
  if ('files' in source) return source
  const body = new SharedArrayBuffer(source.bytes.byteLength)
  new Uint8Array(body).set(source.bytes)
  return { body, of: source.of }
}
