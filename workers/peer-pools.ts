/**
 * The pools of the peers: of the other processes of the same service. A session lives in one process, and every other one runs its events there; it moves when processes come and go.
 * A ruleset that any process has compiled is found by its hash in all of them. The server connects the processes (`server/cluster/peer-pools.ts`); the types here are plain data, which
 * `v8.serialize` copies.
 */
import type { LogtestInput } from '#engine'
import type { PortableRuleset } from './content/portable-ruleset.js'
import type { LinesRequest, RequestOptions } from './pool-requests.js'
import type { LineChunk, LineSource } from './runs/line-batch.js'
import type { FormerSession, SessionName } from './sessions/sessions.js'
import type { LogtestDigest, WrittenAnswer } from './shared/answers.js'
import type { TaskOutcome } from './shared/failure.js'
import type { DiskContent } from './shared/protocol.js'

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
export interface PortableLines extends Pick<LinesRequest, 'texts' | 'requestId' | 'at' | 'select' | 'onlyAlerts' | 'logs' | 'isBackground'> {
  readonly ruleset: PortableRuleset
  readonly trace: boolean
  readonly includeBaseline: boolean
  readonly sessionId: string
}

/** What another process needs to know of the caller. What the caller may do was decided before. */
export type PortableOptions = Required<Pick<RequestOptions, 'organization' | 'caller' | 'locale'>>

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
  logtest(request: PortableLogtest, options: PortableOptions, signal?: AbortSignal): Promise<TaskOutcome<WrittenAnswer<LogtestDigest>> | Moved>
  /** Whether the session is there, before lines are sent: they can be sent once. */
  confirm(): Promise<'ok' | 'busy' | 'moved'>
  lines(request: PortableLines, source: LineSource, options: PortableOptions, signal?: AbortSignal): AsyncGenerator<TaskOutcome<LineChunk>, void, undefined>
}

export interface PeerPools {
  /** The process that has the session, with any ruleset; null: this process. */
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
export const ALONE: PeerPools = {
  homeOf: () => null,
  takeSession: () => Promise.resolve(null),
  markSession: () => {},
  findRuleset: () => Promise.resolve(null),
  findDisk: () => Promise.resolve(null),
}
