/**
 * Checks the dependency rule on the sources, including imports of types and `import()`: server → workers → engine → nothing else of this repository, and only
 * downwards inside the engine, `workers`, the server and `server/core`.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..')

/** A part imports only itself and parts before it. A part is a folder, or a file beside the folders. */
const ENGINE_ORDER = [
  'source',
  'kernel',
  'diagnostics',
  'records',
  'xml',
  'json',
  'expressions',
  'redos',
  'conditions',
  'lists',
  'event',
  'predecoding',
  'wrappers',
  'decoders',
  'rules',
  'trace',
  'ruleset',
  'checks',
  'compiler',
  'match',
  'insights',
  'logtest',
  'replay',
  'generate',
  'audit',
  'describe',
  'diff',
  'repairs',
  'mutate',
  'merge',
  'upgrade',
  'sigma',
  'data.ts',
  'index.ts',
]
const SERVER_ORDER = ['language', 'playground', 'core', 'cluster', 'analysis', 'content', 'docs', 'features', 'features.ts', 'context.ts', 'service.ts', 'app.ts', 'main.ts', 'cli']
const CORE_ORDER = [
  'errors.ts',
  'etag.ts',
  'next-signal.ts',
  'nullable.ts',
  'patterns.ts',
  'pool-outcome.ts',
  'version.ts',
  'limits',
  'i18n',
  'default-processes.ts',
  'config.ts',
  'public-address.ts',
  'redirect-path.ts',
  'observability',
  'storage',
  'tenancy',
  'jobs',
  'events',
  'egress',
  'mail',
  'auth',
  'sse',
  'http',
  'report-page',
  'playground-site.ts',
  'audit',
  'wing.ts',
]
/** Wings: each imports only the `index.ts` of wings before it. Nothing but `features.ts` imports the optional ones, so that each can be deleted with its line. */
const REQUIRED_WINGS = ['accounts', 'webhooks']
const OPTIONAL_WINGS = ['assistant', 'billing', 'connections', 'feedback', 'notifications', 'platform', 'playground', 'replays', 'scim', 'sso']
const HTTP_ORDER = [
  'listen.ts',
  'content-encoding.ts',
  'validation',
  'text',
  'connection',
  'route.ts',
  'request-state.ts',
  'identity',
  'limits',
  'request',
  'response',
  'request-id.ts',
  'router.ts',
  'health-routes.ts',
  'pages',
  'probes.ts',
  'access-log.ts',
  'handle.ts',
  'application.ts',
  'server.ts',
]
const WORKERS_ORDER = [
  'requests',
  'shared',
  'git',
  'reading',
  'content',
  'sessions',
  'thread',
  'pool',
  'runs',
  'replay',
  'library',
  'basics.ts',
  'in-thread.ts',
  'library.ts',
  'pool-requests.ts',
  'peer-pools.ts',
  'analysis-pool.ts',
  'index.ts',
]
const ORDERS = {
  engine: ENGINE_ORDER,
  workers: WORKERS_ORDER,
  server: SERVER_ORDER,
  'server/core': CORE_ORDER,
  'server/core/http': HTTP_ORDER,
  'server/features': [...REQUIRED_WINGS, ...OPTIONAL_WINGS],
}
/** Folders of one order that never import each other. */
const STRANGERS = [join('engine', 'decoders'), join('engine', 'rules')]
/** The only file of a resource that another resource of its wing may import. */
const RESOURCE_DOOR = 'service.ts'
/** Where resources are folders beside each other, and which folders there are none: what all of them share. */
const RESOURCES: Readonly<Record<string, readonly string[]>> = {
  'server/content': ['shared'],
  'server/features/accounts': ['dns'],
  'server/features/connections': ['gateways'],
  'server/features/platform': [],
  'server/features/replays': [],
  'server/features/scim': ['protocol'],
  'server/features/sso': ['oidc'],
}
const TOP_MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  engine: ['#platform'],
  workers: ['#engine', '#engine-data'],
  server: ['#basics', '#git', '#in-thread', '#requests', '#workers', '#engine', '#engine-data'],
}

interface Import {
  /** Path of the importing file from the root of the repository. */
  readonly from: string
  /** As written. */
  readonly specifier: string
  /** Path of the imported file; null: not of this repository. */
  readonly to: string | null
}

interface Source {
  readonly path: string
  readonly text: string
  readonly imports: readonly Import[]
}

function sourceOf(path: string): Source {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const imports = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName: specifier }) => ({
    from: path,
    specifier,
    to: specifier.startsWith('.') ? join(dirname(path), specifier).replace(/js$/, 'ts') : null,
  }))
  return { path, text, imports }
}

/** The browser's script is compiled separately, and imports nothing. */
const SOURCES = Object.keys(TOP_MAY_IMPORT).flatMap((top) =>
  readdirSync(join(ROOT, top), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.c?ts$/.test(entry.name))
    .map((entry) => sourceOf(relative(ROOT, join(entry.parentPath, entry.name)))),
)
const IMPORTS = SOURCES.flatMap(({ imports }) => imports)

/** Returns the part of a folder that a file belongs to; null: the file is not in the folder. */
function partOf(folder: string, path: string): string | null {
  return path.startsWith(folder + sep) ? path.slice(folder.length + 1).split(sep)[0] : null
}

const arrow = ({ from, specifier }: Import): string => `${from} → ${specifier}`

test('the sources are found, with imports of types and imports of functions', () => {
  assert.ok(SOURCES.length > 500)
  assert.ok(IMPORTS.some(({ from, specifier }) => from === join('server', 'core', 'http', 'route.ts') && specifier === '../tenancy/permissions.js'))
  assert.ok(IMPORTS.some(({ from, specifier }) => from === join('server', 'cli', 'serve.ts') && specifier === '../main.js'))
})

for (const [top, allowed] of Object.entries(TOP_MAY_IMPORT)) {
  test(`${top} imports other top folders only through their entries`, () => {
    const wrong = IMPORTS.filter(
      ({ from, specifier, to }) => partOf(top, from) !== null && (to === null ? specifier.startsWith('#') && !allowed.includes(specifier) : partOf(top, to) === null),
    )
    assert.deepEqual(wrong.map(arrow), [])
  })
}

for (const [folder, order] of Object.entries(ORDERS)) {
  const root = join(...folder.split('/'))

  test(`inside ${folder} parts import only parts below them`, () => {
    const wrong = IMPORTS.filter(({ from, to }) => {
      const own = partOf(root, from)
      const other = to === null ? null : partOf(root, to)
      return own !== null && other !== null && own !== other && order.indexOf(other) > order.indexOf(own)
    })
    assert.deepEqual(wrong.map(arrow), [])
  })

  test(`every part of ${folder} is listed in the order`, () => {
    const parts = new Set(SOURCES.map(({ path }) => partOf(root, path)).filter((part) => part !== null))
    assert.deepEqual([...parts].sort(), [...order].sort())
  })
}

test('no files of workers import each other in a circle', () => {
  const root = 'workers' + sep
  const uses = new Map<string, string[]>()
  for (const { from, to } of IMPORTS) if (to !== null && from.startsWith(root)) uses.set(from, [...(uses.get(from) ?? []), to])
  const found: string[] = []
  const done = new Set<string>()
  const visit = (path: string, above: readonly string[]): void => {
    if (above.includes(path)) found.push([...above.slice(above.indexOf(path)), path].join(' → '))
    if (done.has(path)) return
    done.add(path)
    for (const next of uses.get(path) ?? []) visit(next, [...above, path])
  }
  for (const path of uses.keys()) visit(path, [])
  assert.ok(uses.size > 50, 'imports are found')
  assert.deepEqual(found, [])
})

test('decoders and rules of the engine never import each other', () => {
  const wrong = IMPORTS.filter(({ from, to }) => to !== null && STRANGERS.some((a) => STRANGERS.some((b) => a !== b && partOf(a, from) !== null && partOf(b, to) !== null)))
  assert.deepEqual(wrong.map(arrow), [])
})

for (const [folder, shared] of Object.entries(RESOURCES)) {
  test(`in ${folder} a resource imports only the service of another one, without cycles`, () => {
    const root = join(...folder.split('/'))
    const uses = IMPORTS.flatMap((one) => {
      const own = partOf(root, one.from)
      const other = one.to === null ? null : partOf(root, one.to)
      return own === null || other === null || own === other || own === 'index.ts' || shared.includes(own) || shared.includes(other) ? [] : [{ one, own, other }]
    })
    assert.deepEqual(
      uses.filter(({ one, other }) => one.to !== join(root, other, RESOURCE_DOOR)).map(({ one }) => arrow(one)),
      [],
    )
    const reach = new Map<string, Set<string>>()
    for (const { own, other } of uses) reach.set(own, (reach.get(own) ?? new Set()).add(other))
    const leadsTo = (from: string, to: string, seen = new Set<string>()): boolean =>
      [...(reach.get(from) ?? [])].some((next) => next === to || (!seen.has(next) && leadsTo(next, to, seen.add(next))))
    assert.deepEqual(
      [...reach.keys()].filter((resource) => leadsTo(resource, resource)),
      [],
    )
  })

  test(`in ${folder} what resources share imports none of them`, () => {
    const root = join(...folder.split('/'))
    const wrong = IMPORTS.filter(({ from, to }) => {
      const own = partOf(root, from)
      const other = to === null ? null : partOf(root, to)
      return own !== null && other !== null && shared.includes(own) && !shared.includes(other)
    })
    assert.deepEqual(wrong.map(arrow), [])
  })
}

/** Wings of `server/features`, and the files outside of them that know them. */
const wingOf = (path: string): string | null => partOf(join('server', 'features'), path)

test('wings are entered only through their index', () => {
  const wrong = IMPORTS.filter(
    ({ from, to }) => to !== null && wingOf(to) !== null && wingOf(from) !== wingOf(to) && to !== join('server', 'features', wingOf(to) as string, 'index.ts'),
  )
  assert.deepEqual(wrong.map(arrow), [])
})

test('an optional wing can be deleted with its line in features.ts', () => {
  const users = IMPORTS.filter(({ from, to }) => to !== null && OPTIONAL_WINGS.includes(wingOf(to) ?? '') && wingOf(from) !== wingOf(to) && from !== join('server', 'features.ts'))
  assert.deepEqual(users.map(arrow), [])
})

/** `import()` of a computed path could load any module. */
test('every import() has a literal path, but that of the module that a thread loads', () => {
  const wrong = SOURCES.filter(({ text }) => text.includes('import(')).flatMap(({ path, text }) => {
    const found: string[] = []
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword && !node.arguments.every(ts.isStringLiteral)) found.push(`${path}: ${node.getText()}`)
      ts.forEachChild(node, visit)
    }
    visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
    return found
  })
  assert.deepEqual(wrong, [`${join('workers', 'thread', 'thread-entry.cts')}: import(url)`])
})

/** Globals that only Node has. */
const NODE_GLOBALS: ReadonlySet<string> = new Set(['Buffer', 'process', 'global', 'require', '__dirname', '__filename', 'setImmediate'])
const NODE_PLATFORM = join('engine', 'source', 'platform-node.ts')

test('the engine runs in browsers: only its platform for Node uses what is of Node', () => {
  const words = new RegExp(`\\b(?:${[...NODE_GLOBALS].join('|')})\\b`)
  const usesNode = ({ text, path }: Source): boolean => {
    let found = false
    const visit = (node: ts.Node): void => {
      const isName = ts.isIdentifier(node) && NODE_GLOBALS.has(node.text)
      // The name of a member or of a property is none of a global.
      found ||= isName && !(ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) && !(ts.isPropertyAssignment(node.parent) && node.parent.name === node)
      ts.forEachChild(node, visit)
    }
    if (words.test(text)) visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
    return found
  }
  const engine = SOURCES.filter(({ path }) => path.startsWith(`engine${sep}`))
  const importing = engine.filter(({ imports }) => imports.some(({ specifier }) => specifier.startsWith('node:')))
  assert.deepEqual(
    [...importing, ...engine.filter(usesNode)].map(({ path }) => path),
    [NODE_PLATFORM, NODE_PLATFORM],
  )
})

/** Modules of Node that open connections, and what of them does not: servers, types, and what works on texts. */
const NETWORK = /^node:(?:http|https|http2|net|tls|dgram|dns|dns\/promises)$/
const NO_CLIENT: ReadonlySet<string> = new Set(['createServer', 'BlockList', 'isIP', 'isIPv4', 'isIPv6', 'Server', 'validateHeaderName', 'validateHeaderValue', 'TLSSocket'])
/** Who may connect to other hosts: the guarded client and its resolver, TXT records, and the processes of the service among themselves. Libraries are given the client. */
const CONNECTING = ['server/cluster/transport.ts', 'server/core/egress/client.ts', 'server/core/egress/resolve.ts', 'server/features/accounts/dns/txt.ts']
/** What of the playground's page asks its own origin, to which its policy holds it: nothing else of the page sends anything. */
const ASKING_OWN_ORIGIN = ['server/playground/page/model/folder-client.ts', 'server/playground/page/model/service-client.ts']

test('only the guarded client connects to hosts that tenants name', () => {
  const browser = join('server', 'docs', 'browser') + sep
  const connects = ({ path, text }: Source): boolean => {
    if (path.startsWith(browser)) return false
    let found = false
    const visit = (node: ts.Node): void => {
      if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier) && NETWORK.test(node.moduleSpecifier.text) && node.importClause?.isTypeOnly !== true) {
        const bindings = node.importClause?.namedBindings
        const names = bindings !== undefined && ts.isNamedImports(bindings) ? bindings.elements.filter(({ isTypeOnly }) => !isTypeOnly) : null
        found ||= names === null || names.some(({ name, propertyName }) => !NO_CLIENT.has((propertyName ?? name).text))
      }
      found ||= ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'fetch'
      ts.forEachChild(node, visit)
    }
    if (text.includes('fetch(') || text.includes("from 'node:")) visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
    return found
  }
  assert.deepEqual(
    SOURCES.filter(connects)
      .map(({ path }) => path.split(sep).join('/'))
      .sort(),
    [...CONNECTING, ...ASKING_OWN_ORIGIN],
  )
})

test('the language server runs in a page: it imports what needs no Node, itself and its two libraries', () => {
  const root = join('server', 'language') + sep
  const ofServer = IMPORTS.filter(({ from }) => from.startsWith(root))
  assert.ok(ofServer.length > 50, 'imports are found')
  const wrong = ofServer.filter(({ specifier, to }) =>
    to === null
      ? specifier !== '#engine' && specifier !== '#in-thread' && !/^vscode-(?:jsonrpc|languageserver-types|languageserver-protocol)$/.test(specifier)
      : !to.startsWith(root),
  )
  assert.deepEqual(wrong.map(arrow), [])
  // Only types of this package are used: it is not installed with the service.
  const typed = SOURCES.filter(({ path, text }) => path.startsWith(root) && /^import \{[^}]*\} from 'vscode-languageserver-protocol'/m.test(text))
  assert.deepEqual(
    typed.map(({ path }) => path),
    [],
  )
})

test('only scopes, reads of platform admins, and migrations open collections of organizations', () => {
  const migrations = join('server', 'core', 'storage', 'migrations') + sep
  const openers = SOURCES.filter(({ path, text }) => !path.startsWith(migrations) && text.includes('.openTenant('))
  assert.deepEqual(
    openers.map(({ path }) => path),
    [join('server', 'core', 'tenancy', 'all-organizations.ts'), join('server', 'core', 'tenancy', 'scope.ts')],
  )
})

/** Imports that the start of a module needs: neither those of types alone, nor `import()`. */
const AT_START = /^(?:import|export)\s(?!type\b)[^'"]*?from '([^']+)'/gm
const ENTRIES: Readonly<Record<string, string>> = {
  '#basics': join('workers', 'basics.ts'),
  '#engine': join('engine', 'index.ts'),
  '#engine-data': join('engine', 'data.ts'),
  '#git': join('workers', 'git', 'index.ts'),
  '#in-thread': join('workers', 'in-thread.ts'),
  '#platform': join('engine', 'source', 'platform-node.ts'),
  '#workers': join('workers', 'index.ts'),
  '#requests': join('workers', 'requests', 'index.ts'),
}

/** Packages and files of this repository that are loaded before the first statement of that file runs. */
function loadedAtStart(entry: string): { readonly packages: ReadonlySet<string>; readonly files: ReadonlySet<string> } {
  const packages = new Set<string>()
  const files = new Set([entry])
  for (const path of files) {
    for (const [, specifier] of SOURCES.find((source) => source.path === path)?.text.matchAll(AT_START) ?? []) {
      const to = specifier.startsWith('.') ? join(dirname(path), specifier).replace(/js$/, 'ts') : ENTRIES[specifier]
      if (to === undefined) packages.add(specifier)
      else files.add(to)
    }
  }
  return { packages, files }
}

const COMMAND_FILES = SOURCES.filter(({ path, text }) => path.startsWith(join('server', 'cli') + sep) && /^export const \w+: Command</m.test(text)).map(({ path }) => path)

/** Loading all of them would take as long as the rest of the start. */
test('a start loads no library that only some organizations, or other processes, use', () => {
  const late = /^(@octokit|@gitbeaker|nodemailer|openai|stripe|mongodb|libsql|diff$|minisearch|sax|typebox\/)/
  const loaded = (path: string, pattern: RegExp): string[] => [...loadedAtStart(path).packages].filter((name) => pattern.test(name))
  assert.deepEqual(loaded(join('server', 'app.ts'), late), [])
  assert.deepEqual(loaded(join('workers', 'thread', 'thread.ts'), /typebox/), [])
  for (const path of COMMAND_FILES) assert.deepEqual(loaded(path, /typebox|^koa$/), [], path)
  assert.ok(loadedAtStart(join('server', 'app.ts')).packages.has('typebox'), 'imports are found')
})

/** Hooks and editors start it often: help and refusals take a fifth of the time without the engine. */
test('the command line loads a command, and the engine with it, when it knows which', () => {
  const { files } = loadedAtStart(join('server', 'cli', 'main.ts'))
  assert.ok(COMMAND_FILES.length > 20, 'commands are found')
  const engines = Object.entries(ENTRIES).flatMap(([name, path]) => (name === '#basics' ? [] : [path]))
  assert.deepEqual(
    [...engines, ...COMMAND_FILES].filter((path) => files.has(path)),
    [],
  )
  assert.ok(files.has(ENTRIES['#basics']), 'imports are found')
})

/** It would take 10 MB in each process, and a tenth of a second of its start. */
test('an event loop leaves the engine to threads: it loads none of what compiles and runs', () => {
  const { files } = loadedAtStart(join('server', 'app.ts'))
  assert.ok(files.has(ENTRIES['#engine-data']), 'imports are found')
  assert.deepEqual(
    [ENTRIES['#engine'], join('engine', 'compiler', 'compile.ts'), join('engine', 'match', 'run-event.ts')].filter((path) => files.has(path)),
    [],
  )
})

/** Before `main.ts` loads the service, it decides whether this process is the supervisor of others. */
test('the supervisor loads neither the engine nor the pool', () => {
  const entries = Object.values(ENTRIES).filter((path) => path !== ENTRIES['#basics'])
  const { files } = loadedAtStart(join('server', 'main.ts'))
  assert.deepEqual(
    entries.filter((path) => files.has(path)),
    [],
  )
  assert.ok(files.has(join('server', 'cluster', 'supervisor.ts')), 'imports are found')
})
