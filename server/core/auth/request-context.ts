/** What services know about the current request. Every `RouteRequest` is one. */
import type { Locale } from '../i18n/locale.js'
import type { Caller, Principal } from './principal.js'

export interface RequestContext {
  readonly requestId: string
  /** IP address of the caller. */
  readonly address: string
  readonly locale: Locale
  /** `User-Agent` as received, any text; missing: unknown. */
  readonly client?: string | undefined
}

/** The caller of a change, with the context of the request. */
export interface Actor<P extends Caller = Principal> extends RequestContext {
  readonly principal: P
}
