/**
 * What people do in the page, and what follows from it: every change of content or events asks the engine anew, and its answers become state. Invariants:
 *  1. an answer that a newer request makes useless is dropped
 *  2. what came by a link is kept only after somebody has asked for it
 *  3. what is deleted can be called back
 */
import { asIniCase, type FileKind, iniLosses, isIniCase, type Locale, nowOf, suiteCaseInputs, type SuiteCase, type TestCase } from '#engine'
import { EVENTS_LIMIT } from '../../worker/limits.js'
import { type EventAnswer, type EventInput, type FixRecord, type LastEventRequest, RefusedError } from '../../worker/protocol.js'
import type { GraphFocus, Selection } from '../pictures/index.js'
import { TEXTS } from '../texts/index.js'
import { EngineHost } from './engine-host.js'
import { exampleWork } from './example.js'
import { NO_RULE } from './expectation.js'
import type { Imported } from './import.js'
import { keep, keepChoice, type KeptBase } from './keep.js'
import { overrideOf } from './override.js'
import { ruleIdAt } from './rule-at.js'
import type { Store } from './store.js'
import { type Base, type EditedEvent, type EditedFile, newEvent, newId, type State, type Theme, type ViewName, type Work, workOf } from './state.js'
import { applyChanges } from './text-change.js'
import { writeWork } from './written-work.js'

/** Milliseconds without a change before the engine is asked: answers of 50 rules are there within a tenth of a second, and what is typed faster is one change. */
const SETTLE_MS = 25
/** Without a change before the rules are listed and the event is measured: pictures may be that old, and a list of thousands of rules takes longer than an answer. */
const PAUSE_MS = 250
/** Before the work is kept. */
const KEEP_MS = 800
/** How long a notice stands. */
const NOTICE_MS = 9000
/** The file for a first own rule. */
const OWN_RULES = 'local_rules.xml'

type Change = 'content' | 'events' | 'cases'

export class Playground {
  readonly store: Store<State>
  readonly #engine: EngineHost
  readonly #pending = new Set<Change>()
  #settling: ReturnType<typeof setTimeout> | null = null
  #pausing: ReturnType<typeof setTimeout> | null = null
  /** Whether the rules have changed since they were listed. */
  #isUnlisted = false
  #keeping: ReturnType<typeof setTimeout> | null = null
  #fading: ReturnType<typeof setTimeout> | null = null
  #baseFiles: KeptBase | null = null

  constructor(store: Store<State>, startWorker: () => Worker) {
    this.store = store
    this.#engine = new EngineHost(startWorker, () => this.#reopen())
  }

  get #state(): State {
    return this.store.state
  }

  get texts(): (typeof TEXTS)[Locale] {
    return TEXTS[this.#state.locale]
  }

  /** Asks the engine for the first time. */
  start(base: KeptBase | null): void {
    if (base === null) this.#changed('content', 0)
    else this.#setBase(base, { kind: 'own', name: base.name, files: base.files.length })
  }

  // Files

  selectFile(id: number): void {
    this.store.update({ activeFile: id, stock: null, part: 'content' })
  }

  editFile(id: number, content: string): void {
    this.#setFiles(this.#state.files.map((file) => (file.id === id ? { ...file, content } : file)))
  }

  addFile(kind: FileKind, content = ''): void {
    const name = this.#freeName(kind, NEW_NAMES[kind])
    const file: EditedFile = { id: newId(), kind, filename: name, content }
    this.#setFiles([...this.#state.files, file])
    this.store.update({ activeFile: file.id, stock: null, part: 'content' })
  }

  /** @returns whether the name is free */
  renameFile(id: number, written: string): boolean {
    const file = this.#state.files.find((one) => one.id === id)
    const filename = written.trim()
    if (file === undefined || filename === '' || filename === file.filename) return true
    if (this.#state.files.some((other) => other.id !== id && other.kind === file.kind && other.filename === filename)) return false
    this.#setFiles(this.#state.files.map((one) => (one.id === id ? { ...one, filename } : one)))
    return true
  }

  deleteFile(id: number): void {
    const { files, activeFile } = this.#state
    const index = files.findIndex((file) => file.id === id)
    if (index < 0) return
    const before = workOf(this.#state)
    const left = files.filter((file) => file.id !== id)
    this.#setFiles(left)
    if (activeFile === id) this.store.update({ activeFile: (left[index] ?? left.at(-1))?.id ?? null })
    this.notify(this.texts.notices.fileDeleted(files[index].filename), before)
  }

  applyFix(file: EditedFile, { edits }: FixRecord): void {
    // The places hold for the text that was diagnosed.
    if (!this.#state.files.includes(file)) return
    this.editFile(file.id, applyChanges(file.content, edits))
  }

  /** Shows a place of a file that is edited. */
  goTo(file: number, from: number, to: number): void {
    this.store.update({ activeFile: file, stock: null, part: 'content', target: { file, from, to } })
  }

  /** Shows a line of a file: an edited one, or one of the base. */
  async openAt(kind: FileKind, filename: string, line: number): Promise<void> {
    const edited = this.#state.files.find((file) => file.kind === kind && file.filename === filename)
    if (edited !== undefined) {
      const from = offsetOfLine(edited.content, line)
      return this.goTo(edited.id, from, from)
    }
    await this.#ask(
      this.#engine.ask((port) => port.baseFile({ kind, filename })),
      (content) => {
        if (content !== null) this.store.update({ stock: { kind, filename, content, line }, part: 'content' })
      },
    )
  }

  closeStock(): void {
    this.store.update({ stock: null })
  }

  /** Copies a rule of the base into the own rules, with `overwrite`. */
  overrideRule(id: string): void {
    const { stock, files } = this.#state
    const text = stock === null ? null : overrideOf(stock.content, id)
    if (text === null) return
    const target = files.find(({ kind, filename }) => kind === 'rules' && filename === OWN_RULES) ?? files.find(({ kind }) => kind === 'rules')
    if (target === undefined) return this.addFile('rules', text)
    const separator = target.content.trim() === '' ? '' : target.content.endsWith('\n') ? '\n' : '\n\n'
    const from = target.content.length + separator.length
    this.editFile(target.id, target.content + separator + text)
    this.goTo(target.id, from, from)
  }

  // Events

  selectEvent(id: number | null): void {
    if (id === this.#state.selectedEvent) return
    this.store.update({ selectedEvent: id, inspected: null })
    this.#changed('events', 0)
  }

  editEvent(id: number, change: Partial<Omit<EditedEvent, 'id'>>): void {
    this.#setEvents(this.#state.events.map((event) => (event.id === id ? { ...event, ...change } : event)))
  }

  /** Adds what somebody has typed or pasted. */
  async addEvents(text: string): Promise<void> {
    if (text.trim() === '') return
    await this.#ask(
      this.#engine.ask((port) => port.split({ text })),
      ({ events, inside }) => {
        const before = workOf(this.#state)
        const room = EVENTS_LIMIT - this.#state.events.length
        const records = inside.filter((one) => one !== null).length
        const added = events.slice(0, room).map((event, index) => {
          const log = inside[index]
          return log === null ? newEvent(event) : newEvent(log.event, { location: log.location ?? '', format: log.log_format })
        })
        if (added.length > 0) {
          this.#setEvents([...this.#state.events, ...added])
          this.store.update({ list: 'events' })
          this.selectEvent(added[0].id)
        }
        if (events.length > room) this.notify(this.texts.notices.eventsCut(EVENTS_LIMIT), null)
        else if (records > 0) this.notify(this.texts.notices.unwrapped(records), before)
      },
    )
  }

  deleteEvent(id: number): void {
    const { events, selectedEvent } = this.#state
    const index = events.findIndex((event) => event.id === id)
    if (index < 0) return
    const before = workOf(this.#state)
    const left = events.filter((event) => event.id !== id)
    this.#setEvents(left)
    if (selectedEvent === id) this.selectEvent((left[index] ?? left.at(-1))?.id ?? null)
    this.notify(this.texts.notices.eventDeleted, before)
  }

  clearEvents(): void {
    const before = workOf(this.#state)
    this.#setEvents([])
    this.selectEvent(null)
    this.notify(this.texts.notices.eventsDeleted, before)
  }

  /** Adds the same event once more, some seconds later. */
  repeatEvent(id: number, seconds: number): void {
    const { events } = this.#state
    const index = events.findIndex((event) => event.id === id)
    if (index < 0 || events.length >= EVENTS_LIMIT) return
    const copy = { ...events[index], id: newId(), wait: seconds, expected: '' }
    this.#setEvents([...events.slice(0, index + 1), copy, ...events.slice(index + 1)])
    this.selectEvent(copy.id)
  }

  setSession(session: boolean): void {
    this.store.update({ session })
    this.#changed('events', 0)
  }

  setNow(now: string | null): void {
    this.store.update({ now })
    this.#changed('events')
  }

  /** Shows why a rule or decoder matches the chosen event, or does not. */
  inspect(target: Selection): void {
    const { selectedEvent } = this.#state
    if (selectedEvent === null) return
    this.store.update({ inspected: { target, event: selectedEvent, inspection: null }, views: null, part: 'answer' })
    this.#inspect()
  }

  closeInspection(): void {
    this.store.update({ inspected: null })
  }

  // Views of the ruleset

  /** @param focus null: what was shown last, or else the rule of the answer */
  openViews(shown: ViewName, focus: GraphFocus | null): void {
    const { views, answers, selectedEvent } = this.#state
    const rule = selectedEvent === null ? null : (answers.get(selectedEvent)?.report.rule ?? null)
    this.store.update({ views: { shown, focus: focus ?? views?.focus ?? (rule === null ? null : { kind: 'rule', id: rule.id }) } })
  }

  closeViews(): void {
    this.store.update({ views: null })
  }

  /** Shows the graph around the rule at a place of a file, or of the file where the place is in none. */
  openGraphAt(file: Pick<EditedFile, 'content' | 'filename'>, offset: number): void {
    const id = ruleIdAt(file.content, offset)
    this.openViews('graph', id === null ? { kind: 'file', filename: file.filename } : { kind: 'rule', id })
  }

  // Cases

  /**
   * Makes a case of an event and its present answer, with the events before it where they share a session.
   * @param form `ini`: as Wazuh's suites have it, which test no fields
   */
  saveCase(id: number, form: 'json' | 'ini'): void {
    const { events, answers, session, now, cases } = this.#state
    const index = events.findIndex((event) => event.id === id)
    const report = answers.get(id)?.report
    if (index < 0 || report === undefined) return
    const { text, format, location } = events[index]
    const { rule, decoder, extracted_fields } = report
    const sequence = session ? timed(events.slice(0, index + 1)) : []
    const testCase: TestCase = {
      name: this.#caseName(rule === null ? this.texts.cases.noRule : `${rule.id} ${rule.description}`),
      ...(sequence.length > 1
        ? { events: sequence.map((one) => ({ event_text: one.event, at: one.at ?? 0, ...(one.location ? { location: one.location } : {}) })) }
        : { event_text: text }),
      ...(format === 'auto' ? {} : { log_format: format }),
      ...(location === '' ? {} : { location }),
      ...(now === null ? {} : { now }),
      ...(decoder === null ? {} : { expected_decoder: decoder.name }),
      ...(rule === null ? { expect_no_rule: true } : { expected_rule: rule.id, expected_level: rule.level }),
      ...(form === 'ini' || Object.keys(extracted_fields).length === 0 ? {} : { expected_fields: extracted_fields }),
    }
    if (form === 'ini' && iniLosses(testCase).length > 0) return this.notify(this.texts.notices.notAsIni, null)
    const before = workOf(this.#state)
    this.store.update({ cases: [...cases, { id: newId(), testCase: form === 'ini' ? asIniCase(testCase) : testCase }] })
    this.notify(this.texts.notices.caseSaved, before)
    this.#changed('cases', 0)
  }

  #caseName(wanted: string): string {
    const names = new Set(this.#state.cases.map(({ testCase }) => testCase.name))
    for (let number = 1; ; number++) {
      const name = number === 1 ? wanted : `${wanted} (${number})`
      if (!names.has(name)) return name
    }
  }

  renameCase(id: number, name: string): void {
    this.store.update({ cases: this.#state.cases.map((one) => (one.id === id ? { ...one, testCase: { ...one.testCase, name } } : one)) })
    this.#changed('cases')
  }

  deleteCase(id: number): void {
    const before = workOf(this.#state)
    this.store.update({ cases: this.#state.cases.filter((one) => one.id !== id) })
    this.#changed('cases')
    this.notify(this.texts.notices.caseDeleted, before)
  }

  /** Puts the events of a case in the place of the events of the page. */
  openCase(id: number): void {
    const testCase = this.#state.cases.find((one) => one.id === id)?.testCase
    if (testCase === undefined) return
    const before = workOf(this.#state)
    let second = 0
    const opened = suiteCaseInputs(testCase).map(({ input: { event, log_format: format, location = '' }, at }) => {
      const wait = at - second
      second = at
      return newEvent(event, { format, location, wait })
    })
    const last = opened.at(-1) as EditedEvent
    const expected = expectedOf(testCase)
    this.#setEvents(opened.map((event) => (event === last ? { ...event, expected } : event)))
    this.store.update({ list: 'events', session: opened.length > 1, now: nowOf(testCase) })
    this.selectEvent(last.id)
    this.notify(this.texts.notices.caseOpened, before)
  }

  // The whole work

  /** Replaces everything, and tells so with a way back. */
  replaceWork(work: Work, text: string | null, origin: State['origin']): void {
    const before = workOf(this.#state)
    this.store.update({ ...work, origin })
    this.#selectFirst()
    if (text !== null) this.notify(text, before)
    for (const change of ['content', 'events', 'cases'] as const) this.#changed(change, 0)
  }

  startAnew(): void {
    this.replaceWork(exampleWork(), this.texts.notices.example, 'own')
  }

  /** Keeps what came by a link. */
  keepLink(): void {
    this.store.update({ origin: 'own' })
    this.#keepSoon()
  }

  undo(): void {
    const work = this.#state.notice?.undo ?? null
    if (work === null) return
    this.store.update({ ...work, notice: null })
    this.#selectFirst()
    for (const change of ['content', 'events', 'cases'] as const) this.#changed(change, 0)
  }

  #selectFirst(): void {
    const { files, events, activeFile, selectedEvent } = this.#state
    this.store.update({
      activeFile: files.some(({ id }) => id === activeFile) ? activeFile : (files[0]?.id ?? null),
      selectedEvent: events.some(({ id }) => id === selectedEvent) ? selectedEvent : (events[0]?.id ?? null),
      stock: null,
      inspected: null,
    })
  }

  /** @param as what the files become */
  async useImport({ name, files, cases, events }: Imported, as: 'content' | 'base', isRemembered: boolean): Promise<void> {
    if (as === 'base') {
      const base = { name, files }
      this.#setBase(base, { kind: 'own', name, files: files.length })
      if (isRemembered && !(await keep('base', base))) this.notify(this.texts.notices.notKept, null)
      return
    }
    const before = workOf(this.#state)
    const edited = files.map((file) => ({ ...file, id: newId() }))
    this.replaceWork(
      {
        ...before,
        files: edited.length > 0 ? edited : before.files,
        cases: cases.length > 0 ? cases : before.cases,
        events: events === '' ? before.events : [],
      },
      null,
      'own',
    )
    await this.addEvents(events)
    this.notify(this.texts.notices.imported, before)
  }

  useShippedBase(kind: 'reference' | 'none'): void {
    this.#setBase(null, { kind, name: '', files: 0 })
    void keep('base', null)
  }

  #setBase(base: KeptBase | null, shown: Base): void {
    this.#baseFiles = base
    this.store.update({ base: shown, stock: null })
    this.#sendBase()
    this.#changed('content', 0)
  }

  #sendBase(): void {
    const { kind } = this.#state.base
    void this.#ask(
      this.#engine.ask((port) => port.base({ ruleset: kind === 'own' ? (this.#baseFiles?.files ?? []) : kind })),
      () => {},
    )
  }

  // The page

  setLocale(locale: Locale): void {
    this.store.update({ locale })
    keepChoice('locale', locale)
    for (const change of ['content', 'events', 'cases'] as const) this.#changed(change, 0)
  }

  setTheme(theme: Theme): void {
    this.store.update({ theme })
    keepChoice('theme', theme)
  }

  notify(text: string, undo: Work | null): void {
    if (this.#fading !== null) clearTimeout(this.#fading)
    this.store.update({ notice: { text, undo } })
    this.#fading = setTimeout(() => this.closeNotice(), NOTICE_MS)
  }

  closeNotice(): void {
    this.store.update({ notice: null })
  }

  // The engine

  #setFiles(files: readonly EditedFile[]): void {
    this.store.update({ files })
    this.#changed('content')
  }

  #setEvents(events: readonly EditedEvent[]): void {
    this.store.update({ events })
    this.#changed('events')
  }

  #changed(change: Change, delay = SETTLE_MS): void {
    this.#pending.add(change)
    if (this.#settling !== null) clearTimeout(this.#settling)
    this.#settling = setTimeout(() => {
      this.#settling = null
      this.#refresh()
    }, delay)
    this.#keepSoon()
  }

  /** The example is not worth keeping, and what came by a link is kept only when somebody says so. */
  #keepSoon(): void {
    if (this.#keeping !== null) clearTimeout(this.#keeping)
    this.#keeping = setTimeout(() => {
      this.#keeping = null
      if (this.#state.origin === 'own') void keep('work', writeWork(this.#state))
    }, KEEP_MS)
  }

  #reopen(): void {
    if (this.#state.base.kind !== 'reference') this.#sendBase()
    this.notify(this.texts.notices.restarted, null)
  }

  #refresh(): void {
    const isContent = this.#pending.has('content')
    const isEvents = isContent || this.#pending.has('events')
    const isCases = isContent || this.#pending.has('cases')
    this.#pending.clear()
    if (isContent) this.#open()
    if (isEvents) this.#run()
    if (isContent) this.#diagnose()
    if (isCases) this.#test()
    if (isEvents && this.#state.inspected !== null) this.#inspect()
    if (isEvents) this.#findNear()
    if (isEvents) this.#afterPause(isContent)
  }

  #open(): void {
    const { files } = this.#state
    void this.#ask(
      this.#engine.ask((port) => port.open({ files: files.map(({ kind, filename, content }) => ({ kind, filename, content })) })),
      (opened) => this.store.update({ opened, refusal: null }),
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
    void this.#ask(
      this.#engine.ask((port) =>
        port.run({ events: inputs, session, now, locale }, ({ first, answers: some }) => {
          for (const [index, answer] of some.entries()) answers.set(events[first + index].id, answer)
          // Old answers stand until new ones are there.
          this.store.update({ answers: new Map([...this.#state.answers, ...answers]) })
        }),
      ),
      () => this.store.update({ answers, refusal: null }),
    )
  }

  #diagnose(): void {
    const { files, locale } = this.#state
    void this.#ask(
      this.#engine.ask((port) => port.diagnose({ locale, includeBaseline: false })),
      (diagnosis) => this.store.update({ diagnosis, diagnosed: files }),
    )
  }

  #test(): void {
    const { cases, locale } = this.#state
    if (cases.length === 0) return
    void this.#ask(
      this.#engine.ask((port) => port.test({ cases: cases.map(({ testCase }) => testCase), locale })),
      (outcomes) => this.store.update({ outcomes: new Map(outcomes.map((outcome, index) => [cases[index].id, outcome])) }),
    )
  }

  #inspect(): void {
    const { inspected } = this.#state
    const request = this.#upTo(inspected?.event ?? null)
    if (inspected === null || request === null) return
    const { target, event } = inspected
    void this.#ask(
      this.#engine.ask((port) => port.inspect({ ...request, target })),
      (inspection) => {
        if (this.#state.inspected?.target === target && this.#state.inspected.event === event) this.store.update({ inspected: { target, event, inspection } })
      },
    )
  }

  #findNear(): void {
    const { selectedEvent: event } = this.#state
    const request = this.#upTo(event)
    if (event === null || request === null) return
    void this.#ask(
      this.#engine.ask((port) => port.near(request)),
      (misses) => this.store.update({ near: { event, misses } }),
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
    void this.#ask(
      this.#engine.ask((port) => port.costs(request)),
      (times) => this.store.update({ costs: { event, times } }),
    )
  }

  #list(): void {
    void this.#ask(
      this.#engine.ask((port) => port.graph()),
      (graph) => this.store.update({ ruleset: { ...graph, byId: new Map(graph.rules.map((rule) => [rule.id, rule])) } }),
    )
  }

  /** What need not follow each change. @param isContent whether the rules may be others */
  #afterPause(isContent: boolean): void {
    this.#isUnlisted ||= isContent
    if (this.#pausing !== null) clearTimeout(this.#pausing)
    this.#pausing = setTimeout(() => {
      this.#pausing = null
      if (this.#isUnlisted) this.#list()
      this.#isUnlisted = false
      this.#measure()
    }, PAUSE_MS)
  }

  async #ask<T>(asked: Promise<T>, use: (answer: T) => void): Promise<void> {
    try {
      use(await asked)
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error
      if (error.code !== 'superseded') this.store.update({ refusal: { code: error.code, limit: error.limit } })
    }
  }

  #freeName(kind: FileKind, wanted: string): string {
    const taken = new Set(this.#state.files.filter((file) => file.kind === kind).map(({ filename }) => filename))
    const [stem, extension] = wanted.endsWith('.xml') ? [wanted.slice(0, -4), '.xml'] : [wanted, '']
    for (let number = 1; ; number++) {
      const name = number === 1 ? wanted : `${stem}_${number}${extension}`
      if (!taken.has(name)) return name
    }
  }
}

/** Names of new files. */
const NEW_NAMES: Readonly<Record<FileKind, string>> = { rules: OWN_RULES, decoders: 'local_decoder.xml', lists: 'etc/lists/own' }

/** The events on the virtual clock of their session. */
function timed(events: readonly EditedEvent[]): EventInput[] {
  let at = 0
  return events.map(({ text, format, location, wait }, index) => {
    at += index === 0 ? 0 : wait
    return { event: text, log_format: format, at, ...(location === '' ? {} : { location }) }
  })
}

/** What an event of a case expects, as it is written in the page. */
function expectedOf(testCase: SuiteCase): string {
  if (!isIniCase(testCase)) return testCase.expected_rule ?? (testCase.expect_no_rule === true ? NO_RULE : '')
  const { verdict, rule, level } = testCase
  // The opposite of a rule cannot be expected here.
  return verdict === 'pass' ? rule : rule === '' && level === '' ? NO_RULE : ''
}

function offsetOfLine(text: string, line: number): number {
  let at = 0
  for (let passed = 1; passed < line; passed++) {
    const next = text.indexOf('\n', at)
    if (next < 0) break
    at = next + 1
  }
  return at
}
