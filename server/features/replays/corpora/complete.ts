/** The end of an upload or import: the corpus gets its digest and the number of its lines, and may be replayed. */
import { createHash } from 'node:crypto'
import type { Secrets } from '../../../core/auth/secrets.js'
import { type AuditContext, type AuditResource, auditing, diffOf } from '../../../core/audit/service.js'
import { StaleWriteError } from '../../../core/storage/errors.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { readBytes } from './chunks.js'
import { CORPORA, type CorpusDocument } from './store.js'

const DAY_MS = 24 * 60 * 60 * 1000
const LINE_FEED = 0x0a

export interface CompletingParts {
  readonly secrets: Secrets
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

/** Completes a corpus whose bytes are all stored. @returns it; null: it was completed or deleted meanwhile */
export async function completeCorpus(scope: Scope, corpus: CorpusDocument, context: AuditContext, { secrets, clock }: CompletingParts): Promise<CorpusDocument | null> {
  const hash = createHash('sha256')
  let lines = 0
  let last = LINE_FEED
  for await (const bytes of readBytes(scope, secrets, corpus)) {
    hash.update(bytes)
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) lines++
    last = bytes[bytes.length - 1]
  }
  const now = new Date(clock())
  const set = {
    status: 'ready' as const,
    size_bytes: corpus.received_bytes,
    sha256: hash.digest('hex'),
    line_count: lines + (last === LINE_FEED ? 0 : 1),
    source: null,
    updated_at: now,
    expires_at: new Date(now.getTime() + corpus.retention_days * DAY_MS),
  }
  const complete = { ...corpus, ...set }
  const entry = {
    action: 'corpus.uploaded',
    resource: corpusResource(corpus),
    projectId: corpus.project_id,
    diff: diffOf(null, complete, ['size_bytes', 'line_count', 'sha256', 'expires_at']),
  } as const
  try {
    await scope.commit([scope.collection(CORPORA).updating({ _id: corpus._id, status: corpus.status }, { set }), auditing(scope, context, entry, now)])
  } catch (error) {
    if (error instanceof StaleWriteError) return null
    throw error
  }
  return complete
}

export function corpusResource({ _id, name }: Pick<CorpusDocument, '_id' | 'name'>): AuditResource {
  return { type: 'corpus', id: _id, name }
}
