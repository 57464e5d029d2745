/**
 * What the processes of a service ask one another. Each listens at a socket file in a folder that only the service's user can enter, so that a peer needs no
 * credential. HTTP, because bodies and answers have up to 40 MB and need its flow control. Refused: the channel of `node:cluster`, through which the supervisor
 * would copy every message twice, without flow control.
 */
import { Agent, createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** Connections to a peer that are kept. A forwarded request occupies one until it is answered. */
const IDLE_CONNECTIONS = 64

/** Time that requests get when the process stops, as those of callers. */
const DRAIN_MS = 10_000

/** Answers a request of a peer. A rejection is status 500 without a text. */
export type PeerHandler = (req: IncomingMessage, res: Parameters<RequestListener>[1]) => Promise<void>

export interface PeerRequest {
  readonly method?: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** A stream is sent while the response is received. */
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>
  readonly signal?: AbortSignal
}

export class Peers {
  /** Of this process, from 1. */
  readonly number: number
  readonly #folder: string
  readonly #processes: number
  readonly #handlers = new Map<string, PeerHandler>()
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS })
  readonly #server: Server
  readonly #onError: (error: unknown) => void
  #isClosing = false

  /** @param folder of the sockets @param onError called with what a handler could not do */
  constructor({ number, folder, processes, onError }: { number: number; folder: string; processes: number; onError: (error: unknown) => void }) {
    this.number = number
    this.#folder = folder
    this.#processes = processes
    this.#onError = onError
    // A peer closes its connections itself: one that is closed here at the moment of the next request would lose it. A batch lasts as long as its upload.
    this.#server = createServer({ keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 }, (req, res) => void this.#answer(req, res))
    this.#server.maxHeadersCount = 0
  }

  /** Numbers of the other processes. */
  get others(): readonly number[] {
    return Array.from({ length: this.#processes }, (_, index) => index + 1).filter((number) => number !== this.number)
  }

  /** Answers requests for the path from now on. */
  handle(path: string, handler: PeerHandler): void {
    this.#handlers.set(path, handler)
  }

  /** Begins to answer. A process that was killed has left its socket file. */
  async listen(): Promise<void> {
    const path = this.#pathOf(this.number)
    await rm(path, { force: true })
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(path, () => {
        this.#server.off('error', reject)
        resolve()
      })
    })
  }

  /** Resolves with the response's head. Rejects when the peer does not answer, or the signal is aborted. */
  request(number: number, { method = 'GET', path, headers = {}, body, signal }: PeerRequest): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const length = body instanceof Uint8Array ? { 'Content-Length': String(body.byteLength) } : {}
      const options = { socketPath: this.#pathOf(number), method, path, headers: { ...headers, ...length }, agent: this.#agent }
      const sent = request(signal === undefined ? options : { ...options, signal }, resolve)
      sent.on('error', reject)
      if (body === undefined || body instanceof Uint8Array) sent.end(body)
      // It destroys the request when it fails.
      else pipeline(body, sent).catch(reject)
    })
  }

  /** Answers nothing new, and lets what runs finish: its caller's process waits for it. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#agent.destroy()
    const late = setTimeout(() => this.#server.closeAllConnections(), DRAIN_MS)
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeIdleConnections()
    })
    clearTimeout(late)
  }

  async #answer(req: IncomingMessage, res: Parameters<RequestListener>[1]): Promise<void> {
    const handler = this.#handlers.get(req.url ?? '')
    res.once('close', () => {
      if (this.#isClosing) setImmediate(() => this.#server.closeIdleConnections())
    })
    try {
      if (handler === undefined) res.writeHead(404).end()
      else await handler(req, res)
    } catch (error) {
      this.#onError(error)
      if (res.headersSent) res.destroy()
      else res.writeHead(500).end()
    }
  }

  #pathOf(number: number): string {
    return join(this.#folder, `${number}.sock`)
  }
}

/** The whole body. Rejects when it is cut off. */
export async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
