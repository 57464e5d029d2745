/**
 * Every list of the running service, with every filter and in every order: an index answers each query to the store and has its order; no collection is read
 * whole, and nothing is sorted in memory. New lists are tested automatically.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { isListQuery } from '../../server/core/http/request/list-query.js'
import type { Route } from '../../server/core/http/route.js'
import { type Actor, bootstrap, createKey } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { openWatchedStorage, type Question, type WatchedStorage } from '../support/query-plans.js'
import { createProject } from '../support/projects.js'
import { MemoryGit } from '../support/git/memory-git.js'
import { memoryOpeners } from '../support/git/openers.js'
import { DEFAULT_STORE } from '../support/stores.js'

/** For parameters that name an object that the test cannot create. */
const NOBODYS = '00000000-0000-4000-8000-000000000000'
const PAGING: ReadonlySet<string> = new Set(['limit', 'offset', 'sort', 'order'])
/** The first values stand for all in an enumeration with more values. */
const ENUM_VALUES = 8
/** Lists that are not in the store. */
const WITHOUT_STORE: ReadonlySet<string> = new Set(['templates.list', 'catalog.list-rules', 'catalog.list-decoders', 'integration-repositories.list', 'integration-branches.list'])
/** Lists that may read a whole collection: no index finds characters in a name, and only platform admins list all organizations. */
const READS_ALL: ReadonlySet<string> = new Set(['platform-admin.list-users q count', 'platform-admin.list-organizations q count'])
/** Replaces the address of an example, which may not exist. */
const NOWHERE = 'http://127.0.0.1:9/'

interface Property {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly format?: string
  readonly minimum?: number
  readonly default?: unknown
  readonly examples?: readonly unknown[]
}

/** The parameters of a request for a list. */
type Asking = Readonly<Record<string, string>>

describe(`every list, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let admin: Actor
  let watched: WatchedStorage
  /** By parameter: an existing object, or an id that does not exist. */
  const ids = new Map<string, Promise<string>>()

  before(async () => {
    const git = new MemoryGit()
    git.createRepository('example-soc/detection')
    app = await startTestApp({
      openers: memoryOpeners(git),
      env: { NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true' },
      open: async (config) => {
        watched = await openWatchedStorage(config)
        return watched.storage
      },
    })
    admin = await bootstrap(app.client)
    // A list by its owner starts with the existing owners.
    await createKey(admin, ['analysis:run'])
    ids.set('organization_id', Promise.resolve(admin.organizationId))
    ids.set('user_id', Promise.resolve(admin.userId))
    ids.set(
      'after',
      admin.client.get<{ id: string }[]>('/platform/audit').then(({ body }) => body[0].id),
    )
    ids.set(
      'project_id',
      createProject(admin).then(({ id }) => id),
    )
  })
  after(() => app?.close())

  /** Returns an object for a parameter, created by its route from the example body. */
  const idOf = (parameter: string): Promise<string> => {
    let id = ids.get(parameter)
    if (id === undefined) ids.set(parameter, (id = make(parameter)))
    return id
  }
  const make = async (parameter: string): Promise<string> => {
    const item = app.service.routes.find(({ path }) => path.endsWith(`/{${parameter}}`))
    const maker = app.service.routes.find(({ path, method }) => method === 'POST' && path === item?.path.replace(`/{${parameter}}`, ''))
    const example = Object.values(maker?.bodyExamples ?? {})[0]
    if (maker === undefined || typeof example !== 'object' || example === null) return NOBODYS
    const body: Record<string, unknown> = { ...example }
    for (const [field, value] of Object.entries(body)) {
      if (field === 'url') body[field] = NOWHERE
      else if (field.endsWith('_ids')) body[field] = []
      else if (field.endsWith('_id') && typeof value === 'string') body[field] = await idOf(field.replace(/^source_/, ''))
    }
    const { status, body: made } = await admin.client.post<{ id?: string }>(await pathOf(maker), body)
    return status === 200 && made.id !== undefined ? made.id : NOBODYS
  }
  const pathOf = async ({ path }: Route): Promise<string> => {
    let filled = path
    for (const [, name] of path.matchAll(/\{(\w+)\}/g)) filled = filled.replace(`{${name}}`, await idOf(name))
    return filled
  }

  /** Returns valid values of a filter. */
  const valuesOf = async (name: string, { type, enum: values, format, minimum, examples }: Property): Promise<readonly string[]> => {
    if (values !== undefined) return values.slice(0, ENUM_VALUES)
    if (type === 'boolean') return ['true', 'false']
    if (ids.has(name) || app.service.routes.some(({ path }) => path.includes(`{${name}}`))) return [await idOf(name)]
    if (examples?.[0] !== undefined) return [String(examples[0])]
    if (format === 'date-time') return ['2026-11-21T08:00:00.000Z']
    if (name.endsWith('_id')) return [NOBODYS]
    return [type === 'integer' || type === 'number' ? String(minimum ?? 1) : 'x']
  }

  /** Returns every order alone, and every filter in every order. */
  const askingsOf = async ({ query }: Route): Promise<readonly Asking[]> => {
    const properties = (query?.properties ?? {}) as Readonly<Record<string, Property>>
    const sorts = properties.sort?.enum ?? []
    const required: Record<string, string> = {}
    for (const name of query?.required ?? []) if (properties[name].default === undefined) required[name] = (await valuesOf(name, properties[name]))[0]
    const askings: Asking[] = [{}, ...sorts.flatMap((sort) => ['asc', 'desc'].map((order) => ({ sort, order })))]
    for (const [name, property] of Object.entries(properties)) {
      if (PAGING.has(name)) continue
      for (const value of await valuesOf(name, property)) askings.push(...(sorts.length === 0 ? [{ [name]: value }] : sorts.map((sort) => ({ [name]: value, sort }))))
    }
    return askings.map((asking) => ({ ...required, ...asking }))
  }

  const mayReadAll = (route: Route, asking: Asking, { kind }: Question): boolean => Object.keys(asking).some((name) => READS_ALL.has(`${route.id} ${name} ${kind}`))

  test('is answered by an index that has its order, for all parameters', async () => {
    const faults = new Set<string>()
    const lists = app.service.routes.filter(({ query }) => isListQuery(query))
    assert.ok(lists.length > 5)
    for (const route of lists) {
      const path = await pathOf(route)
      let sorted = 0
      for (const asking of await askingsOf(route)) {
        const call = `${route.id} ?${new URLSearchParams(asking)}`
        watched.asked.length = 0
        const { status, text } = await admin.client.get(`${path}?${new URLSearchParams(asking)}`)
        // A filter may name an object that the test cannot create.
        const missing = status === 404 && Object.values(asking).includes(NOBODYS)
        if (status !== 200 && !missing) faults.add(`${call}: ${status} ${text}`)
        for (const question of [...watched.asked]) {
          if (question.options.sort !== undefined) sorted++
          const fault = mayReadAll(route, asking, question) ? null : await watched.faultOf(question)
          if (fault !== null)
            faults.add(`${call}: ${question.kind} in ${question.collection} by ${Object.keys(question.filter)} in order of ${Object.keys(question.options.sort ?? {})}: ${fault}`)
        }
      }
      // Otherwise nothing was tested: its path needs an object, or it uses another kind of query.
      if (sorted === 0 && !WITHOUT_STORE.has(route.id)) faults.add(`${route.id}: no question with an order was put to the store`)
    }
    assert.deepEqual([...faults], [])
  })
})
