/** The headers that all responses have (CONTRACT.md#headers). */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { writeCookie } from '../identity/cookies.js'
import type { RequestState } from '../request-state.js'

/** Returns a new object, because each response adds its own headers. */
export function commonHeaders(requestId: string, traceId: string): Record<string, string | string[]> {
  return {
    'X-Request-Id': requestId,
    'X-Trace-Id': traceId,
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  }
}

/**
 * Sets a header of a handler. It replaces a header whose name differs only in case.
 * @throws TypeError for a value with a line break, before it could reach the headers of the refusal that follows
 */
export function setHeader(headers: Record<string, string | string[]>, name: string, value: string): void {
  validateHeaderName(name)
  validateHeaderValue(name, value)
  const lower = name.toLowerCase()
  for (const known of Object.keys(headers)) {
    if (known.length === name.length && known.toLowerCase() === lower) {
      headers[known] = value
      return
    }
  }
  headers[name] = value
}

/** Sets the headers of the cookies of a response. */
export function setCookieHeaders({ cookies, headers, hasSecureCookies }: Pick<RequestState, 'cookies' | 'headers' | 'hasSecureCookies'>): void {
  if (cookies.length > 0) headers['Set-Cookie'] = cookies.map((cookie) => writeCookie(cookie, hasSecureCookies))
}
