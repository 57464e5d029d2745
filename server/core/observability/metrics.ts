/** Metrics for Prometheus. Labels are route ids, methods, statuses and fixed kinds, never values of callers. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { AnalysisMetrics } from '#workers'
import type { LimitReading } from '../limits/limits.js'
import { limitText } from './limit-metrics.js'
import { COUNTED_LEVELS, type CountedLevel } from './log.js'
import { poolText } from './pool-metrics.js'
import type { StoreStatus } from './store-status.js'

/** Seconds, from a cached response to the limit of a handler. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** Methods with their own label. Other methods that Node knows are counted together. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
const OTHER_METHOD = 'other'
/** Outcomes that are reported from the start with zero, so that the first failure shows as an increase. */
const MAIL_OUTCOMES = ['sent', 'retried', 'given_up', 'dropped', 'not_made'] as const
const DELIVERY_STATUSES = ['delivered', 'failed', 'cancelled'] as const
const DELIVERED = 'delivered'

export interface HttpMetrics {
  answered(route: string, method: string, status: number, ms: number): void
  rateLimited(route: string): void
}

/** State of the watched folder. */
export interface ContentStatus {
  readonly reloads: number
  readonly failures: number
  /** The content in use differs from the folder. */
  readonly isStale: boolean
  /** The folder does not load, and none of it is in use. */
  readonly isLeftOut: boolean
  /** Since when the content in use differs from the folder; null: it does not. */
  readonly since: Date | null
}

/** Versions of the running service. */
export interface BuildInfo {
  readonly version: string
  readonly engineVersion: string
}

/** The opened store. */
export interface StoreIdentity {
  readonly kind: string
  readonly version: string
  /** Number of the last migration. */
  readonly migration: number
  readonly read: () => Promise<StoreStatus>
}

export interface MetricsOptions {
  /** Metrics of the pool, if there is one. */
  readonly pool?: () => AnalysisMetrics
  /** Amounts of the table of limits. */
  readonly limits?: () => readonly LimitReading[]
  /** State of the custom content folder, if it is watched. */
  readonly content?: () => ContentStatus
  readonly build?: BuildInfo
  readonly store?: StoreIdentity
  /** Open event streams. */
  readonly streams?: () => number
  /** Other processes of the service, of this instance and of others, that this one knows. */
  readonly peers?: () => number
  /** Waiting mails. */
  readonly mailWaiting?: () => number
  /** Log entries by level. */
  readonly logCounts?: Readonly<Record<CountedLevel, number>>
  /** Include metrics of memory, event loop and garbage collection. Default true. */
  readonly process?: boolean
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
}

interface BacklogGauges {
  readonly waiting: Gauge<'kind'>
  readonly oldest: Gauge<'kind'>
}

export class Metrics implements HttpMetrics {
  readonly registry = new Registry()
  readonly #options: MetricsOptions
  readonly #duration: Histogram<'route' | 'method' | 'status'>
  readonly #limited: Counter<'route'>
  /** Histogram children by route, method and status: looking one up in prom-client costs more than counting. */
  readonly #children = new Map<string, Map<string, Map<number, { observe(value: number): void }>>>()
  readonly #jobs: Counter<'kind' | 'outcome'>
  readonly #mail: Counter<'outcome'>
  readonly #attempts: Counter<'outcome'>
  readonly #deliveries: Counter<'outcome'>
  readonly #backlog: BacklogGauges | null
  /** State of the store for the current page. */
  #store: StoreStatus | null = null

  constructor(options: MetricsOptions = {}) {
    this.#options = options
    const { build, store, content, streams, peers, mailWaiting, logCounts } = options
    this.#duration = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the headers of a request to the end of its response.',
      labelNames: ['route', 'method', 'status'],
      buckets: DURATION_BUCKETS,
      registers: [this.registry],
    })
    this.#limited = this.#counter('http_rate_limited_total', 'Requests refused by a rate limit.', ['route'])
    this.#jobs = this.#counter('jobs_ended_total', 'Job runs by outcome: done, again (continued later), failed (retried), given_up.', ['kind', 'outcome'])
    this.#mail = this.#counter('mail_total', 'Attempts to send mail by outcome, and mails without an attempt.', ['outcome'])
    this.#attempts = this.#counter('webhook_attempts_total', 'Attempts to deliver to webhooks: delivered, or the error.', ['outcome'])
    this.#deliveries = this.#counter('webhook_deliveries_total', 'Finished deliveries to webhooks by outcome.', ['outcome'])
    for (const outcome of MAIL_OUTCOMES) this.#mail.inc({ outcome }, 0)
    for (const outcome of DELIVERY_STATUSES) this.#deliveries.inc({ outcome }, 0)
    this.#attempts.inc({ outcome: DELIVERED }, 0)
    if (build !== undefined) this.#registerBuild(build)
    this.#backlog = store === undefined ? null : this.#registerStore(store)
    if (content !== undefined) this.#registerContent(content)
    if (peers !== undefined) this.#gauge('service_peers', 'Other processes of the service, of this instance and of others, that share sessions with this one.', peers)
    if (streams !== undefined) this.#gauge('event_streams_open', 'Open event streams of this instance.', streams)
    if (mailWaiting !== undefined) this.#gauge('mail_waiting', 'Mails that wait for their first attempt or for a retry.', mailWaiting)
    if (logCounts !== undefined) this.#registerLog(logCounts)
    if (options.process !== false) collectDefaultMetrics({ register: this.registry })
  }

  /** @param count number of requests in progress, which the orderly stop counts anyway */
  reportInFlight(count: () => number): void {
    this.#gauge('http_requests_in_flight', 'Requests in progress.', count)
  }

  answered(route: string, method: string, status: number, ms: number): void {
    let methods = this.#children.get(route)
    if (methods === undefined) this.#children.set(route, (methods = new Map()))
    const known = METHODS.has(method) ? method : OTHER_METHOD
    let statuses = methods.get(known)
    if (statuses === undefined) methods.set(known, (statuses = new Map()))
    let child = statuses.get(status)
    if (child === undefined) statuses.set(status, (child = this.#duration.labels({ route, method: known, status: String(status) })))
    child.observe(ms / 1000)
  }

  rateLimited(route: string): void {
    this.#limited.inc({ route })
  }

  jobEnded(kind: string, outcome: string): void {
    this.#jobs.inc({ kind, outcome })
  }

  mailEnded(outcome: (typeof MAIL_OUTCOMES)[number]): void {
    this.#mail.inc({ outcome })
  }

  /** Counters for deliveries to webhooks. */
  readonly deliveries = {
    /** @param error null: the receiver accepted it */
    attempted: (error: string | null): void => this.#attempts.inc({ outcome: error ?? DELIVERED }),
    ended: (outcome: (typeof DELIVERY_STATUSES)[number]): void => this.#deliveries.inc({ outcome }),
  }

  #registerBuild({ version, engineVersion }: BuildInfo): void {
    const labels = { version, engine_version: engineVersion, node_version: process.version }
    this.#labelled('detection_content_build_info', 'Always 1; labels have the versions of the service, its engine and Node.js.', Object.keys(labels)).set(labels, 1)
  }

  #registerStore({ kind, version, migration }: StoreIdentity): BacklogGauges {
    this.#labelled('store_info', 'Always 1; labels have the kind of the store and the version of MongoDB or of the embedded format.', ['kind', 'version']).set({ kind, version }, 1)
    this.#gauge('store_migration', 'Number of the last migration applied to the store.', () => migration)
    this.#gauge('store_up', '1: the store responds and accepts writes, as far as known.', () => (this.#store?.isUp === true ? 1 : 0))
    this.#gauge('service_ready', '1: the instance accepts requests, as /readyz reports.', () => (this.#store?.isReady === true ? 1 : 0))
    return {
      waiting: this.#labelled('jobs_waiting', 'Due jobs in the store, of all instances, that are not claimed.', ['kind']),
      oldest: this.#labelled('jobs_oldest_waiting_seconds', 'How long the oldest of these jobs has been due.', ['kind']),
    }
  }

  #registerContent(content: () => ContentStatus): void {
    this.#gauge('custom_content_reloads', 'Successful reloads of custom content.', () => content().reloads)
    this.#gauge('custom_content_reload_failures', 'Failed reloads of custom content.', () => content().failures)
    this.#gauge('custom_content_stale', '1: the folder does not load, and older content is in use.', () => (content().isStale ? 1 : 0))
    this.#gauge('custom_content_left_out', '1: the folder does not load, and the default ruleset is used alone.', () => (content().isLeftOut ? 1 : 0))
    this.#gauge('custom_content_stale_since_seconds', 'Unix time since which the folder does not load; 0: it loads.', () => (content().since?.getTime() ?? 0) / 1000)
  }

  #registerLog(counts: Readonly<Record<CountedLevel, number>>): void {
    new Counter({
      name: 'log_entries_total',
      help: 'Log entries of level warn and above, including those suppressed while the store is unavailable.',
      labelNames: ['level'],
      registers: [this.registry],
      collect() {
        this.reset()
        for (const level of COUNTED_LEVELS) this.inc({ level }, counts[level])
      },
    })
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

  #labelled<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] })
  }

  #counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] })
  }

  /** The page in Prometheus's text format, and its media type. */
  async read(): Promise<{ readonly type: string; readonly text: string }> {
    await this.#readStore()
    const { pool, limits } = this.#options
    const text = [await this.registry.metrics()]
    if (pool !== undefined) text.push(poolText(pool()))
    if (limits !== undefined) text.push(limitText(limits()))
    return { type: this.registry.contentType, text: text.join('') }
  }

  /** Values that the store did not report are omitted: a zero would mean that nothing waits. */
  async #readStore(): Promise<void> {
    const { store, clock = Date.now } = this.#options
    if (store === undefined || this.#backlog === null) return
    const reading = await store.read()
    this.#store = reading
    const { waiting, oldest } = this.#backlog
    waiting.reset()
    oldest.reset()
    for (const { kind, waiting: count, since } of reading.backlogs ?? []) {
      waiting.set({ kind }, count)
      oldest.set({ kind }, since === null ? 0 : Math.max(0, clock() - since.getTime()) / 1000)
    }
  }
}
