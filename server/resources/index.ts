/** Mounts every resource: creates its services, and lists its routes and collections. Those of identity are mounted in `identity.ts`. */
import type { FoundKey } from '../core/auth/authenticate.js'
import { liveHolders } from '../core/auth/live-sessions.js'
import { OpenSessions } from '../core/auth/open-sessions.js'
import { type AnySealedField, resealAll, sealedField } from '../core/auth/reseal.js'
import { readingKeys } from '../core/auth/secrets.js'
import type { JobKind } from '../core/jobs/runner.js'
import { answerReader } from '../core/egress/reader.js'
import { webhooksOf } from '../features/connections/gateways/git/index.js'
import type { FormPage } from '../core/http/pages/form-pages.js'
import type { Route } from '../core/http/route.js'
import { Connections } from '../core/sse/connections.js'
import type { CollectionDefinition } from '../core/storage/contract.js'
import { AI_COLLECTIONS, AI_SEALED_FIELDS, createAi } from './ai.js'
import { analysisRoutes } from '../analysis/routes.js'
import { AnalysisService } from '../analysis/service.js'
import { auditRoutes } from '../core/audit/routes.js'
import { Visits } from '../core/audit/visits.js'
import { AUDIT } from '../core/audit/store.js'
import { caseRoutes } from '../content/cases/routes.js'
import { CaseRuns } from '../content/cases/run.js'
import { caseRunRoutes } from '../content/cases/run-routes.js'
import { BILLING_COLLECTIONS, createBillingResources } from './billing.js'
import { CasesService } from '../content/cases/service.js'
import { instanceFeedbackRoutes } from '../features/feedback/instance-routes.js'
import { InstanceFeedback } from '../features/feedback/instance-wide.js'
import { feedbackRoutes } from '../features/feedback/routes.js'
import { FeedbackService } from '../features/feedback/service.js'
import { FEEDBACK_ATTACHMENTS, FEEDBACK_REPORTS } from '../features/feedback/store.js'
import { gitDiscoverRoutes } from '../features/connections/git-bindings/discover-routes.js'
import { GitImports } from '../features/connections/git-bindings/import.js'
import { InboundWebhooks } from '../features/connections/git-bindings/inbound.js'
import { inboundWebhookRoutes } from '../features/connections/git-bindings/inbound-routes.js'
import { gitImportRoutes } from '../features/connections/git-bindings/import-routes.js'
import { gitBindingRoutes } from '../features/connections/git-bindings/routes.js'
import { GitBindingsService } from '../features/connections/git-bindings/service.js'
import { GIT_BINDINGS, GIT_DELIVERIES, GIT_DELIVERY_BODIES, GIT_RUNS, sealedForBinding } from '../features/connections/git-bindings/store.js'
import { pushJob, syncJob } from '../features/connections/git-bindings/sync.js'
import { sealedFor as sealedForIntegration } from '../features/connections/integrations/credentials.js'
import { ConnectionTests } from '../features/connections/integrations/connection-test.js'
import { Messaging, MESSAGING_HEALTH } from '../features/connections/integrations/messaging.js'
import { integrationRoutes } from '../features/connections/integrations/routes.js'
import { IntegrationsService, type OnDeleting } from '../features/connections/integrations/service.js'
import { INTEGRATIONS } from '../features/connections/integrations/store.js'
import { checkJob } from '../features/connections/git-checks/job.js'
import { GitChecksService } from '../features/connections/git-checks/service.js'
import { reviewEndJob } from '../features/connections/git-checks/review-end.js'
import { gitRunRoutes } from '../features/connections/git-checks/routes.js'
import { GIT_CHECK_REPORTS, GIT_CHECKS } from '../features/connections/git-checks/store.js'
import { GitExportService } from '../features/connections/git-publish/export.js'
import { recoveryJob } from '../features/connections/git-publish/recovery.js'
import { gitPublishRoutes } from '../features/connections/git-publish/routes.js'
import { GitPublishService } from '../features/connections/git-publish/service.js'
import { GIT_PUBLICATIONS } from '../features/connections/git-publish/store.js'
import { GIT_BASES, GIT_REVIEW_BASES } from '../content/shared/git-base.js'
import { catalogRoutes } from '../content/catalog/routes.js'
import { CatalogService } from '../content/catalog/service.js'
import { dashboardRoutes } from '../content/dashboard/routes.js'
import { DashboardService } from '../content/dashboard/service.js'
import { healthRoutes } from '../features/platform/health/routes.js'
import { createIdentityResources, IDENTITY_COLLECTIONS, IDENTITY_SEALED_FIELDS, type IdentityResources, PLATFORM_SEALED_FIELDS } from './identity.js'
import { impactRoutes } from '../content/impact/routes.js'
import { ImpactService } from '../content/impact/service.js'
import { mockBillingPages } from '../features/billing/mock-billing/page.js'
import { noticeJob } from '../features/notifications/fan-out.js'
import { UnreadFeed } from '../features/notifications/feed.js'
import { notificationRoutes } from '../features/notifications/routes.js'
import { NotificationsService } from '../features/notifications/service.js'
import { NOTIFICATIONS, NotificationStore } from '../features/notifications/store.js'
import { overviewRoutes } from '../content/overview/routes.js'
import { OverviewService } from '../content/overview/service.js'
import type { ResourceParts } from './parts.js'
import { platformJobRoutes } from '../features/platform/platform-jobs/routes.js'
import { PlatformJobsService } from '../features/platform/platform-jobs/service.js'
import { platformOrganizationRoutes } from '../features/platform/platform-organizations/routes.js'
import { OrganizationPlans } from '../features/platform/platform-organizations/plans.js'
import { PlatformOrganizationsService } from '../features/platform/platform-organizations/service.js'
import { INSTANCES } from '../features/platform/platform-overview/instances.js'
import { platformOverviewRoutes } from '../features/platform/platform-overview/routes.js'
import { PlatformOverviewService } from '../features/platform/platform-overview/service.js'
import { followJob } from '../features/connections/pipeline-runs/follow.js'
import { pipelineRunRoutes } from '../features/connections/pipeline-runs/routes.js'
import { PipelineRunsService } from '../features/connections/pipeline-runs/service.js'
import { PIPELINE_RUNS } from '../features/connections/pipeline-runs/store.js'
import { PROJECT_COLLECTIONS } from '../content/shared/collections.js'
import { clearingJob } from '../content/projects/clear.js'
import { projectRoutes } from '../content/projects/routes.js'
import { ProjectsService } from '../content/projects/service.js'
import { qualityGateRoutes } from '../content/quality-gate/routes.js'
import { QualityGateService } from '../content/quality-gate/service.js'
import { reportRoutes } from '../content/reports/routes.js'
import { ReportsService } from '../content/reports/service.js'
import { versionRoutes } from '../content/versions/routes.js'
import { VersionsService } from '../content/versions/service.js'
import { ProjectMeasure } from '../content/shared/measure.js'
import { projectMemberRoutes } from '../features/accounts/project-members/routes.js'
import { ProjectMembersService } from '../features/accounts/project-members/service.js'
import { Announcements } from '../content/reviews/announce.js'
import { CommentsService } from '../content/reviews/comments.js'
import { People } from '../content/reviews/people.js'
import { reviewRoutes } from '../content/reviews/routes.js'
import { ReviewsService } from '../content/reviews/service.js'
import { templateRoutes } from '../content/templates/routes.js'
import { sealedFor as sealedForWebhook } from '../features/webhooks/attempt.js'
import { clearJob } from '../features/webhooks/clear.js'
import { deliverJob } from '../features/webhooks/deliver.js'
import { dispatchJob } from '../features/webhooks/dispatch.js'
import { ReceiverHealth, WEBHOOK_HEALTH } from '../features/webhooks/health.js'
import { DeliveryHistory } from '../features/webhooks/history.js'
import { webhookRoutes } from '../features/webhooks/routes.js'
import { WebhooksService } from '../features/webhooks/service.js'
import { DELIVERIES, WEBHOOKS } from '../features/webhooks/store.js'
import { workspaceRoutes } from '../content/workspaces/routes.js'
import { WorkspacesService } from '../content/workspaces/service.js'

export interface Resources {
  readonly routes: readonly Route[]
  /** HTML pages with forms. */
  readonly pages: readonly FormPage[]
  /** For `createAuthenticate`, which must not import resources. */
  readonly findKey: (publicId: string) => Promise<FoundKey | null>
  readonly keyUsed: (key: FoundKey, hash: string | null) => void
  readonly scimTokens: IdentityResources['scimTokens']
  /** For the HTTP application, which must not import resources. */
  readonly recordVisit: Visits['record']
  /** Number of open event streams of this instance. */
  openStreams(): number
  /** Jobs for the job runner. */
  readonly jobs: readonly JobKind[]
  /** Re-encrypts stored secrets after a change of the service's secret. @returns the number of updated documents */
  reseal(signal: AbortSignal): Promise<number>
  close(): Promise<void>
}

/** All collections; the store prepares them before any resource is used. */
export const RESOURCE_COLLECTIONS: readonly CollectionDefinition[] = [
  AUDIT,
  ...IDENTITY_COLLECTIONS,
  ...PROJECT_COLLECTIONS,
  INSTANCES,
  ...AI_COLLECTIONS,
  NOTIFICATIONS,
  FEEDBACK_REPORTS,
  FEEDBACK_ATTACHMENTS,
  DELIVERIES,
  INTEGRATIONS,
  GIT_BINDINGS,
  GIT_RUNS,
  PIPELINE_RUNS,
  GIT_DELIVERIES,
  GIT_DELIVERY_BODIES,
  GIT_BASES,
  GIT_REVIEW_BASES,
  GIT_PUBLICATIONS,
  GIT_CHECKS,
  GIT_CHECK_REPORTS,
  ...BILLING_COLLECTIONS,
]

/** Every sealed text of organizations in the store. */
const SEALED_FIELDS: readonly AnySealedField[] = [
  sealedField({ collection: WEBHOOKS, field: 'secret', purpose: 'webhookSecret', place: ({ _id }) => sealedForWebhook(_id) }),
  sealedField({ collection: WEBHOOKS, field: 'previous_secret', purpose: 'webhookSecret', place: ({ _id }) => sealedForWebhook(_id) }),
  sealedField({ collection: INTEGRATIONS, field: 'credentials', purpose: 'integrationCredentials', place: sealedForIntegration }),
  ...IDENTITY_SEALED_FIELDS,
  sealedField({ collection: GIT_BINDINGS, field: 'webhook_secret', purpose: 'integrationCredentials', place: sealedForBinding }),
]

export function createResources(parts: ResourceParts): Resources {
  const { config, address, storage, identities, throttles, mail, pool, quotas, overLimit, limits, outbox, notices, jobs, http, guard, log, clock } = parts
  const { tenancy } = identities
  const identity = createIdentityResources(parts)
  const { members, invitations, keys } = identity
  const analysis = new AnalysisService({ pool, usage: quotas.usage, outbox, limits })
  const cases = new CasesService(clock)
  const caseRuns = new CaseRuns({ pool, usage: quotas.usage, outbox, clock })
  const gate = new QualityGateService(clock)
  const measure = new ProjectMeasure(pool)
  const versions = new VersionsService({ measure, gate, outbox, notices, clock })
  const projectMembers = new ProjectMembersService({ identities, members, notices })
  const workspaces = new WorkspacesService(clock)
  const people = new People(identities.users, identities.memberships)
  const reviewParts = { people, announcements: new Announcements(outbox, notices, people), clock }
  const feedback = new FeedbackService({ outbox, notices, quotas, clock })
  const webhooks = new WebhooksService({ identities, guard, outbox, quotas, jobs })
  /** Functions of the resources that depend on an integration. */
  const onDeleting: OnDeleting[] = []
  const { defaultLocale } = config
  const integrations = new IntegrationsService({ identities, guard, outbox, quotas, jobs, openers: parts.openers, onDeleting, defaultLocale })
  const gitBindings = new GitBindingsService({ identities, quotas, overLimit, integrations, jobs })
  const projects = new ProjectsService({ quotas, jobs, onDeleting: (scope, projectId) => gitBindings.deletingOf(scope, projectId), clock })
  const impacts = new ImpactService(measure, pool, overLimit)
  const publishing = { integrations, impacts, gate, pool, jobs, clock }
  const gitReading = { integrations, workspaces, pool, clock }
  const gitImports = new GitImports(gitReading)
  const pipelineRuns = new PipelineRunsService({ integrations, jobs, clock })
  onDeleting.push((scope, integrationId) => pipelineRuns.orphaning(scope, integrationId))
  const syncing = { organizations: identities.organizations, overLimit, integrations, imports: gitImports, jobs, clock }
  const checks = new GitChecksService({ jobs, clock })
  const inbound = new InboundWebhooks({
    tenancy,
    organizations: identities.organizations,
    throttles,
    secrets: identities.secrets,
    integrations,
    webhooksOf,
    readerOf: ({ organizationId }) => answerReader(pool, limits, organizationId),
    jobs,
    onReviewEvent: (scope, binding, event) => checks.onReviewEvent(scope, binding, event),
    clock,
  })
  onDeleting.push((scope, integrationId) => gitBindings.orphaning(scope, integrationId))
  const healthParts = { identities, outbox, notices, mail, defaultLocale, clock }
  const health = new ReceiverHealth(healthParts, WEBHOOK_HEALTH)
  const counts = parts.deliveryCounts === undefined ? {} : { counts: parts.deliveryCounts }
  const messaging = new Messaging({ http, address, identities, health: new ReceiverHealth(healthParts, MESSAGING_HEALTH), clock, ...counts })
  const sending = {
    http,
    keys: readingKeys(identities.secrets, 'webhookSecret'),
    clock,
    jobs,
    health,
    others: [messaging],
    ...counts,
  }
  const visits = new Visits(identities)
  const { mock } = parts.billing
  const plans = new OrganizationPlans({ identities, gateway: config.billingGateway, quotas, jobs, notices })
  const billing = createBillingResources(parts)
  const connections = new Connections({
    storage,
    perUser: config.sseConnectionsPerUser,
    onError: (error) => log.warn({ err: error }, 'connection leases of event streams could not be renewed or released'),
    clock,
  })
  const openSessions = new OpenSessions({ live: (holders) => liveHolders(identities, holders, parts.includesSso), log, clock })
  identities.watch.follow(openSessions)
  const notificationStore = new NotificationStore()
  const feed = new UnreadFeed({
    connections,
    unread: (scope, userId) => notificationStore.unread(scope, userId),
    sessions: openSessions,
    log,
    forgetting: parts.forgetting,
    ...(parts.streamsPollMs === undefined ? {} : { pollMs: parts.streamsPollMs }),
  })
  const notifications = new NotificationsService({ notifications: notificationStore, feed, clock })
  const kinds: readonly JobKind[] = [
    ...identity.jobs,
    noticeJob({ memberships: identities.memberships, jobs, notifications: notificationStore, feed, clock }),
    dispatchJob(sending),
    deliverJob(sending),
    clearJob(),
    clearingJob(),
    plans.expiryJob(),
    ...billing.jobs,
    syncJob(syncing),
    pushJob(syncing),
    recoveryJob(publishing),
    followJob({ integrations, clock }),
    checkJob({ ...publishing, address }),
    reviewEndJob(publishing),
  ]
  const ai = createAi(parts, { connections, sessions: openSessions }, () => routes)
  const routes: readonly Route[] = [
    ...healthRoutes,
    ...identity.routes,
    ...analysisRoutes(analysis),
    ...projectRoutes(projects, overLimit),
    ...caseRoutes(cases),
    ...caseRunRoutes(caseRuns, limits, clock),
    ...qualityGateRoutes(gate),
    ...versionRoutes(versions, overLimit),
    ...projectMemberRoutes(projectMembers),
    ...workspaceRoutes(workspaces),
    ...reviewRoutes(new ReviewsService(reviewParts), new CommentsService(reviewParts)),
    ...catalogRoutes(new CatalogService(pool)),
    ...overviewRoutes(new OverviewService(measure, gate, overLimit)),
    ...reportRoutes(new ReportsService({ measure, gate, overLimit, clock })),
    ...impactRoutes(impacts),
    ...dashboardRoutes(new DashboardService(quotas, clock)),
    ...templateRoutes(),
    ...notificationRoutes(notifications),
    ...auditRoutes(identities),
    ...feedbackRoutes(feedback),
    ...instanceFeedbackRoutes(new InstanceFeedback(identities, feedback)),
    ...webhookRoutes(webhooks, new DeliveryHistory({ ...sending, webhooks })),
    ...integrationRoutes(integrations, new ConnectionTests({ integrations, messaging, http, clock })),
    ...pipelineRunRoutes(pipelineRuns),
    ...gitBindingRoutes(gitBindings, address),
    ...gitRunRoutes(),
    ...gitPublishRoutes(new GitPublishService({ ...publishing, bindings: gitBindings }), new GitExportService({ integrations, pool, clock })),
    ...gitImportRoutes(gitBindings, gitImports, gitReading),
    ...gitDiscoverRoutes(gitBindings, gitReading),
    ...inboundWebhookRoutes(inbound),
    ...billing.routes,
    ...platformOrganizationRoutes(new PlatformOrganizationsService({ identities, invitations, throttles, quotas, keys, plans })),
    ...platformOverviewRoutes(new PlatformOverviewService({ identities, jobs, kinds, ...parts.figures, clock })),
    ...ai.routes,
    ...platformJobRoutes(new PlatformJobsService({ jobs, kinds, tenancy, clock })),
  ]
  return {
    routes,
    pages: [...identity.pages, ...(mock === null ? [] : mockBillingPages(mock.billing, clock))],
    findKey: (publicId) => keys.find(publicId),
    keyUsed: (key, hash) => keys.used(key, hash),
    scimTokens: identity.scimTokens,
    recordVisit: (...visit) => visits.record(...visit),
    jobs: kinds,
    openStreams: () => connections.open,
    reseal: (signal) => resealAll(identities, storage, SEALED_FIELDS, [...PLATFORM_SEALED_FIELDS, ...AI_SEALED_FIELDS], signal),
    async close() {
      await billing.close()
      await feed.close()
      await openSessions.close()
      await connections.close()
      await ai.close()
      await keys.settled()
      await identity.scimTokens.settled()
    },
  }
}
