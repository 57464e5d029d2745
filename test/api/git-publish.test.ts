/** Publications to Git over HTTP, on a forge in memory: direct commits, preflight, conflicts, the gate, and what is recorded. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { GIT_BASES } from '../../server/content/shared/git-base.js'
import { GIT_BINDINGS, GIT_RUNS, type GitRunDocument } from '../../server/features/connections/git-bindings/store.js'
import { GIT_PUBLICATIONS } from '../../server/features/connections/git-publish/store.js'
import { type Actor, addMember, bootstrap } from '../support/actors.js'
import type { TestApp } from '../support/app.js'
import { bind, type Bound, setBaseToHead, startWithForge } from '../support/git/bound.js'
import type { MemoryGit } from '../support/git/memory-git.js'
import { createCase, DECODERS_XML, FAILED_LOGIN } from '../support/projects.js'
import { scopeOf } from '../support/stored-cases.js'
import { DEFAULT_STORE } from '../support/stores.js'
import { refused } from './steps.js'

interface Changes {
  readonly head_sha: string
  readonly no_change: boolean
  readonly files: readonly { readonly path: string; readonly change: string; readonly diff: string | null }[]
  readonly changes: readonly { readonly kind: string; readonly name: string; readonly change: string; readonly path: string }[]
  readonly impact: { readonly rules: { readonly changed: readonly { readonly rule_id: string; readonly changes: readonly string[] }[] }; readonly regressed_cases: number } | null
  readonly quality_gate_result: { readonly passed: boolean; readonly failed_rules: readonly { readonly rule: string }[] } | null
}
interface Preflight extends Changes {
  readonly run_id: string
  readonly can_publish: boolean
  readonly conflict_count: number
  readonly conflicts: readonly { readonly kind: string; readonly name: string; readonly base: string | null; readonly ours: string | null; readonly theirs: string | null }[]
}
interface Published extends Changes {
  readonly run_id: string
  readonly commit_sha: string | null
  readonly review: { readonly number: number; readonly branch: string; readonly head_sha: string } | null
}

const rule = (id: string, level: number, rest: string): string => `  <rule id="${id}" level="${level}">\n    ${rest}\n    <description>VPN: ${id}</description>\n  </rule>\n`
const group = (...rules: readonly string[]): string => `<group name="vpn,">\n${rules.join('')}</group>\n`
const BASE_RULE = rule('100100', 3, '<decoded_as>vpn</decoded_as>')
const LOGIN_RULE = rule('100101', 5, '<if_sid>100100</if_sid>\n    <action>failed</action>')
const FILES = {
  'README.md': 'not content\n',
  'decoders/vpn.xml': DECODERS_XML,
  'rules/10-base.xml': `<!-- the base of all VPN rules -->\n${group(BASE_RULE)}`,
  'rules/20-login.xml': `<!-- logins -->\r\n${group(LOGIN_RULE).replaceAll('\n', '\r\n')}`,
}
const CONTENT = { decoders_xml: DECODERS_XML, rules_xml: `${group(BASE_RULE)}${group(LOGIN_RULE)}` }
const louder = (xml: string): string => xml.replace('level="5"', 'level="9"')

describe(`publication to Git, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let forge: MemoryGit
  let admin: Actor

  before(async () => {
    ;({ app, forge } = await startWithForge())
    admin = await bootstrap(app.client)
  })
  after(() => app?.close())

  const bound = async (fields: Readonly<Record<string, unknown>> = {}): Promise<Bound> => {
    const made = await bind({ forge, admin }, FILES, CONTENT, fields)
    await setBaseToHead(app, admin, forge, made)
    return made
  }
  const edit = async ({ project }: Bound, change: Readonly<Record<string, unknown>>): Promise<void> => {
    const { status, text } = await admin.client.patch(`/platform/projects/${project.id}`, change)
    assert.equal(status, 200, text)
  }
  const publish = async ({ path }: Bound): Promise<Published> => {
    const { status, body, text } = await admin.client.post<Published>(`${path}/publish`)
    assert.equal(status, 200, text)
    return body
  }
  const preflight = async ({ path }: Bound): Promise<Preflight> => {
    const { status, body, text } = await admin.client.post<Preflight>(`${path}/preflight`)
    assert.equal(status, 200, text)
    return body
  }
  const runsOf = async ({ bindingId }: Bound): Promise<readonly GitRunDocument[]> =>
    scopeOf(app, admin)
      .collection(GIT_RUNS)
      .find({ binding_id: bindingId }, { sort: { created_at: 1, _id: 1 } })
  const headOf = async ({ repository }: Bound, branch = 'main'): Promise<string> => (await forge.getBranch(repository, branch, new AbortController().signal)).commitSha

  test('without a change there is no commit', async () => {
    const made = await bound()
    const before = await headOf(made)
    const body = await publish(made)
    assert.deepEqual([body.no_change, body.commit_sha, body.files, body.changes], [true, null, [], []])
    assert.equal(await headOf(made), before)
    const [run] = await runsOf(made)
    assert.deepEqual([run.status, run.run_type, run.commit_sha, run.diff_summary.no_change], ['succeeded', 'publish', before, true])
  })

  test('a changed rule changes its lines alone, in the file that has it', async () => {
    const made = await bound()
    await edit(made, { rules_xml: louder(CONTENT.rules_xml) })
    const before = await headOf(made)
    const body = await publish(made)
    assert.notEqual(body.commit_sha, null)
    assert.deepEqual(made.textsOf(), { ...FILES, 'rules/20-login.xml': louder(FILES['rules/20-login.xml']) })
    assert.deepEqual(body.changes, [{ kind: 'rule', name: '100101', change: 'changed', path: 'rules/20-login.xml' }])
    const [{ path, change, diff }] = body.files
    assert.deepEqual([body.files.length, path, change], [1, 'rules/20-login.xml', 'changed'])
    // As `git apply` reads it.
    assert.match(diff ?? '', /^--- a\/rules\/20-login\.xml\n\+\+\+ b\/rules\/20-login\.xml\n@@ /)
    assert.match(diff ?? '', /^--- a\/rules\/20-login\.xml\n\+\+\+ b\/rules\/20-login\.xml\n@@ /)
    assert.deepEqual(
      diff?.split('\n').filter((line) => /^[+-](?![+-])/.test(line)),
      ['-  <rule id="100101" level="5">\r', '+  <rule id="100101" level="9">\r'],
    )
    assert.deepEqual(body.impact?.rules.changed, [{ rule_id: '100101', description: 'VPN: 100101', line: 3, changes: ['level'] }])
    assert.equal(body.head_sha, before)
    // What it recorded.
    const scope = scopeOf(app, admin)
    const binding = await scope.collection(GIT_BINDINGS).findOne({ _id: made.bindingId })
    assert.equal(binding?.synced_commit_sha, body.commit_sha)
    const base = await scope.collection(GIT_BASES).findOne({ _id: made.bindingId })
    assert.equal(base?.commit_sha, body.commit_sha)
    assert.equal(base?.files.find((file) => file.path === path)?.xml, louder(FILES['rules/20-login.xml']))
    assert.equal(await scope.collection(GIT_PUBLICATIONS).findOne({ _id: made.bindingId }), null)
    const audit = await admin.client.get<{ action: string }[]>(`/platform/audit?resource_id=${made.bindingId}&order=asc`)
    assert.deepEqual(
      audit.body.map(({ action }) => action),
      ['git_binding.created', 'git_binding.published'],
    )
    assert.equal((await publish(made)).no_change, true)
  })

  test('new rules, decoders and lists go to files of the project, deleted ones leave the files that had them', async () => {
    const made = await bound()
    const decoder = '<decoder name="door">\n  <program_name>^door$</program_name>\n</decoder>\n'
    await edit(made, {
      rules_xml: `${group(BASE_RULE)}${group(rule('100105', 4, '<decoded_as>door</decoded_as>'))}`,
      decoders_xml: `${DECODERS_XML}${decoder}`,
      lists: [{ name: 'etc/lists/watched', content: 'a:\n' }],
    })
    const body = await publish(made)
    const files = made.textsOf()
    assert.deepEqual(
      Object.keys(files),
      ['README.md', 'decoders/vpn-gateways_decoders.xml', 'decoders/vpn.xml', 'lists/watched', 'rules/10-base.xml', 'rules/vpn-gateways_rules.xml'].map((path) =>
        path.replace('vpn-gateways', made.project.slug),
      ),
    )
    assert.match(files[`rules/${made.project.slug}_rules.xml`], /id="100105"/)
    assert.equal(files['lists/watched'], 'a:\n')
    assert.equal(files['decoders/vpn.xml'], DECODERS_XML)
    assert.deepEqual(body.files.map(({ path, change }) => [path.replace(made.project.slug, 'x'), change]).sort(), [
      ['decoders/x_decoders.xml', 'added'],
      ['lists/watched', 'added'],
      ['rules/20-login.xml', 'removed'],
      ['rules/x_rules.xml', 'added'],
    ])
    assert.equal((await publish(made)).no_change, true)
  })

  test('a new rule goes behind its parent, if the file of the project would be loaded before it', async () => {
    const files = { 'decoders/vpn.xml': DECODERS_XML, 'rules/zone.xml': group(BASE_RULE) }
    const made = await bind({ forge, admin }, files, { decoders_xml: DECODERS_XML, rules_xml: group(BASE_RULE) })
    await setBaseToHead(app, admin, forge, made)
    await edit(made, { rules_xml: group(BASE_RULE, LOGIN_RULE) })
    const planned = await preflight(made)
    assert.deepEqual([planned.can_publish, planned.changes.map(({ name, path }) => [name, path])], [true, [['100101', 'rules/zone.xml']]])
    await publish(made)
    assert.deepEqual(made.textsOf(), { ...files, 'rules/zone.xml': group(BASE_RULE, LOGIN_RULE) })
    assert.equal((await publish(made)).no_change, true)
  })

  test('texts that a caller wrote into the base hide no change', async () => {
    const made = await bound()
    const bases = scopeOf(app, admin).collection(GIT_BASES)
    const base = await bases.findOne({ _id: made.bindingId })
    await bases.update({ _id: made.bindingId }, { set: { files: (base?.files ?? []).map((file) => ({ ...file, xml: louder(file.xml) })) } })
    await edit(made, { rules_xml: louder(CONTENT.rules_xml) })
    assert.notEqual((await publish(made)).commit_sha, null)
    assert.equal(made.textsOf()['rules/20-login.xml'], louder(FILES['rules/20-login.xml']))
  })

  test('what others changed on the branch stays, now and at the next publication', async () => {
    const made = await bound()
    const others = group(rule('100110', 7, '<if_sid>100100</if_sid>\n    <action>closed</action>'))
    forge.push(made.repository, 'main', { files: { 'rules/30-others.xml': others, 'rules/10-base.xml': FILES['rules/10-base.xml'].replace('level="3"', 'level="2"') } })
    await edit(made, { rules_xml: louder(CONTENT.rules_xml) })
    const first = await publish(made)
    assert.deepEqual(
      first.changes.map(({ name }) => name),
      ['100101'],
    )
    const expected = {
      ...FILES,
      'rules/10-base.xml': FILES['rules/10-base.xml'].replace('level="3"', 'level="2"'),
      'rules/20-login.xml': louder(FILES['rules/20-login.xml']),
      'rules/30-others.xml': others,
    }
    assert.deepEqual(made.textsOf(), expected)
    assert.equal((await publish(made)).no_change, true)
    await edit(made, { rules_xml: CONTENT.rules_xml })
    await publish(made)
    assert.deepEqual(made.textsOf(), { ...expected, 'rules/20-login.xml': FILES['rules/20-login.xml'] })
  })

  test('a branch that moves meanwhile is read and merged again, and nothing is overwritten', async () => {
    const made = await bound()
    await edit(made, { rules_xml: louder(CONTENT.rules_xml) })
    forge.failNext('commit', 'head_moved')
    const others = group(rule('100110', 7, '<if_sid>100100</if_sid>\n    <action>closed</action>'))
    forge.push(made.repository, 'main', { files: { 'rules/30-others.xml': others } })
    const { commit_sha } = await publish(made)
    assert.equal(await headOf(made), commit_sha)
    assert.deepEqual([made.textsOf()['rules/30-others.xml'], made.textsOf()['rules/20-login.xml']], [others, louder(FILES['rules/20-login.xml'])])
    forge.failNext('commit', 'head_moved', { times: 3 })
    await edit(made, { rules_xml: CONTENT.rules_xml })
    refused(await admin.client.post(`${made.path}/publish`), 409, 'provider_head_moved')
    assert.equal(await headOf(made), commit_sha)
    assert.equal((await runsOf(made)).at(-1)?.status, 'failed')
    // The failure does not block the next one.
    assert.equal((await publish(made)).no_change, false)
  })

  test('what both sides changed differently is a conflict, which is told and changes nothing', async () => {
    const made = await bound()
    forge.push(made.repository, 'main', { files: { 'rules/20-login.xml': FILES['rules/20-login.xml'].replace('level="5"', 'level="7"') } })
    await edit(made, { rules_xml: louder(CONTENT.rules_xml) })
    const before = await headOf(made)
    const asked = await preflight(made)
    assert.deepEqual([asked.can_publish, asked.conflict_count, asked.conflicts[0].kind, asked.conflicts[0].name], [false, 1, 'rule', '100101'])
    assert.deepEqual(
      [/level="5"/, /level="9"/, /level="7"/].map((level, i) => level.test([asked.conflicts[0].base, asked.conflicts[0].ours, asked.conflicts[0].theirs][i] ?? '')),
      [true, true, true],
    )
    const refusal = refused(await admin.client.post(`${made.path}/publish`), 409, 'git_conflicts')
    assert.equal((refusal as unknown as { details: { conflict_count: number } }).details.conflict_count, 1)
    assert.equal(await headOf(made), before)
    assert.deepEqual(
      (await runsOf(made)).map(({ run_type, status }) => [run_type, status]),
      [
        ['preflight', 'conflict'],
        ['publish', 'conflict'],
      ],
    )
  })

  test('preflight says what a publication would do, and writes nothing', async () => {
    const made = await bound()
    assert.equal((await admin.client.patch(`/platform/projects/${made.project.id}/quality-gate`, { min_quality_score: 0 })).status, 200)
    await createCase(admin, made.project.id, { event_text: FAILED_LOGIN, expected_rule: '100101' })
    await edit(made, { rules_xml: CONTENT.rules_xml.replace('<action>failed</action>', '<action>refused</action>') })
    const before = await headOf(made)
    forge.calls.length = 0
    const body = await preflight(made)
    assert.deepEqual(
      forge.calls.filter(({ method }) => /commit|open|update|set/i.test(method)),
      [],
    )
    assert.equal(await headOf(made), before)
    assert.deepEqual([body.can_publish, body.no_change, body.impact?.regressed_cases], [false, false, 1])
    assert.deepEqual(
      body.quality_gate_result?.failed_rules.map(({ rule: name }) => name),
      ['require_regression_pass'],
    )
    const refusal = refused(await admin.client.post(`${made.path}/publish`), 409, 'git_gate_failed') as unknown as { details: { failed_rules: { rule: string }[] } }
    assert.deepEqual(
      refusal.details.failed_rules.map(({ rule: name }) => name),
      ['require_regression_pass'],
    )
    assert.equal(await headOf(made), before)
    const runs = await runsOf(made)
    assert.deepEqual(
      runs.map(({ run_type, status, error }) => [run_type, status, error?.code ?? null]),
      [
        ['preflight', 'succeeded', null],
        ['publish', 'failed', 'git_gate_failed'],
      ],
    )
  })

  test('a commit whose answer was lost is found, and not made again', async () => {
    const made = await bound()
    await edit(made, { rules_xml: louder(CONTENT.rules_xml) })
    forge.failNext('commit', 'unavailable', { isAfter: true })
    const before = await headOf(made)
    const { commit_sha } = await publish(made)
    assert.equal(await headOf(made), commit_sha)
    const commits = await forge.listCommits(made.repository, 'main', 10, new AbortController().signal)
    assert.deepEqual(
      commits.map(({ sha }) => sha),
      [commit_sha, before],
    )
    assert.match(commits[0].message, /^[a-z0-9-]+: 1 rule changed\n\nRules changed: 100101\n\nDetection-Content-Run: [0-9a-f-]{36}\n$/)
  })

  test('a link at the path of a new file is not replaced', async () => {
    const made = await bound()
    forge.push(made.repository, 'main', { files: { [`rules/${made.project.slug}_rules.xml`]: { mode: 'symlink', content: '../README.md' } } })
    await edit(made, { rules_xml: `${CONTENT.rules_xml}${group(rule('100105', 4, '<if_sid>100100</if_sid>\n    <action>x</action>'))}` })
    refused(await admin.client.post(`${made.path}/publish`), 409, 'git_path_occupied')
  })

  test('a failure of the provider is told and recorded', async () => {
    const made = await bound()
    await edit(made, { rules_xml: louder(CONTENT.rules_xml) })
    forge.failNext('commit', 'branch_protected')
    refused(await admin.client.post(`${made.path}/publish`), 409, 'provider_branch_protected')
    forge.failNext('getBranch', 'unavailable')
    refused(await admin.client.post(`${made.path}/publish`), 502, 'provider_unavailable')
    assert.deepEqual(
      (await runsOf(made)).map(({ status, error }) => [status, error?.code]),
      [
        ['failed', 'provider_branch_protected'],
        ['failed', 'provider_unavailable'],
      ],
    )
    assert.equal((await publish(made)).no_change, false)
  })

  test('two publications at once make one commit', async () => {
    const made = await bound()
    await edit(made, { rules_xml: louder(CONTENT.rules_xml) })
    const before = await headOf(made)
    const answers = await Promise.all([1, 2, 3].map(() => admin.client.post<Published>(`${made.path}/publish`)))
    for (const { status, text } of answers) assert.ok(status === 200 || /git_publish_running/.test(text), text)
    assert.equal(answers.filter(({ body }) => typeof body.commit_sha === 'string').length, 1)
    const commits = await forge.listCommits(made.repository, 'main', 10, new AbortController().signal)
    assert.deepEqual(
      commits.slice(1).map(({ sha }) => sha),
      [before],
    )
  })

  test('needs the right to publish versions; preflight the right to manage integrations', async () => {
    const made = await bound()
    const engineer = await addMember(admin, 'engineer', 'git-engineer@example.test')
    refused(await engineer.client.post(`${made.path}/publish`), 403, 'forbidden')
    refused(await engineer.client.post(`${made.path}/preflight`), 403, 'forbidden')
    assert.deepEqual((await engineer.client.get(`${made.path}/review-status`)).body, { review: null })
    assert.equal((await admin.client.post(`${made.path.slice(0, -36)}00000000-0000-4000-8000-000000000000/publish`)).status, 404)
  })

  test('exports rules without a binding into the files that have them', async () => {
    const made = await bound()
    const path = `/platform/organizations/${admin.organizationId}/integrations/${made.integrationId}/sync-export`
    const request = {
      repository: made.repository,
      branch: 'main',
      decoders_xml: '',
      rules_xml: group(LOGIN_RULE.replace('level="5"', 'level="8"'), rule('100107', 3, '<if_sid>100100</if_sid>')),
      commit_message: 'Export',
    }
    const { status, body, text } = await admin.client.post<{ no_change: boolean; commit_sha: string; files: string[] }>(path, request)
    assert.equal(status, 200, text)
    assert.deepEqual([body.no_change, body.commit_sha, body.files], [false, await headOf(made), ['rules/20-login.xml', 'rules/detection_content_rules.xml']])
    const files = made.textsOf()
    assert.equal(files['rules/20-login.xml'], FILES['rules/20-login.xml'].replace('level="5"', 'level="8"'))
    assert.deepEqual([files['rules/10-base.xml'], files['decoders/vpn.xml']], [FILES['rules/10-base.xml'], DECODERS_XML])
    const again = await admin.client.post<{ no_change: boolean; commit_sha: string | null }>(path, request)
    assert.deepEqual([again.body.no_change, again.body.commit_sha], [true, null])
    refused(await admin.client.post(path, { ...request, branch: 'missing' }), 400, 'provider_not_found')
    const message = 'Raise a level\n\nAs the team decided.\n'
    const lines = await admin.client.post<{ commit_sha: string }>(path, { ...request, rules_xml: request.rules_xml.replace('level="8"', 'level="9"'), commit_message: message })
    const [commit] = await forge.listCommits(made.repository, 'main', 1, new AbortController().signal)
    assert.deepEqual([commit.sha, commit.message], [lines.body.commit_sha, message])
  })

  test('exports nothing that cannot be merged by rule', async () => {
    const made = await bound()
    const path = `/platform/organizations/${admin.organizationId}/integrations/${made.integrationId}/sync-export`
    const request = { repository: made.repository, branch: 'main', decoders_xml: '', rules_xml: '', commit_message: 'Export' }
    for (const [field, xml] of [
      ['rules_xml', group(LOGIN_RULE).replace('</rule>', '')],
      ['rules_xml', LOGIN_RULE],
      ['decoders_xml', '<decoder name="a">'],
      ['decoders_xml', `<!--${'\u20ac'.repeat(1024 * 1024)}-->`],
    ]) {
      const { details } = refused(await admin.client.post(path, { ...request, [field]: xml }), 422, 'request_validation_failed')
      assert.deepEqual(
        (details.errors as { path: string }[]).map((error) => error.path),
        [`/${field}`],
      )
    }
    forge.push(made.repository, 'main', { files: { 'rules/20-login.xml': FILES['rules/20-login.xml'].replace('</group>', '') } })
    const { details } = refused(await admin.client.post(path, { ...request, rules_xml: group(LOGIN_RULE.replace('level="5"', 'level="8"')) }), 409, 'git_conflicts')
    assert.equal(details.conflict_count, 1)
    assert.equal((await headOf(made)).length, 40)
    assert.equal(Object.keys(made.textsOf()).length, Object.keys(FILES).length)
  })
})
