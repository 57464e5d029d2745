/**
 * What people do in the page. What follows from it is in `answers.ts`, which asks the engine, and in `kept-work.ts`. Invariants:
 *  1. what came by a link is kept only after somebody has asked for it
 *  2. what is deleted can be called back
 *  3. what has a home is written there only when somebody saves
 */
import {
  asIniCase,
  type BehaviourEvent,
  type DiagnosticCode,
  type DiagnosticRecord,
  type FileKind,
  iniLosses,
  type Locale,
  type MergeAnswer,
  type MergeRequest,
  nowOf,
  suiteCaseInputs,
  type TestCase,
} from '#engine'
import type { FolderRefusalCode } from '../../folder-api.js'
import { EVENTS_LIMIT } from '../../worker/limits.js'
import type { FixRecord } from '../../worker/protocol.js'
import type { GraphFocus, Selection } from '../pictures/index.js'
import { TEXTS } from '../texts/index.js'
import { addedTo, freeName, NEW_NAMES } from './added-files.js'
import { Answers, type Change, CHANGES } from './answers.js'
import type { CaseGrading } from './case-grading.js'
import { keepChoice } from './choices.js'
import { caseOfAnswer, expectedOf, newIn, timed, toHomeCase, withRenamed } from './event-cases.js'
import { exampleWork } from './example.js'
import { type Home, unsavedOf } from './home.js'
import type { HomeKeeper, HomePage } from './home-keeper.js'
import { type Parts, settled } from './home-sync.js'
import type { Imported } from './import.js'
import { keep, type KeptBase } from './keep.js'
import { KeptWork } from './kept-work.js'
import type { AskLanguage } from './language.js'
import { ruleIdAt } from './rule-at.js'
import { findService, ServiceClient } from './service-client.js'
import { type Base, type EditedEvent, type EditedFile, newEvent, newId, type Notice, type State, type Theme, type ViewName, type Work, workOf } from './state.js'
import type { Store } from './store.js'
import { applyChanges } from './text-change.js'

/** Seconds before an event that is added with those above it in one session. */
const DAY = 86_400
/** How long a notice stands, and one with a way back, which takes some people longer to reach. */
const NOTICE_MS = 9000
const UNDO_MS = 30_000

export class Playground implements HomePage {
  readonly store: Store<State>
  /** The service from which the page came; null: another server has sent it. */
  readonly service: ServiceClient | null
  readonly #answers: Answers
  readonly #kept: KeptWork
  #fading: ReturnType<typeof setTimeout> | null = null
  #keeper: HomeKeeper | null = null

  constructor(store: Store<State>, startWorker: () => Worker) {
    this.store = store
    const place = findService()
    this.service = place === null ? null : new ServiceClient(place, () => this.#state.locale)
    this.#kept = new KeptWork(store)
    this.#answers = new Answers(store, startWorker, () => this.notify(this.texts.notices.restarted, null))
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
    this.#kept.now()
    this.#keeper = keeper
    this.store.update({ files, cases, home, ...events, origin: 'home', dialog: null, outcomes: new Map() })
    this.#selectFirst()
    if (base === null) {
      if (this.#state.base.kind !== 'reference') this.#setBase(null, { kind: 'reference', name: '', files: 0 })
    } else if (base === 'none') this.#setBase(null, { kind: 'none', name: '', files: 0 })
    else this.#setBase(base, { kind: 'own', name: base.name, files: base.files.length })
    keeper.begin(this)
    this.#changedAll()
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
    await this.#answers.asking(
      (port) => port.merge(request),
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

  tellOfOthers(hasConflicts: boolean): void {
    const { others, othersConflict } = this.texts.home
    this.notify(hasConflicts ? othersConflict : others, null)
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
    const name = freeName(this.#state.files, kind, NEW_NAMES[kind])
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
    await this.#answers.asking(
      (port) => port.baseFile({ kind, filename }),
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
    await this.#answers.asking(
      (port) => port.split({ text }),
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
    this.#answers.inspect()
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
    if (views?.shown !== shown) this.#answers.show(shown)
  }

  stopAudit(): void {
    this.#answers.stopAudit()
  }

  searchDifferencesAgain(): void {
    this.#answers.differ()
  }

  /** What the cases are worth. */
  get grading(): CaseGrading {
    return this.#answers.grading
  }

  goOnWithAudit(): void {
    this.#answers.audit()
  }

  /** Adds the event with the attack that a problem tells of, brought to the pattern; where that is not found, its text alone. */
  async showAttack(record: DiagnosticRecord, { kind, filename }: EditedFile): Promise<void> {
    const { attack, line, column } = record
    if (attack === undefined || line === null || column === null || this.#state.attacked === record) return
    this.store.update({ attacked: record })
    await this.#answers.asking(
      (port) => port.attack({ kind, filename, line, column }),
      (event) => {
        const alone = { event: attack.prefix + attack.pump.repeat(attack.copies) + attack.suffix, log_format: 'syslog' } as const
        this.showEvents([event ?? alone], event === null ? this.texts.problems.attackAlone : undefined)
      },
    )
    if (this.#state.attacked === record) this.store.update({ attacked: null })
  }

  /** Adds events that show a difference or fire a rule, and chooses the last one. @param text what is told, beside that they were added */
  showEvents(events: readonly BehaviourEvent[], text?: string): void {
    const { events: known, session } = this.#state
    if (known.length + events.length > EVENTS_LIMIT) return this.notify(this.texts.notices.eventsCut(EVENTS_LIMIT), null)
    const before = workOf(this.#state)
    const added = events.map(({ event, log_format: format, location = '', advance = 1 }, index) =>
      // What stands above does not count with them.
      newEvent(event, { format, location, wait: index > 0 ? advance : known.length > 0 ? DAY : 0 }),
    )
    this.#setEvents([...known, ...added])
    this.#answers.stopAudit()
    this.store.update({ list: 'events', views: null, part: 'answer', session: session || added.length > 1 })
    this.selectEvent(added.at(-1)?.id ?? null)
    this.notify([this.texts.differences.added(added.length), ...(text === undefined ? [] : [text])].join(' '), before)
  }

  closeViews(): void {
    this.#answers.stopAudit()
    this.grading.stop()
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
    const name = this.#caseName(report.rule === null ? this.texts.cases.noRule : `${report.rule.id} ${report.rule.description}`)
    const sequence = session ? timed(events.slice(0, index + 1)) : []
    const testCase = caseOfAnswer(name, events[index], report, { sequence, now, withFields: form === 'json' })
    if (form === 'ini' && iniLosses(testCase).length > 0) return this.notify(this.texts.notices.notAsIni, null)
    const before = workOf(this.#state)
    this.store.update({ cases: [...cases, { id: newId(), testCase: form === 'ini' ? asIniCase(testCase) : testCase }] })
    this.notify(this.texts.notices.caseSaved, before)
    this.#changed('cases', 0)
  }

  /** Adds a case that somebody has made. */
  addCase(made: TestCase): void {
    const before = workOf(this.#state)
    const { cases } = this.#state
    this.store.update({ cases: [...cases, { id: newId(), testCase: { ...made, name: this.#caseName(made.name) } }] })
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
    this.#answers.openedFiles = work.files
    this.store.update({ ...work, origin })
    this.#selectFirst()
    if (text !== null) this.notify(text, before)
    this.#changedAll()
  }

  startAnew(): void {
    this.replaceWork(exampleWork(), this.texts.notices.example, 'own')
  }

  /** Keeps what came by a link. */
  keepLink(): void {
    this.store.update({ origin: 'own' })
    this.#kept.soon()
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
    this.#changedAll()
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
    this.store.update({ base: shown, stock: null })
    this.#answers.setBase(base)
    this.#changed('content', 0)
  }

  // The language server

  get askLanguage(): AskLanguage {
    return this.#answers.askLanguage
  }

  /** Shows the page about a diagnostic. */
  async showPage(code: string): Promise<void> {
    await this.#answers.asking(
      (port) => port.help({ code: code as DiagnosticCode, locale: this.#state.locale }),
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
    this.#changedAll()
  }

  setTheme(theme: Theme): void {
    this.store.update({ theme })
    keepChoice('theme', theme)
  }

  notify(text: string, undo: Notice['undo']): void {
    if (this.#fading !== null) clearTimeout(this.#fading)
    this.store.update({ notice: { text, undo } })
    this.#fading = setTimeout(() => this.closeNotice(), undo === null ? NOTICE_MS : UNDO_MS)
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

  #changed(change: Change, delay?: number): void {
    this.#answers.changed(change, delay)
    this.#kept.soon()
  }

  #changedAll(): void {
    for (const change of CHANGES) this.#changed(change, 0)
  }
}

/** @param line from 1 */
function offsetOfLine(text: string, line: number): number {
  let at = 0
  for (let passed = 1; passed < line; passed++) {
    const next = text.indexOf('\n', at)
    if (next < 0) break
    at = next + 1
  }
  return at
}
