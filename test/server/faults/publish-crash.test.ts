/**
 * The service is killed while it publishes: there are never two published versions, and never a version without its content, its audit entry or its project.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProjectRecord } from '../../../server/content/projects/schema.js'
import type { ProjectVersionRecord } from '../../../server/content/versions/schema.js'
import { type Actor, bootstrap, login } from '../../support/actors.js'
import { startTestApp } from '../../support/app.js'
import { Client } from '../../support/client.js'
import { allOf } from '../../support/pages.js'
import { createProject, RULES_XML } from '../../support/projects.js'
import { runs } from '../../support/runs.js'
import { SMALL_RULESET, startServiceProcess } from '../../support/service-process.js'
import { EMBEDDED, REPLICA_SET } from '../../support/stores.js'

const ROUNDS = runs(1, 3)
/** Published at once in each round, so that a kill finds them at different steps. */
const PROJECTS = 3
const VERSIONS = 6
/** Publishing content that is already measured takes some milliseconds; all of them are published at once. */
const LONGEST_MS = 200

interface AuditRecord {
  readonly action: string
  readonly resource_id: string
}

for (const store of [EMBEDDED, REPLICA_SET]) {
  describe(`a crash while versions are published, ${store.name}`, { skip: store.skip }, () => {
    test('leaves each publish done or not done', async () => {
      const fresh = await store.fresh()
      const email = 'admin@example.test'
      try {
        for (let round = 0; round < ROUNDS; round++) {
          const service = await startServiceProcess({ ...fresh.env, ...SMALL_RULESET })
          const client = new Client(service.origin)
          const admin = round === 0 ? await bootstrap(client, email) : await login(client, email)
          const made = await Promise.all(Array.from({ length: PROJECTS }, (_, number) => makeProject(admin, `Round ${round}, ${number}`)))
          const told = new Map<string, boolean>()
          const kill = sleep(Math.random() * LONGEST_MS).then(() => service.stop('SIGKILL'))
          await Promise.all(
            made.flatMap(({ project, versions }) =>
              versions.map(async ({ id }) => {
                try {
                  const { status, body } = await admin.client.post<{ published: boolean }>(`/platform/projects/${project.id}/versions/${id}/publish`)
                  if (status === 200) told.set(id, body.published)
                } catch {
                  // The connection broke, so no answer was sent.
                }
              }),
            ),
          )
          await kill
          await fresh.forget?.()
          const app = await startTestApp({ store: { ...store, fresh: async () => ({ ...fresh, remove: async () => {} }) } })
          try {
            const again = await login(app.client, email)
            for (const { project, versions } of made) await check(again, project.id, versions, told)
          } finally {
            await app.close()
          }
        }
      } finally {
        await fresh.remove()
      }
    })
  })
}

async function makeProject(admin: Actor, name: string): Promise<{ project: ProjectRecord; versions: ProjectVersionRecord[] }> {
  const project = await createProject(admin, { name })
  const versions: ProjectVersionRecord[] = []
  for (let i = 0; i < VERSIONS; i++) {
    await admin.client.patch(`/platform/projects/${project.id}`, { rules_xml: rulesOf(i) })
    versions.push((await admin.client.post<ProjectVersionRecord>(`/platform/projects/${project.id}/versions`, { name: String(i) })).body)
  }
  return { project, versions }
}

async function check(admin: Actor, projectId: string, versions: readonly ProjectVersionRecord[], told: ReadonlyMap<string, boolean>): Promise<void> {
  const path = `/platform/projects/${projectId}`
  const stored = new Map((await allOf<ProjectVersionRecord>(admin, `${path}/versions`)).map((version) => [version.id, version]))
  const statusOf = (id: string): string => stored.get(id)?.status ?? 'missing'
  const published = versions.filter(({ id }) => statusOf(id) === 'published')
  assert.ok(published.length <= 1, 'two published versions')
  for (const { id } of versions) if (told.has(id)) assert.equal(told.get(id), statusOf(id) !== 'draft', 'an acknowledged publish is lost')
  const { body: project } = await admin.client.get<ProjectRecord>(path)
  assert.equal(project.active_baseline_id, published[0]?.id ?? null)
  assert.equal(project.active_baseline_name, published[0]?.name ?? '')
  // Without a publish it has the content that was last written to it.
  assert.equal(project.rules_xml, rulesOf(published.length === 0 ? VERSIONS - 1 : Number(published[0].name)))
  const audited = (await allOf<AuditRecord>(admin, '/platform/audit')).filter(({ action }) => action === 'version.published').map(({ resource_id }) => resource_id)
  const here = audited.filter((id) => stored.has(id)).sort()
  const done = versions.filter(({ id }) => statusOf(id) !== 'draft').map(({ id }) => id)
  assert.deepEqual(here, done.sort(), 'a publish without its audit entry, or the other way round')
}

const rulesOf = (i: number): string => RULES_XML.replace('login failed', `login failed ${i}`)
