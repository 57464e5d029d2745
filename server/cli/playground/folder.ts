/**
 * A folder of content that the page edits. Invariants:
 *  1. nothing outside of the folder is read or written: links are never followed, and a path is looked up among the files that a walk has found, or checked step by step
 *  2. a file is replaced or deleted only if it is the one that the caller has read, and in one step (`rename`): a reader sees the old content or the new
 *  3. changes are made one after the other
 *  4. walks, files and bytes have limits
 */
import { isUtf8 } from 'node:buffer'
import { createHash, randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { copyFile, link, lstat, mkdir, open, readdir, realpath, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { FILES_LIMIT, RULESET_BYTES } from '#in-thread'
import type { FolderFile, FolderIndex, LeftOutFile } from '../../playground/folder-api.js'
import { FOLDER_DEPTH, isSkipped, uniqueNames } from '../input/content-files.js'
import { identify, type Layout, type Place, placeOf, RULESET_FOLDERS } from './place.js'
import { FolderError } from './refusal.js'

/** Maximum files, and bytes of all of them: those of the content of an analysis. The page can edit no more. */
export const FOLDER_FILES = FILES_LIMIT
export const FOLDER_BYTES = RULESET_BYTES
/** Entries of a walk: a home folder or the root of a disk is refused before it takes seconds. */
export const FOLDER_ENTRIES = 20_000
/** Interval at which a caller who waits for changes has the folder looked at. A look at 1,000 files takes 0.1 s, most of it waiting for the disk. */
const LOOK_MS = 700
/** Shorter than the time after which proxies and browsers give up. */
const WAIT_MS = 25_000
/** Characters of a step that all systems allow: no separators, no wildcards, no device or stream (`:`), no control characters. */
const STEP = /^[^\s/\\:*?"<>|\p{C}](?:[^/\\:*?"<>|\p{C}]{0,126}[^\s./\\:*?"<>|\p{C}])?$/u
const NO_FOLLOW = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

interface Known {
  /** Changes with every change of the file. */
  readonly state: string
  /** Whether the folder was a ruleset: it decides about the kinds and names of files. */
  readonly inRuleset: boolean
  /** Null: the file is neither content nor cases, or cannot be opened. */
  readonly file: FolderFile | null
  readonly leftOut: LeftOutFile['reason'] | null
}

interface Snapshot {
  readonly layout: Layout
  readonly files: ReadonlyMap<string, FolderFile>
  readonly index: FolderIndex
}

export interface FolderTimes {
  readonly lookMs: number
  readonly waitMs: number
}

export class ContentFolder {
  readonly root: string
  readonly #times: FolderTimes
  #known: ReadonlyMap<string, Known> = new Map()
  #looking: Promise<Snapshot> | null = null
  #changing: Promise<unknown> = Promise.resolve()

  private constructor(root: string, times: FolderTimes) {
    this.root = root
    this.#times = times
  }

  /** @throws FolderError folder_too_large */
  static async open(path: string, times: FolderTimes = { lookMs: LOOK_MS, waitMs: WAIT_MS }): Promise<ContentFolder> {
    const folder = new ContentFolder(await realpath(path), times)
    await folder.look()
    return folder
  }

  get name(): string {
    return basename(this.root)
  }

  /** Reads what has changed since the last look. Callers at the same time share one. @throws FolderError folder_too_large */
  look(): Promise<Snapshot> {
    this.#looking ??= this.#read().finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  /** Waits until the folder differs from an index; null: it did not in time, or nobody waits any more. */
  async changedSince(etag: string, signal: AbortSignal): Promise<FolderIndex | null> {
    const end = performance.now() + this.#times.waitMs
    for (;;) {
      const { index } = await this.look()
      if (index.etag !== etag) return index
      if (performance.now() >= end || signal.aborted) return null
      await setTimeout(this.#times.lookMs, undefined, { signal }).catch(() => undefined)
    }
  }

  /** @throws FolderError not_found */
  async read(path: string): Promise<FolderFile> {
    const file = (await this.look()).files.get(path)
    if (file === undefined) throw new FolderError('not_found')
    return file
  }

  /** Creates a file, and the folders above it. @throws FolderError file_exists, path_refused, not_content, not_utf8, folder_too_large, failed */
  create(path: string, bytes: Uint8Array): Promise<FolderFile> {
    return this.#change(async () => {
      const { files, layout } = await this.look()
      const steps = path.split('/')
      const place = steps.length - 1 <= FOLDER_DEPTH && steps.every((step) => STEP.test(step)) ? placeOf(steps, layout) : null
      // A first folder of a ruleset would make everything else in the folder no content.
      const isNewLayout = !layout.isRuleset && steps.length > 1 && RULESET_FOLDERS.has(steps[0]) && Array.from(files.values()).some(({ kind }) => kind !== 'cases')
      if (place === null || isNewLayout) throw new FolderError('path_refused')
      if (files.has(path)) throw new FolderError('file_exists', { current: files.get(path) ?? null })
      this.#check(files, path, place, bytes, layout)
      await this.#makeFolders(steps.slice(0, -1))
      await this.#write(path, bytes, null)
      return this.#result(path)
    })
  }

  /** @throws FolderError not_found, file_changed, not_content, not_utf8, folder_too_large, failed */
  save(path: string, bytes: Uint8Array, etag: string): Promise<FolderFile> {
    return this.#change(async () => {
      const { snapshot, place, stats } = await this.#unchanged(path, etag)
      if (snapshot.files.get(path)?.read_only === true) throw new FolderError('not_utf8')
      this.#check(snapshot.files, path, place, bytes, snapshot.layout)
      await this.#write(path, bytes, stats)
      return this.#result(path)
    })
  }

  /** @throws FolderError not_found, file_changed, failed */
  remove(path: string, etag: string): Promise<void> {
    return this.#change(async () => {
      const { target } = await this.#unchanged(path, etag)
      await unlink(target)
    })
  }

  async #result(path: string): Promise<FolderFile> {
    await this.#lookEnded()
    return this.read(path)
  }

  /** The file as the caller has read it, on disk now. */
  async #unchanged(path: string, etag: string): Promise<{ snapshot: Snapshot; place: Place; target: string; stats: Stats }> {
    await this.#lookEnded()
    const snapshot = await this.look()
    const steps = path.split('/')
    const place = placeOf(steps, snapshot.layout)
    const current = snapshot.files.get(path) ?? null
    if (place === null || (current === null && !steps.every((step) => STEP.test(step)))) throw new FolderError('not_found')
    if (current?.etag !== etag) throw new FolderError('file_changed', { current })
    const target = join(this.root, ...steps)
    if ((await realpath(dirname(target))) !== dirname(target)) throw new FolderError('path_refused')
    const stats = await lstat(target)
    if (stateOf(stats) !== this.#known.get(path)?.state) throw new FolderError('file_changed', { current: await this.#now(path) })
    return { snapshot, place, target, stats }
  }

  /** A look that began before a change does not show it. */
  async #lookEnded(): Promise<void> {
    await this.#looking?.catch(() => undefined)
  }

  async #now(path: string): Promise<FolderFile | null> {
    await this.#lookEnded()
    return (await this.look()).files.get(path) ?? null
  }

  #check(files: Snapshot['files'], path: string, place: Place, bytes: Uint8Array, layout: Layout): void {
    if (!isUtf8(bytes)) throw new FolderError('not_utf8')
    let total = bytes.length
    for (const file of files.values()) if (file.path !== path) total += Buffer.byteLength(file.content)
    if (total > FOLDER_BYTES) throw new FolderError('folder_too_large', { limit: FOLDER_BYTES })
    if (!files.has(path) && files.size >= FOLDER_FILES) throw new FolderError('folder_too_large', { limit: FOLDER_FILES })
    if (identify(path.split('/'), place, Buffer.from(bytes).toString(), layout) === null) throw new FolderError('not_content')
  }

  async #makeFolders(steps: readonly string[]): Promise<void> {
    let folder = this.root
    for (const step of steps) {
      folder = join(folder, step)
      await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      })
      if (!(await lstat(folder)).isDirectory()) throw new FolderError('path_refused')
    }
    // Names in other letter cases are the same folder on some systems.
    if ((await realpath(folder)) !== folder) throw new FolderError('path_refused')
  }

  /** Writes a file beside the one at the path, and moves it there. @param replaced the file at the path; null: there must be none */
  async #write(path: string, bytes: Uint8Array, replaced: Stats | null): Promise<void> {
    const target = join(this.root, ...path.split('/'))
    const written = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`)
    const handle = await open(written, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW, 0o666)
    try {
      try {
        await handle.writeFile(bytes)
        if (replaced !== null) await handle.chmod(replaced.mode & 0o777)
        await handle.sync()
      } finally {
        await handle.close()
      }
      if (replaced === null) {
        // Unlike `rename`, both fail if there is a file meanwhile. Some file systems have no links.
        await link(written, target).catch((error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST') throw error
          return copyFile(written, target, constants.COPYFILE_EXCL)
        })
        await unlink(written)
      } else {
        if (stateOf(await lstat(target)) !== stateOf(replaced)) throw new FolderError('file_changed', { current: await this.#now(path) })
        await rename(written, target)
      }
    } catch (error) {
      await unlink(written).catch(() => undefined)
      throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? new FolderError('file_exists', { current: await this.#now(path) }) : error
    }
  }

  /** Runs one change after the other, and reports what the system refuses. */
  #change<T>(change: () => Promise<T>): Promise<T> {
    const done = this.#changing.then(change).catch((error: NodeJS.ErrnoException) => {
      throw error instanceof FolderError || typeof error.code !== 'string' ? error : new FolderError('failed', { system: error.code })
    })
    this.#changing = done.catch(() => undefined)
    return done
  }

  async #read(): Promise<Snapshot> {
    const { layout, found } = await this.#walk()
    // Before any is read.
    if (found.filter(({ place, isLink }) => place.as === 'content' && !isLink).length > FOLDER_FILES) throw new FolderError('folder_too_large', { limit: FOLDER_FILES })
    const known = new Map<string, Known>()
    const files = new Map<string, FolderFile>()
    const leftOut: LeftOutFile[] = []
    const nameOf = uniqueNames()
    let bytes = 0
    for (const { steps, place, isLink } of found) {
      const path = steps.join('/')
      const entry = isLink ? LINK : await this.#look(path, steps, place, layout)
      // It was deleted after the walk.
      if (entry === null) continue
      known.set(path, entry)
      if (entry.leftOut !== null) leftOut.push({ path, reason: entry.leftOut })
      if (entry.file === null) continue
      bytes += Buffer.byteLength(entry.file.content)
      if (files.size === FOLDER_FILES) throw new FolderError('folder_too_large', { limit: FOLDER_FILES })
      if (bytes > FOLDER_BYTES) throw new FolderError('folder_too_large', { limit: FOLDER_BYTES })
      const { kind } = entry.file
      const filename = kind === 'cases' || kind === 'events' ? path : nameOf(path, { kind, filename: entry.file.filename })
      files.set(path, { ...entry.file, filename })
    }
    this.#known = known
    const listed = Array.from(files.values(), ({ content: _, ...file }) => file)
    return { layout, files, index: { etag: digest(JSON.stringify([listed, leftOut])), files: listed, left_out: leftOut } }
  }

  async #walk(): Promise<{ layout: Layout; found: readonly { steps: readonly string[]; place: Place; isLink: boolean }[] }> {
    const entries: { steps: readonly string[]; isLink: boolean }[] = []
    let count = 0
    let isRuleset = false
    const walk = async (above: readonly string[]): Promise<void> => {
      const inside = await readdir(join(this.root, ...above), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
        // A folder below may be deleted meanwhile, or not be readable.
        if (above.length === 0) throw error
        return []
      })
      count += inside.length
      if (count > FOLDER_ENTRIES) throw new FolderError('folder_too_large', { limit: FOLDER_ENTRIES })
      for (const entry of inside.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        if (isSkipped(entry.name)) continue
        const steps = [...above, entry.name]
        if (entry.isDirectory()) {
          isRuleset ||= above.length === 0 && RULESET_FOLDERS.has(entry.name)
          if (above.length < FOLDER_DEPTH) await walk(steps)
        } else if (entry.isFile() || entry.isSymbolicLink()) entries.push({ steps, isLink: entry.isSymbolicLink() })
      }
    }
    await walk([])
    const layout = { root: this.root, isRuleset }
    return {
      layout,
      found: entries.flatMap((entry) => {
        const place = placeOf(entry.steps, layout)
        return place === null ? [] : [{ ...entry, place }]
      }),
    }
  }

  /** Reads a file if it has changed. Null: there is none. */
  async #look(path: string, steps: readonly string[], place: Place, layout: Layout): Promise<Known | null> {
    const target = join(this.root, ...steps)
    const inRuleset = layout.isRuleset
    try {
      const state = stateOf(await lstat(target))
      const known = this.#known.get(path)
      if (known?.state === state && known.inRuleset === inRuleset) return known
      const bytes = await readWithoutLinks(target)
      if (bytes === null) return { state, inRuleset, file: null, leftOut: place.as === 'content' ? 'too_large' : null }
      const content = bytes.toString()
      const identity = identify(steps, place, content, layout)
      return { state, inRuleset, leftOut: null, file: identity && { path, ...identity, content, etag: digest(bytes), read_only: !isUtf8(bytes) } }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') return null
      if (typeof code !== 'string') throw error
      // Another time it may be readable.
      return { state: '', inRuleset, file: null, leftOut: code === 'ELOOP' ? 'link' : 'unreadable' }
    }
  }
}

const LINK: Known = { state: '', inRuleset: false, file: null, leftOut: 'link' }

/** Null: it is larger than all files may be together. */
async function readWithoutLinks(path: string): Promise<Buffer | null> {
  const handle = await open(path, constants.O_RDONLY | NO_FOLLOW)
  try {
    const stats = await handle.stat()
    return stats.size > FOLDER_BYTES || !stats.isFile() ? null : await handle.readFile()
  } finally {
    await handle.close()
  }
}

function stateOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`
}

function digest(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url')
}
