/**
 * The messages between the page and its worker. A request has an id, and gets one answer or one refusal with it; a run also gets parts before its answer. A newer
 * request replaces what it makes useless (`serve.ts`). All of it is plain data.
 */
import type {
  AlertChanges,
  AttackRecord,
  AttackTactic,
  CaseCheck,
  CompiledRuleset,
  DiagnosticCode,
  AuditRecord,
  Difference,
  FileKind,
  InspectedTarget,
  Inspection,
  Locale,
  LogFormat,
  LogtestInput,
  LogtestReport,
  MergeAnswer,
  MergeRequest,
  MutantStatus,
  NearMiss,
  RuleGraphNode,
  SourceFile,
  StageTimes,
  SuiteCase,
  TestCase,
  ValidationReport,
} from '#engine'
import type { Requests } from '../../language/protocol.js'

/** A file of rules, decoders or a list; a list has the path by which rules name it. */
export type ContentFile = Pick<SourceFile, 'content' | 'filename' | 'kind'>

export interface BaseRequest {
  /** What the content is compiled on: the ruleset that we ship, nothing, or the files of another one. */
  readonly ruleset: 'reference' | 'none' | readonly ContentFile[]
}

export interface OpenRequest {
  /** The whole content that is edited. */
  readonly files: readonly ContentFile[]
}

/** A compiled ruleset. */
export interface Opened {
  /** Whether Wazuh would start with it. Otherwise no event runs, and the diagnostics say why. */
  readonly loads: boolean
  readonly counts: CompiledRuleset['counts']
  readonly compiled_hash: string
  readonly compile_ms: number
}

export interface DiagnoseRequest {
  readonly locale: Locale
  /** Whether diagnostics of the base are listed too. They are listed anyway where the ruleset does not load. */
  readonly includeBaseline: boolean
}

/** A correction of a diagnostic: all replacements together, in ascending order. Offsets are UTF-16 units of the file. */
export interface FixRecord {
  /** Whether the text can mean nothing else. The others are proposals. */
  readonly isSure: boolean
  readonly edits: readonly { readonly from: number; readonly to: number; readonly insert: string }[]
}

/** Where a diagnostic is in the files that are edited, and what corrects it. */
export interface Mark {
  /** Index of the file among those that were opened. */
  readonly file: number
  /** Both are 0 where the diagnostic is about the whole file. */
  readonly from: number
  readonly to: number
  /** The best one first. */
  readonly fixes: readonly FixRecord[]
}

export interface Diagnosis extends ValidationReport {
  /** For each of the diagnostics; null: it is in no file that is edited. */
  readonly marks: readonly (Mark | null)[]
}

export interface EventInput {
  readonly event: string
  /** Default: `auto`. */
  readonly log_format?: LogFormat
  /** Default: `stdin`. */
  readonly location?: string
  /** Second of the virtual clock, not before that of the event above. Default: the second of the event above; the first one arrives at 0. */
  readonly at?: number
  /** Whether the answer has the trace and its hints. Default: false. */
  readonly trace?: boolean
}

export interface RunRequest {
  readonly events: readonly EventInput[]
  /** Whether the events share a session. It begins with the first event of the request. */
  readonly session: boolean
  /** Second 0 of the clock: an ISO time with the zone of the manager. Null: the clock of this machine. */
  readonly now: string | null
  readonly locale: Locale
}

export interface EventAnswer {
  readonly report: LogtestReport
  /** The log in an event that is a record about it, such as a line of archives; null: it is none. */
  readonly inside: LogtestInput | null
}

/** Answers that are ready. */
export interface RunPart {
  /** Index of the first of these events. */
  readonly first: number
  readonly answers: readonly EventAnswer[]
}

export interface RunEnd {
  readonly events: number
  readonly run_ms: number
}

/** The last event, after the events before it. */
export type LastEventRequest = Pick<RunRequest, 'events' | 'session' | 'now'>

/** What the last event meets of a rule or decoder. */
export interface InspectRequest extends LastEventRequest {
  readonly target: InspectedTarget
}

/** What pictures of the whole ruleset are drawn from. */
export interface Graph {
  /** In load order. */
  readonly rules: readonly RuleGraphNode[]
  readonly tactics: readonly AttackTactic[]
}

export interface TestRequest {
  /** Cases as in suites in JSON, or in Wazuh's `.ini` format. */
  readonly cases: readonly SuiteCase[]
  readonly locale: Locale
}

/** The outcome of a case. */
export interface CaseOutcome {
  readonly passed: boolean
  readonly checks: readonly CaseCheck[]
  /** Whether the result can be another one at another time. */
  readonly depends_on_clock: boolean
  /** Ids of the rules that matched on its events. */
  readonly covered_rules: readonly string[]
}

export interface DifferencesRequest {
  /** The whole content before it was edited. The content after is what was opened last; both have the same base. */
  readonly before: readonly ContentFile[]
}

/** What the content that is edited does differently. */
export interface Differences {
  /** Whether Wazuh would start with both; nothing is compared otherwise. */
  readonly loads: boolean
  /** One event for each kind of difference, lost alerts first. */
  readonly differences: readonly Difference[]
  /** Differences that are not sent. */
  readonly more: number
  readonly alerts: Readonly<Record<keyof AlertChanges, number>>
  readonly proven: number
  readonly searched: number
  readonly unknown: number
  /** Whether there was time for all. */
  readonly complete: boolean
}

export interface AuditRequest {
  readonly locale: Locale
  /** Number of the rules that are judged: the answer continues after them. */
  readonly from: number
}

/** Verdicts on own rules, as many as there was time for. */
export interface AuditPart {
  /** Whether Wazuh would start with the content; nothing is judged otherwise. */
  readonly loads: boolean
  /** Own rules that are judged in all, and those that are too many. */
  readonly total: number
  readonly more: number
  /** Those that the loader drops first, then in the order of the rules. */
  readonly records: readonly AuditRecord[]
}

export interface MutateRequest {
  readonly locale: Locale
  /** The cases that are graded; null: those of the request before, whose grading continues. */
  readonly cases: readonly SuiteCase[] | null
  /** Number of the rules and decoders that are done: the answer continues after them. */
  readonly from: number
}

/** A change that no case notices. */
export interface Survivor {
  /** Id of the changed rule; null: a decoder was changed. */
  readonly rule: string | null
  readonly decoder: string | null
  readonly kind: FileKind
  readonly filename: string
  readonly line: number
  readonly before: string
  /** Empty: it is taken out. */
  readonly after: string
  /** A case that would notice it. */
  readonly killer: TestCase
}

/** What happened to the changes of some rules and decoders, as many as there was time for. */
export interface MutationPart {
  /** Whether Wazuh would start with the content; nothing is graded otherwise. */
  readonly loads: boolean
  /** Cases that fail before anything is changed; nothing is graded then. */
  readonly failed: number
  /** Own rules and decoders in all, those that are done, and those of this part for which there was no time. */
  readonly total: number
  readonly done: number
  readonly untried: number
  /** Changes of this part. */
  readonly counts: Readonly<Record<MutantStatus, number>>
  readonly survivors: readonly Survivor[]
}

/** A diagnostic `regex_backtracking`, by its place. */
export interface AttackRequest extends Pick<ContentFile, 'filename' | 'kind'> {
  readonly line: number
  readonly column: number
}

/** An event that brings the text of an attack to the pattern. Null: none was found. */
export type AttackEvent = AttackRecord['event']

export interface SplitRequest {
  /** What somebody has typed or pasted. */
  readonly text: string
}

/** Events of a text: one a line, except for JSON and XML over several lines and entries of alerts.log. */
export interface SplitEvents {
  readonly events: readonly string[]
  /** For each of them the log inside, as in `EventAnswer`. */
  readonly inside: readonly (LogtestInput | null)[]
}

export interface BaseFileRequest {
  readonly kind: FileKind
  readonly filename: string
}

export interface HelpRequest {
  /** Code of a diagnostic. */
  readonly code: DiagnosticCode
  readonly locale: Locale
}

/** What the page asks the language server. */
export type LanguageMethod = Exclude<keyof Requests, 'initialize' | 'shutdown'>

/** Its files have the addresses of `addresses.ts`. */
export interface LanguageRequest<M extends LanguageMethod = LanguageMethod> {
  readonly ask: M
  readonly params: Requests[M][0]
  readonly locale: Locale
  /** The whole content, where it has changed since the last request; null: it has not. */
  readonly files: readonly ContentFile[] | null
}

/** What the language server answers, or in words why it does not do it. */
export type LanguageAnswer<M extends LanguageMethod = LanguageMethod> = { readonly answer: Requests[M][1] } | { readonly fault: string }

/** Each method with its request and its answer, in the order in which waiting requests are answered. */
export interface Methods {
  readonly base: { readonly request: BaseRequest; readonly answer: Opened }
  readonly open: { readonly request: OpenRequest; readonly answer: Opened }
  readonly run: { readonly request: RunRequest; readonly answer: RunEnd }
  readonly inspect: { readonly request: InspectRequest; readonly answer: Inspection }
  readonly diagnose: { readonly request: DiagnoseRequest; readonly answer: Diagnosis }
  readonly test: { readonly request: TestRequest; readonly answer: readonly CaseOutcome[] }
  readonly near: { readonly request: LastEventRequest; readonly answer: readonly NearMiss[] }
  readonly graph: { readonly request: null; readonly answer: Graph }
  readonly costs: { readonly request: LastEventRequest; readonly answer: StageTimes }
  readonly split: { readonly request: SplitRequest; readonly answer: SplitEvents }
  readonly baseFile: { readonly request: BaseFileRequest; readonly answer: string | null }
  readonly merge: { readonly request: MergeRequest; readonly answer: MergeAnswer }
  readonly help: { readonly request: HelpRequest; readonly answer: string }
  /** The others do not wait for the end of this and the next two. */
  readonly attack: { readonly request: AttackRequest; readonly answer: AttackEvent }
  readonly prove: { readonly request: DiagnoseRequest; readonly answer: Diagnosis }
  readonly differences: { readonly request: DifferencesRequest; readonly answer: Differences }
  readonly audit: { readonly request: AuditRequest; readonly answer: AuditPart }
  readonly mutate: { readonly request: MutateRequest; readonly answer: MutationPart }
  /** It does not wait for the others. */
  readonly language: { readonly request: LanguageRequest; readonly answer: LanguageAnswer }
}

export type Method = keyof Methods

export interface Request<M extends Method = Method> {
  readonly id: number
  readonly method: M
  readonly request: Methods[M]['request']
}

export type RefusalCode =
  | 'too_many_files'
  | 'content_too_large'
  | 'too_many_events'
  | 'events_too_large'
  | 'too_many_traces'
  | 'too_many_cases'
  | 'clock_invalid'
  | 'second_invalid'
  | 'superseded'
  | 'failed'

/** Why there is no answer. It is data: the page has the words. */
export interface Refusal {
  readonly code: RefusalCode
  /** The limit that is exceeded; null: none. */
  readonly limit: number | null
}

export type Reply =
  | { readonly id: number; readonly kind: 'part'; readonly part: RunPart }
  | { readonly id: number; readonly kind: 'answer'; readonly answer: Methods[Method]['answer'] }
  | { readonly id: number; readonly kind: 'refusal'; readonly refusal: Refusal }

/** A worker, or one end of a message channel. */
export interface Port {
  postMessage(message: unknown): void
  onmessage: ((event: MessageEvent) => void) | null
}

/** Thrown in the worker, and by the page's end of the port. */
export class RefusedError extends Error implements Refusal {
  constructor(
    readonly code: RefusalCode,
    readonly limit: number | null = null,
  ) {
    super(limit === null ? code : `${code}: ${limit}`)
  }
}
