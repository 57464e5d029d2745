/** Imports of a repository into workspaces over HTTP: content, merge by rule, conflicts, renames, filters, failures. The forge is in memory. */
import assert from 'node:assert/strict'
import test, { after, before, describe } from 'node:test'
import { ProviderError } from '../../server/core/egress/provider-error.js'
import { settingBase } from '../../server/content/shared/git-base.js'
import { describeSourceFile } from '../../server/content/shared/source-files.js'
import type { GitProjectSyncRunRecord } from '../../server/features/connections/git-bindings/run-schema.js'
import type { WorkspaceRecord } from '../../server/content/workspaces/schema.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import type { Static } from 'typebox'
import { type Actor, bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { bindingsOf, bound, openersOf } from '../support/git/bindings.js'
import { MemoryGit } from '../support/git/memory-git.js'
import { createProject, openWorkspace } from '../support/projects.js'
import { refused, stored } from './steps.js'

type Run = Static<typeof GitProjectSyncRunRecord>

interface Imported {
  readonly status: string
  readonly no_change: boolean
  readonly commit_sha: string
  readonly workspace: WorkspaceRecord
  readonly conflicts: readonly {
    readonly kind: string
    readonly name: string
    readonly path: string
    readonly base: string | null
    readonly ours: string | null
    readonly theirs: string | null
  }[]
  readonly warnings: readonly { readonly code: string; readonly path: string }[]
  readonly run: Run
}

const rule = (id: number, level: number, description = `Rule ${id}`) => `  <rule id="${id}" level="${level}">\n    <description>${description}</description>\n  </rule>\n`
const group = (...rules: string[]) => `<!-- of the team -->\n<group name="vpn,">\n${rules.join('')}</group>\n`
const DECODER = '<decoder name="vpn">\n  <program_name>^vpnd$</program_name>\n</decoder>\n'
const FILES = { 'rules/a.xml': group(rule(100100, 3), rule(100101, 5)), 'rules/b.xml': group(rule(100200, 3)), 'decoders/vpn.xml': DECODER, 'README.md': 'Ours' }

describe('imports from Git', () => {
  let app: TestApp
  let admin: Actor
  const git = new MemoryGit()
  const importing = async (url: string, body?: object): Promise<Imported> => {
    const answer = await admin.client.post<Imported>(`${url}/import`, body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const runsOf = async (url: string) => (await admin.client.get<Run[]>(`${url}/runs`)).body
  const edit = async ({ project_id, id }: WorkspaceRecord, body: object): Promise<WorkspaceRecord> => {
    const answer = await admin.client.patch<WorkspaceRecord>(`/platform/projects/${project_id}/workspaces/${id}`, body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const workspacesOf = async (projectId: string) => (await admin.client.get<WorkspaceRecord[]>(`/platform/projects/${projectId}/workspaces`)).body

  before(async () => {
    app = await startTestApp({ openers: openersOf(git), env: { NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true' } })
    admin = await bootstrap(app.client)
  })
  after(() => app.close())

  test('texts that a caller writes into source_files are not those of the repository', async () => {
    const { url, repository } = await bound(admin, git, FILES)
    const first = await importing(url)
    const louder = (text: string): string => text.replace('id="100101" level="5"', 'id="100101" level="9"')
    // As a client writes it that keeps each file's text up to date.
    const source_files = first.workspace.source_files.map((file) => ({ ...file, xml: louder(file.xml) }))
    const edited = await edit(first.workspace, { rules_xml: louder(first.workspace.rules_xml), source_files })
    git.push(repository, 'main', { files: { 'rules/b.xml': group(rule(100200, 4)) } })
    const second = await importing(url)
    assert.equal(second.workspace.rules_xml, edited.rules_xml.replace('id="100200" level="3"', 'id="100200" level="4"'))
    assert.equal(second.workspace.source_files.find(({ path }) => path === 'rules/a.xml')?.xml, FILES['rules/a.xml'])
    await edit(second.workspace, { source_files: second.workspace.source_files.map((file) => ({ ...file, xml: louder(file.xml) })) })
    git.push(repository, 'main', { files: { 'rules/a.xml': group(rule(100100, 3), rule(100101, 7)) } })
    const third = await importing(url)
    assert.deepEqual(
      third.conflicts.map(({ name, base, ours, theirs }) => [name, ...[base, ours, theirs].map((text) => text?.match(/level="(\d+)"/)?.[1])]),
      [['100101', '5', '9', '7']],
    )
  })

  test('the first import creates a workspace with the content of the repository', async () => {
    const { url, head, binding, repository } = await bound(admin, git, FILES)
    const { status, no_change, commit_sha, workspace, conflicts, warnings, run } = await importing(url)
    assert.deepEqual([status, no_change, commit_sha, conflicts, warnings], ['succeeded', false, head, [], []])
    assert.deepEqual(
      [workspace.project_id, workspace.git_binding_id, workspace.git_repo, workspace.git_branch, workspace.git_commit_sha],
      [binding.project_id, binding.id, repository, 'main', head],
    )
    assert.deepEqual(
      workspace.source_files.map(({ path, kind, xml, rule_ids, decoder_names }) => [path, kind, xml, rule_ids, decoder_names]),
      [
        ['decoders/vpn.xml', 'decoders', DECODER, [], ['vpn']],
        ['rules/a.xml', 'rules', FILES['rules/a.xml'], ['100100', '100101'], []],
        ['rules/b.xml', 'rules', FILES['rules/b.xml'], ['100200'], []],
      ],
    )
    for (const { sha } of workspace.source_files) assert.match(sha, /^[0-9a-f]{40}$/)
    for (const part of ['100100', '100101', '100200']) assert.ok(workspace.rules_xml.includes(part))
    assert.ok(workspace.decoders_xml.includes('vpnd'))
    assert.deepEqual([run.run_type, run.status, run.trigger, run.commit_sha, run.workspace_id, run.error], ['import', 'succeeded', 'request', head, workspace.id, null])
    assert.deepEqual((run.diff_summary as { files: { added: object } }).files.added, { count: 3, items: ['decoders/vpn.xml', 'rules/a.xml', 'rules/b.xml'] })
    assert.deepEqual(await runsOf(url), [run])
    const shown = await admin.client.get<{ synced_commit_sha: string }>(url)
    assert.equal(shown.body.synced_commit_sha, head)
    assert.deepEqual(await workspacesOf(binding.project_id), [workspace])
    const entries = (await admin.client.get<{ action: string; diff: Record<string, { after: unknown }> }[]>(`/platform/audit?resource_id=${workspace.id}`)).body
    assert.deepEqual([entries.length, entries[0].action, entries[0].diff.git_commit_sha.after], [1, 'workspace.created', head])
  })

  test('a head that the workspace has already changes nothing, and reads no blob', async () => {
    const { url } = await bound(admin, git, FILES)
    const first = await importing(url)
    const reads = git.count('readFile')
    const again = await importing(url)
    assert.deepEqual([again.status, again.no_change, again.workspace, again.run.diff_summary], ['succeeded', true, first.workspace, { no_change: true }])
    assert.equal(git.count('readFile'), reads)
    const edited = await edit(first.workspace, { rules_xml: first.workspace.rules_xml.replace('level="3"', 'level="4"') })
    const third = await importing(url)
    assert.deepEqual([third.no_change, third.workspace], [true, edited])
  })

  test('changes of both sides are merged by rule, and only changed blobs are read', async () => {
    const { url, repository } = await bound(admin, git, FILES)
    const { workspace } = await importing(url)
    await edit(workspace, { rules_xml: workspace.rules_xml.replace(rule(100100, 3), rule(100100, 9)) })
    const [head] = git.push(repository, 'main', { files: { 'rules/a.xml': group(rule(100100, 3), rule(100101, 7), rule(100102, 2)) } })
    const reads = git.count('readFile')
    const merged = await importing(url)
    assert.deepEqual([merged.status, merged.workspace.id, merged.workspace.git_commit_sha], ['succeeded', workspace.id, head])
    for (const expected of [rule(100100, 9), rule(100101, 7), rule(100102, 2), rule(100200, 3)])
      assert.ok(merged.workspace.rules_xml.includes(expected), merged.workspace.rules_xml)
    assert.equal(git.count('readFile'), reads + 1)
    const summary = merged.run.diff_summary as { files: { changed: object }; kept_edits: object }
    assert.deepEqual(
      [summary.files.changed, summary.kept_edits],
      [
        { count: 1, items: ['rules/a.xml'] },
        { count: 1, items: [{ kind: 'rule', name: '100100', change: 'changed' }] },
      ],
    )
    assert.equal(merged.workspace.source_files.find(({ path }) => path === 'rules/a.xml')?.xml, group(rule(100100, 3), rule(100101, 7), rule(100102, 2)))
  })

  test('a conflict is answered with all texts and changes nothing, until it is decided', async () => {
    const { url, repository } = await bound(admin, git, FILES)
    const { workspace } = await importing(url)
    const edited = await edit(workspace, { rules_xml: workspace.rules_xml.replace(rule(100100, 3), rule(100100, 9)).replace(rule(100200, 3), rule(100200, 4)) })
    const [head] = git.push(repository, 'main', { files: { 'rules/a.xml': group(rule(100100, 12), rule(100101, 5)), 'rules/b.xml': null } })
    const conflict = await importing(url)
    assert.deepEqual([conflict.status, conflict.no_change, conflict.commit_sha, conflict.run.status], ['conflict', false, head, 'conflict'])
    assert.deepEqual(
      conflict.conflicts.map(({ kind, name, path }) => [kind, name, path]),
      [
        ['rule', '100100', 'rules/a.xml'],
        ['rule', '100200', 'rules/b.xml'],
      ],
    )
    const [first, second] = conflict.conflicts
    assert.ok(first.base?.includes('level="3"') && first.ours?.includes('level="9"') && first.theirs?.includes('level="12"'))
    assert.ok(second.base?.includes('level="3"') && second.ours?.includes('level="4"'))
    assert.equal(second.theirs, null)
    assert.deepEqual(await workspacesOf(workspace.project_id), [edited])
    // One decision is not enough.
    const half = await importing(url, { resolutions: [{ kind: 'rule', name: '100100', take: 'theirs' }] })
    assert.deepEqual([half.status, half.conflicts.map(({ name }) => name)], ['conflict', ['100200']])
    const resolutions = [
      { kind: 'rule', name: '100100', take: 'theirs' },
      { kind: 'rule', name: '100200', take: 'ours' },
    ]
    // Decisions are about that head.
    refused(await admin.client.post(`${url}/import`, { resolutions, commit_sha: '0'.repeat(40) }), 409, 'conflict')
    const decided = await importing(url, { resolutions, commit_sha: head })
    assert.equal(decided.status, 'succeeded')
    assert.ok(decided.workspace.rules_xml.includes(rule(100100, 12)) && decided.workspace.rules_xml.includes(rule(100200, 4)))
    assert.equal(decided.workspace.git_commit_sha, head)
  })

  test('a renamed file keeps its rules, and the run says so', async () => {
    const { url, repository } = await bound(admin, git, FILES)
    const { workspace } = await importing(url)
    await edit(workspace, { rules_xml: workspace.rules_xml.replace(rule(100101, 5), rule(100101, 6)) })
    git.push(repository, 'main', {
      files: { 'rules/a.xml': null, 'rules/vpn/access.xml': group(rule(100100, 3), rule(100101, 5), rule(100103, 1)), 'rules/b.xml': null, 'rules/c.xml': FILES['rules/b.xml'] },
    })
    const { status, workspace: moved, run } = await importing(url)
    assert.equal(status, 'succeeded')
    assert.deepEqual((run.diff_summary as { files: { renamed: object } }).files.renamed, {
      count: 2,
      items: [
        { from: 'rules/b.xml', to: 'rules/c.xml' },
        { from: 'rules/a.xml', to: 'rules/vpn/access.xml' },
      ],
    })
    assert.ok(moved.rules_xml.includes(rule(100101, 6)))
    assert.equal(moved.rules_xml.split('id="100200"').length, 2)
  })

  test('only the selected paths are imported, and the rest later', async () => {
    const { url, repository } = await bound(admin, git, FILES)
    await importing(url)
    git.push(repository, 'main', { files: { 'rules/a.xml': group(rule(100100, 8), rule(100101, 5)), 'rules/b.xml': group(rule(100200, 8)) } })
    const some = await importing(url, { paths: ['./rules/b.xml'] })
    assert.ok(some.workspace.rules_xml.includes(rule(100200, 8)) && some.workspace.rules_xml.includes(rule(100100, 3)))
    const all = await importing(url)
    assert.deepEqual([all.no_change, all.workspace.rules_xml.includes(rule(100100, 8))], [false, true])
    for (const path of ['../etc', '/etc', 'a\u0000']) refused(await admin.client.post(`${url}/import`, { paths: [path] }), 422, 'request_validation_failed')
  })

  test('the workspace is the one that is named, the newest of the binding, or a new one', async () => {
    const { url, binding } = await bound(admin, git, FILES)
    const named = await importing(url, { workspace_name: 'From Git' })
    assert.equal(named.workspace.name, 'From Git')
    assert.equal((await importing(url)).workspace.id, named.workspace.id)
    const second = await importing(url, { workspace_name: 'Again' })
    assert.notEqual(second.workspace.id, named.workspace.id)
    assert.equal((await importing(url)).workspace.id, second.workspace.id)
    assert.equal((await importing(url, { workspace_id: named.workspace.id })).workspace.id, named.workspace.id)
    const own = await openWorkspace(admin, binding.project_id, { rules_xml: '', decoders_xml: '' })
    const filled = await importing(url, { workspace_id: own.id })
    assert.equal(filled.workspace.git_binding_id, binding.id)
    refused(await admin.client.post(`${url}/import`, { workspace_id: own.id, workspace_name: 'x' }), 422, 'request_validation_failed')
    const elsewhere = await openWorkspace(admin, (await createProject(admin)).id)
    refused(await admin.client.post(`${url}/import`, { workspace_id: elsewhere.id }), 404, 'not_found')
    await edit(filled.workspace, { status: 'closed' })
    refused(await admin.client.post(`${url}/import`, { workspace_id: own.id }), 409, 'conflict')
    // Requests that are refused are no runs.
    assert.ok((await runsOf(url)).every(({ status }) => status === 'succeeded'))
  })

  test('content of its own in a workspace is kept where the repository has none of it', async () => {
    const { url, binding } = await bound(admin, git, FILES)
    const own = await openWorkspace(admin, binding.project_id, { rules_xml: group(rule(100100, 3), rule(100900, 3)), decoders_xml: '' })
    const { status, workspace } = await importing(url, { workspace_id: own.id })
    assert.equal(status, 'succeeded')
    assert.ok(workspace.rules_xml.includes(rule(100900, 3)) && workspace.rules_xml.includes(rule(100200, 3)))
    assert.equal(workspace.rules_xml.split('id="100100"').length, 2)
  })

  test('a new workspace of a project that came from Git has the edits of the project', async () => {
    const { url, head, binding } = await bound(admin, git, FILES)
    const { workspace } = await importing(url)
    const scope = new Tenancy(app.service.storage).of(admin.organizationId)
    const files = Object.entries(FILES).flatMap(([path, xml]) => {
      const found = workspace.source_files.find((file) => file.path === path)
      return found === undefined ? [] : [describeSourceFile({ path, kind: found.kind, xml, sha: found.sha })]
    })
    await scope.commit(settingBase(scope, { bindingId: binding.id, projectId: binding.project_id, commitSha: head, files, origin: null }, new Date()))
    const project = { decoders_xml: workspace.decoders_xml, rules_xml: workspace.rules_xml.replace(rule(100100, 3), rule(100100, 11)) }
    assert.equal((await admin.client.patch(`/platform/projects/${binding.project_id}`, project)).status, 200)
    const fresh = await importing(url, { workspace_name: 'Fresh' })
    assert.ok(fresh.workspace.rules_xml.includes(rule(100100, 11)))
    git.push(fresh.workspace.git_repo!, 'main', { files: { 'rules/a.xml': group(rule(100100, 12), rule(100101, 5)) } })
    const clash = await importing(url, { workspace_name: 'Clash' })
    assert.deepEqual([clash.status, clash.workspace, clash.conflicts.map(({ name }) => name)], ['conflict', null, ['100100']])
  })

  test('lists are imported where the binding has a path for them, and kept where it has none', async () => {
    const lists = [{ name: 'etc/lists/own', content: 'b:\n' }]
    const project = (await createProject(admin, { lists })).id
    const files = { ...FILES, 'lists/keys': 'a:1\n', 'lists/cloud/keys': 'c:\n', 'lists/keys.cdb': 'x' }
    const without = await bound(admin, git, files, { project_id: project })
    assert.deepEqual((await importing(without.url)).workspace.lists, lists)
    const withLists = await bound(admin, git, files, { project_id: project, lists_path: 'lists' })
    assert.deepEqual((await importing(withLists.url)).workspace.lists, [
      { name: 'etc/lists/cloud/keys', content: 'c:\n' },
      { name: 'etc/lists/keys', content: 'a:1\n' },
    ])
  })

  test('what is no content is skipped with a warning in the answer and in the run', async () => {
    const { url } = await bound(admin, git, {
      ...FILES,
      'rules/link.xml': { mode: 'symlink', content: '/etc/passwd' },
      'rules/module.xml': { mode: 'submodule', content: 'f'.repeat(40) },
      'rules/latin.xml': Buffer.from([0xff, 0xfe]),
      'rules/lfs.xml': 'version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n',
    })
    const { warnings, workspace, run } = await importing(url)
    assert.deepEqual(warnings, [
      { code: 'not_utf8', path: 'rules/latin.xml' },
      { code: 'lfs_pointer', path: 'rules/lfs.xml' },
      { code: 'symlink', path: 'rules/link.xml' },
      { code: 'submodule', path: 'rules/module.xml' },
    ])
    assert.deepEqual((run.diff_summary as { warnings: object }).warnings, { count: 4, items: warnings })
    assert.equal(workspace.source_files.length, 3)
  })

  test('a variable with two values is refused by name', async () => {
    const { url } = await bound(admin, git, {
      'rules/a.xml': `<var name="NET">10.</var>\n${FILES['rules/a.xml']}`,
      'rules/b.xml': `<var name="NET">192.</var>\n${FILES['rules/b.xml']}`,
    })
    const refusal = refused(await admin.client.post(`${url}/import`), 409, 'conflict')
    assert.deepEqual(refusal.details, { variables: [{ name: 'NET', paths: ['rules/a.xml', 'rules/b.xml'] }] })
    assert.deepEqual(
      (await runsOf(url)).map(({ status, error }) => [status, error?.code]),
      [['failed', 'conflict']],
    )
  })

  test('a failure of the provider passes through, and the run has its code without details', async () => {
    const { url, binding } = await bound(admin, git, FILES)
    const secret = 'ghp_secretOfTheToken'
    const failures = [
      ['getBranch', new ProviderError('credentials_refused', { provider: 'gitea', details: { provider_message: secret } }), 400, 'provider_credentials_refused'],
      ['listFiles', new ProviderError('unavailable', { provider: 'gitea', details: { failure: 'timeout' } }), 502, 'provider_unavailable'],
      ['readFile', new ProviderError('rate_limited', { provider: 'gitea', retryAt: new Date(Date.now() + 60_000) }), 503, 'provider_rate_limited'],
      ['getBranch', new ProviderError('redirect_refused', { provider: 'gitea' }), 400, 'provider_redirect_refused'],
      ['listFiles', new ProviderError('not_found', { provider: 'gitea', details: { what: 'commit' } }), 400, 'provider_not_found'],
      ['listFiles', new ProviderError('too_large', { provider: 'gitea', details: { limit: 100_000 } }), 400, 'provider_too_large'],
    ] as const
    for (const [method, error, status, code] of failures) {
      git.failNext(method, error)
      const answer = await admin.client.post(`${url}/import`)
      refused(answer, status, code)
      assert.equal(answer.headers.has('retry-after'), code === 'provider_rate_limited')
      const [run] = await runsOf(url)
      assert.deepEqual([run.status, run.error?.code, run.workspace_id, run.commit_sha], ['failed', code, null, null])
      assert.match(run.error?.message ?? '', /\bgitea\b/)
    }
    assert.ok(!(await stored(app)).includes(secret))
    assert.deepEqual(await workspacesOf(binding.project_id), [])
    assert.equal((await importing(url)).status, 'succeeded')
  })

  test('a binding without an integration is refused with a code', async () => {
    const { url } = await bound(admin, git, FILES)
    const { integration_id } = (await admin.client.get<{ integration_id: string }>(url)).body
    assert.equal((await admin.client.delete(`/platform/organizations/${admin.organizationId}/integrations/${integration_id}`)).status, 204)
    refused(await admin.client.post(`${url}/import`), 409, 'conflict')
    refused(await admin.client.get(`${url}/commits`), 409, 'conflict')
  })

  test('concurrent imports of one head change a workspace once', async () => {
    const { url, binding } = await bound(admin, git, FILES)
    const answers = await Promise.all(Array.from({ length: 6 }, () => importing(url)))
    assert.equal(answers.filter(({ no_change }) => !no_change).length, 1)
    assert.equal((await workspacesOf(binding.project_id)).length, 1)
  })

  test('commits are listed, the newest first', async () => {
    const { url, repository, head } = await bound(admin, git, FILES)
    const [second, third] = git.push(repository, 'main', { message: 'Second', files: { 'rules/b.xml': null } }, { message: 'Third', files: {} })
    const list = (query: string) => admin.client.get<{ sha: string; message: string }[]>(`${url}/commits${query}`)
    assert.deepEqual(
      (await list('')).body.map(({ sha }) => sha),
      [third, second, head],
    )
    assert.deepEqual(
      (await list('?limit=2')).body.map(({ message }) => message),
      ['Third', 'Second'],
    )
    for (const limit of ['0', '101', 'x', '']) refused(await list(`?limit=${limit}`), 422, 'request_validation_failed')
  })

  test('a rollback restores a commit in a new workspace, whose base is the head', async () => {
    const { url, repository, head: first } = await bound(admin, git, FILES)
    const { workspace: current } = await importing(url)
    const [head] = git.push(repository, 'main', { files: { 'rules/a.xml': group(rule(100100, 12)), 'rules/b.xml': null } })
    const answer = await admin.client.post<{ commit_sha: string; head_sha: string; workspace: WorkspaceRecord; run: Run }>(`${url}/rollback`, {
      commit_sha: first,
      workspace_name: 'Before',
    })
    assert.equal(answer.status, 200, answer.text)
    const { commit_sha, head_sha, workspace, run } = answer.body
    assert.deepEqual([commit_sha, head_sha, workspace.git_commit_sha, workspace.name], [first, head, head, 'Before'])
    assert.deepEqual([workspace.rules_xml, workspace.decoders_xml], [current.rules_xml, current.decoders_xml])
    assert.deepEqual(
      workspace.source_files.map(({ path, xml }) => [path, xml]),
      [
        ['decoders/vpn.xml', DECODER],
        ['rules/a.xml', group(rule(100100, 12))],
      ],
    )
    assert.deepEqual([run.run_type, run.status, run.commit_sha, run.workspace_id], ['rollback', 'succeeded', first, workspace.id])
    // The next import keeps the restored rules as edits of the head.
    const next = await importing(url, { workspace_id: workspace.id })
    assert.deepEqual([next.no_change, next.workspace.rules_xml], [true, workspace.rules_xml])
    refused(await admin.client.post(`${url}/rollback`, { commit_sha: '0'.repeat(40), workspace_name: 'x' }), 400, 'provider_not_found')
    for (const commit_sha of ['main', 'HEAD', '0'.repeat(39), '../x'])
      refused(await admin.client.post(`${url}/rollback`, { commit_sha, workspace_name: 'x' }), 422, 'request_validation_failed')
  })

  test('the token is in no answer, log or stored text', async () => {
    const text = (await stored(app)) + app.log.join('')
    assert.ok(!text.includes('token-of-the-forge'))
    for (const path of [bindingsOf(admin), `/platform/organizations/${admin.organizationId}/integrations`])
      assert.ok(!(await admin.client.get(path)).text.includes('token-of-the-forge'))
  })
})
