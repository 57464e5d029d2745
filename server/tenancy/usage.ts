/**
 * What organizations use of their plans, by metric and calendar month (interface.md, "Plan quota"; decisions.md, "Plans"). A metric without a limit is
 * only counted: those counts gather here and are written together, so that a logtest costs no write; a crash loses at most `FLUSH_MS` of them. A
 * metric with a limit is counted in the database before the work is done, so that instances agree on the last unit.
 */
import { ApiError } from '../errors.js'
import { DuplicateKeyError } from '../storage/errors.js'
import { type TenantDocument, tenantCollection } from '../storage/contract.js'
import type { Scope, ScopedCollection, Unbound } from './scope.js'

/** Metrics with a period. */
export type UsageMetric = 'analysis_runs'

/** Counts wait this long at most before they are written. */
const FLUSH_MS = 1000

export interface UsageDocument extends TenantDocument {
  readonly metric: UsageMetric
  readonly period_start: Date
  readonly period_end: Date
  readonly consumed: number
}

export const USAGE = tenantCollection<UsageDocument>('usage', [{ keys: { metric: 1, period_start: -1 } }])

/** The limit of a metric by the organization's plan; null: none. */
export type LimitOf = (organizationId: string, metric: UsageMetric) => Promise<number | null> | number | null

interface Pending {
  readonly scope: Scope
  readonly metric: UsageMetric
  readonly at: Date
  units: number
}

export class Usage {
  readonly #limitOf: LimitOf
  readonly #clock: () => number
  readonly #onError: (error: unknown) => void
  #pending = new Map<string, Pending>()
  #timer: NodeJS.Timeout | null = null
  #flushing: Promise<void> = Promise.resolve()

  /** @param onError told when counts could not be written; they are kept, and written with the next */
  constructor(limitOf: LimitOf, onError: (error: unknown) => void, clock: () => number = Date.now) {
    this.#limitOf = limitOf
    this.#onError = onError
    this.#clock = clock
  }

  /** Takes units of the plan. @throws ApiError plan_quota_exceeded, and nothing is taken then */
  async consume(scope: Scope, metric: UsageMetric, units: number): Promise<void> {
    const asked = this.#limitOf(scope.organizationId, metric)
    const limit = asked instanceof Promise ? await asked : asked
    const at = new Date(this.#clock())
    if (limit === null) return this.#count(scope, metric, at, units)
    const { id, initial } = usageOf(scope, metric, at)
    const usage = scope.collection(USAGE)
    for (let made = false; ; made = true) {
      if (units <= limit && (await usage.update({ _id: id, consumed: { $lte: limit - units } }, { $inc: { consumed: units } })) !== null) return
      if (made || (await usage.findOne({ _id: id })) !== null)
        throw new ApiError('plan_quota_exceeded', { params: { metric, limit }, details: { metric, limit, reset_at: initial.period_end.toISOString() } })
      await make(usage, { _id: id, ...initial })
    }
  }

  /** Units of this month that are in the database or on their way there. */
  async consumed(scope: Scope, metric: UsageMetric): Promise<number> {
    const { id } = usageOf(scope, metric, new Date(this.#clock()))
    const stored = await scope.collection(USAGE).findOne({ _id: id })
    return (stored?.consumed ?? 0) + (this.#pending.get(id)?.units ?? 0)
  }

  /** Writes what has gathered; at the stop, so that nothing is lost. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const written = this.#flushing.then(() => this.#write())
    this.#flushing = written
    await written
  }

  #count(scope: Scope, metric: UsageMetric, at: Date, units: number): void {
    const { id } = usageOf(scope, metric, at)
    const pending = this.#pending.get(id)
    if (pending === undefined) this.#pending.set(id, { scope, metric, at, units })
    else pending.units += units
    if (this.#timer === null) this.#timer = setTimeout(() => void this.flush(), FLUSH_MS).unref()
  }

  async #write(): Promise<void> {
    const writing = this.#pending
    this.#pending = new Map()
    for (const [id, { scope, metric, at, units }] of writing) {
      try {
        const usage = scope.collection(USAGE)
        const add = () => usage.update({ _id: id }, { $inc: { consumed: units } })
        if ((await add()) !== null) continue
        await make(usage, { _id: id, ...usageOf(scope, metric, at).initial })
        await add()
      } catch (error) {
        this.#onError(error)
        this.#count(scope, metric, at, units)
      }
    }
  }
}

/** Another instance may make it at the same moment. */
async function make(usage: ScopedCollection<UsageDocument>, document: Unbound<UsageDocument>): Promise<void> {
  try {
    await usage.insert(document)
  } catch (error) {
    if (!(error instanceof DuplicateKeyError)) throw error
  }
}

function usageOf({ organizationId }: Scope, metric: UsageMetric, at: Date) {
  const period_start = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1))
  const period_end = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1))
  return { id: `${organizationId}:${metric}:${period_start.toISOString().slice(0, 7)}`, initial: { metric, period_start, period_end, consumed: 0 } }
}
