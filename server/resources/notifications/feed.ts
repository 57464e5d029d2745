/**
 * The unread counts that streams tell. Invariants:
 *  1. a stream is told a count when it has changed since the last one that it was told, and only then
 *  2. counts are looked for every `LOOK_MS`, once for each user and organization, however many streams they have; what this instance changes, at once
 *  3. with each look it is asked whether the sessions still stand; a stream whose session doesn't is ended
 *  4. one timer serves all streams, and at most `COUNTS_AT_ONCE` questions of theirs are under way: streams never hold up requests
 */
import type { SessionHolder } from '../../auth/live-sessions.js'
import type { Log } from '../../observability/log.js'
import { commentText, EventStream, eventText } from '../../sse/stream.js'
import type { Connections } from '../../sse/connections.js'
import type { Scope } from '../../tenancy/scope.js'

/** CONTRACT.md#notifications: a delay of up to about 5 seconds. */
const LOOK_MS = 5000
/** A stream that was told nothing for so long gets a comment with the next look: within 20 s. Balancers wait 30 s and more. */
const QUIET_MS = 15_000
/** Each is one look into an index. */
const COUNTS_AT_ONCE = 8

/** Key of places and refusals. */
const ROUTE = 'notifications.stream'
const KEEP_ALIVE = commentText('keep-alive')

export interface FeedParts {
  readonly connections: Pick<Connections, 'take'>
  readonly unread: (scope: Scope, userId: string) => Promise<number>
  /** Those whose sessions still stand. */
  readonly live: <T extends SessionHolder>(holders: readonly T[]) => Promise<ReadonlySet<T>>
  readonly log: Pick<Log, 'warn'>
  /** Milliseconds that never go back. */
  readonly monotonic?: () => number
  /** Default `LOOK_MS`. */
  readonly lookMs?: number
}

/** An open stream. */
interface Listener extends SessionHolder {
  readonly stream: EventStream
  /** The count that it was told last. */
  told: number
  /** When it was sent anything last; of a clock that never goes back. */
  sentAt: number
}

/** The streams of one user in one organization. */
interface Group {
  readonly scope: Scope
  readonly userId: string
  readonly listeners: Set<Listener>
  /** A count is under way; another one follows when something has changed meanwhile. */
  counting: boolean
  again: boolean
}

export class UnreadFeed {
  readonly #parts: FeedParts
  readonly #now: () => number
  readonly #lookMs: number
  readonly #groups = new Map<string, Group>()
  /** Groups whose count is to be looked for, the longest waiting first. */
  readonly #due = new Set<Group>()
  #counting = 0
  #timer: NodeJS.Timeout | null = null
  #isFailing = false
  #isClosed = false

  constructor(parts: FeedParts) {
    this.#parts = parts
    this.#now = parts.monotonic ?? (() => performance.now())
    this.#lookMs = parts.lookMs ?? LOOK_MS
  }

  /**
   * A stream that begins with the count as it is now. It is over when its reader goes, the session ends, its slot is lost, or the signal says so.
   * @throws ApiError sse_connection_limit_exceeded, overloaded
   */
  async subscribe(scope: Scope, { userId, sessionId }: Omit<SessionHolder, 'organizationId'>, signal: AbortSignal): Promise<EventStream> {
    const stream = new EventStream()
    const slot = await this.#parts.connections.take(userId, ROUTE, () => stream.end())
    let told: number
    try {
      told = await this.#parts.unread(scope, userId)
    } catch (error) {
      await slot.release()
      throw error
    }
    const listener: Listener = { userId, sessionId, organizationId: scope.organizationId, stream, told, sentAt: this.#now() }
    stream.offer(unreadEvent(told))
    const onAbort = (): void => stream.end()
    stream.once('close', () => {
      signal.removeEventListener('abort', onAbort)
      this.#leave(listener)
      void slot.release()
    })
    this.#join(scope, listener)
    if (signal.aborted || this.#isClosed) stream.end()
    else signal.addEventListener('abort', onAbort)
    return stream
  }

  /** This instance has stored something that changes what these users have unread. */
  changed(organizationId: string, userIds: readonly string[]): void {
    if (this.#groups.size === 0) return
    for (const userId of userIds) {
      const group = this.#groups.get(keyOf(organizationId, userId))
      if (group !== undefined) this.#due.add(group)
    }
    this.#countDue()
  }

  /** Ends all streams. Resolves when they are giving back their places. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#due.clear()
    // Their requests are over by now, or were cut; nobody reads what would still wait.
    for (const { listeners } of this.#groups.values()) for (const { stream } of listeners) stream.destroy()
    // A stream says that it is closed in the next turn.
    await new Promise(setImmediate)
  }

  #join(scope: Scope, listener: Listener): void {
    const key = keyOf(scope.organizationId, listener.userId)
    const group = this.#groups.get(key) ?? { scope, userId: listener.userId, listeners: new Set(), counting: false, again: false }
    group.listeners.add(listener)
    this.#groups.set(key, group)
    this.#lookLater(this.#lookMs)
  }

  #leave(listener: Listener): void {
    const key = keyOf(listener.organizationId, listener.userId)
    const group = this.#groups.get(key)
    group?.listeners.delete(listener)
    if (group === undefined || group.listeners.size > 0) return
    this.#groups.delete(key)
    this.#due.delete(group)
  }

  #lookLater(ms: number): void {
    if (this.#timer !== null || this.#isClosed || this.#groups.size === 0) return
    this.#timer = setTimeout(() => void this.#look(), ms).unref()
  }

  /** Looks of a slow database don't overlap: the next one waits. */
  async #look(): Promise<void> {
    const begun = this.#now()
    this.#keepAlive(begun)
    try {
      await this.#endRevoked()
      this.#isFailing = false
    } catch (error) {
      // Once, not every five seconds. While the database is away nobody can revoke anything.
      if (!this.#isFailing) this.#parts.log.warn({ err: error }, 'sessions of event streams could not be looked at; it is tried again')
      this.#isFailing = true
    }
    for (const group of this.#groups.values()) this.#due.add(group)
    this.#countDue()
    this.#timer = null
    this.#lookLater(Math.max(0, this.#lookMs - (this.#now() - begun)))
  }

  #keepAlive(now: number): void {
    for (const { listeners } of this.#groups.values())
      for (const listener of listeners) if (now - listener.sentAt >= QUIET_MS && listener.stream.offer(KEEP_ALIVE)) listener.sentAt = now
  }

  async #endRevoked(): Promise<void> {
    const listeners = [...this.#groups.values()].flatMap((group) => [...group.listeners])
    const live = await this.#parts.live(listeners)
    for (const listener of listeners) if (!live.has(listener)) listener.stream.end()
  }

  #countDue(): void {
    for (const group of this.#due) {
      if (this.#counting >= COUNTS_AT_ONCE) return
      this.#due.delete(group)
      // Two counts of one group might come in the wrong order.
      if (group.counting) group.again = true
      else void this.#count(group)
    }
  }

  async #count(group: Group): Promise<void> {
    group.counting = true
    this.#counting++
    try {
      const count = await this.#parts.unread(group.scope, group.userId)
      for (const listener of group.listeners) tell(listener, count, this.#now())
    } catch (error) {
      if (!this.#isFailing) this.#parts.log.warn({ err: error }, 'unread notifications could not be counted; it is tried again')
      this.#isFailing = true
    }
    group.counting = false
    this.#counting--
    if (group.again && group.listeners.size > 0) this.#due.add(group)
    group.again = false
    this.#countDue()
  }
}

/** A reader who is behind is told with a later look, what is true then. */
function tell(listener: Listener, count: number, now: number): void {
  if (count === listener.told || !listener.stream.offer(unreadEvent(count))) return
  listener.told = count
  listener.sentAt = now
}

function unreadEvent(unread: number): string {
  return eventText('unread', { unread })
}

function keyOf(organizationId: string, userId: string): string {
  return `${organizationId}\n${userId}`
}
