/** What services know of the current request. Every `RouteRequest` is one. */
import type { Locale } from '../i18n/locale.js'
import type { Principal } from './principal.js'

export interface RequestContext {
  readonly requestId: string
  /** IP address of the caller. */
  readonly address: string
  readonly locale: Locale
}

/** Who changes something, and in which request. */
export interface Actor<P extends Principal = Principal> extends RequestContext {
  readonly principal: P
}
