/**
 * Sends unread counts to event streams. Invariants:
 *  1. a stream receives a count only if it differs from the last one that it received
 *  2. counts are read every `POLL_MS`, once for each user and organization with streams, and at once after a change by this instance, in whichever of its processes
 *  3. a stream ends with its session (`auth/open-sessions.ts`)
 *  4. one timer serves all streams, and at most `COUNTS_AT_ONCE` queries run concurrently, so that streams do not delay requests
 */
import type { OpenSession, OpenSessions } from '../../core/auth/open-sessions.js'
import type { Log } from '../../core/observability/log.js'
import { type Forget, Forgetting } from '../../core/tenancy/forgetting.js'
import { commentText, EventStream, eventText } from '../../core/sse/stream.js'
import type { Connections } from '../../core/sse/connections.js'
import type { Scope } from '../../core/tenancy/scope.js'

/** Interval of polls. CONTRACT.md#notifications promises a delay of up to about 5 seconds. */
const POLL_MS = 5000
/** A stream without data for this long gets a comment with the next poll, within 20 s. Load balancers close idle connections after 30 s or more. */
const QUIET_MS = 15_000
/** Concurrent counts; each reads an index. */
const COUNTS_AT_ONCE = 8

/** Route key of connections and refusals. */
const ROUTE = 'notifications.stream'
const KEEP_ALIVE = commentText('keep-alive')

export interface FeedParts {
  readonly connections: Pick<Connections, 'acquire'>
  readonly unread: (scope: Scope, userId: string) => Promise<number>
  readonly sessions: Pick<OpenSessions, 'add'>
  readonly log: Pick<Log, 'warn'>
  /** Default: there are no other processes. */
  readonly forgetting?: Pick<Forgetting, 'topic'>
  /** Monotonic clock in milliseconds. */
  readonly monotonic?: () => number
  /** Default `POLL_MS`. */
  readonly pollMs?: number
}

/** An open stream. */
interface Listener extends OpenSession {
  readonly stream: EventStream
  /** The last count that was sent. */
  lastCount: number
  /** When data was last sent, by the monotonic clock. */
  sentAt: number
}

interface ChangedCounts {
  readonly organizationId: string
  readonly userIds: readonly string[]
}

/** The streams of one user in one organization. */
interface Group {
  readonly scope: Scope
  readonly userId: string
  readonly listeners: Set<Listener>
  isCounting: boolean
  /** The count changed while it was read, so it is read again. */
  isOutdated: boolean
}

export class UnreadFeed {
  readonly #parts: FeedParts
  readonly #now: () => number
  readonly #pollMs: number
  readonly #groups = new Map<string, Group>()
  /** Groups whose count is to be read, in order of waiting time. */
  readonly #due = new Set<Group>()
  readonly #changed: Forget<ChangedCounts>
  #counting = 0
  #timer: NodeJS.Timeout | null = null
  #isFailing = false
  #isClosed = false

  constructor(parts: FeedParts) {
    this.#parts = parts
    this.#now = parts.monotonic ?? (() => performance.now())
    this.#pollMs = parts.pollMs ?? POLL_MS
    this.#changed = (parts.forgetting ?? new Forgetting()).topic<ChangedCounts>('unread_counts', (change) => this.#recount(change))
  }

  /**
   * Opens a stream that begins with the current count. It ends when the client disconnects, the session ends, its connection lease is lost, or the
   * signal is aborted.
   * @throws ApiError sse_connection_limit_exceeded, overloaded
   */
  async subscribe(scope: Scope, { userId, sessionId, expiresAt }: Omit<OpenSession, 'organizationId'>, signal: AbortSignal): Promise<EventStream> {
    const stream = new EventStream()
    const slot = await this.#parts.connections.acquire(userId, ROUTE, () => stream.end())
    let count: number
    try {
      count = await this.#parts.unread(scope, userId)
    } catch (error) {
      await slot.release()
      throw error
    }
    const listener: Listener = { userId, sessionId, expiresAt, organizationId: scope.organizationId, stream, lastCount: count, sentAt: this.#now() }
    stream.offer(unreadEvent(count))
    const onAbort = (): void => stream.end()
    const leaveSession = this.#parts.sessions.add(listener, onAbort)
    stream.once('close', () => {
      leaveSession()
      signal.removeEventListener('abort', onAbort)
      this.#leave(listener)
      void slot.release()
    })
    this.#join(scope, listener)
    if (signal.aborted || this.#isClosed) stream.end()
    else signal.addEventListener('abort', onAbort)
    return stream
  }

  /** Call it after a commit that changes the unread counts of these users. */
  changed(organizationId: string, userIds: readonly string[]): void {
    void this.#changed({ organizationId, userIds })
  }

  #recount({ organizationId, userIds }: ChangedCounts): void {
    if (this.#groups.size === 0) return
    for (const userId of userIds) {
      const group = this.#groups.get(keyOf(organizationId, userId))
      if (group !== undefined) this.#due.add(group)
    }
    this.#countDue()
  }

  /** Ends all streams. Resolves when they have begun to release their connections. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#due.clear()
    // Requests have ended or were aborted by now, so no client reads the buffered data.
    for (const { listeners } of this.#groups.values()) for (const { stream } of listeners) stream.destroy()
    // Streams emit `close` in the next iteration of the event loop.
    await new Promise(setImmediate)
  }

  #join(scope: Scope, listener: Listener): void {
    const key = keyOf(scope.organizationId, listener.userId)
    const group = this.#groups.get(key) ?? { scope, userId: listener.userId, listeners: new Set(), isCounting: false, isOutdated: false }
    group.listeners.add(listener)
    this.#groups.set(key, group)
    this.#schedule(this.#pollMs)
  }

  #leave(listener: Listener): void {
    const key = keyOf(listener.organizationId, listener.userId)
    const group = this.#groups.get(key)
    group?.listeners.delete(listener)
    if (group === undefined || group.listeners.size > 0) return
    this.#groups.delete(key)
    this.#due.delete(group)
  }

  #schedule(ms: number): void {
    if (this.#timer !== null || this.#isClosed || this.#groups.size === 0) return
    this.#timer = setTimeout(() => this.#poll(), ms).unref()
  }

  #poll(): void {
    this.#keepAlive(this.#now())
    for (const group of this.#groups.values()) this.#due.add(group)
    this.#countDue()
    this.#timer = null
    this.#schedule(this.#pollMs)
  }

  #keepAlive(now: number): void {
    for (const { listeners } of this.#groups.values())
      for (const listener of listeners) if (now - listener.sentAt >= QUIET_MS && listener.stream.offer(KEEP_ALIVE)) listener.sentAt = now
  }

  #countDue(): void {
    for (const group of this.#due) {
      if (this.#counting >= COUNTS_AT_ONCE) return
      this.#due.delete(group)
      // Two concurrent counts of one group could finish in the wrong order.
      if (group.isCounting) group.isOutdated = true
      else void this.#count(group)
    }
  }

  async #count(group: Group): Promise<void> {
    group.isCounting = true
    this.#counting++
    try {
      const count = await this.#parts.unread(group.scope, group.userId)
      for (const listener of group.listeners) send(listener, count, this.#now())
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#parts.log.warn({ err: error }, 'unread notifications could not be counted; will retry')
      this.#isFailing = true
    }
    group.isCounting = false
    this.#counting--
    if (group.isOutdated && group.listeners.size > 0) this.#due.add(group)
    group.isOutdated = false
    this.#countDue()
  }
}

/** Sends the count if it changed. A client that reads too slowly gets the count of a later poll. */
function send(listener: Listener, count: number, now: number): void {
  if (count === listener.lastCount || !listener.stream.offer(unreadEvent(count))) return
  listener.lastCount = count
  listener.sentAt = now
}

function unreadEvent(unread: number): string {
  return eventText('unread', { unread })
}

function keyOf(organizationId: string, userId: string): string {
  return `${organizationId}\n${userId}`
}
