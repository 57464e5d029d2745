/** Refuses heads that node's parser lets pass, but that a proxy before us may read in another way than we do. */
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../errors.js'
import type { Middleware } from '../exchange.js'

/** A name or address, with its port (RFC 9110, 7.2). */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i
/** What a proxy is asked with, and every server has to understand (RFC 9112, 3.2.2). */
const ABSOLUTE = /^https?:\/\/([^/?]+)/i

export const requestHead: Middleware = ({ req }, next) => {
  const hosts = hostsOf(req)
  // HTTP/1.1 demands it, and node would answer in a form of its own.
  if (hosts > 1 || (hosts === 0 && req.httpVersion !== '1.0') || !HOST.test(req.headers.host ?? '')) throw new ApiError('header_malformed', { params: { header: 'Host' } })
  readTarget(req)
  return next()
}

/** Node keeps the first of several; others keep the last. */
function hostsOf({ rawHeaders }: IncomingMessage): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at].length === 4 && rawHeaders[at].toLowerCase() === 'host') count++
  return count
}

/** Brings the target into the form of a path. A fragment is never sent; Koa would read what holds one by other rules, in which a backslash is a slash. */
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
