/**
 * `api.quota.warning`: told once a period when a metric passes 80 % of its limit (CONTRACT.md#notifications). What tells of it is written in one
 * commit with the mark that it was told, so however many instances see it, it is told once, also over a crash.
 */
import { LRUCache } from 'lru-cache'
import { type TenantDocument, tenantCollection, type Write } from '../storage/contract.js'
import { DuplicateKeyError, StaleWriteError } from '../storage/errors.js'
import type { PlanLimits } from './plans.js'
import type { Scope } from './scope.js'
import type { Level } from './usage.js'

/** What a limit is on, by the name under which callers are refused and warned. */
export type QuotaMetric = 'analysis_runs' | Exclude<keyof PlanLimits, 'analysis_runs_per_month'>

/** What is limited by itself and by no plan: nobody is warned of it. */
export type OwnMetric = 'api_keys' | 'pending_invitations' | 'feedback_reports'

/** Of a metric and an organization. What counts documents before it adds one writes to it in the same commit, so that no two of these stand on one count. */
export interface QuotaDocument extends TenantDocument {
  readonly metric: QuotaMetric | OwnMetric
  readonly revision: number
  /** The period in which it was warned last; null: none, or the metric has fallen below since. */
  readonly warned_for: string | null
}

export const QUOTAS = tenantCollection<QuotaDocument>('quotas', [])

/**
 * The writes that tell an organization's admins, for the commit that marks it as told. They are made only if nobody was faster, so nothing else may
 * happen here.
 */
export type WarningWrites = (scope: Scope, level: Level<QuotaMetric>) => Promise<readonly Write[]>

const WARN_AT_PERCENT = 80
/** Metrics of organizations that are known here to have been warned; one that is forgotten costs a look into the database. */
const KNOWN_LIMIT = 10_000

export function isNearlyUsedUp({ consumed, limit }: Level): boolean {
  return consumed * 100 >= limit * WARN_AT_PERCENT
}

export function quotaOf(scope: Scope, metric: QuotaDocument['metric']): Promise<QuotaDocument | null> {
  return scope.collection(QUOTAS).findOne({ _id: idOf(scope, metric) })
}

/** The first write of a commit that no other may come before. @param before as `quotaOf` has read it */
export function markingQuota(scope: Scope, metric: QuotaDocument['metric'], before: QuotaDocument | null, warned_for: string | null): Write {
  const quotas = scope.collection(QUOTAS)
  if (before === null) return quotas.inserting({ _id: idOf(scope, metric), metric, revision: 1, warned_for })
  return quotas.updating({ _id: before._id, revision: before.revision }, { set: { warned_for }, increment: { revision: 1 } })
}

/** Whether a commit was refused because another one came before it. */
export function isOvertaken(error: unknown): boolean {
  return (error instanceof StaleWriteError && error.index === 0 && error.collection === QUOTAS.name) || (error instanceof DuplicateKeyError && error.collection === QUOTAS.name)
}

export class QuotaWarnings {
  readonly #warningWrites: WarningWrites
  readonly #onError: (error: unknown) => void
  /** The period for which each was warned. */
  readonly #known = new LRUCache<string, string>({ max: KNOWN_LIMIT })
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(warningWrites: WarningWrites, onError: (error: unknown) => void) {
    this.#warningWrites = warningWrites
    this.#onError = onError
  }

  /** Sees to it that it is told, unless it was in this period. Nobody waits for that: whoever takes the unit has no part in it. */
  noticed(scope: Scope, level: Level<QuotaMetric>, period: string): void {
    if (!isNearlyUsedUp(level)) return
    const id = idOf(scope, level.metric)
    if (this.#known.get(id) === period || this.#underWay.has(id)) return
    const warning = this.#warn(scope, level, period)
      .then(() => void this.#known.set(id, period))
      .catch(this.#onError)
      .finally(() => this.#underWay.delete(id))
    this.#underWay.set(id, warning)
  }

  /** The writes that tell of a level, for a commit of the caller's own. */
  async warningWrites(scope: Scope, level: Level<QuotaMetric>): Promise<readonly Write[]> {
    return this.#warningWrites(scope, level)
  }

  /** Resolves when nothing is being told: before the store closes. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay.values())
  }

  async #warn(scope: Scope, level: Level<QuotaMetric>, period: string): Promise<void> {
    const before = await quotaOf(scope, level.metric)
    if (before?.warned_for === period) return
    try {
      await scope.commit([markingQuota(scope, level.metric, before, period), ...(await this.#warningWrites(scope, level))])
    } catch (error) {
      // Another instance has told it.
      if (!isOvertaken(error)) throw error
    }
  }
}

function idOf({ organizationId }: Scope, metric: QuotaDocument['metric']): string {
  return `${organizationId}:${metric}`
}
