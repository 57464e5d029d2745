/** What tests use of an OpenID provider, whichever it is. */
import type { UserAgent } from './user-agent.js'

export interface OpenidAccount {
  readonly subject: string
  readonly email: string
}

export interface RegisteredClient {
  readonly clientId: string
  readonly clientSecret: string
  /** Replaces the redirect URIs: the service's is known when the provider has been stored there. */
  redirectTo(...uris: readonly string[]): Promise<void>
}

export interface OpenidProvider {
  readonly name: string
  readonly issuer: string
  register(): Promise<RegisteredClient>
  /** Creates an account with a verified address, unless `claims` say otherwise. */
  addAccount(email: string): Promise<OpenidAccount>
  /**
   * Signs in at the provider as a person does: walks its forms from the authorization address on.
   * @returns the address of the callback, which was not requested yet
   */
  signIn(agent: UserAgent, authorizationUrl: string | URL, account: OpenidAccount): Promise<URL>
}
