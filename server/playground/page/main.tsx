/** Starts the page: what the browser has kept, or what the link has, or the example. */
import { render } from 'preact'
import { readChoice, readKept } from './model/keep.js'
import { exampleWork } from './model/example.js'
import { LOCALES } from './model/locales.js'
import { Playground } from './model/playground.js'
import { hasWork, readFragment } from './model/share.js'
import type { Origin, State, Theme, Work } from './model/state.js'
import { Store } from './model/store.js'
import { readWork } from './model/written-work.js'
import { preferredLocale, TEXTS } from './texts/index.js'
import { App } from './view/app.js'

const THEMES: readonly Theme[] = ['auto', 'light', 'dark']

/** @param workerAddress the script of the worker */
export async function start(root: HTMLElement, workerAddress: string, first: Worker): Promise<void> {
  const [kept, base, linked] = await Promise.all([readKept('work'), readKept('base'), readFragment(location.hash)])
  const own = kept === null ? null : readWork(kept)
  const work = linked ?? own ?? exampleWork()
  const store = new Store<State>(stateOf(work, linked !== null ? 'link' : own !== null ? 'own' : 'example'))
  let next: Worker | null = first
  const page = new Playground(store, () => {
    const worker = next ?? new Worker(workerAddress, { type: 'module' })
    next = null
    return worker
  })
  const showOwn = (): void => {
    history.replaceState(null, '', location.pathname + location.search)
    page.replaceWork(own ?? exampleWork(), null, own === null ? 'example' : 'own')
  }
  render(<App page={page} onOwnWork={showOwn} />, root)
  page.start(base)
  if (hasWork(location.hash) && linked === null) page.notify(TEXTS[store.state.locale].link.invalid, null)
  // Another link in the same page.
  addEventListener('hashchange', () => {
    void readFragment(location.hash).then((other) => {
      if (other !== null) page.replaceWork(other, null, 'link')
      else if (hasWork(location.hash)) page.notify(page.texts.link.invalid, null)
    })
  })
}

function stateOf(work: Work, origin: Origin): State {
  const locale = LOCALES.find((one) => one === readChoice('locale')) ?? preferredLocale(navigator.languages)
  return {
    ...work,
    origin,
    locale,
    theme: THEMES.find((one) => one === readChoice('theme')) ?? 'auto',
    part: 'answer',
    list: 'events',
    dialog: null,
    notice: null,
    base: { kind: 'reference', name: '', files: 0 },
    activeFile: work.files[0]?.id ?? null,
    stock: null,
    target: null,
    selectedEvent: work.events[0]?.id ?? null,
    opened: null,
    diagnosis: null,
    diagnosed: [],
    answers: new Map(),
    outcomes: new Map(),
    inspected: null,
    near: null,
    costs: null,
    ruleset: null,
    views: null,
    refusal: null,
  }
}
