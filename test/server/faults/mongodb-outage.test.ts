/** MongoDB stops under a running service and starts again: requests get 503 meanwhile, and then succeed without a restart. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'node:test'
import { bootstrap } from '../../support/actors.js'
import { Client, type Refusal } from '../../support/client.js'
import { mongodForTests, startMongod } from '../../support/mongod.js'
import { SMALL_RULESET, startServiceProcess } from '../../support/service-process.js'
import { REPLICA_SET, TEST_SECRET } from '../../support/stores.js'

/** Time limit for the service to find MongoDB again. */
const RECOVERY_MS = 60_000

describe('MongoDB stopped and started again', { skip: mongodForTests().skip }, () => {
  test('requests get 503, and succeed afterwards', async () => {
    const folder = await REPLICA_SET.fresh()
    const mongod = await startMongod()
    const service = await startServiceProcess({
      ...SMALL_RULESET,
      NATIVE_SERVICE_DATA_DIR: folder.env.NATIVE_SERVICE_DATA_DIR,
      // Each request waits this long meanwhile.
      NATIVE_SERVICE_MONGODB_URL: `${mongod.url('outage')}?serverSelectionTimeoutMS=1000`,
      NATIVE_SERVICE_SECRET_KEY: TEST_SECRET,
    })
    try {
      const admin = await bootstrap(new Client(service.origin))
      await mongod.kill('SIGKILL')
      const keys = `/platform/organizations/${admin.organizationId}/api-keys`
      const refused = await admin.client.post<Refusal>(keys, { name: 'lost', scopes: ['analysis:run'], expires_at: null })
      assert.equal(refused.status, 503, refused.text)
      assert.equal(refused.body.code, 'service_unavailable')
      assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
      // The cached session is no longer trusted either.
      await sleep(1000)
      assert.equal((await admin.client.get('/auth/me')).status, 503)
      assert.equal((await admin.client.get(`${service.origin}/readyz`)).status, 503)
      assert.equal((await admin.client.get(`${service.origin}/livez`)).status, 200)

      const back = await startMongod({ port: mongod.port, dbpath: mongod.dbpath })
      try {
        const deadline = Date.now() + RECOVERY_MS
        let me = await admin.client.get('/auth/me')
        while (me.status !== 200 && Date.now() < deadline) {
          await sleep(200)
          me = await admin.client.get('/auth/me')
        }
        assert.equal(me.status, 200, me.text)
        // All failures have one cause: one log line with its stack, and lines with counts.
        const failures = service
          .output()
          .split('\n')
          .filter((line) => line.includes('"level":"error"') || line.includes('"level":"warn"'))
          .map((line) => JSON.parse(line) as { err?: unknown; left_out?: number })
        assert.equal(failures.filter(({ err }) => err !== undefined).length, 1, JSON.stringify(failures))
        const made = await admin.client.post(keys, { name: 'found', scopes: ['analysis:run'], expires_at: null })
        assert.equal(made.status, 200, made.text)
      } finally {
        await service.stop('SIGTERM')
        await back.stop()
      }
    } finally {
      await service.stop('SIGKILL')
      await mongod.stop()
      await folder.remove()
    }
  })
})
