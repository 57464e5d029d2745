/** `guard`: rulesets in folders and revisions, cases and events of the caller, reports, exit codes, and what `--write` changes. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { call, CLOSED, gitEnvironment, OPENED, Workplace } from './call.js'

const workplace = new Workplace()
after(() => workplace.remove())
const from = workplace.ruleset()
const RULES = readFileSync(join(from, 'rules/0010-base.xml'), 'utf8')
const DECODERS = readFileSync(join(from, 'decoders/0010-base.xml'), 'utf8')

/** @returns the folder of a ruleset, changed from the first one */
function ruleset(name: string, rules: (text: string) => string, decoders: (text: string) => string = (text) => text): string {
  workplace.write(`${name}/rules/0010-base.xml`, rules(RULES))
  workplace.write(`${name}/decoders/0010-base.xml`, decoders(DECODERS))
  return join(workplace.folder, name)
}

const OWN = `<!-- mine -->
<group name="own,">
  <rule id="100100" level="8">
    <if_sid>903</if_sid>
    <match>late</match>
    <description>Closed late.</description>
  </rule>
  <rule id="901" level="9" overwrite="yes">
    <if_sid>900</if_sid>
    <match>^opened </match>
    <description>Door opened by $(srcuser).</description>
  </rule>
</group>
`

let count = 0
/** @returns the folder of own content, and the path of its rules */
function custom(): { readonly folder: string; readonly file: string } {
  const file = workplace.write(`custom${count++}/rules/own.xml`, OWN)
  return { folder: dirname(dirname(file)), file }
}

const renumbered = ruleset('renumbered', (text) => text.replace('id="903"', 'id="904"').replace('<match>^opened </match>', '<match>^opened </match>\n    <user>ana</user>'))
const gone = ruleset('gone', (text) => text.replace(/ {2}<rule id="903"[\s\S]*?<\/rule>\n/, ''))
const louder = ruleset('louder', (text) =>
  text
    .replace('</group>\n', '</group>\n')
    .replace(/<\/group>\s*$/, '<rule id="910" level="13"><if_sid>903</if_sid><match>late</match><description>late</description></rule>\n</group>\n'),
)

interface Line {
  readonly code: string
  readonly severity: string
  readonly file: string
  readonly line: number
  readonly mergeable: boolean
  readonly proposal: string | null
  readonly witness: { readonly events: readonly { readonly event: string }[] } | null
  readonly old: { readonly rule_id: string } | null
  readonly new: { readonly rule_id: string } | null
}

async function lines(...argv: readonly string[]): Promise<{ code: number; found: Line[] }> {
  const { code, stdout } = await call(['guard', '--jsonl', ...argv], { env })
  return { code, found: stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line])) }
}

const repository = join(workplace.folder, 'repository')
const env = gitEnvironment(repository)

describe('guard', () => {
  test('finds nothing where the ruleset stays', async () => {
    const { folder } = custom()
    assert.deepEqual(await lines('--from', from, '--to', from, '--custom', folder), { code: 0, found: [] })
    const { code, stdout } = await call(['guard', '--from', from, '--to', from, '--custom', folder, '--locale', 'en-US'])
    assert.deepEqual([code, stdout.split('\n')[0]], [0, 'Nothing breaks.'])
  })

  test('shows what can be merged as a diff, and writes it only when it is asked to', async () => {
    const { folder, file } = custom()
    chmodSync(file, 0o640)
    const argv = ['guard', '--from', from, '--to', renumbered, '--custom', folder, '--locale', 'en-US']
    const dry = await call(argv)
    assert.equal(dry.code, 1)
    assert.match(dry.stdout, /own\.xml:4 error Rule 100100\. parent_renumbered\n {2}Rule 903 of <if_sid> no longer exists; rule 904 has the same conditions/)
    assert.match(dry.stdout, /user \(taken over\): absent → <user>ana<\/user>; yours: absent/)
    assert.match(dry.stdout, /\n-.*<if_sid>903<\/if_sid>\n\+.*<if_sid>904<\/if_sid>/)
    assert.match(dry.stderr, /2 corrections in 1 file; --write applies them/)
    assert.equal(readFileSync(file, 'utf8'), OWN)
    const written = await call([...argv, '--write'])
    assert.deepEqual([written.code, /merged: .*own\.xml/.test(written.stderr)], [0, true])
    const merged = readFileSync(file, 'utf8')
    assert.equal(merged, OWN.replace('903', '904').replace('$(srcuser).</description>', '$(srcuser).</description>\n    <user>ana</user>'))
    assert.equal(statSync(file).mode & 0o777, 0o640)
    assert.deepEqual(readdirSync(dirname(file)), ['own.xml'])
    assert.deepEqual(await lines('--from', renumbered, '--to', renumbered, '--custom', folder), { code: 0, found: [] })
  })

  test('writes nothing outside of the content', async () => {
    const { folder } = custom()
    const outside = workplace.write('elsewhere/linked.xml', OWN.replaceAll('100100', '100200').replace(/ {2}<rule id="901"[\s\S]*<\/rule>\n/, ''))
    symlinkSync(outside, join(folder, 'rules/linked.xml'))
    const before = readFileSync(outside, 'utf8')
    const { code, stderr } = await call(['guard', '--from', from, '--to', renumbered, '--custom', folder, '--write', '--locale', 'en-US'])
    assert.equal(code, 1)
    assert.match(stderr, /linked\.xml has changed meanwhile and was left alone/)
    assert.equal(readFileSync(outside, 'utf8'), before)
  })

  test('names own rules that behave differently with an event, and given events by their lines', async () => {
    const { folder } = custom()
    const log = workplace.write('events.log', `${OPENED}\n\n${CLOSED} late\n`)
    const { code, found } = await lines('--from', from, '--to', louder, '--custom', folder, '--events', log)
    assert.equal(code, 1)
    const [behaviour, event] = found
    assert.deepEqual([behaviour.code, behaviour.line, behaviour.old?.rule_id, behaviour.new?.rule_id], ['behaviour', 3, '100100', '910'])
    assert.match(behaviour.witness?.events[0].event ?? '', /late/)
    assert.deepEqual([event.code, event.file, event.line, event.new?.rule_id], ['event_changed', log, 3, '910'])
    assert.equal(found.length, 2)
  })

  test('runs the cases of the content, JSON and .ini', async () => {
    const { folder } = custom()
    const text = `${CLOSED} late`
    writeFileSync(join(folder, 'late.ini'), `[late]\nlog 1 pass = ${text}\nrule = 100100\nalert = 8\ndecoder = door\n`)
    const cases = [
      { name: 'opened', event_text: OPENED, expected_rule: '901' },
      { name: 'late', event_text: text, expected_rule: '100100' },
      { name: 'never right', event_text: text, expected_rule: '4711' },
    ]
    writeFileSync(join(folder, 'own.json'), JSON.stringify({ cases }, null, 2))
    const { found } = await lines('--from', from, '--to', gone, '--custom', folder)
    assert.deepEqual(
      found.map(({ code, severity, file, line }) => [code, severity, file.slice(folder.length + 1), line]),
      [
        ['parent_gone', 'error', 'rules/own.xml', 4],
        ['case_red', 'error', 'late.ini', 2],
        ['case_red', 'error', 'own.json', 8],
      ],
    )
  })

  test('reads revisions of a repository', async () => {
    execFileSync('git', ['init', '--quiet', repository], { env })
    for (const folder of [from, renumbered]) {
      for (const kind of ['rules', 'decoders']) workplace.write(`repository/base/${kind}/0010-base.xml`, readFileSync(join(folder, kind, '0010-base.xml')))
      execFileSync('git', ['add', '-A'], { env, cwd: repository })
      execFileSync('git', ['commit', '--quiet', '-m', folder], { env, cwd: repository })
    }
    const { folder } = custom()
    const revisions = await lines('--from', 'HEAD~1:base', '--to', 'HEAD:base', '--custom', folder)
    assert.deepEqual(revisions, await lines('--from', from, '--to', renumbered, '--custom', folder))
    assert.deepEqual(
      revisions.found.map(({ code, mergeable }) => [code, mergeable]),
      [
        ['parent_renumbered', true],
        ['overwrite_behind', true],
      ],
    )
  })

  test('writes reports in both languages', async () => {
    const { folder } = custom()
    const [page, records] = [join(workplace.folder, 'out/upgrade.html'), join(workplace.folder, 'out/upgrade.jsonl')]
    const argv = ['guard', '--from', from, '--to', renumbered, '--custom', folder, '--output', `html=${page}`, '--output', `jsonl=${records}`]
    const { stdout } = await call([...argv, '--locale', 'pt-BR'])
    assert.match(stdout, /erro Regra 100100\. parent_renumbered\n.*não existe mais[\s\S]*A fazer: Escreva 904 em <if_sid>\.[\s\S]*Regra mesclada, que --write grava:/)
    assert.match(readFileSync(page, 'utf8'), /<html lang="pt-BR">[\s\S]*own\.xml<\/h2>[\s\S]*A sua sobrescrita da regra 901[\s\S]*&lt;user>ana|&lt;user&gt;ana/)
    assert.equal(readFileSync(records, 'utf8').trimEnd().split('\n').length, 2)
  })

  test('refuses content that does not load on the old ruleset, and rulesets that do not load', async () => {
    const wrong = workplace.write('wrong/rules/own.xml', '<group name="own,"><rule id="x" level="3"><description>a</description></rule></group>')
    const broken = ruleset('broken', (text) => text.replace('id="900"', 'id="x"'))
    const { folder } = custom()
    for (const argv of [
      ['--from', from, '--to', from, '--custom', dirname(dirname(wrong))],
      ['--from', broken, '--to', from, '--custom', folder],
      ['--from', from, '--to', broken, '--custom', folder],
      ['--from', join(workplace.folder, 'nowhere'), '--to', from, '--custom', folder],
      ['--from', from, '--to', from, '--custom', folder, '--events', workplace.write('empty.log', '\n')],
    ]) {
      const { code, stdout } = await call(['guard', ...argv])
      assert.deepEqual([code, stdout], [2, ''], argv.join(' '))
    }
  })
})
