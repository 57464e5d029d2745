/**
 * The notification `api.quota.warning`: sent once a period when a metric passes 80 % of its limit (CONTRACT.md#notifications). The notification and the mark
 * that it was sent are written in one commit. So all instances together send it once, even after a crash.
 */
import { entryCache } from '#workers'
import { type TenantDocument, tenantCollection, type Write } from '../storage/contract.js'
import { DuplicateKeyError, StaleWriteError } from '../storage/errors.js'
import type { PlanLimits } from './plans.js'
import type { Scope } from './scope.js'
import type { Level } from './usage.js'

/** A metric with a limit, by its name in errors and warnings. */
export type QuotaMetric = 'analysis_runs' | Exclude<keyof PlanLimits, 'analysis_runs_per_month'>

/** Metrics with a fixed limit, independent of the plan. There are no warnings for them. */
export type OwnMetric =
  | 'api_keys'
  | 'pending_invitations'
  | 'feedback_reports'
  | 'integrations'
  | 'git_bindings'
  | 'domains'
  | 'identity_providers'
  | 'scim_tokens'
  | 'scim_groups'
  | 'corpora'
  | 'replays'

/**
 * One document for each metric and organization. Creations that depend on a count write to it in the same commit, so two of them can't rely on the same count.
 */
export interface QuotaDocument extends TenantDocument {
  readonly metric: QuotaMetric | OwnMetric
  readonly revision: number
  /** `revision + offset` is at least the number of what is there. Missing: it was not counted. */
  readonly offset?: number
  /** The last period with a warning; null: there was none, or the metric has fallen below the level since. */
  readonly warned_for: string | null
}

export const QUOTAS = tenantCollection<QuotaDocument>('quotas', [])

/**
 * Returns the writes that notify the admins of an organization, for the commit with the mark. They are stored only if no other instance was first, so the
 * function must have no other effect.
 */
export type WarningWrites = (scope: Scope, level: Level<QuotaMetric>) => Promise<readonly Write[]>

const WARN_AT_PERCENT = 80
/** Sent warnings that are cached here; an evicted one costs a query. */
const KNOWN_LIMIT = 10_000

export function isNearlyUsedUp({ consumed, limit }: Level): boolean {
  return consumed * 100 >= limit * WARN_AT_PERCENT
}

/** The largest number that is not nearly used up. */
export function unwarnedUpTo(limit: number): number {
  return Math.ceil((limit * WARN_AT_PERCENT) / 100) - 1
}

export function quotaOf(scope: Scope, metric: QuotaDocument['metric']): Promise<QuotaDocument | null> {
  return scope.collection(QUOTAS).findOne({ _id: idOf(scope, metric) })
}

/**
 * The first write of the commit: it fails when another commit was first.
 * @param before as `quotaOf` returned it @param there number before the commit, to remember; null: not counted
 */
export function markingQuota(scope: Scope, metric: QuotaDocument['metric'], before: QuotaDocument | null, warned_for: string | null, there: number | null = null): Write {
  const quotas = scope.collection(QUOTAS)
  const counted = there === null ? {} : { offset: there - (before?.revision ?? 0) }
  if (before === null) return quotas.inserting({ _id: idOf(scope, metric), metric, revision: 1, warned_for, ...counted })
  return quotas.updating({ _id: before._id, revision: before.revision }, { set: { warned_for, ...counted }, increment: { revision: 1 } })
}

/**
 * As `markingQuota`, for a creation that is allowed while fewer than `upTo` are there: concurrent commits do not conflict. Null: there may be more, or nothing
 * is known.
 */
export function markingFew(scope: Scope, before: QuotaDocument | null, upTo: number): Write | null {
  if (before?.offset === undefined || before.warned_for !== null || before.revision + before.offset >= upTo) return null
  const { _id, offset } = before
  return scope.collection(QUOTAS).updating({ _id, offset, warned_for: null, revision: { lt: upTo - offset } }, { increment: { revision: 1 } })
}

/** Whether a commit failed because another one was first. */
export function isOvertaken(error: unknown): boolean {
  return (error instanceof StaleWriteError && error.index === 0 && error.collection === QUOTAS.name) || (error instanceof DuplicateKeyError && error.collection === QUOTAS.name)
}

export class QuotaWarnings {
  readonly #warningWrites: WarningWrites
  readonly #onError: (error: unknown) => void
  /** The period of the last warning, by metric and organization. */
  readonly #known = entryCache<string>(KNOWN_LIMIT)
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(warningWrites: WarningWrites, onError: (error: unknown) => void) {
    this.#warningWrites = warningWrites
    this.#onError = onError
  }

  /** Sends the warning in the background unless this period has one. The request is not delayed. */
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

  /** The writes of the warning, for the caller's own commit. */
  async warningWrites(scope: Scope, level: Level<QuotaMetric>): Promise<readonly Write[]> {
    return this.#warningWrites(scope, level)
  }

  /** Resolves when no warning is being written. Call before the store is closed. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay.values())
  }

  async #warn(scope: Scope, level: Level<QuotaMetric>, period: string): Promise<void> {
    const before = await quotaOf(scope, level.metric)
    if (before?.warned_for === period) return
    try {
      await scope.commit([markingQuota(scope, level.metric, before, period), ...(await this.#warningWrites(scope, level))])
    } catch (error) {
      // Another instance has sent it.
      if (!isOvertaken(error)) throw error
    }
  }
}

function idOf({ organizationId }: Scope, metric: QuotaDocument['metric']): string {
  return `${organizationId}:${metric}`
}
