/** The session cookie. The response adds the attributes of all cookies: HttpOnly, SameSite=Lax, Path=/, and Secure with TLS. */

/** A cookie to set; a null value clears it. */
export interface CookieChange {
  readonly name: string
  readonly value: string | null
  readonly maxAgeSeconds?: number
}

export const SESSION_COOKIE = 'service_session'

/** A cookie that expires with the session. */
export function sessionCookie(token: string, maxAgeSeconds: number): CookieChange {
  return { name: SESSION_COOKIE, value: token, maxAgeSeconds }
}

/** Clears the session cookie. */
export const NO_SESSION_COOKIE: CookieChange = { name: SESSION_COOKIE, value: null }
