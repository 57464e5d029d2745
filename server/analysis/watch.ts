/**
 * Reloads the custom content when its folder changes. The operating system reports changes at once where it can. It cannot everywhere (network folders,
 * containers, folders that do not exist yet), so the folder is also polled every few seconds. Invariants:
 *  1. a change is loaded after the folder has not changed for `settleMs`, because editors write, rename and write again
 *  2. if a reload fails, or Wazuh would not start with the content, the old content stays in use, and each poll retries until a reload succeeds
 *  3. one reload runs at a time; a change during a reload causes another one
 */
import { type FSWatcher, watch } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { AnalysisPool, RefusedContent } from '#workers'
import type { Log } from '../core/observability/log.js'

/** Interval of polls. A poll is a `stat` for each file of the folder. */
const POLL_MS = 5000
/** How long the folder must be unchanged. Editors take a few milliseconds, `git checkout` of a large ruleset some hundred. */
const SETTLE_MS = 500
/** Maximum depth, the same as that of the code that reads the folder: `lists/` has subfolders. */
const DEPTH_LIMIT = 5

export interface ContentWatchOptions {
  readonly directory: string
  readonly pool: Pick<AnalysisPool, 'reload' | 'customContent'>
  readonly log: Pick<Log, 'info' | 'error'>
  readonly pollMs?: number
  readonly settleMs?: number
}

/** The state for metrics. */
export interface ContentWatchState {
  readonly reloads: number
  /** Number of failed reloads. Content with which Wazuh would not start counts once, other failures count at each attempt. */
  readonly failures: number
  /** Whether the last reload failed, so that the content in use is not that of the folder. */
  readonly isStale: boolean
  /** Identifier of the content that was loaded last; null: no reload has changed the content yet. */
  readonly contentId: string | null
}

/** For the log: the content in use while the folder does not load. */
const IN_USE = { current: 'the previous content', stale: 'the last custom content that loads', left_out: 'the default ruleset alone' } as const

export class ContentWatch {
  /** Resolves when the first attempt to load the folder has ended. */
  readonly first: Promise<void>
  readonly #options: ContentWatchOptions
  readonly #poll: NodeJS.Timeout
  #watcher: FSWatcher | null = null
  #settling: NodeJS.Timeout | null = null
  /** Fingerprint of the content that was loaded last; null: none yet. */
  #loaded: string | null = null
  /** Fingerprint of the last check, if it differs from the loaded one. */
  #seen: string | null = null
  #checking: Promise<void> = Promise.resolve()
  #isClosed = false
  /** The current failure, which is logged once and not at every check; null: none. */
  #logged: string | null = null
  #state = { reloads: 0, failures: 0, isStale: false, contentId: null as string | null }

  /** Begins at once. The first check loads the folder, which may have changed since the pool read it. */
  constructor(options: ContentWatchOptions) {
    this.#options = options
    this.#poll = setInterval(() => void this.check(), options.pollMs ?? POLL_MS).unref()
    this.first = this.check()
  }

  get state(): ContentWatchState {
    return { ...this.#state }
  }

  /** Checks the folder now, and loads it if it has not changed since the check before. Never rejects. */
  check(): Promise<void> {
    this.#checking = this.#checking.then(() => this.#check())
    return this.#checking
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#poll)
    if (this.#settling !== null) clearTimeout(this.#settling)
    this.#watcher?.close()
  }

  async #check(): Promise<void> {
    if (this.#isClosed) return
    const found = await fingerprint(this.#options.directory)
    if (this.#isClosed) return
    if (found !== '') this.#listen()
    if (this.#loaded === null) await this.#load(found)
    else if (found === this.#loaded && !this.#state.isStale) this.#seen = null
    else if (found === this.#seen) await this.#load(found)
    else {
      this.#seen = found
      this.#checkSoon()
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
      } else if (wasStale) log.info({ directory, content_id: contentId }, 'the custom content folder has the content in use again')
    } else if (outcome.outcome !== 'aborted') {
      this.#state.failures++
      this.#state.isStale = true
      if (this.#logged === outcome.outcome) return
      this.#logged = outcome.outcome
      const at_work = IN_USE[pool.customContent.state]
      log.error({ directory, outcome: outcome.outcome, at_work }, 'custom content could not be loaded; will retry, and the content in use stays')
    }
  }

  #refuse({ contentId, errors, errorCount }: RefusedContent): void {
    const { pool, log, directory } = this.#options
    this.#state.isStale = true
    if (this.#logged === contentId) return
    this.#logged = contentId
    this.#state.failures++
    const at_work = IN_USE[pool.customContent.state]
    log.error(
      { directory, content_id: contentId, errors, error_count: errorCount, at_work },
      'Wazuh would not start with the custom content; it is not loaded, and the content in use stays',
    )
  }

  /** Checks the folder after `settleMs`. Each further change restarts the delay. */
  #checkSoon(): void {
    if (this.#settling !== null) clearTimeout(this.#settling)
    this.#settling = setTimeout(() => {
      this.#settling = null
      void this.check()
    }, this.#options.settleMs ?? SETTLE_MS).unref()
  }

  #listen(): void {
    if (this.#watcher !== null) return
    try {
      this.#watcher = watch(this.#options.directory, { recursive: true, persistent: false }, () => this.#checkSoon())
      this.#watcher.on('error', () => this.#stopListening())
    } catch {
      // The polls are sufficient.
    }
  }

  #stopListening(): void {
    this.#watcher?.close()
    this.#watcher = null
  }
}

/** Returns a text that changes with any file: names, sizes, times and inodes. Empty: the folder does not exist. Files that are deleted meanwhile are omitted. */
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
