/**
 * A browser without scripts: it keeps cookies, follows redirects and sends forms over real HTTP. Cookies are bound to hosts and not to ports, as in browsers.
 * `SameSite` and `Secure` are honoured; `127.0.0.1` and `localhost` are two sites.
 */
import assert from 'node:assert/strict'

/** More than any sign-in has. */
const REDIRECTS_LIMIT = 20

interface Cookie {
  readonly value: string
  readonly path: string
  readonly isSecure: boolean
  readonly sameSite: 'strict' | 'lax' | 'none'
}

export interface Page {
  readonly url: URL
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Where a redirect leads; null: the answer is none. */
  readonly redirect: URL | null
}

export interface Form {
  readonly action: URL
  readonly method: 'GET' | 'POST'
  /** Inputs with their values, hidden ones included. */
  readonly fields: Readonly<Record<string, string>>
}

export interface Visit {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Sent as a form. */
  readonly fields?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The page that has the link or the form; null: the address was typed. */
  readonly from?: URL | null
  /** Redirects to such an address are returned, not followed. */
  readonly until?: (url: URL) => boolean
}

export class UserAgent {
  readonly #cookies = new Map<string, Map<string, Cookie>>()

  /** @param language of `Accept-Language` */
  constructor(readonly language = 'en-US') {}

  /** One request. */
  async request(address: URL | string, { method = 'GET', fields, json, headers = {}, from = null }: Visit = {}): Promise<Page> {
    const url = new URL(address)
    const body = fields === undefined ? JSON.stringify(json) : new URLSearchParams(fields).toString()
    const cookies = this.#cookiesFor(url, method, from)
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
        'Accept-Language': this.language,
        ...(cookies === '' ? {} : { Cookie: cookies }),
        ...(body === undefined ? {} : { 'Content-Type': fields === undefined ? 'application/json' : 'application/x-www-form-urlencoded' }),
        ...(method !== 'GET' && from !== null ? { Origin: from.origin } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    })
    for (const line of response.headers.getSetCookie()) this.#keep(url, line)
    const location = response.headers.get('location')
    const isRedirect = response.status >= 300 && response.status < 400 && location !== null
    return { url, status: response.status, headers: response.headers, text: await response.text(), redirect: isRedirect ? new URL(location, url) : null }
  }

  /** Requests, and follows redirects. */
  async open(address: URL | string, visit: Visit = {}): Promise<Page> {
    const { until = () => false } = visit
    let page = await this.request(address, visit)
    // One step on another site makes the whole chain cross-site.
    let from = visit.from ?? null
    for (let count = 0; page.redirect !== null && !until(page.redirect); count++) {
      assert.ok(count < REDIRECTS_LIMIT, `too many redirects, the last to ${page.redirect}`)
      if (from === null || from.hostname === page.redirect.hostname) from = page.url
      page = await this.request(page.redirect, { from, ...(visit.headers === undefined ? {} : { headers: visit.headers }) })
    }
    return page
  }

  /** Sends a form of a page, and follows redirects. @param fields in place of, and beside, the values of the form */
  submit(page: Page, { action, method, fields: own }: Form, fields: Readonly<Record<string, string>> = {}, until?: Visit['until']): Promise<Page> {
    const all = { ...own, ...fields }
    const common = { from: page.url, ...(until === undefined ? {} : { until }) }
    if (method === 'POST') return this.open(action, { ...common, method, fields: all })
    return this.open(new URL(`?${new URLSearchParams(all)}`, action), common)
  }

  /** The value of a cookie; undefined: the browser has none. */
  cookie(address: URL | string, name: string): string | undefined {
    return this.#cookies.get(new URL(address).hostname)?.get(name)?.value
  }

  /** Names of the cookies of a host, in order. */
  cookieNames(address: URL | string): readonly string[] {
    return [...(this.#cookies.get(new URL(address).hostname)?.keys() ?? [])].sort()
  }

  setCookie(address: URL | string, name: string, value: string): void {
    this.#keep(new URL(address), `${name}=${value}; Path=/; SameSite=Lax`)
  }

  /** A copy with the same cookies. */
  clone(): UserAgent {
    const copy = new UserAgent(this.language)
    for (const [host, cookies] of this.#cookies) copy.#cookies.set(host, new Map(cookies))
    return copy
  }

  #cookiesFor(url: URL, method: string, from: URL | null): string {
    const isCrossSite = from !== null && from.hostname !== url.hostname
    const isSent = ({ path, isSecure, sameSite }: Cookie): boolean => {
      if (!isBelow(url.pathname, path) || (isSecure && url.protocol !== 'https:')) return false
      return !isCrossSite || sameSite === 'none' || (sameSite === 'lax' && method === 'GET')
    }
    const all = [...(this.#cookies.get(url.hostname) ?? [])]
    return all
      .filter(([, cookie]) => isSent(cookie))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ')
  }

  #keep({ hostname, pathname }: URL, line: string): void {
    const [pair, ...attributes] = line.split(';').map((part) => part.trim())
    const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
    const read = new Map(attributes.map((attribute) => [attribute.split('=')[0].toLowerCase(), attribute.split('=').slice(1).join('=')]))
    const cookies = this.#cookies.get(hostname) ?? new Map<string, Cookie>()
    this.#cookies.set(hostname, cookies)
    const expires = read.get('expires')
    const isOver = Number(read.get('max-age') ?? 1) <= 0 || (expires !== undefined && !read.has('max-age') && Date.parse(expires) <= Date.now())
    const path = read.get('path')?.startsWith('/') === true ? read.get('path')! : pathname.slice(0, Math.max(1, pathname.lastIndexOf('/')))
    if (isOver) cookies.delete(name)
    else cookies.set(name, { value, path, isSecure: read.has('secure'), sameSite: (read.get('samesite')?.toLowerCase() as Cookie['sameSite'] | undefined) ?? 'lax' })
  }
}

/** Path matching of RFC 6265, 5.1.4. */
function isBelow(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
}

/** The forms of a page. */
export function formsOf({ url, text }: Page): readonly Form[] {
  return [...text.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gis)].map(([, attributes, inner]) => ({
    action: new URL(attributeOf(attributes, 'action') ?? '', url),
    method: attributeOf(attributes, 'method')?.toUpperCase() === 'POST' ? 'POST' : 'GET',
    fields: Object.fromEntries(
      [...inner.matchAll(/<(?:input|button)\b([^>]*)>/gis)].flatMap(([, input]) => {
        const name = attributeOf(input, 'name')
        return name === undefined ? [] : [[name, attributeOf(input, 'value') ?? '']]
      }),
    ),
  }))
}

/** The form of a page whose action has this path. */
export function formTo(page: Page, path: RegExp): Form {
  const form = formsOf(page).find(({ action }) => path.test(action.pathname))
  return form ?? assert.fail(`no form to ${path} at ${page.url}: ${page.status} ${page.text.slice(0, 2_000)}`)
}

function attributeOf(attributes: string, name: string): string | undefined {
  const value = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'is').exec(attributes)
  return value === null ? undefined : decodeEntities(value[1] ?? value[2])
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (entity, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name as string] ?? entity
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal))
  })
}
