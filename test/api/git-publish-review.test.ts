/** Publications by pull request over HTTP, on a forge in memory. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { GIT_BASES, GIT_REVIEW_BASES } from '../../server/content/shared/git-base.js'
import { GIT_BINDINGS, GIT_RUNS, type GitRunDocument } from '../../server/features/connections/git-bindings/store.js'
import { UNCERTAIN_MS } from '../../server/features/connections/git-publish/lease.js'
import { type Actor, bootstrap } from '../support/actors.js'
import type { TestApp } from '../support/app.js'
import { bind, type Bound, setBaseToHead, startWithForge } from '../support/git/bound.js'
import type { MemoryGit } from '../support/git/memory-git.js'
import { createCase, DECODERS_XML, FAILED_LOGIN, RULES_XML } from '../support/projects.js'
import { scopeOf } from '../support/stored-cases.js'
import { DEFAULT_STORE } from '../support/stores.js'
import { refused, waitFor } from './steps.js'

interface Review {
  readonly number: number
  readonly state: string
  readonly branch: string
  readonly head_sha: string
}
interface Published {
  readonly no_change: boolean
  readonly commit_sha: string | null
  readonly review: Review | null
}

const FILES = { 'decoders/vpn.xml': DECODERS_XML, 'rules/vpn.xml': RULES_XML }
const CONTENT = { decoders_xml: DECODERS_XML, rules_xml: RULES_XML }
const louder = (level: number): string => RULES_XML.replace('level="5"', `level="${level}"`)

describe(`publication by review, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let forge: MemoryGit
  let admin: Actor
  /** Ahead of the real time. */
  let ahead = 0
  const never = new AbortController().signal

  before(async () => {
    ;({ app, forge } = await startWithForge({ clock: () => Date.now() + ahead }))
    admin = await bootstrap(app.client)
  })
  after(() => app?.close())

  const bound = async (): Promise<Bound> => {
    const made = await bind({ forge, admin }, FILES, CONTENT, { publish_strategy: 'review' })
    await setBaseToHead(app, admin, forge, made)
    return made
  }
  const edit = async ({ project }: Bound, rules_xml: string): Promise<void> => {
    assert.equal((await admin.client.patch(`/platform/projects/${project.id}`, { rules_xml })).status, 200)
  }
  const publish = async ({ path }: Bound): Promise<Published> => {
    const { status, body, text } = await admin.client.post<Published>(`${path}/publish`)
    assert.equal(status, 200, text)
    return body
  }
  const statusOf = async ({ path }: Bound): Promise<Review | null> => (await admin.client.get<{ review: Review | null }>(`${path}/review-status`)).body.review
  const bindingOf = ({ bindingId }: Bound) => scopeOf(app, admin).collection(GIT_BINDINGS).findOne({ _id: bindingId })
  const baseOf = ({ bindingId }: Bound) => scopeOf(app, admin).collection(GIT_BASES).findOne({ _id: bindingId })

  /** Lets the recovery of the last publication come, and returns its run. */
  const recovered = async ({ bindingId }: Bound): Promise<GitRunDocument> => {
    ahead += UNCERTAIN_MS
    return waitFor(async () => {
      const [run] = await scopeOf(app, admin)
        .collection(GIT_RUNS)
        .find({ binding_id: bindingId }, { sort: { created_at: -1, _id: -1 }, limit: 1 })
      return run.status === 'running' ? undefined : run
    })
  }

  test('opens one review, updates it while it is open, and takes its content as the base when it is merged', async () => {
    const made = await bound()
    await createCase(admin, made.project.id, { name: 'Ping @all <b>[x](http://evil)`', event_text: FAILED_LOGIN, expected_rule: '100101', expected_level: 9 })
    assert.equal((await admin.client.patch(`/platform/projects/${made.project.id}/quality-gate`, { require_regression_pass: false, min_quality_score: 0 })).status, 200)
    assert.equal(await statusOf(made), null)
    await edit(made, louder(7).replace('VPN: login failed', 'VPN: @everyone ![x](http://evil.example) &lt;img src=x&gt; | `login`'))
    const first = await publish(made)
    assert.deepEqual([first.review?.number, first.review?.state, first.review?.head_sha], [1, 'open', first.commit_sha])
    assert.equal(first.review?.branch, `detection-content/${made.project.slug}-${made.bindingId.slice(0, 8)}`)
    assert.deepEqual(made.textsOf(), FILES)
    const body = forge.bodyOf(made.repository, 1)
    assert.ok(body.startsWith(`Publishes the project \`${made.project.slug}\`: 1 rule changed.\n\n| | Before | After |`), body)
    assert.match(body, /\*\*Rules\*\*: 0 added, 0 removed, 1 changed in meaning/)
    assert.ok(body.includes("- changed `100101`: `VPN: @everyone ![x](http://evil.example) &lt;img src=x&gt; ' 'login'` (`description`, `level`)"), body)
    assert.match(body, /\| Quality score \| \d+ \| \d+ \|/)
    // Nothing of the content is outside a code span.
    assert.doesNotMatch(body.replace(/`[^`\n]*`/g, ''), /@|evil|<img|\]\(/)
    const again = await publish(made)
    assert.deepEqual([again.no_change, again.review?.number], [true, 1])
    assert.equal((await baseOf(made))?.files[1].xml, RULES_XML)

    await edit(made, louder(9))
    const second = await publish(made)
    assert.deepEqual([second.review?.number, second.review?.branch, second.review?.head_sha], [1, first.review?.branch, second.commit_sha])
    assert.equal(made.textsOf(first.review?.branch)['rules/vpn.xml'], louder(9))
    assert.match(forge.bodyOf(made.repository, 1), /1 improved, 0 regressed\n\n- improved: `Ping @all .*` \(rule `100101`, as before\)/)
    assert.equal((await statusOf(made))?.state, 'open')

    forge.mergeReview(made.repository, 1)
    assert.equal((await statusOf(made))?.state, 'merged')
    assert.deepEqual([(await bindingOf(made))?.review, await statusOf(made)], [null, null])
    assert.equal((await baseOf(made))?.files[1].xml, louder(9))
    assert.deepEqual([(await publish(made)).no_change, made.textsOf()['rules/vpn.xml']], [true, louder(9)])

    // A merged review is not used again, nor is its branch.
    await edit(made, louder(10))
    const third = await publish(made)
    assert.equal(third.review?.number, 2)
    assert.notEqual(third.review?.branch, first.review?.branch)
    assert.equal(made.textsOf(first.review?.branch)['rules/vpn.xml'], louder(9))
  })

  test('keeps what the target branch gained meanwhile, in the review and after its merge', async () => {
    const made = await bound()
    await edit(made, louder(7))
    await publish(made)
    const others =
      '<group name="vpn,">\n  <rule id="100110" level="7">\n    <if_sid>100100</if_sid>\n    <action>closed</action>\n    <description>VPN: closed</description>\n  </rule>\n</group>\n'
    forge.push(made.repository, 'main', { files: { 'rules/z-others.xml': others } })
    await edit(made, louder(8))
    const { review } = await publish(made)
    assert.deepEqual(made.textsOf(review?.branch), { ...FILES, 'rules/vpn.xml': louder(8), 'rules/z-others.xml': others })
    forge.mergeReview(made.repository, 1)
    await edit(made, louder(9))
    const next = await publish(made)
    assert.deepEqual(made.textsOf(next.review?.branch), { ...FILES, 'rules/vpn.xml': louder(9), 'rules/z-others.xml': others })
  })

  test('does not write over commits of others on its branch', async () => {
    const made = await bound()
    await edit(made, louder(7))
    const { review } = await publish(made)
    const [theirs] = forge.push(made.repository, review?.branch ?? '', { files: { 'rules/vpn.xml': louder(12) } })
    await edit(made, louder(8))
    const refusal = refused(await admin.client.post(`${made.path}/publish`), 409, 'review_branch_moved') as unknown as { details: { head_sha: string } }
    assert.equal(refusal.details.head_sha, theirs)
    assert.equal((await forge.getBranch(made.repository, review?.branch ?? '', never)).commitSha, theirs)
    forge.closeReview(made.repository, 1)
    const next = await publish(made)
    assert.equal(next.review?.number, 2)
    assert.notEqual(next.review?.branch, review?.branch)
    assert.equal(made.textsOf(review?.branch)['rules/vpn.xml'], louder(12))
  })

  test('a review that could not be opened, or whose answer was lost, is finished, and there is one commit and one review', async () => {
    for (const isAfter of [false, true]) {
      const made = await bound()
      await edit(made, louder(7))
      forge.failNext('openReview', 'unavailable', { isAfter })
      refused(await admin.client.post(`${made.path}/publish`), 502, 'provider_unavailable')
      const { details } = refused(await admin.client.post(`${made.path}/publish`), 409, 'git_publish_running')
      assert.ok(Date.parse(String(details.ends_by)) <= Date.now() + ahead + UNCERTAIN_MS, String(details.ends_by))
      const run = await recovered(made)
      const review = await statusOf(made)
      assert.deepEqual([run._id, run.status, run.review_number, run.error], [details.run_id, 'succeeded', 1, null])
      assert.deepEqual([review?.number, review?.state, review?.head_sha], [1, 'open', run.commit_sha])
      const again = await publish(made)
      assert.deepEqual([again.no_change, again.review?.number], [true, 1])
      await edit(made, louder(8))
      assert.equal((await publish(made)).review?.number, 1)
    }
  })

  test('a review whose text could not be updated is finished, and is not taken for a branch of others', async () => {
    const made = await bound()
    await edit(made, louder(7))
    const first = await publish(made)
    await edit(made, louder(8))
    forge.failNext('updateReview', 'unavailable')
    refused(await admin.client.post(`${made.path}/publish`), 502, 'provider_unavailable')
    const run = await recovered(made)
    assert.deepEqual([run.status, run.review_number], ['succeeded', 1])
    assert.notEqual(run.commit_sha, first.commit_sha)
    assert.deepEqual([(await publish(made)).no_change, (await bindingOf(made))?.review?.head_sha], [true, run.commit_sha])
    // A refusal is for good: the commit is published, and the text stays.
    await edit(made, louder(9))
    forge.failNext('updateReview', 'scope_missing')
    const third = await publish(made)
    assert.deepEqual([third.review?.number, (await bindingOf(made))?.review?.head_sha], [1, third.commit_sha])
    await edit(made, louder(10))
    assert.equal((await publish(made)).review?.number, 1)
  })

  test('forgets the base of a review that was closed', async () => {
    const made = await bound()
    await edit(made, louder(7))
    await publish(made)
    const scope = scopeOf(app, admin)
    assert.equal((await scope.collection(GIT_REVIEW_BASES).findOne({ _id: made.bindingId }))?.files[1].xml, louder(7))
    forge.closeReview(made.repository, 1)
    assert.equal((await statusOf(made))?.state, 'closed')
    assert.equal(await scope.collection(GIT_REVIEW_BASES).findOne({ _id: made.bindingId }), null)
    assert.equal((await baseOf(made))?.files[1].xml, RULES_XML)
  })
})
