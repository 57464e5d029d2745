/**
 * The connections of a service of several processes. The supervisor accepts them and gives each to the process that has the fewest, of several to the one that was
 * given none for the longest time: it is the likeliest to have closed one that the supervisor still counts. Invariants:
 *  1. a connection belongs to the supervisor until a process says that it has taken it; if that process ends before, another one gets it
 *  2. while no process serves, connections wait
 *  3. a connection that its process has not taken within a minute is lost: it is closed, so that its caller does not wait for ever
 *
 * Refused: `node:cluster`, which loses a connection for ever, without closing it, if it is given to a process that was killed a moment ago; accepting in the
 * processes, where the kernel gives most connections to few of them.
 */
import type { Socket } from 'node:net'

/**
 * Connections that wait for a process; a further one replaces the oldest, whose caller may have left: that is noticed only by reading. Starting a process needs
 * open files, too, and some systems allow 1,024.
 */
const WAITING_LIMIT = 512
/**
 * A process takes a connection in its next turn. One that has not after so long has never got it: Node gives up sending a socket after three attempts, without
 * telling. Closing the supervisor's copy then ends it, and changes nothing if the process has it after all.
 */
const LOST_MS = 60_000

/** A process, as far as connections are concerned. */
export interface Taker {
  /** Whether it serves. */
  readonly isServing: boolean
  /** Sends the connection. */
  give(connection: number, socket: Socket): void
}

export class Connections {
  readonly #takers: readonly Taker[]
  /** Connections that a process has and those on the way to it, by process. */
  readonly #counts = new Map<Taker, number>()
  /** The last connection that each was given. */
  readonly #lastGiven = new Map<Taker, number>()
  readonly #onTheWay = new Map<number, { readonly socket: Socket; readonly taker: Taker; readonly lost: NodeJS.Timeout }>()
  readonly #waiting = new Set<Socket>()
  readonly #lostMs: number
  #last = 0

  constructor(takers: readonly Taker[], lostMs = LOST_MS) {
    this.#takers = takers
    this.#lostMs = lostMs
  }

  /** Number of connections of a process. */
  countOf(taker: Taker): number {
    return this.#counts.get(taker) ?? 0
  }

  offer(socket: Socket): void {
    socket.on('error', () => {})
    let least: Taker | null = null
    for (const taker of this.#takers) if (taker.isServing && (least === null || this.#isBefore(taker, least))) least = taker
    if (least !== null) return this.#give(least, socket)
    if (this.#waiting.size >= WAITING_LIMIT) {
      const [oldest] = this.#waiting
      this.#waiting.delete(oldest)
      oldest.destroy()
    }
    this.#waiting.add(socket)
    socket.once('close', () => this.#waiting.delete(socket))
  }

  #isBefore(taker: Taker, other: Taker): boolean {
    const more = this.countOf(taker) - this.countOf(other)
    return more < 0 || (more === 0 && (this.#lastGiven.get(taker) ?? 0) < (this.#lastGiven.get(other) ?? 0))
  }

  /** The process has it: the supervisor's copy is closed, which the caller does not notice. */
  taken(connection: number): void {
    const given = this.#onTheWay.get(connection)
    if (given === undefined) return
    clearTimeout(given.lost)
    this.#onTheWay.delete(connection)
    given.socket.destroy()
  }

  /** A connection of the process is closed. */
  closed(taker: Taker): void {
    this.#counts.set(taker, Math.max(0, this.countOf(taker) - 1))
  }

  /** The process accepts connections from now on. */
  serves(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const socket of waiting) if (!socket.destroyed) this.offer(socket)
  }

  /** The process has ended, and has lost what it had taken. */
  ended(taker: Taker): void {
    this.#counts.delete(taker)
    for (const [connection, { socket, taker: to, lost }] of [...this.#onTheWay]) {
      if (to !== taker) continue
      clearTimeout(lost)
      this.#onTheWay.delete(connection)
      this.offer(socket)
    }
  }

  /** Closes what no process has taken. */
  close(): void {
    for (const socket of this.#waiting) socket.destroy()
    for (const { socket, lost } of this.#onTheWay.values()) {
      clearTimeout(lost)
      socket.destroy()
    }
  }

  #give(taker: Taker, socket: Socket): void {
    const connection = ++this.#last
    this.#onTheWay.set(connection, { socket, taker, lost: setTimeout(() => this.taken(connection), this.#lostMs).unref() })
    this.#counts.set(taker, this.countOf(taker) + 1)
    this.#lastGiven.set(taker, connection)
    taker.give(connection, socket)
  }
}
