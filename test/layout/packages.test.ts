/** Scripts that an installation of the dependencies runs, reports that packages send, and packages that nothing uses. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>
}

interface Manifest {
  readonly allowScripts: Readonly<Record<string, boolean>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly scripts: Readonly<Record<string, string>>
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const read = <T>(name: string): T => JSON.parse(readFileSync(join(ROOT, name), 'utf8')) as T
const manifest = read<Manifest>('package.json')
const installed = Object.entries(read<LockFile>('package-lock.json').packages).map(([path, entry]) => ({
  name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
  ...entry,
}))

test('no package runs an installation script: those that have one work without it', () => {
  const names = installed.filter(({ hasInstallScript }) => hasInstallScript === true).map(({ name }) => name)
  assert.deepEqual(manifest.allowScripts, Object.fromEntries(names.map((name) => [name, false])))
})

test('no package reports its installation', () => {
  assert.ok(installed.length > 100)
  assert.deepEqual(
    installed.filter(({ name }) => name.startsWith('@scarf/')),
    [],
  )
})

/** Packages that the sources in folders import. */
function importedBy(folders: readonly string[]): ReadonlySet<string> {
  const sources = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.[cm]?tsx?$|\.mjs$/.test(name))
      .map((name) => readFileSync(join(ROOT, folder, name), 'utf8')),
  )
  const specifiers = sources.flatMap((text) => Array.from(text.matchAll(/(?:\bfrom |\bimport |\bimport\(|\bresolve\()'((?:@[\w.-]+\/)?[\w.-]+)(?:\/[^']*)?'/g), ([, name]) => name))
  return new Set(specifiers)
}

test('something that is installed imports each dependency', () => {
  const imported = importedBy(['engine', 'workers', 'server'])
  assert.ok(imported.has('koa') && imported.has('stripe') && imported.has('@octokit/core'), 'imports are found')
  assert.deepEqual(
    Object.keys(manifest.dependencies).filter((name) => !imported.has(name)),
    [],
  )
})

test('tests, benchmarks or scripts use each development dependency', () => {
  const imported = importedBy(['engine', 'workers', 'server', 'test', 'bench', '.build'])
  const scripts = Object.values(manifest.scripts).join('\n')
  const isUsed = (name: string): boolean => {
    const typed = name.startsWith('@types/') ? name.slice('@types/'.length) : null
    if (typed !== null) return typed === 'node' || imported.has(typed)
    return imported.has(name) || scripts.includes(`${name.split('/').at(-1)} `)
  }
  assert.deepEqual(
    Object.keys(manifest.devDependencies).filter((name) => !isUsed(name)),
    [],
  )
})
