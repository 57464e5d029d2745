/**
 * Session states that a thread keeps, so that the next event of a session need not carry its state. They are copies: the main thread can restore each of them
 * (`sessions.ts`), so they may be evicted, or be lost with the thread, at any time.
 */
import { deserialize, serialize } from 'node:v8'
import type { LogtestInput, Session } from '#engine'
import { createSession } from '#engine'
import type { SessionReference } from '../shared/protocol.js'
import { SharedCache } from '../shared/shared-cache.js'

/** Limit for each thread. A session of 8,192 short events takes about 10 MB; a busy thread serves few of that size at a time. */
export const LIVE_SESSIONS_BYTES = 48 * 1024 * 1024
/** Size of a session without its events. */
const SESSION_BYTES = 4 * 1024
/** Size of a remembered event without its text, which is stored about twice. */
const EVENT_BYTES = 1024

interface LiveSession {
  readonly state: Session
  version: number
  bytes: number
}

export class LiveSessions {
  readonly #sessions = new SharedCache<LiveSession>({ maxSize: LIVE_SESSIONS_BYTES })

  /**
   * Returns the state from which a task continues; null: it is not here and the task does not carry it. Removes it: if the task fails, nothing is left, and the
   * main thread sends the earlier state.
   * @param replay runs an input again, for its effect on the state
   */
  take(reference: SessionReference, replay: (input: LogtestInput, seconds: number, state: Session) => void): Session | null {
    const live = this.#sessions.get(reference.organization, reference.key)
    this.#sessions.delete(reference.organization, reference.key)
    // A state that is sent replaces the one here, which may be from a task whose caller cancelled before it ended.
    if (reference.state === null && live !== undefined && live.version === reference.version) {
      this.#taken = live.bytes
      return live.state
    }
    if (reference.state === null) return null
    const { snapshot, journal } = reference.state
    const state = snapshot === null ? createSession() : (deserialize(snapshot) as Session)
    this.#taken = SESSION_BYTES + (snapshot?.byteLength ?? 0)
    for (const { input, seconds } of journal) {
      replay(input, seconds, state)
      this.#taken += EVENT_BYTES + 2 * input.event.length
    }
    return state
  }

  #taken = 0

  /** Stores a state after its inputs were answered. @returns a snapshot if it is requested */
  put(reference: SessionReference, state: Session, inputs: readonly LogtestInput[]): Uint8Array | null {
    const snapshot = reference.wantSnapshot ? serialize(state) : null
    let bytes = Math.max(this.#taken, SESSION_BYTES)
    for (const { event } of inputs) bytes += EVENT_BYTES + 2 * event.length
    // The sum above only grows, although the state is bounded. A snapshot corrects it.
    if (snapshot !== null) bytes = SESSION_BYTES + snapshot.byteLength
    if (bytes <= LIVE_SESSIONS_BYTES) this.#sessions.set(reference.organization, reference.key, { state, version: reference.version + inputs.length, bytes }, bytes)
    return snapshot
  }
}
