/** Where cases are added to files of cases, with the form that these have. */
import assert from 'node:assert/strict'
import test from 'node:test'
import type { CaseText } from '../../../server/language/index.js'
import { Workspace } from '../../../server/language/content/workspace.js'
import { addCases } from '../../../server/language/features/added-cases.js'
import { Positions } from '../../../server/language/text/positions.js'
import { MemoryFolder } from './memory.js'

const CASE = { name: 'made', event_text: 'x' }

/** The text of a suite behind the edit; null: there is none. */
function added(text: string, cases: readonly object[] = [CASE], uri = 'memory:///tests/a.json'): string | null {
  const suite: CaseText = { uri, text, cases: [] }
  const workspace = new Workspace(Object.assign(new MemoryFolder([]), { cases: () => [suite] }))
  const edit = addCases(workspace, '100', cases as never, false)
  if (edit === null) return null
  const [{ range, newText }] = edit.changes?.[uri] ?? []
  const at = new Positions(text).offsetAt(range.start)
  return text.slice(0, at) + newText + text.slice(at)
}

test('a case is written as the ones before it', () => {
  assert.equal(
    added('{\n  "cases": [\n    {\n      "name": "a"\n    }\n  ],\n  "note": []\n}\n'),
    '{\n  "cases": [\n    {\n      "name": "a"\n    },\n    {\n      "name": "made",\n      "event_text": "x"\n    }\n  ],\n  "note": []\n}\n',
  )
  assert.equal(added('{"cases": [{"name": "a"}]}', [CASE, CASE]), `{"cases": [{"name": "a"}, ${JSON.stringify(CASE)}, ${JSON.stringify(CASE)}]}`)
  assert.deepEqual(JSON.parse(added('{"owner": "é 😀", "cases": []}') ?? ''), { owner: 'é 😀', cases: [CASE] })
  assert.equal(added('{"cases": 1}'), null)
  assert.equal(added('[a]\nlog 1 pass = x\n', [CASE], 'memory:///tests/a.ini'), null)
})
