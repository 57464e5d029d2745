/** What people do with content that has a home: open it, save it, decide conflicts, leave it. Invariant: it is written there only when somebody saves. */
import type { MergeAnswer, MergeRequest } from '#engine'
import type { FolderRefusalCode } from '../../folder-api.js'
import { type Home, unsavedOf } from './home.js'
import type { HomeKeeper, HomePage } from './home-keeper.js'
import { type Parts, settled } from './home-sync.js'
import type { KeptBase } from './keep.js'
import type { PageCore } from './page-core.js'
import type { State, Work } from './state.js'

export class HomeVisit implements HomePage {
  readonly #page: PageCore
  #keeper: HomeKeeper | null = null

  constructor(page: PageCore) {
    this.#page = page
  }

  get state(): State {
    return this.#page.state
  }

  /** Shows the content of a home in place of the work. @param base null: the reference ruleset */
  enter(keeper: HomeKeeper, { files, cases, home }: Parts, base: KeptBase | 'none' | null, events: Pick<Work, 'events' | 'session' | 'now'>): void {
    this.#keeper?.close()
    this.#page.kept.now()
    this.#keeper = keeper
    this.#page.store.update({ files, cases, home, ...events, origin: 'home', dialog: null, outcomes: new Map() })
    this.#page.selectFirst()
    if (base === null) {
      if (this.#page.state.base.kind !== 'reference') this.#page.setBase(null, { kind: 'reference', name: '', files: 0 })
    } else if (base === 'none') this.#page.setBase(null, { kind: 'none', name: '', files: 0 })
    else this.#page.setBase(base, { kind: 'own', name: base.name, files: base.files.length })
    keeper.begin(this)
    this.#page.changedAll()
  }

  /** Compares a workspace with its project. */
  async compare(): Promise<void> {
    await this.#keeper?.compare?.()
  }

  /** Leaves what is at home as it is. */
  leave(): void {
    this.#keeper?.close()
    this.#keeper = null
    this.#page.store.update({ home: null })
  }

  /** Whether a file cannot be edited where it lives. @param id of the file */
  isReadOnly(id: number): boolean {
    const { home } = this.#page.state
    return home !== null && (home.isReadOnly || home.files.get(id)?.isReadOnly === true)
  }

  get hasUnsaved(): boolean {
    const { home } = this.#page.state
    return home !== null && unsavedOf(this.#page.state, home).length > 0
  }

  async save(): Promise<void> {
    const { home } = this.#page.state
    if (home === null || this.#keeper === null || home.isSaving) return
    if (home.isReadOnly) return this.#page.notify(this.#page.texts.home.readOnly, null)
    this.updateHome(() => ({ isSaving: true }))
    try {
      const { failed, hasConflicts } = await this.#keeper.save()
      const { home: words } = this.#page.texts
      if (failed.length > 0) this.#page.notify(failed.map(({ name, reason }) => words.notSaved(name, reason)).join(' '), null)
      else if (hasConflicts) this.#page.store.update({ dialog: 'merge' })
      else this.#page.notify(words.saved(home.name), null)
    } finally {
      this.updateHome(() => ({ isSaving: false }))
    }
  }

  /** Merges two edits. Null: the engine does not answer. */
  async merge(request: MergeRequest): Promise<MergeAnswer | null> {
    let merged: MergeAnswer | null = null
    await this.#page.answers.asking(
      (port) => port.merge(request),
      (answer) => {
        merged = answer
      },
    )
    return merged
  }

  /** Ends a conflict. @param content what the file becomes here; null: it is removed here */
  settle(id: number, content: string | null): void {
    const { home } = this.#page.state
    if (home?.conflicts.has(id) === true) this.takeOver(settled({ ...this.#page.state, home }, id, content))
  }

  updateHome(change: (home: Home) => Partial<Home>): void {
    const { home } = this.#page.state
    if (home !== null) this.#page.store.update({ home: { ...home, ...change(home) } })
  }

  takeOver({ files, cases, home }: Parts): void {
    const { files: before, cases: casesBefore, notice, dialog } = this.#page.state
    // The dialog ends with what it is about, so that the next key reaches the page.
    const isMerged = dialog === 'merge' && home.conflicts.size === 0
    // What could be called back is older than what is at home now.
    this.#page.store.update({ files, cases, home, ...(isMerged ? { dialog: null } : {}), ...(notice?.undo ? { notice: null } : {}) })
    this.#page.selectFirst()
    if (files !== before) this.#page.changed('content', 0)
    if (cases !== casesBefore) this.#page.changed('cases', 0)
  }

  nameFile(id: number, filename: string): void {
    const { files } = this.#page.state
    if (files.some((file) => file.id === id && file.filename !== filename)) this.#page.setFiles(files.map((file) => (file.id === id ? { ...file, filename } : file)))
  }

  tell(text: string): void {
    this.#page.notify(text, null)
  }

  tellOfOthers(hasConflicts: boolean): void {
    const { others, othersConflict } = this.#page.texts.home
    this.#page.notify(hasConflicts ? othersConflict : others, null)
  }

  tellOfCases(names: readonly string[]): void {
    this.#page.notify(this.#page.texts.home.othersCases(names), null)
  }

  signIn(): void {
    this.#page.store.update({ dialog: 'service' })
  }

  words(code: FolderRefusalCode | 'unreachable'): string {
    return this.#page.texts.home.refusals[code]
  }
}
