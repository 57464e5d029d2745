/** The service is killed during writes: acknowledged writes are present after a restart, and no commit is stored in part. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Actor, bootstrap, login } from '../../support/actors.js'
import { startTestApp } from '../../support/app.js'
import { Client } from '../../support/client.js'
import { allOf } from '../../support/pages.js'
import { SMALL_RULESET, startServiceProcess } from '../../support/service-process.js'
import { EMBEDDED, REPLICA_SET } from '../../support/stores.js'

const WRITES = 1000
const AT_ONCE = 16
/** The kill follows about that many answers, while other requests are in progress. */
const KILL_AFTER = 400

interface KeyRecord {
  readonly id: string
  readonly name: string
}

interface AuditRecord {
  readonly action: string
  readonly resource_id: string
}

for (const store of [EMBEDDED, REPLICA_SET]) {
  describe(`a crash, ${store.name}`, { skip: store.skip }, () => {
    test('loses no acknowledged write, and stores no commit in part', async () => {
      const fresh = await store.fresh()
      const first = await startServiceProcess({ ...fresh.env, ...SMALL_RULESET })
      const admin = await bootstrap(new Client(first.origin))
      const acknowledged = new Map<string, string>()
      let begun = 0
      const write = async (): Promise<void> => {
        while (begun < WRITES) {
          const name = `key ${begun++}`
          try {
            const { status, body } = await admin.client.post<KeyRecord>(keysOf(admin), { name, scopes: ['analysis:run'], expires_at: null })
            if (status === 200) acknowledged.set(body.id, name)
          } catch {
            // The connection broke, so no answer was sent.
          }
          if (acknowledged.size >= KILL_AFTER && first.child.exitCode === null) first.child.kill('SIGKILL')
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, write))
      await first.stop('SIGKILL')
      await fresh.forget?.()
      assert.ok(acknowledged.size >= KILL_AFTER && acknowledged.size < WRITES, `${acknowledged.size} acknowledged`)

      const second = await startTestApp({ store: { ...store, fresh: async () => fresh } })
      try {
        const again = await login(second.client, admin.email)
        const keys = await allOf<KeyRecord>(again, keysOf(again))
        const stored = new Map(keys.map(({ id, name }) => [id, name]))
        for (const [id, name] of acknowledged) assert.equal(stored.get(id), name, 'an acknowledged key is lost')
        const audited = (await allOf<AuditRecord>(again, '/platform/audit')).filter(({ action }) => action === 'api_key.created').map(({ resource_id }) => resource_id)
        assert.deepEqual([...audited].sort(), [...stored.keys()].sort(), 'a key without its audit entry, or the other way round')
        const made = await again.client.post(keysOf(again), { name: 'after the crash', scopes: ['analysis:run'], expires_at: null })
        assert.equal(made.status, 200, made.text)
      } finally {
        await second.close()
      }
    })
  })
}

const keysOf = ({ organizationId }: Actor): string => `/platform/organizations/${organizationId}/api-keys`
