/** Git bindings over HTTP: create, list, get, update, rotate, delete. Imports are tested in git-import.test.ts. */
import assert from 'node:assert/strict'
import test, { after, before, describe } from 'node:test'
import { JOBS } from '../../server/core/jobs/queue.js'
import { GIT_BASES, settingBase } from '../../server/content/shared/git-base.js'
import { GIT_SYNC } from '../../server/features/connections/git-bindings/schedule.js'
import { BINDINGS_LIMIT } from '../../server/features/connections/git-bindings/service.js'
import { GIT_BINDINGS } from '../../server/features/connections/git-bindings/store.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { type Actor, addMember, bootstrap, createKey, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import type { Refusal } from '../support/client.js'
import { createProject } from '../support/projects.js'
import { refused, SIGNUP, stored, withApp } from './steps.js'

interface Binding {
  readonly id: string
  readonly project_id: string
  readonly integration_id: string | null
  readonly repository: string
  readonly branch: string
  readonly rules_path: string
  readonly lists_path: string | null
  readonly webhook_url: string
  readonly webhook_secret?: string
  readonly synced_commit_sha: string | null
  readonly created_at: string
  readonly updated_at: string
}

interface Entry {
  readonly action: string
  readonly project_id: string | null
  readonly diff: Readonly<Record<string, { before: unknown; after: unknown }>>
}

const of = ({ organizationId }: Actor): string => `/platform/organizations/${organizationId}/git-bindings`
const integrationsOf = ({ organizationId }: Actor): string => `/platform/organizations/${organizationId}/integrations`

const createIntegration = async (actor: Actor, fields: object = {}): Promise<string> => {
  const answer = await actor.client.post<{ id: string }>(integrationsOf(actor), {
    name: 'Forge',
    kind: 'git',
    provider: 'git',
    settings: { base_url: 'https://git.example.test' },
    ...fields,
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.id
}

const MINIMAL = { repository: 'soc/content', branch: 'main', rules_path: 'rules', decoders_path: 'decoders', publish_strategy: 'direct' }

describe('git bindings', () => {
  let app: TestApp
  let admin: Actor
  let other: Actor
  let project: string
  let integration: string
  const create = async (fields: object = {}): Promise<Binding> => {
    const answer = await admin.client.post<Binding>(of(admin), { ...MINIMAL, project_id: project, integration_id: integration, ...fields })
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const path = ({ id }: Pick<Binding, 'id'>): string => `${of(admin)}/${id}`
  const scope = () => new Tenancy(app.service.storage).of(admin.organizationId)
  const audit = async (id: string) => (await admin.client.get<Entry[]>(`/platform/audit?resource_id=${id}&order=asc&limit=200`)).body
  const jobsOf = async ({ id }: Pick<Binding, 'id'>) => (await app.service.storage.open(JOBS).find({ kind: GIT_SYNC })).filter(({ subject }) => subject.startsWith(id))

  before(async () => {
    app = await startTestApp({ env: { ...SIGNUP, NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true' } })
    admin = await bootstrap(app.client)
    other = await register(app.client, 'other')
    project = (await createProject(admin)).id
    integration = await createIntegration(admin)
  })
  after(() => app.close())

  test('a binding has defaults, an address for the webhook, and a secret that is shown once', async () => {
    const made = await create()
    const { webhook_secret: secret, id, created_at, updated_at, ...record } = made
    assert.match(secret ?? '', /^[A-Za-z0-9_-]{43}$/)
    assert.deepEqual(record, {
      organization_id: admin.organizationId,
      project_id: project,
      integration_id: integration,
      ...MINIMAL,
      lists_path: null,
      scheduled_sync_interval_minutes: 0,
      sync_on_webhook: false,
      check_pull_requests: true,
      comment_on_review: false,
      webhook_url: `${app.client.origin}/api/v1/webhooks/git/${id}`,
      synced_commit_sha: null,
      synced_at: null,
      review: null,
      discovered: null,
    })
    assert.equal(created_at, updated_at)
    for (const list of [of(admin), `/platform/projects/${project}/git-bindings`]) {
      const listed = await admin.client.get<Binding[]>(list)
      assert.deepEqual(
        listed.body.find((each) => each.id === id),
        { id, created_at, updated_at, ...record },
      )
      assert.ok(!listed.text.includes(secret!))
    }
    assert.ok(!(await stored(app)).includes(secret!), 'the secret is stored in plain text')
    assert.ok(!app.log.join('').includes(secret!))
    assert.deepEqual(
      (await audit(id)).map(({ action, project_id }) => [action, project_id]),
      [['git_binding.created', project]],
    )
  })

  test('two projects may bind one branch, and a list of a project has its own alone', async () => {
    const second = (await createProject(admin, { name: 'Second' })).id
    const [one, two] = [await create(), await create({ project_id: second })]
    const listed = await admin.client.get<Binding[]>(`/platform/projects/${second}/git-bindings`)
    assert.deepEqual(
      listed.body.map(({ id }) => id),
      [two.id],
    )
    assert.notEqual(one.id, two.id)
  })

  test('a project or integration of another organization is not found, and an integration has to be of Git', async () => {
    const [theirProject, theirIntegration] = [(await createProject(other)).id, await createIntegration(other)]
    const send = (fields: object) => admin.client.post(of(admin), { ...MINIMAL, project_id: project, integration_id: integration, ...fields })
    refused(await send({ project_id: theirProject }), 404, 'not_found')
    refused(await send({ integration_id: theirIntegration }), 404, 'not_found')
    const chat = await createIntegration(admin, {
      kind: 'messaging',
      provider: 'slack',
      settings: { events: ['version.published'] },
      credentials: { webhook_url: 'https://chat.example.test/hook' },
    })
    refused(await send({ integration_id: chat }), 400, 'bad_request')
    const made = await create()
    refused(await admin.client.patch(path(made), { integration_id: theirIntegration }), 404, 'not_found')
    refused(await admin.client.patch(path(made), { integration_id: chat }), 400, 'bad_request')
    refused(await other.client.get(`${of(other)}/${made.id}`), 404, 'not_found')
  })

  test('paths, repository and branch are normalized or refused, each by name', async () => {
    const made = await create({ rules_path: './content//rules/', decoders_path: '', lists_path: 'etc/lists/', repository: 'group/sub/content/' })
    assert.deepEqual([made.rules_path, made.lists_path, made.repository], ['content/rules', 'etc/lists', 'group/sub/content'])
    const wrong: readonly (readonly [string, unknown])[] = [
      ...['/etc', '../rules', 'rules/../../x', 'rules\u0007', 'a/.git/b', 'x'.repeat(1025)].flatMap((value) => [
        ['rules_path', value] as const,
        ['decoders_path', value] as const,
        ['lists_path', value] as const,
      ]),
      ...['', '/', '../other', 'a\nb', '.'].map((value) => ['repository', value] as const),
      ...['', '-x', 'a..b', 'a b', 'a~1', 'refs/', '/a', 'a.lock', '@{', 'a:b'].map((value) => ['branch', value] as const),
      ['publish_strategy', 'force'],
      ['scheduled_sync_interval_minutes', -1],
      ['scheduled_sync_interval_minutes', 1441],
      ['scheduled_sync_interval_minutes', 1.5],
      ['webhook_secret', 'mine'],
    ]
    for (const [field, value] of wrong) {
      const refusal = refused(
        await admin.client.post(of(admin), { ...MINIMAL, project_id: project, integration_id: integration, [field]: value }),
        422,
        'request_validation_failed',
      )
      const { errors } = refusal.details as { errors: readonly { path: string }[] }
      assert.deepEqual(new Set(errors.map((error) => error.path)), new Set([`/${field}`]), `${field}: ${JSON.stringify(value)}`)
      if (field !== 'webhook_secret') refused(await admin.client.patch(path(made), { [field]: value }), 422, 'request_validation_failed')
    }
    const all = refused(await admin.client.patch(path(made), { rules_path: '/a', decoders_path: '/b', branch: 'a..b' }), 422, 'request_validation_failed')
    assert.equal((all.details as { errors: unknown[] }).errors.length, 3)
    refused(await admin.client.patch(path(made), { project_id: project }), 422, 'request_validation_failed')
  })

  test('an update changes what is sent, honours If-Match, and is audited', async () => {
    const made = await create()
    const got = await admin.client.get<Binding>(path(made))
    const etag = got.headers.get('etag')!
    const updated = await admin.client.patch<Binding>(path(made), { publish_strategy: 'review', comment_on_review: true }, { headers: { 'If-Match': etag } })
    assert.equal(updated.status, 200, updated.text)
    assert.ok(!('webhook_secret' in updated.body))
    refused(await admin.client.patch(path(made), { branch: 'dev' }, { headers: { 'If-Match': etag } }), 412, 'precondition_failed')
    const nothing = await admin.client.patch<Binding>(path(made), { publish_strategy: 'review' })
    assert.equal(nothing.body.updated_at, updated.body.updated_at)
    const [, entry, ...more] = await audit(made.id)
    assert.deepEqual(
      [entry.action, entry.diff, more],
      ['git_binding.updated', { publish_strategy: { before: 'direct', after: 'review' }, comment_on_review: { before: false, after: true } }, []],
    )
  })

  test('an import or publication does not make the ETag of an edit stale', async () => {
    const made = await create()
    const etag = (await admin.client.get(path(made))).headers.get('etag')!
    await scope()
      .collection(GIT_BINDINGS)
      .update({ _id: made.id }, { set: { synced_commit_sha: 'a'.repeat(40), updated_at: new Date(Date.now() + 1000) } })
    const after = await admin.client.get<Binding>(path(made))
    assert.notEqual(after.headers.get('etag'), etag)
    assert.equal((await admin.client.patch(path(made), { branch: 'dev' }, { headers: { 'If-Match': etag } })).status, 200)
  })

  test('another repository, branch or path begins without a base; other fields keep it', async () => {
    for (const [fields, isKept] of [
      [{ branch: 'dev' }, false],
      [{ repository: 'soc/other' }, false],
      [{ rules_path: 'other' }, false],
      [{ lists_path: 'lists' }, false],
      [{ publish_strategy: 'review' }, true],
      [{ scheduled_sync_interval_minutes: 5 }, true],
    ] as const) {
      const made = await create()
      await scope().commit(settingBase(scope(), { bindingId: made.id, projectId: project, commitSha: 'c', files: [], origin: null }, new Date()))
      assert.equal((await admin.client.patch(path(made), fields)).status, 200)
      assert.equal((await scope().collection(GIT_BASES).findOne({ _id: made.id })) !== null, isKept, JSON.stringify(fields))
    }
  })

  test('a schedule has one job, whatever changes it', async () => {
    const made = await create({ scheduled_sync_interval_minutes: 60 })
    assert.equal((await jobsOf(made)).length, 1)
    for (const minutes of [0, 30, 45, 0, 15]) assert.equal((await admin.client.patch(path(made), { scheduled_sync_interval_minutes: minutes })).status, 200)
    // Jobs of earlier schedules are due now, and end without work.
    const waiting = async () => (await jobsOf(made)).filter(({ due_at }) => due_at.getTime() > Date.now() + 10 * 60_000)
    assert.equal((await waiting()).length, 1)
    assert.equal((await admin.client.delete(path(made))).status, 204)
    assert.deepEqual(await waiting(), [])
  })

  test('a rotation replaces the secret', async () => {
    const made = await create()
    const rotated = await admin.client.post<Binding>(`${path(made)}/rotate-secret`)
    assert.equal(rotated.status, 200, rotated.text)
    assert.notEqual(rotated.body.webhook_secret, made.webhook_secret)
    const text = await stored(app)
    assert.ok(!text.includes(rotated.body.webhook_secret!) && !text.includes(made.webhook_secret!))
    assert.deepEqual(
      (await audit(made.id)).map(({ action }) => action),
      ['git_binding.created', 'git_binding.secret_rotated'],
    )
  })

  test('a deleted binding is gone with its base, and its integration orphans it', async () => {
    const made = await create()
    await scope().commit(settingBase(scope(), { bindingId: made.id, projectId: project, commitSha: 'c', files: [], origin: null }, new Date()))
    assert.equal((await admin.client.delete(path(made))).status, 204)
    refused(await admin.client.get(path(made)), 404, 'not_found')
    refused(await admin.client.delete(path(made)), 404, 'not_found')
    assert.equal(await scope().collection(GIT_BASES).findOne({ _id: made.id }), null)
    const forge = await createIntegration(admin, { name: 'Short-lived' })
    const orphan = await create({ integration_id: forge })
    assert.equal((await admin.client.delete(`${integrationsOf(admin)}/${forge}`)).status, 204)
    assert.equal((await admin.client.get<Binding>(path(orphan))).body.integration_id, null)
    assert.equal((await admin.client.patch<Binding>(path(orphan), { integration_id: integration })).body.integration_id, integration)
  })

  test('members read bindings and runs, and managers change them', async () => {
    const made = await create()
    const reader = await addMember(admin, 'read_only')
    for (const url of [of(admin), path(made), `${path(made)}/runs`]) assert.equal((await reader.client.get(url)).status, 200, url)
    refused(await reader.client.patch(path(made), { branch: 'dev' }), 403, 'forbidden')
    const key = await createKey(admin, ['integrations:manage'])
    assert.equal((await key.client.patch(path(made), { branch: 'dev' })).status, 200)
    assert.deepEqual((await reader.client.get<Refusal>(`${path(made)}/runs`)).body, [])
  })
})

test('an organization has a limited number of bindings', async () => {
  await withApp({ env: { NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true' } }, async (app) => {
    const admin = await bootstrap(app.client)
    const body = { ...MINIMAL, project_id: (await createProject(admin)).id, integration_id: await createIntegration(admin) }
    const { body: first } = await admin.client.post<Binding>(of(admin), body)
    const bindings = new Tenancy(app.service.storage).of(admin.organizationId).collection(GIT_BINDINGS)
    const { organization_id, ...document } = (await bindings.findOne({ _id: first.id }))!
    for (let at = 1; at < BINDINGS_LIMIT - 1; at++) await bindings.insert({ ...document, _id: `b${at}`, hook_id: `b${at}` })
    const answers = await Promise.all([1, 2, 3].map(() => admin.client.post(of(admin), body)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409])
  })
})
