/**
 * Holds the dependency rule: server → workers → engine → nothing of ours, and inside the engine and the server only downwards. Types are free: they
 * vanish in the build.
 */
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
/** The same for files and folders of the server. */
const SERVER_ORDER = [
  'errors.js',
  'etag.js',
  'nullable.js',
  'patterns.js',
  'pool-outcome.js',
  'version.js',
  'limits',
  'i18n',
  'config.js',
  'public-address.js',
  'observability',
  'storage',
  'tenancy',
  'jobs',
  'events',
  'gateways',
  'auth',
  'projects',
  'sse',
  'http',
  'openapi',
  'resources',
  'app.js',
  'main.js',
  'cli',
]
/** What a resource may use of another one. */
const RESOURCE_DOOR = 'service.js'
const TOP_MAY_IMPORT: Readonly<Record<string, readonly string[]>> = { engine: [], workers: ['#engine'], server: ['#requests', '#workers', '#engine'] }
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

test('threads, and what is below the server, load no module by an address that they are given', () => {
  const dynamic = ['engine', 'workers'].flatMap((top) => sourcesOf(join(DIST, top))).filter((file) => /\bimport\((?!['"])/.test(readFileSync(file, 'utf8')))
  assert.deepEqual(
    dynamic.map((file) => relative(DIST, file)),
    [],
  )
})

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

const SERVER = join(DIST, 'server')
const serverPart = (path: string): string => relative(SERVER, path).split(sep)[0]
/** Imports of each file of the server, of files of the server. */
const serverImports = sourcesOf(SERVER).map((file) => ({
  file,
  targets: importsOf(file)
    .filter((target) => target.startsWith('.'))
    .map((target) => join(dirname(file), target)),
}))

test('inside the server imports go down the order only', () => {
  const wrong = serverImports.flatMap(({ file, targets }) =>
    targets
      .filter((target) => serverPart(target) !== serverPart(file) && SERVER_ORDER.indexOf(serverPart(target)) > SERVER_ORDER.indexOf(serverPart(file)))
      .map((target) => `${relative(DIST, file)} → ${relative(DIST, target)}`),
  )
  assert.deepEqual(wrong, [])
})

test('every part of the server has its place in the order', () => {
  const parts = readdirSync(SERVER, { withFileTypes: true }).map(({ name }) => name)
  assert.deepEqual(
    parts.filter((name) => !name.endsWith('.map') && !SERVER_ORDER.includes(name)),
    [],
  )
})

test('a resource uses the service of another one only, and there is no way back', () => {
  const resourceOf = (path: string): string => relative(join(SERVER, 'resources'), path).split(sep)[0]
  const uses = serverImports
    .filter(({ file }) => serverPart(file) === 'resources')
    .flatMap(({ file, targets }) => targets.filter((target) => serverPart(target) === 'resources' && resourceOf(target) !== resourceOf(file)).map((target) => ({ file, target })))
    .filter(({ file }) => resourceOf(file) !== 'index.js')
  assert.deepEqual(
    uses.filter(({ target }) => !target.endsWith(sep + RESOURCE_DOOR)).map(({ file, target }) => `${relative(DIST, file)} → ${relative(DIST, target)}`),
    [],
  )
  const reach = new Map<string, Set<string>>()
  for (const { file, target } of uses) reach.set(resourceOf(file), (reach.get(resourceOf(file)) ?? new Set()).add(resourceOf(target)))
  const leadsTo = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(reach.get(from) ?? [])].some((next) => next === to || (!seen.has(next) && leadsTo(next, to, seen.add(next))))
  assert.deepEqual(
    [...reach.keys()].filter((resource) => leadsTo(resource, resource)),
    [],
  )
})

test('only scopes, and migrations, open collections of organizations', () => {
  const migrations = join(SERVER, 'storage', 'migrations') + sep
  const openers = sourcesOf(SERVER).filter((file) => !file.startsWith(migrations) && readFileSync(file, 'utf8').includes('.openTenant('))
  assert.deepEqual(
    openers.map((file) => relative(SERVER, file)),
    [join('tenancy', 'scope.js')],
  )
})
