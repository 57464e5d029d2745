/**
 * A store whose questions are looked at: what the service asks while a request is answered, and how the store would find it, as SQLite and MongoDB explain it.
 */
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import type { Config } from '../../server/core/config.js'
import type {
  Collection,
  CollectionDefinition,
  Filter,
  FindOptions,
  IndexDefinition,
  PlatformCollection,
  Storage,
  StoredDocument,
  TenantCollection,
  TenantDocument,
} from '../../server/core/storage/contract.js'
import { openEmbeddedStorage } from '../../server/core/storage/embedded/index.js'
import { databaseOf } from '../../server/core/storage/mongo/client.js'
import { openMongoStorage } from '../../server/core/storage/mongo/index.js'
import { nativeFilter, type Stored } from '../../server/core/storage/mongo/native.js'
import { sqlitePlan } from './sqlite-plan.js'

/** What was asked of a collection. */
export interface Question {
  readonly kind: 'find' | 'count'
  readonly collection: string
  readonly filter: Filter<StoredDocument>
  readonly options: FindOptions<StoredDocument>
}

export interface WatchedStorage {
  readonly storage: Storage
  /** Every question that was asked; a caller that has read them empties the list. */
  readonly asked: Question[]
  /** Why the store does not answer it well. Null: by an index, which gives the order as well. */
  faultOf(question: Question): Promise<string | null>
}

const OWNERS: readonly string[] = ['organization_id', 'project_id']

type Read = Pick<Collection<StoredDocument>, 'findOne' | 'find' | 'count' | 'updateMany' | 'updatingMany' | 'deleteMany' | 'deletingMany'>
type Platform = PlatformCollection<StoredDocument>
type Tenant = TenantCollection<TenantDocument>

export async function openWatchedStorage({ mongodbUrl, dataDir }: Config): Promise<WatchedStorage> {
  const inner: Storage = mongodbUrl === null ? await openEmbeddedStorage({ directory: join(dataDir, 'store') }) : await openMongoStorage({ url: mongodbUrl })
  const client = mongodbUrl === null ? null : new MongoClient(mongodbUrl)
  const asked: Question[] = []
  const definitions = new Map<string, CollectionDefinition>()
  const storage = replacing(inner, {
    prepare: (all: readonly CollectionDefinition[]) => {
      for (const definition of all) definitions.set(definition.name, definition)
      return inner.prepare(all)
    },
    open: (definition: Platform) => noting(definition.name, inner.open(definition), asked),
    openTenant: (definition: Tenant) => noting(definition.name, inner.openTenant(definition), asked),
    close: async () => {
      await client?.close()
      await inner.close()
    },
  })
  return {
    storage,
    asked,
    async faultOf(question) {
      const definition = definitions.get(question.collection)
      if (definition === undefined) throw new TypeError(`no collection ${question.collection}`)
      if (definition.volatile === true || question.filter._id !== undefined) return null
      // How many there are in all is told by no index: it has as many keys.
      if (question.kind === 'count' && Object.keys(question.filter).length === 0) return null
      if (question.options.sort !== undefined && !definition.indexes.some((index) => servesOrder(index, question)))
        return 'no index has its equal fields first, and its order after them'
      if (client === null) {
        const { index, sorted } = sqlitePlan(definition, question.filter, question.options)
        if (index === null) return 'the whole collection is read'
        return sorted || picksFew(index, question) ? null : 'it is sorted in memory'
      }
      const native = client.db(databaseOf(mongodbUrl ?? '')).collection<Stored>(question.collection)
      const told = JSON.stringify(
        await native.find(nativeFilter(question.filter), { ...question.options, sort: { ...question.options.sort } as Record<string, 1 | -1> }).explain('queryPlanner'),
      )
      // That it sorts in memory although an index has the order is its own choice, by how many it expects to match.
      return told.includes('COLLSCAN') ? 'the whole collection is read' : told.includes('IXSCAN') ? null : `its plan is ${told}`
    },
  }
}

/** The fields of an organization, and of a project, come first; what is equal in all that is found may stand anywhere; then the order, as it is or reversed. */
function servesOrder({ keys, unique }: IndexDefinition, { filter, options: { sort = {} } }: Question): boolean {
  const equal = new Set(Object.entries(filter).flatMap(([field, condition]) => (isEquality(condition) ? [field] : [])))
  const fields = Object.entries(keys)
  // At most one is found.
  if (unique === true && fields.every(([field]) => equal.has(field))) return true
  const owners = OWNERS.filter((field) => equal.has(field))
  if (owners.some((owner, at) => fields[at]?.[0] !== owner)) return false
  const wanted = Object.entries(sort).filter(([field]) => !equal.has(field))
  let sense = 0
  for (const [field, direction] of fields) {
    if (wanted.length === 0) return true
    if (equal.has(field)) continue
    const [next, asked] = wanted.shift() as [string, number]
    if (next !== field || (sense !== 0 && sense !== direction * asked)) return false
    sense = direction * asked
  }
  return wanted.length === 0
}

/** Whether the index finds by an identifier beside those of the owners (a person, a workspace): of what belongs to one there is little to sort. */
function picksFew(index: readonly string[], { filter }: Question): boolean {
  return index.some((field) => /_(?:ids?|by)$/.test(field) && !OWNERS.includes(field) && isEquality((filter as Readonly<Record<string, unknown>>)[field] ?? {}))
}

function isEquality(condition: unknown): boolean {
  if (typeof condition !== 'object' || condition === null || condition instanceof Date) return true
  return 'has' in condition
}

function noting<T extends Read>(collection: string, inner: T, asked: Question[]): T {
  const note = (filter: Question['filter']): void => void asked.push({ kind: 'find', collection, filter, options: {} })
  return replacing(inner, {
    findOne: (filter: Question['filter'], options: Question['options'] = {}) => {
      asked.push({ kind: 'find', collection, filter, options: { ...options, limit: 1 } })
      return inner.findOne(filter, options)
    },
    updateMany: (...call: Parameters<Read['updateMany']>) => {
      note(call[0])
      return inner.updateMany(...call)
    },
    updatingMany: (...call: Parameters<Read['updatingMany']>) => {
      note(call[0])
      return inner.updatingMany(...call)
    },
    deleteMany: (filter: Question['filter']) => {
      note(filter)
      return inner.deleteMany(filter)
    },
    deletingMany: (filter: Question['filter']) => {
      note(filter)
      return inner.deletingMany(filter)
    },
    find: (filter: Question['filter'], options: Question['options'] = {}) => {
      asked.push({ kind: 'find', collection, filter, options })
      return inner.find(filter, options)
    },
    count: (filter: Question['filter']) => {
      asked.push({ kind: 'count', collection, filter, options: {} })
      return inner.count(filter)
    },
  })
}

/** The same object, but for some methods. */
function replacing<T extends object>(inner: T, methods: object): T {
  return new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(name in methods ? methods : target, name)
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value
    },
  })
}
