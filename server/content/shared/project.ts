/** Projects: content that is written, tested and published together. The XML is stored apart (`content.ts`), so that reading a project stays cheap. */
import type { LogFormat } from '#workers'
import { versionTag } from '../../core/etag.js'
import { type TenantDocument, tenantCollection } from '../../core/storage/contract.js'
import type { QualityGatePolicy } from './gate-policy.js'

export interface ProjectDocument extends TenantDocument {
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly default_log_format: LogFormat
  readonly include_disk_defaults: boolean
  readonly include_disk_custom: boolean
  /** The version that was published, restored or selected last; null: none. */
  readonly active_baseline_id: string | null
  readonly active_baseline_name: string
  readonly quality_gate: QualityGatePolicy
  readonly case_count: number
  /** Bytes of all cases. */
  readonly case_bytes: number
  /** Incremented with every change of a case. Measurements of an older revision are outdated. */
  readonly cases_revision: number
  /**
   * Counts decisions of reviews, which are ordered by it. The commit that publishes matches it: an approval is looked up over all reviews of the project,
   * and a decision of any of them changes the outcome.
   */
  readonly decisions_revision: number
  /** Number of open workspaces. */
  readonly workspace_count: number
  /** Number of versions, including archived ones. */
  readonly version_count: number
  /** The version that was created last; null: none. */
  readonly latest_version_id: string | null
  /** Hash of the content. */
  readonly content_hash: string
  readonly content_bytes: number
  /** True: it can only be read. Null or missing: it is not archived; not false, so that one condition finds those that are older than the field. */
  readonly is_archived?: true | null
  readonly archived_at?: Date | null
  /** Incremented by commits that change what belongs to the project and no field of it, so that they conflict with archiving and deleting. */
  readonly changes_revision?: number
  readonly created_by: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly revision: number
}

export const PROJECTS = tenantCollection<ProjectDocument>('projects', [
  { keys: { slug: 1 }, unique: true },
  { keys: { is_archived: 1, created_at: -1, _id: -1 } },
  { keys: { is_archived: 1, updated_at: -1, _id: -1 } },
  { keys: { is_archived: 1, name: 1, _id: 1 } },
])

/** The condition on projects that are not archived, and on reviews of such projects. */
export const NOT_ARCHIVED = { is_archived: null } as const

/** What the archived projects of an organization have, and deleted ones until it is deleted: others are counted without reading these, which may be thousands. */
export interface ArchivedCountsDocument extends TenantDocument {
  readonly case_count: number
  /** Open workspaces. */
  readonly workspace_count: number
}

/** At most one document, with the id of the organization. */
export const ARCHIVED_COUNTS = tenantCollection<ArchivedCountsDocument>('archived_counts', [])

/** A project that was deleted. Its versions and audit entries can be read until the plan of the organization keeps them no longer. */
export interface DeletedProjectDocument extends TenantDocument {
  readonly name: string
  readonly deleted_at: Date
}

/** Records of deleted projects, with the ids of the projects. */
export const DELETED_PROJECTS = tenantCollection<DeletedProjectDocument>('deleted_projects', [{ keys: { deleted_at: 1, _id: 1 } }])

/** Maximum projects of an organization in any plan, archived ones included. More come from a faulty program. */
export const PROJECTS_LIMIT = 10_000

/** Returns the `ETag` of a project. It covers the counts, which are part of the record. */
export function projectEtag({ revision, case_count, workspace_count }: Pick<ProjectDocument, 'revision' | 'case_count' | 'workspace_count'>): string {
  return versionTag(revision, case_count, workspace_count)
}
