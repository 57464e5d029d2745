/**
 * How many streams are open. Invariants:
 *  1. a user has at most `perUser` over all instances, exactly: each stream holds one of the user's numbered places, a document that can be made once
 *  2. a place that isn't renewed falls to the next: an instance that died keeps nobody out for longer than `LEASE_MS`. One that was only asleep, or without
 *     its database, is told which of its streams have no place any more: they have to end
 */
import { randomUUID } from 'node:crypto'
import { ApiError } from '../errors.js'
import { type Collection, platformCollection, type Storage, type StoredDocument } from '../storage/contract.js'
import { DuplicateKeyError } from '../storage/errors.js'

/** How long a place is held without being renewed; longer than clocks of instances differ. */
const LEASE_MS = 60_000
/** Three attempts before a place is lost. */
const RENEW_MS = LEASE_MS / 3
/** Who is told to wait: about what it takes to notice that a caller has gone without a word, and for people to close a window. */
const RETRY_AFTER_SECONDS = 10

interface PlaceDocument extends StoredDocument {
  /** Which instance renews it. */
  readonly instance: string
  /** Of the stream that has it. */
  readonly holder: string
  readonly until: Date
}

/** For `Storage.prepare`. Places are held for seconds, so nothing needs to survive a power cut. */
export const SSE_CONNECTIONS = platformCollection<PlaceDocument>('sse_connections', [{ keys: { instance: 1 } }, { keys: { until: 1 }, expireAfterSeconds: 0 }], { volatile: true })

/** A stream's place. */
export interface Place {
  /** Gives it back, once; resolves when others can have it. Never rejects. */
  release(): Promise<void>
}

export interface ConnectionsOptions {
  readonly storage: Pick<Storage, 'open'>
  /** `SSE_CONNECTIONS_PER_USER`. */
  readonly perUser: number
  /** Told when places could not be renewed or given back; that is tried again, or left to the lease. */
  readonly onError: (error: unknown) => void
  readonly clock?: () => number
}

export class Connections {
  readonly #options: ConnectionsOptions
  readonly #places: Collection<PlaceDocument>
  readonly #clock: () => number
  readonly #instance = randomUUID()
  /** Places that are being given back, by user: who closes one stream and opens the next finds it. */
  readonly #releasing = new Map<string, Set<Promise<void>>>()
  /** By holder: whom to tell that the place was lost. */
  readonly #held = new Map<string, () => void>()
  #open = 0
  #renewing: NodeJS.Timeout | null = null

  constructor(options: ConnectionsOptions) {
    this.#options = options
    this.#places = options.storage.open(SSE_CONNECTIONS)
    this.#clock = options.clock ?? Date.now
  }

  /** Streams of this instance. */
  get open(): number {
    return this.#open
  }

  /**
   * Takes a place of the user's.
   * @param route key of the route, for the refusal
   * @param onLost called, once at most and until it is given back, when another stream may have the place by now
   * @throws ApiError sse_connection_limit_exceeded
   */
  async take(userId: string, route: string, onLost: () => void): Promise<Place> {
    this.#open++
    try {
      await Promise.all(this.#releasing.get(userId) ?? [])
      const holder = randomUUID()
      const id = await this.#takePlace(userId, holder)
      if (id === null) throw this.#refusal(route)
      this.#renewing ??= setInterval(() => void this.#renew(), RENEW_MS).unref()
      this.#held.set(holder, onLost)
      return this.#placeOf(userId, id, holder)
    } catch (error) {
      this.#open--
      throw error
    }
  }

  /** Resolves when no place is being given back: before the store closes. */
  async close(): Promise<void> {
    if (this.#renewing !== null) clearInterval(this.#renewing)
    this.#renewing = null
    await Promise.all([...this.#releasing.values()].flatMap((releasing) => [...releasing]))
  }

  /** Id of a place that is the holder's now; null: all are taken. */
  async #takePlace(userId: string, holder: string): Promise<string | null> {
    const ids = Array.from({ length: this.#options.perUser }, (_, place) => `${userId}:${place}`)
    const now = new Date(this.#clock())
    const held = { instance: this.#instance, holder, until: new Date(now.getTime() + LEASE_MS) }
    const found = new Map((await this.#places.find({ _id: { in: ids } })).map((place) => [place._id, place]))
    for (const id of ids) {
      const place = found.get(id)
      if (place === undefined) {
        try {
          await this.#places.insert({ _id: id, ...held })
          return id
        } catch (error) {
          // Someone else was faster.
          if (!(error instanceof DuplicateKeyError)) throw error
        }
      } else if (place.until <= now && (await this.#places.update({ _id: id, holder: place.holder, until: { lte: now } }, { set: held })) !== null) return id
    }
    return null
  }

  #placeOf(userId: string, id: string, holder: string): Place {
    let released: Promise<void> | null = null
    return { release: () => (released ??= this.#release(userId, id, holder)) }
  }

  #release(userId: string, id: string, holder: string): Promise<void> {
    this.#open--
    this.#held.delete(holder)
    if (this.#open === 0 && this.#renewing !== null) {
      clearInterval(this.#renewing)
      this.#renewing = null
    }
    const releasing = this.#releasing.get(userId) ?? new Set<Promise<void>>()
    this.#releasing.set(userId, releasing)
    const release: Promise<void> = this.#places
      .delete({ _id: id, holder })
      .then(() => undefined, this.#options.onError)
      .finally(() => {
        releasing.delete(release)
        if (releasing.size === 0 && this.#releasing.get(userId) === releasing) this.#releasing.delete(userId)
      })
    releasing.add(release)
    return release
  }

  /** All of this instance in one write. A place that fell to another meanwhile is that one's; so may be soon what the store has removed. */
  async #renew(): Promise<void> {
    const held = [...this.#held.keys()]
    try {
      await this.#places.updateMany({ instance: this.#instance }, { set: { until: new Date(this.#clock() + LEASE_MS) } })
      const kept = new Set((await this.#places.find({ instance: this.#instance })).map(({ holder }) => holder))
      for (const holder of held) if (!kept.has(holder)) this.#lose(holder)
    } catch (error) {
      this.#options.onError(error)
    }
  }

  #lose(holder: string): void {
    const onLost = this.#held.get(holder)
    this.#held.delete(holder)
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
