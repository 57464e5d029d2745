/**
 * Checks the chart of Helm in `docker/helm`: what it renders for the values in its folder `ci` is stored in `test/cases/chart`, has the types of Kubernetes'
 * interface, and starts the service. Where Helm is installed, it renders the chart again.
 *
 * To store it again: for f in default full; do helm template detection-content docker/helm --kube-version 1.32 -f docker/helm/ci/$f-values.yaml > test/cases/chart/$f.yaml; done
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import type { Container, EnvVar, PodTemplateSpec, Service } from 'kubernetes-types/core/v1.js'
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.js'
import ts from 'typescript'
import { parse, parseAllDocuments } from 'yaml'
import { CONFIG_VARIABLES, PREFIX, PROCESSES_LIMIT, readConfig } from '../../server/core/config.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const CHART = join(ROOT, 'docker/helm')
const CASES = ['default', 'full'] as const

/** Settings that are secrets or contain one: they are refused among the values, which Helm stores in plain text. */
const SECRET = ['MONGODB_URL', 'SECRET_KEY', 'SECRET_KEY_PREVIOUS', 'SMTP_URL', 'GATEWAY_WEBHOOK_SECRET', 'STRIPE_SECRET_KEY', 'METRICS_TOKEN']
/** Settings that the image or the chart has. */
const OF_THE_IMAGE = ['HOST', 'PORT', 'PEER_ADDRESS', 'DATA_DIR', 'CUSTOM_CONTENT_DIR']

/** Type of each kind, by module of `kubernetes-types`. PodMonitor belongs to the Prometheus Operator. */
const TYPES: Readonly<Record<string, string>> = {
  ConfigMap: 'core/v1',
  Deployment: 'apps/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  Ingress: 'networking/v1',
  NetworkPolicy: 'networking/v1',
  PodDisruptionBudget: 'policy/v1',
  Service: 'core/v1',
}

interface Resource {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  // Each kind has its own; the types of Kubernetes check them as a whole below.
  readonly spec: Readonly<Record<string, unknown>>
  readonly data?: Readonly<Record<string, string>>
}

const chart = yamlOf('Chart.yaml') as { readonly version: string; readonly appVersion: string }
const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as { readonly properties: { readonly settings: { readonly properties: object } } }
const isValid = new Ajv({ strict: false }).compile(schema)
const rendered = new Map(CASES.map((name) => [name, resourcesOf(name)]))

describe('the values of the chart', () => {
  test('have every setting that is not secret, and no unknown one', () => {
    const names = CONFIG_VARIABLES.map(({ name }) => name.slice(PREFIX.length))
    for (const name of [...SECRET, ...OF_THE_IMAGE]) assert.ok(names.includes(name), name)
    assert.deepEqual(
      Object.keys(schema.properties.settings.properties),
      names.filter((name) => !SECRET.includes(name) && !OF_THE_IMAGE.includes(name)),
    )
  })

  test('are checked: the defaults need a Secret, secrets and unknown values are refused', () => {
    const defaults = yamlOf('values.yaml') as object
    const own = { ...defaults, secretName: 'own' }
    assert.equal(isValid(own), true, JSON.stringify(isValid.errors))
    for (const name of CASES) assert.equal(isValid({ ...defaults, ...(yamlOf(`ci/${name}-values.yaml`) as object) }), true, JSON.stringify(isValid.errors))
    for (const wrong of [
      defaults,
      ...SECRET.map((name) => ({ ...own, settings: { [name]: 'x' } })),
      { ...own, settings: { UNKNOWN: 1 } },
      { ...own, settings: { WORKERS: { count: 1 } } },
      { ...own, unknown: true },
      { ...own, replicas: 0 },
      { ...own, strategy: 'Blue' },
      { ...own, autoscaling: { enabled: true, cpu: 0 } },
      { ...own, networkPolicy: { enabled: 'yes' } },
      // A peer that names nobody is everybody.
      { ...own, networkPolicy: { enabled: true, from: [{}] } },
    ])
      assert.equal(isValid(wrong), false, JSON.stringify(wrong))
  })

  test('each default is known to the schema', () => {
    const known = schema.properties as Readonly<Record<string, unknown>>
    assert.deepEqual(
      Object.keys(yamlOf('values.yaml') as object),
      Object.keys(known)
        .filter((name) => name !== 'global')
        .sort((a, b) => order(a) - order(b)),
    )
  })
})

describe('the chart', () => {
  test('installs the version of the package', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    assert.deepEqual([chart.version, chart.appVersion], [version, version])
  })

  test('is the one whose rendering is stored', () => {
    const files = readdirSync(CHART, { recursive: true, encoding: 'utf8' }).filter((file) => statSync(join(CHART, file)).isFile())
    const hash = createHash('sha256')
    for (const file of files.sort()) hash.update(`${file}\n${readFileSync(join(CHART, file), 'utf8')}\n`)
    assert.equal(stored('digest.txt').trim(), hash.digest('hex'), 'the chart was changed: render it again as above says, then store this digest')
  })

  test('renders what is stored', { skip: !runs('helm', 'version') && 'no helm here' }, () => {
    for (const name of CASES) {
      const values = join(CHART, `ci/${name}-values.yaml`)
      const lint = spawnSync('helm', ['lint', '--strict', '--kube-version', '1.32', CHART, '-f', values], { encoding: 'utf8' })
      assert.equal(lint.status, 0, lint.stdout + lint.stderr)
      const { stdout, stderr } = spawnSync('helm', ['template', 'detection-content', CHART, '--kube-version', '1.32', '-f', values], { encoding: 'utf8' })
      assert.equal(stdout, stored(`${name}.yaml`), stderr)
    }
    const refused = spawnSync('helm', ['template', 'detection-content', CHART, '--kube-version', '1.32'], { encoding: 'utf8' })
    assert.match(refused.stderr, /secretName/)
  })

  test('renders what the types of Kubernetes have, and nothing else', () => {
    const resources = [...rendered.values()].flat()
    const [deployment] = ofKind('default', 'Deployment')
    const unknown = { ...deployment, spec: { ...deployment.spec, replica: 2 } }
    const wrong = { ...deployment, spec: { ...deployment.spec, replicas: '2' } }
    const errors = typeErrors([...resources, unknown, wrong])
    assert.deepEqual(errors.slice(0, resources.length).filter(Boolean), [])
    // The check itself refuses what is not there, and what has the wrong type.
    assert.match(errors[resources.length], /'"replica"' does not exist/)
    assert.match(errors[resources.length + 1], /not assignable/)
  })

  test('starts the service with its settings and the Secret, and without privileges', () => {
    for (const name of CASES) {
      const { template } = podsOf(name)
      const { spec } = template
      const [container] = spec?.containers ?? []
      const [settings] = ofKind(name, 'ConfigMap')
      assert.deepEqual(
        container.envFrom?.map(({ configMapRef, secretRef }) => configMapRef?.name ?? secretRef?.name),
        [settings.metadata.name, 'detection-content'],
      )
      const config = readConfig({
        ...imageEnvironment(),
        ...settings.data,
        ...Object.fromEntries((container.env ?? []).map((variable) => [variable.name, given(variable, container)])),
      })
      assert.equal(config.workers, Number(container.resources?.requests?.cpu))
      assert.equal(config.port, container.ports?.[0].containerPort)
      assert.deepEqual(config.peerAddress, { host: POD_IP, port: container.ports?.[1].containerPort })
      assert.equal(config.maxRequestBytes, name === 'full' ? 64 * 2 ** 20 : 8 * 2 ** 20)
      assert.equal(spec?.securityContext?.runAsNonRoot, true)
      assert.equal(spec.automountServiceAccountToken, false)
      assert.deepEqual(container.securityContext, { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } })
      for (const folder of [config.dataDir, '/tmp'])
        assert.ok(
          container.volumeMounts?.some(({ mountPath }) => mountPath === folder),
          folder,
        )
      for (const { name: mounted } of container.volumeMounts ?? [])
        assert.ok(
          spec.volumes?.some((volume) => volume.name === mounted),
          mounted,
        )
    }
  })

  test('lets only pods of this release reach the ports of their peers, and those who are named reach the service', () => {
    assert.deepEqual(ofKind('default', 'NetworkPolicy'), [])
    const { template, selector } = podsOf('full')
    const [container] = template.spec?.containers ?? []
    const [policy] = ofKind('full', 'NetworkPolicy') as unknown as NetworkPolicy[]
    const { podSelector, policyTypes, ingress = [] } = policy.spec ?? {}
    assert.deepEqual([podSelector?.matchLabels, policyTypes], [selector, ['Ingress']])
    const [service, peers, ...others] = ingress
    assert.deepEqual(others, [])
    assert.deepEqual(service.ports, [{ protocol: 'TCP', port: container.ports?.[0].name }])
    const { networkPolicy } = yamlOf('ci/full-values.yaml') as { readonly networkPolicy: { readonly from: object } }
    assert.deepEqual(service.from, networkPolicy.from)
    assert.deepEqual(peers.from, [{ podSelector: { matchLabels: selector } }])
    // A port for each process, from the first one on.
    const first = container.ports?.[1].containerPort ?? 0
    assert.deepEqual(peers.ports, [{ protocol: 'TCP', port: first, endPort: first + PROCESSES_LIMIT - 1 }])
  })

  test('refers to pods, ports, routes and metrics that exist', () => {
    const routes = readFileSync(join(ROOT, 'server/core/http/probes.ts'), 'utf8') + readFileSync(join(ROOT, 'server/core/http/health-routes.ts'), 'utf8')
    for (const name of CASES) {
      const { template, selector } = podsOf(name)
      const [container] = template.spec?.containers ?? []
      const labels = template.metadata?.labels ?? {}
      const selects = (selected: Readonly<Record<string, string>>): boolean => Object.entries(selected).every(([key, value]) => labels[key] === value)
      assert.ok(selects(selector))
      const [service] = ofKind(name, 'Service') as unknown as Service[]
      assert.ok(selects(service.spec?.selector ?? {}))
      assert.equal(service.spec?.ports?.[0].targetPort, container.ports?.[0].name)
      for (const kind of ['PodDisruptionBudget', 'PodMonitor'])
        for (const { spec } of ofKind(name, kind)) assert.ok(selects((spec.selector as { matchLabels: Record<string, string> }).matchLabels), kind)
      for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
        assert.equal(probe?.httpGet?.port, 'http')
        assert.ok(routes.includes(`'${probe.httpGet.path}'`), probe.httpGet.path)
      }
      for (const { spec } of ofKind(name, 'HorizontalPodAutoscaler')) assert.equal((spec.scaleTargetRef as { name: string }).name, ofKind(name, 'Deployment')[0].metadata.name)
      for (const { metadata } of rendered.get(name) ?? []) assert.ok(Object.entries(selector).every(([key, value]) => metadata.labels[key] === value))
    }
    assert.deepEqual(
      [...rendered.values()].map((resources) => resources.map(({ kind }) => kind).sort()),
      [
        ['ConfigMap', 'Deployment', 'PodDisruptionBudget', 'Service'],
        ['ConfigMap', 'Deployment', 'HorizontalPodAutoscaler', 'Ingress', 'NetworkPolicy', 'PodDisruptionBudget', 'PodMonitor', 'Service'],
      ],
    )
    // What autoscaling waits for is a metric of the service.
    assert.match(stored('full.yaml'), /name: analysis_queue_length/)
    assert.ok(readFileSync(join(ROOT, 'server/core/observability/pool-metrics.ts'), 'utf8').includes("'analysis_queue_length'"))
  })
})

function yamlOf(name: string): unknown {
  return parse(readFileSync(join(CHART, name), 'utf8'))
}

/** Position of a top-level value in values.yaml. */
function order(name: string): number {
  return readFileSync(join(CHART, 'values.yaml'), 'utf8').search(new RegExp(`^${name}:`, 'm'))
}

function stored(name: string): string {
  return readFileSync(join(ROOT, `test/cases/chart/${name}`), 'utf8')
}

function resourcesOf(name: string): readonly Resource[] {
  return parseAllDocuments(stored(`${name}.yaml`)).map((document) => document.toJS() as Resource)
}

function ofKind(name: (typeof CASES)[number], kind: string): readonly Resource[] {
  return rendered.get(name)?.filter((resource) => resource.kind === kind) ?? []
}

function podsOf(name: (typeof CASES)[number]): { readonly template: PodTemplateSpec; readonly selector: Readonly<Record<string, string>> } {
  const [{ spec }] = ofKind(name, 'Deployment') as unknown as [{ spec: { template: PodTemplateSpec; selector: { matchLabels: Record<string, string> } } }]
  return { template: spec.template, selector: spec.selector.matchLabels }
}

/** The variables NAME=value of the image. */
function imageEnvironment(): Readonly<Record<string, string>> {
  const lines = readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8').matchAll(/NATIVE_SERVICE_\w+=\S+/g)
  return Object.fromEntries([...lines].map(([pair]) => pair.split('=') as [string, string]))
}

/** The longest kind of address: without brackets, as Kubernetes gives it. */
const POD_IP = 'fd00:10::7'

/** What Kubernetes gives the container: a sample of a secret, the requested processors, or the address of the pod. */
function given({ name, value, valueFrom }: EnvVar, container: Container): string {
  if (valueFrom?.resourceFieldRef !== undefined) return String(container.resources?.requests?.cpu)
  if (valueFrom?.fieldRef !== undefined) return POD_IP
  return (
    value?.replace('$(POD_IP)', POD_IP) ?? (name.endsWith('MONGODB_URL') ? 'mongodb://user:secret@mongo1,mongo2/content?replicaSet=rs0' : 'a secret of more than 16 characters')
  )
}

/** What the compiler says about each resource as a literal of the type of its kind: a literal may have no properties but those of its type. */
function typeErrors(resources: readonly Resource[]): readonly string[] {
  const line = (resource: Resource, index: number): string =>
    resource.kind === 'PodMonitor' ? '' : `export const r${index}: import('kubernetes-types/${TYPES[resource.kind]}.js').${resource.kind} = ${JSON.stringify(resource)}`
  // Beside this file, so that its packages are found.
  const file = join(dirname(fileURLToPath(import.meta.url)), 'rendered-chart.ts')
  const source = resources.map(line).join('\n')
  const options: ts.CompilerOptions = { strict: true, noEmit: true, types: [], lib: ['lib.es5.d.ts'], module: ts.ModuleKind.NodeNext, skipLibCheck: true }
  const host = ts.createCompilerHost(options)
  const { fileExists, getSourceFile } = host
  host.fileExists = (path) => path === file || fileExists(path)
  host.getSourceFile = (path, ...rest) => (path === file ? ts.createSourceFile(path, source, ts.ScriptTarget.ES2022) : getSourceFile(path, ...rest))
  const errors = resources.map(() => '')
  for (const { messageText, file: faulty, start } of ts.getPreEmitDiagnostics(ts.createProgram([file], options, host))) {
    const text = ts.flattenDiagnosticMessageText(messageText, '\n')
    assert.ok(faulty?.fileName === file && start !== undefined, text)
    errors[faulty.getLineAndCharacterOfPosition(start).line] += text
  }
  return errors
}

function runs(command: string, argument: string): boolean {
  return spawnSync(command, [argument]).status === 0
}
