/** The dashboard of an organization. It reads stored data only, and an index counts every number. Archived projects, and what belongs to them, do not count. */
import { type Principal, userIdOf } from '../../core/auth/principal.js'
import { ARCHIVED_COUNTS, NOT_ARCHIVED, type ProjectDocument, PROJECTS } from '../shared/project.js'
import { presentVersion } from '../versions/service.js'
import { REVIEWS } from '../shared/review.js'
import { CASES } from '../shared/test-case.js'
import { type VersionDocument, VERSIONS } from '../shared/version.js'
import { WORKSPACES } from '../shared/workspace.js'
import type { Quotas } from '../../core/tenancy/quotas.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { presentAuditEvent, recentAudit } from '../../core/audit/service.js'
import type { DashboardResponse } from './schema.js'

const PROJECTS_SHOWN = 20
const RECENT_AUDIT = 10
const PUBLISHED_WITHIN_MS = 30 * 24 * 60 * 60 * 1000

export class DashboardService {
  readonly #quotas: Pick<Quotas, 'usageMetrics'>
  readonly #clock: () => number

  constructor(quotas: Pick<Quotas, 'usageMetrics'>, clock: () => number) {
    this.#quotas = quotas
    this.#clock = clock
  }

  async dashboard(scope: Scope, principal: Principal): Promise<DashboardResponse> {
    const now = this.#clock()
    const [counts, projects, audit, usage] = await Promise.all([
      this.#counts(scope, principal, new Date(now - PUBLISHED_WITHIN_MS)),
      scope.collection(PROJECTS).find(NOT_ARCHIVED, { sort: { updated_at: -1, _id: -1 }, limit: PROJECTS_SHOWN }),
      principal.permissions.has('audit:view') ? recentAudit(scope, null, RECENT_AUDIT) : [],
      this.#quotas.usageMetrics(scope),
    ])
    return {
      organization_id: scope.organizationId,
      generated_at: new Date(now).toISOString(),
      counts,
      projects: await presentRows(scope, projects),
      recent_audit: audit.map(presentAuditEvent),
      usage: [...usage],
    }
  }

  async #counts(scope: Scope, principal: Principal, publishedSince: Date): Promise<DashboardResponse['counts']> {
    const reviews = scope.collection(REVIEWS)
    const userId = userIdOf(principal)
    const open = { status: 'open', ...NOT_ARCHIVED } as const
    const [projects, archived, workspaces, open_reviews, reviews_waiting, cases, versions_published] = await Promise.all([
      scope.collection(PROJECTS).count(NOT_ARCHIVED),
      scope.collection(ARCHIVED_COUNTS).findOne({ _id: scope.organizationId }),
      scope.collection(WORKSPACES).count({ status: 'open' }),
      reviews.count(open),
      userId === null ? 0 : reviews.count({ ...open, reviewer_ids: { has: userId } }),
      scope.collection(CASES).count({}),
      scope.collection(VERSIONS).count({ published_at: { gte: publishedSince } }),
    ])
    return {
      projects,
      // The numbers are of different moments, so that the smaller one may come first.
      open_workspaces: Math.max(0, workspaces - (archived?.workspace_count ?? 0)),
      open_reviews,
      reviews_waiting,
      cases: Math.max(0, cases - (archived?.case_count ?? 0)),
      versions_published,
    }
  }
}

async function presentRows(scope: Scope, projects: readonly ProjectDocument[]): Promise<DashboardResponse['projects']> {
  const ids = projects.flatMap(({ latest_version_id }) => latest_version_id ?? [])
  const versions = ids.length === 0 ? [] : await scope.collection(VERSIONS).find({ _id: { in: ids } })
  const latest = new Map(versions.map((version) => [version._id, version]))
  return projects.map((project) => presentRow(project, latest.get(project.latest_version_id ?? '')))
}

function presentRow(project: ProjectDocument, latest: VersionDocument | undefined): DashboardResponse['projects'][number] {
  return {
    id: project._id,
    slug: project.slug,
    name: project.name,
    updated_at: project.updated_at.toISOString(),
    case_count: project.case_count,
    workspace_count: project.workspace_count,
    active_baseline_id: project.active_baseline_id,
    active_baseline_name: project.active_baseline_name,
    latest_version: latest === undefined ? null : pickVersion(presentVersion(latest)),
  }
}

function pickVersion({ id, name, status, quality_score, created_at }: ReturnType<typeof presentVersion>) {
  return { id, name, status, quality_score, created_at }
}
