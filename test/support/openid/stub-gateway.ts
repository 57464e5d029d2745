/** A gateway without a provider: codes stand for what the test says. For rules about accounts; protocols are tested with real providers. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { AuthorizationRequest, CodeExchange, OidcConnection, OidcGateway, OidcMetadata, OidcProbe, ProvenIdentity } from '../../../server/features/sso/oidc/gateway.js'

export class StubGateway implements OidcGateway {
  readonly #requests = new Map<string, AuthorizationRequest>()
  readonly #answers = new Map<string, ProvenIdentity | Error>()
  /** Number of codes that were exchanged. */
  exchanged = 0
  /** Thrown instead of an authorization address. */
  fault: Error | null = null
  /** Runs while a code is exchanged. */
  during: () => Promise<void> = async () => undefined

  metadata(): Promise<OidcMetadata> {
    return assert.fail('nobody asks for the metadata')
  }

  probe(): Promise<OidcProbe> {
    return assert.fail('nobody probes')
  }

  async authorizationUrl({ issuer, clientId }: OidcConnection, request: AuthorizationRequest): Promise<URL> {
    if (this.fault !== null) throw this.fault
    this.#requests.set(request.state, request)
    const { state, nonce, redirectUri } = request
    return new URL(`${issuer}/authorize?${new URLSearchParams({ client_id: clientId, state, nonce, redirect_uri: redirectUri })}`)
  }

  async exchange(_: OidcConnection, { callbackUrl, redirectUri, state, nonce, codeVerifier }: CodeExchange): Promise<ProvenIdentity> {
    this.exchanged++
    assert.deepEqual({ state, nonce, codeVerifier, redirectUri }, this.#requests.get(state))
    assert.match(codeVerifier, /^[\w-]{43}$/)
    assert.equal(callbackUrl.searchParams.get('state'), state)
    const answer = this.#answers.get(callbackUrl.searchParams.get('code') ?? '') ?? assert.fail('no such code')
    await this.during()
    if (answer instanceof Error) throw answer
    return answer
  }

  /** A code for this identity, or for a failure. */
  code(answer: ProvenIdentity | Error): string {
    const code = randomUUID()
    this.#answers.set(code, answer)
    return code
  }
}

/** An identity with a verified e-mail. */
export function identityOf(email: string, { claims = {}, ...fields }: Partial<ProvenIdentity> = {}): ProvenIdentity {
  const identity = { issuer: 'https://9.9.9.9', subject: `subject of ${email}`, email, emailVerified: true, name: email.split('@')[0], groups: null, ...fields }
  return { ...identity, claims: { sub: identity.subject, email, ...claims } }
}
