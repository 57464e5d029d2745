/**
 * Reads bodies. Invariants:
 *  1. no more than the limit is ever held, whatever the headers say, and no more of an organization's than `held-bodies.ts` allows
 *  2. a caller that stops sending is answered 408 after `idleMs`, one that trickles after `totalMs`
 *  3. whoever waits for a `100 Continue` gets it only now: every refusal before this costs no body
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { ApiError } from '../errors.js'
import { tooLarge } from './body-limit.js'
import type { HeldBody } from './held-bodies.js'

/** Between two pieces of a body. */
export const BODY_IDLE_MS = 15_000
/** 8 MB in that time is 70 KB a second, a bad mobile connection. */
export const BODY_TOTAL_MS = 120_000

export interface BodyLimits {
  readonly maxBytes: number
  readonly idleMs: number
  readonly totalMs: number
}

/** Whether the request brings a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

const EMPTY = Buffer.alloc(0)
/** Pieces below this are copied together. */
const SMALL_BYTES = 1024
/** Of memory that small pieces are copied to. */
const BLOCK_BYTES = 64 * 1024

/** @param held counts what has come of it; null: nobody does @throws ApiError payload_too_large, request_timeout, body_aborted, overloaded */
export function readBody(req: IncomingMessage, res: ServerResponse, limits: BodyLimits, held: HeldBody | null = null): Promise<Buffer> {
  if (!hasBody(req)) return Promise.resolve(EMPTY)
  // A caller that left before: nothing will be told of it any more.
  if (req.destroyed) return Promise.reject(new ApiError('body_aborted'))
  welcome(req, res)
  return new Promise((resolve, reject) => {
    const chunks = new Chunks()
    const over = performance.now() + limits.totalMs
    const idle = setTimeout(onLate, Math.min(limits.idleMs, limits.totalMs))
    function settle(): void {
      clearTimeout(idle)
      held?.release()
      req.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut)
    }
    function refuse(error: ApiError): void {
      settle()
      req.pause()
      // A request that is cut later has no one listening any more.
      req.on('error', () => {})
      reject(error)
    }
    function onData(chunk: Buffer): void {
      if (chunks.bytes + chunk.byteLength > limits.maxBytes) return refuse(tooLarge(limits.maxBytes))
      try {
        held?.add(chunk.byteLength)
      } catch (error) {
        return refuse(error as ApiError)
      }
      chunks.add(chunk)
      // Whoever trickles sends something now and then, and is found out here.
      if (performance.now() > over) return onLate()
      idle.refresh()
    }
    function onEnd(): void {
      settle()
      resolve(chunks.joined())
    }
    function onCut(): void {
      refuse(new ApiError('body_aborted'))
    }
    function onLate(): void {
      refuse(new ApiError('request_timeout'))
    }
    req.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut)
  })
}

/**
 * What has come. A caller may send each byte as a chunk of its own, and a buffer of one byte takes four hundred: 8 MB came to 3 GB. So of a body in many
 * small pieces copies are kept, which hold little more than the bytes.
 */
class Chunks {
  readonly #chunks: Buffer[] = []
  #block = EMPTY
  /** Bytes in the block that are in no chunk yet. */
  #filled = 0
  bytes = 0

  add(chunk: Buffer): void {
    this.bytes += chunk.byteLength
    // Most bodies come whole.
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

  joined(): Buffer {
    this.#flush()
    return this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks, this.bytes)
  }

  /** The block can be written to again. */
  #flush(): void {
    if (this.#filled === 0) return
    const chunk = Buffer.allocUnsafeSlow(this.#filled)
    this.#block.copy(chunk, 0, 0, this.#filled)
    this.#chunks.push(chunk)
    this.#filled = 0
  }
}

/** The body as it comes. It fails with what `readBody` would throw. */
export function streamBody(req: IncomingMessage, res: ServerResponse, limits: BodyLimits): Readable {
  if (!hasBody(req)) return Readable.from([], { objectMode: false })
  welcome(req, res)
  return Readable.from(counted(req, limits), { objectMode: false })
}

async function* counted(req: IncomingMessage, limits: BodyLimits): AsyncGenerator<Buffer> {
  const over = Date.now() + limits.totalMs
  let bytes = 0
  const chunks = req.iterator({ destroyOnReturn: false })
  try {
    while (true) {
      // The clock runs only while we wait for the caller, not while whoever reads us is at work.
      const step = await within(chunks.next(), Math.min(limits.idleMs, Math.max(0, over - Date.now())))
      if (step.done) return
      bytes += (step.value as Buffer).byteLength
      if (bytes > limits.maxBytes) throw tooLarge(limits.maxBytes)
      yield step.value as Buffer
    }
  } finally {
    // Lets go of the request, so that what is left of it can be thrown away. It waits for a piece that is under way.
    chunks.return?.().catch(() => {})
  }
}

async function within<T>(step: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ApiError('request_timeout')), ms)
  })
  try {
    return await Promise.race([step, late])
  } catch (error) {
    throw error instanceof ApiError ? error : new ApiError('body_aborted', { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

function welcome(req: IncomingMessage, res: ServerResponse): void {
  if (req.headers.expect?.toLowerCase() === '100-continue') res.writeContinue()
}
