/** Checks of pull requests, on a forge in memory: statuses, the comment, cancelled checks, and what the run tells. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { JobQueue } from '../../server/jobs/queue.js'
import { CHECK_DELAY_MS } from '../../server/resources/git-checks/job.js'
import { GitChecksService } from '../../server/resources/git-checks/service.js'
import { GIT_BINDINGS, GIT_RUNS, type GitRunDocument } from '../../server/resources/git-bindings/store.js'
import { type Actor, bootstrap } from '../support/actors.js'
import type { TestApp } from '../support/app.js'

import { bind, type Bound, startWithForge } from '../support/git/bound.js'
import type { MemoryGit } from '../support/git/memory-git.js'
import { createCase, DECODERS_XML, FAILED_LOGIN, RULES_XML } from '../support/projects.js'
import { scopeOf } from '../support/stored-cases.js'
import { DEFAULT_STORE } from '../support/stores.js'
import { waitFor } from './steps.js'

const FILES = { 'decoders/vpn.xml': DECODERS_XML, 'rules/vpn.xml': RULES_XML }
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
    report(headSha: string): Promise<void>
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
    for (const sha of shas.slice(0, 19)) assert.ok([undefined, 'pending'].includes(opened.statusOf(sha)?.state), sha)
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
  })
})
