/** The instance's secret on a store that outlives it: another one is refused, and changing it loses no data. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { after, afterEach, before, beforeEach, describe } from 'node:test'
import { ConfigError } from '../../server/core/config.js'
import { API_KEYS, type ApiKeyDocument } from '../../server/features/accounts/api-keys/store.js'
import { openCredentials } from '../../server/features/connections/integrations/credentials.js'
import { INTEGRATIONS } from '../../server/features/connections/integrations/store.js'
import { sealedFor } from '../../server/features/sso/identity-providers/connection.js'
import { IDENTITY_PROVIDERS } from '../../server/features/sso/identity-providers/store.js'
import { GIT_BINDINGS, sealedForBinding } from '../../server/features/connections/git-bindings/store.js'
import { UnsealError, unseal } from '../../server/core/auth/sealing.js'
import { deriveSecrets } from '../../server/core/auth/secrets.js'
import { WEBHOOKS, type WebhookDocument } from '../../server/features/webhooks/store.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { type Actor, addMember, bootstrap, createKey, login as loginAs, PASSWORD } from '../support/actors.js'
import { sharedPool, startTestApp, type TestApp } from '../support/app.js'
import { codeAt } from '../support/authenticator.js'
import { Client, type Refusal } from '../support/client.js'
import { createProvider, providersOf } from '../support/identity-providers.js'
import { createProject } from '../support/projects.js'
import { isSigned, type Receiver, startReceiver } from '../support/receiver.js'
import { refused } from './steps.js'
import { DEFAULT_STORE, type FreshStore } from '../support/stores.js'

// Shared by the whole file: first used inside of a suite, it would close with the suite.
sharedPool()

const OLD = 'the first secret of the instance, chosen with care'
const NEW = 'the second secret of the instance, no worse than it'
const TOKEN = 'the-token-of-the-forge'
const CLIENT_SECRET = 'the secret of a client of the provider'
const SCIM = '/scim/v2/ServiceProviderConfig'
const PATIENCE_MS = 60_000

describe('the secret key', () => {
  let store: FreshStore
  let receiver: Receiver
  let apps: TestApp[]

  before(async () => {
    receiver = await startReceiver()
  })
  after(() => receiver.close())
  beforeEach(async () => {
    store = await DEFAULT_STORE.fresh()
    apps = []
  })
  afterEach(async () => {
    for (const app of apps) await app.close()
    await store.remove()
  })

  /** Starts the service on the store with a secret, and with the previous one. */
  async function start(secret: string, previous?: string, acceptNewSecretKey = false): Promise<TestApp> {
    const app = await startTestApp({
      store: { ...DEFAULT_STORE, fresh: async () => ({ env: store.env, remove: async () => {} }) },
      env: {
        NATIVE_SERVICE_SECRET_KEY: secret,
        NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true',
        ...(previous === undefined ? {} : { NATIVE_SERVICE_SECRET_KEY_PREVIOUS: previous }),
      },
      acceptNewSecretKey,
    })
    apps.push(app)
    return app
  }

  async function stop(app: TestApp): Promise<void> {
    apps.splice(apps.indexOf(app), 1)
    await app.close()
  }

  /** The same caller, at the service that runs now. */
  const at = ({ client: { origin } }: TestApp, { standing }: Client): Client => new Client(origin, standing)

  async function untilLogged(app: TestApp, text: string): Promise<void> {
    for (const deadline = Date.now() + PATIENCE_MS; !app.log.some((line) => line.includes(text)); await sleep(10)) assert.ok(Date.now() < deadline, text)
  }

  async function enableFactor(client: Client): Promise<{ readonly secret: string; readonly codes: readonly string[] }> {
    const { body: setup } = await client.post<{ secret: string }>('/auth/me/second-factor', { password: PASSWORD })
    const confirmed = await client.post<{ recovery_codes: string[] }>('/auth/me/second-factor/confirm', { code: codeAt(setup.secret, Date.now()) })
    assert.equal(confirmed.status, 200, confirmed.text)
    return { secret: setup.secret, codes: confirmed.body.recovery_codes }
  }

  /** Creates one of everything that depends on the secret. */
  async function makeAll(app: TestApp) {
    const admin = await bootstrap(app.client)
    const factor = await enableFactor(admin.client)
    const used = await createKey(admin, ['analysis:run'], 'used')
    const unused = await createKey(admin, ['analysis:run'], 'unused')
    const path = `/platform/organizations/${admin.organizationId}`
    const webhook = await admin.client.post<{ id: string; secret: string }>(`${path}/webhooks`, { url: `${receiver.origin}/hook`, events: ['review.created'] })
    assert.equal(webhook.status, 200, webhook.text)
    const integration = await admin.client.post<{ id: string }>(`${path}/integrations`, {
      name: 'Forge',
      kind: 'git',
      provider: 'git',
      settings: { base_url: receiver.origin },
      credentials: { token: TOKEN },
    })
    assert.equal(integration.status, 200, integration.text)
    const chat = await admin.client.post<{ id: string }>(`${path}/integrations`, {
      name: 'Chat',
      kind: 'messaging',
      provider: 'slack',
      settings: { events: ['version.published'] },
      credentials: { webhook_url: `${receiver.origin}/chat` },
    })
    assert.equal(chat.status, 200, chat.text)
    const binding = await admin.client.post<{ id: string; webhook_secret: string }>(`${path}/git-bindings`, {
      project_id: (await createProject(admin)).id,
      integration_id: integration.body.id,
      repository: 'content',
      branch: 'main',
      rules_path: 'rules',
      decoders_path: 'decoders',
      publish_strategy: 'direct',
    })
    assert.equal(binding.status, 200, binding.text)
    const scim = await admin.client.post<{ token: string }>(`${path}/scim-tokens`, { name: 'Directory' })
    assert.equal(scim.status, 200, scim.text)
    const provider = await createProvider(admin, { client_secret: CLIENT_SECRET })
    const invitation = await admin.client.post<{ id: string; token: string }>(`/auth/organizations/${admin.organizationId}/invitations`, {
      email: 'ines@example.test',
      role: 'engineer',
    })
    assert.equal(invitation.status, 200, invitation.text)
    assert.equal((await app.client.post('/auth/password-reset/request', { email: admin.email })).status, 200)
    const tokenOf = (): string | undefined =>
      app.mail.sent
        .map(({ text }) => /token=([\w-]+)/.exec(text)?.[1] ?? /^\s*([\w-]{43})\s*$/m.exec(text)?.[1])
        .find((token) => token !== undefined && token !== invitation.body.token)
    for (const deadline = Date.now() + PATIENCE_MS; tokenOf() === undefined; await sleep(10)) assert.ok(Date.now() < deadline, 'no mail')
    return {
      admin,
      factor,
      used,
      unused,
      webhook: webhook.body,
      webhookPath: `${path}/webhooks/${webhook.body.id}`,
      chatPath: `${path}/integrations/${chat.body.id}`,
      integrationId: integration.body.id,
      binding: binding.body,
      scim: { client: admin.client.as({ token: scim.body.token }) },
      provider,
      invitation: invitation.body,
      resetToken: tokenOf() as string,
    }
  }

  const keyOf = (app: TestApp, { organizationId }: Actor, id: string): Promise<ApiKeyDocument | null> =>
    new Tenancy(app.service.storage).of(organizationId).collection(API_KEYS).findOne({ _id: id })
  const webhookOf = (app: TestApp, { organizationId }: Actor, id: string): Promise<WebhookDocument | null> =>
    new Tenancy(app.service.storage).of(organizationId).collection(WEBHOOKS).findOne({ _id: id })

  /** The secret of the provider's client, decrypted with the key of this secret alone. */
  async function clientSecret(app: TestApp, { admin, provider }: Awaited<ReturnType<typeof makeAll>>, secret: string): Promise<string> {
    const stored = (await new Tenancy(app.service.storage).of(admin.organizationId).collection(IDENTITY_PROVIDERS).findOne({ _id: provider.id }))!
    return unseal(deriveSecrets(secret).identityProvider, stored.client_secret!, sealedFor(stored))
  }

  /** The token of the integration, and the secret of the binding, in the same way. */
  async function unsealed(app: TestApp, { admin, integrationId, binding }: Awaited<ReturnType<typeof makeAll>>, secret: string): Promise<string[]> {
    const scope = new Tenancy(app.service.storage).of(admin.organizationId)
    const { integrationCredentials: key } = deriveSecrets(secret)
    const integration = (await scope.collection(INTEGRATIONS).findOne({ _id: integrationId }))!
    const bound = (await scope.collection(GIT_BINDINGS).findOne({ _id: binding.id }))!
    const credentials = openCredentials([key], integration) as { readonly token: string }
    return [credentials.token, unseal(key, bound.webhook_secret, sealedForBinding(bound))]
  }

  /** Logs in with the second factor. */
  async function enter(app: TestApp, email: string, password: string, code: string) {
    const { details } = refused(await app.client.post<Refusal>('/auth/login', { email, password }), 401, 'second_factor_required')
    return app.client.post<{ access_token: string }>('/auth/login/second-factor', { challenge: details.challenge, code })
  }

  async function isDelivered(client: Client, { webhookPath, webhook }: Awaited<ReturnType<typeof makeAll>>): Promise<boolean> {
    const count = receiver.received.length
    const { status, text } = await client.post(`${webhookPath}/test`)
    assert.equal(status, 200, text)
    return receiver.received.slice(count).some((received) => isSigned(received, webhook.secret))
  }

  test('is refused with one line if the store was created with another one, and nothing changes', async () => {
    const first = await start(OLD)
    const made = await makeAll(first)
    await stop(first)
    await assert.rejects(start(NEW), (error: Error) => {
      assert.ok(error instanceof ConfigError)
      assert.equal(error.fault, 'secret_changed')
      for (const locale of ['en-US', 'pt-BR'] as const) {
        assert.match(error.localize(locale), /^[^\n]*NATIVE_SERVICE_SECRET_KEY[^\n]*NATIVE_SERVICE_SECRET_KEY_PREVIOUS[^\n]*--accept-new-secret-key[^\n]*$/)
        assert.ok(!error.localize(locale).includes(NEW))
      }
      return true
    })
    // Neither does a previous secret help with which the store was not created.
    await assert.rejects(start(NEW, 'a previous secret that was never used here'), ConfigError)
    const again = await start(OLD)
    assert.equal((await at(again, made.admin.client).get('/auth/me')).status, 200)
    assert.equal((await at(again, made.used.client).get('/analysis/schema')).status, 200)
  })

  test('is changed without a loss: data created with the previous one is read, and written again', async () => {
    const first = await start(OLD)
    const made = await makeAll(first)
    const { admin, used, unused, webhook, invitation } = made
    const before = await keyOf(first, admin, used.id)
    const sealed = await webhookOf(first, admin, webhook.id)
    assert.deepEqual(await unsealed(first, made, OLD), [TOKEN, made.binding.webhook_secret])
    assert.equal(await clientSecret(first, made, OLD), CLIENT_SECRET)
    await stop(first)

    const second = await start(NEW, OLD)
    await untilLogged(second, 'stored secrets are sealed')
    const here = at(second, admin.client)
    assert.equal((await here.get('/auth/me')).status, 200, 'a session goes on')
    assert.equal((await at(second, used.client).get('/analysis/schema')).status, 200, 'a key works')
    assert.ok(await isDelivered(here, made), 'a webhook is signed with the secret that its receiver has')
    assert.notEqual((await webhookOf(second, admin, webhook.id))?.secret, sealed?.secret)
    assert.deepEqual(await unsealed(second, made, NEW), [TOKEN, made.binding.webhook_secret], 'credentials are sealed with the new one')
    assert.equal(await clientSecret(second, made, NEW), CLIENT_SECRET)
    assert.equal((await at(second, made.scim.client).get(SCIM)).status, 200, 'a directory goes on')
    await assert.rejects(unsealed(second, made, OLD))
    assert.equal((await here.post(`${made.chatPath}/test`)).status, 200, 'a chat gets messages')
    const listed = await here.get<{ id: string; token: string }[]>(`/auth/organizations/${admin.organizationId}/invitations`)
    assert.equal(listed.body.find(({ id }) => id === invitation.id)?.token, invitation.token, 'an invitation is shown with the link that was mailed')
    const accepted = await second.client.post<{ access_token: string }>(`/auth/invitations/${invitation.token}/accept`, { display_name: 'Inês', password: 'another long password' })
    assert.equal(accepted.status, 200, accepted.text)
    const reset = await second.client.post('/auth/password-reset/confirm', { token: made.resetToken, new_password: 'a password after the change' })
    assert.equal(reset.status, 200, reset.text)
    // The stop waits for pending writes.
    await stop(second)

    const third = await start(NEW)
    const after = await keyOf(third, admin, used.id)
    assert.notEqual(after?.secret_hash, before?.secret_hash)
    assert.equal((await at(third, used.client).get('/analysis/schema')).status, 200, 'a key that was used meanwhile goes on')
    assert.equal((await at(third, unused.client).get('/analysis/schema')).status, 401, 'one that was not used is lost, as the settings say')
    assert.equal((await at(third, made.scim.client).get(SCIM)).status, 200, 'so does a directory')
    assert.equal((await at(third, new Client('', { token: accepted.body.access_token })).get('/auth/me')).status, 200)
    const login = await enter(third, admin.email, 'a password after the change', codeAt(made.factor.secret, Date.now(), 1))
    assert.equal(login.status, 200, 'the second factor is sealed with the new one')
    assert.ok(await isDelivered(third.client.as({ token: login.body.access_token }), made))
    assert.equal((await third.client.as({ token: login.body.access_token }).post(`${made.chatPath}/test`)).status, 200, 'without the previous one')
    await stop(third)
    // The store belongs to the new secret now.
    await assert.rejects(start(OLD), ConfigError)
  })

  test('loses data created with the old one if the new one is accepted explicitly, and reports it', async () => {
    const first = await start(OLD)
    const made = await makeAll(first)
    const member = await addMember(made.admin, 'engineer')
    const lost = await enableFactor(member.client)
    await stop(first)
    const second = await start(NEW, undefined, true)
    for (const data of ['API keys', 'tokens of SCIM', 'second factors', 'identity providers'])
      assert.ok(
        second.log.some((line) => line.includes('"level":"warn"') && line.includes(data)),
        data,
      )
    assert.equal((await at(second, made.admin.client).get('/auth/me')).status, 401)
    assert.equal((await at(second, made.used.client).get('/analysis/schema')).status, 401)
    refused(await enter(second, made.admin.email, PASSWORD, codeAt(made.factor.secret, Date.now(), 1)), 401, 'unauthorized')
    const login = await enter(second, made.admin.email, PASSWORD, made.factor.codes[0])
    assert.equal(login.status, 200, 'passwords and recovery codes do not depend on it')
    const admin = second.client.as({ token: login.body.access_token })
    // The user replaces the authenticator that is lost.
    refused(await admin.post('/auth/me/second-factor/remove', { code: codeAt(made.factor.secret, Date.now(), 1) }), 400, 'bad_request')
    assert.equal((await admin.post('/auth/me/second-factor/remove', { code: made.factor.codes[1] })).status, 204)
    const { secret } = await enableFactor(admin)
    assert.equal((await enter(second, made.admin.email, PASSWORD, codeAt(secret, Date.now(), 1))).status, 200)
    // A user who has no recovery codes either needs a platform admin.
    refused(await enter(second, member.email, PASSWORD, codeAt(lost.secret, Date.now(), 1)), 401, 'unauthorized')
    assert.equal((await admin.delete(`/platform/admin/users/${member.userId}/second-factor`)).status, 204)
    await loginAs(second.client, member.email)
    assert.equal(await isDelivered(admin, made), false)
    assert.equal((await at(second, made.scim.client).get(SCIM)).status, 401)
    // The secret of a provider's client is sent again.
    await assert.rejects(clientSecret(second, made, NEW), UnsealError)
    refused(await second.client.get(`/sso/oidc/${made.provider.id}/login`), 409, 'conflict')
    const provider = `${providersOf(made.admin)}/${made.provider.id}`
    assert.equal((await admin.get<{ has_client_secret: boolean }>(provider)).body.has_client_secret, true)
    assert.equal((await admin.patch(provider, { client_secret: CLIENT_SECRET })).status, 200)
    assert.equal(await clientSecret(second, made, NEW), CLIENT_SECRET)
    refused(await admin.post(`${made.chatPath}/test`), 409, 'conflict')
    const listed = await admin.get<{ id: string; token: string }[]>(`/auth/organizations/${made.admin.organizationId}/invitations`)
    assert.equal(listed.body.find(({ id }) => id === made.invitation.id)?.token, '', 'a link that leads nowhere is not shown')
    await stop(second)
    const third = await start(NEW)
    assert.equal((await third.client.as({ token: login.body.access_token }).get('/auth/me')).status, 200)
  })
})
