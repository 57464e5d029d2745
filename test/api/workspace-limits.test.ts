/** Limits inside of a project that two documents enforce, reached concurrently on every store; if two instances can share a store, both get requests. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { WorkspaceRecord } from '../../server/content/workspaces/schema.js'
import { PROJECTS } from '../../server/content/shared/project.js'
import { COMMENTS_LIMIT, REVIEW_COMMENTS, REVIEWS } from '../../server/content/shared/review.js'
import { WORKSPACES, WORKSPACES_LIMIT } from '../../server/content/shared/workspace.js'
import { addMember } from '../support/actors.js'
import { atOrigin, withInstances } from '../support/instances.js'
import { createProject, openReview, openWorkspace } from '../support/projects.js'
import { ALL_STORES, refused } from './steps.js'

const ROUNDS = 4

const pathOf = ({ project_id, id }: WorkspaceRecord): string => `/platform/projects/${project_id}/workspaces/${id}`

for (const store of ALL_STORES) {
  describe(`at the limit of a project at once, ${store.name}`, { skip: store.skip }, () => {
    test('the last place for an open workspace is assigned once, to a new or reopened one', () =>
      withInstances(store, {}, async ({ admin, scope, at }) => {
        const project = await createProject(admin)
        const workspaces: WorkspaceRecord[] = []
        for (let i = 0; i < 4; i++) workspaces.push(await openWorkspace(admin, project.id))
        for (const workspace of workspaces) assert.equal((await admin.client.patch(pathOf(workspace), { status: 'closed' })).status, 200)
        const projects = scope.collection(PROJECTS)
        const countOf = async () => (await projects.findOne({ _id: project.id }))?.workspace_count
        for (let round = 0; round < ROUNDS; round++) {
          await projects.update({ _id: project.id }, { set: { workspace_count: WORKSPACES_LIMIT - 1 } })
          const answers = await Promise.all([
            ...workspaces.map((workspace, index) => at(index).patch(pathOf(workspace), { status: 'open' })),
            ...[0, 1].map((index) => at(index).post<WorkspaceRecord>(`/platform/projects/${project.id}/workspaces`, { name: 'new' })),
          ])
          assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409])
          for (const answer of answers) if (answer.status !== 200) assert.match(refused(answer, 409, 'conflict').message, /500 open workspaces/)
          assert.equal(await countOf(), WORKSPACES_LIMIT)
          const open = await scope.collection(WORKSPACES).find({ project_id: project.id, status: 'open' })
          assert.equal(open.length, 1)
          assert.equal((await admin.client.patch(`/platform/projects/${project.id}/workspaces/${open[0]._id}`, { status: 'closed' })).status, 200)
        }
      }))

    test('of concurrent requests to reopen a workspace none overwrites another, and it is counted once', () =>
      withInstances(store, {}, async ({ admin, scope, at }) => {
        const project = await createProject(admin)
        const workspace = await openWorkspace(admin, project.id)
        const changes = [{ name: 'Ours' }, { description: 'theirs' }, { rules_xml: '<group name="third,"></group>' }, { event_text: 'fourth' }]
        assert.equal((await admin.client.patch(pathOf(workspace), { status: 'closed' })).status, 200)
        const answers = await Promise.all(changes.map((change, index) => at(index).patch(pathOf(workspace), { ...change, status: 'open' })))
        for (const answer of answers) assert.equal(answer.status, 200, answer.text)
        const { body } = await admin.client.get<WorkspaceRecord>(pathOf(workspace))
        for (const change of changes) for (const [name, value] of Object.entries(change)) assert.equal(body[name as keyof WorkspaceRecord], value)
        assert.equal((await scope.collection(PROJECTS).findOne({ _id: project.id }))?.workspace_count, 1)
      }))

    test('the last comment of a review is created once, alone or with a decision', () =>
      withInstances(store, {}, async ({ admin, scope, at }) => {
        const reviewer = await addMember(admin, 'reviewer')
        const project = await createProject(admin)
        const review = await openReview(admin, await openWorkspace(admin, project.id))
        const path = `/platform/projects/${project.id}/reviews/${review.id}`
        for (let round = 0; round < ROUNDS; round++) {
          await scope.collection(REVIEWS).update({ _id: review.id }, { set: { comment_count: COMMENTS_LIMIT - 2 } })
          await scope.collection(REVIEW_COMMENTS).deleteMany({ review_id: review.id })
          const answers = await Promise.all([
            ...[0, 1, 2].map((index) => at(index).post(`${path}/comments`, { body: 'said' })),
            ...(['rejected', 'changes_requested'] as const).map((status, index) => atOrigin(reviewer, at(index)).patch(path, { status, comment: 'decided' })),
          ])
          assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 409, 409, 409], answers.map(({ text }) => text).join('\n'))
          assert.equal((await scope.collection(REVIEWS).findOne({ _id: review.id }))?.comment_count, COMMENTS_LIMIT)
          assert.equal(await scope.collection(REVIEW_COMMENTS).count({ review_id: review.id }), 2)
        }
      }))
  })
}
