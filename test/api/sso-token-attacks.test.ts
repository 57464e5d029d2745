/**
 * Tokens that a sign-in must not accept. Each begins as a real answer of a certified provider, of which one thing is changed; the others stay as they are, so that
 * the refusal is about that one thing.
 */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type Actor, bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type CertifiedProvider, keySet, PATHS, startCertifiedProvider } from '../support/openid/certified.js'
import { type Altering, editJson, type Fault, jsonReply } from '../support/openid/front.js'
import type { OpenidAccount } from '../support/openid/provider.js'
import { type LinkedProvider, linkProvider, notSignedIn, PRIVATE_TARGETS, requestCallback, signedIn, signIn, signInAtProvider } from '../support/openid/sign-in.js'
import { type Claims, claimsOf, newSigningKey, publicJwk, publicKeyTexts, type Signature } from '../support/openid/signed-token.js'
import { UserAgent } from '../support/openid/user-agent.js'

/** Beyond every skew of clocks that a service may allow. */
const FAR_S = 3_600
/** Longer than the time between two downloads of keys. */
const COOL_DOWN_MS = 61_000
/** Callbacks with unknown keys that arrive in a row. */
const FLOOD = 12

const now = (): number => Math.floor(Date.now() / 1000)

interface TokenAnswer {
  readonly id_token: string
  readonly access_token: string
}

describe('tokens of a provider', () => {
  let app: TestApp
  let admin: Actor
  let openid: CertifiedProvider
  let provider: LinkedProvider
  let person: OpenidAccount
  let altering: Altering | null = null
  const origin = (): string => app.client.origin
  const alter = (path: string, fault: Fault): void => {
    altering = openid.front.alter(path, fault)
  }
  /** Alters the token answer for one sign-in. */
  const attempt = async () => {
    const agent = new UserAgent()
    const page = await signIn(agent, origin(), provider, person)
    return { agent, page }
  }
  const refusedToken = async (): Promise<unknown> => {
    const { agent, page } = await attempt()
    assert.ok(altering !== null && altering.count() > 0, 'the altered answer was read')
    const { details } = notSignedIn(agent, page, 400)
    return details.check
  }

  before(async () => {
    openid = await startCertifiedProvider()
    app = await startTestApp({ env: PRIVATE_TARGETS })
    admin = await bootstrap(app.client)
    provider = await linkProvider(admin, openid)
    person = await openid.addAccount('person@example.test')
  })
  beforeEach(() => {
    altering?.end()
    altering = null
  })
  after(async () => {
    await app?.close()
    await openid?.close()
  })

  test('are accepted if they are signed again as they are', async () => {
    altering = openid.alterIdToken((claims) => claims)
    const { agent, page } = await attempt()
    signedIn(agent, page)
    assert.equal(altering.count(), 1)
  })

  describe('are refused', () => {
    const SIGNATURES: Readonly<Record<string, readonly [check: string, signature: () => Signature, header?: () => Claims]>> = {
      'not signed (alg none)': ['algorithm', () => ({ alg: 'none' })],
      'not signed, with a key id': ['algorithm', () => ({ alg: 'none' }), () => ({ kid: openid.key.kid })],
      'in another spelling of none': ['algorithm', () => ({ alg: 'none' }), () => ({ alg: 'nOnE' })],
      'signed with the client secret (HS256)': ['algorithm', () => ({ alg: 'HS256', secret: provider.registered.clientSecret })],
      'signed with a key that the header brings along (jwk)': ['key', () => foreign(), () => ({ jwk: publicJwk(foreign().key) })],
      'signed with a key that the header refers to (jku)': ['key', () => foreign(), () => ({ jku: `${openid.issuer}/attacker/jwks` })],
      'signed with a key that is not published': ['key', () => foreign()],
      'signed with another key of the same id': ['signature', () => foreign(), () => ({ kid: openid.key.kid })],
      'of an algorithm that was not announced': ['algorithm', () => ({ alg: 'RS256', key: openid.key }), () => ({ alg: 'PS256' })],
      'with an extension that must be understood (crit)': ['format', () => ({ alg: 'RS256', key: openid.key }), () => ({ crit: ['attack'], attack: true })],
    }
    for (const [name, [check, signature, header]] of Object.entries(SIGNATURES))
      test(name, async () => {
        altering = openid.alterIdToken((claims) => claims, signature(), header?.())
        assert.equal(await refusedToken(), check)
      })

    test('signed with the public key as the secret (HS256), in every form of that key', async () => {
      for (const secret of publicKeyTexts(openid.key)) {
        altering?.end()
        altering = openid.alterIdToken((claims) => claims, { alg: 'HS256', secret, kid: openid.key.kid })
        assert.equal(await refusedToken(), 'algorithm')
      }
    })

    const without =
      (name: string) =>
      ({ [name]: _, ...rest }: Claims): Claims =>
        rest
    const CLAIMS: Readonly<Record<string, readonly [check: string, edit: (claims: Claims) => Claims]>> = {
      expired: ['expired', (claims) => ({ ...claims, exp: now() - FAR_S })],
      'without an end': ['claims', without('exp')],
      'with an end that is text': ['claims', (claims) => ({ ...claims, exp: String(now() + FAR_S) })],
      'issued in the future': ['not_yet_valid', (claims) => ({ ...claims, iat: now() + FAR_S, exp: now() + 2 * FAR_S })],
      'valid in the future': ['not_yet_valid', (claims) => ({ ...claims, nbf: now() + FAR_S, exp: now() + 2 * FAR_S })],
      'without a time of issue': ['claims', without('iat')],
      'of another issuer': ['issuer', (claims) => ({ ...claims, iss: 'https://attacker.example' })],
      'of the issuer with a slash': ['issuer', (claims) => ({ ...claims, iss: `${String(claims.iss)}/` })],
      'without an issuer': ['claims', without('iss')],
      'for the audience of another client': ['audience', (claims) => ({ ...claims, aud: 'another-client' })],
      'for an audience that begins like ours': ['audience', (claims) => ({ ...claims, aud: `${String(claims.aud)}2` })],
      'for a list of other audiences': ['audience', (claims) => ({ ...claims, aud: ['another-client', 'a-third'] })],
      'without an audience': ['claims', without('aud')],
      'for two audiences and no authorized party': ['audience', (claims) => ({ ...claims, aud: [claims.aud, 'another-client'] })],
      'authorized for another client': ['authorized_party', (claims) => ({ ...claims, azp: 'another-client' })],
      'authorized for another client of two': ['authorized_party', (claims) => ({ ...claims, aud: [claims.aud, 'another-client'], azp: 'another-client' })],
      'with another nonce': ['nonce', (claims) => ({ ...claims, nonce: 'another' })],
      'without a nonce': ['claims', without('nonce')],
      'without a subject': ['claims', without('sub')],
      'with a subject that is a number': ['claims', (claims) => ({ ...claims, sub: 7 })],
      'with an empty subject': ['claims', (claims) => ({ ...claims, sub: '' })],
      'with a subject of a thousand characters': ['claims', (claims) => ({ ...claims, sub: 'x'.repeat(1_000) })],
    }
    for (const [name, [check, edit]] of Object.entries(CLAIMS))
      test(name, async () => {
        altering = openid.alterIdToken(edit)
        assert.equal(await refusedToken(), check)
      })

    test('if another client of the same provider got them', async () => {
      const second = await linkProvider(admin, openid, { name: 'second client' })
      const foreignToken = await tokenOf(second)
      alter(
        PATHS.token,
        editJson<TokenAnswer>((answer) => ({ ...answer, id_token: foreignToken })),
      )
      assert.equal(await refusedToken(), 'audience')
    })

    test('if they were sent before', async () => {
      const earlier = await tokenOf(provider)
      alter(
        PATHS.token,
        editJson<TokenAnswer>((answer) => ({ ...answer, id_token: earlier })),
      )
      assert.equal(await refusedToken(), 'nonce')
    })

    test('if they are no tokens', async () => {
      const token = await tokenOf(provider)
      const [header, , signature] = token.split('.')
      const huge = Buffer.from(JSON.stringify({ ...claimsOf(token), filler: 'x'.repeat(200_000) })).toString('base64url')
      for (const text of [
        '',
        'x',
        'a.b.c',
        '..',
        token.split('.').slice(0, 2).join('.'),
        `${token}.a.b`,
        `${header}.W10.${signature}`,
        `${header}.bnVsbA.${signature}`,
        `${header}.${huge}.${signature}`,
        7,
        null,
        {},
        [token],
      ]) {
        altering?.end()
        alter(
          PATHS.token,
          editJson<TokenAnswer>((answer) => ({ ...answer, id_token: text })),
        )
        const { agent, page } = await attempt()
        assert.ok(page.status >= 400 && page.status < 600 && page.status !== 500, `${JSON.stringify(text).slice(0, 50)}: ${page.status} ${page.text}`)
        notSignedIn(agent, page, page.status)
      }
    })

    test('if the answer has none', async () => {
      alter(
        PATHS.token,
        editJson<TokenAnswer>(({ id_token: _, ...answer }) => answer),
      )
      const { agent, page } = await attempt()
      assert.ok(page.status === 400 || page.status === 502, page.text)
      notSignedIn(agent, page, page.status)
    })
  })

  describe('and small differences of clocks', () => {
    for (const [name, edit] of [
      ['a token that expired a moment ago', (claims: Claims) => ({ ...claims, exp: now() - 5 })],
      ['a token that was issued a moment from now', (claims: Claims) => ({ ...claims, iat: now() + 5, nbf: now() + 5 })],
    ] as const)
      test(name, async () => {
        altering = openid.alterIdToken(edit)
        const { agent, page } = await attempt()
        signedIn(agent, page)
      })
  })

  describe('and keys', () => {
    test('that are unknown are not looked up for every callback', async () => {
      const before = openid.front.callsTo(PATHS.keys).length
      for (let at = 0; at < FLOOD; at++) {
        altering?.end()
        altering = openid.alterIdToken((claims) => claims, { alg: 'RS256', key: numbered(at) })
        assert.equal(await refusedToken(), 'key')
      }
      const lookups = openid.front.callsTo(PATHS.keys).length - before
      assert.ok(lookups <= 2, `${lookups} requests for ${FLOOD} unknown keys`)
      // The others are served meanwhile.
      altering?.end()
      signedIn(...(await attemptPair()))
    })

    test('that were rotated are read again, when the last download is a minute ago', async (t) => {
      signedIn(...(await attemptPair()))
      for (const [at, keepsOld] of [false, true].entries()) {
        await openid.rotateKeys({ keepsOld })
        t.mock.timers.enable({ apis: ['Date'], now: Date.now() + (at + 1) * COOL_DOWN_MS })
        signedIn(...(await attemptPair()))
        t.mock.timers.reset()
      }
    })

    test('of another use or type are not taken', async () => {
      for (const change of [{ use: 'enc' }, { key_ops: ['encrypt'] }, { alg: 'RS512' }, { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', n: undefined, e: undefined }]) {
        const fresh = await startCertifiedProvider()
        try {
          const linked = await linkProvider(admin, fresh, { name: `keys ${JSON.stringify(change)}` })
          const account = await fresh.addAccount('keys@example.test')
          fresh.front.alter(PATHS.keys, () => jsonReply({ keys: [{ ...publicJwk(fresh.key), ...change }] }))
          const agent = new UserAgent()
          const page = await signIn(agent, origin(), linked, account)
          assert.ok(page.status >= 400 && page.status !== 500, `${JSON.stringify(change)}: ${page.status}`)
          notSignedIn(agent, page, page.status)
        } finally {
          await fresh.close()
        }
      }
    })

    test('of 1,024 bits are not taken', async () => {
      const fresh = await startCertifiedProvider()
      try {
        const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
        const weak = { kid: 'weak', privateKey, jwk: { ...privateKey.export({ format: 'jwk' }), kid: 'weak', alg: 'RS256', use: 'sig' } }
        const linked = await linkProvider(admin, fresh, { name: 'weak key' })
        const account = await fresh.addAccount('weak@example.test')
        fresh.front.alter(PATHS.keys, () => jsonReply(keySet([weak])))
        fresh.alterIdToken((claims) => claims, { alg: 'RS256', key: weak })
        const agent = new UserAgent()
        const page = await signIn(agent, origin(), linked, account)
        assert.ok(page.status >= 400 && page.status !== 500, page.text)
        notSignedIn(agent, page, page.status)
      } finally {
        await fresh.close()
      }
    })
  })

  const attemptPair = async (): Promise<[UserAgent, Awaited<ReturnType<typeof signIn>>]> => {
    const { agent, page } = await attempt()
    return [agent, page]
  }

  let foreignKey: ReturnType<typeof newSigningKey> | null = null
  /** A key of an attacker. */
  function foreign(): Extract<Signature, { alg: 'RS256' }> {
    foreignKey ??= newSigningKey()
    return { alg: 'RS256', key: foreignKey }
  }

  /** The attacker's key, under one id after the other. */
  function numbered(at: number): ReturnType<typeof newSigningKey> {
    const { key } = foreign()
    return { ...key, kid: `${key.kid}-${at}` }
  }

  /** A valid ID token that a client got. */
  async function tokenOf(client: LinkedProvider): Promise<string> {
    let token = ''
    const reading = openid.front.alter(PATHS.token, (reply) => {
      token = (JSON.parse(String(reply.body)) as TokenAnswer).id_token
      return reply
    })
    const agent = new UserAgent()
    await requestCallback(agent, client, await signInAtProvider(agent, origin(), client, person))
    reading.end()
    assert.notEqual(token, '')
    return token
  }
})
