/**
 * Finds the route of a path, in find-my-way's radix tree. (@koa/router tries one regular expression a route: with 160 routes, 16 µs a request; this takes
 * less than one.) A written segment is preferred to a parameter.
 */
import createRouter from 'find-my-way'

/** The methods of routes, and so of `Allow`. */
const METHODS = ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'] as const
/** Longer segments name nothing; schemas of parameters are narrower. */
const SEGMENT_CHARACTERS = 2048

export interface Found<T> {
  readonly value: T
  readonly params: Readonly<Record<string, string>>
}

/** What a path leads to: a route, other methods only, or nothing. */
export type Lookup<T> = Found<T> | { readonly allow: readonly string[] } | null

type Method = (typeof METHODS)[number]
/** Null: the path has no such method. */
type Entry<T> = { readonly value: T } | null

export class RouteTable<T> {
  readonly #router = createRouter({ caseSensitive: true, maxParamLength: SEGMENT_CHARACTERS })
  /** Paths by their shape, whatever their parameters are called, with the methods that they have in the router; null: those that they lack are in it, too. */
  #shapes: Map<string, { readonly path: string; readonly methods: Set<Method> }> | null = new Map()

  /** All are added before the first is looked for. @param path with its parameters in braces @throws when the path has that method already */
  add(method: Method, path: string, value: T): void {
    if (this.#shapes === null) throw new TypeError('routes are added before any is looked for')
    this.#put(method, path, { value })
    const shape = path.replace(/\{\w+\}/g, '{}')
    const known = this.#shapes.get(shape)
    if (known === undefined) this.#shapes.set(shape, { path, methods: new Set([method]) })
    else known.methods.add(method)
  }

  /**
   * @param path as it was sent: a percent sign never makes a slash
   * @throws URIError when a percent sign encodes nothing
   */
  find(method: string, path: string): Lookup<T> {
    if (path.includes('%')) decodeURIComponent(path)
    if (this.#shapes !== null) this.#close()
    const found = this.#find(method, path) ?? (method === 'HEAD' ? this.#find('GET', path) : null)
    if (found !== null) return found
    const methods = METHODS.filter((other) => this.#find(other, path) !== null)
    if (methods.length === 0) return null
    return { allow: [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort() }
  }

  #put(method: Method, path: string, entry: Entry<T>): void {
    this.#router.on(method, path.replace(/\{(\w+)\}/g, ':$1'), unused, entry)
  }

  /** Methods that a path lacks are none of it: without this, `GET /cases/run` would be the case `run`, and `Allow` of `/cases/run` would have DELETE. */
  #close(): void {
    for (const { path, methods } of this.#shapes?.values() ?? []) {
      for (const method of METHODS) if (!methods.has(method)) this.#put(method, path, null)
    }
    this.#shapes = null
  }

  #find(method: string, path: string): Found<T> | null {
    const found = this.#router.find(method as Method, path)
    if (found === null) return null
    const entry = found.store as Entry<T>
    if (entry === null) return null
    // A parameter always has something in it: nothing between two slashes is not a segment.
    const params = found.params as Record<string, string>
    for (const name in params) if (params[name] === '') return null
    return { value: entry.value, params }
  }
}

/** The router is asked for what was stored; it never calls anything. */
function unused(): void {}
