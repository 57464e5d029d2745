/** The page's end of the port. */
import type { Inspection, MergeAnswer, MergeRequest, NearMiss, StageTimes } from '#engine'
import {
  type BaseRequest,
  type BaseFileRequest,
  type CaseOutcome,
  type DiagnoseRequest,
  type Diagnosis,
  type AttackEvent,
  type AttackRequest,
  type AuditPart,
  type AuditRequest,
  type Differences,
  type DifferencesRequest,
  type Graph,
  type HelpRequest,
  type InspectRequest,
  type LanguageAnswer,
  type LanguageMethod,
  type LanguageRequest,
  type LastEventRequest,
  type Method,
  type Methods,
  type MutateRequest,
  type MutationPart,
  type Opened,
  type OpenRequest,
  type Port,
  RefusedError,
  type Reply,
  type RunEnd,
  type RunPart,
  type RunRequest,
  type SplitEvents,
  type SplitRequest,
  type TestRequest,
} from './protocol.js'

interface Waiting {
  resolve(answer: Methods[Method]['answer']): void
  reject(error: RefusedError): void
  readonly send: ((part: RunPart) => void) | null
}

/** Asks the engine at the other end. Every method rejects with a `RefusedError` where there is no answer. */
export class EnginePort {
  readonly #port: Port
  readonly #waiting = new Map<number, Waiting>()
  #last = 0

  constructor(port: Port) {
    this.#port = port
    port.onmessage = ({ data }) => this.#receive(data as Reply)
  }

  base(request: BaseRequest): Promise<Opened> {
    return this.#ask('base', request)
  }

  open(request: OpenRequest): Promise<Opened> {
    return this.#ask('open', request)
  }

  /** @param send gets the answers as they are ready */
  run(request: RunRequest, send: (part: RunPart) => void): Promise<RunEnd> {
    return this.#ask('run', request, send)
  }

  inspect(request: InspectRequest): Promise<Inspection> {
    return this.#ask('inspect', request)
  }

  /** What came near to the last event without matching, the nearest first. */
  near(request: LastEventRequest): Promise<readonly NearMiss[]> {
    return this.#ask('near', request)
  }

  diagnose(request: DiagnoseRequest): Promise<Diagnosis> {
    return this.#ask('diagnose', request)
  }

  /** The diagnosis with what needs a proof. */
  prove(request: DiagnoseRequest): Promise<Diagnosis> {
    return this.#ask('prove', request)
  }

  test(request: TestRequest): Promise<readonly CaseOutcome[]> {
    return this.#ask('test', request)
  }

  graph(): Promise<Graph> {
    return this.#ask('graph', null)
  }

  /** What header, decoders and rules take for the last event. */
  costs(request: LastEventRequest): Promise<StageTimes> {
    return this.#ask('costs', request)
  }

  split(request: SplitRequest): Promise<SplitEvents> {
    return this.#ask('split', request)
  }

  /** The text of a file of the base; null: it has no such file. */
  baseFile(request: BaseFileRequest): Promise<string | null> {
    return this.#ask('baseFile', request)
  }

  /** Merges two edits of files by rule, decoder, variable and list. */
  merge(request: MergeRequest): Promise<MergeAnswer> {
    return this.#ask('merge', request)
  }

  /** What the content does differently than before. */
  differences(request: DifferencesRequest): Promise<Differences> {
    return this.#ask('differences', request)
  }

  /** The event that brings the attack of a diagnostic to its pattern. */
  attack(request: AttackRequest): Promise<AttackEvent> {
    return this.#ask('attack', request)
  }

  /** Verdicts on own rules, from one on. */
  audit(request: AuditRequest): Promise<AuditPart> {
    return this.#ask('audit', request)
  }

  /** What the cases are worth, from one rule or decoder on. */
  mutate(request: MutateRequest): Promise<MutationPart> {
    return this.#ask('mutate', request)
  }

  /** The page about a diagnostic, in Markdown. */
  help(request: HelpRequest): Promise<string> {
    return this.#ask('help', request)
  }

  language<M extends LanguageMethod>(request: LanguageRequest<M>): Promise<LanguageAnswer<M>> {
    return this.#ask('language', request) as Promise<LanguageAnswer<M>>
  }

  /** Refuses what waits: the other end has been ended, or has failed. */
  end(): void {
    for (const { reject } of this.#waiting.values()) reject(new RefusedError('failed'))
    this.#waiting.clear()
  }

  #ask<M extends Method>(method: M, request: Methods[M]['request'], send: Waiting['send'] = null): Promise<Methods[M]['answer']> {
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, send })
      this.#port.postMessage({ id, method, request })
    })
  }

  #receive(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id)
    if (waiting === undefined) return
    if (reply.kind === 'part') return waiting.send?.(reply.part)
    this.#waiting.delete(reply.id)
    if (reply.kind === 'answer') waiting.resolve(reply.answer)
    else waiting.reject(new RefusedError(reply.refusal.code, reply.refusal.limit))
  }
}
