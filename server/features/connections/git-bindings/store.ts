/** Stored Git bindings and the history of their runs. A binding connects a project with a branch of a repository. */
import { type TenantDocument, tenantCollection } from '../../../core/storage/contract.js'

export const PUBLISH_STRATEGIES = ['direct', 'review'] as const
export type PublishStrategy = (typeof PUBLISH_STRATEGIES)[number]

/** The parts of a repository that a binding reads and writes. */
export interface RepositoryPaths {
  /** Folder or file, from the root of the repository, without slashes at its ends; empty: the root. */
  readonly rules_path: string
  readonly decoders_path: string
  /** Null: lists are not read or written. */
  readonly lists_path: string | null
}

export interface GitBindingDocument extends TenantDocument, RepositoryPaths {
  readonly project_id: string
  /** Null: the integration was deleted; the binding is orphaned until a PATCH names another one. */
  readonly integration_id: string | null
  readonly repository: string
  readonly branch: string
  readonly publish_strategy: PublishStrategy
  /** 0: no scheduled import. */
  readonly scheduled_sync_interval_minutes: number
  /** Incremented when the interval changes. Jobs of an older schedule end without work. */
  readonly schedule: number
  readonly sync_on_webhook: boolean
  readonly check_pull_requests: boolean
  readonly comment_on_review: boolean
  /** Same value as `_id`: finds the binding of an inbound webhook before its organization is known. */
  readonly hook_id: string
  /** Sealed, bound to organization and binding. */
  readonly webhook_secret: string
  /** Head of the branch at the last import, or the commit of the last publication; null: none. */
  readonly synced_commit_sha: string | null
  readonly synced_at: Date | null
  /** The review that the last publication opened and that is not known to be merged or closed. */
  readonly review: BindingReview | null
  /** Counts of the last discovery; null: none yet. */
  readonly discovered: DiscoveredCounts | null
  readonly created_by: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly revision: number
}

export interface BindingReview {
  readonly number: number
  readonly url: string
  readonly branch: string
  /** The last commit of ours on its branch. */
  readonly head_sha: string
}

export interface DiscoveredCounts {
  readonly rule_files: number
  readonly decoder_files: number
  readonly list_files: number
  readonly rules: number
  readonly decoders: number
}

export const GIT_BINDINGS = tenantCollection<GitBindingDocument>(
  'git_bindings',
  [{ keys: { created_at: -1, _id: -1 } }, { keys: { project_id: 1, created_at: -1, _id: -1 } }, { keys: { integration_id: 1 } }],
  ['hook_id'],
)

/** Returns the place to which the webhook secret of a binding is bound when it is sealed, with the key `integrationCredentials`. */
export function sealedForBinding({ organization_id, _id }: Pick<GitBindingDocument, 'organization_id' | '_id'>): string {
  return `git_binding:${organization_id}:${_id}`
}

export const RUN_TYPES = ['discover', 'import', 'publish', 'preflight', 'rollback', 'check'] as const
export type RunType = (typeof RUN_TYPES)[number]

/** `conflict`: an import or publication that changed nothing, because both sides changed the same rule. `canceled`: a newer push replaced a check, or its review ended. */
export const RUN_STATUSES = ['running', 'succeeded', 'failed', 'conflict', 'canceled'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

/** What caused a run. */
export const RUN_TRIGGERS = ['request', 'schedule', 'webhook'] as const
export type RunTrigger = (typeof RUN_TRIGGERS)[number]

export interface GitRunDocument extends TenantDocument {
  readonly binding_id: string
  readonly project_id: string
  readonly run_type: RunType
  readonly status: RunStatus
  readonly trigger: RunTrigger
  /** The commit that was read, or created; null: none yet. */
  readonly commit_sha: string | null
  /** Number of the pull or merge request; null: none. */
  readonly review_number: number | null
  /** Workspace that the run created or changed; null: none. */
  readonly workspace_id: string | null
  /** Code and text of the failure; null: none. No credential, no content. */
  readonly error: { readonly code: string; readonly message: string } | null
  /** Counts and names of what changed; plain JSON, bounded. */
  readonly diff_summary: Readonly<Record<string, unknown>>
  readonly started_by: string
  readonly created_at: Date
  readonly finished_at: Date | null
}

/** Runs are kept for 180 days. */
const HISTORY_SECONDS = 180 * 24 * 60 * 60

export const GIT_RUNS = tenantCollection<GitRunDocument>('git_runs', [
  { keys: { binding_id: 1, created_at: -1, _id: -1 } },
  { keys: { binding_id: 1, run_type: 1, created_at: -1, _id: -1 } },
  { keys: { binding_id: 1, status: 1, created_at: -1, _id: -1 } },
  { keys: { created_at: 1 }, expireAfterSeconds: HISTORY_SECONDS },
])

/** A delivery of a forge's webhook that was received. */
export interface GitDeliveryDocument extends TenantDocument {
  readonly created_at: Date
}

/** Deliveries are known for a week. GitHub's can be sent again for three days, by hand. */
const DELIVERY_SECONDS = 7 * 24 * 60 * 60

export const GIT_DELIVERIES = tenantCollection<GitDeliveryDocument>('git_deliveries', [{ keys: { created_at: 1 }, expireAfterSeconds: DELIVERY_SECONDS }])

/**
 * Bodies are known for an hour: longer than a forge takes to send a delivery again under another id, and short enough that what a binding stores is limited by
 * its deliveries in a minute (`THROTTLES.gitDeliveries`), to 18,000 hashes.
 */
const BODY_SECONDS = 60 * 60

export const GIT_DELIVERY_BODIES = tenantCollection<GitDeliveryDocument>('git_delivery_bodies', [{ keys: { created_at: 1 }, expireAfterSeconds: BODY_SECONDS }])
