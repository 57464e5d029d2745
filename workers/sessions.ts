/**
 * Sessions on the main thread: the state that earlier events of a caller left. Invariants:
 *  1. the state here is authoritative; threads have copies. A thread may end at any moment: only the answer in progress is lost
 *  2. events of a session run one at a time, in the order of their arrival
 *  3. an event counts when it is answered; one that was stopped (deadline, fault, abort) has no effect
 *  4. a session belongs to a caller and a compiled ruleset: the same id with another caller or other content is another session
 *
 * The state is a snapshot (`v8.serialize`) and the inputs answered since then, which a thread runs again: the engine is deterministic. Copying the state with
 * every event would be simpler, but costs this (Node 20, rules and logs of a default installation):
 *
 * | stored events  | 1      | 100    | 1,000  | 8,192   |
 * |----------------|--------|--------|--------|---------|
 * | bytes          | 4.4 KB | 0.2 MB | 1.4 MB | 10.6 MB |
 * | serialize ms   | 0.02   | 0.2    | 5      | 18      |
 * | deserialize ms | 0.02   | 0.2    | 2.5    | 30      |
 *
 * An event takes 0.03 ms. So the state stays in the thread that ran the session last. The main thread requests a snapshot when the journal is longer than
 * SNAPSHOT_EVERY inputs and than a sixteenth of what the last snapshot contained: copying then takes at worst about as long as running, and a rebuild runs at
 * most 512 inputs (15 ms; half a second if composites search all 8,192 events for each).
 */
import { type LogtestInput, MEMORY_SIZE } from '#engine'
import type { JournalEntry, SessionReference, SessionState } from './protocol.js'
import type { SessionMarks } from './session-marks.js'
import { SharedCache } from './shared-cache.js'

/** Time after its last use at which a session expires. */
export const SESSION_TTL_MS = 60 * 60 * 1000
/** A caller whose session is lost starts again; 10,000 small ones take about 50 MB. */
export const SESSION_LIMIT = 10_000
/** Limit of the snapshots and journals of all sessions. */
export const SESSIONS_BYTES = 256 * 1024 * 1024
/** Limit of one session; above it the session is discarded, and its next event starts again. Six times 8,192 events of an ordinary length. */
export const SESSION_BYTES = 64 * 1024 * 1024
/** Events of one session that may wait for its lock. */
export const SESSION_QUEUE_LIMIT = 1024
/** Number of inputs after which a snapshot is due. */
export const SNAPSHOT_EVERY = 256
/** A snapshot is also not due before this share of the inputs in the last one. */
const SNAPSHOT_SHARE = 16
/** Bytes of inputs after which a snapshot is due: the engine cuts long events, so a snapshot of them is smaller. */
const SNAPSHOT_EVERY_BYTES = 1024 * 1024
/** Size of a journal entry without its texts. */
const ENTRY_BYTES = 200
/** Size of an empty session. */
const HEAD_BYTES = 1024

export interface SessionName {
  readonly organization: string
  readonly caller: string
  readonly rulesetKey: string
  readonly id: string
}

/** The state of one session. Only the task that holds the lock changes it. */
export class SessionRecord {
  #snapshot: Uint8Array | null = null
  #snapshotInputs = 0
  #journal: JournalEntry[] = []
  #journalBytes = 0
  /** Number of inputs answered so far. */
  version = 0
  /** The thread that ran the session last. */
  threadId: number | null = null
  waiting = 0
  /** When it was recorded for the next process; 0: never. */
  markedAt = 0
  /** Resolves when the previous task has released the session. */
  unlocked: Promise<void> = Promise.resolve()

  /** @param wasLost a session with that key was discarded before */
  constructor(
    readonly organization: string,
    readonly key: string,
    readonly wasLost = false,
  ) {}

  get bytes(): number {
    return HEAD_BYTES + this.#journalBytes + (this.#snapshot?.byteLength ?? 0)
  }

  /** Returns the reference that a task carries. The state is added for a thread that lacks it. */
  reference(): SessionReference {
    const due = this.#journal.length >= Math.max(SNAPSHOT_EVERY, this.#snapshotInputs / SNAPSHOT_SHARE) || this.#journalBytes >= SNAPSHOT_EVERY_BYTES
    return { key: this.key, organization: this.organization, version: this.version, state: null, wantSnapshot: due, isLost: this.wasLost && this.version === 0 }
  }

  state(): SessionState {
    return { snapshot: this.#snapshot, journal: this.#journal }
  }

  /** Records answered inputs. @param snapshot the state after them, if it was requested */
  answered(inputs: readonly LogtestInput[], seconds: number, snapshot: Uint8Array | null, threadId: number): void {
    this.version += inputs.length
    this.threadId = threadId
    if (snapshot !== null) {
      this.#snapshot = snapshot
      // The engine remembers no more events, so a snapshot does not grow with older ones.
      this.#snapshotInputs = Math.min(this.version, MEMORY_SIZE)
      this.#journal = []
      this.#journalBytes = 0
      return
    }
    for (const input of inputs) {
      this.#journal.push({ input, seconds })
      this.#journalBytes += ENTRY_BYTES + 2 * (input.event.length + (input.location?.length ?? 0))
    }
  }
}

/** Exclusive access of one task to a session. */
export interface SessionLock {
  readonly record: SessionRecord
  release(): void
}

export interface SessionsOptions {
  readonly limit?: number
  /** Limit of the snapshots and journals of all sessions. */
  readonly maxBytes?: number
  readonly marks?: SessionMarks | null
}

export interface SessionMetrics {
  readonly sessions: number
  readonly bytes: number
}

/** The sessions of all callers, with enough data to continue in any thread. `SharedCache` decides which are evicted. */
export class Sessions {
  readonly #records: SharedCache<SessionRecord>
  /** Keys of discarded sessions, as many as there may be sessions. Their callers are informed with the next event. */
  readonly #lost: SharedCache<true>
  readonly #marks: SessionMarks | null

  /** @param clock returns milliseconds; only differences matter @param marks null: there is no next process */
  constructor(clock: () => number, { limit = SESSION_LIMIT, maxBytes = SESSIONS_BYTES, marks = null }: SessionsOptions = {}) {
    this.#marks = marks
    const ttl = { ms: SESSION_TTL_MS, clock }
    this.#lost = new SharedCache({ maxSize: limit, ttl })
    this.#records = new SharedCache({
      maxSize: maxBytes,
      maxEntries: limit,
      // An expired session is not lost.
      onEvict: (record) => {
        if (record.version > 0 || record.wasLost) this.#setLost(record)
      },
      ttl,
    })
  }

  metrics(): SessionMetrics {
    return { sessions: this.#records.size, bytes: this.#records.bytes }
  }

  /**
   * Waits until all earlier tasks have released the session. The caller must release the lock.
   * `busy`: too many tasks wait already. `aborted`: the signal was aborted while waiting.
   */
  async lock(name: SessionName, signal?: AbortSignal): Promise<SessionLock | 'busy' | 'aborted'> {
    if (signal?.aborted) return 'aborted'
    const record = this.#open(name)
    if (record.waiting >= SESSION_QUEUE_LIMIT) return 'busy'
    record.waiting++
    const before = record.unlocked
    let done!: () => void
    record.unlocked = new Promise<void>((resolve) => {
      done = resolve
    })
    const lock: SessionLock = {
      record,
      release: () => {
        record.waiting--
        this.#store(record)
        done()
      },
    }
    if (signal === undefined) {
      await before
      return lock
    }
    let onAbort!: () => void
    const aborted = new Promise<'aborted'>((resolve) => {
      onAbort = () => resolve('aborted')
      signal.addEventListener('abort', onAbort, { once: true })
    })
    const first = await Promise.race([before, aborted])
    signal.removeEventListener('abort', onAbort)
    if (first !== 'aborted') return lock
    // Its place in the order is released when its turn comes, so that later tasks keep theirs.
    void before.then(lock.release)
    return 'aborted'
  }

  #open({ organization, caller, rulesetKey, id }: SessionName): SessionRecord {
    const key = JSON.stringify([organization, caller, rulesetKey, id])
    let record = this.#records.get(organization, key)
    if (record === undefined) {
      record = new SessionRecord(organization, key, this.#lost.delete(organization, key) || this.#marks?.take(key) === true)
      this.#records.set(organization, key, record, record.bytes)
    }
    return record
  }

  /** Updates its size and its expiry. */
  #store(record: SessionRecord): void {
    const { organization, key, bytes } = record
    if (this.#marks !== null && record.version > 0) record.markedAt = this.#marks.note(key, record.markedAt)
    // Another record has replaced it, because it was evicted while it ran. Later events use the new one.
    const current = this.#records.peek(organization, key)
    if (current !== undefined && current !== record) return
    if (bytes <= SESSION_BYTES) return this.#records.set(organization, key, record, bytes)
    this.#records.delete(organization, key)
    this.#setLost(record)
  }

  #setLost({ organization, key }: SessionRecord): void {
    this.#lost.set(organization, key, true, 1)
  }
}
