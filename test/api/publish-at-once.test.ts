/** Publishing while someone else puts the version away, or takes back the approval that it stands on: one of them comes first, and the other knows. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ProjectVersionRecord } from '../../server/projects/records.js'
import { addMember, bootstrap } from '../support/actors.js'
import { createProject, openReview, openWorkspace } from '../support/projects.js'
import { ALL_STORES, withApp } from './steps.js'

/** Each begins the other change a little later, so that it comes at every step of the publish. */
const ROUNDS = 24
const LATEST_MS = 12

const later = (round: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, round % LATEST_MS))

for (const store of ALL_STORES) {
  describe(`publishing at once, ${store.name}`, { skip: store.skip }, () => {
    test('a version is published or put away', () =>
      withApp({ store }, async (app) => {
        const admin = await bootstrap(app.client)
        const { client } = admin
        const versions = `/platform/projects/${(await createProject(admin)).id}/versions`
        for (let round = 0; round < ROUNDS; round++) {
          const { body } = await client.post<ProjectVersionRecord>(versions, { name: `${round}` })
          const [published, archived] = await Promise.all([
            client.post<{ published: boolean }>(`${versions}/${body.id}/publish`),
            later(round).then(() => client.post<ProjectVersionRecord>(`${versions}/${body.id}/archive`)),
          ])
          assert.deepEqual([published.status, archived.status].sort(), [200, 409], `round ${round}`)
          const { status } = (await client.get<ProjectVersionRecord>(`${versions}/${body.id}`)).body
          assert.equal(status, published.status === 200 ? 'published' : 'archived')
        }
      }))

    test('nothing is published on an approval that is taken back', () =>
      withApp({ store }, async (app) => {
        const admin = await bootstrap(app.client)
        const engineer = await addMember(admin, 'engineer')
        const { id } = await createProject(admin)
        const project = `/platform/projects/${id}`
        assert.equal((await admin.client.patch(`${project}/quality-gate`, { require_approved_review: true })).status, 200)
        for (let round = 0; round < ROUNDS; round++) {
          const rules_xml = `<group name="x,"><rule id="100100" level="3"><description>${round}</description></rule></group>`
          const workspace = await openWorkspace(engineer, id, { rules_xml })
          const review = await openReview(engineer, workspace)
          const decide = (status: string) => admin.client.patch(`${project}/reviews/${review.id}`, { status })
          assert.equal((await decide('approved')).status, 200)
          const { body } = await admin.client.post<ProjectVersionRecord>(`${project}/versions`, { name: `${round}`, source_review_id: review.id })
          const [published, rejected] = await Promise.all([
            admin.client.post<{ published: boolean }>(`${project}/versions/${body.id}/publish`),
            later(round).then(() => decide('rejected')),
          ])
          assert.equal(published.status, 200, published.text)
          assert.equal(rejected.status, published.body.published ? 409 : 200, `round ${round}: ${published.text}`)
        }
      }))
  })
}
