/** Automatic imports: webhooks of a forge, and schedules. The forge is in memory; deliveries are signed as GitHub does. */
import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import test, { after, before, describe } from 'node:test'
import type { Static } from 'typebox'
import { ApiError } from '../../server/core/errors.js'
import { ProviderError } from '../../server/core/egress/provider-error.js'
import { type JobDocument, JOBS } from '../../server/core/jobs/queue.js'
import type { GitProjectSyncRunRecord } from '../../server/features/connections/git-bindings/run-schema.js'
import { newRun } from '../../server/features/connections/git-bindings/runs.js'
import { GIT_SYNC } from '../../server/features/connections/git-bindings/schedule.js'
import { GIT_BINDINGS, GIT_RUNS } from '../../server/features/connections/git-bindings/store.js'
import { GIT_PUSH } from '../../server/features/connections/git-bindings/sync.js'
import type { WorkspaceRecord } from '../../server/content/workspaces/schema.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { type Actor, anonymous, bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type BindingRecord, bound, createGitIntegration, openersOf } from '../support/git/bindings.js'
import { MemoryGit } from '../support/git/memory-git.js'
import { refused, waitFor } from './steps.js'

type Run = Static<typeof GitProjectSyncRunRecord>

const MINUTE_MS = 60_000
const rule = (id: number, level: number) => `<group name="vpn,">\n  <rule id="${id}" level="${level}">\n    <description>Rule ${id}</description>\n  </rule>\n</group>\n`
const FILES = { 'rules/a.xml': rule(100100, 3), 'decoders/vpn.xml': '<decoder name="vpn">\n  <program_name>^vpnd$</program_name>\n</decoder>\n' }

describe('automatic imports from Git', () => {
  let app: TestApp
  let admin: Actor
  let integration: string
  let ahead = 0
  const git = new MemoryGit()
  const bind = async (fields: object = {}) => bound(admin, git, FILES, { integration_id: integration, sync_on_webhook: true, ...fields })
  const scope = () => new Tenancy(app.service.storage).of(admin.organizationId)
  const runsOf = async (url: string) => (await admin.client.get<Run[]>(`${url}/runs`)).body
  const workspacesOf = async ({ project_id }: BindingRecord) => (await admin.client.get<WorkspaceRecord[]>(`/platform/projects/${project_id}/workspaces`)).body
  const jobsOf = async (kind: string, { id }: BindingRecord): Promise<JobDocument[]> =>
    (await app.service.storage.open(JOBS).find({ kind })).filter(({ subject }) => subject.startsWith(id))
  const idle = (kind: string, binding: BindingRecord) => waitFor(async () => ((await jobsOf(kind, binding)).length === 0 ? true : undefined))
  const firstRun = (url: string, count = 1) =>
    waitFor(async () => {
      const runs = await runsOf(url)
      return runs.length >= count ? runs[0] : undefined
    })

  /** Sends a delivery. */
  const deliver = (
    binding: Pick<BindingRecord, 'id' | 'webhook_secret'>,
    event: string,
    payload: object,
    { id = randomUUID(), secret = binding.webhook_secret }: { id?: string; secret?: string } = {},
  ) => {
    const raw = JSON.stringify(payload)
    const signature = `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`
    const headers = { 'Content-Type': 'application/json', 'X-GitHub-Event': event, 'X-GitHub-Delivery': id, 'X-Hub-Signature-256': signature }
    return anonymous(app.client).call<{ status: string }>('POST', `/webhooks/git/${binding.id}`, { raw, headers })
  }
  const pushOf = (repository: string, after: string, ref = 'refs/heads/main') => ({ ref, after, deleted: false, repository: { full_name: repository } })
  const push = (repository: string, level: number): string => git.push(repository, 'main', { files: { 'rules/a.xml': rule(100100, level) } })[0]

  before(async () => {
    app = await startTestApp({
      openers: openersOf(git),
      clock: () => Date.now() + ahead,
      env: { NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true', NATIVE_SERVICE_SESSION_TTL_SECONDS: '2592000' },
    })
    admin = await bootstrap(app.client)
    integration = await createGitIntegration(admin, { provider: 'github', settings: {} })
  })
  after(() => app.close())

  test('a push is imported into a workspace of its own, by the service', async () => {
    const { binding, url, repository, head } = await bind()
    const manual = (await admin.client.post<{ workspace: WorkspaceRecord }>(`${url}/import`)).body.workspace
    const second = push(repository, 4)
    assert.deepEqual((await deliver(binding, 'push', pushOf(repository, second))).body, { status: 'accepted' })
    const run = await firstRun(url, 2)
    assert.deepEqual([run.run_type, run.status, run.trigger, run.started_by, run.commit_sha], ['import', 'succeeded', 'webhook', 'job:git.sync', second])
    const [synced, other] = await workspacesOf(binding)
    assert.deepEqual([other.id, other.git_commit_sha], [manual.id, head])
    assert.deepEqual([synced.id, synced.git_commit_sha, synced.rules_xml.includes('level="4"')], [run.workspace_id, second, true])
    const [entry] = (await admin.client.get<{ action: string; actor_type: string; actor_name: string }[]>(`/platform/audit?resource_id=${synced.id}`)).body
    assert.deepEqual([entry.action, entry.actor_type, entry.actor_name], ['workspace.created', 'system', 'git-bindings'])
    // The next push goes into the same workspace, and keeps what was edited there.
    await admin.client.patch(`/platform/projects/${binding.project_id}/workspaces/${synced.id}`, { rules_xml: `${synced.rules_xml}${rule(100900, 1)}` })
    const third = push(repository, 5)
    await deliver(binding, 'push', pushOf(repository, third))
    await firstRun(url, 3)
    const [updated, ...more] = await workspacesOf(binding)
    assert.deepEqual([updated.id, updated.git_commit_sha, more.length], [synced.id, third, 1])
    assert.ok(updated.rules_xml.includes('level="5"') && updated.rules_xml.includes('100900'))
  })

  test('a wrong signature, an unknown binding and an orphaned one are answered alike', async () => {
    const { binding, repository, url } = await bind()
    const payload = pushOf(repository, push(repository, 4))
    const short = await createGitIntegration(admin, { provider: 'github', settings: {}, name: 'Short-lived' })
    const { binding: orphan } = await bind({ integration_id: short })
    await admin.client.delete(`/platform/organizations/${admin.organizationId}/integrations/${short}`)
    const { binding: silent } = await bind({ integration_id: await createGitIntegration(admin, { name: 'Plain', provider: 'git', credentials: {} }) })
    const rotated = (await admin.client.post<BindingRecord>(`${url}/rotate-secret`)).body
    const answers = [
      await deliver(binding, 'push', payload, { secret: 'another' }),
      await deliver(binding, 'push', payload),
      await deliver({ ...binding, id: randomUUID() }, 'push', payload),
      await deliver(orphan, 'push', payload),
      await deliver(silent, 'push', payload),
      await anonymous(app.client).call('POST', `/webhooks/git/${binding.id}`, { raw: '{}', headers: { 'Content-Type': 'application/json' } }),
    ]
    const shown = answers.map((answer) => ({ ...refused(answer, 400, 'bad_request'), debug_id: '' }))
    for (const each of shown) assert.deepEqual(each, shown[0])
    assert.equal((await deliver(rotated, 'push', payload)).body.status, 'accepted')
    refused(await deliver(rotated, 'push', { ref: 1 }), 400, 'bad_request')
    await idle(GIT_PUSH, binding)
    assert.equal((await runsOf(url)).length, 1)
  })

  test('a delivery that was received before does nothing, also at the same moment', async () => {
    const { binding, repository, url } = await bind()
    const head = push(repository, 4)
    const id = randomUUID()
    const answers = await Promise.all(Array.from({ length: 5 }, () => deliver(binding, 'push', pushOf(repository, head), { id })))
    assert.deepEqual(answers.map(({ status, body }) => `${status} ${body.status}`).sort(), ['200 accepted', ...Array(4).fill('200 duplicate')])
    await firstRun(url)
    await idle(GIT_PUSH, binding)
    // Two webhooks at the provider report one push by two deliveries.
    assert.equal((await deliver(binding, 'push', pushOf(repository, head))).body.status, 'ignored')
    assert.equal((await runsOf(url)).length, 1)
    assert.equal((await workspacesOf(binding)).length, 1)
  })

  test('a body that was received before does nothing under another id, until an import has changed the binding', async () => {
    const { binding, repository, url } = await bind()
    const head = push(repository, 4)
    // Fails for good, so that the head remains unknown.
    git.failNext('getBranch', 'credentials_refused')
    const answers = await Promise.all(Array.from({ length: 5 }, () => deliver(binding, 'push', pushOf(repository, head))))
    assert.deepEqual(answers.map(({ status, body }) => `${status} ${body.status}`).sort(), ['200 accepted', ...Array(4).fill('200 duplicate')])
    await firstRun(url)
    await idle(GIT_PUSH, binding)
    const pull_request = { merged: false, head: { ref: 'change', sha: head }, base: { ref: 'main' } }
    const pullRequest = { action: 'opened', number: 3, repository: { full_name: repository }, pull_request }
    assert.deepEqual(
      [(await deliver(binding, 'push', pushOf(repository, head))).body.status, (await deliver(binding, 'pull_request', pullRequest)).body.status],
      ['duplicate', 'accepted'],
    )
    assert.equal((await deliver(binding, 'pull_request', pullRequest)).body.status, 'duplicate')
    // Another binding of the repository has a memory of its own.
    const { binding: other } = await bind({ repository })
    assert.equal((await deliver(other, 'push', pushOf(repository, head))).body.status, 'accepted')
    // A branch that moves forth, back and forth again may be reported by equal bodies.
    const next = push(repository, 5)
    assert.equal((await deliver(binding, 'push', pushOf(repository, next))).body.status, 'accepted')
    await firstRun(url, 2)
    await idle(GIT_PUSH, binding)
    assert.deepEqual(
      [(await deliver(binding, 'push', pushOf(repository, head))).body.status, (await deliver(binding, 'push', pushOf(repository, head))).body.status],
      ['accepted', 'duplicate'],
    )
    await idle(GIT_PUSH, binding)
    assert.deepEqual([(await runsOf(url)).filter(({ run_type }) => run_type === 'import').length, (await workspacesOf(binding)).length], [2, 1])
  })

  test('twenty pushes at once are imported without a second workspace, and the last one counts', async () => {
    const { binding, repository, url } = await bind()
    const heads = Array.from({ length: 20 }, (_, at) => push(repository, (at % 9) + 1))
    await Promise.all(heads.map((head) => deliver(binding, 'push', pushOf(repository, head))))
    await idle(GIT_PUSH, binding)
    const [workspace, ...more] = await workspacesOf(binding)
    assert.deepEqual([workspace.git_commit_sha, more], [heads.at(-1), []])
    assert.ok((await runsOf(url)).every(({ status }) => status === 'succeeded'))
  })

  test('other branches, repositories and events are ignored, and so are pushes that the binding does not import', async () => {
    const { binding, repository, url } = await bind()
    const head = push(repository, 4)
    const ignored = async (event: string, payload: object, of = binding) => assert.deepEqual((await deliver(of, event, payload)).body, { status: 'ignored' })
    await ignored('push', pushOf(repository, head, 'refs/heads/dev'))
    await ignored('push', pushOf(repository, head, 'refs/tags/v1'))
    await ignored('push', pushOf('team/other', head))
    await ignored('ping', { zen: 'x' })
    const { binding: manual, repository: second } = await bind({ sync_on_webhook: false })
    await ignored('push', pushOf(second, push(second, 4)), manual)
    assert.deepEqual(await runsOf(url), [])
  })

  test('a push of the service itself is not imported, also if it is reported before it is recorded', async () => {
    const { binding, repository, url } = await bind()
    const head = push(repository, 4)
    const bindings = scope().collection(GIT_BINDINGS)
    const publishing = newRun({ _id: binding.id, project_id: binding.project_id }, 'publish', 'running', { trigger: 'request', startedBy: 'user:1' }, new Date())
    await scope().collection(GIT_RUNS).insert(publishing)
    assert.equal((await deliver(binding, 'push', pushOf(repository, head))).body.status, 'accepted')
    const [job] = await waitFor(async () => {
      const jobs = await jobsOf(GIT_PUSH, binding)
      return jobs.some(({ attempts, claim }) => attempts > 0 && claim === null) ? jobs : undefined
    })
    assert.ok(job !== undefined)
    await bindings.update({ _id: binding.id }, { set: { synced_commit_sha: head } })
    await scope()
      .collection(GIT_RUNS)
      .update({ _id: publishing._id }, { set: { status: 'succeeded' } })
    ahead += 5000
    await idle(GIT_PUSH, binding)
    assert.equal((await deliver(binding, 'push', pushOf(repository, head))).body.status, 'ignored')
    assert.deepEqual([(await runsOf(url)).map(({ run_type }) => run_type), await workspacesOf(binding)], [['publish'], []])
  })

  test('a failing push is tried again while the failure may pass', async () => {
    const { binding, repository, url } = await bind()
    const head = push(repository, 4)
    git.failNext('getBranch', 'unavailable', { times: 2 })
    await deliver(binding, 'push', pushOf(repository, head))
    for (const count of [1, 2]) {
      const run = await firstRun(url, count)
      assert.deepEqual([run.status, run.error?.code, run.trigger], ['failed', 'provider_unavailable', 'webhook'])
      await waitFor(async () => ((await jobsOf(GIT_PUSH, binding)).every(({ claim }) => claim === null) ? true : undefined))
      ahead += 5 * MINUTE_MS
    }
    assert.equal((await firstRun(url, 3)).status, 'succeeded')
    git.failNext('getBranch', 'credentials_refused')
    await deliver(binding, 'push', pushOf(repository, push(repository, 5)))
    await firstRun(url, 4)
    await idle(GIT_PUSH, binding)
    assert.equal((await runsOf(url)).length, 4)
  })

  test('a push that waits for a publication loses none of its attempts, and waits some minutes at most', async () => {
    const { binding, repository, url } = await bind()
    const publishing = newRun({ _id: binding.id, project_id: binding.project_id }, 'publish', 'running', { trigger: 'request', startedBy: 'user:1' }, new Date(Date.now() + ahead))
    await scope().collection(GIT_RUNS).insert(publishing)
    const head = push(repository, 4)
    await deliver(binding, 'push', pushOf(repository, head))
    for (let attempts = 1; attempts <= 8; attempts++) {
      await waitFor(async () => ((await jobsOf(GIT_PUSH, binding))[0].attempts >= attempts ? true : undefined))
      ahead += 3000
    }
    git.failNext('getBranch', 'unavailable')
    ahead += 5 * MINUTE_MS
    assert.equal((await firstRun(url, 2)).status, 'failed')
    // It is tried again when it has waited twice as long.
    ahead += 6 * MINUTE_MS
    assert.deepEqual([(await firstRun(url, 3)).status, (await runsOf(url)).at(-1)?.status], ['succeeded', 'running'])
    await idle(GIT_PUSH, binding)
  })

  test('an import that fails by a fault of the service is given up after some attempts', async () => {
    const { binding, repository, url } = await bind()
    git.failNext('getBranch', new ApiError('internal_error'), { times: 5 })
    await deliver(binding, 'push', pushOf(repository, push(repository, 4)))
    await waitFor(async () => {
      const [job] = await jobsOf(GIT_PUSH, binding)
      // Not while it runs: its lease would end, and another attempt would begin beside it.
      if (job?.claim === null) ahead += MINUTE_MS
      return job === undefined ? true : undefined
    })
    const runs = await runsOf(url)
    assert.deepEqual(
      runs.map(({ error }) => error?.code),
      Array(5).fill('internal_error'),
    )
  })

  test('an import that ends the process each time is told as failed', async () => {
    const { binding, repository, url } = await bind()
    const jobs = app.service.storage.open(JOBS)
    const now = new Date(Date.now() + ahead)
    const id = randomUUID()
    // As the fifth instance that died has left it.
    await jobs.insert({
      _id: id,
      organization_id: admin.organizationId,
      kind: GIT_PUSH,
      subject: binding.id,
      due_at: now,
      claim: 'of the dead',
      attempts: 5,
      failures: 5,
      created_at: now,
    })
    push(repository, 4)
    const calls = git.count('getBranch')
    await idle(GIT_PUSH, binding)
    assert.deepEqual(
      (await runsOf(url)).map(({ status, error }) => [status, error?.code]),
      [['failed', 'internal_error']],
    )
    assert.equal(git.count('getBranch'), calls)
  })

  test('a schedule imports what is new, records nothing otherwise, and a conflict once', async () => {
    const { binding, repository, url } = await bind({ scheduled_sync_interval_minutes: 10 })
    const waiting = async () => (await jobsOf(GIT_SYNC, binding)).find(({ claim, due_at }) => claim === null && due_at.getTime() > Date.now() + ahead)
    /** Lets the schedule run once. */
    const pass = async () => {
      ahead += 11 * MINUTE_MS
      return waitFor(waiting)
    }
    await pass()
    assert.deepEqual(
      (await runsOf(url)).map(({ trigger, status }) => [trigger, status]),
      [['schedule', 'succeeded']],
    )
    await pass()
    assert.equal((await runsOf(url)).length, 1)
    const [workspace] = await workspacesOf(binding)
    await admin.client.patch(`/platform/projects/${binding.project_id}/workspaces/${workspace.id}`, { rules_xml: rule(100100, 9) })
    push(repository, 12)
    await pass()
    await pass()
    assert.deepEqual(
      (await runsOf(url)).map(({ status }) => status),
      ['conflict', 'succeeded'],
    )
    assert.equal((await workspacesOf(binding))[0].rules_xml, rule(100100, 9))
    // A new head is tried again.
    push(repository, 9)
    await pass()
    assert.deepEqual(
      (await runsOf(url)).map(({ status }) => status),
      ['succeeded', 'conflict', 'succeeded'],
    )
    // The next test makes calls fail, and no other schedule may make them.
    assert.equal((await admin.client.patch(url, { scheduled_sync_interval_minutes: 0 })).status, 200)
    await idle(GIT_SYNC, binding)
  })

  test('a schedule waits longer after each failure, and as long as the provider asks', async () => {
    const { binding, url } = await bind({ scheduled_sync_interval_minutes: 1 })
    const waits = async (): Promise<number> => {
      const { due_at } = await waitFor(async () => (await jobsOf(GIT_SYNC, binding)).find(({ claim, due_at: due }) => claim === null && due.getTime() > Date.now() + ahead))
      return due_at.getTime() - Date.now() - ahead
    }
    const found: number[] = []
    for (let at = 0; at < 4; at++) {
      git.failNext('getBranch', 'unavailable')
      ahead += (await waits()) + 100
      await firstRun(url, at + 1)
      found.push(Math.round((await waits()) / MINUTE_MS))
    }
    assert.deepEqual(found, [1, 2, 4, 8])
    git.failNext('getBranch', new ProviderError('rate_limited', { provider: 'github', retryAt: new Date(Date.now() + ahead + 600 * MINUTE_MS) }))
    ahead += (await waits()) + 100
    await firstRun(url, 5)
    assert.ok((await waits()) > 500 * MINUTE_MS)
    ahead += 600 * MINUTE_MS
    assert.equal((await firstRun(url, 6)).status, 'succeeded')
  })
})
