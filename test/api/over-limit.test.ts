/** An organization that has fallen to a smaller plan: the oldest objects can be changed, the others can be read, and nothing is deleted. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { type JobDocument, JOBS } from '../../server/core/jobs/queue.js'
import { deleteExpired } from '../../server/core/audit/retention.js'
import { deleteRemains } from '../../server/content/projects/clear.js'
import { PROJECTS } from '../../server/content/shared/project.js'
import { AUDIT } from '../../server/core/audit/store.js'
import { PLANS } from '../../server/core/tenancy/plans.js'
import { type Scope, Tenancy } from '../../server/core/tenancy/scope.js'
import { PLAN_SUBSCRIPTIONS } from '../../server/core/tenancy/subscriptions.js'
import { type Actor, addMember, anonymous, bootstrap, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { changeEvent, deliver, FakeBilling, gatewaySubscription } from '../support/billing.js'
import type { Answer } from '../support/client.js'
import { bound, createGitIntegration, openersOf } from '../support/git/bindings.js'
import { MemoryGit } from '../support/git/memory-git.js'
import { from, PROXIED, refused, SIGNUP, waitFor } from './steps.js'

const DAY = 24 * 60 * 60 * 1000
const BINDING = { repository: 'soc/content', branch: 'main', rules_path: 'rules', decoders_path: 'decoders', publish_strategy: 'direct' }
const ruleOf = (level: number): string => `<group name="vpn,">\n  <rule id="100100" level="${level}">\n    <description>Rule</description>\n  </rule>\n</group>\n`

interface ProjectRecord {
  readonly id: string
  readonly is_read_only: boolean
}

interface Overview {
  readonly over_limit: readonly { readonly metric: string; readonly limit: number; readonly ids: readonly string[] }[]
}

describe('over the limits of a plan', () => {
  let app: TestApp
  let names = 0
  const gateway = new FakeBilling()
  const git = new MemoryGit()
  /** How far the clock of the service is ahead. */
  let ahead = 0
  const clock = (): number => Date.now() + ahead

  before(async () => {
    const env = { NATIVE_SERVICE_BILLING_GATEWAY: 'stripe', NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true', ...SIGNUP, ...PROXIED }
    app = await startTestApp({ env, billing: gateway, openers: openersOf(git), clock })
    await bootstrap(app.client)
  })
  after(() => app.close())

  const tenant = (): Promise<Actor> => register(anonymous(app.client).as(from(`192.0.2.${++names}`)), `tenant-${names}`)
  const scopeOf = ({ organizationId }: Actor): Scope => new Tenancy(app.service.storage).of(organizationId)
  /** The gateway reports this state; plans follow at once on this instance. */
  const reports = async ({ organizationId }: Actor, status: 'active' | 'unpaid', seats = 20): Promise<void> => {
    assert.equal((await deliver(app.client, changeEvent(gatewaySubscription(organizationId, status, { seats })))).body.status, 'applied')
  }
  const overLimitOf = async ({ client, organizationId }: Actor) => (await client.get<Overview>(`/platform/organizations/${organizationId}/billing`)).body.over_limit
  const overLimit = (answer: Answer<unknown>, metric: string, limit: number, plan = 'free'): void => {
    const refusal = refused(answer, 403, 'plan_quota_exceeded')
    assert.deepEqual(refusal.details, { metric, limit, plan })
    assert.match(refusal.message, /only be read/)
  }

  test('the oldest projects can be changed, the others can be read and run', async () => {
    const owner = await tenant()
    await reports(owner, 'active')
    const ids: string[] = []
    for (let i = 0; i < 7; i++) ids.push((await owner.client.post<{ id: string }>('/platform/projects', { name: `Project ${i}` })).body.id)
    const [fifth, sixth, seventh] = ids.slice(4)
    const sampleCase = { name: 'case', event_text: 'Jan  5 10:11:12 web1 sshd[2201]: Invalid user admin from 203.0.113.7 port 50122' }
    assert.equal((await owner.client.post(`/platform/projects/${sixth}/cases`, sampleCase)).status, 200)
    assert.deepEqual(await overLimitOf(owner), [])
    const readOnly = async (): Promise<string[]> => {
      const listed = (await owner.client.get<ProjectRecord[]>('/platform/projects')).body.filter(({ is_read_only }) => is_read_only).map(({ id }) => id)
      const shown: string[] = []
      for (const id of ids) {
        const { project } = (await owner.client.get<{ project: ProjectRecord }>(`/platform/projects/${id}/overview`)).body
        assert.equal((await owner.client.get<ProjectRecord>(`/platform/projects/${id}`)).body.is_read_only, project.is_read_only)
        if (project.is_read_only) shown.push(id)
      }
      assert.deepEqual([...listed].sort(), [...shown].sort())
      return shown
    }
    assert.deepEqual(await readOnly(), [])

    await reports(owner, 'unpaid')
    assert.deepEqual(await readOnly(), [sixth, seventh])
    assert.deepEqual(await overLimitOf(owner), [{ metric: 'projects', limit: 5, ids: [sixth, seventh] }])
    assert.equal((await owner.client.patch(`/platform/projects/${fifth}`, { description: 'changed' })).status, 200)
    assert.equal((await owner.client.post(`/platform/projects/${fifth}/cases`, sampleCase)).status, 200)
    for (const id of [sixth, seventh]) {
      overLimit(await owner.client.patch(`/platform/projects/${id}`, { description: 'changed' }), 'projects', 5)
      overLimit(await owner.client.post(`/platform/projects/${id}/cases`, sampleCase), 'projects', 5)
      overLimit(await owner.client.post(`/platform/projects/${id}/workspaces`, { name: 'workspace' }), 'projects', 5)
      overLimit(await owner.client.post(`/platform/projects/${id}/versions`, { name: '1.0' }), 'projects', 5)
      assert.equal((await owner.client.get(`/platform/projects/${id}`)).status, 200)
      assert.equal((await owner.client.get(`/platform/projects/${id}/cases`)).status, 200)
    }
    const run = await owner.client.post<{ total_cases: number }>(`/platform/projects/${sixth}/cases/run`)
    assert.deepEqual([run.status, run.body.total_cases], [200, 1])
    refused(await owner.client.patch('/platform/projects/missing', { description: 'x' }), 404, 'not_found')
    assert.equal((await owner.client.get<unknown[]>('/platform/projects')).body.length, 7, 'nothing is deleted')

    // If projects were created in the same millisecond, their ids decide.
    await scopeOf(owner)
      .collection(PROJECTS)
      .updateMany({}, { set: { created_at: new Date() } })
    const [{ ids: over }] = await overLimitOf(owner)
    assert.deepEqual([over.length, (await readOnly()).sort()], [2, [...over].sort()])
    for (const id of ids) assert.equal((await owner.client.patch(`/platform/projects/${id}`, { description: 'again' })).status, over.includes(id) ? 403 : 200)

    await reports(owner, 'active')
    assert.equal((await owner.client.patch(`/platform/projects/${seventh}`, { description: 'changed' })).status, 200)
  })

  test('archiving a project gives its place in the plan to another one, and taking it back needs a place', async () => {
    const owner = await tenant()
    await reports(owner, 'active')
    const ids: string[] = []
    for (let i = 0; i < 6; i++) ids.push((await owner.client.post<{ id: string }>('/platform/projects', { name: `Project ${i}` })).body.id)
    const [first, , , , fifth, sixth] = ids
    const edit = (id: string) => owner.client.patch(`/platform/projects/${id}`, { description: `edited ${++names}` })
    await reports(owner, 'unpaid')
    overLimit(await edit(sixth), 'projects', 5)
    // Also the one that is over the limit can be archived and deleted.
    assert.equal((await owner.client.post(`/platform/projects/${sixth}/archive`)).status, 200)
    assert.deepEqual(await overLimitOf(owner), [])
    const refusal = refused(await owner.client.post(`/platform/projects/${sixth}/unarchive`), 403, 'plan_quota_exceeded')
    assert.deepEqual(refusal.details, { metric: 'projects', limit: 5 })
    assert.equal((await owner.client.post(`/platform/projects/${first}/archive`)).status, 200)
    // If several requests ask for the one free place, one of them gets it.
    const attempts = await Promise.all(Array.from({ length: 4 }, (_, i) => owner.client.post(`/platform/projects/${i % 2 === 0 ? first : sixth}/unarchive`)))
    const back = attempts.flatMap(({ status }, i) => (status === 200 ? [i % 2 === 0 ? first : sixth] : []))
    assert.equal(new Set(back).size, 1, JSON.stringify(attempts.map(({ status }) => status)))
    const left = back[0] === first ? sixth : first
    refused(await owner.client.post('/platform/projects', { name: 'one more' }), 403, 'plan_quota_exceeded')
    assert.equal((await owner.client.delete(`/platform/projects/${left}`)).status, 204)
    assert.equal((await edit(fifth)).status, 200)
  })

  test('the Git binding of a project over the limit can be read and deleted, and is not used', async () => {
    const owner = await tenant()
    await reports(owner, 'active')
    const own = `/platform/organizations/${owner.organizationId}`
    const settings = { base_url: 'https://git.example.test' }
    const { body: integration, text } = await owner.client.post<{ id: string }>(`${own}/integrations`, { name: 'git', kind: 'git', provider: 'git', settings })
    assert.ok(integration?.id, text)
    const bindings: string[] = []
    for (let i = 0; i < 6; i++) {
      const project = (await owner.client.post<{ id: string }>('/platform/projects', { name: `Project ${i}` })).body.id
      bindings.push((await owner.client.post<{ id: string }>(`${own}/git-bindings`, { ...BINDING, project_id: project, integration_id: integration.id })).body.id)
    }
    await reports(owner, 'unpaid')
    const [within, over] = [`${own}/git-bindings/${bindings[4]}`, `${own}/git-bindings/${bindings[5]}`]
    assert.equal((await owner.client.patch(within, { sync_on_webhook: true })).status, 200)
    overLimit(await owner.client.patch(over, { sync_on_webhook: true }), 'projects', 5)
    for (const operation of ['import', 'publish', 'rotate-secret']) overLimit(await owner.client.post(`${over}/${operation}`, {}), 'projects', 5)
    assert.equal((await owner.client.get(over)).status, 200)
    const { project_id } = (await owner.client.get<{ project_id: string }>(over)).body
    overLimit(await owner.client.post(`${own}/git-bindings`, { ...BINDING, project_id, integration_id: integration.id }), 'projects', 5)
    assert.equal((await owner.client.delete(over)).status, 204)
  })

  test('automatic imports into a project over the limit wait, say so once, and go on afterwards', async () => {
    const owner = await tenant()
    await reports(owner, 'active')
    for (let i = 0; i < 5; i++) await owner.client.post('/platform/projects', { name: `Project ${i}` })
    const integration_id = await createGitIntegration(owner, { provider: 'github', settings: {} })
    const { binding, url, repository } = await bound(owner, git, { 'rules/a.xml': ruleOf(3) }, { integration_id, sync_on_webhook: true, scheduled_sync_interval_minutes: 10 })
    const runs = async () => (await owner.client.get<{ status: string; trigger: string; commit_sha: string | null; error: { code: string } | null }[]>(`${url}/runs`)).body
    const jobs = async (): Promise<JobDocument[]> =>
      (await app.service.storage.open(JOBS).find({})).filter(({ kind, subject }) => kind.startsWith('git.') && subject.startsWith(binding.id))
    const allWait = () => waitFor(async () => ((await jobs()).every(({ due_at, claim }) => claim === null && due_at.getTime() > clock()) ? true : undefined))
    await reports(owner, 'unpaid')
    try {
      const [head] = git.push(repository, 'main', { files: { 'rules/a.xml': ruleOf(4) } })
      const raw = JSON.stringify({ ref: 'refs/heads/main', after: head, deleted: false, repository: { full_name: repository } })
      const signature = `sha256=${createHmac('sha256', binding.webhook_secret).update(raw).digest('hex')}`
      const headers = { 'Content-Type': 'application/json', 'X-GitHub-Event': 'push', 'X-GitHub-Delivery': 'one', 'X-Hub-Signature-256': signature }
      assert.equal((await anonymous(app.client).call('POST', `/webhooks/git/${binding.id}`, { raw, headers })).status, 200)
      const [told] = await waitFor(async () => ((await runs()).length > 0 ? runs() : undefined))
      assert.deepEqual([told.status, told.trigger, told.error?.code], ['failed', 'webhook', 'plan_quota_exceeded'])
      ahead = 11 * 60_000
      await allWait()
      assert.deepEqual([(await runs()).length, (await jobs()).length], [1, 2], 'both the push and the schedule wait')
      await reports(owner, 'active')
      ahead += 6 * 60_000
      const [imported] = await waitFor(async () => ((await runs()).length > 1 ? runs() : undefined))
      assert.deepEqual([imported.status, imported.trigger, imported.commit_sha], ['succeeded', 'webhook', head])
    } finally {
      ahead = 0
    }
  })

  test('the oldest webhooks can be changed, the others can be deleted', async () => {
    const owner = await tenant()
    await reports(owner, 'active')
    const hooks = `/platform/organizations/${owner.organizationId}/webhooks`
    const ids: string[] = []
    for (let i = 0; i < 3; i++) ids.push((await owner.client.post<{ id: string }>(hooks, { url: `http://127.0.0.1:9/${i}`, events: ['review.created'] })).body.id)
    await reports(owner, 'unpaid')
    const [first, , third] = ids
    assert.deepEqual(await overLimitOf(owner), [{ metric: 'webhooks', limit: 2, ids: [third] }])
    assert.equal((await owner.client.patch(`${hooks}/${first}`, { is_active: false })).status, 200)
    overLimit(await owner.client.patch(`${hooks}/${third}`, { is_active: false }), 'webhooks', 2)
    overLimit(await owner.client.post(`${hooks}/${third}/test`), 'webhooks', 2)
    overLimit(await owner.client.post(`${hooks}/${third}/rotate-secret`), 'webhooks', 2)
    assert.equal((await owner.client.get<{ is_active: boolean }>(`${hooks}/${third}`)).body.is_active, true, 'it goes on delivering')
    assert.equal((await owner.client.delete(`${hooks}/${first}`)).status, 204)
    assert.equal((await owner.client.patch(`${hooks}/${third}`, { is_active: false })).status, 200, 'there is room for it now')
  })

  test('members beyond the seats can only read: admins are within the seats first, then those who joined earlier', async () => {
    const owner = await tenant()
    await reports(owner, 'active', 20)
    const early = await addMember(owner, 'engineer', `early-${names}@example.test`)
    const late = await addMember(owner, 'engineer', `late-${names}@example.test`)
    const deputy = await addMember(owner, 'org_admin', `deputy-${names}@example.test`)
    await reports(owner, 'active', 3)
    assert.deepEqual(await overLimitOf(owner), [{ metric: 'members', limit: 3, ids: [late.userId] }])
    const create = (actor: Actor) => actor.client.post('/platform/projects', { name: `By ${actor.email}` })
    for (const actor of [owner, early, deputy]) assert.equal((await create(actor)).status, 200, actor.email)
    overLimit(await create(late), 'members', 3, 'team')
    overLimit(await late.client.post('/analysis/validate', { files: [] }), 'members', 3, 'team')
    assert.equal((await late.client.get<unknown[]>('/platform/projects')).body.length, 3)
    assert.equal((await late.client.get('/auth/me')).status, 200)
    await reports(owner, 'active', 4)
    // The list of members over the limit is kept for less than a second.
    await waitFor(async () => ((await create(late)).status === 200 ? true : undefined))
  })

  test('entries of the audit log expire as the plan says', async (t) => {
    const owner = await tenant()
    const scope = scopeOf(owner)
    const entries = scope.collection(AUDIT)
    const now = Date.now()
    const old = (id: string, days: number) => ({
      _id: `${owner.organizationId}-${id}`,
      project_id: null,
      actor_type: 'system' as const,
      actor_id: null,
      actor_name: 'test',
      action: 'case.run' as const,
      resource_type: 'case',
      resource_id: 'case',
      resource_name: 'case',
      diff: {},
      request_id: null,
      address: null,
      created_at: new Date(now - days * DAY),
    })
    await scope.commit(Array.from({ length: 1200 }, (_, index) => entries.inserting(old(`old-${index}`, 31 + (index % 300)))))
    await entries.insert(old('young', 29.9))
    const total = async () => Number((await owner.client.get('/platform/audit?limit=1')).headers.get('x-total-count'))
    const before = await total()
    const expire = (plan: (typeof PLANS)['free'], at = now) =>
      deleteExpired({ identities: { clock: () => at }, quotas: { planOf: () => plan }, deleteRemains }, scope, new AbortController().signal)

    await t.test('not soon after a change of the plan', async () => {
      assert.equal(await expire(PLANS.self_hosted), 0)
      assert.equal(await expire(PLANS.team), 0)
      await entries.insert({ ...old('changed', 1), action: 'subscription.plan_changed' })
      assert.equal(await expire(PLANS.free), 0)
      assert.equal(await expire(PLANS.free, now + 28.9 * DAY), 0)
      await entries.deleteMany({ action: 'subscription.plan_changed' })
    })
    await t.test('in batches, each with an entry about it', async () => {
      assert.equal(await expire(PLANS.free), 1200)
      const told = (await owner.client.get<{ actor_type: string; diff: Record<string, { before: unknown }> }[]>('/platform/audit?action=audit.expired')).body
      assert.deepEqual(told.map(({ actor_type, diff }) => [actor_type, diff.entries.before]).sort(), [
        ['system', 1000],
        ['system', 200],
      ])
      assert.equal(await total(), before - 1200 + 2)
    })
    await t.test('but not the entries about deletions', async () => {
      // The clock is a year ahead: what is left expires.
      assert.ok((await expire(PLANS.free, now + 365 * DAY)) > 0)
      assert.equal((await entries.find({ action: 'audit.expired' })).length, 3)
      assert.equal((await entries.find({ action: { not: 'audit.expired' } })).length, 0)
    })
  })

  test('an organization without a subscription is limited like any other', async () => {
    const owner = await tenant()
    await reports(owner, 'active')
    for (let i = 0; i < 6; i++) await owner.client.post('/platform/projects', { name: `Project ${i}` })
    await scopeOf(owner).collection(PLAN_SUBSCRIPTIONS).deleteMany({})
    // Another instance would see it within a second, too.
    const [over] = await waitFor(async () => {
      const all = await overLimitOf(owner)
      return all.length > 0 ? all : undefined
    })
    assert.deepEqual([over.metric, over.ids.length], ['projects', 1])
  })
})
