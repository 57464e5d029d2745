/** Two instances of the service on one MongoDB, or two processes of one instance: a change at one is effective at the other, within a second if the other had the data cached. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, describe, test } from 'node:test'
import { openStorage } from '../../../server/core/storage/open.js'
import { COLLECTIONS } from '../../../server/features.js'
import { readConfig } from '../../../server/core/config.js'
import { type Actor, addMember, anonymous, bootstrap, createKey } from '../../support/actors.js'
import { Client, type Refusal } from '../../support/client.js'
import { openStream } from '../../support/event-stream.js'
import { notify, reviewFor } from '../../support/notices.js'
import { oneConnection } from '../../support/send.js'
import { SMALL_RULESET, startServiceProcess } from '../../support/service-process.js'
import { EMBEDDED, type FreshStore, REPLICA_SET, type TestStore } from '../../support/stores.js'

/** Time within which a change at one instance is effective at the other. */
const AGREEMENT_MS = 1000
const METRICS_TOKEN = 'a-token-for-the-metrics-of-tests-long-enough'

/** A service that is served twice, and a client for each. */
interface Served {
  readonly clients: readonly [Client, Client]
  /** Ends both in order, and gives the exit codes. */
  stop(): Promise<readonly (number | null)[]>
}

interface Row {
  readonly name: string
  readonly store: TestStore
  /** @param other has a data folder that nobody else uses */
  start(env: Readonly<Record<string, string>>, other: FreshStore): Promise<Served>
}

/** Two instances of the service, started at once: neither may fail because of the other's preparation. */
async function instances(env: Readonly<Record<string, string>>, other: FreshStore): Promise<Served> {
  const both = await Promise.all([startServiceProcess(env), startServiceProcess({ ...env, NATIVE_SERVICE_DATA_DIR: other.env.NATIVE_SERVICE_DATA_DIR })])
  return { clients: [new Client(both[0].origin), new Client(both[1].origin)], stop: () => Promise.all(both.map((one) => one.stop('SIGTERM'))) }
}

/** One instance of two processes. Each of them gets one of two open connections. */
async function processes(env: Readonly<Record<string, string>>): Promise<Served> {
  const service = await startServiceProcess({ ...env, NATIVE_SERVICE_PROCESSES: '2', NATIVE_SERVICE_WORKERS: '2', NATIVE_SERVICE_METRICS_TOKEN: METRICS_TOKEN })
  const connections = [oneConnection(), oneConnection()]
  const [here, there] = connections.map(({ send }) => new Client(service.origin, {}, send))
  while ((await here.get(`${service.origin}/readyz`)).status !== 200) await sleep(50)
  await there.get(`${service.origin}/livez`)
  const { text } = await here.get(`${service.origin}/metrics`, { token: METRICS_TOKEN })
  for (const number of [1, 2]) assert.match(text, new RegExp(`^concurrency_held\\{process="${number}",resource="connections",scope="instance"\\} 1$`, 'm'))
  return {
    clients: [here, there],
    async stop() {
      for (const connection of connections) connection.close()
      return [await service.stop('SIGTERM')]
    },
  }
}

const ROWS: readonly Row[] = [
  { name: `two instances, ${REPLICA_SET.name}`, store: REPLICA_SET, start: instances },
  ...[EMBEDDED, REPLICA_SET].map((store) => ({ name: `two processes, ${store.name}`, store, start: processes })),
]

for (const { name, store, start } of ROWS) {
  describe(name, { skip: store.skip }, () => {
    let fresh: FreshStore
    let folder: FreshStore
    let served: Served
    let here: Client
    let there: Client
    let admin: Actor

    before(async () => {
      fresh = await store.fresh()
      folder = await EMBEDDED.fresh()
      served = await start({ ...fresh.env, ...SMALL_RULESET, NATIVE_SERVICE_API_RATE_LIMIT_PER_MINUTE: '10', NATIVE_SERVICE_API_RATE_LIMIT_PER_HOUR: '1000' }, folder)
      ;[here, there] = served.clients
    })
    after(async () => {
      await served?.stop()
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

    test('report to a stream what is caused at the other', async () => {
      const ana = await addMember(admin, 'read_only')
      const storage = await openStorage(readConfig(fresh.env))
      await storage.prepare(COLLECTIONS)
      // Each of the two processes has one of the streams.
      const streams = [await openStream(here.as({ token: ana.token })), await openStream(there.as({ token: ana.token }))]
      try {
        assert.deepEqual(await Promise.all(streams.map((stream) => stream.unread())), [0, 0])
        await notify(storage, admin.organizationId, reviewFor([ana.userId]))
        assert.deepEqual(await Promise.all(streams.map((stream) => stream.unread())), [1, 1])
        assert.equal((await there.as({ token: ana.token }).post('/notifications/mark-read')).status, 200)
        assert.deepEqual(await Promise.all(streams.map((stream) => stream.unread())), [0, 0])
      } finally {
        for (const stream of streams) await stream.close()
        await storage.close()
      }
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
      for (const code of await served.stop()) assert.equal(code, 0)
    })
  })
}
