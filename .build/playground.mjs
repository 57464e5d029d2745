/**
 * Bundles the playground into `dist/server/playground/assets`: ES modules with a hash in their names, which share chunks. The engine in them is that of `dist`,
 * with what package.json names for browsers; three kinds of modules are made here:
 *
 *     playground:reference       the files of the reference ruleset
 *     playground:texts/LOCALE    the texts of diagnostics in one language
 *     engine/diagnostics/codes   the registry of diagnostics, without those texts
 *
 * `manifest.json` beside the folder names their files.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const OUTPUT = join(ROOT, 'dist/server/playground')
/** @type {Readonly<Record<string, string>>} */
const ENTRIES = {
  // What tests import.
  engine: 'server/playground/worker/index.ts',
  worker: 'server/playground/worker/worker.ts',
}
/** The packages of which something is in the bundle. */
export const BUNDLED = ['@noble/hashes', 'sax']
/** The oldest browsers in which the engine runs: its patterns need lookbehind, and its code what ES2023 added to arrays. */
const BROWSERS = ['chrome110', 'firefox115', 'safari16.4']
/** Beginning of the names of modules that are made here. */
const MADE = 'playground:'
/** Node's modules for which `sax` has a substitute. */
const REPLACED = /^(?:stream|string_decoder)$/

/** @param {string} path below `dist` */
const built = (path) => import(pathToFileURL(join(ROOT, 'dist', path)).href)

/**
 * @param {import('esbuild')} esbuild
 * @param {string} packages the folder with the packages
 */
export async function bundlePlayground(esbuild, packages) {
  rmSync(OUTPUT, { recursive: true, force: true })
  const { metafile } = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES,
    outdir: join(OUTPUT, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: BROWSERS,
    minify: true,
    metafile: true,
    legalComments: 'none',
    logLevel: 'warning',
    nodePaths: [packages],
    plugins: [madeModules],
  })
  mkdirSync(OUTPUT, { recursive: true })
  writeFileSync(join(OUTPUT, 'manifest.json'), `${JSON.stringify(manifestOf(metafile), null, 2)}\n`)
  writeFileSync(join(OUTPUT, 'assets/LICENSES.txt'), licensesOf(metafile, packages))
}

const madeModules = {
  name: 'made-modules',
  setup(/** @type {any} */ build) {
    build.onResolve({ filter: /^playground:/ }, (/** @type {any} */ { path }) => ({ path: path.slice(MADE.length), namespace: 'playground' }))
    build.onLoad({ filter: /^reference$/, namespace: 'playground' }, async () => {
      const { readRulesetFolder, REFERENCE_RULESET_DIR } = await built('workers/content/content.js')
      return { contents: JSON.stringify(readRulesetFolder(REFERENCE_RULESET_DIR, 'default')), loader: 'json' }
    })
    build.onLoad({ filter: /^texts\//, namespace: 'playground' }, async (/** @type {any} */ { path }) => {
      const { DIAGNOSTICS, entryOf } = await built('engine/diagnostics/codes.js')
      const locale = path.slice('texts/'.length)
      return { contents: JSON.stringify(Object.fromEntries(Object.keys(DIAGNOSTICS).map((code) => [code, entryOf(code).texts[locale]]))), loader: 'json' }
    })
    build.onLoad({ filter: /[\\/]dist[\\/]engine[\\/]diagnostics[\\/]codes[\\/][^\\/]+\.js$/ }, async (/** @type {any} */ { path }) => {
      const areas = await built(relative(join(ROOT, 'dist'), path))
      const { DIAGNOSTICS, entryOf } = await built('engine/diagnostics/codes.js')
      const texts = Object.keys(entryOf(Object.keys(DIAGNOSTICS)[0]).texts['en-US'])
      const withoutTexts = (/** @type {string} */ name, /** @type {unknown} */ value) => (texts.includes(name) ? undefined : value)
      const empty = `const withTexts = (area) => { for (const code of Object.values(area)) for (const name of ${JSON.stringify(texts)}) code[name] = []; return area }`
      const exported = Object.entries(areas).map(([name, area]) => `export const ${name} = withTexts(${JSON.stringify(area, withoutTexts)})`)
      return { contents: [empty, ...exported].join('\n') }
    })
    build.onResolve({ filter: REPLACED }, (/** @type {any} */ { path }) => ({ path, namespace: 'replaced' }))
    build.onLoad({ filter: REPLACED, namespace: 'replaced' }, () => ({ contents: '' }))
  },
}

/**
 * Returns of each entry, and of each module made here that is loaded on demand, its file and the files that load with it.
 * @param {any} metafile
 */
function manifestOf({ outputs }) {
  const nameOf = (/** @type {string} */ path) => path.split('/').at(-1)
  const withImports = (/** @type {string} */ path) => [
    path,
    ...outputs[path].imports.filter(({ kind }) => kind === 'import-statement').flatMap((/** @type {any} */ each) => withImports(each.path)),
  ]
  const named = Object.entries(outputs).flatMap(([path, { entryPoint = '' }]) => {
    const name = entryPoint.startsWith(MADE) ? entryPoint.slice(MADE.length) : Object.keys(ENTRIES).find((entry) => ENTRIES[entry] === entryPoint)
    if (name === undefined) return []
    const [file, ...imports] = [...new Set(withImports(path))].map(nameOf)
    return [[name, { file, imports }]]
  })
  return Object.fromEntries(named.sort())
}

/**
 * Returns the licenses of the packages in the bundle, which ask to be beside it.
 * @param {any} metafile
 * @param {string} folder
 */
function licensesOf({ inputs }, folder) {
  const found = new Set(Object.keys(inputs).flatMap((path) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []))
  if ([...found].sort().join() !== BUNDLED.join()) throw new Error(`the bundle has something of ${[...found].sort().join(', ')}: name these packages in BUNDLED`)
  const texts = BUNDLED.map((name) => {
    const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt'].map((file) => join(folder, name, file)).find(existsSync)
    if (file === undefined) throw new Error(`${name} has no license beside it`)
    return `${name}\n\n${readFileSync(file, 'utf8').trim()}\n`
  })
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}
