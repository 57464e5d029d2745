/**
 * What the service asks of a database; `embedded/` and `mongo/` implement it. Invariants:
 *  1. both stores answer the same (test/contracts/storage.ts)
 *  2. a resolved write is on disk: it survives the end of the process and of the machine. Collections that are `volatile` are the exception
 *  3. a rejected write has changed nothing, and no reader sees a part of a write: a write is one document, or a `commit`
 *  4. documents that come out belong to the caller: changing them changes nothing in the store
 *  5. the value of a condition is a scalar, or a list of scalars for `in` and `notIn`. Everything else is a TypeError (`questions.ts`), so that a value
 *     of a request can't become an operator. An undefined condition is a TypeError as well: without it, the filter would match more documents
 */

/** The caller makes the id (`newId`), of at most 256 bytes. A document consists of scalars, arrays and plain objects (`values.ts`); undefined fields are dropped. */
export interface StoredDocument {
  readonly _id: string
}

/** A document of one organization. */
export interface TenantDocument extends StoredDocument {
  readonly organization_id: string
}

/** Numbers are finite. */
export type Scalar = string | number | boolean | Date | null
/** What has an order. Texts are ordered by code point. */
export type Bound = string | number | Date

/**
 * Conditions on one field, which must all hold. The field holds a scalar. A missing field is the same as null.
 * A value is equal to, or compared with, a value of its own type only: `lt: 5` matches neither a text nor null.
 */
export interface Condition {
  /** Anything else, null included. `not: null`: there is a value. */
  readonly not?: Scalar
  /** One of these values; null matches a missing field as well. */
  readonly in?: readonly Scalar[]
  /** None of these values; null and a missing field match unless null is one of them. */
  readonly notIn?: readonly Scalar[]
  readonly gt?: Bound
  readonly gte?: Bound
  readonly lt?: Bound
  readonly lte?: Bound
  /** The field is a text that has this text in it, in any case (Unicode, simple case folding). */
  readonly contains?: string
}

/** The only condition on an array: stores disagree about a scalar that is compared with one. */
export interface ElementCondition {
  /** The field is an array of texts, and this is one of them. */
  readonly has: string
}

/** By field of the document. A scalar is equality, with which null matches a missing field as well. */
export type Conditions<T> = { readonly [K in keyof T & string]?: ConditionOn<T[K]> }

type ConditionOn<V> = unknown extends V ? Scalar | Condition | ElementCondition : NonNullable<V> extends readonly unknown[] ? ElementCondition : Scalar | Condition

/** All conditions hold, and those of at least one alternative of `anyOf`. */
export type Filter<T> = Conditions<T> & { readonly anyOf?: readonly Conditions<T>[] }

/** Fields with their new values; one that is undefined stays as it is. `_id` and `organization_id` never change. */
export type Fields<T> = Readonly<Partial<Omit<T, '_id' | 'organization_id'>>>

export interface Update<T> {
  /** Replaces whole values of fields. */
  readonly set?: Fields<T>
  /** Adds to numbers; a missing field counts as 0. A TypeError when the field holds anything else. */
  readonly increment?: { readonly [K in keyof T & string]?: number }
}

export interface IndexDefinition {
  /** Fields in order, at most six; 1 ascending, -1 descending. At most one of them is an array in documents: it is found by each element (`has`). */
  readonly keys: Readonly<Record<string, 1 | -1>>
  /** No two documents have the same values in these fields; a missing field counts as null. */
  readonly unique?: boolean
  /** The index has one field. A document is deleted this long after the date in it; the store looks about once a minute. */
  readonly expireAfterSeconds?: number
}

/** What a store has to know of a collection. */
export interface CollectionDefinition {
  readonly kind: 'tenant' | 'platform'
  readonly name: string
  readonly indexes: readonly IndexDefinition[]
  /** Counts of the last minutes: an embedded store does not wait for the disk with them, forgets the oldest of very many, and refuses a commit with them (TypeError). */
  readonly volatile?: boolean
}

declare const documentOf: unique symbol

/** A collection of documents of organizations, reached through `tenancy/scope.ts` only. Every index begins with the organization, except those of `locators` and of expiry. */
export interface TenantCollection<T extends TenantDocument> extends CollectionDefinition {
  readonly kind: 'tenant'
  /** Fields that are unique over all organizations, by which a document is found before its organization is known: of an API key, an invitation. Every document has them. */
  readonly locators: readonly string[]
  readonly [documentOf]?: T
}

/** A collection of documents that belong to the instance: users, sessions, organizations. */
export interface PlatformCollection<T extends StoredDocument> extends CollectionDefinition {
  readonly kind: 'platform'
  readonly [documentOf]?: T
}

/** Puts `organization_id` first in every index, except one of expiry: MongoDB allows one field there. */
export function tenantCollection<T extends TenantDocument>(name: string, indexes: readonly IndexDefinition[], locators: readonly (keyof T & string)[] = []): TenantCollection<T> {
  const bound = indexes.map((index) => (index.expireAfterSeconds === undefined ? { ...index, keys: { organization_id: 1 as const, ...index.keys } } : index))
  return { kind: 'tenant', name, locators, indexes: [...bound, ...locators.map((field) => ({ keys: { [field]: 1 as const }, unique: true }))] }
}

export function platformCollection<T extends StoredDocument>(
  name: string,
  indexes: readonly IndexDefinition[],
  options: { readonly volatile?: boolean } = {},
): PlatformCollection<T> {
  return { kind: 'platform', name, indexes, ...options }
}

export interface FindOptions<T> {
  /** Fields in order of weight. A field holds values of one type, or null, which comes first going up; a missing field is null. Without an order: any. */
  readonly sort?: { readonly [K in keyof T & string]?: 1 | -1 }
  readonly skip?: number
  readonly limit?: number
}

/** A write that `Storage.commit` is to make; plain data, which methods of a collection return. */
export interface Write {
  readonly collection: string
  readonly operation:
    | { readonly kind: 'insert'; readonly document: StoredDocument }
    | { readonly kind: 'update'; readonly filter: Filter<StoredDocument>; readonly update: Update<StoredDocument>; readonly many: boolean; readonly optional: boolean }
    | { readonly kind: 'delete'; readonly filter: Filter<StoredDocument>; readonly many: boolean; readonly optional: boolean }
}

export interface WriteOptions {
  /** The commit goes on when no document matches. Default false: the whole commit is refused with a `StaleWriteError`. */
  readonly optional?: boolean
}

export interface Collection<T extends StoredDocument> {
  /** The first document that matches, in the order of `sort`; null: none. */
  findOne(filter: Filter<T>, options?: Pick<FindOptions<T>, 'sort'>): Promise<T | null>
  find(filter: Filter<T>, options?: FindOptions<T>): Promise<T[]>
  /** Documents one by one, in any order. A document that is written meanwhile may be missed, or come twice. */
  iterate(filter: Filter<T>): AsyncIterable<T>
  count(filter: Filter<T>): Promise<number>

  /** @throws DuplicateKeyError */
  insert(document: T): Promise<void>
  /** Changes one document that matches, and returns it as it is then; null: none matches. @throws DuplicateKeyError */
  update(filter: Filter<T>, update: Update<T>): Promise<T | null>
  /** Changes every document that matches, each by itself; returns how many matched. */
  updateMany(filter: Filter<T>, update: Update<T>): Promise<number>
  /** Deletes one document that matches; false: none does. */
  delete(filter: Filter<T>): Promise<boolean>
  /** Deletes every document that matches, each by itself; returns how many. */
  deleteMany(filter: Filter<T>): Promise<number>

  // The same as writes of a commit. Those of many match any number of documents, none included.
  inserting(document: T): Write
  updating(filter: Filter<T>, update: Update<T>, options?: WriteOptions): Write
  updatingMany(filter: Filter<T>, update: Update<T>): Write
  deleting(filter: Filter<T>, options?: WriteOptions): Write
  deletingMany(filter: Filter<T>): Write
}

/** A document with the name of its collection. */
export interface StoredRecord {
  readonly collection: string
  readonly document: StoredDocument
}

export interface Storage {
  readonly kind: 'embedded' | 'mongodb'
  /** For operators: MongoDB's own version, or that of the embedded store's format. */
  readonly version: string
  /** Creates the collections with their indexes; documents that exist stay. Called first; once more with all collections, where a few were needed first. */
  prepare(definitions: readonly CollectionDefinition[]): Promise<void>
  /** Tenant collections come from `tenancy/scope.ts`, which alone may call `openTenant`, and migrations. */
  open<T extends StoredDocument>(definition: PlatformCollection<T>): Collection<T>
  openTenant<T extends TenantDocument>(definition: TenantCollection<T>): Collection<T>
  /**
   * Makes all of the writes in their order, or none of them; returns the document of each `updating` as that write left it, null for the others.
   * Commits, and single writes, that change the same document happen one after the other. Nothing else orders them: where a commit stands on something
   * that was read before, a write of it must match that again (by a revision), and change it if another commit stands on it too.
   * @throws DuplicateKeyError, StaleWriteError
   */
  commit(writes: readonly Write[]): Promise<(StoredDocument | null)[]>
  /** Every document of every prepared collection, as of one moment where the database can; for backups. Volatile collections may be left out. */
  dump(): AsyncIterable<StoredRecord>
  /** Puts documents into an empty store, many in a write. @throws DuplicateKeyError when one is there already */
  load(records: AsyncIterable<StoredRecord>): Promise<number>
  /** Resolves when the database answers. @throws StorageUnavailableError */
  ping(): Promise<void>
  close(): Promise<void>
}
