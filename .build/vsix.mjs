/**
 * Packs the extension of VS Code into `dist/detection-content-VERSION.vsix`, after a build:
 *
 *     npm run build && node .build/vsix.mjs
 *
 * The client's library and vsce are installed into a temporary folder: nobody else needs them, and they have more packages than the service.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const SOURCE = join(ROOT, 'server/language/vscode')
/** Ranges that a person raises; a newer major version may need another client. */
const TOOLS = ['vscode-languageclient@^11.0.0', '@vscode/vsce@^4.1.0']
/** As deep as compiled files are, because the engine finds the reference and the version by their place. */
const SERVER = 'dist/lsp/bundle/server.mjs'
/** Its threads, by the names that it starts. */
const THREADS = ['comparison-thread', 'measurement-thread']
const COMMON = /** @type {const} */ ({ bundle: true, minify: true, platform: 'node', target: 'node20', legalComments: 'none', logLevel: 'warning' })
/** Libraries that are CommonJS call `require`, which a module has not by itself. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"
/** What of `#workers` the server needs: the rest would bring the pool and the stores with it. */
const WORKERS = ['workers/content/compose.js', 'workers/content/content.js', 'workers/shared/clock.js']

/** The server as a program of its own, with the files that it reads. @param {string} folder of the extension */
export async function bundleServer(folder) {
  const at = (/** @type {string} */ path) => join(ROOT, 'dist', path)
  const contents = `import { serveStdio } from ${JSON.stringify(at('server/cli/language/stdio.js'))}
const named = { ruleset: null, custom: [] }
const isOrderly = await serveStdio({ stdin: process.stdin, stdout: process.stdout, named, locale: 'en-US', isLocaleNamed: false, helpUrl: null, call: 'detection-content' })
process.exit(isOrderly ? 0 : 1)
`
  const workers = {
    name: 'workers',
    setup(/** @type {import('esbuild').PluginBuild} */ plugin) {
      plugin.onResolve({ filter: /^#workers$/ }, () => ({ path: 'workers', namespace: 'workers' }))
      plugin.onLoad({ filter: /.*/, namespace: 'workers' }, () => ({ contents: WORKERS.map((path) => `export * from ${JSON.stringify(at(path))}`).join('\n'), resolveDir: ROOT }))
    },
  }
  await build({ ...COMMON, stdin: { contents, resolveDir: ROOT }, format: 'esm', banner: { js: REQUIRE }, plugins: [workers], outfile: join(folder, SERVER) })
  await build({ ...COMMON, entryPoints: THREADS.map((thread) => at(`server/cli/language/${thread}.js`)), format: 'cjs', outdir: join(folder, dirname(SERVER)) })
  cpSync(join(ROOT, 'engine/reference'), join(folder, 'engine/reference'), { recursive: true })
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const manifest = JSON.parse(readFileSync(join(SOURCE, 'package.json'), 'utf8'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version }, null, 2))
  return { server: join(folder, SERVER), version }
}

async function pack() {
  const tools = mkdtempSync(join(tmpdir(), 'detection-content-vsix-'))
  try {
    const folder = join(tools, 'extension')
    cpSync(SOURCE, folder, { recursive: true })
    cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
    const { version } = await bundleServer(folder)
    writeFileSync(join(tools, 'package.json'), '{"private": true}')
    run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...TOOLS], tools)
    const client = join(folder, 'extension.cjs')
    await build({ ...COMMON, entryPoints: [client], format: 'cjs', external: ['vscode'], nodePaths: [join(tools, 'node_modules')], outfile: join(folder, 'extension.js') })
    rmSync(client)
    const file = join(ROOT, `dist/detection-content-${version}.vsix`)
    run(join(tools, 'node_modules/.bin/vsce'), ['package', '--no-dependencies', '--allow-missing-repository', '--out', file], folder)
    console.log(file)
  } finally {
    rmSync(tools, { recursive: true, force: true })
  }
}

/** @param {string} command @param {string[]} args @param {string} cwd @throws if it fails */
function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit' })
  if (status !== 0) throw new Error(error?.message ?? `${command} ended with ${status}`)
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await pack()
