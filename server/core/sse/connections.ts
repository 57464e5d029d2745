/**
 * Limits the open streams of a user. Invariants:
 *  1. a user has at most `perUser` streams over all instances: each stream has one of the user's numbered slots, a document with a unique id
 *  2. a slot whose lease is not renewed can be taken over, so a dead instance blocks a slot for at most `LEASE_MS`. An instance that was suspended, or without
 *     its database, finds out which of its streams have lost their slot and ends them
 */
import { randomUUID } from 'node:crypto'
import { ApiError } from '../errors.js'
import { type Collection, platformCollection, type Storage, type StoredDocument } from '../storage/contract.js'
import { DuplicateKeyError } from '../storage/errors.js'

/** Duration of a lease; longer than the clocks of instances differ. */
const LEASE_MS = 60_000
/** Interval of renewal: three attempts per lease. */
const RENEW_MS = LEASE_MS / 3
/** Seconds for `Retry-After`: about the time to detect a disconnected caller, or to close a window. */
const RETRY_AFTER_SECONDS = 10

interface SlotDocument extends StoredDocument {
  /** The instance that renews the lease. */
  readonly instance: string
  /** Identifier of the stream. */
  readonly holder: string
  readonly until: Date
}

/** For `Storage.prepare`. Volatile: leases last seconds, so nothing has to survive a power cut. */
export const SSE_CONNECTIONS = platformCollection<SlotDocument>('sse_connections', [{ keys: { instance: 1 } }, { keys: { until: 1 }, expireAfterSeconds: 0 }], { volatile: true })

/** The slot of a stream. */
export interface Slot {
  /** Releases the slot once. Resolves when it is free. Never rejects. */
  release(): Promise<void>
}

export interface ConnectionsOptions {
  readonly storage: Pick<Storage, 'open'>
  /** `SSE_CONNECTIONS_PER_USER`. */
  readonly perUser: number
  /** Called when slots could not be renewed or released. Renewal is retried; an unreleased lease expires. */
  readonly onError: (error: unknown) => void
  readonly clock?: () => number
}

export class Connections {
  readonly #options: ConnectionsOptions
  readonly #slots: Collection<SlotDocument>
  readonly #clock: () => number
  readonly #instance = randomUUID()
  /** Slots being released, by user: a new stream of the user waits for them. */
  readonly #releasing = new Map<string, Set<Promise<void>>>()
  /** Callbacks for lost slots, by holder. */
  readonly #onLost = new Map<string, () => void>()
  #open = 0
  #renewing: NodeJS.Timeout | null = null

  constructor(options: ConnectionsOptions) {
    this.#options = options
    this.#slots = options.storage.open(SSE_CONNECTIONS)
    this.#clock = options.clock ?? Date.now
  }

  /** Open streams of this instance. */
  get open(): number {
    return this.#open
  }

  /**
   * Acquires a slot of the user.
   * @param route key of the route, for the error
   * @param onLost called at most once before the release, when another stream may have taken the slot
   * @throws ApiError sse_connection_limit_exceeded
   */
  async acquire(userId: string, route: string, onLost: () => void): Promise<Slot> {
    this.#open++
    try {
      await Promise.all(this.#releasing.get(userId) ?? [])
      const holder = randomUUID()
      const id = await this.#findSlot(userId, holder)
      if (id === null) throw this.#refusal(route)
      this.#renewing ??= setInterval(() => void this.#renew(), RENEW_MS).unref()
      this.#onLost.set(holder, onLost)
      return this.#slotOf(userId, id, holder)
    } catch (error) {
      this.#open--
      throw error
    }
  }

  /** Resolves when no slot is being released. Call before the store is closed. */
  async close(): Promise<void> {
    if (this.#renewing !== null) clearInterval(this.#renewing)
    this.#renewing = null
    await Promise.all([...this.#releasing.values()].flatMap((releasing) => [...releasing]))
  }

  /** Acquires the first free slot and returns its id; null: none is free. */
  async #findSlot(userId: string, holder: string): Promise<string | null> {
    const ids = Array.from({ length: this.#options.perUser }, (_, slot) => `${userId}:${slot}`)
    const now = new Date(this.#clock())
    const lease = { instance: this.#instance, holder, until: new Date(now.getTime() + LEASE_MS) }
    const found = new Map((await this.#slots.find({ _id: { in: ids } })).map((slot) => [slot._id, slot]))
    for (const id of ids) {
      const slot = found.get(id)
      if (slot === undefined) {
        try {
          await this.#slots.insert({ _id: id, ...lease })
          return id
        } catch (error) {
          // Another stream has taken it.
          if (!(error instanceof DuplicateKeyError)) throw error
        }
      } else if (slot.until <= now && (await this.#slots.update({ _id: id, holder: slot.holder, until: { lte: now } }, { set: lease })) !== null) return id
    }
    return null
  }

  #slotOf(userId: string, id: string, holder: string): Slot {
    let released: Promise<void> | null = null
    return { release: () => (released ??= this.#release(userId, id, holder)) }
  }

  #release(userId: string, id: string, holder: string): Promise<void> {
    this.#open--
    this.#onLost.delete(holder)
    if (this.#open === 0 && this.#renewing !== null) {
      clearInterval(this.#renewing)
      this.#renewing = null
    }
    const releasing = this.#releasing.get(userId) ?? new Set<Promise<void>>()
    this.#releasing.set(userId, releasing)
    const release: Promise<void> = this.#slots
      .delete({ _id: id, holder })
      .then(() => undefined, this.#options.onError)
      .finally(() => {
        releasing.delete(release)
        if (releasing.size === 0 && this.#releasing.get(userId) === releasing) this.#releasing.delete(userId)
      })
    releasing.add(release)
    return release
  }

  /** Renews all slots of this instance in one write, then ends the streams whose slot was taken over or removed. */
  async #renew(): Promise<void> {
    const holders = [...this.#onLost.keys()]
    try {
      await this.#slots.updateMany({ instance: this.#instance }, { set: { until: new Date(this.#clock() + LEASE_MS) } })
      const kept = new Set((await this.#slots.find({ instance: this.#instance })).map(({ holder }) => holder))
      for (const holder of holders) if (!kept.has(holder)) this.#lose(holder)
    } catch (error) {
      this.#options.onError(error)
    }
  }

  #lose(holder: string): void {
    const onLost = this.#onLost.get(holder)
    this.#onLost.delete(holder)
    onLost?.()
  }

  #refusal(route: string): ApiError {
    const limit = this.#options.perUser
    const reset_at = new Date(this.#clock() + RETRY_AFTER_SECONDS * 1000).toISOString()
    return new ApiError('sse_connection_limit_exceeded', {
      params: { limit },
      details: { route, limit, reset_at },
      headers: { 'Retry-After': String(RETRY_AFTER_SECONDS), 'X-RateLimit-Limit': String(limit), 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': reset_at },
    })
  }
}
