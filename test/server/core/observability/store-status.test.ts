import assert from 'node:assert/strict'
import test from 'node:test'
import { type Backlog, StoreStatusCache } from '../../../../server/core/observability/store-status.js'

const BACKLOG: readonly Backlog[] = [{ kind: 'a', waiting: 2, since: new Date(0) }]
const UP = { isReady: true, parts: { database: 'ok' } } as const

test('the store is queried once for all reads within some seconds', async () => {
  let asked = 0
  let now = 0
  const readings = new StoreStatusCache({
    health: async () => UP,
    backlogs: async () => {
      asked++
      return BACKLOG
    },
    now: () => now,
  })
  const all = await Promise.all([readings.read(), readings.read()])
  assert.deepEqual(
    all,
    [1, 2].map(() => ({ isUp: true, isReady: true, backlogs: BACKLOG })),
  )
  now = 4999
  await readings.read()
  assert.equal(asked, 1)
  now = 5000
  await readings.read()
  assert.equal(asked, 2)
})

test('an unavailable store is not queried, and a failed or slow one is reported without waiting jobs', async () => {
  let asked = 0
  const away = new StoreStatusCache({
    health: async () => ({ isReady: false, parts: { database: 'unavailable' } }),
    backlogs: async () => {
      asked++
      return BACKLOG
    },
  })
  assert.deepEqual(await away.read(), { isUp: false, isReady: false, backlogs: null })
  assert.equal(asked, 0)
  for (const backlogs of [() => Promise.reject(new Error('broken')), () => new Promise<never>(() => {})]) {
    assert.deepEqual(await new StoreStatusCache({ health: async () => UP, backlogs, timeoutMs: 5 }).read(), { isUp: true, isReady: true, backlogs: null })
  }
})
