/** Whatever is typed, every request is answered: reference files are cut and mutated at random. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { SourceFile } from '../../../engine/index.js'
import type { LanguageServer } from '../../../server/language/server.js'
import { readRulesetFolder, REFERENCE_RULESET_DIR } from '../../../workers/content/content.js'
import { BASE } from '../../support/case-folders.js'
import { runs } from '../../support/runs.js'
import { MemoryFolder, startInMemory, uriOf } from './memory.js'

/** Small files keep the test short; each option is in one of them. */
const FILES: readonly SourceFile[] = readRulesetFolder(REFERENCE_RULESET_DIR, 'default').filter(({ kind, content }) => kind !== 'lists' && content.length < 12_000)
const PIECES = [
  '<',
  '>',
  '</',
  '/>',
  '"',
  "'",
  '=',
  '<!--',
  '-->',
  '!>',
  '\\',
  '\\<',
  '&',
  '$',
  '$(',
  '<rule id="',
  '<if_sid>',
  '</if_sid>',
  '<group name="',
  '<decoder name="',
  '<mitre>',
  '🚪',
  '\ud83d',
  '\r',
  '\r\n',
  '\u0000',
  ' ',
  ',',
  '<?xml ?>',
  '<![CDATA[',
]
const OPTIONS = { tabSize: 2, insertSpaces: true }

/** Every request that a position, a range or a document can have. */
function askEverything({ requests }: LanguageServer, uri: string, positions: readonly { line: number; character: number }[]): void {
  const textDocument = { uri }
  const range = { start: { line: 0, character: 0 }, end: { line: 1_000_000, character: 0 } }
  for (const position of positions) {
    requests['textDocument/completion']({ textDocument, position })
    requests['textDocument/hover']({ textDocument, position })
    requests['textDocument/definition']({ textDocument, position })
    requests['textDocument/references']({ textDocument, position, context: { includeDeclaration: true } })
    requests['textDocument/documentHighlight']({ textDocument, position })
    requests['textDocument/selectionRange']({ textDocument, positions: [position] })
    requests['textDocument/codeAction']({ textDocument, range: { start: position, end: position }, context: { diagnostics: [] } })
    for (const method of ['textDocument/prepareRename', 'textDocument/rename'] as const) {
      try {
        requests[method]({ textDocument, position, newName: '100099' })
      } catch (refusal) {
        assert.equal((refusal as Error).constructor.name, 'NotRenamed')
      }
    }
  }
  requests['textDocument/documentSymbol']({ textDocument })
  requests['textDocument/foldingRange']({ textDocument })
  requests['textDocument/semanticTokens/full']({ textDocument })
  requests['textDocument/semanticTokens/range']({ textDocument, range })
  requests['textDocument/formatting']({ textDocument, options: OPTIONS })
  requests['textDocument/inlayHint']({ textDocument, range })
  for (const lens of requests['textDocument/codeLens']({ textDocument })) requests['codeLens/resolve'](lens)
  requests['workspace/symbol']({ query: 'ssh' })
  const report = requests['textDocument/diagnostic']({ textDocument })
  assert.equal(report.kind, 'full')
}

describe('a document that is half-typed or hostile', () => {
  const { server } = startInMemory(new MemoryFolder(BASE))
  const edit = fc.record({ at: fc.nat(), removed: fc.nat({ max: 40 }), piece: fc.constantFrom(...PIECES) })

  it('gets an answer to every request', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: FILES.length - 1 }),
        fc.option(fc.nat()),
        fc.array(edit, { maxLength: 6 }),
        fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
        (index, cut, edits, cursors) => {
          const file = { ...FILES[index], scope: 'custom' } as const
          let text = file.content
          for (const { at, removed, piece } of edits) text = text.slice(0, at % (text.length + 1)) + piece + text.slice((at % (text.length + 1)) + removed)
          if (cut !== null) text = text.slice(0, cut % (text.length + 1))
          const uri = uriOf({ ...file, filename: `own-${file.filename}` })
          server.notifications['textDocument/didOpen']({ textDocument: { uri, languageId: 'xml', version: 1, text } })
          const lines = text.split('\n')
          const positions = cursors.map((cursor) => ({ line: cursor % lines.length, character: cursor % (lines[cursor % lines.length].length + 1) }))
          askEverything(server, uri, [...positions, { line: 999_999, character: 3 }])
          server.notifications['textDocument/didClose']({ textDocument: { uri } })
        },
      ),
      { numRuns: runs(60, 3000) },
    )
  })

  it('may change at any range', () => {
    const uri = 'memory:///rules/typed.xml'
    server.notifications['textDocument/didOpen']({ textDocument: { uri, languageId: 'wazuh-rules', version: 1, text: '' } })
    for (const [at, letter] of [...'<group name="a,"><rule id="1" level="2"><if_sid>1</if_sid>🚪</rule></group>'].entries()) {
      const position = { line: 0, character: at > 58 ? at + 1 : at }
      server.notifications['textDocument/didChange']({ textDocument: { uri, version: at + 2 }, contentChanges: [{ range: { start: position, end: position }, text: letter }] })
      askEverything(server, uri, [position])
    }
    server.notifications['textDocument/didClose']({ textDocument: { uri } })
    // The document is not open any more.
    server.notifications['textDocument/didChange']({ textDocument: { uri, version: 9 }, contentChanges: [{ text: 'x' }] })
    askEverything(server, uri, [{ line: 0, character: 0 }])
    server.requests.shutdown(undefined)
  })
})
