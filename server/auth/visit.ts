/** The request in which something happens, as far as services need to know of it. Every `RouteRequest` is one. */
import type { Locale } from '../i18n/locale.js'
import type { Principal } from './principal.js'

export interface Visit {
  readonly requestId: string
  /** Of the caller. */
  readonly address: string
  readonly locale: Locale
}

/** Who changes something, and in which request. */
export interface Actor<P extends Principal = Principal> extends Visit {
  readonly principal: P
}
