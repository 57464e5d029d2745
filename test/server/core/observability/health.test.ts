/** Readiness of an instance, and access to its metrics. */
import assert from 'node:assert/strict'
import test from 'node:test'
import type { CustomContentState } from '#workers'
import { Health } from '../../../../server/core/observability/health.js'
import { startHttp } from '../http/support/service.js'

const METRICS_TOKEN = 'a-token-of-thirty-two-characters!'

test('readiness names the part that is not ready, and pings the database once a second', async () => {
  let pings = 0
  let isUp = true
  let isPoolReady = false
  let now = 0
  const health = new Health({
    ping: () => {
      pings++
      return isUp ? Promise.resolve() : Promise.reject(new Error('down'))
    },
    isPoolReady: () => isPoolReady,
    now: () => now,
  })
  const service = await startHttp({ routes: [], health })
  try {
    const starting = await service.call('GET', '//readyz')
    assert.equal(starting.status, 503)
    assert.deepEqual(starting.body, { status: 'unavailable', database: 'ok', pool: 'starting', instance: 'ok' })
    isPoolReady = true
    assert.equal((await service.call('GET', '//readyz')).status, 200)
    assert.equal(pings, 1)
    isUp = false
    now = 999
    assert.equal((await service.call('GET', '//readyz')).status, 200)
    now = 1000
    assert.deepEqual((await service.call('GET', '//readyz')).body, { status: 'unavailable', database: 'unavailable', pool: 'ok', instance: 'ok' })
    assert.equal((await service.call('GET', '//livez')).status, 200)
    isUp = true
    now = 5000
    health.stop()
    assert.deepEqual((await service.call('GET', '//readyz')).body, { status: 'unavailable', database: 'ok', pool: 'ok', instance: 'stopping' })
  } finally {
    await service.close()
  }
})

test('readiness reports custom content that does not load, with its time, and the instance stays ready', async () => {
  let state: CustomContentState = { state: 'current', since: null }
  const health = new Health({ ping: () => Promise.resolve(), isPoolReady: () => true, customContent: () => state })
  const service = await startHttp({ routes: [], health })
  try {
    assert.equal((await service.call('GET', '//readyz')).body.custom_content, 'ok')
    for (const name of ['stale', 'left_out'] as const) {
      state = { state: name, since: new Date(1_700_000_000_000) }
      const { status, body } = await service.call('GET', '//readyz')
      assert.equal(status, 200)
      assert.deepEqual(body, { status: 'ok', database: 'ok', pool: 'ok', instance: 'ok', custom_content: name, custom_content_since: '2023-11-14T22:13:20.000Z' })
    }
  } finally {
    await service.close()
  }
})

test('a database that does not respond is unavailable', async () => {
  const health = new Health({ ping: () => new Promise(() => {}), isPoolReady: () => true, pingTimeoutMs: 10 })
  assert.equal((await health.check()).parts.database, 'unavailable')
})

test('/metrics requires the token, and is absent if none is set', async () => {
  const off = await startHttp({ routes: [] })
  const on = await startHttp({ routes: [], config: { metricsToken: METRICS_TOKEN } })
  try {
    assert.equal((await off.call('GET', '//metrics', { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })).status, 404)
    assert.equal((await on.call('GET', '//metrics')).status, 401)
    assert.equal((await on.call('GET', '//metrics', { headers: { authorization: 'Bearer wrong' } })).status, 401)
    const { status, headers, text } = await on.call('GET', '//metrics', { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
    assert.equal(status, 200)
    assert.match(String(headers['content-type']), /^text\/plain/)
    assert.match(text, /http_request_duration_seconds/)
    assert.doesNotMatch(on.lines.join(''), new RegExp(METRICS_TOKEN))
  } finally {
    await off.close()
    await on.close()
  }
})
