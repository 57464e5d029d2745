/** Pipeline runs over HTTP, against fakes of GitLab CI and Jenkins: started, followed to their end, canceled and orphaned. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { FOLLOW_LIMIT_MS } from '../../server/features/connections/pipeline-runs/follow.js'
import { OPEN_RUNS_LIMIT } from '../../server/features/connections/pipeline-runs/service.js'
import { PIPELINE_RUNS } from '../../server/features/connections/pipeline-runs/store.js'
import { type Actor, bootstrap, login, register } from '../support/actors.js'
import { SEVERAL_POLLS_MS, startTestApp, type TestApp } from '../support/app.js'
import { type FakePipeline, GitLabPipelines } from '../support/ci/gitlab-ci-routes.js'
import { JenkinsFake } from '../support/ci/jenkins-fake.js'
import { GitLabFake } from '../support/git/gitlab-fake.js'
import { push } from '../support/git/gitlab-store.js'
import { scopeOf } from '../support/stored-cases.js'
import { refused, SIGNUP, stored } from './steps.js'

interface Run {
  readonly id: string
  readonly integration_id: string
  readonly external_run_id: string
  readonly status: string
  readonly reason: string | null
  readonly url: string | null
  readonly logs_url: string | null
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly project: string | null
  readonly branch: string | null
  readonly orphaned: boolean
  readonly check_error: string | null
}

interface Entry {
  readonly action: string
  readonly diff: Readonly<Record<string, { after: unknown }>>
}

const SECOND = 1000
const INPUT = 'value-that-may-be-secret'

describe('pipeline runs', () => {
  const ci = new GitLabPipelines()
  let gitlab: GitLabFake
  let jenkins: JenkinsFake
  let app: TestApp
  let admin: Actor
  let other: Actor
  /** The clock of the service. It stands still between two steps. */
  let now = Date.now()

  const integrations = (actor = admin): string => `/platform/organizations/${actor.organizationId}/integrations`
  const connect = async (body: object): Promise<string> => {
    const answer = await admin.client.post<{ id: string }>(integrations(), { name: 'CI', kind: 'ci', ...body })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.id
  }
  const connectGitLab = (settings: object = { project: 'group/content' }) =>
    connect({ provider: 'gitlab_ci', settings: { base_url: gitlab.url, ...settings }, credentials: { token: gitlab.token } })
  const runs = (integration: string, rest = ''): string => `${integrations()}/${integration}/pipeline-runs${rest}`
  const start = async (integration: string, body: object = {}): Promise<Run> => {
    const answer = await admin.client.post<Run>(runs(integration), body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const get = async ({ integration_id, external_run_id }: Run): Promise<Run> => {
    const answer = await admin.client.get<Run>(runs(integration_id, `/${external_run_id}`))
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  /** The stored state; it asks the provider for nothing. */
  const seen = async ({ integration_id, id }: Run): Promise<Run> => (await admin.client.get<Run[]>(runs(integration_id))).body.find((run) => run.id === id)!
  const cancel = ({ integration_id, external_run_id }: Run) => admin.client.post<Run>(runs(integration_id, `/${external_run_id}/cancel`))
  const pipelineOf = ({ external_run_id }: Run): FakePipeline => ci.pipelines.find(({ id }) => String(id) === external_run_id)!
  /** Requests for a run that the provider received. */
  const asked = ({ external_run_id }: Run): number => gitlab.received.filter((each) => each.startsWith('GET') && each.endsWith(`/pipelines/${external_run_id}`)).length
  const audit = async ({ id }: Run) => (await admin.client.get<Entry[]>(`/platform/audit?resource_id=${id}&order=asc`)).body
  /** @param stepMs how far the clock of the service moves on meanwhile: a job may just have postponed itself */
  const until = async (isSo: () => Promise<boolean> | boolean, stepMs = 0): Promise<void> => {
    for (let left = 600; left > 0; left--) {
      if (await isSo()) return
      now += stepMs
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.fail('it never became so')
  }
  /** Moves the clock of the service, and waits until its jobs have had the time to run. */
  const pass = async (ms: number): Promise<void> => {
    now += ms
    await new Promise((resolve) => setTimeout(resolve, SEVERAL_POLLS_MS))
  }

  before(async () => {
    gitlab = await new GitLabFake(ci.routes).start()
    push(gitlab.createProject('group/content'), 'main', { files: { a: 'a' } })
    push(gitlab.createProject('group/other'), 'release', { files: { a: 'a' } })
    jenkins = await new JenkinsFake().start()
    jenkins.addJob('team/content', { parameters: ['BRANCH'] })
    app = await startTestApp({ env: { ...SIGNUP, NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true' }, clock: () => now })
    admin = await bootstrap(app.client)
    other = await register(app.client, 'other')
  })
  after(async () => {
    await app?.close()
    await gitlab.close()
    await jenkins.close()
  })

  test('a run starts, is followed to its end, and then left alone', async () => {
    const integration = await connectGitLab()
    const run = await start(integration, { inputs: { TOKEN: INPUT, __proto__x: '1' } })
    const pipeline = pipelineOf(run)
    assert.deepEqual([pipeline.project, pipeline.ref, pipeline.variables], ['group/content', 'main', { TOKEN: INPUT, __proto__x: '1' }])
    assert.deepEqual(
      [run.status, run.url, run.logs_url, run.started_at, run.finished_at, run.reason, run.orphaned, run.project, run.branch],
      ['queued', `${gitlab.url}/group/content/-/pipelines/${pipeline.id}`, `${run.url}/builds`, null, null, null, false, 'group/content', null],
    )
    Object.assign(pipeline, { status: 'running', startedAt: '2026-11-23T09:00:00Z' })
    await pass(6 * SECOND)
    await until(async () => (await seen(run)).status === 'running', SECOND)
    assert.deepEqual([(await seen(run)).started_at, (await seen(run)).finished_at], ['2026-11-23T09:00:00.000Z', null])
    Object.assign(pipeline, { status: 'success', finishedAt: '2026-11-23T09:03:00Z' })
    await pass(6 * SECOND)
    await until(async () => (await seen(run)).status === 'succeeded', SECOND)
    assert.equal((await seen(run)).finished_at, '2026-11-23T09:03:00.000Z')
    const before = asked(run)
    Object.assign(pipeline, { status: 'running' })
    await pass(10 * 60 * SECOND)
    assert.equal((await get(run)).status, 'succeeded')
    assert.equal(asked(run), before)
    const [entry] = await audit(run)
    assert.equal(entry.action, 'pipeline_run.started')
    assert.deepEqual(entry.diff.inputs?.after, ['TOKEN', '__proto__x'])
    const bytes = await stored(app)
    for (const secret of [INPUT, gitlab.token]) assert.ok(!bytes.includes(secret) && !app.log.join('').includes(secret), 'a secret is stored or logged')
  })

  test('a run has the project and branch of the request', async () => {
    const run = await start(await connectGitLab(), { project: 'group/other', branch: 'release' })
    assert.deepEqual([pipelineOf(run).project, pipelineOf(run).ref, run.project, run.branch], ['group/other', 'release', 'group/other', 'release'])
    pipelineOf(run).status = 'failed'
    await pass(6 * SECOND)
    await until(async () => (await get(run)).status === 'failed', SECOND)
    assert.equal((await get(run)).reason, null)
  })

  test('a GET asks the provider, unless the state is some seconds old', async () => {
    const run = await start(await connectGitLab())
    pipelineOf(run).status = 'running'
    assert.equal((await get(run)).status, 'queued')
    assert.equal(asked(run), 0)
    // The next check of the job is ten seconds later: until then only a GET asks.
    await pass(100 * SECOND)
    await until(async () => (await seen(run)).status === 'running')
    pipelineOf(run).status = 'success'
    assert.equal((await get(run)).status, 'running')
    now += 5 * SECOND
    assert.equal((await seen(run)).status, 'running')
    assert.equal(asked(run), 1)
    assert.equal((await get(run)).status, 'succeeded')
  })

  test('a canceled run ends, and cannot be canceled again', async () => {
    const run = await start(await connectGitLab())
    now += SECOND
    const answer = await cancel(run)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.body.status, 'canceled')
    assert.ok(answer.body.finished_at !== null)
    refused(await cancel(run), 409, 'conflict')
    assert.deepEqual(
      (await audit(run)).map(({ action }) => action),
      ['pipeline_run.started', 'pipeline_run.canceled'],
    )
    const before = asked(run)
    await pass(60 * SECOND)
    assert.equal(asked(run), before)
  })

  test('a deleted integration orphans its runs, which are still shown', async () => {
    const integration = await connectGitLab()
    const run = await start(integration)
    assert.equal((await admin.client.delete(`${integrations()}/${integration}`)).status, 204)
    const before = asked(run)
    pipelineOf(run).status = 'success'
    await pass(60 * SECOND)
    const orphan = await get(run)
    assert.deepEqual([orphan.orphaned, orphan.status], [true, 'queued'])
    assert.equal((await seen(run)).orphaned, true)
    assert.equal(asked(run), before)
    refused(await cancel(run), 409, 'conflict')
    refused(await admin.client.post(runs(integration), {}), 404, 'not_found')
  })

  test('a provider that limits requests is asked when it accepts them again', async () => {
    const run = await start(await connectGitLab())
    gitlab.instead.push({ status: 429, text: 'Retry later\n', headers: { 'Retry-After': '600' } })
    await pass(6 * SECOND)
    await until(async () => (await seen(run)).check_error === 'provider_rate_limited')
    pipelineOf(run).status = 'success'
    await pass(500 * SECOND)
    assert.equal((await get(run)).status, 'queued')
    assert.equal(asked(run), 1)
    await pass(101 * SECOND)
    await until(async () => (await seen(run)).status === 'succeeded', SECOND)
    assert.equal((await seen(run)).check_error, null)
  })

  test('a provider that fails is asked again, and its state is shown as it was', async () => {
    const run = await start(await connectGitLab())
    // The job and the GET may both ask.
    gitlab.instead.push(...Array.from({ length: 2 }, () => ({ status: 502, text: 'Bad gateway' })))
    now += 5 * SECOND
    const shown = await get(run)
    assert.deepEqual([shown.status, shown.check_error], ['queued', 'provider_unavailable'])
    await until(async () => (await seen(run)).check_error === 'provider_unavailable')
    gitlab.instead.length = 0
    pipelineOf(run).status = 'success'
    await pass(60 * SECOND)
    await until(async () => (await seen(run)).status === 'succeeded', SECOND)
  })

  test('a run that the provider no longer has is failed, with a reason', async () => {
    const run = await start(await connectGitLab())
    ci.pipelines.splice(ci.pipelines.indexOf(pipelineOf(run)), 1)
    for (let checks = 1; checks < 5; checks++) {
      await until(() => asked(run) >= checks, SECOND)
      assert.equal((await seen(run)).status, 'queued', String(checks))
      await until(async () => (await seen(run)).check_error === 'provider_not_found')
    }
    await until(async () => (await seen(run)).status === 'failed', 60 * SECOND)
    const lost = await seen(run)
    assert.equal(lost.reason, 'run_missing')
    assert.ok(lost.finished_at !== null)
  })

  test('a build of Jenkins keeps its id when it leaves the queue', async () => {
    const integration = await connect({
      provider: 'jenkins',
      settings: { base_url: jenkins.url, project: 'team/content' },
      credentials: { username: jenkins.user, password: jenkins.apiToken },
    })
    const run = await start(integration, { branch: 'main' })
    assert.equal(run.status, 'queued')
    const item = jenkins.queue.at(-1)!
    assert.deepEqual(item.parameters, { BRANCH: 'main' })
    const build = jenkins.begin(item)
    await pass(6 * SECOND)
    await until(async () => (await seen(run)).status === 'running', SECOND)
    item.isForgotten = true
    Object.assign(build, { building: false, result: 'UNSTABLE' })
    now += 5 * SECOND
    const ended = await get(run)
    assert.deepEqual([ended.external_run_id, ended.status, ended.logs_url], [run.external_run_id, 'failed', `${jenkins.url}/job/team/job/content/1/console`])
  })

  test('what cannot start is refused, and nothing is stored', async () => {
    const integration = await connectGitLab({})
    assert.equal(refused(await admin.client.post(runs(integration), {}), 400, 'provider_not_found').details.what, 'project')
    const project = { project: 'group/content' }
    assert.equal(refused(await admin.client.post(runs(integration), { ...project, branch: 'missing' }), 400, 'provider_not_found').details.what, 'branch')
    gitlab.instead.push({ status: 403, body: { error: 'insufficient_scope', scope: 'api' } })
    assert.deepEqual(refused(await admin.client.post(runs(integration), project), 400, 'provider_scope_missing').details.scopes, ['api'])
    gitlab.instead.push({ status: 302, headers: { location: 'http://169.254.169.254/' } })
    refused(await admin.client.post(runs(integration), project), 400, 'provider_redirect_refused')
    for (const wrong of [
      { inputs: { a: 1 } },
      { inputs: { [`${'x'.repeat(101)}`]: 'a' } },
      { inputs: { a: 'x'.repeat(2_001) } },
      { inputs: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`a${index}`, '1'])) },
      { inputs: [] },
      { branch: '' },
      { branch: 'a\nb' },
      { variables: {} },
    ])
      refused(await admin.client.post(runs(integration), { ...project, ...wrong }), 422, 'request_validation_failed')
    assert.deepEqual((await admin.client.get<Run[]>(runs(integration))).body, [])
    const forge = await admin.client.post<{ id: string }>(integrations(), { name: 'F', kind: 'git', provider: 'gitlab', settings: {}, credentials: { token: 't' } })
    refused(await admin.client.post(runs(forge.body.id), {}), 400, 'bad_request')
  })

  test('runs of another organization are not found', async () => {
    const run = await start(await connectGitLab())
    for (const path of ['', `/${run.external_run_id}`]) {
      refused(await other.client.get(`${integrations(other)}/${run.integration_id}/pipeline-runs${path}`), 404, 'not_found')
    }
    refused(await other.client.post(`${integrations(other)}/${run.integration_id}/pipeline-runs/${run.external_run_id}/cancel`), 404, 'not_found')
    refused(await admin.client.get(runs(run.integration_id, '/1')), 404, 'not_found')
  })

  test('an integration has a limited number of runs that are followed', async () => {
    const integration = await connectGitLab()
    const run = await start(integration)
    const collection = scopeOf(app, admin).collection(PIPELINE_RUNS)
    const { organization_id: _, ...document } = (await collection.findOne({ _id: run.id }))!
    for (let at = 1; at < OPEN_RUNS_LIMIT; at++) await collection.insert({ ...document, _id: `${run.id}-${at}`, external_run_id: `other-${at}` })
    const before = ci.pipelines.length
    refused(await admin.client.post(runs(integration), {}), 409, 'conflict')
    assert.equal(ci.pipelines.length, before)
    await start(await connectGitLab())
    await collection.update({ _id: `${run.id}-1` }, { set: { status: 'succeeded' } })
    await start(integration)
  })

  test('a list has the runs with a status', async () => {
    const integration = await connectGitLab()
    const [first, second] = [await start(integration), await start(integration)]
    await cancel(first)
    const list = async (query: string) => (await admin.client.get<Run[]>(runs(integration, query))).body.map(({ id }) => id)
    assert.deepEqual(await list(''), [second.id, first.id])
    assert.deepEqual(await list('?status=canceled'), [first.id])
    assert.deepEqual(await list('?status=failed'), [])
  })

  test('a run that does not end is followed for three days', async () => {
    const run = await start(await connectGitLab())
    now += FOLLOW_LIMIT_MS
    // The session has expired.
    admin = await login(app.client, admin.email)
    await until(async () => (await seen(run)).status === 'failed', SECOND)
    assert.deepEqual([(await seen(run)).reason, asked(run)], ['follow_limit', 0])
  })
})
