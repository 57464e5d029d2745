/**
 * Usage of plans, by metric and calendar month (CONTRACT.md#plans). A metric without a limit is only counted: counts are buffered and written together, so that
 * a logtest costs no write. A crash loses at most `FLUSH_MS` of them. A metric with a limit is counted in the database before the work, so that instances agree
 * on the last unit.
 */
import { ApiError } from '../errors.js'
import { DuplicateKeyError } from '../storage/errors.js'
import { type TenantDocument, tenantCollection } from '../storage/contract.js'
import type { DailyCounts } from './daily-counts.js'
import type { Scope, ScopedCollection, Unbound } from './scope.js'

/** Metrics that are counted per month. */
export type UsageMetric = 'analysis_runs' | 'api_requests'

/** Maximum time that counts are buffered. */
const FLUSH_MS = 1000
/** Concurrent writes of a flush. The stores combine concurrent writes; more at once would only wait longer. */
const WRITES_AT_ONCE = 64
/** Reads of a count before giving up, when units are written at the same time. A write takes some milliseconds of each second. */
const READS_LIMIT = 5

export interface UsageDocument extends TenantDocument {
  readonly metric: UsageMetric
  readonly period_start: Date
  readonly period_end: Date
  readonly consumed: number
}

/** Usage of a past month. */
export interface UsageMonth extends Readonly<Record<UsageMetric, number>> {
  /** `2026-11`. */
  readonly month: string
}

export const USAGE = tenantCollection<UsageDocument>('usage', [{ keys: { metric: 1, period_start: -1 } }])

/** The limit of a metric under the organization's plan; null: none. */
export type LimitOf = (scope: Scope, metric: UsageMetric) => Promise<number | null> | number | null

/** Usage of a limit. */
export interface Level<M extends string = string> {
  readonly metric: M
  readonly consumed: number
  readonly limit: number
}

/** A calendar month in UTC. */
export interface Month {
  /** `2026-11`. */
  readonly label: string
  readonly start: Date
  readonly end: Date
}

export interface UsageParts {
  readonly limitOf: LimitOf
  /** Called when counts could not be written; they are kept and written with the next flush. */
  readonly onError: (error: unknown) => void
  /** Called with the usage of a limited metric after units were taken. */
  readonly onTaken?: (scope: Scope, level: Level<UsageMetric>, month: Month) => void
  /** Counts units that were taken, and with a negative number released ones. */
  readonly daily?: Pick<DailyCounts, 'add'>
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
}

/** Units of a month that are not written yet; negative when more were released than taken. */
interface BufferedUnits {
  readonly scope: Scope
  readonly metric: UsageMetric
  readonly month: Month
  units: number
}

export class Usage {
  readonly #parts: UsageParts
  readonly #clock: () => number
  #month: Month
  /** Buffered units of this month, by organization. The key is the organization's id, so that a request builds no string. */
  readonly #buffered: Readonly<Record<UsageMetric, Map<string, BufferedUnits>>> = { analysis_runs: new Map(), api_requests: new Map() }
  /** Units that could not be written, and units of a past month, by document id. */
  readonly #unwritten = new Map<string, BufferedUnits>()
  readonly #writing = new Set<BufferedUnits>()
  #timer: NodeJS.Timeout | null = null
  #flushing: Promise<void> = Promise.resolve()

  constructor(parts: UsageParts) {
    this.#parts = parts
    this.#clock = parts.clock ?? Date.now
    this.#month = monthAt(this.#clock())
  }

  /** The current month, cached until it ends: computing it costs as much as the rest of a count. */
  get month(): Month {
    const now = this.#clock()
    if (now >= this.#month.end.getTime() || now < this.#month.start.getTime()) this.#month = monthAt(now)
    return this.#month
  }

  /** Takes units of the plan. Undefined: taken, since there is no limit. Rejects with ApiError plan_quota_exceeded, and takes nothing. */
  consume(scope: Scope, metric: UsageMetric, units: number): Promise<void> | undefined {
    const limit = this.#parts.limitOf(scope, metric)
    if (limit !== null) return this.#consume(scope, metric, units, limit)
    this.count(scope, metric, units)
    return undefined
  }

  async #consume(scope: Scope, metric: UsageMetric, units: number, known: number | Promise<number | null>): Promise<void> {
    const limit = await known
    if (limit === null) return this.count(scope, metric, units)
    const { month } = this
    const id = idOf(scope, metric, month)
    const usage = scope.collection(USAGE)
    for (let isCreated = false; ; isCreated = true) {
      const taken = units <= limit ? await usage.update({ _id: id, consumed: { lte: limit - units } }, { increment: { consumed: units } }) : null
      if (taken !== null) {
        this.#parts.daily?.add(metric, units)
        return this.#parts.onTaken?.(scope, { metric, consumed: taken.consumed, limit }, month)
      }
      if (isCreated || units > limit || (await usage.findOne({ _id: id })) !== null) throw quotaExceeded(metric, limit, month)
      await createMonth(usage, id, metric, month)
    }
  }

  /** Checks whether a unit is left before expensive work; `consume` decides. Undefined: there is no limit. Rejects as `consume` does. */
  requireLeft(scope: Scope, metric: UsageMetric): Promise<void> | undefined {
    const limit = this.#parts.limitOf(scope, metric)
    return limit === null ? undefined : this.#requireLeft(scope, metric, limit)
  }

  async #requireLeft(scope: Scope, metric: UsageMetric, known: number | Promise<number | null>): Promise<void> {
    const limit = await known
    if (limit === null) return
    const { month } = this
    const used = await scope.collection(USAGE).findOne({ _id: idOf(scope, metric, month) })
    if ((used?.consumed ?? 0) >= limit) throw quotaExceeded(metric, limit, month)
  }

  /**
   * Releases units of work that was not done. The count never falls below zero, for example when the month has changed. Never rejects: a failed refund must not
   * fail the request, and leaves its units counted.
   */
  async refund(scope: Scope, metric: UsageMetric, units: number): Promise<void> {
    if (units <= 0) return
    try {
      const limit = await this.#parts.limitOf(scope, metric)
      if (limit === null) this.count(scope, metric, -units)
      else {
        await subtract(scope, idOf(scope, metric, this.month), units)
        this.#parts.daily?.add(metric, -units)
      }
    } catch {
      // Its units stay counted.
    }
  }

  /** Counts units without checking a limit, synchronously. */
  count(scope: Scope, metric: UsageMetric, units: number): void {
    this.#parts.daily?.add(metric, units)
    const { month } = this
    const buffered = this.#buffered[metric]
    const known = buffered.get(scope.organizationId)
    if (known?.month === month) known.units += units
    else {
      if (known !== undefined) this.#addUnwritten(known)
      buffered.set(scope.organizationId, { scope, metric, month, units })
    }
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
  }

  /** Units of this month: those stored and those buffered on this instance. */
  async consumed(scope: Scope, metric: UsageMetric): Promise<number> {
    const id = idOf(scope, metric, this.month)
    for (let tries = 1; ; tries++) {
      // A running write may or may not have reached the database.
      const flushing = this.#flushing
      await flushing
      const stored = await scope.collection(USAGE).findOne({ _id: id })
      if (tries < READS_LIMIT && flushing !== this.#flushing) continue
      const own = [this.#buffered[metric].get(scope.organizationId), this.#unwritten.get(id), ...this.#writing]
      const onTheWay = own.filter((entry) => entry !== undefined && idOf(entry.scope, entry.metric, entry.month) === id)
      return Math.max(
        0,
        onTheWay.reduce((sum, entry) => sum + (entry?.units ?? 0), stored?.consumed ?? 0),
      )
    }
  }

  /** Usage of past months, the newest first. Months without usage are missing. @param months maximum number */
  async history(scope: Scope, months: number): Promise<UsageMonth[]> {
    const { start } = this.month
    const ofMetric = (metric: UsageMetric) => scope.collection(USAGE).find({ metric, period_start: { lt: start } }, { sort: { period_start: -1 }, limit: months })
    const found = new Map<string, UsageMonth>()
    for (const { metric, period_start, consumed } of (await Promise.all([ofMetric('analysis_runs'), ofMetric('api_requests')])).flat()) {
      const month = period_start.toISOString().slice(0, 7)
      found.set(month, { ...(found.get(month) ?? { month, analysis_runs: 0, api_requests: 0 }), [metric]: consumed })
    }
    return [...found.values()].sort((a, b) => (a.month < b.month ? 1 : -1)).slice(0, months)
  }

  /** Writes the buffered counts. Called at the stop, so that nothing is lost. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const written = this.#flushing.then(() => this.#write())
    this.#flushing = written
    await written
  }

  #addUnwritten(entry: BufferedUnits): void {
    const id = idOf(entry.scope, entry.metric, entry.month)
    const known = this.#unwritten.get(id)
    if (known === undefined) this.#unwritten.set(id, entry)
    else known.units += entry.units
  }

  async #write(): Promise<void> {
    const sources = [this.#unwritten, ...Object.values(this.#buffered)]
    const entries = sources.flatMap((source) => [...source.values()])
    for (const source of sources) source.clear()
    for (const entry of entries) this.#writing.add(entry)
    for (let at = 0; at < entries.length; at += WRITES_AT_ONCE) await Promise.all(entries.slice(at, at + WRITES_AT_ONCE).map((entry) => this.#add(entry)))
  }

  async #add(entry: BufferedUnits): Promise<void> {
    const { scope, metric, month, units } = entry
    const id = idOf(scope, metric, month)
    try {
      if (units < 0) await subtract(scope, id, -units)
      else if (units > 0) {
        const usage = scope.collection(USAGE)
        const add = () => usage.update({ _id: id }, { increment: { consumed: units } })
        if ((await add()) === null) {
          await createMonth(usage, id, metric, month)
          await add()
        }
      }
      this.#writing.delete(entry)
    } catch (error) {
      this.#writing.delete(entry)
      this.#addUnwritten(entry)
      this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
      this.#parts.onError(error)
    }
  }
}

function quotaExceeded(metric: UsageMetric, limit: number, { end }: Month): ApiError {
  return new ApiError('plan_quota_exceeded', { params: { metric, limit }, details: { metric, limit, reset_at: end.toISOString() } })
}

/** Creates the document of a month; another instance may create it at the same moment. */
async function createMonth(usage: ScopedCollection<UsageDocument>, id: string, metric: UsageMetric, { start, end }: Month): Promise<void> {
  const document: Unbound<UsageDocument> = { _id: id, metric, period_start: start, period_end: end, consumed: 0 }
  try {
    await usage.insert(document)
  } catch (error) {
    if (!(error instanceof DuplicateKeyError)) throw error
  }
}

/** Subtracts units; the count never falls below zero. */
async function subtract(scope: Scope, id: string, units: number): Promise<void> {
  await scope.collection(USAGE).update({ _id: id, consumed: { gte: units } }, { increment: { consumed: -units } })
}

function idOf({ organizationId }: Scope, metric: UsageMetric, { label }: Month): string {
  return `${organizationId}:${metric}:${label}`
}

function monthAt(now: number): Month {
  const at = new Date(now)
  const start = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1))
  return { label: start.toISOString().slice(0, 7), start, end: new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1)) }
}
