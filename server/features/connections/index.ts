/** Connections to forges, CI systems and chats: integrations, Git bindings, imports, publications, checks of pull requests, and pipeline runs. */
import { sealedField } from '../../core/auth/reseal.js'
import { answerReader } from '../../core/egress/reader.js'
import type { OpenWing, Wing } from '../../core/wing.js'
import { content } from '../../content/index.js'
import { webhooks } from '../webhooks/index.js'
import { webhooksOf } from './gateways/git/index.js'
import { gitDiscoverRoutes } from './git-bindings/discover-routes.js'
import { gitImportRoutes } from './git-bindings/import-routes.js'
import { GitImports } from './git-bindings/import.js'
import { inboundWebhookRoutes } from './git-bindings/inbound-routes.js'
import { InboundWebhooks } from './git-bindings/inbound.js'
import { gitBindingRoutes } from './git-bindings/routes.js'
import { GitBindingsService } from './git-bindings/service.js'
import { GIT_BINDINGS, GIT_DELIVERIES, GIT_DELIVERY_BODIES, GIT_RUNS, sealedForBinding } from './git-bindings/store.js'
import { pushJob, syncJob } from './git-bindings/sync.js'
import { checkJob } from './git-checks/job.js'
import { reviewEndJob } from './git-checks/review-end.js'
import { gitRunRoutes } from './git-checks/routes.js'
import { GitChecksService } from './git-checks/service.js'
import { GIT_CHECK_REPORTS, GIT_CHECKS } from './git-checks/store.js'
import { GitExportService } from './git-publish/export.js'
import { recoveryJob } from './git-publish/recovery.js'
import { gitPublishRoutes } from './git-publish/routes.js'
import { GitPublishService } from './git-publish/service.js'
import { GIT_PUBLICATIONS } from './git-publish/store.js'
import { ConnectionTests } from './integrations/connection-test.js'
import { sealedFor } from './integrations/credentials.js'
import { Messaging, MESSAGING_HEALTH, selectedByMessaging } from './integrations/messaging.js'
import { gatewayOpeners } from './integrations/openers.js'
import { integrationRoutes } from './integrations/routes.js'
import { type GatewayOpeners, IntegrationsService, type OnDeleting } from './integrations/service.js'
import { INTEGRATIONS } from './integrations/store.js'
import { followJob } from './pipeline-runs/follow.js'
import { pipelineRunRoutes } from './pipeline-runs/routes.js'
import { PipelineRunsService } from './pipeline-runs/service.js'
import { PIPELINE_RUNS } from './pipeline-runs/store.js'

declare module '../../core/wing.js' {
  interface Provided {
    readonly openers?: GatewayOpeners
  }
}

export const connections: Wing = {
  collections: [INTEGRATIONS, GIT_BINDINGS, GIT_RUNS, PIPELINE_RUNS, GIT_DELIVERIES, GIT_DELIVERY_BODIES, GIT_PUBLICATIONS, GIT_CHECKS, GIT_CHECK_REPORTS],
  sealed: [
    sealedField({ collection: INTEGRATIONS, field: 'credentials', purpose: 'integrationCredentials', place: sealedFor }),
    sealedField({ collection: GIT_BINDINGS, field: 'webhook_secret', purpose: 'integrationCredentials', place: sealedForBinding }),
  ],
  selects: selectedByMessaging,
  open(context): OpenWing {
    const { config, address, identities, throttles, pool, quotas, overLimit, limits, outbox, jobs, http, guard, deliveryCounts, provided, clock } = context
    const { workspaces, gate, impacts, onDecidingReview, onDeletingProject } = context.get(content)
    const { receivers, healthOf } = context.get(webhooks)
    const { tenancy, organizations } = identities
    /** Functions of the parts that depend on an integration. */
    const onDeleting: OnDeleting[] = []
    const openers = provided.openers ?? gatewayOpeners({ http, clock, pool, limits })
    const integrations = new IntegrationsService({ identities, guard, outbox, quotas, jobs, openers, onDeleting, defaultLocale: config.defaultLocale })
    const bindings = new GitBindingsService({ identities, quotas, overLimit, integrations, jobs })
    const reading = { integrations, workspaces, pool, clock }
    const imports = new GitImports(reading)
    const publishing = { integrations, impacts, gate, pool, jobs, clock }
    const syncing = { organizations, overLimit, integrations, imports, jobs, clock }
    const pipelineRuns = new PipelineRunsService({ integrations, jobs, clock })
    const checks = new GitChecksService({ jobs, clock })
    const inbound = new InboundWebhooks({
      tenancy,
      organizations,
      throttles,
      secrets: identities.secrets,
      integrations,
      webhooksOf,
      readerOf: ({ organizationId }) => answerReader(pool, limits, organizationId),
      jobs,
      onReviewEvent: (scope, binding, event) => checks.onReviewEvent(scope, binding, event),
      clock,
    })
    const messaging = new Messaging({ http, address, identities, health: healthOf(MESSAGING_HEALTH), clock, counts: deliveryCounts })
    onDeleting.push(
      (scope, integrationId) => pipelineRuns.orphaning(scope, integrationId),
      (scope, integrationId) => bindings.orphaning(scope, integrationId),
    )
    onDecidingReview.push((scope, decision) => checks.repeating(scope, decision))
    onDeletingProject.push((scope, projectId) => bindings.deletingOf(scope, projectId))
    overLimit.projectOfBinding = async (scope, _id) => (await scope.collection(GIT_BINDINGS).findOne({ _id }))?.project_id ?? null
    receivers.push(messaging)
    return {
      routes: [
        ...integrationRoutes(integrations, new ConnectionTests({ integrations, messaging, http, clock })),
        ...pipelineRunRoutes(pipelineRuns),
        ...gitBindingRoutes(bindings, address),
        ...gitRunRoutes(),
        ...gitPublishRoutes(new GitPublishService({ ...publishing, bindings }), new GitExportService({ integrations, pool, clock })),
        ...gitImportRoutes(bindings, imports, reading),
        ...gitDiscoverRoutes(bindings, reading),
        ...inboundWebhookRoutes(inbound),
      ],
      jobs: [syncJob(syncing), pushJob(syncing), recoveryJob(publishing), followJob({ integrations, clock }), checkJob({ ...publishing, address }), reviewEndJob(publishing)],
    }
  },
}
