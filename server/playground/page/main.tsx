/** Starts the page: what the browser has kept, or what the link has, or the example. */
import { render } from 'preact'
import type { FolderRefusalCode } from '../folder-api.js'
import { FolderClient, FolderRefusedError, forgetFolderToken, takeFolderToken } from './model/folder-client.js'
import { type ReadFolder, readFolder } from './model/folder-home.js'
import { chosenLocale, chosenTheme } from './model/choices.js'
import { readKept } from './model/keep.js'
import { exampleWork } from './model/example.js'
import { Playground } from './model/playground.js'
import { hasWork, readFragment } from './model/share.js'
import type { Origin, State, Work } from './model/state.js'
import { Store } from './model/store.js'
import { readWork } from './model/written-work.js'
import { App } from './view/app.js'

/** @param startWorker starts a worker with the engine @param first one that is started */
export async function start(root: HTMLElement, startWorker: () => Worker, first: Worker): Promise<void> {
  const token = takeFolderToken()
  const [kept, base, linked, keptEvents] = await Promise.all([readKept('work'), readKept('base'), readFragment(location.hash), readKept('events')])
  const own = kept === null ? null : readWork(kept)
  const work = linked ?? own ?? exampleWork()
  const store = new Store<State>(stateOf(work, linked !== null ? 'link' : own !== null ? 'own' : 'example'))
  let next: Worker | null = first
  const page = new Playground(store, () => {
    const worker = next ?? startWorker()
    next = null
    return worker
  })
  const showOwn = (): void => {
    history.replaceState(null, '', location.pathname + location.search)
    if (token === null) page.replaceWork(own ?? exampleWork(), null, own === null ? 'example' : 'own')
    // The folder is read again.
    else location.reload()
  }
  const folder = await openFolder(token)
  if (folder === null || typeof folder === 'string' || linked !== null) page.start(base)
  else {
    const ofFolder = keptEvents?.folder === folder.taken.home.name ? readWork(keptEvents.work) : null
    page.home.enter(folder.keeper, folder.taken, folder.base, folder.events === '' ? (ofFolder ?? exampleEvents(folder)) : NO_EVENTS)
    void page.events.add(folder.events)
  }
  render(<App page={page} onOwnWork={showOwn} />, root)
  if (hasWork(location.hash) && linked === null) page.notify(page.texts.link.invalid, null)
  if (typeof folder === 'string') page.notify(page.texts.home.refusals[folder], null)
  // Another link in the same page.
  addEventListener('hashchange', () => {
    void readFragment(location.hash).then((other) => {
      if (other !== null && page.home.hasUnsaved && !confirm(page.texts.home.leave)) history.replaceState(null, '', location.pathname + location.search)
      else if (other !== null) {
        page.home.leave()
        page.replaceWork(other, null, 'link')
      } else if (hasWork(location.hash)) page.notify(page.texts.link.invalid, null)
    })
  })
  addEventListener('beforeunload', (event) => {
    if (page.home.hasUnsaved) event.preventDefault()
  })
}

const NO_EVENTS = { events: [], session: false, now: null } as const

/** Events of the example run on the reference ruleset alone. */
function exampleEvents({ base }: ReadFolder): Pick<Work, 'events' | 'session' | 'now'> {
  return base === null ? { ...NO_EVENTS, events: exampleWork().events.map((event) => ({ ...event, expected: '' })) } : NO_EVENTS
}

/** Null: the page is not opened on a folder. A code: the folder cannot be read. */
async function openFolder(token: string | null): Promise<ReadFolder | FolderRefusalCode | 'unreachable' | null> {
  if (token === null) return null
  try {
    return await readFolder(new FolderClient(token))
  } catch (error) {
    if (!(error instanceof FolderRefusedError)) return 'unreachable'
    // The command was started again, or without a folder.
    if (error.code === 'token_refused' || error.code === 'not_found') forgetFolderToken()
    return error.code === 'not_found' ? null : error.code
  }
}

function stateOf(work: Work, origin: Origin): State {
  return {
    ...work,
    origin,
    home: null,
    locale: chosenLocale(),
    theme: chosenTheme(),
    part: 'answer',
    list: 'events',
    dialog: null,
    codeDialog: null,
    notice: null,
    base: { kind: 'reference', name: '', files: 0 },
    activeFile: work.files[0]?.id ?? null,
    stock: null,
    target: null,
    selectedEvent: work.events[0]?.id ?? null,
    opened: null,
    diagnosis: null,
    diagnosed: [],
    attacked: null,
    answers: new Map(),
    outcomes: new Map(),
    inspected: null,
    near: null,
    costs: null,
    ruleset: null,
    views: null,
    audit: null,
    caseGrade: null,
    differences: null,
    refusal: null,
  }
}
