/** Webhooks over HTTP: create, list, get, update, rotate, delete. Deliveries are tested in webhook-deliveries.test.ts. */
import assert from 'node:assert/strict'
import test, { after, before, describe } from 'node:test'
import { WEBHOOKS } from '../../server/features/webhooks/store.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { type Actor, addMember, bootstrap, createKey, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Refusal } from '../support/client.js'
import { refused, SIGNUP, stored, withApp } from './steps.js'

interface Webhook {
  readonly id: string
  readonly organization_id: string
  readonly url: string
  readonly description: string
  readonly events: readonly string[]
  readonly is_active: boolean
  readonly disabled_reason: string | null
  readonly failing_since: string | null
  readonly previous_secret_expires_at: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly secret?: string
}

interface Entry {
  readonly action: string
  readonly resource_id: string
  readonly resource_name: string
  readonly actor_id: string | null
  readonly diff: Readonly<Record<string, { before: unknown; after: unknown }>>
}

const URL = 'https://hooks.example.test/in/T0KEN?key=k3y'
const of = ({ organizationId }: Actor): string => `/platform/organizations/${organizationId}/webhooks`

describe('webhooks', () => {
  let app: TestApp
  let admin: Actor
  let other: Actor
  const create = async (body: object, actor = admin): Promise<Webhook> => {
    const answer = await actor.client.post<Webhook>(of(actor), body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const audit = async (id: string) => (await admin.client.get<Entry[]>(`/platform/audit?resource_id=${id}&order=asc&limit=200`)).body

  before(async () => {
    app = await startTestApp({ env: SIGNUP })
    admin = await bootstrap(app.client)
    other = await register(app.client, 'other')
  })
  after(() => app.close())

  test('a webhook can be created, and its secret is shown once', async () => {
    const made = await create({ url: URL, events: ['version.published', 'publish.failed'], description: 'Tickets' })
    assert.match(made.secret ?? '', /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.deepEqual(
      [made.url, made.events, made.description, made.is_active, made.disabled_reason, made.failing_since, made.previous_secret_expires_at, made.organization_id],
      [URL, ['version.published', 'publish.failed'], 'Tickets', true, null, null, null, admin.organizationId],
    )
    const shown = await admin.client.get<Webhook>(`${of(admin)}/${made.id}`)
    const { secret, ...record } = made
    assert.deepEqual(shown.body, record)
    const listed = await admin.client.get<Webhook[]>(of(admin))
    assert.deepEqual(
      listed.body.find(({ id }) => id === made.id),
      record,
    )
    assert.ok(!(await stored(app)).includes(secret!.slice(6, 40)), 'the secret is stored in plain text')
    assert.ok(!app.log.join('').includes(secret!.slice(6, 40)))
  })

  test('the description is optional', async () => {
    assert.equal((await create({ url: URL, events: ['webhook.test'] })).description, '')
  })

  test('invalid fields are refused', async () => {
    const right = { url: URL, events: ['version.published'] }
    for (const wrong of [
      { url: '' },
      { url: 'hooks.example.test' },
      { url: 'ftp://hooks.example.test/' },
      { url: 'file:///etc/passwd' },
      { url: 'javascript:alert(1)' },
      { url: 'https://' },
      { url: 'https://user@hooks.example.test/' },
      { url: 'https://user:password@hooks.example.test/' },
      { url: `https://hooks.example.test/${'x'.repeat(2048)}` },
      { url: 'https://hooks.example.test/\r\nX: y' },
      { url: 'https://hooks.example.test:99999/' },
      { url: 1 },
      { events: [] },
      { events: ['everything.happened'] },
      { events: ['*'] },
      { events: ['version.published', 'version.published'] },
      { events: 'version.published' },
      { description: 'x'.repeat(501) },
      { secret: 'whsec_mine' },
      { is_active: false },
    ]) {
      const refusal = refused(await admin.client.post(of(admin), { ...right, ...wrong }), 422, 'request_validation_failed')
      assert.ok(JSON.stringify(refusal.details).includes(Object.keys(wrong)[0]), JSON.stringify(wrong))
      assert.ok(!JSON.stringify(refusal).includes('password'))
    }
    for (const missing of [{ url: URL }, { events: ['webhook.test'] }]) refused(await admin.client.post(of(admin), missing), 422, 'request_validation_failed')
  })

  test('an address that is not public is refused at creation and update', async () => {
    const { id } = await create({ url: URL, events: ['webhook.test'] })
    for (const host of [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0',
      'localhost',
      'hooks.localhost',
      'localhost.',
      '10.1.2.3',
      '172.20.0.1',
      '192.168.1.1',
      '100.64.0.1',
      '169.254.169.254',
      '224.0.0.1',
      '[::1]',
      '[::]',
      '[fe80::1]',
      '[fd00:ec2::254]',
      '[::ffff:169.254.169.254]',
      '[64:ff9b::a9fe:a9fe]',
      '[2002:7f00:1::]',
    ]) {
      for (const url of [`http://${host}/`, `https://${host}:8443/x`]) {
        const refusal = refused(await admin.client.post(of(admin), { url, events: ['webhook.test'] }), 400, 'bad_request')
        assert.match(refusal.message, /not public/)
        refused(await admin.client.patch(`${of(admin)}/${id}`, { url }), 400, 'bad_request')
      }
    }
    assert.equal((await admin.client.get<Webhook>(`${of(admin)}/${id}`)).body.url, URL)
  })

  test('http URLs and any port are accepted', async () => {
    for (const url of ['http://hooks.example.test/', 'https://hooks.example.test:8443/', 'http://hooks.example.test:1/'])
      assert.equal((await create({ url, events: ['webhook.test'] })).url, url)
  })

  test('an update changes only the fields that are sent', async () => {
    const made = await create({ url: URL, events: ['version.published'], description: 'one' })
    const path = `${of(admin)}/${made.id}`
    const [first, second] = await Promise.all([
      admin.client.patch<Webhook>(path, { description: 'two' }),
      admin.client.patch<Webhook>(path, { events: ['review.created', 'review.approved'] }),
    ])
    assert.deepEqual([first.status, second.status], [200, 200])
    const off = await admin.client.patch<Webhook>(path, { is_active: false })
    assert.deepEqual(
      [off.body.description, off.body.events, off.body.is_active, off.body.url, off.body.disabled_reason],
      ['two', ['review.created', 'review.approved'], false, URL, null],
    )
    const moved = await admin.client.patch<Webhook>(path, { url: 'https://elsewhere.example.test/' })
    assert.deepEqual([moved.body.url, moved.body.is_active, moved.body.id, moved.body.created_at], ['https://elsewhere.example.test/', false, made.id, made.created_at])
    assert.ok(moved.body.updated_at >= made.updated_at)
    refused(await admin.client.patch(path, { secret: 'x' }), 422, 'request_validation_failed')
    refused(await admin.client.patch(path, { events: [] }), 422, 'request_validation_failed')
    refused(await admin.client.patch(path, { url: 'https://a:b@hooks.example.test/' }), 422, 'request_validation_failed')
  })

  test('an update can require an ETag', async () => {
    const { id } = await create({ url: URL, events: ['version.published'] })
    const path = `${of(admin)}/${id}`
    const { headers } = await admin.client.get(path)
    const etag = headers.get('etag')!
    assert.ok(etag)
    const changed = await admin.client.patch<Webhook>(path, { description: 'two' }, { headers: { 'If-Match': etag } })
    assert.equal(changed.status, 200)
    assert.notEqual(changed.headers.get('etag'), etag)
    refused(await admin.client.patch(path, { description: 'three' }, { headers: { 'If-Match': etag } }), 412, 'precondition_failed')
    assert.equal((await admin.client.get<Webhook>(path)).body.description, 'two')
    const same = await admin.client.patch(path, { description: 'two' })
    assert.equal(same.headers.get('etag'), changed.headers.get('etag'), 'an update without a change keeps the ETag')
  })

  test('a secret can be rotated, and one of several concurrent rotations succeeds', async () => {
    const made = await create({ url: URL, events: ['version.published'] })
    const rotate = () => admin.client.post<Webhook>(`${of(admin)}/${made.id}/rotate-secret`)
    const answers = await Promise.all([rotate(), rotate(), rotate(), rotate()])
    const won = answers.filter(({ status }) => status === 200)
    assert.ok(won.length >= 1)
    for (const answer of answers) if (answer.status !== 200) refused(answer, 409, 'conflict')
    const secrets = new Set([made.secret, ...won.map(({ body }) => body.secret)])
    assert.equal(secrets.size, won.length + 1)
    const overlapMs = Date.parse(won[0].body.previous_secret_expires_at!) - Date.parse(won[0].body.updated_at)
    assert.equal(overlapMs, 24 * 3600 * 1000)
  })

  test('a deleted webhook is missing', async () => {
    const { id } = await create({ url: URL, events: ['version.published'] })
    const path = `${of(admin)}/${id}`
    const answers = await Promise.all([admin.client.delete(path), admin.client.delete(path)])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404])
    refused(await admin.client.get(path), 404, 'not_found')
    refused(await admin.client.patch(path, { is_active: true }), 404, 'not_found')
    refused(await admin.client.post(`${path}/test`), 404, 'not_found')
    refused(await admin.client.post(`${path}/rotate-secret`), 404, 'not_found')
    refused(await admin.client.get(`${path}/deliveries`), 404, 'not_found')
    assert.deepEqual(
      (await audit(id)).map(({ action }) => action),
      ['webhook.created', 'webhook.deleted'],
    )
  })

  test('all changes are audited, without secrets and without the paths of URLs', async () => {
    const { id, secret } = await create({ url: URL, events: ['version.published'], description: 'one' })
    const path = `${of(admin)}/${id}`
    await admin.client.patch(path, { description: 'two', url: `${URL}2` })
    await admin.client.patch(path, { description: 'two' })
    const rotated = await admin.client.post<Webhook>(`${path}/rotate-secret`)
    await admin.client.delete(path)
    const entries = await audit(id)
    assert.deepEqual(
      entries.map(({ action, actor_id, resource_name }) => [action, actor_id, resource_name]),
      ['webhook.created', 'webhook.updated', 'webhook.secret_rotated', 'webhook.deleted'].map((action) => [action, admin.userId, 'hooks.example.test']),
    )
    const [created, updated] = entries
    assert.deepEqual(created.diff.events, { before: null, after: ['version.published'] })
    assert.deepEqual(created.diff.is_active, { before: null, after: true })
    assert.deepEqual(updated.diff.description, { before: 'one', after: 'two' })
    assert.deepEqual(Object.keys(updated.diff).sort(), ['description', 'url'])
    assert.match(String(updated.diff.url.before), /^https:\/\/hooks\.example\.test\//)
    const text = JSON.stringify(entries)
    for (const hidden of [secret!, rotated.body.secret!, 'T0KEN', 'k3y', 'whsec_']) assert.ok(!text.includes(hidden), hidden)
    assert.ok(!app.log.join('').includes('T0KEN'))
  })

  test('only callers with the permission can manage webhooks', async () => {
    const { id } = await create({ url: URL, events: ['version.published'] })
    for (const role of ['security_content_lead', 'reviewer', 'engineer', 'read_only'] as const) {
      const member = await addMember(admin, role)
      refused(await member.client.get(of(admin)), 403, 'forbidden')
      refused(await member.client.post(of(admin), { url: URL, events: ['webhook.test'] }), 403, 'forbidden')
      refused(await member.client.post(`${of(admin)}/${id}/test`), 403, 'forbidden')
    }
    assert.equal((await (await createKey(admin, ['admin:*'])).client.get(of(admin))).status, 200)
    refused(await (await createKey(admin, ['integrations:manage', 'projects:write'])).client.get(of(admin)), 403, 'forbidden')
  })

  test('webhooks of another organization are missing', async () => {
    const { id } = await create({ url: URL, events: ['version.published'] })
    for (const path of [`${of(admin)}/${id}`, `${of(other)}/${id}`]) {
      refused(await other.client.get(path), 404, 'not_found')
      refused(await other.client.patch(path, { is_active: false }), 404, 'not_found')
      refused(await other.client.delete(path), 404, 'not_found')
      refused(await other.client.post(`${path}/rotate-secret`), 404, 'not_found')
      refused(await other.client.post(`${path}/test`), 404, 'not_found')
    }
    assert.equal((await other.client.get<Webhook[]>(of(other))).body.length, 0)
    assert.equal((await admin.client.get<Webhook>(`${of(admin)}/${id}`)).body.is_active, true)
  })

  test('lists have pages, and an organization has at most 50 webhooks', async () => {
    for (let i = 0; i < 50; i++) await create({ url: `https://hooks.example.test/${i}`, events: ['webhook.test'] }, other)
    const refusal = refused(await other.client.post<Refusal>(of(other), { url: URL, events: ['webhook.test'] }), 409, 'conflict')
    assert.match(refusal.message, /50/)
    const page = await other.client.get<Webhook[]>(`${of(other)}?limit=20&offset=40&order=asc`)
    assert.deepEqual([page.body.length, page.headers.get('x-total-count')], [10, '50'])
    assert.equal(page.body.at(-1)?.url, 'https://hooks.example.test/49')
    assert.equal((await other.client.get<Webhook[]>(of(other))).body[0].url, 'https://hooks.example.test/49', 'the newest is first')
    refused(await other.client.get(`${of(other)}?sort=secret`), 422, 'request_validation_failed')
  })

  test('tests of webhooks have a separate rate limit', async () => {
    await withApp({ env: { NATIVE_SERVICE_API_RATE_LIMIT_ENABLED: 'true', NATIVE_SERVICE_API_RATE_LIMIT_PER_MINUTE: '2' } }, async (limited) => {
      const actor = await bootstrap(limited.client)
      const { id } = await create({ url: URL, events: ['webhook.test'] }, actor)
      const send = () => actor.client.post<Refusal>(`${of(actor)}/${id}/test`)
      assert.deepEqual([(await send()).status, (await send()).status], [200, 200])
      const answer = await send()
      const refusal = refused(answer, 429, 'rate_limited')
      assert.equal(refusal.details.route, 'webhook.test')
      assert.ok(Number(answer.headers.get('retry-after')) > 0)
      assert.equal((await actor.client.get(of(actor))).status, 200, 'other routes are not limited')
    })
  })

  test('a sealed secret cannot be used by another webhook', async () => {
    const [one, two] = await Promise.all([create({ url: URL, events: ['webhook.test'] }), create({ url: URL, events: ['webhook.test'] })])
    const webhooks = new Tenancy(app.service.storage).of(admin.organizationId).collection(WEBHOOKS)
    const { secret } = (await webhooks.findOne({ _id: one.id }))!
    await webhooks.update({ _id: two.id }, { set: { secret } })
    const { status, body } = await admin.client.post<{ status: string; attempts: { error: string }[] }>(`${of(admin)}/${two.id}/test`)
    assert.deepEqual([status, body.status, body.attempts[0].error], [200, 'failed', 'secret_unreadable'])
  })
})
