/** Holds the dependency rule: server → workers → engine → nothing of ours, and inside the engine only downwards. Types are free: they vanish in the build. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'

const DIST = join(dirname(fileURLToPath(import.meta.url)), '../..')

/** A folder of the engine imports only folders before it; decoders and rules never each other. */
const ENGINE_ORDER = [
  'source',
  'diagnostics',
  'xml',
  'json',
  'event',
  'expressions',
  'conditions',
  'lists',
  'predecoding',
  'trace',
  'decoders',
  'rules',
  'checks',
  'ruleset',
  'match',
  'insights',
  'logtest',
  'describe',
]
const TOP_MAY_IMPORT: Readonly<Record<string, readonly string[]>> = { engine: [], workers: ['#engine'], server: ['#workers', '#engine'] }
const IMPORT = /^(?:import|export)\s[^'"]*?from\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]/gm

function sourcesOf(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
    .map((entry) => join(entry.parentPath, entry.name))
}

function importsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].map((match) => match[1] ?? match[2])
}

test('the build is there', () => {
  assert.ok(sourcesOf(join(DIST, 'engine')).length > 50)
})

for (const [top, allowed] of Object.entries(TOP_MAY_IMPORT)) {
  test(`${top} imports other top folders only through their doors`, () => {
    const wrong = sourcesOf(join(DIST, top)).flatMap((file) =>
      importsOf(file)
        .filter((target) => (target.startsWith('#') ? !allowed.includes(target) : target.startsWith('.') && !join(dirname(file), target).startsWith(join(DIST, top) + sep)))
        .map((target) => `${relative(DIST, file)} → ${target}`),
    )
    assert.deepEqual(wrong, [])
  })
}

test('inside the engine imports go down the order only', () => {
  const root = join(DIST, 'engine')
  const folderOf = (path: string): string => relative(root, path).split(sep)[0]
  const wrong = sourcesOf(root).flatMap((file) => {
    const own = folderOf(file)
    if (own.endsWith('.js')) return []
    return importsOf(file)
      .filter((target) => target.startsWith('.'))
      .map((target) => folderOf(join(dirname(file), target)))
      .filter((other) => other !== own && (ENGINE_ORDER.indexOf(other) > ENGINE_ORDER.indexOf(own) || !ENGINE_ORDER.includes(other) || (own === 'rules' && other === 'decoders')))
      .map((other) => `${relative(DIST, file)} → ${other}`)
  })
  assert.deepEqual(wrong, [])
})

test('every folder of the engine has its place in the order', () => {
  const folders = readdirSync(join(DIST, 'engine'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  assert.deepEqual(
    folders.map(({ name }) => name).filter((name) => !ENGINE_ORDER.includes(name)),
    [],
  )
})
