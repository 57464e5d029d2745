/**
 * Limits the concurrent attempts of a webhook on this instance, so that a slow receiver does not delay the other webhooks of its organization. An attempt
 * beyond the limit is postponed to the time at which it can probably begin, estimated from the duration of the last attempts. So each one is postponed
 * about once.
 */
import { entryCache } from '#workers'

/** Half of the concurrent attempts of an organization. */
export const AT_ONCE_PER_WEBHOOK = 4
/** Webhooks whose state is kept. A forgotten state is measured again. */
const WEBHOOKS_LIMIT = 10_000
/** Initial and minimum average. Due jobs are not looked for more often, so a finer estimate would have no effect. */
const MIN_AVERAGE_MS = 50
/** Maximum postponement, because a slow receiver may become fast again. */
const MAX_WAIT_MS = 10 * 60 * 1000
/** Weight of the latest attempt in the average. */
const LATEST = 0.3

interface WebhookState {
  running: number
  averageMs: number
  /** When the next attempt that is not planned yet can begin, in milliseconds since the epoch. */
  nextStart: number
}

export class WebhookPace {
  readonly #states = entryCache<WebhookState>(WEBHOOKS_LIMIT)

  /** Begins an attempt. Null: it may run, and `end` must be called. Otherwise: when to try again. @param now milliseconds since the epoch */
  begin(webhookId: string, now: number): Date | null {
    const state = this.#stateOf(webhookId)
    if (state.running < AT_ONCE_PER_WEBHOOK) {
      state.running++
      return null
    }
    state.nextStart = Math.min(Math.max(state.nextStart, now) + state.averageMs / AT_ONCE_PER_WEBHOOK, now + MAX_WAIT_MS)
    return new Date(Math.ceil(state.nextStart))
  }

  end(webhookId: string, durationMs: number): void {
    const state = this.#stateOf(webhookId)
    state.running = Math.max(0, state.running - 1)
    state.averageMs = Math.max(MIN_AVERAGE_MS, state.averageMs * (1 - LATEST) + durationMs * LATEST)
  }

  #stateOf(webhookId: string): WebhookState {
    let state = this.#states.get(webhookId)
    if (state === undefined) this.#states.set(webhookId, (state = { running: 0, averageMs: MIN_AVERAGE_MS, nextStart: 0 }))
    return state
  }
}
