/**
 * The interface between the service and its database; `embedded/` and `mongo/` implement it. Invariants:
 *  1. both stores return the same results (test/contracts/storage.ts)
 *  2. a resolved write is on disk: it survives a crash of the process and of the machine. Collections that are `volatile` are the exception
 *  3. a rejected write has changed nothing, and no reader sees part of a write. A write changes one document, or is a `commit`
 *  4. returned documents belong to the caller: changing them changes nothing in the store
 *  5. the value of a condition is a scalar, or a list of scalars for `in` and `notIn`. Everything else is a TypeError (`queries.ts`), so that a value
 *     of a request cannot become an operator. An undefined condition is a TypeError as well: without it, the filter would match more documents
 */

/** The caller creates the id (`newId`), of at most 256 bytes. A document consists of scalars, arrays and plain objects (`values.ts`); undefined fields are dropped. */
export interface StoredDocument {
  readonly _id: string
}

/** A document of one organization. */
export interface TenantDocument extends StoredDocument {
  readonly organization_id: string
}

/** Numbers are finite. */
export type Scalar = string | number | boolean | Date | null
/** Values that have an order. Texts are ordered by code point. */
export type Bound = string | number | Date

/**
 * Conditions on one field, which must all hold. The field holds a scalar. A missing field is the same as null.
 * A value is compared only with values of the same type: `lt: 5` matches neither a text nor null.
 */
export interface Condition {
  /** Any other value, null included. `not: null`: the field has a value. */
  readonly not?: Scalar
  /** One of these values; null matches a missing field as well. */
  readonly in?: readonly Scalar[]
  /** None of these values; null and a missing field match unless null is one of them. */
  readonly notIn?: readonly Scalar[]
  readonly gt?: Bound
  readonly gte?: Bound
  readonly lt?: Bound
  readonly lte?: Bound
  /** The field is a text that contains this text; letter case is ignored (Unicode, simple case folding). */
  readonly contains?: string
}

/** The only condition on an array: the stores differ in how they compare an array with a scalar. */
export interface ElementCondition {
  /** The field is an array of texts, and this is one of them. */
  readonly has: string
}

/** Conditions by field. A scalar means equality; null also matches a missing field. */
export type Conditions<T> = { readonly [K in keyof T & string]?: ConditionOn<T[K]> }

type ConditionOn<V> = unknown extends V ? Scalar | Condition | ElementCondition : NonNullable<V> extends readonly unknown[] ? ElementCondition : Scalar | Condition

/** Matches documents for which all conditions hold, and all conditions of at least one alternative of `anyOf`. */
export type Filter<T> = Conditions<T> & { readonly anyOf?: readonly Conditions<T>[] }

/** Fields with their new values; an undefined field stays unchanged. `_id` and `organization_id` never change. */
export type Fields<T> = Readonly<Partial<Omit<T, '_id' | 'organization_id'>>>

export interface Update<T> {
  /** Replaces the whole value of each field. */
  readonly set?: Fields<T>
  /** Adds to numbers; a missing field counts as 0. Throws a TypeError when the field holds anything else. */
  readonly increment?: { readonly [K in keyof T & string]?: number }
}

export interface IndexDefinition {
  /** Fields in order, at most six; 1 ascending, -1 descending. At most one of them may be an array; the index finds a document by each element (`has`). */
  readonly keys: Readonly<Record<string, 1 | -1>>
  /** No two documents have the same values in these fields; a missing field counts as null. */
  readonly unique?: boolean
  /** Allowed with one field. The store deletes a document this long after the date in that field; it checks about once a minute. */
  readonly expireAfterSeconds?: number
}

/** The definition of a collection, as a store needs it. */
export interface CollectionDefinition {
  readonly kind: 'tenant' | 'platform'
  readonly name: string
  readonly indexes: readonly IndexDefinition[]
  /** For counters of the last minutes: the embedded store does not wait for the disk, deletes the oldest documents above a limit, and refuses commits with them (TypeError). */
  readonly volatile?: boolean
}

declare const documentOf: unique symbol

/** A collection of documents of organizations. Only `tenancy` opens it. Every index starts with the organization, except those of `locators`, of `instanceIndexes` and of expiry. */
export interface TenantCollection<T extends TenantDocument> extends CollectionDefinition {
  readonly kind: 'tenant'
  /** Fields that are unique over all organizations, `_id` included. They find a document before its organization is known, for example an API key or an invitation. Every document has them. */
  readonly locators: readonly string[]
  /** Whether platform admins read it over all organizations (`tenancy/all-organizations.ts`). */
  readonly isReadInstanceWide: boolean
  readonly [documentOf]?: T
}

/** A collection of documents that belong to the instance: users, sessions, organizations. */
export interface PlatformCollection<T extends StoredDocument> extends CollectionDefinition {
  readonly kind: 'platform'
  readonly [documentOf]?: T
}

/** Defines a collection with `organization_id` first in every index, except an index of expiry, where MongoDB allows one field. */
export function tenantCollection<T extends TenantDocument>(
  name: string,
  indexes: readonly IndexDefinition[],
  locators: readonly (keyof T & string)[] = [],
  { instanceIndexes = [] }: TenantCollectionOptions = {},
): TenantCollection<T> {
  const bound = indexes.map((index) => (index.expireAfterSeconds === undefined ? { ...index, keys: { organization_id: 1 as const, ...index.keys } } : index))
  // Every store has an index of ids.
  const unique = locators.filter((field) => field !== '_id').map((field) => ({ keys: { [field]: 1 as const }, unique: true }))
  return { kind: 'tenant', name, locators, isReadInstanceWide: instanceIndexes.length > 0, indexes: [...bound, ...unique, ...instanceIndexes] }
}

export interface TenantCollectionOptions {
  /** Indexes without the organization, for a collection that platform admins read over all organizations. Default: none, and the collection is not read so. */
  readonly instanceIndexes?: readonly IndexDefinition[]
}

export function platformCollection<T extends StoredDocument>(
  name: string,
  indexes: readonly IndexDefinition[],
  options: { readonly volatile?: boolean } = {},
): PlatformCollection<T> {
  return { kind: 'platform', name, indexes, ...options }
}

export interface FindOptions<T> {
  /** Fields by priority. A field holds values of one type, or null, which is first in ascending order; a missing field is null. Without `sort` the order is undefined. */
  readonly sort?: { readonly [K in keyof T & string]?: 1 | -1 }
  readonly skip?: number
  readonly limit?: number
}

/** A write for `Storage.commit`, as plain data. Methods of a collection return it. */
export interface Write {
  readonly collection: string
  readonly operation:
    | { readonly kind: 'insert'; readonly document: StoredDocument }
    | { readonly kind: 'update'; readonly filter: Filter<StoredDocument>; readonly update: Update<StoredDocument>; readonly many: boolean; readonly optional: boolean }
    | { readonly kind: 'delete'; readonly filter: Filter<StoredDocument>; readonly many: boolean; readonly optional: boolean }
}

export interface WriteOptions {
  /** Whether the commit continues when no document matches. Default false: the whole commit is refused with a `StaleWriteError`. */
  readonly optional?: boolean
}

export interface Collection<T extends StoredDocument> {
  /** Returns the first document that matches, in the order of `sort`; null: none. */
  findOne(filter: Filter<T>, options?: Pick<FindOptions<T>, 'sort'>): Promise<T | null>
  find(filter: Filter<T>, options?: FindOptions<T>): Promise<T[]>
  /** Yields documents one by one, in any order. A document that is written meanwhile may be skipped or yielded twice. */
  iterate(filter: Filter<T>): AsyncIterable<T>
  count(filter: Filter<T>): Promise<number>

  /** @throws DuplicateKeyError */
  insert(document: T): Promise<void>
  /** Updates one document that matches and returns the updated document; null: none matches. @throws DuplicateKeyError */
  update(filter: Filter<T>, update: Update<T>): Promise<T | null>
  /** Updates every document that matches, each atomically; returns how many matched. */
  updateMany(filter: Filter<T>, update: Update<T>): Promise<number>
  /** Deletes one document that matches; false: none matches. */
  delete(filter: Filter<T>): Promise<boolean>
  /** Deletes every document that matches, each atomically; returns the number. */
  deleteMany(filter: Filter<T>): Promise<number>

  // The same operations as writes of a commit. `…Many` may match any number of documents, including none.
  inserting(document: T): Write
  updating(filter: Filter<T>, update: Update<T>, options?: WriteOptions): Write
  updatingMany(filter: Filter<T>, update: Update<T>): Write
  deleting(filter: Filter<T>, options?: WriteOptions): Write
  deletingMany(filter: Filter<T>): Write
}

/** The units that were counted for an id within a window of time. */
export interface WindowDocument extends StoredDocument {
  readonly count: number
  /** When the window ends. */
  readonly reset_at: Date
}

/** A window after units were added to it. */
export interface CountedWindow {
  readonly count: number
  /** Milliseconds since 1970. */
  readonly resetAt: number
}

/** Counts units in windows of time. A collection of `WindowDocument` has them. */
export interface Windows {
  /**
   * Adds units to the window of the id that runs at `now`, or begins one that lasts `windowMs`. Concurrent calls of all processes and instances lose no unit.
   * @param now milliseconds since 1970
   */
  add(id: string, units: number, windowMs: number, now: number): Promise<CountedWindow>
}

/** A document with the name of its collection. */
export interface StoredRecord {
  readonly collection: string
  readonly document: StoredDocument
}

export interface Storage {
  readonly kind: 'embedded' | 'mongodb'
  /** The version of MongoDB, or of the format of the embedded store; for operators. */
  readonly version: string
  /** Creates the collections with their indexes; existing documents stay. It must be called before `open`. It may be called again with more collections. */
  prepare(definitions: readonly CollectionDefinition[]): Promise<void>
  /** Only `tenancy/scope.ts`, `tenancy/all-organizations.ts` and migrations may call `openTenant`; services get tenant collections from `tenancy/scope.ts`. */
  open<T extends StoredDocument>(definition: PlatformCollection<T>): Collection<T>
  openTenant<T extends TenantDocument>(definition: TenantCollection<T>): Collection<T>
  windows(definition: PlatformCollection<WindowDocument>): Windows
  /**
   * Executes all writes in their order, or none of them. Returns the updated document of each `updating`, and null for the others.
   * Commits and single writes that change the same document are serialized. Nothing else is: if a commit depends on a document that was read before, one of its
   * writes must match the revision of that document, and must increment it if other commits depend on the document too.
   * @throws DuplicateKeyError, StaleWriteError
   */
  commit(writes: readonly Write[]): Promise<(StoredDocument | null)[]>
  /** Yields every document of every prepared collection, for backups; from one snapshot if the database supports it. Volatile collections may be omitted. */
  dump(): AsyncIterable<StoredRecord>
  /** Inserts documents into an empty store, many in one write. Returns their number. @throws DuplicateKeyError when a document exists already */
  load(records: AsyncIterable<StoredRecord>): Promise<number>
  /** Resolves when the database answers. @throws StorageUnavailableError */
  ping(): Promise<void>
  close(): Promise<void>
}
