/**
 * Sessions on the main thread: the state that earlier events of a caller left. Invariants:
 *  1. the state here is authoritative; threads have copies. A thread may end at any moment: only the answer in progress is lost
 *  2. events of a session run one at a time, in the order of their arrival
 *  3. an event counts when it is answered; one that was stopped (deadline, fault, abort) has no effect
 *  4. a session belongs to a caller and a compiled ruleset: the same id with another caller or other content is another session
 *  5. a session that another process takes is only in that process: callers who wait for it here are told so, and ask there
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
 * SNAPSHOT_EVERY inputs and than a sixteenth of what the last snapshot contained: copying then takes in the worst case about as long as running, and a rebuild runs at
 * most 512 inputs (15 ms; half a second if composites search all 8,192 events for each).
 */
import { setMaxListeners } from 'node:events'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { type LogtestInput, MEMORY_SIZE } from '#engine-data'
import type { JournalEntry, SessionReference, SessionState } from '../shared/protocol.js'
import { SharedCache } from '../shared/shared-cache.js'
import { SessionMarks } from './session-marks.js'

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
/** The same for work in the background. */
const BACKGROUND_SNAPSHOT_BYTES = 8 * 1024 * 1024
/** Size of a journal entry without its texts. */
const ENTRY_BYTES = 200
/** Size of an empty session. */
const HEAD_BYTES = 1024
/** Marks that are kept for each session that there may be: a session is marked again every five minutes. */
const MARKS_PER_SESSION = 2
/** Sessions that are marked or handed over before the main thread does other work. */
const SESSIONS_AT_ONCE = 256

export interface SessionName {
  readonly organization: string
  readonly caller: string
  readonly rulesetKey: string
  readonly id: string
}

/** A session, for another process that continues it. */
export interface PortableSession extends SessionState {
  /** Number of inputs answered so far. */
  readonly version: number
  /** Number of inputs in the snapshot. */
  readonly snapshotInputs: number
}

/** What the former processes of a session know of it. `lost`: one of them had it; `busy`: one of them can't hand it over now; null: none has had it. */
export type FormerSession = PortableSession | 'lost' | 'busy' | null

/** Whether another process has a session that was handed over to it. `unknown`: it has not answered. */
export type Given = 'given' | 'kept' | 'unknown'

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
  /** Another process has taken it. */
  isMoved = false
  /** Whether no other process has it, or continues it. */
  isSettled = false
  /** Resolves when the previous task has released the session. */
  unlocked: Promise<void> = Promise.resolve()

  /** @param wasLost a session with that key was discarded before */
  constructor(
    readonly organization: string,
    readonly key: string,
    public wasLost = false,
  ) {}

  get bytes(): number {
    return HEAD_BYTES + this.#journalBytes + (this.#snapshot?.byteLength ?? 0)
  }

  /**
   * Returns the reference that a task carries. The state is added for a thread that lacks it.
   * @param isBackground its tasks stay in their thread, so a rebuild is rare, and a snapshot, for which others wait, can be
   */
  reference(isBackground = false): SessionReference {
    const due = isBackground ? this.#journal.length >= MEMORY_SIZE || this.#journalBytes >= BACKGROUND_SNAPSHOT_BYTES : this.#isSnapshotDue()
    return { key: this.key, organization: this.organization, version: this.version, state: null, wantSnapshot: due, isLost: this.wasLost && this.version === 0 }
  }

  #isSnapshotDue(): boolean {
    return this.#journal.length >= Math.max(SNAPSHOT_EVERY, this.#snapshotInputs / SNAPSHOT_SHARE) || this.#journalBytes >= SNAPSHOT_EVERY_BYTES
  }

  state(): SessionState {
    return { snapshot: this.#snapshot, journal: this.#journal }
  }

  /** Returns everything that another process needs to continue the session. */
  portable(): PortableSession {
    return { ...this.state(), version: this.version, snapshotInputs: this.#snapshotInputs }
  }

  /** Continues what other processes know of the session, unless one of them has handed it over meanwhile. */
  settle(former: Exclude<FormerSession, 'busy'>): void {
    this.isSettled = true
    if (former === 'lost') this.wasLost = true
    else if (former !== null && this.version < former.version) this.restore(former)
  }

  /** Continues a session of another process. */
  restore({ version, snapshot, snapshotInputs, journal }: PortableSession): void {
    this.isSettled = true
    this.version = version
    this.threadId = null
    this.#snapshot = snapshot
    this.#snapshotInputs = snapshotInputs
    this.#journal = [...journal]
    this.#journalBytes = journal.reduce((sum, { input }) => sum + bytesOf(input), 0)
  }

  /** Records answered inputs. @param seconds when they were received: all, or each @param snapshot the state after them, if it was requested */
  answered(inputs: readonly LogtestInput[], seconds: number | readonly number[], snapshot: Uint8Array | null, threadId: number): void {
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
    for (const [at, input] of inputs.entries()) {
      this.#journal.push({ input, seconds: typeof seconds === 'number' ? seconds : seconds[at] })
      this.#journalBytes += bytesOf(input)
    }
  }
}

/** The size of an input in the journal. */
function bytesOf({ event, location }: LogtestInput): number {
  return ENTRY_BYTES + 2 * (event.length + (location?.length ?? 0))
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
  /** File for the marks of the next process. Null: there is none. */
  readonly marksFile?: string | null
}

/** Called when a session is marked. @param mark for `Sessions.addMarks` of the process that gets it when this one ends */
export type OnMarked = (name: SessionName, mark: Buffer) => void

export interface SessionMetrics {
  readonly sessions: number
  readonly bytes: number
}

/** The sessions of all callers, with enough data to continue in any thread. `SharedCache` decides which are evicted. */
export class Sessions {
  readonly #records: SharedCache<SessionRecord>
  /** Marks of discarded sessions, as many as there may be sessions. Their callers are informed with the next event. */
  readonly #lost: SharedCache<Buffer>
  readonly #marks: SessionMarks
  /** Whether a process gets the sessions of this one when it ends. */
  #isMarking: boolean
  #onMarked: OnMarked = () => {}

  /** @param clock returns milliseconds, which agree in all processes if there is a file of marks */
  constructor(clock: () => number, { limit = SESSION_LIMIT, maxBytes = SESSIONS_BYTES, marksFile = null }: SessionsOptions = {}) {
    this.#isMarking = marksFile !== null
    this.#marks = new SessionMarks({ file: marksFile, limit: MARKS_PER_SESSION * limit, ttlMs: SESSION_TTL_MS, clock })
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
   * `busy`: too many tasks wait already. `aborted`: the signal was aborted while waiting. `moved`: another process has taken the session meanwhile.
   */
  async lock(name: SessionName, signal?: AbortSignal): Promise<SessionLock | 'busy' | 'aborted' | 'moved'> {
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
    /** The lock when its turn has come. */
    const inTurn = (): SessionLock | 'moved' => {
      if (!record.isMoved) return lock
      lock.release()
      return 'moved'
    }
    if (signal === undefined) {
      await before
      return inTurn()
    }
    let onAbort!: () => void
    const aborted = new Promise<'aborted'>((resolve) => {
      onAbort = () => resolve('aborted')
      signal.addEventListener('abort', onAbort, { once: true })
    })
    const first = await Promise.race([before, aborted])
    signal.removeEventListener('abort', onAbort)
    if (first !== 'aborted') return inTurn()
    // Its place in the order is released when its turn comes, so that later tasks keep theirs.
    void before.then(lock.release)
    return 'aborted'
  }

  /** Removes a session when its turn has come, for another process. @returns `busy`: it is in use for too long */
  async take(name: SessionName, signal: AbortSignal): Promise<FormerSession> {
    const { organization } = name
    const key = keyOf(name)
    if (this.#records.peek(organization, key) === undefined) return this.#wasLost(organization, key) ? 'lost' : null
    const lock = await this.lock(name, signal)
    if (lock === 'moved') return null
    if (typeof lock === 'string') return 'busy'
    const { record } = lock
    // Who asked has given up, and would not get it.
    if (signal.aborted) {
      lock.release()
      return 'busy'
    }
    const taken = record.version > 0 ? record.portable() : record.wasLost ? 'lost' : null
    record.isMoved = true
    lock.release()
    // An answer that does not arrive is asked for again, and the session is not here any more.
    if (taken !== null) this.#setLost(record)
    return taken
  }

  /** Releases a lock whose session is another process's. What was opened for it is not kept, except that it was lost. */
  decline({ record, release }: SessionLock): void {
    if (record.version === 0) record.isMoved = true
    release()
    if (record.version === 0 && record.wasLost) this.#setLost(record)
  }

  /** Continues a session of another process, unless this one has answered more of it: the other one was not told in time that it had been handed over. */
  adopt(name: SessionName, state: PortableSession): void {
    const record = this.#open(name)
    if (record.version >= state.version) return
    record.restore(state)
    this.#store(record)
  }

  /**
   * Hands over the sessions of other processes, some at once. @param signal ends it early
   * @returns how many could not be handed over
   */
  async give(isAway: (name: SessionName) => boolean, give: (name: SessionName, state: PortableSession) => Promise<Given>, signal: AbortSignal): Promise<number> {
    let kept = 0
    const one = async (record: SessionRecord): Promise<void> => {
      const name = nameOf(record)
      if (record.isMoved || !isAway(name)) return
      const lock = await this.lock(name, signal)
      if (typeof lock === 'string') {
        if (record.version > 0 && !record.isMoved) kept++
        return
      }
      const { record: locked } = lock
      if (locked.version > 0) {
        const given = await give(name, locked.portable())
        locked.isMoved = given === 'given'
        locked.isSettled &&= given !== 'unknown'
        if (!locked.isMoved) kept++
      }
      lock.release()
    }
    setMaxListeners(SESSIONS_AT_ONCE, signal)
    const records = [...this.#records.values()]
    while (records.length > 0) await Promise.all(records.splice(0, SESSIONS_AT_ONCE).map(one))
    return kept
  }

  /** From now on each mark is also passed on. */
  passMarks(onMarked: OnMarked): void {
    this.#isMarking = true
    this.#onMarked = onMarked
  }

  /** Marks all sessions again: another process gets them now when this one ends. */
  async markAll(): Promise<void> {
    const records = [...this.#records.values()]
    while (records.length > 0) {
      for (const record of records.splice(0, SESSIONS_AT_ONCE)) {
        record.markedAt = 0
        this.#mark(record)
      }
      await nextIteration()
    }
  }

  /** Records sessions that another process has, and this one gets when that one ends. */
  addMarks(marks: Uint8Array): void {
    this.#marks.add(marks)
  }

  /** Returns all that is known of sessions which were lost, or may be when another process ends: for `addMarks`, when this one ends. */
  knownMarks(): Buffer {
    return Buffer.concat([this.#marks.others(), ...this.#lost.values()])
  }

  /** Discards all sessions; their callers are told. */
  loseAll(): void {
    for (const record of [...this.#records.values()]) {
      // Who runs in it answers; who waits finds the new one.
      record.isMoved = true
      this.#records.delete(record.organization, record.key)
      if (record.version > 0 || record.wasLost) this.#setLost(record)
    }
  }

  #open(name: SessionName): SessionRecord {
    const { organization } = name
    const key = keyOf(name)
    let record = this.#records.get(organization, key)
    if (record === undefined) {
      record = new SessionRecord(organization, key, this.#wasLost(organization, key))
      this.#records.set(organization, key, record, record.bytes)
    }
    return record
  }

  /** Whether the session was discarded, here or in a process that has ended. True once. */
  #wasLost(organization: string, key: string): boolean {
    return this.#lost.delete(organization, key) || this.#marks.take(key)
  }

  #mark(record: SessionRecord): void {
    if (!this.#isMarking || record.version === 0) return
    const mark = this.#marks.note(record.key, record.markedAt)
    if (mark === null) return
    record.markedAt = mark.at
    this.#onMarked(nameOf(record), mark.bytes)
  }

  /** Updates its size and its expiry. */
  #store(record: SessionRecord): void {
    const { organization, key, bytes } = record
    if (record.isMoved) {
      if (this.#records.peek(organization, key) === record) this.#records.delete(organization, key)
      return
    }
    this.#mark(record)
    // Another record has replaced it, because it was evicted while it ran. Later events use the new one.
    const current = this.#records.peek(organization, key)
    if (current !== undefined && current !== record) return
    if (bytes <= SESSION_BYTES) return this.#records.set(organization, key, record, bytes)
    this.#records.delete(organization, key)
    this.#setLost(record)
  }

  #setLost({ organization, key }: SessionRecord): void {
    this.#lost.set(organization, key, this.#marks.markNow(key), 1)
  }
}

function keyOf({ organization, caller, rulesetKey, id }: SessionName): string {
  return JSON.stringify([organization, caller, rulesetKey, id])
}

function nameOf({ key }: SessionRecord): SessionName {
  const [organization, caller, rulesetKey, id] = JSON.parse(key) as [string, string, string, string]
  return { organization, caller, rulesetKey, id }
}
