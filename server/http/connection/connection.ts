/**
 * One connection of the HTTP server: how its bytes reach Node's parser, and in which order its requests are dispatched. Invariants:
 *  1. requests of a connection are dispatched one at a time. While an answer is outstanding, nothing behind its request is parsed, and no more than
 *     `WAITING_BYTES` and one read are held, so a client that pipelines and does not read costs one answer
 *  2. bytes are parsed in slices. A socket delivers 64 KB at once, which may hold 10,000 chunks or 2,000 requests; after each slice the limits are looked at
 *  3. a body is parsed only while a handler reads it, but for the rest of a slice
 *  4. after `discard` nothing is parsed: what the client still sends is counted and dropped
 *
 * Node offers no such limits, so the listener by which its parser gets the bytes is moved behind this one (Node's own upgrade code does the same).
 * A request costs 0.7 µs more that way.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Of bytes that may hold many small requests or chunks: 120 of the shortest requests, or 680 chunks of one byte. */
const SLICE_BYTES = 4 * 1024

/** Of bytes that wait to be parsed before the socket is paused. A paused socket does not tell that its client has left, so a few requests may wait. */
const WAITING_BYTES = 16 * 1024

/**
 * Limits of what is dropped after a refusal. To close at once would make the client's system throw the answer away unread; but nobody has to send twice the
 * largest body.
 */
const DISCARD_BYTES = 16 * 1024 * 1024
const DISCARD_MS = 10_000
/** A client that sends nothing for so long has read its answer, or is gone. */
const DISCARD_IDLE_MS = 1_000
/** Between two reads of at most 64 KB while bytes are dropped: 12 MB a second are quick for a client, and forty clients cost a few percent of a core. */
const DISCARD_PACE_MS = 5

type Parse = (this: Socket, bytes: Buffer) => void
export type Dispatch = (req: IncomingMessage, res: ServerResponse) => void

const CONNECTION = Symbol('connection')
/** `_paused`: Node waits for a client that does not take its answers, and its parser must get nothing meanwhile. */
type OwnedSocket = Socket & { [CONNECTION]?: Connection; readonly _paused?: boolean }

export class Connection {
  readonly #socket: OwnedSocket
  readonly #parse: Parse
  /** What came and is not parsed yet. */
  #unparsed: Buffer | null = null
  /** Requests that were parsed and are not answered. */
  #outstanding = 0
  /** The last one of them, and its answer. */
  #request: IncomingMessage | null = null
  #response: ServerResponse | null = null
  #isEnding = false
  #isBodyWanted = false
  /** Bytes of a body whose length is known that are still to come, at least; -1: it comes in chunks. */
  #bodyLeft = 0
  #isPaused = false
  /** The parser is at work, which it tells of requests from within. */
  #isParsing = false
  /** Bytes that may still be dropped; -1: the connection is not discarding. */
  #discardLeft = -1
  #discardIdle: NodeJS.Timeout | null = null
  #onDiscarded: (() => void) | null = null

  /** Takes charge of a new connection. @throws TypeError when Node's server does not read its sockets by a `data` listener */
  static attach(socket: Socket): void {
    ;(socket as OwnedSocket)[CONNECTION] = new Connection(socket)
  }

  static of(socket: Socket): Connection {
    const connection = (socket as OwnedSocket)[CONNECTION]
    if (connection === undefined) throw new TypeError('the socket is not of createHttpServer')
    return connection
  }

  private constructor(socket: Socket) {
    const [parse, ...others] = socket.listeners('data')
    if (parse === undefined || others.length > 0) throw new TypeError("node's HTTP server reads its sockets in another way")
    this.#socket = socket
    this.#parse = parse as Parse
    // First ours, so that the socket is never without a reader.
    socket.on('data', this.#onData)
    socket.off('data', parse as Parse)
    socket.once('close', () => this.#end())
  }

  /** A request was parsed. It is dispatched as soon as those before it are answered. */
  accept(req: IncomingMessage, res: ServerResponse, dispatch: Dispatch): void {
    this.#outstanding++
    this.#request = req
    this.#response = res
    this.#isBodyWanted = false
    this.#bodyLeft = req.headers['transfer-encoding'] === undefined ? Number(req.headers['content-length'] ?? 0) : -1
    res.once('close', this.#onAnswered)
    if (res.socket !== null) dispatch(req, res)
    // Node gives the socket to the next answer while it is still at the end of the one before.
    else res.once('socket', () => setImmediate(() => this.#socket.destroyed || dispatch(req, res)))
  }

  /** The handler of the current request listens for its body. Parsing goes on when the body flows, so that its reader counts each chunk as it is parsed. */
  wantBody(): void {
    const request = this.#request
    process.nextTick(() => {
      if (this.#request !== request) return
      this.#isBodyWanted = true
      this.#feed()
    })
  }

  /** Nobody reads the rest of the request's body. */
  leaveBody(req: IncomingMessage): void {
    if (this.#request === req) this.#request = null
  }

  /** Drops what the client still sends. @param onDone called once: the client has ended or fallen silent, or sent too much; the answer can be ended */
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
    // Also where Node has paused it, as nobody read the body.
    this.#socket.resume()
  }

  get isDiscarding(): boolean {
    return this.#discardLeft >= 0
  }

  /** The client has ended, or sent bytes that are no request: nothing more is parsed. */
  stop(): void {
    this.#unparsed = null
    this.#discardLeft = 0
    this.#endDiscard()
  }

  /** Closes the connection when the requests that were parsed are answered; nothing more is parsed. */
  endAfterAnswers(): void {
    this.stop()
    this.#isEnding = true
    if (this.#response?.headersSent === false) this.#response.shouldKeepAlive = false
  }

  readonly #onData = (bytes: Buffer): void => {
    if (this.#discardLeft >= 0) {
      this.#discardLeft = Math.max(0, this.#discardLeft - bytes.length)
      if (this.#discardLeft === 0) return this.#endDiscard()
      this.#discardIdle?.refresh()
      this.#socket.pause()
      setTimeout(() => this.#socket.resume(), DISCARD_PACE_MS).unref()
      return
    }
    this.#unparsed = this.#unparsed === null ? bytes : Buffer.concat([this.#unparsed, bytes])
    this.#feed()
  }

  readonly #onAnswered = (): void => {
    if (--this.#outstanding > 0) return
    if (this.#isEnding) return this.#socket.destroySoon()
    // Other connections have their turn first.
    if (this.#unparsed !== null) setImmediate(() => this.#feed())
    else this.#resume()
  }

  #feed(): void {
    if (this.#isParsing) return
    this.#isParsing = true
    while (this.#unparsed !== null && this.#mayParse()) {
      const bytes: Buffer = this.#unparsed
      const size = this.#sliceBytes()
      this.#unparsed = bytes.length <= size ? null : bytes.subarray(size)
      if (this.#bodyLeft > 0) this.#bodyLeft -= Math.min(size, bytes.length)
      this.#parse.call(this.#socket, bytes.length <= size ? bytes : bytes.subarray(0, size))
    }
    this.#isParsing = false
    if (this.#unparsed === null) return this.#resume()
    if (this.#unparsed.length > WAITING_BYTES) {
      this.#isPaused = true
      // Each time: reading a body resumes the socket.
      this.#socket.pause()
    }
    if (this.#socket._paused === true) this.#socket.once('drain', () => this.#feed())
  }

  #mayParse(): boolean {
    if (this.#socket._paused === true) return false
    if (this.#outstanding === 0) return true
    return this.#isBodyWanted && this.#request?.complete === false
  }

  /** A body of known length holds neither chunks nor requests. What is left of it may be counted too high by the slice that held its headers. */
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
    this.#request = null
    this.#response = null
    this.#endDiscard()
  }
}
