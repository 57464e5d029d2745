/** Requests to the pool and their answers. */
import type { DecoderCatalogItem, DiagnosticRecord, Locale, RuleCatalogItem, SourceFile, SuiteCase } from '#engine'
import type { SelectedRuleset } from './content/ruleset-selector.js'
import type { PoolMetrics } from './pool/pool.js'
import type { AnalysisRequest, RulesetSelection } from './requests/analysis-request.js'
import type { LineTexts } from './requests/read-line.js'
import type { Refusal } from './requests/read-request.js'
import type { CaseOutcome } from './runs/case-run.js'
import type { LineSource } from './runs/line-batch.js'
import type { SessionMetrics } from './sessions/sessions.js'
import type { CatalogPageAnswer, RulesetMeasurement } from './shared/answers.js'
import type { Fault, TaskOutcome } from './shared/failure.js'
import type { LogLines } from './thread/tasks/lines.js'
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
  /** As in `LinesRequest`. */
  readonly isBackground?: boolean
}

/** A ruleset as a request names it, or as the pool has found it for an earlier one. */
export type AnyRuleset = RulesetSelection | SelectedRuleset

/** An analysis request as the bytes of its body, which a thread reads. */
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
  readonly select: readonly string[] | null
  readonly onlyAlerts: boolean
}

export interface LinesRequest {
  readonly ruleset: AnyRuleset
  readonly source: LineSource
  /** Default false. */
  readonly trace?: boolean
  readonly sessionId?: string | null
  readonly includeBaseline?: boolean
  /** As in `AnalysisRequest`. */
  readonly select?: readonly string[] | null
  readonly onlyAlerts?: boolean
  /** As in `LinesTask`. Default: lines are inputs in JSON. */
  readonly logs?: LogLines | null
  /** Work that nobody waits for: it gets the smallest share of the threads. Default false. */
  readonly isBackground?: boolean
  /** The request id and the texts of the answers to wrong lines. */
  readonly requestId?: string
  readonly texts: LineTexts
  readonly at?: number
}

export interface CasesRequest {
  readonly ruleset: AnyRuleset
  /** Native cases and cases of Wazuh's `.ini` files (`parseIniSuite`). */
  readonly cases: readonly SuiteCase[]
  /** Trace of the last event of each case. Default false. */
  readonly trace?: boolean
  /** Whether the first chunk has the diagnostics of the ruleset. Default true. */
  readonly withDiagnostics?: boolean
  /** Whether each answer names the own rules that its events match or come near (`covered.own`). Default false. */
  readonly withNear?: boolean
  readonly at?: number
}

/** Two contents whose behaviour is compared. */
export interface BehaviourRequest {
  readonly before: OwnFiles
  readonly after: OwnFiles
  /** Cases whose events are run beside those that are made. */
  readonly cases: readonly SuiteCase[]
  /** Maximum number of items. */
  readonly limit: number
}

/** Own files, and the rulesets that are below them before and after an upgrade. */
export interface UpgradeCheckRequest {
  readonly from: OwnFiles
  readonly to: OwnFiles
  /** All of scope `adhoc`. */
  readonly own: readonly SourceFile[]
  /** Cases that are run on both. */
  readonly cases: readonly SuiteCase[]
  /** Maximum number of findings. */
  readonly limit: number
}

/** Rules of a content that are tried. */
export interface RulesRequest {
  readonly ruleset: RulesetSelection
  /** Ids of rules; null: those in the request's own files. */
  readonly ruleIds: readonly string[] | null
  /** Maximum number of rules in the answer. */
  readonly limit: number
}

/** A part of the grading of cases by mutants of the request's own rules and decoders. */
export interface MutateRequest {
  readonly ruleset: RulesetSelection
  /** Names the cases: equal keys, equal cases. */
  readonly casesKey: string
  /** Called where the thread does not have them. */
  readonly cases: () => Promise<readonly SuiteCase[]>
  /** Number of the rules and decoders that are graded: this part continues after them. */
  readonly from: number
  /** Maximum number of survivors in the answer. */
  readonly limit: number
}

/** A selection by files. */
type OwnFiles = Exclude<RulesetSelection, { readonly compiledHash: string }>

export interface MeasureRequest {
  readonly ruleset: RulesetSelection
  readonly cases: readonly SuiteCase[]
  /** Maximum number of diagnostics in the answer; their counts include all. */
  readonly diagnosticsLimit: number
  readonly at?: number
}

/** The answer to a `MeasureRequest`. */
export interface MeasureAnswer extends RulesetMeasurement {
  /** In the order of the cases. */
  readonly results: readonly CaseOutcome[]
}

/** A page of a catalog, by kind. */
export type CatalogPageOf<Of extends CatalogRequest['of']> = CatalogPageAnswer<Of extends 'rules' ? RuleCatalogItem : DecoderCatalogItem>

export interface AnalysisMetrics extends PoolMetrics, SessionMetrics {}
export type { RuleAudit, RuleWitnesses } from './thread/tasks/audit.js'
export type { BehaviourDiff } from './thread/tasks/behaviour.js'
export type { MutationPart } from './thread/tasks/mutate.js'
export type { CheckedFinding, UpgradeCheck } from './thread/tasks/upgrade.js'
export type { RulesInWazuh5 } from './thread/tasks/wazuh5.js'
