/** What the page knows. `Work` is what people make: it is kept, shared and exported. The rest is found from it, or is about the page. */
import type { DiagnosticRecord, FileKind, Inspection, Locale, LogFormat, NearMiss, RuleGraphNode, StageTimes, SuiteCase } from '#engine'
import type { Range } from 'vscode-languageserver-types'
import type { FileAddress } from '../../worker/addresses.js'
import type { AuditPart, CaseOutcome, Diagnosis, Differences, EventAnswer, Graph, MutationPart, Opened, RefusalCode } from '../../worker/protocol.js'
import type { GraphFocus, Selection } from '../pictures/index.js'
import type { Home } from './home.js'

/** A file of the content. */
export interface EditedFile {
  /** Unique in the page, and never used again. */
  readonly id: number
  readonly kind: FileKind
  /** A list has the path by which rules name it. */
  readonly filename: string
  readonly content: string
}

export interface EditedEvent {
  readonly id: number
  readonly text: string
  readonly format: LogFormat
  /** Empty: `stdin`. */
  readonly location: string
  /** Seconds after the event above. They count where the events share a session. */
  readonly wait: number
  /** Id of the rule that is expected, `-` for none; empty: nothing is expected. */
  readonly expected: string
}

export interface EditedCase {
  readonly id: number
  /** A case as in a suite in JSON, or in Wazuh's `.ini` format. */
  readonly testCase: SuiteCase
  /** Id of the suite in whose file it is; absent: it is in none yet. */
  readonly suite?: number
  /** It is in a file that cannot be written. */
  readonly isReadOnly?: true
}

export interface Work {
  readonly files: readonly EditedFile[]
  readonly events: readonly EditedEvent[]
  readonly cases: readonly EditedCase[]
  /** Whether the events share a session. */
  readonly session: boolean
  /** Second 0 of the session's clock; null: the clock of this machine. */
  readonly now: string | null
}

/** The ruleset below the content. */
export interface Base {
  readonly kind: 'reference' | 'none' | 'own'
  /** Name of an own ruleset. */
  readonly name: string
  readonly files: number
}

/** A file of the base, opened to read. */
export interface StockFile {
  readonly kind: FileKind
  readonly filename: string
  readonly content: string
  /** Line to show. */
  readonly line: number
}

/** Where the work is from. What came by a link is not kept unless a person says so, and what has a home is kept there. */
export type Origin = 'example' | 'own' | 'link' | 'home'

export type Theme = 'auto' | 'light' | 'dark'
/** On a narrow window one of them is shown. */
export type Part = 'content' | 'events' | 'answer'
export type DialogName = 'share' | 'import' | 'keys' | 'about' | 'service' | 'merge' | null

/** A short message, with a way back where it tells of a loss. */
export interface Notice {
  readonly text: string
  /** What was there before, or what brings it back. */
  readonly undo: Work | (() => void) | null
}

/** A place in a file, with what is there. */
export interface CodePlace {
  readonly file: FileAddress
  readonly range: Range
  /** An id, or a name. */
  readonly name: string
  readonly detail: string
}

/** What is asked about the code in the editor. */
export type CodeDialog =
  | { readonly kind: 'outline' }
  | { readonly kind: 'places'; readonly title: string; readonly places: readonly CodePlace[] }
  | { readonly kind: 'rename'; readonly name: string }
  /** Help: the page about a diagnostic. */
  | { readonly kind: 'page'; readonly code: string; readonly text: string }

/** A rule or decoder of which somebody wants to know why it matches or not. */
export interface Inspected {
  readonly target: Selection
  readonly event: number
  /** Null: the answer has not come. */
  readonly inspection: Inspection | null
}

/** The rules of base and content. */
export interface Ruleset extends Graph {
  readonly byId: ReadonlyMap<string, RuleGraphNode>
}

/** Pictures of the whole ruleset, and of a part of it. */
export type ViewName = 'graph' | 'map' | 'attack' | 'audit' | 'cases' | 'differences'
export interface Views {
  readonly shown: ViewName
  /** What the graph is about, and the rule that the map marks; null: nothing is chosen. */
  readonly focus: GraphFocus | null
}

/** Verdicts on the own rules, as far as they are judged. */
export interface Audit extends Omit<AuditPart, 'total'> {
  /** Rules of the content; null: the first answer is not there yet. */
  readonly total: number | null
  readonly isRunning: boolean
}

/** What the cases are worth, as far as they are graded. */
export interface CaseGrade extends Omit<MutationPart, 'total'> {
  /** Rules and decoders of the content; null: the first answer is not there yet. */
  readonly total: number | null
  readonly isRunning: boolean
  /** The cases have changed since. */
  readonly isOld: boolean
}

export interface State extends Work {
  readonly locale: Locale
  readonly theme: Theme
  readonly part: Part
  /** Which list is below the editor. */
  readonly list: 'events' | 'cases'
  readonly dialog: DialogName
  readonly codeDialog: CodeDialog | null
  readonly notice: Notice | null
  readonly origin: Origin
  /** Where the content lives; null: in this page. */
  readonly home: Home | null
  readonly base: Base
  readonly activeFile: number | null
  readonly stock: StockFile | null
  /** Where the editor must go; it is set to null when it is there. */
  readonly target: { readonly file: number; readonly from: number; readonly to: number } | null
  readonly selectedEvent: number | null
  readonly opened: Opened | null
  readonly diagnosis: Diagnosis | null
  /** The files that the diagnosis is about: its places hold only for these. */
  readonly diagnosed: readonly EditedFile[]
  /** The problem whose event is looked for; null: none. */
  readonly attacked: DiagnosticRecord | null
  readonly answers: ReadonlyMap<number, EventAnswer>
  /** By id of a case. */
  readonly outcomes: ReadonlyMap<number, CaseOutcome>
  readonly inspected: Inspected | null
  /** What came near to an event without matching. */
  readonly near: { readonly event: number; readonly misses: readonly NearMiss[] } | null
  /** What an event costs. It is measured when somebody pauses. */
  readonly costs: { readonly event: number; readonly times: StageTimes } | null
  /** Null: the engine has not listed it. It follows changes when somebody pauses. */
  readonly ruleset: Ruleset | null
  /** Null: they are not open. */
  readonly views: Views | null
  /** Null: it was not asked for, or the content has changed since. */
  readonly audit: Audit | null
  /** Null: it was not asked for, or the content has changed since. */
  readonly caseGrade: CaseGrade | null
  /** What the content does differently than what was opened. Null: it was not asked, or the answer has not come; `refused`: none will come. */
  readonly differences: Differences | 'refused' | null
  /** Why the engine refuses to answer; null: it answers. */
  readonly refusal: { readonly code: RefusalCode; readonly limit: number | null } | null
}

/** The parts of a state that are work. */
export function workOf({ files, events, cases, session, now }: Work): Work {
  return { files, events, cases, session, now }
}

let lastId = 0

/** Returns an id for a file, an event or a case. */
export function newId(): number {
  return ++lastId
}

export function newEvent(text: string, change: Partial<EditedEvent> = {}): EditedEvent {
  return { id: newId(), text, format: 'auto', location: '', wait: 0, expected: '', ...change }
}
