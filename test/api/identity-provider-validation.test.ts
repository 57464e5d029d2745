/** `POST …/identity-providers/{provider_id}/validate` against a real provider: what it finds, in which field, and in which language. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { IdentityProviderRecord } from '../../server/features/sso/identity-providers/schema.js'
import { IDENTITY_PROVIDERS } from '../../server/features/sso/identity-providers/store.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { type Actor, addMember, bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Client } from '../support/client.js'
import { createProvider, providersOf } from '../support/identity-providers.js'
import { type CertifiedProvider, PATHS, startCertifiedProvider } from '../support/openid/certified.js'
import { editJson, jsonReply } from '../support/openid/front.js'
import type { RegisteredClient } from '../support/openid/provider.js'

interface Finding {
  readonly code: string
  readonly message: string
  readonly hint: string | null
  readonly path: string | null
  readonly details: Readonly<Record<string, unknown>>
}
interface Validation {
  readonly valid: boolean
  readonly issuer: string | null
  readonly authorization_endpoint: string | null
  readonly token_endpoint: string | null
  readonly jwks_uri: string | null
  readonly warnings: readonly Finding[]
  readonly errors: readonly Finding[]
}

describe('a validation of an identity provider', () => {
  let app: TestApp
  let admin: Actor
  let openid: CertifiedProvider
  let client: RegisteredClient
  let provider: IdentityProviderRecord

  const validate = async (caller: Client = admin.client, { id }: { readonly id: string } = provider): Promise<Validation> => {
    const { status, body, text } = await caller.post<Validation>(`${providersOf(admin)}/${id}/validate`)
    assert.equal(status, 200, text)
    return body
  }
  const codesOf = (findings: readonly Finding[]) => findings.map(({ code, path }) => [code, path])
  /** Validates a provider with other settings than the right ones. */
  async function validateWith(settings: object): Promise<Validation> {
    const made = await createProvider(admin, { issuer: openid.issuer, client_id: client.clientId, client_secret: client.clientSecret, ...settings })
    const body = await validate(admin.client, made)
    assert.equal((await admin.client.delete(`${providersOf(admin)}/${made.id}`)).status, 204)
    return body
  }

  before(async () => {
    openid = await startCertifiedProvider()
    client = await openid.register()
    app = await startTestApp({ env: { NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true' } })
    admin = await bootstrap(app.client)
    provider = await createProvider(admin, { issuer: openid.issuer, client_id: client.clientId, client_secret: client.clientSecret })
    await client.redirectTo(provider.redirect_uri)
  })
  after(async () => {
    await app?.close()
    await openid?.close()
  })

  test('finds nothing in right settings, and any member may ask', async () => {
    const member = await addMember(admin, 'read_only')
    assert.deepEqual(await validate(member.client), {
      valid: true,
      issuer: openid.issuer,
      authorization_endpoint: `${openid.issuer}/auth`,
      token_endpoint: `${openid.issuer}${PATHS.token}`,
      jwks_uri: `${openid.issuer}${PATHS.keys}`,
      warnings: [],
      errors: [],
    })
  })

  test('names the field of each wrong setting', async () => {
    const slash = await validateWith({ issuer: `${openid.issuer}/` })
    assert.deepEqual([slash.valid, slash.token_endpoint, codesOf(slash.errors)], [false, null, [['oidc_issuer_mismatch', '/issuer']]])
    assert.deepEqual(slash.errors[0].details, { expected: `${openid.issuer}/`, found: openid.issuer })
    await client.redirectTo(provider.redirect_uri)
    for (const [settings, ...errors] of [
      [{ client_secret: 'wrong' }, ['oidc_answer_invalid', '/client_id'], ['oidc_client_refused', '/client_secret']],
      [{ client_id: 'unknown' }, ['oidc_answer_invalid', '/client_id'], ['oidc_client_refused', '/client_secret']],
      [{ discovery_url: `${openid.issuer}/nothing` }, ['oidc_answer_invalid', '/discovery_url']],
      [{ issuer: 'http://127.0.0.1:9' }, ['oidc_unreachable', '/issuer']],
    ] as const) {
      const found = await validateWith(settings)
      assert.deepEqual([found.valid, codesOf(found.errors)], [false, errors])
    }
  })

  test('finds what the provider answers wrongly', async () => {
    for (const [path, fault, code] of [
      [PATHS.metadata, editJson<object>((metadata) => ({ ...metadata, jwks_uri: undefined })), 'oidc_answer_invalid'],
      [PATHS.metadata, editJson<object>((metadata) => ({ ...metadata, id_token_signing_alg_values_supported: ['HS256'] })), 'oidc_unsupported'],
      [PATHS.metadata, () => ({ ...jsonReply(''), body: Buffer.alloc(10 * 1024 * 1024, 'x') }), 'oidc_too_large'],
      [PATHS.keys, () => jsonReply({ keys: [] }), 'oidc_answer_invalid'],
      [PATHS.token, () => jsonReply({}, 502), 'oidc_unreachable'],
      ['/auth', () => jsonReply({}, 503), 'oidc_unreachable'],
    ] as const) {
      const altering = openid.front.alter(path, fault)
      const { valid, errors } = await validate()
      altering.end()
      assert.deepEqual([valid, errors.map((error) => error.code)], [false, [code]])
    }
    // Whatever was cached, the answer is fresh.
    assert.equal((await validate()).valid, true)
  })

  test('warns of what may be unintended, in the language of the request', async () => {
    const settings = { default_role: 'org_admin', domains: ['unproven.example'], scopes: ['openid', 'calendar'] }
    const changed = await admin.client.patch(`${providersOf(admin)}/${provider.id}`, settings)
    assert.equal(changed.status, 200, changed.text)
    const { valid, warnings } = await validate()
    assert.deepEqual(
      [valid, codesOf(warnings)],
      [
        true,
        [
          ['scope_unsupported', '/scopes'],
          ['domain_unproven', '/domains/0'],
          ['default_role_admin', '/default_role'],
        ],
      ],
    )
    const inEnglish = await validate(admin.client.as({ headers: { 'x-locale': 'en-US' } }))
    const inPortuguese = await validate(admin.client.as({ headers: { 'x-locale': 'pt-BR' } }))
    assert.match(inEnglish.warnings[2].message, /administrator/)
    assert.match(inPortuguese.warnings[2].message, /administradoras/)
    const entra = await createProvider(admin, {
      issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0',
      discovery_url: 'http://127.0.0.1:9/',
      tenant_ids: ['72f988bf-86f1-41af-91ab-2d7cd011db47'],
    })
    assert.deepEqual(codesOf((await validate(admin.client, entra)).warnings), [['email_unverified', '/trust_email']])
  })

  test('says that a secret cannot be read any more, and asks nobody', async () => {
    await new Tenancy(app.service.storage)
      .of(admin.organizationId)
      .collection(IDENTITY_PROVIDERS)
      .update({ _id: provider.id }, { set: { client_secret: 'v1.AAAA' } })
    const calls = openid.front.calls.length
    const { valid, errors } = await validate()
    assert.deepEqual([valid, codesOf(errors)], [false, [['credentials_unreadable', '/client_secret']]])
    assert.equal(openid.front.calls.length, calls)
  })

  test('no answer and no line of the log has the secret', async () => {
    assert.ok(!app.log.join('').includes(client.clientSecret))
  })
})
