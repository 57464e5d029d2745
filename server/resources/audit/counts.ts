/**
 * How many entries of a trail match. Entries are only ever added, so those that are old enough are counted once, and from then on the newer ones only:
 * a trail may have millions. Invariants:
 *  1. the count is that of the moment: what is remembered is of a time to which nothing is added any more
 *  2. a period that the question names itself is counted as it is
 */
import { LRUCache } from 'lru-cache'
import type { Filter } from '../../storage/contract.js'
import type { Scope } from '../../tenancy/scope.js'
import { AUDIT, type AuditDocument } from './store.js'

/** Nothing is added that long ago: requests end after two minutes at most, and clocks of instances are a minute apart at most (`auth/tokens.ts`). */
const SETTLED_MS = 5 * 60_000
/** Newer entries are counted every time, until they are of a longer time than this. */
const STEP_MS = 60_000
/** About 200 bytes each. */
const COUNTS_LIMIT = 10_000
/** By then a count is made anew, whatever may have been done to a clock, or to the database by hand. */
const KEPT_MS = 10 * 60 * 1000

/** A filter of entries; the organization is that of the scope. */
export type AuditFilter = Omit<Filter<AuditDocument>, 'organization_id'>

interface Settled {
  /** Exclusive. */
  readonly until: Date
  readonly count: number
}

export class AuditCounts {
  readonly #clock: () => number
  readonly #settled = new LRUCache<string, Settled>({ max: COUNTS_LIMIT, ttl: KEPT_MS })

  /** @param clock milliseconds since the epoch, as entries are written by */
  constructor(clock: () => number) {
    this.#clock = clock
  }

  async count(scope: Scope, filter: AuditFilter): Promise<number> {
    const entries = scope.collection(AUDIT)
    if (filter.created_at !== undefined) return entries.count(filter)
    const key = `${scope.organizationId}\n${JSON.stringify(filter)}`
    const until = new Date(this.#clock() - SETTLED_MS)
    const kept = this.#settled.get(key)
    // After a clock was set back, entries come that are older than what was counted.
    const known = kept !== undefined && kept.until <= until ? kept : undefined
    if (known !== undefined && until.getTime() - known.until.getTime() < STEP_MS) return known.count + (await entries.count({ ...filter, created_at: { gte: known.until } }))
    const [older, newer] = await Promise.all([
      entries.count({ ...filter, created_at: { ...(known === undefined ? {} : { gte: known.until }), lt: until } }),
      entries.count({ ...filter, created_at: { gte: until } }),
    ])
    const count = (known?.count ?? 0) + older
    this.#settled.set(key, { until, count })
    return count + newer
  }
}
