/** Workflows of GitHub Actions. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { CiConnection, CiGateway, PipelineRequest, PipelineStatus } from '../../../../../../server/features/connections/gateways/ci/gateway.js'
import { openGitHubActions } from '../../../../../../server/features/connections/gateways/ci/github-actions.js'
import { HttpClient } from '../../../../../../server/core/egress/client.js'
import { EgressGuard } from '../../../../../../server/core/egress/egress-guard.js'
import { GitHubFake } from '../../../../../support/git/github-fake.js'
import { AT_ONCE } from '../../../../../support/git/github-under-test.js'
import { READER } from '../../../../../support/reader.js'

const TOKEN = 'ghp_token0123456789'
const DISPATCH = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches'
const REQUEST: PipelineRequest = { project: null, workflow: null, branch: null, inputs: {} }
const signal = new AbortController().signal
const http = new HttpClient(new EgressGuard({ allowPrivateTargets: true }))

describe('GitHub Actions', () => {
  let fake: GitHubFake
  let gateway: CiGateway
  const open = (change: Partial<CiConnection> = {}): CiGateway => {
    const connection = { baseUrl: fake.baseUrl, organization: null, credentials: { kind: 'token', token: TOKEN }, project: 'acme/content', workflow: 'check.yml' } as const
    return openGitHubActions({ ...connection, ...change }, { http, reader: READER, clock: Date.now }, AT_ONCE)
  }

  before(async () => {
    fake = await new GitHubFake({ tokens: new Set([TOKEN]) }).start()
    for (const name of ['acme/content', 'acme/other']) {
      fake.createRepository(name).workflows.set('check.yml', ['level', ...Array.from({ length: 26 }, (_, index) => `input-${index}`)])
      const [head] = fake.push(name, 'main', { files: { a: 'a' } })
      fake.repository(name).branches.set('feature/ação', head)
    }
    gateway = open()
  })
  beforeEach(() => {
    fake.calls.length = 0
    Object.assign(fake.state, { dispatches: 'tell', searchesBeforeListed: 0 })
  })
  after(async () => {
    http.close()
    await fake.close()
  })

  test('names the account of its credential', async () => {
    assert.deepEqual(await gateway.test(signal), { account: 'mona' })
    await assert.rejects(open({ credentials: { kind: 'token', token: 'ghp_other' } }).test(signal), { reason: 'provider_credentials_refused' })
  })

  test('starts a workflow on a branch, or on the default branch, with inputs', async () => {
    const started = await gateway.start({ ...REQUEST, branch: 'feature/ação', inputs: { level: '12' } }, signal)
    const run = fake.state.runs.at(-1)!
    assert.deepEqual(started, {
      externalRunId: String(run.id),
      status: 'queued',
      url: `${fake.baseUrl}/actions/runs/${run.id}`,
      startedAt: null,
      finishedAt: null,
      logsUrl: null,
    })
    assert.deepEqual([run.repository.fullName, run.workflow, run.branch, run.inputs], ['acme/content', 'check.yml', 'feature/ação', { level: '12' }])
    await gateway.start(REQUEST, signal)
    assert.equal(fake.state.runs.at(-1)!.branch, 'main')
  })

  test('starts a workflow of another project, by full name or by a name of the organization', async () => {
    await gateway.start({ ...REQUEST, project: 'acme/other' }, signal)
    assert.equal(fake.state.runs.at(-1)!.repository.fullName, 'acme/other')
    await open({ organization: 'acme', project: 'other' }).start(REQUEST, signal)
    assert.equal(fake.state.runs.at(-1)!.repository.fullName, 'acme/other')
  })

  test('finds the run that a server started without naming it, also when it is listed late', async () => {
    for (const dispatches of ['silent', 'strict'] as const) {
      await gateway.start(REQUEST, signal)
      Object.assign(fake.state, { dispatches, searchesBeforeListed: 1 })
      const runs = fake.state.runs.length
      const { externalRunId, status } = await gateway.start(REQUEST, signal)
      assert.deepEqual([externalRunId, status], [String(fake.state.runs.at(-1)!.id), 'queued'])
      assert.equal(fake.state.runs.length, runs + 1)
    }
  })

  test('starts no second run when an answer is lost', async () => {
    const runs = fake.state.runs.length
    fake.misbehave(DISPATCH, { kind: 'lost' })
    await assert.rejects(gateway.start(REQUEST, signal), { reason: 'provider_unavailable' })
    assert.deepEqual([fake.state.runs.length, fake.count(DISPATCH)], [runs + 1, 1])
  })

  test('refuses what cannot be started, and says why', async () => {
    const many = Object.fromEntries(Array.from({ length: 26 }, (_, index) => [`input-${index}`, 'x']))
    await assert.rejects(gateway.start({ ...REQUEST, inputs: many }, signal), { reason: 'provider_too_large' })
    assert.equal(fake.calls.length, 0)
    const wrong: readonly (readonly [Partial<PipelineRequest>, string, Readonly<Record<string, unknown>>])[] = [
      [{ branch: 'missing' }, 'not_found', { what: 'branch' }],
      [{ workflow: 'missing.yml' }, 'not_found', { what: 'workflow' }],
      [{ workflow: '..' }, 'not_found', { what: 'workflow' }],
      [{ project: 'acme/missing' }, 'not_found', { what: 'repository' }],
      [{ project: '../user' }, 'not_found', { what: 'repository' }],
      [{ inputs: { unknown: 'x' } }, 'refused', { status: 422, provider_message: 'Unexpected inputs provided: ["unknown"]' }],
    ]
    for (const [change, failure, details] of wrong) {
      await assert.rejects(
        gateway.start({ ...REQUEST, ...change }, signal),
        { reason: `provider_${failure}`, details: { provider: 'github_actions', ...details } },
        JSON.stringify(change),
      )
    }
    await assert.rejects(open({ workflow: null }).start(REQUEST, signal), { reason: 'provider_not_found' })
    await assert.rejects(open({ project: null }).start(REQUEST, signal), { reason: 'provider_not_found' })
  })

  test('follows a run to its end', async () => {
    const { externalRunId } = await gateway.start(REQUEST, signal)
    const run = fake.state.runs.at(-1)!
    const states: readonly (readonly [string, string | null, PipelineStatus])[] = [
      ...['queued', 'requested', 'waiting', 'pending'].map((status) => [status, null, 'queued'] as const),
      ['in_progress', null, 'running'],
      ...['success', 'neutral', 'skipped'].map((conclusion) => ['completed', conclusion, 'succeeded'] as const),
      ...['failure', 'timed_out', 'action_required', 'startup_failure', 'stale'].map((conclusion) => ['completed', conclusion, 'failed'] as const),
      ['completed', 'cancelled', 'canceled'],
    ]
    for (const [status, conclusion, expected] of states) {
      Object.assign(run, { status, conclusion })
      const found = await gateway.get(externalRunId, signal)
      assert.equal(found.status, expected, `${status} ${conclusion}`)
      const hasStarted = expected !== 'queued'
      // The page of the run: no address that is signed, and so secret.
      assert.equal(found.logsUrl, hasStarted ? `${fake.baseUrl}/actions/runs/${run.id}` : null)
      assert.equal(found.startedAt !== null, hasStarted)
      assert.equal(found.finishedAt !== null, status === 'completed')
      if (found.finishedAt !== null) assert.ok(found.finishedAt > found.startedAt!)
    }
  })

  test('cancels a run, and takes one that has ended for canceled', async () => {
    const { externalRunId } = await gateway.start(REQUEST, signal)
    await gateway.cancel!(externalRunId, signal)
    assert.equal((await gateway.get(externalRunId, signal)).status, 'canceled')
    await gateway.cancel!(externalRunId, signal)
  })

  test('does not find runs that are not there', async () => {
    for (const id of ['1', '0', '../..', '1/logs', 'x', '', '9'.repeat(30)]) {
      await assert.rejects(gateway.get(id, signal), { reason: 'provider_not_found' }, id)
      await assert.rejects(gateway.cancel!(id, signal), { reason: 'provider_not_found' }, id)
    }
  })
})
