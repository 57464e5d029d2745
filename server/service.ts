/** A service: how it is started, and what a running one is. */
import type { AnalysisPool } from '#workers'
import type { OwnProcess } from './cluster/own-process.js'
import type { Hasher } from './core/auth/password.js'
import type { Resolve } from './core/egress/resolve.js'
import type { Route } from './core/http/route.js'
import type { MailGateway } from './core/mail/gateway.js'
import type { Log } from './core/observability/log.js'
import type { Storage } from './core/storage/contract.js'
import type { Provided, Wing } from './core/wing.js'

/** Its gateways in `Provided` are for tests. */
export interface ServiceOptions extends Provided {
  readonly log: Log
  /** Default: the store that the settings name. Only that one is closed with the service. */
  readonly storage?: Storage
  /** For tests. Default: a pool of the size in the settings, which is closed with the service. */
  readonly pool?: AnalysisPool
  /** That pool, if it is starting already. */
  readonly startingPool?: AnalysisPool
  /** Default: SMTP or files, depending on the settings. */
  readonly mail?: MailGateway
  /** For tests. Default: the name servers of the host. */
  readonly resolve?: Resolve
  /** For tests. Default: all. */
  readonly wings?: readonly Wing[]
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
  /** Default: argon2id at its full cost. */
  readonly hasher?: Hasher
  /** Its place among the processes of the service. Default: it is the only one. */
  readonly ownProcess?: OwnProcess | null
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
