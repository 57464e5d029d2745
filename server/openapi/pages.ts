/**
 * `GET /openapi.json`, `/docs` and `/redoc`, below the interface's prefix, with all that they load: nothing comes from other hosts. Who sees them is
 * `DOCS_EXPOSURE`; for everyone else there is nothing here.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Authenticate } from '../auth/credentials.js'
import type { Config } from '../config.js'
import { ApiError } from '../errors.js'
import { readCredential } from '../http/access.js'
import { API_PREFIX } from '../http/application.js'
import type { Context, Middleware } from '../http/exchange.js'
import type { Route } from '../http/route.js'
import { JSON_TYPE, send } from '../http/send.js'
import { buildDocument } from './document.js'

export interface PagesOptions {
  readonly config: Pick<Config, 'docsExposure' | 'apiPublicBaseUrl'>
  readonly routes: readonly Route[]
  readonly authenticate: Authenticate
  readonly version: string
  readonly tags?: Readonly<Record<string, string>>
}

interface Page {
  readonly type: string
  /** Without it a page may load nothing at all. */
  readonly policy?: string
  read(): Promise<string | Uint8Array> | string | Uint8Array
}

const HTML = 'text/html; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'
const STYLE = 'text/css; charset=utf-8'
const NOTHING = "default-src 'none'; frame-ancestors 'none'"
/** Both pages write styles into themselves, and draw icons from data. Redoc searches in a worker that it makes of a blob. */
const SWAGGER_POLICY = `${NOTHING}; base-uri 'none'; form-action 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'`
const REDOC_POLICY = `${SWAGGER_POLICY}; worker-src blob:; child-src blob:; font-src 'self' data:`

/** Redoc asks its maker's host for a picture. The policy refuses that; so that no browser complains about it either, there is none. */
const REDOC_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg'
const NO_IMAGE = 'data:,'

const SWAGGER_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Detection Content Service</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`
const SWAGGER_START = `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null, presets: [SwaggerUIBundle.presets.apis], layout: 'BaseLayout' })
`
const REDOC_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Detection Content Service</title>
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
<style>body { margin: 0 }</style>
</head>
<body>
<redoc spec-url="openapi.json"></redoc>
<script src="redoc/redoc.standalone.js"></script>
</body>
</html>
`

/** Before the routes: the document is not part of itself. */
export function pages({ config, routes, authenticate, version, tags = {} }: PagesOptions): Middleware {
  if (config.docsExposure === 'off') return (_, next) => next()
  let document: string | undefined
  const table = pageTable(() => (document ??= JSON.stringify(buildDocument({ routes, version, baseUrl: config.apiPublicBaseUrl, tags }))))
  return async (ctx, next) => {
    const page = table.get(ctx.path)
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

/** Whoever may not see them is told of no page: a wrong credential, too, is 404 here. */
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

function pageTable(document: () => string): ReadonlyMap<string, Page> {
  const require = createRequire(import.meta.url)
  const swagger = dirname(require.resolve('swagger-ui-dist/package.json'))
  const redoc = join(dirname(require.resolve('redoc/package.json')), 'bundles')
  const pages: Readonly<Record<string, Page>> = {
    '/openapi.json': { type: JSON_TYPE, read: document },
    '/docs': { type: HTML, policy: SWAGGER_POLICY, read: () => SWAGGER_PAGE },
    '/docs/start.js': { type: SCRIPT, read: () => SWAGGER_START },
    '/docs/swagger-ui-bundle.js': file(SCRIPT, join(swagger, 'swagger-ui-bundle.js')),
    '/docs/swagger-ui.css': file(STYLE, join(swagger, 'swagger-ui.css')),
    '/docs/favicon-32x32.png': file('image/png', join(swagger, 'favicon-32x32.png')),
    '/redoc': { type: HTML, policy: REDOC_POLICY, read: () => REDOC_PAGE },
    '/redoc/redoc.standalone.js': { type: SCRIPT, read: async () => (await readFile(join(redoc, 'redoc.standalone.js'), 'utf8')).replaceAll(REDOC_LOGO, NO_IMAGE) },
  }
  return new Map(Object.entries(pages).map(([path, page]) => [`${API_PREFIX}${path}`, page]))
}

/** Read at each request: a page that people open now and then is not worth its memory. */
function file(type: string, path: string): Page {
  return { type, read: () => readFile(path) }
}
