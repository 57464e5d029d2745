/** Administration of the instance: its users, organizations, plans by hand, failed jobs, and an overview with its running processes. */
import { ENGINE_VERSION } from '#workers'
import { readVersion } from '../../core/version.js'
import type { Context, OpenWing, Wing } from '../../core/wing.js'
import { accounts } from '../accounts/index.js'
import { platformJobRoutes } from './platform-jobs/routes.js'
import { PlatformJobsService } from './platform-jobs/service.js'
import { OrganizationPlans } from './platform-organizations/plans.js'
import { platformOrganizationRoutes } from './platform-organizations/routes.js'
import { PlatformOrganizationsService } from './platform-organizations/service.js'
import { INSTANCES, type InstanceReport, Instances } from './platform-overview/instances.js'
import { platformOverviewRoutes } from './platform-overview/routes.js'
import { PlatformOverviewService } from './platform-overview/service.js'
import { platformUserRoutes } from './platform-users/routes.js'
import { PlatformUsersService } from './platform-users/service.js'

export const platform: Wing = {
  collections: [INSTANCES],
  open(context): OpenWing {
    const { config, storage, identities, throttles, quotas, notices, jobs, daily, storeStatus, log, clock } = context
    const { invitations, keys, notices: accountNotices } = context.get(accounts)
    const plans = new OrganizationPlans({ identities, gateway: config.billingGateway, quotas, jobs, notices })
    const instances = new Instances({
      storage,
      report: () => reportOf(context),
      onError: (error) => log.warn({ err: error }, 'this instance could not be reported to the others; will retry'),
      clock,
    })
    instances.start()
    // Read with the first request, when all wings are open.
    const kinds = () => context.opened().flatMap(({ jobs: ofWing = [] }) => ofWing)
    return {
      routes: [
        ...platformUserRoutes(new PlatformUsersService(identities, accountNotices)),
        ...platformOrganizationRoutes(new PlatformOrganizationsService({ identities, invitations, throttles, quotas, keys, plans })),
        ...platformOverviewRoutes(new PlatformOverviewService({ identities, jobs, kinds, daily, instances, store: storage, status: storeStatus, clock })),
        ...platformJobRoutes(new PlatformJobsService({ jobs, kinds, tenancy: identities.tenancy, clock })),
      ],
      jobs: [plans.expiryJob()],
      close: () => instances.stop(),
    }
  },
}

/** The figures that this instance tells the others. */
function reportOf({ pool, config }: Context): InstanceReport {
  const { threads, running, queueLength, queueLimit, cachedRulesets, cachedBytes, cacheHits, cacheMisses } = pool.metrics()
  return {
    version: readVersion(),
    engine_version: ENGINE_VERSION,
    node_version: process.version,
    threads,
    busy: running,
    queue_length: queueLength,
    queue_limit: queueLimit,
    cached_rulesets: cachedRulesets,
    cached_bytes: cachedBytes,
    cache_limit_bytes: config.rulesetCacheMb * 1024 * 1024,
    cache_hits: cacheHits,
    cache_misses: cacheMisses,
  }
}
