/**
 * Compiles the sources into `dist`, if they have changed since the last time:
 *
 *     node .build/compile.mjs            everything, with all checks: `npm run build`
 *     node .build/compile.mjs package    what the package contains, without checks: `npm run prepare`
 *
 * npm runs `prepare` after `npm ci`, and in a clone of the repository that it installs from a Git address. There esbuild translates the sources, which takes a
 * second where the compiler takes twelve; the compiler writes the types. npm does not install the development dependencies there if it installs globally, as
 * pre-commit does: esbuild is then installed into a temporary folder, and the package is without types. This file is JavaScript, because it runs before there is
 * a compiler.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { bundleProcesses, SHARED } from './bundle-processes.mjs'
import { BUNDLED, bundlePlayground } from './playground.mjs'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const DIST = join(ROOT, 'dist')
/** Digests of the sources that were compiled, by target. */
const STAMP = join(DIST, '.compiled.json')
const BROWSER = 'server/docs/browser'
/** The configuration that writes the types of the package. */
const TYPES = '.build/types.json'
/** Its code is bundled, not translated: its configuration checks it alone, as code of a browser, together with the engine. */
const PLAYGROUND = 'server/playground'
/** The gallery shows the pictures of the page; only tests bundle it. */
const PLAYGROUND_PARTS = [`${PLAYGROUND}/worker`, `${PLAYGROUND}/page`, 'test/server/playground/gallery']
/** The shipped ruleset, which the playground contains. */
const REFERENCE = join('engine', 'reference')
/** Folders of files that are read where they are. */
const CONTENT = [REFERENCE, 'server/content/templates/catalog']
/** What `dist` has without sources of the same names: what bundles share, the page and its manifest, and the processes of `test/run.ts`. */
const WRITTEN = [SHARED, join(PLAYGROUND, 'assets'), join(PLAYGROUND, 'manifest.json'), join('test', 'processes')]
/** Files of the service that lie beside the modules that serve them. */
const SERVED = /\.(css|svg)$/
/** Modules that are data, without the configurations of the compiler. */
const DATA = /(?<!tsconfig)\.json$/
/** The packages that a build reads, but for the compiler. */
const TOOLS = ['esbuild', ...BUNDLED]

/** @type {Readonly<Record<string, { configs: string[], folders: string[] }>>} */
const TARGETS = {
  all: { configs: ['tsconfig.json', BROWSER, ...PLAYGROUND_PARTS], folders: ['engine', 'workers', 'server', 'bench', 'test'] },
  package: { configs: [TYPES], folders: ['engine', 'workers', 'server'] },
}
/** Files beside the sources on which the result depends. */
const SETTINGS = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  TYPES,
  `${BROWSER}/tsconfig.json`,
  ...PLAYGROUND_PARTS.map((part) => `${part}/tsconfig.json`),
  '.build/compile.mjs',
  '.build/bundle-processes.mjs',
  '.build/playground.mjs',
]

const [target = 'all'] = process.argv.slice(2)
if (!Object.hasOwn(TARGETS, target)) {
  console.error(`compile: there is no target "${target}"`)
  process.exit(2)
}
const stamp = existsSync(STAMP) ? JSON.parse(readFileSync(STAMP, 'utf8')) : {}
try {
  if (stamp[target] !== digestOf(target)) await compile()
} catch (error) {
  console.error(`compile: ${error.message}`)
  process.exitCode = 1
}

async function compile() {
  rmSync(STAMP, { force: true })
  const { require, folder } = findTools()
  try {
    const esbuild = await import(pathToFileURL(require.resolve('esbuild')).href)
    if (target === 'package') await translate(esbuild)
    if (folder === null) for (const config of TARGETS[target].configs) run(process.execPath, [require.resolve('typescript/lib/tsc.js'), '-p', config])
    await bundlePlayground(esbuild, join(folder ?? ROOT, 'node_modules'))
    await bundleProcesses(esbuild)
  } finally {
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
  }
  for (const path of readdirSync(join(ROOT, 'server'), { recursive: true, encoding: 'utf8' })) {
    if (SERVED.test(path) && !path.startsWith('playground')) cpSync(join(ROOT, 'server', path), join(DIST, 'server', path))
  }
  deleteStale()
  const compiled = target === 'all' ? Object.keys(TARGETS) : [target]
  writeFileSync(STAMP, JSON.stringify(Object.fromEntries(compiled.map((name) => [name, digestOf(name)]))))
}

/** The digest of names, sizes and times of the sources of a target and of their data: reading them all would take longer. @param {string} name */
function digestOf(name) {
  const sources = TARGETS[name].folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => join(folder, path))
      .filter((path) => /\.(c?tsx?|json|css|svg|html)$/.test(path) || path.startsWith(REFERENCE)),
  )
  const digest = createHash('sha256')
  // A repository from which the package is installed may be without tests.
  for (const path of [...SETTINGS.filter((path) => existsSync(join(ROOT, path))), ...sources.sort()]) {
    const { size, mtimeMs } = statSync(join(ROOT, path))
    digest.update(`${path} ${size} ${mtimeMs}\n`)
  }
  return digest.digest('hex')
}

/** Finds the tools among the dependencies, or, for the package, installs them in a temporary folder: there the clone of npm has no dependencies. */
function findTools() {
  if (['typescript', ...TOOLS].every((name) => existsSync(join(ROOT, 'node_modules', name)))) return { require: createRequire(import.meta.url), folder: null }
  if (target !== 'package') throw new Error('the dependencies are not installed: npm ci')
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const versions = { ...dependencies, ...devDependencies }
  // Packages that only others of them need come with those.
  const wanted = TOOLS.filter((name) => versions[name] !== undefined).map((name) => `${name}@${versions[name]}`)
  const folder = mkdtempSync(join(tmpdir(), 'detection-content-compiler-'))
  const options = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--no-dry-run', '--no-global', '--location=project', `--prefix=${folder}`]
  const npm = process.env.npm_execpath
  const [command, ...first] = npm === undefined ? ['npm'] : [process.execPath, npm]
  mkdirSync(join(folder, 'node_modules'))
  try {
    run(command, [...first, 'install', ...options, ...wanted], folder)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  return { require: createRequire(join(folder, 'package.json')), folder }
}

/** Translates the sources of the package, each by itself. @param {import('esbuild')} esbuild */
async function translate(esbuild) {
  const paths = TARGETS.package.folders
    .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)))
    .filter((path) => ![PLAYGROUND, ...CONTENT].some((folder) => path.startsWith(`${folder}/`)) && !path.endsWith('.d.ts'))
  const options = { absWorkingDir: ROOT, outbase: '.', outdir: 'dist', platform: 'node', target: 'node20.19', charset: 'utf8' }
  await esbuild.build({ ...options, entryPoints: paths.filter((path) => path.endsWith('.ts')), format: 'esm' })
  await esbuild.build({ ...options, entryPoints: paths.filter((path) => path.endsWith('.cts')), format: 'cjs', outExtension: { '.js': '.cjs' } })
  for (const path of paths) if (DATA.test(path)) cpSync(join(ROOT, path), join(DIST, path))
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
    if ((output.test(path) || path.endsWith('.json') || SERVED.test(path)) && !WRITTEN.some((written) => path.startsWith(written)) && !existsSync(source)) rmSync(join(DIST, path))
  }
}
