/**
 * One request and what is known of it so far. It is Koa's `ctx.state`, and what handlers get: most of its members are found when someone asks, as
 * most requests ask for few of them.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type Koa from 'koa'
import type { IfMatch } from '../etag.js'
import type { Principal } from '../auth/principal.js'
import type { GrowingPermit } from '../limits/limits.js'
import { chooseLocale, type Locale } from '../i18n/locale.js'
import type { Scope, Tenancy } from '../tenancy/scope.js'
import { clientAddress, isSecureRequest, type TrustedProxies } from './connection/forwarded.js'
import { JSON_MEDIA_TYPE, type Route, type RouteRequest } from './route.js'

export type Context = Koa.ParameterizedContext<Exchange>
export type Middleware = Koa.Middleware<Exchange>

/** What every exchange of an application shares. */
export interface ExchangeSetting {
  readonly trustedProxies: TrustedProxies
  readonly tenancy: Pick<Tenancy, 'of'>
}

/** Why a signal is aborted. */
export type AbortReason = 'caller_gone' | 'timeout' | 'stopping'

export class Exchange implements RouteRequest<unknown, unknown, unknown> {
  readonly startedAt = performance.now()
  /** Of the routes of the interface; null while none is found. */
  route: Route | null = null
  /** What is logged in the place of the path, which may hold tokens. */
  routePath = ''
  params: unknown = {}
  query: unknown = {}
  body: unknown = undefined
  /** Public routes have none, and `access` holds the type to that. */
  principal: never = null as never
  ifMatch: IfMatch = null
  held: GrowingPermit | null = null
  /** Gives the turn back that the handler has (`limits/concurrency.ts`); undefined: it has none. */
  endTurn: (() => void) | undefined = undefined
  mediaType = JSON_MEDIA_TYPE
  /** Headers that go out with whatever is answered. */
  readonly headers: Record<string, string | string[]>
  /** Whether the deadline is suspended: a body that is under way has limits of its own. */
  isReading = false
  /** Begins the handler's time anew; set while it has a limit. */
  restartDeadline: (() => void) | undefined = undefined
  /** The answer is given; what a handler does afterwards goes nowhere. */
  isAnswered = false
  /** Reason of the refusal, for the log. */
  refusal: string | null = null

  readonly #req: IncomingMessage
  readonly #res: ServerResponse
  readonly #setting: ExchangeSetting
  #locale: Locale | undefined
  #address: string | undefined
  #isSecure: boolean | undefined
  #scope: Scope | null | undefined
  #abort: AbortController | undefined
  #loans: Set<() => void> | null = null
  #isOver = false
  #abortReason: AbortReason | undefined

  constructor(
    req: IncomingMessage,
    res: ServerResponse,
    setting: ExchangeSetting,
    readonly requestId: string,
    headers: Record<string, string | string[]>,
  ) {
    this.#req = req
    this.#res = res
    this.#setting = setting
    this.headers = headers
  }

  /** Who calls, whatever the route's access says of it. */
  get caller(): Principal | null {
    return this.principal as Principal | null
  }

  set caller(principal: Principal) {
    this.principal = principal as never
    this.#locale = undefined
  }

  get locale(): Locale {
    const caller = this.caller
    this.#locale ??= chooseLocale(this.header('x-locale'), caller?.kind === 'user' ? caller.locale : null, this.header('accept-language'))
    return this.#locale
  }

  get address(): string {
    this.#address ??= clientAddress(this.#req, this.#setting.trustedProxies)
    return this.#address
  }

  get isSecure(): boolean {
    this.#isSecure ??= isSecureRequest(this.#req, this.#setting.trustedProxies)
    return this.#isSecure
  }

  get scope(): never {
    if (this.#scope === undefined) {
      const kind = this.route?.access.kind
      const organizationId = kind === 'permission' || kind === 'session' ? this.caller?.organizationId : undefined
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

  lend(giveBack: () => void): () => void {
    this.#loans ??= new Set()
    const loans = this.#loans
    const once = (): void => {
      if (loans.delete(once)) giveBack()
    }
    loans.add(once)
    if (this.#isOver) once()
    return once
  }

  /** The answer is with the system, or will never be: nobody looks at what it was made of. */
  end(): void {
    this.#isOver = true
    if (this.#loans !== null) for (const giveBack of this.#loans) giveBack()
  }

  /** After an answer that went out whole there is nobody left to tell. */
  readonly #onClose = (): void => {
    if (!this.#res.writableFinished) this.abort('caller_gone')
  }
}
