/** Projects and what is in them: cases, workspaces, reviews, versions, the quality gate, and the catalogs, reports and templates about their content. */
import { clearingJob } from './projects/clear.js'
import type { Write } from '../core/storage/contract.js'
import type { Scope } from '../core/tenancy/scope.js'
import type { OpenWing, Wing } from '../core/wing.js'
import { AUDIT } from '../core/audit/store.js'
import { auditRoutes } from './audit/routes.js'
import { caseRoutes } from './cases/routes.js'
import { caseRunRoutes } from './cases/run-routes.js'
import { CaseRuns } from './cases/run.js'
import { CasesService } from './cases/service.js'
import { CaseStrengthService } from './case-strength/service.js'
import { catalogRoutes } from './catalog/routes.js'
import { CatalogService } from './catalog/service.js'
import { dashboardRoutes } from './dashboard/routes.js'
import { DashboardService } from './dashboard/service.js'
import { impactRoutes } from './impact/routes.js'
import { ImpactService } from './impact/service.js'
import { overviewRoutes } from './overview/routes.js'
import { OverviewService } from './overview/service.js'
import { projectRoutes } from './projects/routes.js'
import { ProjectsService } from './projects/service.js'
import { qualityGateRoutes } from './quality-gate/routes.js'
import { QualityGateService } from './quality-gate/service.js'
import { reportRoutes } from './reports/routes.js'
import { ReportsService } from './reports/service.js'
import { ruleAuditRoutes } from './rule-audit/routes.js'
import { RuleAuditService } from './rule-audit/service.js'
import { Announcements } from './reviews/announce.js'
import { CommentsService } from './reviews/comments.js'
import { People } from './reviews/people.js'
import { reviewRoutes } from './reviews/routes.js'
import { type ReviewDecision, ReviewsService } from './reviews/service.js'
import { PROJECT_COLLECTIONS } from './shared/collections.js'
import { ProjectMeasure } from './shared/measure.js'
import { semanticDiffRoutes } from './semantic-diff/routes.js'
import { VersionBisection } from './semantic-diff/bisect.js'
import { SemanticDiffService } from './semantic-diff/service.js'
import { templateRoutes } from './templates/routes.js'
import { upgradeCheckRoutes } from './upgrade-check/routes.js'
import { UpgradeCheckService } from './upgrade-check/service.js'
import { versionRoutes } from './versions/routes.js'
import { VersionsService } from './versions/service.js'
import { wazuh5Routes } from './wazuh5/routes.js'
import { Wazuh5Service } from './wazuh5/service.js'
import { workspaceRoutes } from './workspaces/routes.js'
import { WorkspacesService } from './workspaces/service.js'

/** The part of the content that other wings use. */
export interface Content extends OpenWing {
  readonly workspaces: WorkspacesService
  readonly gate: QualityGateService
  readonly impacts: ImpactService
  /** Writes of other wings for the commit that decides a review. */
  readonly onDecidingReview: ((scope: Scope, decision: ReviewDecision) => Promise<readonly Write[]>)[]
  /** Writes of other wings for the commit that deletes a project. They may refuse it. */
  readonly onDeletingProject: ((scope: Scope, projectId: string) => Promise<readonly Write[]>)[]
}

export const content: Wing<Content> = {
  collections: [AUDIT, ...PROJECT_COLLECTIONS],
  open({ identities, pool, quotas, overLimit, limits, outbox, notices, jobs, log, clock }) {
    const onDecidingReview: Content['onDecidingReview'] = []
    const onDeletingProject: Content['onDeletingProject'] = []
    const measure = new ProjectMeasure(pool)
    const strength = new CaseStrengthService({ pool, log, clock })
    const gate = new QualityGateService(strength, clock)
    const audits = new RuleAuditService(pool)
    const workspaces = new WorkspacesService(clock)
    const diffs = new SemanticDiffService(pool)
    const impacts = new ImpactService(measure, pool, overLimit, diffs)
    const onDeciding = async (scope: Scope, decision: ReviewDecision): Promise<Write[]> => (await Promise.all(onDecidingReview.map((writes) => writes(scope, decision)))).flat()
    const people = new People(identities.users, identities.memberships)
    const reviewParts = { people, announcements: new Announcements(outbox, notices, people), onDeciding, clock }
    const onDeleting = async (scope: Scope, projectId: string): Promise<Write[]> => (await Promise.all(onDeletingProject.map((writes) => writes(scope, projectId)))).flat()
    return {
      workspaces,
      gate,
      impacts,
      onDecidingReview,
      onDeletingProject,
      routes: [
        ...projectRoutes(new ProjectsService({ quotas, jobs, onDeleting, clock }), overLimit),
        ...caseRoutes(new CasesService(clock)),
        ...caseRunRoutes(new CaseRuns({ pool, usage: quotas.usage, outbox, clock }), limits, clock),
        ...qualityGateRoutes(gate),
        ...versionRoutes(new VersionsService({ measure, diffs, gate, outbox, notices, clock }), overLimit),
        ...workspaceRoutes(workspaces),
        ...reviewRoutes(new ReviewsService(reviewParts), new CommentsService(reviewParts), diffs),
        ...catalogRoutes(new CatalogService(pool)),
        ...overviewRoutes(new OverviewService(measure, gate, overLimit)),
        ...reportRoutes(new ReportsService({ measure, gate, audits, overLimit, clock })),
        ...impactRoutes(impacts),
        ...semanticDiffRoutes(diffs, new VersionBisection(pool, diffs)),
        ...ruleAuditRoutes(audits),
        ...wazuh5Routes(new Wazuh5Service(pool)),
        ...upgradeCheckRoutes(new UpgradeCheckService(pool)),
        ...dashboardRoutes(new DashboardService(quotas, clock)),
        ...templateRoutes(),
        ...auditRoutes(identities),
      ],
      jobs: [clearingJob()],
      close: () => strength.close(),
    }
  },
}
