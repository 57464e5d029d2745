/** Quotas of plans over HTTP: limits of an organization, refused at the limit and not before. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import test, { after, before, describe } from 'node:test'
import { PLANS } from '../../server/core/tenancy/plans.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { USAGE } from '../../server/core/tenancy/usage.js'
import { type Actor, addMember, anonymous, bootstrap, createKey, login, PASSWORD, register } from '../support/actors.js'
import { sharedPool, startTestApp, type TestApp } from '../support/app.js'
import type { Answer } from '../support/client.js'
import { BILLED, subscribe } from '../support/plans.js'
import { REPLICA_SET, type TestStore } from '../support/stores.js'
import { ALL_STORES, midMonth, refused, SIGNUP, waitFor, withApp } from './steps.js'

const {
  webhooks: WEBHOOKS,
  projects: PROJECTS,
  members: MEMBERS,
  analysis_runs_per_month: RUNS,
  api_requests_per_minute: REQUESTS,
} = PLANS.free.limits as unknown as Record<string, number>
// Shared by the whole file: created inside of a hook, it would end with it.
sharedPool()

const membersOf = ({ organizationId }: Actor): string => `/auth/organizations/${organizationId}/members`
const invitationsOf = ({ organizationId }: Actor): string => `/auth/organizations/${organizationId}/invitations`
const join = (admin: Actor, name: string) => admin.client.post(membersOf(admin), { email: `${name}@example.test`, display_name: name, password: PASSWORD, role: 'engineer' })
const invite = async (admin: Actor, email: string): Promise<string> => {
  const { status, body, text } = await admin.client.post<{ token: string }>(invitationsOf(admin), { email, role: 'engineer' })
  assert.equal(status, 200, text)
  return body.token
}
const accept = (admin: Actor, token: string) => anonymous(admin.client).post(`/auth/invitations/${token}/accept`, { display_name: 'Guest', password: PASSWORD })
const countMembers = async (admin: Actor): Promise<number> => (await admin.client.get<unknown[]>(`${membersOf(admin)}?limit=200`)).body.length
/** Returns the metrics for which admins are warned, by a notice or its notifications, once there are that many: requests do not wait for a warning. */
const warned = ({ service }: TestApp, organizationId: string, least = 0): Promise<string[]> =>
  waitFor(async () => {
    const metrics = new Set<string>()
    for await (const { document } of service.storage.dump()) {
      const { kind, organization_id, params } = document as { kind?: unknown; organization_id?: unknown; params?: { metric: string } }
      if (kind === 'api.quota.warning' && organization_id === organizationId && params !== undefined) metrics.add(params.metric)
    }
    return metrics.size < least ? undefined : [...metrics].sort()
  })

function overMembers(answer: Answer<unknown>): void {
  const refusal = refused(answer, 403, 'plan_quota_exceeded')
  assert.deepEqual(refusal.details, { metric: 'members', limit: MEMBERS })
  assert.match(refusal.message, /members/)
}

/** Returns the status of a request of which only the headers are sent. */
function statusBeforeBody({ client: { origin } }: TestApp, key: string, path: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(`${origin}/api/v1${path}`, { method: 'POST', headers: { 'X-API-Key': key, ...headers } })
    sent.on('error', reject).on('response', ({ statusCode }) => {
      resolve(statusCode)
      sent
        .off('error', reject)
        .on('error', () => {})
        .destroy()
    })
    sent.flushHeaders()
  })
}

describe('an organization on the plan free', () => {
  const clock = midMonth()
  let app: TestApp
  let admin: Actor
  let other: Actor

  before(async () => {
    app = await startTestApp({ env: { ...BILLED, ...SIGNUP }, clock })
    admin = await bootstrap(app.client)
    other = await register(app.client, 'other')
    await sharedPool().ready()
  })
  after(() => app.close())

  test('has at most ten members, created or invited, and a free place when one leaves', async () => {
    const [early, late] = [await invite(admin, 'early@example.test'), await invite(admin, 'late@example.test')]
    const existing = await invite(admin, 'other@example.test')
    for (let i = 2; i < MEMBERS; i++) assert.equal((await join(admin, `member${i}`)).status, 200)
    assert.equal((await accept(admin, early)).status, 200)
    assert.equal(await countMembers(admin), MEMBERS)
    overMembers(await join(admin, 'one-more'))
    overMembers(await accept(admin, late))
    overMembers(await anonymous(admin.client).post(`/auth/invitations/${existing}/accept`, { password: PASSWORD }))
    // Refused requests store nothing: there is no user, and the invitation still exists.
    assert.equal((await anonymous(admin.client).post('/auth/login', { email: 'one-more@example.test', password: PASSWORD })).status, 401)
    const { body } = await admin.client.get<{ id: string; email: string }[]>(membersOf(admin))
    const leaving = body.find(({ email }) => email === 'early@example.test')
    assert.equal((await admin.client.delete(`${membersOf(admin)}/${leaving?.id}`)).status, 204)
    assert.equal((await anonymous(admin.client).post(`/auth/invitations/${existing}/accept`, { password: PASSWORD })).status, 200)
    overMembers(await accept(admin, late))
    assert.equal((await join(other, 'theirs')).status, 200)
    assert.deepEqual([await warned(app, admin.organizationId, 1), await warned(app, other.organizationId)], [['members'], []])
  })

  test('has at most two webhooks, however many are created concurrently', async () => {
    const hook = { url: 'https://hooks.example.test/in', events: ['version.published'] }
    const answers = await Promise.all(Array.from({ length: WEBHOOKS + 3 }, () => admin.client.post(`/platform/organizations/${admin.organizationId}/webhooks`, hook)))
    for (const answer of answers) if (answer.status !== 200) assert.deepEqual(refused(answer, 403, 'plan_quota_exceeded').details, { metric: 'webhooks', limit: WEBHOOKS })
    assert.equal(answers.filter(({ status }) => status === 200).length, WEBHOOKS)
  })

  test('has at most five projects, however many are created concurrently', async () => {
    const answers = await Promise.all(Array.from({ length: PROJECTS + 3 }, () => admin.client.post('/platform/projects', { name: 'Perimeter' })))
    for (const answer of answers) {
      if (answer.status !== 200) assert.deepEqual(refused(answer, 403, 'plan_quota_exceeded').details, { metric: 'projects', limit: PROJECTS })
    }
    assert.equal(answers.filter(({ status }) => status === 200).length, PROJECTS)
    const { body } = await admin.client.get<{ slug: string }[]>('/platform/projects')
    assert.equal(new Set(body.map(({ slug }) => slug)).size, PROJECTS)
    assert.deepEqual(await warned(app, admin.organizationId, 3), ['members', 'projects', 'webhooks'])
  })

  test('runs at most its logtests of a month, and gets the start of the next month', async () => {
    const { client, key } = await createKey(other, ['analysis:run'])
    const run = () => client.post('/analysis/logtest-native', { input: { event: 'Jan  5 10:11:12 web1 sshd[12]: ok' } })
    assert.equal((await run()).status, 200)
    await new Tenancy(app.service.storage)
      .of(other.organizationId)
      .collection(USAGE)
      .updateMany({ metric: 'analysis_runs' }, { set: { consumed: RUNS - 3 } })
    // A refused request takes no unit.
    refused(await client.post('/analysis/logtest-native', { input: {} }), 422, 'validation_failed')
    refused(
      await client.post('/analysis/logtest-native', { files: [{ filename: 'a', kind: 'rules', scope: 'adhoc', content: '<group' }], input: { event: 'x' } }),
      400,
      'bad_request',
    )
    const lines = [{ files: [] }, ...Array.from({ length: 4 }, () => ({ event: 'x' }))].map((line) => JSON.stringify(line)).join('\n')
    const batch = await client.call('POST', '/analysis/logtest-batch', { raw: lines, headers: { 'Content-Type': 'application/x-ndjson' } })
    const answers = batch.text.split('\n').filter((line) => line !== '')
    assert.equal(answers.filter((line) => line.includes('"plan_quota_exceeded"')).length, 1, batch.text)
    const refusal = refused(await run(), 403, 'plan_quota_exceeded')
    const now = new Date(clock())
    const end = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
    assert.deepEqual(refusal.details, { metric: 'analysis_runs', limit: RUNS, reset_at: end.toISOString() })
    // A large body is not read for that: none is sent here.
    assert.equal(await statusBeforeBody(app, key, '/analysis/logtest-native', { 'Content-Type': 'application/json', 'Content-Length': '1000000' }), 403)
    assert.equal(await statusBeforeBody(app, key, '/analysis/logtest-batch', { 'Content-Type': 'application/x-ndjson', 'Transfer-Encoding': 'chunked' }), 403)
    // Validation takes no unit.
    assert.equal((await client.post('/analysis/validate', { files: [] })).status, 200)
    assert.deepEqual(await warned(app, other.organizationId, 1), ['analysis_runs'])
  })

  test('has the limits of a larger plan within a second', async () => {
    const { client } = await createKey(other, ['analysis:run'])
    const run = () => client.post('/analysis/logtest-native', { input: { event: 'x' } })
    refused(await run(), 403, 'plan_quota_exceeded')
    await subscribe(app.service.storage, other.organizationId, 'team')
    await new Promise((resolve) => setTimeout(resolve, 1000))
    assert.equal((await run()).status, 200)
  })
})

test('requests of an organization above the limit of a minute are refused, and nothing else is', async () => {
  // The clock is stopped, in the future, so that the counts of its minute are kept.
  const clock = { now: midMonth()() }
  await withApp({ env: { ...BILLED, ...SIGNUP }, clock: () => clock.now }, async (app) => {
    const admin = await bootstrap(app.client)
    const [busy, calm] = [await register(app.client, 'busy'), await register(app.client, 'calm')]
    const leaving = await login(app.client, busy.email)
    const { client: key } = await createKey(busy, ['analysis:run'])
    // Requests of a session, of a key, of a route without a permission: all count. Creating the key was the first.
    const ask = [() => busy.client.get(membersOf(busy)), () => key.get('/health'), () => busy.client.get('/auth/me')]
    const answers: Answer<unknown>[] = []
    while (answers.length < REQUESTS + 20) answers.push(...(await Promise.all(Array.from({ length: 20 }, (_, i) => ask[i % 3]()))))
    assert.equal(answers.filter(({ status }) => status === 200).length, REQUESTS - 1)
    const over = answers.filter(({ status }) => status !== 200)
    for (const answer of over) {
      const { details } = refused(answer, 403, 'plan_quota_exceeded')
      assert.deepEqual(details, { metric: 'api_requests_per_minute', limit: REQUESTS, reset_at: new Date(clock.now + 60_000).toISOString() })
      assert.equal(answer.headers.get('retry-after'), '60')
    }
    assert.equal((await calm.client.get(membersOf(calm))).status, 200)
    // Anonymous callers get 401, the end of a session is never refused, and operators are not limited.
    refused(await anonymous(app.client).get('/auth/me'), 401, 'unauthorized')
    assert.equal((await leaving.client.post('/auth/logout')).status, 200)
    assert.equal((await admin.client.get(membersOf(busy), { organization: busy.organizationId })).status, 200)
    assert.equal((await admin.client.get(`/platform/admin/organizations/${busy.organizationId}`)).status, 200)
    clock.now += 60_000
    assert.equal((await busy.client.get('/auth/me')).status, 200)
    assert.deepEqual([await warned(app, busy.organizationId, 1), await warned(app, calm.organizationId)], [['api_requests_per_minute'], []])
  })
})

test('without billing no plan limits anyone', () =>
  withApp({}, async (app) => {
    const admin = await bootstrap(app.client)
    for (let i = 0; i < MEMBERS; i++) assert.equal((await join(admin, `member${i}`)).status, 200)
    for (let sent = 0; sent <= REQUESTS; sent += 40)
      for (const { status } of await Promise.all(Array.from({ length: 40 }, () => admin.client.get('/auth/me')))) assert.equal(status, 200)
    assert.deepEqual(await warned(app, admin.organizationId), [])
  }))

describe('two instances', { skip: REPLICA_SET.skip }, () => {
  test('together accept exactly as many members as the plan allows', async () => {
    const fresh = await REPLICA_SET.fresh()
    const store: TestStore = { name: 'shared', skip: false, fresh: async () => ({ env: fresh.env, remove: async () => {} }) }
    const [one, two] = [await startTestApp({ store, env: BILLED }), await startTestApp({ store, env: BILLED })]
    try {
      const admin = await bootstrap(one.client)
      const there = { ...admin, client: anonymous(two.client).as({ token: admin.token }) }
      const answers = await Promise.all(Array.from({ length: 16 }, (_, i) => join(i % 2 === 0 ? admin : there, `member${i}`)))
      assert.equal(answers.filter(({ status }) => status === 200).length, MEMBERS - 1)
      for (const answer of answers) if (answer.status !== 200) overMembers(answer)
      assert.equal(await countMembers(admin), MEMBERS)
    } finally {
      await two.close()
      await one.close()
      await fresh.remove()
    }
  })
})

for (const store of ALL_STORES) {
  describe(`at once, ${store.name}`, { skip: store.skip }, () => {
    test('the last places are assigned once each, to created members and accepted invitations', () =>
      withApp({ store, env: BILLED }, async (app) => {
        const admin = await bootstrap(app.client)
        const tokens = await Promise.all(Array.from({ length: 6 }, (_, i) => invite(admin, `guest${i}@example.test`)))
        for (let i = 0; i < MEMBERS - 4; i++) await addMember(admin, 'engineer', `member${i}@example.test`)
        const answers = await Promise.all([...tokens.map((token) => accept(admin, token)), ...tokens.map((_, i) => join(admin, `late${i}`))])
        assert.equal(answers.filter(({ status }) => status === 200).length, 3)
        for (const answer of answers) if (answer.status !== 200) overMembers(answer)
        assert.equal(await countMembers(admin), MEMBERS)
      }))
  })
}
