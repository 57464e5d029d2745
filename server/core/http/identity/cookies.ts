/** Reads and writes cookies (RFC 6265). */
import type { CookieChange } from '../../auth/cookies.js'

/** Maximum number of cookies that are read; browsers send fewer. */
const COOKIES_LIMIT = 200
/** Characters that a value may contain without quotes. */
const VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/

/** The value of a cookie. With duplicate names the first, which browsers send for the most specific path. Null: absent or empty. */
export function readCookie(header: string | undefined, name: string): string | null {
  for (const pair of header?.split(';', COOKIES_LIMIT) ?? []) {
    const equals = pair.indexOf('=')
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim() || null
  }
  return null
}

/**
 * The header `Set-Cookie`: `HttpOnly`, so that scripts cannot read the cookie, and `SameSite=Lax`, so that other sites can link here with it but not post.
 * @param isSecure the cookie is sent over TLS only
 */
export function writeCookie({ name, value, maxAgeSeconds }: CookieChange, isSecure: boolean): string {
  if (value !== null && !VALUE.test(value)) throw new TypeError(`the cookie ${name} has a value with characters that cookies cannot contain`)
  const life = value === null ? ['Max-Age=0', 'Expires=Thu, 01 Jan 1970 00:00:00 GMT'] : maxAgeSeconds === undefined ? [] : [`Max-Age=${maxAgeSeconds}`]
  return [`${name}=${value ?? ''}`, 'Path=/', ...life, 'HttpOnly', 'SameSite=Lax', ...(isSecure ? ['Secure'] : [])].join('; ')
}
