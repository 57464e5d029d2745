/** Makes collections and indexes what their definitions say. Several instances may do so at once. */
import { type Db, type IndexDescriptionInfo, MongoServerError } from 'mongodb'
import type { IndexDefinition } from '../contract.js'
import type { Stored } from './native.js'
import { PENDING_INDEX, removeMarks } from './upgrade.js'

/** Ours begin so; an operator's own indexes are left alone. */
const PREFIX = 'dc_'
/** Another instance that starts at the same time may drop what this one has just made; they agree after a few turns. */
const ATTEMPTS = 10
const WAIT_MS = 100

const NAMESPACE_EXISTS = 48
const GONE: ReadonlySet<number> = new Set([26, 27])
/** Same index with other options, same name with other keys, a build that was ended by a drop, or another operation on the collection. */
const CONFLICTS: ReadonlySet<number> = new Set([26, 27, 68, 85, 86, 117, 276, 12586, 12587])

type Wanted = Pick<IndexDescriptionInfo, 'name' | 'key' | 'unique' | 'expireAfterSeconds'>

/** Deterministic: another definition has another name, or at least the same one. */
export function indexName({ keys, unique, expireAfterSeconds }: IndexDefinition): string {
  const parts = Object.entries(keys).flatMap(([field, direction]) => [field, String(direction)])
  if (unique === true) parts.push('unique')
  if (expireAfterSeconds !== undefined) parts.push('expire')
  return PREFIX + parts.join('_')
}

export async function makeCollection(database: Db, name: string, definitions: readonly IndexDefinition[]): Promise<void> {
  try {
    await database.createCollection(name)
  } catch (error) {
    if (codeOf(error) !== NAMESPACE_EXISTS) throw error
  }
  const wanted = definitions.map(wantedOf)
  for (let attempt = 1; ; attempt++) {
    try {
      if (await makeIndexes(database, name, wanted)) return
      if (attempt >= ATTEMPTS) throw new Error(`indexes of ${name} change all the time`)
    } catch (error) {
      if (!CONFLICTS.has(codeOf(error)) || attempt >= ATTEMPTS) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS * Math.random() * attempt))
  }
}

/** @returns whether all was there already */
async function makeIndexes(database: Db, collection: string, wanted: readonly Wanted[]): Promise<boolean> {
  const native = database.collection<Stored>(collection)
  const present = await native.listIndexes().toArray()
  const missing = wanted.filter((index) => !present.some((other) => sameIndex(index, other)))
  const obsolete = present.filter(({ name, key, ...other }) => name.startsWith(PREFIX) && !wanted.some((index) => index.name === name && sameIndex(index, { name, key, ...other })))
  // What isn't ours but stands in the way: same keys, and options that MongoDB doesn't tell apart.
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
