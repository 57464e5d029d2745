/**
 * The place to which a browser returns after a login, or after a visit to the payment gateway: a path at `PUBLIC_BASE_URL`. Invariant: the address stays on that
 * origin in every browser and proxy. Browsers and proxies read `//host`, `/\host` and their encoded forms as another host, and remove control characters before they
 * parse.
 */

/** Characters of a path with its query. Pages of the front end have shorter ones. */
export const REDIRECT_PATH_CHARACTERS = 2048

/** How often a path is decoded to see what a chain of proxies could make of it. */
const DECODINGS = 5
/** Visible ASCII; everything else is sent percent-encoded. */
const VISIBLE = /^[\x21-\x7e]+$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const FORBIDDEN = /[\x00-\x1f\x7f\\]/
const ANY_ORIGIN = 'http://origin.invalid'

/** Whether a text is an absolute path that cannot leave the origin. */
export function isRedirectPath(text: string): boolean {
  if (text.length > REDIRECT_PATH_CHARACTERS || !VISIBLE.test(text)) return false
  let [path] = text.split(/[?#]/, 1)
  for (let decoding = 0; decoding <= DECODINGS; decoding++) {
    // Without its dot segments the path may begin with two slashes.
    if (!path.startsWith('/') || path.startsWith('//') || FORBIDDEN.test(path) || new URL(path, ANY_ORIGIN).pathname.startsWith('//')) return false
    const decoded = decode(path)
    // A path that is decoded may hold a percent sign of its own.
    if (decoded === null) return decoding > 0
    if (decoded === path) return true
    path = decoded
  }
  return false
}

function decode(path: string): string | null {
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}

/** The address of a path at the base address. @param path of `isRedirectPath` @throws TypeError if it is on another origin */
export function redirectUrl(base: string, path: string): string {
  const url = new URL(`${base}${path}`)
  if (url.origin !== new URL(base).origin) throw new TypeError('the path leaves the origin')
  return url.href
}
