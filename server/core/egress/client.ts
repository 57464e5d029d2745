/**
 * Requests to external servers, which may be slow, endless, wrong or hostile. Invariants:
 *  1. a request goes only to addresses that the egress guard has checked: no redirect is followed, and no proxy of the environment is used
 *  2. a request ends within its timeout, including name resolution and the whole response
 *  3. no more of a response is kept than the caller allows; it is not decompressed, since compression is never requested
 *  4. certificates are always verified
 *  5. errors contain the kind of failure, and nothing that was sent or received, nor the address: the one of a chat's webhook is a credential
 *  6. the guard is asked before every request. A connection is used again only by a `GET` with the same `connections`, for the same origin, while its name still
 *     has the same addresses
 */
import {
  Agent as HttpAgent,
  type AgentOptions,
  type ClientRequest,
  type ClientRequestArgs,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
} from 'node:http'
import { Agent as HttpsAgent, type RequestOptions, request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { ApiError } from '../errors.js'
import { type Address, type EgressGuard, TargetRefusedError } from './egress-guard.js'
import { NameError } from './resolve.js'

/** How long to wait for the rest of a response that may be truncated. */
const REST_MS = 1_000
/** Maximum size of response headers, more than legitimate servers send. */
const HEADER_BYTES = 16 * 1024
/** Longer bodies are put together while they arrive. */
const WHOLE_BYTES = 64 * 1024
/** How long an unused connection is kept: less than servers do (Node's 5 s), and enough for the pauses of one operation. */
const IDLE_MS = 4_000
/** Unused connections that are kept for one `connections`: as many as one operation uses at once. */
const IDLE_LIMIT = 8

export const OUTBOUND_FAILURES = [
  'aborted',
  'timeout',
  'target_refused',
  'name_not_found',
  'connection_refused',
  'connection_failed',
  'connection_closed',
  'tls_failed',
  'answer_malformed',
  'answer_too_large',
] as const
export type OutboundFailure = (typeof OUTBOUND_FAILURES)[number]

/** The request failed without a response. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  constructor(
    readonly failure: OutboundFailure,
    /** Code of Node's error, whose text may have the name of the target or bytes that it sent. */
    readonly code?: string,
  ) {
    super(failure)
  }
}

/** Stands for requests that may share connections: those of one gateway, which has one credential. */
export class Connections {
  static #opened = 0
  readonly number = ++Connections.#opened
}

export interface OutboundRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `http:` or `https:`, without credentials. */
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Limit for the whole exchange. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** Maximum bytes of the response body. */
  readonly bodyLimit: number
  /** Whether a longer body is refused or truncated. A truncated one is not awaited for long. */
  readonly beyondLimit: 'refuse' | 'cut'
  /** Requests with the same value may share connections; absent: the request has its own connection. */
  readonly connections?: Connections
  /** Counts the bytes of the response body as they arrive. @returns milliseconds to wait before more are read @throws ApiError which ends the request */
  readonly onBytes?: (bytes: number) => number
}

/** A response with any status, redirects included. */
export interface OutboundResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A response whose body is read as it arrives. */
export interface OutboundStream {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Throws `OutboundError`. A reader that stops early ends the request. */
  readonly body: AsyncGenerator<Buffer, void, undefined>
}

/** A request whose response is read as it arrives. */
export type StreamRequest = Omit<OutboundRequest, 'beyondLimit' | 'connections' | 'onBytes'>

/** The requests, in addition to the origin, for which a kept connection may be used. */
interface ConnectionKey {
  readonly connections: Connections
  readonly addresses: readonly Address[]
}

/** Name of connections that are interchangeable. Agents pass the options of a request to it. */
function keyOf({ connections, addresses }: ConnectionKey): string {
  const checked = addresses.map(({ address }) => address).sort()
  return `${connections.number} ${checked.join(' ')} `
}

class KeyedHttpAgent extends HttpAgent {
  override getName(options: ClientRequestArgs & ConnectionKey): string {
    return keyOf(options) + super.getName(options)
  }
}
class KeyedHttpsAgent extends HttpsAgent {
  override getName(options: RequestOptions & ConnectionKey): string {
    return keyOf(options) + super.getName(options)
  }
}
const KEPT: AgentOptions = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: IDLE_LIMIT }

export class HttpClient {
  readonly #guard: EgressGuard
  readonly #http = new HttpAgent({ keepAlive: false })
  readonly #https = new HttpsAgent({ keepAlive: false, maxCachedSessions: 0 })
  readonly #keptHttp = new KeyedHttpAgent(KEPT)
  readonly #keptHttps = new KeyedHttpsAgent({ ...KEPT, maxCachedSessions: 0 })

  constructor(guard: EgressGuard) {
    this.#guard = guard
  }

  /** @throws OutboundError */
  async send(request: OutboundRequest): Promise<OutboundResponse> {
    const ending = endingOf(request)
    const read: Read<OutboundResponse> = async (response, sent) => {
      try {
        return { status: response.statusCode ?? 0, headers: response.headers, body: await readAnswerBody(response, request) }
      } finally {
        // The connection of a response that was read to its end is closed, or kept, by the agent.
        if (!response.readableEnded) sent.destroy()
      }
    }
    try {
      const addresses = await unlessEnded(this.#guard.addressesOf(request.url), ending.signal)
      const { method, connections } = request
      const key = method === 'GET' && connections !== undefined ? { connections, addresses } : null
      // A server may close a connection in the moment in which it is used again: then the request, which changes nothing, is sent once more.
      return (await this.#exchange(request, addresses, key, ending.signal, read)) ?? (await this.#exchange(request, addresses, null, ending.signal, read))!
    } catch (error) {
      throw outboundError(error, ending.signal)
    } finally {
      ending.release()
    }
  }

  /** As `send`, but resolves when the headers have arrived. Timeout and limit include the body; a body that is neither read nor ended ends with the timeout. @throws OutboundError */
  async open(request: StreamRequest): Promise<OutboundStream> {
    const ending = endingOf(request)
    try {
      const addresses = await unlessEnded(this.#guard.addressesOf(request.url), ending.signal)
      return (await this.#exchange(request, addresses, null, ending.signal, async (response, sent) => {
        const body = bodyOf(response, sent, request.bodyLimit, ending)
        // A generator that has not begun does not run its `finally`: without this, a body that nobody reads would keep its connection until the timeout.
        await body.next()
        return { status: response.statusCode ?? 0, headers: response.headers, body }
      }))!
    } catch (error) {
      ending.release()
      throw outboundError(error, ending.signal)
    }
  }

  /** Closes all open connections. */
  close(): void {
    this.#http.destroy()
    this.#https.destroy()
    this.#keptHttp.destroy()
    this.#keptHttps.destroy()
  }

  /** @returns null: a kept connection was closed before it had an answer */
  #exchange<T>(request: StreamRequest, addresses: readonly Address[], key: ConnectionKey | null, signal: AbortSignal, read: Read<T>): Promise<T | null> {
    const { method, url, headers = {}, body = '' } = request
    const content = typeof body === 'string' ? Buffer.from(body) : body
    const hasContent = content.length > 0 || method === 'POST' || method === 'PUT' || method === 'PATCH'
    const isSecure = url.protocol === 'https:'
    const options = {
      method,
      headers: { ...headers, ...(hasContent ? { 'Content-Length': content.length } : {}) },
      agent: key === null ? (isSecure ? this.#https : this.#http) : isSecure ? this.#keptHttps : this.#keptHttp,
      lookup: lookupOf(addresses),
      ...key,
      // Credentials in a URL would be sent otherwise.
      auth: null,
      maxHeaderSize: HEADER_BYTES,
      signal,
    }
    return new Promise((resolve, reject) => {
      const sent = isSecure ? httpsRequest(url, { ...options, rejectUnauthorized: true }) : httpRequest(url, options)
      const stage = stageOf(sent, isSecure)
      const fail = (failure: OutboundFailure, code?: string): void => {
        if (failure === 'connection_closed' && sent.reusedSocket && !isAnswered && !signal.aborted) resolve(null)
        reject(new OutboundError(signal.aborted ? (signal.reason as 'timeout' | 'aborted') : failure, code))
        sent.destroy()
      }
      let isAnswered = false
      sent.on('error', (error: NodeJS.ErrnoException) => fail(failureOf(error, stage()), error.code))
      // No other protocol was requested.
      sent.on('upgrade', (_, socket) => {
        socket.destroy()
        fail('answer_malformed')
      })
      sent.on('close', () => {
        if (!isAnswered) fail('connection_closed')
      })
      sent.on('response', (response) => {
        isAnswered = true
        read(response, sent)
          .then(resolve)
          .catch((error: unknown) => {
            if (error instanceof ApiError) reject(error)
            fail(error instanceof OutboundError ? error.failure : 'connection_closed')
          })
      })
      sent.end(hasContent ? content : undefined)
    })
  }
}

/** Reads a response whose headers have arrived. */
type Read<T> = (response: IncomingMessage, sent: ClientRequest) => Promise<T>

/** The end of an exchange: its timeout, or the signal of the caller. */
interface Ending {
  readonly signal: AbortSignal
  /** Called when the exchange is over. */
  release(): void
}

function endingOf({ timeoutMs, signal }: Pick<OutboundRequest, 'timeoutMs' | 'signal'>): Ending {
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort('timeout'), timeoutMs)
  const abort = (): void => {
    clearTimeout(timer)
    ending.abort('aborted')
  }
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted === true) abort()
  return {
    signal: ending.signal,
    release() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    },
  }
}

function outboundError(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof OutboundError) return error
  if (signal.aborted) return new OutboundError(signal.reason as 'timeout' | 'aborted')
  if (error instanceof TargetRefusedError) return new OutboundError('target_refused')
  return error instanceof NameError ? new OutboundError('name_not_found') : error
}

/** Yields an empty part at once, then a body within its limit, and releases the exchange with its end. @throws OutboundError */
async function* bodyOf(response: IncomingMessage, sent: ClientRequest, limit: number, ending: Ending): AsyncGenerator<Buffer, void, undefined> {
  let bytes = 0
  try {
    yield Buffer.alloc(0)
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > limit) throw new OutboundError('answer_too_large')
      yield chunk
    }
  } catch (error) {
    if (error instanceof OutboundError) throw error
    throw new OutboundError(ending.signal.aborted ? (ending.signal.reason as 'timeout' | 'aborted') : 'connection_closed')
  } finally {
    ending.release()
    sent.destroy()
  }
}

/** A lookup that always returns the checked addresses. It is not called if the target is an address. */
function lookupOf(addresses: readonly Address[]): LookupFunction {
  return (_, { all }, done) => {
    if (all === true) done(null, [...addresses])
    else done(null, addresses[0].address, addresses[0].family)
  }
}

type Stage = 'connecting' | 'securing' | 'talking'

function stageOf(sent: ClientRequest, isSecure: boolean): () => Stage {
  let stage: Stage = 'connecting'
  sent.once('socket', (socket) => {
    if (sent.reusedSocket) {
      stage = 'talking'
      return
    }
    socket.once('connect', () => {
      stage = isSecure ? 'securing' : 'talking'
    })
    socket.once('secureConnect', () => {
      stage = 'talking'
    })
  })
  return () => stage
}

function failureOf({ code = '' }: NodeJS.ErrnoException, stage: Stage): OutboundFailure {
  if (code.startsWith('HPE_')) return 'answer_malformed'
  if (code === 'ETIMEDOUT') return 'timeout'
  if (stage === 'securing') return 'tls_failed'
  if (stage === 'talking') return 'connection_closed'
  return code === 'ECONNREFUSED' ? 'connection_refused' : 'connection_failed'
}

/** Reads the body within its limit. @throws OutboundError, or the error of the connection */
function readAnswerBody(response: IncomingMessage, { bodyLimit, beyondLimit, onBytes }: OutboundRequest): Promise<Buffer> {
  const chunks: Buffer[] = []
  const announced = Number(response.headers['content-length'] ?? Number.NaN)
  // A body whose length is announced is put together while it arrives: to do it at its end would keep the event loop for all of it. Memory that is not written is none.
  const whole = announced > WHOLE_BYTES && announced <= bodyLimit ? Buffer.allocUnsafeSlow(announced) : null
  let bytes = 0
  return new Promise((resolve, reject) => {
    const done = (): void => {
      clearTimeout(timer)
      resolve(whole === null ? Buffer.concat(chunks).subarray(0, bodyLimit) : whole.subarray(0, bytes))
    }
    const timer = beyondLimit === 'cut' ? setTimeout(done, REST_MS) : undefined
    response.on('data', (chunk: Buffer) => {
      let waitMs = 0
      try {
        waitMs = onBytes?.(chunk.length) ?? 0
      } catch (error) {
        return reject(error)
      }
      if (waitMs >= 1) {
        response.pause()
        setTimeout(() => response.resume(), waitMs)
      }
      bytes += chunk.length
      if (whole !== null) chunk.copy(whole, bytes - chunk.length)
      else if (bytes <= bodyLimit) chunks.push(chunk)
      else if (beyondLimit === 'refuse') reject(new OutboundError('answer_too_large'))
      else {
        chunks.push(chunk)
        done()
      }
    })
    response.on('end', done)
    const broken = (error: unknown): void => {
      if (beyondLimit === 'cut') done()
      else reject(error)
    }
    response.on('error', broken)
    response.on('close', () => broken(new OutboundError('connection_closed')))
  })
}

/** Awaits work unless the signal aborts first. @throws OutboundError with the signal's reason */
function unlessEnded<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(new OutboundError(signal.reason as 'timeout' | 'aborted'))
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end))
  })
}
