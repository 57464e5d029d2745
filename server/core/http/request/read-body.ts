/**
 * Reads bodies. Invariants:
 *  1. memory for a body never exceeds the limit, also if the headers declare less, nor what the table of limits permits its organization
 *  2. a client that stops sending is answered 408 after `idleMs`, and a slow one after `totalMs`
 *  3. no part of a body is parsed, and no `100 Continue` is sent, before the body is read here: an earlier refusal costs no body
 *  4. the number of chunks is limited by their bytes
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { ApiError } from '../../errors.js'
import type { GrowingPermit } from '../../limits/limits.js'
import { tooLarge } from './body-limit.js'
import { freeMemory } from '../connection/free-memory.js'
import { Connection } from '../connection/connection.js'

/** Maximum pause between two chunks of a body. */
export const BODY_IDLE_MS = 15_000
/** Maximum duration of a body: 8 MB in that time is 70 KB/s, a bad mobile connection. */
export const BODY_TOTAL_MS = 120_000

export interface BodyLimits {
  readonly maxBytes: number
  readonly idleMs: number
  readonly totalMs: number
}

/** Whether the request has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

const EMPTY = Buffer.alloc(0)
/** Smaller chunks are copied into a block. */
const SMALL_BYTES = 1024
/** Size of a block, and of the chunks that a stream emits. */
const BLOCK_BYTES = 64 * 1024
/** Minimum average size of the chunks beyond the free ones: a line of NDJSON with a short event. */
const CHUNK_BYTES = 32
/** Chunks that may have any size: a client may begin slowly, or send single keystrokes. */
const FREE_CHUNKS = 1024
/** Bytes on the wire that a body of small chunks may need beyond `WIRE_FACTOR` times its own size. */
const FREE_WIRE_BYTES = 128 * 1024
const WIRE_FACTOR = 4

/**
 * @param permit covers the whole body if its length is declared; otherwise it grows with the received bytes. Null: the body is not counted
 * @param pace takes the number of received bytes and returns the milliseconds to wait before more are read. Null: no pacing
 * @throws ApiError payload_too_large, chunks_too_small, request_timeout, body_aborted, limit_reached
 */
export function readBody(
  req: IncomingMessage,
  res: ServerResponse,
  limits: BodyLimits,
  permit: GrowingPermit | null = null,
  pace: ((bytes: number) => number) | null = null,
): Promise<Buffer> {
  if (!hasBody(req)) return Promise.resolve(EMPTY)
  // The connection was closed before: no further event will be emitted.
  if (req.destroyed) return Promise.reject(new ApiError('body_aborted'))
  if (isHere(req, limits.maxBytes)) return Promise.resolve(req.read() as Buffer)
  return new Promise((resolve, reject) => {
    const chunks = new Chunks()
    const size = new ChunkCount(req, limits.maxBytes)
    const isAnnounced = req.headers['content-length'] !== undefined
    const over = performance.now() + limits.totalMs
    const idle = setTimeout(onLate, Math.min(limits.idleMs, limits.totalMs))
    let resting: NodeJS.Timeout | undefined
    function settle(): void {
      clearTimeout(idle)
      clearTimeout(resting)
      req.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut)
    }
    function refuse(error: ApiError): void {
      settle()
      Connection.of(req.socket).skipBody(req)
      req.pause()
      // A request that is cut later emits an error that has no other listener.
      req.on('error', () => {})
      reject(error)
    }
    function onData(chunk: Buffer): void {
      const refusal = size.add(chunk.byteLength)
      if (refusal !== null) return refuse(refusal)
      try {
        if (!isAnnounced) permit?.grow(chunk.byteLength)
      } catch (error) {
        return refuse(error as ApiError)
      }
      chunks.add(chunk)
      // A slow client sends a chunk from time to time, so the total is checked on each chunk.
      if (performance.now() > over) return onLate()
      idle.refresh()
      const waitMs = pace === null ? 0 : pace(chunk.byteLength)
      if (waitMs < 1) return
      req.pause()
      clearTimeout(resting)
      resting = setTimeout(() => {
        idle.refresh()
        req.resume()
      }, waitMs)
    }
    function onEnd(): void {
      settle()
      resolve(chunks.take())
    }
    function onCut(): void {
      refuse(new ApiError('body_aborted'))
    }
    function onLate(): void {
      refuse(new ApiError('request_timeout'))
    }
    req.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut)
    sendContinue(req, res)
  })
}

/**
 * Whether the whole body was parsed with the head, as most small bodies are. Such a body needs neither listeners nor a timer, which cost more than
 * authentication and routing. A chunked body is excluded, because its chunks are counted.
 */
function isHere({ complete, headers, readableLength, readableFlowing }: IncomingMessage, maxBytes: number): boolean {
  return complete && readableFlowing === null && readableLength > 0 && readableLength <= maxBytes && headers['transfer-encoding'] === undefined
}

/**
 * The received chunks. A client may send each byte as its own chunk, and a buffer of one byte takes four hundred: 8 MB needed 3 GB. Therefore small chunks are
 * copied into blocks, which need little more than the bytes themselves.
 */
class Chunks {
  readonly #chunks: Buffer[] = []
  #block = EMPTY
  /** Bytes of the block that are not yet in a chunk. */
  #filled = 0
  bytes = 0

  add(chunk: Buffer): void {
    this.bytes += chunk.byteLength
    // Most bodies are one chunk, which is not copied.
    if (this.#chunks.length === 0 || chunk.byteLength >= SMALL_BYTES) {
      this.#flush()
      this.#chunks.push(chunk)
      return
    }
    if (this.#filled + chunk.byteLength > this.#block.byteLength) {
      this.#flush()
      this.#block = Buffer.allocUnsafeSlow(Math.min(BLOCK_BYTES, Math.max(SMALL_BYTES, this.bytes)))
    }
    this.#filled += chunk.copy(this.#block, this.#filled)
  }

  /** All bytes as one buffer. */
  take(): Buffer {
    this.#flush()
    const chunks = this.#chunks.splice(0)
    const joined = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, this.bytes)
    if (chunks.length > 1) chunks.forEach(freeMemory)
    this.bytes = 0
    return joined
  }

  /** Moves the block's bytes to the chunks, so that the block can be reused. */
  #flush(): void {
    if (this.#filled === 0) return
    const chunk = Buffer.allocUnsafeSlow(this.#filled)
    this.#block.copy(chunk, 0, 0, this.#filled)
    this.#chunks.push(chunk)
    this.#filled = 0
  }
}

/** Streams the body in chunks of a useful size. The stream fails with the errors of `readBody`. */
export function streamBody(req: IncomingMessage, res: ServerResponse, limits: BodyLimits): Readable {
  if (!hasBody(req)) return Readable.from([], { objectMode: false })
  return new BodyStream(req, res, limits)
}

class BodyStream extends Readable {
  readonly #req: IncomingMessage
  readonly #res: ServerResponse
  readonly #limits: BodyLimits
  readonly #chunks = new Chunks()
  readonly #size: ChunkCount
  /** Runs while the stream waits for the client; null: it waits for its reader. */
  #idle: NodeJS.Timeout | null = null
  /** Milliseconds that the client may still use. */
  #patience: number
  #waitingSince = 0
  #isFlushDue = false
  #hasBegun = false

  constructor(req: IncomingMessage, res: ServerResponse, limits: BodyLimits) {
    super({ highWaterMark: BLOCK_BYTES })
    this.#req = req
    this.#limits = limits
    this.#size = new ChunkCount(req, limits.maxBytes)
    this.#patience = limits.totalMs
    this.#res = res
    // The stream may fail after its reader has left.
    this.on('error', () => {})
  }

  override _read(): void {
    // Starts with the first read: an unread body is not parsed.
    if (!this.#hasBegun) return this.#begin()
    if (!this.#req.isPaused()) return
    this.#wait()
    this.#req.resume()
  }

  #begin(): void {
    this.#hasBegun = true
    const req = this.#req
    req.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onCut).on('close', this.#onCut)
    if (req.destroyed) return this.#onCut()
    this.#wait()
    sendContinue(req, this.#res)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#stopWaiting()
    const req = this.#req
    req.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onCut).off('close', this.#onCut)
    // A request that is cut later emits an error that has no other listener.
    req.on('error', () => {})
    Connection.of(req.socket).skipBody(req)
    req.pause()
    done(error)
  }

  readonly #onData = (chunk: Buffer): void => {
    const refusal = this.#size.add(chunk.byteLength) ?? (performance.now() - this.#waitingSince > this.#patience ? new ApiError('request_timeout') : null)
    if (refusal !== null) return void this.destroy(refusal)
    this.#wait()
    this.#chunks.add(chunk)
    if (this.#chunks.bytes >= BLOCK_BYTES) this.#flush()
    else if (!this.#isFlushDue) {
      this.#isFlushDue = true
      setImmediate(() => this.#flush())
    }
  }

  readonly #onEnd = (): void => {
    this.#flush()
    if (!this.destroyed) this.push(null)
  }

  readonly #onCut = (): void => {
    if (!this.#req.complete) this.destroy(new ApiError('body_aborted'))
  }

  #flush(): void {
    this.#isFlushDue = false
    if (this.destroyed || this.#chunks.bytes === 0 || this.push(this.#chunks.take())) return
    this.#stopWaiting()
    this.#req.pause()
  }

  /** Waits for the next chunk. */
  #wait(): void {
    if (this.#idle !== null) return void this.#idle.refresh()
    this.#waitingSince = performance.now()
    this.#idle = setTimeout(() => this.destroy(new ApiError('request_timeout')), Math.max(0, Math.min(this.#limits.idleMs, this.#patience)))
  }

  #stopWaiting(): void {
    if (this.#idle === null) return
    clearTimeout(this.#idle)
    this.#idle = null
    this.#patience -= performance.now() - this.#waitingSince
  }
}

/**
 * Counts the bytes and chunks of a body while it is received. A chunk of any size costs a microsecond, so a body of one-byte chunks
 * would cost a hundred times as much as its bytes.
 */
class ChunkCount {
  readonly #connection: Connection
  readonly #maxBytes: number
  /** Bytes of the connection that were parsed before the body; may include its beginning. */
  readonly #wireBefore: number
  #bytes = 0
  #chunks = 0

  constructor({ socket }: IncomingMessage, maxBytes: number) {
    this.#connection = Connection.of(socket)
    this.#maxBytes = maxBytes
    this.#wireBefore = this.#connection.parsedBytes
  }

  /** Adds a chunk. Returns why the body is refused; null: it is within the limits. */
  add(bytes: number): ApiError | null {
    this.#bytes += bytes
    this.#chunks++
    if (this.#bytes > this.#maxBytes) return tooLarge(this.#maxBytes)
    if (bytes >= CHUNK_BYTES) return null
    if (this.#chunks > FREE_CHUNKS + this.#bytes / CHUNK_BYTES) return new ApiError('chunks_too_small', { params: { bytes: CHUNK_BYTES } })
    // The sizes and extensions of chunks count as well: an extension can add 16 KB to one byte of body.
    const wire = this.#connection.parsedBytes - this.#wireBefore
    return wire > FREE_WIRE_BYTES + WIRE_FACTOR * this.#bytes ? new ApiError('chunks_too_small', { params: { bytes: CHUNK_BYTES } }) : null
  }
}

/** Sends `100 Continue` if the client waits for it. */
function sendContinue(req: IncomingMessage, res: ServerResponse): void {
  Connection.of(req.socket).wantBody()
  if (req.headers.expect?.toLowerCase() === '100-continue') res.writeContinue()
}
