/**
 * What a thread reads for the main thread that came from outside: bodies of requests, answers of other services, Git, times of events. Requests and results are
 * plain data. Bytes are moved to the thread, or copied; only packs, which are read several times, are in shared memory.
 */
import { type EventTime, firstTimeIn, type RecordFields, timeOf } from '#engine'
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
  /** The time of each of these lines, blank ones included. */
  | { readonly of: 'times'; readonly bytes: Uint8Array; readonly fields: RecordFields }
  /** The first time that one of these lines has. The last one may be cut. */
  | { readonly of: 'first_time'; readonly bytes: Uint8Array; readonly fields: RecordFields }
  | GitReading

/** The results of readings that are neither checked by a schema nor of Git. */
export interface TimesRead {
  readonly kind: 'times'
  readonly times: readonly EventTime[]
}
export interface FirstTimeRead {
  readonly kind: 'first_time'
  /** Seconds since the epoch; null: no line has a time. */
  readonly seconds: number | null
}
export type { EventTime }

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
    : R extends { readonly of: 'times' }
      ? TimesRead
      : R extends { readonly of: 'first_time' }
        ? FirstTimeRead
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
    case 'times':
      return { kind: 'times', times: linesOf(reading.bytes).map((line) => timeOf(line, reading.fields)) }
    case 'first_time':
      return { kind: 'first_time', seconds: firstTimeIn(textOf(reading.bytes), reading.fields) }
    default:
      return readGit(reading)
  }
}

/** The byte string of some bytes. */
function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

/** The lines without their ends, as byte strings. */
function linesOf(bytes: Uint8Array): string[] {
  const lines = textOf(bytes).split('\n')
  // There is no line behind the last line feed.
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
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
