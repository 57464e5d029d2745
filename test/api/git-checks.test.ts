/** Checks of pull requests, on a forge in memory: statuses, the comment, cancelled checks, and what the run tells. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ProviderError } from '../../server/core/egress/provider-error.js'
import { JobQueue, JOBS } from '../../server/core/jobs/queue.js'
import type { WorkspaceRecord } from '../../server/content/workspaces/schema.js'
import { needsApproval } from '../../server/features/connections/git-checks/acceptance.js'
import { CHECK_DELAY_MS } from '../../server/features/connections/git-checks/job.js'
import { GitChecksService } from '../../server/features/connections/git-checks/service.js'
import { GIT_BINDINGS, GIT_RUNS, type GitRunDocument } from '../../server/features/connections/git-bindings/store.js'
import { type Actor, addMember, bootstrap } from '../support/actors.js'
import { sharedPool, type TestApp } from '../support/app.js'

import { bind, type Bound, startWithForge } from '../support/git/bound.js'
import type { MemoryGit } from '../support/git/memory-git.js'
import type { SeedFile } from '../support/git/seeds.js'
import { createCase, DECODERS_XML, FAILED_LOGIN, openReview, RULES_XML } from '../support/projects.js'
import { scopeOf } from '../support/stored-cases.js'
import { DEFAULT_STORE } from '../support/stores.js'
import { waitFor } from './steps.js'

const FILES = { 'decoders/vpn.xml': DECODERS_XML, 'rules/vpn.xml': RULES_XML }
const EXTRA_XML = '<group name="extra,">\n  <rule id="100900" level="3">\n    <match>never seen</match>\n    <description>Extra</description>\n  </rule>\n</group>'
const CONTENT = { decoders_xml: DECODERS_XML, rules_xml: RULES_XML }
const never = new AbortController().signal
const until = (holds: () => boolean | Promise<boolean>): Promise<boolean> => waitFor(async () => (await holds()) || undefined)

describe(`checks of pull requests, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let forge: MemoryGit
  let admin: Actor
  let checks: GitChecksService
  /** Ahead of the real time. */
  let ahead = 0
  const clock = (): number => Date.now() + ahead

  before(async () => {
    ;({ app, forge } = await startWithForge({ clock }))
    admin = await bootstrap(app.client)
    checks = new GitChecksService({ jobs: new JobQueue(app.service.storage, clock), clock })
  })
  after(() => app?.close())

  interface Opened extends Bound {
    readonly number: number
    push(files: Readonly<Record<string, string | null>>): string
    report(headSha: string): Promise<unknown>
    runs(): Promise<readonly GitRunDocument[]>
    statusOf(sha: string): { state: string; description: string; url: string | null; context: string } | undefined
  }

  /** A pull request to the bound branch, with its first push. */
  const open = async (fields: Readonly<Record<string, unknown>> = {}): Promise<Opened> => {
    const made = await bind({ forge, admin }, FILES, CONTENT, fields)
    forge.setBranch(made.repository, 'change', (await forge.getBranch(made.repository, 'main', never)).commitSha)
    const { number } = await forge.reviews.openReview(made.repository, { sourceBranch: 'change', targetBranch: 'main', title: 'Change', body: '' }, never)
    const scope = scopeOf(app, admin)
    return {
      ...made,
      number,
      push: (files) => forge.push(made.repository, 'change', { files })[0],
      report: async (headSha) =>
        checks.onReviewEvent(scope, (await scope.collection(GIT_BINDINGS).findOne({ _id: made.bindingId }))!, {
          kind: 'review',
          repository: made.repository,
          number,
          sourceBranch: 'change',
          targetBranch: 'main',
          headSha,
        }),
      runs: () => scope.collection(GIT_RUNS).find({ binding_id: made.bindingId, run_type: 'check' }, { sort: { created_at: 1, _id: 1 } }),
      statusOf: (sha) => forge.statusesOf(made.repository, sha)[0],
    }
  }
  /** Lets the pause before a check pass, and waits for its end. */
  const finish = async (opened: Opened, sha: string): Promise<GitRunDocument> => {
    await until(() => opened.statusOf(sha) !== undefined)
    ahead += CHECK_DELAY_MS
    await until(async () => (await opened.runs()).every(({ status }) => status !== 'running'))
    return (await opened.runs()).at(-1)!
  }

  test('a good change is a success, with the cases and the score', async () => {
    const opened = await open()
    await createCase(admin, opened.project.id, { event_text: FAILED_LOGIN, expected_rule: '100101' })
    const sha = opened.push({ 'rules/vpn.xml': RULES_XML.replace('level="5"', 'level="6"') })
    await opened.report(sha)
    await until(() => opened.statusOf(sha)?.state === 'pending')
    const run = await finish(opened, sha)
    const status = opened.statusOf(sha)
    assert.deepEqual([status?.state, status?.context], ['success', `detection-content/${opened.project.slug}`])
    assert.match(status?.description ?? '', /^1 of 1 case pass, score \d+ -> \d+$/)
    assert.deepEqual([run.status, run.diff_summary.conclusion, run.review_number, run.diff_summary.status_refused], ['succeeded', 'success', opened.number, null])
    assert.deepEqual(forge.commentsOf(opened.repository, opened.number), [])
    // The link leads to the report.
    const link = new URL(status?.url ?? '')
    const { body } = await admin.client.get<{ id: string; report: { rules: { changed: { rule_id: string; changes: string[] }[] } } }>(link.pathname.replace('/api/v1', ''))
    assert.deepEqual([body.id, body.report.rules.changed[0].rule_id, body.report.rules.changed[0].changes], [run._id, '100101', ['level']])
  })

  test('errors and regressed cases fail it, and one comment is kept up to date', async () => {
    const opened = await open({ comment_on_review: true })
    await createCase(admin, opened.project.id, { name: 'login', event_text: FAILED_LOGIN, expected_rule: '100101' })
    const broken = opened.push({ 'rules/vpn.xml': RULES_XML.replace('<if_sid>100100<', '<if_sid>100199<') })
    await opened.report(broken)
    const run = await finish(opened, broken)
    assert.deepEqual([opened.statusOf(broken)?.state, run.status, run.diff_summary.conclusion], ['failure', 'succeeded', 'failure'])
    assert.match(opened.statusOf(broken)?.description ?? '', /^1 error: rules\/vpn\.xml:7 rule_parent_missing$/)
    assert.match(forge.commentsOf(opened.repository, opened.number)[0], /1 dropped by Wazuh\n\n- dropped `100101`: `rules\/vpn\.xml:\d+` `rule_parent_missing`\n/)
    const regressed = opened.push({ 'rules/vpn.xml': RULES_XML.replace('<action>failed<', '<action>refused<') })
    await opened.report(regressed)
    await finish(opened, regressed)
    assert.match(opened.statusOf(regressed)?.description ?? '', /^1 case of 1 regressed, score /)
    const good = opened.push({ 'rules/vpn.xml': RULES_XML })
    await opened.report(good)
    await finish(opened, good)
    assert.equal(opened.statusOf(good)?.state, 'success')
    const comments = forge.commentsOf(opened.repository, opened.number)
    assert.equal(comments.length, 1)
    assert.match(comments[0], new RegExp(`^<!-- detection-content:${opened.bindingId} -->\n\n\\*\\*Detection content\\*\\* .* passes`))
  })

  test('what the branch has already is not held against a change', async () => {
    const opened = await open()
    forge.push(opened.repository, 'main', { files: { 'rules/old.xml': RULES_XML.replaceAll('1001', '1002').replace('<if_sid>100200<', '<if_sid>100299<') } })
    await createCase(admin, opened.project.id, { event_text: FAILED_LOGIN, expected_rule: '1' })
    forge.setBranch(opened.repository, 'change', (await forge.getBranch(opened.repository, 'main', never)).commitSha)
    const sha = opened.push({ 'rules/vpn.xml': RULES_XML.replace('level="5"', 'level="6"') })
    await opened.report(sha)
    await finish(opened, sha)
    assert.equal(opened.statusOf(sha)?.state, 'success', opened.statusOf(sha)?.description)
  })

  test('of twenty pushes the last one is checked, once', async () => {
    const opened = await open()
    const shas = Array.from({ length: 20 }, (_, i) => opened.push({ 'rules/vpn.xml': RULES_XML.replace('level="5"', `level="${(i % 10) + 1}"`) }))
    await Promise.all(shas.slice(0, 10).map((sha) => opened.report(sha)))
    for (const sha of shas.slice(10)) await opened.report(sha)
    await opened.report(shas[19])
    await finish(opened, shas[19])
    const runs = await opened.runs()
    assert.deepEqual(
      runs.map(({ status }) => status).filter((status) => status !== 'canceled'),
      ['succeeded'],
    )
    assert.deepEqual(
      runs.filter(({ status }) => status === 'succeeded').map(({ commit_sha }) => commit_sha),
      [shas[19]],
    )
    assert.equal(opened.statusOf(shas[19])?.state, 'success')
    const before = () => shas.slice(0, 19).map((sha) => opened.statusOf(sha)?.state)
    await until(() => !before().includes('pending'))
    for (const state of before()) assert.ok([undefined, 'canceled'].includes(state), state)
  })

  test('the status of a head is ended when a newer push cancels its check', async () => {
    const opened = await open()
    const first = opened.push({ 'rules/vpn.xml': RULES_XML.replace('level="5"', 'level="6"') })
    await opened.report(first)
    await until(() => opened.statusOf(first)?.state === 'pending')
    const second = opened.push({ 'rules/vpn.xml': RULES_XML.replace('level="5"', 'level="7"') })
    await opened.report(second)
    await finish(opened, second)
    await until(() => opened.statusOf(first)?.state !== 'pending')
    assert.deepEqual([opened.statusOf(first)?.state, opened.statusOf(second)?.state], ['canceled', 'success'])
  })

  test('a head whose webhook is late is checked in place of the reported one, which keeps no pending status', async () => {
    const opened = await open()
    const reported = opened.push({ 'rules/vpn.xml': RULES_XML.replace('level="5"', 'level="6"') })
    await opened.report(reported)
    await until(() => opened.statusOf(reported)?.state === 'pending')
    const head = opened.push({ 'rules/vpn.xml': RULES_XML.replace('level="5"', 'level="7"') })
    ahead += CHECK_DELAY_MS
    const run = await finish(opened, head)
    await opened.report(head)
    assert.deepEqual([opened.statusOf(reported)?.state, opened.statusOf(head)?.state, run.commit_sha, run.diff_summary.head_sha], ['canceled', 'success', head, head])
    assert.equal((await opened.runs()).length, 1)
  })

  test('a review that was closed or has another target is canceled, and checked again when it comes back', async () => {
    const opened = await open()
    const sha = opened.push({ 'rules/vpn.xml': RULES_XML.replace('level="5"', 'level="6"') })
    const endings: readonly [() => void, () => void][] = [
      [() => forge.closeReview(opened.repository, opened.number), () => forge.reopenReview(opened.repository, opened.number)],
      [() => forge.retargetReview(opened.repository, opened.number, 'other'), () => forge.retargetReview(opened.repository, opened.number, 'main')],
    ]
    const report = async () => {
      await opened.report(sha)
      await until(() => opened.statusOf(sha)?.state === 'pending')
    }
    for (const [leave, comeBack] of endings) {
      await report()
      leave()
      assert.equal((await finish(opened, sha)).status, 'canceled')
      await until(() => opened.statusOf(sha)?.state !== 'pending')
      assert.equal(opened.statusOf(sha)?.state, 'canceled')
      comeBack()
    }
    await report()
    assert.equal((await finish(opened, sha)).status, 'succeeded')
    assert.equal(opened.statusOf(sha)?.state, 'success')
  })

  test('a forge that limits the rate is asked again when it says so, and the check ends then', async () => {
    const opened = await open()
    const sha = opened.push({ 'rules/vpn.xml': RULES_XML.replace('level="5"', 'level="6"') })
    await opened.report(sha)
    await until(() => opened.statusOf(sha)?.state === 'pending')
    const retryAt = new Date(clock() + CHECK_DELAY_MS + 30 * 60_000)
    forge.failNext('setStatus', new ProviderError('rate_limited', { provider: 'memory', retryAt, now: clock() }))
    const calls = forge.count('setStatus')
    ahead += CHECK_DELAY_MS
    await until(() => forge.count('setStatus') > calls)
    await new Promise((resolve) => setTimeout(resolve, 100))
    // Not before: nothing is due until then.
    const due = await app.service.storage.open(JOBS).findOne({ subject: (await opened.runs())[0]._id })
    assert.deepEqual([due?.due_at.toISOString(), forge.count('setStatus')], [retryAt.toISOString(), calls + 1])
    ahead += 31 * 60_000
    await finish(opened, sha)
    assert.equal(opened.statusOf(sha)?.state, 'success')
  })

  test('a check that cannot be finished tells it also when the forge does not answer at first', async () => {
    const opened = await open()
    const sha = opened.push({ 'rules/vpn.xml': RULES_XML.replace('level="5"', 'level="6"') })
    await opened.report(sha)
    await until(() => opened.statusOf(sha)?.state === 'pending')
    forge.failNext('listFiles', 'too_large', { times: 2 })
    forge.failNext('setStatus', 'unavailable')
    const run = await finish(opened, sha)
    assert.deepEqual([run.status, run.error?.code, opened.statusOf(sha)?.state], ['failed', 'provider_too_large', 'error'])
  })

  test('a check that ends the process, or lasts longer than its lease, is not repeated for ever', async () => {
    const opened = await open()
    const sha = opened.push({ 'rules/vpn.xml': RULES_XML.replace('level="5"', 'level="6"') })
    await opened.report(sha)
    await until(() => opened.statusOf(sha)?.state === 'pending')
    const [{ _id }] = await opened.runs()
    const jobs = app.service.storage.open(JOBS)
    await until(async () => (await jobs.findOne({ subject: _id }))?.claim === null)
    await jobs.update({ subject: _id }, { set: { failures: 5 } })
    const run = await finish(opened, sha)
    assert.deepEqual([run.status, run.error?.code, opened.statusOf(sha)?.state], ['failed', 'internal_error', 'error'])
  })

  test('malformed XML fails the check with file, line and code; a file that is no text too, and without bound files it passes', async () => {
    const opened = await open({ comment_on_review: true })
    const check = async (files: Readonly<Record<string, SeedFile | null>>) => {
      const [sha] = forge.push(opened.repository, 'change', { files })
      await opened.report(sha)
      const run = await finish(opened, sha)
      const { state, description } = opened.statusOf(sha)!
      return [run.status, state, description]
    }
    assert.deepEqual(await check({ 'rules/vpn.xml': RULES_XML.replace('</rule>', '</rul>') }), ['succeeded', 'failure', '2 errors: rules/vpn.xml:5 xml_unclosed_element'])
    const unread = await check({ 'rules/vpn.xml': Buffer.from([0x3c, 0xff, 0xfe, 0x00]) })
    assert.deepEqual(unread, ['succeeded', 'failure', '1 file cannot be read: rules/vpn.xml not_utf8'])
    assert.deepEqual((await check({ 'rules/vpn.xml': { mode: 'symlink', content: '/etc/passwd' } })).at(-1), '1 file cannot be read: rules/vpn.xml symlink')
    // What the branch has already is not held against it.
    forge.push(opened.repository, 'main', { files: { 'rules/old.xml': { mode: 'symlink', content: 'vpn.xml' } } })
    const untouched = await check({ 'rules/vpn.xml': RULES_XML, 'rules/old.xml': { mode: 'symlink', content: 'vpn.xml' }, 'docs/readme.md': 'x' })
    assert.deepEqual(untouched.slice(0, 2), ['succeeded', 'success'], untouched[2])
  })

  test('the comment shows the events that a change decides otherwise, and the run keeps counts and the report', async () => {
    const opened = await open({ comment_on_review: true })
    const sha = opened.push({ 'rules/vpn.xml': RULES_XML.replace('<action>failed<', '<action>x `@all` [a](https://evil.example)<') })
    await opened.report(sha)
    const run = await finish(opened, sha)
    const [comment] = forge.commentsOf(opened.repository, opened.number)
    assert.match(comment, /\n\*\*Events\*\*: rules with a lost alert: 0, with a new one: 0, with another one: [12]; equal: /)
    assert.match(comment, /\n- another rule, rule `100101`: rule `100101` of level 5 → rule `100100` of level 3[^\n]*: `[^`\n]*failed[^`\n]*`/)
    const outside = comment.replace(/`[^`]*`/g, '')
    assert.doesNotMatch(outside.replace(/^<!-- detection-content:\S+ -->/, '').replace(/\[Report\]\(\S+\)$/, ''), /[@<>[\]#]|https?:/)
    assert.deepEqual((run.diff_summary as { alerts?: object }).alerts, { lost: 0, gained: 0, changed: comment.includes('another one: 1') ? 1 : 2 })
    const { body } = await admin.client.get<{ report: { behaviour: { differing_count: number; items: readonly { witness: object | null }[] } } }>(
      `/platform/organizations/${admin.organizationId}/git-bindings/${opened.bindingId}/runs/${run._id}`,
    )
    assert.notEqual(body.report.behaviour.items[0].witness, null)
  })

  test('the check waits for what is measured in the background, and the comment names what the gate does not prove', async () => {
    const opened = await open({ comment_on_review: true })
    await createCase(admin, opened.project.id, { event_text: FAILED_LOGIN, expected_rule: '100101' })
    const policy = { require_negative_cases: true, min_rule_coverage: 0.1 }
    assert.equal((await admin.client.patch(`/platform/projects/${opened.project.id}/quality-gate`, policy)).status, 200)
    // The branch has rules without a negative case already. What it fails is not held against a change, and the comment tells it.
    const sha = opened.push({ 'rules/vpn.xml': RULES_XML.replace('level="5"', 'level="6"') })
    await opened.report(sha)
    assert.equal((await finish(opened, sha)).status, 'succeeded')
    const [comment] = forge.commentsOf(opened.repository, opened.number)
    assert.match(comment, /\n\| Rules with a case \| \d of 2 \| \d of 2 \|/)
    assert.match(comment, /\n\*\*Quality gate\*\*: failed\n(?:.*\n)*- `require_negative_cases` requires true, is false: rules 100100, 100101\n/)
    assert.doesNotMatch(comment, /not measured yet/)
  })

  test('what a change loses is accepted by an approved review of exactly its content, as long as it is approved', async () => {
    const opened = await open({ comment_on_review: true })
    const project = `/platform/projects/${opened.project.id}`
    assert.equal((await admin.client.patch(`${project}/quality-gate`, { max_lost_alerts: 0 })).status, 200)
    const silent = RULES_XML.replace('level="5"', 'level="0"')
    const sha = opened.push({ 'rules/vpn.xml': silent, 'rules/a.xml': `\ufeff${EXTRA_XML}` })
    /** What the check says that has begun. */
    const checked = async (commit: string) => {
      await until(() => opened.statusOf(commit)?.state === 'pending')
      const { diff_summary, trigger } = await finish(opened, commit)
      return [trigger, opened.statusOf(commit)?.state, diff_summary.accepted_by_review]
    }
    await opened.report(sha)
    assert.deepEqual(await checked(sha), ['webhook', 'failure', null])
    assert.equal(opened.statusOf(sha)?.description, 'quality gate: max_lost_alerts requires 0, is 1 (an approved review of the service accepts it)')
    const [comment] = forge.commentsOf(opened.repository, opened.number)
    const how = /\n\*\*To accept it\*\*: [^`]*`POST \S+\/api\/v1(\/\S+\/rollback)` with `(\{.*?\})` makes its workspace/.exec(comment)
    assert.ok(how !== null, comment)
    assert.ok(comment.includes(String((await opened.runs()).at(-1)?.diff_summary.how_to_accept)))

    const { body, text } = await admin.client.post<{ workspace: WorkspaceRecord }>(how[1], JSON.parse(how[2]) as object)
    assert.equal(body.workspace?.rules_xml, `${EXTRA_XML}\n${silent}`, text)
    const review = await openReview(admin, body.workspace)
    const reviewer = await addMember(admin, 'reviewer', `reviewer-${opened.number}-${opened.bindingId}@example.test`)
    const decide = async (status: string) => assert.equal((await reviewer.client.patch(`${project}/reviews/${review.id}`, { status })).status, 200)
    await decide('approved')
    assert.deepEqual(await checked(sha), ['request', 'success', review.id])
    assert.doesNotMatch(forge.commentsOf(opened.repository, opened.number)[0], /To accept it/)

    await decide('changes_requested')
    assert.deepEqual(await checked(sha), ['request', 'failure', null])
    await decide('approved')
    assert.deepEqual(await checked(sha), ['request', 'success', review.id])
    // A review that now approves another content no longer approves this one.
    assert.equal((await admin.client.patch(`${project}/workspaces/${body.workspace.id}`, { rules_xml: `${silent}<!-- more -->` })).status, 200)
    await decide('approved')
    assert.deepEqual(await checked(sha), ['request', 'failure', null])

    const other = opened.push({ 'rules/vpn.xml': `${silent}<!-- moved -->` })
    await opened.report(other)
    assert.deepEqual(await checked(other), ['webhook', 'failure', null])
    const runs = await opened.runs()
    await decide('approved')
    assert.equal((await opened.runs()).length, runs.length)
  })

  test('a loss that is not proven is accepted by an approved review, too', async ({ mock }) => {
    const pool = sharedPool()
    const compare = pool.behaviour.bind(pool)
    // As where the time of the search ends.
    mock.method(pool, 'behaviour', async (...call: Parameters<typeof compare>) => {
      const outcome = await compare(...call)
      return outcome.outcome === 'ok' ? { ...outcome, value: { ...outcome.value, complete: false } } : outcome
    })
    const opened = await open({ comment_on_review: true })
    const project = `/platform/projects/${opened.project.id}`
    assert.equal((await admin.client.patch(`${project}/quality-gate`, { max_lost_alerts: 5 })).status, 200)
    const sha = opened.push({ 'rules/vpn.xml': RULES_XML.replace('level="5"', 'level="6"') })
    await opened.report(sha)
    await finish(opened, sha)
    assert.deepEqual(
      [opened.statusOf(sha)?.state, opened.statusOf(sha)?.description],
      ['failure', 'quality gate: max_lost_alerts requires 5, is not proven (an approved review of the service accepts it)'],
    )
    const { body } = await admin.client.post<{ workspace: WorkspaceRecord }>(`${opened.path}/rollback`, { commit_sha: sha, workspace_name: 'Accepted' })
    const review = await openReview(admin, body.workspace)
    const reviewer = await addMember(admin, 'reviewer', `reviewer-${opened.number}-${opened.bindingId}@example.test`)
    assert.equal((await reviewer.client.patch(`${project}/reviews/${review.id}`, { status: 'approved' })).status, 200)
    await until(() => opened.statusOf(sha)?.state === 'pending')
    const { diff_summary } = await finish(opened, sha)
    assert.deepEqual([opened.statusOf(sha)?.state, diff_summary.accepted_by_review], ['success', review.id])
  })

  test('an approval is asked for where a limit is not met, or not proven', () => {
    const needs = (max_lost_alerts: number | null, rules: readonly string[], isProven: boolean): boolean =>
      needsApproval({ project: { quality_gate: { max_lost_alerts } } } as Parameters<typeof needsApproval>[0], { rules, isProven })
    assert.deepEqual([needs(1, ['1'], true), needs(1, ['1'], false), needs(1, ['1', '2'], true), needs(null, ['1'], false)], [false, true, true, false])
  })

  test('names and texts of a pull request form no markup, mention or link in its comment', async () => {
    const opened = await open({ comment_on_review: true })
    const hostile = '@everyone <img src=x onerror=alert(1)> [a](https://evil.example) ``` | <!-- x --> #1 https://evil.example'
    const sha = opened.push({
      'rules/@all `x` | [a](b).xml': RULES_XML.replaceAll('1001', '1009')
        .replace(/<description>[^<]*</, `<description>${hostile.replaceAll('<', '&lt;')}<`)
        .replace('<if_sid>100900<', '<if_sid>100999<'),
    })
    await opened.report(sha)
    await finish(opened, sha)
    const [comment] = forge.commentsOf(opened.repository, opened.number)
    const outside = comment.replace(/`[^`]*`/g, '')
    assert.doesNotMatch(outside.replace(/^<!-- detection-content:\S+ -->/, '').replace(/\[Report\]\(\S+\)$/, ''), /[@<>[\]#]|https?:/)
  })

  test('a forge that refuses the status is told by the run; one that fails is asked again', async () => {
    const opened = await open()
    const sha = opened.push({ 'rules/vpn.xml': RULES_XML.replace('level="5"', 'level="6"') })
    forge.failNext('setStatus', 'unavailable')
    await opened.report(sha)
    await until(() => opened.statusOf(sha)?.state === 'pending')
    forge.failNext('setStatus', 'scope_missing')
    const run = await finish(opened, sha)
    assert.deepEqual([run.status, run.diff_summary.status_refused, opened.statusOf(sha)?.state], ['succeeded', 'provider_scope_missing', 'pending'])
  })

  test('a head that cannot be read is an error, not a failure', async () => {
    const opened = await open()
    const sha = opened.push({ 'rules/vpn.xml': RULES_XML.replace('level="5"', 'level="6"') })
    await opened.report(sha)
    await until(() => opened.statusOf(sha)?.state === 'pending')
    forge.failNext('listFiles', 'too_large')
    const run = await finish(opened, sha)
    assert.deepEqual([run.status, run.error?.code, opened.statusOf(sha)?.state], ['failed', 'provider_too_large', 'error'])
  })

  test('other branches, other repositories and bindings without checks are not checked; a closed review cancels', async () => {
    const opened = await open()
    const scope = scopeOf(app, admin)
    const binding = (await scope.collection(GIT_BINDINGS).findOne({ _id: opened.bindingId }))!
    const event = { kind: 'review', repository: opened.repository, number: opened.number, sourceBranch: 'change', targetBranch: 'main', headSha: 'a'.repeat(40) } as const
    await checks.onReviewEvent(scope, binding, { ...event, targetBranch: 'other' })
    await checks.onReviewEvent(scope, binding, { ...event, repository: 'another/one' })
    await checks.onReviewEvent(scope, { ...binding, check_pull_requests: false }, event)
    assert.deepEqual(await opened.runs(), [])
    const sha = opened.push({ 'rules/vpn.xml': RULES_XML })
    await opened.report(sha)
    await until(() => opened.statusOf(sha)?.state === 'pending')
    await checks.onReviewEvent(scope, binding, { kind: 'review_closed', repository: opened.repository, number: opened.number, isMerged: false })
    assert.deepEqual(
      (await opened.runs()).map(({ status }) => status),
      ['canceled'],
    )
    ahead += CHECK_DELAY_MS
    await until(() => opened.statusOf(sha)?.state !== 'pending')
    assert.equal(opened.statusOf(sha)?.state, 'canceled')
  })
})
