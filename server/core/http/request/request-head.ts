/** Refuses request heads that Node's parser accepts but that a proxy in front may interpret differently. */
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../errors.js'
import type { Middleware } from '../request-state.js'

/** A name or address, with an optional port (RFC 9110, 7.2). */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i
/** The absolute form of a request target, which proxies receive and which servers must accept (RFC 9112, 3.2.2). */
const ABSOLUTE = /^https?:\/\/([^/?]+)/i

export const requestHead: Middleware = ({ req }, next) => {
  const hosts = hostsOf(req)
  // HTTP/1.1 requires this check. Node's own check is off, because its response has another format.
  if (hosts > 1 || (hosts === 0 && req.httpVersion !== '1.0') || !HOST.test(req.headers.host ?? '')) throw new ApiError('header_malformed', { params: { header: 'Host' } })
  readTarget(req)
  return next()
}

/** The number of `Host` headers. Node keeps the first of several, other servers the last. */
function hostsOf({ rawHeaders }: IncomingMessage): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at].length === 4 && rawHeaders[at].toLowerCase() === 'host') count++
  return count
}

/** Rewrites the request target to a path. Clients never send a fragment; Koa would parse a target with one by rules in which a backslash is a slash. */
function readTarget(req: IncomingMessage): void {
  const target = req.url ?? ''
  if (target.includes('#')) throw new ApiError('http_malformed')
  if (target.startsWith('/') || target === '*') return
  const [whole, host] = ABSOLUTE.exec(target) ?? []
  if (whole === undefined || !HOST.test(host)) throw new ApiError('http_malformed')
  const path = target.slice(whole.length)
  req.url = path.startsWith('/') ? path : `/${path}`
  req.headers.host = host
}
