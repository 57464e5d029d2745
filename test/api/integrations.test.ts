/** Integrations over HTTP: create, list, get, update, delete, and how their credentials are stored. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import test, { after, before, describe } from 'node:test'
import { INTEGRATIONS, type IntegrationDocument } from '../../server/features/connections/integrations/store.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { type Actor, addMember, anonymous, bootstrap, createKey, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Refusal } from '../support/client.js'
import { refused, SIGNUP, stored } from './steps.js'

interface Integration {
  readonly id: string
  readonly organization_id: string
  readonly name: string
  readonly kind: string
  readonly provider: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly credentials_kind: string
  readonly credentials_set_at: string | null
  readonly is_active: boolean
  readonly created_at: string
  readonly updated_at: string
}

interface Entry {
  readonly action: string
  readonly diff: Readonly<Record<string, { before: unknown; after: unknown }>>
}

const FORGE = {
  name: 'Forge',
  kind: 'git',
  provider: 'gitea',
  settings: { base_url: 'https://git.example.test/', organization: 'soc' },
  credentials: { token: 'mark-of-the-token' },
}
const KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const EC_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const APP = { app_id: '123', private_key: KEY, installation_id: '456' }
const CHANNEL = { webhook_url: 'https://chat.example.test/services/T/B/mark-of-the-channel' }
const of = ({ organizationId }: Actor): string => `/platform/organizations/${organizationId}/integrations`

/** Paths of the fields that a 422 names. */
const pathsOf = ({ details }: Refusal): string[] => (details as { errors: { path: string }[] }).errors.map(({ path }) => path).sort()

describe('integrations', () => {
  let app: TestApp
  let admin: Actor
  let other: Actor
  const create = async (body: object = FORGE, actor = admin): Promise<Integration> => {
    const answer = await actor.client.post<Integration>(of(actor), body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const audit = async (id: string) => (await admin.client.get<Entry[]>(`/platform/audit?resource_id=${id}&order=asc&limit=200`)).body
  const collection = (actor = admin) => new Tenancy(app.service.storage).of(actor.organizationId).collection(INTEGRATIONS)
  const sealedOf = async (id: string, actor = admin): Promise<string | null> => ((await collection(actor).findOne({ _id: id })) as IntegrationDocument).credentials

  before(async () => {
    app = await startTestApp({ env: SIGNUP })
    admin = await bootstrap(app.client)
    other = await register(app.client, 'other')
  })
  after(() => app.close())

  test('an integration is created, and no answer contains its credentials', async () => {
    const made = await create()
    const { id, created_at, updated_at, credentials_set_at, ...rest } = made
    assert.deepEqual(rest, {
      organization_id: admin.organizationId,
      name: 'Forge',
      kind: 'git',
      provider: 'gitea',
      settings: { base_url: 'https://git.example.test', organization: 'soc' },
      credentials_kind: 'token',
      is_active: true,
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
    })
    assert.ok(created_at === updated_at && created_at === credentials_set_at)
    assert.deepEqual((await admin.client.get<Integration>(`${of(admin)}/${id}`)).body, made)
    const listed = await admin.client.get<Integration[]>(`${of(admin)}?kind=git`)
    assert.deepEqual(
      listed.body.find((each) => each.id === id),
      made,
    )
    assert.deepEqual((await admin.client.get<Integration[]>(`${of(admin)}?kind=ci`)).body, [])
    assert.ok(!(await stored(app)).includes('mark-of-the-token'), 'the token is stored in plain text')
    assert.match((await sealedOf(id)) ?? '', /^v1\./)
  })

  test('each provider has its settings and its credentials', async () => {
    const events = ['version.published', 'publish.failed']
    for (const [kind, provider, settings, credentials, shown] of [
      ['git', 'github', {}, { token: 't' }, { base_url: null, organization: null }],
      ['git', 'github', { base_url: 'https://ghe.example.test/api/v3/' }, APP, { base_url: 'https://ghe.example.test/api/v3', organization: null }],
      ['git', 'gitlab', { organization: 'group/sub' }, { token: 't' }, { base_url: null, organization: 'group/sub' }],
      ['git', 'gitea', { base_url: 'http://git.example.test:3000' }, { username: 'u', password: 'p' }, { base_url: 'http://git.example.test:3000', organization: null }],
      ['git', 'git', { base_url: 'https://git.example.test/scm' }, {}, { base_url: 'https://git.example.test/scm', organization: null }],
      ['ci', 'github_actions', { project: 'soc/rules', workflow: 'ci.yml' }, APP, { base_url: null, organization: null, project: 'soc/rules', workflow: 'ci.yml' }],
      ['ci', 'gitlab_ci', { project: 'soc/rules' }, { token: 't' }, { base_url: null, organization: null, project: 'soc/rules' }],
      ['ci', 'jenkins', { base_url: 'https://ci.example.test' }, { username: 'u', password: 'p' }, { base_url: 'https://ci.example.test', organization: null, project: null }],
      ['messaging', 'slack', { events }, CHANNEL, { events, locale: 'pt-BR' }],
      ['messaging', 'mattermost', { events, locale: 'en-US' }, CHANNEL, { events, locale: 'en-US' }],
      ['messaging', 'microsoft_teams', { events }, CHANNEL, { events, locale: 'pt-BR' }],
    ] as const)
      assert.deepEqual((await create({ name: provider, kind, provider, settings, credentials })).settings, shown, provider)
  })

  test('a wrong combination is refused, with the place of each wrong field', async () => {
    for (const [change, ...paths] of [
      [{ kind: 'ci' }, '/provider'],
      [{ kind: 'forge' }, '/kind'],
      [{ provider: 'bitbucket' }, '/provider'],
      [{ name: ' ' }, '/name'],
      [{ settings: {} }, '/settings/base_url'],
      [{ settings: { base_url: null } }, '/settings/base_url'],
      [{ settings: { base_url: 'ftp://git.example.test' } }, '/settings/base_url'],
      [{ settings: { base_url: 'https://user:password@git.example.test' } }, '/settings/base_url'],
      [{ settings: { base_url: 'https://git.example.test/?token=x' } }, '/settings/base_url'],
      [{ settings: { base_url: 'https://git.example.test/#x' } }, '/settings/base_url'],
      [{ settings: { ...FORGE.settings, project: 'soc/rules' } }, '/settings/project'],
      [{ settings: { ...FORGE.settings, events: ['version.published'] } }, '/settings/events'],
      [{ settings: { ...FORGE.settings, colour: 'red' } }, '/settings/colour'],
      [{ settings: { ...FORGE.settings, organization: 'so\ud800c' } }, '/settings/organization'],
      [{ credentials: { username: 'u\ud800', password: 'p' } }, '/credentials/username'],
      [{ credentials: {} }, '/credentials/token'],
      [{ credentials: { username: 'u' } }, '/credentials/password'],
      [{ credentials: { token: 't', username: 'u', password: 'p' } }, '/credentials/token'],
      [{ credentials: APP }, '/credentials/app_id', '/credentials/installation_id', '/credentials/private_key'],
      [{ credentials: CHANNEL }, '/credentials/webhook_url'],
      [{ credentials: { token: 'with a space' } }, '/credentials/token'],
      [{ provider: 'github', settings: {}, credentials: { ...APP, private_key: 'no key' } }, '/credentials/private_key'],
      [{ provider: 'github', settings: {}, credentials: { ...APP, private_key: EC_KEY } }, '/credentials/private_key'],
      [{ provider: 'github', settings: {}, credentials: { app_id: '1' } }, '/credentials/installation_id', '/credentials/private_key'],
      [{ kind: 'ci', provider: 'jenkins', credentials: { token: 't' } }, '/credentials/token'],
      [{ kind: 'messaging', provider: 'slack', settings: {}, credentials: CHANNEL }, '/settings/events'],
      [{ kind: 'messaging', provider: 'slack', settings: { events: ['webhook.test'] }, credentials: CHANNEL }, '/settings/events/0'],
      [
        { kind: 'messaging', provider: 'slack', settings: { events: ['publish.failed'] }, credentials: { webhook_url: 'https://u:p@chat.example.test/' } },
        '/credentials/webhook_url',
      ],
      [{ is_active: true }, '/is_active'],
    ] as const) {
      const refusal = refused(await admin.client.post(of(admin), { ...FORGE, ...change }), 422, 'request_validation_failed')
      assert.deepEqual(pathsOf(refusal), paths, JSON.stringify(change))
      assert.ok(!/mark-of-the|BEGIN PRIVATE|password@/.test(JSON.stringify(refusal)))
    }
  })

  test('an address that is not public is refused at creation and update', async () => {
    const { id } = await create()
    for (const host of ['127.0.0.1', '2130706433', 'localhost', '10.1.2.3', '169.254.169.254', '[::1]', '[::ffff:169.254.169.254]']) {
      const settings = { base_url: `http://${host}:8080` }
      refused(await admin.client.post(of(admin), { ...FORGE, settings }), 400, 'bad_request')
      refused(await admin.client.patch(`${of(admin)}/${id}`, { settings, credentials: { token: 't' } }), 400, 'bad_request')
      const chat = { name: 'c', kind: 'messaging', provider: 'slack', settings: { events: ['publish.failed'] }, credentials: { webhook_url: `http://${host}/x` } }
      refused(await admin.client.post(of(admin), chat), 400, 'bad_request')
    }
  })

  test('an update changes only the fields that are sent, and credentials only when they are sent', async () => {
    const { id } = await create()
    const path = `${of(admin)}/${id}`
    const before = await sealedOf(id)
    const [first, second] = await Promise.all([
      admin.client.patch<Integration>(path, { name: 'Renamed' }),
      admin.client.patch<Integration>(path, { settings: { organization: null } }),
    ])
    assert.deepEqual([first.status, second.status], [200, 200])
    const now = (await admin.client.get<Integration>(path)).body
    assert.deepEqual([now.name, now.settings], ['Renamed', { base_url: 'https://git.example.test', organization: null }])
    assert.equal(await sealedOf(id), before)
    const changed = await admin.client.patch<Integration>(path, { credentials: { username: 'u', password: 'mark-of-the-password' } })
    assert.equal(changed.body.credentials_kind, 'password')
    assert.notEqual(await sealedOf(id), before)
    for (const [body, where] of [
      [{ kind: 'ci' }, '/kind'],
      [{ provider: 'gitlab' }, '/provider'],
      [{ settings: { base_url: null }, credentials: { token: 't' } }, '/settings/base_url'],
      [{ settings: { events: ['publish.failed'] } }, '/settings/events'],
      [{ credentials: {} }, '/credentials/token'],
      [{ is_active: false }, '/is_active'],
    ] as const)
      assert.deepEqual(pathsOf(refused(await admin.client.patch(path, body), 422, 'request_validation_failed')), [where])
  })

  test('stored credentials are not sent to a new address', async () => {
    const { id } = await create()
    const path = `${of(admin)}/${id}`
    const moved = { settings: { base_url: 'https://elsewhere.example.test' } }
    assert.deepEqual(pathsOf(refused(await admin.client.patch(path, moved), 422, 'request_validation_failed')), ['/credentials'])
    assert.equal((await admin.client.patch(path, { settings: { base_url: 'https://git.example.test/' } })).status, 200, 'the same address')
    assert.equal((await admin.client.patch(path, { ...moved, credentials: { token: 'new' } })).status, 200)
    const open = await create({ ...FORGE, provider: 'git', credentials: {} })
    assert.equal((await admin.client.patch(`${of(admin)}/${open.id}`, moved)).status, 200, 'there are no credentials')
  })

  test('an update can require an ETag', async () => {
    const { id } = await create()
    const path = `${of(admin)}/${id}`
    const etag = (await admin.client.get(path)).headers.get('etag')!
    const changed = await admin.client.patch<Integration>(path, { name: 'two' }, { headers: { 'If-Match': etag } })
    assert.equal(changed.status, 200)
    refused(await admin.client.patch(path, { name: 'three' }, { headers: { 'If-Match': etag } }), 412, 'precondition_failed')
    const same = await admin.client.patch(path, { name: 'two' })
    assert.equal(same.headers.get('etag'), changed.headers.get('etag'), 'an update without a change keeps the ETag')
  })

  test('a deleted integration is missing', async () => {
    const { id } = await create()
    const path = `${of(admin)}/${id}`
    const answers = await Promise.all([admin.client.delete(path), admin.client.delete(path)])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404])
    refused(await admin.client.get(path), 404, 'not_found')
  })

  test('changes are audited without a trace of the credentials', async () => {
    const { id } = await create()
    const path = `${of(admin)}/${id}`
    await admin.client.patch(path, { settings: { organization: 'team' }, credentials: { token: 'mark-of-the-second' } })
    await admin.client.delete(path)
    const entries = await audit(id)
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['integration.created', 'integration.updated', 'integration.deleted'],
    )
    assert.deepEqual(Object.keys(entries[1].diff).sort(), ['credentials_set_at', 'settings'])
    assert.equal((entries[1].diff.settings.after as { organization: string }).organization, 'team')
    assert.ok(!/mark-of-the|v1\./.test(JSON.stringify(entries)))
  })

  test('roles and keys: members list, those with integration:manage do the rest', async () => {
    const { id } = await create()
    const path = `${of(admin)}/${id}`
    for (const role of ['security_content_lead', 'reviewer', 'engineer', 'read_only'] as const) {
      const member = await addMember(admin, role)
      assert.equal((await member.client.get(of(admin))).status, 200, role)
      assert.equal((await member.client.get(path)).status, role === 'security_content_lead' ? 200 : 403, role)
    }
    const key = await createKey(admin, ['integrations:manage'])
    assert.equal((await key.client.get(path)).status, 200)
    refused(await key.client.get(of(admin)), 401, 'unauthorized')
    refused(await anonymous(app.client).get(of(admin)), 401, 'unauthorized')
    for (const method of ['GET', 'PATCH', 'DELETE'])
      refused(await other.client.call(method, `${of(other)}/${id}`, { body: method === 'PATCH' ? { name: 'x' } : undefined }), 404, 'not_found')
  })

  test('there are at most 50, also when many are created at once', async () => {
    const crowd = await register(app.client, 'crowd')
    const answers = await Promise.all(Array.from({ length: 60 }, () => crowd.client.post(of(crowd), FORGE)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 50)
    for (const answer of answers) if (answer.status !== 200) refused(answer, 409, 'conflict')
  })
})
