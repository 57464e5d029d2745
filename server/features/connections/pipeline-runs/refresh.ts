/**
 * Asks a provider for the state of a run, and stores it. Invariants:
 *  1. a run that has ended or is orphaned is never asked for again, and its record no longer changes
 *  2. a failure of the provider is stored as the error of the check; the state remains
 *  3. the service says `failed` by itself only with a reason
 */
import { ApiError } from '../../../core/errors.js'
import type { CiGateway, PipelineRun } from '../gateways/ci/gateway.js'
import { ProviderError } from '../../../core/egress/provider-error.js'
import type { Fields } from '../../../core/storage/contract.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import type { IntegrationsService } from '../integrations/service.js'
import { OPEN_STATUSES, PIPELINE_RUNS, type PipelineRunDocument, type UnknownReason } from './store.js'

/** Checks in a row in which the provider does not have the run before it is given up. Providers show new runs with a delay. */
const MISSES_LIMIT = 5
/** Longest wait that a provider can ask for. One that asks for more is asked again earlier. */
const WAIT_LIMIT_MS = 60 * 60 * 1000

export interface RefreshParts {
  readonly integrations: Pick<IntegrationsService, 'openCi'>
  readonly clock: () => number
}

/** Whether the provider can be asked for the run's state. */
export function isOpen({ status, orphaned }: Pick<PipelineRunDocument, 'status' | 'orphaned'>): boolean {
  return !orphaned && (OPEN_STATUSES as readonly string[]).includes(status)
}

/** Opens the gateway for the project of a run. @throws ApiError resource_missing, integration_kind_wrong, credentials_unreadable */
export async function gatewayOf({ integrations }: RefreshParts, scope: Scope, { integration_id, project, workflow }: PipelineRunDocument): Promise<CiGateway> {
  return (await integrations.openCi(scope, integration_id, { project, workflow })).gateway
}

/**
 * Returns the run with its present state; the stored one if the provider does not answer. @param signal when it aborts, nothing is stored
 * @param limitMs time for the provider; default: that of its calls. @throws only what the store throws
 */
export async function refreshRun(parts: RefreshParts, scope: Scope, run: PipelineRunDocument, signal: AbortSignal, limitMs?: number): Promise<PipelineRunDocument> {
  if (!isOpen(run)) return run
  let change: Fields<PipelineRunDocument>
  try {
    const gateway = await gatewayOf(parts, scope, run)
    const found = await gateway.get(run.provider_run_id, limitMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(limitMs)]))
    const now = new Date(parts.clock())
    change = { ...fieldsOf(found, now), checked_at: now, check_error: null, misses: 0, retry_at: null }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // This instance stops, or the caller has disconnected: nothing is known about the provider.
    if (signal.aborted) return run
    change = failed(run, error, new Date(parts.clock()))
  }
  return storing(scope, run, change)
}

/** Ends a run whose state cannot be known any more. */
export function giveUp(scope: Scope, run: PipelineRunDocument, reason: UnknownReason, now: Date): Promise<PipelineRunDocument> {
  return storing(scope, run, ended(reason, now))
}

/** The fields of a run that the provider determines. */
export function fieldsOf({ externalRunId, status, url, startedAt, finishedAt, logsUrl }: PipelineRun, now: Date) {
  const hasEnded = !(OPEN_STATUSES as readonly string[]).includes(status)
  return {
    provider_run_id: externalRunId,
    status,
    url,
    logs_url: logsUrl,
    started_at: startedAt,
    // A build that was canceled in the queue has no time at its provider.
    finished_at: hasEnded ? (finishedAt ?? now) : null,
  }
}

function failed(run: PipelineRunDocument, error: ApiError, now: Date): Fields<PipelineRunDocument> {
  if (error.reason === 'resource_missing') return { orphaned: true }
  const checked = { checked_at: now, check_error: error.code }
  if (!(error instanceof ProviderError)) return checked
  const retry_at = error.retryAt === null ? null : new Date(Math.min(error.retryAt.getTime(), now.getTime() + WAIT_LIMIT_MS))
  if (error.failure !== 'not_found') return { ...checked, misses: 0, retry_at }
  const misses = run.misses + 1
  return misses < MISSES_LIMIT ? { ...checked, misses, retry_at } : { ...checked, misses, ...ended('run_missing', now) }
}

function ended(reason: UnknownReason, now: Date) {
  return { status: 'failed', reason, finished_at: now, retry_at: null } as const
}

/** Stores a change, unless the run ended or was orphaned meanwhile. @returns the run as it is stored */
async function storing(scope: Scope, run: PipelineRunDocument, change: Fields<PipelineRunDocument>): Promise<PipelineRunDocument> {
  const runs = scope.collection(PIPELINE_RUNS)
  const updated = await runs.update({ _id: run._id, orphaned: false, status: { in: OPEN_STATUSES } }, { set: change })
  return updated ?? (await runs.findOne({ _id: run._id })) ?? run
}
