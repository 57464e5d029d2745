/** Versions: content as it was when they were made, and as it is published. Their XML is in `content.ts`, and never changes. */
import { type TenantDocument, tenantCollection } from '../storage/contract.js'
import type { VersionStatus } from './transitions.js'

export interface VersionDocument extends TenantDocument {
  readonly project_id: string
  readonly source_workspace_id: string | null
  readonly source_review_id: string | null
  readonly name: string
  readonly notes: string
  readonly status: VersionStatus
  readonly include_disk_defaults: boolean
  readonly include_disk_custom: boolean
  readonly content_hash: string
  /** As measured last: when it was made, or when someone tried to publish it. */
  readonly quality_score: number
  readonly regression_passed: boolean
  readonly total_rules: number
  readonly total_decoders: number
  readonly created_by: string
  readonly created_at: Date
  readonly updated_at: Date
  /** When it was published first; null: never. */
  readonly published_at: Date | null
  readonly revision: number
}

export const VERSIONS = tenantCollection<VersionDocument>('versions', [
  { keys: { project_id: 1, created_at: -1, _id: -1 } },
  { keys: { project_id: 1, status: 1, created_at: -1, _id: -1 } },
  { keys: { published_at: -1, _id: -1 } },
])

/** Versions of a project, archived ones included. */
export const VERSIONS_LIMIT = 10_000
