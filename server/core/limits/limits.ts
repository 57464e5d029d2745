/**
 * Enforces the table of limits. Invariants:
 *  1. a permit counts in each scope that the table names for its resource, or in none
 *  2. waiting requests are served round-robin over holders, independent of the number that a holder has waiting
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

class ResourceState {
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

  /** The first scope that `amount` would take over its limit; null: none. A first permit of any amount fits. */
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
  readonly #states: ReadonlyMap<Resource, ResourceState>
  readonly #bodies = new Pace(BODY_BYTES_PER_SECOND, BODY_BURST_BYTES)

  constructor(table: Readonly<Record<Resource, Limit>>) {
    this.#states = new Map(Object.entries(table).map(([resource, limit]) => [resource as Resource, new ResourceState(limit)]))
  }

  /** @throws ApiError limit_reached */
  acquire(resource: RefusedResource, holder: Holder, amount = 1): GrowingPermit {
    const state = this.#stateOf(resource)
    this.#take(resource, state, holder, amount)
    let held = amount
    return {
      grow: (more) => {
        this.#take(resource, state, holder, more)
        held += more
      },
      release: () => {
        if (held > 0) state.change(holder, -held)
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
    const state = this.#stateOf(resource)
    this.#refuseIfFull(resource, state, holder, 1)
  }

  /** Acquires a permit, and waits for it at the limit. @param signalOf called only when the caller waits; an abort rejects with its reason @throws ApiError limit_reached when too many wait */
  acquireQueued(resource: WaitingResource, holder: Holder, signalOf: () => AbortSignal | undefined = () => undefined): Permit | Promise<Permit> {
    const state = this.#stateOf(resource)
    // A holder with waiting requests is queued behind them.
    if (state.fullFor(holder, 1) === null && !state.waiting.has(queueKeyOf(state, holder))) return this.#permit(state, holder)
    if (state.waitingCount >= state.waitingLimit) this.#refuse(resource, state.counted.at(-1) as Counted)
    return new Promise((resolve, reject) => {
      const signal = signalOf()
      const onAbort = (): void => {
        this.#leave(state, waiting)
        reject(signal?.reason)
      }
      const waiting: Waiting = {
        holder,
        start: () => {
          signal?.removeEventListener('abort', onAbort)
          resolve(this.#permit(state, holder))
        },
      }
      if (signal?.aborted) return reject(signal.reason)
      signal?.addEventListener('abort', onAbort, { once: true })
      const key = queueKeyOf(state, holder)
      const own = state.waiting.get(key)
      if (own === undefined) state.waiting.set(key, [waiting])
      else own.push(waiting)
      state.waitingCount++
    })
  }

  /** Counts bytes that are in memory already and cannot be refused. */
  meter(resource: Resource, holder: Holder): Meter {
    const state = this.#stateOf(resource)
    return {
      change: (amount) => state.change(holder, amount),
      get isFull() {
        return state.fullFor(holder, 1) !== null
      },
    }
  }

  /** The state of every limit. */
  readings(): LimitReading[] {
    return [...this.#states].flatMap(([resource, { counted, waitingCount }]) =>
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

  #stateOf(resource: Resource): ResourceState {
    return this.#states.get(resource) as ResourceState
  }

  #take(resource: Resource, state: ResourceState, holder: Holder, amount: number): void {
    this.#refuseIfFull(resource, state, holder, amount)
    state.change(holder, amount)
  }

  #refuseIfFull(resource: Resource, state: ResourceState, holder: Holder, amount: number): void {
    const full = state.fullFor(holder, amount)
    if (full !== null) this.#refuse(resource, full)
  }

  #refuse(resource: Resource, full: Counted): never {
    full.refused++
    throw new ApiError('limit_reached', { details: { resource, scope: full.scope, limit: full.limit }, headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } })
  }

  #permit(state: ResourceState, holder: Holder): Permit {
    state.change(holder, 1)
    let isHeld = true
    return {
      release: () => {
        if (!isHeld) return
        isHeld = false
        state.change(holder, -1)
        this.#startWaiting(state)
      },
    }
  }

  /** Serves waiting requests while permits are free. A holder that was served goes to the end. */
  #startWaiting(state: ResourceState): void {
    for (let started = true; started; ) {
      started = false
      for (const [key, own] of state.waiting) {
        const [first] = own
        if (state.fullFor(first.holder, 1) !== null) continue
        own.shift()
        state.waitingCount--
        state.waiting.delete(key)
        if (own.length > 0) state.waiting.set(key, own)
        first.start()
        started = true
        break
      }
    }
  }

  #leave(state: ResourceState, waiting: Waiting): void {
    const key = queueKeyOf(state, waiting.holder)
    const own = state.waiting.get(key)
    const at = own?.indexOf(waiting) ?? -1
    if (own === undefined || at < 0) return
    own.splice(at, 1)
    state.waitingCount--
    if (own.length === 0) state.waiting.delete(key)
  }
}

function keyOf(scope: LimitScope, holder: Holder): string | null {
  return scope === 'instance' ? INSTANCE : (holder[scope] ?? null)
}

function queueKeyOf({ counted }: ResourceState, holder: Holder): string {
  for (const { scope } of counted) {
    const key = keyOf(scope, holder)
    if (key !== null && scope !== 'instance') return `${scope} ${key}`
  }
  return INSTANCE
}
