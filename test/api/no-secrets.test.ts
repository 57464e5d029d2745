/**
 * Credentials of integrations and secrets of bindings are nowhere but sealed in the store: integrations of all providers are created, changed, used and deleted
 * against a server that fails in every way and repeats what it was sent, and all that the service says, logs, mails and stores is searched for them.
 */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import test, { after, before, describe } from 'node:test'
import { INTEGRATIONS } from '../../server/features/connections/integrations/store.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { type Actor, bootstrap, createKey } from '../support/actors.js'
import { sharedPool, startTestApp, type TestApp } from '../support/app.js'
import type { Call } from '../support/client.js'
import { Marks } from '../support/marks.js'
import { createProject } from '../support/projects.js'
import { type Received, type Receiver, startReceiver } from '../support/receiver.js'
import { stored } from './steps.js'

// Created here, the pool belongs to the file.
sharedPool()

type Answering = (received: Received, response: ServerResponse, request: IncomingMessage) => void

/** What a hostile server repeats: every header and the body, where providers have their messages. */
const echo = ({ headers, body, path }: Received): string => {
  const message = `refused: ${JSON.stringify(headers)} ${Buffer.from(
    String(headers.authorization ?? '')
      .split(' ')
      .at(-1) ?? '',
    'base64',
  ).toString()} ${body} ${path}`
  return JSON.stringify({ message, error: message, errors: [{ message }], error_description: message })
}
const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Answering =>
  (received, response) =>
    void response.writeHead(code, { 'Content-Type': 'application/json', ...headers }).end(echo(received))

const FAILURES: Readonly<Record<string, Answering>> = {
  'refused credential': status(401),
  'missing scope': status(403),
  missing: status(404),
  conflict: status(409),
  invalid: status(422),
  'rate limit': status(429, { 'Retry-After': '3600' }),
  redirect: (received, response) => void response.writeHead(302, { Location: `http://127.0.0.1:9/${encodeURIComponent(echo(received))}` }).end(),
  'not JSON': (received, response) => void response.end(`<html>${echo(received)}</html>`),
  'another shape': status(200),
  'half a body': (received, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100000' })
    response.write(echo(received))
    setImmediate(() => response.destroy())
  },
  'no answer': (_, response) => void response.destroy(),
}

describe('secrets', () => {
  let app: TestApp
  let admin: Actor
  let receiver: Receiver
  const marks = new Marks()
  const call = (method: string, path: string, sent: Call = {}) =>
    admin.client.call<{ id: string; webhook_secret?: string }>(method, path, sent).then((answer) => marks.keep(`${method} ${path}`, answer))

  before(async () => {
    receiver = await startReceiver()
    app = await startTestApp({ env: { NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true', NATIVE_SERVICE_LOG_LEVEL: 'debug' } })
    admin = await bootstrap(app.client)
  })
  after(async () => {
    await app.close()
    await receiver.close()
  })

  test('are in no answer, log line, mail, audit entry, stored document or backup', async () => {
    const of = `/platform/organizations/${admin.organizationId}/integrations`
    const base_url = receiver.origin
    const token = (name: string) => ({ token: marks.create(`token of ${name}`) })
    const password = (name: string) => ({ username: 'bot', password: marks.create(`password of ${name}`) })
    const webhook = (name: string) => ({ webhook_url: `${receiver.origin}/hooks/${marks.create(`webhook of ${name}`)}` })
    const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const keyLines = key.split('\n').filter((line) => line.length > 30 && !line.startsWith('-----'))
    keyLines.forEach((line, index) => marks.add(`line ${index} of the private key`, line))
    const app_id = { app_id: '1', private_key: key, installation_id: '2' }
    const events = ['api_key.created']
    const made: string[] = []
    for (const [kind, provider, settings, credentials] of [
      ['git', 'github', { base_url }, token('github')],
      ['git', 'github', { base_url }, app_id],
      ['git', 'gitlab', { base_url }, token('gitlab')],
      ['git', 'gitea', { base_url }, token('gitea')],
      ['git', 'git', { base_url }, password('git')],
      ['git', 'git', { base_url }, token('git')],
      ['ci', 'github_actions', { base_url, project: 'a/b', workflow: 'c.yml' }, token('github_actions')],
      ['ci', 'gitlab_ci', { base_url, project: 'a/b' }, token('gitlab_ci')],
      ['ci', 'jenkins', { base_url, project: 'a' }, password('jenkins')],
      ['messaging', 'slack', { events }, webhook('slack')],
      ['messaging', 'mattermost', { events }, webhook('mattermost')],
      ['messaging', 'microsoft_teams', { events }, webhook('microsoft_teams')],
    ] as const) {
      const { status: code, text, body } = await call('POST', of, { body: { name: provider, kind, provider, settings, credentials } })
      assert.equal(code, 200, text)
      made.push(body.id)
      // Refused requests do not repeat what they have.
      for (const wrong of [
        { settings: { ...settings, base_url: 'x' } },
        { credentials: { ...credentials, other: token('refused') } },
        { kind: 'none' },
        { provider: 'slack', kind: 'git' },
      ])
        assert.ok((await call('POST', of, { body: { name: provider, kind, provider, settings, credentials, ...wrong } })).status >= 400)
    }
    const project = await createProject(admin)
    const bindings: string[] = []
    for (const id of made.slice(0, 6)) {
      const fields = { project_id: project.id, integration_id: id, repository: 'a/b', branch: 'main', rules_path: 'rules', decoders_path: 'decoders', publish_strategy: 'direct' }
      const { status: code, body, text } = await admin.client.post<{ id: string; webhook_secret: string }>(`/platform/organizations/${admin.organizationId}/git-bindings`, fields)
      assert.equal(code, 200, text)
      marks.add(`webhook secret of the binding of ${id}`, body.webhook_secret)
      bindings.push(`/platform/organizations/${admin.organizationId}/git-bindings/${body.id}`)
    }
    const providers = `/platform/organizations/${admin.organizationId}/identity-providers`
    const client_secret = marks.create('client secret')
    const fields = { name: 'Login', kind: 'oidc', issuer: receiver.origin, client_id: 'c', client_secret }
    const { body: login } = await call('POST', providers, { body: fields })
    for (const wrong of [{ issuer: 'x' }, { client_secret: [client_secret] }, { client_secret, secret: client_secret }, { domains: [client_secret] }]) {
      assert.ok((await call('POST', providers, { body: { ...fields, ...wrong } })).status >= 400)
    }
    // Metadata that sends the secret to the echoing server, which repeats it as an answer of the token endpoint.
    const metadata = Object.fromEntries(['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'].map((name) => [name, `${receiver.origin}/${name}`]))
    for (const [failure, answering] of Object.entries(FAILURES)) {
      for (const method of ['client_secret_basic', 'client_secret_post']) {
        receiver.answers((received, response, request) => {
          if (received.path !== '/.well-known/openid-configuration') return answering(received, response, request)
          response
            .writeHead(200, { 'Content-Type': 'application/json' })
            .end(JSON.stringify({ issuer: receiver.origin, token_endpoint_auth_methods_supported: [method], ...metadata }))
        })
        const { text, status: code } = await call('POST', `${providers}/${login.id}/validate`)
        assert.deepEqual([code, (JSON.parse(text) as { valid: boolean }).valid], [200, false], `${failure}: ${text}`)
      }
      receiver.answers(answering)
      // At once, because some gateways repeat failed calls after a second.
      await Promise.all(
        made.map(async (id) => {
          await call('POST', `${of}/${id}/test`)
          await call('GET', `${of}/${id}/repositories`)
          await call('GET', `${of}/${id}/branches?repository=a/b`)
          await call('POST', `${of}/${id}/pipeline-runs`, { body: { branch: 'main', inputs: {} } })
          await call('GET', `${of}/${id}/pipeline-runs/1`)
        }),
      )
      await Promise.all(
        bindings.map(async (path) => {
          for (const action of ['discover', 'import', 'preflight', 'publish']) await call('POST', `${path}/${action}`)
          for (const action of ['commits', 'review-status', 'runs']) await call('GET', `${path}/${action}`)
        }),
      )
      await createKey(admin, ['analysis:run'], failure)
      for (const id of made) await call('PATCH', `${of}/${id}`, { body: { name: failure } })
    }
    receiver.answers(status(404))
    await createKey(admin, ['analysis:run'], 'gone')
    for (const list of [of, providers, '/platform/audit?limit=200', '/notifications?limit=200']) assert.equal((await call('GET', list)).status, 200)
    assert.ok(receiver.received.length > made.length * Object.keys(FAILURES).length, 'the providers were called')
    assert.ok(receiver.received.some(({ path, headers, body }) => path === '/token_endpoint' && (headers.authorization !== undefined || body.includes(client_secret))))
    await marks.search(app)

    const sealed = await new Tenancy(app.service.storage).of(admin.organizationId).collection(INTEGRATIONS).find({})
    for (const { _id, credentials } of sealed) marks.add(`sealed credentials of ${_id}`, credentials!)
    for (const id of made) assert.equal((await call('DELETE', `${of}/${id}`)).status, 204)
    assert.equal((await call('GET', '/platform/audit?limit=200')).status, 200)
    await marks.search(app)
  })

  test('are found by the search', async () => {
    const other = new Marks()
    other.add('the description', 'of the tests')
    await assert.rejects(other.search(app), /the store has the secret "the description"/)
    assert.ok((await stored(app)).includes('of the tests'))
  })
})
