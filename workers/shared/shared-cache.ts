/**
 * An LRU cache that organizations share. When it is full, an organization that uses more than half of it loses its own entries first: many small entries of one
 * organization do not evict those of others, and a single organization can use the whole cache. An organization finds its own entries only.
 */
import { LRUCache } from 'lru-cache'

export interface SharedCacheOptions<V> {
  /** Limit of the sum of all sizes. */
  readonly maxSize: number
  /** Default: no limit besides `maxSize`. */
  readonly maxEntries?: number
  /** Milliseconds after its last use at which an entry expires, and the clock. */
  readonly ttl?: { readonly ms: number; readonly clock: () => number }
  /** Called when an entry was evicted in favour of another one, or was larger than the cache. */
  readonly onEvict?: (value: V, key: string, organization: string) => void
}

interface Entry<V> {
  readonly organization: string
  readonly key: string
  readonly value: V
  readonly size: number
  readonly expiresAt: number
}

/** Entries of one organization. */
interface Holding {
  /** Names of its entries, the least recently used first. */
  readonly names: Set<string>
  size: number
}

export class SharedCache<V extends {}> {
  readonly #entries: LRUCache<string, Entry<V>>
  readonly #holdings = new Map<string, Holding>()
  readonly #options: Required<Pick<SharedCacheOptions<V>, 'maxSize' | 'maxEntries' | 'onEvict'>>
  /** Null: entries do not expire. `LRUCache` could expire them, but keeps each until its key is read, and leaves it out when the oldest is searched. */
  readonly #ttl: NonNullable<SharedCacheOptions<V>['ttl']> | null
  /** The only organization that may use more than half. */
  #largest = ''

  constructor({ maxSize, maxEntries = Number.POSITIVE_INFINITY, ttl, onEvict = () => {} }: SharedCacheOptions<V>) {
    this.#ttl = ttl ?? null
    this.#options = { maxSize: Math.max(1, maxSize), maxEntries, onEvict }
    this.#entries = new LRUCache<string, Entry<V>>({
      maxSize: Number.MAX_SAFE_INTEGER,
      dispose: (entry) => this.#leave(entry),
    })
  }

  get bytes(): number {
    this.#dropExpired()
    return this.#entries.calculatedSize
  }

  get size(): number {
    this.#dropExpired()
    return this.#entries.size
  }

  get maxSize(): number {
    return this.#options.maxSize
  }

  get(organization: string, key: string): V | undefined {
    const name = nameOf(organization, key)
    const entry = this.#entries.get(name)
    if (entry === undefined) return undefined
    if (this.#hasExpired(entry)) {
      this.#entries.delete(name)
      return undefined
    }
    const { names } = this.#holdings.get(organization) as Holding
    names.delete(name)
    names.add(name)
    return entry.value
  }

  /** Like `get`, but does not count as a use. */
  peek(organization: string, key: string): V | undefined {
    const entry = this.#entries.peek(nameOf(organization, key))
    return entry === undefined || this.#hasExpired(entry) ? undefined : entry.value
  }

  /** All values, the most recently used first. */
  *values(): Generator<V, void, undefined> {
    for (const entry of this.#entries.values()) if (!this.#hasExpired(entry)) yield entry.value
  }

  /** @returns whether there was one */
  delete(organization: string, key: string): boolean {
    const isThere = this.peek(organization, key) !== undefined
    this.#entries.delete(nameOf(organization, key))
    return isThere
  }

  /** @param size if it exceeds the size of the cache, it counts as that: the entry stays until the next one is added */
  set(organization: string, key: string, value: V, size: number): void {
    const name = nameOf(organization, key)
    this.#entries.delete(name)
    this.#dropExpired()
    const { maxSize, maxEntries } = this.#options
    const expiresAt = this.#ttl === null ? Number.POSITIVE_INFINITY : this.#ttl.clock() + this.#ttl.ms
    const entry: Entry<V> = { organization, key, value, size: Math.max(1, Math.min(size, maxSize)), expiresAt }
    let holding = this.#holdings.get(organization)
    if (holding === undefined) {
      holding = { names: new Set(), size: 0 }
      this.#holdings.set(organization, holding)
    }
    holding.names.add(name)
    holding.size += entry.size
    if (this.#isLarge(holding)) this.#largest = organization
    this.#entries.set(name, entry, { size: entry.size })
    while (this.#entries.calculatedSize > maxSize || this.#entries.size > maxEntries) this.#evict(name)
  }

  /** Evicts entries until the rest fits. @param newest name of the entry that stays */
  #evict(newest: string): void {
    const name = this.#victim(newest)
    const entry = this.#entries.peek(name) as Entry<V>
    this.#entries.delete(name)
    if (!this.#hasExpired(entry)) this.#options.onEvict(entry.value, entry.key, entry.organization)
  }

  /** Removes expired entries from the least recently used on, up to one that has not expired. */
  #dropExpired(): void {
    if (this.#ttl === null) return
    for (const name of this.#entries.rkeys()) {
      if (!this.#hasExpired(this.#entries.peek(name) as Entry<V>)) return
      this.#entries.delete(name)
    }
  }

  #hasExpired({ expiresAt }: Entry<V>): boolean {
    return this.#ttl !== null && this.#ttl.clock() > expiresAt
  }

  #victim(newest: string): string {
    const large = this.#holdings.get(this.#largest)
    if (large !== undefined && this.#isLarge(large)) for (const name of large.names) if (name !== newest) return name
    for (const name of this.#entries.rkeys()) if (name !== newest) return name
    return newest
  }

  #isLarge({ names, size }: Holding): boolean {
    return size > this.#options.maxSize / 2 || names.size > this.#options.maxEntries / 2
  }

  #leave({ organization, key, size }: Entry<V>): void {
    const holding = this.#holdings.get(organization) as Holding
    holding.names.delete(nameOf(organization, key))
    holding.size -= size
    if (holding.names.size === 0) this.#holdings.delete(organization)
  }
}

/** Ids of organizations contain no blank. */
function nameOf(organization: string, key: string): string {
  return `${organization} ${key}`
}
