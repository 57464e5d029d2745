/** Limits that concurrent requests reach, on every store: exactly as many succeed as the limit allows. Existing objects are put into the store directly. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PROJECTS, PROJECTS_LIMIT } from '../../server/content/shared/project.js'
import { VERSIONS, VERSIONS_LIMIT } from '../../server/content/shared/version.js'
import { WEBHOOKS_LIMIT } from '../../server/features/webhooks/service.js'
import { WEBHOOKS } from '../../server/features/webhooks/store.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'
import { type Actor, bootstrap } from '../support/actors.js'
import type { TestApp } from '../support/app.js'
import { createProject } from '../support/projects.js'
import { ALL_STORES, refused, withApp } from './steps.js'
import { insertAll } from '../support/insert-all.js'

const FIVE = ['a', 'b', 'c', 'd', 'e']

const scopeOf = (app: TestApp, { organizationId }: Actor) => new Tenancy(app.service.storage).of(organizationId)

for (const store of ALL_STORES) {
  describe(`at the limit at once, ${store.name}`, { skip: store.skip }, () => {
    test('an organization cannot exceed its limit of projects', () =>
      withApp({ store }, async (app) => {
        const admin = await bootstrap(app.client)
        const { id } = await createProject(admin)
        const projects = scopeOf(app, admin).collection(PROJECTS)
        const made = await projects.findOne({ _id: id })
        assert.ok(made)
        const fillers = Array.from({ length: PROJECTS_LIMIT - 3 }, (_, at) => ({ ...made, _id: `filler-${at}`, slug: `filler-${at}` }))
        await insertAll(app.service.storage, projects, fillers)
        const answers = await Promise.all(FIVE.map((name) => admin.client.post('/platform/projects', { name })))
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 409, 409, 409])
        assert.match(refused(await admin.client.post('/platform/projects', { name: 'f' }), 409, 'conflict').message, /10000 projects/)
        assert.equal(await projects.count({}), PROJECTS_LIMIT)
        await projects.delete({ _id: 'filler-0' })
        assert.equal((await admin.client.post('/platform/projects', { name: 'f' })).status, 200)
      }))

    test('an organization cannot exceed its limit of webhooks', () =>
      withApp({ store }, async (app) => {
        const admin = await bootstrap(app.client)
        const make = () => admin.client.post(`/platform/organizations/${admin.organizationId}/webhooks`, { url: 'https://hooks.example.test/in', events: ['version.published'] })
        const first = await make()
        assert.equal(first.status, 200, first.text)
        const webhooks = scopeOf(app, admin).collection(WEBHOOKS)
        const [made] = await webhooks.find({})
        await insertAll(
          app.service.storage,
          webhooks,
          Array.from({ length: WEBHOOKS_LIMIT - 3 }, (_, at) => ({ ...made, _id: `filler-${at}` })),
        )
        const answers = await Promise.all(FIVE.map(make))
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 409, 409, 409])
        refused(await make(), 409, 'conflict')
        assert.equal(await webhooks.count({}), WEBHOOKS_LIMIT)
      }))

    test('a project cannot exceed its limit of versions', () =>
      withApp({ store }, async (app) => {
        const admin = await bootstrap(app.client)
        const { id } = await createProject(admin)
        const path = `/platform/projects/${id}/versions`
        const scope = scopeOf(app, admin)
        const countOf = async () => (await scope.collection(PROJECTS).findOne({ _id: id }))?.version_count
        assert.equal((await admin.client.post(path, { name: 'first' })).status, 200)
        assert.equal(await countOf(), 1)
        await scope.collection(PROJECTS).update({ _id: id }, { set: { version_count: VERSIONS_LIMIT - 2 } })
        const answers = await Promise.all(FIVE.map((name) => admin.client.post(path, { name })))
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 409, 409, 409])
        assert.match(refused(await admin.client.post(path, { name: 'f' }), 409, 'conflict').message, /10000 versions/)
        assert.deepEqual([await countOf(), await scope.collection(VERSIONS).count({ project_id: id })], [VERSIONS_LIMIT, 3])
      }))
  })
}
