/** What the page reads of the records of the service (`/api/v1`). */

/** Only `passed` may be published. */
export type GateState = 'passed' | 'failed' | 'not_proven' | 'pending'

export interface SessionRecord {
  readonly user: { readonly id: string; readonly is_platform_admin: boolean }
  readonly organizations: readonly OrganizationRecord[]
  readonly current_organization: OrganizationRecord | null
}

export interface OrganizationRecord {
  readonly id: string
  readonly name: string
  readonly role: string | null
}

/** A project in a list. */
export interface ProjectSummary {
  readonly id: string
  readonly name: string
  readonly updated_at: string
  readonly case_count: number
  readonly workspace_count: number
}

/** What projects and workspaces have alike. */
export interface ContentRecord {
  readonly id: string
  readonly name: string
  readonly rules_xml: string
  readonly decoders_xml: string
  readonly lists: readonly { readonly name: string; readonly content: string }[]
  readonly include_disk_defaults: boolean
  readonly include_disk_custom: boolean
}

export interface ProjectRecord extends ContentRecord {
  readonly is_read_only: boolean
}

export interface WorkspaceRecord extends ContentRecord {
  readonly status: string
  readonly event_text: string
  readonly updated_at: string
}

export interface CaseRecord {
  readonly id: string
  readonly updated_at: string
}

export interface OverviewRecord {
  readonly quality_score: number
  readonly quality_gate_result: { readonly state: GateState; readonly failed_rules: readonly { readonly rule: string }[] }
}

export interface ImpactRecord {
  readonly current_quality_score: number
  readonly candidate_quality_score: number
  readonly improved_cases: number
  readonly regressed_cases: number
  readonly changed_cases: number
}

export interface ProjectMember {
  readonly user_id: string
  readonly role: string
}

/** What the service knows of the content that is open. */
export interface ServiceFacts {
  readonly projectId: string
  readonly workspaceId: string | null
  /** `other`: the service compiles the content on a ruleset that the page does not have. */
  readonly base: 'reference' | 'none' | 'other'
  /** The quality gate of the project; null: not known. */
  readonly gate: { readonly state: GateState; readonly score: number; readonly failed: number } | null
  /** The impact of the workspace as it was saved last; null: it was not asked for. */
  readonly impact: ImpactRecord | null
  readonly isComparing: boolean
  /** Address of the report, which a browser opens with its session; null: the page has a credential, which a link has not. */
  readonly report: string | null
}
