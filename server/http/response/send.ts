/**
 * The only place where answers go out. Koa's own responder is passed by: it would choose statuses and types of its own, and set headers one by one.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Connection } from '../connection/connection.js'
import type { Context } from '../exchange.js'
import { chunkSink, ChunkStream } from './chunk-stream.js'
import type { ChunkedBody } from '../text/chunked-body.js'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Of a body that nobody read: up to that it is read and thrown away, and the connection lives on. */
const DISCARD_BYTES = 64 * 1024
/** Sends text or bytes; null: no body. */
export function send(ctx: Context, status: number, type: string | null, body: string | Uint8Array | null): void {
  const { req, res, state } = ctx
  ctx.respond = false
  if (res.headersSent || res.destroyed) return
  const headers = state.headers
  const hasBody = body !== null && status !== 204 && status !== 304
  if (hasBody) {
    headers['Content-Type'] = type ?? JSON_TYPE
    headers['Content-Length'] = String(typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength)
  } else if (status !== 204 && status !== 304) {
    headers['Content-Length'] = '0'
  }
  // Who waits for `100 Continue` may send the body all the same, and it would be taken for the next request.
  const isGivenUp = !req.complete && (isBodyLeft(req) || req.headers.expect !== undefined)
  if (isGivenUp) headers.Connection = 'close'
  res.writeHead(status, headers)
  state.isAnswered = true
  const content = hasBody && req.method !== 'HEAD' ? body : null
  if (isGivenUp) linger(req, res, content)
  else if (content === null) res.end()
  else res.end(content)
}

/** Sends what is held in pieces, as fast as the caller takes it. */
export function sendChunkedBody(ctx: Context, status: number, type: string, { chunks, byteLength }: ChunkedBody): Promise<void> {
  ctx.state.headers['Content-Length'] = String(byteLength)
  return sendStream(ctx, status, type, Readable.from(chunks, { objectMode: false }))
}

/** Sends a stream, as fast as the caller takes it. Resolves when it is over; rejects when the stream failed, and the caller then sees a cut. */
export async function sendStream(ctx: Context, status: number, type: string, body: Readable): Promise<void> {
  const { req, res, state } = ctx
  ctx.respond = false
  // One that fails before it goes out must not end the process. A connection that breaks makes the stream fail as well, and is no fault of its own.
  let isFault = false
  body.once('error', () => {
    isFault = !req.socket.destroyed
  })
  const isWanted = !state.isAnswered && !res.headersSent && !res.destroyed && !req.socket.destroyed
  if (!isWanted || req.method === 'HEAD') body.destroy()
  if (!isWanted) return
  state.headers['Content-Type'] = type
  if (!req.complete && isBodyLeft(req)) state.headers.Connection = 'close'
  res.writeHead(status, state.headers)
  state.isAnswered = true
  if (req.method === 'HEAD') return void res.end()
  // The caller of a stream of events waits for the headers, and the first event may be far.
  res.flushHeaders()
  try {
    await pipeline(body, body instanceof ChunkStream ? chunkSink(res) : res)
  } catch (error) {
    if (isFault) throw error
    state.abort('caller_gone')
    state.refusal = 'caller_gone'
  }
}

/** Whether more than a little of the body is still to come. */
function isBodyLeft({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true
  return Number(headers['content-length'] ?? 0) > DISCARD_BYTES
}

/** Gives the whole answer, and ends it once the client has stopped sending: to close at once would make its system throw the answer away unread. */
function linger(req: IncomingMessage, res: ServerResponse, content: string | Uint8Array | null): void {
  // The request is over for us, and with it what memory its answer was lent.
  if (content !== null) res.write(typeof content === 'string' ? content : Buffer.from(content))
  else res.flushHeaders()
  Connection.of(req.socket).discard(() => res.end())
}
