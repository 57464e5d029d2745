/** What is GitHub's own beyond the contract of all Git gateways: large repositories, pages, repeated calls and the bytes that are read. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, beforeEach, describe, test } from 'node:test'
import { FILE_BYTES, type FileChange, type GitGateway, type NewCommit } from '../../../../../../server/features/connections/gateways/git/gateway.js'
import { openGitHub } from '../../../../../../server/features/connections/gateways/git/github.js'
import { HttpClient } from '../../../../../../server/core/egress/client.js'
import { EgressGuard } from '../../../../../../server/core/egress/egress-guard.js'
import { ProviderError } from '../../../../../../server/core/egress/provider-error.js'
import { cutDescription, readPackage, usedOperations } from '../../../../../support/git/cut-github-description.js'
import { DESCRIPTION_FILE, wrongInAnswer, wrongInRequest } from '../../../../../support/git/github-description.js'
import { GitHubFake } from '../../../../../support/git/github-fake.js'
import { AT_ONCE } from '../../../../../support/git/github-under-test.js'
import { MODES, objectId } from '../../../../../support/git/seeds.js'
import { READER } from '../../../../../support/reader.js'

const TOKEN = 'ghp_token0123456789'
const TREES = 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}'
const BLOBS = 'GET /repos/{owner}/{repo}/git/blobs/{file_sha}'
const BRANCH = 'GET /repos/{owner}/{repo}/branches/{branch}'
const COMMENTS = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments'
const MIB = 1024 * 1024

const signal = new AbortController().signal
const http = new HttpClient(new EgressGuard({ allowPrivateTargets: true }))
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

describe('the GitHub gateway', () => {
  let fake: GitHubFake
  let gateway: GitGateway
  const open = (organization: string | null = null): GitGateway =>
    openGitHub({ baseUrl: fake.baseUrl, organization, credentials: { kind: 'token', token: TOKEN } }, { http, reader: READER, clock: Date.now }, AT_ONCE)

  before(async () => {
    fake = await new GitHubFake({ tokens: new Set([TOKEN]) }).start()
    gateway = open()
  })
  beforeEach(() => {
    fake.calls.length = 0
    fake.state.listingLimit = 100_000
  })
  after(async () => {
    http.close()
    await fake.close()
  })

  const seeded = (files: Record<string, string | Uint8Array>): { repository: string; head: string } => {
    const { fullName } = fake.createRepository()
    const [head] = fake.push(fullName, 'main', { files })
    return { repository: fullName, head }
  }
  const added = (parentSha: string, changes: readonly FileChange[] = [{ path: 'new', content: Buffer.from('new'), blobSha: null }]): NewCommit => ({
    branch: 'main',
    parentSha,
    createsBranch: false,
    message: 'Change',
    changes,
  })

  test('lists 10,000 files at once, and folder by folder where GitHub truncates the list', async () => {
    const paths = Array.from({ length: 10_000 }, (_, index) => `content/${index % 4}/${index % 100}/rule-${index}.xml`)
    const { repository, head } = seeded(Object.fromEntries(paths.map((path) => [path, path])))
    const whole = await gateway.listFiles(repository, head, signal)
    assert.deepEqual(
      whole.map(({ path }) => path),
      [...paths].sort(),
    )
    assert.equal(fake.count(TREES), 1)

    // Each of the four folders has 2,500 files in 25 folders.
    fake.state.listingLimit = 3_000
    fake.calls.length = 0
    assert.deepEqual(await gateway.listFiles(repository, head, signal), whole)
    // The root: truncated, itself; `content`: truncated, itself; four folders.
    assert.equal(fake.count(TREES), 2 + 2 + 4)

    fake.state.listingLimit = 200
    fake.calls.length = 0
    assert.deepEqual(await gateway.listFiles(repository, head, signal), whole)
    assert.equal(fake.count(TREES), 2 + 2 + 8 + 100)
  })

  test('refuses a folder that GitHub does not list whole', async () => {
    fake.state.listingLimit = 50
    const { repository, head } = seeded(Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`flat/${index}`, String(index)])))
    await assert.rejects(gateway.listFiles(repository, head, signal), { reason: 'provider_too_large' })
  })

  test('reads only the wanted files of a repository of 200 MB', async () => {
    const { fullName, objects, branches } = fake.createRepository()
    const files = new Map(Array.from({ length: 100 }, (_, index) => [`data/${index}.bin`, { mode: MODES.file as string, sha: objects.declareBlob(2 * MIB) }]))
    for (const name of ['a', 'b', 'c']) files.set(`rules/${name}.xml`, { mode: MODES.file, sha: objects.addBlob(Buffer.from(`<group name="${name},"/>`)) })
    const { sha } = objects.addCommit({ tree: objects.addFiles(files), parents: [], message: 'Large', author: 'Mona' })
    branches.set('main', sha)
    const listed = await gateway.listFiles(fullName, sha, signal)
    assert.ok(listed.reduce((sum, { size }) => sum + (size ?? 0), 0) > 200 * MIB)
    const wanted = listed.filter(({ path }) => path.startsWith('rules/'))
    const read = await Promise.all(wanted.map(async (file) => text(await gateway.readFile(fullName, sha, file, signal))))
    assert.deepEqual(read, ['<group name="a,"/>', '<group name="b,"/>', '<group name="c,"/>'])
    assert.deepEqual([fake.count(TREES), fake.count(BLOBS), fake.calls.length], [1, 3, 4])
    assert.ok(fake.calls.reduce((sum, { answerBytes }) => sum + answerBytes, 0) < 64 * 1024)
  })

  test('refuses a blob of 2 GB without reading it, whether or not its size is known', async () => {
    const { fullName, objects } = fake.createRepository()
    fake.push(fullName, 'main', { files: { a: 'a' } })
    const blobSha = objects.declareBlob(2 * 1024 * MIB)
    const file = { path: 'huge', kind: 'file', blobSha } as const
    await assert.rejects(gateway.readFile(fullName, blobSha, { ...file, size: 2 * 1024 * MIB }, signal), { reason: 'provider_too_large' })
    assert.equal(fake.calls.length, 0)
    await assert.rejects(gateway.readFile(fullName, blobSha, { ...file, size: null }, signal), { reason: 'provider_too_large' })
    assert.equal(fake.calls.length, 1)
  })

  test('refuses content that is not the blob’s', async () => {
    const { repository, head } = seeded({ a: 'what was asked for' })
    const [file] = await gateway.listFiles(repository, head, signal)
    const json = { content: Buffer.from('something else').toString('base64'), encoding: 'base64', url: 'https://x.test', sha: file.blobSha, size: 14, node_id: 'x' }
    fake.misbehave(BLOBS, { kind: 'answer', status: 200, json })
    await assert.rejects(gateway.readFile(repository, head, file, signal), { reason: 'provider_unavailable' })
    assert.equal(text(await gateway.readFile(repository, head, file, signal)), 'what was asked for')
  })

  test('commits to 10,000 files in a few calls, and reads only the folders on the way', async () => {
    const files = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`content/${index % 100}/rule-${index}.xml`, String(index)]))
    const { repository, head } = seeded(files)
    const change = { path: 'content/7/rule-7.xml', content: Buffer.from('seven'), blobSha: objectId('blob', Buffer.from('7')) }
    const { sha } = await gateway.commit(repository, added(head, [change]), signal)
    assert.equal((await gateway.getBranch(repository, 'main', signal)).commitSha, sha)
    assert.deepEqual(
      fake.calls.map(({ operation }) => operation.replace('/repos/{owner}/{repo}/', '')),
      [
        'GET git/ref/{ref}',
        'GET git/commits/{commit_sha}',
        ...Array(3).fill('GET git/trees/{tree_sha}'),
        'POST git/trees',
        'POST git/commits',
        'PATCH git/refs/{ref}',
        'GET branches/{branch}',
      ],
    )
  })

  test('sends texts within the tree up to a size, and other bytes as blobs', async () => {
    const { repository, head } = seeded({ a: 'a' })
    const contents = ['text "123n"', Buffer.from([0xff, 0xfe]), 'x'.repeat(MIB), 'nul\0', '\ufeffmark'].map((content) => Buffer.from(content as string))
    const { sha } = await gateway.commit(
      repository,
      added(
        head,
        contents.map((content, index) => ({ path: `new/${index}`, content, blobSha: null })),
      ),
      signal,
    )
    assert.equal(fake.count('POST /repos/{owner}/{repo}/git/blobs'), 3)
    const written = (await gateway.listFiles(repository, sha, signal)).filter(({ path }) => path.startsWith('new/'))
    assert.deepEqual(
      written.map(({ blobSha }) => blobSha),
      contents.map((content) => objectId('blob', content)),
    )
  })

  test('lists repositories to the end, of all owners, an organization or a user', async () => {
    for (let index = 0; index < 120; index++) fake.createRepository(`globex/content-${index}`)
    for (let index = 0; index < 3; index++) fake.createRepository(`mona/content-${index}`)
    const all = (await gateway.listRepositories(signal)).length
    assert.equal(all, fake.state.repositories.size)
    assert.equal(fake.count('GET /user/repos'), Math.ceil(all / 100))
    assert.equal((await open('Globex').listRepositories(signal)).length, 120)
    assert.equal(fake.count('GET /orgs/{org}/repos'), 2)
    assert.deepEqual(
      (await open('mona').listRepositories(signal)).map(({ fullName }) => fullName),
      ['mona/content-0', 'mona/content-1', 'mona/content-2'],
    )
    await assert.rejects(open('nobody').listRepositories(signal), { reason: 'provider_not_found' })
  })

  test('ends a list that has no end', async () => {
    const { repository } = seeded({ a: 'a' })
    let calls = 0
    const endless = {
      send: async () => {
        calls += 1
        return { status: 200, headers: { 'content-type': 'application/json', link: '<https://elsewhere.test/>; rel="next"' }, body: Buffer.from('[]') }
      },
    }
    const opened = openGitHub({ baseUrl: fake.baseUrl, organization: null, credentials: { kind: 'none' } }, { http: endless, reader: READER, clock: Date.now })
    await assert.rejects(opened.listBranches(repository, signal), { reason: 'provider_too_large' })
    assert.equal(calls, 100)
  })

  test('finds its comment among many', async () => {
    const { repository, head } = seeded({ a: 'a' })
    fake.repository(repository).branches.set('proposal', head)
    fake.push(repository, 'proposal', { files: { b: 'b' } })
    const { number } = await gateway.reviews!.openReview(repository, { sourceBranch: 'proposal', targetBranch: 'main', title: 't', body: 'b' }, signal)
    const [pull] = fake.repository(repository).pulls
    for (let index = 0; index < 70; index++) pull.comments.push({ id: 1 + index, body: index === 65 ? 'before <!-- ours -->' : `comment ${index}`, login: 'mona', type: 'User' })
    await gateway.reviews!.setComment(repository, number, '<!-- ours -->', 'after <!-- ours -->', signal)
    assert.equal(fake.count(COMMENTS), 3)
    assert.equal(pull.comments.length, 70)
    assert.equal(pull.comments[65].body, 'after <!-- ours -->')
  })

  test('does not take a pull request of a fork for its own', async () => {
    const { repository, head } = seeded({ a: 'a' })
    fake.repository(repository).branches.set('proposal', head)
    fake.push(repository, 'proposal', { files: { b: 'b' } })
    const branches = { sourceBranch: 'proposal', targetBranch: 'main' }
    const { number } = await gateway.reviews!.openReview(repository, { ...branches, title: 't', body: 'b' }, signal)
    assert.equal((await gateway.reviews!.findOpenReview(repository, branches, signal))?.number, number)
    fake.repository(repository).pulls[0].fork = 'acme/fork-of-content'
    assert.equal(await gateway.reviews!.findOpenReview(repository, branches, signal), null)
  })

  describe('repeats', () => {
    test('a call that failed transiently, twice', async () => {
      const { repository, head } = seeded({ a: 'a' })
      fake.misbehave(BRANCH, { kind: 'answer', status: 502, text: '<html>' })
      fake.misbehave(BRANCH, { kind: 'half' })
      assert.equal((await gateway.getBranch(repository, 'main', signal)).commitSha, head)
      assert.equal(fake.count(BRANCH), 3)
      fake.misbehave(BRANCH, { kind: 'answer', status: 500, text: '' }, 3)
      await assert.rejects(gateway.getBranch(repository, 'main', signal), { reason: 'provider_unavailable' })
      assert.equal(fake.count(BRANCH), 6)
    })

    test('no call that would have a second effect', async () => {
      const { repository, head } = seeded({ a: 'a' })
      fake.repository(repository).branches.set('proposal', head)
      fake.push(repository, 'proposal', { files: { b: 'b' } })
      const operation = 'POST /repos/{owner}/{repo}/pulls'
      fake.misbehave(operation, { kind: 'lost' })
      const proposal = { sourceBranch: 'proposal', targetBranch: 'main', title: 't', body: 'b' }
      await assert.rejects(gateway.reviews!.openReview(repository, proposal, signal), { reason: 'provider_unavailable' })
      assert.equal(fake.count(operation), 1)
      assert.equal(fake.repository(repository).pulls.length, 1)
    })

    test('what a lost answer of a commit leaves open, without a second commit', async () => {
      const { repository, head } = seeded({ a: 'a' })
      fake.misbehave('PATCH /repos/{owner}/{repo}/git/refs/{ref}', { kind: 'lost' })
      const moved = await gateway.commit(repository, added(head), signal)
      fake.misbehave('POST /repos/{owner}/{repo}/git/refs', { kind: 'lost' })
      const created = await gateway.commit(repository, { ...added(moved.sha), branch: 'publish/1', createsBranch: true }, signal)
      const commits = await gateway.listCommits(repository, 'publish/1', 10, signal)
      assert.deepEqual(
        commits.map(({ sha }) => sha),
        [created.sha, moved.sha, head],
      )
    })

    test('nothing after an answer that will not change', async () => {
      for (const status of [400, 401, 403, 404, 409, 415, 422, 451]) {
        fake.calls.length = 0
        fake.misbehave(BRANCH, { kind: 'answer', status, text: '{}' })
        await assert.rejects(gateway.getBranch('acme/content-1', 'main', signal), ProviderError)
        assert.equal(fake.count(BRANCH), 1, String(status))
      }
    })
  })

  test('ends a call that hangs when its signal aborts', async () => {
    const { repository } = seeded({ a: 'a' })
    const aborting = new AbortController()
    fake.misbehave(BRANCH, { kind: 'hang' })
    const call = gateway.getBranch(repository, 'main', aborting.signal)
    while (fake.count(BRANCH) === 0) await new Promise(setImmediate)
    aborting.abort()
    await assert.rejects(call, (error: ProviderError) => error.reason === 'provider_unavailable' && error.details.failure === 'aborted')
    assert.equal(fake.count(BRANCH), 1)
  })

  test('asks for no other path than that of the operation', async () => {
    for (const repository of ['..', '../user', 'acme/..', 'acme/.', 'acme', 'acme/a/b', '/', 'acme/', 'acme/a b', 'acme/%2e%2e', '']) {
      await assert.rejects(gateway.getBranch(repository, 'main', signal), { reason: 'provider_not_found' })
    }
    const { repository, head } = seeded({ a: 'a' })
    for (const branch of ['..', '.', '']) await assert.rejects(gateway.getBranch(repository, branch, signal), { reason: 'provider_not_found' })
    for (const sha of ['main', '../..', head.toUpperCase(), head.slice(1)]) await assert.rejects(gateway.listFiles(repository, sha, signal), { reason: 'provider_not_found' })
    await assert.rejects(open('..').listRepositories(signal), { reason: 'provider_not_found' })
    assert.equal(fake.calls.length, 0)
  })

  test('never shows links that a browser would run', async () => {
    const { repository } = seeded({ a: 'a' })
    const send = async () => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify([{ sha: 'a'.repeat(40), html_url: 'javascript:alert(1)', commit: { message: 'm', author: null, committer: null } }])),
    })
    const opened = openGitHub({ baseUrl: fake.baseUrl, organization: null, credentials: { kind: 'none' } }, { http: { send }, reader: READER, clock: Date.now })
    await assert.rejects(opened.listCommits(repository, 'main', 10, signal), { reason: 'provider_unavailable' })
  })

  test('the limits of answers leave room for the largest file', () => {
    assert.ok(Math.ceil((FILE_BYTES * 4) / 3) * (61 / 60) + 4096 < Math.ceil(FILE_BYTES * 1.4) + 4096)
  })
})

describe('the description of GitHub', () => {
  const whole = readPackage()

  test('is that of the package @octokit/openapi', { skip: whole === null && '@octokit/openapi is not installed' }, () => {
    assert.equal(readFileSync(DESCRIPTION_FILE, 'utf8'), cutDescription(whole ?? {}, usedOperations()))
  })

  const path = { owner: 'acme', repo: 'content' }
  const asked = {
    operation: 'POST /repos/{owner}/{repo}/git/refs',
    path,
    query: new URLSearchParams(),
    contentType: 'application/json',
    body: { ref: 'refs/heads/a', sha: 'b' } as unknown,
  }

  test('refuses requests that GitHub does not know', () => {
    assert.deepEqual(wrongInRequest(asked), [])
    for (const wrong of [
      { ...asked, body: { ref: 'refs/heads/a' } },
      { ...asked, body: { ...(asked.body as object), reff: 'x' } },
      { ...asked, body: undefined },
      { ...asked, contentType: 'text/plain' },
      { ...asked, query: new URLSearchParams({ force: 'true' }) },
      { ...asked, path: { ...path, branch: 'main' } },
      { ...asked, operation: 'GET /repos/{owner}/{repo}/pulls', contentType: undefined, body: undefined, query: new URLSearchParams({ state: 'merged' }) },
      { ...asked, operation: 'GET /repos/{owner}/{repo}/pulls' },
    ]) {
      assert.notDeepEqual(wrongInRequest(wrong), [], JSON.stringify(wrong))
    }
    assert.throws(() => wrongInRequest({ ...asked, operation: 'POST /repos/{owner}/{repo}/git/reefs' }))
  })

  test('refuses answers that GitHub does not give', () => {
    const created = { sha: 'a', url: 'https://x.test' }
    assert.deepEqual(wrongInAnswer('POST /repos/{owner}/{repo}/git/blobs', 201, created), [])
    assert.notDeepEqual(wrongInAnswer('POST /repos/{owner}/{repo}/git/blobs', 201, { sha: 'a' }), [])
    assert.notDeepEqual(wrongInAnswer('POST /repos/{owner}/{repo}/git/blobs', 201, { ...created, more: 1 }), [])
    assert.notDeepEqual(wrongInAnswer('POST /repos/{owner}/{repo}/git/blobs', 200, created), [])
    assert.notDeepEqual(wrongInAnswer('POST /repos/{owner}/{repo}/git/blobs', 422, { message: 1 }), [])
    assert.deepEqual(wrongInAnswer('GET /user', 401, { message: 'Bad credentials' }), [])
  })

  test('makes the fake fail where it is violated', async () => {
    const fake = await new GitHubFake().start()
    await http.send({ method: 'GET', url: new URL(`${fake.baseUrl}/api/v3/unknown`), timeoutMs: 5000, bodyLimit: 1000, beyondLimit: 'cut' })
    await assert.rejects(fake.close(), /unknown call: GET/)
  })
})
