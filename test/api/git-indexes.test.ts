/**
 * What the jobs and webhooks of Git and CI ask the store: each query is answered by an index that has its order. Lists of the interface are tested in
 * `list-indexes.test.ts`.
 */
import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { JOBS } from '../../server/core/jobs/queue.js'
import { type Actor, anonymous, bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { type BindingRecord, bindingsOf, bound, createGitIntegration, openersOf } from '../support/git/bindings.js'
import { MemoryGit } from '../support/git/memory-git.js'
import { openWatchedStorage, type WatchedStorage } from '../support/query-plans.js'
import { DEFAULT_STORE } from '../support/stores.js'
import { waitFor } from './steps.js'

const RULE = '<group name="vpn,">\n  <rule id="100100" level="3">\n    <description>Rule</description>\n  </rule>\n</group>\n'
const FILES = { 'rules/a.xml': RULE, 'decoders/vpn.xml': '<decoder name="vpn">\n  <program_name>^vpnd$</program_name>\n</decoder>\n' }
const never = new AbortController().signal
/** What the job queue and the work of a check or import ask. */
const EXPECTED = ['git_bindings', 'git_runs', 'integrations', 'jobs', 'pipeline_runs']

describe(`queries of jobs and webhooks, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor
  let watched: WatchedStorage
  let ahead = 0
  const git = new MemoryGit()

  before(async () => {
    app = await startTestApp({
      openers: {
        ...openersOf(git),
        ci: () => ({
          test: async () => ({ account: null }),
          start: async () => ({ externalRunId: '1', status: 'queued', url: null, startedAt: null, finishedAt: null, logsUrl: null }),
          get: async () => ({ externalRunId: '1', status: 'succeeded', url: null, startedAt: null, finishedAt: null, logsUrl: null }),
          cancel: null,
        }),
      },
      clock: () => Date.now() + ahead,
      env: { NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true' },
      open: async (config) => {
        watched = await openWatchedStorage(config)
        return watched.storage
      },
    })
    admin = await bootstrap(app.client)
  })
  after(() => app?.close())

  test('are answered by an index that has their order', async () => {
    const integrations = `/platform/organizations/${admin.organizationId}/integrations`
    const integration_id = await createGitIntegration(admin, { provider: 'github', settings: {} })
    const options = { integration_id, sync_on_webhook: true, scheduled_sync_interval_minutes: 5, comment_on_review: true }
    const { binding, repository, url } = await bound(admin, git, FILES, options)
    const deliver = async (event: string, payload: object, { id, webhook_secret }: BindingRecord = binding) => {
      const raw = JSON.stringify(payload)
      const signature = `sha256=${createHmac('sha256', webhook_secret).update(raw).digest('hex')}`
      const headers = { 'Content-Type': 'application/json', 'X-GitHub-Event': event, 'X-GitHub-Delivery': randomUUID(), 'X-Hub-Signature-256': signature }
      const answer = await anonymous(app.client).call<{ status: string }>('POST', `/webhooks/git/${id}`, { raw, headers })
      assert.deepEqual(answer.body, { status: 'accepted' }, answer.text)
    }
    const idle = () => waitFor(async () => ((await app.service.storage.open(JOBS).count({})) === 0 ? true : undefined))
    const pull = (action: string, number: number, sha: string) => ({
      action,
      number,
      repository: { full_name: repository },
      pull_request: { merged: false, head: { ref: 'change', sha }, base: { ref: 'main' } },
    })
    watched.asked.length = 0

    const [head] = git.push(repository, 'main', { files: { 'rules/a.xml': RULE.replace('level="3"', 'level="4"') } })
    await deliver('push', { ref: 'refs/heads/main', after: head, deleted: false, repository: { full_name: repository } })
    git.setBranch(repository, 'change', head)
    const [change] = git.push(repository, 'change', { files: { 'rules/a.xml': RULE.replace('level="3"', 'level="5"') } })
    const { number } = await git.reviews.openReview(repository, { sourceBranch: 'change', targetBranch: 'main', title: 'Change', body: '' }, never)
    await deliver('pull_request', pull('opened', number, change))
    git.failNext('getBranch', 'unavailable')
    ahead += 6 * 60_000
    await waitFor(async () => {
      const { body } = await admin.client.get<{ run_type: string; status: string }[]>(`${url}/runs`)
      return body.some(({ run_type, status }) => run_type === 'check' && status === 'succeeded') && body.some(({ status }) => status === 'failed') ? true : undefined
    })
    await deliver('pull_request', pull('closed', number, change))
    assert.equal((await admin.client.post(`${url}/preflight`)).status, 200)
    const pipeline = await admin.client.post<{ id: string }>(integrations, { name: 'CI', kind: 'ci', provider: 'github_actions', settings: {}, credentials: { token: 'token' } })
    assert.equal(pipeline.status, 200, pipeline.text)
    const run = await admin.client.post(`${integrations}/${pipeline.body.id}/pipeline-runs`, {})
    assert.equal(run.status, 200, run.text)
    for (const path of [`${integrations}/${pipeline.body.id}`, `${integrations}/${integration_id}`, `${bindingsOf(admin)}/${binding.id}`])
      assert.equal((await admin.client.delete(path)).status, 204)
    ahead += 10 * 60_000
    await idle()

    const faults = new Set<string>()
    for (const question of [...watched.asked]) {
      const fault = await watched.faultOf(question)
      const { kind, collection, filter, options: asked } = question
      if (fault !== null) faults.add(`${kind} in ${collection} by ${Object.keys(filter)} in order of ${Object.keys(asked.sort ?? {})}: ${fault}`)
    }
    assert.deepEqual([...faults], [])
    const collections = new Set(watched.asked.map(({ collection }) => collection))
    assert.deepEqual(
      EXPECTED.filter((name) => !collections.has(name)),
      [],
    )
  })
})
