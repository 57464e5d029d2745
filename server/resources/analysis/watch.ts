/**
 * Keeps the instance's custom content as it is on disk. The system tells of changes at once where it can; as it can't everywhere (network folders,
 * containers, folders that are yet to be made), the folder is also looked at every few seconds. Invariants:
 *  1. a change is loaded once the folder has been still for `settleMs`: editors write, rename and write again
 *  2. a reload that fails leaves the old content at work, and is tried again at every look until it works; so does content with which Wazuh would not start
 *  3. one reload at a time; a change during one brings another
 */
import { type FSWatcher, watch } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { AnalysisPool, RefusedContent } from '#workers'
import type { Log } from '../../observability/log.js'

/** Between two looks at the folder. A look is a `stat` for each of its files. */
const POLL_MS = 5000
/** How long the folder must be still. Editors are done within a few milliseconds, `git checkout` of a large set within some hundred. */
const SETTLE_MS = 500
/** As deep as the reader of the folder goes: `lists/` has folders of its own. */
const DEPTH_LIMIT = 5

export interface ContentWatchOptions {
  readonly directory: string
  readonly pool: Pick<AnalysisPool, 'reload' | 'customContent'>
  readonly log: Pick<Log, 'info' | 'error'>
  readonly pollMs?: number
  readonly settleMs?: number
}

/** For metrics. */
export interface ContentWatchState {
  readonly reloads: number
  /** Content with which Wazuh would not start counts once, whatever else fails counts whenever it is tried. */
  readonly failures: number
  /** The last reload failed: what is at work is not what the folder holds. */
  readonly isStale: boolean
  /** Of the content that the last reload loaded; null: none has changed anything yet. */
  readonly contentId: string | null
}

/** What is at work while the folder does not load. */
const AT_WORK = { current: 'the content before it', stale: 'the last custom content that loads', left_out: 'the default ruleset alone' } as const

export class ContentWatch {
  /** Resolves when the folder has been loaded, or could not be, for the first time. */
  readonly first: Promise<void>
  readonly #options: ContentWatchOptions
  readonly #poll: NodeJS.Timeout
  #watcher: FSWatcher | null = null
  #settling: NodeJS.Timeout | null = null
  /** What was loaded last; null until it has been once. */
  #loaded: string | null = null
  /** What the last look saw, if it was something else. */
  #seen: string | null = null
  #looking: Promise<void> = Promise.resolve()
  #isClosed = false
  /** The failure that was logged last, so that it is not logged at every look; null: none stands. */
  #logged: string | null = null
  #state = { reloads: 0, failures: 0, isStale: false, contentId: null as string | null }

  /** Begins at once. The first look loads as well: the folder may have changed since it was read for the start. */
  constructor(options: ContentWatchOptions) {
    this.#options = options
    this.#poll = setInterval(() => void this.look(), options.pollMs ?? POLL_MS).unref()
    this.first = this.look()
  }

  get state(): ContentWatchState {
    return { ...this.#state }
  }

  /** Looks at the folder now, and loads what has been still since the look before. Never rejects. */
  look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look())
    return this.#looking
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#poll)
    if (this.#settling !== null) clearTimeout(this.#settling)
    this.#watcher?.close()
  }

  async #look(): Promise<void> {
    if (this.#isClosed) return
    const found = await fingerprint(this.#options.directory)
    if (this.#isClosed) return
    if (found !== '') this.#listen()
    if (this.#loaded === null) await this.#load(found)
    else if (found === this.#loaded && !this.#state.isStale) this.#seen = null
    else if (found === this.#seen) await this.#load(found)
    else {
      this.#seen = found
      this.#lookSoon()
    }
  }

  async #load(found: string): Promise<void> {
    const { pool, log, directory } = this.#options
    const outcome = await pool.reload()
    if (outcome.outcome === 'ok') {
      const { changed, contentId, refused } = outcome.value
      if (refused !== null) return this.#refuse(refused)
      this.#loaded = found
      this.#seen = null
      const wasStale = this.#state.isStale
      this.#state.isStale = false
      this.#logged = null
      if (changed) {
        this.#state.reloads++
        this.#state.contentId = contentId
        log.info({ directory, content_id: contentId }, 'custom content loaded')
      } else if (wasStale) log.info({ directory, content_id: contentId }, 'the custom content folder holds again what is at work')
    } else if (outcome.outcome !== 'aborted') {
      this.#state.failures++
      this.#state.isStale = true
      if (this.#logged === outcome.outcome) return
      this.#logged = outcome.outcome
      const at_work = AT_WORK[pool.customContent.state]
      log.error({ directory, outcome: outcome.outcome, at_work }, 'custom content could not be loaded; it is tried again, and what is at work stays')
    }
  }

  #refuse({ contentId, errors, errorCount }: RefusedContent): void {
    const { pool, log, directory } = this.#options
    this.#state.isStale = true
    if (this.#logged === contentId) return
    this.#logged = contentId
    this.#state.failures++
    const at_work = AT_WORK[pool.customContent.state]
    log.error(
      { directory, content_id: contentId, errors, error_count: errorCount, at_work },
      'Wazuh would not start with the custom content; it is not used, and what is at work stays',
    )
  }

  /** Within the folder's rest, each further change begins it anew. */
  #lookSoon(): void {
    if (this.#settling !== null) clearTimeout(this.#settling)
    this.#settling = setTimeout(() => {
      this.#settling = null
      void this.look()
    }, this.#options.settleMs ?? SETTLE_MS).unref()
  }

  #listen(): void {
    if (this.#watcher !== null) return
    try {
      this.#watcher = watch(this.#options.directory, { recursive: true, persistent: false }, () => this.#lookSoon())
      this.#watcher.on('error', () => this.#stopListening())
    } catch {
      // Looking every few seconds is enough.
    }
  }

  #stopListening(): void {
    this.#watcher?.close()
    this.#watcher = null
  }
}

/** What changes when a file does: names, sizes, times and inodes. Empty: there is no folder. Files that go meanwhile are left out. */
async function fingerprint(directory: string): Promise<string> {
  const lines: string[] = []
  const walk = async (folder: string, depth: number): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
    await Promise.all(
      entries.map(async (entry) => {
        const path = join(folder, entry.name)
        const found = await stat(path, { bigint: true }).catch(() => null)
        if (found === null) return
        if (found.isDirectory()) {
          lines.push(`${path}/`)
          if (depth < DEPTH_LIMIT) await walk(path, depth + 1)
        } else lines.push(`${path} ${found.size} ${found.mtimeNs} ${found.ino}`)
      }),
    )
  }
  await walk(directory, 0)
  return lines.sort().join('\n')
}
