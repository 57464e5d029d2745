/** Hears of the events of an organization, as a webhook would: by what is made to be delivered to it. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventName } from '../../server/core/events/catalogue.js'
import { DELIVERIES } from '../../server/features/webhooks/store.js'
import type { Actor } from './actors.js'
import type { TestApp } from './app.js'

export interface Heard {
  readonly type: string
  readonly data: unknown
}

export interface Listener {
  /** Events so far, once there are that many; those that came before the last call are left out. By name. */
  next(count: number): Promise<readonly Heard[]>
}

/** Subscribes to events; nothing is really sent, as no such host is found. */
export async function listen({ service }: Pick<TestApp, 'service'>, admin: Actor, events: readonly EventName[]): Promise<Listener> {
  const { status, body, text } = await admin.client.post<{ id: string }>(`/platform/organizations/${admin.organizationId}/webhooks`, {
    url: 'https://hooks.example.test/',
    events,
  })
  assert.equal(status, 200, text)
  const deliveries = service.storage.openTenant(DELIVERIES)
  const seen = new Set<string>()
  return {
    async next(count) {
      for (let look = 0; look < 3000; look++) {
        const fresh = (await deliveries.find({ webhook_id: body.id })).filter(({ _id }) => !seen.has(_id))
        if (fresh.length >= count) {
          for (const { _id } of fresh) seen.add(_id)
          return fresh.map((delivery) => JSON.parse(delivery.body) as Heard).sort((a, b) => (a.type < b.type ? -1 : 1))
        }
        await sleep(20)
      }
      return assert.fail(`fewer than ${count} events`)
    },
  }
}
