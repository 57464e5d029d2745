/**
 * Protection against cross-site request forgery. Browsers send the session cookie with requests of any site. Therefore a state-changing request that is
 * authenticated by the cookie alone must come from a page of this host or of `PUBLIC_BASE_URL`. Requests with a bearer token are not checked.
 *
 * Where a session is optional, the browser may have left the cookie out of the request of a foreign page (`SameSite=Lax`), and the answer may still change the
 * cookie. Therefore a request without a session is refused too if a foreign page sent it. Browsers name the page in every such request; programs name none.
 */
import { ApiError } from '../../errors.js'
import type { Context } from '../request-state.js'
import { requestHost, type TrustedProxies } from '../connection/forwarded.js'

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Checks the page that sent the request of a user, or of a caller without a session. @throws ApiError origin_refused */
export type CheckSender = (ctx: Pick<Context, 'req' | 'method' | 'state'>) => void

export function csrf(publicBaseUrl: string | null, proxies: TrustedProxies): CheckSender {
  const isFromHere = pageOfHere([publicBaseUrl], proxies)
  return (ctx) => {
    if (SAFE.has(ctx.method)) return
    const { caller } = ctx.state
    const isChecked = caller === null ? senderOf(ctx) !== undefined : caller.kind === 'user' && caller.via === 'cookie'
    if (isChecked && !isFromHere(ctx)) throw new ApiError('origin_refused')
  }
}

/** Returns a function that tests whether a request was sent by a page of this host or of one of the addresses. */
export function pageOfHere(addresses: readonly (string | null)[], proxies: TrustedProxies): (ctx: Pick<Context, 'req' | 'state'>) => boolean {
  const origins = new Set(addresses.map((address) => originOf(address ?? undefined)?.origin))
  return (ctx) => {
    const { req, state } = ctx
    const sender = originOf(senderOf(ctx))
    return sender !== null && (origins.has(sender.origin) || isOwn(sender, requestHost(req, proxies), state.isSecure))
  }
}

/** The page that sent the request, as the browser says. Some browsers omit `Origin` for requests within a site; pages can forge neither header. */
function senderOf({ req }: Pick<Context, 'req'>): string | undefined {
  return req.headers.origin ?? req.headers.referer
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
