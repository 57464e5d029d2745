/** Imports of objects as corpora over HTTP: signatures, compression, limits, what fails, and what is kept of it. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { CorpusRecord } from '../../server/features/replays/corpora/schema.js'
import { isInStore } from '../../server/features/replays/corpora/object-store.js'
import { CORPORA, CORPUS_CHUNKS } from '../../server/features/replays/corpora/store.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { type Actor, bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type ObjectStore, startObjectStore, STORE_KEYS, STORE_REGION } from '../support/object-store.js'
import { createProject, FAILED_LOGIN } from '../support/projects.js'
import { DEFAULT_STORE } from '../support/stores.js'
import { refused, stored, waitFor } from './steps.js'

const LINES = 40_000
const EVENTS = Buffer.from(`${FAILED_LOGIN}\n`.repeat(LINES))

test('an object is below a store only by its own path', () => {
  const stores = ['https://s3.example.com/archive', 'http://minio:9000']
  for (const url of ['https://s3.example.com/archive/a.json', 'https://s3.example.com/archive/2026/10/a%20b.gz?X-Amz-Signature=1', 'http://minio:9000/bucket/a'])
    assert.ok(isInStore(url, stores), url)
  for (const url of [
    ...['https://s3.example.com/archive', 'https://s3.example.com/archive/', 'https://s3.example.com/archives/a', 'https://s3.example.com/other/a'],
    ...['https://s3.example.com/archive/../other/a', 'https://s3.example.com/archive/%2e%2e/other/a', 'https://s3.example.com/archive/..%2fother/a'],
    ...['https://s3.example.com/archive//a', 'https://s3.example.com/archive/a%00', 'https://s3.example.com/archive/a#b', 'https://s3.example.com/archive/a%5cb'],
    ...['http://s3.example.com/archive/a', 'https://s3.example.com:8443/archive/a', 'https://s3.example.com.evil.example/archive/a'],
    ...['https://user:key@s3.example.com/archive/a', 'https://s3.example.com@evil.example/archive/a', 'http://minio:9000/', 'file:///archive/a', 'archive/a', ''],
  ])
    assert.ok(!isInStore(url, stores), url)
  assert.ok(!isInStore('https://s3.example.com/archive/a', []))
})

describe(`imports of objects, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor
  let path: string
  let store: ObjectStore

  before(async () => {
    store = await startObjectStore()
    app = await startTestApp({ env: { NATIVE_SERVICE_OBJECT_STORES: `${store.url}/logs, ${store.url}/public/` } })
    admin = await bootstrap(app.client)
    path = `/platform/projects/${(await createProject(admin)).id}/corpora`
  })
  after(async () => {
    await app?.close()
    await store?.close()
  })

  const begin = (object: object, size_bytes = EVENTS.length) => admin.client.post<CorpusRecord>(path, { name: 'Archive', size_bytes, object })
  /** The record of an import that has ended. */
  async function imported(object: object, size_bytes?: number): Promise<CorpusRecord> {
    const { status, body, text } = await begin(object, size_bytes)
    assert.equal(status, 200, text)
    assert.equal(body.status, 'importing')
    return waitFor(async () => {
      const record = (await admin.client.get<CorpusRecord>(`${path}/${body.id}`)).body
      return record.status === 'importing' ? undefined : record
    })
  }
  const signed = (key: string, credentials: object = STORE_KEYS) => ({ url: `${store.url}/logs/${key}`, region: STORE_REGION, credentials })
  const scope = () => new Tenancy(app.service.storage).of(admin.organizationId)

  test('a compressed object, by a signature, becomes a corpus that can be replayed; its credentials are gone', async () => {
    store.objects.set('/logs/2026/a%20b%2B.json.gz', gzipSync(EVENTS))
    const record = await imported(signed('2026/a%20b%2B.json.gz'), 2 * EVENTS.length)
    assert.deepEqual([record.status, record.failure, record.line_count, record.size_bytes], ['ready', null, LINES, EVENTS.length])
    assert.equal(record.sha256, createHash('sha256').update(EVENTS).digest('hex'))
    assert.equal(record.object_url, `${store.url}/logs/2026/a%20b%2B.json.gz`)
    assert.equal((await scope().collection(CORPORA).findOne({ _id: record.id }))?.source, null)
    const everything = `${await stored(app)}${app.log.join('\n')}`
    for (const secret of [STORE_KEYS.secret_access_key, STORE_KEYS.access_key_id]) assert.ok(!everything.includes(secret))
    const project = path.slice(0, path.lastIndexOf('/'))
    const { status, body } = await admin.client.post<{ readonly id: string }>(`${project}/replays`, { corpus_id: record.id })
    assert.equal(status, 200)
    assert.equal((await admin.client.post(`${project}/replays/${body.id}/cancel`)).status < 500, true)
  })

  test('an object without compression, public or by a signed address, whose signature no answer has', async () => {
    store.objects.set('/public/a.log', EVENTS)
    const record = await imported({ url: `${store.url}/public/a.log?X-Amz-Signature=0123` })
    assert.deepEqual([record.status, record.line_count, record.object_url], ['ready', LINES, `${store.url}/public/a.log`])
  })

  test('what cannot be imported says why, and leaves no bytes', async () => {
    store.objects.set('/logs/large', EVENTS)
    store.objects.set('/logs/bomb.gz', gzipSync(Buffer.alloc(32 * 1024 * 1024)))
    store.objects.set('/logs/cut.gz', gzipSync(EVENTS).subarray(0, -20))
    store.objects.set('/logs/empty', Buffer.alloc(0))
    store.objects.set('/logs/moved', (response) => response.writeHead(302, { Location: `${store.url}/public/a.log` }).end())
    const asked = store.requests.length
    for (const [key, failure, credentials] of [
      ['none', 'object_missing'],
      ['large', 'object_denied', { ...STORE_KEYS, secret_access_key: 'another' }],
      ['large', 'object_too_large'],
      ['bomb.gz', 'object_too_large'],
      ['cut.gz', 'object_unreadable'],
      ['empty', 'object_empty'],
    ] as const) {
      const record = await imported(signed(key, credentials), failure === 'object_unreadable' ? EVENTS.length : 1_000_000)
      assert.deepEqual([record.status, record.failure, record.received_bytes, record.sha256], ['failed', failure, 0, null], key)
      assert.equal(await scope().collection(CORPUS_CHUNKS).count({ corpus_id: record.id }), 0)
      assert.equal((await scope().collection(CORPORA).findOne({ _id: record.id }))?.source, null)
      refused(await admin.client.post(`${path.slice(0, path.lastIndexOf('/'))}/replays`, { corpus_id: record.id }), 409, 'conflict')
      assert.equal((await admin.client.delete(`${path}/${record.id}`)).status, 200)
    }
    assert.ok(store.requests.slice(asked).every((one) => !one.startsWith('/public/')))
  })

  test('a store that fails is asked again, from the beginning', async () => {
    let asks = 0
    store.objects.set('/logs/flaky', (response) => {
      if (asks++ > 0) return void response.writeHead(200).end(EVENTS)
      response.writeHead(200, { 'Content-Length': EVENTS.length }).write(EVENTS.subarray(0, 100_000), () => response.destroy())
    })
    const record = await imported(signed('flaky'))
    assert.deepEqual([record.status, record.line_count, asks], ['ready', LINES, 2])
  })

  test('addresses beside the stores are refused before anything is stored or asked', async () => {
    const asked = store.requests.length
    const before = await scope().collection(CORPORA).count({})
    for (const url of [`${store.url}/other/a`, `${store.url}/logs/../other/a`, 'http://169.254.169.254/latest/meta-data', 'https://s3.amazonaws.com/b/k'])
      assert.match(refused(await begin({ url }), 400, 'bad_request').hint, /OBJECT_STORES/)
    for (const object of [
      { url: 'ftp://x/y' },
      { url: 'no' },
      {},
      { url: `${store.url}/logs/a`, credentials: { access_key_id: 'x' } },
      { url: `${store.url}/logs/a`, region: 'a/b' },
    ])
      refused(await begin(object), 422, 'request_validation_failed')
    assert.deepEqual([await scope().collection(CORPORA).count({}), store.requests.length], [before, asked])
  })
})
