/**
 * Compiles the kernel of the engine to WebAssembly: `npm install --no-save assemblyscript@0.28.20 && node .build/kernel.mjs`. The compiler is no dependency,
 * because it takes 102 MB and the result is in the repository (`engine/kernel/wasm.ts`). A test compares the digest of the sources, and compiles them where the
 * compiler is installed.
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const KERNEL = join(ROOT, 'engine', 'kernel')
const RESULT = join(KERNEL, 'wasm.ts')
/** Sources that run as JavaScript too: in them a number is an integer of 32 bits. */
const SHARED = ['layout', 'ascii', 'scan', 'headers', 'syslog-tag', 'receive', 'osmatch', 'osregex', 'pcre2', 'json-records']
/** Sources of WebAssembly alone. */
const OWN = ['access', 'texts', 'json-tokens', 'json-names', 'json-flatten', 'json-shapes', 'json-unescape', 'index']
const OPTIONS = ['-O3', '--noAssert', '--runtime', 'stub', '--importMemory', '--initialMemory', '64', '--maximumMemory', '16384', '--enable', 'simd']

/** Returns the sources as AssemblyScript, by name. */
export function kernelSources() {
  return [
    ...SHARED.map((name) => [
      name,
      readFileSync(join(KERNEL, `${name}.ts`), 'utf8')
        .replace(/from '(.*)\.js'/g, "from '$1'")
        .replace(/: number\b/g, ': i32')
        .replace(/: boolean\b/g, ': bool'),
    ]),
    ...OWN.map((name) => [name, readFileSync(join(KERNEL, 'assembly', `${name}.as`), 'utf8')]),
  ]
}

/** The digest of the sources and options. */
export function kernelDigest() {
  return createHash('sha256')
    .update(JSON.stringify([kernelSources(), OPTIONS]))
    .digest('hex')
}

/** Compiles the sources, and returns the module in base64. */
export async function compileKernel() {
  const { main } = await import('assemblyscript/asc')
  const folder = mkdtempSync(join(tmpdir(), 'kernel-'))
  try {
    for (const [name, text] of kernelSources()) writeFileSync(join(folder, `${name}.ts`), text)
    const { error, stderr } = await main(['index.ts', '--baseDir', folder, '--outFile', 'kernel.wasm', ...OPTIONS])
    if (error !== null) throw new Error(stderr.toString())
    return readFileSync(join(folder, 'kernel.wasm')).toString('base64')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lines = (await compileKernel()).match(/.{1,160}/g)
  writeFileSync(
    RESULT,
    [
      '/** The kernel in base64, as `.build/kernel.mjs` compiles it. */',
      'export const WASM =',
      lines.map((line, at) => `  ${at === 0 ? '' : '  '}'${line}'`).join(' +\n'),
      '',
      '/** The digest of the sources and options from which it was compiled. */',
      `export const SOURCES = '${kernelDigest()}'`,
      '',
    ].join('\n'),
  )
}
