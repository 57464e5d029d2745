/**
 * The composition root. It creates the parts of the service by hand, from the lowest to the highest: store, identities, pool, resources, HTTP. Where a lower
 * part needs a higher one, this file passes in a function.
 */
import { mkdir } from 'node:fs/promises'
import { type AnalysisPool, ENGINE_VERSION } from '#workers'
import type { IncludesSso } from './core/auth/session-reach.js'
import { createAuthenticate } from './core/auth/authenticate.js'
import { createIdentities, type Identities } from './core/auth/identities.js'
import { ARGON2, type Hasher } from './core/auth/password.js'
import { requireSameSecret } from './core/auth/secret-fingerprint.js'
import { loadSecrets, readingKeys, type Secrets } from './core/auth/secrets.js'
import { Throttles } from './core/auth/throttles.js'
import type { Config } from './core/config.js'
import { contentStatus, loadContent } from './analysis/disk-content.js'
import { Notices } from './core/events/notices.js'
import { Outbox, SUBSCRIPTIONS } from './core/events/outbox.js'
import { type OpenBilling, openBilling } from './features/billing/gateways/index.js'
import type { BillingGateway } from './features/billing/gateways/gateway.js'
import { HttpClient } from './core/egress/client.js'
import { answerReader } from './core/egress/reader.js'
import { networkTxt, type ReadTxt } from './features/accounts/dns/txt.js'
import { EgressGuard } from './core/egress/egress-guard.js'
import type { Resolve } from './core/egress/resolve.js'
import { OidcClient } from './features/sso/oidc/client.js'
import type { OidcGateway } from './features/sso/oidc/gateway.js'
import { MailDelivery } from './core/mail/delivery.js'
import type { MailGateway } from './core/mail/gateway.js'
import { createOutboxFiles } from './core/mail/outbox-files.js'
import { createApplication } from './core/http/application.js'
import { addressKey } from './core/http/connection/forwarded.js'
import type { Route } from './core/http/route.js'
import { listen } from './core/http/listen.js'
import { close, createHttpServer } from './core/http/server.js'
import { JobQueue } from './core/jobs/queue.js'
import { JobRunner } from './core/jobs/runner.js'
import { Limits } from './core/limits/limits.js'
import { limitTable } from './core/limits/table.js'
import { Health } from './core/observability/health.js'
import type { Log } from './core/observability/log.js'
import { Metrics } from './core/observability/metrics.js'
import { StoreStatusCache } from './core/observability/store-status.js'
import { pages } from './docs/pages.js'
import { TAGS } from './docs/tags.js'
import { WEBHOOKS } from './features/webhooks/store.js'
import { projectPermissions } from './content/shared/project-roles.js'
import { GIT_BINDINGS } from './features/connections/git-bindings/store.js'
import { selectedByMessaging } from './features/connections/integrations/messaging.js'
import { gatewayOpeners } from './features/connections/integrations/openers.js'
import type { GatewayOpeners } from './features/connections/integrations/service.js'
import { Instances } from './features/platform/platform-overview/instances.js'
import { Forgetting } from './core/tenancy/forgetting.js'
import type { Member } from './cluster/membership.js'
import { openCluster } from './cluster/cluster.js'
import { SharedMetrics } from './cluster/metrics.js'
import { createResources } from './resources/index.js'
import { PublicAddress } from './core/public-address.js'
import { SETUP_PATH } from './features/accounts/account/page.js'
import { NOT_ARCHIVED, PROJECTS } from './content/shared/project.js'
import { countActive } from './content/projects/service.js'
import { requireWhole } from './core/storage/backup.js'
import type { Storage } from './core/storage/contract.js'
import { MIGRATIONS, migrate } from './core/storage/migrations/index.js'
import { openStorage, prepareCollections } from './core/store.js'
import { DailyCounts } from './core/tenancy/daily-counts.js'
import { Throttle } from './core/tenancy/counters.js'
import { OverLimit } from './core/tenancy/over-limit.js'
import { Quotas } from './core/tenancy/quotas.js'
import { startPool } from './cluster/start-pool.js'
import { readVersion } from './core/version.js'

export interface ServiceOptions {
  readonly log: Log
  /** Default: the store that the settings name. Only that one is closed with the service. */
  readonly storage?: Storage
  /** For tests. Default: a pool of the size in the settings, which is closed with the service. */
  readonly pool?: AnalysisPool
  /** That pool, if it is starting already. */
  readonly startingPool?: AnalysisPool
  /** Default: SMTP or files, depending on the settings. */
  readonly mail?: MailGateway
  /** For tests. Default: the gateways of the providers. */
  readonly openers?: GatewayOpeners
  /** For tests. Default: the name servers of the host. */
  readonly readTxt?: ReadTxt
  readonly resolve?: Resolve
  /** For tests. Default: providers over HTTP. */
  readonly oidc?: OidcGateway
  /** For tests. Default: the gateway that the settings name. */
  readonly billing?: BillingGateway
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
  /** Default: argon2id at its full cost. */
  readonly hasher?: Hasher
  /** Its place among the processes of the service. Default: it is the only one. */
  readonly membership?: Member | null
  /** Accept a secret key that differs from the one the store was created with. Default: false, and the start fails. */
  readonly acceptNewSecretKey?: boolean
  /** How often changes of other instances are polled, in milliseconds. Tests set it. Default: as each part defines. */
  readonly pollMs?: { readonly jobs: number; readonly streams: number }
  /** Checks every response against its declared schema, for tests. */
  readonly checkResponses?: boolean
}

/** A running service. */
export interface Service {
  /** `http://host:port`. */
  readonly url: string
  readonly routes: readonly Route[]
  readonly storage: Storage
  readonly pool: AnalysisPool
  /** Stops the service (CONTRACT.md#running): refuses new requests, finishes running ones, ends streams, writes buffered counts. */
  close(): Promise<void>
}

/** Interval between two checks whether the threads have started, for `/readyz`. */
const POOL_LOOK_MS = 1000

/** Starts the service. Resolves when it accepts requests; threads may still be compiling, which `/readyz` shows. @throws whatever prevents the start */
export async function startService(config: Config, { log, clock = Date.now, checkResponses = false, pollMs, membership = null, ...provided }: ServiceOptions): Promise<Service> {
  const undo: (() => Promise<unknown>)[] = []
  try {
    // First, because the threads start while the store is opened.
    const pool = provided.pool ?? provided.startingPool ?? startPool(config, log, membership)
    if (provided.pool === undefined) undo.push(() => pool.close())
    await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
    const secrets = await loadSecrets(config)
    const storage = provided.storage ?? (await openStorage(config, log))
    if (provided.storage === undefined) undo.push(() => storage.close())
    await prepareCollections(storage)
    await requireWhole(storage)
    await migrate(storage, MIGRATIONS, {
      onApplied: ({ number, name }) => log.info({ number, name }, 'migration applied'),
      warn: (fields, message) => log.warn(fields, message),
    })
    await checkSecret(storage, secrets, provided, log)

    const watch = provided.pool === undefined ? await loadContent(config, pool, log) : null
    if (watch !== null) undo.push(async () => watch.close())
    const readings = new StoreStatusCache({ health: () => health.check(), backlogs: () => Promise.all(resources.jobs.map(({ kind }) => jobs.backlog(kind))) })
    const limits = new Limits(limitTable(config))
    const metrics = new Metrics({
      pool: () => pool.metrics(),
      limits: () => limits.readings(),
      ...(watch === null ? {} : { content: () => contentStatus(watch, pool) }),
      build: { version: readVersion(), engineVersion: ENGINE_VERSION },
      store: { kind: storage.kind, version: storage.version, migration: MIGRATIONS.length, read: () => readings.read() },
      streams: () => resources.openStreams(),
      peers: () => cluster?.others.length ?? 0,
      mailWaiting: () => mail.waiting,
      logCounts: log.counts,
      clock,
    })
    const mail = new MailDelivery(provided.mail ?? (await createMail(config, log)), log, { onOutcome: (outcome) => metrics.mailEnded(outcome) })
    undo.push(() => mail.close())

    const forgetting = new Forgetting()
    const identities = createIdentities({ storage, secrets, config, limits, clock, forgetting, ...(provided.hasher === undefined ? {} : { hasher: provided.hasher }) })
    identities.watch.start()
    undo.push(() => identities.watch.stop())
    const jobs = new JobQueue(storage, clock)
    const notices = new Notices(jobs, clock)
    const daily = new DailyCounts({ storage, onError: (error) => log.error({ err: error }, 'daily counts could not be written; will retry'), clock })
    undo.push(() => daily.flush())
    const quotas = new Quotas({
      storage,
      gateway: config.billingGateway,
      counts: {
        projects: countActive,
        webhooks: (scope) => scope.collection(SUBSCRIPTIONS).count({}),
        members: ({ organizationId }) => identities.memberships.count(organizationId),
      },
      warningWrites: async (scope, params) => notices.notifying(scope, { kind: 'api.quota.warning', params, recipients: { role: 'org_admin' } }),
      onCounted: (metric, units) => daily.add(metric, units),
      onPlanChanged: (organizationId) => overLimit.forget(organizationId),
      forgetting,
      onError: (error) => log.error({ err: error }, 'usage could not be written; will retry'),
      clock,
    })
    undo.push(() => quotas.close())
    const includesSso: IncludesSso = (organizationId) => quotas.includes(identities.tenancy.of(organizationId), 'sso')
    const overLimit = new OverLimit({
      planOf: (scope) => quotas.planOf(scope),
      memberships: identities.memberships,
      collections: { projects: PROJECTS, webhooks: WEBHOOKS },
      counted: { projects: NOT_ARCHIVED, webhooks: {} },
      projectOfBinding: async (scope, _id) => (await scope.collection(GIT_BINDINGS).findOne({ _id }))?.project_id ?? null,
    })
    const throttles = new Throttles(new Throttle(storage, clock), { addressKey, clock, assistantPerMinute: config.aiRateLimitPerMinute })
    const guard = new EgressGuard({ allowPrivateTargets: config.allowPrivateTargets, ...(provided.resolve === undefined ? {} : { resolve: provided.resolve }) })
    const http = new HttpClient(guard)
    undo.push(async () => http.close())
    const outbox = new Outbox(jobs, clock, [selectedByMessaging], forgetting)
    const address = new PublicAddress(config)
    const version = readVersion()
    const instances = new Instances({
      storage,
      report: () => ({ version, engine_version: ENGINE_VERSION, node_version: process.version, ...figuresOf(pool, config) }),
      onError: (error) => log.warn({ err: error }, 'this instance could not be reported to the others; will retry'),
      clock,
    })
    instances.start()
    undo.push(() => instances.stop())
    const billing: OpenBilling =
      provided.billing === undefined
        ? await openBilling({ config, http, reader: answerReader(pool, limits, null), storage, jobs, address, mockKey: secrets.billingMock, log, clock })
        : { gateway: provided.billing, mock: null }
    const resources = createResources({
      config,
      address,
      storage,
      identities,
      throttles,
      mail,
      pool,
      quotas,
      includesSso,
      overLimit,
      limits,
      outbox,
      notices,
      jobs,
      http,
      guard,
      openers: provided.openers ?? gatewayOpeners({ http, clock, pool, limits }),
      readTxt: provided.readTxt ?? networkTxt(),
      billing,
      forgetting,
      oidc: provided.oidc ?? new OidcClient({ http, allowsPlain: config.allowPrivateTargets }),
      log,
      clock,
      deliveryCounts: {
        attempted: metrics.deliveries.attempted,
        ended(status) {
          metrics.deliveries.ended(status)
          if (status !== 'cancelled') daily.add(`deliveries_${status}`, 1)
        },
      },
      figures: { daily, instances, store: { kind: storage.kind, version: storage.version, migration: MIGRATIONS.length }, status: () => readings.read() },
      ...(pollMs === undefined ? {} : { streamsPollMs: pollMs.streams }),
    })
    undo.push(() => resources.close())
    if (config.secretKeyPrevious !== null) undo.push(startResealing(resources, log))
    const runner = new JobRunner(
      {
        queue: jobs,
        tenancy: identities.tenancy,
        log,
        onEnded: (kind, ending) => metrics.jobEnded(kind, ending),
        clock,
        ...(pollMs === undefined ? {} : { pollMs: pollMs.jobs }),
      },
      resources.jobs,
    )
    runner.start()
    undo.push(() => runner.stop())

    const cluster = openCluster({ config, membership, storage, key: secrets.peers, pool, log, clock })
    const metricsPage = cluster === null || membership === null ? metrics : new SharedMetrics(cluster.peers, () => metrics.read())
    if (cluster !== null) {
      forgetting.join(cluster)
      undo.push(() => cluster.close())
      await cluster.open()
    }

    let isPoolReady = false
    let isClosing = false
    const checkPool = (): void => {
      void pool.ready().then((ready) => {
        isPoolReady = ready
        if (ready) membership?.ready()
        if (!ready && !isClosing) setTimeout(checkPool, POOL_LOOK_MS).unref()
      })
    }
    checkPool()
    const areAllReady = (): boolean => isPoolReady && membership?.areAllReady !== false
    const health = new Health({ ping: () => storage.ping(), isPoolReady: areAllReady, ...(watch === null ? {} : { customContent: () => pool.customContent }) })
    const { routes } = resources
    const authenticate = authenticateWith(identities, resources, includesSso, clock)
    const application = createApplication({
      config,
      routes,
      authenticate,
      projectPermissions: (...args) => projectPermissions(identities.tenancy, ...args),
      recordVisit: resources.recordVisit,
      tenancy: identities.tenancy,
      quotas,
      // Without billing nothing is limited, and no request has to look.
      ...(config.billingGateway === 'disabled' ? {} : { overLimit }),
      limits,
      storage,
      log,
      metrics,
      metricsPage,
      health,
      pages: pages({ config, routes, authenticate, version: readVersion(), tags: TAGS }),
      formPages: resources.pages,
      pool,
      checkResponses,
      clock,
    })
    const server = createHttpServer(application)
    const url = membership?.address ?? (await listen(server, config.port, config.host))
    address.listensAt(url)
    // The first process says it for all of them.
    if (membership === null || membership.number === 1) await logAddresses(identities, address, log)
    membership?.serve(server)
    return {
      url,
      routes,
      storage,
      pool,
      async close() {
        isClosing = true
        health.stop()
        const stop = async (): Promise<unknown> => Promise.all([cluster?.leave(), close(server, application)])
        // A failure of one step must not prevent the others, which still have data to write.
        for (const step of [stop, ...undo.reverse()]) await step().catch((error: unknown) => log.error({ err: error }, 'a part of the service could not be closed'))
      },
    }
  } catch (error) {
    for (const step of undo.reverse()) await step().catch(() => undefined)
    throw error
  }
}

/** @throws ConfigError when the store was created with another secret */
async function checkSecret(storage: Storage, secrets: Secrets, { hasher = ARGON2, acceptNewSecretKey: acceptNew = false }: Partial<ServiceOptions>, log: Log): Promise<void> {
  const state = await requireSameSecret(storage, secrets, { hasher, acceptNew, now: () => new Date() })
  if (state === 'changed') log.info('the store takes the new secret key; data of the previous key can be read while SECRET_KEY_PREVIOUS is set')
  if (state === 'accepted')
    log.warn(
      'the store takes a new secret key: sessions, API keys, tokens of SCIM, invitations, password resets, authenticators of second factors, client secrets of identity providers, webhook secrets and credentials of integrations of the former key are invalid now',
    )
}

/** Re-encrypts secrets with the current key in the background. Requests can read both forms meanwhile. @returns a function that stops it */
function startResealing(resources: Pick<ReturnType<typeof createResources>, 'reseal'>, log: Log): () => Promise<void> {
  const stopping = new AbortController()
  const resealing = resources.reseal(stopping.signal).then(
    (count) => log.info({ count }, 'stored secrets are sealed with the new secret key'),
    (error: unknown) => log.error({ err: error }, 'stored secrets could not be sealed with the new secret key; the next start will retry'),
  )
  return () => {
    stopping.abort()
    return resealing
  }
}

/** The figures of the pool that this instance tells the others. */
function figuresOf(pool: Pick<AnalysisPool, 'metrics'>, { rulesetCacheMb }: Pick<Config, 'rulesetCacheMb'>) {
  const { threads, running, queueLength, queueLimit, cachedRulesets, cachedBytes, cacheHits, cacheMisses } = pool.metrics()
  return {
    threads,
    busy: running,
    queue_length: queueLength,
    queue_limit: queueLimit,
    cached_rulesets: cachedRulesets,
    cached_bytes: cachedBytes,
    cache_limit_bytes: rulesetCacheMb * 1024 * 1024,
    cache_hits: cacheHits,
    cache_misses: cacheMisses,
  }
}

/** The library of SMTP is loaded only where it is used. */
async function createMail({ smtpUrl, mailFrom, dataDir }: Config, log: Log): Promise<MailGateway> {
  if (smtpUrl === null) return createOutboxFiles(dataDir, mailFrom, (file) => log.info({ file }, 'mail written to a file: no SMTP_URL is set'))
  const { createSmtpMail } = await import('./core/mail/smtp.js')
  return createSmtpMail(smtpUrl, mailFrom)
}

function authenticateWith(
  identities: Identities,
  { findKey, keyUsed, scimTokens }: Pick<ReturnType<typeof createResources>, 'findKey' | 'keyUsed' | 'scimTokens'>,
  includesSso: IncludesSso,
  clock: () => number,
) {
  const { cache, tokens, sessions, users, organizations, memberships, secrets } = identities
  return createAuthenticate({
    cache,
    tokens,
    sessions,
    users,
    organizations,
    memberships,
    findKey,
    keyUsed,
    findScimToken: (publicId) => scimTokens.find(publicId),
    scimTokenUsed: (token, hash) => scimTokens.used(token, hash),
    includesSso,
    tokenHashKeys: readingKeys(secrets, 'tokenHash'),
    clock,
  })
}

/** Logs the address in mails if it is not set, and how to create the first administrator if the instance has no users. */
async function logAddresses({ instance }: Pick<Identities, 'instance'>, address: PublicAddress, log: Log): Promise<void> {
  if (!address.isSet) log.info({ address: address.pages }, 'PUBLIC_BASE_URL and API_PUBLIC_BASE_URL are not set: mails link to this address')
  if ((await instance.read()) !== null) return
  const pages = [...new Set([address.own, address.local])].map((base) => `${base}${SETUP_PATH}`)
  log.info({ pages, bootstrap: `${address.api}/auth/bootstrap` }, 'no administrator yet: open one of these pages, or POST to bootstrap')
}
