/** `Idempotency-Key`: the same key returns the same response for 24 hours. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { ApiError } from '../../../../../server/core/errors.js'
import { IDEMPOTENCY_KEYS } from '../../../../../server/core/http/response/idempotency.js'
import { defineRoute, permission } from '../../../../../server/core/http/route.js'
import { ADMIN_TOKEN, type Answer, KEY, startHttp, TOKEN, type TestService } from '../support/service.js'

/** In the future: the store deletes expired documents once a minute, by the real clock. */
const START = Date.parse('2100-03-01T10:20:30.400Z')

interface Bench {
  readonly service: TestService
  readonly clock: { now: number }
  runs: number
  handle: () => Promise<void>
  run(key: string | null, more?: { path?: string; json?: unknown; token?: boolean }): Promise<Answer>
}

async function bench(work: (bench: Bench) => Promise<void>): Promise<void> {
  const clock = { now: START }
  const route = defineRoute({
    id: 'cases.run',
    method: 'POST',
    path: '/cases/{id}/run',
    tag: 'Test',
    summary: 'Test',
    description: 'Test.',
    access: permission('case:run'),
    etag: true,
    idempotencyKey: true,
    body: { as: 'json', schema: Type.Object({ a: Type.Optional(Type.Integer()) }) },
    responses: { 200: { description: 'Fine.', schema: Type.Any() } },
    handle: async () => {
      own.runs++
      await own.handle()
      return { body: { run: own.runs, text: 'x'.repeat(20_000) }, headers: { 'X-Run': String(own.runs) }, etag: `v${own.runs}` }
    },
  })
  const service = await startHttp({ routes: [route], clock: () => clock.now })
  const own: Bench = {
    service,
    clock,
    runs: 0,
    handle: async () => {},
    run: (key, { path = '/cases/a/run', json = {}, token = false } = {}) =>
      service.call('POST', path, {
        json,
        headers: { ...(token ? { authorization: `Bearer ${TOKEN}` } : { 'x-api-key': KEY }), ...(key === null ? {} : { 'idempotency-key': key }) },
      }),
  }
  try {
    await work(own)
  } finally {
    await service.close()
  }
}

test('the same key returns the same response without running the handler', () =>
  bench(async (own) => {
    const first = await own.run('k')
    const again = await own.run('k')
    assert.equal(own.runs, 1)
    assert.equal(again.text, first.text)
    assert.equal(again.headers['x-run'], '1')
    assert.equal(again.headers.etag, '"v1"')
    assert.equal(again.headers['content-type'], 'application/json; charset=utf-8')
    assert.notEqual(again.headers['x-request-id'], first.headers['x-request-id'])
    await own.run(null)
    await own.run('other')
    assert.equal(own.runs, 3)
  }))

test('the same key with another request is 409', () =>
  bench(async (own) => {
    await own.run('k')
    for (const other of [{ path: '/cases/b/run' }, { json: { a: 1 } }]) {
      const answer = await own.run('k', other)
      assert.equal(answer.status, 409)
      assert.match(answer.body.message, /another request/)
    }
    assert.equal(own.runs, 1)
  }))

test('callers do not share keys', () =>
  bench(async (own) => {
    await own.run('k')
    await own.run('k', { token: true })
    assert.equal(own.runs, 2)
  }))

test('organizations and routes do not share keys', async () => {
  let runs = 0
  const routes = ['first', 'second'].map((id) =>
    defineRoute({
      id,
      method: 'POST',
      path: `/${id}`,
      tag: 'Test',
      summary: 'Test',
      description: 'Test.',
      access: permission('case:run'),
      idempotencyKey: true,
      responses: { 200: { description: 'Fine.', schema: Type.Any() } },
      handle: async () => ({ body: { run: ++runs } }),
    }),
  )
  const service = await startHttp({ routes })
  const run = async (path: string, organization = 'org-1'): Promise<unknown> =>
    (await service.call('POST', path, { headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'x-org-id': organization, 'idempotency-key': 'k' } })).body.run
  try {
    assert.deepEqual([await run('/first'), await run('/first'), await run('/second')], [1, 1, 2])
    assert.deepEqual([await run('/first', 'org-2'), await run('/first', 'org-2')], [3, 3])
    assert.equal(await run('/first'), 1)
  } finally {
    await service.close()
  }
})

test('of concurrent requests with one key one runs, and the others are 409', () =>
  bench(async (own) => {
    let finish = (): void => {}
    let arrived = (): void => {}
    const begun = new Promise<void>((resolve) => {
      arrived = resolve
    })
    own.handle = () =>
      new Promise((resolve) => {
        finish = resolve
        arrived()
      })
    const first = own.run('k')
    await begun
    const second = await own.run('k')
    assert.equal(second.status, 409)
    assert.match(second.body.message, /still running/)
    finish()
    assert.equal((await first).body.run, 1)
    assert.equal((await own.run('k')).body.run, 1)
  }))

test('a refused or failed request frees its key', () =>
  bench(async (own) => {
    own.handle = () => Promise.reject(new ApiError('plan_quota_exceeded'))
    assert.equal((await own.run('k')).status, 403)
    own.handle = () => Promise.reject(new Error('odd'))
    assert.equal((await own.run('k')).status, 500)
    own.handle = async () => {}
    assert.equal((await own.run('k')).body.run, 3)
    assert.equal((await own.run('k')).body.run, 3)
  }))

test('the key of a dead process is free when the request could have ended', () =>
  bench(async (own) => {
    await own.run('k')
    const keys = own.service.storage.open(IDEMPOTENCY_KEYS)
    const [kept] = await keys.find({})
    // The state while the request runs.
    await keys.update({ _id: kept._id }, { set: { state: 'running', answer: null, lease_until: new Date(own.clock.now + 40_000) } })
    assert.equal((await own.run('k')).status, 409)
    own.clock.now += 40_000
    assert.equal((await own.run('k')).body.run, 2)
    assert.equal((await own.run('k')).body.run, 2)
  }))

test('after a day a key can be used again, also for another request', () =>
  bench(async (own) => {
    await own.run('k')
    own.clock.now += 24 * 60 * 60 * 1000 - 1
    assert.equal((await own.run('k')).body.run, 1)
    own.clock.now += 1
    assert.equal((await own.run('k', { json: { a: 1 } })).body.run, 2)
  }))

test('a malformed key is 400', () =>
  bench(async (own) => {
    for (const key of ['', 'a b', 'a'.repeat(256)]) assert.equal((await own.run(key)).status, 400, key)
    assert.equal(own.runs, 0)
  }))
