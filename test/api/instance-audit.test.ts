/** The audit trail of the instance: every organization, for platform admins only, in exact pages. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addMember, type Actor, anonymous, bootstrap, createKey, register } from '../support/actors.js'
import type { TestApp } from '../support/app.js'
import { withInstances } from '../support/instances.js'
import { ALL_STORES, refused, SIGNUP, withApp } from './steps.js'

interface Entry {
  readonly id: string
  readonly organization_id: string | null
  readonly organization_name: string | null
  readonly actor_id: string | null
  readonly action: string
  readonly resource_id: string
  readonly acting_as_platform_admin: boolean
  readonly created_at: string
}

const AUDIT = '/platform/admin/audit'

for (const store of ALL_STORES) {
  describe(`audit trail of the instance, ${store.name}`, { skip: store.skip }, () => {
    const withTenants = (run: (app: TestApp, admin: Actor, one: Actor, two: Actor) => Promise<void>) =>
      withApp({ store, env: SIGNUP }, async (app) => run(app, await bootstrap(app.client), await register(app.client, 'one'), await register(app.client, 'two')))
    const list = async ({ client }: Actor, query = ''): Promise<Entry[]> => {
      const { status, body, text } = await client.get<Entry[]>(`${AUDIT}?limit=200&${query}`)
      assert.equal(status, 200, text)
      return body
    }

    test('shows the entries of all organizations, with their names, to platform admins only', () =>
      withTenants(async ({ client }, admin, one, two) => {
        const entries = await list(admin)
        assert.deepEqual([...new Set(entries.map(({ organization_name }) => organization_name))].sort(), ['First Organization', 'one', 'two'])
        assert.deepEqual(
          entries.map(({ created_at }) => created_at),
          entries
            .map(({ created_at }) => created_at)
            .sort()
            .reverse(),
        )
        refused(await one.client.get(AUDIT), 403, 'forbidden')
        refused(await one.client.get(`${AUDIT}?organization_id=${one.organizationId}`), 403, 'forbidden')
        refused(await (await createKey(admin, ['admin:*'])).client.get(AUDIT), 401, 'unauthorized')
        refused(await anonymous(client).get(AUDIT), 401, 'unauthorized')
        assert.deepEqual(new Set((await list(admin, `organization_id=${two.organizationId}`)).map(({ organization_id }) => organization_id)), new Set([two.organizationId]))
        assert.deepEqual(await list(admin, 'organization_id=nobody'), [])
      }))

    test('is filtered by actor, action, object and time', () =>
      withTenants(async (_app, admin, one, two) => {
        const all = await list(admin)
        const checks: [string, (entry: Entry) => boolean][] = [
          [`actor_id=${one.userId}`, ({ actor_id }) => actor_id === one.userId],
          ['action=organization.created', ({ action }) => action === 'organization.created'],
          [`resource_id=${two.userId}`, ({ resource_id }) => resource_id === two.userId],
          [`actor_id=${two.userId}&action=session.created`, ({ actor_id, action }) => actor_id === two.userId && action === 'session.created'],
          [`from=${all[2].created_at}`, ({ created_at }) => created_at >= all[2].created_at],
          [`to=${all[2].created_at}`, ({ created_at }) => created_at < all[2].created_at],
          ['acting_as_platform_admin=true', () => false],
          ['acting_as_platform_admin=false', () => true],
        ]
        for (const [query, matches] of checks) {
          const expected = all.filter(matches)
          assert.deepEqual(await list(admin, query), expected, query)
          assert.equal((await admin.client.get(`${AUDIT}?${query}`)).headers.get('x-total-count'), String(expected.length), query)
        }
        refused(await admin.client.get(`${AUDIT}?action=anything`), 422, 'request_validation_failed')
      }))

    test('is read to its end by the last entry of each page, while entries are added', () =>
      withTenants(async (_app, admin, one) => {
        for (let made = 0; made < 12; made++) await one.client.post('/platform/projects', { name: `P${made}` })
        const expected = (await list(admin)).map(({ id }) => id)
        const read: string[] = []
        let query = '?limit=3'
        for (;;) {
          const { body, headers, text } = await admin.client.get<Entry[]>(`${AUDIT}${query}`)
          read.push(...body.map(({ id }) => id))
          assert.ok(read.length <= expected.length, text)
          if (body.length < 3) break
          const next = query.includes('after') ? /<(\?[^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] : `?limit=3&after=${body[2].id}`
          query = next ?? assert.fail(headers.get('link') ?? 'no link')
          await one.client.post('/platform/projects', { name: `While reading ${read.length}` })
        }
        assert.deepEqual(read, expected)
        const rising = (await list(admin, 'order=asc')).map(({ id }) => id)
        assert.deepEqual(
          (await list(admin, `order=asc&after=${rising[4]}`)).map(({ id }) => id),
          rising.slice(5),
        )
        assert.deepEqual(
          (await list(admin, `after=${expected[0]}&organization_id=${one.organizationId}`)).map(({ id }) => id),
          (await list(admin, `organization_id=${one.organizationId}`)).map(({ id }) => id).filter((id) => expected.indexOf(id) > 0),
        )
        refused(await admin.client.get(`${AUDIT}?after=nothing`), 404, 'not_found')
      }))

    test('marks what a platform admin does where they are no member, and what they do to users', () =>
      withTenants(async (_app, admin, one, two) => {
        const member = await addMember(one, 'engineer', 'member@one.test')
        const before = new Set((await list(admin)).map(({ id }) => id))
        const within = { organization: one.organizationId }
        assert.equal((await admin.client.post('/platform/projects', { name: 'By the operator' }, within)).status, 200)
        assert.equal((await admin.client.post('/platform/projects', { name: 'Own' })).status, 200)
        assert.equal((await one.client.post('/platform/projects', { name: 'By a member' })).status, 200)
        assert.equal((await admin.client.patch(`/platform/admin/organizations/${two.organizationId}`, { is_active: false })).status, 200)
        assert.equal((await admin.client.patch(`/platform/admin/users/${member.userId}`, { is_active: false })).status, 200)
        const fresh = (await list(admin)).filter(({ id }) => !before.has(id))
        assert.deepEqual(
          fresh.map(({ organization_name, action, actor_id, acting_as_platform_admin }) => [organization_name, action, actor_id, acting_as_platform_admin]).sort(),
          [
            ['First Organization', 'project.created', admin.userId, false],
            [null, 'user.updated', admin.userId, true],
            ['one', 'organization.entered', admin.userId, true],
            ['one', 'project.created', admin.userId, true],
            ['one', 'project.created', one.userId, false],
            ['one', 'user.updated', admin.userId, true],
            ['two', 'organization.updated', admin.userId, true],
          ].sort(),
        )
        const marked = fresh.filter(({ acting_as_platform_admin }) => acting_as_platform_admin)
        assert.deepEqual(await list(admin, 'acting_as_platform_admin=true'), marked)
        assert.deepEqual(
          (await list(admin, 'organization_id=instance')).map(({ organization_id, action }) => [organization_id, action]),
          [[null, 'user.updated']],
        )
        // The members see the mark too; the entries of the instance are in no organization's trail.
        const own = (await one.client.get<Entry[]>('/platform/audit?acting_as_platform_admin=true')).body
        assert.deepEqual(
          own.map(({ action, organization_id }) => [action, organization_id]).sort(),
          ['organization.entered', 'project.created', 'user.updated'].map((action) => [action, one.organizationId]),
        )
        refused(await admin.client.get('/platform/audit', { organization: 'instance' }), 403, 'forbidden')
      }))

    test('has one entry a day of a platform admin who only reads, from every instance', () => {
      let now = Date.UTC(2026, 10, 23, 12)
      return withInstances(store, { env: { ...SIGNUP, NATIVE_SERVICE_SESSION_TTL_SECONDS: '1000000' }, clock: () => now }, async ({ app, admin, at }) => {
        const one = await register(app.client, 'one')
        const two = await register(app.client, 'two')
        const entered = async (): Promise<(string | null)[]> => (await list(admin, 'action=organization.entered&order=asc')).map(({ organization_id }) => organization_id)
        const read = (index: number, organization: string) => at(index).get('/platform/projects', { organization })
        // What operators see of an organization without its content is no visit, nor is their own organization.
        await admin.client.get(`/platform/admin/organizations/${one.organizationId}`)
        await admin.client.get('/platform/projects')
        assert.deepEqual(await entered(), [])
        for (const { status } of await Promise.all([0, 1, 0, 1, 0, 1].map((index) => read(index, one.organizationId)))) assert.equal(status, 200)
        await at(1).get(`/platform/organizations/${one.organizationId}/integrations`)
        assert.deepEqual(await entered(), [one.organizationId])
        now += 1000
        await read(0, two.organizationId)
        assert.deepEqual(await entered(), [one.organizationId, two.organizationId])
        now += 13 * 60 * 60 * 1000
        await Promise.all([read(0, one.organizationId), read(1, one.organizationId)])
        assert.deepEqual(await entered(), [one.organizationId, two.organizationId, one.organizationId])
        // Its members read who came.
        const [visit] = (await one.client.get<Entry[]>('/platform/audit?action=organization.entered')).body
        assert.deepEqual([visit.actor_id, visit.acting_as_platform_admin], [admin.userId, true])
      })
    })
  })
}
