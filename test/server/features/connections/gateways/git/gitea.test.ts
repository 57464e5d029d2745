/** Gitea beyond the contract of gateways, on the real forge: scopes, large repositories, and the deliveries that it sends. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type { GitEvent, GitGateway, WebhookRequest } from '../../../../../../server/features/connections/gateways/git/gateway.js'
import { openGitea } from '../../../../../../server/features/connections/gateways/git/gitea.js'
import { giteaWebhooks } from '../../../../../../server/features/connections/gateways/git/gitea-webhooks.js'
import { HttpClient } from '../../../../../../server/core/egress/client.js'
import { EgressGuard } from '../../../../../../server/core/egress/egress-guard.js'
import { ProviderError } from '../../../../../../server/core/egress/provider-error.js'
import { type Forge, forgeForTests } from '../../../../../support/git/forge.js'
import { type Receiver, type Received, startReceiver } from '../../../../../support/receiver.js'
import { READER } from '../../../../../support/reader.js'

const never = new AbortController().signal
const SECRET = 'secret of the binding'
const { skip, forge: startForge } = forgeForTests()

const requestOf = ({ headers, body }: Received) => ({ header: (name: string) => headers[name] as string | undefined, body: Buffer.from(body) })

const parse = (request: WebhookRequest): Promise<GitEvent | null> => giteaWebhooks.parse(request, READER)

describe('Gitea', { skip }, () => {
  let forge: Forge
  let http: HttpClient
  let receiver: Receiver
  const open = (token: string, organization: string | null = null): GitGateway =>
    openGitea({ baseUrl: forge.url, organization, credentials: { kind: 'token', token } }, { http, reader: READER, clock: Date.now })

  before(async () => {
    forge = await startForge()
    http = new HttpClient(new EgressGuard({ allowPrivateTargets: true }))
    receiver = await startReceiver()
  })
  after(async () => {
    http?.close()
    await receiver?.close()
  })

  it('names the scopes that a token lacks', async () => {
    const { fullName } = await forge.createRepository()
    const token = await forge.createToken('read:user')
    await assert.rejects(open(token).listBranches(fullName, never), (error: unknown) => {
      assert.ok(error instanceof ProviderError)
      assert.deepEqual([error.failure, error.details.scopes], ['scope_missing', ['read:repository']])
      return true
    })
  })

  it('pushes nothing with a token that may only read', async () => {
    const repository = await forge.createRepository()
    const [parentSha] = await repository.push('main', { files: { a: 'a' } })
    const gateway = open(await forge.createToken('read:repository'))
    const change = { branch: 'main', parentSha, createsBranch: false, message: 'm', changes: [{ path: 'b', content: Buffer.from('b'), blobSha: null }] }
    await assert.rejects(gateway.commit(repository.fullName, change, never), (error: unknown) => error instanceof ProviderError && error.failure === 'scope_missing')
    assert.equal((await gateway.getBranch(repository.fullName, 'main', never)).commitSha, parentSha)
  })

  it('lists repositories of a user or organization, and with a token for repositories alone', async () => {
    const { fullName } = await forge.createRepository()
    for (const gateway of [open(forge.token, forge.username), open(await forge.createToken('read:repository')), open(forge.token)]) {
      assert.ok((await gateway.listRepositories(never)).some((repository) => repository.fullName === fullName))
    }
    await assert.rejects(open(forge.token, 'nobody').listRepositories(never), (error: unknown) => error instanceof ProviderError && error.details.what === 'organization')
  })

  it('lists a repository of 10,000 files', async () => {
    const repository = await forge.createRepository()
    const paths = Array.from({ length: 10_000 }, (_, index) => `rules/${index % 100}/${index}.xml`)
    const [head] = await repository.push('main', { files: Object.fromEntries(paths.map((path) => [path, 'x'])) })
    const found = await open(forge.token).listFiles(repository.fullName, head, never)
    assert.deepEqual(
      found.map(({ path }) => path),
      [...paths].sort(),
    )
  })

  it('sends deliveries that are authentic with the secret alone, and readable', async () => {
    const repository = await forge.createRepository()
    const [main] = await repository.push('main', { files: { a: 'a' } })
    const config = { url: receiver.origin, content_type: 'json', secret: SECRET }
    await forge.api('POST', `/repos/${repository.fullName}/hooks`, { type: 'gitea', active: true, events: ['push', 'pull_request', 'pull_request_sync', 'create'], config })
    await repository.createBranches(['proposal'], main)
    const [source] = await repository.push('proposal', { files: { b: 'b' } })
    const gateway = open(forge.token)
    const { number } = await gateway.reviews!.openReview(repository.fullName, { sourceBranch: 'proposal', targetBranch: 'main', title: 't', body: 'b' }, never)
    const review = { kind: 'review', repository: repository.fullName, number, sourceBranch: 'proposal', targetBranch: 'main' } as const
    await arrived({ ...review, headSha: source })
    const [again] = await repository.push('proposal', { files: { b: 'c' } })
    await arrived({ kind: 'push', repository: repository.fullName, branch: 'proposal', headSha: again })
    await arrived({ ...review, headSha: again })
    await repository.createBranches(['release'], main)
    await forge.api('PATCH', `/repos/${repository.fullName}/pulls/${number}`, { title: 'Another title' })
    await forge.api('PATCH', `/repos/${repository.fullName}/pulls/${number}`, { base: 'release' })
    await arrived({ ...review, targetBranch: 'release', headSha: again })
    const edits = receiver.received.filter(({ body }) => body.includes('"action": "edited"') || body.includes('"action":"edited"'))
    assert.deepEqual((await Promise.all(edits.map(async (each) => (await parse(requestOf(each)))?.kind))).sort(), ['ignored', 'review'])
    await forge.api('PATCH', `/repos/${repository.fullName}/pulls/${number}`, { state: 'closed' })
    await arrived({ kind: 'review_closed', repository: repository.fullName, number, isMerged: false })
    await forge.api('DELETE', `/repos/${repository.fullName}/branches/proposal`)
    const deliveries = receiver.received
    assert.ok(deliveries.every((each) => giteaWebhooks.isAuthentic(requestOf(each), SECRET)))
    assert.ok(deliveries.every((each) => !giteaWebhooks.isAuthentic(requestOf(each), `${SECRET}.`)))
    const ids = deliveries.map((each) => giteaWebhooks.deliveryId(requestOf(each)))
    assert.equal(new Set(ids).size, deliveries.length)
    assert.ok(!ids.includes(null))
  })

  it('keeps one comment with a token that cannot read its own user', async () => {
    const repository = await forge.createRepository()
    const [main] = await repository.push('main', { files: { a: 'a' } })
    await repository.createBranches(['proposal'], main)
    await repository.push('proposal', { files: { b: 'b' } })
    const { number } = await open(forge.token).reviews!.openReview(repository.fullName, { sourceBranch: 'proposal', targetBranch: 'main', title: 't', body: 'b' }, never)
    const { reviews } = open(await forge.createToken('write:repository', 'write:issue'))
    for (const text of ['first', 'second']) await reviews!.setComment(repository.fullName, number, '<!-- one -->', `<!-- one --> ${text}`, never)
    const comments = await forge.api<readonly { body: string }[]>('GET', `/repos/${repository.fullName}/issues/${number}/comments`)
    assert.deepEqual(
      comments.map(({ body }) => body),
      ['<!-- one --> second'],
    )
  })

  it('reads the head of a pull request of a fork in the repository, and sets its status there', async () => {
    const repository = await forge.createRepository()
    await repository.push('main', { files: { a: 'a' } })
    const organization = `forks-${repository.fullName.split('/')[1]}`
    await forge.api('POST', '/orgs', { username: organization })
    const fork = await forge.api<{ full_name: string }>('POST', `/repos/${repository.fullName}/forks`, { organization })
    await forge.api('POST', `/repos/${fork.full_name}/contents/b`, { content: Buffer.from('of the fork').toString('base64'), branch: 'main', new_branch: 'proposal', message: 'm' })
    const pull = { head: `${organization}:proposal`, base: 'main', title: 'From a fork', body: '' }
    const { number } = await forge.api<{ number: number }>('POST', `/repos/${repository.fullName}/pulls`, pull)
    const gateway = open(forge.token)
    const { headSha } = await gateway.reviews!.getReview(repository.fullName, number, never)
    const files = await gateway.listFiles(repository.fullName, headSha, never)
    assert.deepEqual(
      files.map(({ path }) => path),
      ['a', 'b'],
    )
    assert.equal(Buffer.from(await gateway.readFile(repository.fullName, headSha, files[1], never)).toString(), 'of the fork')
    await gateway.reviews!.setStatus(repository.fullName, headSha, { state: 'canceled', context: 'c', description: 'd', url: null }, never)
    const [{ status }] = await forge.api<readonly { status: string }[]>('GET', `/repos/${repository.fullName}/commits/${headSha}/statuses`)
    assert.equal(status, 'error')
  })

  const events = (): Promise<(GitEvent | null)[]> => Promise.all(receiver.received.map((each) => parse(requestOf(each))))

  async function arrived(event: GitEvent): Promise<void> {
    const wanted = JSON.stringify(event)
    for (let left = 600; left > 0; left--) {
      if ((await events()).some((each) => JSON.stringify(each) === wanted)) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.fail(`never arrived: ${wanted}; instead ${JSON.stringify(await events())}`)
  }
})

describe('deliveries of Gitea', () => {
  const delivery = (event: string, body: string, signature = createHmac('sha256', SECRET).update(body).digest('hex')) => {
    const headers: Readonly<Record<string, string>> = { 'x-gitea-event': event, 'x-gitea-signature': signature }
    return { header: (name: string) => headers[name], body: Buffer.from(body) }
  }

  it('are not authentic with another, a cut or no signature', () => {
    const right = delivery('push', '{}')
    assert.equal(giteaWebhooks.isAuthentic(right, SECRET), true)
    for (const signature of ['', 'x', 'f'.repeat(64), right.header('x-gitea-signature').slice(0, 62), `${right.header('x-gitea-signature')}00`]) {
      assert.equal(giteaWebhooks.isAuthentic(delivery('push', '{}', signature), SECRET), false, signature)
    }
    assert.equal(giteaWebhooks.isAuthentic({ header: () => undefined, body: Buffer.from('{}') }, SECRET), false)
    assert.equal(giteaWebhooks.isAuthentic({ ...right, body: Buffer.from('{ }') }, SECRET), false)
  })

  it('of other things are ignored, and unreadable ones are told', async () => {
    assert.deepEqual(await parse(delivery('create', 'not JSON')), { kind: 'ignored' })
    const repository = { full_name: 'a/b' }
    assert.deepEqual(await parse(delivery('push', JSON.stringify({ ref: 'refs/tags/v1', after: 'a'.repeat(40), repository }))), { kind: 'ignored' })
    assert.deepEqual(await parse(delivery('push', JSON.stringify({ ref: 'refs/heads/gone', after: '0'.repeat(40), repository }))), { kind: 'ignored' })
    for (const body of ['', '{', 'null', '[]', '{"ref":1}']) assert.equal(await parse(delivery('push', body)), null, body)
    assert.equal(await parse(delivery('pull_request', '{"action":"opened"}')), null)
  })
})
