/**
 * The overview of the service for platform admins (CONTRACT.md#overview-of-the-service). It contains no content and no name of an organization. Its cost is bounded: counts by index, thirty days of
 * counts, and one reading for all callers within some seconds.
 */
import type { Identities } from '../../../core/auth/identities.js'
import type { JobQueue } from '../../../core/jobs/queue.js'
import type { JobKind } from '../../../core/jobs/runner.js'
import type { Storage } from '../../../core/storage/contract.js'
import { MIGRATIONS } from '../../../core/storage/migrations/index.js'
import type { StoreStatus } from '../../../core/observability/store-status.js'
import { DAILY_METRICS, type DailyCounts, type DailyMetric } from '../../../core/tenancy/daily-counts.js'
import { WEBHOOK_DELIVER } from '../../webhooks/index.js'
import type { InstanceDocument, Instances } from './instances.js'
import type { PlatformOverview } from './schema.js'

/** Age of a reading that is answered again. Counts of 100,000 users and members take some tens of milliseconds. */
const CACHE_MS = 5_000
const DAYS = 30

export interface PlatformOverviewParts {
  readonly identities: Pick<Identities, 'users' | 'organizations' | 'memberships'>
  readonly jobs: JobQueue
  readonly kinds: () => readonly Pick<JobKind, 'kind' | 'leaseMs'>[]
  readonly daily: DailyCounts
  readonly instances: Instances
  readonly store: Pick<Storage, 'kind' | 'version'>
  readonly status: () => Promise<StoreStatus>
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

type JobsOfKind = PlatformOverview['jobs'][number]

export class PlatformOverviewService {
  readonly #parts: PlatformOverviewParts
  #last: { readonly at: number; readonly reading: Promise<PlatformOverview> } | null = null

  constructor(parts: PlatformOverviewParts) {
    this.#parts = parts
  }

  overview(): Promise<PlatformOverview> {
    const now = this.#parts.clock()
    const isFresh = this.#last !== null && now - this.#last.at < CACHE_MS && now >= this.#last.at
    if (this.#last === null || !isFresh) {
      const reading = this.#read(now)
      this.#last = { at: now, reading }
      // A failure is not answered again.
      reading.catch(() => {
        if (this.#last?.reading === reading) this.#last = null
      })
    }
    return this.#last.reading
  }

  async #read(now: number): Promise<PlatformOverview> {
    const { identities, daily, instances, store, status } = this.#parts
    const { users, organizations, memberships } = identities
    const [activeOrganizations, suspended, activeUsers, inactive, members, days, alive, { isUp }, jobs] = await Promise.all([
      organizations.count({ is_active: true }),
      organizations.count({ is_active: false }),
      users.count({ is_active: true }),
      users.count({ is_active: false }),
      memberships.countAll(),
      daily.last(DAYS),
      instances.alive(),
      status(),
      this.#jobs(),
    ])
    const sum = (metric: DailyMetric): number => days.reduce((total, day) => total + day[metric], 0)
    const totals = Object.fromEntries(DAILY_METRICS.map((metric) => [metric, sum(metric)])) as Record<DailyMetric, number>
    const deliver = jobs.find(({ kind }) => kind === WEBHOOK_DELIVER)
    return {
      read_at: new Date(now).toISOString(),
      organizations: { active: activeOrganizations, suspended },
      users: { active: activeUsers, inactive },
      members,
      period: { from: days[0].date, to: days[days.length - 1].date, ...totals },
      days: days.map((day) => ({ ...day })),
      deliveries: { waiting: deliver === undefined ? 0 : deliver.waiting + deliver.scheduled + deliver.running, failed: totals.deliveries_failed },
      jobs,
      store: { kind: store.kind, version: store.version, migrations: MIGRATIONS.length, is_up: isUp },
      instances: alive.map((instance) => presentInstance(instance, instance._id === instances.id, now)),
    }
  }

  #jobs(): Promise<JobsOfKind[]> {
    const { jobs, kinds } = this.#parts
    return Promise.all(
      kinds().map(async ({ kind, leaseMs }) => {
        const [{ waiting, since }, counts, retrying, failed] = await Promise.all([
          jobs.backlog(kind),
          jobs.counts(kind, leaseMs),
          jobs.failures.count({ status: 'retrying', kind }),
          jobs.failures.count({ status: 'failed', kind }),
        ])
        return { kind, waiting, waiting_since: since?.toISOString() ?? null, ...counts, retrying, failed }
      }),
    )
  }
}

function presentInstance(instance: InstanceDocument, isCurrent: boolean, now: number): PlatformOverview['instances'][number] {
  const { _id, version, engine_version, node_version, started_at, seen_at, threads, busy, queue_length, queue_limit } = instance
  const { cached_rulesets, cached_bytes, cache_limit_bytes, cache_hits, cache_misses } = instance
  return {
    id: _id,
    is_current: isCurrent,
    version,
    engine_version,
    node_version,
    started_at: started_at.toISOString(),
    seen_at: seen_at.toISOString(),
    uptime_seconds: Math.max(0, Math.floor((now - started_at.getTime()) / 1000)),
    pool: { threads, busy, queue_length, queue_limit },
    ruleset_cache: { rulesets: cached_rulesets, used_bytes: cached_bytes, limit_bytes: cache_limit_bytes, hits: cache_hits, misses: cache_misses },
  }
}
