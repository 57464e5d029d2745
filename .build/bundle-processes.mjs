/**
 * Bundles the modules with which processes and threads start, in their place in `dist`: `node .build/bundle-processes.mjs`, also a part of `compile.mjs`.
 * Node takes 0.4 s of the processor to load the 500 modules of a thread one by one, and a third of that to load a few files. What several of them share is in
 * files of its own. All other modules stay as they are compiled, for those who import one.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
/** The entries, by their path without its ending. */
export const ENTRIES = [
  'server/main',
  'server/cli/main',
  'server/cli/language/comparison-thread',
  'server/cli/language/measurement-thread',
  'workers/thread/entry',
  'workers/replay/replay-thread',
  'workers/runs/mutation-thread',
  'workers/runs/witness-thread',
]
/**
 * Modules at which what is shared is cut, without a file of their own. V8 needs memory in proportion to the largest file while it parses it, and the C library
 * keeps it for the thread: 3 MB less in each thread for 6 ms more at its start.
 */
const CUTS = ['engine/compiler/compile', 'engine/expressions/pcre2/compile', 'engine/generate/generate-cases', 'engine/match/run-event']
/** The folder in `dist` of what several entries share. */
export const SHARED = 'workers/bundled'

/** A module finds files beside itself by its address, which is not that of the file in which it is bundled. */
const ADDRESS = /\bimport\.meta\.url\b/g
const PLACEHOLDER = /addressOfModule\("([^"]+)"\)/g
/** V8 keeps a file with such a character as two bytes a character, in each thread. Comments, patterns and tagged templates have them in spite of `charset`. */
const ABOVE_LATIN_1 = /[\u0100-\uffff]/g

/** @param {import('esbuild')} esbuild */
export async function bundleProcesses(esbuild) {
  const dist = join(ROOT, 'dist')
  const { outputFiles } = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: [...ENTRIES, ...CUTS].map((entry) => `${entry}.ts`),
    outdir: dist,
    outbase: ROOT,
    chunkNames: `${SHARED}/[name]-[hash]`,
    bundle: true,
    splitting: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    charset: 'ascii',
    packages: 'external',
    plugins: [{ name: 'sources', setup: useSources }],
  })
  rmSync(join(dist, SHARED), { recursive: true, force: true })
  mkdirSync(join(dist, SHARED), { recursive: true })
  for (const { path, text } of outputFiles) {
    if (CUTS.some((cut) => path === join(dist, `${cut}.js`))) continue
    const addressOf = (/** @type {string} */ module) => JSON.stringify(relative(dirname(path), join(dist, module)).replaceAll('\\', '/'))
    writeFileSync(
      path,
      text
        .replace(PLACEHOLDER, (_, module) => `new URL(${addressOf(module)}, import.meta.url).href`)
        .replace(ABOVE_LATIN_1, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`),
    )
    // That of the compiler is of the module alone.
    rmSync(`${path}.map`, { force: true })
  }
}

/** Reads the sources, also those that package.json names by what they are compiled to. @param {import('esbuild').PluginBuild} build */
function useSources(build) {
  const { imports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  build.onResolve({ filter: /^#/ }, ({ path }) => ({ path: join(ROOT, (imports[path].default ?? imports[path]).replace(/^\.\/dist\/(.*)\.js$/, '$1.ts')) }))
  build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
    const module = relative(ROOT, path).replaceAll('\\', '/').replace(/ts$/, 'js')
    return { contents: readFileSync(path, 'utf8').replace(ADDRESS, `addressOfModule(${JSON.stringify(module)})`), loader: 'ts' }
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleProcesses(await import('esbuild'))
