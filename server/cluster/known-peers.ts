/**
 * The processes that have sessions: those of this instance, and those of other instances that know one another by address. Invariants:
 *  1. a process has no session before every other one knows it, and it knows them; of two that join at once, at least one finds the other in the directory
 *  2. a process leaves by saying so, or when it has neither reported to the store nor answered for some seconds. A store that fails removes nobody
 *  3. without other instances there is no directory, and nothing changes: a process that ends is started again under its name
 */
import type { Directory } from './directory.js'
import { Ranking } from './ranking.js'

/** A process is found, or its end is noticed, after a few of these. */
const REPORT_MS = 2_000
/** A process that has not reported for so long is asked whether it is there. Longer than a collection of garbage, a busy store or a copy of a machine takes. */
const SILENT_MS = 10_000
/** A question whether a process is there, and the news that one leaves. */
const PING_MS = 3_000
/** A process that is there but busy must not be left out: the two would disagree about the homes of sessions. */
const JOIN_MS = 10_000
/** Time after a change in which a session may not be in its home yet. Handing over all of them takes seconds. */
const SETTLE_MS = 60_000

/** What processes tell one another about their coming and going. */
export type PeerNews = 'join' | 'leave' | 'end' | 'ping'

export interface KnownPeersOptions {
  /** The name of this process. */
  readonly self: string
  /** The processes of this instance, this one included, which are all that there are without a directory. */
  readonly instance: readonly string[]
  /** Null: there are no other instances. */
  readonly directory: Pick<Directory, 'report' | 'peers' | 'remove'> | null
  /** Tells a peer of this process. Rejects when it can't be reached. */
  readonly tell: (name: string, news: PeerNews, signal: AbortSignal) => Promise<unknown>
  /** How long a session lives after its last event. */
  readonly sessionTtlMs: number
  /** Called after each change of the processes. `gone`: the process has ended without notice. */
  readonly onChange: (change: 'joined' | 'left' | 'gone', name: string) => void
  /** Called when this process stood still for so long that the others may have begun its sessions again. */
  readonly onLapse: () => void
  /** The store, or a peer, could not be reached. */
  readonly onError: (error: unknown, name: string | null) => void
  /** Milliseconds, of which only differences matter. Default: a clock that continues while the process is stopped. */
  readonly clock?: () => number
  readonly reportMs?: number
  readonly silentMs?: number
}

interface Report {
  /** Changes with each report. */
  readonly value: number
  /** When this value was read first. */
  readonly at: number
}

interface Left {
  readonly at: number
  /** It has handed over its sessions, or has ended without notice, and need not be asked for them. */
  readonly hasEnded: boolean
}

/** The peers of this process, with those that have left. */
export class KnownPeers {
  readonly self: string
  readonly #options: KnownPeersOptions
  readonly #clock: () => number
  readonly #instance: ReadonlySet<string>
  readonly #reports = new Map<string, Report>()
  /** Processes that did not answer when they were told of this one; each is reported once. */
  readonly #unreachable = new Set<string>()
  #ranking: Ranking
  /** Processes that have left in the last minute, or are gone since then. Others that do not know it yet must not bring them back. */
  readonly #left = new Map<string, Left>()
  #changedAt: number
  #timer: NodeJS.Timeout | null = null
  /** Null: no look is under way. */
  #looking: Promise<void> | null = null
  #lookedAt: number
  #leaving: Promise<void> | null = null
  #setJoined!: () => void
  /** Resolves when the others know this process. Never rejects. */
  readonly joined = new Promise<void>((resolve) => {
    this.#setJoined = resolve
  })

  constructor(options: KnownPeersOptions) {
    this.self = options.self
    this.#options = options
    this.#clock = options.clock ?? (() => performance.now())
    this.#instance = new Set(options.instance)
    this.#ranking = new Ranking(options.directory === null ? options.instance : [options.self])
    this.#changedAt = this.#clock()
    this.#lookedAt = this.#changedAt
  }

  /** The names of the peers. */
  get names(): readonly string[] {
    return this.#ranking.names.filter((name) => name !== this.self)
  }

  /** The process that has the session. @param word of `sessionWord` @param ended processes that the ranking still has */
  homeOf(word: number, ended?: ReadonlySet<string>): string {
    return this.#ranking.firstOf(word, ended) ?? this.self
  }

  /** The process that gets the session when this instance ends, or this process if there is no other instance; null: there is no peer. */
  successorOf(word: number): string | null {
    return this.#ranking.firstOf(word, this.#instance) ?? this.#ranking.firstOf(word, new Set([this.self]))
  }

  /** Peers that may have the session, or know that it is lost. */
  formerHomesOf(word: number): readonly string[] {
    const { directory, sessionTtlMs } = this.#options
    if (directory === null) return []
    const now = this.#clock()
    if (now - this.#changedAt < SETTLE_MS) return [...this.names, ...Array.from(this.#left).flatMap(([name, { hasEnded }]) => (hasEnded ? [] : [name]))]
    // It knows the sessions of a process of this name that was killed, and of one of this instance that is gone.
    const successor = now - this.#changedAt < sessionTtlMs ? this.successorOf(word) : null
    return successor === null ? [] : [successor]
  }

  /** Whether there may be other instances. */
  get areSeveralInstances(): boolean {
    return this.#options.directory !== null
  }

  get isLeaving(): boolean {
    return this.#leaving !== null
  }

  has(name: string): boolean {
    return this.#ranking.has(name)
  }

  /** Finds the other instances and tells them of this process. Rejects when the store fails. */
  async join(): Promise<void> {
    const { directory, reportMs = REPORT_MS } = this.#options
    if (directory === null) return this.#setJoined()
    await directory.report()
    await this.#meetPeers()
    // A slow start is not a lapse.
    this.#lookedAt = this.#clock()
    this.#setJoined()
    this.#timer = setInterval(() => {
      // A store that fails slowly takes longer for a look than the time until the next one.
      this.#looking ??= this.look().finally(() => {
        this.#looking = null
      })
    }, reportMs).unref()
  }

  /** A peer says that a process is there. It may not know yet that it has left. */
  hear(name: string): void {
    if (!this.#left.has(name)) this.meet(name)
  }

  /** A peer says that it is there. */
  meet(name: string): void {
    this.#left.delete(name)
    // What it reports next begins a new time of silence.
    this.#reports.delete(name)
    this.#unreachable.delete(name)
    if (!this.#ranking.has(name) && name !== this.self) this.#change(this.#ranking.with(name), 'joined', name)
  }

  /** A process is no longer there, or is about to end. Its sessions are those of others. */
  drop(name: string, change: 'left' | 'gone' = 'left'): void {
    this.#reports.delete(name)
    if (this.#ranking.has(name)) this.#change(this.#ranking.without(name), change, name)
  }

  /** A process that has left has handed over its sessions. */
  setEnded(name: string): void {
    const left = this.#left.get(name)
    if (left !== undefined) this.#left.set(name, { ...left, hasEnded: true })
  }

  /** This process ends: from now on its sessions are those of others, which know it. Does nothing without other instances. Never rejects. */
  leave(): Promise<void> {
    this.#leaving ??= this.#leave()
    return this.#leaving
  }

  /** Tells the others that this process, which has left, has handed over its sessions. Never rejects. */
  async end(): Promise<void> {
    if (this.#options.directory !== null) await this.#tellAll('end')
  }

  /** Looks for nobody any more, and reports nothing. */
  stopLooking(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
  }

  async #leave(): Promise<void> {
    const { directory, onError } = this.#options
    if (directory === null) return
    this.stopLooking()
    await this.#looking
    await directory.remove().catch((error: unknown) => onError(error, null))
    this.#change(this.#ranking.without(this.self), 'left', this.self)
    await this.#tellAll('leave')
  }

  async #tellAll(news: PeerNews): Promise<void> {
    await Promise.allSettled(this.names.map((name) => this.#options.tell(name, news, AbortSignal.timeout(PING_MS))))
  }

  #change(ranking: Ranking, change: 'joined' | 'left' | 'gone', name: string): void {
    const now = this.#clock()
    for (const [left, { at }] of this.#left) if (now - at >= SETTLE_MS) this.#left.delete(left)
    if (change !== 'joined' && name !== this.self) this.#left.set(name, { at: now, hasEnded: change === 'gone' })
    this.#changedAt = now
    this.#ranking = ranking
    this.#options.onChange(change, name)
  }

  /** Adds the processes of the directory, and tells each of this one. */
  async #meetPeers(): Promise<void> {
    const { directory, tell, onError } = this.#options
    const listed = await (directory as Directory).peers()
    const now = this.#clock()
    const joining: Promise<void>[] = []
    for (const [name, value] of listed) {
      if (this.#reports.get(name)?.value !== value) this.#reports.set(name, { value, at: now })
      if (this.#ranking.has(name) || this.#leaving !== null) continue
      joining.push(
        tell(name, 'join', AbortSignal.timeout(JOIN_MS)).then(
          () => this.meet(name),
          (error: unknown) => {
            // It has just ended, or can't be reached at all. Sessions must not depend on it.
            if (!this.#unreachable.has(name)) onError(error, name)
            this.#unreachable.add(name)
          },
        ),
      )
    }
    await Promise.all(joining)
    for (const known of [this.#reports, this.#unreachable]) for (const name of [...known.keys()]) if (!listed.has(name) && !this.#ranking.has(name)) known.delete(name)
  }

  /** Reports this process, and looks for others; a timer calls it after `join`. Never rejects. */
  async look(): Promise<void> {
    const { directory, onLapse, onError, silentMs = SILENT_MS } = this.#options
    const now = this.#clock()
    const hasLapsed = now - this.#lookedAt > silentMs
    this.#lookedAt = now
    if (hasLapsed && this.names.length > 0) onLapse()
    try {
      await (directory as Directory).report()
      await this.#meetPeers()
      await Promise.all(this.names.map((name) => this.#dropIfSilent(name, silentMs)))
    } catch (error) {
      onError(error, null)
    }
    // A store that fails slowly is not a lapse.
    this.#lookedAt = this.#clock()
  }

  async #dropIfSilent(name: string, silentMs: number): Promise<void> {
    const report = this.#reports.get(name)
    if (report === undefined) {
      // It has left the directory, or has been met before its first report.
      this.#reports.set(name, { value: 0, at: this.#clock() })
      return
    }
    if (this.#clock() - report.at < silentMs) return
    const { directory, tell } = this.#options
    try {
      await tell(name, 'ping', AbortSignal.timeout(PING_MS))
    } catch {
      // If it was this process that stood still meanwhile, the other one has reported.
      const value = (await (directory as Directory).peers()).get(name)
      if (value === undefined || value === report.value) this.drop(name, 'gone')
    }
  }
}
