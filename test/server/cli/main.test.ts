import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { COMMAND_NAMES, COMMANDS } from '../../../server/cli/commands.js'
import { call, leavingReader, OPENED, Workplace } from './call.js'

const PROGRAM = fileURLToPath(new URL('../../../server/cli/main.js', import.meta.url))
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

describe('the command line', () => {
  const workplace = new Workplace()
  const base = workplace.ruleset()
  after(() => workplace.remove())

  it('shows its help with all commands, and exits with 0', async () => {
    const { code, stdout } = await call(['--help'])
    assert.equal(code, 0)
    for (const name of COMMAND_NAMES) assert.match(stdout, new RegExp(`^ {2}${name} `, 'm'))
  })

  for (const name of COMMAND_NAMES) {
    it(`shows the help of ${name}, with every option and examples`, async () => {
      const { options } = await COMMANDS[name]()
      const { code, stdout } = await call([name, '--help'])
      assert.equal(code, 0)
      for (const option of Object.keys(options)) assert.ok(stdout.includes(`--${option}`), option)
      assert.match(stdout, /Examples\n {2}# /)
    })
  }

  it('prints its version', async () => {
    const { code, stdout } = await call(['--version'])
    assert.equal(code, 0)
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/)
  })

  it('answers an invalid call with one line and a hint, and exits with 2', async () => {
    for (const [argv, expected] of [
      [['validat'], /unknown command validat\. Did you mean validate\?/],
      [['logtest', '--rulset', 'x'], /logtest: unknown option --rulset\. Did you mean --ruleset\?/],
      [['logtest', '--ruleset'], /argument missing/],
      [['logtest', '--locale', 'xx'], /--locale can't be "xx"\. It must be one of: en-US, pt-BR\./],
      [['logtest', '--ruleset', '/nowhere'], /\/nowhere contains no ruleset\./],
      [['logtest', '--ruleset', base, '/nowhere.log'], /no such file: \/nowhere\.log/],
      [['logtest', '--explain', 'abc'], /It must be the id of a rule\./],
      [['--what'], /unknown option --what/],
      [['schema', 'rules'], /schema: unexpected argument "rules"\. See detection-content schema --help\./],
      [['serve', '9000'], /serve: unexpected argument "9000"\./],
    ] as const) {
      const { code, stdout, stderr } = await call(argv)
      assert.equal(code, 2, argv.join(' '))
      assert.equal(stdout, '')
      assert.match(stderr, expected)
      assert.equal(stderr.trimEnd().split('\n').length, 1)
    }
  })

  it('prints its help and exits with 2 without arguments', async () => {
    const { code, stdout, stderr } = await call([])
    assert.equal(code, 2)
    assert.equal(stdout, '')
    assert.match(stderr, /Commands/)
  })

  it('takes its language from the terminal unless an option sets it', async () => {
    const argv = ['logtest', '--ruleset', base]
    assert.match((await call(argv, { stdin: OPENED, env: { LANG: 'pt_BR.UTF-8' } })).stdout, /Regra/)
    assert.match((await call(argv, { stdin: OPENED, env: { LC_ALL: 'C', LANG: 'pt_BR.UTF-8' } })).stdout, /Rule/)
    assert.match((await call([...argv, '--locale', 'pt-BR'], { stdin: OPENED })).stdout, /Regra/)
  })

  it('uses colours only on a terminal or on request', async () => {
    const argv = ['logtest', '--ruleset', base]
    const colored = async (more: readonly string[], options: { isTTY?: boolean; env?: Record<string, string> }): Promise<boolean> =>
      (await call([...argv, ...more], { stdin: OPENED, ...options })).stdout.includes('\x1b[')
    assert.equal(await colored([], {}), false)
    assert.equal(await colored([], { isTTY: true }), true)
    assert.equal(await colored([], { isTTY: true, env: { NO_COLOR: '1' } }), false)
    assert.equal(await colored(['--no-color'], { isTTY: true }), false)
    assert.equal(await colored(['--color'], { env: { NO_COLOR: '1' } }), true)
  })

  it('ends without an error when its reader is closed', async () => {
    const { code, stderr } = await call(['logtest', '--fast', '--ruleset', base], { stdin: `${OPENED}\n`.repeat(5000), stdout: leavingReader(4096) })
    assert.equal(code, 0)
    assert.equal(stderr, '')
  })

  it('runs as a program', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, 'logtest', '--ruleset', base], { input: `${OPENED}\n`, encoding: 'utf8' })
    assert.equal(status, 0)
    assert.match(stdout, /901 · level 7 · Door opened by ana\./)
    assert.match(stderr, /1 event · 1 alert/)
  })

  const npm = spawnSync('npm', ['--version']).error === undefined
  it('resolves paths relative to the folder in which npm was called', { skip: !npm && 'no npm here' }, () => {
    workplace.write('suite/door.log', `${OPENED}\n`)
    const argv = ['--prefix', ROOT, 'run', '--silent', 'cli', '--', 'logtest', '--ruleset', 'base', 'suite/door.log']
    const { status, stdout, stderr } = spawnSync('npm', argv, { cwd: workplace.folder, encoding: 'utf8' })
    assert.equal(status, 0, stderr)
    assert.match(stdout, /901 · level 7 · Door opened by ana\./)
    const missing = spawnSync('npm', [...argv.slice(0, -1), 'suite/none.log'], { cwd: workplace.folder, encoding: 'utf8' })
    assert.deepEqual([missing.status, missing.stderr], [2, 'detection-content logtest: no such file: suite/none.log. See detection-content logtest --help.\n'])
  })

  it('ends as a program when the reader of its pipe is closed, although its input continues', async () => {
    const child = spawn(process.execPath, [PROGRAM, 'logtest', '--fast', '--ruleset', base], { stdio: ['pipe', 'pipe', 'pipe'] })
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString()
    })
    child.stdin.on('error', () => {})
    const feed = setInterval(() => child.stdin.write(`${OPENED}\n`.repeat(100)), 5)
    child.stdout.once('data', () => child.stdout.destroy())
    const code = await new Promise((resolve) => child.once('exit', resolve))
    clearInterval(feed)
    assert.equal(code, 0)
    assert.equal(stderr, '')
  })
})
