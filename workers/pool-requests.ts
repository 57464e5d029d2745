/** Requests to the pool and their answers. */
import type { DecoderCatalogItem, DiagnosticRecord, Locale, LogtestInput, RuleCatalogItem, SourceFile, SuiteCase } from '#engine'
import type { CatalogPageAnswer, ContentCheck } from './shared/answers.js'
import type { Fault, TaskOutcome } from './shared/failure.js'
import type { LineSource } from './runs/line-batch.js'
import type { PoolMetrics } from './pool/pool.js'
import type { ContentNotice, DiskContent, FileSource, RulesetReference } from './shared/protocol.js'
import type { Refusal } from './requests/read-request.js'
import type { LineTexts } from './requests/read-line.js'
import type { SessionMetrics } from './sessions/sessions.js'
import type { CatalogRequest } from './thread/tasks/catalog.js'

export interface AnalysisPoolOptions {
  /** Default: the ruleset in the package. Null: none. */
  readonly defaultRulesetDir?: string | null
  /** Default: none. A folder that does not exist is empty. Its content is used after the first `reload`. */
  readonly customContentDir?: string | null
  /** Number of threads. Default: number of cores. */
  readonly workers?: number
  /** Memory for compiled rulesets of all threads, without those of the two folders. */
  readonly rulesetCacheMb?: number
  readonly taskTimeoutMs?: number
  /** Maximum number of waiting tasks. */
  readonly queueLimit?: number
  /** Maximum number of waiting tasks of one organization. */
  readonly organizationQueueLimit?: number
  /** Called for faults and timeouts, for the log. */
  readonly onFault?: (fault: Fault) => void
  /** Returns milliseconds since the epoch; default `Date.now`. */
  readonly clock?: () => number
  /** Another module for the threads, used by tests. */
  readonly threadUrl?: string
  /** Number of processes of the service, among which the memory of sessions is divided. Default 1. */
  readonly processes?: number
  /** File in which this process leaves to its successor which sessions it had. Default: none. */
  readonly sessionFile?: string | null
}

/** The ruleset: files on top of the content on disk, or one that the caller has compiled before. */
export type RulesetSelection = { readonly includeDefaults?: boolean; readonly includeCustom?: boolean; readonly files?: readonly SourceFile[] } | { readonly compiledHash: string }

export interface RequestOptions {
  /** Ends waiting at once, and a running task soon after. */
  readonly signal?: AbortSignal
  /** The same, called only if a logtest is not answered at once: creating a signal takes longer than most of them. */
  readonly lateSignal?: () => AbortSignal
  /** Language of diagnostics. Default en-US. */
  readonly locale?: Locale
  /** The organization of the request: sessions and rulesets known by hash are separate for each. */
  readonly organization?: string
  /** The caller within the organization: sessions are separate for each. */
  readonly caller?: string
}

export interface ReadOptions extends Pick<RequestOptions, 'organization' | 'signal'> {
  /** Whether nobody else reads the bytes. Default false. */
  readonly isLast?: boolean
}

/** A validation, a logtest, or the settings of a batch, depending on the method. */
export interface AnalysisRequest {
  readonly ruleset: RulesetSelection | SelectedRuleset
  /** Only for a logtest. */
  readonly input?: LogtestInput | null
  /** Default true, for a logtest. */
  readonly trace?: boolean
  /** Null or absent: the event runs without a session. */
  readonly sessionId?: string | null
  readonly includeBaseline?: boolean
  /** Seconds since the epoch at which the event is received. Default now. */
  readonly at?: number
}

/** The same request as the bytes of its body, which a thread reads. */
export interface UnreadRequest extends Pick<AnalysisRequest, 'includeBaseline' | 'at'> {
  readonly body: Uint8Array
}

/** The outcome of a request, including a refusal of its body. */
export type AnalysisOutcome<T> = TaskOutcome<T> | { readonly outcome: 'refused'; readonly refusal: Refusal }

/** The settings of a batch: its ruleset, compiled. */
export interface PreparedBatch {
  /** Diagnostics in files that cannot be parsed; empty: all can be parsed. */
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
  /** The request id and the texts of the answers to wrong lines. */
  readonly requestId?: string
  readonly texts: LineTexts
  readonly at?: number
}

export interface CasesRequest {
  readonly ruleset: RulesetSelection | SelectedRuleset
  /** Native cases and cases of Wazuh's `.ini` files (`parseIniSuite`). */
  readonly cases: readonly SuiteCase[]
  /** Trace of the last event of each case. Default false. */
  readonly trace?: boolean
  /** Whether the first chunk has the diagnostics of the ruleset. Default true. */
  readonly withDiagnostics?: boolean
  readonly at?: number
}

export interface MeasureRequest {
  readonly ruleset: RulesetSelection
  readonly cases: readonly SuiteCase[]
  /** Maximum number of diagnostics in the answer; their counts include all. */
  readonly diagnosticsLimit: number
  readonly at?: number
}

/** A page of a catalog, by kind. */
export type CatalogPageOf<Of extends CatalogRequest['of']> = CatalogPageAnswer<Of extends 'rules' ? RuleCatalogItem : DecoderCatalogItem>

export interface ReloadAnswer {
  /** False: the content in use stays the same. */
  readonly changed: boolean
  /** Id of the content in use. */
  readonly contentId: string
  /** The content of the folders, if Wazuh would not start with it; null: it is in use. */
  readonly refused: RefusedContent | null
}

/** Content of the folders that is not used. */
export interface RefusedContent extends Pick<ContentCheck, 'errors' | 'errorCount'> {
  readonly contentId: string
}

/** How the custom content in use relates to its folder. */
export interface CustomContentState {
  /** `stale`: the folder does not load, and an older version of its content is used; `left_out`: it does not load, and no custom content is used. */
  readonly state: 'current' | ContentNotice['state']
  /** When the folder was first found not to load; null: it is current. */
  readonly since: Date | null
}

export interface AnalysisMetrics extends PoolMetrics, SessionMetrics {}

/** The ruleset of a request: the reference that its tasks carry, and the data for a thread that lacks it. */
export interface SelectedRuleset {
  readonly reference: RulesetReference
  readonly source: FileSource
  readonly disk: DiskContent
  readonly prepareMs: number
}
