/** Reads and writes cookies (RFC 6265). */
import type { CookieChange } from '../../auth/cookies.js'

/** Cookies beyond that are no browser's. */
const COOKIES_LIMIT = 200
/** What a value may hold without being quoted. */
const VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/

/** A cookie's value; of several with that name the first, which browsers write for the most specific path. Null: there is none, or it is empty. */
export function readCookie(header: string | undefined, name: string): string | null {
  for (const pair of header?.split(';', COOKIES_LIMIT) ?? []) {
    const equals = pair.indexOf('=')
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim() || null
  }
  return null
}

/**
 * A header `Set-Cookie`: scripts can't read the cookie, and pages of other sites may link here with it, and not post.
 * @param isSecure the cookie goes over TLS only
 */
export function writeCookie({ name, value, maxAgeSeconds }: CookieChange, isSecure: boolean): string {
  if (value !== null && !VALUE.test(value)) throw new TypeError(`the cookie ${name} has a value that no cookie may have`)
  const life = value === null ? ['Max-Age=0', 'Expires=Thu, 01 Jan 1970 00:00:00 GMT'] : maxAgeSeconds === undefined ? [] : [`Max-Age=${maxAgeSeconds}`]
  return [`${name}=${value ?? ''}`, 'Path=/', ...life, 'HttpOnly', 'SameSite=Lax', ...(isSecure ? ['Secure'] : [])].join('; ')
}
