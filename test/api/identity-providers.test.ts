/** Identity providers over HTTP: create, list, get, update, delete; how their secrets are stored, whose their domains are, and when their sessions end. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SESSIONS } from '../../server/core/auth/sessions.js'
import { DOMAIN_PROOFS } from '../../server/features/accounts/domains/store.js'
import { ListedDomains } from '../../server/features/sso/identity-providers/listed-domains.js'
import type { IdentityProviderRecord } from '../../server/features/sso/identity-providers/schema.js'
import { IDENTITY_PROVIDER_DOMAINS, IDENTITY_PROVIDERS } from '../../server/features/sso/identity-providers/store.js'
import { IDENTITY_PROVIDERS_LIMIT } from '../../server/features/sso/identity-providers/service.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { addMember, type Actor, bootstrap, createKey, login, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Client, Refusal } from '../support/client.js'
import { createProvider, providersOf } from '../support/identity-providers.js'
import { atOrigin, withInstances } from '../support/instances.js'
import { ALL_STORES, from, PROXIED, refused, SIGNUP, stored, waitFor, withApp } from './steps.js'

interface Entry {
  readonly action: string
  readonly actor_type: string
  readonly diff: Readonly<Record<string, { readonly before: unknown; readonly after: unknown }>>
}
interface Claim {
  readonly id: string
  readonly txt_record: { readonly name: string; readonly value: string }
}

const SECRET = 'mark-of-the-client-secret'
const BASIC = { name: 'Company login', kind: 'oidc', issuer: 'https://9.9.9.9/realms/staff', client_id: 'detection-content' }
const TENANTS = ['72F988BF-86F1-41AF-91AB-2D7CD011DB47', '9122040d-6c67-4c5b-b112-36a304b66dad']
const ENTRA = {
  issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0',
  discovery_url: 'https://9.9.9.9/organizations/v2.0/.well-known/openid-configuration',
  tenant_ids: TENANTS,
}

/** Paths of the fields that a 422 names. */
const pathsOf = ({ details }: Refusal): string[] => (details as { errors: { path: string }[] }).errors.map(({ path }) => path).sort()
const domainsOf = ({ organizationId }: Actor): string => `/platform/organizations/${organizationId}/domains`

describe('identity providers', () => {
  let app: TestApp
  let admin: Actor
  let sequence = 0
  const records = new Map<string, string[]>()
  const itemOf = (actor: Actor, { id }: { readonly id: string }): string => `${providersOf(actor)}/${id}`
  const organization = () => register(app.client.as(from(`10.0.1.${++sequence}`)), `idp${sequence}`)
  const get = async (actor: Actor, provider: { readonly id: string }) => (await actor.client.get<IdentityProviderRecord>(itemOf(actor, provider))).body
  const audit = async (actor: Actor, { id }: { readonly id: string }) => (await actor.client.get<Entry[]>(`/platform/audit?resource_id=${id}&order=asc`)).body
  const storedProvider = (actor: Actor, { id }: { readonly id: string }) =>
    new Tenancy(app.service.storage).of(actor.organizationId).collection(IDENTITY_PROVIDERS).findOne({ _id: id })

  /** Claims a domain and proves it. */
  async function prove(actor: Actor, domain: string): Promise<Claim> {
    const { body } = await actor.client.post<Claim>(domainsOf(actor), { domain })
    records.set(domain, [body.txt_record.value])
    const verified = await actor.client.post(`${domainsOf(actor)}/${body.id}/verify`)
    assert.equal(verified.status, 200, verified.text)
    return body
  }

  /** A session of the actor as if the provider had opened it. */
  async function throughProvider({ email }: Actor, { id }: { readonly id: string }): Promise<Client> {
    const session = await login(app.client, email)
    const { jti } = JSON.parse(Buffer.from(session.token.split('.')[1], 'base64url').toString()) as { readonly jti: string }
    await app.service.storage.open(SESSIONS).update({ _id: jti }, { set: { provider_id: id } })
    return session.client
  }

  before(async () => {
    app = await startTestApp({ env: { ...SIGNUP, ...PROXIED }, readTxt: async (name) => records.get(name) ?? [] })
    admin = await bootstrap(app.client)
  })
  after(() => app?.close())

  test('a provider is created with defaults, and nothing shows its secret', async () => {
    const made = await createProvider(admin, { ...BASIC, name: ' Company login ', client_secret: SECRET })
    const { id, created_at, updated_at, client_secret_set_at, ...rest } = made
    assert.deepEqual(rest, {
      ...BASIC,
      organization_id: admin.organizationId,
      has_client_secret: true,
      discovery_url: null,
      scopes: ['openid', 'email', 'profile'],
      default_role: 'read_only',
      domains: [],
      trust_email: false,
      email_claim: 'email',
      groups_claim: null,
      required_claims: [],
      tenant_ids: [],
      redirect_uri: `${app.client.origin}/api/v1/sso/oidc/callback?provider_id=${id}`,
    })
    assert.ok(created_at === updated_at && created_at === client_secret_set_at)
    assert.deepEqual(await get(admin, made), made)
    assert.deepEqual(
      (await admin.client.get<IdentityProviderRecord[]>(providersOf(admin))).body.find((each) => each.id === id),
      made,
    )
    const [entry] = await audit(admin, made)
    assert.deepEqual([entry.action, Object.keys(entry.diff).includes('client_secret')], ['identity_provider.created', false])
    assert.match((await storedProvider(admin, made))?.client_secret ?? '', /^v1\./)
    assert.ok(!(await stored(app)).includes(SECRET), 'the secret is stored in plain text')
    assert.ok(!app.log.join('').includes(SECRET))
  })

  test('wrong settings are refused, with the place of each wrong field', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `d${at}.example`)
    for (const [change, ...paths] of [
      [{ kind: 'saml' }, '/kind'],
      [{ name: ' ' }, '/name'],
      [{ issuer: 'http://9.9.9.9' }, '/issuer'],
      [{ issuer: 'https://user:password@9.9.9.9' }, '/issuer'],
      [{ issuer: 'https://9.9.9.9/?a=b' }, '/issuer'],
      [{ issuer: 'https://9.9.9.9/#' }, '/issuer'],
      [{ issuer: 'staff' }, '/issuer'],
      [{ issuer: 'https://9.9.9.9/{tenant}/v2.0', discovery_url: 'http://9.9.9.9' }, '/discovery_url'],
      [{ discovery_url: 'https://9.9.9.9/#x' }, '/discovery_url'],
      [{ client_id: '' }, '/client_id'],
      [{ client_secret: '' }, '/client_secret'],
      [{ client_secret: 'não' }, '/client_secret'],
      [{ scopes: ['two words'] }, '/scopes/0'],
      [{ default_role: 'owner' }, '/default_role'],
      [{ domains: ['ok.example', 'not a domain', '127.0.0.1'] }, '/domains/1', '/domains/2'],
      [{ domains: many(101) }, '/domains'],
      [{ required_claims: [{ claim: 'hd', values: [] }] }, '/required_claims/0/values'],
      [
        {
          required_claims: [
            { claim: 'hd', values: ['a'] },
            { claim: 'hd', values: ['b'] },
          ],
        },
        '/required_claims/1/claim',
      ],
      [{ tenant_ids: ['common'] }, '/tenant_ids/0'],
      [{ ...ENTRA, discovery_url: null, tenant_ids: [] }, '/discovery_url', '/tenant_ids'],
      [{ issuer: 'https://accounts.google.com' }, '/required_claims'],
      [{ tenant_ids: ['9188040d-6c67-4c5b-b112-36a304b66dad'] }, '/required_claims'],
      [{ provider_id: 'x' }, '/provider_id'],
    ] as const) {
      const refusal = refused(await admin.client.post(providersOf(admin), { ...BASIC, ...change }), 422, 'request_validation_failed')
      assert.deepEqual(pathsOf(refusal), paths, JSON.stringify(change))
    }
    for (const change of [{ issuer: 'https://127.0.0.1' }, { issuer: 'https://localhost/a' }, { discovery_url: 'https://169.254.169.254/latest' }]) {
      refused(await admin.client.post(providersOf(admin), { ...BASIC, ...change }), 400, 'bad_request')
    }
    const made = await createProvider(admin, { ...BASIC, ...ENTRA })
    assert.deepEqual(
      made.tenant_ids,
      TENANTS.map((id) => id.toLowerCase()),
    )
    for (const change of [{ tenant_ids: [] }, { discovery_url: null }]) refused(await admin.client.patch(itemOf(admin, made), change), 422, 'request_validation_failed')
  })

  test('an update changes what is sent, honours If-Match, and keeps the secret from other servers', async () => {
    const made = await createProvider(admin, { ...BASIC, client_secret: SECRET })
    const etag = (await admin.client.get(itemOf(admin, made))).headers.get('etag') ?? ''
    const changed = await admin.client.patch<IdentityProviderRecord>(
      itemOf(admin, made),
      { name: 'Staff', groups_claim: 'groups', required_claims: [{ claim: 'https://a.example/department', values: ['soc', 'noc'] }] },
      { headers: { 'If-Match': etag } },
    )
    assert.equal(changed.status, 200, changed.text)
    assert.deepEqual([changed.body.name, changed.body.groups_claim, changed.body.client_id, changed.body.has_client_secret], ['Staff', 'groups', BASIC.client_id, true])
    refused(await admin.client.patch(itemOf(admin, made), { name: 'Late' }, { headers: { 'If-Match': etag } }), 412, 'precondition_failed')
    const sealed = (await storedProvider(admin, made))?.client_secret
    for (const change of [{ issuer: 'https://9.9.9.10' }, { discovery_url: 'https://9.9.9.10/metadata' }]) {
      assert.deepEqual(pathsOf(refused(await admin.client.patch(itemOf(admin, made), change), 422, 'request_validation_failed')), ['/client_secret'])
      assert.equal((await storedProvider(admin, made))?.client_secret, sealed)
    }
    const moved = await admin.client.patch<IdentityProviderRecord>(itemOf(admin, made), { issuer: 'https://9.9.9.10', client_secret: null })
    assert.deepEqual([moved.status, moved.body.issuer, moved.body.has_client_secret, moved.body.client_secret_set_at], [200, 'https://9.9.9.10', false, null])
    // A public client has no secret to protect.
    assert.equal((await admin.client.patch(itemOf(admin, made), { issuer: BASIC.issuer })).status, 200)
    const same = await admin.client.patch(itemOf(admin, made), { name: 'Staff' })
    assert.equal(same.status, 200)
    assert.deepEqual(
      (await audit(admin, made)).slice(1).map(({ action, diff }) => [action, ...Object.keys(diff)]),
      [
        ['identity_provider.updated', 'name', 'groups_claim', 'required_claims'],
        ['identity_provider.updated', 'issuer', 'client_secret_set_at'],
        ['identity_provider.updated', 'issuer'],
      ],
    )
  })

  test('members see the providers, admins alone change them, and others see nothing', async () => {
    const owner = await organization()
    const made = await createProvider(owner)
    const member = await addMember(owner, 'read_only', `reader${++sequence}@example.test`)
    assert.deepEqual((await member.client.get<IdentityProviderRecord[]>(providersOf(owner))).body, [made])
    assert.deepEqual(await get(member, made), made)
    refused(await member.client.post(providersOf(owner), BASIC), 403, 'forbidden')
    refused(await member.client.patch(itemOf(owner, made), { name: 'x' }), 403, 'forbidden')
    refused(await member.client.delete(itemOf(owner, made)), 403, 'forbidden')
    refused(await (await createKey(owner, ['admin:*'])).client.get(providersOf(owner)), 401, 'unauthorized')
    const stranger = await organization()
    refused(await stranger.client.get(providersOf(owner)), 404, 'not_found')
    for (const call of [
      stranger.client.get(itemOf(stranger, made)),
      stranger.client.patch(itemOf(stranger, made), { name: 'x' }),
      stranger.client.delete(itemOf(stranger, made)),
    ]) {
      refused(await call, 404, 'not_found')
    }
    assert.deepEqual((await stranger.client.get(providersOf(stranger))).body, [])
    assert.deepEqual(await get(owner, made), made)
  })

  test('a domain is listed by one provider, and a proven one goes to the organization that has proven it', async () => {
    const tenancy = new Tenancy(app.service.storage)
    const provenBy = async (domain: string) => (await tenancy.locate(DOMAIN_PROOFS, 'domain', domain))?.scope.organizationId ?? null
    const listed = new ListedDomains({ tenancy, domains: { provenBy } })
    const [first, second] = [await organization(), await organization()]
    const listing = await createProvider(first, { domains: ['Shared.Example.', 'shared.example', 'bücher.example'] })
    assert.deepEqual(listing.domains, ['shared.example', 'xn--bcher-kva.example'])
    refused(await first.client.post(providersOf(first), { ...BASIC, domains: ['shared.example'] }), 409, 'conflict')
    refused(await second.client.post(providersOf(second), { ...BASIC, domains: ['shared.example'] }), 409, 'conflict')
    refused(await second.client.post(providersOf(second), { ...BASIC, domains: ['gmail.com'] }), 400, 'bad_request')
    const rival = await createProvider(second, { domains: ['other.example'] })
    assert.equal((await listed.providerFor('ana@shared.example'))?.provider._id, listing.id)
    await prove(second, 'shared.example')
    // The proof alone already ends discovery there, before the other organization lists the domain.
    assert.equal(await listed.providerFor('ana@shared.example'), null)
    const taken = await second.client.patch<IdentityProviderRecord>(itemOf(second, rival), { domains: ['other.example', 'shared.example'] })
    assert.deepEqual([taken.status, taken.body.domains], [200, ['other.example', 'shared.example']])
    assert.deepEqual((await get(first, listing)).domains, ['xn--bcher-kva.example'])
    for (const [email, id] of [
      ['ana@shared.example', rival.id],
      ['Ana@SHARED.example', rival.id],
      ['ana@bücher.example', listing.id],
      ['ana@sub.shared.example', undefined],
      ['ana@nobodys.example', undefined],
      ['shared.example@', undefined],
    ] as const)
      assert.equal((await listed.providerFor(email))?.provider._id, id, email)
    const last = (await audit(first, listing)).at(-1)
    assert.deepEqual([last?.action, last?.actor_type], ['identity_provider.domain_displaced', 'system'])
    // Nor is it listed again there, where it is not proven.
    refused(await first.client.patch(itemOf(first, listing), { domains: ['shared.example'] }), 409, 'conflict')
    // A domain that is removed, or whose provider is deleted, is free.
    assert.equal((await first.client.patch(itemOf(first, listing), { domains: [] })).status, 200)
    await createProvider(second, { domains: ['xn--bcher-kva.example'] })
    assert.equal((await second.client.delete(itemOf(second, rival))).status, 204)
    assert.deepEqual((await createProvider(first, { domains: ['other.example'] })).domains, ['other.example'])
  })

  test('its sessions end with a provider, and with its issuer', async () => {
    const owner = await organization()
    const [leaving, staying] = [await createProvider(owner), await createProvider(owner)]
    const member = await addMember(owner, 'engineer', `leaver${++sequence}@example.test`)
    const through = [await throughProvider(member, leaving), await throughProvider(owner, leaving)]
    const [other, third] = [await throughProvider(member, staying), await throughProvider(member, staying)]
    for (const client of [...through, other, third]) assert.equal((await client.get('/platform/projects')).status, 200)
    assert.equal((await owner.client.patch(itemOf(owner, staying), { name: 'Renamed' })).status, 200)
    assert.equal((await owner.client.delete(itemOf(owner, leaving))).status, 204)
    for (const client of through) refused(await client.get('/platform/projects'), 401, 'unauthorized')
    for (const client of [other, member.client]) assert.equal((await client.get('/platform/projects')).status, 200)
    const deleted = (await audit(owner, leaving)).at(-1)
    assert.deepEqual([deleted?.action, deleted?.diff.sessions], ['identity_provider.deleted', { before: 2, after: 0 }])
    assert.equal((await owner.client.patch(itemOf(owner, staying), { issuer: 'https://9.9.9.10' })).status, 200)
    refused(await other.get('/platform/projects'), 401, 'unauthorized')
    assert.equal((await member.client.get('/platform/projects')).status, 200)
  })

  test('an organization has a limited number of providers', async () => {
    const owner = await organization()
    const answers = await Promise.all(Array.from({ length: IDENTITY_PROVIDERS_LIMIT + 3 }, () => owner.client.post(providersOf(owner), BASIC)))
    assert.deepEqual(
      [200, 409].map((status) => answers.filter((answer) => answer.status === status).length),
      [IDENTITY_PROVIDERS_LIMIT, 3],
    )
  })
})

for (const store of ALL_STORES) {
  describe(`identity providers at once, ${store.name}`, { skip: store.skip }, () => {
    test('a deleted provider ends its sessions on every instance', () =>
      withInstances(store, {}, async ({ app, apps, admin, at }) => {
        const provider = await createProvider(admin)
        const member = await addMember(admin, 'engineer')
        const sessions = app.service.storage.open(SESSIONS)
        const { jti } = JSON.parse(Buffer.from(member.token.split('.')[1], 'base64url').toString()) as { readonly jti: string }
        await sessions.update({ _id: jti }, { set: { provider_id: provider.id } })
        for (const [index] of apps.entries()) assert.equal((await atOrigin(member, apps[index].client).get('/platform/projects')).status, 200)
        assert.equal((await at(1).delete(`${providersOf(admin)}/${provider.id}`)).status, 204)
        for (const { client } of apps) await waitFor(async () => ((await atOrigin(member, client).get('/platform/projects')).status === 401 ? true : undefined))
        assert.equal(await sessions.findOne({ _id: jti }), null)
        assert.equal((await at(0).get('/platform/projects')).status, 200)
      }))

    test('two organizations that list a domain at once do not both list it', () =>
      withApp({ store, env: SIGNUP }, async ({ client, service }) => {
        await bootstrap(client)
        const actors = [await register(client, 'one'), await register(client, 'two')]
        const providers = await Promise.all(actors.map((actor) => createProvider(actor)))
        for (let round = 0; round < 5; round++) {
          const domain = `contested${round}.example`
          const answers = await Promise.all(
            actors.flatMap((actor, at) => [
              actor.client.patch<IdentityProviderRecord>(`${providersOf(actor)}/${providers[at].id}`, { domains: [domain] }),
              actor.client.post<IdentityProviderRecord>(providersOf(actor), { ...BASIC, domains: [domain] }),
            ]),
          )
          assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409], answers.map(({ text }) => text).join('\n'))
          const all = (await Promise.all(actors.map((actor) => actor.client.get<IdentityProviderRecord[]>(providersOf(actor))))).flatMap(({ body }) => body)
          const listing = all.filter(({ domains }) => domains.includes(domain))
          const entry = await new Tenancy(service.storage).locate(IDENTITY_PROVIDER_DOMAINS, '_id', domain)
          assert.deepEqual(
            listing.map(({ id }) => id),
            [entry?.document.provider_id],
          )
        }
      }))
  })
}
