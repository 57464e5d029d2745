/**
 * Packs the extension of VS Code into `dist/detection-content-VERSION.vsix`, after a build:
 *
 *     npm run build && node .build/vsix.mjs
 *
 * The client's library, the bundler and vsce are installed into a temporary folder: nobody else needs them, and vsce alone has as many packages as the service.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const SOURCE = join(ROOT, 'server/language/vscode')
/** Ranges that a person raises; a newer major version may need another client. */
const TOOLS = ['esbuild@^0.28.0', 'vscode-languageclient@^11.0.0', '@vscode/vsce@^4.1.0']
/** As deep as compiled files are, because the engine finds the reference and the version by their place. */
const SERVER = 'dist/lsp/bundle/server.mjs'
/** The protocol's library is CommonJS and calls `require`, which a module has not by itself. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const tools = mkdtempSync(join(tmpdir(), 'detection-content-vsix-'))
try {
  const folder = join(tools, 'extension')
  cpSync(SOURCE, folder, { recursive: true })
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
  cpSync(join(ROOT, 'engine/reference'), join(folder, 'engine/reference'), { recursive: true })
  mkdirSync(join(folder, 'dist/lsp/bundle'), { recursive: true })
  writeFileSync(join(tools, 'package.json'), '{"private": true}')
  run('npm', ['install', '--no-audit', '--no-fund', ...TOOLS], tools)
  writeServer(tools)
  const esbuild = join(tools, 'node_modules/.bin/esbuild')
  const common = ['--bundle', '--minify', '--platform=node', '--target=node20', '--legal-comments=none']
  run(
    esbuild,
    [join(tools, 'server.mjs'), ...common, '--format=esm', `--alias:#workers=${join(tools, 'workers.mjs')}`, `--outfile=${join(folder, SERVER)}`, `--banner:js=${REQUIRE}`],
    ROOT,
  )
  run(esbuild, [join(folder, 'extension.cjs'), ...common, '--format=cjs', '--external:vscode', `--outfile=${join(folder, 'extension.js')}`], tools)
  rmSync(join(folder, 'extension.cjs'))
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version }, null, 2))
  const file = join(ROOT, `dist/detection-content-${version}.vsix`)
  run(join(tools, 'node_modules/.bin/vsce'), ['package', '--no-dependencies', '--allow-missing-repository', '--out', file], folder)
  console.log(file)
} finally {
  rmSync(tools, { recursive: true, force: true })
}

/** The server with content from disk, and what of the threads it needs. @param {string} folder */
function writeServer(folder) {
  const at = (path) => JSON.stringify(join(ROOT, 'dist', path))
  writeFileSync(
    join(folder, 'server.mjs'),
    `import { serveStdio } from ${at('server/cli/language/stdio.js')}
const named = { ruleset: null, custom: [] }
const isOrderly = await serveStdio({ stdin: process.stdin, stdout: process.stdout, named, locale: 'en-US', isLocaleNamed: false, helpUrl: null, call: 'detection-content' })
process.exit(isOrderly ? 0 : 1)
`,
  )
  writeFileSync(join(folder, 'workers.mjs'), `export * from ${at('workers/content/content.js')}\nexport * from ${at('workers/shared/clock.js')}\n`)
}

/** @param {string} command @param {string[]} args @param {string} cwd @throws if it fails */
function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit' })
  if (status !== 0) throw new Error(error?.message ?? `${command} ended with ${status}`)
}
