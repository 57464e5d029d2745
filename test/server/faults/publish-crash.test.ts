/**
 * The service is killed while it publishes: there are never two published versions, and never a version without its content, its audit entry or its project.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProjectRecord } from '../../../server/resources/projects/schema.js'
import type { ProjectVersionRecord } from '../../../server/resources/versions/schema.js'
import { type Actor, bootstrap, login } from '../../support/actors.js'
import { Client } from '../../support/client.js'
import { allOf } from '../../support/pages.js'
import { createProject, RULES_XML } from '../../support/projects.js'
import { SMALL_RULESET, startServiceProcess } from '../../support/service-process.js'
import { EMBEDDED, REPLICA_SET } from '../../support/stores.js'

const ROUNDS = 3
const VERSIONS = 6
/** Publishing content that is already measured takes some milliseconds. */
const LONGEST_MS = 60

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
        let service = await startServiceProcess({ ...fresh.env, ...SMALL_RULESET })
        let admin = await bootstrap(new Client(service.origin), email)
        for (let round = 0; round < ROUNDS; round++) {
          const project = await createProject(admin, { name: `Round ${round}` })
          const versions = await makeVersions(admin, project)
          const told = new Map<string, boolean>()
          const kill = sleep(Math.random() * LONGEST_MS).then(() => service.stop('SIGKILL'))
          await Promise.all(
            versions.map(async ({ id }) => {
              try {
                const { status, body } = await admin.client.post<{ published: boolean }>(`/platform/projects/${project.id}/versions/${id}/publish`)
                if (status === 200) told.set(id, body.published)
              } catch {
                // The connection broke, so no answer was sent.
              }
            }),
          )
          await kill
          await fresh.forget?.()
          service = await startServiceProcess({ ...fresh.env, ...SMALL_RULESET })
          admin = await login(new Client(service.origin), email)
          await check(admin, project.id, versions, told)
        }
        await service.stop('SIGTERM')
      } finally {
        await fresh.remove()
      }
    })
  })
}

async function makeVersions(admin: Actor, project: ProjectRecord): Promise<ProjectVersionRecord[]> {
  const versions: ProjectVersionRecord[] = []
  for (let i = 0; i < VERSIONS; i++) {
    await admin.client.patch(`/platform/projects/${project.id}`, { rules_xml: rulesOf(i) })
    versions.push((await admin.client.post<ProjectVersionRecord>(`/platform/projects/${project.id}/versions`, { name: String(i) })).body)
  }
  return versions
}

async function check(admin: Actor, projectId: string, versions: readonly ProjectVersionRecord[], told: ReadonlyMap<string, boolean>): Promise<void> {
  const path = `/platform/projects/${projectId}`
  const stored = new Map((await allOf<ProjectVersionRecord>(admin, `${path}/versions`)).map((version) => [version.id, version]))
  const statusOf = (id: string): string => stored.get(id)?.status ?? 'missing'
  const published = versions.filter(({ id }) => statusOf(id) === 'published')
  assert.ok(published.length <= 1, 'two published versions')
  for (const [id, was] of told) assert.equal(was, statusOf(id) !== 'draft', 'an acknowledged publish is lost')
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
