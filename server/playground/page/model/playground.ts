/**
 * What people do in the page, and what follows from it: every change of content or events asks the engine anew, and its answers become state. Invariants:
 *  1. an answer that a newer request makes useless is dropped
 *  2. what came by a link is kept only after somebody has asked for it
 *  3. what is deleted can be called back
 *  4. what has a home is written there only when somebody saves
 */
import {
  asIniCase,
  type BehaviourEvent,
  type DiagnosticCode,
  type FileKind,
  iniLosses,
  isIniCase,
  type Locale,
  type MergeAnswer,
  type MergeRequest,
  nowOf,
  suiteCaseInputs,
  type SuiteCase,
  type TestCase,
} from '#engine'
import { EVENTS_LIMIT } from '../../worker/limits.js'
import { type ContentFile, type EventAnswer, type EventInput, type FixRecord, type LastEventRequest, RefusedError } from '../../worker/protocol.js'
import type { GraphFocus, Selection } from '../pictures/index.js'
import { TEXTS } from '../texts/index.js'
import { EngineHost } from './engine-host.js'
import { exampleWork } from './example.js'
import { NO_RULE } from './expectation.js'
import type { FolderRefusalCode } from '../../folder-api.js'
import { type Home, isContent, unsavedOf } from './home.js'
import type { HomeKeeper, HomePage } from './home-keeper.js'
import { settled, type Parts } from './home-sync.js'
import type { Imported } from './import.js'
import { type AskLanguage, LanguageFault } from './language.js'
import { keep, keepChoice, type KeptBase } from './keep.js'
import { ruleIdAt } from './rule-at.js'
import type { Store } from './store.js'
import { findService, ServiceClient } from './service-client.js'
import { type Base, type EditedCase, type EditedEvent, type EditedFile, newEvent, newId, type Notice, type State, type Theme, type ViewName, type Work, workOf } from './state.js'
import { asJsonCase } from './suites.js'
import { applyChanges } from './text-change.js'
import { writeWork } from './written-work.js'

/** Milliseconds without a change before the engine is asked: answers of 50 rules are there within a tenth of a second, and what is typed faster is one change. */
const SETTLE_MS = 25
/** Without a change before the rules are listed and the event is measured: pictures may be that old, and a list of thousands of rules takes longer than an answer. */
const PAUSE_MS = 250
/** Before the work is kept. */
const KEEP_MS = 800
/** Seconds before an event that is added with those above it in one session. */
const DAY = 86_400
/** How long a notice stands. */
const NOTICE_MS = 9000

type Change = 'content' | 'events' | 'cases'

export class Playground implements HomePage {
  readonly store: Store<State>
  /** The service from which the page came; null: another server has sent it. */
  readonly service: ServiceClient | null
  readonly #engine: EngineHost
  readonly #pending = new Set<Change>()
  #settling: ReturnType<typeof setTimeout> | null = null
  #pausing: ReturnType<typeof setTimeout> | null = null
  /** Whether the rules have changed since they were listed. */
  #isUnlisted = false
  #keeping: ReturnType<typeof setTimeout> | null = null
  #fading: ReturnType<typeof setTimeout> | null = null
  #baseFiles: KeptBase | null = null
  #keeper: HomeKeeper | null = null
  /** The files of the page when they were opened. */
  #openedFiles: readonly EditedFile[]
  /** The files that the language server has. */
  #languageFiles: readonly EditedFile[] | null = null

  constructor(store: Store<State>, startWorker: () => Worker) {
    this.store = store
    this.#openedFiles = store.state.files
    const place = findService()
    this.service = place === null ? null : new ServiceClient(place, () => this.#state.locale)
    this.#engine = new EngineHost(startWorker, () => this.#reopen())
  }

  get state(): State {
    return this.store.state
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

  // Home

  /** Shows the content of a home in place of the work. @param base null: the reference ruleset */
  enterHome(keeper: HomeKeeper, { files, cases, home }: Parts, base: KeptBase | 'none' | null, events: Pick<Work, 'events' | 'session' | 'now'>): void {
    this.#keeper?.close()
    this.#keepNow()
    this.#keeper = keeper
    this.store.update({ files, cases, home, ...events, origin: 'home', dialog: null, outcomes: new Map() })
    this.#selectFirst()
    if (base === null) {
      if (this.#state.base.kind !== 'reference') this.#setBase(null, { kind: 'reference', name: '', files: 0 })
    } else if (base === 'none') this.#setBase(null, { kind: 'none', name: '', files: 0 })
    else this.#setBase(base, { kind: 'own', name: base.name, files: base.files.length })
    keeper.begin(this)
    for (const change of ['content', 'events', 'cases'] as const) this.#changed(change, 0)
  }

  /** Compares a workspace with its project. */
  async compare(): Promise<void> {
    await this.#keeper?.compare?.()
  }

  /** Leaves what is at home as it is. */
  leaveHome(): void {
    this.#keeper?.close()
    this.#keeper = null
    this.store.update({ home: null })
  }

  /** Whether a file cannot be edited where it lives. @param id of the file */
  isReadOnly(id: number): boolean {
    const { home } = this.#state
    return home !== null && (home.isReadOnly || home.files.get(id)?.isReadOnly === true)
  }

  get hasUnsaved(): boolean {
    const { home } = this.#state
    return home !== null && unsavedOf(this.#state, home).length > 0
  }

  async save(): Promise<void> {
    const { home } = this.#state
    if (home === null || this.#keeper === null || home.isSaving) return
    if (home.isReadOnly) return this.notify(this.texts.home.readOnly, null)
    this.updateHome(() => ({ isSaving: true }))
    try {
      const { failed, hasConflicts } = await this.#keeper.save()
      const { home: words } = this.texts
      if (failed.length > 0) this.notify(failed.map(({ name, reason }) => words.notSaved(name, reason)).join(' '), null)
      else if (hasConflicts) this.store.update({ dialog: 'merge' })
      else this.notify(words.saved(home.name), null)
    } finally {
      this.updateHome(() => ({ isSaving: false }))
    }
  }

  /** Merges two edits. Null: the engine does not answer. */
  async merge(request: MergeRequest): Promise<MergeAnswer | null> {
    let merged: MergeAnswer | null = null
    await this.#ask(
      this.#engine.ask((port) => port.merge(request)),
      (answer) => {
        merged = answer
      },
    )
    return merged
  }

  /** Ends a conflict. @param content what the file becomes here; null: it is removed here */
  settle(id: number, content: string | null): void {
    const { home } = this.#state
    if (home?.conflicts.has(id) === true) this.takeOver(settled({ ...this.#state, home }, id, content))
  }

  updateHome(change: (home: Home) => Partial<Home>): void {
    const { home } = this.#state
    if (home !== null) this.store.update({ home: { ...home, ...change(home) } })
  }

  takeOver({ files, cases, home }: Parts): void {
    const { files: before, cases: casesBefore, notice, dialog } = this.#state
    // The dialog ends with what it is about, so that the next key reaches the page.
    const isMerged = dialog === 'merge' && home.conflicts.size === 0
    // What could be called back is older than what is at home now.
    this.store.update({ files, cases, home, ...(isMerged ? { dialog: null } : {}), ...(notice?.undo ? { notice: null } : {}) })
    this.#selectFirst()
    if (files !== before) this.#changed('content', 0)
    if (cases !== casesBefore) this.#changed('cases', 0)
  }

  nameFile(id: number, filename: string): void {
    const { files } = this.#state
    if (files.some((file) => file.id === id && file.filename !== filename)) this.#setFiles(files.map((file) => (file.id === id ? { ...file, filename } : file)))
  }

  tell(text: string): void {
    this.notify(text, null)
  }

  signIn(): void {
    this.store.update({ dialog: 'service' })
  }

  words(code: FolderRefusalCode | 'unreachable'): string {
    return this.texts.home.refusals[code]
  }

  // Files

  selectFile(id: number): void {
    this.store.update({ activeFile: id, stock: null, part: 'content' })
  }

  editFile(id: number, content: string): void {
    this.editFiles(new Map([[id, content]]))
  }

  /** @param contents texts by id of their file */
  editFiles(contents: ReadonlyMap<number, string>): void {
    this.#setFiles(
      this.#state.files.map((file) => {
        const content = contents.get(file.id)
        return content === undefined ? file : { ...file, content }
      }),
    )
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
    await this.openBase(kind, filename, line)
  }

  /** Shows a line of a file of the base. */
  async openBase(kind: FileKind, filename: string, line: number): Promise<void> {
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
    if (shown === 'differences' && views?.shown !== shown) this.#differ()
  }

  /** Looks for what the content does differently than what is at home, or was opened. */
  #differ(): void {
    this.store.update({ differences: null })
    void this.#ask(
      this.#engine.ask((port) => port.differences({ before: this.#before })),
      (differences) => this.store.update({ differences }),
    )
  }

  /** The content to which differences refer: that at home, or that which was opened. */
  get #before(): readonly ContentFile[] {
    const { home } = this.#state
    const files = home === null ? this.#openedFiles : [...home.files.values()].filter(isContent)
    return files.flatMap(({ kind, filename, content }) => (home?.service && kind !== 'lists' && content.trim() === '' ? [] : [{ kind, filename, content }]))
  }

  /** Adds the events that show a difference, and chooses the last one. */
  showDifference(events: readonly BehaviourEvent[]): void {
    const { events: known, session } = this.#state
    if (known.length + events.length > EVENTS_LIMIT) return this.notify(this.texts.notices.eventsCut(EVENTS_LIMIT), null)
    const before = workOf(this.#state)
    const added = events.map(({ event, log_format: format, location = '', advance = 1 }, index) =>
      // What stands above does not count with them.
      newEvent(event, { format, location, wait: index > 0 ? advance : known.length > 0 ? DAY : 0 }),
    )
    this.#setEvents([...known, ...added])
    this.store.update({ list: 'events', views: null, part: 'answer', session: session || added.length > 1 })
    this.selectEvent(added.at(-1)?.id ?? null)
    this.notify(this.texts.differences.added(added.length), before)
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
    this.#openedFiles = work.files
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
    if (typeof work === 'function') {
      this.closeNotice()
      return work()
    }
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
    const isHome = this.#state.home !== null
    this.replaceWork(
      {
        ...before,
        files: edited.length === 0 ? before.files : isHome ? addedTo(before.files, edited) : edited,
        cases: cases.length === 0 ? before.cases : isHome ? [...before.cases, ...newIn(before.cases, cases.flatMap(toHomeCase))] : cases,
        events: events === '' ? before.events : [],
      },
      null,
      isHome ? 'home' : 'own',
    )
    await this.addEvents(events)
    this.notify(this.texts.notices.imported, before)
  }

  useShippedBase(kind: 'reference' | 'none'): void {
    this.#setBase(null, { kind, name: '', files: 0 })
    if (this.#state.home === null) void keep('base', null)
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

  // The language server

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

  /** Shows the page about a diagnostic. */
  async showPage(code: string): Promise<void> {
    await this.#ask(
      this.#engine.ask((port) => port.help({ code: code as DiagnosticCode, locale: this.#state.locale })),
      (text) => this.store.update({ codeDialog: { kind: 'page', code, text } }),
    )
  }

  /** Puts another id in the place of that of a rule, where cases and events expect it. */
  renameExpected(from: string, to: string): void {
    const { cases, events } = this.#state
    this.store.update({
      cases: cases.map((one) => (one.isReadOnly === true ? one : { ...one, testCase: withRenamed(one.testCase, from, to) })),
      events: events.map((event) => (event.expected === from ? { ...event, expected: to } : event)),
    })
    this.#changed('cases')
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

  notify(text: string, undo: Notice['undo']): void {
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
    this.#keeping = setTimeout(() => this.#keepNow(), KEEP_MS)
  }

  #keepNow(): void {
    if (this.#keeping === null) return
    clearTimeout(this.#keeping)
    this.#keeping = null
    const { home } = this.#state
    if (this.#state.origin === 'example' && writeWork(this.#state) !== writeWork(exampleWork())) this.store.update({ origin: 'own' })
    const { origin } = this.#state
    if (origin === 'own') void keep('work', writeWork(this.#state))
    // The page reads events of a folder, and does not write them there.
    else if (origin === 'home' && home?.kind === 'folder') void keep('events', { folder: home.name, work: writeWork({ ...this.#state, files: [], cases: [] }) })
  }

  #reopen(): void {
    this.#languageFiles = null
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
    if (isContent && this.#state.views?.shown === 'differences') this.#differ()
    if (isCases) this.#test()
    if (isEvents && this.#state.inspected !== null) this.#inspect()
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
    const { locale } = this.#state
    const files = this.#compiled
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

/** Files with the same name get the content of the added ones. */
function addedTo(files: readonly EditedFile[], added: readonly EditedFile[]): EditedFile[] {
  const left = new Map(added.map((file) => [`${file.kind} ${file.filename}`, file]))
  const replaced = files.map((file) => {
    const key = `${file.kind} ${file.filename}`
    const other = left.get(key)
    left.delete(key)
    return other === undefined ? file : { ...file, content: other.content }
  })
  return [...replaced, ...left.values()]
}

/** A home has cases in JSON, and reads others. */
function toHomeCase(one: EditedCase): EditedCase[] {
  const testCase = asJsonCase(one.testCase)
  return testCase === null ? [] : [{ ...one, testCase }]
}

function newIn(cases: readonly EditedCase[], added: readonly EditedCase[]): EditedCase[] {
  const names = new Set(cases.map(({ testCase }) => testCase.name))
  return added.filter(({ testCase }) => !names.has(testCase.name))
}

function withRenamed(testCase: SuiteCase, from: string, to: string): SuiteCase {
  const rename = (id: string): string => (id === from ? to : id)
  if (isIniCase(testCase)) return { ...testCase, rule: rename(testCase.rule) }
  const { expected_rule, expected_rule_ids, forbidden_rule_ids } = testCase
  return {
    ...testCase,
    ...(expected_rule == null ? {} : { expected_rule: rename(expected_rule) }),
    ...(expected_rule_ids === undefined ? {} : { expected_rule_ids: expected_rule_ids.map(rename) }),
    ...(forbidden_rule_ids === undefined ? {} : { forbidden_rule_ids: forbidden_rule_ids.map(rename) }),
  }
}

/** Names of new files. */
const NEW_NAMES: Readonly<Record<FileKind, string>> = { rules: 'local_rules.xml', decoders: 'local_decoder.xml', lists: 'etc/lists/own' }

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
