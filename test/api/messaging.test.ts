/** Posts of domain events to chats: by the outbox and the deliveries of webhooks, to receivers that check the documented form of each chat. */
import assert from 'node:assert/strict'
import test, { after, before, beforeEach, describe } from 'node:test'
import { FAILING_LIMIT_MS } from '../../server/features/webhooks/retry.js'
import { DELIVERIES } from '../../server/features/webhooks/store.js'
import { OUTBOX } from '../../server/core/events/outbox.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { type Actor, bootstrap, createKey, register } from '../support/actors.js'
import { sharedPool, startTestApp, type TestApp } from '../support/app.js'
import { createProject, openReview, openWorkspace } from '../support/projects.js'
import { type Received, type Receiver, startReceiver } from '../support/receiver.js'
import { refused, SIGNUP, waitFor } from './steps.js'

interface Integration {
  readonly id: string
  readonly is_active: boolean
  readonly disabled_reason: string | null
  readonly disabled_at: string | null
  readonly failing_since: string | null
}

// Created here, the pool belongs to the file.
sharedPool()

const PROVIDERS = ['slack', 'mattermost', 'microsoft_teams'] as const
type Provider = (typeof PROVIDERS)[number]

/** What a chat refuses: every form that its documentation does not have. */
const CHECKS: Readonly<Record<Provider, (body: Record<string, unknown>) => boolean>> = {
  slack: ({ text, blocks }) =>
    typeof text === 'string' &&
    (blocks as { type: string; text: { type: string } }[]).every(({ type, text: { type: form } }) => (type === 'header' ? form === 'plain_text' : type === 'section')),
  mattermost: (body) => Object.keys(body).join() === 'text' && typeof body.text === 'string' && body.text !== '',
  microsoft_teams: ({ type, attachments }) =>
    type === 'message' && (attachments as { contentType: string }[]).every(({ contentType }) => contentType === 'application/vnd.microsoft.card.adaptive'),
}

describe('posts to chats', () => {
  let app: TestApp
  let admin: Actor
  let receiver: Receiver
  let now = Date.parse('2100-01-01T00:00:00Z')
  let made: Integration[] = []

  const of = (actor = admin): string => `/platform/organizations/${actor.organizationId}/integrations`
  const pathOf = ({ id }: Pick<Integration, 'id'>): string => `${of()}/${id}`
  const listen = async (path: string, events: readonly string[], provider: Provider = 'slack', locale?: string, actor = admin): Promise<Integration> => {
    const { status, body, text } = await actor.client.post<Integration>(of(actor), {
      name: `Channel ${path}`,
      kind: 'messaging',
      provider,
      settings: { events, ...(locale === undefined ? {} : { locale }) },
      credentials: { webhook_url: receiver.origin + path },
    })
    assert.equal(status, 200, text)
    if (actor === admin) made.push(body)
    return body
  }
  const show = async (integration: Integration) => (await admin.client.get<Integration>(pathOf(integration))).body
  const at = (path: string): Received[] => receiver.received.filter((one) => one.path === path)
  const scope = () => new Tenancy(app.service.storage).of(admin.organizationId)
  const deliveriesOf = (integration: Integration) => scope().collection(DELIVERIES).find({ webhook_id: integration.id })
  const delivery = (integration: Integration, status: string) => waitFor(async () => (await deliveriesOf(integration)).find((one) => one.status === status))
  const cause = (name = 'a key') => createKey(admin, ['analysis:run'], name)

  before(async () => {
    receiver = await startReceiver()
    app = await startTestApp({
      env: {
        ...SIGNUP,
        NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true',
        NATIVE_SERVICE_SESSION_TTL_SECONDS: String(365 * 24 * 3600),
        NATIVE_SERVICE_PUBLIC_BASE_URL: 'https://content.example.test',
        NATIVE_SERVICE_DEFAULT_LOCALE: 'en-US',
      },
      clock: () => now,
    })
    admin = await bootstrap(app.client)
  })
  beforeEach(async () => {
    receiver.answers(200)
    for (const integration of made) await admin.client.delete(pathOf(integration))
    made = []
  })
  after(async () => {
    await app?.close()
    await receiver?.close()
  })

  test('each chat gets an event in its form and language, with a link', async () => {
    for (const provider of PROVIDERS) await listen(`/${provider}`, ['review.created'], provider, provider === 'slack' ? 'pt-BR' : undefined)
    const project = await createProject(admin)
    await openReview(admin, await openWorkspace(admin, project.id))
    for (const provider of PROVIDERS) {
      const { method, headers, body } = await waitFor(() => at(`/${provider}`)[0])
      assert.deepEqual([method, headers['content-type'], headers['webhook-signature']], ['POST', 'application/json', undefined])
      assert.ok(CHECKS[provider](JSON.parse(body) as Record<string, unknown>), body)
      assert.ok(body.includes('https://content.example.test/platform/projects/'), body)
      assert.ok(body.includes(provider === 'slack' ? 'Revis' : 'Review'), body)
    }
  })

  test('an event is posted only to the integrations that select it, of its organization', async () => {
    const [one, deaf] = [await listen('/one', ['api_key.created']), await listen('/deaf', ['version.published'])]
    const off = await listen('/off', ['api_key.created'])
    await admin.client.patch(pathOf(off), { is_active: false })
    const other = await register(app.client, 'other')
    await listen('/theirs', ['api_key.created'], 'slack', 'en-US', other)
    await cause('the key of this test')
    await delivery(one, 'delivered')
    assert.deepEqual([at('/one').length, at('/deaf').length, at('/off').length, at('/theirs').length], [1, 0, 0, 0])
    assert.deepEqual([(await deliveriesOf(deaf)).length, (await deliveriesOf(off)).length], [0, 0])
    assert.ok(at('/one')[0].body.includes('the key of this test'))
    assert.deepEqual(await scope().collection(OUTBOX).find({}), [])
  })

  test('an event that nobody selects is not stored', async () => {
    await listen('/quiet', ['version.published'])
    await cause()
    assert.deepEqual(await scope().collection(OUTBOX).find({}), [])
  })

  test('a webhook and a chat get the same event', async () => {
    const chat = await listen('/chat', ['api_key.created'])
    const webhooks = `/platform/organizations/${admin.organizationId}/webhooks`
    const webhook = await admin.client.post<{ id: string }>(webhooks, { url: `${receiver.origin}/webhook`, events: ['api_key.created'] })
    await cause()
    await delivery(chat, 'delivered')
    await waitFor(() => at('/webhook')[0])
    const listed = await admin.client.get<unknown[]>(`${webhooks}/${webhook.body.id}/deliveries`)
    assert.equal(listed.body.length, 1, 'those of the chat are not listed')
    await admin.client.delete(`${webhooks}/${webhook.body.id}`)
  })

  test('a refused post is retried with the pauses of webhooks', async () => {
    receiver.answers(503)
    const integration = await listen('/down', ['api_key.created'])
    await cause()
    const first = await waitFor(async () => (await deliveriesOf(integration)).find(({ attempt_count }) => attempt_count === 1))
    assert.deepEqual([first.status, first.next_attempt_at?.getTime()], ['pending', now + 5_000])
    assert.equal((await show(integration)).failing_since, new Date(now).toISOString())
    receiver.answers(200)
    now += 5_000
    await delivery(integration, 'delivered')
    await waitFor(async () => ((await show(integration)).failing_since === null ? true : undefined))
    assert.equal(at('/down').length, 2)
  })

  test('a chat that limits the rate is asked again no earlier than it says, within a day', async () => {
    const integration = await listen('/limited', ['api_key.created'])
    const attempted = (count: number) => waitFor(async () => (await deliveriesOf(integration)).find(({ attempt_count }) => attempt_count === count))
    receiver.answers((_, response) => void response.writeHead(429, { 'Retry-After': '90' }).end())
    await cause()
    assert.equal((await attempted(1)).next_attempt_at?.getTime(), now + 90_000)
    now += 90_000
    receiver.answers((_, response) => void response.writeHead(503, { 'Retry-After': '1' }).end())
    // The pause of webhooks is longer.
    assert.equal((await attempted(2)).next_attempt_at?.getTime(), now + 5 * 60_000)
    now += 5 * 60_000
    receiver.answers((_, response) => void response.writeHead(429, { 'Retry-After': '99999999' }).end())
    const next = (await attempted(3)).next_attempt_at?.getTime() ?? 0
    assert.ok(next > now + 30 * 60_000 && next <= now + 24 * 60 * 60_000, new Date(next).toISOString())
    // The stored attempts have the fields of the interface alone.
    const [{ attempts }] = await deliveriesOf(integration)
    assert.deepEqual(Object.keys(attempts[0]).sort(), ['at', 'duration_ms', 'error', 'status_code'])
  })

  test('a chat that answers 404 or 410 is disabled, and the admins are told', async () => {
    for (const status of [404, 410]) {
      receiver.answers(status)
      const integration = await listen(`/gone-${status}`, ['api_key.created'])
      await cause()
      assert.equal((await delivery(integration, 'failed')).reason, 'gone')
      const shown = await show(integration)
      assert.deepEqual([shown.is_active, shown.disabled_reason, shown.disabled_at], [false, 'gone', new Date(now).toISOString()])
      // The mail to another admin about the other chat may be on its way.
      const mail = await waitFor(() => app.mail.sent.find(({ text }) => text.includes(`Channel /gone-${status}`)))
      assert.ok(!mail.text.includes(receiver.origin), mail.text)
      const notices = await waitFor(async () => {
        const { body } = await admin.client.get<{ items: { kind: string; link: string | null }[] }>('/notifications?limit=200')
        return body.items.find(({ link }) => link?.endsWith(integration.id) === true)
      })
      assert.equal(notices.kind, 'integration.disabled')
      const entries = await admin.client.get<{ action: string }[]>(`/platform/audit?resource_id=${integration.id}&action=integration.disabled`)
      assert.equal(entries.body.length, 1)
      receiver.answers(200)
      await cause()
      assert.equal((await deliveriesOf(integration)).length, 1, 'nothing more is posted')
      const again = await admin.client.patch<Integration>(pathOf(integration), { is_active: true })
      assert.deepEqual([again.body.is_active, again.body.disabled_reason, again.body.disabled_at, again.body.failing_since], [true, null, null, null])
      await cause()
      await delivery(integration, 'delivered')
    }
  })

  test('a chat that accepts nothing for five days is disabled at the last attempt', async () => {
    receiver.answers(500)
    const integration = await listen('/dead', ['api_key.created'])
    await cause()
    await waitFor(async () => (await deliveriesOf(integration)).find(({ attempt_count }) => attempt_count === 1))
    const [{ _id }] = await deliveriesOf(integration)
    // As if the attempts before the last one had failed over five days.
    await scope()
      .collection(DELIVERIES)
      .update({ _id }, { set: { failures: 7 } })
    now += FAILING_LIMIT_MS
    await delivery(integration, 'failed')
    assert.deepEqual([(await show(integration)).is_active, (await show(integration)).disabled_reason], [false, 'failing'])
  })

  test('Teams refuses a message with the status 200', async () => {
    const integration = await listen('/teams', ['api_key.created'], 'microsoft_teams')
    receiver.answers((_, response) => void response.end('Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429'))
    refused(await admin.client.post(`${pathOf(integration)}/test`), 400, 'provider_refused')
    receiver.answers((_, response) => void response.end('1'))
    assert.equal((await admin.client.post(`${pathOf(integration)}/test`)).status, 200)
  })

  test('a test posts a message, also if the integration is disabled', async () => {
    const integration = await listen('/test', ['version.published'])
    await admin.client.patch(pathOf(integration), { is_active: false })
    const answer = await admin.client.post(`${pathOf(integration)}/test`)
    assert.deepEqual(answer.body, { ok: true, checked: 'message', repository_count: null, repositories: [], account: null })
    assert.ok(at('/test')[0].body.includes('Channel /test'))
    assert.deepEqual(await deliveriesOf(integration), [])
    for (const [status, expected, code] of [
      [404, 400, 'provider_not_found'],
      [403, 400, 'provider_credentials_refused'],
      [400, 400, 'provider_refused'],
      [302, 400, 'provider_redirect_refused'],
      [500, 502, 'provider_unavailable'],
    ] as const) {
      receiver.answers(status)
      refused(await admin.client.post(`${pathOf(integration)}/test`), expected, code)
    }
    receiver.answers((_, response) => response.destroy())
    refused(await admin.client.post(`${pathOf(integration)}/test`), 502, 'provider_unavailable')
  })

  test('pending posts of a deleted integration are deleted', async () => {
    receiver.answers(503)
    const integration = await listen('/deleted', ['api_key.created'])
    await cause()
    await waitFor(async () => (await deliveriesOf(integration)).find(({ attempt_count }) => attempt_count === 1))
    assert.equal((await admin.client.delete(pathOf(integration))).status, 204)
    await waitFor(async () => ((await deliveriesOf(integration)).length === 0 ? true : undefined))
  })
})
