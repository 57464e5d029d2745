/**
 * `node dist/bench/server/projects.bench.js [embedded|mongodb|both] [seconds] [users] [projects] [think time in ms]`: users work on the projects of one organization and
 * mostly read. First one user works alone with short pauses; then all work at once with pauses to think. Printed are median and 95th percentile of each
 * request, alone and together. Requests to missing routes are skipped. MongoDB is started as in the tests (`test/support/mongod.ts`).
 */
import { Agent } from 'node:http'
import { startMongod } from '../../test/support/mongod.js'
import { type Caller, callerOf } from './caller.js'
import { latencyRows, type Samples, samplesOf } from './latencies.js'
import { report } from '../report.js'
import { type BenchService, startBenchService } from './service.js'

const USERS = 200
const PROJECTS = 1000
const SECONDS = 20
/** Initial cases of each project. */
const CASES = 5
/** Number of projects of a user; projects are shared by several users. */
const OWN_PROJECTS = 5
/** Mean pause between two requests of a user in milliseconds; each pause is between half and one and a half of it. */
const THINK_MS = 2000
/** Mean pause of the user who works alone, short enough to measure many requests. */
const ALONE_THINK_MS = 10
const WARM_SECONDS = 3
/** Concurrent requests while the store is filled. */
const FILL_AT_ONCE = 16
const PAGE = 20
/** Rules and decoders of a project: about 6 KB. */
const RULES = 20
const DECODERS = 5
const PASSWORD = 'a password for benches'
/** A role with all permissions that the script needs. */
const ROLE = 'security_content_lead'
const SECRET = 'a secret for benches, of more than thirty-two characters'

interface Person {
  readonly call: Caller
  readonly projects: readonly string[]
}

/** A request of the script: its weight, its route, and how it is built. */
interface Step {
  readonly name: string
  readonly weight: number
  /** As in the interface document. */
  readonly route: string
  run(person: Person, project: string): Promise<number>
}

const STEPS: readonly Step[] = [
  { name: 'projects, a page', weight: 18, route: 'GET /platform/projects', run: ({ call }) => call('GET', `/platform/projects?limit=${PAGE}&offset=${PAGE * pick(10)}`) },
  { name: 'projects, searched', weight: 4, route: 'GET /platform/projects', run: ({ call }) => call('GET', `/platform/projects?limit=${PAGE}&search=${pick(100)}&sort=name`) },
  { name: 'a project', weight: 20, route: 'GET /platform/projects/{project_id}', run: ({ call }, project) => call('GET', `/platform/projects/${project}`) },
  step('cases', 12, 'cases'),
  step('overview', 8, 'overview'),
  step('rules', 8, 'rules'),
  step('decoders', 3, 'decoders'),
  step('versions', 4, 'versions'),
  step('reviews', 4, 'reviews'),
  step('workspaces', 4, 'workspaces'),
  { name: 'dashboard', weight: 3, route: 'GET /platform/dashboard', run: ({ call }) => call('GET', '/platform/dashboard') },
  { name: 'notifications', weight: 5, route: 'GET /notifications', run: ({ call }) => call('GET', '/notifications') },
  { name: 'audit trail', weight: 4, route: 'GET /platform/audit', run: ({ call }) => call('GET', `/platform/audit?limit=${PAGE}`) },
  {
    name: 'change a project',
    weight: 4,
    route: 'PATCH /platform/projects/{project_id}',
    run: ({ call }, project) => call('PATCH', `/platform/projects/${project}`, { description: `as of ${Date.now()}` }),
  },
  {
    name: 'create a case',
    weight: 3,
    route: 'POST /platform/projects/{project_id}/cases',
    run: ({ call }, project) => call('POST', `/platform/projects/${project}/cases`, caseOf(pick(1000))),
  },
]

/** Requests that send a project's rules to a thread for the first time. */
const WARM_UP_ROUTES: ReadonlySet<string> = new Set(['GET /platform/projects/{project_id}/overview', 'GET /platform/projects/{project_id}/rules'])

const which = process.argv[2] ?? 'both'
const seconds = Number(process.argv[3] ?? SECONDS)
const users = Number(process.argv[4] ?? USERS)
const projectCount = Number(process.argv[5] ?? PROJECTS)
const thinkTime = Number(process.argv[6] ?? THINK_MS)
if (which !== 'mongodb') await bench('embedded store', {})
if (which !== 'embedded') {
  const mongod = await startMongod()
  try {
    await bench('MongoDB (stand-in)', { NATIVE_SERVICE_MONGODB_URL: mongod.url('projects_bench'), NATIVE_SERVICE_SECRET_KEY: SECRET })
  } finally {
    await mongod.stop()
  }
}

async function bench(store: string, env: Readonly<Record<string, string>>): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: users })
  const service = await startBenchService({ NATIVE_SERVICE_DOCS_EXPOSURE: 'public', ...env })
  try {
    const routes = await routesOf(service)
    const steps = STEPS.filter(({ route }) => routes.has(route))
    const people = await fill(service, agent, routes)
    await warmUpService(people, steps)
    await work(people.slice(0, 1), steps, WARM_SECONDS, ALONE_THINK_MS)
    const alone = await work(people.slice(0, 1), steps, seconds, ALONE_THINK_MS)
    await work(people, steps, WARM_SECONDS, thinkTime)
    const before = await service.cpu()
    const together = await work(people, steps, seconds, thinkTime)
    const cpu = ((await service.cpu()) - before) / (seconds * 1e6)
    report('projects', {
      title: `${store}: ${users} users on ${projectCount} projects with ${thinkTime} ms between requests, ${Math.round(together.count / seconds)} requests a second, ${cpu.toFixed(2)} cores, ${together.refused} refused; one user alone with ${ALONE_THINK_MS} ms`,
      ...latencyRows(alone, together),
    })
  } finally {
    await service.stop()
    agent.destroy()
  }
}

/** Creates the projects and logs all users in. */
async function fill(service: BenchService, agent: Agent, routes: ReadonlySet<string>): Promise<readonly Person[]> {
  const login = async (email: string, password: string): Promise<{ token: string; organizationId: string }> => {
    const { access_token, current_organization } = await callerOf(service.url, agent).json<{ access_token: string; current_organization: { id: string } }>('POST', '/auth/login', {
      email,
      password,
    })
    return { token: access_token, organizationId: current_organization.id }
  }
  const { token, organizationId } = await login(service.login.email, service.login.password)
  const admin = callerOf(service.url, agent, token)
  const ids = await atOnce(projectCount, async (n) => {
    const { id } = await admin.json<{ id: string }>('POST', '/platform/projects', projectOf(n))
    if (routes.has('POST /platform/projects/{project_id}/cases')) for (let i = 0; i < CASES; i++) await admin.json('POST', `/platform/projects/${id}/cases`, caseOf(i))
    return id
  })
  return atOnce(users, async (n) => {
    const email = `user${n}@example.test`
    await admin.json('POST', `/auth/organizations/${organizationId}/members`, { email, display_name: `User ${n}`, password: PASSWORD, role: ROLE })
    const { call } = callerOf(service.url, agent, (await login(email, PASSWORD)).token)
    return { call, projects: Array.from({ length: OWN_PROJECTS }, (_, i) => ids[(n * OWN_PROJECTS + i * 7) % ids.length]) }
  })
}

/** Sends each request once per user, so that a warm service is measured. */
async function warmUpService(people: readonly Person[], steps: readonly Step[]): Promise<void> {
  const warmUp = steps.filter(({ route }) => WARM_UP_ROUTES.has(route))
  await atOnce(people.length, async (n) => {
    for (const project of people[n].projects) for (const step of warmUp) await step.run(people[n], project)
  })
}

/** Lets the users work for the duration. */
async function work(people: readonly Person[], steps: readonly Step[], duration: number, thinkMs: number): Promise<Samples> {
  const samples = samplesOf()
  const until = performance.now() + duration * 1000
  const total = steps.reduce((sum, { weight }) => sum + weight, 0)
  const next = (): Step => {
    let left = Math.random() * total
    return steps.find(({ weight }) => (left -= weight) < 0) ?? steps[0]
  }
  await Promise.all(
    people.map(async (person) => {
      // Users start at different moments.
      await pause(Math.random() * thinkMs)
      while (performance.now() < until) {
        const one = next()
        const started = performance.now()
        const status = await one.run(person, person.projects[pick(person.projects.length)])
        samples.add(one.name, performance.now() - started, status)
        await pause(thinkMs * (0.5 + Math.random()))
      }
    }),
  )
  return samples
}

/** A list request of a project. */
function step(name: string, weight: number, path: string): Step {
  return { name, weight, route: `GET /platform/projects/{project_id}/${path}`, run: ({ call }, project) => call('GET', `/platform/projects/${project}/${path}`) }
}

/** All routes of the service, as `METHOD path`. */
async function routesOf({ url }: BenchService): Promise<ReadonlySet<string>> {
  const document = (await (await fetch(`${url}/api/v1/openapi.json`)).json()) as { readonly paths: Readonly<Record<string, object>> }
  return new Set(Object.entries(document.paths).flatMap(([path, operations]) => Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`)))
}

function projectOf(n: number): object {
  const decoders = Array.from({ length: DECODERS }, (_, i) => `<decoder name="app${n}-${i}">\n  <prematch>^app${n}-${i}: </prematch>\n</decoder>`)
  const rules = Array.from(
    { length: RULES },
    (_, i) =>
      `  <rule id="${100_100 + i}" level="${3 + (i % 10)}">\n    <decoded_as>app${n}-${i % DECODERS}</decoded_as>\n    <match>event ${i}</match>\n    <description>Application ${n}, event ${i}</description>\n    <group>app_event,</group>\n  </rule>`,
  )
  return { name: `Project ${n}`, decoders_xml: decoders.join('\n'), rules_xml: `<group name="app${n},">\n${rules.join('\n')}\n</group>\n` }
}

function caseOf(n: number): object {
  return { name: `Case ${n}`, event_text: `Nov 21 08:15:30 gw1 app: event ${n} of ana from 203.0.113.7`, expected_rule: String(100_100 + (n % RULES)) }
}

async function atOnce<T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) results[n] = await make(n)
  }
  await Promise.all(Array.from({ length: FILL_AT_ONCE }, worker))
  return results
}

function pick(count: number): number {
  return Math.floor(Math.random() * count)
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
