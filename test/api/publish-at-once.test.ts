/**
 * Publishing while a concurrent request archives the version, withdraws its approval, or refuses it in another review: one of them is first, and the other is
 * refused.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { UserPrincipal } from '../../server/core/auth/principal.js'
import type { ProjectMeasure } from '../../server/content/shared/measure.js'
import type { ProjectVersionRecord } from '../../server/content/versions/schema.js'
import { QualityGateService } from '../../server/content/quality-gate/service.js'
import type { ReviewRecord } from '../../server/content/reviews/schema.js'
import { type VersionsParts, VersionsService } from '../../server/content/versions/service.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { addMember, bootstrap } from '../support/actors.js'
import type { TestApp } from '../support/app.js'
import { createCase, createProject, openReview, openWorkspace } from '../support/projects.js'
import { runs } from '../support/runs.js'
import { ALL_STORES, withApp } from './steps.js'

/** Each round starts the other change a little later, so that it happens at every step of the publish. */
const ROUNDS = runs(12, 48)

/** More than concurrent requests may change a project during the publish. */
const CASES_WRITTEN = 10

/** Pairs of concurrent requests. The second one waits for a share of the time that the first one took before. */
class Race {
  #round = 0
  #tookMs = 0

  async run<A, B>(publish: () => Promise<A>, other: () => Promise<B>): Promise<[A, B]> {
    const begun = performance.now()
    const publishing = publish().then((answer) => {
      this.#tookMs = performance.now() - begun
      return answer
    })
    return Promise.all([publishing, setTimeout((this.#tookMs * this.#round++) / ROUNDS).then(other)])
  }
}

/** Returns different content each time, because an approval is bound to a content hash. */
const rulesOf = (round: number): string => `<group name="x,"><rule id="100100" level="3"><description>${round}</description></rule></group>`

/** Creates a project whose gate requires an approval, and its users. */
async function begin(app: TestApp) {
  const admin = await bootstrap(app.client)
  const engineer = await addMember(admin, 'engineer')
  const { id } = await createProject(admin)
  const project = `/platform/projects/${id}`
  assert.equal((await admin.client.patch(`${project}/quality-gate`, { require_approved_review: true })).status, 200)
  return { admin, engineer, id, project }
}

for (const store of ALL_STORES) {
  describe(`publishing at once, ${store.name}`, { skip: store.skip }, () => {
    test('a version is either published or archived', () =>
      withApp({ store }, async (app) => {
        const admin = await bootstrap(app.client)
        const { client } = admin
        const versions = `/platform/projects/${(await createProject(admin)).id}/versions`
        const race = new Race()
        for (let round = 0; round < ROUNDS; round++) {
          const { body } = await client.post<ProjectVersionRecord>(versions, { name: `${round}` })
          const [published, archived] = await race.run(
            () => client.post<{ published: boolean }>(`${versions}/${body.id}/publish`),
            () => client.post<ProjectVersionRecord>(`${versions}/${body.id}/archive`),
          )
          assert.deepEqual([published.status, archived.status].sort(), [200, 409], `round ${round}`)
          const { status } = (await client.get<ProjectVersionRecord>(`${versions}/${body.id}`)).body
          assert.equal(status, published.status === 200 ? 'published' : 'archived')
        }
      }))

    test('no version is published on an approval that is withdrawn', () =>
      withApp({ store }, async (app) => {
        const { admin, engineer, id, project } = await begin(app)
        const race = new Race()
        for (let round = 0; round < ROUNDS; round++) {
          const workspace = await openWorkspace(engineer, id, { rules_xml: rulesOf(round) })
          const review = await openReview(engineer, workspace)
          const decide = (status: string) => admin.client.patch(`${project}/reviews/${review.id}`, { status })
          assert.equal((await decide('approved')).status, 200)
          const { body } = await admin.client.post<ProjectVersionRecord>(`${project}/versions`, { name: `${round}`, source_review_id: review.id })
          const [published, rejected] = await race.run(
            () => admin.client.post<{ published: boolean }>(`${project}/versions/${body.id}/publish`),
            () => decide('rejected'),
          )
          assert.equal(published.status, 200, published.text)
          assert.equal(rejected.status, published.body.published ? 409 : 200, `round ${round}: ${published.text}`)
        }
      }))

    test('no version is published that another review refuses', () =>
      withApp({ store }, async (app) => {
        const { admin, engineer, id, project } = await begin(app)
        const race = new Race()
        for (let round = 0; round < ROUNDS; round++) {
          const workspace = await openWorkspace(engineer, id, { rules_xml: rulesOf(round) })
          const reviews = [await openReview(engineer, workspace), await openReview(engineer, workspace)]
          const decide = (at: number, status: string) => admin.client.patch(`${project}/reviews/${reviews[at].id}`, { status })
          for (const at of [0, 1]) assert.equal((await decide(at, 'approved')).status, 200)
          const { body } = await admin.client.post<ProjectVersionRecord>(`${project}/versions`, { name: `${round}`, source_workspace_id: workspace.id })
          const [published, refused] = await race.run(
            () => admin.client.post<{ published: boolean }>(`${project}/versions/${body.id}/publish`),
            () => decide(round % 2, round % 3 === 0 ? 'rejected' : 'changes_requested'),
          )
          assert.equal(published.status, 200, published.text)
          // Publishing settles the reviews of the workspace.
          assert.equal(refused.status, published.body.published ? 409 : 200, `round ${round}: ${published.text}`)
        }
      }))

    test('a version refused between the evaluation of the gate and the commit is not published', () =>
      withApp({ store }, async (app) => {
        const { admin, engineer, id, project } = await begin(app)
        // Two workspaces with the same content, so that publishing settles one of them only.
        const workspaces = [await openWorkspace(engineer, id), await openWorkspace(engineer, id)]
        const [approved, other] = [await openReview(engineer, workspaces[0]), await openReview(engineer, workspaces[1])]
        const decide = (review: ReviewRecord, status: string) => admin.client.patch(`${project}/reviews/${review.id}`, { status })
        assert.equal((await decide(approved, 'approved')).status, 200)
        const { body } = await admin.client.post<ProjectVersionRecord>(`${project}/versions`, { name: '1', source_review_id: approved.id })
        const measured = {
          quality: { score: 100 },
          bySeverity: { error: 0, warning: 0, info: 0, success: 0 },
          results: [],
          failedCases: 0,
          semantic: { total_rules: 2, total_decoders: 2 },
        }
        // Subscriptions are queried after the gate, and before the commit.
        let asked = 0
        const service = new VersionsService({
          measure: { measure: async () => measured } as unknown as ProjectMeasure,
          diffs: { compareFiles: async () => null },
          gate: new QualityGateService(Date.now),
          outbox: {
            emitting: async () => {
              if (asked++ === 0) assert.equal((await decide(other, 'rejected')).status, 200)
              return []
            },
          },
          notices: { notifying: () => [] },
          clock: Date.now,
        })
        const principal = { kind: 'user', userId: admin.userId, email: admin.email } as UserPrincipal
        const actor = { principal, requestId: 'r', address: '::1', locale: 'en-US', signal: new AbortController().signal } as const
        const scope = new Tenancy(app.service.storage).of(admin.organizationId)
        const { published, result } = await service.publish(scope, id, body.id, actor)
        assert.equal(published, false)
        assert.deepEqual(result.failed_rules, [{ rule: 'require_approved_review', expected: true, actual: false }])
        assert.equal((await admin.client.get<ProjectVersionRecord>(`${project}/versions/${body.id}`)).body.status, 'draft')
        assert.equal((await decide(approved, 'approved')).status, 200)
        assert.equal((await service.publish(scope, id, body.id, actor)).published, true)
      }))

    test('a version can be restored while cases are written', () =>
      withApp({ store }, async (app) => {
        const admin = await bootstrap(app.client)
        const { id } = await createProject(admin)
        const versions = `/platform/projects/${id}/versions`
        const { body } = await admin.client.post<ProjectVersionRecord>(versions, { name: '1' })
        assert.equal((await admin.client.post<{ published: boolean }>(`${versions}/${body.id}/publish`)).body.published, true)
        const scope = new Tenancy(app.service.storage).of(admin.organizationId)
        const commit = scope.commit.bind(scope)
        let made = 0
        scope.commit = async (writes) => {
          if (made < CASES_WRITTEN) {
            made++
            await createCase(admin, id)
          }
          return commit(writes)
        }
        const service = new VersionsService({ clock: Date.now } as VersionsParts)
        const principal = { kind: 'user', userId: admin.userId, email: admin.email } as UserPrincipal
        const { project } = await service.restore(scope, id, body.id, { principal, requestId: 'r', address: '::1', locale: 'en-US' })
        assert.equal(project.active_baseline_id, body.id)
        assert.equal(project.case_count, CASES_WRITTEN)
      }))
  })
}
