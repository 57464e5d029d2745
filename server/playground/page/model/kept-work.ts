/** Keeps the work in the browser some time after a change: the example is not worth it, and what came by a link is kept only when somebody says so. */
import { exampleWork } from './example.js'
import { keep } from './keep.js'
import type { State } from './state.js'
import type { Store } from './store.js'
import { writeWork } from './written-work.js'

/** Milliseconds without a change before the work is kept. */
const KEEP_MS = 800

export class KeptWork {
  readonly #store: Store<State>
  #keeping: ReturnType<typeof setTimeout> | null = null

  constructor(store: Store<State>) {
    this.#store = store
  }

  soon(): void {
    if (this.#keeping !== null) clearTimeout(this.#keeping)
    this.#keeping = setTimeout(() => this.now(), KEEP_MS)
  }

  /** Keeps what waits for it. */
  now(): void {
    if (this.#keeping === null) return
    clearTimeout(this.#keeping)
    this.#keeping = null
    const { home } = this.#store.state
    if (this.#store.state.origin === 'example' && writeWork(this.#store.state) !== writeWork(exampleWork())) this.#store.update({ origin: 'own' })
    const { origin } = this.#store.state
    if (origin === 'own') void keep('work', writeWork(this.#store.state))
    // The page reads events of a folder, and does not write them there.
    else if (origin === 'home' && home?.kind === 'folder') void keep('events', { folder: home.name, work: writeWork({ ...this.#store.state, files: [], cases: [] }) })
  }
}
