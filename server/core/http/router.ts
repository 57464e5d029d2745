/**
 * Routers of @koa/router. A path is one route of a router, for all methods, and `byMethod` chooses: `GET /cases/run` thus does not match the case `run`, and
 * `Allow` of `/cases/run` does not contain DELETE. A literal segment has precedence over a parameter.
 *
 * A router tries one regular expression after the other: 7 to 10 µs a request with 169 paths. A path without parameters therefore has a router of its own, and so
 * have the other paths of each first segment and number of segments: 2 to 5 µs. An expression reads a path once and a segment has 2,048 characters at most, so a
 * hostile path takes 0.1 ms.
 */
import Router, { type RouterContext } from '@koa/router'
import { ApiError } from '../errors.js'
import type { Middleware } from './request-state.js'
import { send } from './response/send.js'

/** Longer segments match nothing; the schemas of parameters are narrower. */
const SEGMENT_CHARACTERS = 2048
/** Longer paths match nothing; the longest has eleven segments, with the empty one before the first slash. */
const SEGMENTS = 16
const PARAMETER = /\{(\w+)\}/g
/** In place of a parameter's brace it sorts after every literal segment. */
const AFTER_LITERALS = '\uffff'

/**
 * Calls the middleware of the path that matches, or else the next one. Parameters are in `ctx.params`, decoded: an encoded slash does not separate segments.
 * @param handlers by path, with its parameters in braces
 * @param prefix what all paths begin with
 * @throws TypeError when two paths differ in the names of parameters only @throws ApiError path_malformed, route_missing
 */
export function routed(handlers: ReadonlyMap<string, Middleware>, prefix = ''): Middleware {
  const groups = new Map<string, Group>()
  const sorted = Array.from(handlers, ([path, handler]) => ({ path, handler, shape: path.replace(PARAMETER, AFTER_LITERALS) }))
  sorted.sort((one, other) => (one.shape < other.shape ? -1 : 1))
  for (const [index, { path, handler, shape }] of sorted.entries()) {
    if (shape === sorted[index - 1]?.shape) throw new TypeError(`two routes have the path ${path}`)
    const group = path === shape ? path : groupOf(path, prefix)
    let members = groups.get(group)
    if (members === undefined) groups.set(group, (members = new Group()))
    members.add(path, handler)
  }
  return (ctx, next) => {
    const path = plainPath(ctx.path)
    const group = groups.get(path) ?? groups.get(groupOf(path, prefix))
    if (group === undefined) return next()
    const context = ctx as RouterContext
    if (path !== ctx.path) context.newRouterPath = path
    return group.routes(context, next)
  }
}

/** Paths with one router, which the first request creates: all of them were a quarter of what a service takes to start beside its modules. */
class Group {
  readonly #paths: { readonly path: string; readonly handler: Middleware }[] = []
  #routes: ReturnType<Router['routes']> | null = null

  /** Before the first request. @param path with its parameters in braces */
  add(path: string, handler: Middleware): void {
    this.#paths.push({ path, handler })
  }

  get routes(): ReturnType<Router['routes']> {
    return (this.#routes ??= this.#create())
  }

  #create(): ReturnType<Router['routes']> {
    const router = new Router({ sensitive: true, strict: true })
    for (const { path, handler } of this.#paths) router.all(path.replace(PARAMETER, ':$1'), handler)
    return router.routes()
  }
}

/** Answers OPTIONS with the methods of a path, HEAD as GET. No CORS header is sent, so browsers refuse cross-origin use. @throws ApiError method_not_allowed */
export function byMethod(methods: ReadonlyMap<string, Middleware>): Middleware {
  const allow = [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ')
  return (ctx, next) => {
    const { method, state } = ctx
    const chosen = methods.get(method) ?? (method === 'HEAD' ? methods.get('GET') : undefined)
    if (chosen !== undefined) return chosen(ctx, next)
    if (method !== 'OPTIONS') throw new ApiError('method_not_allowed', { params: { method }, headers: { Allow: allow } })
    state.headers.Allow = allow
    return send(ctx, 204, null, null)
  }
}

/** Decodes a path, but for slashes and percent signs inside of segments, which the router decodes: `/%61` is `/a`. @throws ApiError path_malformed, route_missing */
function plainPath(path: string): string {
  const isEncoded = path.includes('%')
  if (!isEncoded && path.length <= SEGMENT_CHARACTERS) return path
  const segments = decodedSegments(path)
  if (segments.length > SEGMENTS || segments.some(({ length }) => length > SEGMENT_CHARACTERS)) throw new ApiError('route_missing')
  return isEncoded ? segments.map((segment) => segment.replace(/[%/]/g, encodeURIComponent)).join('/') : path
}

function decodedSegments(path: string): string[] {
  try {
    decodeURIComponent(path)
    return path.split('/', SEGMENTS + 1).map(decodeURIComponent)
  } catch {
    throw new ApiError('path_malformed')
  }
}

/** The first segment below the prefix, and the number of segments. */
function groupOf(path: string, prefix: string): string {
  let count = 0
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) count++
  const end = path.indexOf('/', prefix.length + 1)
  return `${count}${end === -1 ? path : path.slice(0, end)}`
}
