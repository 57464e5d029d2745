/**
 * Sessions: what earlier events of a caller left, on the main side. Invariants:
 *  1. the state here is the authority; what threads hold are copies. A thread may die at any moment: the answer it was at is lost, nothing else
 *  2. events of a session run one at a time, in the order in which they came
 *  3. an event counts once it is answered; one that was stopped (deadline, fault, abort) has left nothing
 *  4. a session belongs to a caller and a compiled ruleset: the same id of another caller, or on other content, is another session
 *
 * State is a snapshot (`v8.serialize`) and the inputs answered since, which a thread runs again: the engine is deterministic. Copying the state
 * with every event would be simpler, and cost, measured (Node 20, rules and logs of a default installation):
 *
 *     stored events      1       100      1,000      8,192
 *     bytes            4.4 KB   0.2 MB    1.4 MB    10.6 MB
 *     serialize ms      0.02     0.2       5          18
 *     deserialize ms    0.02     0.2       2.5        30
 *
 * against 0.03 ms for an event. So the state stays in the thread that ran the session last, and this side asks for a snapshot once the journal is
 * longer than SNAPSHOT_EVERY inputs and than a sixteenth of what the snapshot before it held: the copying then costs about as much as the
 * running at worst, and a rebuild runs at most 512 inputs (15 ms; half a second where composites search all of 8,192 events for each).
 */
import { type LogtestInput, MEMORY_SIZE } from '#engine'
import type { JournalEntry, SessionReference, SessionState } from './protocol.js'
import { SharedCache } from './shared-cache.js'

/** After its last use. */
export const SESSION_TTL_MS = 60 * 60 * 1000
/** A caller that loses one starts afresh; 10,000 small ones take about 50 MB. */
export const SESSION_LIMIT = 10_000
/** Snapshots and journals of all sessions. */
export const SESSIONS_BYTES = 256 * 1024 * 1024
/** One session; above it the session is given up, and its next event starts afresh. Six times 8,192 events of an ordinary length. */
export const SESSION_BYTES = 64 * 1024 * 1024
/** Events of one session that may wait for its lock. */
export const SESSION_QUEUE_LIMIT = 1024
/** Inputs after which a snapshot is due. */
export const SNAPSHOT_EVERY = 256
/** And not before this part of what the last one held. */
const SNAPSHOT_SHARE = 16
/** Bytes of inputs after which a snapshot is due: long events are cut by the engine, a snapshot of them is shorter. */
const SNAPSHOT_EVERY_BYTES = 1024 * 1024
/** Of a journal entry, beside its texts. */
const ENTRY_BYTES = 200
/** Of a session, whatever it holds. */
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
  /** Inputs answered so far. */
  version = 0
  /** The thread that ran it last. */
  threadId: number | null = null
  waiting = 0
  /** Resolves when the task before has released the session. */
  unlocked: Promise<void> = Promise.resolve()

  /** @param wasLost one of that key was given up before */
  constructor(
    readonly organization: string,
    readonly key: string,
    readonly wasLost = false,
  ) {}

  get bytes(): number {
    return HEAD_BYTES + this.#journalBytes + (this.#snapshot?.byteLength ?? 0)
  }

  /** What a task carries; the state itself is added for a thread that lacks it. */
  reference(): SessionReference {
    const due = this.#journal.length >= Math.max(SNAPSHOT_EVERY, this.#snapshotInputs / SNAPSHOT_SHARE) || this.#journalBytes >= SNAPSHOT_EVERY_BYTES
    return { key: this.key, organization: this.organization, version: this.version, state: null, wantSnapshot: due, isLost: this.wasLost && this.version === 0 }
  }

  state(): SessionState {
    return { snapshot: this.#snapshot, journal: this.#journal }
  }

  /** Inputs were answered. @param snapshot the state after them, where one was asked for */
  answered(inputs: readonly LogtestInput[], seconds: number, snapshot: Uint8Array | null, threadId: number): void {
    this.version += inputs.length
    this.threadId = threadId
    if (snapshot !== null) {
      this.#snapshot = snapshot
      // The engine remembers no more events, so that a snapshot doesn't grow with older ones.
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

/** A session that is one task's alone. */
export interface SessionLock {
  readonly record: SessionRecord
  release(): void
}

export interface SessionMetrics {
  readonly sessions: number
  readonly bytes: number
}

/** The sessions of all callers, as this side keeps them: enough to go on in any thread. Where there are too many they go as `SharedCache` says. */
export class Sessions {
  readonly #records: SharedCache<SessionRecord>
  /** Keys of sessions that were given up, as many as there may be sessions: their callers are told with the next event. */
  readonly #lost: SharedCache<true>

  /** @param clock milliseconds; only differences count */
  constructor(clock: () => number, limit = SESSION_LIMIT) {
    const ttl = { ms: SESSION_TTL_MS, clock }
    this.#lost = new SharedCache({ maxSize: limit, ttl })
    this.#records = new SharedCache({
      maxSize: SESSIONS_BYTES,
      maxEntries: limit,
      // One whose hour is over is not lost.
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
   * Waits until all earlier tasks have released the session. A lock must be released.
   * `busy`: too many wait already. `aborted`: by the signal, while waiting.
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
    // Its place in the order stays until it comes up, so that later tasks keep theirs.
    void before.then(lock.release)
    return 'aborted'
  }

  #open({ organization, caller, rulesetKey, id }: SessionName): SessionRecord {
    const key = JSON.stringify([organization, caller, rulesetKey, id])
    let record = this.#records.get(organization, key)
    if (record === undefined) {
      record = new SessionRecord(organization, key, this.#lost.delete(organization, key))
      this.#records.set(organization, key, record, record.bytes)
    }
    return record
  }

  /** Counts its size anew, and its hour. */
  #store(record: SessionRecord): void {
    const { organization, key, bytes } = record
    // Another record has its place: it was evicted while it ran. The new one is what later events go by.
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
