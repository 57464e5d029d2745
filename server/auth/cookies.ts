/** The session cookie. Whoever sends it out adds the attributes that every cookie of ours has: HttpOnly, SameSite=Lax, Path=/, and Secure where there is TLS. */

/** A cookie to set, or with a null value to clear. */
export interface CookieChange {
  readonly name: string
  readonly value: string | null
  readonly maxAgeSeconds?: number
}

export const SESSION_COOKIE = 'service_session'

/** Sets the cookie for as long as the session lives. */
export function sessionCookie(token: string, maxAgeSeconds: number): CookieChange {
  return { name: SESSION_COOKIE, value: token, maxAgeSeconds }
}

/** Takes the cookie away. */
export const NO_SESSION_COOKIE: CookieChange = { name: SESSION_COOKIE, value: null }
