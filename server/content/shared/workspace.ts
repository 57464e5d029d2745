/** Workspaces: copies of a project's content that are edited, tested and reviewed before publication. Their XML is in `content.ts`. */
import type { LogFormat } from '#workers'
import { type TenantDocument, tenantCollection } from '../../core/storage/contract.js'
import type { WorkspaceStatus } from './transitions.js'

export interface WorkspaceDocument extends TenantDocument {
  readonly project_id: string
  readonly name: string
  readonly description: string
  readonly log_format: LogFormat
  readonly session_id: string | null
  readonly include_disk_defaults: boolean
  readonly include_disk_custom: boolean
  /** Hash of the content. An approval is bound to it. */
  readonly content_hash: string
  readonly content_bytes: number
  readonly git_binding_id: string | null
  readonly git_repo: string | null
  readonly git_branch: string | null
  readonly git_commit_sha: string | null
  readonly status: WorkspaceStatus
  /** Incremented by each commit that opens or decides a review of the workspace, so that no decision applies to content that changed meanwhile. */
  readonly reviews_revision: number
  readonly created_by: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly revision: number
}

export const WORKSPACES = tenantCollection<WorkspaceDocument>('workspaces', [
  { keys: { project_id: 1, status: 1, created_at: -1, _id: -1 } },
  { keys: { project_id: 1, status: 1, updated_at: -1, _id: -1 } },
  { keys: { project_id: 1, status: 1, name: 1, _id: 1 } },
  { keys: { project_id: 1, created_at: -1, _id: -1 } },
  { keys: { project_id: 1, updated_at: -1, _id: -1 } },
  { keys: { project_id: 1, name: 1, _id: 1 } },
  { keys: { status: 1, created_at: -1, _id: -1 } },
])

/** Maximum open workspaces of a project. */
export const WORKSPACES_LIMIT = 500
/** Maximum imported files of a workspace. The complete Wazuh ruleset has about 300; the limits of requests and documents bound their size. */
export const SOURCE_FILES_LIMIT = 2000
