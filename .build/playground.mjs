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
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const OUTPUT = join(ROOT, 'dist/server/playground')
const PAGE = 'server/playground/page'
/** Entries that share chunks: those of the worker, and those of the page, which needs some limits of the engine and would get all of it. @type {Readonly<Record<string, Readonly<Record<string, string>>>>} */
const ENTRIES = {
  worker: {
    // What tests import.
    engine: 'server/playground/worker/index.ts',
    worker: 'server/playground/worker/worker.ts',
    // What the worker loads at once.
    start: 'server/playground/worker/start.ts',
  },
  page: {
    boot: `${PAGE}/boot.ts`,
    main: `${PAGE}/main.tsx`,
    styles: `${PAGE}/styles/page.css`,
    icon: `${PAGE}/icon.svg`,
  },
}
/** The packages of which something is in the bundle. */
export const BUNDLED = [
  '@codemirror/autocomplete',
  '@codemirror/commands',
  '@codemirror/lang-xml',
  '@codemirror/language',
  '@codemirror/lint',
  '@codemirror/merge',
  '@codemirror/search',
  '@codemirror/state',
  '@codemirror/streamparser',
  '@codemirror/view',
  '@lezer/common',
  '@lezer/highlight',
  '@lezer/lr',
  '@lezer/xml',
  '@marijn/find-cluster-break',
  '@noble/hashes',
  'crelt',
  'd3-hierarchy',
  'preact',
  'sax',
  'style-mod',
  'vscode-languageserver-types',
  'w3c-keyname',
]
/** The oldest browsers in which the engine runs: its patterns need lookbehind, and its code what ES2023 added to arrays. */
const BROWSERS = ['chrome110', 'firefox115', 'safari16.4']
/** What each entry of the registry has in all languages. */
const TEXTS = new Set(['title', 'message', 'hint', 'doc'])
/** Beginning of the names of modules that are made here. */
const MADE = 'playground:'
/** What `style-mod` asks before it uses a constructed style sheet; all browsers above have these for documents too. */
const STYLE_CONDITION = '!root.head && '
/** What of the engine is loaded late: the modules of the worker that import it, with the module of the engine that has it. @type {Readonly<Record<string, string>>} */
const LATE = {
  'server/playground/worker/merge.ts': 'merge/merge-files.js',
  'server/playground/worker/differences.ts': 'diff/late.js',
  'server/playground/worker/audit.ts': 'audit/late.js',
  'server/playground/worker/attack.ts': 'generate/attack-events.js',
  'server/playground/worker/mutation.ts': 'mutate/index.js',
  'server/playground/worker/proofs.ts': 'audit/with-proofs.js',
  'server/language/content/proofs.ts': 'audit/with-proofs.js',
}
/** What the entry of the engine names of it. */
const LATE_LINE = /from '\.\/(?:merge\/merge-files|(?:audit|diff|generate|mutate)\/[\w-]+)\.js'$/
/** Modules of the engine, and of what it shares with other threads. */
const OF_ENGINE = /[\\/]dist[\\/](?:engine|workers)[\\/]/
/** Node's modules for which `sax` has a substitute. */
const REPLACED = /^(?:stream|string_decoder)$/

/** The line of the page that preloads its script. */
const PRELOAD = /^.*\{\{main\}\}.*\n/m

/** @param {string} path below `dist` */
const built = (path) => import(pathToFileURL(join(ROOT, 'dist', path)).href)

/**
 * @param {import('esbuild')} esbuild
 * @param {string} packages the folder with the packages
 */
export async function bundlePlayground(esbuild, packages) {
  rmSync(OUTPUT, { recursive: true, force: true })
  mkdirSync(OUTPUT, { recursive: true })
  const metafiles = await Promise.all(Object.values(ENTRIES).map((entries) => bundle(esbuild, packages, entries)))
  const manifest = Object.fromEntries(metafiles.flatMap(manifestOf).sort())
  writeFileSync(join(OUTPUT, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  writeFileSync(join(OUTPUT, 'assets/index.html'), indexOf(manifest))
  writeFileSync(join(OUTPUT, 'assets/LICENSES.txt'), licensesOf(metafiles, packages))
}

/**
 * @param {import('esbuild')} esbuild
 * @param {string} packages
 * @param {Readonly<Record<string, string>>} entries
 */
async function bundle(esbuild, packages, entries) {
  const { metafile } = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: entries,
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
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.svg': 'copy' },
    nodePaths: [packages],
    plugins: [lateModules, withoutEffects, constructedStyles, madeModules],
  })
  return metafile
}

/**
 * Modules of the engine do nothing when they are loaded. So what uses some of them gets only these, and what these use: the page some limits, the worker nothing of what
 * is late. Without this an import that is not used keeps its module, and all that it imports.
 */
const withoutEffects = {
  name: 'without-effects',
  setup(/** @type {any} */ build) {
    build.onResolve({ filter: /^[#.]/ }, async (/** @type {any} */ { path, importer, pluginData, ...rest }) => {
      if (pluginData === withoutEffects.name || !(path.startsWith('#') || OF_ENGINE.test(importer))) return undefined
      const found = await build.resolve(path, { ...rest, importer, pluginData: withoutEffects.name })
      return { ...found, sideEffects: false }
    })
  },
}

/** A module that the entry of the engine names is loaded with the entry. So the entry does not name what is late, and its importer gets it directly. */
const lateModules = {
  name: 'late-modules',
  setup(/** @type {any} */ build) {
    build.onResolve({ filter: /^#engine$/ }, (/** @type {any} */ { importer }) => {
      const late = LATE[relative(ROOT, importer).replaceAll('\\', '/')]
      return late === undefined ? undefined : { path: join(ROOT, 'dist/engine', late) }
    })
    // Its source has an export in each line, which what is compiled may not have.
    build.onLoad({ filter: /[\\/]dist[\\/]engine[\\/]index\.js$/ }, (/** @type {any} */ { path }) => {
      const lines = readFileSync(join(ROOT, 'engine/index.ts'), 'utf8').split('\n')
      const left = lines.filter((line) => !LATE_LINE.test(line))
      if (left.length === lines.length) throw new Error('engine/index.ts: it names nothing that is late')
      return { contents: left.join('\n'), loader: 'ts', resolveDir: dirname(path) }
    })
  },
}

/** CodeMirror puts its styles into a `<style>`, which the policy of the page forbids; where it has no head to put it into it uses a constructed sheet. */
const constructedStyles = {
  name: 'constructed-styles',
  setup(/** @type {any} */ build) {
    build.onLoad({ filter: /[\\/]style-mod[\\/].*\.js$/ }, (/** @type {any} */ { path }) => {
      const text = readFileSync(path, 'utf8')
      if (!text.includes(STYLE_CONDITION)) throw new Error(`${path}: the condition for constructed style sheets has changed`)
      return { contents: text.replace(STYLE_CONDITION, '') }
    })
  },
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
      const withoutTexts = (/** @type {string} */ name, /** @type {unknown} */ value) => (TEXTS.has(name) && Array.isArray(value) ? value.map(() => '') : value)
      return {
        contents: Object.entries(areas)
          .map(([name, area]) => `export const ${name} = ${JSON.stringify(area, withoutTexts)}`)
          .join('\n'),
      }
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
  const entries = Object.assign({}, ...Object.values(ENTRIES))
  return Object.entries(outputs).flatMap(([path, { entryPoint = '' }]) => {
    const name = entryPoint.startsWith(MADE) ? entryPoint.slice(MADE.length) : Object.keys(entries).find((entry) => entries[entry] === entryPoint)
    if (name === undefined) return []
    const [file, ...imports] = [...new Set(withImports(path))].map(nameOf)
    return [[name, { file, imports }]]
  })
}

/**
 * Fills the addresses of the files into the page. What the script of the page imports is preloaded with it.
 * @param {Readonly<Record<string, { file: string, imports: readonly string[] }>>} manifest
 */
function indexOf(manifest) {
  const page = readFileSync(join(ROOT, PAGE, 'index.html'), 'utf8')
  return page
    .replace(PRELOAD, (line) =>
      [...new Set([manifest.main.file, ...manifest.main.imports, ...manifest.boot.imports])].map((file) => line.replace('{{main}}', `./${file}`)).join(''),
    )
    .replace(/\{\{(\w+)\}\}/g, (_, name) => `./${manifest[name].file}`)
}

/**
 * Returns the licenses of the packages in the bundle, which ask to be beside it.
 * @param {readonly any[]} metafiles
 * @param {string} folder
 */
function licensesOf(metafiles, folder) {
  const inputs = metafiles.flatMap((metafile) => Object.keys(metafile.inputs))
  const found = new Set(inputs.flatMap((path) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []))
  if ([...found].sort().join() !== BUNDLED.join()) throw new Error(`the bundle has something of ${[...found].sort().join(', ')}: name these packages in BUNDLED`)
  const texts = BUNDLED.map((name) => {
    const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'License.txt'].map((file) => join(folder, name, file)).find(existsSync)
    if (file === undefined) throw new Error(`${name} has no license beside it`)
    return `${name}\n\n${readFileSync(file, 'utf8').trim()}\n`
  })
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}
