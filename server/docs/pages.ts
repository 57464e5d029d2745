/**
 * Serves `GET /openapi.json`, `/docs` and `/redoc` below the interface's prefix, the pages below them, and everything that they load: nothing is loaded from other hosts.
 * `DOCS_EXPOSURE` decides who can see them; others receive 404.
 */
import { readFile } from 'node:fs/promises'
import type { Authenticate } from '../core/auth/credentials.js'
import type { Config } from '../core/config.js'
import { ApiError } from '../core/errors.js'
import type { PublicAddress } from '../core/public-address.js'
import { readCredential } from '../core/http/identity/access.js'
import { API_PREFIX } from '../core/http/application.js'
import type { Context, Middleware } from '../core/http/request-state.js'
import type { Route } from '../core/http/route.js'
import { JSON_TYPE, send } from '../core/http/response/send.js'
import { buildDocument, type Json } from './document.js'
import type { Description } from './reference/description.js'
import { type ReferenceOptions, referencePages } from './reference/page.js'

export interface PagesOptions {
  readonly config: Pick<Config, 'docsExposure' | 'apiPublicBaseUrl'>
  /** What the first call calls. */
  readonly address: Pick<PublicAddress, 'api'>
  readonly routes: readonly Route[]
  readonly authenticate: Authenticate
  readonly version: string
  readonly tags?: Readonly<Record<string, string>>
}

interface Page {
  readonly type: string
  /** Content-Security-Policy; default: the page may load nothing. */
  readonly policy?: string
  read(): Promise<string | Uint8Array> | string | Uint8Array
}

const HTML = 'text/html; charset=utf-8'
const NOTHING = "default-src 'none'; frame-ancestors 'none'"
/** Scripts, inline styles, and styles, fonts and images of other hosts are not allowed. */
const REFERENCE_POLICY = `${NOTHING}; base-uri 'none'; form-action 'none'; style-src 'self'; img-src 'self'`
/** Also allows our script, which calls this service. */
const TRY_POLICY = `${REFERENCE_POLICY}; script-src 'self'; connect-src 'self'`
/** The pages in both forms. */
const FORMS: readonly (Omit<ReferenceOptions, 'api'> & { readonly policy: string })[] = [
  { root: 'docs', other: 'redoc', tryIt: true, policy: TRY_POLICY },
  { root: 'redoc', other: 'docs', tryIt: false, policy: REFERENCE_POLICY },
]
/** Compiled for browsers, beside this file. */
const TRY_SCRIPT = new URL('browser/try.js', import.meta.url)
const STYLE = new URL('reference/page.css', import.meta.url)
const ICON = new URL('reference/icon.svg', import.meta.url)

/** Runs before the routes. The pages are not part of the document. */
export function pages({ config, address, routes, authenticate, version, tags = {} }: PagesOptions): Middleware {
  if (config.docsExposure === 'off') return (_, next) => next()
  const find = pageTable(() => buildDocument({ routes, version, baseUrl: config.apiPublicBaseUrl, tags }), address)
  return async (ctx, next) => {
    const page = find(ctx.path)
    if (page === undefined || !(await isShown(ctx, config.docsExposure, authenticate))) return next()
    ctx.state.routePath = ctx.path
    if (ctx.method === 'OPTIONS') {
      ctx.state.headers.Allow = 'GET, HEAD, OPTIONS'
      return send(ctx, 204, null, null)
    }
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw new ApiError('method_not_allowed', { params: { method: ctx.method }, headers: { Allow: 'GET, HEAD, OPTIONS' } })
    if (page.policy !== undefined) ctx.state.headers['Content-Security-Policy'] = page.policy
    send(ctx, 200, page.type, await page.read())
  }
}

/** A caller without access receives 404, also with a wrong credential, so that the pages are not revealed. */
async function isShown({ state }: Context, exposure: Config['docsExposure'], authenticate: Authenticate): Promise<boolean> {
  if (exposure === 'public') return true
  try {
    const credential = readCredential(state)
    if (credential === null || credential.kind !== 'token') return false
    const caller = await authenticate(credential, { path: null, header: null })
    state.caller = caller
    return caller.kind === 'user' && caller.isPlatformAdmin
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return false
    throw error
  }
}

/** Returns the function that finds a page by its path. */
function pageTable(document: () => Json, address: Pick<PublicAddress, 'api'>): (path: string) => Page | undefined {
  // Serialized once: anyone may request it, and serializing takes as long as many requests.
  const json = once(() => JSON.stringify(document()))
  const read = once(() => document() as unknown as Description)
  const assets: Readonly<Record<string, Page>> = {
    '/openapi.json': { type: JSON_TYPE, read: json },
    '/docs/try.js': { type: 'text/javascript; charset=utf-8', read: () => readFile(TRY_SCRIPT) },
    '/docs/page.css': { type: 'text/css; charset=utf-8', read: () => readFile(STYLE) },
    '/docs/icon.svg': { type: 'image/svg+xml', read: () => readFile(ICON) },
  }
  const known = new Map(Object.entries(assets).map(([path, page]) => [`${API_PREFIX}${path}`, page]))
  const written = once(() => FORMS.map((form) => ({ form, pages: referencePages(read(), { ...form, api: address.api }) })))
  const rendered = new Map<string, Page>()
  return (path) => {
    const page = known.get(path) ?? rendered.get(path)
    // The document is built only for what may be a page: every request of the interface passes here.
    if (page !== undefined || !FORMS.some(({ root }) => path.startsWith(`${API_PREFIX}/${root}`))) return page
    for (const { form, pages } of written()) {
      const slug = path.slice(API_PREFIX.length + 1 + form.root.length)
      const render = path.startsWith(`${API_PREFIX}/${form.root}`) && (slug === '' || slug.startsWith('/')) ? pages.get(slug.slice(1)) : undefined
      if (render === undefined || slug === '/') continue
      const made = { type: HTML, policy: form.policy, read: once(render) }
      rendered.set(path, made)
      return made
    }
    return undefined
  }
}

function once<T>(create: () => T): () => T {
  let cached: { readonly value: T } | undefined
  return () => (cached ??= { value: create() }).value
}
