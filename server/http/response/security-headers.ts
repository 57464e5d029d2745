/** The headers of every answer (CONTRACT.md#headers). */
import { validateHeaderName, validateHeaderValue } from 'node:http'

/** A fresh object: what an answer adds is its own. */
export function standingHeaders(requestId: string, traceId: string): Record<string, string | string[]> {
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
 * Sets a header of a handler, under the name that is there already, whatever its case.
 * @throws TypeError for a value that would end the header, before it stands among those of the refusal that follows
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
