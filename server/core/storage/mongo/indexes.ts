/** Creates collections and their indexes, and drops obsolete indexes. Several instances may do this at the same time. */
import { type Db, type IndexDescriptionInfo, MongoServerError } from 'mongodb'
import type { IndexDefinition } from '../contract.js'
import type { Stored } from './native.js'
import { PENDING_INDEX, removeMarks } from './upgrade.js'

/** Prefix of the service's indexes. Indexes that an operator created are kept. */
const PREFIX = 'dc_'
/** Attempts: an instance that starts at the same time may drop an index that this one has created. After a few attempts both agree. */
const ATTEMPTS = 10
const WAIT_MS = 100

const NAMESPACE_EXISTS = 48
const GONE: ReadonlySet<number> = new Set([26, 27])
/** An index with other options, a name with other keys, a build that a drop interrupted, or a concurrent operation on the collection. */
const CONFLICTS: ReadonlySet<number> = new Set([26, 27, 68, 85, 86, 117, 276, 12586, 12587])

type Wanted = Pick<IndexDescriptionInfo, 'name' | 'key' | 'unique' | 'expireAfterSeconds'>

/** Returns the name of an index. It is deterministic, so that all instances use the same name. */
export function indexName({ keys, unique, expireAfterSeconds }: IndexDefinition): string {
  const parts = Object.entries(keys).flatMap(([field, direction]) => [field, String(direction)])
  if (unique === true) parts.push('unique')
  if (expireAfterSeconds !== undefined) parts.push('expire')
  return PREFIX + parts.join('_')
}

/** Creates a collection with its indexes, and drops obsolete ones. */
export async function createCollection(database: Db, name: string, definitions: readonly IndexDefinition[]): Promise<void> {
  try {
    await database.createCollection(name)
  } catch (error) {
    if (codeOf(error) !== NAMESPACE_EXISTS) throw error
  }
  const wanted = definitions.map(wantedOf)
  for (let attempt = 1; ; attempt++) {
    try {
      if (await syncIndexes(database, name, wanted)) return
      if (attempt >= ATTEMPTS) throw new Error(`indexes of ${name} keep changing`)
    } catch (error) {
      if (!CONFLICTS.has(codeOf(error)) || attempt >= ATTEMPTS) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS * Math.random() * attempt))
  }
}

/** Creates missing indexes and drops obsolete ones. @returns whether nothing had to be changed */
async function syncIndexes(database: Db, collection: string, wanted: readonly Wanted[]): Promise<boolean> {
  const native = database.collection<Stored>(collection)
  const present = await native.listIndexes().toArray()
  const missing = wanted.filter((index) => !present.some((other) => sameIndex(index, other)))
  const obsolete = present.filter(({ name, key, ...other }) => name.startsWith(PREFIX) && !wanted.some((index) => index.name === name && sameIndex(index, { name, key, ...other })))
  // An index of the operator with the same keys and equivalent options would make the creation fail.
  for (const index of missing) {
    obsolete.push(...present.filter((other) => !other.name.startsWith(PREFIX) && clashes(index, other)))
  }
  for (const { name } of obsolete) {
    if (name === PENDING_INDEX) await removeMarks(database, collection)
    try {
      await native.dropIndex(name)
    } catch (error) {
      if (!GONE.has(codeOf(error))) throw error
    }
  }
  if (missing.length > 0) await native.createIndexes(missing)
  return missing.length === 0 && obsolete.length === 0
}

function wantedOf(definition: IndexDefinition): Wanted {
  const { keys, ...options } = definition
  return { name: indexName(definition), key: keys, ...options }
}

function sameIndex(wanted: Wanted, present: IndexDescriptionInfo): boolean {
  return clashes(wanted, present) && wanted.expireAfterSeconds === present.expireAfterSeconds
}

function clashes({ key, unique = false }: Wanted, present: IndexDescriptionInfo): boolean {
  return sameKeys(key, present.key) && unique === (present.unique ?? false) && present.sparse !== true && present.partialFilterExpression === undefined
}

const sameKeys = (one: object, other: object): boolean => JSON.stringify(Object.entries(one)) === JSON.stringify(Object.entries(other))

function codeOf(error: unknown): number {
  return error instanceof MongoServerError && typeof error.code === 'number' ? error.code : 0
}
