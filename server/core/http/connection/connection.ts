/**
 * Controls one connection of the HTTP server: how its bytes reach Node's parser, and in which order its requests are dispatched. Invariants:
 *  1. requests of a connection are dispatched one at a time. While a response is outstanding, bytes behind its request are not parsed, and at most
 *     `WAITING_BYTES` and one read are buffered, so a client that pipelines without reading costs one response
 *  2. bytes are parsed in slices. One read of a socket delivers up to 64 KB, which may contain 10,000 chunks or 2,000 requests; the limits are checked after each slice
 *  3. a body is parsed only while a handler reads it, except for the rest of the current slice
 *  4. after `discard` nothing is parsed: later bytes are counted and dropped
 *  5. what all connections parse and begin to answer in one iteration of the event loop is limited (`work-budget.ts`), and so is what they drop (`discard-pace.ts`)
 *
 * Node has no such limits. Therefore the `data` listener of its parser is called through this class, as Node's own upgrade code does.
 * This costs 0.7 µs per request.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { freeMemory } from './free-memory.js'
import { DiscardPace } from './discard-pace.js'
import { REQUEST_BYTES, WorkBudget } from './work-budget.js'

/** Size of a slice: at most 120 of the shortest requests, or 680 chunks of one byte. */
const SLICE_BYTES = 4 * 1024

/** Unparsed bytes at which the socket is paused. A paused socket does not report that its client has closed it, so a few requests may wait unpaused. */
const WAITING_BYTES = 16 * 1024

/**
 * Bytes that are dropped after a refusal. If the server closed at once, the client's system would discard the response unread. Twice the largest body is enough
 * for every valid client.
 */
const DISCARD_BYTES = 16 * 1024 * 1024
const DISCARD_MS = 10_000
/** A client that sends nothing for this long has read the response or is gone. */
const DISCARD_IDLE_MS = 1_000
type Parse = (this: Socket, bytes: Buffer) => void
export type Dispatch = (req: IncomingMessage, res: ServerResponse) => void

const CONNECTION = Symbol('connection')
/** `_paused`: Node waits for a client that does not read its responses; the parser must receive nothing meanwhile. */
/** What the connections of one server share. */
export class SharedPace {
  readonly work = new WorkBudget()
  readonly discard = new DiscardPace()
}

type OwnedSocket = Socket & { [CONNECTION]?: Connection; readonly _paused?: boolean }

export class Connection {
  readonly #socket: OwnedSocket
  readonly #parse: Parse
  readonly #pace: SharedPace
  #parsedBytes = 0
  /** Bytes that were received and are not parsed yet. */
  #unparsed: Buffer | null = null
  /** Number of requests that are parsed and not answered. */
  #outstanding = 0
  /** The last of them, and its response. */
  #request: IncomingMessage | null = null
  #response: ServerResponse | null = null
  /** Begins to answer the last request, whose turn it is. */
  #due: (() => void) | null = null
  /** The budget calls this connection when it may continue. */
  #isWaiting = false
  #isEnding = false
  #isBodyWanted = false
  /** Lower limit of the bytes that are still missing from a body of known length; -1: the body is chunked. */
  #bodyLeft = 0
  #isPaused = false
  /** True while the parser runs; it reports requests from within. */
  #isParsing = false
  /** Bytes that may still be dropped; -1: the connection is not discarding. */
  #discardLeft = -1
  #discardIdle: NodeJS.Timeout | null = null
  #onDiscarded: (() => void) | null = null

  /** Takes over a new connection. @throws TypeError when Node's server does not read its sockets by a `data` listener */
  static attach(socket: Socket, pace: SharedPace): void {
    ;(socket as OwnedSocket)[CONNECTION] = new Connection(socket, pace)
  }

  static of(socket: Socket): Connection {
    const connection = (socket as OwnedSocket)[CONNECTION]
    if (connection === undefined) throw new TypeError('the socket does not belong to createHttpServer')
    return connection
  }

  private constructor(socket: Socket, pace: SharedPace) {
    const [parse, ...others] = socket.listeners('data')
    if (parse === undefined || others.length > 0) throw new TypeError("node's HTTP server reads its sockets in another way")
    this.#socket = socket
    this.#pace = pace
    this.#parse = parse as Parse
    // Added before Node's listener is removed, so that the socket always has a reader.
    socket.on('data', this.#onData)
    socket.off('data', parse as Parse)
    socket.once('close', () => this.#end())
  }

  /** Accepts a parsed request. It is dispatched when the requests before it are answered. */
  accept(req: IncomingMessage, res: ServerResponse, dispatch: Dispatch): void {
    this.#outstanding++
    this.#request = req
    this.#response = res
    this.#isBodyWanted = false
    this.#bodyLeft = req.headers['transfer-encoding'] === undefined ? Number(req.headers['content-length'] ?? 0) : -1
    res.once('close', this.#onAnswered)
    if (res.socket !== null) dispatch(req, res)
    // Node assigns the socket to the next response while the previous one is still ending.
    else
      res.once('socket', () => {
        this.#due = () => void (this.#socket.destroyed || dispatch(req, res))
        setImmediate(() => this.#feed())
      })
  }

  get isShort(): boolean {
    return this.#unparsed === null || this.#unparsed.length <= SLICE_BYTES
  }

  /** Called by the budget. */
  proceed(): void {
    this.#isWaiting = false
    this.#feed()
  }

  /**
   * Called when the handler of the current request starts reading its body. Parsing continues when the body flows, so its reader counts each chunk as it is
   * parsed.
   */
  wantBody(): void {
    const request = this.#request
    process.nextTick(() => {
      if (this.#request !== request) return
      this.#isBodyWanted = true
      this.#feed()
    })
  }

  /** Called when the rest of the request's body will not be read. */
  skipBody(req: IncomingMessage): void {
    if (this.#request === req) this.#request = null
  }

  /**
   * Drops what the client still sends. @param onDone called once, when the client has ended, has been silent, or has sent too much; the response can then be
   * ended
   */
  discard(onDone: () => void): void {
    const over = setTimeout(() => this.#endDiscard(), DISCARD_MS)
    const idle = setTimeout(() => this.#endDiscard(), DISCARD_IDLE_MS)
    this.#onDiscarded = () => {
      clearTimeout(over)
      clearTimeout(idle)
      onDone()
    }
    this.#discardIdle = idle
    this.#discardLeft = DISCARD_BYTES
    this.#unparsed = null
    // Node may have paused it, because the body was not read.
    this.#socket.resume()
  }

  /** Bytes that were given to the parser. */
  get parsedBytes(): number {
    return this.#parsedBytes
  }

  get isDiscarding(): boolean {
    return this.#discardLeft >= 0
  }

  /** The client has ended or sent malformed bytes: stops parsing. */
  stop(): void {
    this.#unparsed = null
    this.#discardLeft = 0
    this.#endDiscard()
  }

  /** Stops parsing, and closes the connection when the parsed requests are answered. */
  endAfterAnswers(): void {
    this.stop()
    this.#isEnding = true
    if (this.#response?.headersSent === false) this.#response.shouldKeepAlive = false
  }

  readonly #onData = (bytes: Buffer): void => {
    if (this.#discardLeft >= 0) {
      this.#discardLeft = Math.max(0, this.#discardLeft - bytes.length)
      if (this.#discardLeft === 0) return this.#endDiscard()
      this.#socket.pause()
      this.#pace.discard.add(this.#onDiscardTurn)
      return
    }
    this.#unparsed = this.#unparsed === null ? bytes : Buffer.concat([this.#unparsed, bytes])
    this.#feed()
  }

  readonly #onDiscardTurn = (): void => {
    this.#discardIdle?.refresh()
    this.#socket.resume()
  }

  readonly #onAnswered = (): void => {
    if (--this.#outstanding > 0) return
    if (this.#isEnding) return this.#socket.destroySoon()
    // Yields to other connections.
    if (this.#unparsed !== null) setImmediate(() => this.#feed())
    else this.#resume()
  }

  #feed(): void {
    if (this.#isParsing) return
    if (!this.#isWaiting) this.#work()
    if (this.#unparsed === null) return this.#resume()
    // A client may end its side behind a request that waits: while the socket is paused, its end is not reported.
    if (this.#unparsed.length > WAITING_BYTES || this.#isWaiting) {
      this.#isPaused = true
      // Repeated for each slice, because reading a body resumes the socket.
      this.#socket.pause()
    }
    if (this.#socket._paused === true && !this.#isWaiting) this.#socket.once('drain', () => this.#feed())
  }

  /** Does what the budget permits. */
  #work(): void {
    if (this.#due !== null) {
      if (!this.#mayWork(REQUEST_BYTES)) return
      const due = this.#due
      this.#due = null
      return due()
    }
    this.#isParsing = true
    while (this.#unparsed !== null && this.#mayParse()) {
      const bytes: Buffer = this.#unparsed
      const size = this.#sliceBytes()
      // A longer slice is a part of a body, which costs no more than a short one.
      if (!this.#mayWork(Math.min(bytes.length, SLICE_BYTES))) break
      this.#unparsed = bytes.length <= size ? null : bytes.subarray(size)
      const slice = bytes.length <= size ? bytes : bytes.subarray(0, size)
      if (this.#bodyLeft > 0) this.#bodyLeft -= slice.length
      this.#parsedBytes += slice.length
      this.#parse.call(this.#socket, slice)
      // The parser has copied the body. All that precedes it in a read is parsed.
      if (size > SLICE_BYTES && slice === bytes) freeMemory(bytes)
    }
    this.#isParsing = false
  }

  #mayWork(bytes: number): boolean {
    this.#isWaiting = !this.#pace.work.take(this, bytes)
    return !this.#isWaiting
  }

  #mayParse(): boolean {
    if (this.#socket._paused === true) return false
    if (this.#outstanding === 0) return true
    return this.#isBodyWanted && this.#request?.complete === false
  }

  /**
   * A body of known length contains neither chunks nor requests, so it is parsed in one slice. The slice with its headers may count too many bytes as missing.
   */
  #sliceBytes(): number {
    return this.#bodyLeft > SLICE_BYTES && this.#request?.complete === false ? this.#bodyLeft : SLICE_BYTES
  }

  #resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#socket.resume()
  }

  #endDiscard(): void {
    const onDone = this.#onDiscarded
    this.#onDiscarded = null
    this.#discardIdle = null
    onDone?.()
  }

  #end(): void {
    this.#unparsed = null
    this.#due = null
    this.#request = null
    this.#response = null
    this.#endDiscard()
  }
}
