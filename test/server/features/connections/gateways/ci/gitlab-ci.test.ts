/** Pipelines of GitLab CI. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { CiGateway, PipelineRequest } from '../../../../../../server/features/connections/gateways/ci/gateway.js'
import { openGitLabCi } from '../../../../../../server/features/connections/gateways/ci/gitlab-ci.js'
import { HttpClient } from '../../../../../../server/core/egress/client.js'
import { EgressGuard } from '../../../../../../server/core/egress/egress-guard.js'
import { GitLabPipelines } from '../../../../../support/ci/gitlab-ci-routes.js'
import { GitLabFake } from '../../../../../support/git/gitlab-fake.js'
import { push } from '../../../../../support/git/gitlab-store.js'
import { READER } from '../../../../../support/reader.js'

const signal = new AbortController().signal
const REQUEST: PipelineRequest = { project: null, workflow: null, branch: null, inputs: {} }

describe('GitLab CI', () => {
  const ci = new GitLabPipelines()
  const http = new HttpClient(new EgressGuard({ allowPrivateTargets: true }))
  let fake: GitLabFake
  let gateway: CiGateway
  const open = (project: string | null, token = fake.token) =>
    openGitLabCi({ baseUrl: fake.url, organization: null, credentials: { kind: 'token', token }, project, workflow: null }, { http, reader: READER, clock: Date.now })

  before(async () => {
    fake = await new GitLabFake(ci.routes).start()
    for (const path of ['group/sub/content', 'group/other']) push(fake.createProject(path), 'main', { files: { a: 'a' } })
    fake.project('group/sub/content').branches.set('feature/é', 'b'.repeat(40))
    gateway = open('group/sub/content')
  })
  after(async () => {
    http.close()
    await fake.close()
  })

  test('the credential and the project are tested', async () => {
    assert.deepEqual(await gateway.test(signal), { account: 'content-bot' })
    assert.deepEqual(await open(null).test(signal), { account: 'content-bot' })
    await assert.rejects(open('group/missing').test(signal), { reason: 'provider_not_found' })
    await assert.rejects(open(null, 'other').test(signal), { reason: 'provider_credentials_refused' })
  })

  test('a pipeline starts on the default branch, and on another with variables', async () => {
    const first = await gateway.start(REQUEST, signal)
    const [started] = ci.pipelines.slice(-1)
    assert.deepEqual([started.project, started.ref, started.variables], ['group/sub/content', 'main', {}])
    const url = `${fake.url}/group/sub/content/-/pipelines/${started.id}`
    assert.deepEqual(first, { externalRunId: String(started.id), status: 'queued', url, startedAt: null, finishedAt: null, logsUrl: `${url}/builds` })
    await gateway.start({ ...REQUEST, branch: 'feature/é', inputs: { dryRun: 'true', LEVEL: '3' } }, signal)
    const [second] = ci.pipelines.slice(-1)
    assert.deepEqual([second.ref, second.variables], ['feature/é', { dryRun: 'true', LEVEL: '3' }])
    await gateway.start({ ...REQUEST, project: 'group/other' }, signal)
    assert.equal(ci.pipelines.at(-1)?.project, 'group/other')
  })

  test('a missing branch, project and an invalid variable are told', async () => {
    const isNotFound = (what: string) => (error: { reason: string; details: { what: string } }) => error.reason === 'provider_not_found' && error.details.what === what
    await assert.rejects(gateway.start({ ...REQUEST, branch: 'missing' }, signal), isNotFound('branch'))
    await assert.rejects(gateway.start({ ...REQUEST, project: 'group/missing' }, signal), isNotFound('repository'))
    await assert.rejects(open(null).start(REQUEST, signal), isNotFound('project'))
    await assert.rejects(gateway.start({ ...REQUEST, inputs: { 'a-b': '1' } }, signal), { reason: 'provider_refused' })
  })

  for (const [state, status] of [
    ['created', 'queued'],
    ['waiting_for_resource', 'queued'],
    ['preparing', 'queued'],
    ['pending', 'queued'],
    ['scheduled', 'queued'],
    ['manual', 'queued'],
    ['running', 'running'],
    ['canceling', 'running'],
    ['a later state', 'running'],
    ['success', 'succeeded'],
    ['failed', 'failed'],
    ['canceled', 'canceled'],
    ['skipped', 'canceled'],
  ] as const) {
    test(`${state} is ${status}`, async () => {
      const { externalRunId } = await gateway.start(REQUEST, signal)
      Object.assign(ci.pipelines.at(-1)!, { status: state, startedAt: '2026-11-23T09:00:01.000Z', finishedAt: '2026-11-23T12:01:00.000+03:00' })
      const run = await gateway.get(externalRunId, signal)
      assert.deepEqual([run.status, run.startedAt, run.finishedAt], [status, new Date('2026-11-23T09:00:01Z'), new Date('2026-11-23T09:01:00Z')])
    })
  }

  test('a pipeline is canceled', async () => {
    const { externalRunId } = await gateway.start(REQUEST, signal)
    await gateway.cancel!(externalRunId, signal)
    assert.equal((await gateway.get(externalRunId, signal)).status, 'canceled')
  })

  test('an unknown id is not found', async () => {
    for (const id of ['1', 'x', '../1', '9'.repeat(40)]) await assert.rejects(gateway.get(id, signal), { reason: 'provider_not_found' })
  })

  test('an answer of another shape, and a page that is none, are not used', async () => {
    fake.instead.push({ body: { id: 1, status: 2 } })
    await assert.rejects(gateway.get('1', signal), { reason: 'provider_unavailable' })
    fake.instead.push({ body: { id: 1, status: 'success', started_at: 'yesterday' } })
    await assert.rejects(gateway.get('1', signal), { reason: 'provider_unavailable' })
    fake.instead.push({ body: { id: 1, status: 'success', web_url: 'javascript:alert(1)' } })
    const { url, logsUrl } = await gateway.get('1', signal)
    assert.deepEqual([url, logsUrl], [null, null])
  })
})
