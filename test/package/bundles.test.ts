/** Processes and threads start from bundles: their entries load no module of the project one by one. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const { ENTRIES, SHARED } = (await import(pathToFileURL(join(ROOT, '.build/bundle-processes.mjs')).href)) as { readonly ENTRIES: readonly string[]; readonly SHARED: string }

describe('bundles', () => {
  test('hold all that an entry imports of the project', () => {
    for (const entry of ENTRIES) {
      const file = join(ROOT, 'dist', `${entry}.js`)
      const imported = [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?"([.#][^"]*)"/g)].map(([, path]) => relative(join(ROOT, 'dist'), join(dirname(file), path)))
      assert.deepEqual(
        imported.filter((path) => !path.startsWith(SHARED) && !ENTRIES.includes(path.replace(/\.js$/, ''))),
        [],
        entry,
      )
    }
  })
})
