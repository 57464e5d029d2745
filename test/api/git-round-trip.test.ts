/**
 * Rulesets that people wrote for fifteen years, from a repository into a project and back, over HTTP: without a change there is no commit, and a changed rule
 * changes its lines alone. The stock ruleset is tested before a release, where it is beside the checkout: compiling it four times takes half a minute.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { after, before, describe, test } from 'node:test'
import { readRulesetFolder, REFERENCE_RULESET_DIR } from '#workers'
import type { WorkspaceRecord } from '../../server/content/workspaces/schema.js'
import { type Actor, bootstrap } from '../support/actors.js'
import type { TestApp } from '../support/app.js'
import { bind, startWithForge } from '../support/git/bound.js'
import type { MemoryGit } from '../support/git/memory-git.js'
import { runs } from '../support/runs.js'
import { DEFAULT_STORE } from '../support/stores.js'

interface Published {
  readonly commit_sha: string | null
  readonly files: readonly { readonly path: string; readonly diff: string | null }[]
  readonly change_count: number
}

const STOCK = fileURLToPath(new URL('../../../../shared/conformance/ruleset-default', import.meta.url))
/** A rule's opening tag, up to its level. */
const LEVEL = /(<rule id="\d+"[^>]*? level=")(\d+)/g

/** Paths and texts of a ruleset, as a repository has them. */
function filesOf(folder: string): Record<string, string> {
  const files = readRulesetFolder(folder, 'default').map(({ kind, filename, content }) => {
    const name = kind === 'lists' ? filename.replace(/^.*?lists\//, '') : filename.slice(filename.lastIndexOf('/') + 1)
    return [`${kind}/${name}`, content]
  })
  return Object.fromEntries(files)
}

for (const { name, folder } of [{ name: 'the reference ruleset', folder: REFERENCE_RULESET_DIR }, ...runs([], [{ name: 'the stock ruleset', folder: STOCK }])]) {
  describe(`${name} in Git, ${DEFAULT_STORE.name}`, { skip: existsSync(folder) ? false : 'the conformance data is not beside the checkout' }, () => {
    let app: TestApp
    let forge: MemoryGit
    let admin: Actor

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

    test('is not committed without a change, and changed rules change their lines alone', async () => {
      const files = filesOf(folder)
      const { project, path, textsOf } = await bind({ forge, admin }, files, { include_disk_defaults: false, decoders_xml: '', rules_xml: '' })
      const projectPath = `/platform/projects/${project.id}`
      // In one text of several files, a `$` of a pattern is read as a variable if another file defines one: 23 errors in the stock ruleset, none in its files.
      const gate = await admin.client.patch(`${projectPath}/quality-gate`, { min_quality_score: 0, max_errors: 100 })
      assert.equal(gate.status, 200, gate.text)
      const publish = async ({ id }: WorkspaceRecord, version: string): Promise<Published> => {
        const made = await post<{ id: string }>(`${projectPath}/versions`, { name: version, source_workspace_id: id })
        const answer = await post<{ published: boolean; quality_gate_result: unknown }>(`${projectPath}/versions/${made.id}/publish`)
        assert.ok(answer.published, JSON.stringify(answer.quality_gate_result))
        return post<Published>(`${path}/publish`)
      }
      const edit = async ({ id }: WorkspaceRecord, rules_xml: string): Promise<void> => {
        const { status, text } = await admin.client.patch(`${projectPath}/workspaces/${id}`, { rules_xml })
        assert.equal(status, 200, text)
      }

      const { workspace } = await post<{ workspace: WorkspaceRecord }>(`${path}/import`)
      const first = await publish(workspace, 'As in Git')
      assert.deepEqual([first.commit_sha, first.files], [null, []])
      assert.deepEqual(textsOf(), files)

      // One rule in the middle.
      const { rules_xml } = workspace
      const tags = [...rules_xml.matchAll(LEVEL)]
      const { index, 0: tag, 1: start, 2: level } = tags[tags.length >> 1]
      const other = level === '7' ? '8' : '7'
      await edit(workspace, rules_xml.slice(0, index) + start + other + rules_xml.slice(index + tag.length))
      const second = await publish(workspace, 'One rule')
      assert.deepEqual([second.files.length, second.change_count], [1, 1])
      const [{ path: file, diff }] = second.files
      const lines = (diff ?? '').split('\n').filter((line) => /^[+-](?![+-])/.test(line))
      const line = files[file].split('\n').find((one) => one.includes(tag))!
      assert.deepEqual(lines, [`-${line}`, `+${line.replace(tag, start + other)}`])
      assert.deepEqual(textsOf(), { ...files, [file]: files[file].replace(tag, start + other) })

      // All rules at once, in every file. Descriptions are proven to change no detection: no event is searched for each rule.
      const renamed = (text: string): string => text.replaceAll('</description>', ' (again)</description>')
      await edit(workspace, renamed(rules_xml))
      await publish(workspace, 'All rules')
      assert.deepEqual(textsOf(), Object.fromEntries(Object.entries(files).map(([at, text]) => [at, at.startsWith('rules/') ? renamed(text) : text])))
    })
  })
}
