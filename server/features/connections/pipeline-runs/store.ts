/** Stored runs of pipelines that callers started. */
import type { PipelineStatus } from '../gateways/ci/gateway.js'
import { type TenantDocument, tenantCollection } from '../../../core/storage/contract.js'

/**
 * Why the service says `failed` although the provider did not. `run_missing`: the provider no longer has the run. `follow_limit`: the run had not ended when
 * the service stopped following it.
 */
export const UNKNOWN_REASONS = ['run_missing', 'follow_limit'] as const
export type UnknownReason = (typeof UNKNOWN_REASONS)[number]

export interface PipelineRunDocument extends TenantDocument {
  /** Remains when the integration is deleted. */
  readonly integration_id: string
  /** The provider's id at the start, which callers use. */
  readonly external_run_id: string
  /** The provider's id now: Jenkins gives a build another one than its place in the queue. */
  readonly provider_run_id: string
  /** Null: the provider has none. */
  readonly project: string | null
  readonly workflow: string | null
  /** Null: the default branch. */
  readonly branch: string | null
  readonly status: PipelineStatus
  readonly reason: UnknownReason | null
  readonly url: string | null
  readonly logs_url: string | null
  readonly started_at: Date | null
  readonly finished_at: Date | null
  /** The integration was deleted: the record is kept as it was. */
  readonly orphaned: boolean
  /** When the provider was last asked. */
  readonly checked_at: Date
  /** Code of the error of that check; null: it succeeded. */
  readonly check_error: string | null
  /** Consecutive checks in which the provider did not have the run. */
  readonly misses: number
  /** Until when the provider asked not to be asked again; null: it did not. */
  readonly retry_at: Date | null
  readonly started_by: string
  readonly created_at: Date
}

/** Runs that have not ended. */
export const OPEN_STATUSES = ['queued', 'running'] as const satisfies readonly PipelineStatus[]

/** Runs are kept for 180 days. */
const HISTORY_SECONDS = 180 * 24 * 60 * 60

export const PIPELINE_RUNS = tenantCollection<PipelineRunDocument>('pipeline_runs', [
  { keys: { integration_id: 1, created_at: -1, _id: -1 } },
  { keys: { integration_id: 1, status: 1, created_at: -1, _id: -1 } },
  // Not unique: a provider that lost its data counts from the beginning.
  { keys: { integration_id: 1, external_run_id: 1, created_at: -1 } },
  { keys: { created_at: 1 }, expireAfterSeconds: HISTORY_SECONDS },
])
