/** What every resource may take: `app.ts` creates these, and the two tables `index.ts` and `identity.ts` hand them on. */
import type { AnalysisPool } from '#workers'
import type { Identities } from '../auth/identities.js'
import type { IncludesSso } from '../auth/session-reach.js'
import type { Throttles } from '../auth/throttles.js'
import type { Config } from '../config.js'
import type { JobQueue } from '../jobs/queue.js'
import type { Notices } from '../events/notices.js'
import type { Outbox } from '../events/outbox.js'
import type { ReadTxt } from '../gateways/dns/txt.js'
import type { OpenBilling } from '../gateways/billing/index.js'
import type { HttpClient } from '../gateways/http/client.js'
import type { EgressGuard } from '../gateways/http/egress-guard.js'
import type { OidcGateway } from '../gateways/oidc/gateway.js'
import type { MailDelivery } from '../gateways/mail/delivery.js'
import type { Log } from '../observability/log.js'
import type { Forgetting } from '../tenancy/forgetting.js'
import type { PublicAddress } from '../public-address.js'
import type { Storage } from '../storage/contract.js'
import type { Limits } from '../limits/limits.js'
import type { Quotas } from '../tenancy/quotas.js'
import type { GatewayOpeners } from './integrations/service.js'
import type { OverLimit } from '../tenancy/over-limit.js'
import type { DeliveryCounts } from './webhooks/attempt.js'
import type { PlatformOverviewParts } from './platform-overview/service.js'

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
  readonly includesSso: IncludesSso
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
  /** What is over the limits of plans. */
  readonly overLimit: OverLimit
  readonly billing: OpenBilling
  readonly forgetting: Forgetting
  readonly log: Log
  readonly clock: () => number
  /** Figures of the instances, for operators. */
  readonly figures: Pick<PlatformOverviewParts, 'daily' | 'instances' | 'store' | 'status'>
  /** Counts deliveries, for metrics. */
  readonly deliveryCounts?: DeliveryCounts
  /** Interval at which streams poll for changes by other instances. Default: CONTRACT.md#notifications. */
  readonly streamsPollMs?: number
}
