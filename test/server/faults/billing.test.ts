/**
 * Events of the payment gateway through faults: a write that fails, a commit whose answer is lost, two instances that receive the same event, and events that
 * arrive at both in any order. What the gateway sends again completes what was not done.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { GatewayEvent } from '../../../server/features/billing/gateways/gateway.js'
import { platformCollection, type Storage, type StoredDocument, type Write } from '../../../server/core/storage/contract.js'
import { StorageUnavailableError } from '../../../server/core/storage/errors.js'
import { type Actor, bootstrap } from '../../support/actors.js'
import { sharedPool, startTestApp } from '../../support/app.js'
import { changeEvent, deliver, FakeBilling, gatewaySubscription, paymentEvent } from '../../support/billing.js'
import { withInstances } from '../../support/instances.js'
import { lendStorage } from '../../support/lent-storage.js'
import { EMBEDDED, REPLICA_SET } from '../../support/stores.js'

// Shared by the whole file: created inside of a hook, it would end with it.
sharedPool()

const BILLED = { NATIVE_SERVICE_BILLING_GATEWAY: 'stripe' }
/** What an event writes. The state of other work in the store is not compared. */
const CONCERNED = ['gateway_events', 'gateway_subscriptions', 'plan_subscriptions', 'organizations', 'audit_events']
const DAY = 24 * 60 * 60 * 1000

interface Subscription {
  readonly status: string
  readonly plan_id: string
  readonly seat_count: number
}

const subscriptionOf = async ({ client, organizationId }: Actor): Promise<Subscription> =>
  (await client.get<{ subscription: Subscription }>(`/platform/organizations/${organizationId}/billing`)).body.subscription

/** Lets a test fail the commits of events. */
class FailingCommits {
  /** Called with the writes of each commit of an event. Throws before the commit, or returns what happens after it. */
  onCommit: ((writes: readonly Write[]) => undefined | (() => never)) | null = null

  wrap(storage: Storage): Storage {
    return new Proxy(storage, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target) as unknown
        if (name !== 'commit') return typeof value === 'function' ? value.bind(target) : value
        return async (writes: readonly Write[]) => {
          if (this.onCommit === null || !writes.some(({ collection }) => collection === 'gateway_events')) return storage.commit(writes)
          const then = this.onCommit(writes)
          const results = await storage.commit(writes)
          then?.()
          return results
        }
      },
    })
  }
}

async function written(storage: Storage): Promise<readonly string[]> {
  const all: string[] = []
  for (const name of CONCERNED) for (const document of await storage.open(platformCollection(name, [])).find({})) all.push(`${name} ${JSON.stringify(document)}`)
  return all.sort()
}

for (const store of [EMBEDDED, REPLICA_SET]) {
  describe(`events of the payment gateway, ${store.name}`, { skip: store.skip }, () => {
    test('change nothing when any of their writes fails, and everything with the next delivery', async () => {
      const failing = new FailingCommits()
      const lent = (await lendStorage(store)) ?? assert.fail()
      const app = await startTestApp({ store: { ...store, fresh: async () => lent }, env: BILLED, billing: new FakeBilling(), open: async () => failing.wrap(lent.storages[0]) })
      try {
        const admin = await bootstrap(app.client)
        const bought = gatewaySubscription(admin.organizationId, 'active')
        const history: readonly GatewayEvent[] = [
          changeEvent(bought, { createdAt: new Date(Date.now() - 4000) }),
          paymentEvent('invoice_failed', bought, { createdAt: new Date(Date.now() - 3000) }),
          changeEvent({ ...bought, status: 'canceled', currentPeriodEnd: new Date(Date.now() + DAY) }, { createdAt: new Date(Date.now() - 2000) }),
        ]
        for (const event of history) {
          const before = await written(app.service.storage)
          let writes = 1
          for (let failed = 0; failed < writes; failed++) {
            failing.onCommit = (all) => {
              writes = all.length
              // The store refuses the commit at this write: nothing of it may stay.
              const existing = { _id: admin.organizationId } as StoredDocument
              ;(all as Write[])[failed] = { collection: 'organizations', operation: { kind: 'insert', document: existing } }
              return undefined
            }
            const { status } = await deliver(app.client, event)
            assert.notEqual(status, 200, `write ${failed} of ${writes}`)
          }
          assert.ok(writes >= 3)
          assert.deepEqual(await written(app.service.storage), before)
          failing.onCommit = () => {
            throw new StorageUnavailableError()
          }
          assert.equal((await deliver(app.client, event)).status, 503)
          assert.deepEqual(await written(app.service.storage), before)
          // The answer of the commit is lost: the gateway sends the event again, which has had its effect.
          failing.onCommit = () => () => {
            throw new StorageUnavailableError()
          }
          assert.equal((await deliver(app.client, event)).status, 503)
          const after = await written(app.service.storage)
          assert.notDeepEqual(after, before)
          failing.onCommit = null
          assert.equal((await deliver(app.client, event)).body.status, 'duplicate')
          assert.deepEqual(await written(app.service.storage), after)
        }
        assert.equal((await subscriptionOf(admin)).status, 'canceled')
      } finally {
        await app.close()
      }
    })

    test('at two instances', async (t) => {
      const gateway = new FakeBilling()
      await withInstances(store, { env: BILLED, billing: gateway }, async ({ admin, at }) => {
        const updates = async (): Promise<number> => (await admin.client.get<unknown[]>('/platform/audit?action=subscription.updated')).body.length

        await t.test('an answer of the gateway that is older than a stored state does not bring it back', async () => {
          const active = gatewaySubscription(admin.organizationId, 'active', { id: 'sub_answered' })
          const unsure = (): GatewayEvent => changeEvent(active, { isOrderCertain: false })
          gateway.objects.set(active.id, active)
          await deliver(at(0), unsure())
          // While the first instance waits for the answer `active`, the second one learns that the subscription was canceled.
          let isFirst = true
          gateway.onFetch = async () => {
            if (!isFirst) return
            isFirst = false
            gateway.objects.set(active.id, { ...active, status: 'canceled' })
            assert.equal((await deliver(at(1), unsure())).body.status, 'applied')
          }
          assert.equal((await deliver(at(0), unsure())).body.status, 'applied')
          assert.equal((await subscriptionOf(admin)).status, 'canceled')
        })

        await t.test('an event that both receive at once has one effect, and the newest counts in any order', async () => {
          const before = await updates()
          const bought = gatewaySubscription(admin.organizationId, 'active')
          const first = changeEvent(bought, { createdAt: new Date(Date.now() - DAY) })
          const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => deliver(at(index), first)))
          assert.deepEqual(answers.map(({ status, body }) => `${status} ${body.status}`).sort(), ['200 applied', ...Array.from({ length: 5 }, () => '200 duplicate')])
          assert.equal((await updates()) - before, 1)

          const later = Array.from({ length: 12 }, (_, index) => changeEvent({ ...bought, seats: index + 1 }, { createdAt: new Date(Date.now() - 60_000 + index * 1000) }))
          const mixed = [...later.filter((_, index) => index % 3 === 2), ...later.filter((_, index) => index % 3 === 0), ...later.filter((_, index) => index % 3 === 1)]
          // A delivery that met too many others is sent again by the gateway.
          let missing = mixed
          for (let round = 0; missing.length > 0 && round < 5; round++) {
            const sent = await Promise.all(missing.map((event, index) => deliver(at(index), event)))
            for (const { status } of sent) assert.ok(status === 200 || status === 409, String(status))
            missing = missing.filter((_, index) => sent[index].status !== 200)
          }
          assert.deepEqual(missing, [])
          assert.equal((await subscriptionOf(admin)).seat_count, 12)
        })
      })
    })
  })
}
