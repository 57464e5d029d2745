/** Creates the parts of the service that wings share, by hand, from the lowest to the highest. Where a lower part needs a higher one, this file passes in a function. */
import { type AnalysisPool, ENGINE_VERSION } from '#workers'
import { contentStatus } from './analysis/disk-content.js'
import type { ContentWatch } from './analysis/watch.js'
import { countActive } from './content/projects/service.js'
import { NOT_ARCHIVED, PROJECTS } from './content/shared/project.js'
import { createIdentities } from './core/auth/identities.js'
import { liveHolders } from './core/auth/live-sessions.js'
import { OpenSessions } from './core/auth/open-sessions.js'
import type { Hasher } from './core/auth/password.js'
import type { IncludesSso } from './core/auth/session-reach.js'
import type { Secrets } from './core/auth/secrets.js'
import { Throttles } from './core/auth/throttles.js'
import type { Config } from './core/config.js'
import { HttpClient } from './core/egress/client.js'
import { EgressGuard } from './core/egress/egress-guard.js'
import type { Resolve } from './core/egress/resolve.js'
import { Notices } from './core/events/notices.js'
import { Outbox, SUBSCRIPTIONS } from './core/events/outbox.js'
import { addressKey } from './core/http/connection/forwarded.js'
import { JobQueue } from './core/jobs/queue.js'
import { Limits } from './core/limits/limits.js'
import { limitTable } from './core/limits/table.js'
import { MailDelivery } from './core/mail/delivery.js'
import type { MailGateway } from './core/mail/gateway.js'
import { openMail } from './core/mail/open.js'
import type { Health } from './core/observability/health.js'
import type { Log } from './core/observability/log.js'
import { Metrics } from './core/observability/metrics.js'
import { StoreStatusCache } from './core/observability/store-status.js'
import { PublicAddress } from './core/public-address.js'
import { Connections } from './core/sse/connections.js'
import type { Storage } from './core/storage/contract.js'
import { MIGRATIONS } from './core/storage/migrations/index.js'
import { Throttle } from './core/tenancy/counters.js'
import { DailyCounts } from './core/tenancy/daily-counts.js'
import { Forgetting } from './core/tenancy/forgetting.js'
import { OverLimit } from './core/tenancy/over-limit.js'
import { Quotas } from './core/tenancy/quotas.js'
import { readVersion } from './core/version.js'
import type { Context, OpenWing, Provided, Wing } from './core/wing.js'
import { WEBHOOKS } from './features/webhooks/index.js'

export interface ContextOptions {
  readonly config: Config
  readonly log: Log
  readonly clock: () => number
  readonly pool: AnalysisPool
  readonly secrets: Secrets
  readonly storage: Storage
  /** Null: the pool is a test's, with content of its own. */
  readonly watch: ContentWatch | null
  readonly mail: MailGateway | undefined
  readonly hasher: Hasher | undefined
  readonly resolve: Resolve | undefined
  readonly provided: Provided
  readonly wings: readonly Wing[]
  readonly streamsPollMs: number | undefined
  /** What is known only when the service is complete. */
  readonly later: {
    health(): ReturnType<Health['check']>
    wings(): readonly OpenWing[]
    peers(): number
  }
}

/** The shared parts, the metrics, and the steps that close them. */
export interface CreatedContext {
  readonly parts: Omit<Context, 'get' | 'opened'>
  readonly metrics: Metrics
  readonly undo: readonly (() => Promise<unknown>)[]
}

export async function createContext({
  config,
  log,
  clock,
  pool,
  secrets,
  storage,
  watch,
  mail: gateway,
  hasher,
  resolve,
  provided,
  wings,
  streamsPollMs,
  later,
}: ContextOptions): Promise<CreatedContext> {
  const jobs = new JobQueue(storage, clock)
  const backlogs = () => Promise.all(later.wings().flatMap(({ jobs: kinds = [] }) => kinds.map(({ kind }) => jobs.backlog(kind))))
  const readings = new StoreStatusCache({ health: () => later.health(), backlogs })
  const limits = new Limits(limitTable(config))
  const metrics: Metrics = new Metrics({
    pool: () => pool.metrics(),
    limits: () => limits.readings(),
    ...(watch === null ? {} : { content: () => contentStatus(watch, pool) }),
    build: { version: readVersion(), engineVersion: ENGINE_VERSION },
    store: { kind: storage.kind, version: storage.version, migration: MIGRATIONS.length, read: () => readings.read() },
    streams: () => connections.open,
    peers: () => later.peers(),
    mailWaiting: () => mail.waiting,
    logCounts: log.counts,
    clock,
  })
  const mail = new MailDelivery(gateway ?? (await openMail(config, log)), log, { onOutcome: (outcome) => metrics.mailEnded(outcome) })
  const forgetting = new Forgetting()
  const identities = createIdentities({ storage, secrets, config, limits, clock, forgetting, ...(hasher === undefined ? {} : { hasher }) })
  const notices = new Notices(jobs, clock)
  const daily = new DailyCounts({ storage, onError: (error) => log.error({ err: error }, 'daily counts could not be written; will retry'), clock })
  const quotas = new Quotas({
    storage,
    gateway: config.billingGateway,
    counts: {
      projects: countActive,
      webhooks: (scope) => scope.collection(SUBSCRIPTIONS).count({}),
      members: ({ organizationId }) => identities.memberships.count(organizationId),
    },
    warningWrites: async (scope, params) => notices.notifying(scope, { kind: 'api.quota.warning', params, recipients: { role: 'org_admin' } }),
    daily,
    onPlanChanged: (organizationId) => overLimit.forget(organizationId),
    forgetting,
    onError: (error) => log.error({ err: error }, 'usage could not be written; will retry'),
    clock,
  })
  const includesSso: IncludesSso = (organizationId) => quotas.includes(identities.tenancy.of(organizationId), 'sso')
  const overLimit = new OverLimit({
    planOf: (scope) => quotas.planOf(scope),
    memberships: identities.memberships,
    collections: { projects: PROJECTS, webhooks: WEBHOOKS },
    counted: { projects: NOT_ARCHIVED, webhooks: {} },
  })
  const guard = new EgressGuard({ allowPrivateTargets: config.allowPrivateTargets, ...(resolve === undefined ? {} : { resolve }) })
  const http = new HttpClient(guard)
  const connections = new Connections({
    storage,
    perUser: config.sseConnectionsPerUser,
    onError: (error) => log.warn({ err: error }, 'connection leases of event streams could not be renewed or released'),
    clock,
  })
  const openSessions = new OpenSessions({ live: (holders) => liveHolders(identities, holders, includesSso), log, clock })
  identities.watch.follow(openSessions)
  identities.watch.start()
  return {
    metrics,
    undo: [
      () => mail.close(),
      async () => identities.watch.stop(),
      () => daily.flush(),
      () => quotas.close(),
      async () => http.close(),
      () => connections.close(),
      () => openSessions.close(),
    ],
    parts: {
      config,
      address: new PublicAddress(config),
      storage,
      identities,
      throttles: new Throttles(new Throttle(storage, clock), { addressKey, clock, assistantPerMinute: config.aiRateLimitPerMinute }),
      mail,
      pool,
      quotas,
      includesSso,
      limits,
      outbox: new Outbox(
        jobs,
        clock,
        wings.flatMap(({ selects = [] }) => selects),
        forgetting,
      ),
      notices,
      jobs,
      http,
      guard,
      overLimit,
      forgetting,
      connections,
      openSessions,
      daily,
      storeStatus: () => readings.read(),
      deliveryCounts: {
        attempted: metrics.deliveries.attempted,
        ended(status) {
          metrics.deliveries.ended(status)
          if (status === 'delivered' || status === 'failed') daily.add(`deliveries_${status}`, 1)
        },
      },
      streamsPollMs,
      provided,
      log,
      clock,
    },
  }
}
