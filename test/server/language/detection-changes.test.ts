/** What the changes since the last commit do to detection: above the rules and in the hover of an editor, over the streams of one process. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { gitEnvironment, Workplace } from '../cli/call.js'
import { EditorSession } from './session.js'

/** 100001 alerts for one who leaves late; 100002 below it for ana. */
const own = (match = '^left late', more = ''): string => `<group name="own,">
  <rule id="100001" level="5">
    <if_sid>900</if_sid>
    <match>${match}</match>
    <description>Left late.</description>
  </rule>
  <rule id="100002" level="7">
    <if_sid>100001</if_sid>
    <match>ana</match>
    <description>Ana.</description>
  </rule>${more}
</group>
`

describe('changes since the last commit', { timeout: 120_000 }, () => {
  const workplace = new Workplace()
  const base = workplace.ruleset()
  const folder = join(workplace.folder, 'content')
  const path = workplace.write('content/rules/own_rules.xml', own())
  const uri = pathToFileURL(path).href
  const git = (...args: readonly string[]): string => execFileSync('git', args, { env: gitEnvironment(folder), cwd: folder, encoding: 'utf8' })
  let session: EditorSession

  before(async () => {
    git('init', '--quiet')
    git('add', '-A')
    git('commit', '--quiet', '-m', 'Begin')
    session = await EditorSession.start(folder, ['--ruleset', base])
    session.open(uri, own(), 'xml')
  })
  after(() => workplace.remove())

  const titles = async (of = session): Promise<readonly string[]> =>
    ((await of.request('textDocument/codeLens', { textDocument: { uri } })) ?? []).map(({ command, range }) => `${range.start.line}: ${command?.title}`)
  /** The lenses as soon as they are as expected; the time limit of the suite ends a wait in vain. */
  const until = async (isExpected: (found: readonly string[]) => boolean): Promise<readonly string[]> => {
    for (;;) {
      const found = await titles()
      if (isExpected(found)) return found
      await sleep(50)
    }
  }
  const hover = async (line: number, character: number): Promise<string> => {
    const found = await session.request('textDocument/hover', { textDocument: { uri }, position: { line, character } })
    return (found?.contents as { value: string } | undefined)?.value ?? ''
  }

  it('names what a changed rule loses, with what is below it, and the events in the hover', async () => {
    session.change(uri, own('^came early'))
    const [lens, ...others] = await until(({ length }) => length > 0)
    // The rule below it has not been changed, and has no lens.
    assert.deepEqual(others, [])
    assert.match(lens, /^1: changes detection: 2 lost/)
    const text = await hover(1, 15)
    assert.match(text, /\*\*rule 100001\*\*[\s\S]*\*\*Since the last commit\*\*: changes detection: 2 lost/)
    assert.match(text, /\*alert lost\*: rule 100001 \(level 5\) → [^\n]*\n\n```text\n[^\n]*left late/)
  })

  it('says that a change changes nothing', async () => {
    session.change(uri, own().replace('Left late.', 'Left too late.'))
    assert.deepEqual(await until((found) => found.some((title) => title.includes('does not'))), ['1: does not change detection (proven)'])
  })

  it('shows a rule that is new, and nothing when the text is that of the commit again', async () => {
    session.change(
      uri,
      own('^left late', '\n  <rule id="100003" level="9">\n    <if_sid>900</if_sid>\n    <match>^jumped</match>\n    <description>Jumped.</description>\n  </rule>'),
    )
    assert.deepEqual(await until((found) => found.some((title) => title.startsWith('11: '))), ['11: changes detection: 1 gained'])
    session.change(uri, own())
    await until(({ length }) => length === 0)
  })

  it('goes on with a new commit', async () => {
    workplace.write('content/rules/own_rules.xml', own('^came early'))
    git('commit', '--quiet', '-a', '-m', 'Come early')
    session.change(uri, own())
    assert.match((await until(({ length }) => length > 0))[0], /^1: changes detection: 2 lost/)
    assert.match(await hover(1, 15), /\*alert lost\*[^\n]*\n\n```text\n[^\n]*came early/)
    assert.equal(await session.end(), 0)
  })

  it('is silent for a folder without history, and for an editor that does not want it', async () => {
    const elsewhere = new Workplace()
    try {
      const other = pathToFileURL(elsewhere.write('content/rules/own_rules.xml', own())).href
      const plain = await EditorSession.start(join(elsewhere.folder, 'content'), ['--ruleset', base])
      const off = await EditorSession.start(folder, ['--ruleset', base], undefined, { compareWithHead: false })
      const on = await EditorSession.start(folder, ['--ruleset', base])
      plain.open(other, own(), 'xml')
      plain.change(other, own('^came soon'))
      for (const one of [off, on]) one.open(uri, own('^came soon'), 'xml')
      // The one that compares tells when the others would have done so.
      while ((await titles(on)).length === 0) await sleep(50)
      assert.deepEqual(await titles(off), [])
      assert.deepEqual(await plain.request('textDocument/codeLens', { textDocument: { uri: other } }), [])
      for (const one of [plain, off, on]) assert.equal(await one.end(), 0)
    } finally {
      elsewhere.remove()
    }
  })
})
