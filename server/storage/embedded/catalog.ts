/** What the file says of itself: the version of its format, and the numbers of collections and indexes, which stand in keys instead of names. */
import type { CollectionDefinition, IndexDefinition } from '../contract.js'
import { DuplicateKeyError, StoreError } from '../errors.js'
import { entryValue, idOf } from './entries.js'
import type { Environment } from './environment.js'
import { Index, signatureOf } from './index-keys.js'
import { ABOVE } from './key.js'
import type { ValueObject } from '../values.js'

/** 1: the first. A program reads files up to its own. */
export const FORMAT_VERSION = 1

/** The file was written by a program newer than this one. */
export class NewerFormatError extends StoreError<'newer_format'> {
  override readonly name = 'NewerFormatError'
  constructor(directory: string, version: number) {
    super('newer_format', { directory, version, known: FORMAT_VERSION })
  }
}

export interface IndexRecord {
  readonly number: number
  readonly multikey: boolean
}

export interface CollectionRecord {
  readonly number: number
  /** By signature. */
  readonly indexes: Readonly<Record<string, IndexRecord>>
}

export interface CatalogRecord {
  readonly next: number
  readonly collections: Readonly<Record<string, CollectionRecord>>
}

/** Checks the format, and writes that of a new file. @throws NewerFormatError */
export async function checkFormat(environment: Environment, directory: string): Promise<void> {
  const version = environment.meta.get('format')
  if (version === undefined) await environment.write(() => environment.meta.putSync('format', FORMAT_VERSION))
  else if (typeof version !== 'number' || version > FORMAT_VERSION) throw new NewerFormatError(directory, Number(version))
}

export function readCatalog(environment: Environment): CatalogRecord {
  return (environment.meta.get('catalog') as CatalogRecord | undefined) ?? { next: 1, collections: {} }
}

export function writeCatalog(environment: Environment, catalog: CatalogRecord): void {
  environment.meta.putSync('catalog', catalog as unknown as ValueObject)
}

/** The indexes of a definition, and one more where a query of one organization would find none that holds all its documents. */
export function indexesOf(definition: CollectionDefinition): readonly IndexDefinition[] {
  if (definition.kind !== 'tenant') return definition.indexes
  const isWhole = definition.indexes.some(({ keys }) => Object.keys(keys)[0] === 'organization_id')
  return isWhole ? definition.indexes : [{ keys: { organization_id: 1 } }, ...definition.indexes]
}

/**
 * Gives a collection its number and its indexes their keys, and takes away those that it no longer has. In a transaction.
 * @throws DuplicateKeyError when documents that are there already have the same key
 */
export function prepareCollection(environment: Environment, catalog: CatalogRecord, definition: CollectionDefinition): { catalog: CatalogRecord; record: CollectionRecord } {
  const known = catalog.collections[definition.name]
  let next = catalog.next
  const number = known?.number ?? next++
  const wanted = indexesOf(definition)
  const indexes: Record<string, IndexRecord> = {}
  for (const index of wanted) {
    const signature = signatureOf(index)
    const present = known?.indexes[signature]
    indexes[signature] = present ?? buildIndex(environment, definition.name, number, index, next++)
  }
  for (const [signature, { number: old }] of Object.entries(known?.indexes ?? {})) if (!(signature in indexes)) clearIndex(environment, old)
  const record = { number, indexes }
  return { catalog: { next, collections: { ...catalog.collections, [definition.name]: record } }, record }
}

function buildIndex(environment: Environment, collection: string, collectionNumber: number, definition: IndexDefinition, number: number): IndexRecord {
  const index = new Index(definition, number, false)
  const prefix = numberKey(collectionNumber)
  try {
    for (const { key, value: document } of environment.documents.getRange({ start: prefix, end: Buffer.concat([prefix, ABOVE]) })) {
      if (!index.multikey && index.isListed(document)) index.multikey = true
      for (const entry of index.keysOf(document)) {
        if (index.unique && environment.entries.doesExist(entry.key)) throw new DuplicateKeyError(collection, index.fieldNames)
        environment.entries.putSync(entry.key, entryValue(entry, idOf(key, prefix.length)))
      }
    }
  } catch (fault) {
    clearIndex(environment, number)
    throw fault
  }
  return { number, multikey: index.multikey }
}

function clearIndex(environment: Environment, number: number): void {
  const start = numberKey(number)
  for (const key of [...environment.entries.getKeys({ start, end: Buffer.concat([start, ABOVE]) })]) environment.entries.removeSync(key)
}

function numberKey(number: number): Buffer {
  const key = Buffer.alloc(4)
  key.writeUInt32BE(number)
  return key
}
