/**
 * What the tests of `docker/ci` share: a repository of content, and a package that npm installs without network: as a tarball, from a Git repository, and by its
 * name. The package has no list of dependencies, because npm would fetch them.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type NpmRegistry, startNpmRegistry } from '../../support/npm-registry.js'

const CHECKOUT = fileURLToPath(new URL('../../../../', import.meta.url))
/** The program of this build. */
const PROGRAM = join(CHECKOUT, 'dist/server/cli/main.js')

export const readFileOf = (path: string): string => readFileSync(join(CHECKOUT, path), 'utf8')
export const pathOf = (path: string): string => join(CHECKOUT, path)
const { name, version, type, bin } = JSON.parse(readFileOf('package.json')) as { name: string; version: string; type: string; bin: Readonly<Record<string, string>> }
export const VERSION = version
const MANIFEST = { name, version, type, bin }
/** The file of the command. */
const COMMAND = bin[name]
/** Its text: it runs the program of this build. */
const LAUNCHER = `#!/usr/bin/env node\nprocess.argv[1] = ${JSON.stringify(PROGRAM)}\nawait import(process.argv[1])\n`
/** The project that the examples name, as a path on a Git server. */
const PROJECT_PATH = 'your-group/detection-content.git'

/** The tools of a list that this machine lacks, as a reason to skip; false: none. */
export function missingOf(tools: readonly string[]): string | false {
  const missing = tools.filter((tool) => spawnSync(tool, ['--version']).error !== undefined)
  return missing.length > 0 && `no ${missing.join(', ')} here`
}

const DECODERS = `<decoder name="door">
  <program_name>^door</program_name>
</decoder>

<decoder name="plain">
  <prematch>^plain </prematch>
</decoder>
`

const rule = (id: number, options: string): string => `  <rule id="${id}" level="5">\n    ${options}\n    <description>Rule ${id}.</description>\n  </rule>\n`

const RULES = `<group name="syslog,">\n  <rule id="1" level="0" noalert="1">\n    <category>syslog</category>\n    <description>Template.</description>\n  </rule>\n${rule(900, '<decoded_as>door</decoded_as>')}</group>\n`

/** Rules of a repository: their parent is in the base, or does not exist. */
export const GOOD = `<group name="mine,">\n${rule(100001, '<if_sid>900</if_sid>')}</group>\n`
export const LOST = `<group name="mine,">\n${rule(100002, '<if_sid>99999</if_sid>')}</group>\n`
/** The line of `<if_sid>` in both. */
export const LINE = 3

export const casesFor = (expected: string): string =>
  JSON.stringify({ cases: [{ name: 'opened', event_text: 'Mar 10 08:15:30 hall door[7]: opened by ana', expected_rule: expected }] })

export interface ShellResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A temporary folder with a repository, and tools around it. */
export class Repository {
  readonly folder = mkdtempSync(join(tmpdir(), 'ci-'))
  /** The working folder of a job. */
  readonly workspace = join(this.folder, 'workspace')
  readonly #tools = join(this.folder, 'tools')
  #registry: NpmRegistry | undefined

  constructor() {
    mkdirSync(this.#tools)
    this.write('content/rules/mine.xml', GOOD)
    this.write('tests/doors.json', casesFor('100001'))
    this.write('base/rules/0010-base.xml', RULES)
    this.write('base/decoders/0010-base.xml', DECODERS)
  }

  write(name: string, text: string | Buffer): void {
    const path = join(this.workspace, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }

  read(name: string): string {
    return readFileSync(join(this.workspace, name), 'utf8')
  }

  has(name: string): boolean {
    return existsSync(join(this.workspace, name))
  }

  /** Puts a program on the PATH of every script. */
  tool(name: string, script: string): void {
    writeFileSync(join(this.#tools, name), `#!/usr/bin/env bash\n${script}\n`, { mode: 0o755 })
  }

  /**
   * Puts the command of this build on the PATH.
   * @param options of every call. `--ruleset`, with a base of a few rules, saves a second for the shipped one.
   */
  installCommand(...options: readonly string[]): void {
    const quoted = options.map((option) => ` '${option}'`).join('')
    this.tool('detection-content', `command=$1\nshift\nexec '${process.execPath}' '${PROGRAM}' "$command"${quoted} "$@"`)
  }

  /** The folder of the base. */
  get base(): string {
    return join(this.workspace, 'base')
  }

  /** Runs a shell script in a folder, by default the workspace. @param path folders before those of the PATH */
  shell(argv: readonly [string, ...string[]], env: Readonly<Record<string, string>> = {}, path: readonly string[] = [], cwd = this.workspace): ShellResult {
    const [command, ...args] = argv
    const PATH = [...path, this.#tools, dirname(process.execPath), process.env.PATH ?? ''].join(':')
    // Nothing of the machine's own settings, and no network.
    const own = { PATH, HOME: this.folder, LANG: 'en_US.UTF-8', TMPDIR: tmpdir(), GIT_CONFIG_NOSYSTEM: '1', npm_config_offline: 'true', npm_config_update_notifier: 'false' }
    const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', env: { ...own, ...env } })
    assert.equal(error, undefined)
    return { code: status ?? -1, stdout, stderr }
  }

  /**
   * Packs a package with the name, version and command of this one into the workspace. Its program is that of this build: `test/package` installs the real
   * package, and `npm pack` takes 6 s of processor time. @returns the name of the tarball
   */
  pack(): string {
    const filename = `${MANIFEST.name}-${VERSION}.tgz`
    this.#writeBeside('package', { 'package.json': JSON.stringify(MANIFEST), [COMMAND]: LAUNCHER })
    this.#succeed(['tar', '-czf', join(this.workspace, filename), 'package'], this.folder)
    return filename
  }

  /**
   * Writes a checkout with the files of the action, whose command `prepare` builds, and a bare repository of it with the tag of the version, where a GitLab at the
   * folder has it.
   */
  repositoryOfPackage(): { readonly checkout: string; readonly bare: string; readonly commit: string } {
    const checkout = join(this.folder, 'checkout')
    const compile = `import { mkdirSync, writeFileSync } from 'node:fs'\nmkdirSync(${JSON.stringify(dirname(COMMAND))}, { recursive: true })\nwriteFileSync(${JSON.stringify(COMMAND)}, ${JSON.stringify(LAUNCHER)})\n`
    this.#writeBeside('checkout', {
      'package.json': JSON.stringify({ ...MANIFEST, files: ['dist'], scripts: { prepare: 'node .build/compile.mjs package' } }),
      '.build/compile.mjs': compile,
      'docker/ci/github/action.yml': readFileOf('docker/ci/github/action.yml'),
    })
    const git = (...args: string[]): string => this.#succeed(['git', '-c', 'user.name=Ana', '-c', 'user.email=ana@example.com', '-c', 'commit.gpgsign=false', ...args], checkout)
    git('init', '--quiet', '--initial-branch=main')
    git('add', '--all')
    git('commit', '--quiet', '--message', 'x')
    git('tag', `v${VERSION}`)
    const bare = join(this.folder, PROJECT_PATH)
    git('clone', '--quiet', '--bare', checkout, bare)
    return { checkout, bare, commit: git('rev-parse', 'HEAD').trim() }
  }

  /** Starts a registry that has the package that `pack` wrote. @returns its settings for npm */
  async publish(): Promise<Readonly<Record<string, string>>> {
    this.#registry = await startNpmRegistry([{ manifest: MANIFEST, folder: join(this.folder, 'package') }], join(this.folder, 'registry.json'))
    return { npm_config_registry: this.#registry.origin, npm_config_offline: 'false' }
  }

  #writeBeside(folder: string, files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) {
      const file = join(this.folder, folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text, { mode: 0o755 })
    }
  }

  #succeed(argv: readonly [string, ...string[]], cwd: string): string {
    const { code, stdout, stderr } = this.shell(argv, {}, [], cwd)
    assert.equal(code, 0, stderr)
    return stdout
  }

  remove(): void {
    this.#registry?.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
