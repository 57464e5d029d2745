import assert from 'node:assert/strict'
import test, { after, before, describe } from 'node:test'
import { csvTable } from '../../server/core/http/text/csv.js'
import { addMember, type Actor, anonymous, bootstrap, createKey, login, PASSWORD, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Answer } from '../support/client.js'
import { createProject, openWorkspace } from '../support/projects.js'
import { refused, SIGNUP } from './steps.js'

interface Entry {
  readonly id: string
  readonly organization_id: string
  readonly actor_type: string
  readonly actor_id: string | null
  readonly actor_name: string
  readonly action: string
  readonly resource_type: string
  readonly resource_id: string
  readonly diff: Readonly<Record<string, { before: unknown; after: unknown }>>
  readonly request_id: string | null
  readonly address: string | null
  readonly created_at: string
}

/** Reads CSV as RFC 4180 defines it. */
function readCsv(text: string): string[][] {
  assert.ok(text.endsWith('\r\n'))
  const rows: string[][] = [[]]
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows[rows.length - 1].push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end !== ',') rows.push([])
  }
  return rows.slice(0, -1)
}

describe('audit trail', () => {
  let app: TestApp
  let admin: Actor
  let other: Actor
  const list = async (actor: Actor, query = '') => (await actor.client.get<Entry[]>(`/platform/audit?limit=200&${query}`)).body

  before(async () => {
    app = await startTestApp({ env: SIGNUP })
    admin = await bootstrap(app.client)
    other = await register(app.client, 'other')
  })
  after(() => app.close())

  test('a bootstrap and a registration record the new objects', async () => {
    for (const actor of [admin, other]) {
      const entries = await list(actor, 'order=asc')
      assert.deepEqual(entries.map(({ action }) => action).sort(), ['organization.created', 'session.created', 'user.created'])
      for (const entry of entries) {
        assert.deepEqual([entry.actor_type, entry.actor_id, entry.actor_name, entry.organization_id], ['user', actor.userId, actor.email, actor.organizationId])
        assert.equal(entry.address, '127.0.0.1')
        assert.ok(entry.request_id)
      }
    }
  })

  test('is given as CSV, whose cells are no formulas, and in no other type than that and JSON', async () => {
    const formulas = ['=1+1', '+1', '-1', '@SUM(A1)', '=HYPERLINK("http://x.example/","a, b")', 'plain, with "quotes"']
    const project = await createProject(admin, { name: formulas[0] })
    for (const name of formulas.slice(1)) assert.equal((await admin.client.patch(`/platform/projects/${project.id}`, { name })).status, 200)
    const csv = (path: string, Accept = 'text/csv') => admin.client.get(path, { headers: { Accept } })
    const own = `/platform/projects/${project.id}/audit?order=asc`
    const records = (await admin.client.get<Record<string, unknown>[]>(own)).body
    const { text, headers, status } = await csv(own)
    assert.deepEqual([status, headers.get('content-type'), headers.get('vary')], [200, 'text/csv; charset=utf-8; header=present', 'Accept'])
    const [columns, ...rows] = readCsv(text)
    assert.deepEqual(columns, Object.keys(records[0]))
    const cellOf = (value: unknown): string => (value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value))
    assert.deepEqual(
      rows,
      records.map((record) => columns.map((column) => cellOf(record[column]).replace(/^(?=[=+\-@])/, "'"))),
    )
    const names = rows.map((row) => row[columns.indexOf('resource_name')])
    assert.deepEqual(names, [...formulas.slice(0, -1).map((name) => `'${name}`), formulas[5]])
    assert.equal(
      csvTable(
        ['a'],
        [' =1', '＝1', '\n=1', 'a=1'].map((a) => ({ a })),
      ),
      'a\r\n"\' =1"\r\n"\'＝1"\r\n"\'\n=1"\r\na=1\r\n',
    )
    // A page like that of JSON.
    const page = await csv(`${own}&limit=2`)
    assert.deepEqual([readCsv(page.text).length, page.headers.get('x-total-count')], [3, String(formulas.length)])
    assert.match(page.headers.get('link') ?? '', /rel="next"/)
    for (const path of ['/platform/audit', '/platform/admin/audit']) {
      assert.equal(readCsv((await csv(path)).text)[0][0], 'id')
      assert.match((await csv(path, 'text/csv;q=0.5, application/json')).headers.get('content-type') ?? '', /^application\/json/)
      assert.match((await csv(path, '*/*')).headers.get('content-type') ?? '', /^application\/json/)
      assert.deepEqual(refused(await csv(path, 'application/xml'), 406, 'not_acceptable').details, { types: ['application/json', 'text/csv'] })
    }
  })

  test('an entry has actor, action and request', async () => {
    const { body, status } = await admin.client.post<{ id: string }>(
      `/auth/organizations/${admin.organizationId}/members`,
      { email: 'made@example.test', display_name: 'Made', password: 'a long passphrase', role: 'engineer' },
      { headers: { 'X-Request-Id': 'the-request-of-this-test' } },
    )
    assert.equal(status, 200)
    const [entry] = await list(admin, `resource_id=${body.id}`)
    assert.deepEqual([entry.action, entry.resource_type, entry.actor_id, entry.request_id], ['member.added', 'member', admin.userId, 'the-request-of-this-test'])
    assert.deepEqual(entry.diff.role, { before: null, after: 'engineer' })
    assert.ok(!JSON.stringify(await list(admin)).includes('a long passphrase'))
  })

  test('every change adds one entry with its actor, without secrets', async () => {
    const actor = await register(app.client, 'trail')
    const { client, organizationId } = actor
    const [members, invitations, keys] = [
      `/auth/organizations/${organizationId}/members`,
      `/auth/organizations/${organizationId}/invitations`,
      `/platform/organizations/${organizationId}/api-keys`,
    ]
    const secrets = [PASSWORD, actor.token]
    let known = (await list(actor)).length
    /** Returns the entries of the step: action and actor. */
    const left = async (step: () => Promise<Answer<unknown>>): Promise<string[][]> => {
      const { status, text } = await step()
      assert.ok(status === 200 || status === 204, text)
      const entries = await list(actor)
      const fresh = entries.slice(0, entries.length - known)
      known = entries.length
      return fresh.map(({ action, actor_name }) => [action, actor_name]).sort()
    }
    let member = ''
    let key = ''
    let guest = ''
    const mine = (...actions: string[]) => actions.map((action) => [action, actor.email])
    const create = async <T extends { id: string }>(path: string, body: object, take: (made: T) => void) => {
      const answer = await client.post<T>(path, body)
      take(answer.body)
      return answer
    }
    assert.deepEqual(
      await left(() => create(members, { email: 'm@trail.test', display_name: 'M', password: PASSWORD, role: 'engineer' }, ({ id }) => (member = id))),
      mine('member.added', 'user.created'),
    )
    assert.deepEqual(await left(() => client.patch(`${members}/${member}`, { role: 'reviewer' })), mine('member.updated'))
    assert.deepEqual(await left(() => client.patch(`${members}/${member}`, { role: 'reviewer' })), [])
    assert.deepEqual(await left(() => client.delete(`${members}/${member}`)), mine('member.removed'))
    assert.deepEqual(await left(() => create(invitations, { email: 'i@trail.test', role: 'engineer' }, ({ id }) => (guest = id))), mine('invitation.created'))
    assert.deepEqual(await left(() => client.delete(`${invitations}/${guest}`)), mine('invitation.revoked'))
    await left(() => create<{ id: string; token: string }>(invitations, { email: 'guest@trail.test', role: 'engineer' }, ({ token }) => (guest = token)))
    assert.deepEqual(
      await left(() => anonymous(client).post(`/auth/invitations/${guest}/accept`, { display_name: 'G', password: PASSWORD })),
      ['invitation.accepted', 'member.added', 'session.created', 'user.created'].map((action) => [action, 'guest@trail.test']),
    )
    const keep = ({ id, api_key }: { id: string; api_key: string }) => {
      key = id
      secrets.push(api_key, api_key.slice(12))
    }
    assert.deepEqual(await left(() => create(keys, { name: 'K', scopes: ['analysis:run'] }, keep)), mine('api_key.created'))
    assert.deepEqual(await left(() => create(`${keys}/${key}/rotate`, {}, keep)), mine('api_key.rotated'))
    assert.deepEqual(await left(() => client.delete(`${keys}/${key}`)), mine('api_key.revoked'))
    assert.deepEqual(await left(() => client.patch('/auth/me/locale', { locale: 'en' })), mine('user.updated'))
    assert.deepEqual(await left(() => anonymous(client).post('/auth/login', { email: actor.email, password: PASSWORD })), mine('session.created'))
    const elsewhere = await login(client, admin.email)
    assert.deepEqual(await left(() => elsewhere.client.post('/auth/logout', undefined, { organization: organizationId })), [])
    assert.deepEqual((await list(admin))[0].action, 'session.revoked')
    const path = `/platform/admin/organizations/${organizationId}`
    await admin.client.patch(path, { is_active: false })
    assert.deepEqual(await left(() => admin.client.patch(path, { is_active: true })), [
      ['organization.updated', admin.email],
      ['organization.updated', admin.email],
    ])
    const text = JSON.stringify(await list(actor))
    for (const secret of [...secrets, guest]) assert.ok(!text.includes(secret), secret)
  })

  test('a change beyond the shown part of a text is a change, and has an entry', async () => {
    const actor = await register(app.client, 'long')
    const reviewer = await addMember(actor, 'reviewer', 'reviewer@long.test')
    const { client } = actor
    const [before, after] = ['1', '2'].map((end) => 'x'.repeat(1999) + end)
    const project = await createProject(actor, { description: before })
    const path = `/platform/projects/${project.id}`
    const workspace = await openWorkspace(actor, project.id, { description: before })
    const testCase = (await client.post<{ id: string }>(`${path}/cases`, { name: 'long', event_text: 'an event', description: before })).body
    const review = (await client.post<{ id: string }>(`${path}/reviews`, { title: 'long', workspace_id: workspace.id, notes: before })).body
    const decide = (notes: string) => reviewer.client.patch<{ notes: string }>(`${path}/reviews/${review.id}`, { status: 'approved', notes })
    await decide(before)
    for (const item of ['', `/workspaces/${workspace.id}`, `/cases/${testCase.id}`]) {
      assert.equal((await client.patch<{ description: string }>(path + item, { description: after })).body.description, after)
      assert.equal((await client.get<{ description: string }>(path + item)).body.description, after)
    }
    assert.equal((await decide(after)).body.notes, after)
    for (const [id, field] of [
      [project.id, 'description'],
      [workspace.id, 'description'],
      [testCase.id, 'description'],
      [review.id, 'notes'],
    ]) {
      const [{ diff }] = await list(actor, `resource_id=${id}`)
      assert.deepEqual(Object.keys(diff), [field])
      assert.ok(!JSON.stringify(diff).includes(after))
    }
  })

  test('API keys act under their own name', async () => {
    const key = await createKey(admin, ['admin:*'], 'robot')
    await key.client.post(`/auth/organizations/${admin.organizationId}/invitations`, { email: 'x@example.test', role: 'engineer' })
    const [entry] = await list(admin, `actor_id=${key.id}`)
    assert.deepEqual([entry.action, entry.actor_type, entry.actor_name], ['invitation.created', 'api_key', 'robot'])
  })

  test('filters narrow the list', async () => {
    const all = await list(admin)
    assert.deepEqual(
      await list(admin, 'action=user.created'),
      all.filter(({ action }) => action === 'user.created'),
    )
    assert.deepEqual(
      await list(admin, 'resource_type=user'),
      all.filter(({ resource_type }) => resource_type === 'user'),
    )
    // A moment without an entry: the MongoDB of the tests loses entries at the very end of a range of a descending index.
    const times = all.map(({ created_at }) => Date.parse(created_at))
    const newer = times.find((time, index) => index > all.length / 3 && time - 1 > times[index + 1])
    assert.ok(newer !== undefined)
    const middle = new Date(newer - 1).toISOString()
    assert.deepEqual(
      await list(admin, `from=${middle}`),
      all.filter(({ created_at }) => created_at >= middle),
    )
    assert.deepEqual(
      await list(admin, `to=${middle}`),
      all.filter(({ created_at }) => created_at < middle),
    )
    assert.deepEqual(await list(admin, `from=${middle}&to=${middle}`), [])
    assert.deepEqual(await list(admin, 'action=api_key.rotated'), [])
    for (const query of ['action=nothing.known', 'from=yesterday', 'sort=actor_name', 'limit=0', 'limit=', 'offset=-1', 'order=up', 'other=1']) {
      refused(await admin.client.get(`/platform/audit?${query}`), 422, 'request_validation_failed')
    }
  })

  test('pages contain every entry once, the newest first', async () => {
    const all = await list(admin)
    assert.deepEqual(
      all.map(({ created_at }) => created_at),
      all
        .map(({ created_at }) => created_at)
        .sort()
        .reverse(),
    )
    const pages: Entry[] = []
    for (let offset = 0; offset < all.length; offset += 2) {
      const { body, headers } = await admin.client.get<Entry[]>(`/platform/audit?limit=2&offset=${offset}`)
      assert.equal(Number(headers.get('x-total-count')), all.length)
      pages.push(...body)
    }
    assert.deepEqual(pages, all)
  })

  test('only those with the permission can read it, and only in their organization', async () => {
    assert.ok((await list(other)).every(({ organization_id }) => organization_id === other.organizationId))
    refused(await other.client.get('/platform/audit', { organization: admin.organizationId }), 403, 'forbidden')
    const engineer = await addMember(admin, 'engineer')
    const reviewer = await addMember(admin, 'reviewer')
    refused(await engineer.client.get('/platform/audit'), 403, 'forbidden')
    assert.equal((await reviewer.client.get('/platform/audit')).status, 200)
    assert.equal((await (await createKey(admin, ['audit:read'])).client.get('/platform/audit')).status, 200)
    refused(await (await createKey(admin, ['projects:write'])).client.get('/platform/audit'), 403, 'forbidden')
  })
})
