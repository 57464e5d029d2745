/**
 * The bytes of a corpus at rest. Invariants:
 *  1. each chunk is sealed by AES-256-GCM with the key of its corpus, and bound to organization, corpus and offset: none can be moved, exchanged or left out
 *  2. without the key, which deletion destroys first, nothing of them can be read
 *  3. the event loop works on one chunk at a time, and compression is done by threads of Node
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { seal, unsealWithAny } from '../../../core/auth/sealing.js'
import { readingKeys, type Secrets } from '../../../core/auth/secrets.js'
import { ApiError } from '../../../core/errors.js'
import { newId } from '../../../core/storage/id.js'
import type { Scope, Unbound } from '../../../core/tenancy/scope.js'
import { type CorpusChunkDocument, type CorpusDocument, CORPUS_CHUNKS, sealedForCorpus } from './store.js'

/** Bytes of a chunk: about a millisecond of work for the event loop. */
export const CHUNK_BYTES = 256 * 1024
/** Chunks that are read at once. */
const CHUNKS_AT_ONCE = 4
const ALGORITHM = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const FASTEST = 1

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** Creates the key of a corpus, sealed. */
export function newDataKey(secrets: Secrets, corpus: Pick<CorpusDocument, '_id'>): string {
  return seal(secrets.corpus, randomBytes(KEY_BYTES).toString('base64'), sealedForCorpus(corpus))
}

/** @throws ApiError corpus_gone when it is being deleted @throws UnsealError */
function dataKeyOf(secrets: Secrets, corpus: Pick<CorpusDocument, '_id' | 'data_key'>): Buffer {
  if (corpus.data_key === null) throw new ApiError('corpus_gone')
  return Buffer.from(unsealWithAny(readingKeys(secrets, 'corpus'), corpus.data_key, sealedForCorpus(corpus)), 'base64')
}

/** Cuts a part into sealed chunks. @param offset of the part in the corpus */
export async function sealPart(secrets: Secrets, corpus: CorpusDocument, offset: number, part: Uint8Array): Promise<Unbound<CorpusChunkDocument>[]> {
  const key = dataKeyOf(secrets, corpus)
  const chunks: Unbound<CorpusChunkDocument>[] = []
  for (let at = 0; at < part.length; at += CHUNK_BYTES) {
    const bytes = part.subarray(at, at + CHUNK_BYTES)
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(placeOf(corpus, offset + at, bytes.length))
    const sealed = [cipher.update(await compress(bytes, { level: FASTEST })), cipher.final()]
    const content = Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]).toString('base64')
    chunks.push({ _id: newId(), corpus_id: corpus._id, offset: offset + at, bytes: bytes.length, content })
  }
  return chunks
}

/** Reads the bytes of a corpus from an offset on, which begins a chunk. @throws ApiError corpus_gone when they end early or the corpus is being deleted */
export async function* readBytes(scope: Scope, secrets: Secrets, corpus: CorpusDocument, from = 0): AsyncGenerator<Buffer, void, undefined> {
  const key = dataKeyOf(secrets, corpus)
  const chunks = scope.collection(CORPUS_CHUNKS)
  for (let offset = from; offset < corpus.received_bytes; ) {
    const some = await chunks.find({ corpus_id: corpus._id, offset: { gte: offset } }, { sort: { offset: 1 }, limit: CHUNKS_AT_ONCE })
    if (some.length === 0) throw new ApiError('corpus_gone')
    for (const chunk of some) {
      if (chunk.offset !== offset) throw new ApiError('corpus_gone')
      yield await open(key, corpus, chunk)
      offset += chunk.bytes
    }
  }
}

async function open(key: Buffer, corpus: CorpusDocument, { offset, bytes, content }: CorpusChunkDocument): Promise<Buffer> {
  const sealed = Buffer.from(content, 'base64')
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES }).setAAD(placeOf(corpus, offset, bytes))
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  const packed = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
  return decompress(packed, { maxOutputLength: CHUNK_BYTES })
}

function placeOf({ organization_id, _id }: CorpusDocument, offset: number, bytes: number): Buffer {
  return Buffer.from(`corpus-chunk:${organization_id}:${_id}:${offset}:${bytes}`)
}
