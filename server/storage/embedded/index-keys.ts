/** An index of a collection, and the keys that a document has in it. */
import type { IndexDefinition } from '../contract.js'
import { encodeValue, INDEX_FIELD_LIMIT } from './key.js'
import { EMPTY, type Ordered } from '../language/order.js'
import { reach } from '../language/path.js'
import type { ValueObject } from '../values.js'

/** Elements of one document's array that an index takes; a document with more is a table, and belongs into a collection of its own. */
const ELEMENT_LIMIT = 10_000

interface IndexField {
  readonly name: string
  readonly path: readonly string[]
  readonly direction: 1 | -1
}

export interface IndexKey {
  /** Number and fields; in an index that is not unique the id as well. */
  readonly key: Buffer
  readonly inexact: boolean
}

export class Index {
  readonly fields: readonly IndexField[]
  readonly unique: boolean
  readonly expireAfterSeconds: number | undefined
  /** What tells it from others of its collection. */
  readonly signature: string
  /** Its keys begin with it. */
  readonly prefix = Buffer.alloc(4)

  constructor(
    definition: IndexDefinition,
    readonly number: number,
    /** A document has, or had, an array here: it may stand in the index several times. */
    public multikey: boolean,
  ) {
    this.fields = Object.entries(definition.keys).map(([name, direction]) => ({ name, path: name.split('.'), direction }))
    this.unique = definition.unique === true
    this.expireAfterSeconds = definition.expireAfterSeconds
    this.signature = signatureOf(definition)
    this.prefix.writeUInt32BE(number)
  }

  get fieldNames(): string[] {
    return this.fields.map((field) => field.name)
  }

  /** Keys of a document, each once. */
  keysOf(document: ValueObject): IndexKey[] {
    let keys: IndexKey[] = [{ key: this.prefix, inexact: false }]
    let lists = 0
    for (const { name, path, direction } of this.fields) {
      const { values, isList } = valuesAt(document, path)
      if (isList && ++lists > 1) throw new TypeError(`an index can't hold two arrays of a document, here ${name}`)
      if (values.length > ELEMENT_LIMIT) throw new TypeError(`an index can't hold more than ${ELEMENT_LIMIT} elements of ${name}`)
      const encoded = values.map((value) => encodeValue(value, direction))
      keys = keys.flatMap((key) => encoded.map((value) => ({ key: Buffer.concat([key.key, value.bytes]), inexact: key.inexact || value.inexact })))
    }
    if (!this.unique) {
      const id = Buffer.from(document._id as string)
      keys = keys.map(({ key, inexact }) => ({ key: Buffer.concat([key, id]), inexact }))
    }
    if (keys.length > 1) keys = [...new Map(keys.map((key) => [key.key.toString('latin1'), key])).values()]
    return keys
  }

  /** A document stands in it more than once, or might. */
  isListed(document: ValueObject): boolean {
    return this.fields.some(({ path }) => valuesAt(document, path).isList)
  }
}

/** What an index has to say of a field: what isn't there is null, what is a list is each of its elements. */
function valuesAt(document: ValueObject, path: readonly string[]): { values: Ordered[]; isList: boolean } {
  if (path.length === 1) {
    const value = document[path[0]]
    if (!Array.isArray(value)) return { values: [value ?? null], isList: false }
  }
  const values: Ordered[] = []
  let isList = false
  let visits = 0
  reach(document, path, (found) => {
    visits++
    if (Array.isArray(found)) isList = true
    else values.push(found ?? null)
    return false
  })
  if (visits !== 1) isList = true
  return { values: values.length === 0 ? [EMPTY] : values, isList }
}

export function signatureOf(definition: IndexDefinition): string {
  const { keys, unique = false, expireAfterSeconds = null } = definition
  return JSON.stringify([Object.entries(keys), unique, expireAfterSeconds])
}

/** @throws TypeError for what no index can be */
export function checkIndexes(definition: { readonly name: string; readonly indexes: readonly IndexDefinition[] }): void {
  const signatures = new Set<string>()
  for (const index of definition.indexes) {
    const fields = Object.keys(index.keys)
    const what = `index of ${fields.join(', ')} in ${definition.name}`
    if (fields.length === 0 || fields.length > INDEX_FIELD_LIMIT) throw new TypeError(`the ${what} has to have 1 to ${INDEX_FIELD_LIMIT} fields`)
    if (index.expireAfterSeconds !== undefined && fields.length !== 1) throw new TypeError(`the ${what} can't let documents expire: only one of a single field can`)
    if (signatures.has(signatureOf(index))) throw new TypeError(`the ${what} is defined twice`)
    signatures.add(signatureOf(index))
  }
}
