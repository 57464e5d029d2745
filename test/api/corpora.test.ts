/** Corpora over HTTP: resumable uploads, what is at rest, limits, the end with its proof, and other organizations. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { readBytes } from '../../server/features/replays/corpora/chunks.js'
import { CORPUS_LIMITS, PART_BYTES, UPLOAD_MS } from '../../server/features/replays/corpora/limits.js'
import type { CorpusDeletion, CorpusRecord } from '../../server/features/replays/corpora/schema.js'
import { CORPUS_END } from '../../server/features/replays/corpora/retention.js'
import { CORPORA, CORPUS_CHUNKS } from '../../server/features/replays/corpora/store.js'
import { deriveSecrets } from '../../server/core/auth/secrets.js'
import { JOBS } from '../../server/core/jobs/queue.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { addMember, type Actor, bootstrap, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Answer } from '../support/client.js'
import { BILLED } from '../support/plans.js'
import { createProject, FAILED_LOGIN } from '../support/projects.js'
import { DEFAULT_STORE, TEST_SECRET } from '../support/stores.js'
import { refused, SIGNUP, stored, waitFor } from './steps.js'

const DAY_MS = 24 * 60 * 60 * 1000
const TYPE = { 'Content-Type': 'application/offset+octet-stream' }
/** As the services of tests have it. */
const SECRETS = deriveSecrets(TEST_SECRET)
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

describe(`corpora, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor
  let other: Actor
  let path: string
  let now = Date.now()

  before(async () => {
    app = await startTestApp({ env: { ...SIGNUP, NATIVE_SERVICE_SECRET_KEY: TEST_SECRET }, clock: () => now })
    admin = await bootstrap(app.client)
    other = await register(app.client, 'other')
    path = `/platform/projects/${(await createProject(admin)).id}/corpora`
  })
  after(() => app?.close())

  async function create(size_bytes: number, fields: object = {}, actor = admin): Promise<CorpusRecord> {
    const { status, body, text } = await actor.client.post<CorpusRecord>(path, { name: 'Sample', size_bytes, ...fields })
    assert.equal(status, 200, text)
    return body
  }
  const send = (id: string, offset: number | string, raw: Uint8Array, actor = admin, headers: Readonly<Record<string, string>> = TYPE): Promise<Answer<CorpusRecord>> =>
    actor.client.call<CorpusRecord>('PATCH', `${path}/${id}?offset=${offset}`, { raw, headers })
  async function upload(bytes: Uint8Array, fields: object = {}): Promise<CorpusRecord> {
    const { id } = await create(bytes.length, fields)
    let record: CorpusRecord | undefined
    for (let at = 0; at < bytes.length; at += PART_BYTES) {
      const { status, body, text } = await send(id, at, bytes.subarray(at, at + PART_BYTES))
      assert.equal(status, 200, text)
      record = body
    }
    return record as CorpusRecord
  }
  const scope = (actor = admin) => new Tenancy(app.service.storage).of(actor.organizationId)

  test('an upload goes on where it was interrupted, and has the digest and lines of the whole', async () => {
    const bytes = Buffer.from(`${FAILED_LOGIN}\n`.repeat(20_000))
    const { id, status, received_bytes, sha256: none } = await create(bytes.length)
    assert.deepEqual([status, received_bytes, none], ['uploading', 0, null])
    const first = bytes.subarray(0, 700_001)
    assert.equal((await send(id, 0, first)).body.received_bytes, first.length)
    // Its answer was lost: it is sent again.
    const again = refused(await send(id, 0, first), 409, 'conflict')
    assert.deepEqual(again.details, { offset: first.length, status: 'uploading' })
    const resumed = (await admin.client.get<CorpusRecord>(`${path}/${id}`)).body.received_bytes
    const last = await send(id, resumed, bytes.subarray(resumed))
    assert.deepEqual([last.body.status, last.body.line_count, last.body.sha256], ['ready', 20_000, sha256(bytes)])
    assert.equal(Date.parse(last.body.expires_at) - now, 30 * DAY_MS)
    refused(await send(id, bytes.length, Buffer.from('more')), 409, 'conflict')
    const page = await admin.client.get<CorpusRecord[]>(`${path}?status=ready`)
    assert.ok(page.body.some((one) => one.id === id))
  })

  test('parts that are sent at the same time are stored once', async () => {
    const bytes = randomBytes(600_000)
    const { id } = await create(bytes.length)
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(id, 0, bytes)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409])
    const corpus = await scope().collection(CORPORA).findOne({ _id: id })
    assert.ok(corpus !== null)
    const read: Buffer[] = []
    for await (const chunk of readBytes(scope(), SECRETS, corpus)) read.push(chunk)
    assert.ok(Buffer.concat(read).equals(bytes))
  })

  test('hostile parts are refused, and store nothing', async () => {
    const { id } = await create(1000)
    for (const offset of [1, 1000, 5000]) assert.equal(refused(await send(id, offset, Buffer.alloc(10)), 409, 'conflict').details.offset, 0)
    for (const offset of ['-1', '1.5', 'x', '9999999999999']) refused(await send(id, offset, Buffer.alloc(10)), 422, 'request_validation_failed')
    assert.deepEqual(refused(await send(id, 0, Buffer.alloc(1001)), 413, 'payload_too_large').details, { limit: 1000, offset: 0 })
    const large = await create(PART_BYTES + 1)
    refused(await send(large.id, 0, Buffer.alloc(PART_BYTES + 1)), 413, 'payload_too_large')
    refused(await send(id, 0, Buffer.alloc(10), admin, { 'Content-Type': 'application/json' }), 415, 'unsupported_media_type')
    refused(await send(id, 0, Buffer.alloc(10), admin, { ...TYPE, 'Content-Encoding': 'gzip' }), 415, 'unsupported_media_type')
    assert.equal((await admin.client.get<CorpusRecord>(`${path}/${id}`)).body.received_bytes, 0)
    assert.equal(await scope().collection(CORPUS_CHUNKS).count({ corpus_id: id }), 0)
    for (const size_bytes of [0, -1, 1.5, CORPUS_LIMITS.self_hosted.corpusBytes + 1])
      refused(await admin.client.post(path, { name: 'x', size_bytes }), 422, 'request_validation_failed')
  })

  test('nothing of it can be read at rest, and a chunk is bound to its corpus and place', async () => {
    const secret = `secret-${randomBytes(8).toString('hex')}`
    const bytes = Buffer.from(`${secret}\n`.repeat(40_000))
    const { id } = await upload(bytes)
    const everything = await stored(app)
    assert.ok(!everything.includes(secret) && !everything.includes(Buffer.from(secret).toString('base64').slice(0, 20)))
    assert.ok(!app.log.join('\n').includes(secret))
    const corpus = await scope().collection(CORPORA).findOne({ _id: id })
    assert.ok(corpus !== null)
    const read = async (document = corpus, secrets = SECRETS): Promise<void> => {
      for await (const _ of readBytes(scope(), secrets, document));
    }
    await read()
    await assert.rejects(read(corpus, deriveSecrets(`another ${TEST_SECRET}`)), { name: 'UnsealError' })
    const [one, two] = await scope()
      .collection(CORPUS_CHUNKS)
      .find({ corpus_id: id }, { sort: { offset: 1 } })
    await scope()
      .collection(CORPUS_CHUNKS)
      .update({ _id: one._id }, { set: { content: two.content } })
    await assert.rejects(read())
    await scope().collection(CORPUS_CHUNKS).delete({ _id: one._id })
    await assert.rejects(read(), { reason: 'corpus_gone' })
  })

  test('its deletion leaves nothing but the digest, in the answer and in the audit log', async () => {
    const bytes = Buffer.from(`${FAILED_LOGIN}\n`.repeat(9000))
    const { id } = await upload(bytes)
    const { status, body } = await admin.client.delete<CorpusDeletion>(`${path}/${id}`)
    assert.deepEqual([status, body.id, body.sha256, body.received_bytes], [200, id, sha256(bytes), bytes.length])
    assert.deepEqual([await scope().collection(CORPORA).count({ _id: id }), await scope().collection(CORPUS_CHUNKS).count({ corpus_id: id })], [0, 0])
    refused(await admin.client.get(`${path}/${id}`), 404, 'not_found')
    refused(await admin.client.delete(`${path}/${id}`), 404, 'not_found')
    interface Entry {
      readonly id: string
      readonly action: string
      readonly diff: Readonly<Record<string, { readonly before: unknown }>>
    }
    const { body: entries } = await admin.client.get<Entry[]>(`/platform/audit?resource_id=${id}`)
    assert.deepEqual(entries.map(({ action }) => action).sort(), ['corpus.created', 'corpus.deleted', 'corpus.uploaded'])
    const proof = entries.find(({ action }) => action === 'corpus.deleted')
    assert.deepEqual([proof?.id, proof?.diff.sha256.before, proof?.diff.received_bytes.before], [body.audit_id, sha256(bytes), bytes.length])
    assert.ok(!JSON.stringify(entries).includes('login failed'))
  })

  test('of another organization, or of another project, it does not exist', async () => {
    const { id } = await create(100)
    const theirs = (await createProject(other)).id
    const mine = (await createProject(admin)).id
    for (const [actor, at] of [
      [other, path],
      [other, `/platform/projects/${theirs}/corpora`],
      [admin, `/platform/projects/${mine}/corpora`],
    ] as const) {
      refused(await actor.client.get(`${at}/${id}`), 404, 'not_found')
      refused(await actor.client.call('PATCH', `${at}/${id}?offset=0`, { raw: Buffer.alloc(10), headers: TYPE }), 404, 'not_found')
      refused(await actor.client.delete(`${at}/${id}`), 404, 'not_found')
    }
    refused(await other.client.get(path), 404, 'not_found')
    refused(await other.client.post(path, { name: 'x', size_bytes: 1 }), 404, 'not_found')
    assert.equal((await admin.client.get<CorpusRecord>(`${path}/${id}`)).body.received_bytes, 0)
    const reader = await addMember(admin, 'read_only')
    assert.equal((await reader.client.get(`${path}/${id}`)).status, 200)
    refused(await reader.client.delete(`${path}/${id}`), 403, 'forbidden')
  })

  test('it ends with its retention, an upload with a day, and both with their project', async () => {
    const gone = async (id: string): Promise<boolean> =>
      (await scope().collection(CORPORA).count({ _id: id })) + (await scope().collection(CORPUS_CHUNKS).count({ corpus_id: id })) === 0
    const project = await createProject(admin)
    const at = `/platform/projects/${project.id}/corpora`
    const last = (await admin.client.post<CorpusRecord>(at, { name: 'x', size_bytes: 10 })).body
    await admin.client.call('PATCH', `${at}/${last.id}?offset=0`, { raw: Buffer.alloc(10), headers: TYPE })
    await admin.client.post(`/platform/projects/${project.id}/archive`)
    refused(await admin.client.post(at, { name: 'x', size_bytes: 10 }), 409, 'conflict')
    assert.equal((await admin.client.delete(`/platform/projects/${project.id}`)).status, 204)
    await waitFor(async () => (await gone(last.id)) || undefined)

    const kept = await upload(Buffer.from('a\nb'), { retention_days: 3 })
    assert.equal(kept.line_count, 2)
    const open = await create(100)
    await send(open.id, 0, Buffer.alloc(10))
    now += UPLOAD_MS + 60_000
    await waitFor(async () => (await gone(open.id)) || undefined)
    assert.equal(await gone(kept.id), false)
    for (let day = 0; day < 3; day++) {
      now += DAY_MS
      // Its job looks once a day.
      await waitFor(async () => (await app.service.storage.open(JOBS).count({ kind: CORPUS_END, due_at: { lt: new Date(now) } })) === 0 || undefined)
    }
    await waitFor(async () => (await gone(kept.id)) || undefined)
  })
})

describe('the plan', () => {
  test('limits number, bytes and retention, also of creations at once', async () => {
    const app = await startTestApp({ env: BILLED })
    try {
      const admin = await bootstrap(app.client)
      const path = `/platform/projects/${(await createProject(admin)).id}/corpora`
      const { corpora, corpusBytes, totalBytes, retentionDays } = CORPUS_LIMITS.free
      const metricOf = async (fields: object): Promise<unknown> =>
        refused(await admin.client.post(path, { name: 'x', size_bytes: 1, ...fields }), 403, 'plan_quota_exceeded').details.metric
      assert.equal(await metricOf({ size_bytes: corpusBytes + 1 }), 'corpus_bytes')
      assert.equal(await metricOf({ retention_days: retentionDays + 1 }), 'corpus_retention_days')
      assert.ok(corpora * corpusBytes <= totalBytes)
      const answers = await Promise.all(Array.from({ length: corpora + 4 }, () => admin.client.post(path, { name: 'x', size_bytes: 1 })))
      assert.equal(answers.filter(({ status }) => status === 200).length, corpora)
      assert.equal(await metricOf({}), 'corpora')
    } finally {
      await app.close()
    }
  })
})
