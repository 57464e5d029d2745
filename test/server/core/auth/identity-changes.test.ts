/** What instances tell each other of users, keys and organizations that changed, through one database. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openStorage } from '../../../../server/core/storage/open.js'
import { IdentityCache, type Reading } from '../../../../server/core/auth/identity-cache.js'
import { type AffectedIdentity, identityKey, IDENTITY_CHANGES, IdentityChanges, SLICES, sliceOf } from '../../../../server/core/auth/identity-changes.js'
import { IdentityWatch } from '../../../../server/core/auth/identity-watch.js'
import { readConfig } from '../../../../server/core/config.js'
import type { Storage } from '../../../../server/core/storage/contract.js'
import { EMBEDDED, type FreshStore, REPLICA_SET } from '../../../support/stores.js'

for (const store of [EMBEDDED, REPLICA_SET]) {
  describe(`changes of identities, ${store.name}`, { skip: store.skip }, () => {
    let fresh: FreshStore
    let storage: Storage
    before(async () => {
      fresh = await store.fresh()
      storage = await openStorage(readConfig(fresh.env))
      await storage.prepare([IDENTITY_CHANGES])
    })
    after(async () => {
      await storage?.close()
      await fresh?.remove()
    })

    test('are not known at the first looks, and told once from then on, to every instance', async () => {
      const [here, there] = [new IdentityChanges(storage), new IdentityChanges(storage)]
      assert.deepEqual(await Promise.all([here.poll(), there.poll()]), [null, null], 'nothing is known of the time before')
      await Promise.all([here.poll(), there.poll()])
      assert.deepEqual(await Promise.all([here.poll(), there.poll()]), [[], []])
      const affected: readonly AffectedIdentity[] = [{ user: 'u' }, { key: 'k' }, { organization: 'o' }]
      await here.announce(affected, (announcing) => storage.commit(announcing))
      const slices = [...new Set(affected.map((one) => sliceOf(identityKey(one))))].sort((a, b) => a - b)
      assert.deepEqual(await Promise.all([here.poll(), there.poll()]), [slices, slices])
      assert.deepEqual(await Promise.all([here.poll(), there.poll()]), [[], []])
    })

    test('are told by an instance whose mark was lost and made anew by another', async () => {
      const [here, there] = [new IdentityChanges(storage), new IdentityChanges(storage)]
      for (let look = 0; look < 2; look++) await here.poll()
      await storage.open(IDENTITY_CHANGES).delete({ _id: '09' })
      for (let look = 0; look < 2; look++) await there.poll()
      assert.deepEqual(await here.poll(), [9])
    })

    test('are made by hundreds at once, also of one slice, and each is', async () => {
      const changes = new IdentityChanges(storage)
      for (let look = 0; look < 3; look++) await changes.poll()
      let made = 0
      const make = (affected: AffectedIdentity): Promise<void> =>
        changes.announce([affected, { organization: 'o' }], async (announcing) => {
          await storage.commit(announcing)
          made += 1
        })
      const users = Array.from({ length: 200 }, (_, n) => ({ user: `u${n}` }))
      await Promise.all([...users.map(make), ...users.map(() => make({ user: 'same' }))])
      assert.equal(made, 400)
      const slices = [...users, { user: 'same' }, { organization: 'o' }].map((one) => sliceOf(identityKey(one)))
      assert.deepEqual(
        await changes.poll(),
        [...new Set(slices)].sort((a, b) => a - b),
      )
    })

    test('are unknown when a mark was lost, until it has been there twice', async () => {
      const changes = new IdentityChanges(storage)
      for (let look = 0; look < 2; look++) await changes.poll()
      assert.deepEqual(await changes.poll(), [])
      await storage.open(IDENTITY_CHANGES).delete({ _id: '07' })
      await changes.announce([{ user: 'somebody' }], (announcing) => storage.commit(announcing))
      assert.deepEqual([await changes.poll(), await changes.poll()], [null, null])
      assert.deepEqual(await changes.poll(), [])
      assert.equal(await storage.open(IDENTITY_CHANGES).count({}), SLICES)
    })

    test('end what is cached elsewhere, and nothing else does', async () => {
      const clock = { now: 1_000 }
      const read = (): number => clock.now
      const cache = new IdentityCache(read, read)
      const watch = new IdentityWatch(cache, new IdentityChanges(storage), read)
      let readings = 0
      const find = () =>
        cache.find('credential', async (): Promise<Reading> => {
          readings += 1
          return { principal: { kind: 'api_key', keyId: 'k', name: 'k', ownerId: null, organizationId: 'o', expiresAt: null, scopes: [], permissions: new Set() }, expiresAt: null }
        })
      for (let look = 0; look < 2; look++) {
        await find()
        await watch.poll()
      }
      await find()
      const known = readings
      for (let second = 0; second < 4; second++) {
        await watch.poll()
        clock.now += 700
        await watch.poll()
        await find()
      }
      assert.equal(readings, known)
      await new IdentityChanges(storage).announce([{ key: 'k' }], (announcing) => storage.commit(announcing))
      await watch.poll()
      await find()
      assert.equal(readings, known + 1)
    })

    test('are looked for only while someone asks', async () => {
      const cache = new IdentityCache()
      let looks = 0
      const watch = new IdentityWatch(cache, { poll: async () => [looks++] })
      await watch.poll()
      assert.equal(looks, 0)
      await assert.rejects(cache.find('k', () => Promise.reject(new Error('unknown'))))
      await watch.poll()
      await watch.poll()
      assert.equal(looks, 1)
    })
  })
}
