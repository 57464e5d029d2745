/** The Git hook, in a real repository, and the hooks for pre-commit. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { parse } from 'yaml'
import { casesFor, GOOD, LOST, missingOf, pathOf, readFileOf, Repository, type ShellResult, VERSION } from './repository.js'

const HOOK = 'docker/ci/git-hook/pre-commit'
/** A rule on the shipped reference, which the installed package has. The other tests have a base of a few rules. */
const OWN = GOOD.replace('900', '5710')

describe('the Git hook', { skip: missingOf(['git', 'bash']) }, () => {
  const repository = new Repository()
  const git = (...args: string[]): ShellResult => repository.shell(['git', '-c', 'user.name=Ana', '-c', 'user.email=ana@example.com', '-c', 'commit.gpgsign=false', ...args])
  const commit = (): ShellResult => git('commit', '--quiet', '--message', 'x')
  before(() => {
    git('init', '--quiet')
    repository.write('content/rules/mine.xml', GOOD)
    git('add', 'content')
    assert.equal(commit().code, 0)
    const hook = join(repository.workspace, '.git/hooks/pre-commit')
    mkdirSync(join(hook, '..'), { recursive: true })
    copyFileSync(pathOf(HOOK), hook)
    chmodSync(hook, 0o755)
  })
  after(() => repository.remove())

  it('installs the package that the settings name, once', { skip: missingOf(['npm', 'tar']) }, async () => {
    const other = new Repository()
    try {
      const { bare, commit } = other.repositoryOfPackage()
      other.pack()
      const npm = await other.publish()
      const gitIn = (...args: string[]): ShellResult => other.shell(['git', '-c', 'user.name=Ana', '-c', 'user.email=ana@example.com', ...args], npm)
      gitIn('init', '--quiet')
      copyFileSync(pathOf(HOOK), join(other.workspace, '.git/hooks/pre-commit'))
      const names = [`detection-content-${VERSION}.tgz`, `git+file://${bare}#${commit}`, `detection-content@${VERSION}`]
      for (const [index, name] of names.entries()) {
        gitIn('config', 'detection-content.package', name)
        other.write('content/rules/mine.xml', `${OWN}${'\n'.repeat(index)}`)
        gitIn('add', 'content')
        const { code, stderr } = gitIn('commit', '--quiet', '--message', name)
        assert.equal(code, 0, stderr)
      }
      other.tool('npm', 'exit 7')
      other.write('content/rules/mine.xml', LOST)
      gitIn('add', 'content')
      const refused = gitIn('commit', '--quiet', '--message', 'x')
      assert.match(refused.stderr, /rule_parent_missing/)
    } finally {
      other.remove()
    }
  })

  it('refuses a commit of content if the command is missing, and permits any other', () => {
    repository.write('readme.md', 'x')
    git('add', 'readme.md')
    assert.equal(commit().code, 0)
    repository.write('content/rules/mine.xml', `${GOOD}\n`)
    git('add', 'content')
    const refused = commit()
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /detection-content is not installed/)
    repository.installCommand('--ruleset', repository.base)
    assert.equal(commit().code, 0)
  })

  it('checks the index, not the working tree', () => {
    // Staged broken, corrected in the working tree: refused.
    repository.write('content/rules/new.xml', LOST)
    git('add', 'content')
    repository.write('content/rules/new.xml', GOOD.replace('100001', '100003'))
    const refused = commit()
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /--> content\/rules\/new\.xml:3:5/)
    // Staged corrected, broken in the working tree, with a broken file that is not staged: accepted.
    git('add', 'content')
    repository.write('content/rules/new.xml', LOST)
    repository.write('content/rules/other.xml', LOST)
    const accepted = commit()
    assert.equal(accepted.code, 0, accepted.stderr)
    rmSync(join(repository.workspace, 'content/rules/other.xml'))
    git('checkout', '--quiet', '--', 'content')
  })

  it('reports only staged files, compiled with all others', () => {
    repository.write('content/rules/broken.xml', LOST)
    git('add', 'content')
    assert.equal(git('commit', '--quiet', '--no-verify', '--message', 'x').code, 0)
    // The parent of this rule is in a file that is not staged.
    repository.write("content/rules/z child's.xml", GOOD.replace('900', '100001').replaceAll('100001"', '100004"'))
    git('add', 'content')
    const accepted = commit()
    assert.equal(accepted.code, 0, accepted.stderr)
    assert.doesNotMatch(accepted.stderr, /broken\.xml/)
    // A deletion has nothing to check.
    git('rm', '--quiet', 'content/rules/broken.xml')
    assert.equal(commit().code, 0)
  })

  it('takes names of files as they are', () => {
    const names = ['$(touch pwned).xml', '`touch pwned`.xml', '; touch pwned;.xml', '-x.xml', 'a\nb.xml']
    for (const [index, name] of names.entries()) repository.write(`content/rules/${name}`, LOST.replace('100002', String(100_010 + index)))
    git('add', '--all', 'content')
    const { code, stderr } = commit()
    assert.equal(code, 1)
    assert.equal(stderr.match(/ --> /g)?.length, names.length, stderr)
    assert.ok(!repository.has('pwned'))
    git('reset', '--quiet', '--hard')
  })

  it('runs the cases that are named in the settings of the repository', () => {
    git('config', 'detection-content.cases', 'tests')
    repository.write('tests/doors.json', casesFor('100001'))
    git('add', 'tests')
    const refused = commit()
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /expected 100001/)
    repository.write('tests/doors.json', casesFor('100004'))
    git('add', 'tests')
    const accepted = commit()
    assert.equal(accepted.code, 0, accepted.stderr)
  })
})

it('the Git hook has no fault that shellcheck finds', { skip: missingOf(['shellcheck']) }, () => {
  const { status, stdout } = spawnSync('shellcheck', [pathOf(HOOK)], { encoding: 'utf8' })
  assert.equal(status, 0, stdout)
})

it('docker/ci/README.md shows the examples as they are', () => {
  const page = readFileOf('docker/ci/README.md')
  for (const file of ['github', 'gitlab']) assert.ok(page.includes(`\`\`\`yaml\n${readFileOf(`docker/ci/${file}/example.yml`)}\`\`\`\n`), file)
})

describe('the hooks for pre-commit', () => {
  interface Hook {
    readonly id: string
    readonly entry: string
    readonly language: string
    readonly files: string
    readonly exclude?: string
  }
  const hooks = parse(readFileOf('.pre-commit-hooks.yaml')) as Hook[]
  /** Keys of pre-commit.com, "Creating new hooks". */
  const KEYS = ['id', 'name', 'description', 'entry', 'language', 'files', 'exclude', 'require_serial', 'pass_filenames']

  it('have only keys that pre-commit knows, and the required ones', () => {
    for (const hook of hooks) {
      for (const key of Object.keys(hook)) assert.ok(KEYS.includes(key), key)
      for (const key of ['id', 'name', 'entry', 'language']) assert.ok(Object.hasOwn(hook, key), key)
      assert.equal(hook.language, 'node')
    }
  })

  it('select content and cases', () => {
    const selects = ({ files, exclude = '^$' }: Hook, path: string): boolean => new RegExp(files).test(path) && !new RegExp(exclude).test(path)
    const [validate, test] = hooks
    for (const path of ['rules/a.xml', 'content/decoders/team/a.xml', 'etc/lists/known']) assert.ok(selects(validate, path) && selects(test, path), path)
    for (const path of ['pom.xml', 'rules/readme.md', 'lists/known.cdb']) assert.ok(!selects(validate, path), path)
    assert.ok(selects(test, 'tests/doors.json') && selects(test, 'tests/sshd.ini') && !selects(validate, 'tests/doors.json'))
  })

  it('run with the arguments that pre-commit adds', () => {
    const repository = new Repository()
    try {
      repository.installCommand()
      repository.write('content/rules/lost.xml', LOST)
      const run = (index: number, ...more: string[]): number => repository.shell(['bash', '-c', `${hooks[index].entry} "$@"`, 'hook', '--ruleset', 'base', ...more]).code
      assert.equal(run(0, '--custom', 'content', 'content/rules/mine.xml'), 0)
      assert.equal(run(0, '--custom', 'content', 'content/rules/mine.xml', 'content/rules/lost.xml'), 1)
      rmSync(join(repository.workspace, 'content/rules/lost.xml'))
      assert.equal(run(1, '--custom', 'content', 'tests'), 0)
    } finally {
      repository.remove()
    }
  })
})
