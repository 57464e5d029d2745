/** Merges into the files of the stock ruleset, which people wrote for fifteen years: every file is edited and only the edit may appear in it. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'node:test'
import { composeFiles, fromByteString, type MergeAnswer, mergeFiles, type RepositoryFile, toByteString } from '#engine'
import { readRulesetFolder, REFERENCE_RULESET_DIR } from '#workers'
import type { XmlElement } from '../../../engine/xml/node.js'
import { parseElements } from '../../../engine/xml/parse.js'

const LISTS = { folder: 'lists', prefix: 'etc/lists/' }
const STOCK = fileURLToPath(new URL('../../../../../shared/conformance/ruleset-default', import.meta.url))

function filesOf(folder: string): RepositoryFile[] {
  return readRulesetFolder(folder, 'default').map(({ kind, filename, content }) => ({ kind, path: `${kind}/${filename.slice(filename.lastIndexOf('/') + 1)}`, content }))
}

function publish(files: readonly RepositoryFile[], ours: { rules_xml: string; decoders_xml: string }): MergeAnswer {
  return mergeFiles({
    base: files,
    ours: { ...ours, lists: composeFiles(files, LISTS).lists },
    theirs: files,
    newItems: { rules: 'rules/local_rules.xml', decoders: 'decoders/local_decoder.xml', listsFolder: 'lists' },
    lists: LISTS,
    resolutions: [],
  })
}

/** A file, and itself with a comment inside of its middle rule or decoder; null: it has none. */
function edited(file: RepositoryFile): RepositoryFile | null {
  const bytes = toByteString(file.content)
  const outcome = parseElements(bytes)
  assert.ok(outcome.ok, file.path)
  const { elements } = outcome.document
  const items = elements
    .flatMap((root): readonly XmlElement[] => (root.name === 'group' ? root.children : [root]))
    .filter(({ name, children }) => name !== 'var' && children.length > 0)
  if (items.length === 0) return null
  const { start, children } = items[items.length >> 1]
  assert.ok(start < children[0].start)
  return { ...file, content: fromByteString(`${bytes.slice(0, children[0].start)}<!-- edited -->${bytes.slice(children[0].start)}`) }
}

const RULESETS = [
  { name: 'the reference ruleset', folder: REFERENCE_RULESET_DIR },
  { name: 'the stock ruleset', folder: STOCK },
]

for (const { name, folder } of RULESETS) {
  describe(`a merge into ${name}`, { skip: existsSync(folder) ? false : 'the conformance data is not beside the checkout' }, () => {
    const files = existsSync(folder) ? filesOf(folder) : []
    const ofText = files.filter(({ kind }) => kind !== 'lists')

    test('changes nothing if ours changed nothing', () => {
      const composed = composeFiles(files, LISTS)
      const answer = publish(files, composed)
      assert.deepEqual([answer.changedPaths, answer.conflicts, answer.changes, answer.content], [[], [], [], composed])
      for (const file of answer.files) assert.equal(file.content, files.find(({ path, kind }) => path === file.path && kind === file.kind)?.content)
    })

    test('changes one item of each file, if ours changed those', () => {
      const edits = files.map((file) => (file.kind === 'lists' ? file : (edited(file) ?? file)))
      const answer = publish(files, composeFiles(edits, LISTS))
      const contents = new Map(answer.files.map(({ path, content }) => [path, content]))
      for (const { path, content } of edits) assert.equal(contents.get(path), content, path)
      assert.deepEqual(answer.conflicts, [])
      assert.deepEqual(
        answer.changedPaths,
        edits
          .filter(({ content }, index) => content !== files[index].content)
          .map(({ path }) => path)
          .sort(),
      )
      assert.equal(answer.changes.length, answer.changedPaths.length)
    })

    for (const kind of ['rules', 'decoders'] as const) {
      test(`changes the lines of one item only, in every file of ${kind}`, () => {
        let count = 0
        for (const file of ofText.filter((one) => one.kind === kind)) {
          const change = edited(file)
          if (change === null) continue
          const { changedPaths, files: merged } = publish([file], composeFiles([change], LISTS))
          assert.deepEqual([changedPaths, merged], [[file.path], [change]])
          count++
        }
        assert.ok(count > 0)
      })
    }
  })
}
