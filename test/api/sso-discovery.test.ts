/** `/sso/discovery`: which provider is for an e-mail address, whatever the store, and what it does not tell. */
import assert from 'node:assert/strict'
import test, { describe } from 'node:test'
import { THROTTLES } from '../../server/core/auth/throttles.js'
import { type Actor, addMember, anonymous, bootstrap, register } from '../support/actors.js'
import type { Answer, Client } from '../support/client.js'
import { createProvider, providersOf } from '../support/identity-providers.js'
import { withInstances } from '../support/instances.js'
import { ALL_STORES, from, PROXIED, refused, SIGNUP, waitFor, withApp } from './steps.js'

interface Found {
  readonly provider_id: string | null
  readonly name: string | null
  readonly kind: string | null
  readonly login_url: string | null
}
interface Domain {
  readonly id: string
  readonly txt_record: { readonly name: string; readonly value: string }
}

const PATH = '/sso/discovery'
const NONE: Found = { provider_id: null, name: null, kind: null, login_url: null }
const discover = (client: Client, email: string, call = {}): Promise<Answer<Found>> => anonymous(client).post<Found>(PATH, { email }, call)
const found = async (client: Client, email: string): Promise<Found> => {
  const { status, body, text } = await discover(client, email)
  assert.equal(status, 200, text)
  return body
}

async function prove({ client, organizationId }: Actor, domain: string, records: Map<string, string[]>): Promise<void> {
  const claims = `/platform/organizations/${organizationId}/domains`
  const claimed = await client.post<Domain>(claims, { domain })
  assert.equal(claimed.status, 200, claimed.text)
  records.set(claimed.body.txt_record.name, [claimed.body.txt_record.value])
  const verified = await client.post(`${claims}/${claimed.body.id}/verify`)
  assert.equal(verified.status, 200, verified.text)
}

for (const store of ALL_STORES) {
  describe(`discovery, ${store.name}`, { skip: store.skip }, () => {
    test('finds the provider that lists the domain, at every instance', () => {
      const env = { ...SIGNUP, NATIVE_SERVICE_PUBLIC_BASE_URL: 'https://detection.example.com' }
      const records = new Map<string, string[]>()
      return withInstances(store, { env, readTxt: async (name) => records.get(name) ?? [] }, async ({ app, apps, admin }) => {
        const far = apps.at(-1)!.client
        const provider = await createProvider(admin, { name: 'Login of Example', domains: ['example.com', 'exämple.test'] })
        const expected = {
          provider_id: provider.id,
          name: 'Login of Example',
          kind: 'oidc',
          login_url: `https://detection.example.com/api/v1/sso/oidc/${provider.id}/login`,
        }
        // The address of an account has the same answer as any other of the domain.
        await addMember(admin, 'engineer', 'ana@example.com')
        for (const email of ['ana@example.com', 'nobody@example.com', 'NOBODY@Example.COM', 'x@xn--exmple-cua.test', 'x@exämple.test'])
          assert.deepEqual(await found(far, email), expected, email)
        for (const email of ['ana@sub.example.com', 'ana@com', 'ana@example.com.evil.test', 'ana@notexample.com', admin.email])
          assert.deepEqual(await found(far, email), NONE, email)

        // A proof takes the domain from an organization that has not proven it, whether or not a provider lists it then.
        const owner = await register(app.client, 'owner')
        await prove(owner, 'example.com', records)
        assert.deepEqual(await found(far, 'ana@example.com'), NONE)
        assert.equal((await found(far, 'x@exämple.test')).provider_id, provider.id)
        const own = await createProvider(owner, { domains: ['example.com'] })
        assert.equal((await found(far, 'ana@example.com')).provider_id, own.id)

        assert.equal((await owner.client.patch(`${providersOf(owner)}/${own.id}`, { domains: [] })).status, 200)
        assert.deepEqual(await found(far, 'ana@example.com'), NONE)
        assert.equal((await admin.client.delete(`${providersOf(admin)}/${provider.id}`)).status, 204)
        assert.deepEqual(await found(far, 'x@exämple.test'), NONE)
      })
    })

    test('finds no provider of a suspended organization', () =>
      withInstances(store, { env: SIGNUP }, async ({ app, apps, admin }) => {
        const owner = await register(app.client, 'owner')
        const provider = await createProvider(owner, { domains: ['example.com'] })
        const far = apps.at(-1)!.client
        assert.equal((await found(far, 'ana@example.com')).provider_id, provider.id)
        const suspend = (is_active: boolean) => admin.client.patch(`/platform/admin/organizations/${owner.organizationId}`, { is_active })
        assert.equal((await suspend(false)).status, 200)
        await waitFor(async () => ((await found(far, 'ana@example.com')).provider_id === null ? true : undefined))
        assert.deepEqual(await found(far, 'ana@example.com'), NONE)
        assert.equal((await suspend(true)).status, 200)
        await waitFor(async () => ((await found(far, 'ana@example.com')).provider_id === provider.id ? true : undefined))
      }))
  })
}

test('discovery takes an e-mail address and nothing else', () =>
  withApp({}, async ({ client }) => {
    await bootstrap(client)
    const wrong: readonly object[] = [
      {},
      { email: '' },
      { email: 'example.com' },
      { email: 'a@b@example.com' },
      { email: null },
      { email: ['a@example.com'] },
      { email: 'a@example.com', x: 1 },
    ]
    for (const body of wrong) refused(await anonymous(client).post(PATH, body), 422, 'request_validation_failed')
  }))

test('discovery is limited for each address, also where rate limits are off', () =>
  withApp({ env: PROXIED }, async ({ client }) => {
    await bootstrap(client)
    const { limit, name } = THROTTLES.discoveryByAddress
    for (let at = 0; at < limit; at++) assert.equal((await discover(client, `a@d${at}.example`, from('192.0.2.1'))).status, 200)
    const { details } = refused(await discover(client, 'a@example.com', from('192.0.2.1')), 429, 'rate_limited')
    assert.equal(details.route, name)
    assert.equal((await discover(client, 'a@example.com', from('192.0.2.2'))).status, 200)
  }))
