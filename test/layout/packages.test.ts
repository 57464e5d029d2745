/** Scripts that an installation of the dependencies runs, and reports that packages send. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>
}

const read = <T>(name: string): T => JSON.parse(readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8')) as T
const installed = Object.entries(read<LockFile>('package-lock.json').packages).map(([path, entry]) => ({
  name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
  ...entry,
}))

test('only the listed native modules run an installation script', () => {
  const { allowScripts } = read<{ readonly allowScripts: Readonly<Record<string, boolean>> }>('package.json')
  const names = new Set(installed.filter(({ hasInstallScript }) => hasInstallScript === true).map(({ name }) => name))
  assert.deepEqual([...names].sort(), Object.keys(allowScripts).sort())
})

test('no package reports its installation', () => {
  assert.ok(installed.length > 100)
  assert.deepEqual(
    installed.filter(({ name }) => name.startsWith('@scarf/')),
    [],
  )
})
