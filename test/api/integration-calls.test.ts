/** What integrations ask their providers over HTTP: the test, repositories and branches, and the capabilities. */
import assert from 'node:assert/strict'
import test, { after, before, describe } from 'node:test'
import type { CiGateway } from '../../server/features/connections/gateways/ci/gateway.js'
import { ProviderError } from '../../server/core/egress/provider-error.js'
import { INTEGRATIONS } from '../../server/features/connections/integrations/store.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { type Actor, anonymous, bootstrap, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { MemoryGit } from '../support/git/memory-git.js'
import { memoryOpeners } from '../support/git/openers.js'
import { type Receiver, startReceiver } from '../support/receiver.js'
import { refused, SIGNUP } from './steps.js'

const FORGE = { name: 'Forge', kind: 'git', provider: 'github', credentials: { token: 't' } }

interface Made {
  readonly id: string
}

describe('calls of providers', () => {
  let app: TestApp
  let admin: Actor
  let other: Actor
  let receiver: Receiver
  let ciFailure: Error | null = null
  const git = new MemoryGit()
  const ci = {
    async test() {
      if (ciFailure !== null) throw ciFailure
      return { account: 'content-bot' }
    },
  } as unknown as CiGateway

  const of = (): string => `/platform/organizations/${admin.organizationId}/integrations`
  const create = async (body: object = FORGE): Promise<string> => {
    const { status, body: made, text } = await admin.client.post<Made>(of(), body)
    assert.equal(status, 200, text)
    return `${of()}/${made.id}`
  }
  const audited = async (path: string) =>
    (await admin.client.get<{ action: string }[]>(`/platform/audit?resource_id=${path.split('/').at(-1)}&order=asc`)).body.map(({ action }) => action)

  before(async () => {
    app = await startTestApp({ env: { ...SIGNUP, NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true' }, openers: memoryOpeners(git, ci) })
    admin = await bootstrap(app.client)
    other = await register(app.client, 'other')
    receiver = await startReceiver()
    for (let number = 1; number <= 12; number++) git.createRepository(`team/repository-${number}`, { isPrivate: number % 2 === 0 })
    git.push('team/repository-1', 'main', { files: { 'a.xml': 'a' } })
    git.push('team/repository-1', 'release', { files: { 'a.xml': 'b' } })
    git.protectBranch('team/repository-1', 'main')
  })
  after(async () => {
    await app.close()
    await receiver.close()
  })

  test('a test of a forge counts its repositories and names ten', async () => {
    const path = await create()
    const { status, body } = await admin.client.post<{ repositories: string[] }>(`${path}/test`)
    assert.equal(status, 200)
    const { repositories, ...rest } = body
    assert.deepEqual(rest, { ok: true, checked: 'repositories', repository_count: 12, account: null })
    assert.equal(repositories.length, 10)
    assert.deepEqual(await audited(path), ['integration.created', 'integration.tested'])
  })

  test('a failed test is an error that says what to do, and is audited too', async () => {
    const path = await create()
    for (const [failure, status, code] of [
      ['credentials_refused', 400, 'provider_credentials_refused'],
      ['scope_missing', 400, 'provider_scope_missing'],
      ['unavailable', 502, 'provider_unavailable'],
      ['rate_limited', 503, 'provider_rate_limited'],
    ] as const) {
      git.failNext('listRepositories', failure)
      refused(await admin.client.post(`${path}/test`), status, code)
    }
    assert.equal((await audited(path)).filter((action) => action === 'integration.tested').length, 4)
  })

  test('a test of a CI system names the account', async () => {
    const path = await create({ name: 'CI', kind: 'ci', provider: 'jenkins', settings: { base_url: 'http://ci.example.test' }, credentials: { username: 'u', password: 'p' } })
    assert.deepEqual((await admin.client.post(`${path}/test`)).body, { ok: true, checked: 'account', repository_count: null, repositories: [], account: 'content-bot' })
    ciFailure = new ProviderError('credentials_refused', { provider: 'jenkins' })
    refused(await admin.client.post(`${path}/test`), 400, 'provider_credentials_refused')
  })

  test('a test of plain Git checks that its server answers', async () => {
    const path = await create({ ...FORGE, provider: 'git', settings: { base_url: receiver.origin } })
    for (const status of [200, 302, 401, 404]) {
      receiver.answers(status)
      const answer = await admin.client.post<{ checked: string; repository_count: null }>(`${path}/test`)
      assert.equal(answer.status, 200, answer.text + app.log.at(-2))
      assert.deepEqual([answer.body.checked, answer.body.repository_count], ['address', null])
    }
    assert.equal(receiver.received.at(-1)?.headers.authorization, undefined, 'the credential is not sent')
    receiver.answers(503)
    refused(await admin.client.post(`${path}/test`), 502, 'provider_unavailable')
    receiver.answers((_, response) => response.destroy())
    refused(await admin.client.post(`${path}/test`), 502, 'provider_unavailable')
  })

  test('repositories and branches are listed page by page', async () => {
    const path = await create()
    const all = (await admin.client.get<{ full_name: string }[]>(`${path}/repositories`)).body
    assert.equal(all.length, 12)
    assert.deepEqual(
      all.find(({ full_name }) => full_name === 'team/repository-1'),
      { full_name: 'team/repository-1', default_branch: 'main', private: false },
    )
    const page = await admin.client.get<{ full_name: string }[]>(`${path}/repositories?limit=5&offset=10`)
    assert.deepEqual([page.body, page.headers.get('x-total-count')], [all.slice(10), '12'])
    assert.match(page.headers.get('link') ?? '', /rel="prev"/)
    const branches = await admin.client.get<{ name: string; commit_sha: string; protected: boolean }[]>(`${path}/branches?repository=team/repository-1`)
    assert.deepEqual(branches.body.map(({ name, protected: isProtected }) => [name, isProtected]).sort(), [
      ['main', true],
      ['release', false],
    ])
    assert.match(branches.body[0].commit_sha, /^[0-9a-f]{40}$/)
    for (const query of ['', '?repository=', '?repository=a%0Ab', '?repository=a&limit=0'])
      refused(await admin.client.get(`${path}/branches${query}`), 422, 'request_validation_failed')
    refused(await admin.client.get(`${path}/branches?repository=team/none`), 400, 'provider_not_found')
  })

  test('only a Git integration has repositories', async () => {
    const path = await create({
      name: 'c',
      kind: 'messaging',
      provider: 'slack',
      settings: { events: ['publish.failed'] },
      credentials: { webhook_url: 'http://chat.example.test/' },
    })
    for (const list of ['repositories', 'branches?repository=a/b']) {
      const { message } = refused(await admin.client.get(`${path}/${list}`), 400, 'bad_request')
      assert.match(message, /git/)
    }
  })

  test('credentials that were moved to another integration or organization do not open', async () => {
    const paths = [await create(), await create()]
    const [first, second] = paths.map((path) => path.split('/').at(-1)!)
    const collection = new Tenancy(app.service.storage).of(admin.organizationId).collection(INTEGRATIONS)
    const { credentials } = (await collection.findOne({ _id: first }))!
    await collection.update({ _id: second }, { set: { credentials } })
    refused(await admin.client.post(`${paths[1]}/test`), 409, 'conflict')
    refused(await admin.client.get(`${paths[1]}/repositories`), 409, 'conflict')
    assert.equal((await admin.client.post(`${paths[0]}/test`)).status, 200)
    const { organization_id: _, ...document } = (await collection.findOne({ _id: first }))!
    await collection.delete({ _id: first })
    await new Tenancy(app.service.storage).of(other.organizationId).collection(INTEGRATIONS).insert(document)
    const theirs = `/platform/organizations/${other.organizationId}/integrations/${first}`
    assert.equal((await other.client.get(theirs)).status, 200)
    refused(await other.client.post(`${theirs}/test`), 409, 'conflict')
    const again = await admin.client.patch(paths[1], { credentials: { token: 'sent-again' } })
    assert.equal(again.status, 200)
    assert.equal((await admin.client.post(`${paths[1]}/test`)).status, 200)
  })

  test('anyone can read what each Git provider supports', async () => {
    const { status, body } = await anonymous(app.client).get<Record<string, Record<string, boolean>>>('/platform/git-providers/capabilities')
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body).sort(), ['git', 'gitea', 'github', 'gitlab'])
    assert.deepEqual([body.github.supports_app_auth, body.git.supports_app_auth, body.git.supports_repository_listing], [true, false, false])
  })
})
