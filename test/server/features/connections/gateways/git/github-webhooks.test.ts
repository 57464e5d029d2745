/** Deliveries of GitHub's webhooks. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import type { WebhookRequest } from '../../../../../../server/features/connections/gateways/git/gateway.js'
import { githubWebhooks } from '../../../../../../server/features/connections/gateways/git/github-webhooks.js'
import { READER } from '../../../../../support/reader.js'

const SECRET = "It's a Secret to Everybody"
const HEAD = 'a10867b14bb761a232cd80139fbd4c0d33264240'
const repository = { id: 186853002, name: 'content', full_name: 'acme/content', private: true }
const push = { ref: 'refs/heads/main', before: '6113728f27ae82c7b1a177c8d03f9e96e0adf246', after: HEAD, created: false, deleted: false, forced: false, repository, commits: [] }
const pull = {
  action: 'opened',
  number: 2,
  pull_request: { number: 2, state: 'open', merged: false, head: { ref: 'changes', sha: HEAD, label: 'acme:changes' }, base: { ref: 'main', sha: push.before } },
  repository,
}

function delivery(event: string, payload: unknown, headers: Readonly<Record<string, string>> = {}): WebhookRequest {
  const body = typeof payload === 'string' ? Buffer.from(payload) : Buffer.from(JSON.stringify(payload))
  const all: Readonly<Record<string, string>> = { 'x-github-event': event, 'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958', ...headers }
  return { header: (name) => all[name], body }
}

const parse = (request: WebhookRequest): ReturnType<typeof githubWebhooks.parse> => githubWebhooks.parse(request, READER)

describe('webhooks of GitHub', () => {
  test('are authentic if the body is signed with the secret', () => {
    // The example of GitHub's documentation.
    const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
    const signed = delivery('push', 'Hello, World!', { 'x-hub-signature-256': signature })
    assert.equal(githubWebhooks.isAuthentic(signed, SECRET), true)
    assert.equal(githubWebhooks.isAuthentic(signed, `${SECRET}!`), false)
    assert.equal(githubWebhooks.isAuthentic(delivery('push', 'Hello, World?', { 'x-hub-signature-256': signature }), SECRET), false)
    const sha1 = createHmac('sha1', SECRET).update('Hello, World!').digest('hex')
    for (const other of ['', 'sha256=', `sha256=${sha1}`, signature.slice(0, -1), signature.replace('sha256=', ''), signature.toUpperCase(), `${signature}00`]) {
      assert.equal(githubWebhooks.isAuthentic(delivery('push', 'Hello, World!', { 'x-hub-signature-256': other }), SECRET), false, other)
    }
    assert.equal(githubWebhooks.isAuthentic(delivery('push', 'Hello, World!'), SECRET), false)
    assert.equal(githubWebhooks.isAuthentic(delivery('push', 'Hello, World!', { 'x-hub-signature': `sha1=${sha1}` }), SECRET), false)
  })

  test('have the id of their delivery', () => {
    assert.equal(githubWebhooks.deliveryId(delivery('push', push)), '72d3162e-cc78-11e3-81ab-4c9367dc0958')
    for (const id of ['', 'a b', 'x'.repeat(101), '$ne']) assert.equal(githubWebhooks.deliveryId(delivery('push', push, { 'x-github-delivery': id })), null)
    assert.equal(githubWebhooks.deliveryId({ header: () => undefined, body: Buffer.alloc(0) }), null)
  })

  test('report pushes to branches', async () => {
    assert.deepEqual(await parse(delivery('push', push)), { kind: 'push', repository: 'acme/content', branch: 'main', headSha: HEAD })
    const nested = await parse(delivery('push', { ...push, ref: 'refs/heads/feature/ação', created: true }))
    assert.deepEqual(nested, { kind: 'push', repository: 'acme/content', branch: 'feature/ação', headSha: HEAD })
  })

  test('report pull requests whose head is new, and closed ones', async () => {
    const review = { kind: 'review', repository: 'acme/content', number: 2, sourceBranch: 'changes', targetBranch: 'main', headSha: HEAD }
    for (const action of ['opened', 'synchronize', 'reopened']) assert.deepEqual(await parse(delivery('pull_request', { ...pull, action })), review)
    const edited = { ...pull, action: 'edited', changes: { base: { ref: { from: 'other' }, sha: { from: HEAD } } } }
    assert.deepEqual(await parse(delivery('pull_request', edited)), review)
    const closed = { kind: 'review_closed', repository: 'acme/content', number: 2 }
    assert.deepEqual(await parse(delivery('pull_request', { ...pull, action: 'closed' })), { ...closed, isMerged: false })
    const merged = { ...pull, action: 'closed', pull_request: { ...pull.pull_request, merged: true } }
    assert.deepEqual(await parse(delivery('pull_request', merged)), { ...closed, isMerged: true })
  })

  test('are ignored where nothing follows from them', async () => {
    const ignored: readonly WebhookRequest[] = [
      delivery('ping', { zen: 'Design for failure.', hook_id: 1 }),
      delivery('issues', '{'),
      delivery('push', { ...push, ref: 'refs/tags/v1' }),
      delivery('push', { ...push, deleted: true, after: '0'.repeat(40) }),
      ...['labeled', 'edited', 'assigned', 'converted_to_draft'].map((action) => delivery('pull_request', { ...pull, action })),
      delivery('pull_request', { ...pull, action: 'edited', changes: { title: { from: 'Old' } } }),
      { header: () => undefined, body: Buffer.from('{}') },
    ]
    for (const request of ignored) assert.deepEqual(await parse(request), { kind: 'ignored' })
  })

  test('are not read if they are not as GitHub sends them', async () => {
    const wrong: readonly WebhookRequest[] = [
      ...['', '{', 'null', '[]', '"x"', '{}', JSON.stringify(push).slice(0, -1), `payload=${encodeURIComponent(JSON.stringify(push))}`].map((text) => delivery('push', text)),
      delivery('push', { ...push, after: 'HEAD' }),
      delivery('push', { ...push, repository: null }),
      delivery('push', { ...push, ref: 1 }),
      delivery('pull_request', { ...pull, number: '2' }),
      delivery('pull_request', { ...pull, pull_request: { ...pull.pull_request, head: { ref: 'changes', sha: '../..' } } }),
    ]
    for (const request of wrong) assert.equal(await parse(request), null)
    const latin1 = Buffer.from(JSON.stringify({ ...push, ref: 'refs/heads/ação' }), 'latin1')
    assert.equal(await parse({ header: () => 'push', body: latin1 }), null)
  })
})
