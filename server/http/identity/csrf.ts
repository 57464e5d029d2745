/**
 * A browser sends the session's cookie whoever made it ask. So a request that changes something, and shows nothing but the cookie, has to come from a
 * page of this host, or of `PUBLIC_BASE_URL`. Programs use a bearer token, and aren't asked.
 */
import { ApiError } from '../../errors.js'
import type { Context, Middleware } from '../exchange.js'
import { requestHost, type TrustedProxies } from '../connection/forwarded.js'

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

export function csrf(publicBaseUrl: string | null, proxies: TrustedProxies): Middleware {
  const isFromHere = pageOfHere([publicBaseUrl], proxies)
  return (ctx, next) => {
    const { caller } = ctx.state
    if (caller?.kind !== 'user' || caller.via !== 'cookie' || SAFE.has(ctx.method)) return next()
    if (!isFromHere(ctx)) throw new ApiError('origin_refused')
    return next()
  }
}

/** Whether a request was sent by a page of this host, or of one of the addresses. */
export function pageOfHere(addresses: readonly (string | null)[], proxies: TrustedProxies): (ctx: Pick<Context, 'req' | 'state'>) => boolean {
  const origins = new Set(addresses.map((address) => originOf(address ?? undefined)?.origin))
  return ({ req, state }) => {
    // Some browsers leave `Origin` out of requests within a site; none lets a page forge either.
    const sender = originOf(req.headers.origin ?? req.headers.referer)
    return sender !== null && (origins.has(sender.origin) || isOwn(sender, requestHost(req, proxies), state.isSecure))
  }
}

/** Where TLS ends at a proxy that is not trusted we can't know our own scheme, so the host decides then. */
function isOwn(sender: URL, host: string, isSecure: boolean): boolean {
  if (isSecure && sender.protocol !== 'https:') return false
  return host !== '' && sender.host === originOf(`${sender.protocol}//${host}`)?.host
}

function originOf(text: string | undefined): URL | null {
  if (text === undefined || !/^https?:\/\//i.test(text)) return null
  try {
    return new URL(text)
  } catch {
    return null
  }
}
