/** Replays of a project: created, listed, canceled, deleted; their job runs them. */
import { idOf, nameOf } from '../../../core/auth/principal.js'
import type { Actor } from '../../../core/auth/request-context.js'
import { unsealWithAny } from '../../../core/auth/sealing.js'
import { readingKeys, type Secrets } from '../../../core/auth/secrets.js'
import { type AuditResource, auditContext, auditing } from '../../../core/audit/service.js'
import { ApiError } from '../../../core/errors.js'
import type { JobQueue } from '../../../core/jobs/queue.js'
import type { Write } from '../../../core/storage/contract.js'
import { StaleWriteError } from '../../../core/storage/errors.js'
import { newId } from '../../../core/storage/id.js'
import { findOptions, type Page } from '../../../core/tenancy/page.js'
import type { Quotas } from '../../../core/tenancy/quotas.js'
import { refuseStale } from '../../../core/tenancy/retry-stale.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { loadChosen } from '../../../content/shared/chosen-content.js'
import { loadChangeable, loadOfProject, loadPageOfProject, requiringChangeable } from '../../../content/shared/load.js'
import type { CorporaService } from '../corpora/service.js'
import { REPLAY_LIMITS } from './limits.js'
import { REPLAY_RUN } from './run.js'
import type { ReplayCreateRequest, ReplayListQuery, ReplayResult } from './schema.js'
import { OPEN_STATUSES, type ReplayContent, type ReplayDocument, REPLAYS, sealedForReplay } from './store.js'

export interface ReplaysParts {
  readonly secrets: Secrets
  readonly quotas: Pick<Quotas, 'creating' | 'planOf'>
  readonly jobs: Pick<JobQueue, 'enqueuing'>
  readonly corpora: CorporaService
  /** Milliseconds since the epoch. */
  readonly clock: () => number
}

/** Counts for a result that was stored before the service read the times of events. */
const NO_TIMES = { late_events: 0, events_without_time: 0 } as const
const IS_OPEN = { in: [...OPEN_STATUSES] }

export class ReplaysService {
  readonly #parts: ReplaysParts

  constructor(parts: ReplaysParts) {
    this.#parts = parts
  }

  /** @throws ApiError resource_missing */
  list(scope: Scope, projectId: string, { status, ...page }: ReplayListQuery): Promise<Page<ReplayDocument>> {
    return loadPageOfProject(scope, REPLAYS, projectId, status === undefined ? {} : { status }, findOptions(page))
  }

  /** @throws ApiError resource_missing */
  get(scope: Scope, projectId: string, replayId: string): Promise<ReplayDocument> {
    return loadOfProject(scope, REPLAYS, projectId, replayId)
  }

  /** @throws ApiError resource_missing, replay_unfinished */
  async result(scope: Scope, projectId: string, replayId: string): Promise<{ readonly replay: ReplayDocument; readonly result: ReplayResult }> {
    const replay = await this.get(scope, projectId, replayId)
    if (replay.result === null) throw new ApiError('replay_unfinished', { details: { status: replay.status } })
    const text = unsealWithAny(readingKeys(this.#parts.secrets, 'corpus'), replay.result, sealedForReplay(replay))
    return { replay, result: { ...NO_TIMES, ...(JSON.parse(text) as ReplayResult) } }
  }

  /** @throws ApiError resource_missing, project_archived, corpus_unready, plan_quota_exceeded, edit_conflict, request_validation_failed */
  async create(
    scope: Scope,
    projectId: string,
    { corpus_id, content = {}, compare = null, fields = null, clock: runClock = fields?.time == null ? 'arrival' : 'event' }: ReplayCreateRequest,
    actor: Actor,
  ): Promise<ReplayDocument> {
    const { quotas, jobs, corpora, clock } = this.#parts
    await loadChangeable(scope, projectId)
    const corpus = await corpora.get(scope, projectId, corpus_id)
    if (corpus.status !== 'ready') throw new ApiError('corpus_unready', { details: { status: corpus.status } })
    await loadChosen(scope, projectId, content, '/content', actor.locale)
    if (compare !== null) await loadChosen(scope, projectId, compare, '/compare', actor.locale)
    const limits = REPLAY_LIMITS[(await quotas.planOf(scope)).code]
    const replays = scope.collection(REPLAYS)
    const requireRoom = async (there: number): Promise<void> => {
      if (there >= limits.kept) throw quotaExceeded('replays', limits.kept)
      if ((await replays.count({ status: IS_OPEN })) >= limits.open) throw quotaExceeded('open_replays', limits.open)
    }
    const now = new Date(clock())
    const replay: ReplayDocument = {
      ...{ _id: newId(), organization_id: scope.organizationId, project_id: projectId, corpus_id, corpus_name: corpus.name },
      ...{ content: choiceOf(content), compare: compare === null ? null : choiceOf(compare), clock: runClock, status: 'queued', failure: null },
      fields: fields === null ? null : { event: fields.event, location: fields.location ?? null, time: fields.time ?? null },
      ...{ total_bytes: corpus.size_bytes, done_bytes: 0, events: 0, result: null },
      ...{ created_by: idOf(actor.principal), created_by_name: nameOf(actor.principal), created_at: now, started_at: null, finished_at: null },
    }
    const writes = async (): Promise<Write[]> => [
      requiringChangeable(scope, projectId),
      replays.inserting(replay),
      jobs.enqueuing(scope, { kind: REPLAY_RUN, subject: replay._id }),
      auditing(scope, auditContext(actor), { action: 'replay.created', resource: resourceOf(replay), projectId }, now),
    ]
    try {
      await quotas.creating(scope, 'replays', { count: () => replays.count({}), requireRoom, writes })
    } catch (error) {
      if (error instanceof StaleWriteError) await loadChangeable(scope, projectId)
      throw error
    }
    return replay
  }

  /** Ends a replay that has not ended. Its job notices it within a second. @throws ApiError resource_missing, replay_ended */
  async cancel(scope: Scope, projectId: string, replayId: string, actor: Actor): Promise<ReplayDocument> {
    const replay = await this.get(scope, projectId, replayId)
    const now = new Date(this.#parts.clock())
    const set = { status: 'canceled' as const, finished_at: now }
    const entry = { action: 'replay.canceled', resource: resourceOf(replay), projectId } as const
    await refuseStale('replay_ended', () =>
      scope.commit([scope.collection(REPLAYS).updating({ _id: replayId, status: IS_OPEN }, { set }), auditing(scope, auditContext(actor), entry, now)]),
    )
    return { ...replay, ...set }
  }

  /** Deletes a replay and its result; one that runs ends. @throws ApiError resource_missing */
  async remove(scope: Scope, projectId: string, replayId: string, actor: Actor): Promise<void> {
    const replay = await this.get(scope, projectId, replayId)
    const entry = { action: 'replay.deleted', resource: resourceOf(replay), projectId } as const
    await refuseStale('resource_missing', () =>
      scope.commit([scope.collection(REPLAYS).deleting({ _id: replayId }), auditing(scope, auditContext(actor), entry, new Date(this.#parts.clock()))]),
    )
  }
}

/** Deletes the replays of a corpus that is deleted: their results have samples of its events. */
export async function deleteReplaysOf(scope: Scope, corpusId: string): Promise<void> {
  await scope.collection(REPLAYS).deleteMany({ corpus_id: corpusId })
}

function choiceOf({ version_id = null, workspace_id = null }: NonNullable<ReplayCreateRequest['content']>): ReplayContent {
  return { version_id, workspace_id }
}

function resourceOf({ _id, corpus_name }: ReplayDocument): AuditResource {
  return { type: 'replay', id: _id, name: corpus_name }
}

function quotaExceeded(metric: string, limit: number): ApiError {
  return new ApiError('plan_quota_exceeded', { params: { metric, limit }, details: { metric, limit } })
}
