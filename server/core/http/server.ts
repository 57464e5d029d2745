/** The HTTP server: limits of connections, and responses to malformed requests. */
import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { ApiError } from '../errors.js'
import type { Locale } from '../i18n/locale.js'
import type { Application } from './application.js'
import { Connection, SharedPace } from './connection/connection.js'
import { errorBody } from './response/error-response.js'
import { requestIdOf, traceIdFrom } from './request-id.js'
import { commonHeaders } from './response/security-headers.js'
import { JSON_TYPE } from './response/send.js'

/** Maximum time for a request's head, so that slow clients do not occupy connections. */
const HEADERS_TIMEOUT_MS = 15_000
/** Fallback for the limits of bodies (`read-body.ts`), whose refusals are more precise. */
const REQUEST_TIMEOUT_MS = 150_000
/** Longer than the 60 s after which load balancers close idle connections, so that they close first. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000
/** Interval at which Node checks the timeouts of connections. */
const CHECK_INTERVAL_MS = 2_500
/** Request line and headers. Ours need 2 KB with a token; the rest allows for cookies of other services. */
const MAX_HEADER_BYTES = 16 * 1024
/** No limit of their number: beyond it Node silently drops the last headers, which proxies write. Their total size is limited. */
const MAX_HEADERS = 0
/** Timeout of a connection without traffic in either direction: its client does not read the response, which occupies our memory. */
const SILENCE_MS = 120_000
/** A connection takes about 10 KB. Further ones are not accepted. */
const MAX_CONNECTIONS = 10_000
/** Time that requests have to finish when the server is closed (CONTRACT.md#running). */
const DRAIN_MS = 10_000
/** Time that aborted handlers then have to answer. */
const CUT_MS = 500

/** The open connections of each server. Node knows only those that the server has accepted itself. */
const openSockets = new WeakMap<Server, ReadonlySet<Socket>>()

export interface HttpServerOptions {
  readonly headersTimeoutMs?: number
  readonly requestTimeoutMs?: number
  readonly checkIntervalMs?: number
  readonly silenceMs?: number
  readonly maxConnections?: number
}

/** Creates a server that does not listen yet; see `listen` and `close`. */
export function createHttpServer(application: Pick<Application, 'listener' | 'connected' | 'defaultLocale'>, options: HttpServerOptions = {}): Server {
  const settings: ServerOptions = {
    headersTimeout: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
    requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: options.checkIntervalMs ?? CHECK_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
    // The application checks it and answers in our error format.
    requireHostHeader: false,
    noDelay: true,
  }
  const server = createServer(settings)
  const sockets = new Set<Socket>()
  const pace = new SharedPace()
  openSockets.set(server, sockets)
  const accept: RequestListener = (req, res) => Connection.of(req.socket).accept(req, res, application.listener)
  server.on('request', accept)
  server.maxHeadersCount = MAX_HEADERS
  server.timeout = options.silenceMs ?? SILENCE_MS
  // Some handlers may take longer before their responses begin. They have their own timeouts.
  server.on('timeout', (socket) => {
    if (!isAtWork(socket)) socket.destroy()
  })
  server.maxConnections = options.maxConnections ?? MAX_CONNECTIONS
  // `100 Continue` is sent when the body is read: a request that is refused before transfers no body.
  server.on('checkContinue', accept)
  server.on('checkExpectation', accept)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuse(error, socket as Socket, application.defaultLocale))
  // CONNECT is for proxies. Node has detached the connection and would close it without a response.
  server.on('connect', (_, socket) => {
    socket.on('error', () => {})
    refuse(new Error('CONNECT'), socket as Socket, application.defaultLocale)
    ;(socket as Socket).destroySoon()
  })
  server.on('connection', (socket) => {
    // Each pipelined request may add a listener for the end of the connection.
    socket.setMaxListeners(0)
    Connection.attach(socket, pace)
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    count(socket, application)
  })
  return server
}

/** Counts a connection while it is open. One above the limit is answered and closed. */
function count(socket: Socket, application: Pick<Application, 'connected' | 'defaultLocale'>): void {
  try {
    const permit = application.connected(socket.remoteAddress ?? '')
    if (permit !== null) socket.once('close', () => permit.release())
  } catch (error) {
    Connection.of(socket).stop()
    writeRefusal(error as ApiError, socket, application.defaultLocale)
    socket.destroySoon()
  }
}

/** Stops accepting connections, lets running requests finish, ends streams, and cuts the rest after `drainMs`. */
export async function close(server: Server, application: Pick<Application, 'inFlight'>, drainMs = DRAIN_MS): Promise<void> {
  // Node's own `close` cuts responses that are still being sent, so it is called last. A server to which a supervisor sends connections does not listen.
  const isClosed = server.listening ? new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve())) : null
  await application.inFlight.drain(drainMs)
  server.close()
  const cut = setTimeout(() => server.closeAllConnections(), CUT_MS)
  await (isClosed ?? Promise.all(Array.from(openSockets.get(server) ?? [], closed)))
  clearTimeout(cut)
}

/** Not `events.once`, which rejects when the caller resets its connection. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()))
}

/** Answers malformed or incomplete requests in our error format, if the connection still permits a response. */
function refuse(error: NodeJS.ErrnoException, socket: Socket, locale: Locale): void {
  const connection = Connection.of(socket)
  // The client of a refused request has sent all of it: its response is sent completely.
  if (connection.isDiscarding) return connection.stop()
  const due = answerDue(socket)
  const hasLeft = error.code === 'ECONNRESET' || (error.code === 'HPE_INVALID_EOF_STATE' && due !== null)
  // A refusal now would be read as the response to an earlier, complete request.
  if (!hasLeft && due?.req.complete === true) return connection.endAfterAnswers()
  connection.stop()
  if (hasLeft || !socket.writable || due?.headersSent === true) {
    socket.destroy()
    return
  }
  writeRefusal(refusalOf(error), socket, locale)
}

/** Answers a malformed request. */
function writeRefusal(refusal: ApiError, socket: Socket, locale: Locale): void {
  const requestId = requestIdOf(undefined)
  const body = JSON.stringify(errorBody(refusal, locale, requestId))
  const headers = {
    ...commonHeaders(requestId, traceIdFrom(requestId)),
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

/** Whether the next response belongs to a complete request and has not begun. */
function isAtWork(socket: Socket): boolean {
  const due = answerDue(socket)
  return due !== null && !due.headersSent && due.req.complete
}

/** The response that is due next; Node stores it on the socket. */
function answerDue(socket: Socket): ServerResponse | null {
  return (socket as Socket & { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? null
}
