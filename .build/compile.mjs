/**
 * Compiles the sources into `dist`, if they have changed since the last time:
 *
 *     node .build/compile.mjs            everything, with all checks: `npm run build`
 *     node .build/compile.mjs package    what the package contains, without checks: `npm run prepare`
 *
 * npm runs `prepare` after `npm ci`, and in a clone of the repository that it installs from a Git address. It does not install the development dependencies
 * there if it installs globally, as pre-commit does; the compiler is then installed into a temporary folder. This file is JavaScript, because it runs before
 * there is a compiler.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const DIST = join(ROOT, 'dist')
/** Digests of the sources that were compiled, by target. */
const STAMP = join(DIST, '.compiled.json')
const BROWSER = 'server/docs/browser'

/** Only the engine and the threads have types in the package, so that the files of the service are translated one by one. */
const PACKAGE = ['.build/library.json', '.build/service.json']
/** @type {Readonly<Record<string, { configs: string[], folders: string[] }>>} */
const TARGETS = {
  all: { configs: ['tsconfig.json', BROWSER], folders: ['engine', 'workers', 'server', 'bench', 'test'] },
  package: { configs: [...PACKAGE, BROWSER], folders: ['engine', 'workers', 'server'] },
}
/** Files beside the sources on which the result depends. */
const SETTINGS = ['package.json', 'package-lock.json', 'tsconfig.json', ...PACKAGE, `${BROWSER}/tsconfig.json`]

const [target = 'all'] = process.argv.slice(2)
if (!Object.hasOwn(TARGETS, target)) {
  console.error(`compile: there is no target "${target}"`)
  process.exit(2)
}
const stamp = existsSync(STAMP) ? JSON.parse(readFileSync(STAMP, 'utf8')) : {}
try {
  if (stamp[target] !== digestOf(target)) compile()
} catch (error) {
  console.error(`compile: ${error.message}`)
  process.exitCode = 1
}

function compile() {
  rmSync(STAMP, { force: true })
  const compiler = findCompiler()
  try {
    const configs = compiler.folder === null ? TARGETS[target].configs : [withoutTypes(compiler.folder), BROWSER]
    for (const config of configs) run(process.execPath, [compiler.path, '-p', config])
  } finally {
    if (compiler.folder !== null) rmSync(compiler.folder, { recursive: true, force: true })
  }
  deleteStale()
  const compiled = target === 'all' ? Object.keys(TARGETS) : [target]
  writeFileSync(STAMP, JSON.stringify(Object.fromEntries(compiled.map((name) => [name, digestOf(name)]))))
}

/** The digest of names, sizes and times of the sources of a target: reading them all would take longer. @param {string} name */
function digestOf(name) {
  const sources = TARGETS[name].folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(folder, path)),
  )
  const digest = createHash('sha256')
  for (const path of [...SETTINGS, ...sources.sort()]) {
    const { size, mtimeMs } = statSync(join(ROOT, path))
    digest.update(`${path} ${size} ${mtimeMs}\n`)
  }
  return digest.digest('hex')
}

/** The compiler of the development dependencies, or, for the package, one of the same version in a temporary folder. */
function findCompiler() {
  const installed = 'node_modules/typescript/lib/tsc.js'
  const own = join(ROOT, installed)
  if (existsSync(own)) return { path: own, folder: null }
  if (target !== 'package') throw new Error('the development dependencies are not installed: npm ci')
  const { typescript } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).devDependencies
  const folder = mkdtempSync(join(tmpdir(), 'detection-content-compiler-'))
  const options = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--no-dry-run', '--no-global', '--location=project', `--prefix=${folder}`]
  const npm = process.env.npm_execpath
  const [command, ...first] = npm === undefined ? ['npm'] : [process.execPath, npm]
  mkdirSync(join(folder, 'node_modules'))
  try {
    run(command, [...first, 'install', ...options, `typescript@${typescript}`], folder)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  return { path: join(folder, installed), folder }
}

/** Writes a configuration for a compiler that has no types of other packages: it translates each file alone. @param {string} folder */
function withoutTypes(folder) {
  const path = join(folder, 'tsconfig.json')
  const include = TARGETS.package.folders.map((name) => join(ROOT, name))
  writeFileSync(path, JSON.stringify({ extends: join(ROOT, '.build/service.json'), include, exclude: [join(ROOT, BROWSER)] }))
  return path
}

/** Runs a command whose output is shown. @param {string} command @param {string[]} args @throws if it fails */
function run(command, args, cwd = ROOT) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit' })
  if (status !== 0) throw new Error(error?.message ?? `${command} ${args[0]} ended with ${status}`)
}

/** Deletes files of `dist` whose source is gone: `npm pack` would take them, and imports of them would still work. */
function deleteStale() {
  mkdirSync(DIST, { recursive: true })
  const output = /(\.d)?\.([cm]?)[jt]s(\.map)?$/
  for (const path of readdirSync(DIST, { recursive: true, encoding: 'utf8' })) {
    const source = join(ROOT, path.replace(output, '.$2ts'))
    // `test/run.ts` writes its processes there.
    if (output.test(path) && !path.startsWith(join('test', 'processes')) && !existsSync(source)) rmSync(join(DIST, path))
  }
}
