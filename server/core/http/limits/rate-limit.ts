/** Rate limits of keyed routes: two windows for each route key and subject (CONTRACT.md#limits). */
import { subjectOf } from '../../auth/principal.js'
import { ApiError } from '../../errors.js'
import type { HttpMetrics } from '../../observability/metrics.js'
import { type Counters, retryAfter, type Taken } from '../../tenancy/counters.js'
import type { RequestState, Middleware } from '../request-state.js'
import { addressKey } from '../connection/forwarded.js'
import type { RateLimitKey } from '../route.js'

const MINUTE_SECONDS = 60
const HOUR_SECONDS = 60 * 60

export interface RateLimits {
  readonly perMinute: number
  readonly perHour: number
}

export class RateLimiter {
  readonly #counters: Pick<Counters, 'take'>
  readonly #limits: RateLimits
  readonly #metrics: Pick<HttpMetrics, 'rateLimited'>
  readonly #now: () => number

  constructor(counters: Pick<Counters, 'take'>, limits: RateLimits, metrics: Pick<HttpMetrics, 'rateLimited'>, now: () => number) {
    this.#counters = counters
    this.#limits = limits
    this.#metrics = metrics
    this.#now = now
  }

  /** Counts the request and sets the rate-limit headers. @throws ApiError rate_limited */
  count(state: RequestState, key: RateLimitKey): void | Promise<void> {
    const { caller } = state
    const id = `${key}:${caller === null ? `address:${addressKey(state.address)}` : subjectOf(caller)}`
    // The minute is counted first: a request that it refuses does not count for the hour.
    const minute = this.#counters.take(`m:${id}`, { limit: this.#limits.perMinute, windowSeconds: MINUTE_SECONDS })
    if (minute instanceof Promise) return minute.then((taken) => this.#countHour(state, key, id, taken))
    return this.#countHour(state, key, id, minute)
  }

  #countHour(state: RequestState, key: RateLimitKey, id: string, minute: Taken): void | Promise<void> {
    if (!minute.allowed) return this.#setHeaders(state, key, minute, minute)
    const hour = this.#counters.take(`h:${id}`, { limit: this.#limits.perHour, windowSeconds: HOUR_SECONDS })
    if (hour instanceof Promise) return hour.then((taken) => this.#setHeaders(state, key, minute, taken))
    return this.#setHeaders(state, key, minute, hour)
  }

  #setHeaders({ headers }: RequestState, key: RateLimitKey, minute: Taken, hour: Taken): void {
    // The headers describe the window with fewer requests left. `X-RateLimit-Limit` is always the minute's (CONTRACT.md#limits).
    const { allowed, remaining, resetAt } = hour.remaining < minute.remaining || !hour.allowed ? hour : minute
    const reset = isoTime(resetAt)
    headers['X-RateLimit-Limit'] = String(this.#limits.perMinute)
    headers['X-RateLimit-Remaining'] = String(allowed ? remaining : 0)
    headers['X-RateLimit-Reset'] = reset
    if (allowed) return
    this.#metrics.rateLimited(key)
    throw new ApiError('rate_limited', { details: { route: key, reset_at: reset }, headers: retryAfter(resetAt, this.#now()) })
  }
}

/** Counts authenticated callers by subject and others by address, so that guessing keys is limited as well. */
export function rateLimit(limiter: RateLimiter, key: RateLimitKey): Middleware {
  return async ({ state }, next) => {
    await limiter.count(state, key)
    return next()
  }
}

/** Runs before `authenticate` and counts, by address, every request that it refuses. */
export function rateLimitUnauthenticated(limiter: RateLimiter, key: RateLimitKey): Middleware {
  return async ({ state }, next) => {
    try {
      return await next()
    } catch (error) {
      if (state.caller === null && error instanceof ApiError && error.status < 500) await limiter.count(state, key)
      throw error
    }
  }
}

/** Cached, because formatting a date costs as much as counting, and few windows end at the same time. */
let lastTime = Number.NaN
let lastText = ''
function isoTime(time: number): string {
  if (time !== lastTime) {
    lastText = new Date(time).toISOString()
    lastTime = time
  }
  return lastText
}
