/**
 * What the cases of a content are worth, beyond that they pass: measured in the background by threads of the pool, and stored by the hash of the content, the
 * files on disk and the cases. Invariants:
 *  1. no request waits for a measurement: a reader gets what is stored, or `pending`, and the measurement begins
 *  2. an instance measures two contents at a time, of different organizations. What waits is limited, in all and of each organization; what is refused is asked
 *     for again by its next reader
 *  3. equal contents with equal cases are measured once, also if several versions, workspaces or commits have them
 *  4. a measurement that is stopped by a limit is `not_proven` for some time, so that it is not repeated for each reader
 */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { AnalysisPool } from '#workers'
import type { Log } from '../../core/observability/log.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { CASE_STRENGTHS } from '../shared/case-strength.js'
import { fileSetHash } from '../shared/content.js'
import type { Measured } from '../shared/gate.js'
import type { Measuring, StrengthSubject } from './measuring.js'
import { measureMutation, type MutationScore } from './mutation.js'
import { measureNegatives, type NegativeCases } from './negatives.js'

export type { StrengthSubject } from './measuring.js'
export type { MutationScore, Survivor } from './mutation.js'
export type { NegativeCases } from './negatives.js'

/** Part of every id: a measurement of another kind of engine is none of this one. Incremented when a measurement changes. */
const FORMAT = 1
/** Measurements that run at once. A thread keeps what it needs of as many (`workers/thread/tasks/mutate.ts`). */
const RUNNING_LIMIT = 2
/** Measurements that run or wait, in all and of one organization, and the characters of their files together, which are in memory. */
const WAITING_LIMIT = 64
const WAITING_OF_ORGANIZATION = 4
const WAITING_CHARACTERS = 64 * 1024 * 1024
/** How long content is not measured again after a limit stopped its measurement. */
const STOPPED_MS = 60_000
const STOPPED_LIMIT = 1000
/** Stored measurements of a project: each edit of content or cases makes one. */
const STORED_LIMIT = 100
/** Characters of measurements that are kept in memory, so that a reader needs no query. */
const KEPT_CHARACTERS = 4 * 1024 * 1024

export interface CaseStrengthParts {
  readonly pool: AnalysisPool
  readonly log: Pick<Log, 'error'>
  readonly clock: () => number
}

interface Waiting {
  readonly organization: string
  readonly characters: number
  readonly run: () => Promise<void>
}

export class CaseStrengthService {
  readonly #parts: CaseStrengthParts
  readonly #known = new LRUCache<string, string>({ maxSize: KEPT_CHARACTERS, sizeCalculation: (json) => json.length + 1 })
  readonly #stopped = new LRUCache<string, true>({ max: STOPPED_LIMIT, ttl: STOPPED_MS })
  /** Waiting and running measurements, by key. */
  readonly #waiting = new Map<string, Waiting>()
  /** Running measurements, by organization. */
  readonly #running = new Map<string, Promise<void>>()
  readonly #closing = new AbortController()

  constructor(parts: CaseStrengthParts) {
    this.#parts = parts
  }

  /** The own rules that a case fires and none just misses. */
  negatives(scope: Scope, subject: StrengthSubject): Promise<Measured<NegativeCases>> {
    return this.#find('negatives', measureNegatives, scope, subject)
  }

  /** Which small changes of own rules and decoders the cases notice. */
  mutation(scope: Scope, subject: StrengthSubject): Promise<Measured<MutationScore>> {
    return this.#find('mutation', measureMutation, scope, subject)
  }

  /** Resolves when nothing is being measured on this instance, or after the signal: for jobs, which may wait. */
  async settled(signal: AbortSignal): Promise<void> {
    const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    while (this.#running.size > 0 && !signal.aborted) await Promise.race([...this.#running.values(), ended])
  }

  /** Ends what is being measured; another instance, or the next start, measures it again. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#waiting.clear()
    await Promise.all(this.#running.values())
  }

  /** @param kind its name in ids */
  async #find<T>(kind: string, measure: Measuring<T>, scope: Scope, subject: StrengthSubject): Promise<Measured<T>> {
    const { contentId } = this.#parts.pool
    const { project, files } = subject
    const parts = [FORMAT, kind, scope.organizationId, fileSetHash(files), contentId, project._id, project.cases_revision]
    const key = createHash('sha256').update(parts.join('\n')).digest('hex')
    const json = this.#known.get(key) ?? (await scope.collection(CASE_STRENGTHS).findOne({ _id: key }))?.result_json
    if (json !== undefined) {
      this.#known.set(key, json)
      return { state: 'known', value: JSON.parse(json) as T }
    }
    if (this.#stopped.has(key)) return { state: 'not_proven' }
    const characters = files.files.reduce((sum, { content }) => sum + content.length, 0)
    this.#begin(key, { organization: scope.organizationId, characters, run: () => this.#measure(key, measure, scope, subject, contentId) })
    return { state: 'pending' }
  }

  #begin(key: string, wanted: Waiting): void {
    if (this.#waiting.has(key) || this.#closing.signal.aborted || !this.#hasRoom(wanted)) return
    this.#waiting.set(key, wanted)
    this.#work()
  }

  #hasRoom({ organization, characters }: Waiting): boolean {
    const all = [...this.#waiting.values()]
    const sum = all.reduce((total, one) => total + one.characters, characters)
    return all.length < WAITING_LIMIT && all.filter((one) => one.organization === organization).length < WAITING_OF_ORGANIZATION && sum <= WAITING_CHARACTERS
  }

  /** Begins what waits longest, of organizations of which nothing runs. */
  #work(): void {
    for (const [key, { organization, run }] of this.#waiting) {
      if (this.#running.size >= RUNNING_LIMIT) return
      if (this.#running.has(organization)) continue
      const running = run()
        .catch((error: unknown) => {
          if (!this.#closing.signal.aborted) this.#parts.log.error({ err: error }, 'case strength was not measured')
        })
        .finally(() => {
          this.#waiting.delete(key)
          this.#running.delete(organization)
          this.#work()
        })
      this.#running.set(organization, running)
    }
  }

  async #measure<T>(key: string, measure: Measuring<T>, scope: Scope, subject: StrengthSubject, contentId: string): Promise<void> {
    const { pool, clock } = this.#parts
    const { signal } = this.#closing
    const result = await measure(pool, scope, subject, signal)
    if (signal.aborted) return
    // The content on disk was reloaded meanwhile: it may be a mixture of both.
    if (pool.contentId !== contentId) return
    if (result === null) {
      this.#stopped.set(key, true)
      return
    }
    const result_json = JSON.stringify(result)
    const strengths = scope.collection(CASE_STRENGTHS)
    const { _id: project_id } = subject.project
    // Another instance may have been first.
    if ((await strengths.findOne({ _id: key })) !== null) return
    const old = await strengths.find({ project_id }, { sort: { created_at: -1, _id: -1 }, skip: STORED_LIMIT - 1 })
    await scope.commit([
      strengths.deletingMany({ _id: { in: old.map(({ _id }) => _id) } }),
      strengths.inserting({ _id: key, project_id, result_json, created_at: new Date(clock()) }),
    ])
  }
}
