/**
 * How many attempts a webhook may have under way on this instance, so that a slow one keeps none of its organization's others waiting. What is too much
 * is put off to the moment when its turn will most likely come, by how long the last attempts took: each is put off about once, not again and again.
 */
import { LRUCache } from 'lru-cache'

/** Half of what an organization may have at work. */
export const AT_ONCE_PER_WEBHOOK = 4
/** Webhooks whose pace is remembered; of a forgotten one it is learned anew. */
const WEBHOOKS_LIMIT = 10_000
/** A first guess, and the least: a turn is not planned more finely than jobs are looked for. */
const LEAST_MS = 50
/** Nothing is put off for longer: a webhook that was slow may be quick again. */
const LONGEST_WAIT_MS = 10 * 60 * 1000
/** Share of the latest attempt in the average. */
const LATEST = 0.3

interface Lane {
  running: number
  averageMs: number
  /** When the next turn that nobody has been told of begins, milliseconds since the epoch. */
  nextTurn: number
}

export class Pace {
  readonly #lanes = new LRUCache<string, Lane>({ max: WEBHOOKS_LIMIT })

  /** Begins an attempt. Null: go ahead, and tell `end`. Otherwise: when to ask again. @param now milliseconds since the epoch */
  begin(webhookId: string, now: number): Date | null {
    const lane = this.#lane(webhookId)
    if (lane.running < AT_ONCE_PER_WEBHOOK) {
      lane.running++
      return null
    }
    lane.nextTurn = Math.min(Math.max(lane.nextTurn, now) + lane.averageMs / AT_ONCE_PER_WEBHOOK, now + LONGEST_WAIT_MS)
    return new Date(Math.ceil(lane.nextTurn))
  }

  end(webhookId: string, durationMs: number): void {
    const lane = this.#lane(webhookId)
    lane.running = Math.max(0, lane.running - 1)
    lane.averageMs = Math.max(LEAST_MS, lane.averageMs * (1 - LATEST) + durationMs * LATEST)
  }

  #lane(webhookId: string): Lane {
    let lane = this.#lanes.get(webhookId)
    if (lane === undefined) this.#lanes.set(webhookId, (lane = { running: 0, averageMs: LEAST_MS, nextTurn: 0 }))
    return lane
  }
}
