/** Notifications over HTTP: recipients, languages, unread counts, and the stream of counts. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, describe, test } from 'node:test'
import { NOTICES, type NoticeKind, Notices } from '../../server/core/events/notices.js'
import { notifications as english } from '../../server/core/i18n/messages/en-US/notifications.js'
import { JOBS, JobQueue } from '../../server/core/jobs/queue.js'
import { isSelectedForTrim } from '../../server/features/notifications/fan-out.js'
import { KEPT_PER_USER, NOTIFICATIONS } from '../../server/features/notifications/store.js'
import { StaleWriteError } from '../../server/core/storage/errors.js'
import { MEMBERSHIPS, newMembership } from '../../server/core/tenancy/memberships.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { type Actor, addMember, anonymous, bootstrap, createKey, login, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Refusal } from '../support/client.js'
import { openStream } from '../support/event-stream.js'
import { allTold, notify, reviewFor } from '../support/notices.js'
import { runs } from '../support/runs.js'
import { DEFAULT_STORE, EMBEDDED } from '../support/stores.js'
import { refused, SIGNUP, withApp } from './steps.js'
import { insertAll } from '../support/insert-all.js'

interface Notification {
  readonly id: string
  readonly user_id: string
  readonly organization_id: string
  readonly kind: string
  readonly title: string
  readonly body: string
  readonly link: string | null
  readonly read_at: string | null
  readonly created_at: string
}

interface List {
  readonly items: Notification[]
  readonly total: number
  readonly unread: number
}

const NOBODY = '00000000-0000-4000-8000-000000000000'
/** Several slices. The stand-in for MongoDB takes a minute over ten thousand. */
const MEMBERS = DEFAULT_STORE === EMBEDDED ? 10_000 : runs(1_000, 10_000)

describe(`notifications, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor
  let other: Actor
  let made = 0

  before(async () => {
    app = await startTestApp({ env: { ...SIGNUP, NATIVE_SERVICE_SSE_CONNECTIONS_PER_USER: '3' } })
    admin = await bootstrap(app.client)
    other = await register(app.client, 'other')
  })
  after(() => app?.close())

  /** Creates a user without notifications. */
  const newcomer = (role: Parameters<typeof addMember>[1] = 'engineer'): Promise<Actor> => addMember(admin, role, `member${++made}@example.test`)
  const listOf = async ({ client }: Actor, query = ''): Promise<List> => {
    const { status, body, text } = await client.get<List>(`/notifications${query}`)
    assert.equal(status, 200, text)
    return body
  }
  const markRead = async ({ client }: Actor, body?: object): Promise<List> => {
    const answer = await client.post<List>('/notifications/mark-read', body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const tell = (...notices: Parameters<typeof notify>[2][]): Promise<void> => notify(app.service.storage, admin.organizationId, ...notices)
  const scopeOf = ({ organizationId }: Actor) => new Tenancy(app.service.storage).of(organizationId)
  const removeMember = async ({ userId }: Actor): Promise<void> => {
    const path = `/auth/organizations/${admin.organizationId}/members`
    const { body } = await admin.client.get<{ id: string }[]>(`${path}?user_id=${userId}`)
    assert.equal((await admin.client.delete(`${path}/${body[0].id}`)).status, 204)
  }

  test('are listed with all fields, the newest first', async () => {
    const ana = await newcomer()
    assert.deepEqual(await listOf(ana), { items: [], total: 0, unread: 0 })
    const before = Date.now()
    await tell(reviewFor([ana.userId], 'first'), { kind: 'webhook.disabled', params: { host: 'hooks.example.test' }, recipients: { users: [ana.userId] } })
    const { items, total, unread } = await listOf(ana)
    assert.deepEqual([total, unread], [2, 2])
    const [newest, oldest] = items
    assert.deepEqual(newest, {
      id: newest.id,
      user_id: ana.userId,
      organization_id: admin.organizationId,
      kind: 'webhook.disabled',
      title: 'Webhook disabled',
      body: 'The service sends nothing more to hooks.example.test. Check the receiver, then enable the webhook again.',
      link: null,
      read_at: null,
      created_at: newest.created_at,
    })
    assert.deepEqual(
      [oldest.kind, oldest.title, oldest.body, oldest.link],
      ['review.created', 'Review requested: first', 'Ana opened a review in the project Linux.', '/platform/projects/p/reviews/r'],
    )
    assert.match(oldest.created_at, /^\d{4}-.*Z$/)
    assert.ok(Date.parse(oldest.created_at) >= before && Date.parse(oldest.created_at) <= Date.parse(newest.created_at))
    assert.notEqual(oldest.id, newest.id)
  })

  test('are in the language of the request, not of the caller that caused them', async () => {
    const ana = await newcomer()
    await tell(reviewFor([ana.userId], '{actor}'))
    const titles: string[] = []
    for (const locale of ['en-US', 'pt-BR']) titles.push((await ana.client.get<List>('/notifications', { headers: { 'x-locale': locale } })).body.items[0].title)
    // A title is not interpreted as a placeholder.
    assert.deepEqual(titles, ['Review requested: {actor}', 'Revisão solicitada: {actor}'])
    const marked = await ana.client.post<List>('/notifications/mark-read', undefined, { headers: { 'x-locale': 'pt-BR' } })
    assert.equal(marked.body.items[0].body, 'Ana abriu uma revisão no projeto Linux.')
  })

  test('of every kind have texts without unfilled placeholders', async () => {
    const ana = await newcomer()
    const params = {
      project: 'P',
      title: 'T',
      actor: 'A',
      version: 'V',
      role: 'engineer',
      metric: 'analysis_runs',
      corpus: 'Sample',
      consumed: 80,
      limit: 100,
      host: 'h',
      member: 'M',
      count: 2,
      name: 'N',
      status: 'resolved',
      plan: 'team',
      former: 'team',
      until: '2026-11-30',
    }
    const kinds = Object.keys(english) as NoticeKind[]
    const scope = scopeOf(admin)
    const notices = new Notices(new JobQueue(app.service.storage))
    await scope.commit(kinds.flatMap((kind) => notices.notifying(scope, { kind, params, recipients: { users: [ana.userId] } } as Parameters<Notices['notifying']>[1])))
    await allTold(app.service.storage)
    for (const locale of ['en-US', 'pt-BR']) {
      const { items } = (await ana.client.get<List>('/notifications', { headers: { 'x-locale': locale } })).body
      assert.deepEqual(items.map(({ kind }) => kind).sort(), [...kinds].sort())
      for (const { title, body } of items) assert.ok(title !== '' && body !== '' && !/[{}]/.test(title + body), title)
    }
  })

  test('are limited in number, and only unread ones are listed on request', async () => {
    const ana = await newcomer()
    await tell(...Array.from({ length: 4 }, (_, i) => reviewFor([ana.userId], `t${i}`)))
    const { items } = await listOf(ana, '?limit=2')
    assert.deepEqual(
      items.map(({ title }) => title),
      ['Review requested: t3', 'Review requested: t2'],
    )
    await markRead(ana, { ids: [items[0].id] })
    const unread = await listOf(ana, '?unread_only=true&limit=2')
    assert.deepEqual(
      unread.items.map(({ title }) => title),
      ['Review requested: t2', 'Review requested: t1'],
    )
    assert.deepEqual([unread.total, unread.unread], [3, 3])
    const all = await listOf(ana, '?unread_only=false')
    assert.deepEqual([all.items.length, all.total, all.unread], [4, 4, 3])
    for (const query of ['?limit=0', '?limit=201', '?limit=', '?limit=1.5', '?unread_only=yes', '?unread_only=', '?offset=1'])
      refused(await ana.client.get<Refusal>(`/notifications${query}`), 422, 'request_validation_failed')
    assert.equal((await listOf(ana, '?limit=200')).items.length, 4)
  })

  test('are sent once to each named user who is a member', async () => {
    const [ana, rui, gone] = [await newcomer(), await newcomer(), await newcomer()]
    await removeMember(gone)
    await tell(reviewFor([ana.userId, ana.userId, rui.userId, gone.userId, other.userId, NOBODY]))
    for (const { userId } of [ana, rui]) assert.equal(await scopeOf(admin).collection(NOTIFICATIONS).count({ user_id: userId }), 1)
    for (const userId of [gone.userId, other.userId, NOBODY]) assert.equal(await scopeOf(admin).collection(NOTIFICATIONS).count({ user_id: userId }), 0)
  })

  test('are sent to all members except one, or to members with a role', async () => {
    const [lead, reviewer, second] = [await newcomer('security_content_lead'), await newcomer('reviewer'), await newcomer('reviewer')]
    const titlesOf = async (actor: Actor): Promise<string[]> => (await listOf(actor)).items.map(({ title }) => title.slice(title.indexOf(':') + 2)).sort()
    const review = (title: string) => ({ kind: 'review.created', params: { project: 'Linux', title, actor: 'Ana' } }) as const
    await tell(
      { ...review('all'), recipients: { everyoneBut: null } },
      { ...review('all but the lead'), recipients: { everyoneBut: lead.userId } },
      { ...review('reviewers'), recipients: { role: 'reviewer' } },
      { ...review('judges but the second'), recipients: { role: ['reviewer', 'security_content_lead'], but: second.userId } },
      { ...review('nobody'), recipients: { role: [] } },
      { ...review('nobody'), recipients: { users: [] } },
    )
    assert.deepEqual(await titlesOf(lead), ['all', 'judges but the second'])
    assert.deepEqual(await titlesOf(reviewer), ['all', 'all but the lead', 'judges but the second', 'reviewers'])
    assert.deepEqual(await titlesOf(second), ['all', 'all but the lead', 'reviewers'])
    assert.equal((await listOf(other)).total, 0)
  })

  test('are not sent if the change that causes them is refused', async () => {
    const ana = await newcomer()
    const scope = scopeOf(admin)
    const impossible = app.service.storage.open(MEMBERSHIPS).updating({ _id: NOBODY }, { set: { role: 'engineer' } })
    const notices = new Notices(new JobQueue(app.service.storage)).notifying(scope, reviewFor([ana.userId]))
    await assert.rejects(scope.commit([impossible, ...notices]), StaleWriteError)
    await allTold(app.service.storage)
    assert.equal((await listOf(ana)).total, 0)
    assert.equal(await scope.collection(NOTICES).count({}), 0)
  })

  test('refuse links to other sites, and more users than a notice may name', () => {
    const scope = scopeOf(admin)
    const notices = new Notices(new JobQueue(app.service.storage))
    for (const link of ['https://example.test', '//example.test', '/\\example.test', 'javascript:alert(1)', '', `/${'a'.repeat(500)}`])
      assert.throws(() => notices.notifying(scope, { ...reviewFor([NOBODY]), link }), TypeError, link)
    assert.throws(() => notices.notifying(scope, reviewFor(Array.from({ length: 1001 }, (_, i) => `u${i}`))), TypeError)
  })

  test('shorten long names by whole characters', async () => {
    const ana = await newcomer()
    await tell(reviewFor([ana.userId], '🦊'.repeat(300)))
    assert.equal((await listOf(ana)).items[0].title, `Review requested: ${'🦊'.repeat(199)}…`)
  })

  test('belong to one user in one organization', async () => {
    const [ana, rui] = [await newcomer(), await newcomer()]
    await tell(reviewFor([ana.userId]))
    await notify(app.service.storage, other.organizationId, reviewFor([other.userId]))
    const [{ id }] = (await listOf(ana)).items
    const [{ id: foreign }] = (await listOf(other)).items
    assert.deepEqual(await listOf(rui), { items: [], total: 0, unread: 0 })
    assert.equal((await markRead(rui, { ids: [id, foreign, 'nothing'] })).total, 0)
    await markRead(rui)
    assert.equal((await listOf(ana)).unread, 1)
    assert.equal((await listOf(other)).unread, 1)
    // A platform admin may enter any organization, and sees there only their own notifications.
    const there: Actor = { ...admin, client: admin.client.as({ organization: other.organizationId }) }
    assert.deepEqual(await listOf(there), { items: [], total: 0, unread: 0 })
    const stranger = await ana.client.get<Refusal>('/notifications', { organization: other.organizationId })
    refused(stranger, 403, 'forbidden')
  })

  test('need a session', async () => {
    const { client } = await createKey(admin, ['admin:*'])
    refused(await client.get('/notifications'), 401, 'unauthorized')
    refused(await client.post('/notifications/mark-read', {}), 401, 'unauthorized')
    refused(await client.get('/notifications/stream'), 401, 'unauthorized')
    refused(await anonymous(app.client).get('/notifications/stream'), 401, 'unauthorized')
  })

  test('can be marked as read by id', async () => {
    const ana = await newcomer()
    await tell(...['a', 'b', 'c'].map((title) => reviewFor([ana.userId], title)))
    const [c, b, a] = (await listOf(ana)).items
    const first = await markRead(ana, { ids: [a.id, c.id] })
    assert.deepEqual([first.total, first.unread], [3, 1])
    assert.deepEqual(
      first.items.map(({ id, read_at }) => [id, read_at !== null]),
      [
        [c.id, true],
        [b.id, false],
        [a.id, true],
      ],
    )
    // The time of reading does not change.
    await sleep(5)
    assert.deepEqual(await markRead(ana, { ids: [a.id] }), first)
    assert.deepEqual(await listOf(ana), first)
  })

  test('are all marked as read with an empty list, an empty object or no body', async () => {
    const ana = await newcomer()
    for (const body of [undefined, {}, { ids: [] }]) {
      await tell(reviewFor([ana.userId]))
      assert.equal((await listOf(ana)).unread, 1)
      assert.equal((await markRead(ana, body)).unread, 0)
    }
    const { items } = await listOf(ana)
    assert.equal(new Set(items.map(({ read_at }) => read_at)).size, 3)
  })

  test('refuse invalid ids', async () => {
    for (const body of [
      { ids: 'all' },
      { ids: [1] },
      { ids: [''] },
      { ids: null },
      { ids: ['a'.repeat(129)] },
      { ids: Array.from({ length: 1001 }, (_, i) => `${i}`) },
      { id: 'a' },
    ])
      refused(await admin.client.post<Refusal>('/notifications/mark-read', body), 422, 'request_validation_failed')
  })

  test('are marked once by concurrent requests', async () => {
    const ana = await newcomer()
    await tell(...['a', 'b', 'c'].map((title) => reviewFor([ana.userId], title)))
    const lists = await Promise.all(Array.from({ length: 8 }, () => markRead(ana)))
    assert.deepEqual(
      lists.map(({ unread }) => unread),
      lists.map(() => 0),
    )
    const { items } = await listOf(ana)
    const last = new Map(items.map(({ id, read_at }) => [id, read_at]))
    for (const { items } of lists) for (const { id, read_at } of items) assert.equal(read_at, last.get(id))
  })

  test('are removed beyond the newest thousand', async () => {
    const ana = await newcomer()
    const scope = scopeOf(admin)
    // Dated today, because notifications older than ninety days are removed anyway.
    const begun = Date.now() - 60 * 60_000
    const at = (i: number): Date => new Date(begun + Math.floor(i / 3) * 1000)
    const old = Array.from({ length: KEPT_PER_USER + 20 }, (_, i) => ({
      _id: `old ${String(i).padStart(5, '0')}`,
      user_id: ana.userId,
      kind: 'feedback.created' as const,
      params: { title: `${i}` },
      link: null,
      is_read: false,
      read_at: null,
      created_at: at(i),
    }))
    await insertAll(scope, scope.collection(NOTIFICATIONS), old)
    // The id of the notice decides which users are trimmed.
    const notices = new Notices(new JobQueue(app.service.storage))
    for (;;) {
      const writes = notices.notifying(scope, reviewFor([ana.userId], 'newest'))
      const [{ operation }] = writes
      assert.ok(operation.kind === 'insert')
      if (!isSelectedForTrim(operation.document._id, ana.userId)) continue
      await scope.commit(writes)
      break
    }
    await allTold(app.service.storage)
    let total = 0
    for (let i = 0; i < 3000 && total !== KEPT_PER_USER; i++) {
      total = (await listOf(ana, '?limit=1')).total
      await sleep(20)
    }
    assert.equal(total, KEPT_PER_USER)
    assert.equal((await listOf(ana, '?limit=1')).items[0].title, 'Review requested: newest')
    const kept = await scope.collection(NOTIFICATIONS).find({ user_id: ana.userId, kind: 'feedback.created' }, { sort: { created_at: 1, _id: 1 }, limit: 1 })
    assert.equal(kept[0]._id, old[21]._id)
  })

  test(`of ${MEMBERS} members are created in slices while other requests are served`, async () => {
    const big = await register(app.client, 'big')
    const now = new Date()
    const memberships = app.service.storage.open(MEMBERSHIPS)
    const members = Array.from({ length: MEMBERS }, (_, at) => String(at).padStart(5, '0'))
    await insertAll(
      app.service.storage,
      memberships,
      members.map((id) => newMembership(`m${id}`, big.organizationId, `u${id}`, 'engineer', now)),
    )
    const told = notify(app.service.storage, big.organizationId, {
      kind: 'version.published',
      params: { project: 'P', version: 'V', actor: 'A' },
      recipients: { everyoneBut: 'u00007' },
    })
    let served = 0
    let isTold = false
    void told.then(() => {
      isTold = true
    })
    do {
      await listOf(big)
      served++
    } while (!isTold)
    await told
    assert.ok(served > 1)
    const notifications = new Tenancy(app.service.storage).of(big.organizationId).collection(NOTIFICATIONS)
    assert.equal(await notifications.count({}), MEMBERS)
    assert.equal(await notifications.count({ user_id: 'u00007' }), 0)
    assert.equal((await listOf(big)).unread, 1)
    assert.equal(await app.service.storage.open(JOBS).count({ organization_id: big.organizationId }), 0)
    assert.equal(await new Tenancy(app.service.storage).of(big.organizationId).collection(NOTICES).count({}), 0)
  })

  describe('on a stream', () => {
    test('are counted at the start and after each change', async () => {
      const ana = await newcomer()
      await tell(reviewFor([ana.userId]))
      const stream = await openStream(ana.client)
      try {
        assert.equal(stream.status, 200)
        assert.equal(stream.headers.get('content-type'), 'text/event-stream')
        assert.equal(stream.headers.get('cache-control'), 'no-store')
        assert.equal(stream.headers.get('x-accel-buffering'), 'no')
        assert.equal(stream.headers.get('x-content-type-options'), 'nosniff')
        assert.match(stream.headers.get('x-request-id') ?? '', /^\S+$/)
        assert.equal(await stream.next(), 'event: unread\ndata: {"unread":1}')
        await tell(reviewFor([ana.userId]), reviewFor([ana.userId]))
        const counts = [await stream.unread()]
        // Two concurrent changes may be sent as one count.
        if (counts[0] === 2) counts.push(await stream.unread())
        assert.equal(counts.at(-1), 3)
        const [{ id }] = (await listOf(ana)).items
        await markRead(ana, { ids: [id] })
        assert.equal(await stream.unread(), 2)
        // Without a change nothing is sent.
        await markRead(ana, { ids: [id] })
        await markRead(ana)
        assert.equal(await stream.unread(), 0)
      } finally {
        await stream.close()
      }
    })

    test('are counted in each stream of the user in their organization', async () => {
      const ana = await newcomer()
      const streams = [await openStream(ana.client), await openStream(ana.client)]
      const elsewhere = await openStream(admin.client.as({ organization: other.organizationId }))
      try {
        assert.deepEqual(await Promise.all([...streams, elsewhere].map((stream) => stream.unread())), [0, 0, 0])
        await tell(reviewFor([ana.userId, admin.userId]))
        assert.deepEqual(await Promise.all(streams.map((stream) => stream.unread())), [1, 1])
        const scope = scopeOf(other)
        await scope.collection(NOTIFICATIONS).insert({
          _id: `by another instance:${admin.userId}`,
          user_id: admin.userId,
          kind: 'feedback.created',
          params: { title: 'T' },
          link: null,
          is_read: false,
          read_at: null,
          created_at: new Date(),
        })
        // One, not two: notifications of the other organization are not counted here. No change was announced; a poll finds it.
        assert.equal(await elsewhere.unread(), 1)
      } finally {
        for (const stream of [...streams, elsewhere]) await stream.close()
      }
    })

    test('are streamed with the cookie from any page', async () => {
      const ana = await newcomer()
      const stream = await openStream(anonymous(app.client), { Cookie: `service_session=${ana.token}` })
      assert.equal(await stream.unread(), 0)
      await stream.close()
    })

    test('are refused to streams beyond the limit of a user, until one ends', async () => {
      const [ana, rui] = [await newcomer(), await newcomer()]
      const streams = [await openStream(ana.client), await openStream(ana.client), await openStream(ana.client)]
      try {
        const answer = await ana.client.get<Refusal>('/notifications/stream')
        const { details, message } = refused(answer, 429, 'sse_connection_limit_exceeded')
        assert.match(message, /: 3\.$/)
        assert.ok(Number(answer.headers.get('retry-after')) >= 1)
        assert.equal(answer.headers.get('x-ratelimit-limit'), '3')
        assert.equal(answer.headers.get('x-ratelimit-remaining'), '0')
        assert.equal(details.route, 'notifications.stream')
        assert.ok(Date.parse(details.reset_at as string) > Date.now())
        // Another session of the same user counts, another user does not.
        refused(await (await login(app.client, ana.email)).client.get('/notifications/stream'), 429, 'sse_connection_limit_exceeded')
        streams.push(await openStream(rui.client))
        assert.equal(streams[3].status, 200)
        await streams[0].close()
        let status = 429
        for (let i = 0; i < 3000 && status === 429; i++) {
          const next = await openStream(ana.client)
          status = next.status
          streams.push(next)
          if (status === 429) await sleep(20)
        }
        assert.equal(status, 200)
      } finally {
        for (const stream of streams) await stream.close()
      }
    })

    test('have streams up to the limit with concurrent requests', async () => {
      const ana = await newcomer()
      const streams = await Promise.all(Array.from({ length: 12 }, () => openStream(ana.client)))
      assert.deepEqual(streams.map(({ status }) => status).sort(), [200, 200, 200, ...Array.from({ length: 9 }, () => 429)])
      for (const stream of streams) await stream.close()
    })

    test('do not keep a slot for a HEAD request', async () => {
      const ana = await newcomer()
      for (let i = 0; i < 8; i++) {
        const { status, headers } = await ana.client.call('HEAD', '/notifications/stream')
        assert.equal(status, 200)
        assert.equal(headers.get('content-type'), 'text/event-stream')
      }
      const stream = await openStream(ana.client)
      assert.equal(await stream.unread(), 0)
      await stream.close()
    })

    test('end with the session, the account and the membership', async () => {
      const [loggedOut, removed, deactivated, stays] = [await newcomer(), await newcomer(), await newcomer(), await newcomer()]
      const streams = await Promise.all([loggedOut, removed, deactivated, stays].map(({ client }) => openStream(client)))
      for (const stream of streams) assert.equal(await stream.unread(), 0)
      assert.equal((await loggedOut.client.post('/auth/logout')).status, 200)
      await removeMember(removed)
      assert.equal((await admin.client.patch(`/platform/admin/users/${deactivated.userId}`, { is_active: false })).status, 200)
      await Promise.all(streams.slice(0, 3).map((stream) => stream.ended()))
      await tell(reviewFor([stays.userId, removed.userId]))
      assert.equal(await streams[3].unread(), 1)
      for (const stream of streams) await stream.close()
    })
  })
})

test(`streams end when the session expires, ${DEFAULT_STORE.name}`, async () => {
  let ahead = 0
  await withApp({ clock: () => Date.now() + ahead, env: { NATIVE_SERVICE_SESSION_TTL_SECONDS: '60' } }, async ({ client }) => {
    const admin = await bootstrap(client)
    const stream = await openStream(admin.client)
    assert.equal(await stream.unread(), 0)
    ahead = 61_000
    await stream.ended()
  })
})

test(`streams end cleanly when the service stops, ${DEFAULT_STORE.name}`, async () => {
  const app = await startTestApp()
  try {
    const admin = await bootstrap(app.client)
    const streams = [await openStream(admin.client), await openStream(admin.client)]
    for (const stream of streams) assert.equal(await stream.unread(), 0)
    const closing = app.service.close()
    await Promise.all(streams.map((stream) => stream.ended()))
    await closing
    const faults = app.log.filter((line) => (JSON.parse(line) as { level?: string | number }).level === 'error')
    assert.deepEqual(faults, [])
  } finally {
    await app.close().catch(() => undefined)
  }
})
