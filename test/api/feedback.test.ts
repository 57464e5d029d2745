/** Feedback reports: permissions, attachments, limits, audit entries and notifications. */
import assert from 'node:assert/strict'
import test, { after, before, describe } from 'node:test'
import { ATTACHMENTS_LIMIT, REPORTS_LIMIT } from '../../server/features/feedback/service.js'
import { FEEDBACK_ATTACHMENTS, FEEDBACK_REPORTS, type FeedbackDocument } from '../../server/features/feedback/store.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { type Actor, addMember, bootstrap, createKey, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { listen } from '../support/events.js'
import type { Client } from '../support/client.js'
import { ALL_STORES, refused, SIGNUP, stored, withApp } from './steps.js'
import { insertAll } from '../support/insert-all.js'

interface Report {
  readonly id: string
  readonly organization_id: string
  readonly kind: string
  readonly title: string
  readonly description: string
  readonly attachments: readonly { readonly id: string; readonly filename: string; readonly content_type: string; readonly size: number }[]
  readonly status: string
  readonly created_by: string
  readonly created_by_name: string
  readonly created_at: string
  readonly updated_at: string
}

const MIB = 1024 * 1024
const BUG = { kind: 'bug', title: 'Rule 5716 is shown twice', description: 'In the catalog.\nWhen sorted by level.' }
const PIXEL = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 255])

const reportsOf = ({ organizationId }: Actor): string => `/platform/organizations/${organizationId}/feedback-reports`
const file = (content: Uint8Array, filename = 'pixel.png', content_type = 'image/png') => ({ filename, content_type, content: Buffer.from(content).toString('base64') })

describe('feedback reports', () => {
  let app: TestApp
  let admin: Actor
  let lead: Actor
  let reviewer: Actor
  let engineer: Actor
  let reader: Actor
  let other: Actor
  const send = async (actor: Actor, report: object = BUG): Promise<Report> => {
    const { status, body, text } = await actor.client.post<Report>(reportsOf(actor), report)
    assert.equal(status, 200, text)
    return body
  }
  const titles = async (query: string): Promise<string[]> => (await other.client.get<Report[]>(`${reportsOf(other)}${query}`)).body.map(({ title }) => title)

  before(async () => {
    app = await startTestApp({ env: SIGNUP })
    admin = await bootstrap(app.client)
    lead = await addMember(admin, 'security_content_lead')
    reviewer = await addMember(admin, 'reviewer')
    engineer = await addMember(admin, 'engineer')
    reader = await addMember(admin, 'read_only')
    other = await register(app.client, 'other')
  })
  after(() => app.close())

  test('a report has the sent fields, is open, and names its sender', async () => {
    const sent = await send(reader)
    assert.deepEqual(sent, {
      ...BUG,
      id: sent.id,
      organization_id: admin.organizationId,
      attachments: [],
      status: 'open',
      created_by: reader.userId,
      created_by_name: reader.email,
      created_at: sent.created_at,
      updated_at: sent.created_at,
    })
    const shown = await admin.client.get<Report>(`${reportsOf(admin)}/${sent.id}`)
    assert.deepEqual(shown.body, sent)
    assert.equal(shown.headers.get('etag'), '"1"')
    const { id, client } = await createKey(admin, ['admin:*'], 'reporting')
    const byKey = (await client.post<Report>(reportsOf(admin), { kind: 'question', title: ' Why? ' })).body
    assert.deepEqual([byKey.title, byKey.description, byKey.created_by, byKey.created_by_name], ['Why?', '', id, 'reporting'])
  })

  test('every member can send reports, and members with the permission read and update them', async () => {
    const { id } = await send(engineer)
    for (const actor of [admin, lead, reviewer]) {
      assert.equal((await actor.client.get(reportsOf(actor))).status, 200)
      assert.equal((await actor.client.patch(`${reportsOf(actor)}/${id}`, { status: 'in_progress' })).status, 200)
    }
    for (const actor of [engineer, reader]) {
      refused(await actor.client.get(reportsOf(actor)), 403, 'forbidden')
      refused(await actor.client.get(`${reportsOf(actor)}/${id}`), 403, 'forbidden')
      refused(await actor.client.patch(`${reportsOf(actor)}/${id}`, { status: 'closed' }), 403, 'forbidden')
      refused(await actor.client.delete(`${reportsOf(actor)}/${id}`), 403, 'forbidden')
    }
    refused(await other.client.get(reportsOf(admin)), 404, 'not_found')
    refused(await other.client.get(`${reportsOf(other)}/${id}`), 404, 'not_found')
    refused(await other.client.patch(`${reportsOf(other)}/${id}`, { status: 'closed' }), 404, 'not_found')
    refused(await other.client.delete(`${reportsOf(other)}/${id}`), 404, 'not_found')
  })

  test('each kind is accepted, also in the spelling of the interface', async () => {
    for (const kind of ['bug', 'feature_request', 'improvement', 'question']) assert.equal((await send(reader, { kind, title: 'x' })).kind, kind)
    assert.equal((await send(reader, { kind: 'feature request', title: 'x' })).kind, 'feature_request')
  })

  test('the fields of a report are validated', async () => {
    const wrong = [
      { kind: 'praise' },
      { kind: undefined },
      { title: '' },
      { title: 'x'.repeat(121) },
      { title: 'two\nlines' },
      { title: undefined },
      { description: 'x'.repeat(10_001) },
      { description: null },
      { status: 'closed' },
      { attachments: {} },
      { attachments: [{ filename: 'a' }] },
      { attachments: Array.from({ length: 6 }, () => file(PIXEL)) },
      { attachments: [{ ...file(PIXEL), url: 'https://example.test' }] },
      { attachments: [{ ...file(PIXEL), content_type: 'text' }] },
      { attachments: [{ ...file(PIXEL), content_type: 'text/html\r\nx: y' }] },
      { attachments: [{ ...file(PIXEL), filename: '' }] },
      { attachments: [{ ...file(PIXEL), filename: 'a\r\nb' }] },
      { attachments: [{ ...file(PIXEL), filename: '\u202egnp.exe' }] },
    ]
    for (const part of wrong) refused(await reader.client.post(reportsOf(reader), { ...BUG, ...part }), 422, 'request_validation_failed')
    for (const content of ['', 'abc', 'abcde===', 'a=bc', 'ab c', 'ab-_', '====', Buffer.alloc(MIB + 1).toString('base64')]) {
      const answer = await reader.client.post(reportsOf(reader), { ...BUG, attachments: [file(PIXEL), { ...file(PIXEL), content }] })
      const { details } = refused(answer, 422, 'request_validation_failed')
      assert.deepEqual(
        (details.errors as { path: string }[]).map(({ path }) => path),
        ['/attachments/1/content'],
        content.slice(0, 20),
      )
    }
  })

  test('attachments are listed in the report, and are returned unchanged as downloads', async () => {
    const large = Buffer.alloc(MIB, 0xa5)
    const { id, attachments } = await send(reader, { ...BUG, attachments: [file(PIXEL, "página 'um'.html", 'text/html'), file(large, 'large.bin', 'application/octet-stream')] })
    assert.deepEqual(
      attachments.map(({ filename, content_type, size }) => [filename, content_type, size]),
      [
        ["página 'um'.html", 'text/html', PIXEL.length],
        ['large.bin', 'application/octet-stream', MIB],
      ],
    )
    const download = async (client: Client, path: string): Promise<Response> =>
      fetch(`${client.origin}/api/v1${path}`, { headers: { Authorization: `Bearer ${client.standing.token}` } })
    const path = `${reportsOf(admin)}/${id}/attachments`
    const first = await download(reviewer.client, `${path}/${attachments[0].id}`)
    assert.equal(first.status, 200)
    assert.equal(first.headers.get('content-type'), 'application/octet-stream')
    assert.equal(first.headers.get('content-disposition'), `attachment; filename="attachment"; filename*=UTF-8''p%C3%A1gina%20%27um%27.html`)
    assert.deepEqual(Buffer.from(await first.arrayBuffer()), PIXEL)
    assert.deepEqual(Buffer.from(await (await download(reviewer.client, `${path}/${attachments[1].id}`)).arrayBuffer()), large)
    const { id: another } = await send(reader)
    assert.equal((await download(reviewer.client, `${reportsOf(admin)}/${another}/attachments/${attachments[0].id}`)).status, 404)
    assert.equal((await download(other.client, `${reportsOf(other)}/${id}/attachments/${attachments[0].id}`)).status, 404)
    assert.equal((await download(reader.client, `${path}/${attachments[0].id}`)).status, 403)
    const list = await admin.client.get(reportsOf(admin))
    assert.ok(!list.text.includes(PIXEL.toString('base64')) && list.text.length < MIB)
  })

  test('the list is filtered, sorted and paged', async () => {
    const ids: string[] = []
    for (const [title, kind] of [
      ['a', 'bug'],
      ['b', 'question'],
      ['c', 'bug'],
      ['d', 'feature_request'],
    ]) {
      ids.push((await send(other, { title, kind })).id)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    await other.client.patch(`${reportsOf(other)}/${ids[0]}`, { status: 'resolved' })
    assert.deepEqual(await titles(''), ['d', 'c', 'b', 'a'])
    assert.deepEqual(await titles('?order=asc'), ['a', 'b', 'c', 'd'])
    assert.deepEqual(await titles('?sort=updated_at'), ['a', 'd', 'c', 'b'])
    assert.deepEqual(await titles('?kind=bug'), ['c', 'a'])
    assert.deepEqual(await titles('?kind=feature%20request'), ['d'])
    assert.deepEqual(await titles('?status=open'), ['d', 'c', 'b'])
    assert.deepEqual(await titles('?status=resolved&kind=bug'), ['a'])
    const page = await other.client.get<Report[]>(`${reportsOf(other)}?limit=2&offset=1&kind=bug`)
    assert.deepEqual([page.body.map(({ title }) => title), page.headers.get('x-total-count')], [['a'], '2'])
    assert.match(page.headers.get('link') ?? '', /rel="prev"/)
    for (const query of ['?kind=praise', '?status=', '?sort=title', '?limit=0', '?limit=201', '?created_by=x'])
      refused(await other.client.get(`${reportsOf(other)}${query}`), 422, 'request_validation_failed')
  })

  test('only the status can change', async () => {
    const sent = await send(reader)
    const path = `${reportsOf(admin)}/${sent.id}`
    let revision = 1
    for (const status of ['in_progress', 'resolved', 'closed', 'open']) {
      const { body, headers } = await admin.client.patch<Report>(path, { status })
      assert.deepEqual([body.status, headers.get('etag')], [status, `"${++revision}"`])
      assert.deepEqual({ ...body, status: 'open', updated_at: sent.updated_at }, sent)
    }
    assert.equal((await admin.client.patch<Report>(path, { status: 'open' })).headers.get('etag'), `"${revision}"`)
    assert.equal((await admin.client.patch<Report>(path, {})).body.status, 'open')
    for (const wrong of [{ status: 'done' }, { status: null }, { title: 'x' }]) refused(await admin.client.patch(path, wrong), 422, 'request_validation_failed')
    refused(await admin.client.patch(path, { status: 'closed' }, { headers: { 'If-Match': '"1"' } }), 412, 'precondition_failed')
    assert.equal((await admin.client.patch<Report>(path, { status: 'closed' }, { headers: { 'If-Match': `"${revision}"` } })).body.status, 'closed')
    refused(await admin.client.patch(`${reportsOf(admin)}/unknown`, { status: 'closed' }), 404, 'not_found')
  })

  test('a report is deleted with its attachments', async () => {
    const secret = Buffer.from('something that must be gone')
    const { id, attachments } = await send(reader, { ...BUG, attachments: [file(secret)] })
    assert.ok((await stored(app)).includes(secret.toString('base64')))
    assert.equal((await admin.client.delete(`${reportsOf(admin)}/${id}`)).status, 204)
    refused(await admin.client.delete(`${reportsOf(admin)}/${id}`), 404, 'not_found')
    refused(await admin.client.get(`${reportsOf(admin)}/${id}`), 404, 'not_found')
    refused(await admin.client.get(`${reportsOf(admin)}/${id}/attachments/${attachments[0].id}`), 404, 'not_found')
    assert.ok(!(await stored(app)).includes(secret.toString('base64')))
  })

  test('the audit trail and the log have the actions, and no text of the report', async () => {
    const { id } = await send(reader, { ...BUG, description: 'a description that nobody else may read' })
    await admin.client.patch(`${reportsOf(admin)}/${id}`, { status: 'closed' })
    await admin.client.delete(`${reportsOf(admin)}/${id}`)
    const { body, text } = await admin.client.get<{ action: string; actor_name: string; diff: object }[]>(`/platform/audit?resource_id=${id}&order=asc`)
    assert.deepEqual(
      body.map(({ action, actor_name }) => [action, actor_name]),
      [
        ['feedback.created', reader.email],
        ['feedback.updated', admin.email],
        ['feedback.deleted', admin.email],
      ],
    )
    assert.deepEqual(body[1].diff, { status: { before: 'open', after: 'closed' } })
    assert.ok(!text.includes('nobody else') && !app.log.join('').includes('nobody else'))
  })
})

test('a report is stored with its event if there is a subscription, and a refused one without', () =>
  withApp({}, async (app) => {
    const admin = await bootstrap(app.client)
    const listener = await listen(app, admin, ['feedback.created'])
    const { status, body } = await admin.client.post<Report>(reportsOf(admin), { ...BUG, attachments: [file(PIXEL)] })
    assert.equal(status, 200)
    refused(await admin.client.post(reportsOf(admin), { kind: 'bug' }), 422, 'request_validation_failed')
    const events = (await listener.next(1)).map(({ type, data }) => ({ type, data }))
    assert.deepEqual(events, [{ type: 'feedback.created', data: { report_id: body.id, kind: 'bug', title: BUG.title } }])
  }))

test('everyone who may read a report is notified, except its sender', () =>
  withApp({}, async (app) => {
    const admin = await bootstrap(app.client)
    const lead = await addMember(admin, 'security_content_lead')
    await addMember(admin, 'engineer')
    const { body } = await admin.client.post<Report>(reportsOf(admin), BUG)
    // A notice that is stored with the report, or the notification that was created from it.
    const told: { kind?: string; link?: string; roles?: string[]; but?: string; user_id?: string }[] = []
    for await (const { collection, document } of app.service.storage.dump()) if (collection === 'notices' || collection === 'notifications') told.push(document as never)
    assert.ok(told.length > 0)
    for (const { kind, link, roles, but, user_id } of told) {
      assert.deepEqual([kind, link], ['feedback.created', `${reportsOf(admin)}/${body.id}`])
      if (user_id === undefined) assert.deepEqual([roles, but], [['org_admin', 'security_content_lead', 'reviewer'], admin.userId])
      else assert.equal(user_id, lead.userId)
    }
  }))

test('an organization cannot exceed the limits of reports and attachments', () =>
  withApp({}, async (app) => {
    const admin = await bootstrap(app.client)
    const scope = new Tenancy(app.service.storage).of(admin.organizationId)
    const files = Array.from({ length: ATTACHMENTS_LIMIT - 1 }, (_, i) => ({ _id: `f${i}`, report_id: 'r', filename: 'x', content: 'AAAA' }))
    await insertAll(scope, scope.collection(FEEDBACK_ATTACHMENTS), files)
    assert.equal((await admin.client.post(reportsOf(admin), { ...BUG, attachments: [file(PIXEL)] })).status, 200)
    refused(await admin.client.post(reportsOf(admin), { ...BUG, attachments: [file(PIXEL)] }), 409, 'conflict')
    const { body } = await admin.client.post<Report>(reportsOf(admin), BUG)
    const { id, organization_id: _, ...report } = body
    const documents = Array.from({ length: REPORTS_LIMIT - 2 }, (__, i) => ({ ...report, _id: `r${i}`, revision: 1, created_at: new Date(), updated_at: new Date() }))
    await insertAll(scope, scope.collection(FEEDBACK_REPORTS), documents as unknown as FeedbackDocument[])
    refused(await admin.client.post(reportsOf(admin), BUG), 409, 'conflict')
    assert.equal((await admin.client.delete(`${reportsOf(admin)}/${id}`)).status, 204)
    assert.equal((await admin.client.post(reportsOf(admin), BUG)).status, 200)
  }))

for (const store of ALL_STORES) {
  describe(`at once, ${store.name}`, { skip: store.skip }, () => {
    test('all concurrent updates are in the audit trail, and exactly one concurrent deletion succeeds', () =>
      withApp({ store }, async ({ client }) => {
        const admin = await bootstrap(client)
        const { body } = await admin.client.post<Report>(reportsOf(admin), { ...BUG, attachments: [file(PIXEL)] })
        const path = `${reportsOf(admin)}/${body.id}`
        const changes = await Promise.all(['in_progress', 'resolved', 'closed'].map((status) => admin.client.patch(path, { status })))
        for (const { status, text } of changes) assert.equal(status, 200, text)
        const trail = await admin.client.get<{ diff: { status: { before: string; after: string } } }[]>(`/platform/audit?resource_id=${body.id}&action=feedback.updated`)
        assert.deepEqual(trail.body.map(({ diff }) => diff.status.after).sort(), ['closed', 'in_progress', 'resolved'])
        assert.equal(new Set(trail.body.map(({ diff }) => diff.status.before)).size, 3, 'none was lost')
        const stale = await Promise.all(['open', 'open'].map((status) => admin.client.patch(path, { status }, { headers: { 'If-Match': '"4"' } })))
        assert.ok(stale.some(({ status }) => status === 200))
        for (const { status } of stale) assert.ok(status === 200 || status === 412, String(status))
        const deletions = await Promise.all(Array.from({ length: 4 }, () => admin.client.delete(path)))
        assert.deepEqual(deletions.map(({ status }) => status).sort(), [204, 404, 404, 404])
      }))
  })
}
