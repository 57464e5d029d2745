/** Two instances of the service on one MongoDB: a change at one is effective at the other, within a second if the other had the data cached. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, describe, test } from 'node:test'
import { type Actor, addMember, anonymous, bootstrap, createKey } from '../../support/actors.js'
import { Client, type Refusal } from '../../support/client.js'
import { type ServiceProcess, SMALL_RULESET, startServiceProcess } from '../../support/service-process.js'
import { type FreshStore, REPLICA_SET } from '../../support/stores.js'

/** Time within which a change at one instance is effective at the other. */
const AGREEMENT_MS = 1000

for (const store of [REPLICA_SET]) {
  describe(`two instances, ${store.name}`, { skip: store.skip }, () => {
    let fresh: FreshStore
    let folder: FreshStore
    let instances: ServiceProcess[]
    let here: Client
    let there: Client
    let admin: Actor

    before(async () => {
      fresh = await store.fresh()
      folder = await store.fresh()
      const env = { ...fresh.env, ...SMALL_RULESET, NATIVE_SERVICE_API_RATE_LIMIT_PER_MINUTE: '10', NATIVE_SERVICE_API_RATE_LIMIT_PER_HOUR: '1000' }
      // Both at once: neither may fail because of the other's preparation.
      instances = await Promise.all([startServiceProcess(env), startServiceProcess({ ...env, NATIVE_SERVICE_DATA_DIR: folder.env.NATIVE_SERVICE_DATA_DIR })])
      here = new Client(instances[0].origin)
      there = new Client(instances[1].origin)
    })
    after(async () => {
      for (const instance of instances ?? []) await instance.stop('SIGTERM')
      await fresh?.remove()
      await folder?.remove()
    })

    test('accept one bootstrap', async () => {
      const attempts = await Promise.allSettled([bootstrap(here, 'one@example.test'), bootstrap(there, 'two@example.test')])
      const won = attempts.filter((attempt) => attempt.status === 'fulfilled')
      assert.equal(won.length, 1)
      admin = (won[0] as PromiseFulfilledResult<Actor>).value
      admin = { ...admin, client: here.as({ token: admin.token }) }
    })

    test("accept each other's sessions and keys at once", async () => {
      assert.equal((await there.as({ token: admin.token }).get('/auth/me')).status, 200)
      const { key } = await createKey(admin, ['analysis:run'])
      assert.equal((await there.as({ key }).get('/health')).status, 200)
    })

    test('refuse a key within a second of its revocation in the other', async () => {
      const { id, key } = await createKey(admin, ['analysis:run'])
      const [atHere, atThere] = [here.as({ key }), there.as({ key })]
      assert.equal((await atThere.get('/health')).status, 200)
      assert.equal((await admin.client.delete(`/platform/organizations/${admin.organizationId}/api-keys/${id}`)).status, 204)
      assert.equal((await atHere.get('/health')).status, 401, 'not at once where it was revoked')
      await sleep(AGREEMENT_MS)
      assert.equal((await atThere.get('/health')).status, 401)
    })

    test('end a session within a second of its logout in the other', async () => {
      const engineer = await addMember(admin, 'engineer')
      const elsewhere = there.as({ token: engineer.token })
      assert.equal((await elsewhere.get('/auth/me')).status, 200)
      assert.equal((await engineer.client.post('/auth/logout')).status, 200)
      await sleep(AGREEMENT_MS)
      assert.equal((await elsewhere.get('/auth/me')).status, 401)
    })

    test('see a changed role within a second', async () => {
      const reviewer = await addMember(admin, 'reviewer')
      const elsewhere = there.as({ token: reviewer.token })
      assert.equal((await elsewhere.get('/platform/audit')).status, 200)
      const members = await admin.client.get<{ id: string; user_id: string }[]>(`/auth/organizations/${admin.organizationId}/members`)
      const { id } = members.body.find(({ user_id }) => user_id === reviewer.userId)!
      assert.equal((await admin.client.patch(`/auth/organizations/${admin.organizationId}/members/${id}`, { role: 'engineer' })).status, 200)
      await sleep(AGREEMENT_MS)
      assert.equal((await elsewhere.get('/platform/audit')).status, 403)
    })

    test('share one rate limit', async () => {
      const { key } = await createKey(admin, ['analysis:run'])
      const statuses: number[] = []
      for (let i = 0; i < 14; i++) {
        const { status, body } = await (i % 2 === 0 ? here : there).as({ key }).post<Refusal>('/analysis/validate', {})
        statuses.push(status)
        if (status !== 200) assert.equal(body.code, 'rate_limited')
      }
      assert.deepEqual(statuses.filter((status) => status === 200).length, 10, statuses.join(' '))
    })

    test('share the login throttle', async () => {
      const statuses: number[] = []
      for (let i = 0; i < 7; i++) {
        const { status } = await anonymous(i % 2 === 0 ? here : there).post('/auth/login', { email: 'nobody@example.test', password: 'a wrong password' })
        statuses.push(status)
      }
      assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429])
    })

    test('stop in order', async () => {
      for (const instance of instances) assert.equal(await instance.stop('SIGTERM'), 0)
    })
  })
}
