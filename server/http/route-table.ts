/**
 * Finds the route of a path in the radix tree of find-my-way. (@koa/router tries one regular expression per route: 16 µs a request with 160 routes; this takes
 * less than 1 µs.) A literal segment has precedence over a parameter.
 */
import createRouter from 'find-my-way'

/** Longer segments match nothing; the schemas of parameters are narrower. */
const SEGMENT_CHARACTERS = 2048
const PARAMETER = /\{(\w+)\}/g

export interface Found<T> {
  readonly value: T
  readonly params: Readonly<Record<string, string>>
}

/** The result of a lookup: a route, the allowed methods of the path, or null. */
export type Lookup<T> = Found<T> | { readonly allow: readonly string[] } | null

type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT'

interface Entry<T> {
  readonly value: T
  /** Names of its parameters by the names that the router has from another method of the path. Null: they are the same. */
  readonly names: ReadonlyMap<string, string> | null
}

interface Path<T> {
  /** Names of the parameters in the router. */
  readonly names: readonly string[]
  readonly methods: Map<string, Entry<T>>
}

export class RouteTable<T> {
  /**
   * Has each path once, under one method, with its methods as the value. `GET /cases/run` thus does not match the case `run`, and `Allow` of `/cases/run` does
   * not contain DELETE. (A path for each method takes 700 entries for 160 routes, and three times as long at the start.)
   */
  readonly #router = createRouter({ caseSensitive: true, maxParamLength: SEGMENT_CHARACTERS })
  /** By path, without the names of parameters. */
  readonly #paths = new Map<string, Path<T>>()
  #isComplete = false

  /** Adds a route. All routes are added before the first lookup. @param path with its parameters in braces @throws TypeError when the path has that method already */
  add(method: Method, path: string, value: T): void {
    if (this.#isComplete) throw new TypeError('routes must be added before the first lookup')
    const names = Array.from(path.matchAll(PARAMETER), ([, name]) => name!)
    const shape = path.replace(PARAMETER, '{}')
    let known = this.#paths.get(shape)
    if (known === undefined) {
      known = { names, methods: new Map() }
      this.#paths.set(shape, known)
      this.#router.on('GET', path.replace(PARAMETER, ':$1'), unused, known.methods)
    }
    if (known.methods.has(method)) throw new TypeError(`${method} ${path} is a route already`)
    const renamed = new Map(known.names.map((name, index) => [name, names[index]!]))
    known.methods.set(method, { value, names: known.names.every((name) => renamed.get(name) === name) ? null : renamed })
  }

  /**
   * @param path as it was sent: an encoded slash does not separate segments
   * @throws URIError when the percent encoding is malformed
   */
  find(method: string, path: string): Lookup<T> {
    if (path.includes('%')) decodeURIComponent(path)
    this.#isComplete = true
    const found = this.#router.find('GET', path)
    if (found === null) return null
    // A parameter is never empty: `//` has no segment between the slashes.
    const params = found.params as Record<string, string>
    for (const name in params) if (params[name] === '') return null
    const methods = found.store as ReadonlyMap<string, Entry<T>>
    const entry = methods.get(method) ?? (method === 'HEAD' ? methods.get('GET') : undefined)
    if (entry === undefined) return { allow: [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].sort() }
    const { value, names } = entry
    return { value, params: names === null ? params : Object.fromEntries(Array.from(names, ([known, name]) => [name, params[known]!])) }
  }
}

/** A handler that is required by the router and never called: only the stored value is read. */
function unused(): void {}
