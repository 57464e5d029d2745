/** The last middleware of a route: calls the handler and sends its response. */
import { Readable } from 'node:stream'
import type { Limits } from '../limits/limits.js'
import type { AnswerCheck } from './response/answer-check.js'
import { holderOf } from './limits/concurrency.js'
import { isKnown } from './request/etag.js'
import type { Context, Middleware, RequestState } from './request-state.js'
import { errorBody } from './response/error-response.js'
import type { StorableResponse, Idempotency } from './response/idempotency.js'
import { isListQuery, pageLinks } from './request/list-query.js'
import { essenceOf } from './request/media-type.js'
import { acceptedEncoding, type ContentEncoding, ENCODING_NAMES } from './content-encoding.js'
import { ChunkedBody } from './text/chunked-body.js'
import { JSON_MEDIA_TYPE, type Route, type RouteResponse } from './route.js'
import { setCookieHeaders, setHeader } from './response/security-headers.js'
import { JSON_TYPE, send, sendChunkedBody, sendStream } from './response/send.js'

/** Shorter responses are not counted: they fit approximately into the socket buffers of the operating system. */
const COUNTED_ANSWER_BYTES = 256 * 1024

export interface Handling {
  /** Base URL of the interface, with its prefix and without a trailing slash. */
  readonly baseUrl: string | null
  readonly prefix: string
  readonly idempotency: Idempotency | null
  /** Maximum duration of a request with an idempotency key; later the key is free. */
  readonly leaseMs: number
  readonly check: AnswerCheck | null
  readonly limits: Limits
}

export function handle(route: Route, handling: Handling): Middleware {
  const isList = isListQuery(route.query)
  const { idempotency } = handling
  if (route.idempotencyKey === true && idempotency !== null) {
    return async (ctx) => {
      const { state } = ctx
      // The fingerprint includes the media type: the same request with another one is different.
      const request = `${ctx.method} ${ctx.url} ${state.mediaType}`
      const { status, headers, body } = await idempotency.answer(state, route, request, handling.leaseMs, async () => {
        const response = await responseOf(route, state, handling)
        return answerOf(route, response, response.mediaType ?? state.mediaType)
      })
      for (const name in headers) setHeader(state.headers, name, headers[name])
      const type = headers['Content-Type'] ?? null
      if (body instanceof Readable) return sendStream(ctx, status, type ?? JSON_TYPE, body)
      if (body !== null) acquireAnswerBytes(state, lengthOf(body), handling.limits)
      if (body instanceof ChunkedBody) return sendChunkedBody(ctx, status, type ?? JSON_TYPE, body)
      send(ctx, status, type, body)
    }
  }
  return async (ctx) => {
    const { state } = ctx
    const response = await responseOf(route, state, handling)
    const { status = 200, headers, cookies, etag, body } = response
    if (state.isAnswered) {
      // The caller already has the response of the timeout.
      if (body instanceof Readable) body.destroy()
      return
    }
    if (headers !== undefined) for (const name in headers) setHeader(state.headers, name, headers[name])
    if (cookies !== undefined) state.cookies.push(...cookies)
    setCookieHeaders(state)
    if (response.total !== undefined) setTotalHeaders(ctx, response.total, isList, handling)
    if (etag !== undefined) {
      setHeader(state.headers, 'ETag', etagHeader(route, etag))
      if (status === 200 && (ctx.method === 'GET' || ctx.method === 'HEAD') && isKnown(state.header('if-none-match'), etag)) return send(ctx, 304, null, null)
    }
    if (body === undefined) return send(ctx, status, null, null)
    const type = typeOf(route, status, response.mediaType ?? state.mediaType)
    if (body instanceof Readable) return sendStream(ctx, status, type, body, encodingOf(route, status, state))
    const content = contentOf(body)
    acquireAnswerBytes(state, lengthOf(content), handling.limits)
    if (content instanceof ChunkedBody) return sendChunkedBody(ctx, status, type, content)
    send(ctx, status, type, content)
  }
}

async function responseOf(route: Route, state: RequestState, { check }: Handling): Promise<RouteResponse<unknown>> {
  const response = await route.handle(state)
  state.releaseSlot?.()
  const { refusal } = response
  if (refusal !== undefined) {
    state.refusal = refusal.reason
    return { status: refusal.status, body: errorBody(refusal, state.locale, state.requestId) }
  }
  check?.check(route, response, state.mediaType)
  return response
}

/**
 * Counts a response until the operating system has all of it. Concurrent requests may all pass the first check; those whose responses exceed the limit are
 * refused here, which loses their work but bounds the memory. @throws ApiError limit_reached
 */
function acquireAnswerBytes(state: Context['state'], bytes: number, limits: Limits): void {
  if (bytes < COUNTED_ANSWER_BYTES) return
  const holder = holderOf(state)
  limits.require('answer_bytes', holder)
  const meter = limits.meter('answer_bytes', holder)
  meter.change(bytes)
  state.onEnd(() => meter.change(-bytes))
}

function contentOf(body: unknown): string | Uint8Array | ChunkedBody {
  return body instanceof Uint8Array || body instanceof ChunkedBody ? body : JSON.stringify(body)
}

/** Length in bytes; one byte per character of a text, because nearly all are ASCII. */
function lengthOf(content: string | Uint8Array | ChunkedBody): number {
  return typeof content === 'string' ? content.length : content.byteLength
}

/** A response that may be stored for its idempotency key. Cookies belong to one request; routes with keys set none. */
function answerOf(route: Route, { status = 200, headers = {}, etag, body }: RouteResponse<unknown>, mediaType: string): StorableResponse {
  const form = body === undefined ? null : body instanceof Readable ? body : contentOf(body)
  return { status, headers: { ...headers, 'Content-Type': typeOf(route, status, mediaType), ...(etag === undefined ? {} : { ETag: etagHeader(route, etag) }) }, body: form }
}

function etagHeader({ etag: kind }: Route, etag: string): string {
  return kind === 'weak' ? `W/"${etag}"` : `"${etag}"`
}

/** The encoding of a streamed response; null: none. */
function encodingOf(route: Route, status: number, state: RequestState): ContentEncoding | null {
  if (route.responses[status]?.isEncodable !== true) return null
  setHeader(state.headers, 'Vary', 'Accept-Encoding')
  return acceptedEncoding(state.header('accept-encoding'), ENCODING_NAMES)
}

/** @param chosen media type that `Accept` selected among those that the status declares */
function typeOf(route: Route, status: number, chosen: string): string {
  const declared = route.responses[status]
  const other = declared?.alternatives?.find((alternative) => essenceOf(alternative.mediaType) === essenceOf(chosen))
  const mediaType = other?.mediaType ?? declared?.mediaType
  return mediaType === undefined || mediaType === JSON_MEDIA_TYPE ? JSON_TYPE : mediaType
}

function setTotalHeaders(ctx: Context, total: number, isList: boolean, { baseUrl, prefix }: Handling): void {
  const { headers, query } = ctx.state
  headers['X-Total-Count'] = String(total)
  if (!isList) return
  const { limit, offset } = query as { readonly limit: number; readonly offset: number }
  // The client may have forged the host of the request: without a configured base URL, links are relative.
  const path = ctx.path.slice(prefix.length)
  const url = new URL(`${baseUrl ?? `http://relative${prefix}`}${path}?${ctx.querystring}`)
  headers.Link = pageLinks(url, total, limit, offset).replaceAll('<http://relative/', '</')
}
