/** Creates the state of each request: its ids, and the headers that all responses have, including refusals. */
import { randomUUID } from 'node:crypto'
import { RequestState, type RequestStateOptions, type Middleware } from './request-state.js'
import { commonHeaders } from './response/security-headers.js'

/** Ids that callers may choose. They go into logs and headers, so special characters are refused and the length is limited. */
const REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._:+=@/-]{0,127}$/
/** W3C Trace Context: version, trace id, parent id, flags; later versions may append fields. */
const TRACEPARENT = /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:$|-)/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

export function beginRequest(setting: RequestStateOptions): Middleware {
  return (ctx, next) => {
    const { req, res } = ctx
    const requestId = requestIdOf(req.headers['x-request-id'])
    ctx.state = new RequestState(req, res, setting, requestId, commonHeaders(requestId, traceIdOf(req.headers.traceparent) ?? traceIdFrom(requestId)))
    return next()
  }
}

/** The caller's id if it is well-formed, else a new one. */
export function requestIdOf(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID()
}

function traceIdOf(traceparent: string | string[] | undefined): string | null {
  return typeof traceparent === 'string' ? (TRACEPARENT.exec(traceparent)?.[1] ?? null) : null
}

/** A new trace id. It is derived from the request id if that is a UUID, as generated ones are. */
export function traceIdFrom(requestId: string): string {
  const uuid = UUID.test(requestId) ? requestId : randomUUID()
  return uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(14, 18) + uuid.slice(19, 23) + uuid.slice(24)
}
