/** What callers ask of the pool, and what they get. */
import type { CoverageReport, DecoderCatalogItem, DiagnosticRecord, Locale, LogtestInput, RuleCatalogItem, SourceFile, SuiteCase } from '#engine'
import type { CaseOutcome } from './case-run.js'
import type { Fault, TaskOutcome } from './failure.js'
import type { LineSource } from './line-batch.js'
import type { PoolMetrics } from './pool.js'
import type { CaseFindings, CatalogPageAnswer, CatalogPageRequest, ContentCheck, ContentNotice, DiskContent, FileSource, RulesetReference } from './protocol.js'
import type { Refusal } from './requests/read-body.js'
import type { LineTexts } from './requests/read-line.js'
import type { SessionMetrics } from './sessions.js'

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
  /**
   * Takes answers in memory that threads use again: called with what gives the memory back, which is to be done once nobody looks at the answer any more, and
   * gives what does it early. Without it, answers have memory of their own, as validations and large bodies always have.
   */
  readonly lend?: (giveBack: () => void) => () => void
  /** Language of findings. Default en-US. */
  readonly locale?: Locale
  /** For which organization: rulesets known by hash are kept apart by it, and sessions. */
  readonly organization?: string
  /** Who of it asks: sessions are kept apart by it. */
  readonly caller?: string
}

export interface ValidateRequest {
  readonly ruleset: RulesetSelection
  readonly includeBaseline?: boolean
}

export interface LogtestRequest {
  readonly ruleset: RulesetSelection
  readonly input: LogtestInput
  /** Default true. */
  readonly trace?: boolean
  readonly sessionId?: string
  readonly includeBaseline?: boolean
  /** Seconds since the epoch at which the event is received. Default now. */
  readonly at?: number
}

/** A request as it came. */
export interface BodyRequest {
  readonly body: Uint8Array
  readonly includeBaseline?: boolean
  readonly at?: number
}

/** An outcome, or why the body is not taken. */
export type BodyOutcome<T> = TaskOutcome<T> | { readonly outcome: 'refused'; readonly refusal: Refusal }

/** A ruleset that is compiled, for what comes after. */
export interface PreparedRuleset {
  /** Findings of files that can't be read; empty: all can. */
  readonly unreadable: readonly DiagnosticRecord[]
  readonly selection: RulesetSelection | PreparedSelection
}

/** A ruleset of a body. */
export interface PreparedSelection {
  readonly prepared: Prepared
}

/** The first line of a batch, read. */
export interface PreparedHead extends PreparedRuleset {
  readonly trace: boolean
  readonly sessionId: string | null
}

export interface LinesRequest {
  readonly ruleset: RulesetSelection | PreparedSelection
  readonly source: LineSource
  /** Default false. */
  readonly trace?: boolean
  readonly sessionId?: string
  readonly includeBaseline?: boolean
  /** Under which a wrong line is answered, and in which words. */
  readonly requestId?: string
  readonly texts: LineTexts
  readonly at?: number
}

export interface RunCasesRequest {
  readonly ruleset: RulesetSelection
  /** Native cases and those of Wazuh's `.ini` files (`parseIniSuite`). */
  readonly cases: readonly SuiteCase[]
  /** Of the last event of each. Default false. */
  readonly trace?: boolean
  /** Default false. */
  readonly coverage?: boolean
  readonly at?: number
}

export interface RunCasesAnswer {
  /** False: Wazuh would not start with the ruleset, and every case fails. */
  readonly loads: boolean
  /** In the order of the cases. */
  readonly results: readonly CaseOutcome[]
  /** Of the ruleset; null: every task was stopped. */
  readonly findings: CaseFindings | null
  /** Of the client's own rules and decoders; null unless asked for. */
  readonly coverage: CoverageReport | null
}

export interface ExplainRequest {
  readonly ruleset: RulesetSelection
  readonly ruleId: string
  readonly input: LogtestInput
  readonly sessionId?: string
  readonly at?: number
}

/** What a page of that catalog holds. */
export type CatalogPageOf<Of extends CatalogPageRequest['of']> = CatalogPageAnswer<Of extends 'rules' ? RuleCatalogItem : DecoderCatalogItem>

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

/** A ruleset found for a request. */
export interface Prepared {
  readonly reference: RulesetReference
  readonly source: FileSource
  readonly disk: DiskContent
  readonly prepareMs: number
}
