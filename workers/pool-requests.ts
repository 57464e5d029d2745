/** Requests to the pool and their answers. */
import type { DecoderCatalogItem, DiagnosticRecord, Locale, LogtestInput, RuleCatalogItem, SourceFile, SuiteCase } from '#engine'
import type { CatalogPageAnswer, ContentCheck } from './answers.js'
import type { Fault, TaskOutcome } from './failure.js'
import type { LineSource } from './line-batch.js'
import type { PoolMetrics } from './pool.js'
import type { ContentNotice, DiskContent, FileSource, RulesetReference } from './protocol.js'
import type { Refusal } from './requests/read-body.js'
import type { LineTexts } from './requests/read-line.js'
import type { SessionMetrics } from './sessions.js'
import type { CatalogRequest } from './tasks/catalog.js'

export interface AnalysisPoolOptions {
  /** Default: the ruleset in the package. Null: none. */
  readonly defaultRulesetDir?: string | null
  /** Default: none. A folder that isn't there holds nothing. Its content is at work after the first `reload`. */
  readonly customContentDir?: string | null
  /** Threads. Default: cores. */
  readonly workers?: number
  /** Memory for compiled rulesets, over all threads, without those of the two folders. */
  readonly rulesetCacheMb?: number
  readonly taskTimeoutMs?: number
  /** Tasks that may wait. */
  readonly queueLimit?: number
  /** Of one organization. */
  readonly organizationQueueLimit?: number
  /** Told of faults and timeouts, for the log. */
  readonly onFault?: (fault: Fault) => void
  /** Milliseconds since the epoch; default `Date.now`. */
  readonly clock?: () => number
  /** Another module for the threads, for tests. */
  readonly threadUrl?: string
}

/** Which ruleset: files on top of what is on disk, or one that the caller compiled before. */
export type RulesetSelection = { readonly includeDefaults?: boolean; readonly includeCustom?: boolean; readonly files?: readonly SourceFile[] } | { readonly compiledHash: string }

export interface RequestOptions {
  /** Ends waiting at once, and a running task soon. */
  readonly signal?: AbortSignal
  /** The same, asked for only when a logtest is not answered at once: a signal costs more to make than most of them take. */
  readonly lateSignal?: () => AbortSignal
  /** Language of findings. Default en-US. */
  readonly locale?: Locale
  /** For which organization: rulesets known by hash are kept apart by it, and sessions. */
  readonly organization?: string
  /** Who of it asks: sessions are kept apart by it. */
  readonly caller?: string
}

/** A validation, a logtest, or the settings of a batch, whichever method it is given to. */
export interface AnalysisRequest {
  readonly ruleset: RulesetSelection | SelectedRuleset
  /** Of a logtest. */
  readonly input?: LogtestInput | null
  /** Default true for a logtest. */
  readonly trace?: boolean
  /** Null or left out: the event runs without a session. */
  readonly sessionId?: string | null
  readonly includeBaseline?: boolean
  /** Seconds since the epoch at which the event is received. Default now. */
  readonly at?: number
}

/** The same as the bytes of its body, which a thread reads. */
export interface UnreadRequest extends Pick<AnalysisRequest, 'includeBaseline' | 'at'> {
  readonly body: Uint8Array
}

/** What became of a request: also that its body was refused. */
export type AnalysisOutcome<T> = TaskOutcome<T> | { readonly outcome: 'refused'; readonly refusal: Refusal }

/** The settings of a batch: its ruleset, compiled. */
export interface PreparedBatch {
  /** Findings in files that can't be read; empty: all can. */
  readonly unreadable: readonly DiagnosticRecord[]
  readonly ruleset: SelectedRuleset
  readonly trace: boolean
  readonly sessionId: string | null
}

export interface LinesRequest {
  readonly ruleset: RulesetSelection | SelectedRuleset
  readonly source: LineSource
  /** Default false. */
  readonly trace?: boolean
  readonly sessionId?: string | null
  readonly includeBaseline?: boolean
  /** Under which a wrong line is answered, and in which words. */
  readonly requestId?: string
  readonly texts: LineTexts
  readonly at?: number
}

export interface CasesRequest {
  readonly ruleset: RulesetSelection | SelectedRuleset
  /** Native cases and those of Wazuh's `.ini` files (`parseIniSuite`). */
  readonly cases: readonly SuiteCase[]
  /** Of the last event of each. Default false. */
  readonly trace?: boolean
  /** Whether the first chunk has the findings of the ruleset. Default true. */
  readonly withFindings?: boolean
  readonly at?: number
}

export interface MeasureRequest {
  readonly ruleset: RulesetSelection
  readonly cases: readonly SuiteCase[]
  /** Findings of the answer at most; their counts are of all. */
  readonly findingsLimit: number
  readonly at?: number
}

/** What a page of that catalog holds. */
export type CatalogPageOf<Of extends CatalogRequest['of']> = CatalogPageAnswer<Of extends 'rules' ? RuleCatalogItem : DecoderCatalogItem>

export interface ReloadAnswer {
  /** False: what was at work before stays at work. */
  readonly changed: boolean
  /** Of what is at work. */
  readonly contentId: string
  /** What the folders hold, where Wazuh would not start with it; null: it is at work. */
  readonly refused: RefusedContent | null
}

/** Content of the folders that is not used. */
export interface RefusedContent extends Pick<ContentCheck, 'errors' | 'errorCount'> {
  readonly contentId: string
}

/** How the custom content at work stands to its folder. */
export interface CustomContentState {
  /** `stale`: the folder does not load, and older content of it is at work; `left_out`: it does not load, and none of it is. */
  readonly state: 'current' | ContentNotice['state']
  /** When the folder was first found not to load; null: it is current. */
  readonly since: Date | null
}

export interface AnalysisMetrics extends PoolMetrics, SessionMetrics {}

/** A ruleset found for a request: what its tasks name, and what a thread that lacks it is sent. */
export interface SelectedRuleset {
  readonly reference: RulesetReference
  readonly source: FileSource
  readonly disk: DiskContent
  readonly prepareMs: number
}
