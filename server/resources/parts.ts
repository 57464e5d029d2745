/** What every resource may take: `app.ts` creates these, and the two tables `index.ts` and `identity.ts` hand them on. */
import type { AnalysisPool } from '#workers'
import type { Identities } from '../core/auth/identities.js'
import type { IncludesSso } from '../core/auth/session-reach.js'
import type { Throttles } from '../core/auth/throttles.js'
import type { Config } from '../core/config.js'
import type { JobQueue } from '../core/jobs/queue.js'
import type { Notices } from '../core/events/notices.js'
import type { Outbox } from '../core/events/outbox.js'
import type { ReadTxt } from '../features/accounts/dns/txt.js'
import type { OpenBilling } from '../features/billing/gateways/index.js'
import type { HttpClient } from '../core/egress/client.js'
import type { EgressGuard } from '../core/egress/egress-guard.js'
import type { OidcGateway } from '../features/sso/oidc/gateway.js'
import type { MailDelivery } from '../core/mail/delivery.js'
import type { Log } from '../core/observability/log.js'
import type { Forgetting } from '../core/tenancy/forgetting.js'
import type { PublicAddress } from '../core/public-address.js'
import type { Storage } from '../core/storage/contract.js'
import type { Limits } from '../core/limits/limits.js'
import type { Quotas } from '../core/tenancy/quotas.js'
import type { GatewayOpeners } from '../features/connections/integrations/service.js'
import type { OverLimit } from '../core/tenancy/over-limit.js'
import type { DeliveryCounts } from '../features/webhooks/attempt.js'
import type { PlatformOverviewParts } from '../features/platform/platform-overview/service.js'

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
