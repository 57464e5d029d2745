/** Reviews over HTTP: create, decide, close, comment; permissions, notifications, events, and concurrent calls. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Users } from '../../server/core/auth/users.js'
import type { UserPrincipal } from '../../server/core/auth/principal.js'
import type { EventName } from '../../server/core/events/catalogue.js'
import type { ProjectRecord } from '../../server/content/projects/schema.js'
import type { WorkspaceRecord } from '../../server/content/workspaces/schema.js'
import { COMMENTS_LIMIT, REVIEWERS_LIMIT, REVIEWS } from '../../server/content/shared/review.js'
import { REVIEW_DECISIONS, REVIEW_STATUSES, REVIEW_TRANSITIONS, type ReviewDecision, type ReviewStatus } from '../../server/content/shared/transitions.js'
import { ApiError } from '../../server/core/errors.js'
import { Announcements } from '../../server/content/reviews/announce.js'
import { People } from '../../server/content/reviews/people.js'
import { reviewEtag } from '../../server/content/reviews/present.js'
import type { ReviewCommentRecord, ReviewRecord } from '../../server/content/reviews/schema.js'
import { ReviewsService } from '../../server/content/reviews/service.js'
import { Memberships } from '../../server/core/tenancy/memberships.js'
import { type Scope, Tenancy } from '../../server/core/tenancy/scope.js'
import { type Actor, addMember, anonymous, bootstrap, createKey, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type Heard, type Listener, listen } from '../support/events.js'
import { allTold } from '../support/notices.js'
import { createProject, openReview, openWorkspace } from '../support/projects.js'
import { DEFAULT_STORE } from '../support/stores.js'
import { ALL_STORES, refused, SIGNUP, withApp } from './steps.js'

interface AuditEntry {
  readonly action: string
  readonly project_id: string | null
  readonly resource_name: string
  readonly diff: Readonly<Record<string, { readonly before: unknown; readonly after: unknown }>>
}

const EVENT_NAMES: readonly EventName[] = ['review.created', 'review.approved', 'review.changes_requested', 'review.rejected']
const RULES = (id: number): string =>
  `<group name="vpn,">\n  <rule id="${id}" level="3">\n    <decoded_as>vpn</decoded_as>\n    <description>VPN</description>\n  </rule>\n</group>\n`

const collectionOf = (projectId: string): string => `/platform/projects/${projectId}/reviews`
const pathOf = ({ id, project_id }: Pick<ReviewRecord, 'id' | 'project_id'>): string => `${collectionOf(project_id)}/${id}`
const scopeOf = (app: TestApp, { organizationId }: Actor): Scope => new Tenancy(app.service.storage).of(organizationId)
const decide = ({ client }: Actor, review: ReviewRecord, status: ReviewDecision, more: object = {}) => client.patch<ReviewRecord>(pathOf(review), { status, ...more })
const edit = async ({ client }: Actor, { id, project_id }: WorkspaceRecord, rules_xml: string): Promise<void> =>
  assert.equal((await client.patch(`/platform/projects/${project_id}/workspaces/${id}`, { rules_xml })).status, 200)
describe(`reviews, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let listener: Listener
  let admin: Actor
  let engineer: Actor
  let reviewer: Actor
  let reader: Actor
  let project: ProjectRecord
  let workspace: WorkspaceRecord

  before(async () => {
    app = await startTestApp({ env: SIGNUP })
    admin = await bootstrap(app.client)
    // Before the first event: a later subscription may take most of a second to be used.
    listener = await listen(app, admin, EVENT_NAMES)
    engineer = await addMember(admin, 'engineer')
    reviewer = await addMember(admin, 'reviewer')
    reader = await addMember(admin, 'read_only')
    project = await createProject(admin)
    workspace = await openWorkspace(engineer, project.id)
  })
  after(() => app?.close())

  const auditOf = async (id: string): Promise<AuditEntry[]> => (await admin.client.get<AuditEntry[]>(`/platform/audit?resource_id=${id}`)).body
  /** Returns the notifications of an actor about a review, the latest first. */
  const toldOf = async (review: ReviewRecord, { client }: Actor): Promise<string[]> => {
    await allTold(app.service.storage)
    const { body } = await client.get<{ items: { kind: string; title: string; body: string; link: string | null }[] }>('/notifications?limit=200')
    return body.items.filter(({ link }) => link === pathOf(review)).map(({ kind, title, body }) => `${kind}: ${title}: ${body}`)
  }

  test('can be created with a title and a workspace', async () => {
    const { status, body, headers } = await engineer.client.post<ReviewRecord>(collectionOf(project.id), { title: '  First ', workspace_id: workspace.id })
    assert.equal(status, 200)
    const { id, created_at, updated_at, content_hash, ...rest } = body
    assert.deepEqual(rest, {
      project_id: project.id,
      workspace_id: workspace.id,
      title: 'First',
      notes: '',
      status: 'open',
      reviewer_ids: [],
      created_by: engineer.userId,
      created_by_type: 'user',
      created_by_name: 'engineer',
      decided_by: null,
      decided_by_name: null,
      decided_at: null,
      decided_content_hash: null,
      is_stale: false,
      is_final: false,
      comment_count: 0,
    })
    assert.equal(created_at, updated_at)
    assert.match(content_hash, /^[0-9a-f]{64}$/)
    const shown = await reader.client.get<ReviewRecord>(pathOf(body))
    assert.deepEqual(shown.body, body)
    assert.equal(shown.headers.get('etag'), headers.get('etag'))
    const [entry] = await auditOf(id)
    assert.deepEqual([entry.action, entry.project_id, entry.resource_name], ['review.created', project.id, 'First'])
    assert.deepEqual(await toldOf(body, engineer), [])
  })

  test('refuse invalid requests', async () => {
    const own = { title: 'x', workspace_id: workspace.id }
    const wrong = [
      { title: 'x' },
      { workspace_id: workspace.id },
      { ...own, title: '' },
      { ...own, title: 'x'.repeat(121) },
      { ...own, notes: 'x'.repeat(10_001) },
      { ...own, status: 'approved' },
      { ...own, reviewer_ids: [reviewer.userId, reviewer.userId] },
      { ...own, reviewer_ids: Array.from({ length: REVIEWERS_LIMIT + 1 }, (_, at) => `user-${at}`) },
    ]
    for (const body of wrong) refused(await engineer.client.post(collectionOf(project.id), body), 422, 'request_validation_failed')
    const review = await openReview(engineer, workspace)
    for (const body of [{}, { status: 'open' }, { status: 'merged' }, { notes: 'x' }, { status: 'approved', comment: '' }, { status: 'approved', title: 'x' }])
      refused(await reviewer.client.patch(pathOf(review), body), 422, 'request_validation_failed')
  })

  test('accept as reviewers only members who may approve', async () => {
    const open = (...reviewer_ids: string[]) => engineer.client.post<ReviewRecord>(collectionOf(project.id), { title: 'x', workspace_id: workspace.id, reviewer_ids })
    assert.deepEqual((await open(reviewer.userId, admin.userId)).body.reviewer_ids, [reviewer.userId, admin.userId])
    const refusal = refused(await open(reviewer.userId, reader.userId, engineer.userId), 422, 'request_validation_failed')
    assert.deepEqual(
      (refusal.details.errors as { path: string; message: string }[]).map(({ path, message }) => [path, message]),
      [
        ['/reviewer_ids/1', 'names someone who lacks the permission review:approve'],
        ['/reviewer_ids/2', 'names someone who lacks the permission review:approve'],
      ],
    )
    const stranger = await register(app.client, 'reviewing-elsewhere')
    refused(await open(stranger.userId), 404, 'not_found')
    refused(await open('nobody'), 404, 'not_found')
    const members = `/platform/projects/${project.id}/members`
    assert.equal((await admin.client.post(`${members}/assign`, { user_id: reader.userId, role: 'reviewer' })).status, 200)
    assert.equal((await open(reader.userId)).status, 200)
    const [{ id }] = (await admin.client.get<{ id: string }[]>(`${members}?user_id=${reader.userId}`)).body
    assert.equal((await admin.client.delete(`${members}/${id}`)).status, 204)
    refused(await open(reader.userId), 422, 'request_validation_failed')
    const away = await addMember(admin, 'reviewer', 'away@example.test')
    assert.equal((await admin.client.patch(`/platform/admin/users/${away.userId}`, { is_active: false })).status, 200)
    refused(await open(away.userId), 422, 'request_validation_failed')
  })

  test('need an open workspace of the project', async () => {
    const sibling = await createProject(admin)
    const theirs = await openWorkspace(admin, sibling.id)
    refused(await engineer.client.post(collectionOf(project.id), { title: 'x', workspace_id: theirs.id }), 404, 'not_found')
    refused(await engineer.client.post(collectionOf(project.id), { title: 'x', workspace_id: 'nobodys' }), 404, 'not_found')
    assert.equal((await admin.client.patch(`/platform/projects/${sibling.id}/workspaces/${theirs.id}`, { status: 'closed' })).status, 200)
    refused(await engineer.client.post(collectionOf(sibling.id), { title: 'x', workspace_id: theirs.id }), 409, 'conflict')
  })

  test('change their status only as the table of transitions allows', async () => {
    const review = async (status: ReviewStatus): Promise<ReviewRecord> => {
      const made = await openReview(engineer, workspace)
      return status === 'open' ? made : (await decide(admin, made, status)).body
    }
    for (const from of REVIEW_STATUSES) {
      for (const to of REVIEW_STATUSES) {
        const made = await review(from)
        assert.equal(made.status, from)
        const answer = await reviewer.client.patch<ReviewRecord>(pathOf(made), { status: to })
        const after = (await reader.client.get<ReviewRecord>(pathOf(made))).body
        if (to in REVIEW_TRANSITIONS[from]) {
          assert.equal(answer.status, 200, `${from} to ${to}: ${answer.text}`)
          assert.deepEqual([after.status, after.decided_by, after.decided_by_name], [to, reviewer.userId, 'reviewer'])
          assert.deepEqual(after, answer.body)
        } else {
          // `open` is not a decision, so it is refused by the schema.
          assert.equal(answer.status, to === 'open' ? 422 : 409, `${from} to ${to}: ${answer.text}`)
          assert.deepEqual(after, made)
        }
      }
    }
  })

  test('accept no decision after their workspace was published', async () => {
    const own = await openWorkspace(engineer, project.id, { rules_xml: '' })
    const decided = REVIEW_DECISIONS.filter((status) => status !== 'closed')
    const reviews = await Promise.all(decided.map(() => openReview(engineer, own)))
    for (const [at, status] of decided.entries()) assert.equal((await decide(admin, reviews[at], status)).status, 200)
    const undecided = await openReview(engineer, own)
    const versions = `/platform/projects/${project.id}/versions`
    const made = await admin.client.post<{ id: string }>(versions, { name: '1.0', source_workspace_id: own.id })
    const publication = await admin.client.post<{ published: boolean }>(`${versions}/${made.body.id}/publish`)
    assert.equal(publication.body.published, true, publication.text)
    for (const [at, status] of decided.entries()) {
      const before = (await reader.client.get<ReviewRecord>(pathOf(reviews[at]))).body
      assert.deepEqual([before.status, before.is_final], [status, true])
      for (const to of REVIEW_DECISIONS) refused(await decide(reviewer, reviews[at], to), 409, 'conflict')
      refused(await engineer.client.post(`${pathOf(reviews[at])}/close`), 409, 'conflict')
      assert.deepEqual((await reader.client.get<ReviewRecord>(pathOf(reviews[at]))).body, before)
    }
    // This review is undecided, so it is not final.
    assert.equal((await decide(reviewer, undecided, 'rejected')).status, 200)
  })

  test('keep the hash of the decided content, and show when it has changed since', async () => {
    const own = await openWorkspace(engineer, project.id)
    const review = await openReview(engineer, own, { notes: 'look at the level' })
    const approved = (await decide(reviewer, review, 'approved', { notes: 'level is fine' })).body
    assert.equal(approved.decided_content_hash, approved.content_hash)
    assert.equal(approved.notes, 'level is fine')
    assert.deepEqual([approved.is_stale, approved.is_final], [false, false])
    const renamed = await engineer.client.patch(`/platform/projects/${project.id}/workspaces/${own.id}`, { name: 'Other name', event_text: 'other event' })
    assert.equal(renamed.status, 200)
    assert.equal((await reader.client.get<ReviewRecord>(pathOf(review))).body.is_stale, false)
    await edit(engineer, own, RULES(100300))
    const stale = (await reader.client.get<ReviewRecord>(pathOf(review))).body
    assert.deepEqual([stale.is_stale, stale.status, stale.decided_content_hash], [true, 'approved', approved.decided_content_hash])
    assert.notEqual(stale.content_hash, approved.content_hash)
    const again = (await decide(reviewer, review, 'approved')).body
    assert.deepEqual([again.is_stale, again.decided_content_hash], [false, stale.content_hash])
    const [{ action, diff }] = await auditOf(review.id)
    assert.equal(action, 'review.updated')
    assert.deepEqual(diff, { decided_content_hash: { before: approved.decided_content_hash, after: stale.content_hash } })
  })

  test('do not change when a decision is repeated', async () => {
    const review = await openReview(engineer, workspace)
    const first = await decide(reviewer, review, 'rejected')
    const second = await decide(reviewer, review, 'rejected')
    assert.deepEqual(second.body, first.body)
    assert.equal((await auditOf(review.id)).length, 2)
    const other = await decide(admin, review, 'rejected')
    assert.equal(other.body.decided_by, admin.userId)
  })

  test('check If-Match of a decision against the review and its content', async () => {
    const own = await openWorkspace(engineer, project.id)
    const review = await openReview(engineer, own)
    const tagOf = async (): Promise<string> => (await reviewer.client.get(pathOf(review))).headers.get('etag')!
    const patch = (tag: string, status: ReviewDecision = 'approved') =>
      reviewer.client.call<ReviewRecord>('PATCH', pathOf(review), { body: { status }, headers: { 'If-Match': tag } })
    const seen = await tagOf()
    await edit(engineer, own, RULES(100300))
    refused(await patch(seen), 412, 'precondition_failed')
    const current = await tagOf()
    refused(await patch(`${seen}, W/${current}`), 412, 'precondition_failed')
    assert.equal((await reader.client.get(pathOf(review), { headers: { 'If-None-Match': seen } })).status, 200)
    assert.equal((await reader.client.get(pathOf(review), { headers: { 'If-None-Match': current } })).status, 304)
    assert.equal((await engineer.client.post(`${pathOf(review)}/comments`, { body: 'no reason to fail' })).status, 200)
    assert.notEqual(await tagOf(), current)
    const done = await patch(`${seen}, ${current}`)
    assert.equal(done.status, 200)
    assert.equal(done.headers.get('etag'), await tagOf())
    refused(await patch(current, 'rejected'), 412, 'precondition_failed')
    const tag = await tagOf()
    const together = await Promise.all((['rejected', 'changes_requested', 'closed'] as const).map((status) => patch(tag, status)))
    assert.deepEqual(together.map(({ status }) => status).sort(), [200, 412, 412])
  })

  test('can be decided by callers who may approve, except by their author', async () => {
    const lead = await addMember(admin, 'security_content_lead')
    const review = await openReview(lead, workspace)
    for (const { client } of [engineer, reader]) refused(await client.patch(pathOf(review), { status: 'approved' }), 403, 'forbidden')
    for (const status of ['approved', 'changes_requested', 'rejected'] as const) {
      const { message } = refused(await decide(lead, review, status), 403, 'forbidden')
      assert.equal(message, "You can't decide a review that you opened.")
    }
    assert.equal((await reader.client.get<ReviewRecord>(pathOf(review))).body.status, 'open')
    for (const actor of [admin, reviewer]) assert.equal((await decide(actor, review, 'approved')).status, 200)
    assert.equal((await decide(lead, review, 'closed')).body.status, 'closed')
    const mine = await openReview(admin, workspace)
    refused(await decide(admin, mine, 'approved'), 403, 'forbidden')
  })

  test('can be decided by their author in an organization of one active member', async () => {
    const alone = await register(app.client, 'alone')
    const own = await createProject(alone)
    const space = await openWorkspace(alone, own.id)
    const approve = async () => decide(alone, await openReview(alone, space, { reviewer_ids: [alone.userId] }), 'approved')
    assert.equal((await approve()).body.status, 'approved')
    const second = await addMember(alone, 'read_only', 'second@example.test')
    refused(await approve(), 403, 'forbidden')
    assert.equal((await admin.client.patch(`/platform/admin/users/${second.userId}`, { is_active: false })).status, 200)
    assert.equal((await approve()).status, 200)
  })

  test('can be created by keys with the scope, and decided by keys with all scopes, except by their author', async () => {
    const writer = await createKey(admin, ['reviews:write'], 'CI')
    const opened = await writer.client.post<ReviewRecord>(collectionOf(project.id), { title: 'By a program', workspace_id: workspace.id })
    assert.deepEqual([opened.body.created_by, opened.body.created_by_type, opened.body.created_by_name], [writer.id, 'api_key', 'CI'])
    refused(await writer.client.patch(pathOf(opened.body), { status: 'approved' }), 403, 'forbidden')
    assert.equal((await decide(reviewer, opened.body, 'approved')).status, 200)
    const all = await createKey(admin, ['admin:*'], 'Everything')
    const own = await all.client.post<ReviewRecord>(collectionOf(project.id), { title: 'x', workspace_id: workspace.id })
    refused(await all.client.patch(pathOf(own.body), { status: 'approved' }), 403, 'forbidden')
    const decided = await all.client.patch<ReviewRecord>(pathOf(await openReview(engineer, workspace)), { status: 'rejected' })
    assert.deepEqual([decided.body.decided_by, decided.body.decided_by_name], [all.id, 'Everything'])
  })

  test('cannot be decided by a user whose key created them, nor with a key of the user who created them', async () => {
    const other = await addMember(admin, 'org_admin', 'other-admin@example.test')
    const writer = await createKey(admin, ['reviews:write'], 'Mine')
    const [all, theirs] = [await createKey(admin, ['admin:*'], 'All mine'), await createKey(other, ['admin:*'], 'Theirs')]
    // The owner of a key that a key created is the owner of the first key.
    const handed = await createKey({ ...admin, client: all.client }, ['admin:*'], 'Made by mine')
    const byKey = await writer.client.post<ReviewRecord>(collectionOf(project.id), { title: 'x', workspace_id: workspace.id })
    for (const client of [admin.client, all.client, handed.client]) refused(await client.patch(pathOf(byKey.body), { status: 'approved' }), 403, 'forbidden')
    const byUser = await openReview(admin, workspace)
    for (const client of [admin.client, all.client, handed.client]) refused(await client.patch(pathOf(byUser), { status: 'approved' }), 403, 'forbidden')
    assert.equal((await theirs.client.patch(pathOf(byKey.body), { status: 'approved' })).status, 200)
    assert.equal((await decide(other, byUser, 'approved')).status, 200)
    // The user who rotates a key becomes its owner.
    const rotated = await other.client.post<{ api_key: string }>(`/platform/organizations/${admin.organizationId}/api-keys/${all.id}/rotate`)
    const now = anonymous(admin.client).as({ key: rotated.body.api_key })
    assert.equal((await now.patch(pathOf(byUser), { status: 'rejected' })).status, 200)
    assert.equal((await admin.client.post<ReviewRecord>(`${pathOf(byKey.body)}/close`)).body.status, 'closed')
  })

  test('can be closed by their author, and by no other caller without the permission', async () => {
    const review = await openReview(engineer, workspace)
    for (const { client } of [admin, await addMember(admin, 'engineer', 'engineer2@example.test')]) refused(await client.post(`${pathOf(review)}/close`), 403, 'forbidden')
    refused(await reviewer.client.post(`${pathOf(review)}/close`), 403, 'forbidden')
    refused(await engineer.client.call('POST', `${pathOf(review)}/close`, { headers: { 'If-Match': '"9-0.0"' } }), 412, 'precondition_failed')
    const closed = await engineer.client.post<ReviewRecord>(`${pathOf(review)}/close`)
    assert.deepEqual([closed.body.status, closed.body.is_final, closed.body.decided_by], ['closed', true, engineer.userId])
    refused(await engineer.client.post(`${pathOf(review)}/close`), 409, 'conflict')
    refused(await decide(reviewer, review, 'approved'), 409, 'conflict')
  })

  test('can be listed, sorted and filtered', async () => {
    const own = await createProject(admin)
    const one = await openWorkspace(engineer, own.id)
    const two = await openWorkspace(engineer, own.id)
    const made = [
      await openReview(engineer, one, { title: 'Beta', reviewer_ids: [reviewer.userId] }),
      await openReview(admin, two, { title: 'Alpha', reviewer_ids: [reviewer.userId, admin.userId] }),
      await openReview(engineer, two, { title: 'Gamma' }),
    ]
    assert.equal((await decide(reviewer, made[0], 'approved')).status, 200)
    const list = async (query = '') => {
      const { status, body, headers } = await reader.client.get<ReviewRecord[]>(`${collectionOf(own.id)}${query}`)
      assert.equal(status, 200)
      assert.equal(headers.get('x-total-count'), String(query.includes('limit') ? 3 : body.length))
      return body.map(({ title }) => title)
    }
    assert.deepEqual(await list(), ['Gamma', 'Alpha', 'Beta'])
    assert.deepEqual(await list('?sort=title&order=asc'), ['Alpha', 'Beta', 'Gamma'])
    assert.deepEqual(await list('?sort=updated_at&limit=1'), ['Beta'])
    assert.deepEqual(await list('?status=approved'), ['Beta'])
    assert.deepEqual(await list(`?workspace_id=${two.id}&order=asc`), ['Alpha', 'Gamma'])
    assert.deepEqual(await list(`?reviewer_id=${reviewer.userId}&order=asc`), ['Beta', 'Alpha'])
    assert.deepEqual(await list(`?created_by=${engineer.userId}&status=open`), ['Gamma'])
    const [shown] = (await reader.client.get<ReviewRecord[]>(`${collectionOf(own.id)}?status=approved`)).body
    assert.deepEqual(shown, (await reader.client.get<ReviewRecord>(pathOf(made[0]))).body)
    refused(await reader.client.get(`${collectionOf(own.id)}?status=merged`), 422, 'request_validation_failed')
    refused(await reader.client.get(collectionOf('nobodys')), 404, 'not_found')
  })

  test('are missing in other projects and organizations', async () => {
    const review = await openReview(engineer, workspace)
    const sibling = await createProject(admin)
    const stranger = await register(app.client, 'review-strangers')
    const theirs = await createProject(stranger)
    const wrong: [Actor, string][] = [
      [admin, pathOf({ ...review, project_id: sibling.id })],
      [admin, pathOf({ ...review, id: 'nobodys' })],
      [stranger, pathOf(review)],
      [stranger, pathOf({ ...review, project_id: theirs.id })],
    ]
    for (const [{ client }, path] of wrong) {
      refused(await client.get(path), 404, 'not_found')
      refused(await client.patch(path, { status: 'approved' }), 404, 'not_found')
      refused(await client.post(`${path}/close`), 404, 'not_found')
      refused(await client.get(`${path}/comments`), 404, 'not_found')
      refused(await client.post(`${path}/comments`, { body: 'x' }), 404, 'not_found')
    }
    refused(await stranger.client.post(collectionOf(project.id), { title: 'x', workspace_id: workspace.id }), 404, 'not_found')
    refused(await stranger.client.post(collectionOf(theirs.id), { title: 'x', workspace_id: workspace.id }), 404, 'not_found')
  })

  test('have comments, listed with the oldest first', async () => {
    const review = await openReview(engineer, workspace)
    const path = `${pathOf(review)}/comments`
    for (const [actor, body] of [
      [reviewer, 'Why so low?'],
      [engineer, 'It is noise\nat night.'],
    ] as const) {
      const said = await actor.client.post<ReviewCommentRecord>(path, { body })
      assert.equal(said.status, 200)
      const { id, created_at, ...rest } = said.body
      assert.deepEqual(rest, { review_id: review.id, body, author_id: actor.userId, author_type: 'user', author_name: actor === reviewer ? 'reviewer' : 'engineer' })
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    const decided = await decide(reviewer, review, 'changes_requested', { comment: 'Then say so in the description.' })
    assert.equal(decided.body.comment_count, 3)
    const { body, headers } = await reader.client.get<ReviewCommentRecord[]>(path)
    assert.deepEqual(
      body.map((comment) => comment.body),
      ['Why so low?', 'It is noise\nat night.', 'Then say so in the description.'],
    )
    assert.equal(headers.get('x-total-count'), '3')
    assert.equal((await reader.client.get<ReviewCommentRecord[]>(`${path}?order=desc&limit=1`)).body[0].body, 'Then say so in the description.')
    assert.deepEqual((await auditOf(review.id)).map(({ action }) => action).sort(), ['review.commented', 'review.commented', 'review.created', 'review.updated'])
    refused(await reader.client.post(path, { body: 'x' }), 403, 'forbidden')
    for (const body of [{}, { body: '' }, { body: 'x'.repeat(10_001) }, { body: '\u0000' }, { body: 1 }])
      refused(await engineer.client.post(path, body), 422, 'request_validation_failed')
    assert.equal((await engineer.client.post(path, { body: 'x'.repeat(10_000) })).status, 200)
    assert.equal((await decide(admin, review, 'closed')).status, 200)
    assert.equal((await reviewer.client.post(path, { body: 'Once more: thanks.' })).status, 200)
    const key = await createKey(admin, ['reviews:write'], 'Linter')
    assert.equal((await key.client.post<ReviewCommentRecord>(path, { body: 'by a program' })).body.author_type, 'api_key')
  })

  test('notify the reviewers of the creation, and the author of the decision', async () => {
    const review = await openReview(engineer, workspace, { title: 'Told', reviewer_ids: [reviewer.userId, admin.userId] })
    const asked = `review.created: Review requested: Told: ${engineer.email} opened a review in the project ${project.name}.`
    assert.deepEqual(await toldOf(review, reviewer), [asked])
    assert.deepEqual(await toldOf(review, admin), [asked])
    for (const status of ['changes_requested', 'approved', 'rejected', 'closed'] as const) {
      assert.equal((await decide(reviewer, review, status)).status, 200)
      const [latest] = await toldOf(review, engineer)
      assert.ok(latest.startsWith(`review.${status}: `) && latest.includes(`Told: ${reviewer.email} `), latest)
    }
    assert.equal((await reviewer.client.post(`${pathOf(review)}/comments`, { body: 'x' })).status, 200)
    const commented = `review.commented: New comment: Told: ${reviewer.email} commented on the review in the project ${project.name}.`
    const [latest, ...others] = await toldOf(review, engineer)
    assert.deepEqual([latest, others.length], [commented, 4])
    assert.deepEqual(await toldOf(review, admin), [commented, asked])
    // Callers are not notified of their own changes, and other members are not notified.
    assert.deepEqual(await toldOf(review, reviewer), [asked])
    assert.deepEqual(await toldOf(review, reader), [])
    const own = await openReview(admin, workspace, { reviewer_ids: [admin.userId] })
    assert.equal((await decide(admin, own, 'closed')).status, 200)
    assert.deepEqual(await toldOf(own, admin), [])
  })

  test('without reviewers notify every member who may approve, by either role, but the author', async () => {
    const second = await addMember(admin, 'reviewer', 'approver@example.test')
    const inProject = await addMember(admin, 'engineer', 'approver-in-project@example.test')
    const elsewhere = await addMember(admin, 'engineer', 'approver-elsewhere@example.test')
    const assign = (id: string, { userId }: Actor) => admin.client.post(`/platform/projects/${id}/members/assign`, { user_id: userId, role: 'reviewer' })
    for (const [id, actor] of [
      [project.id, inProject],
      [project.id, second],
      [(await createProject(admin)).id, elsewhere],
    ] as const)
      assert.equal((await assign(id, actor)).status, 200)
    const asked = (author: string, title: string) => [`review.created: Review requested: ${title}: ${author} opened a review in the project ${project.name}.`]
    const unassigned = await openReview(engineer, workspace, { title: 'For anyone' })
    for (const actor of [admin, reviewer, second, inProject]) assert.deepEqual(await toldOf(unassigned, actor), asked(engineer.email, 'For anyone'), actor.email)
    for (const actor of [engineer, elsewhere, reader]) assert.deepEqual(await toldOf(unassigned, actor), [], actor.email)
    // An author who may approve, in person and with a key.
    const own = await openReview(inProject, workspace, { title: 'By an approver' })
    assert.deepEqual(await toldOf(own, inProject), [])
    assert.deepEqual(await toldOf(own, second), asked(inProject.email, 'By an approver'))
    const key = await createKey(admin, ['reviews:write'], 'Pipeline')
    const { body: byKey } = await key.client.post<ReviewRecord>(collectionOf(project.id), { title: 'By a key', workspace_id: workspace.id })
    assert.deepEqual(await toldOf(byKey, admin), [])
    assert.deepEqual(await toldOf(byKey, reviewer), asked('Pipeline', 'By a key'))
  })

  test('emit an event for the creation and each decision, but not for closing', async () => {
    const review = await openReview(engineer, workspace, { title: 'Heard', reviewer_ids: [reviewer.userId] })
    for (const status of ['approved', 'changes_requested', 'rejected', 'closed'] as const) assert.equal((await decide(reviewer, review, status)).status, 200)
    refused(await decide(reviewer, review, 'approved'), 409, 'conflict')
    const heard: Heard[] = []
    const own = () => heard.filter(({ data }) => (data as { review_id: string }).review_id === review.id)
    while (own().length < EVENT_NAMES.length) heard.push(...(await listener.next(1)))
    assert.deepEqual(
      own()
        .map(({ type }) => type)
        .sort(),
      [...EVENT_NAMES].sort(),
    )
    for (const { type: name, data: payload } of own()) {
      assert.deepEqual(payload, {
        project_id: project.id,
        project_name: project.name,
        review_id: review.id,
        title: 'Heard',
        status: name === 'review.created' ? 'open' : name.slice('review.'.length),
        workspace_id: workspace.id,
        actor_id: name === 'review.created' ? engineer.userId : reviewer.userId,
        reviewer_ids: [reviewer.userId],
      })
    }
  })
})

for (const store of ALL_STORES) {
  describe(`concurrent calls about reviews, ${store.name}`, { skip: store.skip }, () => {
    test('the later of two decisions counts, and each is announced once', () =>
      withApp({ store }, async (app) => {
        const admin = await bootstrap(app.client)
        const deciders = [
          await addMember(admin, 'reviewer', 'a@example.test'),
          await addMember(admin, 'reviewer', 'b@example.test'),
          await addMember(admin, 'reviewer', 'c@example.test'),
        ]
        const project = await createProject(admin)
        const workspace = await openWorkspace(admin, project.id)
        const review = await openReview(admin, workspace)
        const statuses = ['approved', 'rejected', 'changes_requested'] as const
        const answers = await Promise.all(deciders.map((actor, at) => decide(actor, review, statuses[at], { comment: statuses[at] })))
        for (const answer of answers) assert.equal(answer.status, 200, answer.text)
        const { body } = await admin.client.get<ReviewRecord>(pathOf(review))
        assert.equal(body.comment_count, 3)
        assert.equal(body.decided_by, deciders[statuses.indexOf(body.status as (typeof statuses)[number])].userId)
        assert.equal((await scopeOf(app, admin).collection(REVIEWS).findOne({ _id: review.id }))?.revision, 4)
        const audit = await admin.client.get<AuditEntry[]>(`/platform/audit?resource_id=${review.id}&action=review.updated&order=asc`)
        assert.equal(audit.body.length, 3)
        // Each decision saw the result of the one before.
        const steps = audit.body.map(({ diff }) => diff.status)
        const befores = steps.map((step) => step.before)
        assert.deepEqual(befores.filter((status) => status === 'open').length, 1)
        assert.deepEqual([...befores, body.status].sort(), ['open', ...steps.map((step) => step.after)].sort())
      }))

    test('a review is closed once, and cannot be decided afterwards', () =>
      withApp({ store }, async (app) => {
        const admin = await bootstrap(app.client)
        const reviewer = await addMember(admin, 'reviewer')
        const project = await createProject(admin)
        const workspace = await openWorkspace(admin, project.id)
        const review = await openReview(admin, workspace)
        const answers = await Promise.all([
          decide(reviewer, review, 'closed'),
          admin.client.post(`${pathOf(review)}/close`),
          decide(reviewer, review, 'closed'),
          admin.client.post(`${pathOf(review)}/close`),
        ])
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409])
      }))

    test('a decision and an edit of the workspace are ordered', () =>
      withApp({ store }, async (app) => {
        const admin = await bootstrap(app.client)
        const reviewer = await addMember(admin, 'reviewer')
        const project = await createProject(admin)
        const workspace = await openWorkspace(admin, project.id)
        const review = await openReview(admin, workspace)
        for (let round = 0; round < 6; round++) {
          const seen = await admin.client.get<ReviewRecord>(pathOf(review))
          const headers = round % 2 === 0 ? {} : { 'If-Match': seen.headers.get('etag')! }
          const [decided] = await Promise.all([
            reviewer.client.call<ReviewRecord>('PATCH', pathOf(review), { body: { status: round % 3 === 0 ? 'approved' : 'rejected' }, headers }),
            edit(admin, workspace, RULES(100300 + round)),
          ])
          const { body } = await admin.client.get<ReviewRecord>(pathOf(review))
          assert.notEqual(body.content_hash, seen.body.content_hash)
          if (round % 2 === 1 && decided.status === 412) {
            assert.equal(body.decided_content_hash, seen.body.decided_content_hash)
            continue
          }
          assert.equal(decided.status, 200, decided.text)
          const known = round % 2 === 0 ? [seen.body.content_hash, body.content_hash] : [seen.body.content_hash]
          assert.ok(known.includes(body.decided_content_hash!), 'the decided content never existed')
          assert.equal(body.is_stale, body.decided_content_hash !== body.content_hash)
        }
      }))

    test('a decision does not apply to content that was edited after it was read', () =>
      withApp({ store }, async (app) => {
        const admin = await bootstrap(app.client)
        const reviewer = await addMember(admin, 'reviewer')
        const project = await createProject(admin)
        const workspace = await openWorkspace(admin, project.id)
        const review = await openReview(admin, workspace)
        const { storage } = app.service
        const scope = scopeOf(app, admin)
        // Subscriptions are read between the reading of the content and the commit.
        let between = async (): Promise<void> => undefined
        const service = new ReviewsService({
          people: new People(new Users(storage, []), new Memberships(storage)),
          announcements: new Announcements({ emitting: () => between().then(() => []) }, { notifying: () => [] }, { approversByProject: async () => [] }),
          onDeciding: async () => [],
          clock: Date.now,
        })
        const actor = { principal: { kind: 'user', userId: reviewer.userId, email: reviewer.email } as UserPrincipal, requestId: 'r', address: '::1', locale: 'en-US' } as const
        const editOnce = (id: number): void => {
          between = async () => {
            between = async () => undefined
            await edit(admin, workspace, RULES(id))
          }
        }
        const before = await service.get(scope, project.id, review.id)
        editOnce(100400)
        await assert.rejects(service.decide(scope, project.id, review.id, { status: 'approved' }, [reviewEtag(before)], actor), new ApiError('precondition_failed'))
        const untouched = await service.get(scope, project.id, review.id)
        assert.deepEqual(untouched.review, before.review)
        editOnce(100401)
        const decided = await service.decide(scope, project.id, review.id, { status: 'approved' }, null, actor)
        const { body } = await admin.client.get<ReviewRecord>(pathOf(review))
        assert.notEqual(body.content_hash, untouched.workspace?.content_hash)
        assert.equal(decided.review.decided_content_hash, body.content_hash)
        assert.deepEqual([body.status, body.is_stale], ['approved', false])
      }))

    test('a review does not exceed the limit of comments', () =>
      withApp({ store }, async (app) => {
        const admin = await bootstrap(app.client)
        const reviewer = await addMember(admin, 'reviewer')
        const project = await createProject(admin)
        const workspace = await openWorkspace(admin, project.id)
        const review = await openReview(admin, workspace)
        const reviews = scopeOf(app, admin).collection(REVIEWS)
        await reviews.update({ _id: review.id }, { set: { comment_count: COMMENTS_LIMIT - 3 } })
        const said = await Promise.all([1, 2, 3, 4, 5].map((at) => admin.client.post(`${pathOf(review)}/comments`, { body: String(at) })))
        assert.deepEqual(said.map(({ status }) => status).sort(), [200, 200, 200, 409, 409])
        assert.equal((await reviews.findOne({ _id: review.id }))?.comment_count, COMMENTS_LIMIT)
        assert.equal((await admin.client.get<ReviewCommentRecord[]>(`${pathOf(review)}/comments`)).headers.get('x-total-count'), '3')
        refused(await decide(reviewer, review, 'rejected', { comment: 'one too many' }), 409, 'conflict')
        assert.equal((await decide(reviewer, review, 'rejected')).status, 200)
      }))
  })
}
