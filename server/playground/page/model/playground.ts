/**
 * What people do in the page, by subject, and with the work as a whole. What follows from it is in `answers.ts`, which asks the engine, and in `kept-work.ts`. Invariants:
 *  1. what came by a link is kept only after somebody has asked for it
 *  2. what is deleted can be called back
 */
import type { DiagnosticCode, Locale } from '#engine'
import { addedTo } from './added-files.js'
import { CaseEdits } from './case-edits.js'
import { keepChoice } from './choices.js'
import { newIn, toHomeCase } from './event-cases.js'
import { EventEdits } from './event-edits.js'
import { exampleWork } from './example.js'
import { FileEdits } from './file-edits.js'
import { HomeVisit } from './home-visit.js'
import type { Imported } from './import.js'
import { keep, type KeptBase } from './keep.js'
import type { AskLanguage } from './language.js'
import { PageCore } from './page-core.js'
import { findService, ServiceClient } from './service-client.js'
import { newId, type State, type Theme, type Work, workOf } from './state.js'
import type { Store } from './store.js'
import { Views } from './views.js'

export class Playground extends PageCore {
  /** The service from which the page came; null: another server has sent it. */
  readonly service: ServiceClient | null
  readonly home = new HomeVisit(this)
  readonly files = new FileEdits(this)
  readonly events = new EventEdits(this)
  readonly cases = new CaseEdits(this, this.events)
  readonly views = new Views(this)

  constructor(store: Store<State>, startWorker: () => Worker) {
    super(store, startWorker)
    const place = findService()
    this.service = place === null ? null : new ServiceClient(place, () => this.state.locale)
  }

  /** Asks the engine for the first time. */
  start(base: KeptBase | null): void {
    if (base === null) this.changed('content', 0)
    else this.setBase(base, { kind: 'own', name: base.name, files: base.files.length })
  }

  /** Replaces everything, and tells so with a way back. */
  replaceWork(work: Work, text: string | null, origin: State['origin']): void {
    const before = workOf(this.state)
    this.answers.openedFiles = work.files
    this.store.update({ ...work, origin })
    this.selectFirst()
    if (text !== null) this.notify(text, before)
    this.changedAll()
  }

  startAnew(): void {
    this.replaceWork(exampleWork(), this.texts.notices.example, 'own')
  }

  /** Keeps what came by a link. */
  keepLink(): void {
    this.store.update({ origin: 'own' })
    this.kept.soon()
  }

  undo(): void {
    const work = this.state.notice?.undo ?? null
    if (work === null) return
    if (typeof work === 'function') {
      this.closeNotice()
      return work()
    }
    this.store.update({ ...work, notice: null })
    this.selectFirst()
    this.changedAll()
  }

  /** @param as what the files become */
  async useImport({ name, files, cases, events }: Imported, as: 'content' | 'base', isRemembered: boolean): Promise<void> {
    if (as === 'base') {
      const base = { name, files }
      this.setBase(base, { kind: 'own', name, files: files.length })
      if (isRemembered && !(await keep('base', base))) this.notify(this.texts.notices.notKept, null)
      return
    }
    const before = workOf(this.state)
    const edited = files.map((file) => ({ ...file, id: newId() }))
    const isHome = this.state.home !== null
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
    await this.events.add(events)
    this.notify(this.texts.notices.imported, before)
  }

  useShippedBase(kind: 'reference' | 'none'): void {
    this.setBase(null, { kind, name: '', files: 0 })
    if (this.state.home === null) void keep('base', null)
  }

  get askLanguage(): AskLanguage {
    return this.answers.askLanguage
  }

  /** Shows the page about a diagnostic. */
  async showPage(code: string): Promise<void> {
    await this.answers.asking(
      (port) => port.help({ code: code as DiagnosticCode, locale: this.state.locale }),
      (text) => this.store.update({ codeDialog: { kind: 'page', code, text } }),
    )
  }

  setLocale(locale: Locale): void {
    this.store.update({ locale })
    keepChoice('locale', locale)
    this.changedAll()
  }

  setTheme(theme: Theme): void {
    this.store.update({ theme })
    keepChoice('theme', theme)
  }
}
