/**
 * Counts the matching entries of an audit trail, which may have millions. Entries are added, and expire at most once a day, so the count of old entries is cached and only the
 * newer entries are counted again. Invariants:
 *  1. the result is exact: a cached count covers a time to which no entry is added any more, and is not used after entries have expired
 *  2. a query with a period of time is counted without the cache
 */
import { entryCache } from '#workers'
import type { Filter, FindOptions } from '../storage/contract.js'
import type { AllOrganizations } from '../tenancy/all-organizations.js'
import type { Scope } from '../tenancy/scope.js'
import { AUDIT, type AuditDocument } from './store.js'

/** No entry is added with an older time: a request takes at most two minutes, and clocks of instances differ by at most a minute (`auth/tokens.ts`). */
const SETTLED_MS = 5 * 60_000
/** The cached count is extended when the entries that are counted every time cover more than this. */
const STEP_MS = 60_000
/** Entries of the cache; each takes about 200 bytes. */
const COUNTS_LIMIT = 10_000
/** Lifetime of a cached count, so that a changed clock or a manual change of the database has no lasting effect. */
const KEPT_MS = 10 * 60 * 1000

/** A filter of entries of the scope's organization. */
export type AuditFilter = Omit<Filter<AuditDocument>, 'organization_id'>

interface Counted {
  count(filter: AuditFilter): Promise<number>
  find(filter: AuditFilter, options: Pick<FindOptions<AuditDocument>, 'sort' | 'limit'>): Promise<readonly AuditDocument[]>
}

interface Settled {
  /** Exclusive. */
  readonly until: Date
  readonly count: number
}

export class AuditCounts {
  readonly #clock: () => number
  readonly #settled = entryCache<Settled>(COUNTS_LIMIT, { ttl: KEPT_MS })

  /** @param clock milliseconds since the epoch; the clock that dates the entries */
  constructor(clock: () => number) {
    this.#clock = clock
  }

  count(scope: Scope, filter: AuditFilter): Promise<number> {
    return this.#count(scope.organizationId, scope.collection(AUDIT), filter)
  }

  /** Counts the matching entries of all organizations. */
  countAll(all: AllOrganizations, filter: AuditFilter): Promise<number> {
    return this.#count('', all.collection(AUDIT), filter)
  }

  async #count(owner: string, entries: Counted, filter: AuditFilter): Promise<number> {
    if (filter.created_at !== undefined) return entries.count(filter)
    const [expiry] = await entries.find({ action: 'audit.expired' }, { sort: { created_at: -1, _id: -1 }, limit: 1 })
    const key = `${owner}\n${expiry?._id ?? ''}\n${JSON.stringify(filter)}`
    const until = new Date(this.#clock() - SETTLED_MS)
    const kept = this.#settled.get(key)
    // After a clock was set back, new entries may be older than the cached count covers.
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
