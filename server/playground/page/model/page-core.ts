/** What all parts of the page use: the state, the engine behind it, what is kept in the browser, and notices. */
import type { Locale } from '#engine'
import { TEXTS } from '../texts/index.js'
import { Answers, type Change, CHANGES } from './answers.js'
import type { KeptBase } from './keep.js'
import { KeptWork } from './kept-work.js'
import type { Base, EditedEvent, EditedFile, Notice, State } from './state.js'
import type { Store } from './store.js'

/** How long a notice stands, and one with a way back, which takes some people longer to reach. */
const NOTICE_MS = 9000
const UNDO_MS = 30_000

export class PageCore {
  readonly store: Store<State>
  readonly answers: Answers
  readonly kept: KeptWork
  #fading: ReturnType<typeof setTimeout> | null = null

  constructor(store: Store<State>, startWorker: () => Worker) {
    this.store = store
    this.kept = new KeptWork(store)
    this.answers = new Answers(store, startWorker, () => this.notify(this.texts.notices.restarted, null))
  }

  get state(): State {
    return this.store.state
  }

  get texts(): (typeof TEXTS)[Locale] {
    return TEXTS[this.state.locale]
  }

  setFiles(files: readonly EditedFile[]): void {
    this.store.update({ files })
    this.changed('content')
  }

  setEvents(events: readonly EditedEvent[]): void {
    this.store.update({ events })
    this.changed('events')
  }

  /** @param base files of an own base; null: another one @param shown what it is */
  setBase(base: KeptBase | null, shown: Base): void {
    this.store.update({ base: shown, stock: null })
    this.answers.setBase(base)
    this.changed('content', 0)
  }

  /** Asks the engine again, and keeps the work. @param delay see `Answers.changed` */
  changed(change: Change, delay?: number): void {
    this.answers.changed(change, delay)
    this.kept.soon()
  }

  changedAll(): void {
    for (const change of CHANGES) this.changed(change, 0)
  }

  /** Chooses the first file and event, where the chosen ones are gone. */
  selectFirst(): void {
    const { files, events, activeFile, selectedEvent } = this.state
    this.store.update({
      activeFile: files.some(({ id }) => id === activeFile) ? activeFile : (files[0]?.id ?? null),
      selectedEvent: events.some(({ id }) => id === selectedEvent) ? selectedEvent : (events[0]?.id ?? null),
      stock: null,
      inspected: null,
    })
  }

  /** @param undo what it calls back; null: nothing */
  notify(text: string, undo: Notice['undo']): void {
    if (this.#fading !== null) clearTimeout(this.#fading)
    this.store.update({ notice: { text, undo } })
    this.#fading = setTimeout(() => this.closeNotice(), undo === null ? NOTICE_MS : UNDO_MS)
  }

  closeNotice(): void {
    this.store.update({ notice: null })
  }
}
