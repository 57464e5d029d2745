/** Projects: content that is written, tested and published together. The XML itself is in `content.ts`, so that what only needs the project stays light. */
import type { LogFormat } from '#workers'
import { versionTag } from '../etag.js'
import { type TenantDocument, tenantCollection } from '../storage/contract.js'
import type { QualityGatePolicy } from './gate-policy.js'

export interface ProjectDocument extends TenantDocument {
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly default_log_format: LogFormat
  readonly include_disk_defaults: boolean
  readonly include_disk_custom: boolean
  /** The version that was published or restored last, or that someone chose; null: none. */
  readonly active_baseline_id: string | null
  readonly active_baseline_name: string
  readonly quality_gate: QualityGatePolicy
  readonly case_count: number
  /** Bytes of all its cases. */
  readonly case_bytes: number
  /** Grows with every change of a case: what a run said of an older one is out of date. */
  readonly cases_revision: number
  /**
   * Counts decisions of reviews, which are ordered by it. The commit that publishes matches it: an approval is looked up over all reviews of the project,
   * and a decision of any of them changes the outcome.
   */
  readonly decisions_revision: number
  /** Of open workspaces. */
  readonly workspace_count: number
  /** Of versions, archived ones included. */
  readonly version_count: number
  /** The version that was made last; null: none was. */
  readonly latest_version_id: string | null
  /** Of its content. */
  readonly content_hash: string
  readonly content_bytes: number
  readonly created_by: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly revision: number
}

export const PROJECTS = tenantCollection<ProjectDocument>('projects', [
  { keys: { slug: 1 }, unique: true },
  { keys: { created_at: -1, _id: -1 } },
  { keys: { updated_at: -1, _id: -1 } },
  { keys: { name: 1, _id: 1 } },
])

/** Projects of an organization, whatever its plan; more are a mistake, or a program that runs wild. */
export const PROJECTS_LIMIT = 10_000

/** The project's version, for `ETag`. The counts are shown with the record and are part of it. */
export function projectEtag({ revision, case_count, workspace_count }: Pick<ProjectDocument, 'revision' | 'case_count' | 'workspace_count'>): string {
  return versionTag(revision, case_count, workspace_count)
}
