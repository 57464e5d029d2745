/** The analysis routes over real HTTP, with callers by key and nothing behind them: no accounts, no database. */
import type { AnalysisPool } from '#workers'
import { sharedPool } from '../../../support/app.js'
import { testLimits } from '../../../support/limits.js'
import type { Permission } from '../../../../server/core/tenancy/permissions.js'
import { ApiError } from '../../../../server/core/errors.js'
import type { DomainEvent } from '../../../../server/core/events/catalogue.js'
import { createApplication } from '../../../../server/core/http/application.js'
import { listen } from '../../../../server/core/http/listen.js'
import { close, createHttpServer } from '../../../../server/core/http/server.js'
import { createLog } from '../../../../server/core/observability/log.js'
import { analysisRoutes } from '../../../../server/analysis/routes.js'
import { AnalysisService } from '../../../../server/analysis/service.js'
import type { Storage } from '../../../../server/core/storage/contract.js'
import type { Tenancy } from '../../../../server/core/tenancy/scope.js'
import { Client } from '../../../support/client.js'

export interface AnalysisApp {
  readonly url: string
  /** Key `svk_organization_subject`. */
  client(key?: string): Client
  readonly pool: AnalysisPool
  /** Units of the plan that are left; null: no limit. */
  readonly plan: { left: number | null; taken: number; failure: Error | null }
  readonly events: DomainEvent[]
  readonly log: string[]
  /** @param drainMs how long it is waited for what runs */
  close(drainMs?: number): Promise<void>
}

/** @param pool default: the one of all services of a test process, with the bundled ruleset */
export async function startAnalysis({
  pool = sharedPool(),
  permissions = ['analysis:run'],
  maxRequestBytes = 8 * 1024 * 1024,
}: {
  readonly pool?: AnalysisPool
  readonly permissions?: readonly Permission[]
  readonly maxRequestBytes?: number
} = {}): Promise<AnalysisApp> {
  const plan = { left: null as number | null, taken: 0, failure: null as Error | null }
  const events: DomainEvent[] = []
  const log: string[] = []
  const limits = testLimits()
  const service = new AnalysisService({
    pool,
    usage: {
      async consume(_scope, metric, units) {
        if (plan.failure !== null) throw plan.failure
        if (plan.left !== null && units > plan.left) throw new ApiError('plan_quota_exceeded', { params: { metric, limit: 0 } })
        plan.taken += units
        if (plan.left !== null) plan.left -= units
      },
      async refund(_scope, _metric, units) {
        plan.taken -= units
        if (plan.left !== null) plan.left += units
      },
    },
    outbox: { emit: async (_scope, event) => void events.push(event) },
    limits,
  })
  const application = createApplication({
    config: {
      apiPublicBaseUrl: null,
      publicBaseUrl: null,
      defaultLocale: 'pt-BR',
      trustedProxies: null,
      maxRequestBytes,
      rateLimitEnabled: false,
      rateLimitPerMinute: 1,
      rateLimitPerHour: 1,
      metricsToken: null,
      workers: 2,
    },
    routes: analysisRoutes(service),
    pool,
    authenticate: async (credential) => {
      const key = credential.kind === 'api_key' ? credential.key.slice('svk_'.length) : ''
      const [organizationId = 'o', keyId = 'k'] = key.split('_')
      return { kind: 'api_key', keyId, name: key, ownerId: null, organizationId, expiresAt: null, scopes: [], permissions: new Set(permissions) }
    },
    tenancy: { of: (organizationId: string) => ({ organizationId }) } as unknown as Pick<Tenancy, 'of'>,
    storage: { open: () => ({}), windows: () => ({}) } as unknown as Pick<Storage, 'open' | 'windows'>,
    log: createLog({ logLevel: 'info' }, { write: (line: string) => void log.push(line) }),
    checkResponses: true,
    limits,
  })
  const server = createHttpServer(application)
  const url = await listen(server, 0, '127.0.0.1')
  return { url, client: (key = 'svk_o_k') => new Client(url, { key }), pool, plan, events, log, close: (drainMs = 1000) => close(server, application, drainMs) }
}
