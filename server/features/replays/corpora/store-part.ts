/** The next part of an upload or import: it is stored in the commit that moves the offset, so each byte is stored once, also if parts are repeated or sent at the same time. */
import type { Scope } from '../../../core/tenancy/scope.js'
import { sealPart } from './chunks.js'
import type { CompletingParts } from './complete.js'
import { UPLOAD_MS } from './limits.js'
import { CORPORA, type CorpusDocument, CORPUS_CHUNKS } from './store.js'

/** @returns the corpus with the part @throws StaleWriteError when another part was first, or the corpus is deleted */
export async function storePart(scope: Scope, corpus: CorpusDocument, part: Uint8Array, { secrets, clock }: CompletingParts): Promise<CorpusDocument> {
  const { _id, status, received_bytes } = corpus
  const now = new Date(clock())
  const set = { received_bytes: received_bytes + part.length, updated_at: now, expires_at: new Date(now.getTime() + UPLOAD_MS) }
  const chunks = await sealPart(secrets, corpus, received_bytes, part)
  await scope.commit([scope.collection(CORPORA).updating({ _id, status, received_bytes }, { set }), ...chunks.map((chunk) => scope.collection(CORPUS_CHUNKS).inserting(chunk))])
  return { ...corpus, ...set }
}
