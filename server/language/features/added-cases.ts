/** An edit that adds cases to a file of cases: to the one that has cases of the rule, else to another one, else to a new one. */
import type { TestCase } from '#engine'
import { TextDocumentEdit, type WorkspaceEdit } from 'vscode-languageserver-types'
import type { CaseText } from '../content/content-folder.js'
import type { Workspace } from '../content/workspace.js'
import { listPlaces } from '../text/json-places.js'
import { Positions } from '../text/positions.js'
import { expectedRules } from './expected-rules.js'

/** The file of the first cases. */
const NEW_FILE = 'cases.json'
const INDENTATION = 2

/** @param rule id of the rule that the cases are about @param canCreate whether the client can create files @returns null: there is no file, and none can be created */
export function addCases(workspace: Workspace, rule: string, added: readonly TestCase[], canCreate: boolean): WorkspaceEdit | null {
  const suites = workspace.cases.filter(({ uri }) => /\.json$/i.test(uri))
  const ofRule = suites.find(({ cases }) => cases.some(({ testCase }) => expectedRules(testCase).includes(rule)))
  for (const suite of ofRule === undefined ? suites : [ofRule, ...suites]) {
    const edit = insertion(workspace, suite, added)
    if (edit !== null) return edit
  }
  const uri = workspace.uriOfNewCases(NEW_FILE)
  if (uri === null || !canCreate) return null
  const start = { line: 0, character: 0 }
  const newText = `${JSON.stringify({ cases: added }, null, INDENTATION)}\n`
  return {
    documentChanges: [{ kind: 'create', uri, options: { ignoreIfExists: true } }, TextDocumentEdit.create({ uri, version: null }, [{ range: { start, end: start }, newText }])],
  }
}

/** Behind the last case, written as it is. Null: the text has no list of cases now. */
function insertion(workspace: Workspace, { uri, text: saved }: CaseText, added: readonly TestCase[]): WorkspaceEdit | null {
  const text = workspace.textOf(uri) ?? saved
  const places = listPlaces(text, 'cases')
  if (places === null) return null
  const { start, elements } = places
  const last = elements.at(-1)
  const at = last?.end ?? start
  // A case that begins its line shows how far cases are indented.
  const before = last === undefined ? '' : text.slice(text.lastIndexOf('\n', last.start) + 1, last.start)
  const hasOwnLine = last === undefined || (before.trim() === '' && text.lastIndexOf('\n', last.start) >= 0)
  const indentation = last === undefined ? ' '.repeat(2 * INDENTATION) : before
  const written = added.map((one) => (hasOwnLine ? `\n${JSON.stringify(one, null, INDENTATION).replace(/^/gm, indentation)}` : ` ${JSON.stringify(one)}`))
  const newText = `${last === undefined ? '' : ','}${written.join(',')}${last === undefined ? `\n${' '.repeat(INDENTATION)}` : ''}`
  const position = new Positions(text).positionAt(at)
  return { changes: { [uri]: [{ range: { start: position, end: position }, newText }] } }
}
