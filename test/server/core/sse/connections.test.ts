/** Slots of streams: the limit of a user over all instances, and the slots of dead or suspended instances. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ApiError } from '../../../../server/core/errors.js'
import { Connections, type ConnectionsOptions, type Slot, SSE_CONNECTIONS } from '../../../../server/core/sse/connections.js'
import { openTestStorage, type TestStorage } from '../../../support/storage.js'

const LEASE_MS = 60_000

let opened: TestStorage
let now = Date.parse('2100-01-01T00:00:00Z')
let users = 0
const instances: Connections[] = []

before(async () => {
  opened = await openTestStorage([SSE_CONNECTIONS])
})
after(async () => {
  for (const instance of instances) await instance.close()
  await opened.close()
})

function instance(options: Partial<ConnectionsOptions> = {}): Connections {
  const made = new Connections({ storage: opened.storage, perUser: 2, onError: (error) => assert.fail(error as Error), clock: () => now, ...options })
  instances.push(made)
  return made
}
const someone = (): string => `user ${++users}`
const ignored = (): void => undefined
const isRefused = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code
const acquired = (attempts: readonly PromiseSettledResult<Slot>[]): Slot[] => attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []))

test('a user can acquire slots up to the limit, and another one after a release', async () => {
  const connections = instance()
  const user = someone()
  const [first] = [await connections.acquire(user, 'r', ignored), await connections.acquire(user, 'r', ignored)]
  assert.equal(connections.open, 2)
  await assert.rejects(connections.acquire(user, 'r', ignored), (error) => {
    assert.ok(error instanceof ApiError)
    assert.equal(error.reason, 'sse_connection_limit_exceeded')
    assert.equal(error.status, 429)
    assert.deepEqual(error.details, { route: 'r', limit: 2, reset_at: new Date(now + 10_000).toISOString() })
    assert.equal(error.headers['Retry-After'], '10')
    return true
  })
  assert.equal(connections.open, 2)
  await connections.acquire(someone(), 'r', ignored)
  // Not awaited: the next acquisition waits for the release.
  void first.release()
  void first.release()
  await connections.acquire(user, 'r', ignored)
  assert.equal(connections.open, 3)
  await assert.rejects(connections.acquire(user, 'r', ignored), isRefused('sse_connection_limit_exceeded'))
})

test('concurrent acquisitions on several instances do not exceed the limit', async () => {
  const all = [instance({ perUser: 5 }), instance({ perUser: 5 }), instance({ perUser: 5 })]
  const user = someone()
  const attempts = await Promise.allSettled(Array.from({ length: 30 }, (_, i) => all[i % 3].acquire(user, 'r', ignored)))
  const slots = acquired(attempts)
  assert.equal(slots.length, 5)
  assert.equal(
    all.reduce((sum, { open }) => sum + open, 0),
    5,
  )
  await Promise.all(slots.slice(0, 3).map((slot) => slot.release()))
  const again = acquired(await Promise.allSettled(Array.from({ length: 12 }, (_, i) => all[i % 3].acquire(user, 'r', ignored))))
  assert.equal(again.length, 3)
})

test('slots of a dead instance can be acquired when their lease has expired, each once', async () => {
  const [dead, one, two] = [instance(), instance(), instance()]
  const user = someone()
  const lost = await dead.acquire(user, 'r', ignored)
  await dead.acquire(user, 'r', ignored)
  await dead.close()
  now += LEASE_MS - 1
  await assert.rejects(one.acquire(user, 'r', ignored), isRefused('sse_connection_limit_exceeded'))
  now += 1
  const attempts = await Promise.allSettled([one, two, one, two, one].map((living) => living.acquire(user, 'r', ignored)))
  assert.equal(acquired(attempts).length, 2)
  // An instance that was suspended does not release a slot that another one has acquired.
  await lost.release()
  await assert.rejects(two.acquire(user, 'r', ignored), isRefused('sse_connection_limit_exceeded'))
})

test('an instance renews its slots', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const [mine, others] = [instance(), instance()]
  const user = someone()
  const slot = await mine.acquire(user, 'r', ignored)
  await mine.acquire(user, 'r', ignored)
  for (let i = 0; i < 6; i++) {
    now += LEASE_MS / 3
    t.mock.timers.tick(LEASE_MS / 3)
    await opened.storage.open(SSE_CONNECTIONS).count({})
  }
  await assert.rejects(others.acquire(user, 'r', ignored), isRefused('sse_connection_limit_exceeded'))
  await slot.release()
  await others.acquire(user, 'r', ignored)
})

test('an instance that was suspended ends the streams that have lost their slot, and keeps the others', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const [asleep, other] = [instance(), instance()]
  const user = someone()
  const lost: string[] = []
  let tell = ignored
  const told = new Promise<void>((resolve) => {
    tell = resolve
  })
  const losing = (name: string) => () => {
    lost.push(name)
    tell()
  }
  const first = await asleep.acquire(user, 'r', losing('first'))
  await asleep.acquire(user, 'r', losing('second'))
  now += LEASE_MS
  await other.acquire(user, 'r', losing('of the other'))
  t.mock.timers.tick(LEASE_MS / 3)
  await told
  assert.deepEqual(lost, ['first'])
  // Releasing it does not affect the stream that has the slot now; the other slot was renewed.
  await first.release()
  await assert.rejects(other.acquire(user, 'r', ignored), isRefused('sse_connection_limit_exceeded'))
  assert.equal(asleep.open, 1)
})

test('a slot that could not be acquired or released is not counted', async () => {
  const told: unknown[] = []
  const failing = {
    open: () => ({
      find: async () => [],
      insert: async () => {
        if (told.length === 0) throw new Error('no database')
      },
      delete: async () => {
        throw new Error('no database')
      },
    }),
  } as unknown as ConnectionsOptions['storage']
  const connections = new Connections({ storage: failing, perUser: 2, onError: (error) => void told.push(error) })
  await assert.rejects(connections.acquire('a', 'r', ignored), /no database/)
  assert.equal(connections.open, 0)
  told.push('it works now')
  const slot = await connections.acquire('a', 'r', ignored)
  await slot.release()
  assert.equal(told.length, 2)
  assert.equal(connections.open, 0)
  await connections.acquire('b', 'r', ignored)
  await connections.close()
})
