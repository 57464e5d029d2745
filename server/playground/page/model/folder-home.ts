/** A folder as the home of the content: it is opened, followed, and saved into. */
import type { FileKind } from '#engine'
import type { FolderFile, FolderIndex } from '../../folder-api.js'
import { type FolderClient, FolderRefusedError } from './folder-client.js'
import { casesOf, type Home, type HomeFault, type HomeFile, homeFile, isContent, NEW_SUITE, NEW_SUITE_PATH, type Unsaved, unsavedOf } from './home.js'
import { type HomeKeeper, type HomePage, NO_PAGE, type SaveResult } from './home-keeper.js'
import { type Found, prepare, type Parts, takeOver } from './home-sync.js'
import type { KeptBase } from './keep.js'
import { withOwnLineEnds } from './line-ends.js'
import { type EditedFile, newId } from './state.js'
import { emptySuite, writeSuite } from './suites.js'

/** Between attempts to reach a command that does not answer: it may have been stopped for a moment. */
const FIRST_PAUSE_MS = 500
const LAST_PAUSE_MS = 10_000
/** Folders that make the folder above them a ruleset, in which other files are no content. */
const RULESET_FOLDERS = /^(?:rules|decoders|lists)\//
const LISTS_PREFIX = 'etc/lists/'

/** A folder that was read, and is not followed yet. */
export interface ReadFolder {
  readonly keeper: FolderHome
  readonly taken: Parts
  /** Null: the reference ruleset. */
  readonly base: KeptBase | 'none' | null
  /** Text of its file of events; empty: it has none. */
  readonly events: string
}

/** @throws FolderRefusedError, TypeError */
export async function readFolder(client: FolderClient): Promise<ReadFolder> {
  const { name, base, files, left_out, etag } = await client.folder()
  const home: Home = {
    kind: 'folder',
    name,
    isReadOnly: false,
    fault: null,
    isSaving: false,
    files: new Map(),
    suites: new Map(),
    conflicts: new Map(),
    leftOut: left_out,
    records: new Map(),
    service: null,
  }
  const nothing = { files: [], cases: [], home }
  const found = files.filter(isOpened).map((file): Found => ({ path: file.path, file: read(file) }))
  return {
    keeper: new FolderHome(client, etag),
    taken: takeOver(nothing, prepare(nothing, found)),
    base: base.kind === 'folder' ? { name: base.name, files: await client.base() } : base.kind === 'none' ? 'none' : null,
    events: files.find(({ kind }) => kind === 'events')?.content ?? '',
  }
}

export class FolderHome implements HomeKeeper {
  readonly #client: FolderClient
  readonly #ended = new AbortController()
  #page: HomePage = NO_PAGE
  #etag: string
  /** Changes of the page's copy follow each other. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(client: FolderClient, etag: string) {
    this.#client = client
    this.#etag = etag
  }

  begin(page: HomePage): void {
    this.#page = page
    void this.#follow()
  }

  close(): void {
    this.#ended.abort()
  }

  save(): Promise<SaveResult> {
    return this.#inTurn(async () => {
      const failed: SaveResult['failed'][number][] = []
      for (const unsaved of unsavedOf(this.#page.state, this.#home)) {
        if (this.#home.conflicts.has(unsaved.id)) continue
        try {
          await this.#save(unsaved)
        } catch (error) {
          if (error instanceof FolderRefusedError && error.current !== undefined) this.#takeCurrent(unsaved, error.current)
          else failed.push({ name: unsaved.name, reason: this.#page.words(error instanceof FolderRefusedError ? error.code : 'unreachable') })
        }
      }
      return { failed, hasConflicts: this.#home.conflicts.size > 0 }
    })
  }

  get #home(): Home {
    return this.#page.state.home as Home
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => undefined)
    return done
  }

  async #save({ id, change }: Unsaved): Promise<void> {
    const { state } = this.#page
    const saved = this.#home.files.get(id)
    if (change === 'removed' && saved !== undefined) {
      await this.#client.remove(saved.path, saved.etag).catch((error: unknown) => {
        // It is gone already.
        if (!(error instanceof FolderRefusedError) || (error.code !== 'not_found' && error.current !== null)) throw error
      })
      return this.#page.updateHome((home) => ({ files: without(home.files, id) }))
    }
    if (id === NEW_SUITE || this.#home.suites.has(id)) return this.#saveSuite(id)
    const edited = state.files.find((file) => file.id === id)
    if (edited === undefined) return
    const path = this.#pathOf(edited)
    const body = withOwnLineEnds(saved?.written ?? '', edited.content)
    if (saved !== undefined && saved.path === path) return this.#saved(id, await this.#client.save(path, body, saved.etag))
    const created = await this.#client.create(path, body)
    // It has another name: the file with the old one goes, unless it has changed meanwhile. It is another file then.
    if (saved !== undefined)
      await this.#client.remove(saved.path, saved.etag).catch((error: unknown) => {
        if (!(error instanceof FolderRefusedError)) throw error
      })
    this.#saved(id, created)
  }

  async #saveSuite(id: number): Promise<void> {
    const saved = this.#home.files.get(id)
    const { text, suite } = writeSuite(this.#home.suites.get(id) ?? emptySuite(), casesOf(this.#page.state, this.#home, id === NEW_SUITE ? null : id))
    const answer = saved === undefined ? await this.#client.create(NEW_SUITE_PATH, text) : await this.#client.save(saved.path, withOwnLineEnds(saved.written, text), saved.etag)
    const known = id === NEW_SUITE ? newId() : id
    this.#page.updateHome((home) => ({ suites: new Map(home.suites).set(known, suite) }))
    this.#saved(known, answer)
  }

  /** What was sent is at home now. */
  #saved(id: number, answer: FolderFile): void {
    if (!isOpened(answer)) return
    const file = read(answer)
    this.#page.updateHome((home) => ({ files: new Map(home.files).set(id, file) }))
    if (isContent(file)) this.#page.nameFile(id, file.filename)
  }

  /** The path for a file: that which it has, with its present name, or one beside others of its kind. */
  #pathOf({ id, kind, filename }: EditedFile): string {
    const saved = this.#home.files.get(id)
    if (saved?.filename === filename) return saved.path
    const isList = kind === 'lists' && filename.startsWith(LISTS_PREFIX)
    const name = isList ? filename.slice(LISTS_PREFIX.length) : filename
    if (saved === undefined) return this.#folderOfKind(kind) + name
    return folderOf(saved) + name
  }

  #folderOfKind(kind: FileKind): string {
    const files = [...this.#home.files.values()].filter(isContent)
    const beside = files.find((file) => file.kind === kind)
    if (beside !== undefined) return folderOf(beside)
    // A first folder of a ruleset would make everything beside it no content.
    const mayBeRuleset = files.length === 0 || files.some(({ path }) => RULESET_FOLDERS.test(path))
    return mayBeRuleset ? `${kind}/` : kind === 'lists' ? 'content/lists/' : ''
  }

  /** What a save was refused for: the file is another one now. */
  #takeCurrent({ id, name }: Unsaved, current: FolderFile | null): void {
    const path = this.#home.files.get(id)?.path ?? current?.path ?? name
    this.#take([{ path, file: current === null || !isOpened(current) ? null : read(current) }])
  }

  #take(found: readonly Found[]): void {
    if (found.length === 0) return
    const prepared = prepare({ cases: this.#page.state.cases, home: this.#home }, found)
    if (!this.#ended.signal.aborted) this.#page.takeOver(takeOver({ ...this.#page.state, home: this.#home }, prepared))
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ended
    let pause = FIRST_PAUSE_MS
    while (!signal.aborted) {
      try {
        const index = await this.#client.changes(this.#etag, signal)
        if (index !== null) {
          await this.#inTurn(() => this.#compare(index))
          this.#etag = index.etag
        }
        pause = FIRST_PAUSE_MS
        this.#setFault(null)
      } catch (error) {
        if (signal.aborted) return
        const fault = faultOf(error)
        this.#setFault(fault)
        if (fault === 'ended') return
        await new Promise((resolve) => setTimeout(resolve, pause))
        pause = Math.min(pause * 2, LAST_PAUSE_MS)
      }
    }
  }

  /** Reads what differs from the copy of the page. The index may be older than what the page has saved meanwhile, so each file is asked for. */
  async #compare({ files, left_out }: FolderIndex): Promise<void> {
    const listed = new Map(files.filter(isOpened).map(({ path, etag }) => [path, etag]))
    const known = new Map(Array.from(this.#home.files.values(), ({ path, etag }) => [path, etag]))
    const paths = [...new Set([...listed.keys(), ...known.keys()])].filter((path) => listed.get(path) !== known.get(path))
    const found: Found[] = []
    for (const path of paths) {
      const file = await this.#client.read(path).catch((error: unknown) => {
        if (error instanceof FolderRefusedError && error.code === 'not_found') return null
        throw error
      })
      found.push({ path, file: file === null || !isOpened(file) ? null : read(file) })
    }
    this.#take(found)
    this.#page.updateHome(() => ({ leftOut: left_out }))
  }

  #setFault(fault: HomeFault | null): void {
    if (this.#page.state.home?.fault !== fault) this.#page.updateHome(() => ({ fault }))
  }
}

function faultOf(error: unknown): HomeFault {
  if (!(error instanceof FolderRefusedError)) return 'unreachable'
  if (error.code === 'folder_too_large') return 'too_large'
  return error.code === 'too_many_waiting' || error.code === 'failed' ? 'unreachable' : 'ended'
}

type OpenedFile<F extends FolderIndex['files'][number]> = F & { readonly kind: HomeFile['kind'] }

/** Events are read once, and are no part of what is saved. */
function isOpened<F extends FolderIndex['files'][number]>(file: F): file is OpenedFile<F> {
  return file.kind !== 'events'
}

function read({ path, kind, filename, content, etag, read_only }: OpenedFile<FolderFile>): HomeFile {
  return homeFile({ path, kind, filename, written: content, etag, isReadOnly: read_only })
}

/** The folder of a file; of a list, the one in which its name begins. */
function folderOf({ kind, path, filename }: HomeFile): string {
  const name = kind === 'lists' && filename.startsWith(LISTS_PREFIX) ? filename.slice(LISTS_PREFIX.length) : ''
  return name !== '' && path.endsWith(name) ? path.slice(0, path.length - name.length) : path.slice(0, path.lastIndexOf('/') + 1)
}

function without<K, V>(map: ReadonlyMap<K, V>, key: K): Map<K, V> {
  const left = new Map(map)
  left.delete(key)
  return left
}
