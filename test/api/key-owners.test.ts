/** Owners of API keys, and the keys of former members. */
import assert from 'node:assert/strict'
import test, { after, before, describe } from 'node:test'
import { DELIVERIES } from '../../server/features/webhooks/store.js'
import { addMember, type Actor, anonymous, bootstrap, createKey, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Client } from '../support/client.js'
import { allTold } from '../support/notices.js'
import { REPLICA_SET, type TestStore } from '../support/stores.js'
import { ALL_STORES, refused, SIGNUP, waitFor, withApp } from './steps.js'

interface Key {
  readonly id: string
  readonly name: string
  readonly owner: { readonly user_id: string; readonly email: string; readonly display_name: string; readonly is_member: boolean } | null
}
interface Notification {
  readonly kind: string
  readonly title: string
  readonly body: string
  readonly link: string | null
}

const below = ({ organizationId }: Actor): string => `/platform/organizations/${organizationId}`
const keysOf = (admin: Actor): string => `${below(admin)}/api-keys`
const policyOf = (admin: Actor): string => `${below(admin)}/key-policy`
const works = async (client: Client, key: string): Promise<boolean> => (await anonymous(client).get('/health', { key })).status === 200
const list = async (admin: Actor, query = ''): Promise<readonly Key[]> => (await admin.client.get<Key[]>(`${keysOf(admin)}${query}`)).body
const names = (keys: readonly Key[]): string[] => keys.map(({ name }) => name).sort()

async function remove(admin: Actor, { userId }: Actor): Promise<void> {
  const path = `/auth/organizations/${admin.organizationId}/members`
  const [{ id }] = (await admin.client.get<{ id: string }[]>(`${path}?user_id=${userId}`)).body
  const removed = await admin.client.delete(`${path}/${id}`)
  assert.equal(removed.status, 204, removed.text)
}

/** Returns notifications about keys. */
async function told({ service }: TestApp, admin: Actor, locale = 'en-US'): Promise<Notification[]> {
  await allTold(service.storage)
  const { body } = await admin.client.get<{ items: Notification[] }>('/notifications', { headers: { 'x-locale': locale } })
  return body.items.filter(({ kind }) => kind.startsWith('api_key'))
}

describe('keys and their owners', () => {
  let app: TestApp
  let admin: Actor
  let other: Actor

  before(async () => {
    app = await startTestApp({ env: SIGNUP })
    admin = await bootstrap(app.client)
    other = await register(app.client, 'other')
  })
  after(() => app.close())

  test('a key names its owner', async () => {
    const second = await addMember(admin, 'org_admin', 'second@example.test')
    const { id, client } = await createKey(second, ['admin:*'], 'second')
    const own = (await list(admin)).find((key) => key.id === id)
    assert.deepEqual(own?.owner, { user_id: second.userId, email: second.email, display_name: 'org_admin', is_member: true })
    // A key created by a key has the same owner, until a user rotates it.
    const made = await client.post<Key>(keysOf(admin), { name: 'made by a key', scopes: ['cases:run'] })
    assert.equal(made.body.owner?.user_id, second.userId)
    const rotated = await admin.client.post<Key>(`${keysOf(admin)}/${made.body.id}/rotate`)
    assert.equal(rotated.body.owner?.user_id, admin.userId)
    // A platform admin owns keys without being a member.
    const theirs = await admin.client.post<Key>(keysOf(other), { name: 'by the operator', scopes: ['cases:run'] })
    assert.deepEqual([theirs.body.owner?.user_id, theirs.body.owner?.is_member], [admin.userId, false])
  })

  test('keys of former members are listed, and admins are notified', async () => {
    const owner = await register(app.client, 'quiet')
    const leaver = await addMember(owner, 'org_admin', 'leaver@quiet.test')
    const witness = await addMember(owner, 'org_admin', 'witness@quiet.test')
    const [one, two] = [await createKey(leaver, ['analysis:run'], 'one'), await createKey(leaver, ['analysis:run'], 'two')]
    await createKey(owner, ['analysis:run'], 'mine')
    assert.deepEqual(names(await list(owner, '?owner_is_member=false')), [])
    assert.deepEqual(names(await list(owner, '?owner_is_member=true')), ['mine', 'one', 'two'])
    await remove(owner, leaver)
    for (const { key } of [one, two]) assert.ok(await works(app.client, key))
    const former = await owner.client.get<Key[]>(`${keysOf(owner)}?owner_is_member=false&sort=name&order=asc&limit=1`)
    assert.deepEqual([former.body.map(({ name, owner: by }) => [name, by?.email, by?.is_member]), former.headers.get('x-total-count')], [[['one', leaver.email, false]], '2'])
    assert.deepEqual(names(await list(owner, '?owner_is_member=true')), ['mine'])
    assert.equal((await list(owner)).length, 3)
    for (const actor of [owner, witness]) {
      assert.deepEqual(await told(app, actor), [
        {
          ...(await told(app, actor))[0],
          kind: 'api_key.owner_left',
          title: 'API keys of a former member: 2',
          link: `${keysOf(owner)}?owner_is_member=false`,
        },
      ])
    }
    assert.match((await told(app, owner))[0].body, /^leaver@quiet\.test left/)
    assert.match((await told(app, owner, 'pt-BR'))[0].title, /ex-membro: 2$/)
    // The link leads there.
    assert.equal((await owner.client.get<Key[]>((await told(app, owner))[0].link ?? '')).body.length, 2)
    // Rotating a key makes the caller its owner.
    assert.equal((await owner.client.post(`${keysOf(owner)}/${one.id}/rotate`)).status, 200)
    assert.deepEqual(names(await list(owner, '?owner_is_member=false')), ['two'])
  })

  test('a member who leaves without a working key causes no notification', async () => {
    let now = Date.now()
    await withApp({ clock: () => now }, async (own) => {
      const owner = await bootstrap(own.client)
      const [bare, late, revoked] = [
        await addMember(owner, 'org_admin', 'bare@a.test'),
        await addMember(owner, 'org_admin', 'late@a.test'),
        await addMember(owner, 'org_admin', 'r@a.test'),
      ]
      await late.client.post(keysOf(owner), { name: 'late', scopes: ['cases:run'], expires_at: new Date(now + 1000).toISOString() })
      const { id } = await createKey(revoked, ['cases:run'])
      await owner.client.delete(`${keysOf(owner)}/${id}`)
      now += 1000
      for (const leaver of [bare, late, revoked]) await remove(owner, leaver)
      assert.deepEqual(await told(own, owner), [])
    })
  })

  test('the policy is available to those who manage keys, and its updates can be conditional', async () => {
    const lead = await addMember(admin, 'security_content_lead', 'lead@example.test')
    refused(await lead.client.get(policyOf(admin)), 403, 'forbidden')
    refused(await lead.client.patch(policyOf(admin), { end_keys_of_former_members: true }), 403, 'forbidden')
    refused(await other.client.get(policyOf(admin)), 404, 'not_found')
    const shown = await admin.client.get(policyOf(admin))
    assert.deepEqual(shown.body, { end_keys_of_former_members: false })
    const given = { headers: { 'If-Match': shown.headers.get('etag') ?? '' } }
    const changed = await admin.client.patch(policyOf(admin), { end_keys_of_former_members: true }, given)
    assert.deepEqual([changed.status, changed.body], [200, { end_keys_of_former_members: true }])
    assert.deepEqual((await admin.client.get(policyOf(admin))).headers.get('etag'), changed.headers.get('etag'))
    refused(await admin.client.patch(policyOf(admin), { end_keys_of_former_members: false }, given), 412, 'precondition_failed')
    assert.deepEqual((await admin.client.patch(policyOf(admin), {})).body, { end_keys_of_former_members: true })
    for (const wrong of [{ end_keys_of_former_members: 'yes' }, { end_keys_of_former_members: null }, { other: 1 }])
      refused(await admin.client.patch(policyOf(admin), wrong), 422, 'request_validation_failed')
    assert.deepEqual((await admin.client.patch(policyOf(admin), { end_keys_of_former_members: false })).body, { end_keys_of_former_members: false })
  })

  test('if the policy says so, keys end with the membership, and audit trail, webhooks and admins get each', async () => {
    const owner = await register(app.client, 'strict')
    const leaver = await addMember(owner, 'org_admin', 'leaver@strict.test')
    const stays = await createKey(owner, ['analysis:run'], 'stays')
    const [one, two] = [await createKey(leaver, ['admin:*'], 'one'), await createKey(leaver, ['analysis:run'], 'two')]
    const chained = (await one.client.post<Key & { api_key: string }>(keysOf(owner), { name: 'three', scopes: ['analysis:run'] })).body
    const webhook = await owner.client.post<{ id: string }>(`${below(owner)}/webhooks`, { url: 'https://hooks.example.test/', events: ['api_key.revoked'] })
    assert.equal((await owner.client.patch(policyOf(owner), { end_keys_of_former_members: true })).status, 200)
    assert.ok(await works(app.client, one.key), 'nobody has left yet')
    await remove(owner, leaver)
    for (const key of [one.key, two.key, chained.api_key]) assert.ok(!(await works(app.client, key)))
    assert.ok(await works(app.client, stays.key))
    assert.deepEqual(names(await list(owner)), ['stays'])
    const trail = await owner.client.get<{ resource_name: string; actor_name: string }[]>('/platform/audit?action=api_key.revoked')
    assert.deepEqual(trail.body.map(({ resource_name, actor_name }) => [resource_name, actor_name]).sort(), [
      ['one', owner.email],
      ['three', owner.email],
      ['two', owner.email],
    ])
    assert.deepEqual(
      (await told(app, owner)).map(({ kind, title }) => [kind, title]),
      [['api_key.owner_left_revoked', 'API keys revoked: 3']],
    )
    const sent = () => app.service.storage.openTenant(DELIVERIES).find({ webhook_id: webhook.body.id })
    const events = await waitFor(async () => ((await sent()).length === 3 ? sent() : undefined))
    assert.deepEqual(events.map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name).sort(), ['one', 'three', 'two'])
  })

  test('the policy ends existing keys of former members, except those of platform admins', async () => {
    const owner = await register(app.client, 'late-policy')
    const leaver = await addMember(owner, 'org_admin', 'leaver@late.test')
    const { key } = await createKey(leaver, ['analysis:run'], 'forgotten')
    const operators = await admin.client.post<{ api_key: string }>(keysOf(owner), { name: 'by the operator', scopes: ['analysis:run'] })
    const own = await createKey(owner, ['analysis:run'], 'own')
    await remove(owner, leaver)
    assert.ok(await works(app.client, key))
    assert.equal((await owner.client.patch(policyOf(owner), { end_keys_of_former_members: true })).status, 200)
    assert.ok(!(await works(app.client, key)))
    for (const kept of [operators.body.api_key, own.key]) assert.ok(await works(app.client, kept))
    const trail = await owner.client.get<{ action: string; resource_name: string }[]>('/platform/audit?limit=2')
    assert.deepEqual(trail.body.map(({ action, resource_name }) => [action, resource_name]).sort(), [
      ['api_key.revoked', 'forgotten'],
      ['key_policy.updated', 'late-policy'],
    ])
  })
})

describe('two instances', { skip: REPLICA_SET.skip }, () => {
  test('a member who is removed at one creates no key at the other, which has not noticed it yet', async () => {
    const fresh = await REPLICA_SET.fresh()
    const store: TestStore = { name: 'shared', skip: false, fresh: async () => ({ env: fresh.env, remove: async () => {} }) }
    const [one, two] = [await startTestApp({ store }), await startTestApp({ store })]
    try {
      const admin = await bootstrap(one.client)
      const kept = await createKey(admin, ['analysis:run'], 'kept')
      const leaver = await addMember(admin, 'org_admin', 'leaver@example.test')
      const { client: robot, id } = await createKey(leaver, ['admin:*'], 'robot')
      const at = (client: Client): Client => new (client.constructor as typeof Client)(two.client.origin, client.standing)
      const [person, key] = [at(leaver.client), at(robot)]
      // Fills the other instance's cache, for 750 ms.
      for (const caller of [person, key]) assert.equal((await caller.get(keysOf(admin))).status, 200)
      await Promise.all([remove(admin, leaver), admin.client.delete(`${keysOf(admin)}/${id}`)])
      for (const caller of [person, key]) {
        refused(await caller.post(keysOf(admin), { name: 'left behind', scopes: ['admin:*'] }), 401, 'unauthorized')
        refused(await caller.post(`${keysOf(admin)}/${kept.id}/rotate`), 401, 'unauthorized')
      }
      assert.deepEqual(names(await list(admin)), ['kept'])
    } finally {
      await two.close()
      await one.close()
      await fresh.remove()
    }
  })
})

for (const store of ALL_STORES) {
  describe(`at once, ${store.name}`, { skip: store.skip }, () => {
    test('no key of a removed member remains, whenever it is created', () =>
      withApp({ store }, async ({ client }) => {
        const admin = await bootstrap(client)
        const leaver = await addMember(admin, 'org_admin', 'leaver@example.test')
        await admin.client.patch(policyOf(admin), { end_keys_of_former_members: true })
        const robot = await createKey(leaver, ['admin:*'])
        const make = (at: number) => (at % 2 === 0 ? leaver.client : robot.client).post<Key>(keysOf(admin), { name: `key ${at}`, scopes: ['cases:run'] })
        const before = await make(0)
        const makings = Array.from({ length: 6 }, (_, at) => make(at + 1))
        const [answers] = await Promise.all([Promise.all(makings), remove(admin, leaver)])
        for (const { status, text } of [before, ...answers]) assert.ok(status === 200 || status === 401 || status === 404, text)
        assert.deepEqual(await list(admin), [])
      }))

    test('keys that are created concurrently are all stored', () =>
      withApp({ store }, async ({ client }) => {
        const admin = await bootstrap(client)
        const member = await addMember(admin, 'org_admin', 'second@example.test')
        const answers = await Promise.all(
          Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? admin : member).client.post(keysOf(admin), { name: `key ${at}`, scopes: ['cases:run'] })),
        )
        for (const { status, text } of answers) assert.equal(status, 200, text)
        assert.equal((await list(admin)).length, 12)
      }))
  })
}
