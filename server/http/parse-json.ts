/** From bytes to a JSON value that holds no trap. It knows no HTTP. */
import { isUtf8 } from 'node:buffer'
import { parse } from 'secure-json-parse'
import { ApiError } from '../errors.js'
import { type FieldIssue, issue, pointer } from './validation/issue.js'

export type Parsed = { readonly value: unknown; readonly issues: null } | { readonly value: null; readonly issues: readonly FieldIssue[] }

/** What `secure-json-parse` says of `__proto__`, and of `constructor` with a `prototype`: names through which a copy would change its own type. */
const FORBIDDEN = 'Object contains forbidden prototype property'

/**
 * A body that names `__proto__` is answered as any other unknown field, by issues. No bytes are an empty object: what is required is then told.
 * @param anyName names are left to the schema, as some of them are data; each is a field of its own object, and changes no type
 * @throws ApiError body_unparseable
 */
export function parseJson(bytes: Uint8Array, anyName = false): Parsed {
  if (bytes.byteLength === 0) return { value: {}, issues: null }
  if (!isUtf8(bytes)) throw new ApiError('body_unparseable')
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  try {
    return { value: anyName ? parse(text, { protoAction: 'ignore', constructorAction: 'ignore' }) : parse(text), issues: null }
  } catch (error) {
    if ((error as Error).message !== FORBIDDEN) throw new ApiError('body_unparseable', { cause: error })
    return { value: null, issues: [issue(forbiddenPath(JSON.parse(text.replace(/^\uFEFF/, ''))), 'unknown', null)] }
  }
}

/** Where the first forbidden name is; without recursion, as depth is the caller's choice. */
function forbiddenPath(root: unknown): string {
  const waiting: [unknown, string][] = [[root, '']]
  for (let at = 0; at < waiting.length; at++) {
    const [node, path] = waiting[at]
    if (typeof node !== 'object' || node === null) continue
    if (Object.hasOwn(node, '__proto__')) return pointer(path, '__proto__')
    for (const [name, child] of Object.entries(node)) {
      if (name === 'constructor' && typeof child === 'object' && child !== null && Object.hasOwn(child, 'prototype')) return pointer(pointer(path, name), 'prototype')
      if (typeof child === 'object' && child !== null) waiting.push([child, pointer(path, name)])
    }
  }
  return ''
}
