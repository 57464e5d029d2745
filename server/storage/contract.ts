/**
 * What the service asks of a database; `embedded/` and `mongo/` give it. Invariants:
 *  1. filters and updates are MongoDB's language, the part of it that the types here name; both stores answer the same (test/contracts/storage.ts)
 *  2. a resolved write is on disk: it survives the end of the process and of the machine. Collections that are `volatile` are the exception
 *  3. a rejected write has left nothing, and nothing is ever half there: every write is one document, or a `commit`
 *  4. documents that come out are the caller's own: changing them changes nothing in the store
 *  5. no method takes anything from a request without a type that was checked; operators can't come from outside, as values of filters are scalars
 */

/** What every stored document has. Ids are made by the caller (`newId`), of at most 256 bytes. Documents are of scalars, dates, arrays and plain objects; undefined fields are dropped. */
export interface StoredDocument {
  readonly _id: string
}

/** A document of one organization. */
export interface TenantDocument extends StoredDocument {
  readonly organization_id: string
}

export type Scalar = string | number | boolean | Date | null

/** Conditions on one field. On an array a condition holds when it holds for one of its elements, as in MongoDB. */
export interface Condition {
  readonly $eq?: Scalar
  readonly $ne?: Scalar
  readonly $in?: readonly Scalar[]
  readonly $nin?: readonly Scalar[]
  readonly $gt?: Scalar
  readonly $gte?: Scalar
  readonly $lt?: Scalar
  readonly $lte?: Scalar
  readonly $exists?: boolean
  /** Made by `containing`, never of a caller's text as it came. */
  readonly $regex?: RegExp
}

/** Fields by name, or by a dotted path into them; all must hold. A condition that is undefined, or no condition, is a TypeError: dropped, it would match everything. */
export type Filter<T> = { readonly [K in (keyof T & string) | `${keyof T & string}.${string}`]?: Scalar | Condition } & {
  readonly $or?: readonly Filter<T>[]
  readonly $and?: readonly Filter<T>[]
}

export type Fields<T> = Readonly<Partial<Omit<T, '_id' | 'organization_id'>>> & { readonly [path: `${string}.${string}`]: unknown }

export interface Update<T> {
  readonly $set?: Fields<T>
  readonly $unset?: { readonly [K in (keyof T & string) | `${string}.${string}`]?: true }
  readonly $inc?: { readonly [K in (keyof T & string) | `${string}.${string}`]?: number }
  readonly $addToSet?: { readonly [K in keyof T & string]?: Scalar }
  readonly $pull?: { readonly [K in keyof T & string]?: Scalar }
}

export interface IndexDefinition {
  /** Fields in order, at most six; 1 ascending, -1 descending. One of them may be an array of a document: it is found by each element. */
  readonly keys: Readonly<Record<string, 1 | -1>>
  readonly unique?: boolean
  /** Only documents that have these fields, with a text (not null), are in the index. */
  readonly onlyWith?: readonly string[]
  /** Documents go this long after the date in the index's only field; the store looks about once a minute. */
  readonly expireAfterSeconds?: number
}

/** What a store has to know of a collection; what its documents look like is not of it. */
export interface CollectionDefinition {
  readonly kind: 'tenant' | 'platform'
  readonly name: string
  readonly indexes: readonly IndexDefinition[]
  /** Counts of the last minutes: an embedded store keeps them in memory only, forgets the oldest of very many, and takes no commit of them. */
  readonly volatile?: boolean
}

declare const documentOf: unique symbol

/** A collection of documents of organizations, reached through `tenancy/scope.ts` only. Every index begins with the organization, but for `locators` and what expires. */
export interface TenantCollection<T extends TenantDocument> extends CollectionDefinition {
  readonly kind: 'tenant'
  /** Unique fields by which the organization of a document can be found: of an API key, an invitation. */
  readonly locators: readonly string[]
  readonly [documentOf]?: T
}

/** A collection of documents that belong to the instance: users, sessions, organizations. */
export interface PlatformCollection<T extends StoredDocument> extends CollectionDefinition {
  readonly kind: 'platform'
  readonly [documentOf]?: T
}

/** Indexes are given without `organization_id`, which each gets as its first field, but for what expires. @param locators unique over all organizations */
export function tenantCollection<T extends TenantDocument>(name: string, indexes: readonly IndexDefinition[], locators: readonly (keyof T & string)[] = []): TenantCollection<T> {
  // MongoDB refuses more than one field where documents expire.
  const bound = indexes.map((index) => (index.expireAfterSeconds === undefined ? { ...index, keys: { organization_id: 1 as const, ...index.keys } } : index))
  return { kind: 'tenant', name, locators, indexes: [...bound, ...locators.map((field) => ({ keys: { [field]: 1 as const }, unique: true, onlyWith: [field] }))] }
}

/** Indexes are as they are given. `volatile`: need not outlive the process. */
export function platformCollection<T extends StoredDocument>(
  name: string,
  indexes: readonly IndexDefinition[],
  options: { readonly volatile?: boolean } = {},
): PlatformCollection<T> {
  return { kind: 'platform', name, indexes, ...options }
}

export interface FindOptions<T> {
  readonly sort?: { readonly [K in keyof T & string]?: 1 | -1 }
  readonly skip?: number
  readonly limit?: number
}

/** A write that is yet to be made, by `Storage.commit`. Collections make them. */
export interface Write {
  readonly collection: string
  readonly operation:
    | { readonly kind: 'insert'; readonly document: StoredDocument }
    | { readonly kind: 'update'; readonly filter: Filter<StoredDocument>; readonly update: Update<StoredDocument>; readonly many: boolean; readonly optional: boolean }
    | { readonly kind: 'delete'; readonly filter: Filter<StoredDocument>; readonly many: boolean; readonly optional: boolean }
}

/** Writes of a commit that change something that is there. */
export interface WriteOptions {
  /** That nothing matches is fine. Default false: the whole commit is refused with a `StaleWriteError`. */
  readonly optional?: boolean
}

export interface Collection<T extends StoredDocument> {
  findOne(filter: Filter<T>, options?: Pick<FindOptions<T>, 'sort'>): Promise<T | null>
  find(filter: Filter<T>, options?: FindOptions<T>): Promise<T[]>
  /** Documents one by one, in no certain order; for backups and migrations. */
  iterate(filter: Filter<T>): AsyncIterable<T>
  count(filter: Filter<T>): Promise<number>
  /** @throws DuplicateKeyError */
  insert(document: T): Promise<void>
  insertMany(documents: readonly T[]): Promise<void>
  /** Changes one document, and gives it as it is then. Null: none matches. @throws DuplicateKeyError */
  update(filter: Filter<T>, update: Update<T>): Promise<T | null>
  /** Changes the document of that id, which is made of `initial` first when there is none. */
  upsert(id: string, update: Update<T>, initial: Omit<T, '_id'>): Promise<T>
  updateMany(filter: Filter<T>, update: Update<T>): Promise<number>
  /** Gives what it was. */
  delete(filter: Filter<T>): Promise<T | null>
  deleteMany(filter: Filter<T>): Promise<number>

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
  /** Of the database, for operators: MongoDB's own, or of the embedded store's format. */
  readonly version: string
  /** Makes the collections with their indexes; what is there already stays. Called before all else; once more with all of them, where a few were needed first. */
  prepare(definitions: readonly CollectionDefinition[]): Promise<void>
  /** Tenant collections come from `tenancy/scope.ts`, which alone may call `openTenant`, and migrations. */
  open<T extends StoredDocument>(definition: PlatformCollection<T>): Collection<T>
  openTenant<T extends TenantDocument>(definition: TenantCollection<T>): Collection<T>
  /**
   * All of the writes, or none, in their order; gives each update's document as it is then, null for the others.
   * Commits that exclude one another begin with a write to the same document: on a MongoDB without transactions (a standalone) the first write
   * is what decides, and it carries the others until they are done, also over a crash.
   * @throws DuplicateKeyError, StaleWriteError
   */
  commit(writes: readonly Write[]): Promise<(StoredDocument | null)[]>
  /** Every document of every prepared collection, as of one moment where the store can; for backups. Volatile ones may be left out. */
  dump(): AsyncIterable<StoredRecord>
  /** Puts documents into an empty store, many in a write. @throws DuplicateKeyError when one is there already */
  load(records: AsyncIterable<StoredRecord>): Promise<number>
  /** Resolves when the database answers. @throws StorageUnavailableError */
  ping(): Promise<void>
  close(): Promise<void>
}

/** A filter's condition for texts that hold these characters, in any case. */
export function containing(text: string): Condition {
  // MongoDB takes no pattern with a zero byte in it, but one that names it. Its cases are those of Unicode, which are ours with `u` alone.
  return { $regex: new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('\0', '\\x00'), 'iu') }
}
