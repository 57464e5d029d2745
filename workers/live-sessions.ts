/**
 * Session states that a thread holds, so that the next event of a session need not bring its state along. They are copies: the main thread can
 * make any of them again (`sessions.ts`), so they may be evicted, or die with the thread, at any time.
 */
import { deserialize, serialize } from 'node:v8'
import type { LogtestInput, Session } from '#engine'
import { createSession } from '#engine'
import type { SessionReference } from './protocol.js'
import { SharedCache } from './shared-cache.js'

/** Per thread. A session of 8,192 short events takes about 10 MB; a busy thread serves few of that size at a time. */
export const LIVE_SESSIONS_BYTES = 48 * 1024 * 1024
/** What a session takes beside its events. */
const SESSION_BYTES = 4 * 1024
/** What is remembered of an event beside its text, which is kept about twice. */
const EVENT_BYTES = 1024

interface LiveSession {
  readonly state: Session
  version: number
  bytes: number
}

export class LiveSessions {
  readonly #sessions = new SharedCache<LiveSession>({ maxSize: LIVE_SESSIONS_BYTES })

  /**
   * The state that a task goes on from; null when it is not here and the task doesn't bring it. It is taken out: a task that fails halfway
   * leaves nothing behind, and the main thread sends the state as it was before.
   * @param replay runs an input again, for its effect on the state
   */
  take(reference: SessionReference, replay: (input: LogtestInput, seconds: number, state: Session) => void): Session | null {
    const live = this.#sessions.get(reference.organization, reference.key)
    this.#sessions.delete(reference.organization, reference.key)
    // A state that is sent is the truth: what is here may come from a task whose caller was gone before it ended.
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

  /** Puts a state back after its inputs were answered. @returns a snapshot if one is asked for */
  put(reference: SessionReference, state: Session, inputs: readonly LogtestInput[]): Uint8Array | null {
    const snapshot = reference.wantSnapshot ? serialize(state) : null
    let bytes = Math.max(this.#taken, SESSION_BYTES)
    for (const { event } of inputs) bytes += EVENT_BYTES + 2 * event.length
    // The sum above only grows, though memory is bounded; a snapshot tells the truth.
    if (snapshot !== null) bytes = SESSION_BYTES + snapshot.byteLength
    if (bytes <= LIVE_SESSIONS_BYTES) this.#sessions.set(reference.organization, reference.key, { state, version: reference.version + inputs.length, bytes }, bytes)
    return snapshot
  }
}
