/**
 * The running instances of the service, each with figures of its own process. An instance reports itself every some seconds; one that has not for a while is not
 * listed. A report is no lease: nothing depends on it but what operators see.
 */
import { type Collection, platformCollection, type Storage, type StoredDocument } from '../../../core/storage/contract.js'
import { newId } from '../../../core/storage/id.js'
import { put } from '../../../core/storage/put.js'

const REPORT_MS = 10_000
/** Three reports may be missed, and clocks differ. */
const ALIVE_MS = 45_000
const KEPT_SECONDS = 300
/** More instances than anybody runs on one store. */
const LISTED = 100

/** What an instance says about itself. */
export interface InstanceReport {
  readonly version: string
  readonly engine_version: string
  readonly node_version: string
  readonly threads: number
  readonly busy: number
  readonly queue_length: number
  readonly queue_limit: number
  readonly cached_rulesets: number
  readonly cached_bytes: number
  readonly cache_limit_bytes: number
  readonly cache_hits: number
  readonly cache_misses: number
}

export interface InstanceDocument extends StoredDocument, InstanceReport {
  readonly started_at: Date
  readonly seen_at: Date
}

/** Volatile: reports are seconds old. */
export const INSTANCES = platformCollection<InstanceDocument>('instances', [{ keys: { seen_at: 1 }, expireAfterSeconds: KEPT_SECONDS }], { volatile: true })

export interface InstancesOptions {
  readonly storage: Pick<Storage, 'open'>
  /** The current figures of this process. */
  readonly report: () => InstanceReport
  /** Called when the report could not be written; the next one follows. */
  readonly onError: (error: unknown) => void
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

export class Instances {
  readonly id = newId()
  readonly #options: InstancesOptions
  readonly #documents: Collection<InstanceDocument>
  readonly #startedAt: Date
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> = Promise.resolve()

  constructor(options: InstancesOptions) {
    this.#options = options
    this.#documents = options.storage.open(INSTANCES)
    this.#startedAt = new Date(options.clock())
  }

  start(): void {
    this.#report()
    this.#timer = setInterval(() => this.#report(), REPORT_MS).unref()
  }

  /** Removes this instance from the list. Never rejects. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    await this.#writing
    await this.#documents.delete({ _id: this.id }).catch(() => undefined)
  }

  /** The instances that are alive, this one with its figures of now, the oldest first. */
  async alive(): Promise<readonly InstanceDocument[]> {
    const now = this.#options.clock()
    const others = await this.#documents.find({ _id: { not: this.id }, seen_at: { gt: new Date(now - ALIVE_MS) } }, { sort: { seen_at: -1 }, limit: LISTED - 1 })
    return [this.#own(), ...others].sort((a, b) => a.started_at.getTime() - b.started_at.getTime())
  }

  #own(): InstanceDocument {
    return { _id: this.id, ...this.#options.report(), started_at: this.#startedAt, seen_at: new Date(this.#options.clock()) }
  }

  /** One at a time: a store that does not answer is not asked again meanwhile. */
  #report(): void {
    this.#writing = this.#writing.then(() => put(this.#documents, this.#own())).catch(this.#options.onError)
  }
}
