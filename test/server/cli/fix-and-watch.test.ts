/** `validate --fix`, and the two commands that run again when a file changes. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { after, describe, it } from 'node:test'
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
})
