/** What each place of a document offers. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { SourceFile } from '../../../engine/index.js'
import { BASE } from '../../support/case-folders.js'
import { MemoryFolder, startInMemory, uriOf } from './memory.js'
import { withCursor } from './session.js'

const own = (filename: string, content: string, kind: SourceFile['kind'] = 'rules'): SourceFile => ({ filename, kind, scope: 'custom', content })
const DECODERS = own(
  'gate_decoders.xml',
  '<decoder name="gate"><program_name>^gate</program_name></decoder>\n<decoder name="gate-fields"><parent>gate</parent><regex>(\\S+) (\\S+)</regex><order>badge, srcip</order></decoder>\n',
  'decoders',
)
const RULES = own(
  'gate_rules.xml',
  '<group name="gate,">\n  <rule id="100500" level="3">\n    <decoded_as>gate</decoded_as>\n    <description>Gate 🚪 events.</description>\n  </rule>\n  <rule id="100501" level="5">\n    <if_sid>100500</if_sid>\n    <field name="badge">^7</field>\n    <description>Badge $(badge).</description>\n    <group>badge_seven,</group>\n  </rule>\n</group>\n',
)
/** The file in which a text is typed. */
const TYPED = own('typed_rules.xml', '')
const TYPED_DECODERS = own('typed_decoders.xml', '', 'decoders')
const LIST = own('etc/lists/badges', '7:\n8:\n', 'lists')

describe('the language server', () => {
  const { server } = startInMemory(new MemoryFolder(BASE, [DECODERS, RULES, TYPED, TYPED_DECODERS, LIST]))
  const { requests, notifications } = server

  /** Runs a request at the cursor in a text of an own file. */
  function at<T>(marked: string, ask: (textDocument: { uri: string }, position: { line: number; character: number }) => T, file: SourceFile = TYPED): T {
    const { text, position } = withCursor(marked)
    const uri = uriOf(file)
    notifications['textDocument/didOpen']({ textDocument: { uri, languageId: 'wazuh-rules', version: 1, text } })
    const answer = ask({ uri }, position)
    notifications['textDocument/didClose']({ textDocument: { uri } })
    return answer
  }
  const items = (marked: string, file?: SourceFile) => at(marked, (textDocument, position) => requests['textDocument/completion']({ textDocument, position })?.items ?? [], file)
  const labels = (marked: string, file?: SourceFile): string[] => items(marked, file).map(({ label }) => label)
  const inRule = (inside: string): string => `<group name="a,">\n<rule id="100600" level="5">\n${inside}\n</rule>\n</group>`
  const hover = (marked: string, file?: SourceFile): string =>
    at(
      marked,
      (textDocument, position) => {
        const found = requests['textDocument/hover']({ textDocument, position })
        return found === null ? '' : (found.contents as { value: string }).value
      },
      file,
    )

  describe('completes', () => {
    it('tags of the place', () => {
      assert.deepEqual(labels('<‸'), ['group', 'var'])
      assert.deepEqual(labels('<‸', DECODERS), ['decoder', 'var'])
      assert.deepEqual(labels('<group name="a,">\n<‸'), ['rule'])
      assert.ok(labels(inRule('<if_‸')).includes('if_matched_group'))
      assert.ok(!labels(inRule('<‸')).includes('prematch'))
      assert.ok(labels('<decoder name="a"><‸', DECODERS).includes('prematch'))
      assert.deepEqual(labels(inRule('<mitre><‸</mitre>')), ['id', 'tacticID', 'techniqueID'])
      assert.ok(labels(inRule('‸')).includes('if_sid'), 'between tags')
    })

    it('a rule with the next free id', () => {
      const [rule] = items(`${RULES.content.slice(0, -'</group>\n'.length)}<‸`, RULES)
      assert.match(String(rule.textEdit?.newText), /^rule id="\$\{1:100502\}" level="\$\{2:5\}">/)
      assert.deepEqual(labels('<group name="a,"><rule id="‸"'), ['100001'])
    })

    it('the tag that closes', () => {
      assert.deepEqual(labels(inRule('<match>a</‸')), ['match', 'rule', 'group'])
    })

    it('attributes and their values', () => {
      assert.deepEqual(labels(inRule('<match ‸>a</match>')).sort(), ['negate', 'type'])
      assert.deepEqual(labels(inRule('<match type="pcre2" ‸>a</match>')), ['negate'])
      assert.deepEqual(labels(inRule('<match type="‸">a</match>')), ['osregex', 'osmatch', 'pcre2'])
      assert.deepEqual(labels('<group name="a,"><rule id="1" overwrite="‸"></rule></group>'), ['yes', 'no'])
      assert.ok(labels(inRule('<list field="badge" lookup="‸"/>')).includes('address_match_key'))
    })

    it('names of the content', () => {
      assert.deepEqual(labels(inRule('<if_sid>100500, 1005‸</if_sid>')), ['100500', '100501'])
      assert.ok(labels(inRule('<if_sid>badge‸</if_sid>')).includes('100501'), 'found by its description')
      assert.deepEqual(labels(inRule('<if_group>gate|badge‸</if_group>')), ['badge_seven'])
      assert.ok(labels(inRule('<decoded_as>‸</decoded_as>')).includes('gate'))
      assert.ok(!labels(inRule('<decoded_as>‸</decoded_as>')).includes('gate-fields'))
      assert.ok(labels('<decoder name="x"><parent>ga‸</parent></decoder>', TYPED_DECODERS).includes('gate'))
      assert.deepEqual(labels(inRule('<list field="badge">etc/lists/ba‸</list>')), ['etc/lists/badges'])
      assert.ok(labels(inRule('<mitre><id>T1110.00‸</id></mitre>')).includes('T1110.003'))
    })

    it('fields that the decoders of the rule extract', () => {
      const gate = (inside: string): string => inRule(`<decoded_as>gate</decoded_as>${inside}`)
      assert.deepEqual(labels(gate('<field name="‸"></field>')), ['badge', 'srcip'])
      assert.deepEqual(labels(gate('<description>By $(ba‸</description>')), ['badge'])
      assert.deepEqual(labels(inRule('<if_sid>100501</if_sid><same_field>‸</same_field>')), ['badge', 'srcip'], 'through the parents')
      assert.ok(labels(inRule('<if_sid>1</if_sid><field name="‸"></field>')).length > 2)
    })

    it('nothing in comments and other texts', () => {
      assert.deepEqual(labels(inRule('<!-- <‸ -->')), [])
      assert.deepEqual(labels(inRule('<description>a ‸</description>')), [])
    })
  })

  describe('explains', () => {
    it('tags and attributes, with an example', () => {
      assert.match(hover(inRule('<if_s‸id>1</if_sid>')), /`<if_sid>`[\s\S]*parent rules[\s\S]*Example:[\s\S]*<if_sid>/)
      assert.match(hover('<group name="a,"><rule id="1" lev‸el="3"></rule></group>'), /`level`[\s\S]*Severity/)
    })

    it('rules, decoders, groups, fields and lists', () => {
      assert.match(hover(inRule('<if_sid>1005‸01</if_sid>')), /rule 100501\*\* · level 5[\s\S]*Badge[\s\S]*Parents: `100500`[\s\S]*gate\\_rules\.xml/)
      assert.match(hover(inRule('<decoded_as>ga‸te</decoded_as>')), /decoder gate\*\*[\s\S]*Fields: `badge`, `srcip`/)
      assert.match(hover(inRule('<field name="bad‸ge">a</field>')), /extracted by `gate-fields`/)
      assert.match(hover(inRule('<list field="badge">etc/lists/bad‸ges</list>')), /list with 2 keys/)
    })

    it('diagnostics, with their page', () => {
      assert.match(hover(inRule('<if_sid>999‸999</if_sid>')), /rule_parent_missing[\s\S]*What to do/)
    })
  })

  it('finds uses and children', () => {
    const found = at(
      RULES.content.replace('100500', '1005‸00'),
      (textDocument, position) => requests['textDocument/references']({ textDocument, position, context: { includeDeclaration: false } }),
      RULES,
    )
    assert.deepEqual(
      found.map(({ range }) => range.start),
      [{ line: 6, character: 12 }],
    )
    const decoder = at(
      DECODERS.content.replace('name="gate"', 'name="ga‸te"'),
      (textDocument, position) => requests['textDocument/references']({ textDocument, position, context: { includeDeclaration: false } }),
      DECODERS,
    )
    assert.equal(decoder.length, 2, 'a child and a rule')
  })

  it('renames a decoder and a group, and refuses what is no name', () => {
    const rename = (marked: string, newName: string, file?: SourceFile) =>
      at(marked, (textDocument, position) => requests['textDocument/rename']({ textDocument, position, newName }), file)?.changes ?? {}
    assert.deepEqual(
      Object.values(rename(DECODERS.content.replace('name="gate"', 'name="ga‸te"'), 'door', DECODERS)).map((edits) => edits.length),
      [2, 1],
    )
    assert.deepEqual(
      Object.values(rename(RULES.content.replace('badge_seven', 'badge‸_seven'), 'seven', RULES)).map(([{ newText }]) => newText),
      ['seven'],
    )
    for (const name of ['', ' ', 'a,b', 'a"', '<']) assert.throws(() => rename(RULES.content.replace('badge_seven', 'badge‸_seven'), name, RULES), /must not be empty/)
    assert.throws(() => rename(RULES.content.replace('id="100501"', 'id="1005‸01"'), '100500', RULES), /exists already/)
    assert.throws(() => rename(RULES.content.replace('Gate', 'Ga‸te'), 'x', RULES), /can be renamed/)
    assert.throws(() => rename(inRule('<if_sid>50‸1</if_sid>'), '7'), /base ruleset/)
  })

  it('counts columns as the client does, behind an emoji', () => {
    const text = inRule('<description>🚪 é</description><if_sid>999999</if_sid>')
    const uri = uriOf(TYPED)
    notifications['textDocument/didOpen']({ textDocument: { uri, languageId: 'wazuh-rules', version: 1, text } })
    const report = requests['textDocument/diagnostic']({ textDocument: { uri } })
    const missing = 'items' in report ? report.items.find(({ code }) => code === 'rule_parent_missing') : undefined
    notifications['textDocument/didClose']({ textDocument: { uri } })
    const [line] = text.split('\n').slice(2)
    assert.deepEqual(missing?.range, { start: { line: 2, character: line.indexOf('<if_sid>') }, end: { line: 2, character: line.length } })
    assert.equal(missing?.codeDescription?.href, 'https://docs.example/#rule_parent_missing')
  })

  it('outlines, folds and marks a document', () => {
    const textDocument = { uri: uriOf(RULES) }
    const [group] = requests['textDocument/documentSymbol']({ textDocument })
    assert.deepEqual(
      group.children?.map(({ name, detail }) => [name, detail]),
      [
        ['100500', '3 · Gate 🚪 events.'],
        ['100501', '5 · Badge $(badge).'],
      ],
    )
    assert.deepEqual(
      requests['textDocument/foldingRange']({ textDocument }).map(({ startLine, endLine }) => [startLine, endLine]),
      [
        [0, 11],
        [1, 4],
        [5, 10],
      ],
    )
    const { data } = requests['textDocument/semanticTokens/full']({ textDocument })
    assert.deepEqual(data.slice(0, 10), [0, 1, 5, 0, 0, 0, 6, 4, 1, 0])
    const range = { start: { line: 0, character: 0 }, end: { line: 20, character: 0 } }
    assert.deepEqual(
      requests['textDocument/inlayHint']({ textDocument, range }).map(({ label, position }) => [label, position.line]),
      [['level 3', 6]],
    )
    assert.deepEqual(
      requests['workspace/symbol']({ query: 'badge' }).map(({ name }) => name),
      ['100501 Badge $(badge).'],
    )
  })

  it('serves documents outside of the folder, and leaves other XML alone', () => {
    const report = (uri: string, languageId: string, text: string): (string | number | undefined)[] => {
      notifications['textDocument/didOpen']({ textDocument: { uri, languageId, version: 1, text } })
      const found = requests['textDocument/diagnostic']({ textDocument: { uri } })
      notifications['textDocument/didClose']({ textDocument: { uri } })
      return 'items' in found ? found.items.map(({ code }) => code) : []
    }
    assert.ok(report('file:///tmp/mine.xml', 'xml', inRule('<if_sid>999999</if_sid>')).includes('rule_parent_missing'))
    assert.ok(!report('file:///tmp/mine.xml', 'xml', inRule('<if_sid>100501</if_sid>')).includes('rule_parent_missing'), 'sees the folder')
    assert.deepEqual(report('file:///tmp/pom.xml', 'xml', '<?xml version="1.0"?><project><rule/></project>'), [])
  })

  it('renames a file that loads before the one that it needs, for clients that can', () => {
    const child = own('0100-inner.xml', inRule('<if_sid>100700</if_sid>'))
    const parent = own('0200-outer.xml', '<group name="a,">\n<rule id="100700" level="3"><match>x</match><description>x</description></rule>\n</group>')
    const titles = (resourceOperations: ('create' | 'rename')[], files: readonly SourceFile[] = []) => {
      const { server: other } = startInMemory(new MemoryFolder(BASE, [child, parent, ...files]))
      other.requests.initialize({
        processId: null,
        rootUri: null,
        capabilities: { workspace: { workspaceEdit: { documentChanges: true, resourceOperations } } },
        workspaceFolders: null,
      })
      const { position } = withCursor(child.content.replace('<if_sid>', '<if_‸sid>'))
      const range = { start: position, end: position }
      return other.requests['textDocument/codeAction']({ textDocument: { uri: uriOf(child) }, range, context: { diagnostics: [] } }).flatMap(({ title, edit }) =>
        (edit?.documentChanges ?? []).map((change) => ({ title, change })),
      )
    }
    const newUri = uriOf(child).replace('0100-inner', '0201-inner')
    assert.deepEqual(titles(['create', 'rename']), [
      { title: 'Rename this file to 0201-inner.xml, so that it loads later', change: { kind: 'rename', oldUri: uriOf(child), newUri } },
    ])
    assert.deepEqual(titles(['create']), [])
    assert.deepEqual(titles(['rename'], [own('0201-inner.xml', '<group name="b,"></group>')]), [])
  })

  it('writes an overwrite into a new file if there is none', () => {
    const base = startInMemory(new MemoryFolder(BASE)).server
    base.requests.initialize({
      processId: null,
      rootUri: null,
      capabilities: { workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ['create'] } } },
      workspaceFolders: null,
    })
    const rules = BASE.find(({ kind, content }) => kind === 'rules' && content.includes('id="501"')) as SourceFile
    const { position } = withCursor(rules.content.replace('id="501"', 'id="5‸01"'))
    const actions = base.requests['textDocument/codeAction']({
      textDocument: { uri: uriOf(rules) },
      range: { start: position, end: position },
      context: { diagnostics: [], only: ['refactor'] },
    })
    assert.deepEqual(
      actions.map(({ title, edit }) => [title, edit?.documentChanges?.length]),
      [['Override rule 501', 2]],
    )
  })
})
