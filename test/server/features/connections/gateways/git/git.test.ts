/** Plain Git, beyond the contract of gateways: one fetch for many files, hooks, and servers that hang, cut or redirect. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ApiError } from '../../../../../../server/core/errors.js'
import { FETCH_BYTES, type GitGateway } from '../../../../../../server/features/connections/gateways/git/gateway.js'
import { openPlainGit } from '../../../../../../server/features/connections/gateways/git/git.js'
import { commitObject, FLUSH, named, NO_ID, pktLine, treeObject, writePack } from '#git'
import { HttpClient } from '../../../../../../server/core/egress/client.js'
import { EgressGuard } from '../../../../../../server/core/egress/egress-guard.js'
import { skipWithoutGit } from '../../../../../support/git/git-binary.js'
import { type GitServer, startGitServer } from '../../../../../support/git/http-backend.js'
import { READER } from '../../../../../support/reader.js'

const never = new AbortController().signal
const REPOSITORY = 'team/content'

function reason(expected: string, details: Readonly<Record<string, unknown>> = {}): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof ApiError, `${error}`)
    assert.equal(error.reason, expected, JSON.stringify(error.details))
    for (const [name, value] of Object.entries(details)) assert.equal(error.details[name], value)
    return true
  }
}

/** What a server sends for a fetch. */
function fetched(pack: Buffer): Buffer {
  const lines = [pktLine('NAK\n')]
  for (let at = 0; at < pack.length; at += 60_000) {
    const band = Buffer.concat([Buffer.from([1]), pack.subarray(at, at + 60_000)])
    lines.push(Buffer.from((band.length + 4).toString(16).padStart(4, '0')), band)
  }
  return Buffer.concat([...lines, Buffer.from('0000')])
}

describe('plain Git', { skip: skipWithoutGit() }, () => {
  let server: GitServer
  let http: HttpClient
  let head: string
  const open = (credentials: { username: string; password: string } = server): GitGateway =>
    openPlainGit({ baseUrl: server.url, organization: null, credentials: { kind: 'password', ...credentials } }, { http, reader: READER, clock: Date.now })

  before(async () => {
    server = await startGitServer()
    http = new HttpClient(new EgressGuard({ allowPrivateTargets: true }))
    const repository = server.create(REPOSITORY)
    const files = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`rules/${index}.xml`, `<group name="${index},"/>`]))
    head = (await repository.push('main', { files: { a: 'old' } }, { files }))[1]
  })
  after(async () => {
    http.close()
    await server.close()
  })

  it('fetches a commit once, however many files are read', async () => {
    const gateway = open()
    const files = await gateway.listFiles(REPOSITORY, head, never)
    const before = server.requests.length
    await Promise.all(files.map((file) => gateway.readFile(REPOSITORY, head, file, never)))
    assert.equal(files.length, 201)
    assert.equal(server.requests.length, before)
    const other = open()
    await Promise.all(files.map((file) => other.readFile(REPOSITORY, head, file, never)))
    assert.equal(server.requests.length, before + 1)
  })

  it('takes a user with a password, and tells when they are refused', async () => {
    assert.equal((await open().getBranch(REPOSITORY, 'main', never)).commitSha, head)
    await assert.rejects(open({ username: server.username, password: 'wrong' }).getBranch(REPOSITORY, 'main', never), reason('provider_credentials_refused'))
  })

  it('lists commits without their files where the server can', async () => {
    const repository = server.create('team/filtered')
    await repository.run(['config', 'uploadpack.allowFilter', 'true'])
    const shas = await repository.push('main', ...Array.from({ length: 5 }, (_, index) => ({ message: `Change ${index}`, files: { a: String(index) } })))
    const found = await open().listCommits('team/filtered', 'main', 3, never)
    assert.deepEqual(
      found.map(({ sha }) => sha),
      [...shas].reverse().slice(0, 3),
    )
  })

  it('tells when a hook of the server refuses a push', async () => {
    const { writeFileSync } = await import('node:fs')
    const repository = server.create('team/guarded')
    const [parentSha] = await repository.push('main', { files: { a: 'a' } })
    writeFileSync(`${repository.folder}/hooks/pre-receive`, '#!/bin/sh\necho "main is guarded"\nexit 1\n', { mode: 0o755 })
    const commit = { branch: 'main', parentSha, createsBranch: false, message: 'm', changes: [{ path: 'b', content: Buffer.from('b'), blobSha: null }] }
    await assert.rejects(open().commit('team/guarded', commit, never), reason('provider_branch_protected'))
    assert.equal(repository.headOf('main'), parentSha)
  })

  it('refuses changed files that are not those that the caller has seen, and impossible paths', async () => {
    const commit = (path: string, blobSha: string | null) =>
      open().commit(REPOSITORY, { branch: 'main', parentSha: head, createsBranch: false, message: 'm', changes: [{ path, content: Buffer.from('b'), blobSha }] }, never)
    await assert.rejects(commit('a', NO_ID), reason('provider_head_moved'))
    await assert.rejects(commit('a', null), reason('provider_head_moved'))
    for (const path of ['../a', 'a//b', '/a', 'b/.git/config', 'a/b', 'rules', 'b\0c']) await assert.rejects(commit(path, null), reason('provider_refused'), path)
  })

  const answering = async (answer: Parameters<GitServer['intercept']>[1], work: () => Promise<void>): Promise<void> => {
    server.intercept('/git-upload-pack', answer)
    try {
      await work()
    } finally {
      server.intercept('/git-upload-pack', null)
    }
  }

  it('refuses a repository above the limit while it arrives', async () => {
    let sent = 0
    const chunk = Buffer.alloc(1024 * 1024)
    const answer = (response: import('node:http').ServerResponse): void => {
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length
        response.once('drain', more)
      }
      more()
    }
    await answering(answer, () => assert.rejects(open().listFiles(REPOSITORY, head, never), reason('provider_too_large', { limit: FETCH_BYTES })))
    assert.ok(sent < 2 * FETCH_BYTES)
  })

  it('ends with its signal when the server hangs', async () => {
    const ending = new AbortController()
    await answering(
      () => ending.abort(),
      () => assert.rejects(open().listFiles(REPOSITORY, head, ending.signal), reason('provider_unavailable', { failure: 'aborted' })),
    )
  })

  it('refuses half a pack, however it ends', async () => {
    const pack = fetched(await writePack([named('blob', Buffer.from('a'))]))
    for (const bytes of [pack.subarray(0, 30), pack.subarray(0, -4), fetched(Buffer.from('PACK')), pktLine('NAK\n')]) {
      await answering(
        (response) => void response.end(bytes),
        () => assert.rejects(open().listFiles(REPOSITORY, head, never), reason('provider_unavailable', { failure: 'answer_malformed' })),
      )
    }
    await answering(
      (response) => void response.writeHead(200, { 'Content-Length': pack.length }).write(pack.subarray(0, 30), () => response.destroy()),
      () => assert.rejects(open().listFiles(REPOSITORY, head, never), reason('provider_unavailable', { failure: 'connection_closed' })),
    )
  })

  it('refuses a pack without the commit, and says what the server says', async () => {
    const without = fetched(await writePack([named('blob', Buffer.from('a'))]))
    await answering(
      (response) => void response.end(without),
      () => assert.rejects(open().listFiles(REPOSITORY, head, never), reason('provider_unavailable')),
    )
    await answering(
      (response) => void response.end(pktLine(`ERR this server has a bad day, ${server.password}`)),
      () => assert.rejects(open().listFiles(REPOSITORY, head, never), reason('provider_refused', { provider_message: 'ERR this server has a bad day, [redacted]' })),
    )
  })

  it('refuses small trees that name billions of files', async () => {
    const leaf = named('blob', Buffer.from('a'))
    const objects = [leaf]
    let tree = treeObject(Array.from({ length: 50 }, (_, index) => ({ mode: '100644', name: `f${index}`, id: leaf.id })))
    for (let level = 0; level < 10; level++) {
      objects.push(tree)
      tree = treeObject(Array.from({ length: 50 }, (_, index) => ({ mode: '40000', name: `d${index}`, id: tree.id })))
    }
    const commit = commitObject({ tree: tree.id, parent: NO_ID, person: { name: 'n', email: 'e' }, at: new Date(0), message: 'm' })
    const pack = fetched(await writePack([...objects, tree, commit]))
    await answering(
      (response) => void response.end(pack),
      () => assert.rejects(open().listFiles(REPOSITORY, commit.id, never), reason('provider_too_large')),
    )
  })
})

/** Calls of a server whose list of references is that. */
function listing(references: string | Buffer) {
  const send = async (): ReturnType<HttpClient['send']> => ({ status: 200, headers: {}, body: Buffer.from(references) })
  return openPlainGit({ baseUrl: 'https://git.example.com', organization: null, credentials: { kind: 'none' } }, { http: { send }, reader: READER, clock: Date.now }).listBranches(
    REPOSITORY,
    never,
  )
}

it('plain Git says that it reads no server of files, and no repository with SHA-256', async () => {
  const announced = Buffer.concat([pktLine('# service=git-upload-pack\n'), FLUSH])
  const empty = Buffer.concat([announced, pktLine(`${'0'.repeat(64)} capabilities^{}\0side-band-64k object-format=sha256 agent=git/2\n`), FLUSH])
  const full = Buffer.concat([announced, pktLine(`${'a'.repeat(64)} HEAD\0side-band-64k object-format=sha256\n`), pktLine(`${'a'.repeat(64)} refs/heads/main\n`), FLUSH])
  for (const references of [empty, full]) await assert.rejects(listing(references), reason('provider_unsupported', { what: 'object_format' }))
  for (const id of ['a'.repeat(40), 'a'.repeat(64)]) await assert.rejects(listing(`${id}\trefs/heads/main\n`), reason('provider_unsupported', { what: 'smart_http' }))
  await assert.rejects(listing('<html>Sign in</html>'), reason('provider_unavailable', { failure: 'answer_malformed' }))
  assert.deepEqual(await listing(Buffer.concat([announced, pktLine(`${NO_ID} capabilities^{}\0side-band-64k object-format=sha1\n`), FLUSH])), [])
})

it('plain Git sends nothing to a private address', async () => {
  const http = new HttpClient(new EgressGuard({ allowPrivateTargets: false }))
  const gateway = openPlainGit({ baseUrl: 'http://127.0.0.1:9', organization: null, credentials: { kind: 'none' } }, { http, reader: READER, clock: Date.now })
  await assert.rejects(gateway.listBranches(REPOSITORY, never), reason('target_refused'))
  await assert.rejects(gateway.listBranches('team/../../admin', never), reason('provider_not_found'))
  http.close()
})
