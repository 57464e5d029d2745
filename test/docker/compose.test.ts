/**
 * Checks `docker/`: every setting reaches the service, every database requires a user, and secrets are created once. The files are only read, so Docker is not
 * needed.
 */
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { CONFIG_VARIABLES, readConfig } from '../../server/core/config.js'
import { databaseOf } from '../../server/core/storage/mongo/client.js'
import { SELF_SIGNED } from '../support/self-signed.js'

const DOCKER = fileURLToPath(new URL('../../../docker/', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'docker-'))
after(() => rmSync(folder, { recursive: true }))

type Environment = Readonly<Record<string, string | null>>

interface Service {
  readonly extends?: { readonly file?: string; readonly service: string }
  readonly image?: string
  readonly user?: string
  readonly command?: readonly string[]
  readonly entrypoint?: readonly string[]
  readonly environment?: Environment
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly restart?: string
  readonly depends_on?: unknown
}

interface Composition {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes?: Readonly<Record<string, null>>
}

const at = (name: string): string => join(DOCKER, name)
const read = (name: string): string => readFileSync(at(name), 'utf8')

function composition(name: string): Composition {
  // Merge keys are YAML 1.1, which Compose supports. `!override` is an extension of Compose: the value replaces that of another file.
  return parse(read(name), { merge: true, customTags: [{ tag: '!override', collection: 'seq' }] }) as Composition
}

/** A service with the one that it extends, merged as Compose does: maps and lists are joined, other values are replaced. */
function serviceOf(file: string, name: string): Service {
  const own = composition(file).services[name]
  assert.ok(own !== undefined, `${file} has no ${name}`)
  if (own.extends === undefined) return own
  const base = serviceOf(own.extends.file ?? file, own.extends.service)
  return { ...base, ...own, environment: { ...base.environment, ...own.environment }, volumes: [...(base.volumes ?? []), ...(own.volumes ?? [])] }
}

const FILES = ['compose.yaml', 'compose.cluster.yaml'] as const
const services = FILES.flatMap((file) => Object.keys(composition(file).services).map((name) => ({ file, name, service: serviceOf(file, name) })))
const apis = services.filter(({ service }) => service.image === 'detection-content')
const members = services.filter(({ service }) => service.image?.startsWith('mongo:'))
const dockerfile = read('Dockerfile')
/** The variables `NAME=value` in the ENV of the image. */
const imageEnvironment = Object.fromEntries(
  [...dockerfile.matchAll(/^ENV (.+)$/gm)].flatMap(([, line]) => line.split(' ').map((pair) => pair.split('=') as [string, string])).filter(([name]) => name.startsWith('NATIVE_')),
)
const REQUIRED = /\$\{(\w+):\?[^}]+\}/g

describe('the compositions', () => {
  test('pass every setting to the service, and no unknown one', () => {
    assert.equal(apis.length, 3)
    const known = CONFIG_VARIABLES.map(({ name }) => name)
    for (const { file, name, service } of apis) {
      const passed = Object.keys(service.environment ?? {})
      assert.deepEqual(
        known.filter((variable) => !passed.includes(variable) && !Object.hasOwn(imageEnvironment, variable)),
        [],
        `${file} ${name} does not pass on`,
      )
      assert.deepEqual(
        passed.filter((variable) => !known.includes(variable)),
        [],
        `${file} ${name} has settings that there are not`,
      )
      // A variable without a value is passed through if it is set; an empty one would be refused.
      for (const [variable, value] of Object.entries(service.environment ?? {})) assert.ok(value === null || value !== '', variable)
    }
  })

  test('start the service with valid settings, and with a user of the replica set', () => {
    const variables = makeEnv('settings.env')
    for (const { file, service } of apis) {
      const environment = Object.fromEntries(Object.entries(service.environment ?? {}).flatMap(([name, value]) => (value === null ? [] : [[name, interpolated(value, variables)]])))
      const config = readConfig({ ...imageEnvironment, ...environment })
      assert.equal(config.host, '0.0.0.0')
      assert.equal(databaseOf(config.mongodbUrl ?? ''), 'detection_content')
      assert.match(config.mongodbUrl ?? '', new RegExp(`^mongodb://detection_content:${variables.MONGODB_PASSWORD}@[\\w:,]+/detection_content\\?replicaSet=rs0$`))
      const hosts = /@([^/]+)\//.exec(config.mongodbUrl ?? '')?.[1].split(',')
      const first = members.find((member) => member.file === file && member.service.environment?.MONGODB_MEMBERS !== undefined)
      // The driver uses the member names of the replica set.
      assert.deepEqual(hosts, first?.service.environment?.MONGODB_MEMBERS?.split(' '))
      for (const host of hosts ?? []) assert.ok(Object.hasOwn(composition(file).services, host.split(':')[0]), host)
    }
  })

  test('start MongoDB as a replica set whose members authenticate by a key, and require a user', () => {
    assert.equal(members.length, 4)
    for (const { file, name, service } of members) {
      const command = service.command?.join(' ')
      assert.match(command ?? '', /^mongod --replSet rs0 .*--keyFile \/tmp\/keyfile$/, `${file} ${name}`)
      assert.deepEqual(service.entrypoint, ['bash', '/mongo/start.sh'])
      assert.match(service.environment?.MONGODB_REPLICA_KEY ?? '', /^\$\{MONGODB_REPLICA_KEY:\?/)
      const isFirst = service.environment?.MONGODB_MEMBERS !== undefined
      assert.equal(Object.hasOwn(service.environment ?? {}, 'MONGO_INITDB_ROOT_PASSWORD'), isFirst, 'users are created on one member')
      assert.equal(service.volumes?.includes('./mongo/make-user.js:/docker-entrypoint-initdb.d/make-user.js:ro'), isFirst)
    }
  })

  test('start all services with minimal privileges, health checks and restarts', () => {
    for (const { file, name, service } of services) {
      const what = `${file} ${name}`
      assert.equal(service.read_only, true, what)
      assert.deepEqual(service.cap_drop, ['ALL'], what)
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'], what)
      assert.equal(service.restart, 'unless-stopped', what)
      const isOurs = service.image === 'detection-content'
      assert.ok(isOurs ? /^USER node$/m.test(dockerfile) : service.user !== undefined && !/^(?:0|root)\b/.test(service.user), `${what} runs as root`)
      assert.ok(isOurs ? /^HEALTHCHECK .*CMD \["node", "docker\/healthcheck\.mjs"\]$/m.test(dockerfile) : service.healthcheck !== undefined, `${what} is not looked after`)
      // Data is in named volumes; mounts of this folder exist and are read-only.
      for (const volume of service.volumes ?? []) {
        const [source, , mode] = volume.split(':')
        if (source.startsWith('.')) assert.ok(existsSync(at(source)) && mode === 'ro', `${what}: ${volume}`)
        else assert.ok(Object.hasOwn(composition(file).volumes ?? {}, source), `${what}: ${volume}`)
      }
      // By default only this machine can connect.
      for (const port of service.ports ?? []) assert.match(port, /^127\.0\.0\.1:/, what)
    }
    const tls = composition('compose.tls.yaml').services.balancer
    assert.deepEqual(tls.ports, ['80:8080', '443:8443'])
    assert.ok(tls.volumes?.some((volume) => volume.includes('/haproxy-tls.cfg:')) && tls.command?.includes('/usr/local/etc/haproxy/haproxy-tls.cfg'))
  })

  test('use only secrets of docker/.env, and contain none', () => {
    const variables = makeEnv('names.env')
    for (const name of ['api.yaml', 'mongo.yaml', ...FILES]) {
      const text = read(name)
      for (const [, variable] of text.matchAll(REQUIRED)) assert.ok(Object.hasOwn(variables, variable), `${name}: ${variable}`)
      for (const [line] of text.matchAll(/^.*(?:PASSWORD|SECRET_KEY|REPLICA_KEY): .+$/gm)) assert.match(line, /: \$\{\w+:\?/, name)
    }
  })
})

describe('docker/make-env.sh', () => {
  test('creates different secrets each time, readable by the owner only, and never overwrites a file', () => {
    const first = makeEnv('first.env')
    assert.deepEqual(Object.keys(first), ['NATIVE_SERVICE_SECRET_KEY', 'MONGODB_ROOT_PASSWORD', 'MONGODB_PASSWORD', 'MONGODB_REPLICA_KEY'])
    for (const secret of Object.values(first)) assert.match(secret, /^[0-9a-f]{64}$/)
    assert.equal(new Set([...Object.values(first), ...Object.values(makeEnv('second.env'))]).size, 8)
    assert.equal(statSync(join(folder, 'first.env')).mode & 0o777, 0o600)
    const again = spawnSync('bash', [at('make-env.sh'), join(folder, 'first.env')], { encoding: 'utf8' })
    assert.equal(again.status, 1)
    assert.match(again.stderr, /first\.env exists already/)
    assert.deepEqual(readEnv('first.env'), first)
  })

  test('creates a file that git and the image ignore', () => {
    for (const ignored of ['.gitignore', '.dockerignore']) assert.match(readFileSync(join(DOCKER, '..', ignored), 'utf8'), /^\.env$/m, ignored)
  })
})

describe('the image', () => {
  test('is built and runs on one LTS line of Node.js that the package permits', () => {
    const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
    assert.deepEqual(
      images.map((image) => /^node:(\d+)-bookworm(?:-slim)?$/.exec(image)?.[1]),
      ['24', '24'],
    )
    const { engines } = JSON.parse(readFileSync(join(DOCKER, '../package.json'), 'utf8')) as { engines: { node: string } }
    assert.match(engines.node, /^>=\d+/)
    assert.ok(Number(/\d+/.exec(engines.node)) <= 24)
  })

  test('reports readiness by its health check', async () => {
    let status = 200
    const server = createServer((request, response) => void response.writeHead(request.url === '/readyz' ? status : 404).end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const check = (port: number): Promise<number> =>
      promisify(execFile)(process.execPath, [at('healthcheck.mjs')], { env: { NATIVE_SERVICE_PORT: String(port) } }).then(
        () => 0,
        ({ code }: { code: number }) => code,
      )
    const { port } = server.address() as AddressInfo
    try {
      assert.equal(await check(port), 0)
      status = 503
      assert.equal(await check(port), 1)
    } finally {
      await new Promise((resolve) => server.close(resolve))
    }
    assert.equal(await check(port), 1)
  })
})

describe('scripts and the balancer', () => {
  test('of bash and of mongosh can be parsed', () => {
    for (const name of ['make-env.sh', 'mongo/start.sh']) execFileSync('bash', ['-n', at(name)])
    for (const name of ['mongo/healthcheck.js', 'mongo/make-user.js']) {
      const copy = join(folder, `${basename(name, '.js')}.cjs`)
      writeFileSync(copy, read(name))
      execFileSync(process.execPath, ['--check', copy])
    }
  })

  test('knows the instances of the cluster, and overwrites forged headers', () => {
    const instances = Object.keys(composition('compose.cluster.yaml').services).filter((name) => name.startsWith('api'))
    assert.deepEqual(
      [...read('haproxy.cfg').matchAll(/^ {2}server (\w+) (\w+):8080$/gm)].map(([, name, host]) => [name, host]),
      instances.map((name) => [name, name]),
    )
    for (const [name, proto] of [
      ['haproxy.cfg', 'http'],
      ['haproxy-tls.cfg', 'https'],
    ]) {
      assert.match(read(name), new RegExp(`^ {2}http-request set-header X-Forwarded-Proto ${proto}$`, 'm'))
      assert.match(read(name), /^ {2}http-request set-header X-Forwarded-Host %\[req\.hdr\(host\)\]$/m)
    }
  })

  const noHaproxy = spawnSync('haproxy', ['-v']).error !== undefined && 'no haproxy here'
  test('has a configuration that HAProxy accepts, with TLS and without', { skip: noHaproxy }, async () => {
    const { cert, key } = SELF_SIGNED
    const certificate = join(folder, 'site.pem')
    writeFileSync(certificate, `${cert}${key}`)
    const tls = join(folder, 'tls.cfg')
    writeFileSync(tls, read('haproxy-tls.cfg').replace('/certificates/site.pem', certificate))
    const plain = at('haproxy.cfg')
    for (const [files, env] of [
      [[plain], {}],
      [[plain, tls], { REDIRECT_TO_HTTPS: '1' }],
    ] as const) {
      const { status, stderr } = spawnSync('haproxy', ['-c', ...files.flatMap((file) => ['-f', file])], { env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' })
      assert.equal(status, 0, stderr)
      // The names of the instances can be resolved only inside the composition.
      const warnings = stderr.split('\n').filter((line) => line.includes('[WARNING]') && !line.includes('could not resolve address'))
      assert.deepEqual(warnings, [])
    }
  })
})

/** Runs the script and returns the variables of its file. */
function makeEnv(name: string): Record<string, string> {
  execFileSync('bash', [at('make-env.sh'), join(folder, name)], { stdio: 'pipe' })
  return readEnv(name)
}

function readEnv(name: string): Record<string, string> {
  const lines = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n')
  return Object.fromEntries(lines.map((line) => line.split('=') as [string, string]))
}

/** Interpolates variables as Compose does, in the two forms that the files use. */
function interpolated(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(REQUIRED, (_, name: string) => variables[name]).replace(/\$\{(\w+):-([^}]*)\}/g, (_, name: string, fallback: string) => variables[name] ?? fallback)
}
