/**
 * Corpora of projects: created with their size, uploaded in parts or imported, read by replays. Invariants:
 *  1. a part is stored in the commit that moves the offset, so each byte is stored once, also if parts are repeated or sent at the same time
 *  2. the limits of the plan count declared bytes, so no upload that was begun is refused later
 *  3. logs and audit entries have names, numbers and digests, never bytes of a corpus
 */
import { idOf, nameOf } from '../../../core/auth/principal.js'
import type { Actor } from '../../../core/auth/request-context.js'
import { seal } from '../../../core/auth/sealing.js'
import type { Secrets } from '../../../core/auth/secrets.js'
import { auditContext, auditing, diffOf } from '../../../core/audit/service.js'
import { ApiError } from '../../../core/errors.js'
import type { JobQueue } from '../../../core/jobs/queue.js'
import { StaleWriteError } from '../../../core/storage/errors.js'
import { newId } from '../../../core/storage/id.js'
import { findOptions, type Page } from '../../../core/tenancy/page.js'
import type { Quotas } from '../../../core/tenancy/quotas.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { loadChangeable, loadOfProject, loadPageOfProject, requiringChangeable } from '../../../content/shared/load.js'
import { newDataKey, readBytes } from './chunks.js'
import { completeCorpus, corpusResource } from './complete.js'
import { CORPUS_IMPORT } from './import.js'
import { CORPUS_LIMITS, DEFAULT_RETENTION_DAYS, PART_BYTES, UPLOAD_MS } from './limits.js'
import { DEFAULT_REGION, isInStore, type ObjectSource, shownAddress } from './object-store.js'
import { CORPUS_END, type CorpusEndParts, deleteCorpus, endJobDue } from './retention.js'
import type { CorpusCreateRequest, CorpusDeletion, CorpusListQuery } from './schema.js'
import { CORPORA, type CorpusDocument, sealedForSource } from './store.js'
import { storePart } from './store-part.js'

export interface CorporaParts {
  readonly secrets: Secrets
  readonly quotas: Pick<Quotas, 'creating' | 'planOf'>
  readonly jobs: Pick<JobQueue, 'enqueuing' | 'rescheduling'>
  readonly onDeleting: CorpusEndParts['onDeleting']
  /** Base URLs of the object stores that may be read. */
  readonly objectStores: readonly string[]
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

export class CorporaService {
  readonly #parts: CorporaParts

  constructor(parts: CorporaParts) {
    this.#parts = parts
  }

  /** @throws ApiError resource_missing */
  list(scope: Scope, projectId: string, { status, ...page }: CorpusListQuery): Promise<Page<CorpusDocument>> {
    return loadPageOfProject(scope, CORPORA, projectId, status === undefined ? {} : { status }, findOptions(page))
  }

  /** @throws ApiError resource_missing */
  get(scope: Scope, projectId: string, corpusId: string): Promise<CorpusDocument> {
    return loadOfProject(scope, CORPORA, projectId, corpusId)
  }

  /** @throws ApiError resource_missing, project_archived, object_store_refused, plan_quota_exceeded, edit_conflict */
  async create(scope: Scope, projectId: string, { name, size_bytes, retention_days, object = null }: CorpusCreateRequest, actor: Actor): Promise<CorpusDocument> {
    const { secrets, quotas, jobs, objectStores, clock } = this.#parts
    await loadChangeable(scope, projectId)
    if (object !== null && !isInStore(object.url, objectStores)) throw new ApiError('object_store_refused')
    const limits = CORPUS_LIMITS[(await quotas.planOf(scope)).code]
    refuseAbove('corpus_bytes', size_bytes, limits.corpusBytes)
    if (retention_days !== undefined) refuseAbove('corpus_retention_days', retention_days, limits.retentionDays)
    const corpora = scope.collection(CORPORA)
    const requireRoom = async (there: number): Promise<void> => {
      refuseAbove('corpora', there + 1, limits.corpora)
      const all = await corpora.find({}, { limit: limits.corpora })
      refuseAbove(
        'corpus_total_bytes',
        all.reduce((sum, one) => sum + one.size_bytes, size_bytes),
        limits.totalBytes,
      )
    }
    const now = new Date(clock())
    const _id = newId()
    const corpus: CorpusDocument = {
      ...{
        _id,
        organization_id: scope.organizationId,
        project_id: projectId,
        name: name.trim(),
        status: object === null ? 'uploading' : 'importing',
        size_bytes,
        received_bytes: 0,
        line_count: null,
        sha256: null,
      },
      data_key: newDataKey(secrets, { _id }),
      object_url: object === null ? null : shownAddress(object.url),
      source: object === null ? null : seal(secrets.corpus, JSON.stringify(sourceOf(object)), sealedForSource({ _id })),
      failure: null,
      retention_days: retention_days ?? Math.min(DEFAULT_RETENTION_DAYS, limits.retentionDays),
      expires_at: new Date(now.getTime() + UPLOAD_MS),
      ...{ created_by: idOf(actor.principal), created_by_name: nameOf(actor.principal), created_at: now, updated_at: now },
    }
    const entry = { action: 'corpus.created', resource: corpusResource(corpus), projectId, diff: diffOf(null, corpus, ['size_bytes', 'object_url', 'retention_days']) } as const
    const writes = async () => [
      requiringChangeable(scope, projectId),
      corpora.inserting(corpus),
      jobs.enqueuing(scope, { kind: CORPUS_END, subject: _id, dueAt: endJobDue(corpus, now) }),
      ...(object === null ? [] : [jobs.enqueuing(scope, { kind: CORPUS_IMPORT, subject: _id })]),
      auditing(scope, auditContext(actor), entry, now),
    ]
    try {
      await quotas.creating(scope, 'corpora', { count: () => corpora.count({}), requireRoom, writes })
    } catch (error) {
      if (error instanceof StaleWriteError) await loadChangeable(scope, projectId)
      throw error
    }
    return corpus
  }

  /**
   * Stores the next part, and completes the corpus with the last one. An empty part completes one whose last part was stored before a crash.
   * @throws ApiError resource_missing, project_archived, upload_offset_wrong, upload_beyond_size
   */
  async upload(scope: Scope, projectId: string, corpusId: string, offset: number, part: Uint8Array, actor: Actor): Promise<CorpusDocument> {
    await loadChangeable(scope, projectId)
    const corpus = await this.get(scope, projectId, corpusId)
    if (corpus.status !== 'uploading' || offset !== corpus.received_bytes) throw offsetWrong(corpus)
    if (part.length > PART_BYTES || offset + part.length > corpus.size_bytes) {
      const limit = Math.min(PART_BYTES, corpus.size_bytes - offset)
      throw new ApiError('upload_beyond_size', { params: { limit }, details: { limit, offset } })
    }
    let stored = corpus
    if (part.length > 0) {
      try {
        stored = await storePart(scope, corpus, part, this.#parts)
      } catch (error) {
        // Another request was first, or the corpus is deleted.
        if (error instanceof StaleWriteError) throw offsetWrong(await this.get(scope, projectId, corpusId))
        throw error
      }
    }
    if (stored.received_bytes < stored.size_bytes) return stored
    return (await completeCorpus(scope, stored, auditContext(actor), this.#parts)) ?? this.get(scope, projectId, corpusId)
  }

  /** Deletes a corpus, what it had, and what has its events. @throws ApiError resource_missing */
  async remove(scope: Scope, projectId: string, corpusId: string, actor: Actor & { readonly signal: AbortSignal }): Promise<CorpusDeletion> {
    return deleteCorpus(scope, await this.get(scope, projectId, corpusId), auditContext(actor), this.#parts, actor.signal)
  }
}

/** Reads the bytes of a corpus that is ready. @throws ApiError corpus_gone, also while it is read */
export async function readingCorpus(scope: Scope, secrets: Secrets, corpusId: string): Promise<AsyncIterable<Buffer>> {
  const corpus = await scope.collection(CORPORA).findOne({ _id: corpusId, status: 'ready' })
  if (corpus === null) throw new ApiError('corpus_gone')
  return readBytes(scope, secrets, corpus)
}

function sourceOf({ url, region = DEFAULT_REGION, credentials = null }: NonNullable<CorpusCreateRequest['object']>): ObjectSource {
  return { url, region, credentials: credentials === null ? null : { session_token: null, ...credentials } }
}

function offsetWrong({ received_bytes, status }: CorpusDocument): ApiError {
  return new ApiError('upload_offset_wrong', { params: { offset: received_bytes }, details: { offset: received_bytes, status } })
}

function refuseAbove(metric: string, value: number, limit: number): void {
  if (value > limit) throw new ApiError('plan_quota_exceeded', { params: { metric, limit }, details: { metric, limit } })
}
