/** Runs of pipelines (CONTRACT.md#pipeline-runs): start, list, get, cancel. The provider runs them; this service keeps what it knows about those that it started. */
import { subjectOf } from '../../../core/auth/principal.js'
import type { Actor } from '../../../core/auth/request-context.js'
import { ApiError } from '../../../core/errors.js'
import { ProviderError } from '../../../core/egress/provider-error.js'
import type { JobQueue } from '../../../core/jobs/queue.js'
import type { Write } from '../../../core/storage/contract.js'
import { newOrderedId } from '../../../core/storage/id.js'
import { findOptions, findPage, type Page } from '../../../core/tenancy/page.js'
import type { Scope, Unbound } from '../../../core/tenancy/scope.js'
import { type AuditResource, auditContext, auditing, diffOf } from '../../../core/audit/service.js'
import type { IntegrationsService } from '../integrations/service.js'
import { FIRST_PAUSE_MS, PIPELINE_RUN_FOLLOW } from './follow.js'
import { fieldsOf, gatewayOf, isOpen, type RefreshParts, refreshRun } from './refresh.js'
import type { PipelineRunListQuery, PipelineRunRequest } from './schema.js'
import { OPEN_STATUSES, PIPELINE_RUNS, type PipelineRunDocument } from './store.js'

/** A GET asks the provider if the stored state is older. Callers who ask more often see that state, and cost the provider nothing. */
export const FRESH_MS = 5_000
/** Maximum runs of an integration that have not ended. Each is followed for up to three days. */
export const OPEN_RUNS_LIMIT = 100
/** How long a GET waits for the provider before it answers with the stored state. */
const REFRESH_TIMEOUT_MS = 10_000

export interface PipelineRunsParts extends RefreshParts {
  readonly integrations: Pick<IntegrationsService, 'get' | 'openCi'>
  readonly jobs: Pick<JobQueue, 'enqueuing' | 'rescheduling'>
}

export class PipelineRunsService {
  readonly #parts: PipelineRunsParts

  constructor(parts: PipelineRunsParts) {
    this.#parts = parts
  }

  /** @throws ApiError resource_missing, integration_kind_wrong, credentials_unreadable, target_refused, pipeline_run_limit, and what the provider refuses */
  async start(scope: Scope, integrationId: string, request: PipelineRunRequest, actor: Actor & { readonly signal: AbortSignal }): Promise<PipelineRunDocument> {
    const { integrations, jobs, clock } = this.#parts
    const { project = null, workflow = null, branch = null, inputs = {} } = request
    const { integration, gateway } = await integrations.openCi(scope, integrationId)
    const open = await scope.collection(PIPELINE_RUNS).count({ integration_id: integrationId, status: { in: OPEN_STATUSES } })
    if (open >= OPEN_RUNS_LIMIT) throw new ApiError('pipeline_run_limit', { params: { limit: OPEN_RUNS_LIMIT } })
    const started = await gateway.start({ project, workflow, branch, inputs }, actor.signal)
    const now = new Date(clock())
    const run: Unbound<PipelineRunDocument> = {
      _id: newOrderedId(now.getTime()),
      integration_id: integrationId,
      external_run_id: started.externalRunId,
      project: project ?? integration.settings.project,
      workflow: workflow ?? integration.settings.workflow,
      branch,
      ...fieldsOf(started, now),
      reason: null,
      orphaned: false,
      checked_at: now,
      check_error: null,
      misses: 0,
      retry_at: null,
      started_by: subjectOf(actor.principal),
      created_at: now,
    }
    // Values of inputs may be secrets.
    const shown = { integration_id: integrationId, project: run.project, workflow: run.workflow, branch, inputs: Object.keys(inputs) }
    const entry = { action: 'pipeline_run.started', resource: resourceOf(run), diff: diffOf(null, shown, ['integration_id', 'project', 'workflow', 'branch', 'inputs']) } as const
    await scope.commit([
      scope.collection(PIPELINE_RUNS).inserting(run),
      jobs.enqueuing(scope, { kind: PIPELINE_RUN_FOLLOW, subject: run._id, dueAt: new Date(now.getTime() + FIRST_PAUSE_MS) }),
      auditing(scope, auditContext(actor), entry, now),
    ])
    return { ...run, organization_id: scope.organizationId }
  }

  /** Lists the runs of an integration, which may be deleted. @throws ApiError resource_missing */
  async list(scope: Scope, integrationId: string, query: PipelineRunListQuery): Promise<Page<PipelineRunDocument>> {
    const filter = { integration_id: integrationId, ...(query.status === undefined ? {} : { status: query.status }) }
    const runs = scope.collection(PIPELINE_RUNS)
    const page = await findPage(runs, filter, findOptions(query))
    if (page.total === 0 && (await runs.findOne({ integration_id: integrationId })) === null) await this.#parts.integrations.get(scope, integrationId)
    return page
  }

  /** Returns a run. Its state is at most some seconds old if the provider answers. @throws ApiError resource_missing */
  async get(scope: Scope, integrationId: string, externalRunId: string, signal: AbortSignal): Promise<PipelineRunDocument> {
    const run = await this.#find(scope, integrationId, externalRunId)
    const now = this.#parts.clock()
    const isFresh = now - run.checked_at.getTime() < FRESH_MS || (run.retry_at !== null && run.retry_at.getTime() > now)
    return isFresh ? run : refreshRun(this.#parts, scope, run, signal, REFRESH_TIMEOUT_MS)
  }

  /** Asks the provider to end a run. @throws ApiError resource_missing, pipeline_run_ended, pipeline_run_orphaned, and what the provider refuses */
  async cancel(scope: Scope, integrationId: string, externalRunId: string, actor: Actor & { readonly signal: AbortSignal }): Promise<PipelineRunDocument> {
    const { jobs, clock } = this.#parts
    const run = await this.#find(scope, integrationId, externalRunId)
    if (run.orphaned) throw new ApiError('pipeline_run_orphaned')
    if (!isOpen(run)) throw new ApiError('pipeline_run_ended')
    const gateway = await gatewayOf(this.#parts, scope, run)
    if (gateway.cancel === null) throw new ProviderError('unsupported', { provider: 'ci', details: { what: 'cancel' } })
    await gateway.cancel(run.provider_run_id, actor.signal)
    const now = new Date(clock())
    await scope.commit([
      auditing(scope, auditContext(actor), { action: 'pipeline_run.canceled', resource: resourceOf(run) }, now),
      // Providers end a run some seconds after the request.
      jobs.rescheduling(scope, PIPELINE_RUN_FOLLOW, run._id, new Date(now.getTime() + FIRST_PAUSE_MS)),
    ])
    return refreshRun(this.#parts, scope, run, actor.signal)
  }

  /** Returns the writes with which the runs of an integration lose it. */
  orphaning(scope: Scope, integrationId: string): readonly Write[] {
    return [scope.collection(PIPELINE_RUNS).updatingMany({ integration_id: integrationId }, { set: { orphaned: true } })]
  }

  /** @throws ApiError resource_missing */
  async #find(scope: Scope, integrationId: string, externalRunId: string): Promise<PipelineRunDocument> {
    const [run] = await scope.collection(PIPELINE_RUNS).find({ integration_id: integrationId, external_run_id: externalRunId }, { sort: { created_at: -1 }, limit: 1 })
    if (run === undefined) throw new ApiError('resource_missing')
    return run
  }
}

function resourceOf({ _id, external_run_id }: Pick<PipelineRunDocument, '_id' | 'external_run_id'>): AuditResource {
  return { type: 'pipeline_run', id: _id, name: external_run_id }
}
