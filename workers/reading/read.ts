/**
 * What a thread reads for the main thread that came from outside: bodies of requests, answers of other services, Git. Requests and results are plain data. Bytes
 * are moved to the thread, or copied; only packs, which are read several times, are in shared memory.
 */
import { fileId, type GitRead, type GitReading, readGit } from '../git/read.js'
import { type PrunedBytes, pruneBytes, validateBytes, type ValidatedBytes } from '../requests/validate-bytes.js'
import { entryCache } from '../shared/entry-cache.js'
import { type Pieces, toPieces } from '../shared/pieces.js'

/** A schema as JSON, which is parsed and compiled once in each thread. */
interface OfSchema {
  readonly schema: string
  readonly bytes: Uint8Array
}

export type Reading =
  /** The body of a request, as `validateBytes`. */
  | ({ readonly of: 'request'; readonly anyName: boolean } & OfSchema)
  /** An answer, as `pruneBytes`. `isFile`: its `content` is a file in Base64, which is taken out. */
  | ({ readonly of: 'answer'; readonly valuesLimit: number | null; readonly isFile: boolean } & OfSchema)
  | GitReading

type InPieces<T extends { readonly kind: string }> = T extends { readonly kind: 'valid' } ? Omit<T, 'value'> & { readonly value: Pieces } : T

/** A file of an answer, with Git's ids of it. */
export interface AnsweredFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly sha1: string
}

/** The result of a reading, by its kind. */
export type ReadOf<R extends Reading> = R extends { readonly of: 'request' }
  ? InPieces<ValidatedBytes>
  : R extends { readonly of: 'answer' }
    ? InPieces<PrunedBytes & { readonly file?: AnsweredFile | null }>
    : GitRead

/** Schemas that a thread remembers: more than routes and gateways have. */
const SCHEMAS_LIMIT = 1_000
const schemas = entryCache<object>(SCHEMAS_LIMIT)

export function read<R extends Reading>(reading: R): ReadOf<R>
export function read(reading: Reading): ReadOf<Reading> {
  switch (reading.of) {
    case 'request': {
      const found = validateBytes(schemaOf(reading.schema), reading.bytes, reading.anyName)
      return found.kind === 'valid' ? { ...found, value: toPieces(found.value) } : found
    }
    case 'answer': {
      const found = pruneBytes(schemaOf(reading.schema), reading.bytes, reading.valuesLimit ?? undefined)
      if (found.kind !== 'valid') return found
      const file = reading.isFile ? fileOf(found.value as { content: string | null }) : null
      return { kind: 'valid', value: toPieces(found.value), file }
    }
    default:
      return readGit(reading)
  }
}

/** Takes the file out of an answer. Null: it has none. */
function fileOf(answer: { content: string | null }): AnsweredFile | null {
  if (answer.content === null) return null
  // Memory of its own, which can be moved to another thread.
  const bytes = new Uint8Array(Buffer.from(answer.content, 'base64'))
  answer.content = null
  return { bytes, sha1: fileId(bytes, 'sha1') }
}

function schemaOf(text: string): object {
  let schema = schemas.get(text)
  if (schema === undefined) schemas.set(text, (schema = JSON.parse(text) as object))
  return schema
}
