/** `/metrics` of a whole service counts what it does. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'node:test'
import { bootstrap } from '../support/actors.js'
import { startTestApp } from '../support/app.js'
import { openStream } from '../support/event-stream.js'
import { startReceiver } from '../support/receiver.js'

const METRICS_TOKEN = 'a-token-of-thirty-two-characters'
const PATIENCE_MS = 60_000

test('requests, mail, jobs, deliveries and streams are counted, and the store is named', async () => {
  const receiver = await startReceiver()
  const app = await startTestApp({ env: { NATIVE_SERVICE_METRICS_TOKEN: METRICS_TOKEN, NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true' } })
  const page = async (): Promise<string[]> => (await app.client.get(`${app.client.origin}/metrics`, { token: METRICS_TOKEN })).text.split('\n')
  const until = async (...expected: readonly string[]): Promise<void> => {
    for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(50)) {
      const lines = await page()
      const missing = expected.filter((line) => !lines.includes(line))
      if (missing.length === 0) return
      assert.ok(Date.now() < deadline, `${missing.join('\n')}\nis not in\n${lines.filter((line) => !line.startsWith('#')).join('\n')}`)
    }
  }
  try {
    const admin = await bootstrap(app.client)
    const webhooks = `/platform/organizations/${admin.organizationId}/webhooks`
    assert.equal((await admin.client.post(webhooks, { url: `${receiver.origin}/hook`, events: ['api_key.created'] })).status, 200)
    const keys = `/platform/organizations/${admin.organizationId}/api-keys`
    assert.equal((await admin.client.post(keys, { name: 'counted', scopes: ['analysis:run'], expires_at: null })).status, 200)
    assert.equal((await app.client.post('/auth/password-reset/request', { email: admin.email })).status, 200)
    const stream = await openStream(admin.client)
    await until(
      'http_request_duration_seconds_count{route="api-keys.create",method="POST",status="200"} 1',
      'jobs_ended_total{kind="event.dispatch",outcome="done"} 1',
      'jobs_ended_total{kind="webhook.deliver",outcome="done"} 1',
      'jobs_waiting{kind="webhook.deliver"} 0',
      'webhook_attempts_total{outcome="delivered"} 1',
      'webhook_deliveries_total{outcome="delivered"} 1',
      'mail_total{outcome="sent"} 1',
      'event_streams_open 1',
      'store_up 1',
      `store_info{kind="${app.service.storage.kind}",version="${app.service.storage.version}"} 1`,
    )
    assert.notEqual(app.service.storage.version, '')
    await stream.close()
    await until('event_streams_open 0')
  } finally {
    await app.close()
    await receiver.close()
  }
})
