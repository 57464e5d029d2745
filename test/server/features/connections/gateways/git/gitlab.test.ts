/** What GitLab alone has: its error bodies, pages that do not end, odd paths, comments of others, and its webhooks. The contract is tested in contract.test.ts. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ApiError } from '../../../../../../server/core/errors.js'
import type { GitGateway } from '../../../../../../server/features/connections/gateways/git/gateway.js'
import { openGitLab } from '../../../../../../server/features/connections/gateways/git/gitlab.js'
import { gitlabWebhooks } from '../../../../../../server/features/connections/gateways/git/gitlab-webhooks.js'
import { HttpClient } from '../../../../../../server/core/egress/client.js'
import { EgressGuard } from '../../../../../../server/core/egress/egress-guard.js'
import type { ProviderFailure } from '../../../../../../server/core/egress/provider-error.js'
import { addNote, type GitLabAnswer, GitLabFake, PERSON } from '../../../../../support/git/gitlab-fake.js'
import { push } from '../../../../../support/git/gitlab-store.js'
import { READER } from '../../../../../support/reader.js'

const NOW = Date.UTC(2026, 10, 23, 9, 0, 0)
const never = (): AbortSignal => new AbortController().signal

describe('GitLab', () => {
  let fake: GitLabFake
  let gateway: GitGateway
  const http = new HttpClient(new EgressGuard({ allowPrivateTargets: true }))
  const open = (organization: string | null = null, baseUrl = fake.url) =>
    openGitLab({ baseUrl, organization, credentials: { kind: 'token', token: fake.token } }, { http, reader: READER, clock: () => NOW })

  before(async () => {
    fake = await new GitLabFake().start()
    gateway = open()
  })
  after(async () => {
    http.close()
    await fake.close()
  })

  const errors: readonly (readonly [string, GitLabAnswer, ProviderFailure, Readonly<Record<string, unknown>>])[] = [
    [
      'an expired token',
      { status: 401, body: { error: 'invalid_token', error_description: 'Token is expired. You can either do re-authorization or token refresh.' } },
      'credentials_refused',
      { provider_message: 'Token is expired. You can either do re-authorization or token refresh.' },
    ],
    [
      'a missing scope',
      { status: 403, body: { error: 'insufficient_scope', error_description: 'The request requires higher privileges than provided by the access token.', scope: 'api read_api' } },
      'scope_missing',
      { scopes: ['api', 'read_api'] },
    ],
    ['a missing right', { status: 403, body: { message: '403 Forbidden' } }, 'scope_missing', { scopes: [] }],
    ['a missing project', { status: 404, body: { message: '404 Project Not Found' } }, 'not_found', { what: 'repository' }],
    ['a missing branch', { status: 404, body: { message: '404 Branch Not Found' } }, 'not_found', { what: 'branch' }],
    ['a missing endpoint', { status: 404, body: { error: '404 Not Found' } }, 'not_found', { what: 'resource' }],
    ['a protected branch', { status: 400, body: { message: 'You are not allowed to push into this branch' } }, 'branch_protected', {}],
    ['a hook that refuses a push', { status: 400, body: { message: 'GitLab: You are not allowed to push code to protected branches on this project.' } }, 'branch_protected', {}],
    [
      'a conflict',
      { status: 409, body: { message: ['Another open merge request already exists'] } },
      'refused',
      { status: 409, provider_message: 'Another open merge request already exists' },
    ],
    ['an invalid field', { status: 400, body: { message: { title: ['is too long', 'is odd'] } } }, 'refused', { status: 400, provider_message: 'title: is too long, is odd' }],
    [
      'a rate limit with its reset',
      { status: 429, text: 'Retry later\n', headers: { 'RateLimit-Limit': '600', 'RateLimit-Remaining': '0', 'RateLimit-Reset': String(NOW / 1000 + 42) } },
      'rate_limited',
      { retry_at: new Date(NOW + 42_000).toISOString() },
    ],
    [
      'a rate limit of the application',
      { status: 429, body: { message: { error: 'This endpoint has been requested too many times. Try again later.' } }, headers: { 'Retry-After': '7' } },
      'rate_limited',
      { retry_at: new Date(NOW + 7_000).toISOString() },
    ],
    ['a rate limit for ever', { status: 429, headers: { 'Retry-After': '99999999999' } }, 'rate_limited', { retry_at: new Date(NOW + 86_400_000).toISOString() }],
    ['a failure', { status: 500, body: { message: '500 Internal Server Error' } }, 'unavailable', { failure: 'server_error', status: 500 }],
    ['a sign-in page', { status: 302, headers: { location: '/users/sign_in' } }, 'redirect_refused', {}],
  ]
  for (const [name, answer, failure, details] of errors) {
    test(`${name} is ${failure}`, async () => {
      fake.instead.push(answer)
      await assert.rejects(gateway.getBranch('group/content', 'main', never()), (error: ApiError) => {
        assert.equal(error.reason, `provider_${failure}`)
        assert.deepEqual({ ...error.details, ...details }, error.details)
        return true
      })
    })
  }

  test('a repeated pending status is done already, another refusal of a status is told', async () => {
    const { path, commits } = fake.createProject()
    push(fake.project(path), 'main', { files: { a: 'a' } })
    const [sha] = commits.keys()
    const status = { state: 'pending', context: 'c', description: 'd', url: null } as const
    await gateway.reviews!.setStatus(path, sha, status, never())
    await gateway.reviews!.setStatus(path, sha, status, never())
    fake.instead.push({ status: 400, body: { message: { target_url: ['is blocked'] } } })
    await assert.rejects(gateway.reviews!.setStatus(path, sha, status, never()), { reason: 'provider_refused' })
  })

  test('a page that always has a next one ends', async () => {
    const project = fake.createProject()
    push(project, 'main', { files: { a: 'a' } })
    let calls = 0
    const endless = {
      async send() {
        calls += 1
        return { status: 200, headers: { link: `<${fake.url}/api/v4/x?page_token=${calls}>; rel="next"` }, body: Buffer.from('[]') }
      },
    }
    const opened = openGitLab({ baseUrl: fake.url, organization: null, credentials: { kind: 'none' } }, { http: endless, reader: READER, clock: Date.now })
    await assert.rejects(opened.listBranches(project.path, never()), { reason: 'provider_too_large' })
    assert.ok(calls < 2000)
  })

  test('a next page of another server is asked of this one', async () => {
    const project = fake.createProject()
    push(project, 'main', { files: { a: 'a' } })
    fake.instead.push({ body: [], headers: { link: '<http://169.254.169.254/latest?page=2&per_page=100>; rel="next"' } })
    fake.received.length = 0
    await gateway.listBranches(project.path, never())
    assert.equal(fake.received.length, 2)
  })

  test('a later page that is no list is malformed', async () => {
    fake.createProject()
    fake.instead.push({ body: [], headers: { link: `<${fake.url}/x?page=2&per_page=100>; rel="next"` } }, { body: { message: 'odd' } })
    await assert.rejects(gateway.listRepositories(never()), { reason: 'provider_unavailable' })
  })

  test('names cannot leave their endpoint', async () => {
    fake.received.length = 0
    for (const name of ['..', '.']) await assert.rejects(gateway.getBranch(name, 'main', never()), { reason: 'provider_not_found' })
    assert.deepEqual(fake.received, [])
    await assert.rejects(gateway.getBranch('../../admin?x=1#y', 'main', never()), { reason: 'provider_not_found' })
    assert.deepEqual(fake.received, ['GET /api/v4/projects/..%2F..%2Fadmin%3Fx%3D1%23y/repository/branches/main'])
  })

  test('an address with a path is kept', async () => {
    fake.received.length = 0
    await assert.rejects(open(null, `${fake.url}/git/lab`).getBranch('a/b', 'main', never()), { reason: 'provider_not_found' })
    assert.deepEqual(fake.received, ['GET /git/lab/api/v4/projects/a%2Fb/repository/branches/main'])
  })

  test('repositories of a group, and otherwise of a user, are listed', async () => {
    fake.createProject('detections/team/rules')
    assert.deepEqual(
      (await open('detections').listRepositories(never())).map(({ fullName }) => fullName),
      ['detections/team/rules'],
    )
    assert.equal((await open('person').listRepositories(never())).length, 1)
    await assert.rejects(open('nobody').listRepositories(never()), { reason: 'provider_not_found' })
  })

  test('the comment of another user with the marker is left alone', async () => {
    const project = fake.createProject()
    push(project, 'main', { files: { a: 'a' } })
    project.branches.set('proposal', project.branches.get('main')!)
    const { number } = await gateway.reviews!.openReview(project.path, { sourceBranch: 'proposal', targetBranch: 'main', title: 't', body: 'b' }, never())
    const [request] = project.mergeRequests
    addNote(request, PERSON, '<!-- m --> not ours')
    for (const text of ['one', 'two']) await gateway.reviews!.setComment(project.path, number, '<!-- m -->', `<!-- m --> ${text}`, never())
    assert.deepEqual(
      request.notes.map(({ body }) => body),
      ['<!-- m --> not ours', '<!-- m --> two'],
    )
  })

  test('content that is not that of the blob is refused', async () => {
    fake.instead.push({ text: 'a page of a proxy' })
    await assert.rejects(gateway.readFile('a/b', 'c', { path: 'p', kind: 'file', blobSha: 'a'.repeat(40), size: null }, never()), { reason: 'provider_unavailable' })
  })
})

describe('webhooks of GitLab', () => {
  const SHA = '82b3d5ae55f7080f1e6022629cdb57bfae7cccc7'
  const request = (body: unknown, headers: Readonly<Record<string, string>> = {}) => ({
    header: (name: string) => Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value]))[name.toLowerCase()],
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  })
  const pushHook = { 'X-Gitlab-Event': 'Push Hook' }
  const mergeHook = { 'X-Gitlab-Event': 'Merge Request Hook' }
  const pushed = (more: object = {}) => ({
    object_kind: 'push',
    event_name: 'push',
    before: '95790bf891e76fee5e1747ab589903a6a1f80f22',
    after: SHA,
    ref: 'refs/heads/feature/rules',
    project: { id: 15, path_with_namespace: 'group/sub/content' },
    commits: [],
    ...more,
  })
  const merging = (attributes: object, changes: object = {}) => ({
    object_kind: 'merge_request',
    changes,
    project: { id: 1, path_with_namespace: 'group/sub/content' },
    object_attributes: { id: 99, iid: 5, target_branch: 'main', source_branch: 'proposal', state: 'opened', last_commit: { id: SHA }, ...attributes },
  })
  const review = { kind: 'review', repository: 'group/sub/content', number: 5, sourceBranch: 'proposal', targetBranch: 'main', headSha: SHA }

  test('are authentic with the token of the binding alone', () => {
    for (const [token, expected] of [
      ['the secret', true],
      ['the secreT', false],
      ['the secret ', false],
      ['', false],
      [undefined, false],
    ] as const) {
      assert.equal(gitlabWebhooks.isAuthentic(request('{}', token === undefined ? {} : { 'X-Gitlab-Token': token }), 'the secret'), expected)
    }
  })

  test('have the same id when they are sent again', () => {
    assert.equal(gitlabWebhooks.deliveryId(request('{}', { 'Idempotency-Key': 'a', 'X-Gitlab-Event-UUID': 'b' })), 'a')
    assert.equal(gitlabWebhooks.deliveryId(request('{}', { 'X-Gitlab-Event-UUID': 'b' })), 'b')
    assert.equal(gitlabWebhooks.deliveryId(request('{}')), null)
  })

  for (const [name, body, headers, expected] of [
    ['a push', pushed(), pushHook, { kind: 'push', repository: 'group/sub/content', branch: 'feature/rules', headSha: SHA }],
    ['a deleted branch', pushed({ after: '0'.repeat(40), checkout_sha: null }), pushHook, { kind: 'ignored' }],
    ['a tag', pushed({ ref: 'refs/tags/v1' }), { 'X-Gitlab-Event': 'Tag Push Hook' }, { kind: 'ignored' }],
    ['a tag as a push', pushed({ ref: 'refs/tags/v1' }), pushHook, { kind: 'ignored' }],
    ['an opened request', merging({ action: 'open' }), mergeHook, review],
    ['a reopened request', merging({ action: 'reopen' }), mergeHook, review],
    ['a push to a request', merging({ action: 'update', oldrev: 'e59094b8de0f2f91abbe4760a52d9137260252d8' }), mergeHook, review],
    ['a changed title', merging({ action: 'update' }, { title: { previous: 'Old', current: 'New' } }), mergeHook, { kind: 'ignored' }],
    ['another target branch', merging({ action: 'update' }, { target_branch: { previous: 'old', current: 'main' } }), mergeHook, review],
    ['another target branch in an older version', merging({ action: 'update' }, { merge_status: { previous: 'can_be_merged', current: 'unchecked' } }), mergeHook, review],
    ['a change of a merged request', merging({ action: 'update', state: 'merged' }, { merge_status: { previous: 'a', current: 'b' } }), mergeHook, { kind: 'ignored' }],
    ['an approval', merging({ action: 'approved' }), mergeHook, { kind: 'ignored' }],
    ['a merge', merging({ action: 'merge' }), mergeHook, { kind: 'review_closed', repository: 'group/sub/content', number: 5, isMerged: true }],
    ['a closed request', merging({ action: 'close' }), mergeHook, { kind: 'review_closed', repository: 'group/sub/content', number: 5, isMerged: false }],
    ['a comment', {}, { 'X-Gitlab-Event': 'Note Hook' }, { kind: 'ignored' }],
    ['half a body', '{"ref":', pushHook, null],
    ['another shape', { ref: 1 }, pushHook, null],
    ['null', 'null', mergeHook, null],
  ] as const) {
    test(`${name} is read`, async () => assert.deepEqual(await gitlabWebhooks.parse(request(body, headers), READER), expected))
  }
})
