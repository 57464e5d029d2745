/** Versions: immutable copies of content, which can be published. Their XML is in `content.ts`. */
import { type TenantDocument, tenantCollection } from '../../core/storage/contract.js'
import type { VersionStatus } from './transitions.js'

export interface VersionDocument extends TenantDocument {
  readonly project_id: string
  readonly source_workspace_id: string | null
  readonly source_review_id: string | null
  /** The binding from which the version's workspace was imported, and the imported commit; null or missing: none. Versions older than bindings lack both. */
  readonly git_binding_id?: string | null
  readonly git_commit_sha?: string | null
  readonly name: string
  readonly notes: string
  readonly status: VersionStatus
  readonly include_disk_defaults: boolean
  readonly include_disk_custom: boolean
  readonly content_hash: string
  /** Result of the last measurement, at the creation or at an attempt to publish. */
  readonly quality_score: number
  readonly regression_passed: boolean
  readonly total_rules: number
  readonly total_decoders: number
  readonly created_by: string
  readonly created_at: Date
  readonly updated_at: Date
  /** When it was first published; null: never. */
  readonly published_at: Date | null
  readonly revision: number
}

export const VERSIONS = tenantCollection<VersionDocument>('versions', [
  { keys: { project_id: 1, created_at: -1, _id: -1 } },
  { keys: { project_id: 1, status: 1, created_at: -1, _id: -1 } },
  { keys: { published_at: -1, _id: -1 } },
])

/** Maximum versions of a project, including archived ones. */
export const VERSIONS_LIMIT = 10_000
