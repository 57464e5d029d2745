/**
 * A wing: one capability of the service, with its routes, services, gateways, jobs and collections in one folder. `features.ts` lists the wings and opens them in
 * that order; what a wing needs of the service is in its `Context`, and what it needs of an earlier wing it gets from there.
 */
import type { AnalysisPool } from '#workers'
import type { AuthenticateParts } from './auth/authenticate.js'
import type { Identities } from './auth/identities.js'
import type { OpenSessions } from './auth/open-sessions.js'
import type { AnyPlatformSealedField, AnySealedField } from './auth/reseal.js'
import type { IncludesSso } from './auth/session-reach.js'
import type { Throttles } from './auth/throttles.js'
import type { Config } from './config.js'
import type { HttpClient } from './egress/client.js'
import type { EgressGuard } from './egress/egress-guard.js'
import type { Notices } from './events/notices.js'
import type { Outbox, SelectedEvents } from './events/outbox.js'
import type { FormPage } from './http/pages/form-pages.js'
import type { Middleware } from './http/request-state.js'
import type { Route } from './http/route.js'
import type { JobQueue } from './jobs/queue.js'
import type { JobKind } from './jobs/runner.js'
import type { Limits } from './limits/limits.js'
import type { MailDelivery } from './mail/delivery.js'
import type { Log } from './observability/log.js'
import type { Metrics } from './observability/metrics.js'
import type { StoreStatus } from './observability/store-status.js'
import type { PublicAddress } from './public-address.js'
import type { Connections } from './sse/connections.js'
import type { CollectionDefinition, Storage } from './storage/contract.js'
import type { DailyCounts } from './tenancy/daily-counts.js'
import type { Forgetting } from './tenancy/forgetting.js'
import type { OverLimit } from './tenancy/over-limit.js'
import type { Quotas } from './tenancy/quotas.js'

/** Gateways that tests provide in place of real ones. A wing adds its own by declaring this interface again. */
// biome-ignore lint/suspicious/noEmptyInterface: wings add to it
export interface Provided {}

/** The parts of the service that wings share (`context.ts`). */
export interface Context {
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
  /** What is over the limits of plans. */
  readonly overLimit: OverLimit
  readonly forgetting: Forgetting
  /** Event streams of this instance, and the sessions that they end with. */
  readonly connections: Connections
  readonly openSessions: OpenSessions
  readonly daily: DailyCounts
  readonly storeStatus: () => Promise<StoreStatus>
  /** Counts deliveries, for metrics. */
  readonly deliveryCounts: Metrics['deliveries']
  /** Interval at which streams poll for changes by other instances. Undefined: CONTRACT.md#notifications. */
  readonly streamsPollMs: number | undefined
  readonly provided: Provided
  readonly log: Log
  readonly clock: () => number
  /** An earlier wing, opened. @throws Error if it is not open */
  get<Opened extends OpenWing>(wing: Wing<Opened>): Opened
  /** All wings, once all are open. */
  opened(): readonly OpenWing[]
}

/** A wing that is not open. */
export interface Wing<Opened extends OpenWing = OpenWing> {
  readonly collections: readonly CollectionDefinition[]
  /** Sealed texts in collections of organizations, and in those of the instance. */
  readonly sealed?: readonly AnySealedField[]
  readonly platformSealed?: readonly AnyPlatformSealedField[]
  /** Events that its receivers select. */
  readonly selects?: SelectedEvents
  open(context: Context): Opened | Promise<Opened>
}

/** What an open wing adds to the service. */
export interface OpenWing {
  readonly routes: readonly Route[]
  /** HTML pages with forms. */
  readonly pages?: readonly FormPage[]
  /** Files for browsers, by their paths from the root of the service. They are public, and not part of the interface. */
  readonly files?: ReadonlyMap<string, Middleware>
  readonly jobs?: readonly JobKind[]
  /** How its credentials are found and used. */
  readonly credentials?: Partial<Pick<AuthenticateParts, 'findKey' | 'keyUsed' | 'findScimToken' | 'scimTokenUsed'>>
  /** Waits for its work, and releases what it holds. */
  close?(): Promise<void>
}
