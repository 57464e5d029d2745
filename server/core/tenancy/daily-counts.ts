/**
 * Counts of the whole instance by day (UTC), for operators: they name no organization. Each instance buffers its counts and adds them to the day's document, so
 * that a request costs no write and a month is read as thirty documents for each metric. A crash loses at most `FLUSH_MS` of them.
 */
import { type Collection, platformCollection, type Storage, type StoredDocument } from '../storage/contract.js'
import { DuplicateKeyError } from '../storage/errors.js'

export const DAILY_METRICS = ['analysis_runs', 'api_requests', 'deliveries_delivered', 'deliveries_failed'] as const
export type DailyMetric = (typeof DAILY_METRICS)[number]

/** Maximum time that counts are buffered. */
const FLUSH_MS = 1000
const DAY_MS = 24 * 60 * 60 * 1000
/** Counts are kept for 400 days, so that an operator can look back a year in the store. */
const KEPT_SECONDS = 400 * 24 * 60 * 60

/** `_id` is day and metric. */
interface DailyCountDocument extends StoredDocument {
  readonly day: Date
  readonly metric: DailyMetric
  /** May be negative: units of the day before that were released today. */
  readonly count: number
}

export const DAILY_COUNTS = platformCollection<DailyCountDocument>('daily_counts', [{ keys: { day: 1 }, expireAfterSeconds: KEPT_SECONDS }])

/** The counts of a day. */
export interface CountsOfDay extends Readonly<Record<DailyMetric, number>> {
  /** `2026-11-23`. */
  readonly date: string
}

export interface DailyCountsOptions {
  readonly storage: Pick<Storage, 'open'>
  /** Called when counts could not be written; they are kept and written with the next flush. */
  readonly onError: (error: unknown) => void
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

export class DailyCounts {
  readonly #documents: Collection<DailyCountDocument>
  readonly #options: DailyCountsOptions
  /** Units that are not written yet, by document id. */
  readonly #buffered = new Map<string, { readonly day: number; readonly metric: DailyMetric; units: number }>()
  /** Units of the current day by metric, which need no text to be found. */
  #today: { readonly day: number; readonly units: Record<DailyMetric, number> }
  #timer: NodeJS.Timeout | null = null
  #flushing: Promise<void> = Promise.resolve()

  constructor(options: DailyCountsOptions) {
    this.#options = options
    this.#documents = options.storage.open(DAILY_COUNTS)
    this.#today = { day: dayOf(options.clock()), units: noUnits() }
  }

  /** Counts units, synchronously. @param units negative: they are released */
  add(metric: DailyMetric, units: number): void {
    const now = this.#options.clock()
    if (now < this.#today.day || now >= this.#today.day + DAY_MS) {
      this.#buffer()
      this.#today = { day: dayOf(now), units: noUnits() }
    }
    this.#today.units[metric] += units
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
  }

  /** The counts of the last days, the oldest first, with all that this instance has counted. */
  async last(days: number): Promise<readonly CountsOfDay[]> {
    await this.flush()
    const today = dayOf(this.#options.clock())
    const wanted = Array.from({ length: days }, (_, at) => today - (days - 1 - at) * DAY_MS)
    const found = await this.#documents.find({ _id: { in: wanted.flatMap((day) => DAILY_METRICS.map((metric) => idOf(day, metric))) } })
    const counts = new Map(found.map(({ _id, count }) => [_id, count]))
    const of = (day: number, metric: DailyMetric): number => Math.max(0, counts.get(idOf(day, metric)) ?? 0)
    return wanted.map((day) => ({ date: labelOf(day), ...(Object.fromEntries(DAILY_METRICS.map((metric) => [metric, of(day, metric)])) as Record<DailyMetric, number>) }))
  }

  /** Writes the buffered counts. Called at the stop, so that nothing is lost. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#flushing = this.#flushing.then(() => this.#write())
    await this.#flushing
  }

  /** Moves the units of the current day to the buffer. */
  #buffer(): void {
    const { day, units } = this.#today
    for (const metric of DAILY_METRICS) {
      if (units[metric] !== 0) this.#keep(day, metric, units[metric])
      units[metric] = 0
    }
  }

  #keep(day: number, metric: DailyMetric, units: number): void {
    const id = idOf(day, metric)
    const known = this.#buffered.get(id)
    if (known === undefined) this.#buffered.set(id, { day, metric, units })
    else known.units += units
  }

  async #write(): Promise<void> {
    this.#buffer()
    const entries = [...this.#buffered]
    this.#buffered.clear()
    for (const [id, { day, metric, units }] of entries) {
      try {
        await this.#increment(id, day, metric, units)
      } catch (error) {
        this.#keep(day, metric, units)
        this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
        this.#options.onError(error)
      }
    }
  }

  async #increment(_id: string, day: number, metric: DailyMetric, units: number): Promise<void> {
    const add = () => this.#documents.update({ _id }, { increment: { count: units } })
    if ((await add()) !== null) return
    try {
      await this.#documents.insert({ _id, day: new Date(day), metric, count: units })
    } catch (error) {
      // Another instance has counted first.
      if (!(error instanceof DuplicateKeyError)) throw error
      await add()
    }
  }
}

function noUnits(): Record<DailyMetric, number> {
  return { analysis_runs: 0, api_requests: 0, deliveries_delivered: 0, deliveries_failed: 0 }
}

function dayOf(now: number): number {
  return Math.floor(now / DAY_MS) * DAY_MS
}

function labelOf(day: number): string {
  return new Date(day).toISOString().slice(0, 10)
}

function idOf(day: number, metric: DailyMetric): string {
  return `${labelOf(day)}:${metric}`
}
