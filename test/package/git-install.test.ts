/**
 * Installations from a Git repository without a build: by npm in an empty folder, and by pre-commit, whose hooks then run. The repository is made of the working
 * tree, and the packages come from a registry on this machine that serves those of `node_modules`. What neither the build nor the command loads is served without
 * its files.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parse } from 'yaml'
import { type NpmRegistry, type ServedPackage, startNpmRegistry } from '../support/npm-registry.js'

interface LockedPackage {
  readonly version: string
  readonly name?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

interface Manifest {
  readonly devDependencies: Readonly<Record<string, string>>
}

const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url))
const read = (path: string): string => readFileSync(join(CHECKOUT, path), 'utf8')
const { version, overrides } = JSON.parse(read('package.json')) as { readonly version: string; readonly overrides: Readonly<Record<string, string>> }
const { BUNDLED } = (await import(pathToFileURL(join(CHECKOUT, '.build/playground.mjs')).href)) as { readonly BUNDLED: readonly string[] }
/** The compiler, its types, the bundler, and what the command loads. */
const LOADED =
  /^(typescript|esbuild|@esbuild\/.*|@types\/.*|undici-types|ajv|fast-deep-equal|fast-uri|json-schema-traverse|require-from-string|diff|typebox|lru-cache|piscina|fzstd|hyparquet-writer)$/
/** Whether a package is served as it is. */
const isNeeded = (name: string): boolean => LOADED.test(name) || BUNDLED.includes(name)
/** The files of `typescript` that a compilation reads; it has an editor's server as well. */
const COMPILER = '^package\\.json$|^bin/|^lib/(_?tsc\\.js|lib\\..*\\.d\\.ts)$'
/** Settings of Git: packs without a search for differences. */
const CHEAP_PACKS = { 'pack.window': '0', 'core.compression': '0' }
/** What the package is not made of. */
const LEFT_OUT = ['test', 'bench', 'docker']
const GOOD = '<group name="own,"><rule id="100100" level="3"><if_sid>5710</if_sid><description>Own</description></rule></group>\n'
const BROKEN = GOOD.replace('5710', '99999')
const CASES = { cases: [{ name: 'own', event_text: 'Jan  5 10:11:12 web1 sshd[2201]: Invalid user admin from 203.0.113.7 port 50122', expected_rule: '100100' }] }

/**
 * The manifest and the lock file, with the development dependencies that a compilation needs: npm would fetch 400 others twice. The lock file has no digests,
 * because those are of the registry of npm.
 */
function manifests(): Readonly<Record<string, string>> {
  const cut = (manifest: Manifest): Manifest => ({
    ...manifest,
    devDependencies: Object.fromEntries(Object.entries(manifest.devDependencies).filter(([name]) => isNeeded(name))),
  })
  const lock = JSON.parse(read('package-lock.json').replace(/^ *"(integrity|resolved)": .*\n/gm, '')) as { packages: Record<string, Manifest> }
  lock.packages[''] = cut(lock.packages[''])
  return { 'package.json': JSON.stringify(cut(JSON.parse(read('package.json')) as Manifest)), 'package-lock.json': JSON.stringify(lock) }
}

/** The packages of the lock file, and those that it overrides, which an installation as a dependency has. */
function servedPackages(): ServedPackage[] {
  const { packages } = JSON.parse(read('package-lock.json')) as { readonly packages: Readonly<Record<string, LockedPackage>> }
  return Object.entries(packages).flatMap(([path, locked]): ServedPackage[] => {
    if (path === '') return []
    const name = locked.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const folder = join(CHECKOUT, path)
    const wanted = Object.entries({ ...locked.dependencies, ...locked.optionalDependencies }).filter(([dependency]) => Object.hasOwn(overrides, dependency))
    return [
      { manifest: { ...locked, name }, folder: isNeeded(name) && existsSync(folder) ? folder : null, ...(name === 'typescript' ? { only: COMPILER } : {}) },
      ...wanted.map(([dependency, range]) => ({ manifest: { name: dependency, version: range.replace(/^\D+/, '') }, folder: null })),
    ]
  })
}

const hasPreCommit = spawnSync('pre-commit', ['--version']).status === 0
const missing = ['git', 'npm'].filter((tool) => spawnSync(tool, ['--version']).error !== undefined)
const isRepository = spawnSync('git', ['rev-parse', '--git-dir'], { cwd: CHECKOUT }).status === 0
const skip = missing.length > 0 ? `no ${missing.join(', ')} here` : !isRepository && 'this checkout is no Git repository'

describe('the repository', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'git-install-'))
  const bare = join(folder, 'bare.git')
  let registry: NpmRegistry
  after(() => {
    registry?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Runs a command without settings of this machine. */
  function run(command: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): { readonly code: number | null; readonly output: string } {
    const own = {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      LANG: 'en_US.UTF-8',
      TMPDIR: tmpdir(),
      GIT_CONFIG_NOSYSTEM: '1',
      npm_config_registry: registry.origin,
      npm_config_cache: join(folder, 'cache'),
      npm_config_update_notifier: 'false',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
    }
    const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', env: { ...own, ...env } })
    assert.equal(error, undefined)
    return { code: status, output: stdout + stderr }
  }

  function succeed(...call: Parameters<typeof run>): string {
    const { code, output } = run(...call)
    assert.equal(code, 0, output)
    return output
  }

  const git = (...args: string[]): string =>
    succeed('git', ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.com', '-c', 'commit.gpgsign=false', `--git-dir=${bare}`, `--work-tree=${CHECKOUT}`, ...args], CHECKOUT)

  before(async () => {
    registry = await startNpmRegistry(servedPackages(), join(folder, 'packages.json'))
    succeed('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare], folder)
    // Every clone asks for a pack of all files, which is gone after the test.
    for (const [name, value] of Object.entries(CHEAP_PACKS)) succeed('git', ['config', '--file', join(folder, '.gitconfig'), name, value], folder)
    git('add', '--all', '--', '.', ...LEFT_OUT.map((path) => `:!${path}`))
    for (const [path, text] of Object.entries(manifests())) {
      const file = join(folder, `new-${path}`)
      writeFileSync(file, text)
      git('update-index', '--cacheinfo', `100644,${git('hash-object', '-w', file).trim()},${path}`)
    }
    git('commit', '--quiet', '--message', 'Everything')
    git('tag', `v${version}`)
  })

  it('is installed by its address and a revision, and has the command and the types', () => {
    const app = join(folder, 'app')
    mkdirSync(app)
    succeed('npm', ['install', `git+file://${bare}#v${version}`], app)
    assert.equal(succeed(join(app, 'node_modules/.bin/detection-content'), ['--version'], app), `${version}\n`)
    const installed = join(app, 'node_modules/detection-content')
    for (const path of ['dist/workers/library.d.ts', 'engine/reference/rules']) assert.ok(existsSync(join(installed, path)), path)
    assert.deepEqual(readdirSync(join(installed, 'dist')).sort(), ['engine', 'server', 'workers'])
    assert.ok(!existsSync(join(app, 'node_modules/typescript')), 'the compiler is not part of an installation')
  })

  describe('by pre-commit', () => {
    const content = join(folder, 'content-repository')
    before(() => {
      for (const [path, text] of [
        ['content/rules/own.xml', GOOD],
        ['tests/own.json', JSON.stringify(CASES)],
      ]) {
        mkdirSync(join(content, path, '..'), { recursive: true })
        writeFileSync(join(content, path), text)
      }
    })

    /** Runs a hook on the content. */
    type Hooks = (id: string, args: readonly string[]) => { readonly code: number | null; readonly output: string }
    const FILES = ['content/rules/own.xml']

    const check = (hooks: Hooks): void => {
      assert.equal(hooks('detection-content-validate', ['--custom', 'content']).code, 0)
      assert.equal(hooks('detection-content-test', ['--custom', 'content', 'tests']).code, 0)
      writeFileSync(join(content, FILES[0]), BROKEN)
      const refused = hooks('detection-content-validate', ['--custom', 'content'])
      assert.equal(refused.code, 1)
      assert.match(refused.output, /rule_parent_missing/)
      assert.equal(hooks('detection-content-test', ['--custom', 'content', 'tests']).code, 1)
    }

    it('has hooks that accept good content and refuse a rule without its parent', () => check(hasPreCommit ? hooksOfPreCommit : installHooks()))

    /** Does what pre-commit 4 does for `language: node`: clones the repository, installs it globally below a prefix, and runs the entry of a hook there. */
    function installHooks(): Hooks {
      const clone = join(folder, 'clone')
      succeed('git', ['clone', '--quiet', '--branch', `v${version}`, bare, clone], folder)
      const hooks = parse(readFileSync(join(clone, '.pre-commit-hooks.yaml'), 'utf8')) as { id: string; entry: string; pass_filenames?: boolean }[]
      const prefix = join(folder, 'node_env')
      mkdirSync(join(prefix, 'lib'), { recursive: true })
      const env = { NPM_CONFIG_PREFIX: prefix, npm_config_prefix: prefix, NODE_PATH: join(prefix, 'lib/node_modules'), PATH: `${join(prefix, 'bin')}:${process.env.PATH}` }
      succeed('npm', ['install', '--allow-git=root', '--install-links', '-g', `git+file://${clone}`], clone, env)
      return (id, args) => {
        const hook = hooks.find((each) => each.id === id)
        assert.ok(hook !== undefined)
        const [command, ...first] = hook.entry.split(' ')
        return run(command, [...first, ...args, ...(hook.pass_filenames === false ? [] : FILES)], content, env)
      }
    }

    function hooksOfPreCommit(...[id, args]: Parameters<Hooks>): ReturnType<Hooks> {
      if (!existsSync(join(content, '.git'))) succeed('git', ['init', '--quiet', content], folder)
      writeFileSync(join(content, '.pre-commit-config.yaml'), JSON.stringify({ repos: [{ repo: bare, rev: `v${version}`, hooks: [{ id, args }] }] }))
      succeed('git', ['add', '--all'], content)
      return run('pre-commit', ['run', '--files', ...FILES], content, { PRE_COMMIT_HOME: join(folder, 'pre-commit') })
    }
  })
})
