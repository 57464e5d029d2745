/** A session of an editor, over the streams of one process. */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { DiagnosticSeverity } from 'vscode-languageserver-types'
import { Workplace } from '../cli/call.js'
import { EditorSession, withCursor } from './session.js'

const rules = (inside: string): string => `<group name="mine,">\n${inside}\n</group>\n`
const rule = (id: number, options: string): string => `  <rule id="${id}" level="5">\n    ${options}\n    <description>Rule ${id}.</description>\n  </rule>`

const OWN = rules([rule(100001, '<if_sid>901</if_sid>'), rule(100002, '<if_sid>100001</if_sid>\n    <match>by ana</match>')].join('\n'))
const SUITE = '[Doors]\nlog 1 pass = Mar 10 08:15:30 hall door[7]: opened by ana from 192.0.2.1\nrule = 100002\nalert = 5\ndecoder = door\n'

describe('a session of an editor', { timeout: 60_000 }, () => {
  const workplace = new Workplace()
  const base = workplace.ruleset()
  const own = pathToFileURL(workplace.write('content/rules/own_rules.xml', OWN)).href
  const other = pathToFileURL(workplace.write('content/rules/zz_other.xml', rules(rule(100010, '<if_sid>100001</if_sid>')))).href
  const suite = pathToFileURL(workplace.write('content/tests/doors.ini', SUITE)).href
  workplace.write('content/pom.xml', '<project><modules/></project>')
  const folder = join(workplace.folder, 'content')
  let session: EditorSession

  before(async () => {
    session = await EditorSession.start(folder, ['--ruleset', base])
  })
  after(() => workplace.remove())

  const at = async <T>(marked: string, ask: (textDocument: { uri: string }, position: { line: number; character: number }) => Promise<T>): Promise<T> => {
    const { text, position } = withCursor(marked)
    session.change(own, text)
    const answer = await ask({ uri: own }, position)
    session.change(own, OWN)
    return answer
  }

  it('shows diagnostics with code, effect and places, while it is typed', async () => {
    session.open(own, OWN, 'xml')
    session.change(own, OWN.replace('<if_sid>901', '<if_sid>4711'))
    const [missing] = await session.diagnosticsOf(own, (found) => found.some(({ code }) => code === 'rule_parent_missing'))
    assert.equal(missing.severity, DiagnosticSeverity.Error)
    assert.match(String(missing.message), /^Rule 100001 has the parent rule 4711, which does not exist\..*\nCorrect the id .* Wazuh silently drops this rule/)
    assert.deepEqual(missing.range.start, { line: 2, character: 4 })
    const [follows] = await session.diagnosticsOf(other, (found) => found.some(({ code }) => code === 'rule_parent_dropped'))
    assert.equal(follows.relatedInformation?.[0].location.uri, own)
    // What needs a proof follows: no text passes both patterns.
    session.change(
      own,
      `${OWN}<group name="shut,">${['^shut', '^open'].map((text, index) => `<rule id="${100_090 + index}" level="3"><if_sid>${index === 0 ? 900 : 100_090}</if_sid><match>${text}</match><description>d</description></rule>`).join('')}</group>`,
    )
    const unreachable = await session.diagnosticsOf(own, (found) => found.some(({ code }) => code === 'rule_unreachable'))
    assert.match(String(unreachable.find(({ code }) => code === 'rule_unreachable')?.message), /Rule 100091 can never match/)
    session.change(own, OWN)
    await session.diagnosticsOf(own, (found) => found.every(({ severity, code }) => severity !== DiagnosticSeverity.Error && code !== 'rule_unreachable'))
    await session.diagnosticsOf(other, (found) => found.every(({ code }) => code !== 'rule_parent_dropped'))
  })

  it('completes ids with what they are', async () => {
    const { items } = (await at(OWN.replace('<if_sid>901</if_sid>', '<if_sid>90‸</if_sid>'), (textDocument, position) =>
      session.request('textDocument/completion', { textDocument, position }),
    )) ?? { items: [] }
    assert.deepEqual(
      items.map(({ label, detail }) => [label, detail]),
      [
        ['900', 'level 0: Door events.'],
        ['901', 'level 7: Door opened by $(srcuser).'],
        ['902', 'level 12: Door opened often from $(srcip).'],
        ['903', 'level 2: Door closed.'],
      ],
    )
  })

  it('explains a rule, and leads to it', async () => {
    const marked = OWN.replace('<if_sid>901', '<if_sid>9‸01')
    const hover = await at(marked, (textDocument, position) => session.request('textDocument/hover', { textDocument, position }))
    assert.match((hover?.contents as { value: string }).value, /rule 901\*\* · level 7[\s\S]*Door opened[\s\S]*0010-base\.xml:14/)
    const [definition] = await at(marked, (textDocument, position) => session.request('textDocument/definition', { textDocument, position }))
    assert.ok(definition.uri.endsWith('/base/rules/0010-base.xml'))
  })

  it('renames an id in all files, and in the cases', async () => {
    const edit = await at(OWN.replace('id="100002"', 'id="10‸0002"'), (textDocument, position) =>
      session.request('textDocument/rename', { textDocument, position, newName: '100077' }),
    )
    assert.deepEqual(Object.keys(edit?.changes ?? {}).sort(), [own, suite].sort())
    const first = await at(OWN.replace('id="100001"', 'id="10‸0001"'), (textDocument, position) =>
      session.request('textDocument/rename', { textDocument, position, newName: '100078' }),
    )
    assert.deepEqual(
      Object.entries(first?.changes ?? {}).map(([uri, edits]) => [uri, edits.length]),
      [
        [own, 2],
        [other, 1],
      ],
    )
    await assert.rejects(
      at(OWN.replace('<if_sid>901', '<if_sid>9‸01'), (textDocument, position) => session.request('textDocument/rename', { textDocument, position, newName: '5' })),
      /901 is defined in the base ruleset/,
    )
  })

  it('corrects, and overrides a rule of the base', async () => {
    const range = { start: { line: 2, character: 13 }, end: { line: 2, character: 13 } }
    session.change(own, OWN.replace('level="5"', 'level=5'))
    const [fix] = await session.request('textDocument/codeAction', {
      textDocument: { uri: own },
      range: { start: { line: 1, character: 22 }, end: { line: 1, character: 22 } },
      context: { diagnostics: [] },
    })
    assert.deepEqual([fix.title, fix.isPreferred, fix.edit?.changes?.[own][0].newText], ['Replace with "5"', true, '"5"'])
    session.change(own, OWN)
    const actions = await session.request('textDocument/codeAction', { textDocument: { uri: own }, range, context: { diagnostics: [] } })
    const text = actions.find(({ title }) => title === 'Override rule 901')?.edit?.changes?.[own][0].newText ?? ''
    assert.match(text, /<group name="doors,">\n {2}<rule id="901" level="7" overwrite="yes">[\s\S]*<if_sid>900<\/if_sid>[\s\S]*<\/rule>\n<\/group>/)
    session.change(own, OWN + text)
    await session.diagnosticsOf(own, (found) => found.every(({ severity }) => severity !== DiagnosticSeverity.Error))
    session.change(own, OWN)
  })

  it('runs the cases of a rule when their lens is seen', async () => {
    const [lens] = await session.request('textDocument/codeLens', { textDocument: { uri: own } })
    assert.equal(lens.command, undefined)
    const { command } = await session.request('codeLens/resolve', lens)
    assert.equal(command?.title, 'runs 1 case · 1 case passes · fires on Mar 10 08:15:30 hall door[7]: opened by ana from 192.0.2.1')
  })

  it('measures the cases of a rule when somebody asks, and adds those that are missing', async () => {
    const lensOf = async (): Promise<string | undefined> =>
      (await session.request('textDocument/codeLens', { textDocument: { uri: own } })).find(({ command }) => command?.command === 'detection-content.measureCases')?.command?.title
    assert.equal(await lensOf(), 'measure its cases')
    const inRule = { start: { line: 5, character: 10 }, end: { line: 5, character: 10 } }
    const actions = () => session.request('textDocument/codeAction', { textDocument: { uri: own }, range: inRule, context: { diagnostics: [] } })
    // An editor without lenses has an action.
    const command = (await actions()).find(({ title }) => title === 'Measure the cases of rule 100002')?.command
    assert.ok(command !== undefined)
    const measure = () => session.request('workspace/executeCommand', { command: command.command, arguments: command.arguments ?? [] })
    const measured = measure()
    // Nobody waits for it.
    const hover = () => session.request('textDocument/hover', { textDocument: { uri: own }, position: { line: 5, character: 13 } })
    const isFirst = await Promise.race([hover().then(() => true), measured.then(() => false)])
    assert.ok(isFirst)
    const first = await measured
    assert.ok(first !== null && first.survivors.length > 1 && first.score < 1)
    const title = new RegExp(`^case score \\d+% · no case notices ${first.survived + first.unknown} of \\d+ changes$`)
    assert.match((await lensOf()) ?? '', title)
    assert.match(((await hover())?.contents as { value: string }).value, /\*\*Its cases\*\*: case score [\s\S]*\*line \d+\*: `[^`]+` → [\s\S]*```text\n/)
    const added = (await actions()).filter(({ title: shown }) => shown.startsWith('Add the'))
    assert.match(added[0].title, /^Add the \d+ cases that notice what no case notices$/)
    assert.match(added[1].title, /^Add the case that notices .+ → /)
    // The only suite is one of Wazuh's, so there is a new file.
    const [created, { edits }] = added[0].edit?.documentChanges as [{ kind: string; uri: string }, { edits: { newText: string }[] }]
    assert.deepEqual([created.kind, created.uri], ['create', pathToFileURL(join(folder, 'tests/cases.json')).href])
    workplace.write('content/tests/cases.json', edits[0].newText)
    session.notify('workspace/didChangeWatchedFiles', { changes: [] })
    // It was measured with other cases.
    assert.equal(await lensOf(), 'measure its cases')
    const second = await measure()
    assert.ok(second !== null && second.score > first.score)
    assert.ok(second.survivors.length < first.survivors.length)
    // A case that fails says nothing about a change.
    workplace.write('content/tests/cases.json', JSON.stringify({ cases: [{ name: 'wrong', event_text: 'x', expected_rule: '100002' }] }))
    session.notify('workspace/didChangeWatchedFiles', { changes: [] })
    assert.equal(await measure(), null)
    assert.match(session.messages.at(-1) ?? '', /^rule 100002: a case fails, so nothing is measured: cases\.json:1 wrong$/)
    rmSync(join(folder, 'tests/cases.json'))
    session.notify('workspace/didChangeWatchedFiles', { changes: [] })
  })

  it('ends with exit code 0', async () => {
    assert.equal(await session.end(), 0)
  })

  it('is the same with the server of the extension of VS Code', async () => {
    const { bundleServer } = (await import(new URL('../../../../.build/vsix.mjs', import.meta.url).href)) as { bundleServer: (folder: string) => Promise<{ server: string }> }
    const { server } = await bundleServer(join(workplace.folder, 'extension'))
    const bundled = await EditorSession.start(folder, [], [server])
    bundled.open(own, OWN)
    // 901 is a rule of the tests' base, and not of the reference in the extension.
    await bundled.diagnosticsOf(own, (found) => found.some(({ code }) => code === 'rule_parent_missing'))
    assert.equal(await bundled.end(), 0)
  })
})
