/** What a workspace is based on after its version was published to Git: its next version takes back and changes again what it published, and nothing else. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { WorkspaceRecord } from '../../server/content/workspaces/schema.js'
import { type Actor, bootstrap } from '../support/actors.js'
import type { TestApp } from '../support/app.js'
import { bind, startWithForge } from '../support/git/bound.js'
import type { MemoryGit } from '../support/git/memory-git.js'
import { DECODERS_XML, RULES_XML } from '../support/projects.js'
import { DEFAULT_STORE } from '../support/stores.js'

interface Published {
  readonly no_change: boolean
  readonly review: { readonly number: number } | null
}

const louder = (level: number): string => RULES_XML.replace('level="5"', `level="${level}"`)
const ADDED =
  '<group name="vpn,">\n  <rule id="100110" level="7">\n    <if_sid>100100</if_sid>\n    <action>closed</action>\n    <description>VPN: closed</description>\n  </rule>\n</group>\n'

describe(`workspaces that are published to Git again, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let forge: MemoryGit
  let admin: Actor
  let versions = 0

  before(async () => {
    ;({ app, forge } = await startWithForge())
    admin = await bootstrap(app.client)
  })
  after(() => app?.close())

  const post = async <B>(path: string, body?: unknown): Promise<B> => {
    const answer = await admin.client.post<B>(path, body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }

  /** A repository whose content was imported into two workspaces. */
  const start = async (publish_strategy: 'direct' | 'review') => {
    const { project, path, repository, textsOf } = await bind(
      { forge, admin },
      { 'decoders/vpn.xml': DECODERS_XML, 'rules/vpn.xml': RULES_XML },
      { decoders_xml: '', rules_xml: '' },
      { publish_strategy },
    )
    const projectPath = `/platform/projects/${project.id}`
    const open = async (workspace_name: string) => (await post<{ workspace: WorkspaceRecord }>(`${path}/import`, { workspace_name })).workspace
    const [mine, other] = [await open('Mine'), await open('Other')]
    /** Publishes content of a workspace as a version. */
    const version = async ({ id }: WorkspaceRecord, rules_xml: string): Promise<void> => {
      const edited = await admin.client.patch(`${projectPath}/workspaces/${id}`, { rules_xml })
      assert.equal(edited.status, 200, edited.text)
      const made = await post<{ id: string }>(`${projectPath}/versions`, { name: `Version ${++versions}`, source_workspace_id: id })
      assert.equal((await post<{ published: boolean }>(`${projectPath}/versions/${made.id}/publish`)).published, true)
    }
    return {
      mine,
      other,
      path,
      project,
      version,
      publish: () => post<Published>(`${path}/publish`),
      merge: async (number: number): Promise<void> => {
        forge.mergeReview(repository, number)
        await admin.client.get(`${path}/review-status`)
      },
      rules: () => textsOf()['rules/vpn.xml'],
      texts: () => textsOf(),
      importInto: ({ id }: WorkspaceRecord) => post<{ status: string; workspace: WorkspaceRecord }>(`${path}/import`, { workspace_id: id }),
    }
  }

  test('an edit that was published is changed again, and taken back', async () => {
    const { mine, version, publish, rules, texts } = await start('direct')
    for (const level of [7, 9, 5]) {
      await version(mine, louder(level))
      await publish()
      assert.equal(rules(), louder(level))
    }
    await version(mine, RULES_XML + ADDED)
    await publish()
    assert.ok(rules().includes('100110'))
    await version(mine, RULES_XML)
    await publish()
    assert.deepEqual(texts(), { 'decoders/vpn.xml': DECODERS_XML, 'rules/vpn.xml': RULES_XML })
  })

  test('so is one whose review was merged after the next version was published', async () => {
    const { mine, version, publish, merge, rules } = await start('review')
    await version(mine, louder(7))
    const { review } = await publish()
    await version(mine, louder(9))
    await merge(review!.number)
    assert.equal(rules(), louder(7))
    const next = await publish()
    await merge(next.review!.number)
    assert.equal(rules(), louder(9))
    await version(mine, RULES_XML)
    await merge((await publish()).review!.number)
    assert.equal(rules(), RULES_XML)
  })

  test('another workspace, which does not have the edit, does not take it back', async () => {
    const { mine, other, version, publish, rules } = await start('direct')
    await version(mine, louder(7))
    await publish()
    await version(other, RULES_XML.replace('VPN: event', 'VPN: an event'))
    await publish()
    assert.equal(rules(), louder(7).replace('VPN: event', 'VPN: an event'))
  })

  test('nor does one that took the project from an edit by hand', async () => {
    const { mine, project, version, publish, rules } = await start('direct')
    await version(mine, louder(7))
    const byHand = await admin.client.patch(`/platform/projects/${project.id}`, { rules_xml: louder(7).replace('VPN: event', 'VPN: an event') })
    assert.equal(byHand.status, 200, byHand.text)
    await publish()
    await version(mine, louder(7))
    await publish()
    assert.equal(rules(), louder(7).replace('VPN: event', 'VPN: an event'))
  })

  test('an import does not name what the workspace itself published as a conflict', async () => {
    const { mine, other, version, publish, importInto } = await start('direct')
    await version(mine, louder(7))
    await publish()
    for (const [workspace, status] of [
      [mine, 'succeeded'],
      [other, 'conflict'],
    ] as const) {
      const edited = await admin.client.patch(`/platform/projects/${workspace.project_id}/workspaces/${workspace.id}`, { rules_xml: louder(9) })
      assert.equal(edited.status, 200, edited.text)
      const imported = await importInto(workspace)
      assert.deepEqual([imported.status, imported.workspace.rules_xml], [status, louder(9)])
    }
  })
})
