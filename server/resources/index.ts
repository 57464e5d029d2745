/** Mounts every resource: creates its services, and lists its routes and collections. */
import type { AnalysisPool } from '#workers'
import type { FoundKey } from '../auth/authenticate.js'
import type { Identities } from '../auth/identities.js'
import { liveHolders } from '../auth/live-sessions.js'
import { type AnyPlatformSealedField, type AnySealedField, platformSealedField, resealAll, sealedField } from '../auth/reseal.js'
import { placeOf, SECOND_FACTORS } from '../auth/second-factors.js'
import { readingKeys } from '../auth/secrets.js'
import type { Throttles } from '../auth/throttles.js'
import type { Config } from '../config.js'
import type { JobQueue } from '../jobs/queue.js'
import type { JobKind } from '../jobs/runner.js'
import type { Notices } from '../events/notices.js'
import type { Outbox } from '../events/outbox.js'
import { webhooksOf } from '../gateways/git/index.js'
import type { ReadTxt } from '../gateways/dns/txt.js'
import type { HttpClient } from '../gateways/http/client.js'
import type { EgressGuard } from '../gateways/http/egress-guard.js'
import type { OidcGateway } from '../gateways/oidc/gateway.js'
import type { MailDelivery } from '../gateways/mail/delivery.js'
import type { FormPage } from '../http/pages/form-pages.js'
import type { Route } from '../http/route.js'
import type { Log } from '../observability/log.js'
import type { PublicAddress } from '../public-address.js'
import { Connections } from '../sse/connections.js'
import type { CollectionDefinition, Storage } from '../storage/contract.js'
import type { Limits } from '../limits/limits.js'
import type { Quotas } from '../tenancy/quotas.js'
import { setupPage } from './account/page.js'
import { accountNoticeJob } from './account-notices/job.js'
import { AccountNotices } from './account-notices/service.js'
import { ACCOUNT_NOTICES } from './account-notices/store.js'
import { accountRoutes } from './account/routes.js'
import { AccountService } from './account/service.js'
import { analysisRoutes } from './analysis/routes.js'
import { AnalysisService } from './analysis/service.js'
import { apiKeyRoutes } from './api-keys/routes.js'
import { ApiKeysService } from './api-keys/service.js'
import { API_KEYS, ApiKeyStore } from './api-keys/store.js'
import { auditRoutes } from './audit/routes.js'
import { Visits } from './audit/visits.js'
import { AUDIT } from './audit/store.js'
import { caseRoutes } from './cases/routes.js'
import { CaseRuns } from './cases/run.js'
import { caseRunRoutes } from './cases/run-routes.js'
import { CasesService } from './cases/service.js'
import { domainRoutes } from './domains/routes.js'
import { DomainsService } from './domains/service.js'
import { DOMAIN_PROOFS, DOMAINS } from './domains/store.js'
import { instanceFeedbackRoutes } from './feedback/instance-routes.js'
import { InstanceFeedback } from './feedback/instance-wide.js'
import { feedbackRoutes } from './feedback/routes.js'
import { FeedbackService } from './feedback/service.js'
import { FEEDBACK_ATTACHMENTS, FEEDBACK_REPORTS } from './feedback/store.js'
import { gitDiscoverRoutes } from './git-bindings/discover-routes.js'
import { GitImports } from './git-bindings/import.js'
import { InboundWebhooks } from './git-bindings/inbound.js'
import { inboundWebhookRoutes } from './git-bindings/inbound-routes.js'
import { gitImportRoutes } from './git-bindings/import-routes.js'
import { gitBindingRoutes } from './git-bindings/routes.js'
import { GitBindingsService } from './git-bindings/service.js'
import { GIT_BINDINGS, GIT_DELIVERIES, GIT_RUNS, sealedForBinding } from './git-bindings/store.js'
import { pushJob, syncJob } from './git-bindings/sync.js'
import { sealedFor as sealedForIntegration } from './integrations/credentials.js'
import { ConnectionTests } from './integrations/connection-test.js'
import { Messaging, MESSAGING_HEALTH } from './integrations/messaging.js'
import { integrationRoutes } from './integrations/routes.js'
import { type GatewayOpeners, IntegrationsService, type OnDeleting } from './integrations/service.js'
import { INTEGRATIONS } from './integrations/store.js'
import { checkJob } from './git-checks/job.js'
import { GitChecksService } from './git-checks/service.js'
import { reviewEndJob } from './git-checks/review-end.js'
import { gitRunRoutes } from './git-checks/routes.js'
import { GIT_CHECK_REPORTS, GIT_CHECKS } from './git-checks/store.js'
import { GitExportService } from './git-publish/export.js'
import { recoveryJob } from './git-publish/recovery.js'
import { gitPublishRoutes } from './git-publish/routes.js'
import { GitPublishService } from './git-publish/service.js'
import { GIT_PUBLICATIONS } from './git-publish/store.js'
import { GIT_BASES, GIT_REVIEW_BASES } from '../projects/git-base.js'
import { catalogRoutes } from './catalog/routes.js'
import { CatalogService } from './catalog/service.js'
import { credentialRoutes } from './credentials/routes.js'
import { CredentialsService } from './credentials/service.js'
import { dashboardRoutes } from './dashboard/routes.js'
import { DashboardService } from './dashboard/service.js'
import { healthRoutes } from './health/routes.js'
import { sealedFor as sealedForProvider } from './identity-providers/connection.js'
import { identityProviderRoutes } from './identity-providers/routes.js'
import { IdentityProvidersService } from './identity-providers/service.js'
import { IDENTITY_PROVIDER_DOMAINS, IDENTITY_PROVIDERS } from './identity-providers/store.js'
import { identityPolicyRoutes } from './identity-policy/routes.js'
import { IdentityPolicyService } from './identity-policy/service.js'
import { impactRoutes } from './impact/routes.js'
import { ImpactService } from './impact/service.js'
import { invitationPage } from './invitations/page.js'
import { invitationRoutes } from './invitations/routes.js'
import { InvitationsService } from './invitations/service.js'
import { INVITATIONS, InvitationStore } from './invitations/store.js'
import { memberRoutes } from './members/routes.js'
import { MembersService } from './members/service.js'
import { noticeJob } from './notifications/fan-out.js'
import { UnreadFeed } from './notifications/feed.js'
import { notificationRoutes } from './notifications/routes.js'
import { NotificationsService } from './notifications/service.js'
import { NOTIFICATIONS, NotificationStore } from './notifications/store.js'
import { overviewRoutes } from './overview/routes.js'
import { OverviewService } from './overview/service.js'
import { resetPage } from './password-reset/page.js'
import { passwordResetRoutes } from './password-reset/routes.js'
import { PasswordResetService } from './password-reset/service.js'
import { PASSWORD_RESETS, PasswordResetStore } from './password-reset/store.js'
import { platformJobRoutes } from './platform-jobs/routes.js'
import { PlatformJobsService } from './platform-jobs/service.js'
import { platformOrganizationRoutes } from './platform-organizations/routes.js'
import { OrganizationPlans } from './platform-organizations/plans.js'
import { PlatformOrganizationsService } from './platform-organizations/service.js'
import { platformUserRoutes } from './platform-users/routes.js'
import { PlatformUsersService } from './platform-users/service.js'
import { INSTANCES } from './platform-overview/instances.js'
import { platformOverviewRoutes } from './platform-overview/routes.js'
import { type PlatformOverviewParts, PlatformOverviewService } from './platform-overview/service.js'
import { followJob } from './pipeline-runs/follow.js'
import { pipelineRunRoutes } from './pipeline-runs/routes.js'
import { PipelineRunsService } from './pipeline-runs/service.js'
import { PIPELINE_RUNS } from './pipeline-runs/store.js'
import { PROJECT_COLLECTIONS } from '../projects/collections.js'
import { projectRoutes } from './projects/routes.js'
import { ProjectsService } from './projects/service.js'
import { qualityGateRoutes } from './quality-gate/routes.js'
import { QualityGateService } from './quality-gate/service.js'
import { reportRoutes } from './reports/routes.js'
import { ReportsService } from './reports/service.js'
import { versionRoutes } from './versions/routes.js'
import { VersionsService } from './versions/service.js'
import { ProjectMeasure } from '../projects/measure.js'
import { projectMemberRoutes } from './project-members/routes.js'
import { ProjectMembersService } from './project-members/service.js'
import { Announcements } from './reviews/announce.js'
import { CommentsService } from './reviews/comments.js'
import { People } from './reviews/people.js'
import { reviewRoutes } from './reviews/routes.js'
import { ReviewsService } from './reviews/service.js'
import { samlRoutes } from './saml/routes.js'
import { scimDiscoveryRoutes } from './scim/discovery-routes.js'
import { scimGroupRoutes } from './scim/group-routes.js'
import { exceptProvisioned, GroupRoles, SCIM_ROLE_NOTES } from './scim/group-roles.js'
import { SCIM_GROUP_MEMBERS, SCIM_GROUPS, SCIM_STATES } from './scim/group-store.js'
import { ScimGroups } from './scim/groups.js'
import { SCIM_PATH } from './scim/http.js'
import { MembersSync } from './scim/members-sync.js'
import { scimSearchRoutes } from './scim/search-routes.js'
import { scimUserRoutes } from './scim/user-routes.js'
import { SCIM_USERS } from './scim/user-store.js'
import { ScimUsers } from './scim/users.js'
import { scimTokenRoutes } from './scim-tokens/routes.js'
import { ScimTokensService } from './scim-tokens/service.js'
import { SCIM_TOKENS, ScimTokenStore } from './scim-tokens/store.js'
import { ssoRoutes } from './sso/routes.js'
import { SsoService } from './sso/service.js'
import { SSO_STATES, SsoStates } from './sso/states.js'
import { LINKED_IDENTITIES } from './sso/store.js'
import { sessionRoutes } from './sessions/routes.js'
import { SessionsService } from './sessions/service.js'
import { discoveryRoutes } from './sso/discovery-routes.js'
import { templateRoutes } from './templates/routes.js'
import { type DeliveryCounts, sealedFor as sealedForWebhook } from './webhooks/attempt.js'
import { clearJob } from './webhooks/clear.js'
import { deliverJob } from './webhooks/deliver.js'
import { dispatchJob } from './webhooks/dispatch.js'
import { ReceiverHealth, WEBHOOK_HEALTH } from './webhooks/health.js'
import { DeliveryHistory } from './webhooks/history.js'
import { webhookRoutes } from './webhooks/routes.js'
import { WebhooksService } from './webhooks/service.js'
import { DELIVERIES, WEBHOOKS } from './webhooks/store.js'
import { workspaceRoutes } from './workspaces/routes.js'
import { WorkspacesService } from './workspaces/service.js'

/** Dependencies of the resources. */
export interface ResourceParts {
  readonly config: Config
  readonly address: PublicAddress
  readonly storage: Storage
  readonly identities: Identities
  readonly throttles: Throttles
  readonly mail: MailDelivery
  readonly pool: AnalysisPool
  readonly quotas: Quotas
  readonly limits: Limits
  readonly outbox: Outbox
  readonly notices: Notices
  readonly jobs: JobQueue
  /** HTTP client for servers that tenants name. */
  readonly http: HttpClient
  /** Checks the address of such a server before it is stored. */
  readonly guard: EgressGuard
  /** Creates gateways of forges and CI systems. */
  readonly openers: GatewayOpeners
  readonly readTxt: ReadTxt
  readonly oidc: OidcGateway
  readonly log: Log
  readonly clock: () => number
  /** Figures of the instances, for operators. */
  readonly figures: Pick<PlatformOverviewParts, 'daily' | 'instances' | 'store' | 'status'>
  /** Counts deliveries, for metrics. */
  readonly deliveryCounts?: DeliveryCounts
  /** Interval at which streams poll for changes by other instances. Default: CONTRACT.md#notifications. */
  readonly streamsPollMs?: number
}

export interface Resources {
  readonly routes: readonly Route[]
  /** HTML pages with forms. */
  readonly pages: readonly FormPage[]
  /** For `createAuthenticate`, which must not import resources. */
  readonly findKey: (publicId: string) => Promise<FoundKey | null>
  readonly keyUsed: (key: FoundKey, hash: string | null) => void
  readonly scimTokens: ScimTokenStore
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
  ACCOUNT_NOTICES,
  API_KEYS,
  SCIM_TOKENS,
  SCIM_USERS,
  SCIM_GROUPS,
  SCIM_GROUP_MEMBERS,
  SCIM_STATES,
  SCIM_ROLE_NOTES,
  DOMAINS,
  DOMAIN_PROOFS,
  SSO_STATES,
  LINKED_IDENTITIES,
  IDENTITY_PROVIDERS,
  IDENTITY_PROVIDER_DOMAINS,
  INVITATIONS,
  PASSWORD_RESETS,
  ...PROJECT_COLLECTIONS,
  INSTANCES,
  NOTIFICATIONS,
  FEEDBACK_REPORTS,
  FEEDBACK_ATTACHMENTS,
  DELIVERIES,
  INTEGRATIONS,
  GIT_BINDINGS,
  GIT_RUNS,
  PIPELINE_RUNS,
  GIT_DELIVERIES,
  GIT_BASES,
  GIT_REVIEW_BASES,
  GIT_PUBLICATIONS,
  GIT_CHECKS,
  GIT_CHECK_REPORTS,
]

/** Every sealed text of organizations in the store. */
const SEALED_FIELDS: readonly AnySealedField[] = [
  sealedField({ collection: WEBHOOKS, field: 'secret', purpose: 'webhookSecret', place: ({ _id }) => sealedForWebhook(_id) }),
  sealedField({ collection: WEBHOOKS, field: 'previous_secret', purpose: 'webhookSecret', place: ({ _id }) => sealedForWebhook(_id) }),
  sealedField({ collection: INTEGRATIONS, field: 'credentials', purpose: 'integrationCredentials', place: sealedForIntegration }),
  sealedField({ collection: IDENTITY_PROVIDERS, field: 'client_secret', purpose: 'identityProvider', place: sealedForProvider }),
  sealedField({ collection: GIT_BINDINGS, field: 'webhook_secret', purpose: 'integrationCredentials', place: sealedForBinding }),
]

/** Every sealed text in collections of the instance. */
const PLATFORM_SEALED_FIELDS: readonly AnyPlatformSealedField[] = [
  platformSealedField({ collection: SECOND_FACTORS, field: 'secret', purpose: 'secondFactor', place: ({ _id }) => placeOf(_id) }),
]

export function createResources(parts: ResourceParts): Resources {
  const { config, address, storage, identities, throttles, mail, pool, quotas, limits, outbox, notices, jobs, http, guard, log, clock } = parts
  const { tenancy } = identities
  const accountNotices = new AccountNotices({ storage, identities, jobs, notices })
  const account = new AccountService({ identities, throttles, notices: accountNotices, config, loginUrlOf: (organizationId) => sso.loginUrlOf(organizationId) })
  const resets = new PasswordResetStore(storage)
  const credentials = new CredentialsService({ identities, accounts: account, throttles, notices: accountNotices, discardResets: (userId) => resets.discardingAllOf(userId) })
  const passwordReset = new PasswordResetService({ identities, resets, throttles, notices: accountNotices, mail, config, address })
  const invitations = new InvitationsService({ identities, invitations: new InvitationStore(tenancy), accounts: account, quotas, throttles, mail, config, address })
  const keys = new ApiKeysService({
    identities,
    keys: new ApiKeyStore(tenancy),
    outbox,
    notices,
    quotas,
    onError: (error) => log.warn({ err: error }, 'the last use of an API key could not be stored'),
  })
  const scimTokens = new ScimTokenStore({
    tenancy,
    clock,
    onError: (error) => log.warn({ err: error }, 'the last use of a token for provisioning could not be stored'),
  })
  const provisioning = new ScimTokensService({ identities, tokens: scimTokens, keys, quotas })
  const domains = new DomainsService({ identities, quotas, throttles, readTxt: parts.readTxt })
  const identityProviders = new IdentityProvidersService({
    identities,
    domains,
    guard,
    quotas,
    address,
    allowPrivateTargets: config.allowPrivateTargets,
    unlinking: (scope, providerId) => sso.unlinking(scope, providerId),
  })
  const membersSync = new MembersSync(identities)
  const members = new MembersService({ identities, throttles, quotas, keys, domains, onRemoving: (...removal) => membersSync.removing(...removal) })
  const scimUsers = new ScimUsers({
    identities,
    members,
    sync: membersSync,
    domains,
    tokens: provisioning,
    throttles,
    groups: {
      groupsOf: (scope, userIds) => scimGroups.groupsOf(scope, userIds),
      forgetting: (scope, userId, now) => scimGroups.forgetting(scope, userId, now),
      renaming: (scope, userId, display) => scimGroups.renaming(scope, userId, display),
      admitting: (scope, userId, now) => groupRoles.admitting(scope, userId, now),
      admitted: (scope, userId, actor) => groupRoles.changed(scope, [userId], actor),
    },
    discardResets: (userId) => resets.discardingAllOf(userId),
    base: () => `${address.api}${SCIM_PATH}`,
  })
  const groupRoles = new GroupRoles({
    members,
    jobs,
    identities,
    namesOf: (scope, userIds) => scimGroups.namesOf(scope, userIds),
    membersOf: (scope) => scimGroups.everyMembership(scope),
    hasGroups: (scope) => scimGroups.hasAny(scope),
    roleOf: (scope, tokenId) => provisioning.defaultRole(scope, tokenId),
  })
  const scimGroups: ScimGroups = new ScimGroups({
    users: { displaysOf: (scope, userIds) => scimUsers.displaysOf(scope, userIds) },
    roles: groupRoles,
    quotas,
    identities,
    base: () => `${address.api}${SCIM_PATH}`,
  })
  const sso: SsoService = new SsoService({
    identities,
    members: exceptProvisioned(members, (scope, userId) => scimGroups.decideFor(scope, userId)),
    domains,
    providers: identityProviders,
    gateway: parts.oidc,
    states: new SsoStates(storage, identities.secrets, config.ssoStateTtlSeconds, clock),
    throttles,
    quotas,
    address,
    log,
  })
  const analysis = new AnalysisService({ pool, usage: quotas.usage, outbox, limits })
  const projects = new ProjectsService(clock, quotas)
  const cases = new CasesService(clock)
  const caseRuns = new CaseRuns({ pool, usage: quotas.usage, outbox, clock })
  const gate = new QualityGateService(clock)
  const measure = new ProjectMeasure(pool)
  const versions = new VersionsService({ measure, gate, outbox, notices, clock })
  const projectMembers = new ProjectMembersService({ identities, members, notices })
  const workspaces = new WorkspacesService(clock)
  const reviewParts = { people: new People(identities.users, identities.memberships), announcements: new Announcements(outbox, notices), clock }
  const feedback = new FeedbackService({ outbox, notices, quotas, clock })
  const webhooks = new WebhooksService({ identities, guard, outbox, quotas, jobs })
  /** Functions of the resources that depend on an integration. */
  const onDeleting: OnDeleting[] = []
  const integrations = new IntegrationsService({ identities, guard, outbox, quotas, jobs, openers: parts.openers, onDeleting })
  const gitBindings = new GitBindingsService({ identities, quotas, integrations, jobs })
  const impacts = new ImpactService(measure, pool)
  const publishing = { integrations, impacts, gate, pool, jobs, clock }
  const gitReading = { integrations, workspaces, pool, clock }
  const gitImports = new GitImports(gitReading)
  const pipelineRuns = new PipelineRunsService({ integrations, jobs, clock })
  onDeleting.push((scope, integrationId) => pipelineRuns.orphaning(scope, integrationId))
  const syncing = { organizations: identities.organizations, integrations, imports: gitImports, jobs, clock }
  const checks = new GitChecksService({ jobs, clock })
  const inbound = new InboundWebhooks({
    tenancy,
    organizations: identities.organizations,
    throttles,
    secrets: identities.secrets,
    integrations,
    webhooksOf,
    jobs,
    onReviewEvent: (scope, binding, event) => checks.onReviewEvent(scope, binding, event),
    clock,
  })
  onDeleting.push((scope, integrationId) => gitBindings.orphaning(scope, integrationId))
  const healthParts = { identities, outbox, notices, mail, clock }
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
  const plans = new OrganizationPlans({ identities, gateway: config.billingGateway, quotas, jobs })
  const connections = new Connections({
    storage,
    perUser: config.sseConnectionsPerUser,
    onError: (error) => log.warn({ err: error }, 'connection leases of event streams could not be renewed or released'),
    clock,
  })
  const notificationStore = new NotificationStore()
  const next = { address, hasPublicDocument: config.docsExposure === 'public' }
  const feed = new UnreadFeed({
    connections,
    unread: (scope, userId) => notificationStore.unread(scope, userId),
    live: (holders) => liveHolders(identities, holders),
    log,
    ...(parts.streamsPollMs === undefined ? {} : { pollMs: parts.streamsPollMs }),
  })
  const notifications = new NotificationsService({ notifications: notificationStore, feed, clock })
  const kinds: readonly JobKind[] = [
    accountNoticeJob({ storage, users: identities.users, mail, jobs, address }),
    noticeJob({ memberships: identities.memberships, jobs, notifications: notificationStore, feed, clock }),
    groupRoles.job(),
    dispatchJob(sending),
    deliverJob(sending),
    clearJob(),
    plans.expiryJob(),
    syncJob(syncing),
    pushJob(syncing),
    recoveryJob(publishing),
    followJob({ integrations, clock }),
    checkJob({ ...publishing, address }),
    reviewEndJob(publishing),
  ]
  return {
    routes: [
      ...healthRoutes,
      ...accountRoutes(account, address),
      ...credentialRoutes(credentials),
      ...sessionRoutes(new SessionsService(identities)),
      ...passwordResetRoutes(passwordReset),
      ...memberRoutes(members),
      ...invitationRoutes(invitations, account.sessionTtlSeconds),
      ...apiKeyRoutes(keys),
      ...identityPolicyRoutes(new IdentityPolicyService({ identities, providers: identityProviders, onMappings: (scope) => groupRoles.markingAll(scope) })),
      ...identityProviderRoutes(identityProviders, { domains, oidc: parts.oidc, throttles }),
      ...ssoRoutes(sso),
      ...samlRoutes(address),
      ...discoveryRoutes({ providers: identityProviders, throttles, address }),
      ...domainRoutes(domains),
      ...analysisRoutes(analysis),
      ...projectRoutes(projects),
      ...caseRoutes(cases),
      ...caseRunRoutes(caseRuns, limits, clock),
      ...qualityGateRoutes(gate),
      ...versionRoutes(versions),
      ...projectMemberRoutes(projectMembers),
      ...workspaceRoutes(workspaces),
      ...reviewRoutes(new ReviewsService(reviewParts), new CommentsService(reviewParts)),
      ...catalogRoutes(new CatalogService(pool)),
      ...overviewRoutes(new OverviewService(measure, gate)),
      ...reportRoutes(new ReportsService({ measure, gate, clock })),
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
      ...platformUserRoutes(new PlatformUsersService(identities, accountNotices)),
      ...platformOrganizationRoutes(new PlatformOrganizationsService({ identities, invitations, throttles, quotas, keys, plans })),
      ...platformOverviewRoutes(new PlatformOverviewService({ identities, jobs, kinds, ...parts.figures, clock })),
      ...platformJobRoutes(new PlatformJobsService({ jobs, kinds, tenancy, clock })),
      ...scimTokenRoutes(provisioning, address, SCIM_PATH),
      ...scimDiscoveryRoutes(address),
      ...scimUserRoutes(scimUsers),
      ...scimGroupRoutes(scimGroups),
      ...scimSearchRoutes([(...search) => scimUsers.candidates(...search), (...search) => scimGroups.candidates(...search)]),
    ],
    pages: [setupPage(account, next), resetPage(passwordReset, next), invitationPage(invitations, next)],
    findKey: (publicId) => keys.find(publicId),
    keyUsed: (key, hash) => keys.used(key, hash),
    scimTokens,
    recordVisit: (...visit) => visits.record(...visit),
    jobs: kinds,
    openStreams: () => connections.open,
    reseal: (signal) => resealAll(identities, storage, SEALED_FIELDS, PLATFORM_SEALED_FIELDS, signal),
    async close() {
      await feed.close()
      await connections.close()
      await keys.settled()
      await scimTokens.settled()
    },
  }
}
