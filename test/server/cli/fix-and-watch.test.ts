/** `validate --fix`, and the two commands that run again when a file changes. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { after, describe, it } from 'node:test'
import { compileRuleset } from '#engine'
import { LayeredContent } from '#in-thread'
import { readRulesetFolder } from '#workers'
import { CaseRunner, KnownResults } from '../../../server/cli/case-run.js'
import { readCaseText } from '../../../server/cli/input/case-files.js'
import { main } from '../../../server/cli/main.js'
import { call, OPENED, Workplace } from './call.js'

const WRONG =
  '<?xml version="1.0"?>\n<group name="mine">\n  <rule id="100001" level=5>\n    <if_sid>901, </if_sid>\n    <descripton>É 🚪</descripton>\n    <category>syslog</category>\n    <group>a,</group>\n  </rule>\n</group>\n'
const SURE = '<group name="mine,">\n  <rule id="100001" level="5">\n    <if_sid>901</if_sid>\n    <descripton>É 🚪</descripton>\n    <group>a,</group>\n  </rule>\n</group>\n'
const RIGHT = SURE.replaceAll('descripton', 'description')

describe('validate --fix', () => {
  const workplace = new Workplace()
  const base = workplace.ruleset()
  const path = workplace.write('content/rules/own_rules.xml', WRONG)
  const untouched = workplace.write('content/rules/zz_rules.xml', WRONG.replace('100001', '100002'))
  after(() => workplace.remove())
  const run = (...argv: string[]) => call(['validate', '--ruleset', base, '--custom', join(workplace.folder, 'content'), '--fix', ...argv])

  it('prints a diff, and writes nothing', async () => {
    const { code, stdout, stderr } = await run(path)
    assert.equal(code, 1)
    assert.ok(stdout.startsWith(`--- ${path}\n+++ ${path}\n@@ `))
    assert.deepEqual(
      stdout.split('\n').filter((line) => /^\+[^+]/.test(line)),
      ['+<group name="mine,">', '+  <rule id="100001" level="5">', '+    <if_sid>901</if_sid>'],
    )
    assert.equal(stderr, '5 corrections in 1 file; --write applies them\n')
    assert.equal(readFileSync(path, 'utf8'), WRONG)
  })

  it('writes the named files, and proposals when they are asked for', async () => {
    assert.deepEqual(await run('--write', path), { code: 0, stdout: '', stderr: '5 corrections written to 1 file\n' })
    assert.equal(readFileSync(path, 'utf8'), SURE)
    assert.equal((await run(path)).stderr, 'nothing to correct\n')
    assert.equal((await run('--suggested', '--write', path, '--locale', 'pt-BR')).stderr, '1 correção gravada em 1 arquivo\n')
    assert.equal(readFileSync(path, 'utf8'), RIGHT)
    assert.equal(readFileSync(untouched, 'utf8'), WRONG.replace('100001', '100002'))
  })
})

/** Collects output, and waits for a part of it. */
class Screen extends Writable {
  #text = ''
  #waiting: (() => void)[] = []

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#text += chunk.toString()
    for (const go of this.#waiting.splice(0)) go()
    done()
  }

  /** Waits for the pattern in what was written since the last wait; the test's time limit ends a wait in vain. */
  async next(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.#text)) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#text = ''
  }
}

describe('with --watch', { timeout: 60_000 }, () => {
  const workplace = new Workplace()
  const base = workplace.ruleset()
  const rules = (id: string): string =>
    `<group name="mine,">\n<rule id="100001" level="5"><if_sid>${id}</if_sid><match>by ana</match><description>Opened.</description></rule>\n</group>\n`
  const suite = (rule: string): string => `[Doors]\nlog 1 pass = ${OPENED}\nrule = ${rule}\nalert = 5\ndecoder = door\n`
  workplace.write('content/rules/own_rules.xml', rules('901'))
  workplace.write('tests/doors.ini', suite('100001'))
  const content = join(workplace.folder, 'content')
  const tests = join(workplace.folder, 'tests')
  after(() => workplace.remove())

  function start(argv: readonly string[]): { screen: Screen; stdin: PassThrough; ended: Promise<number> } {
    const screen = new Screen()
    const stdin = new PassThrough()
    const ended = main([...argv, '--locale', 'en-US'], {
      stdin,
      stdout: screen,
      stderr: screen,
      env: {},
      home: process.cwd(),
      isTTY: { stdin: false, stdout: false, stderr: false },
    })
    return { screen, stdin, ended }
  }

  it('validate runs again after each change, and ends with standard input', async () => {
    const { screen, stdin, ended } = start(['validate', '--ruleset', base, '--custom', content, '--watch'])
    await screen.next(/no diagnostics/)
    workplace.write('content/rules/own_rules.xml', rules('4711'))
    await screen.next(/error\[rule_parent_missing\]/)
    workplace.write('content/rules/own_rules.xml', rules('901'))
    await screen.next(/no diagnostics/)
    stdin.end()
    assert.equal(await ended, 0)
  })

  it('test runs again after a change of the content or of a suite', async () => {
    const { screen, stdin, ended } = start(['test', '--ruleset', base, '--custom', content, tests, '--watch'])
    await screen.next(/1 case, 1 passed/)
    workplace.write('tests/doors.ini', suite('901'))
    await screen.next(/expected 901 {2}got 100001/)
    workplace.write('content/rules/own_rules.xml', rules('903'))
    await screen.next(/expected 5 {2}got 7/)
    stdin.end()
    assert.equal(await ended, 1)
  })

  it('test runs only the cases of files that have changed, as long as the content is the same', () => {
    const read = (text: string) => readCaseText('doors.ini', text, 'en-US')
    const [first, second] = [readRulesetFolder(base, 'default'), readRulesetFolder(base, 'default')]
    const [ruleset, other] = [compileRuleset(first), compileRuleset(second)]
    const known = new KnownResults()
    const results = [...new CaseRunner(ruleset, 'en-US', false).run(read(suite('901')))]
    known.keep(read(suite('901')), ruleset, results)
    assert.equal(known.of(read(suite('901')), ruleset), results)
    assert.equal(known.of(read(suite('902')), ruleset), null)
    assert.equal(known.of(read(suite('901')), other), null)
    known.keep(
      read(suite('901')),
      ruleset,
      results.map((result) => ({ ...result, report: result.report === null ? null : { ...result.report, depends_on_clock: true } })),
    )
    assert.equal(known.of(read(suite('901')), ruleset), null)
    // What did not change is the same object, also after everything was read again.
    const content = new LayeredContent(first, [])
    assert.equal(new LayeredContent(first, [], content).compile(), content.compile())
  })

  it('survives what an interrupted save leaves: half of a file, none, a folder in its place, half of the cases', async () => {
    workplace.write('content/rules/own_rules.xml', rules('901'))
    const json = JSON.stringify({ cases: [{ name: 'opened', event_text: OPENED, expected_rule: '100001' }] })
    const cases = workplace.write('half/cases.json', json)
    const path = workplace.write('content/rules/zz_half_rules.xml', rules('901').replaceAll('100001', '100002'))
    const { screen, stdin, ended } = start(['test', '--ruleset', base, '--custom', content, cases, '--watch'])
    await screen.next(/1 case, 1 passed/)
    workplace.write('content/rules/zz_half_rules.xml', '<group name="mine,">\n<rule id="100002" level="5"><if_sid>90')
    await screen.next(/xml_unclosed_element/)
    rmSync(path)
    await screen.next(/1 case, 1 passed/)
    mkdirSync(path)
    workplace.write('half/cases.json', json.slice(0, json.length / 2))
    await screen.next(/0 passed, 1 failed/)
    rmSync(cases)
    await screen.next(/cases\.json: no such file|no such file[^\n]*cases\.json/)
    rmSync(path, { recursive: true })
    workplace.write('half/cases.json', json)
    await screen.next(/1 case, 1 passed/)
    stdin.end()
    assert.equal(await ended, 0)
  })

  it('ends quietly when nobody reads it any more', async () => {
    workplace.write('content/rules/own_rules.xml', rules('901'))
    const { screen, ended } = start(['validate', '--ruleset', base, '--custom', content, '--watch'])
    await screen.next(/no diagnostics/)
    screen.destroy()
    workplace.write('content/rules/own_rules.xml', rules('903'))
    assert.equal(await ended, 0)
  })
})
