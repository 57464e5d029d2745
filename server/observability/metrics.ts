/** What Prometheus may read. Labels are ids of routes and statuses: nothing that a caller can make up. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { AnalysisMetrics } from '#workers'
import type { LimitReading } from '../limits/limits.js'
import { limitText } from './limit-metrics.js'
import { poolText } from './pool-metrics.js'

/** Seconds; from an answer out of memory to the handler's limit. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export interface HttpMetrics {
  answered(route: string, status: number, ms: number): void
  rateLimited(route: string): void
}

/** How the watched folder stands. */
export interface ContentReading {
  readonly reloads: number
  readonly failures: number
  /** What is at work is not what the folder holds. */
  readonly isStale: boolean
  /** The folder does not load, and nothing of it is at work. */
  readonly isLeftOut: boolean
  /** Since when what is at work is not what the folder holds; null: it is. */
  readonly since: Date | null
}

export interface MetricsOptions {
  /** Of the pool, where there is one. */
  readonly pool?: () => AnalysisMetrics
  /** Of what callers hold. */
  readonly limits?: () => readonly LimitReading[]
  /** Of the custom content folder, where it is watched. */
  readonly content?: () => ContentReading
  /** Memory, event loop, garbage collection. Default true. */
  readonly process?: boolean
}

export class Metrics implements HttpMetrics {
  readonly registry = new Registry()
  readonly #duration: Histogram<'route' | 'status'>
  readonly #limited: Counter<'route'>
  /** By route and status: finding the labels' child anew costs more than counting. */
  readonly #children = new Map<string, Map<number, { observe(value: number): void }>>()
  readonly #pool: (() => AnalysisMetrics) | undefined
  readonly #limits: (() => readonly LimitReading[]) | undefined

  constructor({ pool, limits, content, process = true }: MetricsOptions = {}) {
    const registers = [this.registry]
    this.#duration = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the headers of a request to the end of its answer.',
      labelNames: ['route', 'status'],
      buckets: DURATION_BUCKETS,
      registers,
    })
    this.#limited = new Counter({ name: 'http_rate_limited_total', help: 'Requests refused by a rate limit.', labelNames: ['route'], registers })
    if (content !== undefined) this.#tellContent(content)
    if (process) collectDefaultMetrics({ register: this.registry })
    this.#pool = pool
    this.#limits = limits
  }

  /** @param count of the requests that are being answered: whoever stops the instance in order counts them anyway */
  tellInFlight(count: () => number): void {
    this.#gauge('http_requests_in_flight', 'Requests that are being answered.', count)
  }

  answered(route: string, status: number, ms: number): void {
    let statuses = this.#children.get(route)
    if (statuses === undefined) this.#children.set(route, (statuses = new Map()))
    let child = statuses.get(status)
    if (child === undefined) statuses.set(status, (child = this.#duration.labels({ route, status: String(status) })))
    child.observe(ms / 1000)
  }

  rateLimited(route: string): void {
    this.#limited.inc({ route })
  }

  #tellContent(content: () => ContentReading): void {
    this.#gauge('custom_content_reloads', 'Times that changed custom content was loaded.', () => content().reloads)
    this.#gauge('custom_content_reload_failures', 'Times that changed custom content could not be loaded.', () => content().failures)
    this.#gauge('custom_content_stale', '1: the content at work is not what the folder holds, which does not load.', () => (content().isStale ? 1 : 0))
    this.#gauge('custom_content_left_out', '1: the folder does not load, and the default ruleset is used alone.', () => (content().isLeftOut ? 1 : 0))
    this.#gauge('custom_content_stale_since_seconds', 'Unix time since when the folder does not load; 0: it loads.', () => (content().since?.getTime() ?? 0) / 1000)
  }

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read())
      },
    })
  }

  /** The page, and its type. */
  async read(): Promise<{ readonly type: string; readonly text: string }> {
    const text = [await this.registry.metrics()]
    if (this.#pool !== undefined) text.push(poolText(this.#pool()))
    if (this.#limits !== undefined) text.push(limitText(this.#limits()))
    return { type: this.registry.contentType, text: text.join('') }
  }
}
