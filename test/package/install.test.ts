/** The packed package, installed in an empty folder without network: its command line, its library, its types and its service. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startServiceProcess } from '../support/service-process.js'

interface Packed {
  readonly filename: string
  /** Bytes of the tarball, and of its content. */
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url))
const MAX_BYTES = 5_000_000
const LOGIN = 'Jan  5 10:11:12 web1 sshd[2201]: Invalid user admin from 203.0.113.7 port 50122'
const TOKEN = 'a token of more than sixteen characters'.replaceAll(' ', '-')

const read = <T>(name: string): T => JSON.parse(readFileSync(join(CHECKOUT, name), 'utf8')) as T
const { version, bin } = read<{ readonly version: string; readonly bin: Readonly<Record<string, string>> }>('package.json')
const folder = mkdtempSync(join(tmpdir(), 'package-'))
const modules = join(folder, 'node_modules')
const installed = join(modules, 'detection-content')
const program = join(modules, '.bin/detection-content')
let packed: Packed

/** Runs a command; throws with its output if it fails. */
function run(command: string, args: readonly string[], cwd: string, input = ''): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, input, encoding: 'utf8', env: { PATH: process.env.PATH, HOME: folder, LANG: 'en_US.UTF-8' } })
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${error?.message ?? ''}${stdout}${stderr}`)
  return stdout
}

const node = (args: readonly string[], input?: string): string => run(process.execPath, args, folder, input)

/** Links the packages that an installation without development dependencies has. */
function linkDependencies(): void {
  const { packages } = read<{ readonly packages: Readonly<Record<string, { readonly dev?: boolean }>> }>('package-lock.json')
  for (const [path, { dev = false }] of Object.entries(packages)) {
    if (dev || !/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) || !existsSync(join(CHECKOUT, path))) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    symlinkSync(join(CHECKOUT, path), join(folder, path))
  }
}

/** Returns the example of `engine/README.md`. */
function example(): string {
  const found = /^## As a library$[\s\S]*?^```js\n([\s\S]*?)^```$/m.exec(readFileSync(join(CHECKOUT, 'engine/README.md'), 'utf8'))
  assert.ok(found !== null)
  return found[1]
}

const missing = ['npm', 'tar'].filter((tool) => spawnSync(tool, ['--version']).error !== undefined)

describe('the package', { skip: missing.length > 0 && `no ${missing.join(', ')} here` }, () => {
  before(() => {
    // The build exists; `prepare` would build again while other tests use it.
    packed = (JSON.parse(run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], CHECKOUT)) as [Packed])[0]
    mkdirSync(installed, { recursive: true })
    run('tar', ['-xzf', packed.filename, '-C', installed, '--strip-components=1'], folder)
    mkdirSync(dirname(program))
    symlinkSync(join(installed, bin['detection-content']), program)
    linkDependencies()
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('contains only what is needed to run, in less than 5 MB', () => {
    const paths = packed.files.map(({ path }) => path)
    const roots = new Set(
      paths.map((path) =>
        path
          .split('/')
          .slice(0, path.startsWith('dist/') ? 2 : 1)
          .join('/'),
      ),
    )
    assert.deepEqual([...roots].sort(), ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist/engine', 'dist/server', 'dist/workers', 'engine', 'package.json', 'server', 'workers'])
    assert.deepEqual(
      paths.filter((path) => /\.(map|tsbuildinfo|test\.js)$/.test(path) || (path.endsWith('.ts') && !path.endsWith('.d.ts'))),
      [],
    )
    assert.ok(packed.size < MAX_BYTES, `${packed.size} bytes`)
  })

  it('has the command line', () => {
    assert.equal(node([program, '--version']), `${version}\n`)
    assert.match(node([program, 'logtest'], `${LOGIN}\n`), /5710 · level 5/)
  })

  it('runs the example of the documentation', () => {
    writeFileSync(join(folder, 'example.mjs'), example())
    assert.deepEqual(node(['example.mjs']).trimEnd().split('\n'), [
      'own_rules.xml:9: error: Rule 100101 has the parent rule 99999, which does not exist.',
      '100100 Log-in attempt from the test network: admin',
    ])
  })

  it('has types for all exports', () => {
    const source = `${example()}
import { createSession, type LogtestReport, type Session } from 'detection-content'
const session: Session = createSession(ruleset)
const reports: readonly LogtestReport[] = [logtest(ruleset, { event: 'x', location: '/var/log/x' }, { session, trace: true, at: new Date(0), locale: 'pt-BR' })]
// @ts-expect-error a compiled ruleset comes from compile
logtest({ hash: '', loads: true }, 'x')
// @ts-expect-error there is no such kind of file
compile([{ kind: 'rule', filename: '', content: '' }])
// @ts-expect-error a report is not changed
reports[0].ok = false
`
    writeFileSync(join(folder, 'example.mts'), source)
    const compilerOptions = { strict: true, noEmit: true, target: 'ES2023', lib: ['ES2023', 'DOM'], types: [], module: 'NodeNext', moduleResolution: 'NodeNext' }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['example.mts'] }))
    node([join(CHECKOUT, 'node_modules/typescript/bin/tsc'), '-p', folder])
  })

  it('has the service, and all parts report the version of package.json', async () => {
    const env = { NATIVE_SERVICE_DATA_DIR: join(folder, 'data'), NATIVE_SERVICE_DOCS_EXPOSURE: 'public', NATIVE_SERVICE_METRICS_TOKEN: TOKEN }
    const service = await startServiceProcess(env, [], join(installed, 'dist/server/main.js'))
    try {
      const call = async (path: string, init?: RequestInit): Promise<string> => {
        const response = await fetch(`${service.origin}${path}`, init)
        const text = await response.text()
        assert.ok(response.ok, `${path}: ${response.status} ${text}`)
        return text
      }
      const body = { organization_name: 'Example SOC', organization_description: '', email: 'ana@example.com', display_name: 'Ana', password: 'a long passphrase' }
      const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
      const { access_token } = JSON.parse(await call('/api/v1/auth/bootstrap', init)) as { access_token: string }
      assert.ok((await call('/api/v1/templates', { headers: { Authorization: `Bearer ${access_token}` } })).length > 1_000)
      assert.ok((await call('/api/v1/docs/try.js')).length > 1_000)
      assert.equal((JSON.parse(await call('/api/v1/openapi.json')) as { info: { version: string } }).info.version, version)
      assert.ok((await call('/metrics', { headers: { Authorization: `Bearer ${TOKEN}` } })).includes(`detection_content_build_info{version="${version}"`))
    } finally {
      await service.stop('SIGTERM')
    }
    writeFileSync(join(folder, 'own_rules.xml'), '<group name="own,"><rule id="100100" level="3"><description>Own</description></rule></group>')
    const sarif = JSON.parse(node([program, 'validate', '--format', 'sarif', 'own_rules.xml'])) as { runs: { tool: { driver: { version: string } } }[] }
    assert.equal(sarif.runs[0].tool.driver.version, version)
  })
})

it('the lock file and the newest entry of the changelog have the version of package.json', () => {
  const { version: locked, packages } = read<{ readonly version: string; readonly packages: Readonly<Record<string, { readonly version?: string }>> }>('package-lock.json')
  assert.deepEqual([locked, packages[''].version], [version, version])
  const [, newest] = /^## \[?(\d+\.\d+\.\d+)\]?/m.exec(readFileSync(join(CHECKOUT, 'CHANGELOG.md'), 'utf8')) ?? []
  assert.equal(newest, version)
})
