/** How an external provider is reached: the settings and credentials of an integration, and the parts that every gateway gets. */
import { Connections, type HttpClient } from '../../../core/egress/client.js'
import type { AnswerReader } from '../../../core/egress/reader.js'

/** One of the forms that the provider supports. */
export type ProviderCredentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'password'; readonly username: string; readonly password: string }
  | { readonly kind: 'app'; readonly appId: string; readonly privateKey: string; readonly installationId: string }

export interface ProviderConnection {
  /** Address of the provider without a trailing slash; null: its public service. */
  readonly baseUrl: string | null
  /** Organization, group or user whose repositories are listed; null: all that the credential can see. */
  readonly organization: string | null
  readonly credentials: ProviderCredentials
}

export interface GatewayParts {
  readonly http: Pick<HttpClient, 'send'>
  /** The reader of the organization that has the integration. */
  readonly reader: AnswerReader
  readonly clock: () => number
}

/** Returns parts with which the calls of one gateway share connections. */
export function withConnections({ http, ...parts }: GatewayParts): GatewayParts {
  const connections = new Connections()
  return { ...parts, http: { send: (request) => http.send({ ...request, connections }) } }
}
