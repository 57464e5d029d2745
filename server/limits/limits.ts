/**
 * Enforces the table of limits. Invariants:
 *  1. a permit counts in each scope that the table names for its resource, or in none
 *  2. waiting requests are served round-robin over holders, however many one of them has waiting
 *  3. releasing a permit again has no effect
 */
import { ApiError } from '../errors.js'
import { Pace } from './pace.js'
import { type Limit, type LimitScope, type RefusedResource, type Resource, SCOPES, type WaitingResource } from './table.js'

/** The subject that a permit is counted for. A part that is null or absent is not counted. */
export interface Holder {
  readonly organization?: string | null
  readonly user?: string | null
  /** Set for a caller without a credential, and for a connection. */
  readonly address?: string | null
}

export interface Permit {
  release(): void
}

/** A permit whose amount can grow. */
export interface GrowingPermit extends Permit {
  /** @throws ApiError limit_reached */
  grow(amount: number): void
}

export interface Meter {
  /** @param amount a negative value releases */
  change(amount: number): void
  /** Whether a scope is at its limit. */
  readonly isFull: boolean
}

/** The state of a limit, for `/metrics`. */
export interface LimitReading {
  readonly resource: Resource
  readonly scope: LimitScope
  readonly limit: number
  /** Sum over all holders. */
  readonly held: number
  /** Amount of the largest holder. */
  readonly largest: number
  readonly waiting: number
  readonly refused: number
}

/** Most permits are released within a second. */
const RETRY_AFTER_SECONDS = 1
/** Key of the scope `instance`, which has one holder. */
const INSTANCE = 'instance'

interface Counted {
  readonly scope: LimitScope
  readonly limit: number
  readonly held: Map<string, number>
  refused: number
}

interface Waiting {
  readonly holder: Holder
  readonly start: () => void
}

class Line {
  readonly counted: readonly Counted[]
  /** Waiting requests by the first scope that names the holder, in the order in which holders are served. */
  readonly waiting = new Map<string, Waiting[]>()
  waitingCount = 0
  readonly waitingLimit: number

  constructor(limit: Limit) {
    this.waitingLimit = limit.waiting ?? 0
    this.counted = SCOPES.flatMap((scope) => {
      const max = limit[scope]
      return max === undefined ? [] : [{ scope, limit: max, held: new Map<string, number>(), refused: 0 }]
    })
  }

  /** The first scope that `amount` would take over its limit; null: none. A first permit always fits, whatever its amount. */
  fullFor(holder: Holder, amount: number): Counted | null {
    for (const counted of this.counted) {
      const key = keyOf(counted.scope, holder)
      if (key === null) continue
      const held = counted.held.get(key) ?? 0
      if (held > 0 && held + amount > counted.limit) return counted
    }
    return null
  }

  /** @param amount a negative value releases */
  change(holder: Holder, amount: number): void {
    for (const { scope, held } of this.counted) {
      const key = keyOf(scope, holder)
      if (key === null) continue
      const sum = (held.get(key) ?? 0) + amount
      if (sum > 0) held.set(key, sum)
      else held.delete(key)
    }
  }
}

/** Maximum rate of large bodies of one holder over all connections: half of a gigabit link, and a sixth of what the main thread can read. */
const BODY_BYTES_PER_SECOND = 48 * 1024 * 1024
/** Accepted without a pause: two bodies of the maximum size. */
const BODY_BURST_BYTES = 16 * 1024 * 1024

export class Limits {
  readonly #lines: ReadonlyMap<Resource, Line>
  readonly #bodies = new Pace(BODY_BYTES_PER_SECOND, BODY_BURST_BYTES)

  constructor(table: Readonly<Record<Resource, Limit>>) {
    this.#lines = new Map(Object.entries(table).map(([resource, limit]) => [resource as Resource, new Line(limit)]))
  }

  /** @throws ApiError limit_reached */
  acquire(resource: RefusedResource, holder: Holder, amount = 1): GrowingPermit {
    const line = this.#lineOf(resource)
    this.#take(resource, line, holder, amount)
    let held = amount
    return {
      grow: (more) => {
        this.#take(resource, line, holder, more)
        held += more
      },
      release: () => {
        if (held > 0) line.change(holder, -held)
        held = 0
      },
    }
  }

  /** Counts received bytes of a large body. @returns milliseconds to wait before reading on */
  paceBody({ organization, user, address }: Holder, bytes: number): number {
    return this.#bodies.take(organization ?? user ?? address ?? '', bytes)
  }

  /** Checks that one more would fit, without acquiring it. @throws ApiError limit_reached */
  require(resource: RefusedResource, holder: Holder): void {
    const line = this.#lineOf(resource)
    this.#refuseIfFull(resource, line, holder, 1)
  }

  /** Acquires a permit, and waits for it at the limit. @param signalOf called only when the caller waits; an abort rejects with its reason @throws ApiError limit_reached when too many wait */
  acquireQueued(resource: WaitingResource, holder: Holder, signalOf: () => AbortSignal | undefined = () => undefined): Permit | Promise<Permit> {
    const line = this.#lineOf(resource)
    // A holder with waiting requests is queued behind them.
    if (line.fullFor(holder, 1) === null && !line.waiting.has(lineKeyOf(line, holder))) return this.#permit(line, holder)
    if (line.waitingCount >= line.waitingLimit) this.#refuse(resource, line.counted.at(-1) as Counted)
    return new Promise((resolve, reject) => {
      const signal = signalOf()
      const onAbort = (): void => {
        this.#leave(line, waiting)
        reject(signal?.reason)
      }
      const waiting: Waiting = {
        holder,
        start: () => {
          signal?.removeEventListener('abort', onAbort)
          resolve(this.#permit(line, holder))
        },
      }
      if (signal?.aborted) return reject(signal.reason)
      signal?.addEventListener('abort', onAbort, { once: true })
      const key = lineKeyOf(line, holder)
      const own = line.waiting.get(key)
      if (own === undefined) line.waiting.set(key, [waiting])
      else own.push(waiting)
      line.waitingCount++
    })
  }

  /** Counts bytes that are in memory already and cannot be refused. */
  meter(resource: Resource, holder: Holder): Meter {
    const line = this.#lineOf(resource)
    return {
      change: (amount) => line.change(holder, amount),
      get isFull() {
        return line.fullFor(holder, 1) !== null
      },
    }
  }

  /** The state of every limit. */
  readings(): LimitReading[] {
    return [...this.#lines].flatMap(([resource, { counted, waitingCount }]) =>
      counted.map(({ scope, limit, held, refused }) => {
        const amounts = [...held.values()]
        return {
          resource,
          scope,
          limit,
          held: amounts.reduce((sum, amount) => sum + amount, 0),
          largest: amounts.reduce((max, amount) => Math.max(max, amount), 0),
          waiting: waitingCount,
          refused,
        }
      }),
    )
  }

  #lineOf(resource: Resource): Line {
    return this.#lines.get(resource) as Line
  }

  #take(resource: Resource, line: Line, holder: Holder, amount: number): void {
    this.#refuseIfFull(resource, line, holder, amount)
    line.change(holder, amount)
  }

  #refuseIfFull(resource: Resource, line: Line, holder: Holder, amount: number): void {
    const full = line.fullFor(holder, amount)
    if (full !== null) this.#refuse(resource, full)
  }

  #refuse(resource: Resource, full: Counted): never {
    full.refused++
    throw new ApiError('limit_reached', { details: { resource, scope: full.scope, limit: full.limit }, headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } })
  }

  #permit(line: Line, holder: Holder): Permit {
    line.change(holder, 1)
    let isHeld = true
    return {
      release: () => {
        if (!isHeld) return
        isHeld = false
        line.change(holder, -1)
        this.#startWaiting(line)
      },
    }
  }

  /** Serves waiting requests while permits are free. A holder that was served goes to the end. */
  #startWaiting(line: Line): void {
    for (let started = true; started; ) {
      started = false
      for (const [key, own] of line.waiting) {
        const [first] = own
        if (line.fullFor(first.holder, 1) !== null) continue
        own.shift()
        line.waitingCount--
        line.waiting.delete(key)
        if (own.length > 0) line.waiting.set(key, own)
        first.start()
        started = true
        break
      }
    }
  }

  #leave(line: Line, waiting: Waiting): void {
    const key = lineKeyOf(line, waiting.holder)
    const own = line.waiting.get(key)
    const at = own?.indexOf(waiting) ?? -1
    if (own === undefined || at < 0) return
    own.splice(at, 1)
    line.waitingCount--
    if (own.length === 0) line.waiting.delete(key)
  }
}

function keyOf(scope: LimitScope, holder: Holder): string | null {
  return scope === 'instance' ? INSTANCE : (holder[scope] ?? null)
}

function lineKeyOf({ counted }: Line, holder: Holder): string {
  for (const { scope } of counted) {
    const key = keyOf(scope, holder)
    if (key !== null && scope !== 'instance') return `${scope} ${key}`
  }
  return INSTANCE
}
