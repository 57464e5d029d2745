/**
 * What organizations use of their plans, by metric and calendar month (CONTRACT.md#plans). A metric without a limit is
 * only counted: those counts gather here and are written together, so that a logtest costs no write; a crash loses at most `FLUSH_MS` of them. A
 * metric with a limit is counted in the database before the work is done, so that instances agree on the last unit.
 */
import { ApiError } from '../errors.js'
import { DuplicateKeyError } from '../storage/errors.js'
import { type TenantDocument, tenantCollection } from '../storage/contract.js'
import type { Scope, ScopedCollection, Unbound } from './scope.js'

/** Metrics with a period. */
export type UsageMetric = 'analysis_runs' | 'api_requests'

/** Counts wait this long at most before they are written. */
const FLUSH_MS = 1000
/** The stores put writes that come together into one; more at once would only wait longer. */
const WRITES_AT_ONCE = 64
/** Times a count is read when units were written meanwhile, which they are for some milliseconds of a second. */
const READS_LIMIT = 5

export interface UsageDocument extends TenantDocument {
  readonly metric: UsageMetric
  readonly period_start: Date
  readonly period_end: Date
  readonly consumed: number
}

export const USAGE = tenantCollection<UsageDocument>('usage', [{ keys: { metric: 1, period_start: -1 } }])

/** The limit of a metric by the organization's plan; null: none. */
export type LimitOf = (scope: Scope, metric: UsageMetric) => Promise<number | null> | number | null

/** How much of a limit is used. */
export interface Level<M extends string = string> {
  readonly metric: M
  readonly consumed: number
  readonly limit: number
}

/** A calendar month of UTC. */
export interface Month {
  /** `2026-11`. */
  readonly label: string
  readonly start: Date
  readonly end: Date
}

export interface UsageParts {
  readonly limitOf: LimitOf
  /** Told when counts could not be written; they are kept, and written with the next. */
  readonly onError: (error: unknown) => void
  /** Told how a limited metric stands after units were taken. */
  readonly onTaken?: (scope: Scope, level: Level<UsageMetric>, month: Month) => void
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
}

/** Units of a month that are on their way to the database; fewer than none where more was given back than taken. */
interface Gathered {
  readonly scope: Scope
  readonly metric: UsageMetric
  readonly month: Month
  units: number
}

export class Usage {
  readonly #parts: UsageParts
  readonly #clock: () => number
  #month: Month
  /** Of this month, by organization. A request looks it up, so its key is nothing that must be put together first. */
  readonly #gathered: Readonly<Record<UsageMetric, Map<string, Gathered>>> = { analysis_runs: new Map(), api_requests: new Map() }
  /** What could not be written, and what is left of a month that has ended: by id. */
  readonly #kept = new Map<string, Gathered>()
  readonly #writing = new Set<Gathered>()
  #timer: NodeJS.Timeout | null = null
  #flushing: Promise<void> = Promise.resolve()

  constructor(parts: UsageParts) {
    this.#parts = parts
    this.#clock = parts.clock ?? Date.now
    this.#month = monthAt(this.#clock())
  }

  /** This month. It is kept until it ends: finding it costs as much as all the rest of a count. */
  get month(): Month {
    const now = this.#clock()
    if (now >= this.#month.end.getTime() || now < this.#month.start.getTime()) this.#month = monthAt(now)
    return this.#month
  }

  /** Takes units of the plan. Undefined: they are taken, as nothing limits them. Rejects with ApiError plan_quota_exceeded, and nothing is taken then. */
  consume(scope: Scope, metric: UsageMetric, units: number): Promise<void> | undefined {
    const limit = this.#parts.limitOf(scope, metric)
    if (limit !== null) return this.#consume(scope, metric, units, limit)
    this.count(scope, metric, units)
    return undefined
  }

  async #consume(scope: Scope, metric: UsageMetric, units: number, asked: number | Promise<number | null>): Promise<void> {
    const limit = await asked
    if (limit === null) return this.count(scope, metric, units)
    const { month } = this
    const id = idOf(scope, metric, month)
    const usage = scope.collection(USAGE)
    for (let made = false; ; made = true) {
      const taken = units <= limit ? await usage.update({ _id: id, consumed: { lte: limit - units } }, { increment: { consumed: units } }) : null
      if (taken !== null) return this.#parts.onTaken?.(scope, { metric, consumed: taken.consumed, limit }, month)
      if (made || units > limit || (await usage.findOne({ _id: id })) !== null) throw quotaExceeded(metric, limit, month)
      await make(usage, id, metric, month)
    }
  }

  /** Looks whether a unit is left, before something dear is done; `consume` decides. Undefined: nothing limits the metric. Rejects as `consume` does. */
  requireLeft(scope: Scope, metric: UsageMetric): Promise<void> | undefined {
    const limit = this.#parts.limitOf(scope, metric)
    return limit === null ? undefined : this.#requireLeft(scope, metric, limit)
  }

  async #requireLeft(scope: Scope, metric: UsageMetric, asked: number | Promise<number | null>): Promise<void> {
    const limit = await asked
    if (limit === null) return
    const { month } = this
    const used = await scope.collection(USAGE).findOne({ _id: idOf(scope, metric, month) })
    if ((used?.consumed ?? 0) >= limit) throw quotaExceeded(metric, limit, month)
  }

  /** Returns units that were taken for what was not done. What has none left to return, as its month is over, stays at none. */
  async giveBack(scope: Scope, metric: UsageMetric, units: number): Promise<void> {
    const limit = await this.#parts.limitOf(scope, metric)
    if (limit === null) this.count(scope, metric, -units)
    else await subtract(scope, idOf(scope, metric, this.month), units)
  }

  /** Counts units without asking for a limit, and without waiting. */
  count(scope: Scope, metric: UsageMetric, units: number): void {
    const { month } = this
    const gathered = this.#gathered[metric]
    const known = gathered.get(scope.organizationId)
    if (known?.month === month) known.units += units
    else {
      if (known !== undefined) this.#keep(known)
      gathered.set(scope.organizationId, { scope, metric, month, units })
    }
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
  }

  /** Units of this month that are in the database, or on their way there from this instance. */
  async consumed(scope: Scope, metric: UsageMetric): Promise<number> {
    const id = idOf(scope, metric, this.month)
    for (let tries = 1; ; tries++) {
      // What is being written may be in the database by now, or not yet.
      const flushing = this.#flushing
      await flushing
      const stored = await scope.collection(USAGE).findOne({ _id: id })
      if (tries < READS_LIMIT && flushing !== this.#flushing) continue
      const own = [this.#gathered[metric].get(scope.organizationId), this.#kept.get(id), ...this.#writing]
      const onTheWay = own.filter((entry) => entry !== undefined && idOf(entry.scope, entry.metric, entry.month) === id)
      return Math.max(
        0,
        onTheWay.reduce((sum, entry) => sum + (entry?.units ?? 0), stored?.consumed ?? 0),
      )
    }
  }

  /** Writes what has gathered; at the stop, so that nothing is lost. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const written = this.#flushing.then(() => this.#write())
    this.#flushing = written
    await written
  }

  #keep(entry: Gathered): void {
    const id = idOf(entry.scope, entry.metric, entry.month)
    const known = this.#kept.get(id)
    if (known === undefined) this.#kept.set(id, entry)
    else known.units += entry.units
  }

  async #write(): Promise<void> {
    const sources = [this.#kept, ...Object.values(this.#gathered)]
    const entries = sources.flatMap((source) => [...source.values()])
    for (const source of sources) source.clear()
    for (const entry of entries) this.#writing.add(entry)
    for (let at = 0; at < entries.length; at += WRITES_AT_ONCE) await Promise.all(entries.slice(at, at + WRITES_AT_ONCE).map((entry) => this.#add(entry)))
  }

  async #add(entry: Gathered): Promise<void> {
    const { scope, metric, month, units } = entry
    const id = idOf(scope, metric, month)
    try {
      if (units < 0) await subtract(scope, id, -units)
      else if (units > 0) {
        const usage = scope.collection(USAGE)
        const add = () => usage.update({ _id: id }, { increment: { consumed: units } })
        if ((await add()) === null) {
          await make(usage, id, metric, month)
          await add()
        }
      }
      this.#writing.delete(entry)
    } catch (error) {
      this.#writing.delete(entry)
      this.#keep(entry)
      this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
      this.#parts.onError(error)
    }
  }
}

function quotaExceeded(metric: UsageMetric, limit: number, { end }: Month): ApiError {
  return new ApiError('plan_quota_exceeded', { params: { metric, limit }, details: { metric, limit, reset_at: end.toISOString() } })
}

/** Another instance may make it at the same moment. */
async function make(usage: ScopedCollection<UsageDocument>, id: string, metric: UsageMetric, { start, end }: Month): Promise<void> {
  const document: Unbound<UsageDocument> = { _id: id, metric, period_start: start, period_end: end, consumed: 0 }
  try {
    await usage.insert(document)
  } catch (error) {
    if (!(error instanceof DuplicateKeyError)) throw error
  }
}

/** Never below none. */
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
