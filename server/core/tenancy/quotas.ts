/**
 * Enforces the limits of an organization's plan (CONTRACT.md#plans). Invariants:
 *  1. a counted creation (a project, a member, an API key) is refused exactly at the limit, with any number of concurrent requests and instances
 *  2. where neither the plan nor the creation has a limit, there is no query and no wait
 *  3. a warning is sent once: per period for metrics counted over time, per crossing of the level for gauges
 */
import type { Config } from '../config.js'
import { ApiError } from '../errors.js'
import type { CollectionDefinition, Storage, StoredDocument, Write } from '../storage/contract.js'
import { StaleWriteError } from '../storage/errors.js'
import { Counters, retryAfter } from './counters.js'
import type { DailyCounts } from './daily-counts.js'
import { type PlanFeature, requireIncluded } from './features.js'
import { PLAN_GRANTS } from './plan-grants.js'
import { type Forget, Forgetting } from './forgetting.js'
import type { Plan } from './plans.js'
import {
  isNearlyUsedUp,
  isOvertaken,
  markingFew,
  markingQuota,
  type OwnMetric,
  type QuotaDocument,
  type QuotaMetric,
  quotaOf,
  QUOTAS,
  QuotaWarnings,
  unwarnedUpTo,
  type WarningWrites,
} from './quota-warnings.js'
import { retryStale } from './retry-stale.js'
import type { Scope } from './scope.js'
import { PLAN_SUBSCRIPTIONS, Subscriptions } from './subscriptions.js'
import { type LimitOf, USAGE, Usage, type UsageMetric } from './usage.js'
import { KeyedMutex } from './keyed-mutex.js'
import type { BillingUsageMetric } from './usage-record.js'

/** Collections to prepare before use. */
export const QUOTA_COLLECTIONS: readonly CollectionDefinition[] = [PLAN_SUBSCRIPTIONS, PLAN_GRANTS, USAGE, QUOTAS]

/** Metrics that count existing documents. */
const GAUGES = ['projects', 'webhooks', 'members'] as const
export type GaugeMetric = (typeof GAUGES)[number]

/** How to check whether one more document may be created. */
export interface Room {
  /** Current number. */
  readonly count: () => Promise<number>
  /** A fixed limit in addition to the plan, enforced as exactly: throws or rejects when one more would exceed it. */
  readonly requireRoom?: (there: number) => void | Promise<void>
  /** `requireRoom` does not refuse while fewer are there. With it the documents are counted again only where an upper bound of their number does not suffice. */
  readonly allowedUpTo?: number
}

/** A counted creation. */
export interface Creation extends Room {
  /** Returns the writes of the creation. Called again after a conflict with another instance. */
  readonly writes: () => Promise<readonly Write[]>
}

export interface QuotaParts {
  readonly storage: Pick<Storage, 'open' | 'windows'>
  readonly gateway: Config['billingGateway']
  /** Current numbers, for the overview. */
  readonly counts: Readonly<Partial<Record<GaugeMetric, (scope: Scope) => Promise<number>>>>
  readonly warningWrites: WarningWrites
  /** Counts all units of all organizations that were taken or released. */
  readonly daily?: Pick<DailyCounts, 'add'>
  /** Called in each process after this instance has changed the plan of an organization. */
  readonly onPlanChanged?: (organizationId: string) => void
  /** Default: there are no other processes. */
  readonly forgetting?: Forgetting
  /** Called when usage or a warning could not be written; both are retried. */
  readonly onError: (error: unknown) => void
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

/** Attempts after conflicts with creations of other instances. One conflicting commit always succeeds, so this many are safe. */
const ATTEMPTS = 24
const PAUSE_MS = 20
const MINUTE_SECONDS = 60
/** Marks a gauge that is above its warning level. */
const ABOVE = 'above'
const UNWARNED = { period: null, warning: [] } as const

/** A limit of the plan. */
interface Limited {
  readonly metric: GaugeMetric
  readonly limit: number
}

export class Quotas {
  readonly usage: Usage
  readonly #parts: QuotaParts
  readonly #subscriptions: Subscriptions
  readonly #warnings: QuotaWarnings
  readonly #forget: Forget<string>
  readonly #requests: Counters
  /** Serializes creations by organization and metric. */
  readonly #mutex = new KeyedMutex()

  constructor(parts: QuotaParts) {
    const { storage, gateway, warningWrites, daily, onError, clock } = parts
    this.#parts = parts
    this.#subscriptions = new Subscriptions(gateway, clock)
    this.#warnings = new QuotaWarnings(warningWrites, onError)
    this.#forget = (parts.forgetting ?? new Forgetting()).topic<string>('plans', (organizationId) => {
      this.#subscriptions.forget(organizationId)
      parts.onPlanChanged?.(organizationId)
    })
    this.#requests = new Counters(storage, clock)
    this.usage = new Usage({
      limitOf: this.#limitOf,
      onError,
      onTaken: (scope, { metric, consumed, limit }, { label }) => {
        if (metric === 'analysis_runs') this.#warnings.noticed(scope, { metric, consumed, limit }, label)
      },
      ...(daily === undefined ? {} : { daily }),
      clock,
    })
  }

  /** The plan of the organization, synchronously when it is cached. */
  planOf(scope: Scope): Plan | Promise<Plan> {
    return this.#subscriptions.planOf(scope)
  }

  /** Called after this instance has changed the organization's subscription. Never rejects. */
  planChanged({ organizationId }: Scope): Promise<void> {
    return this.#forget(organizationId)
  }

  /**
   * Commits a creation, unless the limit of the plan or its fixed limit is reached: `quotas.creating(scope, 'projects', { count, writes })`.
   * @returns the result of `Scope.commit` for these writes
   * @throws ApiError plan_quota_exceeded, edit_conflict, and what `requireRoom` and `Scope.commit` throw
   */
  async creating(scope: Scope, metric: GaugeMetric | OwnMetric, creation: Creation): Promise<(StoredDocument | null)[]> {
    const limited = isGauge(metric) ? limitedBy(await this.planOf(scope), metric) : null
    if (limited === null && creation.requireRoom === undefined) return scope.commit(await creation.writes())
    return this.#mutex.run(`${scope.organizationId}:${metric}`, () => this.#create(scope, metric, limited, creation))
  }

  /** Checks the limit before expensive work; `creating` decides. @throws ApiError plan_quota_exceeded, and what the room throws */
  async requireRoom(scope: Scope, metric: GaugeMetric, room: Room): Promise<void> {
    const limited = limitedBy(await this.planOf(scope), metric)
    if (limited !== null || room.requireRoom !== undefined) await requireRoomIn(room, limited)
  }

  /** Whether the organization's plan includes a feature, synchronously when the plan is cached. */
  includes(scope: Scope, feature: PlanFeature): boolean | Promise<boolean> {
    const plan = this.planOf(scope)
    return plan instanceof Promise ? plan.then(({ features }) => features[feature]) : plan.features[feature]
  }

  /** Refuses what the organization's plan does not include, synchronously when the plan is cached. @throws ApiError as `requireIncluded` */
  requireFeature(scope: Scope, feature: PlanFeature): void | Promise<void> {
    const plan = this.planOf(scope)
    return plan instanceof Promise ? plan.then((read) => requireIncluded(read, feature)) : requireIncluded(plan, feature)
  }

  /**
   * Counts a request of the organization; asynchronous only where the plan has a limit. @param feature what the plan has to include for this caller; null: nothing
   * @throws ApiError plan_quota_exceeded, and as `requireFeature`
   */
  request(scope: Scope, feature: PlanFeature | null = null): void | Promise<void> {
    const plan = this.planOf(scope)
    return plan instanceof Promise ? plan.then((read) => this.#admitRequest(scope, read, feature)) : this.#admitRequest(scope, plan, feature)
  }

  /** Usage of the plan, by metric. */
  async usageMetrics(scope: Scope): Promise<readonly BillingUsageMetric[]> {
    const { limits } = await this.planOf(scope)
    const { start, end } = this.usage.month
    const period = { period_start: start.toISOString(), period_end: end.toISOString() }
    const timed = async (metric: UsageMetric, limit: number | null) => [{ metric, ...period, consumed: await this.usage.consumed(scope, metric), limit }]
    const gauge = async (metric: GaugeMetric) => {
      const count = this.#parts.counts[metric]
      return count === undefined ? [] : [{ metric, consumed: await count(scope), limit: limits[metric] }]
    }
    // Requests have no limit per month, only per minute.
    const all = [timed('analysis_runs', limits.analysis_runs_per_month), gauge('projects'), timed('api_requests', null), gauge('webhooks'), gauge('members')]
    return (await Promise.all<readonly BillingUsageMetric[]>(all)).flat()
  }

  /** Writes the buffered counts. Call before the store is closed. */
  async close(): Promise<void> {
    await this.#warnings.settled()
    await this.usage.flush()
  }

  readonly #limitOf: LimitOf = (scope, metric) => {
    if (metric !== 'analysis_runs') return null
    const plan = this.planOf(scope)
    return plan instanceof Promise ? plan.then(({ limits }) => limits.analysis_runs_per_month) : plan.limits.analysis_runs_per_month
  }

  #create(scope: Scope, metric: GaugeMetric | OwnMetric, limited: Limited | null, creation: Creation): Promise<(StoredDocument | null)[]> {
    const attempt = async (): Promise<(StoredDocument | null)[]> => {
      // Read before the count: if this document is unchanged at the commit, nothing was added to the count.
      const before = await quotaOf(scope, metric)
      const few = creation.allowedUpTo === undefined ? null : markingFew(scope, before, Math.min(creation.allowedUpTo, limited === null ? Infinity : unwarnedUpTo(limited.limit)))
      if (few !== null) return this.#commit(scope, few, creation, [])
      const there = await requireRoomIn(creation, limited)
      const { period, warning } = limited === null ? UNWARNED : await this.#crossing(scope, limited, there, before)
      return this.#commit(scope, markingQuota(scope, metric, before, period, creation.allowedUpTo === undefined ? null : there), creation, warning)
    }
    // Other conflicts are the caller's to handle.
    return retryStale(ATTEMPTS, attempt, { pauseMs: PAUSE_MS, isStale: isOvertaken })
  }

  async #commit(scope: Scope, marking: Write, { writes }: Creation, warning: readonly Write[]): Promise<(StoredDocument | null)[]> {
    try {
      const [, ...results] = await scope.commit([marking, ...(await writes()), ...warning])
      return results.slice(0, results.length - warning.length)
    } catch (error) {
      // The caller doesn't know the write before its own.
      throw error instanceof StaleWriteError && !isOvertaken(error) ? new StaleWriteError(error.collection, error.index - 1) : error
    }
  }

  /** The effect of one more on the warning: the period to mark and the writes of the notification. */
  async #crossing(
    scope: Scope,
    { metric, limit }: Limited,
    there: number,
    before: QuotaDocument | null,
  ): Promise<{ readonly period: string | null; readonly warning: readonly Write[] }> {
    const level = { metric, consumed: there + 1, limit }
    if (!isNearlyUsedUp(level)) return UNWARNED
    const wasWarned = before?.warned_for === ABOVE && isNearlyUsedUp({ metric, consumed: there, limit })
    return { period: ABOVE, warning: wasWarned ? [] : await this.#warnings.warningWrites(scope, level) }
  }

  #admitRequest(scope: Scope, plan: Plan, feature: PlanFeature | null): void | Promise<void> {
    if (feature !== null && !plan.features[feature]) requireIncluded(plan, feature)
    return this.#countRequest(scope, plan)
  }

  #countRequest(scope: Scope, { limits }: Plan): void | Promise<void> {
    const limit = limits.api_requests_per_minute
    if (limit === null) return this.usage.count(scope, 'api_requests', 1)
    // A new limit starts a new counter, so a larger plan takes effect within the current minute.
    const taken = this.#requests.take(`plan:${limit}:${scope.organizationId}`, { limit, windowSeconds: MINUTE_SECONDS })
    if (taken instanceof Promise) return taken.then((then) => this.#admit(scope, limit, then))
    return this.#admit(scope, limit, taken)
  }

  #admit(scope: Scope, limit: number, { allowed, remaining, resetAt }: { readonly allowed: boolean; readonly remaining: number; readonly resetAt: number }): void {
    const metric: QuotaMetric = 'api_requests_per_minute'
    const now = this.#parts.clock()
    if (!allowed) {
      const details = { metric, limit, reset_at: new Date(resetAt).toISOString() }
      throw new ApiError('plan_quota_exceeded', { params: { metric, limit }, details, headers: retryAfter(resetAt, now) })
    }
    this.usage.count(scope, 'api_requests', 1)
    const level = { metric, consumed: limit - remaining, limit }
    // A minute may be busy often; one warning a day is enough.
    if (isNearlyUsedUp(level)) this.#warnings.noticed(scope, level, new Date(now).toISOString().slice(0, 10))
  }
}

function isGauge(metric: GaugeMetric | OwnMetric): metric is GaugeMetric {
  return (GAUGES as readonly string[]).includes(metric)
}

function limitedBy({ limits }: Plan, metric: GaugeMetric): Limited | null {
  const limit = limits[metric]
  return limit === null ? null : { metric, limit }
}

/** Checks both limits. @returns the current number @throws ApiError plan_quota_exceeded, and what the room throws */
async function requireRoomIn({ count, requireRoom }: Room, limited: Limited | null): Promise<number> {
  const there = await count()
  await requireRoom?.(there)
  if (limited === null || there < limited.limit) return there
  const { metric, limit } = limited
  throw new ApiError('plan_quota_exceeded', { params: { metric, limit }, details: { metric, limit } })
}
