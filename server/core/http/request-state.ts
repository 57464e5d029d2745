/**
 * The state of one request: Koa's `ctx.state`, and the argument of handlers. Most members are computed on first read, because most requests read
 * few of them.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type Koa from 'koa'
import type { IfMatch } from '../etag.js'
import type { CookieChange } from '../auth/cookies.js'
import type { Caller } from '../auth/principal.js'
import type { GrowingPermit } from '../limits/limits.js'
import { chooseLocale, type Locale } from '../i18n/locale.js'
import type { Scope, Tenancy } from '../tenancy/scope.js'
import { clientAddress, isSecureRequest, type TrustedProxies } from './connection/forwarded.js'
import { JSON_MEDIA_TYPE, type Route, type RouteRequest } from './route.js'

export type Context = Koa.ParameterizedContext<RequestState>
export type Middleware = Koa.Middleware<RequestState>

/** Settings that all requests of an application share. */
export interface RequestStateOptions {
  readonly trustedProxies: TrustedProxies
  readonly tenancy: Pick<Tenancy, 'of'>
  /** For callers that name no language. */
  readonly defaultLocale: Locale
  /** Callers reach the service over TLS, even if the last hop is plain HTTP. */
  readonly isPublicSecure: boolean
}

/** The reason why a signal is aborted. */
export type AbortReason = 'caller_gone' | 'timeout' | 'stopping'

export class RequestState implements RouteRequest<unknown, unknown, unknown> {
  readonly startedAt = performance.now()
  /** Null until the router has found the route. */
  route: Route | null = null
  /** Logged instead of the path, which may contain tokens. */
  routePath = ''
  params: unknown = {}
  query: unknown = {}
  body: unknown = undefined
  /** Not set for public routes; `access` gives handlers the right type. */
  principal: never = null as never
  ifMatch: IfMatch = null
  held: GrowingPermit | null = null
  /** Releases the slot of the handler (`limits/concurrency.ts`); undefined: it has none. */
  releaseSlot: (() => void) | undefined = undefined
  mediaType = JSON_MEDIA_TYPE
  prefersPage = false
  /** Cookies of the response, also of a refusal. */
  readonly cookies: CookieChange[] = []
  /** Headers of every response, errors included. */
  readonly headers: Record<string, string | string[]>
  /** Suspends the deadline of the handler: reading a body has its own limits. */
  isReading = false
  /** Restarts the handler's deadline; undefined: the handler has none. */
  restartDeadline: (() => void) | undefined = undefined
  /** The response is sent; a later result of the handler is dropped. */
  isAnswered = false
  /** Error code of the refusal, for the log. */
  refusal: string | null = null

  readonly #req: IncomingMessage
  readonly #res: ServerResponse
  readonly #setting: RequestStateOptions
  #locale: Locale | undefined
  #address: string | undefined
  #isSecure: boolean | undefined
  #scope: Scope | null | undefined
  #abort: AbortController | undefined
  #releases: Set<() => void> | null = null
  #isOver = false
  #abortReason: AbortReason | undefined

  constructor(
    req: IncomingMessage,
    res: ServerResponse,
    setting: RequestStateOptions,
    readonly requestId: string,
    headers: Record<string, string | string[]>,
  ) {
    this.#req = req
    this.#res = res
    this.#setting = setting
    this.headers = headers
  }

  /** The caller; null: the request has none, for instance on a public route. */
  get caller(): Caller | null {
    return this.principal as Caller | null
  }

  set caller(principal: Caller) {
    this.principal = principal as never
    this.#locale = undefined
  }

  get locale(): Locale {
    const caller = this.caller
    const preference = caller?.kind === 'user' ? caller.locale : null
    this.#locale ??= chooseLocale(this.header('x-locale'), preference, this.header('accept-language'), this.#setting.defaultLocale)
    return this.#locale
  }

  get client(): string | undefined {
    return this.header('user-agent')
  }

  get address(): string {
    this.#address ??= clientAddress(this.#req, this.#setting.trustedProxies)
    return this.#address
  }

  get isSecure(): boolean {
    this.#isSecure ??= isSecureRequest(this.#req, this.#setting.trustedProxies)
    return this.#isSecure
  }

  /** Whether cookies are sent over TLS only. */
  get hasSecureCookies(): boolean {
    return this.isSecure || this.#setting.isPublicSecure
  }

  setCookie(cookie: CookieChange): void {
    this.cookies.push(cookie)
  }

  setHeaders(headers: Readonly<Record<string, string>>): void {
    Object.assign(this.headers, headers)
  }

  get scope(): never {
    if (this.#scope === undefined) {
      const kind = this.route?.access.kind
      const organizationId = kind === 'permission' || kind === 'session' || kind === 'scim' ? this.caller?.organizationId : undefined
      this.#scope = organizationId ? this.#setting.tenancy.of(organizationId) : null
    }
    return this.#scope as never
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController()
      if (this.#abortReason !== undefined) this.#abort.abort(this.#abortReason)
      else if (this.#res.destroyed || this.#req.socket.destroyed) this.abort('caller_gone')
      else this.#res.once('close', this.#onClose)
    }
    return this.#abort.signal
  }

  abort(reason: AbortReason): void {
    if (this.#abortReason !== undefined) return
    this.#abortReason = reason
    this.#abort?.abort(reason)
  }

  get abortReason(): AbortReason | null {
    return this.#abortReason ?? null
  }

  header(name: string): string | undefined {
    const value = this.#req.headers[name.toLowerCase()]
    return Array.isArray(value) ? value.join(', ') : value
  }

  onEnd(release: () => void): () => void {
    this.#releases ??= new Set()
    const releases = this.#releases
    const once = (): void => {
      if (releases.delete(once)) release()
    }
    releases.add(once)
    if (this.#isOver) once()
    return once
  }

  /** Releases what the request acquired. Called when the operating system has the response, or when no response will be sent. */
  end(): void {
    this.#isOver = true
    if (this.#releases !== null) for (const release of this.#releases) release()
  }

  /** A connection that closes after a complete response aborts nothing. */
  readonly #onClose = (): void => {
    if (!this.#res.writableFinished) this.abort('caller_gone')
  }
}
