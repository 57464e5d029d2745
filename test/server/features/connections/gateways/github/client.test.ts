/** The client of GitHub's API: addresses, credentials of Apps, rate limits, errors as GitHub writes them, and what errors never contain. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { ApiError } from '../../../../../../server/core/errors.js'
import type { ProviderCredentials } from '../../../../../../server/features/connections/gateways/connection.js'
import type { GitGateway } from '../../../../../../server/features/connections/gateways/git/gateway.js'
import { openGitHub } from '../../../../../../server/features/connections/gateways/git/github.js'
import { apiUrlOf, GitHubClient } from '../../../../../../server/features/connections/gateways/github/client.js'
import { HttpClient, type OutboundRequest } from '../../../../../../server/core/egress/client.js'
import { EgressGuard } from '../../../../../../server/core/egress/egress-guard.js'
import { ProviderError } from '../../../../../../server/core/egress/provider-error.js'
import { GitHubFake, type Misbehaviour } from '../../../../../support/git/github-fake.js'
import { AT_ONCE } from '../../../../../support/git/github-under-test.js'
import { READER } from '../../../../../support/reader.js'

const TOKEN = 'ghp_token0123456789'
const BRANCH = 'GET /repos/{owner}/{repo}/branches/{branch}'
const EXCHANGE = 'POST /app/installations/{installation_id}/access_tokens'
const DOCS = 'https://docs.github.com/rest'

const signal = new AbortController().signal
const http = new HttpClient(new EgressGuard({ allowPrivateTargets: true }))
const KEYS = generateKeyPairSync('rsa', { modulusLength: 2048 })
const PRIVATE_KEY = KEYS.privateKey.export({ type: 'pkcs1', format: 'pem' }) as string
const APP = { kind: 'app', appId: '4711', privateKey: PRIVATE_KEY, installationId: '815' } as const

/** Everything that could be shown of an error, its causes included. */
function allOf(error: unknown): string {
  const parts: unknown[] = []
  for (let each = error; each instanceof Error; each = each.cause) parts.push(each.message, each.stack, each, each instanceof ApiError ? each.headers : null)
  return JSON.stringify(parts)
}

async function thrownBy(work: Promise<unknown>): Promise<ProviderError> {
  const error = await work.then(
    () => assert.fail('it was done'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof ProviderError, `${error}`)
  return error
}

describe('the client of GitHub', () => {
  let fake: GitHubFake
  let now: number
  const console = globalThis.console
  let written: unknown[]
  const open = (credentials: ProviderCredentials = { kind: 'token', token: TOKEN }, baseUrl = fake.baseUrl): GitGateway =>
    openGitHub({ baseUrl, organization: null, credentials }, { http, reader: READER, clock: () => now }, AT_ONCE)

  before(async () => {
    fake = await new GitHubFake({ tokens: new Set([TOKEN]), app: { id: APP.appId, publicKey: KEYS.publicKey, installationId: 815 } }).start()
    fake.createRepository('acme/content')
    fake.push('acme/content', 'main', { files: { a: 'a' } })
  })
  beforeEach(() => {
    now = Date.now()
    fake.state.now = () => now
    fake.calls.length = 0
    written = []
    const write = (...values: unknown[]): void => void written.push(values)
    globalThis.console = { ...console, log: write, info: write, warn: write, error: write, debug: write } as Console
  })
  afterEach(() => {
    globalThis.console = console
    assert.deepEqual(written, [], 'octokit writes no log')
  })
  after(async () => {
    http.close()
    await fake.close()
  })

  test('finds the API of the public service, of its regions and of servers of others', () => {
    const addresses: readonly (readonly [string | null, string])[] = [
      [null, 'https://api.github.com'],
      ['https://github.com', 'https://api.github.com'],
      ['https://api.github.com', 'https://api.github.com'],
      ['https://api.tenant.ghe.com', 'https://api.tenant.ghe.com'],
      ['https://ghe.example.com', 'https://ghe.example.com/api/v3'],
      ['https://ghe.example.com:8443/', 'https://ghe.example.com:8443/api/v3'],
      ['https://ghe.example.com/api/v3', 'https://ghe.example.com/api/v3'],
      ['https://example.com/ghe', 'https://example.com/ghe/api/v3'],
    ]
    for (const [baseUrl, expected] of addresses) assert.equal(apiUrlOf(baseUrl), expected, String(baseUrl))
  })

  test('calls the public service where there is no address', async () => {
    const sent: OutboundRequest[] = []
    const recording = {
      send: async (request: OutboundRequest) => {
        sent.push(request)
        return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from('[]') }
      },
    }
    const opened = openGitHub({ baseUrl: null, organization: null, credentials: { kind: 'token', token: TOKEN } }, { http: recording, reader: READER, clock: Date.now })
    await opened.listBranches('acme/content', signal)
    assert.equal(sent[0].url.href, 'https://api.github.com/repos/acme/content/branches?per_page=100&page=1')
    assert.equal(sent[0].headers?.authorization, `token ${TOKEN}`)
  })

  describe('as an App', () => {
    test('exchanges its key for one token, whatever the form of the key, until the token expires', async () => {
      const pkcs8 = KEYS.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
      for (const privateKey of [PRIVATE_KEY, pkcs8]) {
        fake.calls.length = 0
        const gateway = open({ ...APP, privateKey })
        const listed = await Promise.all(Array.from({ length: 8 }, () => gateway.listRepositories(signal)))
        assert.ok(listed.every(([repository]) => repository.fullName === 'acme/content'))
        assert.equal(fake.count(EXCHANGE), 1)
        now += 59.5 * 60_000
        await gateway.listBranches('acme/content', signal)
        assert.equal(fake.count(EXCHANGE), 2)
        now = Date.now()
      }
    })

    test('names the account of its installation', async () => {
      const client = new GitHubClient('github', { baseUrl: fake.baseUrl, organization: null, credentials: APP }, { http, reader: READER, clock: () => now })
      assert.equal(await client.account(signal), 'acme')
      const token = new GitHubClient(
        'github',
        { baseUrl: fake.baseUrl, organization: null, credentials: { kind: 'token', token: TOKEN } },
        { http, reader: READER, clock: () => now },
      )
      assert.equal(await token.account(signal), 'mona')
    })

    test('replaces its own comment, as a bot, and none of a person', async () => {
      fake.push('acme/content', 'proposal', { files: { b: 'b' } })
      const { reviews } = open(APP)
      const { number } = await reviews!.openReview('acme/content', { sourceBranch: 'proposal', targetBranch: 'main', title: 't', body: 'b' }, signal)
      const { comments } = fake.repository('acme/content').pulls[number - 1]
      comments.push({ id: 1, body: '<!-- one --> of a person', login: 'octocat', type: 'User' })
      for (const text of ['first', 'second']) await reviews!.setComment('acme/content', number, '<!-- one -->', `<!-- one --> ${text}`, signal)
      assert.deepEqual(
        comments.map(({ body, type }) => `${type}: ${body}`),
        ['User: <!-- one --> of a person', 'Bot: <!-- one --> second'],
      )
    })

    test('never gets the token of another tenant that names the same installation', async () => {
      const other = await new GitHubFake({ app: { id: '666', publicKey: KEYS.publicKey, installationId: 815 } }).start()
      other.state.installationTokens.set('filler', 0)
      other.createRepository('acme/content')
      try {
        const [mine, theirs] = [open(), open({ ...APP, appId: '666' }, other.baseUrl)]
        const ours = open(APP)
        await Promise.all([mine.listBranches('acme/content', signal), ours.listBranches('acme/content', signal), theirs.listBranches('acme/content', signal)])
        assert.deepEqual([fake.count(EXCHANGE), other.count(EXCHANGE)], [1, 1])
        await assert.rejects(open({ ...APP, appId: '666' }).listBranches('acme/content', signal), { reason: 'provider_credentials_refused' })
      } finally {
        await other.close()
      }
    })

    test('is refused with a key that is not its own, an unknown installation, or no key', async () => {
      const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
      const refused: readonly (readonly [Partial<typeof APP> | { privateKey: string } | { installationId: string }, string])[] = [
        [{ privateKey: foreign }, 'provider_credentials_refused'],
        [{ privateKey: '-----BEGIN PRIVATE KEY-----\nc2VjcmV0IG1hdGVyaWFs\n-----END PRIVATE KEY-----' }, 'provider_credentials_refused'],
        [{ privateKey: 'secret material' }, 'provider_credentials_refused'],
        [{ privateKey: '' }, 'provider_credentials_refused'],
        [{ installationId: '816' }, 'provider_not_found'],
        [{ installationId: '815/../../user' }, 'provider_not_found'],
      ]
      for (const [change, reason] of refused) {
        const error = await thrownBy(open({ ...APP, ...change }).listBranches('acme/content', signal))
        assert.equal(error.reason, reason, JSON.stringify(change))
        assert.doesNotMatch(allOf(error), /secret material|c2VjcmV0|eyJ/)
      }
    })
  })

  describe('tells why GitHub refuses', () => {
    const answer = (status: number, json: unknown, headers: Readonly<Record<string, string>> = {}): Misbehaviour => ({ kind: 'answer', status, json, headers })
    const refusal = (message: string, more: object = {}): object => ({ message, documentation_url: DOCS, ...more })
    const reset = (): string => String(Math.ceil(now / 1000) + 1800)
    interface Case {
      readonly name: string
      readonly operation?: string
      readonly how: () => Misbehaviour
      readonly reason: string
      readonly details?: () => Readonly<Record<string, unknown>>
    }
    const REFS = 'PATCH /repos/{owner}/{repo}/git/refs/{ref}'
    const CASES: readonly Case[] = [
      { name: 'a wrong token', how: () => answer(401, refusal('Bad credentials', { status: '401' })), reason: 'credentials_refused' },
      {
        name: 'a missing scope of a classic token',
        how: () => answer(403, refusal('Must have admin rights to Repository.'), { 'X-Accepted-OAuth-Scopes': 'repo, admin:org', 'X-OAuth-Scopes': 'gist' }),
        reason: 'scope_missing',
        details: () => ({ scopes: ['repo', 'admin:org'] }),
      },
      {
        name: 'a missing permission of an App',
        how: () => answer(403, refusal('Resource not accessible by integration'), { 'X-Accepted-GitHub-Permissions': 'contents=read; metadata=read' }),
        reason: 'scope_missing',
        details: () => ({ scopes: ['contents=read', 'metadata=read'] }),
      },
      {
        name: 'a token that single sign-on does not know',
        how: () =>
          answer(403, refusal('Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.'), {
            'X-GitHub-SSO': 'required; url=https://github.com/orgs/acme/sso?authorization_request=AZSCKtL4U8yX1H3sCQIVnVgmjmon5fWxks5YrqhJgah0b2tlbl9pZM4EuMz4',
          }),
        reason: 'scope_missing',
        details: () => ({ scopes: [] }),
      },
      {
        name: 'the hourly limit',
        how: () => answer(403, refusal('API rate limit exceeded for user ID 1.'), { 'X-RateLimit-Limit': '5000', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': reset() }),
        reason: 'rate_limited',
        details: () => ({ retry_at: new Date(Number(reset()) * 1000).toISOString() }),
      },
      {
        name: 'a secondary limit',
        how: () =>
          answer(403, refusal('You have exceeded a secondary rate limit. Please wait a few minutes before you try again.'), {
            'Retry-After': '120',
            'X-RateLimit-Remaining': '4999',
            'X-RateLimit-Reset': reset(),
          }),
        reason: 'rate_limited',
        details: () => ({ retry_at: new Date(now + 120_000).toISOString() }),
      },
      {
        name: 'a secondary limit that does not say how long',
        how: () => answer(429, refusal('You have exceeded a secondary rate limit.'), { 'X-RateLimit-Remaining': '4999', 'X-RateLimit-Reset': reset() }),
        reason: 'rate_limited',
        details: () => ({ retry_at: new Date(now + 60_000).toISOString() }),
      },
      {
        name: 'a limit until the end of time',
        how: () => answer(429, refusal('Too many requests'), { 'Retry-After': '99999999999999999' }),
        reason: 'rate_limited',
        details: () => ({ retry_at: new Date(now + 24 * 60 * 60_000).toISOString() }),
      },
      { name: 'no such branch', how: () => answer(404, refusal('Branch not found')), reason: 'not_found', details: () => ({ what: 'branch' }) },
      { name: 'no such repository', how: () => answer(404, refusal('Not Found')), reason: 'not_found', details: () => ({ what: 'repository' }) },
      {
        name: 'a repository that has another name now',
        how: () => answer(301, { message: 'Moved Permanently', url: 'https://api.github.com/repositories/1', documentation_url: DOCS }, { Location: 'http://10.0.0.1/' }),
        reason: 'redirect_refused',
      },
      {
        name: 'rules of the branch',
        operation: REFS,
        how: () => answer(422, refusal('Repository rule violations found\n\nRequired status check "ci" is expected.\n\n')),
        reason: 'branch_protected',
      },
      {
        name: 'a protected branch',
        operation: REFS,
        how: () => answer(422, refusal('Protected branch update failed for refs/heads/main.')),
        reason: 'branch_protected',
      },
      { name: 'a head that moved', operation: REFS, how: () => answer(422, refusal('Update is not a fast forward')), reason: 'head_moved' },
      {
        name: 'a branch that was deleted meanwhile',
        operation: REFS,
        how: () => answer(422, refusal('Reference does not exist')),
        reason: 'not_found',
        details: () => ({ what: 'branch' }),
      },
      {
        name: 'fields that it does not accept',
        operation: 'POST /repos/{owner}/{repo}/git/trees',
        how: () =>
          answer(422, refusal('Validation Failed', { errors: [{ resource: 'Tree', field: 'path', code: 'invalid', message: 'tree.path contains a malformed path component' }] })),
        reason: 'refused',
        details: () => ({ status: 422, provider_message: 'Validation Failed tree.path contains a malformed path component' }),
      },
      {
        name: 'an empty repository',
        operation: 'GET /repos/{owner}/{repo}/git/ref/{ref}',
        how: () => answer(409, refusal('Git Repository is empty.')),
        reason: 'not_found',
        details: () => ({ what: 'branch' }),
      },
      {
        name: 'a failure of its own',
        how: () => ({ kind: 'answer', status: 503, text: '<html>Unicorn!</html>', headers: { 'Content-Type': 'text/html' } }),
        reason: 'unavailable',
        details: () => ({ failure: 'server_error', status: 503 }),
      },
    ]
    for (const { name, operation = BRANCH, how, reason, details } of CASES) {
      test(name, async () => {
        fake.misbehave(operation, how(), reason === 'unavailable' ? 3 : 1)
        const head = fake.repository('acme/content').branches.get('main')!
        const gateway = open()
        const commit = { branch: 'main', parentSha: head, createsBranch: false, message: 'm', changes: [{ path: 'b', content: Buffer.from('b'), blobSha: null }] }
        const error = await thrownBy(operation === BRANCH ? gateway.getBranch('acme/content', 'main', signal) : gateway.commit('acme/content', commit, signal))
        assert.equal(error.reason, `provider_${reason}`, JSON.stringify(error.details))
        assert.deepEqual(error.details, { provider: 'github', ...details?.() })
        assert.ok(!allOf(error).includes(TOKEN))
        assert.equal(fake.repository('acme/content').branches.get('main'), head)
      })
    }
  })

  test('waits for a short limit once, and repeats even a call that writes', async () => {
    const short = { kind: 'answer', status: 403, json: { message: 'You have exceeded a secondary rate limit.', documentation_url: DOCS }, headers: { 'Retry-After': '1' } } as const
    fake.misbehave(BRANCH, short)
    assert.equal((await open().getBranch('acme/content', 'main', signal)).name, 'main')
    const operation = 'POST /repos/{owner}/{repo}/statuses/{sha}'
    fake.misbehave(operation, short, 2)
    const head = fake.repository('acme/content').branches.get('main')!
    const status = { state: 'success', context: 'c', description: 'd', url: null } as const
    const error = await thrownBy(open().reviews!.setStatus('acme/content', head, status, signal))
    assert.deepEqual([error.failure, fake.count(operation)], ['rate_limited', 2])
  })

  test('puts no credential into an error, not even one that the server repeats or that is no header', async () => {
    const tokens = ['ghp_secret\nX-Injected: 1', 'ghp_secret é', 'ghp_secret']
    for (const token of tokens) {
      const text = JSON.stringify({ message: `token ghp_secret ${Buffer.from('ghp_secret').toString('base64')} is wrong`, errors: ['ghp_secret'] })
      const send = async () => ({ status: 422, headers: { 'content-type': 'application/json' }, body: Buffer.from(text) })
      const opened = openGitHub({ baseUrl: fake.baseUrl, organization: null, credentials: { kind: 'token', token } }, { http: { send }, reader: READER, clock: Date.now })
      const error = await thrownBy(opened.listBranches('acme/content', signal))
      assert.doesNotMatch(allOf(error), /ghp_secret|Z2hwX3NlY3Jld/)
      assert.equal(error.failure, token === 'ghp_secret' ? 'refused' : 'credentials_refused')
    }
    const echoing = {
      send: async ({ headers = {} }: OutboundRequest) => ({
        status: 422,
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify({ message: `${headers.authorization} is wrong` })),
      }),
    }
    const app = openGitHub({ baseUrl: fake.baseUrl, organization: null, credentials: APP }, { http: echoing, reader: READER, clock: Date.now })
    assert.doesNotMatch(allOf(await thrownBy(app.listBranches('acme/content', signal))), /eyJ|PRIVATE KEY/)
  })

  test('writes no log, deprecated operations included', async () => {
    const headers = { 'content-type': 'application/json', deprecation: 'true', sunset: 'Sat, 01 Jan 2028 00:00:00 GMT', link: '<https://github.blog/>; rel="deprecation"' }
    const send = async () => ({ status: 200, headers, body: Buffer.from('[]') })
    const opened = openGitHub({ baseUrl: fake.baseUrl, organization: null, credentials: { kind: 'none' } }, { http: { send }, reader: READER, clock: Date.now })
    assert.deepEqual(await opened.listBranches('acme/content', signal), [])
  })

  test('reads a large error only in part', async () => {
    const text = JSON.stringify({ message: 'm', filler: 'x'.repeat(1024 * 1024) })
    fake.misbehave(BRANCH, { kind: 'answer', status: 422, text })
    const error = await thrownBy(open().getBranch('acme/content', 'main', signal))
    assert.deepEqual([error.failure, error.details.provider_message], ['refused', null])
  })
})
