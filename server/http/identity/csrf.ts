/**
 * Protection against cross-site request forgery. Browsers send the session cookie with requests of any site. Therefore a state-changing request that is
 * authenticated by the cookie alone must come from a page of this host or of `PUBLIC_BASE_URL`. Requests with a bearer token are not checked.
 */
import { ApiError } from '../../errors.js'
import type { Context, Middleware } from '../request-state.js'
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

/** Returns a function that tests whether a request was sent by a page of this host or of one of the addresses. */
export function pageOfHere(addresses: readonly (string | null)[], proxies: TrustedProxies): (ctx: Pick<Context, 'req' | 'state'>) => boolean {
  const origins = new Set(addresses.map((address) => originOf(address ?? undefined)?.origin))
  return ({ req, state }) => {
    // Some browsers omit `Origin` for requests within a site; pages can forge neither header.
    const sender = originOf(req.headers.origin ?? req.headers.referer)
    return sender !== null && (origins.has(sender.origin) || isOwn(sender, requestHost(req, proxies), state.isSecure))
  }
}

/** Whether the sender is this host. Behind a TLS proxy that is not trusted our own scheme is unknown, so only the host is compared. */
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
