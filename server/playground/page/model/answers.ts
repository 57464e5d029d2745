/**
 * What follows from a change: the engine is asked again, and its answers become state. `playground.ts` has what people do. Invariants:
 *  1. an answer that a newer request makes useless is dropped
 *  2. changes that come close together are one
 *  3. old answers stand until new ones are there
 */
import type { EnginePort } from '../../worker/client.js'
import { type ContentFile, type EventAnswer, type LastEventRequest, RefusedError } from '../../worker/protocol.js'
import { CaseGrading } from './case-grading.js'
import { EngineHost } from './engine-host.js'
import { timed } from './event-cases.js'
import { isContent } from './home.js'
import type { KeptBase } from './keep.js'
import { type AskLanguage, LanguageFault } from './language.js'
import type { Audit, EditedFile, State, ViewName } from './state.js'
import type { Store } from './store.js'

/** Milliseconds without a change before the engine is asked: answers of 50 rules are there within a tenth of a second, and what is typed faster is one change. */
const SETTLE_MS = 25
/** Without a change before the rules are listed, proofs are looked for and the event is measured: these may be that old, and a list of thousands of rules takes longer than an answer. */
const PAUSE_MS = 250

export const CHANGES = ['content', 'events', 'cases'] as const
export type Change = (typeof CHANGES)[number]

const NO_AUDIT: Audit = { loads: true, total: null, more: 0, records: [], isRunning: false }

export class Answers {
  readonly #store: Store<State>
  readonly #engine: EngineHost
  readonly #pending = new Set<Change>()
  #settling: ReturnType<typeof setTimeout> | null = null
  #pausing: ReturnType<typeof setTimeout> | null = null
  /** Whether the rules have changed since they were listed. */
  #isUnlisted = false
  /** The files of the diagnosis that has the proofs. */
  #proven: readonly EditedFile[] | null = null
  #base: KeptBase | null = null
  /** Number of audits that were begun or ended. */
  #audits = 0
  /** Number of searches for differences. */
  #searches = 0
  /** Whether a new worker was asked for everything, and nothing has changed since. */
  #isRepeated = false
  readonly grading: CaseGrading
  /** The files that the language server has. */
  #languageFiles: readonly EditedFile[] | null = null
  /** The files of the page when they were opened. */
  openedFiles: readonly EditedFile[]

  /** @param startWorker starts a worker with the engine @param onRestart called after another one was started */
  constructor(store: Store<State>, startWorker: () => Worker, onRestart: () => void) {
    this.#store = store
    this.openedFiles = store.state.files
    this.grading = new CaseGrading(store, (request, use) => this.asking(request, use))
    this.#engine = new EngineHost(startWorker, () => {
      this.#askAnew()
      onRestart()
    })
  }

  get #state(): State {
    return this.#store.state
  }

  /** @param delay milliseconds without a further change before the engine is asked */
  changed(change: Change, delay = SETTLE_MS): void {
    this.#isRepeated = false
    this.#refreshAfter(delay, change)
  }

  #refreshAfter(delay: number, ...changes: readonly Change[]): void {
    for (const change of changes) this.#pending.add(change)
    if (this.#settling !== null) clearTimeout(this.#settling)
    this.#settling = setTimeout(() => {
      this.#settling = null
      this.#refresh()
    }, delay)
  }

  /** Gives a new worker what the page has, and asks for everything once more. Not a second time: it may be what takes too long. */
  #askAnew(): void {
    this.#languageFiles = null
    if (this.#state.base.kind !== 'reference') this.#sendBase()
    if (this.#isRepeated) {
      this.#open()
      this.grading.changed('content')
    } else this.#refreshAfter(0, ...CHANGES)
    this.#isRepeated = true
  }

  /** Sends what the content is compiled on. @param files of an own one; the state has its kind */
  setBase(files: KeptBase | null): void {
    this.#base = files
    this.#sendBase()
  }

  /** Asks the engine for something that does not follow from a change. */
  asking<T>(request: (port: EnginePort) => Promise<T>, use: (answer: T) => void): Promise<void> {
    return this.ask(this.#engine.ask(request), use)
  }

  readonly askLanguage: AskLanguage = async (ask, params) => {
    const { files, locale } = this.#state
    const changed = files === this.#languageFiles ? null : files.map(({ kind, filename, content }) => ({ kind, filename, content }))
    this.#languageFiles = files
    try {
      const answer = await this.#engine.ask((port) => port.language({ ask, params, locale, files: changed }))
      if ('fault' in answer) throw new LanguageFault(answer.fault)
      return answer.answer
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error
      this.#languageFiles = null
      return null
    }
  }

  /** Asks for what a view shows beside the list of the rules. */
  show(view: ViewName): void {
    if (view === 'differences') this.differ()
    if (view === 'audit') this.audit()
    else this.stopAudit()
  }

  /** Judges the own rules, behind those that are judged already, a part at a time. */
  audit(): void {
    const turn = ++this.#audits
    const known = this.#state.audit ?? NO_AUDIT
    this.#store.update({ audit: { ...known, isRunning: true } })
    void this.#judge(turn)
  }

  /** Ends the audit; what is judged stays. */
  stopAudit(): void {
    this.#audits++
    const { audit } = this.#state
    if (audit?.isRunning === true) this.#store.update({ audit: { ...audit, isRunning: false } })
  }

  async #judge(turn: number): Promise<void> {
    for (;;) {
      const { records } = this.#state.audit ?? NO_AUDIT
      let isAnswered = false
      await this.asking(
        (port) => port.audit({ locale: this.#state.locale, from: records.length }),
        (part) => {
          isAnswered = true
          if (turn !== this.#audits) return
          const judged = [...records, ...part.records]
          this.#store.update({ audit: { ...part, records: judged, isRunning: judged.length < part.total } })
        },
      )
      if (turn !== this.#audits) return
      if (!isAnswered) return this.stopAudit()
      if (this.#state.audit?.isRunning !== true) return
    }
  }

  /** Looks for what the content does differently than what is at home, or was opened. */
  differ(): void {
    const turn = ++this.#searches
    this.#store.update({ differences: null })
    let found: State['differences'] = 'refused'
    void this.asking(
      (port) => port.differences({ before: this.#before }),
      (differences) => {
        found = differences
      },
    ).then(() => {
      if (turn === this.#searches) this.#store.update({ differences: found })
    })
  }

  /** The content to which differences refer: that at home, or that which was opened. */
  get #before(): readonly ContentFile[] {
    const { home } = this.#state
    const files = home === null ? this.openedFiles : [...home.files.values()].filter(isContent)
    return files.flatMap(({ kind, filename, content }) => (home?.service && kind !== 'lists' && content.trim() === '' ? [] : [{ kind, filename, content }]))
  }

  #sendBase(): void {
    const { kind } = this.#state.base
    void this.ask(
      this.#engine.ask((port) => port.base({ ruleset: kind === 'own' ? (this.#base?.files ?? []) : kind })),
      () => {},
    )
  }

  #refresh(): void {
    const isContent = this.#pending.has('content')
    const isEvents = isContent || this.#pending.has('events')
    const isCases = isContent || this.#pending.has('cases')
    this.#pending.clear()
    if (isContent) this.#open()
    if (isEvents) this.#run()
    if (isContent) this.#diagnose()
    if (isContent) {
      this.stopAudit()
      this.#store.update({ audit: null })
      if (this.#state.views !== null) this.show(this.#state.views.shown)
    }
    if (isCases) this.grading.changed(isContent ? 'content' : 'cases')
    if (isCases) this.#test()
    if (isEvents && this.#state.inspected !== null) this.inspect()
    if (isEvents) this.#findNear()
    if (isEvents) this.#afterPause(isContent)
  }

  /** The files that are compiled. The service makes no file of an empty text. */
  get #compiled(): readonly EditedFile[] {
    const { files, home } = this.#state
    return home === null || home.service === null ? files : files.filter(({ kind, content }) => kind === 'lists' || content.trim() !== '')
  }

  #open(): void {
    const files = this.#compiled
    void this.ask(
      this.#engine.ask((port) => port.open({ files: files.map(({ kind, filename, content }) => ({ kind, filename, content })) })),
      (opened) => this.#store.update({ opened, refusal: null }),
    )
  }

  #run(): void {
    const { events, selectedEvent, session, now, locale } = this.#state
    const inputs = timed(events).map((input, index) => ({
      ...input,
      ...(session ? {} : { at: 0 }),
      // What waits at the end of a session is in the trace of its last event.
      trace: events[index].id === selectedEvent || (session && index === events.length - 1),
    }))
    const answers = new Map<number, EventAnswer>()
    void this.ask(
      this.#engine.ask((port) =>
        port.run({ events: inputs, session, now, locale }, ({ first, answers: some }) => {
          for (const [index, answer] of some.entries()) answers.set(events[first + index].id, answer)
          // Old answers stand until new ones are there.
          this.#store.update({ answers: new Map([...this.#state.answers, ...answers]) })
        }),
      ),
      () => this.#store.update({ answers, refusal: null }),
    )
  }

  #diagnose(): void {
    const { locale } = this.#state
    const files = this.#compiled
    this.#proven = null
    void this.ask(
      this.#engine.ask((port) => port.diagnose({ locale, includeBaseline: false })),
      (diagnosis) => {
        if (this.#proven !== files) this.#store.update({ diagnosis, diagnosed: files })
      },
    )
  }

  /** Adds what needs a proof to the diagnosis. */
  #prove(): void {
    const { locale } = this.#state
    const files = this.#compiled
    void this.ask(
      this.#engine.ask((port) => port.prove({ locale, includeBaseline: false })),
      (diagnosis) => {
        this.#proven = files
        this.#store.update({ diagnosis, diagnosed: files })
      },
    )
  }

  #test(): void {
    const { cases, locale } = this.#state
    if (cases.length === 0) return
    void this.ask(
      this.#engine.ask((port) => port.test({ cases: cases.map(({ testCase }) => testCase), locale })),
      (outcomes) => this.#store.update({ outcomes: new Map(outcomes.map((outcome, index) => [cases[index].id, outcome])) }),
    )
  }

  /** Asks for the conditions of what is inspected. */
  inspect(): void {
    const { inspected } = this.#state
    const request = this.#upTo(inspected?.event ?? null)
    if (inspected === null || request === null) return
    const { target, event } = inspected
    void this.ask(
      this.#engine.ask((port) => port.inspect({ ...request, target })),
      (inspection) => {
        if (this.#state.inspected?.target === target && this.#state.inspected.event === event) this.#store.update({ inspected: { target, event, inspection } })
      },
    )
  }

  #findNear(): void {
    const { selectedEvent: event } = this.#state
    const request = this.#upTo(event)
    if (event === null || request === null) return
    void this.ask(
      this.#engine.ask((port) => port.near(request)),
      (misses) => this.#store.update({ near: { event, misses } }),
    )
  }

  /** An event as the last one of a request; null: there is none of this id. */
  #upTo(id: number | null): LastEventRequest | null {
    const { events, session, now } = this.#state
    const index = events.findIndex((event) => event.id === id)
    if (index < 0) return null
    return { events: timed(session ? events.slice(0, index + 1) : [{ ...events[index], wait: 0 }]), session, now }
  }

  #measure(): void {
    const { selectedEvent: event } = this.#state
    const request = this.#upTo(event)
    if (event === null || request === null) return
    void this.ask(
      this.#engine.ask((port) => port.costs(request)),
      (times) => this.#store.update({ costs: { event, times } }),
    )
  }

  #list(): void {
    void this.ask(
      this.#engine.ask((port) => port.graph()),
      (graph) => this.#store.update({ ruleset: { ...graph, byId: new Map(graph.rules.map((rule) => [rule.id, rule])) } }),
    )
  }

  /** What need not follow each change. @param isContent whether the rules may be others */
  #afterPause(isContent: boolean): void {
    this.#isUnlisted ||= isContent
    if (this.#pausing !== null) clearTimeout(this.#pausing)
    this.#pausing = setTimeout(() => {
      this.#pausing = null
      if (this.#isUnlisted) {
        this.#list()
        this.#prove()
      }
      this.#isUnlisted = false
      this.#measure()
    }, PAUSE_MS)
  }

  /** Uses an answer, or shows why there is none. */
  async ask<T>(asked: Promise<T>, use: (answer: T) => void): Promise<void> {
    try {
      use(await asked)
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error
      if (error.code !== 'superseded') this.#store.update({ refusal: { code: error.code, limit: error.limit } })
    }
  }
}
