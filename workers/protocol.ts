/**
 * What crosses between the main thread and a worker thread. Invariants:
 *  1. plain data only, all of it readable by structured clone; an Error never crosses, it is flattened first (`failure.ts`)
 *  2. every task is answered by exactly one reply, unless its thread dies; a reply is a value, never an exception
 *  3. a task names what it stands on (disk content, ruleset, session state) and carries it only when the thread is thought to lack it. A thread
 *     that lacks it says so in its reply, has done nothing, and is sent the whole
 *  4. long answers come as UTF-8 JSON bytes, in memory that both sides see (`answer-sheets.ts`), or else in memory that is handed over and not copied
 */
import type {
  CaseReport,
  CatalogPage,
  DecoderCatalogItem,
  DecoderSelection,
  DiagnosticCode,
  DiagnosticRecord,
  FileScope,
  Locale,
  LogtestInput,
  LogtestReport,
  RuleCatalogItem,
  RuleSelection,
  SourceFile,
  StageTimes,
  SuiteCase,
  ValidationReport,
  ValidationSummary,
} from '#engine'
import type { AnswerPlace } from './answer-sheets.js'
import type { Refusal } from './requests/read-body.js'
import type { LineTexts } from './requests/read-line.js'
import type { BodyKind, ReadRequest } from './requests/analysis-request.js'

/** Both sides are of one build; a mismatch means a deployment went wrong, and is answered as a fault. */
export const PROTOCOL_VERSION = 2

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

/** Why Wazuh would not start with content on disk. No text of the content is in it: it is written to the log. */
export interface LoadError {
  readonly scope: FileScope
  /** `rules/local_rules.xml` */
  readonly file: string
  readonly line: number | null
  readonly code: DiagnosticCode
}

/** Whether Wazuh would start with the content on disk. */
export interface ContentCheck {
  readonly loads: boolean
  /** The first ones, in load order. */
  readonly errors: readonly LoadError[]
  readonly errorCount: number
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

/** How an answer comes back. `lent`: as JSON in memory that is used again (`answer-sheets.ts`), where there is room. */
export type AnswerForm = 'object' | 'json' | 'lent'

interface TaskHead {
  readonly version: typeof PROTOCOL_VERSION
  readonly locale: Locale
  readonly ruleset: RulesetReference
  /** Milliseconds that the main thread took to prepare the files. */
  readonly prepareMs: number
}

export interface ValidateTask extends TaskHead {
  readonly kind: 'validate'
  readonly includeBaseline: boolean
  readonly form: Exclude<AnswerForm, 'lent'>
}

/** Of the findings in a request's own files: how many there are of each, and the worst of them. */
export interface FindingsTask extends TaskHead {
  readonly kind: 'findings'
  readonly limit: number
}

export interface LogtestTask extends TaskHead {
  readonly kind: 'logtest'
  readonly input: LogtestInput
  readonly seconds: number
  readonly trace: boolean
  readonly includeBaseline: boolean
  readonly session: SessionReference | null
  readonly form: AnswerForm
}

export interface RunCasesTask extends TaskHead {
  readonly kind: 'run-cases'
  /** Those of one chain side by side, and whole. */
  readonly cases: readonly SuiteCase[]
  /** What a chain may take: it ends itself between two of its cases. */
  readonly chainMs: number
  readonly seconds: number
  readonly trace: boolean
  /** Also tell what there is to say of the ruleset. */
  readonly withFindings: boolean
}

export interface CoverageTask extends TaskHead {
  readonly kind: 'coverage'
  readonly reports: readonly Pick<CaseReport, 'covered'>[]
}

export interface CatalogTask extends TaskHead {
  readonly kind: 'catalog'
  /** Only what comes from there; null: everything. */
  readonly scopes: readonly FileScope[] | null
}

/** A page of a catalog. `scopes`: only what comes from there; null: everything. */
export type CatalogPageRequest = { readonly scopes: readonly FileScope[] | null } & (
  | { readonly of: 'rules'; readonly selection: RuleSelection }
  | { readonly of: 'decoders'; readonly selection: DecoderSelection }
)

export interface CatalogPageTask extends TaskHead {
  readonly kind: 'catalog-page'
  readonly request: CatalogPageRequest
}

/** Answered by a `ContentSemantics`, UTF-8 JSON: only threads read it. */
export interface SemanticsTask extends TaskHead {
  readonly kind: 'semantics'
}

/** Holds two `ContentSemantics` against each other. */
export interface CompareTask extends TaskHead {
  readonly kind: 'compare'
  readonly before: Uint8Array
  readonly after: Uint8Array
  /** Entries of each list. */
  readonly limit: number
}

export interface SchemaTask extends TaskHead {
  readonly kind: 'schema'
}

export interface ExplainTask extends TaskHead {
  readonly kind: 'explain'
  readonly ruleId: string
  readonly input: LogtestInput
  readonly seconds: number
  readonly session: SessionReference | null
}

/** Compiles the content on disk, with its checks; answered by a `ContentCheck`. */
export interface WarmTask extends TaskHead {
  readonly kind: 'warm'
  /** The content is not at work yet: the thread forgets it where it does not load. */
  readonly isCandidate: boolean
}

/** Compiles the ruleset, and tells nothing but whether its files can be read. */
export interface PrepareTask extends TaskHead {
  readonly kind: 'prepare'
}

/**
 * A request as its body came, which is read, checked, hashed and run in one go. Its ruleset reference names the disk content only. What needs the main
 * thread's knowledge (sessions, rulesets by hash) is answered by what was read, and comes again as a task of its own.
 */
export interface BodyTask extends TaskHead {
  readonly kind: 'body'
  readonly of: BodyKind
  readonly body: SharedArrayBuffer
  readonly includeBaseline: boolean
  readonly seconds: number
  /** As `LocateTask`, of a body that ran over. */
  readonly locates: boolean
}

/** Lines of a batch as they came: UTF-8, each an input in JSON. */
export interface LinesTask extends TaskHead {
  readonly kind: 'lines'
  readonly lines: Uint8Array
  readonly seconds: number
  readonly trace: boolean
  /** What a part before has said of the content. Null: none has, and the first line that runs carries `summary` and `diagnostics`. */
  readonly isContentOk: boolean | null
  readonly includeBaseline: boolean
  readonly session: SessionReference | null
  /** Session id that a line may name. */
  readonly sessionId: string
  /** Under which a wrong line is answered, and in which words. */
  readonly requestId: string
  readonly texts: LineTexts
  /** Whether the answers may be lent, as `AnswerForm` says. */
  readonly lends: boolean
}

/** Runs an event that ran over its deadline once more, to see which rule or decoder it hangs in. Only its progress is of use. */
export interface LocateTask extends TaskHead {
  readonly kind: 'locate'
  readonly input: LogtestInput
  readonly seconds: number
}

export type Task =
  | ValidateTask
  | LogtestTask
  | RunCasesTask
  | CoverageTask
  | FindingsTask
  | CatalogTask
  | CatalogPageTask
  | SemanticsTask
  | CompareTask
  | SchemaTask
  | ExplainTask
  | WarmTask
  | PrepareTask
  | BodyTask
  | LinesTask
  | LocateTask
export type TaskKind = Task['kind']

/** What a thread says when it takes turns. */
export interface ThreadHello {
  readonly threadId: number
}

/** What is handed to a thread: one task, or several small ones that are answered together. */
export interface Turn {
  /** As JSON where they are small plain data, which costs a third of what structured clone does. */
  readonly tasks: readonly Task[] | string
  /** Memory that both sides see: where the thread says what it is at (`progress.ts`), and where it writes answers (`answer-sheets.ts`). Null: as before. */
  readonly shared: { readonly progress: SharedArrayBuffer; readonly answers: SharedArrayBuffer } | null
}

/** Replies to the first tasks of a turn, one at least. The thread may stop early, when its time is over. */
export interface TurnReply {
  /** As JSON, for the same reason, where their answers are lent. */
  readonly replies: readonly Reply[] | string
}

/** Times of a request, milliseconds. Waiting in the queue is not in them. */
export interface Performance {
  /** Reading, hashing and putting together the files. */
  readonly source_build_ms: number
  readonly compile_ms: number
  readonly total_ms: number
  /** The compiled ruleset was there already. */
  readonly cache_hit: boolean
}

export type LogtestPerformance = Performance & StageTimes

export interface ValidationAnswer extends ValidationReport {
  readonly performance: Performance
}

/** Findings in a request's own files. */
export interface OwnFindings {
  readonly compiled_hash: string
  readonly loads: boolean
  /** Of all of them. */
  readonly by_severity: Readonly<Record<DiagnosticRecord['severity'], number>>
  /** Of all of them, by code in alphabetical order. */
  readonly by_code: Readonly<Record<string, number>>
  /** The worst first, and those of one severity in the order of the files. */
  readonly worst: readonly DiagnosticRecord[]
}

/** A LogtestResponse. Its diagnostics are those of the run, then those of the ruleset. */
export interface LogtestAnswer extends LogtestReport {
  readonly summary: ValidationSummary
  readonly performance: LogtestPerformance
}

/**
 * A line of a batch: an answer whose `insights` also say what was found about its event. `summary` and `diagnostics` are on the first that ran alone. An event
 * that was stopped has no more than `ok: false`, `insights` and empty values; where the ruleset could not be compiled, `diagnostics` of the first line say so.
 */
export interface BatchLine extends Omit<LogtestAnswer, 'summary' | 'diagnostics' | 'performance' | 'predecoded'> {
  readonly summary?: ValidationSummary
  readonly diagnostics?: LogtestAnswer['diagnostics']
  readonly performance?: LogtestPerformance
  readonly predecoded: LogtestReport['predecoded'] | null
}

/** What of an answer in bytes the main thread needs without reading them. */
export interface ValidationDigest {
  /** Findings of files of the request that the reader can't read; empty: it can read all. */
  readonly unreadable: readonly DiagnosticRecord[]
  readonly ok: boolean
  readonly compiledHash: string
  readonly diagnosticCount: number
  readonly totalRules: number
  readonly totalDecoders: number
}

export interface LogtestDigest {
  /** As in `ValidationDigest`. */
  readonly unreadable: readonly DiagnosticRecord[]
  readonly ok: boolean
  readonly compiledHash: string
  readonly matchedRuleId: string | null
  readonly matchedRules: readonly string[]
}

/** An answer as it goes over the wire: JSON. A short one is a text, which crosses threads for half of what bytes cost; a long one is UTF-8. */
export interface JsonAnswer<Digest> {
  readonly json: string | Uint8Array
  readonly digest: Digest
}

/** An answer as it comes from a thread. */
export interface ThreadAnswer<Digest> {
  /** Null: it stands where the reply says. */
  readonly json: string | Uint8Array | null
  readonly digest: Digest
}

/** Where the ruleset of a body is filed. */
export interface FiledRuleset {
  readonly key: string
  readonly includeDefaults: boolean
  readonly includeCustom: boolean
  /** Null: they are long, and stay in the body. */
  readonly files: readonly SourceFile[] | null
}

/** What became of a body. */
export type BodyReply =
  | { readonly outcome: 'answered'; readonly answer: JsonAnswer<ValidationDigest> | JsonAnswer<LogtestDigest>; readonly ruleset: FiledRuleset }
  /** The thread compiled the ruleset; the rest is the main thread's. */
  | { readonly outcome: 'read'; readonly ruleset: FiledRuleset | { readonly compiledHash: string }; readonly request: Omit<ReadRequest, 'ruleset'> }
  | { readonly outcome: 'refused'; readonly refusal: Refusal }

/** Answers to the first `count` lines of a `LinesTask`. */
export interface LinesPart {
  /** One LogtestResponse or error a line, each ended by a line feed. Null: they stand where the reply says. */
  readonly json: Uint8Array | null
  readonly count: number
  /** Bytes of the task's lines that are done. */
  readonly read: number
  readonly matched: number
  /** Events answered `ok: false`, and wrong lines. */
  readonly failed: number
  /** Lines that were no event. */
  readonly wrong: number
  /** Of a session: what ran, for its journal. */
  readonly inputs: readonly LogtestInput[]
  readonly compiledHash: string
  /** Whether the content has no error of the client's own. Null: no event ran, and nothing is told of the ruleset yet. */
  readonly isContentOk: boolean | null
}

/** A case's report, and how long it took: `total_ms` of all its events, the stages of the last. */
export interface CaseAnswer extends Omit<CaseReport, 'times'> {
  readonly performance: LogtestPerformance
}

/** What there is to say of the ruleset of a run; findings of the reference content are left out. */
export interface CaseFindings {
  readonly summary: ValidationSummary
  readonly diagnostics: readonly DiagnosticRecord[]
}

/** Answers to the first `count` cases of a task. */
export interface CasesPart {
  readonly loads: boolean
  readonly count: number
  /** The next case goes on from one that was answered, and its chain has had its time. */
  readonly overran: boolean
  readonly answers: readonly CaseAnswer[]
  /** Null unless asked for. */
  readonly findings: CaseFindings | null
}

export interface CatalogAnswer {
  readonly compiled_hash: string
  readonly rules: readonly RuleCatalogItem[]
  readonly decoders: readonly DecoderCatalogItem[]
}

export interface CatalogPageAnswer<Item = RuleCatalogItem | DecoderCatalogItem> {
  /** Findings of the request's files that can't be read; empty: all can. */
  readonly unreadable: readonly DiagnosticRecord[]
  readonly page: CatalogPage<Item>
}

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
  /** `place`: of an answer that is lent. */
  | { readonly outcome: 'ok'; readonly value: unknown; readonly snapshot: Uint8Array | null; readonly place: AnswerPlace | null; readonly stats: ReplyStats }
  | { readonly outcome: 'missing'; readonly what: 'disk' | 'ruleset' | 'session'; readonly stats: ReplyStats }
  /** `unit`: of a batch or of cases, the one at work. */
  | { readonly outcome: 'failed'; readonly error: FlatError; readonly unit: number | null; readonly stats: ReplyStats }
