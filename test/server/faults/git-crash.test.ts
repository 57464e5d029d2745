/**
 * The service is killed while a forge does what it was asked to do. After a restart, and once the leases of the dead process have ended, every run is finished
 * or told as failed, there is no second commit, review or comment, and a repeated request makes none either. One process is killed in the middle of all of it.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Static } from 'typebox'
import type { GitProjectSyncRunRecord } from '../../../server/features/connections/git-bindings/run-schema.js'
import { SYNC_LEASE_MS } from '../../../server/features/connections/git-bindings/sync.js'
import { CHECK_LEASE_MS } from '../../../server/features/connections/git-checks/job.js'
import { LEASE_MS } from '../../../server/features/connections/git-publish/lease.js'
import type { WorkspaceRecord } from '../../../server/content/workspaces/schema.js'
import { refused, waitFor } from '../../api/steps.js'
import type { GitUnderTest } from '../../contracts/git-gateway.js'
import { type Actor, bootstrap, login, register } from '../../support/actors.js'
import { sharedPool, startTestApp, type TestApp } from '../../support/app.js'
import { Client } from '../../support/client.js'
import { type BindingRecord, bindingsOf, createBinding, createGitIntegration } from '../../support/git/bindings.js'
import { deliverPush, deliverReview } from '../../support/git/deliveries.js'
import { type ForgeCall, type ForgeProxy, type Interfering, startForgeProxy } from '../../support/git/forge-proxy.js'
import { giteaUnderTest } from '../../support/git/gitea-under-test.js'
import { githubUnderTest } from '../../support/git/github-under-test.js'
import { gitlabUnderTest } from '../../support/git/gitlab-under-test.js'
import { createProject, DECODERS_XML, RULES_XML } from '../../support/projects.js'
import { type ServiceProcess, SMALL_RULESET, startServiceProcess } from '../../support/service-process.js'
import { EMBEDDED, type FreshStore, REPLICA_SET } from '../../support/stores.js'

const SETTINGS = { NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true', NATIVE_SERVICE_SELF_SIGNUP_ENABLED: 'true' }
const PATIENT_WAITS = new URL('../../support/patient-waits.js', import.meta.url).href
/** Until the process is in the middle of everything; a machine may be busy. */
const PATIENCE_MS = 120_000
const FILES = { 'decoders/vpn.xml': DECODERS_XML, 'rules/base.xml': RULES_XML }
const ruleOf = (id: number): string =>
  `<group name="vpn,">\n  <rule id="${id}" level="4">\n    <if_sid>100100</if_sid>\n    <description>VPN: ${id}</description>\n  </rule>\n</group>\n`

/** What is held back. The calls of all providers: of each one only its own come. */
const CALLS = {
  commit: (call: ForgeCall) => /^(POST|PATCH)$/.test(call.method) && /\/git\/refs|\/repository\/commits$|\/git-receive-pack$/.test(call.url),
  blob: (call: ForgeCall) => call.method === 'GET' && call.url.includes('/blobs/'),
  openReview: (call: ForgeCall) => call.method === 'POST' && /\/(pulls|merge_requests)$/.test(call.url),
  updateReview: (call: ForgeCall) => /^(PATCH|PUT)$/.test(call.method) && /\/(pulls|merge_requests)\/\d+$/.test(call.url),
  lastStatus: (call: ForgeCall) => call.method === 'POST' && call.url.includes('/statuses/') && !call.body.includes('pending'),
  comment: (call: ForgeCall) => call.method === 'POST' && /\/(comments|notes)$/.test(call.url),
} as const

interface Bound {
  readonly actor: Actor
  readonly repository: string
  readonly projectId: string
  readonly binding: BindingRecord
  /** Below the interface. */
  readonly path: string
}
interface Published {
  readonly no_change: boolean
  readonly commit_sha: string | null
  readonly review: { readonly number: number } | null
}
type Run = Static<typeof GitProjectSyncRunRecord>

sharedPool()
const gitea = giteaUnderTest()

for (const [store, provider] of [
  [EMBEDDED, githubUnderTest()],
  [REPLICA_SET, gitea.skip === false ? gitea : gitlabUnderTest()],
] as const) {
  describe(`a crash while a forge is written and read, ${store.name}, ${provider.name}`, { skip: store.skip }, () => {
    const never = new AbortController().signal
    const bounds = new Map<string, Bound>()
    const held: Interfering[] = []
    let fresh: FreshStore
    let forge: GitUnderTest
    let proxy: ForgeProxy
    let dead: ServiceProcess
    let app: TestApp | undefined
    let ahead = 0

    /** A project with one rule more than its repository has. */
    const bind = async (name: string, actor: Actor, fields: Readonly<Record<string, unknown>> = {}): Promise<Bound> => {
      const repository = await forge.createRepository()
      await forge.push(repository, 'main', { message: 'First', files: FILES })
      const integration_id = await createGitIntegration(actor, { provider: provider.name, settings: { base_url: proxy.url }, credentials: { token: forge.overHttp!.secret } })
      const projectId = (await createProject(actor, { rules_xml: RULES_XML + ruleOf(100200) })).id
      const binding = await createBinding(actor, repository, { integration_id, project_id: projectId, ...fields })
      const bound = { actor, repository, projectId, binding, path: `${bindingsOf(actor)}/${binding.id}` }
      bounds.set(name, bound)
      return bound
    }
    const hold = ({ repository }: Bound, call: keyof typeof CALLS, how: 'hold' | 'lose'): void => {
      const isIn = ({ url }: ForgeCall): boolean => url.includes(`/${repository}/`) || url.includes(`/${repository}.git/`)
      held.push(proxy.interfere((each) => isIn(each) && CALLS[call](each), how))
    }
    /** Sends what will have no answer. */
    const begin = ({ actor, path }: Bound, action: string, body?: object): void => void actor.client.post(`${path}/${action}`, body).catch(() => undefined)
    const allReached = async (): Promise<void> => {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`not all was begun: ${held.map((each) => each.count())}\n${dead.output()}`)), PATIENCE_MS)
      })
      await Promise.race([Promise.all(held.map(({ reached }) => reached)), late]).finally(() => clearTimeout(timer))
    }

    const commitsOf = ({ repository }: Bound, branch = 'main') => forge.gateway.listCommits(repository, branch, 10, never)
    const runsOf = async ({ actor, path }: Bound): Promise<Run[]> => (await actor.client.get<Run[]>(`${path}/runs`)).body
    const ended = (bound: Bound): Promise<Run> =>
      waitFor(async () => {
        const [run] = await runsOf(bound)
        return run === undefined || run.status === 'running' ? undefined : run
      })
    const publish = async ({ actor, path }: Bound): Promise<Published> => {
      const { status, body, text } = await actor.client.post<Published>(`${path}/publish`)
      assert.equal(status, 200, text)
      return body
    }
    const workspacesOf = async ({ actor, projectId }: Bound) => (await actor.client.get<WorkspaceRecord[]>(`/platform/projects/${projectId}/workspaces`)).body
    const boundAs = (name: string): Bound => bounds.get(name)!
    const requireOneReview = async ({ repository }: Bound): Promise<void> => {
      assert.equal((await forge.gateway.reviews!.getReview(repository, 1, never)).state, 'open')
      await assert.rejects(forge.gateway.reviews!.getReview(repository, 2, never), { reason: 'provider_not_found' })
    }

    before(async () => {
      fresh = await store.fresh()
      forge = await provider.start()
      proxy = await startForgeProxy(forge.overHttp!.baseUrl)
      dead = await startServiceProcess({ ...fresh.env, ...SETTINGS, ...SMALL_RULESET, NODE_OPTIONS: `--import=${PATIENT_WAITS}` })
      const admin = await bootstrap(new Client(dead.origin))
      // Four requests of an organization are worked on at once.
      const second = await register(new Client(dead.origin), 'second')
      const third = await register(new Client(dead.origin), 'third')

      for (const [name, call, how] of [
        ['committed', 'commit', 'lose'],
        ['not committed', 'commit', 'hold'],
        ['not read', 'blob', 'hold'],
      ] as const) {
        const bound = await bind(name, admin)
        hold(bound, call, how)
        begin(bound, 'publish')
      }
      for (const [name, call] of [
        ['review not opened', 'commit'],
        ['review opened', 'openReview'],
      ] as const) {
        const bound = await bind(name, second, { publish_strategy: 'review' })
        hold(bound, call, 'lose')
        begin(bound, 'publish')
      }
      const updated = await bind('review updated', second, { publish_strategy: 'review' })
      assert.equal((await publish(updated)).review?.number, 1)
      assert.equal((await second.client.patch(`/platform/projects/${updated.projectId}`, { rules_xml: RULES_XML + ruleOf(100201) })).status, 200)
      hold(updated, 'updateReview', 'lose')
      begin(updated, 'publish')

      const imported = await bind('imported', third)
      hold(imported, 'blob', 'lose')
      begin(imported, 'import')
      const rolledBack = await bind('rolled back', third)
      const [{ sha: commit_sha }] = await commitsOf(rolledBack)
      hold(rolledBack, 'blob', 'lose')
      begin(rolledBack, 'rollback', { commit_sha, workspace_name: 'Earlier' })

      const exported = await bind('exported', third)
      hold(exported, 'commit', 'lose')
      void exportTo(exported).catch(() => undefined)

      const pushed = await bind('pushed', third, { sync_on_webhook: true })
      hold(pushed, 'blob', 'lose')
      const [head] = await forge.push(pushed.repository, 'main', { files: { 'rules/base.xml': RULES_XML.replace('level="5"', 'level="6"') } })
      assert.equal((await deliverPush(dead.origin, pushed.binding, pushed.repository, head)).body.status, 'accepted')

      // An instance checks one pull request of an organization at a time.
      for (const [name, actor, call, how] of [
        ['checked', admin, 'lastStatus', 'hold'],
        ['commented', second, 'comment', 'lose'],
      ] as const) {
        const bound = await bind(name, actor, { comment_on_review: true })
        const [first] = await commitsOf(bound)
        await forge.createBranches(bound.repository, ['change'], first.sha)
        const [headSha] = await forge.push(bound.repository, 'change', { files: { 'rules/base.xml': RULES_XML.replace('level="5"', 'level="6"') } })
        const { number } = await forge.gateway.reviews!.openReview(bound.repository, { sourceBranch: 'change', targetBranch: 'main', title: 'Change', body: '' }, never)
        hold(bound, call, how)
        const review = { number, sourceBranch: 'change', headSha }
        assert.equal((await deliverReview(dead.origin, bound.binding, bound.repository, review)).body.status, 'accepted')
      }

      await allReached()
      await dead.stop('SIGKILL')
      for (const each of held) each.end()
      await fresh.forget?.()

      app = await startTestApp({ store: { ...store, fresh: async () => fresh }, env: SETTINGS, clock: () => Date.now() + ahead })
      const again = new Map([admin, second, third].map(({ email }) => [email, login(app!.client, email)]))
      for (const [name, bound] of bounds) bounds.set(name, { ...bound, actor: await again.get(bound.actor.email)! })
    })
    after(async () => {
      await app?.close()
      await dead?.stop('SIGKILL')
      await proxy?.close()
      await forge?.close()
      if (app === undefined) await fresh?.remove()
    })

    const exportTo = ({ actor, repository, binding }: Bound) =>
      actor.client.post<{ no_change: boolean }>(
        `/platform/organizations/${actor.organizationId}/integrations/${(binding as BindingRecord & { integration_id: string }).integration_id}/sync-export`,
        {
          repository,
          branch: 'main',
          decoders_xml: '',
          rules_xml: ruleOf(100300),
          commit_message: 'Export',
        },
      )

    test('while the lease of the dead process lasts, another publication is refused, and says until when', async () => {
      for (const name of ['committed', 'not committed', 'not read', 'review not opened', 'review opened', 'review updated']) {
        const { actor, path } = boundAs(name)
        const { details } = refused(await actor.client.post(`${path}/publish`), 409, 'git_publish_running')
        assert.ok(Date.parse(String(details.ends_by)) <= Date.now() + LEASE_MS, name)
        assert.equal((await runsOf(boundAs(name)))[0].id, details.run_id)
      }
      ahead += Math.max(LEASE_MS, SYNC_LEASE_MS, CHECK_LEASE_MS)
    })

    test('a commit that was made is recorded, and not made again', async () => {
      const bound = boundAs('committed')
      const run = await ended(bound)
      const [head, ...more] = await commitsOf(bound)
      assert.deepEqual([run.status, run.commit_sha, run.error, more.length], ['succeeded', head.sha, null, 1])
      assert.equal((await bound.actor.client.get<BindingRecord>(bound.path)).body.synced_commit_sha, head.sha)
      assert.equal((await publish(bound)).no_change, true)
      assert.equal((await commitsOf(bound)).length, 2)
      const audit = await bound.actor.client.get<{ action: string }[]>(`/platform/audit?resource_id=${bound.binding.id}&order=asc`)
      assert.deepEqual(
        audit.body.map(({ action }) => action),
        ['git_binding.created', 'git_binding.published'],
      )
    })

    for (const name of ['not committed', 'not read'])
      test(`a publication that was ${name} is told as failed, and can be repeated`, async () => {
        const bound = boundAs(name)
        const run = await ended(bound)
        assert.deepEqual([run.status, run.error?.code, run.commit_sha], ['failed', 'git_publish_interrupted', null])
        assert.equal((await commitsOf(bound)).length, 1)
        assert.equal((await publish(bound)).no_change, false)
        assert.equal((await commitsOf(bound)).length, 2)
      })

    for (const [name, commits] of [
      ['review not opened', 2],
      ['review opened', 2],
      ['review updated', 3],
    ] as const)
      test(`a publication by ${name} is finished with one review`, async () => {
        const bound = boundAs(name)
        const run = await ended(bound)
        assert.deepEqual([run.status, run.review_number, run.error], ['succeeded', 1, null])
        const again = await publish(bound)
        assert.deepEqual([again.no_change, again.review?.number], [true, 1])
        await requireOneReview(bound)
        const { sourceBranch, headSha } = await forge.gateway.reviews!.getReview(bound.repository, 1, never)
        assert.deepEqual([headSha, (await commitsOf(bound, sourceBranch)).length, (await commitsOf(bound)).length], [run.commit_sha, commits, 1])
      })

    for (const [name, action] of [
      ['imported', 'import'],
      ['rolled back', 'rollback'],
    ] as const)
      test(`a repository that was being ${name} leaves no workspace`, async () => {
        const bound = boundAs(name)
        assert.deepEqual([await workspacesOf(bound), await runsOf(bound)], [[], []])
        const body = action === 'import' ? {} : { commit_sha: (await commitsOf(bound))[0].sha, workspace_name: 'Earlier' }
        const { status, text } = await bound.actor.client.post(`${bound.path}/${action}`, body)
        assert.equal(status, 200, text)
        assert.deepEqual([(await workspacesOf(bound)).length, (await runsOf(bound)).length], [1, 1])
      })

    test('an export that was committed is not committed again', async () => {
      const bound = boundAs('exported')
      assert.equal((await commitsOf(bound)).length, 2)
      const { status, body, text } = await exportTo(bound)
      assert.deepEqual([status, body.no_change], [200, true], text)
      assert.equal((await commitsOf(bound)).length, 2)
    })

    test('a push whose import was interrupted is imported once', async () => {
      const bound = boundAs('pushed')
      const run = await ended(bound)
      const [head] = await commitsOf(bound)
      assert.deepEqual([run.status, run.trigger, run.commit_sha], ['succeeded', 'webhook', head.sha])
      assert.deepEqual(
        (await workspacesOf(bound)).map(({ git_commit_sha }) => git_commit_sha),
        [head.sha],
      )
      assert.equal((await runsOf(bound)).length, 1)
    })

    for (const name of ['checked', 'commented'])
      test(`a pull request that was being ${name} gets its last status, and one comment`, async () => {
        const bound = boundAs(name)
        const run = await ended(bound)
        assert.deepEqual([run.run_type, run.status, run.error], ['check', 'succeeded', null])
        const statuses = await forge.reviews!.statusesOf(bound.repository, run.commit_sha!)
        assert.deepEqual(
          statuses.map(({ state }) => state),
          ['success'],
        )
        assert.equal((await forge.reviews!.commentsOf(bound.repository, 1)).length, 1)
        assert.equal((await runsOf(bound)).length, 1)
      })
  })
}
