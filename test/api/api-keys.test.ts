import assert from 'node:assert/strict'
import test, { after, before, describe } from 'node:test'
import { DELIVERIES } from '../../server/features/webhooks/store.js'
import { addMember, type Actor, anonymous, bootstrap, createKey, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Client, Refusal } from '../support/client.js'
import { REPLICA_SET, type TestStore } from '../support/stores.js'
import { ALL_STORES, refused, SIGNUP, stored, waitFor, withApp } from './steps.js'

interface Key {
  readonly id: string
  readonly organization_id: string
  readonly name: string
  readonly prefix: string
  readonly scopes: readonly string[]
  readonly expires_at: string | null
  readonly last_used_at: string | null
  readonly api_key?: string
}

const keysOf = ({ organizationId }: Actor): string => `/platform/organizations/${organizationId}/api-keys`
const health = (client: Client, key: string) => anonymous(client).get('/health', { key })

describe('API keys', () => {
  let app: TestApp
  let client: Client
  let admin: Actor
  let other: Actor

  before(async () => {
    app = await startTestApp({ env: SIGNUP })
    client = app.client
    admin = await bootstrap(client)
    other = await register(client, 'other')
  })
  after(() => app.close())

  test('a key is returned once, and works in the header and as a bearer token', async () => {
    const begun = Date.now()
    const { status, body, text } = await admin.client.post<Key>(keysOf(admin), { name: ' CI ', scopes: ['analysis:run', 'projects:read'], expires_at: '2099-01-01T00:00:00+02:00' })
    assert.equal(status, 200, text)
    assert.match(body.api_key ?? '', /^svk_[0-9A-Za-z]{40}$/)
    assert.ok(body.api_key?.startsWith(body.prefix) && body.prefix.length === 12)
    assert.deepEqual([body.name, body.scopes, body.expires_at, body.last_used_at], ['CI', ['analysis:run', 'projects:read'], '2098-12-31T22:00:00.000Z', null])
    assert.equal((await health(client, body.api_key ?? '')).status, 200)
    assert.equal((await anonymous(client).get('/health', { token: body.api_key ?? '' })).status, 200)
    const listed = await admin.client.get<Key[]>(keysOf(admin))
    assert.ok(!listed.text.includes(body.api_key ?? '-') && !('api_key' in listed.body[0]))
    assert.equal(listed.body[0].prefix, body.prefix)
    const used = Date.parse(await waitForUse(admin, body.id))
    assert.ok(used >= begun && used <= Date.now())
    assert.ok(!(await stored(app)).includes(body.api_key?.slice(12) ?? '-'))
  })

  test('the fields of a key are validated', async () => {
    const right = { name: 'CI', scopes: ['analysis:run'], expires_at: null }
    for (const wrong of [
      { scopes: ['analysis:everything'] },
      { scopes: [] },
      { scopes: ['cases:run', 'cases:run'] },
      { scopes: 'cases:run' },
      { name: '' },
      { name: 'x'.repeat(121) },
      { expires_at: 'tomorrow' },
      { expires_at: '2099-02-30T00:00:00Z' },
      { expires_at: 4070908800 },
      // Beyond the years that a timestamp can have, because of its offset.
      { expires_at: '9999-12-31T23:59:59-23:59' },
      { expires_at: '0000-01-01T00:00:00+23:59' },
      { expires_at: '2020-01-01T00:00:00Z' },
      { name: '\u200b\u2060' },
      { name: 'CI \u202egnp' },
      { other: 1 },
    ]) {
      refused(await admin.client.post(keysOf(admin), { ...right, ...wrong }), 422, 'request_validation_failed')
    }
    assert.equal((await admin.client.post<Key>(keysOf(admin), { name: 'CI', scopes: ['analysis:run'] })).body.expires_at, null)
  })

  test('a wrong, truncated or expired key is refused', async () => {
    const { key } = await createKey(admin, ['analysis:run'])
    const flipped = `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`
    for (const wrong of [flipped, key.slice(0, -1), `${key}x`, key.toLowerCase(), 'svk_', 'svk_unknown', 'nothing', `${key.slice(0, 4)}aaaaaaaa${key.slice(12)}`]) {
      refused(await health(client, wrong), 401, 'unauthorized')
      refused(await anonymous(client).get('/health', { token: wrong }), 401, 'unauthorized')
    }
    assert.equal((await health(client, key)).status, 200)
  })

  test('only members who may manage keys can, in their own organization', async () => {
    const lead = await addMember(admin, 'security_content_lead')
    const { id } = await createKey(admin, ['analysis:run'])
    for (const [method, path] of [
      ['GET', keysOf(admin)],
      ['POST', keysOf(admin)],
      ['POST', `${keysOf(admin)}/${id}/rotate`],
      ['DELETE', `${keysOf(admin)}/${id}`],
    ] as const) {
      const body = path === keysOf(admin) && method === 'POST' ? { body: { name: 'x', scopes: ['cases:run'] } } : {}
      refused(await lead.client.call(method, path, body), 403, 'forbidden')
      refused(await other.client.call(method, path, body), 404, 'not_found')
      if (path !== keysOf(admin)) refused(await other.client.call(method, path.replace(admin.organizationId, other.organizationId), body), 404, 'not_found')
    }
    const weak = await createKey(admin, ['projects:write', 'integrations:manage'])
    refused(await weak.client.get(keysOf(admin)), 403, 'forbidden')
    const strong = await createKey(admin, ['admin:*'])
    assert.equal((await strong.client.get(keysOf(admin))).status, 200)
    refused(await strong.client.get(keysOf(other)), 404, 'not_found')
  })

  test('a key is bound to its organization', async () => {
    const { client: caller } = await createKey(admin, ['admin:*'])
    assert.equal((await caller.get('/health', { organization: admin.organizationId })).status, 200)
    const theirs = refused(await caller.get('/health', { organization: other.organizationId }), 403, 'forbidden')
    const nobodys = refused(await caller.get('/health', { organization: 'unknown' }), 403, 'forbidden')
    assert.equal(theirs.message, nobodys.message)
  })

  test('a rotation creates a new secret, and invalidates the old one at once', async () => {
    const { id, key } = await createKey(admin, ['analysis:run'])
    assert.equal((await health(client, key)).status, 200)
    const rotated = await admin.client.post<Key>(`${keysOf(admin)}/${id}/rotate`)
    assert.equal(rotated.status, 200, rotated.text)
    refused(await health(client, key), 401, 'unauthorized')
    assert.equal((await health(client, rotated.body.api_key ?? '')).status, 200)
    assert.deepEqual([rotated.body.id, rotated.body.prefix, rotated.body.scopes], [id, key.slice(0, 12), ['analysis:run']])
    refused(await admin.client.post(`${keysOf(admin)}/unknown/rotate`), 404, 'not_found')
  })

  test('a revoked key is refused at once', async () => {
    const { id, key } = await createKey(admin, ['analysis:run'])
    assert.equal((await health(client, key)).status, 200)
    const revoked = await admin.client.delete(`${keysOf(admin)}/${id}`)
    assert.deepEqual([revoked.status, revoked.text], [204, ''])
    refused(await health(client, key), 401, 'unauthorized')
    refused(await admin.client.delete(`${keysOf(admin)}/${id}`), 404, 'not_found')
    refused(await admin.client.post(`${keysOf(admin)}/${id}/rotate`), 404, 'not_found')
  })

  test('the audit trail has every change, without secrets', async () => {
    const { body, text } = await admin.client.get<{ action: string; diff: object }[]>('/platform/audit?resource_type=api_key&limit=200')
    assert.deepEqual([...new Set(body.map(({ action }) => action))].sort(), ['api_key.created', 'api_key.revoked', 'api_key.rotated'])
    assert.doesNotMatch(text, /svk_|hash|public_id/)
  })

  async function waitForUse(actor: Actor, id: string): Promise<string> {
    for (;;) {
      const { body } = await actor.client.get<Key[]>(keysOf(actor))
      const used = body.find((key) => key.id === id)?.last_used_at
      if (used !== null && used !== undefined) return used
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
})

test('a key expires at its time, also while it is used', async () => {
  let now = Date.now()
  await withApp({ clock: () => now }, async ({ client }) => {
    const admin = await bootstrap(client)
    const { body } = await admin.client.post<Key>(keysOf(admin), { name: 'short', scopes: ['analysis:run'], expires_at: new Date(now + 60_000).toISOString() })
    now += 59_999
    assert.equal((await health(client, body.api_key ?? '')).status, 200)
    now += 1
    refused(await health(client, body.api_key ?? ''), 401, 'unauthorized')
  })
})

test('a key must expire in the future', async () => {
  const now = Date.now()
  await withApp({ clock: () => now }, async ({ client }) => {
    const admin = await bootstrap(client)
    const make = (end: number) => admin.client.post<Refusal>(keysOf(admin), { name: 'x', scopes: ['analysis:run'], expires_at: new Date(end).toISOString() })
    for (const end of [0, now - 1, now]) {
      const { details } = refused(await make(end), 422, 'request_validation_failed')
      const expected = { type: 'string', format: 'date-time', later_than: new Date(now).toISOString() }
      assert.deepEqual(details.errors, [{ path: '/expires_at', message: 'must be in the future', expected }])
    }
    assert.equal((await make(now + 1)).status, 200)
  })
})

test('a key creates no key that outlives it, and does not rotate such a key', async () => {
  let now = Date.now()
  await withApp({ clock: () => now }, async ({ client }) => {
    const admin = await bootstrap(client)
    const [end, later] = [now + 60_000, now + 60_001]
    const make = (by: Client, at: number | null | undefined, scopes: readonly string[] = ['admin:*']) =>
      by.post<Key & Refusal>(keysOf(admin), { name: 'x', scopes, ...(at === undefined ? {} : { expires_at: at === null ? null : new Date(at).toISOString() }) })
    const keyed = ({ body }: Awaited<ReturnType<typeof make>>): Client => anonymous(client).as({ key: body.api_key ?? '' })
    const maker = await make(admin.client, end)
    const [lasting, longer, shorter] = [await make(admin.client, null), await make(admin.client, later), await make(admin.client, end - 1)]
    for (const at of [later, null, undefined]) {
      const { details } = refused(await make(keyed(maker), at), 422, 'request_validation_failed')
      const [{ path, message }] = details.errors as { path: string; message: string }[]
      assert.deepEqual([path, message.includes(new Date(end).toISOString())], ['/expires_at', true])
    }
    const made = await make(keyed(maker), end)
    assert.equal(made.status, 200, made.text)
    refused(await make(keyed(made), later), 422, 'request_validation_failed')
    const rotate = (by: Client, { body }: { body: Key }) => by.post<Key>(`${keysOf(admin)}/${body.id}/rotate`)
    for (const key of [lasting, longer]) refused(await rotate(keyed(maker), key), 403, 'forbidden')
    for (const key of [lasting, longer]) assert.equal((await health(client, key.body.api_key ?? '')).status, 200)
    for (const key of [shorter, made]) assert.equal((await rotate(keyed(maker), key)).status, 200)
    // A key may rotate itself, and a key without an expiry creates any.
    const rotated = await rotate(keyed(maker), maker)
    assert.equal(rotated.status, 200, rotated.text)
    const eternal = await make(admin.client, null)
    for (const at of [null, later]) assert.equal((await make(keyed(eternal), at)).status, 200)
    now = end
    refused(await health(client, rotated.body.api_key ?? ''), 401, 'unauthorized')
  })
})

test('events are stored with the change when there is a subscription', () =>
  withApp({}, async (app) => {
    const admin = await bootstrap(app.client)
    const silent = await createKey(admin, ['analysis:run'])
    const webhooks = `/platform/organizations/${admin.organizationId}/webhooks`
    const webhook = await admin.client.post<{ id: string }>(webhooks, { url: 'https://hooks.example.test/', events: ['api_key.created', 'api_key.revoked'] })
    const { id } = await createKey(admin, ['analysis:run'], 'heard')
    await admin.client.delete(`${keysOf(admin)}/${id}`)
    const sent = () => app.service.storage.openTenant(DELIVERIES).find({ webhook_id: webhook.body.id })
    for (let look = 0; look < 3000 && (await sent()).length < 2; look++) await new Promise((resolve) => setTimeout(resolve, 20))
    const events = (await sent()).map(({ body }) => JSON.parse(body) as { type: string; data: { id: string } })
    assert.deepEqual(events.map(({ type, data }) => [type, data.id]).sort(), [
      ['api_key.created', id],
      ['api_key.revoked', id],
    ])
    assert.ok(!JSON.stringify(events).includes(silent.id))
  }))

describe('two instances', { skip: REPLICA_SET.skip }, () => {
  test('refuse a key within a second of its revocation at the other', async () => {
    const fresh = await REPLICA_SET.fresh()
    const store: TestStore = { name: 'shared', skip: false, fresh: async () => ({ env: fresh.env, remove: async () => {} }) }
    const [one, two] = [await startTestApp({ store }), await startTestApp({ store })]
    try {
      const admin = await bootstrap(one.client)
      const user = await addMember(admin, 'engineer')
      const { id, key } = await createKey(admin, ['analysis:run'])
      const token = user.token
      assert.equal((await health(two.client, key)).status, 200)
      assert.equal((await anonymous(two.client).get('/auth/me', { token })).status, 200)
      await admin.client.delete(`${keysOf(admin)}/${id}`)
      await user.client.post('/auth/logout')
      refused(await health(one.client, key), 401, 'unauthorized')
      refused(await anonymous(one.client).get('/auth/me', { token }), 401, 'unauthorized')
      await new Promise((resolve) => setTimeout(resolve, 1000))
      refused(await health(two.client, key), 401, 'unauthorized')
      refused(await anonymous(two.client).get('/auth/me', { token }), 401, 'unauthorized')
    } finally {
      await two.close()
      await one.close()
      await fresh.remove()
    }
  })
})

for (const store of ALL_STORES) {
  describe(`at once, ${store.name}`, { skip: store.skip }, () => {
    test('a secret returned by a rotation works until the next rotation', () =>
      withApp({ store }, async ({ client }) => {
        const admin = await bootstrap(client)
        const { id, key } = await createKey(admin, ['analysis:run'])
        const uses = Promise.all(Array.from({ length: 20 }, () => health(client, key)))
        const rotations = await Promise.all(Array.from({ length: 6 }, () => admin.client.post<Key>(`${keysOf(admin)}/${id}/rotate`)))
        await uses
        refused(await health(client, key), 401, 'unauthorized')
        const won = rotations.filter(({ status }) => status === 200)
        assert.ok(won.length >= 1)
        for (const { status } of rotations) assert.ok(status === 200 || status === 409, String(status))
        const alive = await Promise.all(won.map(({ body }) => health(client, body.api_key ?? '')))
        assert.equal(alive.filter(({ status }) => status === 200).length, 1)
      }))

    test('exactly one of concurrent revocations succeeds', () =>
      withApp({ store }, async ({ client }) => {
        const admin = await bootstrap(client)
        const { id, key } = await createKey(admin, ['analysis:run'])
        const answers = await Promise.all(Array.from({ length: 5 }, () => admin.client.delete(`${keysOf(admin)}/${id}`)))
        assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404, 404, 404, 404])
        refused(await health(client, key), 401, 'unauthorized')
        await waitFor(() => true)
      }))
  })
}
