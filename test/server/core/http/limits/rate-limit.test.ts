/** Rate limits: two windows for each route key and subject, exact over instances. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import Type from 'typebox'
import { openStorage } from '../../../../../server/core/storage/open.js'
import { readConfig } from '../../../../../server/core/config.js'
import { defineRoute, PUBLIC, permission } from '../../../../../server/core/http/route.js'
import type { Storage } from '../../../../../server/core/storage/contract.js'
import { StorageUnavailableError } from '../../../../../server/core/storage/errors.js'
import { COUNTERS, Counters, type Taken, Throttle } from '../../../../../server/core/tenancy/counters.js'
import { EMBEDDED, type FreshStore, REPLICA_SET } from '../../../../support/stores.js'
import { type Answer, KEY, startHttp, TOKEN, type TestService, WEAK_KEY } from '../support/service.js'

const common = { tag: 'Test', summary: 'Test', description: 'Test.' }
const Any = { 200: { description: 'Fine.', schema: Type.Any() } }
const routes = [
  defineRoute({ ...common, id: 'login', method: 'POST', path: '/login', access: PUBLIC, rateLimit: 'auth.login', responses: Any, handle: async () => ({ body: {} }) }),
  defineRoute({
    ...common,
    id: 'logtest',
    method: 'POST',
    path: '/logtest',
    access: permission('analysis:run'),
    rateLimit: 'analysis.logtest',
    responses: Any,
    handle: async () => ({ body: {} }),
  }),
  defineRoute({
    ...common,
    id: 'full',
    method: 'POST',
    path: '/full',
    access: permission('analysis:run'),
    rateLimit: 'analysis.logtest',
    responses: Any,
    handle: async () => ({ body: {} }),
  }),
  defineRoute({
    ...common,
    id: 'validate',
    method: 'POST',
    path: '/validate',
    access: permission('analysis:run'),
    rateLimit: 'analysis.validate',
    responses: Any,
    handle: async () => ({ body: {} }),
  }),
  defineRoute({ ...common, id: 'free', method: 'GET', path: '/free', access: PUBLIC, responses: Any, handle: async () => ({ body: {} }) }),
]

/** In the future: the store deletes expired documents once a minute, by the real clock. */
const START = Date.parse('2100-03-01T10:20:30.400Z')

async function limited(perMinute: number, perHour: number, run: (service: TestService, clock: { now: number }) => Promise<void>, enabled = true): Promise<void> {
  const clock = { now: START }
  const service = await startHttp({ routes, clock: () => clock.now, config: { rateLimitEnabled: enabled, rateLimitPerMinute: perMinute, rateLimitPerHour: perHour } })
  try {
    await run(service, clock)
  } finally {
    await service.close()
  }
}

const key = { headers: { 'x-api-key': KEY } }

test('a limited route reports its limit, and refuses requests above it until the window ends', () =>
  limited(3, 100, async (service, clock) => {
    const first = await service.call('POST', '/logtest', key)
    assert.equal(first.headers['x-ratelimit-limit'], '3')
    assert.equal(first.headers['x-ratelimit-remaining'], '2')
    assert.equal(first.headers['x-ratelimit-reset'], '2100-03-01T10:21:30.400Z')
    clock.now += 20_000
    // Routes with the same key share a window.
    assert.equal((await service.call('POST', '/full', key)).headers['x-ratelimit-remaining'], '1')
    assert.equal((await service.call('POST', '/logtest', key)).headers['x-ratelimit-remaining'], '0')
    const refused = await service.call('POST', '/logtest', key)
    assert.equal(refused.status, 429)
    assert.equal(refused.body.code, 'rate_limited')
    assert.deepEqual(refused.body.details, { route: 'analysis.logtest', reset_at: '2100-03-01T10:21:30.400Z' })
    assert.equal(refused.headers['retry-after'], '40')
    assert.equal(refused.headers['x-ratelimit-limit'], '3')
    assert.equal(refused.headers['x-ratelimit-remaining'], '0')
    clock.now += 39_999
    assert.equal((await service.call('POST', '/logtest', key)).headers['retry-after'], '1')
    clock.now += 1
    assert.equal((await service.call('POST', '/logtest', key)).status, 200)
    assert.match((await service.metrics.read()).text, /http_rate_limited_total\{route="analysis.logtest"\} 2/)
  }))

test('the hour has its own window, for which a refused minute does not count', () =>
  limited(2, 5, async (service, clock) => {
    const statuses: number[] = []
    for (let minute = 0; minute < 3; minute++) {
      for (let turn = 0; turn < 3; turn++) statuses.push((await service.call('POST', '/logtest', key)).status)
      clock.now += 60_000
    }
    assert.deepEqual(statuses, [200, 200, 429, 200, 200, 429, 200, 429, 429])
    const refused = await service.call('POST', '/logtest', key)
    assert.equal(refused.status, 429)
    assert.equal(refused.body.details.reset_at, '2100-03-01T11:20:30.400Z')
    assert.equal(refused.headers['retry-after'], String(57 * 60))
    assert.equal(refused.headers['x-ratelimit-limit'], '2')
  }))

test('each key, user, address and route key has its own windows', () =>
  limited(1, 10, async (service) => {
    assert.equal((await service.call('POST', '/logtest', key)).status, 200)
    assert.equal((await service.call('POST', '/logtest', key)).status, 429)
    assert.equal((await service.call('POST', '/validate', key)).status, 200)
    assert.equal((await service.call('POST', '/logtest', { headers: { authorization: `Bearer ${TOKEN}` } })).status, 200)
    assert.equal((await service.call('POST', '/login')).status, 200)
    assert.equal((await service.call('POST', '/login')).status, 429)
    const free = await service.call('GET', '/free')
    assert.equal(free.headers['x-ratelimit-limit'], undefined)
  }))

test('a caller without permission is counted, and one without a valid credential is counted by address', () =>
  limited(2, 10, async (service) => {
    const weak = await service.call('POST', '/logtest', { headers: { 'x-api-key': WEAK_KEY } })
    assert.equal(weak.status, 403)
    assert.equal(weak.headers['x-ratelimit-remaining'], '1')
    const guess = (): Promise<Answer> => service.call('POST', '/logtest', { headers: { 'x-api-key': 'svk_guess' } })
    assert.equal((await guess()).status, 401)
    assert.equal((await service.call('POST', '/logtest')).status, 401)
    assert.equal((await guess()).status, 429)
    assert.equal((await service.call('POST', '/logtest', key)).status, 200)
  }))

test('a caller that is refused for its organization is counted by address as well', () =>
  limited(2, 10, async (service) => {
    const strange = { headers: { 'x-api-key': KEY, 'x-org-id': 'org-2' } }
    const refused = await service.call('POST', '/logtest', strange)
    assert.equal(refused.status, 403)
    assert.equal(refused.headers['x-ratelimit-remaining'], '1')
    assert.equal((await service.call('POST', '/logtest', strange)).status, 403)
    assert.equal((await service.call('POST', '/logtest', strange)).status, 429)
  }))

test('the operator can disable rate limits', () =>
  limited(
    1,
    1,
    async (service) => {
      for (let turn = 0; turn < 3; turn++) {
        const answer = await service.call('POST', '/logtest', key)
        assert.equal(answer.status, 200)
        assert.equal(answer.headers['x-ratelimit-limit'], undefined)
      }
    },
    false,
  ))

for (const store of [EMBEDDED, REPLICA_SET]) {
  describe(`counters, ${store.name}`, { skip: store.skip }, () => {
    /** The stores of two instances. */
    let storages: readonly [Storage, Storage]
    let fresh: FreshStore
    before(async () => {
      fresh = await store.fresh()
      const config = readConfig(fresh.env)
      storages = [await openStorage(config), await openStorage(config)]
      for (const storage of storages) await storage.prepare([COUNTERS])
    })
    after(async () => {
      for (const storage of storages) await storage.close()
      await fresh.remove()
    })

    /** Sends concurrent requests alternately to two instances with one store. */
    const allowedOf = async (limit: number, asks: number, id: string, now = { now: START }): Promise<{ allowed: number; taken: Taken[] }> => {
      const instances = storages.map((storage) => new Counters(storage, () => now.now))
      const taken = await Promise.all(Array.from({ length: asks }, (_, index) => instances[index % 2].take(id, { limit, windowSeconds: 60 })))
      return { allowed: taken.filter(({ allowed }) => allowed).length, taken }
    }

    test('instances agree exactly on small limits', async () => {
      for (const limit of [1, 2, 7, 120, 199]) assert.equal((await allowedOf(limit, limit + 50, `small-${limit}`)).allowed, limit)
    })

    test('instances admit no more than a large limit, and lose at most a block each', async () => {
      for (const limit of [200, 250, 1234, 5000]) {
        const { allowed } = await allowedOf(limit, limit + 500, `large-${limit}`)
        assert.ok(allowed <= limit && allowed >= limit - 2 * Math.floor(limit / 100), `${allowed} of ${limit}`)
      }
    })

    test('with a large limit a busy caller costs one write per block', async () => {
      let writes = 0
      const [storage] = storages
      const windows: Storage['windows'] = (definition) => ({
        add: (...units) => {
          writes++
          return storage.windows(definition).add(...units)
        },
      })
      const counting = { open: storage.open.bind(storage), windows }
      const counters = new Counters(counting, () => START)
      for (let turn = 0; turn < 10_000; turn++) await counters.take('hot', { limit: 100_000, windowSeconds: 60 })
      assert.ok(writes <= 12, `${writes} writes`)
    })

    test('an expired window is renewed by one instance only', async () => {
      const clock = { now: START }
      assert.equal((await allowedOf(5, 20, 'renewed', clock)).allowed, 5)
      clock.now += 60_000
      assert.equal((await allowedOf(5, 20, 'renewed', clock)).allowed, 5)
      clock.now += 59_999
      assert.equal((await allowedOf(5, 20, 'renewed', clock)).allowed, 0)
    })

    test('requests that wait for a block fail with it, and the next one tries again', async () => {
      let asked = 0
      let isDown = true
      const [storage] = storages
      const windows: Storage['windows'] = (definition) => ({
        add: async (...units) => {
          asked++
          await sleep(10)
          if (isDown) throw new StorageUnavailableError()
          return storage.windows(definition).add(...units)
        },
      })
      const failing = { open: storage.open.bind(storage), windows }
      const counters = new Counters(failing, () => START)
      const take = (): Promise<Taken> => Promise.resolve(counters.take('down', { limit: 1000, windowSeconds: 60 }))
      const results = await Promise.allSettled(Array.from({ length: 50 }, take))
      assert.equal(results.filter(({ status }) => status === 'rejected').length, 50)
      assert.equal(asked, 1)
      isDown = false
      assert.equal((await take()).allowed, true)
    })

    test('a throttle counts every attempt until it is cleared', async () => {
      const clock = { now: START }
      const throttle = new Throttle(storages[0], () => clock.now)
      const other = new Throttle(storages[1], () => clock.now)
      const limit = { limit: 5, windowSeconds: 900 }
      const seen: boolean[] = []
      for (let turn = 0; turn < 7; turn++) {
        seen.push((await (turn % 2 === 0 ? throttle : other).attempt('login', 'a@example.com 203.0.113.7', limit)).allowed)
        clock.now += 1000
      }
      assert.deepEqual(seen, [true, true, true, true, true, false, false])
      const { resetAt } = await throttle.attempt('login', 'a@example.com 203.0.113.7', limit)
      assert.equal(resetAt.getTime(), START + 900_000)
      assert.equal((await throttle.attempt('login', 'b@example.com 203.0.113.7', limit)).allowed, true)
      assert.equal((await throttle.attempt('register', 'a@example.com 203.0.113.7', limit)).allowed, true)
      await other.clear('login', 'a@example.com 203.0.113.7')
      assert.equal((await throttle.attempt('login', 'a@example.com 203.0.113.7', limit)).allowed, true)
      clock.now += 900_000
      assert.equal((await throttle.attempt('login', 'b@example.com 203.0.113.7', limit)).allowed, true)
      const stored = await storages[0].open(COUNTERS).find({})
      assert.doesNotMatch(JSON.stringify(stored), /example\.com/)
    })
  })
}
