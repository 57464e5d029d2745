/**
 * The composition root: it opens the store, creates the shared parts (`context.ts`), opens the wings (`features.ts`), and starts what serves requests and runs jobs.
 */
import { mkdir } from 'node:fs/promises'
import { loadContent } from './analysis/disk-content.js'
import { openPeers } from './cluster/peers.js'
import { InstanceMetrics } from './cluster/metrics.js'
import { watchPoolReadiness } from './cluster/pool-readiness.js'
import { startPool } from './cluster/start-pool.js'
import { projectPermissions } from './content/shared/project-roles.js'
import { createContext } from './context.js'
import { Visits } from './core/audit/visits.js'
import { authenticateWith } from './core/auth/authenticate-with.js'
import { resealAll } from './core/auth/reseal.js'
import { checkSecret, startResealing } from './core/auth/secret-change.js'
import { loadSecrets } from './core/auth/secrets.js'
import type { Config } from './core/config.js'
import { createApplication } from './core/http/application.js'
import { listen } from './core/http/listen.js'
import { close, createHttpServer } from './core/http/server.js'
import { JobRunner } from './core/jobs/runner.js'
import { Health } from './core/observability/health.js'
import { requireWhole } from './core/storage/backup.js'
import { MIGRATIONS, migrate } from './core/storage/migrations/index.js'
import { openStorage } from './core/storage/open.js'
import { readVersion } from './core/version.js'
import type { OpenWing } from './core/wing.js'
import { pages } from './docs/pages.js'
import { TAGS } from './docs/tags.js'
import { openWings, prepareCollections, WINGS } from './features.js'
import { logAddresses } from './features/accounts/index.js'
import type { Service, ServiceOptions } from './service.js'

/** Starts the service. Resolves when it accepts requests; threads may still be compiling, which `/readyz` shows. @throws the error that prevents the start */
export async function startService(config: Config, options: ServiceOptions): Promise<Service> {
  const {
    log,
    clock = Date.now,
    checkResponses = false,
    pollMs,
    ownProcess = null,
    hasher,
    mail,
    resolve,
    acceptNewSecretKey: acceptNew = false,
    wings: listed = WINGS,
    ...provided
  } = options
  const undo: (() => Promise<unknown>)[] = []
  try {
    // First, because the threads start while the store is opened.
    const pool = provided.pool ?? provided.startingPool ?? startPool(config, log, ownProcess)
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
    await checkSecret(storage, secrets, log, { acceptNew, ...(hasher === undefined ? {} : { hasher }) })
    const watch = provided.pool === undefined ? await loadContent(config, pool, log) : null
    if (watch !== null) undo.push(async () => watch.close())

    let wings: readonly OpenWing[] = []
    const later = { health: () => health.check(), wings: () => wings, peers: () => peers?.names.length ?? 0 }
    const shared = { config, log, clock, pool, secrets, storage, watch, mail, hasher, resolve, provided, wings: listed, streamsPollMs: pollMs?.streams, later }
    const { parts, metrics, undo: closing } = await createContext(shared)
    undo.push(...closing)
    const { identities, quotas, overLimit, includesSso, limits, address, forgetting } = parts
    wings = await openWings(listed, parts)
    undo.push(async () => {
      for (const wing of wings) await wing.close?.()
    })
    if (config.secretKeyPrevious !== null) {
      const [sealed, platformSealed] = [listed.flatMap(({ sealed = [] }) => sealed), listed.flatMap(({ platformSealed = [] }) => platformSealed)]
      undo.push(startResealing((signal) => resealAll(identities, storage, sealed, platformSealed, signal), log))
    }
    const runner = new JobRunner(
      {
        queue: parts.jobs,
        tenancy: identities.tenancy,
        log,
        onEnded: (kind, ending) => metrics.jobEnded(kind, ending),
        clock,
        ...(pollMs === undefined ? {} : { pollMs: pollMs.jobs }),
      },
      wings.flatMap(({ jobs = [] }) => jobs),
    )
    runner.start()
    undo.push(() => runner.stop())

    const peers = openPeers({ config, ownProcess, storage, key: secrets.peers, pool, log, clock })
    const metricsPage = peers === null || ownProcess === null ? metrics : new InstanceMetrics(peers.calls, () => metrics.read())
    if (peers !== null) {
      forgetting.join(peers)
      undo.push(() => peers.close())
      await peers.open()
    }
    const start = watchPoolReadiness(pool, ownProcess)
    const isPoolReady = (): boolean => start.isReady && ownProcess?.areAllReady !== false
    const health: Health = new Health({ ping: () => storage.ping(), isPoolReady, ...(watch === null ? {} : { customContent: () => pool.customContent }) })
    const routes = wings.flatMap((wing) => wing.routes)
    const authenticate = authenticateWith(identities, wings, includesSso)
    const visits = new Visits(identities)
    const application = createApplication({
      config,
      routes,
      authenticate,
      projectPermissions: (...args) => projectPermissions(identities.tenancy, ...args),
      recordVisit: (...visit) => visits.record(...visit),
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
      pages: pages({ config, address, routes, authenticate, version: readVersion(), tags: TAGS }),
      formPages: wings.flatMap((wing) => wing.pages ?? []),
      files: new Map(wings.flatMap((wing) => [...(wing.files ?? [])])),
      pool,
      checkResponses,
      clock,
    })
    const server = createHttpServer(application)
    const url = ownProcess?.address ?? (await listen(server, config.port, config.host))
    address.listensAt(url)
    // The first process says it for all of them.
    if (ownProcess === null || ownProcess.number === 1) await logAddresses(identities, address, log)
    ownProcess?.serve(server)
    return {
      url,
      routes,
      storage,
      pool,
      async close() {
        start.stop()
        health.stop()
        const stop = async (): Promise<unknown> => Promise.all([peers?.leave(), close(server, application)])
        // A failure of one step must not prevent the others, which still have data to write.
        for (const step of [stop, ...undo.reverse()]) await step().catch((error: unknown) => log.error({ err: error }, 'a part of the service could not be closed'))
      },
    }
  } catch (error) {
    for (const step of undo.reverse()) await step().catch(() => undefined)
    throw error
  }
}
