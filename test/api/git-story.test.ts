/**
 * How a detection engineer works whose content lives in a repository, on a real forge and over HTTP alone: bind, import, edit, preflight, a pull request with its
 * check, its merge, a push by somebody else that is merged by rule, a commit, and a rollback. With two instances on one store, each instance receives each
 * webhook, and what it reports is done once.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { JOBS } from '../../server/core/jobs/queue.js'
import type { GitProjectSyncRunRecord } from '../../server/features/connections/git-bindings/run-schema.js'
import { CHECK_DELAY_MS } from '../../server/features/connections/git-checks/job.js'
import type { ProjectRecord } from '../../server/content/projects/schema.js'
import type { ProjectVersionRecord } from '../../server/content/versions/schema.js'
import type { WorkspaceRecord } from '../../server/content/workspaces/schema.js'
import type { Static } from 'typebox'
import type { Answer } from '../support/client.js'
import { forgeForTests } from '../support/git/forge.js'
import { withInstances } from '../support/instances.js'
import { DECODERS_XML, FAILED_LOGIN, GOOD_LOGIN } from '../support/projects.js'
import { ALL_STORES, waitFor } from './steps.js'

type Run = Static<typeof GitProjectSyncRunRecord>

interface Imported {
  readonly status: string
  readonly commit_sha: string
  readonly workspace: WorkspaceRecord
  readonly conflicts: readonly Record<'kind' | 'name' | 'path' | 'base' | 'ours' | 'theirs', string>[]
}

interface Published {
  readonly no_change: boolean
  readonly can_publish?: boolean
  readonly commit_sha: string | null
  readonly review: { readonly number: number; readonly url: string; readonly state: string; readonly branch: string } | null
  readonly files: readonly { readonly path: string; readonly change: string; readonly diff: string | null }[]
  readonly changes: readonly { readonly kind: string; readonly name: string; readonly change: string }[]
  readonly quality_gate_result: { readonly passed: boolean }
}

const rule = (id: number, level: number, condition: string, description: string) =>
  `  <rule id="${id}" level="${level}">\n    ${condition}\n    <description>VPN: ${description}</description>\n  </rule>\n`
const group = (...rules: readonly string[]) => `<group name="vpn,">\n${rules.join('')}</group>\n`
const FILES = {
  'README.md': 'Detections of the SOC\n',
  'decoders/vpn.xml': DECODERS_XML,
  'rules/10-base.xml': `<!-- The base of all VPN rules. -->\n${group(rule(100100, 3, '<decoded_as>vpn</decoded_as>', 'event'))}`,
  // Somebody edits it with an editor of Windows.
  'rules/20-login.xml': `<!-- Logins. -->\n${group(rule(100101, 5, '<if_sid>100100</if_sid>\n    <action>failed</action>', 'login failed'))}`.replaceAll('\n', '\r\n'),
}

const forTests = forgeForTests()

describe('content that lives on a forge', { skip: forTests.skip }, () => {
  for (const store of ALL_STORES) {
    test(`is edited, reviewed there, merged and imported again, ${store.name}`, { skip: store.skip }, async () => {
      const forge = await forTests.forge()
      const repository = await forge.createRepository()
      const [first] = await repository.push('main', { files: FILES })
      let ahead = 0
      const clock = () => Date.now() + ahead
      await withInstances(store, { clock, env: { NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true' } }, async ({ app, apps, admin, at }) => {
        let calls = 0
        /** Each request goes to the next instance, as behind a balancer. */
        const client = () => at(calls++)
        const organization = `/platform/organizations/${admin.organizationId}`

        // An integration with the forge, a project, and the binding of both.
        const integration = await ok<{ id: string }>(
          client().post(`${organization}/integrations`, {
            name: 'Forge',
            kind: 'git',
            provider: 'gitea',
            settings: { base_url: forge.url },
            credentials: { token: forge.token },
          }),
        )
        await ok(client().post(`${organization}/integrations/${integration.id}/test`))
        const project = await ok<ProjectRecord>(client().post('/platform/projects', { name: 'VPN', include_disk_custom: false }))
        const projectPath = `/platform/projects/${project.id}`
        const found = await ok<{ rules_path: string; decoders_path: string; lists_path: string | null }>(
          client().post(`${organization}/integrations/${integration.id}/discover`, { repository: repository.fullName, branch: 'main' }),
        )
        const { rules_path, decoders_path } = found
        const fields = { project_id: project.id, integration_id: integration.id, repository: repository.fullName, branch: 'main', rules_path, decoders_path }
        const wanted = { ...fields, publish_strategy: 'review', sync_on_webhook: true, comment_on_review: true }
        const valid = await ok<{ valid: boolean; errors: unknown[]; warnings: unknown[] }>(client().post(`${organization}/git-bindings/validate`, wanted))
        assert.deepEqual(valid, { valid: true, errors: [], warnings: [] })
        const binding = await ok<{ id: string; webhook_secret: string; webhook_url: string }>(client().post(`${organization}/git-bindings`, wanted))
        const url = `${organization}/git-bindings/${binding.id}`
        for (const {
          client: { origin },
        } of apps)
          await repository.addWebhook(`${origin}/api/v1/webhooks/git/${binding.id}`, binding.webhook_secret)

        /** Waits until each instance has received so many webhooks, and what they cause is done. */
        const idle = (webhooks: number) =>
          waitFor(async () => {
            const received = apps.map(({ log }) => log.filter((line) => line.includes('/webhooks/git/{binding_id}"') && line.includes('"status":200')).length)
            if (received.some((count) => count < webhooks)) return undefined
            const jobs = await app.service.storage.open(JOBS).find({})
            return jobs.some(({ kind, claim, due_at }) => kind.startsWith('git.') && (claim !== null || due_at.getTime() <= clock())) ? undefined : true
          })
        const publishVersion = async (name: string, workspace: WorkspaceRecord) => {
          const version = await ok<ProjectVersionRecord>(client().post(`${projectPath}/versions`, { name, source_workspace_id: workspace.id }))
          const answer = await ok<{ published: boolean }>(client().post(`${projectPath}/versions/${version.id}/publish`))
          assert.equal(answer.published, true, JSON.stringify(answer))
        }
        const edit = (workspace: WorkspaceRecord, change: (rules: string) => string) =>
          ok<WorkspaceRecord>(client().patch(`${projectPath}/workspaces/${workspace.id}`, { rules_xml: change(workspace.rules_xml) }))

        // The repository becomes the project's content.
        const imported = await ok<Imported>(client().post(`${url}/import`))
        assert.deepEqual([imported.status, imported.commit_sha, imported.workspace.git_commit_sha], ['succeeded', first, first])
        await publishVersion('As in Git', imported.workspace)
        await ok(client().post(`${projectPath}/cases`, { name: 'Failed login', event_text: FAILED_LOGIN, expected_rule: '100101', expected_level: 9 }))
        await ok(client().post(`${projectPath}/cases`, { name: 'Good login', event_text: GOOD_LOGIN, expected_rule: '100100' }))
        await ok(client().patch(`${projectPath}/quality-gate`, { require_regression_pass: true, min_case_count: 2 }))

        // An edit in the workspace becomes a pull request.
        const edited = await edit(imported.workspace, (rules) => rules.replace('level="5"', 'level="9"'))
        await publishVersion('Louder', edited)
        const plan = await ok<Published>(client().post(`${url}/preflight`))
        assert.deepEqual([plan.can_publish, plan.no_change, plan.quality_gate_result.passed], [true, false, true])
        assert.deepEqual(
          plan.files.map(({ path, diff }) => [path, changedLines(diff)]),
          [['rules/20-login.xml', ['-  <rule id="100101" level="5">\r', '+  <rule id="100101" level="9">\r']]],
        )
        assert.deepEqual(await repository.textsOf('main'), FILES)
        const published = await ok<Published>(client().post(`${url}/publish`))
        assert.deepEqual([published.files, published.changes], [plan.files, plan.changes])
        const { number, branch } = published.review!
        const louder = { ...FILES, 'rules/20-login.xml': FILES['rules/20-login.xml'].replace('level="5"', 'level="9"') }
        assert.deepEqual([await repository.textsOf('main'), await repository.textsOf(branch)], [FILES, louder])
        assert.match((await repository.pull(number)).body, /- changed `100101`: `VPN: login failed` \(`level`\)/)

        // The forge reports the pull request, and its head is checked: the status links to the report.
        const statusOf = async (sha: string) => (await repository.statusesOf(sha))[0]
        const ended = async (runType: string, count: number) =>
          waitFor(async () => {
            const runs = (await ok<Run[]>(client().get(`${url}/runs?order=asc&run_type=${runType}`))).filter(({ status }) => status !== 'running')
            return runs.length >= count ? runs : undefined
          })
        const pending = await waitFor(() => statusOf(published.commit_sha!))
        assert.deepEqual([pending.state, pending.context], ['pending', 'detection-content/vpn'])
        ahead += CHECK_DELAY_MS
        const checks = await ended('check', 1)
        assert.deepEqual(
          checks.map(({ status, commit_sha, review_number, diff_summary }) => [status, commit_sha, review_number, diff_summary.conclusion]),
          [['succeeded', published.commit_sha, number, 'success']],
        )
        const checked = await statusOf(published.commit_sha!)
        assert.deepEqual([checked.state, checked.description], ['success', '2 of 2 cases pass, score 85 -> 100'])
        const report = await ok<{ report: { improved_cases: number } }>(client().get(checked.url!))
        assert.equal(report.report.improved_cases, 1)
        const comments = await repository.commentsOf(number)
        assert.equal(comments.length, 1)
        assert.ok(comments[0].includes('| Cases that pass | 1 of 2 | 2 of 2 |') && comments[0].includes(`(${checked.url})`), comments[0])

        // The forge merges it and reports the push, which is imported once.
        await repository.mergePull(number)
        const { merge_commit_sha: merged } = await repository.pull(number)
        const imports = await ended('import', 2)
        assert.deepEqual(
          imports.map(({ commit_sha, trigger, status }) => [commit_sha, trigger, status]),
          [
            [first, 'request', 'succeeded'],
            [merged, 'webhook', 'succeeded'],
          ],
        )
        // Pushes of both branches, and the pull request opened and closed.
        await idle(4)
        assert.equal((await ended('import', 2)).length, 2)
        assert.deepEqual([await repository.textsOf('main'), (await ok<{ review: unknown }>(client().get(url))).review], [louder, null])

        // The engineer continues in the workspace, which has what was merged. Meanwhile somebody pushes by hand.
        const opened = group(rule(100103, 3, '<if_sid>100100</if_sid>\n    <action>opened</action>', 'opened'))
        const mine = await edit(edited, (rules) => rules.replace('level="9"', 'level="10"') + opened)
        const theirs = {
          'rules/10-base.xml': FILES['rules/10-base.xml'].replace('level="3"', 'level="4"'),
          'rules/20-login.xml': louder['rules/20-login.xml'].replace('level="9"', 'level="12"'),
        }
        const [byHand] = await repository.push('main', { files: theirs })
        await idle(5)
        assert.deepEqual(
          (await ended('import', 3)).slice(2).map(({ commit_sha, trigger, status }) => [commit_sha, trigger, status]),
          [[byHand, 'webhook', 'succeeded']],
        )
        const current = () => ok<WorkspaceRecord>(client().get(`${projectPath}/workspaces/${mine.id}`))
        assert.equal((await current()).rules_xml, mine.rules_xml)

        // Merged by rule: what both changed is named with the three texts, and nothing is overwritten before it is decided.
        const asked = { workspace_id: mine.id }
        const conflict = await ok<Imported>(client().post(`${url}/import`, asked))
        const text = (level: number) => FILES['rules/20-login.xml'].match(/<rule.*<\/rule>/s)![0].replace('level="5"', `level="${level}"`)
        const lf = (written: string) => written.replaceAll('\r\n', '\n')
        assert.deepEqual(
          [conflict.status, conflict.commit_sha, conflict.conflicts.map(({ kind, name, path, base, ours, theirs }) => [kind, name, path, lf(base), lf(ours), lf(theirs)])],
          ['conflict', byHand, [['rule', '100101', 'rules/20-login.xml', ...[9, 10, 12].map((level) => lf(text(level)))]]],
        )
        assert.equal((await current()).rules_xml, mine.rules_xml)
        const decided = { ...asked, commit_sha: conflict.commit_sha, resolutions: [{ kind: 'rule', name: '100101', take: 'ours' }] }
        const merge = await ok<Imported>(client().post(`${url}/import`, decided))
        assert.deepEqual([merge.status, merge.workspace.git_commit_sha], ['succeeded', byHand])
        for (const line of ['<rule id="100100" level="4">', '<rule id="100101" level="10">', '<rule id="100103" level="3">'])
          assert.ok(merge.workspace.rules_xml.includes(line), line)

        // Published without a pull request this time. The forge reports that push too, and it is not imported.
        const { id: caseId } = (await ok<{ id: string; name: string }[]>(client().get(`${projectPath}/cases?search=Failed`)))[0]
        await ok(client().patch(`${projectPath}/cases/${caseId}`, { expected_level: null }))
        await publishVersion('Merged', merge.workspace)
        await ok(client().patch(url, { publish_strategy: 'direct' }))
        const direct = await ok<Published>(client().post(`${url}/publish`))
        const onMain = await repository.textsOf('main')
        assert.deepEqual(onMain, {
          ...FILES,
          'rules/10-base.xml': theirs['rules/10-base.xml'],
          'rules/20-login.xml': theirs['rules/20-login.xml'].replace('level="12"', 'level="10"'),
          'rules/vpn_rules.xml': opened,
        })
        await idle(6)
        assert.deepEqual(
          (await ended('import', 5)).slice(3).map(({ trigger, status }) => [trigger, status]),
          [
            ['request', 'conflict'],
            ['request', 'succeeded'],
          ],
        )

        // Back to the first commit: a workspace, a version, a publication.
        const rolled = await ok<{ workspace: WorkspaceRecord; head_sha: string }>(client().post(`${url}/rollback`, { commit_sha: first, workspace_name: 'As before' }))
        assert.equal(rolled.head_sha, direct.commit_sha)
        await publishVersion('As before', rolled.workspace)
        const back = await ok<Published>(client().post(`${url}/publish`))
        assert.deepEqual(await repository.textsOf('main'), FILES)
        const commits = await ok<{ sha: string; message: string }[]>(client().get(`${url}/commits?limit=3`))
        assert.deepEqual(
          commits.map(({ sha }) => sha),
          [back.commit_sha, direct.commit_sha, byHand],
        )
        await idle(7)
        assert.equal((await ended('import', 5)).length, 5)
      })
    })
  }
})

async function ok<B>(answer: Promise<Answer<B>>): Promise<B> {
  const { status, body, text } = await answer
  assert.equal(status, 200, text)
  return body
}

/** The lines of a difference that were removed and added. */
function changedLines(diff: string | null): string[] {
  return (diff ?? '').split('\n').filter((line) => /^[+-](?![+-])/.test(line))
}
