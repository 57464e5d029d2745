/** The end of a route's chain: calls the handler, and sends what it answers. */
import { Readable } from 'node:stream'
import { writeCookie } from './cookies.js'
import type { AnswerCheck } from './answer-check.js'
import { isKnown } from './etag.js'
import type { Context, Middleware } from './exchange.js'
import type { Idempotency, KeptAnswer } from './idempotency.js'
import { isListQuery, pageLinks } from './list-query.js'
import type { Route, RouteResponse } from './route.js'
import { setHeader } from './security-headers.js'
import { JSON_TYPE, send, sendStream } from './send.js'

export interface Handling {
  /** Of the interface, with its prefix and without a slash at its end. */
  readonly baseUrl: string | null
  readonly prefix: string
  /** People reach the service over TLS, whatever the last hop is. */
  readonly isPublicSecure: boolean
  readonly idempotency: Idempotency | null
  /** How long an answer with a key may take; past it the key is free. */
  readonly leaseMs: number
  readonly check: AnswerCheck | null
}

export function handle(route: Route, handling: Handling): Middleware {
  const isList = isListQuery(route.query)
  const { idempotency } = handling
  if (route.idempotencyKey === true && idempotency !== null) {
    return async (ctx) => {
      const { status, headers, body } = await idempotency.answer(ctx.state, route, `${ctx.method} ${ctx.url}`, handling.leaseMs, async () => {
        const response = await route.handle(ctx.state)
        handling.check?.check(route, response)
        return kept(route, response)
      })
      for (const name in headers) setHeader(ctx.state.headers, name, headers[name])
      send(ctx, status, headers['Content-Type'] ?? null, body)
    }
  }
  return async (ctx) => {
    const { state } = ctx
    const response = await route.handle(state)
    handling.check?.check(route, response)
    const { status = 200, headers, cookies, etag, body } = response
    if (state.isAnswered) {
      // Too late: the caller has been told that it took too long.
      if (body instanceof Readable) body.destroy()
      return
    }
    if (headers !== undefined) for (const name in headers) setHeader(state.headers, name, headers[name])
    if (cookies !== undefined) state.headers['Set-Cookie'] = cookies.map((cookie) => writeCookie(cookie, state.isSecure || handling.isPublicSecure))
    if (response.total !== undefined) tellTotal(ctx, response.total, isList, handling)
    if (etag !== undefined) {
      setHeader(state.headers, 'ETag', `"${etag}"`)
      if (status === 200 && (ctx.method === 'GET' || ctx.method === 'HEAD') && isKnown(state.header('if-none-match'), etag)) return send(ctx, 304, null, null)
    }
    if (body === undefined) return send(ctx, status, null, null)
    const type = typeOf(route, status)
    if (body instanceof Readable) return sendStream(ctx, status, type, body)
    send(ctx, status, type, body instanceof Uint8Array ? body : JSON.stringify(body))
  }
}

/** What is said once more to the same key. Cookies and streams belong to one request; routes with keys have neither. */
function kept(route: Route, { status = 200, headers = {}, etag, body }: RouteResponse<unknown>): KeptAnswer {
  if (body instanceof Readable) throw new TypeError(`${route.id} honours Idempotency-Key and can't answer with a stream`)
  const text = body === undefined ? null : body instanceof Uint8Array ? Buffer.from(body).toString('utf8') : JSON.stringify(body)
  return { status, headers: { ...headers, 'Content-Type': typeOf(route, status), ...(etag === undefined ? {} : { ETag: `"${etag}"` }) }, body: text }
}

function typeOf(route: Route, status: number): string {
  const mediaType = route.responses[status]?.mediaType
  return mediaType === undefined || mediaType === 'application/json' ? JSON_TYPE : mediaType
}

function tellTotal(ctx: Context, total: number, isList: boolean, { baseUrl, prefix }: Handling): void {
  const { headers, query } = ctx.state
  headers['X-Total-Count'] = String(total)
  if (!isList) return
  const { limit, offset } = query as { readonly limit: number; readonly offset: number }
  // The address under which the caller reached us may be made up: without a configured one, links are relative.
  const path = ctx.path.slice(prefix.length)
  const url = new URL(`${baseUrl ?? `http://relative${prefix}`}${path}?${ctx.querystring}`)
  headers.Link = pageLinks(url, total, limit, offset).replaceAll('<http://relative/', '</')
}
