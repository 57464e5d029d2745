/** MongoDB goes away under a running service, and comes back: 503s meanwhile, and then everything as before, without a restart. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'node:test'
import { bootstrap } from '../../support/actors.js'
import { Client, type Refusal } from '../../support/client.js'
import { mongodForTests, startMongod } from '../../support/mongod.js'
import { startServiceProcess } from '../../support/service-process.js'
import { REPLICA_SET, TEST_SECRET } from '../../support/stores.js'

/** Until the service has found MongoDB again, or it never will. */
const RECOVERY_MS = 60_000

describe('MongoDB stopped and started again', { skip: mongodForTests().skip }, () => {
  test('is answered 503, and then as before', async () => {
    const folder = await REPLICA_SET.fresh()
    const mongod = await startMongod()
    const service = await startServiceProcess({
      NATIVE_SERVICE_DATA_DIR: folder.env.NATIVE_SERVICE_DATA_DIR,
      // What is asked meanwhile waits so long each time.
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
      // What was known of the session a moment ago is not believed any more either.
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
        // What failed meanwhile has one cause: one line with its stack, and lines that count.
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
