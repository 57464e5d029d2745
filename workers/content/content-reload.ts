/** Reads the two folders again, and uses their content as soon as a thread has compiled it. */
import type { ContentCheck } from '../shared/answers.js'
import { now } from '../shared/clock.js'
import { type Failed, type Fault, failed, flattenError, type TaskOutcome } from '../shared/failure.js'
import type { DiskContent } from '../shared/protocol.js'
import { readDiskContent } from './content.js'
import type { RulesetSelector, SelectedRuleset } from './ruleset-selector.js'

/** Pause before content is tried again that a thread had no time or memory for: each attempt may cost a thread and its cached rulesets. */
const RETRY_REJECTED_MS = 60_000

export interface ReloadAnswer {
  /** False: the content in use stays the same. */
  readonly changed: boolean
  /** Id of the content in use. */
  readonly contentId: string
  /** The content of the folders, if Wazuh would not start with it; null: it is in use. */
  readonly refused: RefusedContent | null
}

/** Content of the folders that is not used. */
export interface RefusedContent extends Pick<ContentCheck, 'errors' | 'errorCount'> {
  readonly contentId: string
}

export interface ReloadParts {
  readonly defaultDir: string | null
  readonly customDir: string | null
  readonly selector: RulesetSelector
  /** Returns milliseconds since the epoch. */
  readonly clock: () => number
  /** Returns the ids of all threads. */
  readonly threadIds: () => readonly number[]
  /** Lets a thread compile the content. */
  readonly check: (content: SelectedRuleset, threadId: number | null, isCandidate: boolean) => Promise<TaskOutcome<ContentCheck>>
  /** Called when the content is in use. */
  readonly onUse: (disk: DiskContent) => void
  readonly onFault: (fault: Fault) => void
}

/** Content of the folders that cannot be used. */
interface Rejected {
  readonly contentId: string
  readonly outcome: TaskOutcome<ReloadAnswer>
  /** Time of the next attempt, by the monotonic clock. Content that does not load never will; content that a busy thread had no time for may load later. */
  readonly retryAt: number
}

export class ContentReload {
  readonly #parts: ReloadParts
  #running: Promise<TaskOutcome<ReloadAnswer>> | null = null
  #rejected: Rejected | null = null

  constructor(parts: ReloadParts) {
    this.#parts = parts
  }

  /** Runs one reload at a time: a concurrent call gets the outcome of the running one. */
  run(): Promise<TaskOutcome<ReloadAnswer>> {
    this.#running ??= this.#reload().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #reload(): Promise<TaskOutcome<ReloadAnswer>> {
    const { defaultDir, customDir, selector, clock, threadIds, check, onUse } = this.#parts
    const answer = (changed: boolean, refused: RefusedContent | null = null): TaskOutcome<ReloadAnswer> => ({
      outcome: 'ok',
      value: { changed, contentId: selector.disk.id, refused },
    })
    let disk: DiskContent
    try {
      disk = readDiskContent(defaultDir, customDir)
    } catch (error) {
      selector.staleSince ??= clock()
      return this.#unreadable(error)
    }
    const { id: contentId } = disk
    if (contentId === selector.disk.id) {
      this.#rejected = null
      selector.staleSince = null
      return answer(false)
    }
    if (this.#rejected?.contentId === contentId && now() < this.#rejected.retryAt) return this.#rejected.outcome
    const reject = (outcome: TaskOutcome<ReloadAnswer>, retryAt: number): TaskOutcome<ReloadAnswer> => {
      this.#rejected = { contentId, outcome, retryAt }
      selector.staleSince ??= clock()
      return outcome
    }
    const content = selector.folders(disk)
    const [first = null, ...others] = threadIds()
    const outcome = await check(content, first, true)
    if (outcome.outcome === 'aborted') return outcome
    if (outcome.outcome !== 'ok') return reject(outcome, now() + RETRY_REJECTED_MS)
    const { loads, errors, errorCount } = outcome.value
    if (!loads) return reject(answer(false, { contentId, errors, errorCount }), Number.POSITIVE_INFINITY)
    this.#rejected = null
    selector.staleSince = null
    selector.use(disk)
    onUse(disk)
    await Promise.all(others.map((threadId) => check(content, threadId, false)))
    return answer(true)
  }

  #unreadable(error: unknown): Failed {
    const debugId = crypto.randomUUID()
    this.#parts.onFault({ debugId, task: 'check', reason: 'fault', error: { name: 'UnreadableFolder', code: flattenError(error).code, frames: [] } })
    return failed({ outcome: 'failed', reason: 'fault', debugId, index: null }, 0, 'en-US')
  }
}
