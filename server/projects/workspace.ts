/** Workspaces: copies of a project's content that are edited, tried and reviewed before they are published. Their XML is in `content.ts`. */
import type { LogFormat } from '#workers'
import { type TenantDocument, tenantCollection } from '../storage/contract.js'
import type { WorkspaceStatus } from './transitions.js'

export interface WorkspaceDocument extends TenantDocument {
  readonly project_id: string
  readonly name: string
  readonly description: string
  readonly log_format: LogFormat
  readonly session_id: string | null
  readonly include_disk_defaults: boolean
  readonly include_disk_custom: boolean
  /** Of the content: an approval is one of this hash. */
  readonly content_hash: string
  readonly content_bytes: number
  readonly git_binding_id: string | null
  readonly git_repo: string | null
  readonly git_branch: string | null
  readonly git_commit_sha: string | null
  readonly status: WorkspaceStatus
  /**
   * Grows with every review of it that is opened or decided: their commits write it, as edits do, so that no decision is about content that changed
   * meanwhile.
   */
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

/** Open workspaces of a project. */
export const WORKSPACES_LIMIT = 500
/** Files that a workspace may come from. The whole Wazuh ruleset is some 300 of them; their size is bounded by that of a request, and of a document. */
export const SOURCE_FILES_LIMIT = 2000
