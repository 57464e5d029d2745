/** Webhooks during crashes: a killed service loses no event of a change that was stored, and several instances deliver nothing twice. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'node:test'
import { DELIVERIES } from '../../../server/features/webhooks/store.js'
import { type Actor, bootstrap, createKey, login } from '../../support/actors.js'
import { SEVERAL_POLLS_MS, sharedPool, startTestApp } from '../../support/app.js'
import { Client } from '../../support/client.js'
import { allOf } from '../../support/pages.js'
import { isSigned, type Receiver, startReceiver } from '../../support/receiver.js'
import { SMALL_RULESET, startServiceProcess } from '../../support/service-process.js'
import { EMBEDDED, REPLICA_SET } from '../../support/stores.js'

const ALLOWED = { NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true' }
const WRITES = 120
/** Few: the last waits for all others, and a busy machine may take seconds for one write on MongoDB. */
const AT_ONCE = 4
/** The kill follows about that many answers, while other requests are in progress. */
const KILL_AFTER = 30
/** Deliveries that are answered before the kill; the others are in progress or waiting then. */
const ANSWERED = 6
/** Each is due twice, for all instances at one moment. */
const EVENTS = 16
const PATIENCE_MS = 120_000
/**
 * Deliveries in progress at the kill are due again when their lease ends after half a minute, and attempts that were abandoned before it some minutes later:
 * the clock of the next service is ahead.
 */
const AHEAD_MS = 3_600_000

sharedPool()

const listen = async ({ client, organizationId }: Actor, url: string): Promise<string> => {
  const { status, body, text } = await client.post<{ secret: string }>(`/platform/organizations/${organizationId}/webhooks`, { url, events: ['api_key.created'] })
  assert.equal(status, 200, text)
  return body.secret
}
const keyOf = ({ body }: { body: string }): string => (JSON.parse(body) as { data: { id: string } }).data.id
const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  const given = Date.now() + PATIENCE_MS
  while (!(await holds())) {
    assert.ok(Date.now() < given, 'it did not come to that')
    await sleep(50)
  }
}

describe('webhooks of a service that is killed', { concurrency: true }, () => {
  for (const store of [EMBEDDED, REPLICA_SET]) {
    test(`get events of every change that was made, and no others, ${store.name}`, { skip: store.skip }, async () => {
      const fresh = await store.fresh()
      const receiver: Receiver = await startReceiver()
      receiver.answers((_, response) => {
        if (receiver.received.length <= ANSWERED) response.writeHead(200).end()
      })
      const first = await startServiceProcess({ ...fresh.env, ...ALLOWED, ...SMALL_RULESET })
      const admin = await bootstrap(new Client(first.origin))
      const secret = await listen(admin, receiver.origin)
      const acknowledged = new Set<string>()
      let begun = 0
      const write = async (): Promise<void> => {
        while (begun++ < WRITES) {
          try {
            acknowledged.add((await createKey(admin, ['analysis:run'])).id)
          } catch {
            // The connection broke, so no answer was sent.
          }
          if (acknowledged.size >= KILL_AFTER && first.child.exitCode === null) first.child.kill('SIGKILL')
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, write))
      await first.stop('SIGKILL')
      await fresh.forget?.()
      receiver.answers(200)
      assert.ok(acknowledged.size >= KILL_AFTER && acknowledged.size < WRITES, `${acknowledged.size} acknowledged`)
      const heard = () => new Set(receiver.received.map(keyOf))
      assert.ok(heard().size < acknowledged.size, 'all was delivered before the kill: it shows nothing')

      const second = await startTestApp({ store: { ...store, fresh: async () => fresh }, env: ALLOWED, clock: () => Date.now() + AHEAD_MS })
      try {
        const again = await login(second.client, admin.email)
        const keys = new Set((await allOf<{ id: string }>(again, `/platform/organizations/${again.organizationId}/api-keys`)).map(({ id }) => id))
        await until(() => [...keys].every((id) => heard().has(id)))
        for (const id of acknowledged) assert.ok(heard().has(id), 'a change without its event')
        for (const id of heard()) assert.ok(keys.has(id), 'an event without its change')
        for (const one of receiver.received) assert.ok(isSigned(one, secret))
      } finally {
        await second.close()
        await receiver.close()
      }
    })
  }
})

for (const store of [REPLICA_SET]) {
  describe(`webhooks of several instances, ${store.name}`, { skip: store.skip }, () => {
    test('are sent each event once', async () => {
      const fresh = await store.fresh()
      const receiver = await startReceiver()
      let ahead = 0
      const folders = await Promise.all([1, 2].map(() => EMBEDDED.fresh()))
      const instances = await Promise.all(
        folders.map((folder) =>
          startTestApp({
            store: { ...store, fresh: async () => ({ env: { ...fresh.env, ...folder.env }, remove: folder.remove }) },
            env: ALLOWED,
            clock: () => Date.now() + ahead,
          }),
        ),
      )
      try {
        const admin = await bootstrap(instances[0].client)
        // The first attempt of each is refused, so the second is due for all at one moment.
        const seen = new Map<string, number>()
        receiver.answers(({ headers }, response) => {
          const id = String(headers['webhook-id'])
          seen.set(id, (seen.get(id) ?? 0) + 1)
          response.writeHead(seen.get(id) === 1 ? 503 : 200).end()
        })
        await listen(admin, receiver.origin)
        // Other instances notice a new subscription within a second, by the clock of the settings too.
        ahead += 1000
        const actors = instances.map(({ client }) => ({ ...admin, client: new Client(client.origin).as({ token: admin.token }) }))
        let begun = 0
        const write = async (): Promise<void> => {
          while (begun < EVENTS) await createKey(actors[begun++ % actors.length], ['analysis:run'])
        }
        await Promise.all(Array.from({ length: AT_ONCE }, write))
        const deliveries = instances[0].service.storage.openTenant(DELIVERIES)
        await until(async () => (await deliveries.count({ attempt_count: { gte: 1 } })) === EVENTS)
        // By less than a lease: an instance whose lease has ended may deliver twice.
        ahead += 5000
        await until(async () => (await deliveries.count({ status: 'delivered' })) === EVENTS)
        await sleep(SEVERAL_POLLS_MS)
        assert.deepEqual([...new Set(seen.values())], [2])
      } finally {
        for (const instance of instances) await instance.close()
        await receiver.close()
        await fresh.remove()
      }
    })
  })
}
