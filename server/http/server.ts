/** The socket's side of HTTP: limits of connections, and answers to what never becomes a request. */
import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { ApiError } from '../errors.js'
import { DEFAULT_LOCALE } from '../i18n/locale.js'
import type { Application } from './application.js'
import { Connection } from './connection/connection.js'
import { errorBody } from './response/error-response.js'
import { requestIdOf, traceIdFrom } from './request-id.js'
import { standingHeaders } from './response/security-headers.js'
import { JSON_TYPE } from './response/send.js'

/** A caller that takes longer to say what it wants holds a connection for nothing. */
const HEADERS_TIMEOUT_MS = 15_000
/** Backstop behind the limits of bodies (`read-body.ts`), which answer in better words. */
const REQUEST_TIMEOUT_MS = 150_000
/** Above the 60 s after which balancers give up idle connections: they, not we, should be the ones to close. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000
/** How often node looks for connections that are over their time. */
const CHECK_INTERVAL_MS = 2_500
/** Request line and headers. Ours take 2 KB with a token; the rest is other services' cookies. */
const MAX_HEADER_BYTES = 16 * 1024
/** Without a limit of their number: node would leave out the last ones in silence, and those are what a proxy writes. Their bytes are limited. */
const MAX_HEADERS = 0
/** A connection on which nothing moves, in neither direction: its caller doesn't read the answer, which waits in our memory. */
const SILENCE_MS = 120_000
/** About 10 KB each. What comes beyond is not accepted. */
const MAX_CONNECTIONS = 10_000
/** Those who wait for others at the door. */
const BACKLOG = 1024
/** Time that requests get when the server is closed (CONTRACT.md#running). */
const DRAIN_MS = 10_000
/** After it, what the handlers were told to stop at gets that long to say so. */
const CUT_MS = 500

export interface HttpServerOptions {
  readonly headersTimeoutMs?: number
  readonly requestTimeoutMs?: number
  readonly checkIntervalMs?: number
  readonly silenceMs?: number
  readonly maxConnections?: number
}

/** A server that isn't listening yet; `listen` and `close` are below. */
export function createHttpServer(application: Pick<Application, 'listener' | 'connected'>, options: HttpServerOptions = {}): Server {
  const settings: ServerOptions = {
    headersTimeout: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
    requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: options.checkIntervalMs ?? CHECK_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
    // Answered by the application, in our form.
    requireHostHeader: false,
    noDelay: true,
  }
  const server = createServer(settings)
  const accept: RequestListener = (req, res) => Connection.of(req.socket).accept(req, res, application.listener)
  server.on('request', accept)
  server.maxHeadersCount = MAX_HEADERS
  server.timeout = options.silenceMs ?? SILENCE_MS
  // Some handlers may take longer than that before their answers begin. They have times of their own.
  server.on('timeout', (socket) => {
    if (!isAtWork(socket)) socket.destroy()
  })
  server.maxConnections = options.maxConnections ?? MAX_CONNECTIONS
  // The body is asked for only when it is read: a request that is refused before costs its caller nothing.
  server.on('checkContinue', accept)
  server.on('checkExpectation', accept)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuse(error, socket as Socket))
  // We are no proxy. Node has let go of the connection, and would close it without a word.
  server.on('connect', (_, socket) => {
    socket.on('error', () => {})
    refuse(new Error('CONNECT'), socket as Socket)
    ;(socket as Socket).destroySoon()
  })
  server.on('connection', (socket) => {
    // Each of the requests that come at once on a connection may wait for its end.
    socket.setMaxListeners(0)
    Connection.attach(socket)
    count(socket, application)
  })
  return server
}

/** Counts a connection as long as it is open. One that is too many is answered, and closed. */
function count(socket: Socket, application: Pick<Application, 'connected'>): void {
  try {
    const permit = application.connected(socket.remoteAddress ?? '')
    if (permit !== null) socket.once('close', () => permit.release())
  } catch (error) {
    Connection.of(socket).stop()
    say(error as ApiError, socket)
    socket.destroySoon()
  }
}

/** Resolves with the address, `http://host:port`. Rejects when it is taken. */
export function listen(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', reject)
      const address = server.address()
      if (address === null || typeof address === 'string') return reject(new Error('the server has no address'))
      resolve(`http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`)
    })
  })
}

/** Takes no one new, lets what runs finish, ends streams, and cuts what is left. */
export async function close(server: Server, application: Pick<Application, 'inFlight'>, drainMs = DRAIN_MS): Promise<void> {
  // Node's own `close` would cut answers that are given but not yet gone, so that comes last.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
  await application.inFlight.drain(drainMs)
  server.close()
  const cut = setTimeout(() => server.closeAllConnections(), CUT_MS)
  await closed
  clearTimeout(cut)
}

/** Bytes that are no request, or one that doesn't end: an answer in our form, if anything can still be said. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  const connection = Connection.of(socket)
  // A client that was refused has sent all of it: its answer goes out whole.
  if (connection.isDiscarding) return connection.stop()
  const due = answerDue(socket)
  const hasLeft = error.code === 'ECONNRESET' || (error.code === 'HPE_INVALID_EOF_STATE' && due !== null)
  // What is said now would be taken for the answer to an earlier request that came whole.
  if (!hasLeft && due?.req.complete === true) return connection.endAfterAnswers()
  connection.stop()
  if (hasLeft || !socket.writable || due?.headersSent === true) {
    socket.destroy()
    return
  }
  say(refusalOf(error), socket)
}

/** Answers what is no request. */
function say(refusal: ApiError, socket: Socket): void {
  const requestId = requestIdOf(undefined)
  const body = JSON.stringify(errorBody(refusal, DEFAULT_LOCALE, requestId))
  const headers = {
    ...standingHeaders(requestId, traceIdFrom(requestId)),
    ...refusal.headers,
    'Content-Type': JSON_TYPE,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value as string}\r\n`)
  socket.end(`HTTP/1.1 ${refusal.status} ${PHRASES[refusal.status] ?? 'Error'}\r\n${head.join('')}\r\n${body}`)
}

const PHRASES: Readonly<Record<number, string>> = { 400: 'Bad Request', 408: 'Request Timeout', 431: 'Request Header Fields Too Large', 503: 'Service Unavailable' }

function refusalOf({ code }: NodeJS.ErrnoException): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') return new ApiError('headers_too_large', { params: { limit: MAX_HEADER_BYTES } })
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApiError('request_timeout')
  return new ApiError('http_malformed')
}

/** Whether the next answer is to a request that came whole, and has not begun. */
function isAtWork(socket: Socket): boolean {
  const due = answerDue(socket)
  return due !== null && !due.headersSent && due.req.complete
}

/** Node keeps the answer that is due next with the socket. */
function answerDue(socket: Socket): ServerResponse | null {
  return (socket as Socket & { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? null
}
