/** Notifications and their streams on two instances of the service with one MongoDB: they have the same counts, and share one limit. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SSE_CONNECTIONS } from '../../../server/core/sse/connections.js'
import { type Actor, addMember, bootstrap } from '../../support/actors.js'
import { startTestApp, type TestApp } from '../../support/app.js'
import { openStream } from '../../support/event-stream.js'
import { notify, reviewFor } from '../../support/notices.js'
import { type FreshStore, REPLICA_SET, type TestStore } from '../../support/stores.js'

const LIMIT = 4

for (const store of [REPLICA_SET]) {
  describe(`notification streams of two instances, ${store.name}`, { skip: store.skip }, () => {
    let fresh: FreshStore
    let here: TestApp
    let there: TestApp
    let admin: Actor
    let made = 0

    before(async () => {
      fresh = await store.fresh()
      const other = await store.fresh()
      const env = { NATIVE_SERVICE_SSE_CONNECTIONS_PER_USER: String(LIMIT) }
      // One database, two data folders.
      const first: TestStore = { ...store, fresh: async () => ({ ...fresh, remove: async () => {} }) }
      const second: TestStore = {
        ...store,
        fresh: async () => ({ env: { ...fresh.env, NATIVE_SERVICE_DATA_DIR: other.env.NATIVE_SERVICE_DATA_DIR }, remove: () => other.remove() }),
      }
      here = await startTestApp({ store: first, env })
      there = await startTestApp({ store: second, env })
      admin = await bootstrap(here.client)
    })
    after(async () => {
      await here?.close()
      await there?.close()
      await fresh?.remove()
    })

    const newcomer = (): Promise<Actor> => addMember(admin, 'engineer', `member${++made}@example.test`)
    const thereAs = ({ token }: Actor) => there.client.as({ token })

    test('report changes made at the other instance', async () => {
      const ana = await newcomer()
      const streams = [await openStream(ana.client), await openStream(thereAs(ana))]
      try {
        assert.deepEqual(await Promise.all(streams.map((stream) => stream.unread())), [0, 0])
        await notify(here.service.storage, admin.organizationId, reviewFor([ana.userId]))
        assert.deepEqual(await Promise.all(streams.map((stream) => stream.unread())), [1, 1])
        assert.equal((await thereAs(ana).post('/notifications/mark-read')).status, 200)
        assert.deepEqual(await Promise.all(streams.map((stream) => stream.unread())), [0, 0])
      } finally {
        for (const stream of streams) await stream.close()
      }
    })

    test('share the limit of a user', async () => {
      const ana = await newcomer()
      const streams = await Promise.all(Array.from({ length: 12 }, (_, i) => openStream(i % 2 === 0 ? ana.client : thereAs(ana))))
      try {
        assert.deepEqual(streams.map(({ status }) => status).sort(), [...Array.from({ length: LIMIT }, () => 200), ...Array.from({ length: 12 - LIMIT }, () => 429)])
      } finally {
        for (const stream of streams) await stream.close()
      }
    })

    test('end when the session is revoked at the other instance', async () => {
      const ana = await newcomer()
      const stream = await openStream(thereAs(ana))
      assert.equal(await stream.unread(), 0)
      assert.equal((await ana.client.post('/auth/logout')).status, 200)
      await stream.ended()
      await stream.close()
    })

    test('create each notification once, whichever instance runs the job', async () => {
      const members = [await newcomer(), await newcomer(), await newcomer()]
      const notices = Array.from({ length: 20 }, (_, i) =>
        reviewFor(
          members.map(({ userId }) => userId),
          `t${i}`,
        ),
      )
      await notify(here.service.storage, admin.organizationId, ...notices)
      for (const member of members) {
        const { body } = await member.client.get<{ total: number; items: { title: string }[] }>('/notifications')
        assert.equal(body.total, notices.length)
        assert.equal(new Set(body.items.map(({ title }) => title)).size, notices.length)
      }
    })

    test('release their slots when their instance stops', async () => {
      const ana = await newcomer()
      const streams = [await openStream(thereAs(ana)), await openStream(thereAs(ana))]
      for (const stream of streams) assert.equal(await stream.unread(), 0)
      const places = here.service.storage.open(SSE_CONNECTIONS)
      const ids = Array.from({ length: LIMIT }, (_, slot) => `${ana.userId}:${slot}`)
      assert.equal(await places.count({ _id: { in: ids } }), 2)
      const closing = there.service.close()
      await Promise.all(streams.map((stream) => stream.ended()))
      await closing
      assert.equal(await places.count({ _id: { in: ids } }), 0)
    })
  })
}
