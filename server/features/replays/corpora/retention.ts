/**
 * The end of corpora: by request, by their retention, with their project, and of uploads that nobody continues. Invariants:
 *  1. the key of the chunks is destroyed first, so that nothing can be read from then on, not even from what a crash leaves
 *  2. the record goes last, in one commit with the audit entry, which therefore proves that nothing is left
 *  3. a crash between both leaves the job, which continues
 */
import { type AuditContext, auditing } from '../../../core/audit/service.js'
import { type JobQueue, LONGEST_WAIT_MS } from '../../../core/jobs/queue.js'
import type { JobKind } from '../../../core/jobs/runner.js'
import type { Write } from '../../../core/storage/contract.js'
import { StaleWriteError } from '../../../core/storage/errors.js'
import { newId } from '../../../core/storage/id.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import type { CorpusDeletion } from './schema.js'
import { CORPORA, type CorpusDocument, CORPUS_CHUNKS } from './store.js'

/** Kind of the job that each corpus has. Its subject is the corpus. */
export const CORPUS_END = 'corpus.end'

const CONCURRENCY = 2
const PER_ORGANIZATION = 1
const LEASE_MS = 5 * 60 * 1000
/** Chunks that are deleted at once. */
const AT_ONCE = 100

/** When the job of a corpus looks at it: a job waits for a day at most. */
export function endJobDue({ expires_at }: Pick<CorpusDocument, 'expires_at'>, now: Date): Date {
  return new Date(Math.min(expires_at.getTime(), now.getTime() + LONGEST_WAIT_MS))
}

export interface CorpusEndParts {
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  /** Deletes what else has events of the corpus. */
  readonly onDeleting: (scope: Scope, corpusId: string) => Promise<void>
}

export function corpusEndJob(parts: CorpusEndParts): JobKind {
  return {
    kind: CORPUS_END,
    concurrency: CONCURRENCY,
    perOrganization: PER_ORGANIZATION,
    leaseMs: LEASE_MS,
    async run({ subject }, scope, signal) {
      const corpus = await scope.collection(CORPORA).findOne({ _id: subject })
      if (corpus === null) return 'done'
      const now = new Date(parts.clock())
      if (corpus.status !== 'deleting' && corpus.expires_at > now) return { again: endJobDue(corpus, now) }
      await deleteCorpus(scope, corpus, { actor: { kind: 'system', name: 'corpus retention' }, requestId: null, address: null }, parts, signal)
      return 'done'
    },
  }
}

/** Deletes a corpus. @returns what was deleted */
export async function deleteCorpus(
  scope: Scope,
  corpus: CorpusDocument,
  context: AuditContext,
  { clock, onDeleting }: CorpusEndParts,
  signal?: AbortSignal,
): Promise<CorpusDeletion> {
  const corpora = scope.collection(CORPORA)
  const { _id, project_id, name, received_bytes, line_count, sha256 } = corpus
  await corpora.update({ _id }, { set: { status: 'deleting', data_key: null, source: null } })
  await deleteChunks(scope, _id, signal)
  await onDeleting(scope, _id)
  const now = new Date(clock())
  const auditId = newId()
  const diff = Object.fromEntries(Object.entries({ received_bytes, line_count, sha256 }).map(([field, before]) => [field, { before, after: null }]))
  const entry = { id: auditId, action: 'corpus.deleted', resource: { type: 'corpus', id: _id, name }, projectId: project_id, diff } as const
  const deletion = { id: _id, name, received_bytes, sha256, deleted_at: now.toISOString() }
  try {
    await scope.commit([corpora.deleting({ _id }), auditing(scope, context, entry, now)])
    return { ...deletion, audit_id: auditId }
  } catch (error) {
    if (error instanceof StaleWriteError) return { ...deletion, audit_id: null }
    throw error
  }
}

/** Deletes the bytes of a corpus. */
export async function deleteChunks(scope: Scope, corpusId: string, signal?: AbortSignal): Promise<void> {
  const chunks = scope.collection(CORPUS_CHUNKS)
  for (;;) {
    signal?.throwIfAborted()
    const some = await chunks.find({ corpus_id: corpusId }, { limit: AT_ONCE })
    if (some.length === 0) return
    await chunks.deleteMany({ _id: { in: some.map(({ _id }) => _id) } })
  }
}

/** The writes for the commit that deletes a project: nothing of its corpora can be read afterwards, and their jobs delete the rest. */
export async function endingCorporaOf(scope: Scope, projectId: string, jobs: Pick<JobQueue, 'rescheduling'>, now: Date): Promise<readonly Write[]> {
  const corpora = scope.collection(CORPORA)
  const ending = await corpora.find({ project_id: projectId })
  if (ending.length === 0) return []
  return [
    corpora.updatingMany({ project_id: projectId }, { set: { status: 'deleting', data_key: null, source: null } }),
    ...ending.map(({ _id }) => jobs.rescheduling(scope, CORPUS_END, _id, now)),
  ]
}
