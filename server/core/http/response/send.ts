/**
 * The only place that writes responses. Koa's own responses are not used: they would choose statuses and types, and set headers one by one.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Connection } from '../connection/connection.js'
import type { Context } from '../request-state.js'
import type { ContentEncoding } from '../content-encoding.js'
import { chunkSink, ChunkStream, encodingSink } from './chunk-stream.js'
import type { ChunkedBody } from '../text/chunked-body.js'

export const JSON_TYPE = 'application/json; charset=utf-8'
export const HTML_TYPE = 'text/html; charset=utf-8'

/** An unread body up to this size is read and dropped, so that the connection can be reused. */
const DISCARD_BYTES = 64 * 1024
/** Sends text or bytes; null: no body. */
export function send(ctx: Context, status: number, type: string | null, body: string | Uint8Array | null): void {
  const { req, res, state } = ctx
  if (res.headersSent || res.destroyed) return
  const headers = state.headers
  const hasBody = body !== null && status !== 204 && status !== 304
  if (hasBody) {
    headers['Content-Type'] = type ?? JSON_TYPE
    headers['Content-Length'] = String(typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength)
  } else if (status !== 204 && status !== 304) {
    headers['Content-Length'] = '0'
  }
  // A client that waits for `100 Continue` may send the body anyway, which would be parsed as the next request.
  const isUnread = !req.complete && (isBodyLeft(req) || req.headers.expect !== undefined)
  if (isUnread) headers.Connection = 'close'
  res.writeHead(status, headers)
  state.isAnswered = true
  const content = hasBody && req.method !== 'HEAD' ? body : null
  if (isUnread) sendAndDiscard(req, res, content)
  else if (content === null) res.end()
  else res.end(content)
}

/** Sends the chunks of a body, as fast as the client reads them. */
export function sendChunkedBody(ctx: Context, status: number, type: string, { chunks, byteLength }: ChunkedBody): Promise<void> {
  ctx.state.headers['Content-Length'] = String(byteLength)
  return sendStream(ctx, status, type, Readable.from(chunks, { objectMode: false }))
}

/** Sends a stream as fast as the client reads it. Only a `ChunkStream` can be encoded. Resolves at its end. Rejects when the stream failed; the response is then cut. */
export async function sendStream(ctx: Context, status: number, type: string, body: Readable, encoding: ContentEncoding | null = null): Promise<void> {
  const { req, res, state } = ctx
  // Without this listener a stream that fails before it is sent would end the process. A broken connection also makes the stream fail, which is not an error of
  // the stream.
  let isFault = false
  body.once('error', () => {
    isFault = !req.socket.destroyed
  })
  const isAwaited = !state.isAnswered && !res.headersSent && !res.destroyed && !req.socket.destroyed
  if (!isAwaited || req.method === 'HEAD') body.destroy()
  if (!isAwaited) return
  state.headers['Content-Type'] = type
  if (encoding !== null) state.headers['Content-Encoding'] = encoding
  if (!req.complete && isBodyLeft(req)) state.headers.Connection = 'close'
  res.writeHead(status, state.headers)
  state.isAnswered = true
  if (req.method === 'HEAD') return void res.end()
  // The client of an event stream waits for the headers, and the first event may be minutes away.
  res.flushHeaders()
  try {
    await pipeline(body, body instanceof ChunkStream ? (encoding === null ? chunkSink(res) : encodingSink(res, encoding)) : res)
  } catch (error) {
    if (isFault) throw error
    state.abort('caller_gone')
    state.refusal = 'caller_gone'
  }
}

/** Whether more than a little of the body is still missing. */
function isBodyLeft({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true
  return Number(headers['content-length'] ?? 0) > DISCARD_BYTES
}

/**
 * Writes the whole response, and ends it when the client has stopped sending: if the server closed at once, the client's system would discard the response
 * unread.
 */
function sendAndDiscard(req: IncomingMessage, res: ServerResponse, content: string | Uint8Array | null): void {
  // The request ends here and releases the memory of its response, so the content is copied.
  if (content !== null) res.write(typeof content === 'string' ? content : Buffer.from(content))
  else res.flushHeaders()
  Connection.of(req.socket).discard(() => res.end())
}
