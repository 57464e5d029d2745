/**
 * The job that imports an object as a corpus. Invariants:
 *  1. a part is stored in the commit that moves the offset, as with uploads; a run that follows a crash begins again without what the last one has stored
 *  2. the credentials are deleted in the commit that ends the import, also if it fails
 */
import { unsealWithAny } from '../../../core/auth/sealing.js'
import { readingKeys } from '../../../core/auth/secrets.js'
import { auditing } from '../../../core/audit/service.js'
import type { JobKind } from '../../../core/jobs/runner.js'
import { ignoreStale, StaleWriteError } from '../../../core/storage/errors.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { type CompletingParts, completeCorpus, corpusResource } from './complete.js'
import { PART_BYTES, UPLOAD_MS } from './limits.js'
import { ObjectError, type ObjectFailure, type ObjectReader, type ObjectSource } from './object-store.js'
import { deleteChunks } from './retention.js'
import { CORPORA, type CorpusDocument, sealedForSource } from './store.js'
import { storePart } from './store-part.js'

/** Kind of the job. Its subject is the corpus. */
export const CORPUS_IMPORT = 'corpus.import'

const CONCURRENCY = 2
const PER_ORGANIZATION = 1
const LEASE_MS = 60 * 1000
/** An object is read within 20 minutes, and read again for its digest. */
const LONGEST_MS = 40 * 60 * 1000
/** Runs after which a store that does not answer is given up. */
const ATTEMPTS = 5
const AUDIT_CONTEXT = { actor: { kind: 'system', name: 'corpus import' }, requestId: null, address: null } as const

export interface ImportParts extends CompletingParts {
  readonly reader: Pick<ObjectReader, 'read'>
}

export function corpusImportJob(parts: ImportParts): JobKind {
  return {
    kind: CORPUS_IMPORT,
    concurrency: CONCURRENCY,
    perOrganization: PER_ORGANIZATION,
    leaseMs: LEASE_MS,
    longestMs: LONGEST_MS,
    async run({ subject, attempts }, scope, signal) {
      const corpora = scope.collection(CORPORA)
      await deleteChunks(scope, subject, signal)
      const corpus = await corpora.update({ _id: subject, status: 'importing' }, { set: { received_bytes: 0 } })
      if (corpus === null) return 'done'
      try {
        const stored = await importObject(parts, scope, corpus, signal)
        if (stored.received_bytes === 0) throw new ObjectError('object_empty')
        await completeCorpus(scope, stored, AUDIT_CONTEXT, parts)
      } catch (error) {
        // It was deleted meanwhile.
        if (error instanceof StaleWriteError && (await corpora.findOne({ _id: subject, status: 'importing' })) === null) return 'done'
        if (!(error instanceof ObjectError) || (error.failure === 'store_failed' && attempts < ATTEMPTS)) throw error
        await fail(parts, scope, corpus, error.failure)
      }
      return 'done'
    },
  }
}

/** Stores the bytes of the object. @returns the corpus with all of them @throws ObjectError, StaleWriteError when the corpus is deleted */
async function importObject(parts: ImportParts, scope: Scope, corpus: CorpusDocument, signal: AbortSignal): Promise<CorpusDocument> {
  let stored = corpus
  let part: Buffer[] = []
  let bytes = 0
  for await (const some of parts.reader.read(sourceOf(corpus, parts.secrets), corpus.size_bytes, signal)) {
    part.push(some)
    bytes += some.length
    if (stored.received_bytes + bytes > corpus.size_bytes) throw new ObjectError('object_too_large')
    if (bytes < PART_BYTES) continue
    stored = await storePart(scope, stored, Buffer.concat(part), parts)
    part = []
    bytes = 0
  }
  return bytes > 0 ? storePart(scope, stored, Buffer.concat(part), parts) : stored
}

function sourceOf(corpus: CorpusDocument, secrets: ImportParts['secrets']): ObjectSource {
  return JSON.parse(unsealWithAny(readingKeys(secrets, 'corpus'), corpus.source as string, sealedForSource(corpus))) as ObjectSource
}

async function fail({ clock }: ImportParts, scope: Scope, corpus: CorpusDocument, failure: ObjectFailure): Promise<void> {
  const now = new Date(clock())
  const set = { status: 'failed' as const, failure, source: null, received_bytes: 0, updated_at: now, expires_at: new Date(now.getTime() + UPLOAD_MS) }
  const entry = { action: 'corpus.import_failed', resource: corpusResource(corpus), projectId: corpus.project_id } as const
  await scope.commit([scope.collection(CORPORA).updating({ _id: corpus._id, status: 'importing' }, { set }), auditing(scope, AUDIT_CONTEXT, entry, now)]).catch(ignoreStale)
  await deleteChunks(scope, corpus._id)
}
