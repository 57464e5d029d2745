/** The providers of the tests themselves: a sign-in at each, walked over HTTP with cookies, and accepted by a client library in its default settings. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  discovery,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { forgeForTests } from '../../../support/git/forge.js'
import { startCertifiedProvider } from '../../../support/openid/certified.js'
import { forgeAsProvider } from '../../../support/openid/forge.js'
import type { OpenidProvider } from '../../../support/openid/provider.js'
import { UserAgent } from '../../../support/openid/user-agent.js'

/** Never requested: the walk ends before it. */
const CALLBACK = 'http://127.0.0.1:9/callback?provider_id=one'

describe('a sign-in over HTTP', () => {
  const { skip, forge } = forgeForTests()

  test('at the certified provider', async () => {
    const provider = await startCertifiedProvider()
    try {
      await signsIn(provider, ClientSecretBasic)
    } finally {
      await provider.close()
    }
  })

  test('at the forge', { skip }, async () => signsIn(forgeAsProvider(await forge()), ClientSecretPost))

  /** @param authentication the forge does not decode the header of the other method */
  async function signsIn(provider: OpenidProvider, authentication: typeof ClientSecretPost): Promise<void> {
    const registered = await provider.register()
    await registered.redirectTo(CALLBACK)
    const account = await provider.addAccount('ana@example.test')
    const other = await provider.addAccount('rui@example.test')
    const config = await discovery(new URL(provider.issuer), registered.clientId, undefined, authentication(registered.clientSecret), { execute: [allowInsecureRequests] })
    // The library leaves the query out of the redirect URI.
    config[customFetch] = (url, { body, ...options }) => {
      if (body instanceof URLSearchParams && body.has('redirect_uri')) body.set('redirect_uri', CALLBACK)
      return fetch(url, { ...options, body: body ?? null } as RequestInit)
    }
    const agent = new UserAgent()
    const signIn = async (browser: UserAgent, person: typeof account): Promise<Record<string, unknown>> => {
      const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()]
      const address = buildAuthorizationUrl(config, {
        redirect_uri: CALLBACK,
        scope: 'openid email profile groups',
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      const callback = await provider.signIn(browser, address, person)
      assert.equal(callback.searchParams.get('provider_id'), 'one')
      const tokens = await authorizationCodeGrant(config, callback, { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier })
      return { ...tokens.claims() }
    }
    const first = await signIn(agent, account)
    assert.deepEqual([first.sub, first.email, first.iss], [account.subject, account.email, config.serverMetadata().issuer])
    // The provider knows the browser by its cookies, whoever asks.
    assert.equal((await signIn(agent, other)).sub, account.subject)
    assert.equal((await signIn(new UserAgent(), other)).sub, other.subject)
  }
})
