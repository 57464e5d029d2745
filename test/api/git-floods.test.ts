/**
 * Webhooks of a forge that floods or attacks the service: what waits and what is stored stays bounded, and an outsider learns nothing. The forge is in memory
 * and answers when the test lets it.
 */
import assert from 'node:assert/strict'
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { after, afterEach, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { THROTTLES } from '../../server/core/auth/throttles.js'
import { JOBS } from '../../server/core/jobs/queue.js'
import { GIT_BINDINGS, GIT_DELIVERIES, GIT_RUNS } from '../../server/features/connections/git-bindings/store.js'
import { GIT_SYNC } from '../../server/features/connections/git-bindings/schedule.js'
import { GIT_PUSH } from '../../server/features/connections/git-bindings/sync.js'
import { REVIEW_END } from '../../server/features/connections/git-checks/review-end.js'
import { CHECKS_LIMIT, GIT_CHECK } from '../../server/features/connections/git-checks/service.js'
import { GIT_CHECKS } from '../../server/features/connections/git-checks/store.js'
import { Throttle } from '../../server/core/tenancy/counters.js'
import { type Actor, anonymous, bootstrap, register } from '../support/actors.js'
import { SEVERAL_POLLS_MS, startTestApp, type TestApp } from '../support/app.js'
import { type BindingRecord, bindingsOf, bound, createGitIntegration, openersOf } from '../support/git/bindings.js'
import { MemoryGit } from '../support/git/memory-git.js'
import { scopeOf } from '../support/stored-cases.js'
import { DEFAULT_STORE } from '../support/stores.js'
import { refused, SIGNUP, waitFor } from './steps.js'
import { DELIVERY_BYTES } from '../../server/features/connections/gateways/git/gateway.js'

const RULE = '<group name="vpn,">\n  <rule id="100100" level="3">\n    <description>Rule</description>\n  </rule>\n</group>\n'
const FILES = { 'rules/a.xml': RULE, 'decoders/vpn.xml': '<decoder name="vpn">\n  <program_name>^vpnd$</program_name>\n</decoder>\n' }
const FLOOD = 40
const JSON_TYPE = { 'Content-Type': 'application/json' }
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, SEVERAL_POLLS_MS))
const sha = (): string => randomBytes(20).toString('hex')

/** Its heads and reviews are answered when the test lets it. */
class SlowGit extends MemoryGit {
  #answering = Promise.resolve()
  #answer = (): void => {}

  hang(): void {
    this.#answering = new Promise((resolve) => {
      this.#answer = resolve
    })
  }

  goOn(): void {
    this.#answer()
  }

  override async getBranch(...call: Parameters<MemoryGit['getBranch']>) {
    await this.#answering
    return super.getBranch(...call)
  }
}

describe(`floods of webhooks, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor
  let integration: string
  let ahead = 0
  const git = new SlowGit()
  const bind = (fields: object = {}) => bound(admin, git, FILES, { integration_id: integration, sync_on_webhook: true, ...fields })
  const jobs = async (kind: string): Promise<number> => app.service.storage.open(JOBS).count({ kind })
  const idle = async (...kinds: string[]) => waitFor(async () => ((await Promise.all(kinds.map(jobs))).every((count) => count === 0) ? true : undefined))

  const signed = (binding: Pick<BindingRecord, 'webhook_secret'>, event: string, raw: string | Uint8Array, id: string = randomUUID()) => ({
    ...JSON_TYPE,
    'X-GitHub-Event': event,
    'X-GitHub-Delivery': id,
    'X-Hub-Signature-256': `sha256=${createHmac('sha256', binding.webhook_secret).update(raw).digest('hex')}`,
  })
  const send = (binding: Pick<BindingRecord, 'id'>, raw: string | Uint8Array, headers: Record<string, string>) =>
    anonymous(app.client).call<{ status: string }>('POST', `/webhooks/git/${binding.id}`, { raw, headers })
  const deliver = (binding: BindingRecord, event: string, payload: object) => {
    const raw = JSON.stringify(payload)
    return send(binding, raw, signed(binding, event, raw))
  }
  const pushOf = (repository: string, after = sha()) => ({ ref: 'refs/heads/main', after, deleted: false, repository: { full_name: repository } })
  const pullOf = (repository: string, number: number, action = 'synchronize', head = sha()) => ({
    action,
    number,
    repository: { full_name: repository },
    pull_request: { merged: false, head: { ref: 'change', sha: head }, base: { ref: 'main' } },
  })

  before(async () => {
    app = await startTestApp({ openers: openersOf(git), clock: () => Date.now() + ahead, env: { ...SIGNUP, NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true' } })
    admin = await bootstrap(app.client)
    integration = await createGitIntegration(admin, { provider: 'github', settings: {} })
  })
  afterEach(() => git.goOn())
  after(() => app?.close())

  test('every route that asks a forge or a CI system counts among waiting requests or reads of repositories', () => {
    const asking = app.service.routes.filter(({ id, errors }) => errors?.includes('provider_unavailable') === true || id === 'pipeline-runs.get')
    assert.ok(asking.length > 10)
    assert.deepEqual(
      asking.filter(({ load }) => load !== 'provider' && load !== 'repository').map(({ id }) => id),
      [],
    )
  })

  test('of many pushes one waits while two are imported, and the last head is imported', async () => {
    const { binding, repository } = await bind()
    const [head] = git.push(repository, 'main', { files: { 'rules/a.xml': RULE.replace('level="3"', 'level="4"') } })
    git.hang()
    for (let at = 0; at < FLOOD; at++) assert.equal((await deliver(binding, 'push', pushOf(repository))).body.status, 'accepted')
    assert.ok((await jobs(GIT_PUSH)) <= 3, `${await jobs(GIT_PUSH)} jobs`)
    git.goOn()
    await idle(GIT_PUSH)
    assert.equal((await scopeOf(app, admin).collection(GIT_BINDINGS).findOne({ _id: binding.id }))?.synced_commit_sha, head)
  })

  test('a binding that was created while its integration was deleted is orphaned', async () => {
    const { binding, url, repository } = await bind()
    await scopeOf(app, admin)
      .collection(GIT_BINDINGS)
      .update({ _id: binding.id }, { set: { integration_id: randomUUID() } })
    refused(await admin.client.post(`${url}/import`), 409, 'conflict')
    refused(await deliver(binding, 'push', pushOf(repository)), 400, 'bad_request')
  })

  test('reports of one closed review do not pile up', async () => {
    const { binding, repository } = await bind()
    const review = { number: 7, url: 'https://git.example.test/7', branch: 'change', head_sha: sha() }
    await scopeOf(app, admin).collection(GIT_BINDINGS).update({ _id: binding.id }, { set: { review } })
    // The forge does not have the review: each job fails, and waits.
    for (let at = 0; at < FLOOD; at++) await deliver(binding, 'pull_request', pullOf(repository, 7, 'closed'))
    // Two jobs of an organization run at once, and one more waits.
    const stored = await jobs(REVIEW_END)
    assert.ok(stored <= 3, `${stored} jobs`)
    await scopeOf(app, admin)
      .collection(GIT_BINDINGS)
      .update({ _id: binding.id }, { set: { review: null } })
    ahead += 10 * 60_000
    await idle(REVIEW_END)
  })

  test('a binding has a limited number of checks that wait', async () => {
    const { binding, repository } = await bind()
    const scope = scopeOf(app, admin)
    const run = (at: number) => ({
      _id: `${binding.id}-${at}`,
      binding_id: binding.id,
      project_id: binding.project_id,
      run_type: 'check' as const,
      status: 'running' as const,
      trigger: 'webhook' as const,
      commit_sha: null,
      review_number: null,
      workspace_id: null,
      error: null,
      diff_summary: {},
      started_by: 'job:git.check',
      created_at: new Date(),
      finished_at: null,
    })
    await scope.commit(Array.from({ length: CHECKS_LIMIT }, (_, at) => scope.collection(GIT_RUNS).inserting(run(at))))
    const answer = await deliver(binding, 'pull_request', pullOf(repository, 5, 'opened'))
    refused(answer, 503, 'service_unavailable')
    assert.notEqual(answer.headers.get('retry-after'), null)
    assert.equal(await scope.collection(GIT_CHECKS).count({}), 0)
    await scope.collection(GIT_RUNS).updateMany({ binding_id: binding.id }, { set: { status: 'canceled' } })
    assert.equal((await deliver(binding, 'pull_request', pullOf(repository, 5, 'opened'))).body.status, 'accepted')
    ahead += 60_000
    await idle(GIT_CHECK)
  })

  test('deliveries of a binding have a rate, after which the forge is asked to wait; other bindings are not affected', async () => {
    const { binding, repository } = await bind()
    const { binding: other, repository: others } = await bind()
    const throttle = new Throttle(app.service.storage, () => Date.now() + ahead)
    const { name, limit } = THROTTLES.gitDeliveries
    for (let at = 0; at < limit - 1; at++) await throttle.attempt(name, binding.id, THROTTLES.gitDeliveries)
    assert.equal((await deliver(binding, 'push', pushOf(repository))).status, 200)
    const answer = await deliver(binding, 'push', pushOf(repository))
    assert.equal(refused(answer, 429, 'rate_limited').details.route, name)
    assert.ok(Number(answer.headers.get('retry-after')) > 0)
    // An outsider neither uses the rate up nor learns of it.
    refused(await deliver({ ...binding, webhook_secret: 'another' }, 'push', pushOf(repository)), 400, 'bad_request')
    // What the binding would ignore is counted too, as it is before the body is parsed.
    refused(await deliver(binding, 'ping', {}), 429, 'rate_limited')
    assert.equal((await deliver(other, 'ping', {})).body.status, 'ignored')
    assert.equal((await deliver(other, 'push', pushOf(others))).status, 200)
    await idle(GIT_PUSH)
  })

  test('what the binding does nothing with is ignored, and not stored', async () => {
    const { binding, repository } = await bind({ check_pull_requests: false, sync_on_webhook: false })
    const before = await scopeOf(app, admin).collection(GIT_DELIVERIES).count({})
    const events: [string, object][] = [
      ['push', pushOf(repository)],
      ['pull_request', pullOf(repository, 3, 'opened')],
      ['pull_request', pullOf(repository, 3, 'closed')],
      ['pull_request', { ...pullOf(repository, 3), pull_request: { merged: false, head: { ref: 'change', sha: sha() }, base: { ref: 'other' } } }],
      ['issues', { anything: true }],
    ]
    for (const [event, payload] of events) assert.equal((await deliver(binding, event, payload)).body.status, 'ignored', JSON.stringify(payload))
    assert.equal(await scopeOf(app, admin).collection(GIT_DELIVERIES).count({}), before)
  })

  test('bodies are refused before they are read or parsed, by size, type and encoding', async () => {
    const { binding, repository } = await bind()
    const large = await send(binding, new Uint8Array(DELIVERY_BYTES + 1), JSON_TYPE)
    assert.equal(refused(large, 413, 'payload_too_large').details.limit, DELIVERY_BYTES)
    const form = `payload=${encodeURIComponent(JSON.stringify(pushOf(repository)))}`
    refused(await send(binding, form, { ...signed(binding, 'push', form), 'Content-Type': 'application/x-www-form-urlencoded' }), 415, 'unsupported_media_type')
    const zipped = gzipSync(JSON.stringify(pushOf(repository)))
    refused(await send(binding, zipped, { ...signed(binding, 'push', zipped), 'Content-Encoding': 'gzip' }), 415, 'unsupported_media_type')
    for (const raw of [
      '['.repeat(1_000_000),
      `${'['.repeat(500_000)}${']'.repeat(500_000)}`,
      `{"ref":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
      `{"ref":"${'a'.repeat(1_000_000)}"}`,
      '',
      'null',
      '{"__proto__":{"ref":"refs/heads/main"}}',
    ])
      refused(await send(binding, raw, signed(binding, 'push', raw)), 400, 'bad_request')
    const utf16 = Buffer.from(JSON.stringify(pushOf(repository)), 'utf16le')
    refused(await send(binding, utf16, signed(binding, 'push', utf16)), 400, 'bad_request')
    assert.equal(await jobs(GIT_PUSH), 0)
  })

  test('forges report commits by their ids, and nothing else', async () => {
    const { binding, repository } = await bind({ integration_id: await createGitIntegration(admin, { name: 'Gitea' }) })
    const { binding: merge, repository: project } = await bind({ integration_id: await createGitIntegration(admin, { name: 'GitLab', provider: 'gitlab', settings: {} }) })
    for (const head of ['../../../user', 'x'.repeat(100_000), '', 'HEAD', `${sha()}/..`]) {
      const pull = JSON.stringify({ ...pullOf(repository, 1, 'opened', head) })
      const signature = createHmac('sha256', binding.webhook_secret).update(pull).digest('hex')
      refused(await send(binding, pull, { ...JSON_TYPE, 'X-Gitea-Event': 'pull_request', 'X-Gitea-Signature': signature }), 400, 'bad_request')
      const request = { iid: 1, action: 'open', source_branch: 'change', target_branch: 'main', last_commit: { id: head } }
      const raw = JSON.stringify({ project: { path_with_namespace: project }, object_attributes: request })
      refused(await send(merge, raw, { ...JSON_TYPE, 'X-Gitlab-Event': 'Merge Request Hook', 'X-Gitlab-Token': merge.webhook_secret }), 400, 'bad_request')
    }
    assert.equal(await jobs(GIT_CHECK), 0)
  })

  test('a suspended organization imports and checks nothing until it is active again', async () => {
    const other = await register(app.client, 'suspended')
    const own = await createGitIntegration(other, { provider: 'github', settings: {} })
    const { binding, repository, head } = await bound(other, git, FILES, { integration_id: own, sync_on_webhook: true, scheduled_sync_interval_minutes: 10 })
    const set = async (is_active: boolean) => assert.equal((await admin.client.patch(`/platform/admin/organizations/${other.organizationId}`, { is_active })).status, 200)
    const synced = async () => (await scopeOf(app, other).collection(GIT_BINDINGS).findOne({ _id: binding.id }))?.synced_commit_sha
    await set(false)
    refused(await deliver(binding, 'push', pushOf(repository, head)), 400, 'bad_request')
    refused(await deliver(binding, 'pull_request', pullOf(repository, 1, 'opened')), 400, 'bad_request')
    const schedule = async () => (await app.service.storage.open(JOBS).find({ kind: GIT_SYNC })).find(({ subject }) => subject.startsWith(binding.id))!
    const before = (await schedule()).due_at
    ahead += 11 * 60_000
    await waitFor(async () => ((await schedule()).claim === null && (await schedule()).due_at > before ? true : undefined))
    await pause()
    assert.equal(await synced(), null)
    await set(true)
    ahead += 11 * 60_000
    await waitFor(async () => ((await synced()) === head ? true : undefined))
    await other.client.delete(`${bindingsOf(other)}/${binding.id}`)
  })
})
