/**
 * Reads what providers answer. Invariants:
 *  1. an event loop parses at most `SMALL_JSON_BYTES`: larger JSON, and all of Git, is read by a thread of the pool, under the share of the organization
 *  2. only the fields of JSON that a schema names are returned, in pieces
 *  3. bytes that wait for a thread, and packs that are kept, are counted in the table of limits (`provider_bytes`)
 */
import type { Static, TSchema } from 'typebox'
import { type PrunedBytes, pruneBytes, SMALL_JSON_BYTES } from '#requests'
import { type AnalysisPool, type AnsweredFile, fromPieces, type Reading, type ReadOf } from '#workers'
import type { GitRead, GitReading } from '#git'
import type { Limits, Permit } from '../limits/limits.js'
import { refusalOf, stopOf } from '../pool-outcome.js'
import { OutboundError } from './client.js'

export type AnswerRead<T> = { readonly kind: 'valid'; readonly value: T } | Exclude<PrunedBytes, { kind: 'valid' }>
export type FileRead<T> = { readonly kind: 'valid'; readonly value: T; readonly file: AnsweredFile | null } | Exclude<PrunedBytes, { kind: 'valid' }>

export interface ReadOptions {
  readonly signal?: AbortSignal
  /** For JSON whose form needs more values than others. */
  readonly valuesLimit?: number
  /** Whether this is the last use of the body. Default false: it is copied to the thread. */
  readonly isLast?: boolean
}

/** Reads answers on behalf of an organization, or of the instance. Every method throws `ApiError`, or `OutboundError` when its signal is aborted. */
export interface AnswerReader {
  /** Reads JSON, and prunes it. */
  json<T extends TSchema>(schema: T, body: Uint8Array, options?: ReadOptions): Promise<AnswerRead<Static<T>>>
  /** The same for JSON with a file in Base64 as its `content`, which is returned apart. */
  jsonWithFile<T extends TSchema>(schema: T, body: Uint8Array, options?: ReadOptions): Promise<FileRead<Static<T>>>
  /** Reads Git data. The bytes of the reading must not be used by others, except those of a file whose id is asked for. */
  git(reading: GitReading, signal?: AbortSignal): Promise<GitRead>
  /** Counts bytes of a pack until the permit is released. @throws ApiError limit_reached */
  hold(bytes: number): Permit
}

/** @param organization whose share and limits count; null: those of the instance */
export function answerReader(pool: Pick<AnalysisPool, 'read'>, limits: Pick<Limits, 'acquire'>, organization: string | null): AnswerReader {
  const hold = (bytes: number): Permit => limits.acquire('provider_bytes', { organization }, bytes)
  const inThread = async <R extends Reading>(reading: R, bytes: number, { signal, isLast = false }: ReadOptions): Promise<ReadOf<R> | null> => {
    const permit = hold(bytes)
    try {
      const outcome = await pool.read(reading, { organization: organization ?? '', isLast, ...(signal === undefined ? {} : { signal }) })
      if (outcome.outcome === 'ok') return outcome.value
      if (outcome.outcome === 'aborted' && signal?.aborted === true) throw new OutboundError('aborted')
      // It took all the time or memory that a task may take.
      if (stopOf(outcome) !== null) return null
      throw refusalOf(outcome)
    } finally {
      permit.release()
    }
  }
  const answer = async (schema: TSchema, body: Uint8Array, options: ReadOptions, isFile: boolean) => {
    const read = await inThread({ of: 'answer', schema: textOf(schema), bytes: body, valuesLimit: options.valuesLimit ?? null, isFile }, body.byteLength, options)
    return read?.kind === 'valid' ? { kind: 'valid' as const, value: await fromPieces(read.value), file: read.file ?? null } : (read ?? MALFORMED)
  }
  return {
    async json(schema, body, options = {}) {
      if (body.byteLength <= SMALL_JSON_BYTES) return pruneBytes(schema, body) as AnswerRead<Static<typeof schema>>
      return (await answer(schema, body, options, false)) as AnswerRead<Static<typeof schema>>
    },
    async jsonWithFile(schema, body, options = {}) {
      return (await answer(schema, body, options, true)) as FileRead<Static<typeof schema>>
    },
    async git(reading, signal) {
      return (await inThread(reading, 'bytes' in reading ? reading.bytes.byteLength : 0, { isLast: reading.of !== 'id', ...(signal === undefined ? {} : { signal }) })) ?? MALFORMED
    },
    hold,
  }
}

const MALFORMED = { kind: 'malformed' } as const

const texts = new WeakMap<TSchema, string>()

/** A schema as threads take it. */
function textOf(schema: TSchema): string {
  let text = texts.get(schema)
  if (text === undefined) texts.set(schema, (text = JSON.stringify(schema)))
  return text
}
