/** The composite action for GitHub: its metadata, and its steps as the runner runs them. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { parse } from 'yaml'
import { readLog, resultsOf } from '../../server/cli/sarif/read-log.js'
import { ACTION_FILE, type ActionRun, readAction, runAction } from './composite-action.js'
import { casesFor, GOOD, LINE, LOST, missingOf, readFileOf, Repository, VERSION } from './repository.js'

/** Keys of docs.github.com, "Metadata syntax reference", for composite actions. */
const KEYS = {
  action: ['name', 'author', 'description', 'inputs', 'outputs', 'runs', 'branding'],
  input: ['description', 'required', 'default', 'deprecationMessage'],
  output: ['description', 'value'],
  runs: ['using', 'steps'],
  step: ['id', 'name', 'if', 'run', 'shell', 'uses', 'with', 'env', 'working-directory', 'continue-on-error'],
  branding: ['icon', 'color'],
}
const action = readAction()
const { inputs, outputs, runs } = action

function assertKeys(value: object, allowed: readonly string[]): void {
  assert.deepEqual(
    Object.keys(value).filter((key) => !allowed.includes(key)),
    [],
  )
}

describe('the metadata of the action', () => {
  it('has only keys that GitHub knows', () => {
    assertKeys(action, KEYS.action)
    assertKeys((action as unknown as { branding: object }).branding, KEYS.branding)
    assertKeys(runs, KEYS.runs)
    assert.equal(runs.using, 'composite')
    for (const input of Object.values(inputs)) {
      assertKeys(input, KEYS.input)
      // A boolean or a number is a text for the runner, and not for a reader of YAML.
      assert.ok(input.default === undefined || typeof input.default === 'string')
    }
    for (const output of Object.values(outputs)) assertKeys(output, KEYS.output)
    for (const step of runs.steps) {
      assertKeys(step, KEYS.step)
      assert.deepEqual([step.run === undefined, step.shell === undefined], [step.uses !== undefined, step.uses !== undefined], step.name)
    }
    const ids = runs.steps.flatMap(({ id }) => (id === undefined ? [] : [id]))
    assert.equal(new Set(ids).size, ids.length)
  })

  it('uses every input and existing outputs of steps, and no expression in a script', () => {
    const text = readFileOf(ACTION_FILE)
    const named = new Set([...text.matchAll(/\binputs\.([\w-]+)/g)].map(([, name]) => name))
    assert.deepEqual([...named].sort(), Object.keys(inputs).sort())
    for (const { run = '', name } of runs.steps) assert.ok(!run.includes('${{'), name)
    const scriptOf = (wanted: string): string => runs.steps.find(({ id }) => id === wanted)?.run ?? ''
    for (const [, step, output] of text.matchAll(/steps\.(\w+)\.outputs\.([\w-]+)/g)) {
      assert.ok(step === 'cache' ? output === 'cache-hit' : scriptOf(step).includes(`echo "${output}=`), `${step}.${output}`)
    }
  })

  it('uses only actions of GitHub itself', () => {
    for (const { uses } of runs.steps) if (uses !== undefined) assert.match(uses, /^(actions\/(setup-node|cache|upload-artifact)|github\/codeql-action\/upload-sarif)@v\d+$/)
  })

  it('is called by an example of ten lines with inputs that it has', () => {
    const text = readFileOf('docker/ci/github/example.yml')
    assert.ok(text.trimEnd().split('\n').length <= 10)
    const { on, permissions, jobs } = parse(text) as {
      on: string[]
      permissions: Record<string, string>
      jobs: { check: { steps: { uses: string; with?: Record<string, string> }[] } }
    }
    // pull_request_target would run the content of a fork with the rights of the repository.
    assert.deepEqual(on, ['push', 'pull_request'])
    assert.deepEqual(permissions, { contents: 'read', 'security-events': 'write' })
    const [, { uses, with: given = {} }] = jobs.check.steps
    assert.ok(uses.endsWith(`/${ACTION_FILE.replace('/action.yml', '')}@v${VERSION}`), uses)
    assertKeys(given, Object.keys(inputs))
  })

  it('has scripts without faults that shellcheck finds', { skip: missingOf(['shellcheck']) }, () => {
    for (const { run = '', name } of runs.steps) {
      const { status, stdout } = spawnSync('shellcheck', ['--shell=bash', '--severity=warning', '-'], { input: run, encoding: 'utf8' })
      assert.equal(status, 0, `${name}: ${stdout}`)
    }
  })
})

describe('the action', { skip: missingOf(['bash', 'npm', 'tar']) }, () => {
  const repository = new Repository()
  let tarball = ''
  before(() => {
    tarball = repository.pack()
  })
  after(() => repository.remove())
  /** Runs the action on a small base, with the package that the first test installed. */
  const run = (given: Readonly<Record<string, string>>, cacheHit = true, outside?: Parameters<typeof runAction>[3]): ActionRun =>
    runAction(repository, { content: 'content', ruleset: 'base', version: VERSION, ...given }, cacheHit, outside)
  const sarifOf = (run: ActionRun, name: string) => readLog(readFileSync(join(run.outputs.reports, name), 'utf8'))

  it('installs the package, and passes good content and its cases', () => {
    const done = run({ package: tarball, cases: 'tests' }, false)
    assert.equal(done.code, 0, done.stdout + done.stderr)
    const { reports, sarif, ...codes } = done.outputs
    assert.deepEqual(codes, { 'exit-code': '0', 'validate-exit-code': '0', 'test-exit-code': '0', 'mutation-score': '' })
    assert.equal(sarif, reports)
    assert.deepEqual([resultsOf(sarifOf(done, 'validate.sarif')), resultsOf(sarifOf(done, 'test.sarif'))], [[], []])
    assert.match(readFileSync(join(reports, 'test.xml'), 'utf8'), /<testcase [^>]*name="opened"/)
    assert.match(done.summary, /^\| validate \| 1 \| 0 \| 0 \|\n\| test \| 1 \| 0 \| 0 \|\nRules with a case: 1 of 1$/m)
    assert.deepEqual(done.used['Upload to code scanning'], { sarif_file: reports })
    assert.deepEqual([done.used['Upload the reports'].path, done.used['Upload the reports'].name], [reports, 'detection-content-reports'])
    // A tarball can change under its name.
    assert.equal(done.used['Restore the package'], undefined)
  })

  it('compiles on the shipped reference if no ruleset is named', () => {
    repository.write('on-reference/rules/mine.xml', GOOD.replace('900', '5710'))
    const done = run({ content: 'on-reference', ruleset: '' })
    assert.deepEqual([done.code, done.outputs['test-exit-code']], [0, ''], done.stdout + done.stderr)
    assert.equal(run({ content: 'on-reference', ruleset: 'none' }).code, 1)
  })

  it('reports a broken rule at its line: annotation, SARIF, JUnit and exit code 1, after the uploads', () => {
    repository.write('broken/rules/lost.xml', LOST)
    const done = run({ content: 'content\nbroken\n', cases: 'tests\n' })
    assert.equal(done.code, 1)
    assert.deepEqual([done.outputs['validate-exit-code'], done.outputs['test-exit-code']], ['1', '1'])
    assert.match(done.stdout, new RegExp(`^::error file=broken/rules/lost\\.xml,line=${LINE},[^:]*title=rule_parent_missing::`, 'm'))
    // Validate reports diagnostics, and test only cases.
    assert.equal(done.stdout.match(/title=rule_parent_missing/g)?.length, 1)
    const [{ ruleId, locations }] = resultsOf(sarifOf(done, 'validate.sarif'))
    const { artifactLocation, region } = locations[0].physicalLocation
    assert.deepEqual([ruleId, artifactLocation.uri, region.startLine], ['rule_parent_missing', 'broken/rules/lost.xml', LINE])
    assert.deepEqual(resultsOf(sarifOf(done, 'test.sarif')), [])
    assert.match(readFileSync(join(done.outputs.reports, 'validate.xml'), 'utf8'), /<failure type="rule_parent_missing"/)
    assert.ok(done.used['Upload to code scanning'] !== undefined && done.used['Upload the reports'] !== undefined)
    assert.match(done.summary, /\| validate \| 2 \| 1 \| 1 \|/)
    const ignored = run({ content: 'broken', 'fail-on': 'never' })
    assert.deepEqual([ignored.code, ignored.outputs['exit-code']], [0, '1'])
  })

  it('reports a failed case, and with fail-on a warning', () => {
    repository.write('failing/doors.json', casesFor('900'))
    const failed = run({ cases: 'failing' })
    assert.deepEqual([failed.code, failed.outputs['validate-exit-code'], failed.outputs['test-exit-code']], [1, '0', '1'])
    assert.match(failed.stdout, /^::error file=failing\/doors\.json,line=1,title=opened::Rule: expected 900, got 100001/m)
    assert.deepEqual(
      resultsOf(sarifOf(failed, 'test.sarif')).map(({ ruleId }) => ruleId),
      ['case_failed'],
    )
    repository.write('warned/rules/warned.xml', Buffer.from(GOOD.replace('Rule 100001', 'João'), 'latin1'))
    const codes = ['error', 'warning'].map((level) => run({ content: 'warned', 'fail-on': level }))
    assert.match(codes[0].stdout, /^::warning file=warned/m)
    assert.deepEqual(
      codes.map(({ code }) => code),
      [0, 1],
    )
  })

  it('measures what the cases are worth on request, and fails below a score or without negative cases', () => {
    const weak = run({ cases: 'tests', 'min-mutation-score': '0.9', 'require-negative-cases': 'true' })
    assert.deepEqual([weak.code, weak.outputs['validate-exit-code'], weak.outputs['test-exit-code']], [1, '0', '1'], weak.stdout + weak.stderr)
    assert.match(weak.stderr, /^test: 1 tested rule has no negative case: 100001$/m)
    const score = Number(weak.outputs['mutation-score'])
    assert.ok(score > 0 && score < 0.9, weak.outputs['mutation-score'])
    assert.match(weak.summary, /^\| mutate \| - \| - \| 1 \|\nRules with a case: 1 of 1\nThose with a negative case: 0 of 1\nMutation score: 0\.\d\d?$/m)
    assert.match(readFileSync(join(weak.outputs.reports, 'mutate.html'), 'utf8'), /<h1/)
    assert.match(readFileSync(join(weak.outputs.reports, 'mutate.jsonl'), 'utf8'), /^\{"rule_id":"100001",/)
    const shown = run({ cases: 'tests', mutation: 'true' })
    assert.deepEqual([shown.code, shown.outputs['mutation-score']], [0, String(score)])
    assert.equal(run({ cases: 'tests', mutation: 'true', 'mutation-seconds': 'x', 'fail-on': 'never' }).code, 2)
  })

  it('fails for wrong usage, whatever fail-on says, without a SARIF that does not exist', () => {
    for (const wrong of [{ content: 'nowhere' }, { cases: 'nowhere' }, { content: '', ruleset: '' }, { locale: 'xx' }, { ruleset: 'nowhere' }]) {
      const done = run({ 'fail-on': 'never', ...wrong })
      assert.equal(done.code, 2, JSON.stringify(wrong))
      assert.equal(done.used['Upload to code scanning'] === undefined, done.outputs.sarif === '')
    }
    assert.equal(run({ 'fail-on': 'sometimes' }).code, 2)
  })

  it('writes only its own workflow commands, whatever the content says', () => {
    const said = '::stop-commands::x ##[set-output name=exit-code;]0'
    repository.write('hostile/rules/a\n::add-mask::x.xml', LOST.replace('99999', said))
    repository.write('hostile/rules/b.xml', LOST.replace('<if_sid>99999', `<if_sid>\n${said}\n</if_sid>\n<${said.slice(2, 6)}>`))
    repository.write('hostile-tests/a.json', JSON.stringify({ cases: [{ name: `x\n${said}`, event_text: `\n${said}\n`, expected_rule: '1' }, 5] }))
    const done = run({ content: 'hostile', cases: 'hostile-tests' })
    assert.equal(done.code, 1)
    const written = done.stdout.trimEnd().split('\n')
    assert.ok(written.length > 3)
    for (const line of written) assert.match(line, /^::(error|warning|notice) file=/)
    assert.deepEqual(done.outputs['exit-code'], '1')
  })

  it('installs a commit of a Git repository, a name on npm, and by default its own checkout', async () => {
    const { checkout, bare, commit } = repository.repositoryOfPackage()
    const npm = await repository.publish()
    const own = { path: join(checkout, 'docker/ci/github'), ref: 'main' }
    for (const given of [{ package: `git+file://${bare}#${commit}` }, { package: `detection-content@${VERSION}` }, { version: '' }]) {
      const done = run(given, false, { npm, origin: own })
      assert.equal(done.code, 0, JSON.stringify(given) + done.stdout + done.stderr)
    }
  })
})

describe('the package of the action', { skip: missingOf(['bash']) }, () => {
  const repository = new Repository()
  after(() => repository.remove())
  const COMMIT = 'a'.repeat(40)
  /** The action in a checkout, with programs that do nothing. */
  const cacheOf = (given: Readonly<Record<string, string>>, ref = 'main'): Readonly<Record<string, string>> | undefined => {
    const { code, stdout, stderr, used } = runAction(repository, { content: 'content', ...given }, false, {
      origin: { path: join(repository.workspace, 'action/docker/ci/github'), ref },
    })
    assert.equal(code, 0, stdout + stderr)
    return used['Restore the package']
  }

  it('is cached if it cannot change under its name', () => {
    for (const name of ['npm', 'detection-content']) repository.tool(name, 'exit 0')
    repository.write('action/.build/compile.mjs', '')
    repository.write('action/docker/ci/github/action.yml', '')
    const address = 'git+https://git.example.com/acme/content.git'
    const fixed = [
      cacheOf({ package: `${address}#${COMMIT}` }),
      cacheOf({ package: `@acme/detection-content@${VERSION}` }),
      cacheOf({ version: VERSION }),
      cacheOf({}, `v${VERSION}`),
      cacheOf({}, COMMIT),
    ]
    for (const found of fixed) {
      assert.equal(found?.path, join(repository.folder, 'runner-temp/detection-content/tool'))
      assert.match(found?.key ?? '', /^detection-content-[0-9a-f]{64}-Linux-X64-node24$/)
    }
    assert.equal(new Set(fixed.map((found) => found?.key)).size, fixed.length)
    assert.equal(cacheOf({ package: `detection-content@${VERSION}` })?.key, fixed[2]?.key)
    repository.write('package.tgz', '')
    for (const changing of ['package.tgz', address, `${address}#v${VERSION}`, 'detection-content', 'detection-content@latest', 'action']) {
      assert.equal(cacheOf({ package: changing }), undefined, changing)
    }
    assert.equal(cacheOf({}), undefined, 'the ref of a branch')
  })

  it('has to be named for a copy of the action', () => {
    const { code, stdout } = runAction(repository, { content: 'content' })
    assert.equal(code, 2)
    assert.match(stdout, /^::error title=detection-content::A copy of the action needs the input package/)
  })
})

describe('hostile inputs of the action', { skip: missingOf(['bash']) }, () => {
  const repository = new Repository()
  after(() => repository.remove())
  const HOSTILE = [
    '$(touch pwned)',
    '`touch pwned`',
    '"; touch pwned; "',
    "'; touch pwned; '",
    '; touch pwned',
    '& touch pwned &',
    '| touch pwned',
    '--help',
    '*',
    '::set-output name=exit-code::0',
    '\\',
    '%s %n',
    'exit-code=0',
  ]
  // Each program prints its arguments, one in a line.
  const RECORD = 'printf "%s\\n" "$@" >> arguments'
  const argumentsOf = (given: Readonly<Record<string, string>>, cacheHit: boolean): { readonly code: number; readonly outputs: ActionRun['outputs']; readonly seen: string[] } => {
    repository.write('arguments', '')
    const { code, outputs } = runAction(repository, { version: VERSION, ...given }, cacheHit)
    assert.ok(!repository.has('pwned'), JSON.stringify(given))
    return { code, outputs, seen: repository.read('arguments').split('\n') }
  }

  it('are arguments of the command as they are', () => {
    repository.tool('detection-content', RECORD)
    for (const value of HOSTILE) {
      for (const [name, wanted] of [
        ['content', `--custom=${value}`],
        ['cases', value],
        ['ruleset', `--ruleset=${value}`],
        ['locale', `--locale=${value}`],
      ]) {
        const { code, outputs, seen } = argumentsOf({ content: 'content', cases: 'tests', [name]: value }, true)
        assert.deepEqual([code, outputs['exit-code']], [0, '0'], `${name}: ${value}`)
        assert.ok(seen.includes(wanted), `${name}: ${value}: ${seen.join(' ')}`)
        // A value never becomes an option: cases follow "--".
        if (name === 'cases') assert.equal(seen.at(-3), '--')
      }
      assert.equal(argumentsOf({ content: 'content', 'fail-on': value }, true).code, 2)
    }
    // Lines are paths; a value cannot write an output of the step.
    const { outputs } = argumentsOf({ content: 'a\nexit-code=9', cases: 'x\nexit-code=9', locale: 'en-US\nexit-code=9' }, true)
    assert.equal(outputs['exit-code'], '0')
  })

  it('are arguments of npm as they are', () => {
    repository.tool('detection-content', 'exit 0')
    repository.tool('npm', RECORD)
    for (const value of HOSTILE) {
      assert.deepEqual(argumentsOf({ content: 'content', package: value }, false).seen.slice(-3), ['--', value, ''])
      assert.deepEqual(argumentsOf({ content: 'content', version: value }, false).seen.slice(-3), ['--', `detection-content@${value}`, ''])
    }
  })
})
