/**
 * `node dist/bench/server/scim.bench.js [embedded|mongodb|both] [users]`: an identity provider provisions a directory. Printed are users a second with 1, 2 and 8
 * writers, pages at the start and at the end of the directory, changes of groups with 100, 1,000 and 10,000 members, and the time until the roles
 * of all members follow. MongoDB is started as in the tests (`test/support/mongod.ts`).
 */
import { Agent } from 'node:http'
import { startMongod } from '../../test/support/mongod.js'
import { median } from '../median.js'
import { report } from '../report.js'
import { callerOf } from './caller.js'
import { type BenchService, type BenchTenant, startBenchService } from './service.js'

const USERS = 10_000
/** Users of each organization that compares numbers of writers. */
const SAMPLE = 1000
const WRITERS = [1, 2, 8]
const PAGE = 200
const GROUP_SIZES = [100, 1000, 10_000]
/** Measurements of each page and each change of a group, of which the median is printed. */
const ROUNDS = 9
const LOOK_MS = 50
const SECRET = 'a secret for benches, of more than thirty-two characters'
const SCIM = '/scim/v2'
const SCHEMAS = 'urn:ietf:params:scim:schemas:core:2.0'
const ENV = { NATIVE_SERVICE_SELF_SIGNUP_ENABLED: 'true' }

type Json = ReturnType<typeof callerOf>

interface Directory {
  readonly tenant: BenchTenant
  readonly scim: Json
  readonly admin: Json
}

interface Identified {
  readonly id: string
}

const which = process.argv[2] ?? 'both'
const users = Number(process.argv[3] ?? USERS)
if (which !== 'mongodb') await bench('embedded store', ENV)
if (which !== 'embedded') {
  const mongod = await startMongod()
  try {
    await bench('MongoDB (stand-in)', { ...ENV, NATIVE_SERVICE_MONGODB_URL: mongod.url('scim_bench'), NATIVE_SERVICE_SECRET_KEY: SECRET })
  } finally {
    await mongod.stop()
  }
}

async function bench(store: string, env: Readonly<Record<string, string>>): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const service = await startBenchService(env)
  try {
    const rows: (string | number)[][] = []
    for (const writers of WRITERS) {
      const directory = await directoryOf(service, agent, `writers${writers}`)
      const before = await service.cpu()
      const { seconds } = await provision(directory.scim, `w${writers}`, 0, SAMPLE, writers)
      rows.push([`${writers} writers, ${SAMPLE} users`, SAMPLE / seconds, ((await service.cpu()) - before) / SAMPLE / 1000])
    }
    const directory = await directoryOf(service, agent, 'everybody')
    const ids: string[] = []
    for (let begin = 0; begin < users; begin += users / 5) {
      const before = await service.cpu()
      const { seconds, ids: created } = await provision(directory.scim, 'user', begin, users / 5, 2)
      ids.push(...created)
      rows.push([`2 writers, users ${begin + 1} to ${begin + users / 5}`, users / 5 / seconds, ((await service.cpu()) - before) / (users / 5) / 1000])
    }
    report('scim', { title: `${store}: provisioning of users`, columns: ['writers', 'users a second', 'processor ms a user'], rows })
    report('scim', { title: `${store}: pages of ${PAGE} of ${users} users`, columns: ['page', 'first ms', 'last ms'], rows: await pages(directory) })
    report('scim', {
      title: `${store}: groups, milliseconds`,
      columns: ['members', 'create', 'add one', 'remove one', 'get without members', 'get', 'roles of all follow', 'delete'],
      rows: await groups(directory, ids),
    })
  } finally {
    await service.stop()
    agent.destroy()
  }
}

async function directoryOf(service: BenchService, agent: Agent, name: string): Promise<Directory> {
  const tenant = await service.register(name)
  const admin = callerOf(service.url, agent, tenant.token)
  const { token } = await admin.json<{ token: string }>('POST', `/platform/organizations/${tenant.organizationId}/scim-tokens`, { name: 'directory' })
  return { tenant, admin, scim: callerOf(service.url, agent, token) }
}

async function provision({ json }: Json, prefix: string, begin: number, count: number, writers: number): Promise<{ readonly seconds: number; readonly ids: string[] }> {
  const ids: string[] = []
  let next = begin
  const started = performance.now()
  await Promise.all(
    Array.from({ length: writers }, async () => {
      for (let user = next++; user < begin + count; user = next++) {
        const userName = `${prefix}-${user}@example.test`
        const { id } = await json<Identified>('POST', `${SCIM}/Users`, {
          schemas: [`${SCHEMAS}:User`],
          userName,
          externalId: `${prefix}-${user}`,
          name: { familyName: String(user), givenName: prefix },
          displayName: `${prefix} ${user}`,
          emails: [{ value: userName, type: 'work', primary: true }],
          active: true,
        })
        ids.push(id)
      }
    }),
  )
  return { seconds: (performance.now() - started) / 1000, ids }
}

async function pages({ scim: { call } }: Directory): Promise<(string | number)[][]> {
  const last = users - PAGE + 2
  const page = (startIndex: number, query: string) => medianMs(() => call('GET', `${SCIM}/Users?startIndex=${startIndex}&count=${PAGE}${query}`))
  const rows: (string | number)[][] = []
  for (const [name, query] of [
    ['by id', ''],
    ['by id, without groups', '&excludedAttributes=groups'],
    ['by userName', '&sortBy=userName'],
    ['by meta.created, descending', '&sortBy=meta.created&sortOrder=descending'],
    ['filter userName sw', `&filter=${encodeURIComponent('userName sw "user"')}`],
  ])
    rows.push([name, await page(1, query), await page(last, query)])
  rows.push(['filter userName eq', await medianMs(() => call('GET', `${SCIM}/Users?filter=${encodeURIComponent(`userName eq "user-${users - 1}@example.test"`)}`)), Number.NaN])
  return rows
}

async function groups({ tenant, scim, admin }: Directory, ids: readonly string[]): Promise<(string | number)[][]> {
  const rows: (string | number)[][] = []
  for (const size of GROUP_SIZES.filter((one) => one <= ids.length)) {
    const displayName = `Group of ${size}`
    const members = ids.slice(0, size).map((value) => ({ value }))
    let id = ''
    const create = await ms(async () => {
      id = (await scim.json<Identified>('POST', `${SCIM}/Groups?excludedAttributes=members`, { schemas: [`${SCHEMAS}:Group`], displayName, members })).id
    })
    const path = `${SCIM}/Groups/${id}`
    const patch = (operation: object) => scim.json('PATCH', `${path}?attributes=id`, { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [operation] })
    const removing: number[] = []
    const adding: number[] = []
    for (const { value } of members.slice(0, ROUNDS)) {
      removing.push(await ms(() => patch({ op: 'remove', path: `members[value eq "${value}"]` })))
      adding.push(await ms(() => patch({ op: 'add', path: 'members', value: [{ value }] })))
    }
    const bare = await medianMs(() => scim.call('GET', `${path}?excludedAttributes=members`))
    const whole = await medianMs(() => scim.call('GET', path))
    const settle = await ms(async () => {
      await admin.json('PATCH', `/platform/organizations/${tenant.organizationId}/identity-policy`, { group_mappings: [{ group: displayName, role: 'engineer' }] })
      while (!(await hasEngineers({ tenant, admin }, size))) await pause()
    })
    const remove = await ms(() => scim.call('DELETE', path))
    while (await hasEngineers({ tenant, admin }, 1)) await pause()
    rows.push([size.toLocaleString('en-US'), create, median(adding), median(removing), bare, whole, settle, remove])
  }
  return rows
}

/** Whether at least so many members have the role of the mapping. */
async function hasEngineers({ tenant, admin }: Pick<Directory, 'tenant' | 'admin'>, count: number): Promise<boolean> {
  return (await admin.json<object[]>('GET', `/auth/organizations/${tenant.organizationId}/members?role=engineer&limit=1&offset=${count - 1}`)).length > 0
}

async function medianMs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) times.push(await ms(work))
  return median(times)
}

async function ms(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LOOK_MS))
}
