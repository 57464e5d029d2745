/**
 * The only access to documents of organizations. A `Scope` is bound to one organization: every filter, document and write that goes through it is limited to
 * that organization, for all arguments of the caller. `Tenancy.locate` is the only query before the organization is known, and `Tenancy.allOrganizations` the only
 * access to more than one.
 */
import { ApiError } from '../errors.js'
import type { Collection, Filter, FindOptions, Storage, StoredDocument, TenantCollection, TenantDocument, Update, Write, WriteOptions } from '../storage/contract.js'
import { AllOrganizations } from './all-organizations.js'

/** In place of an organization, for documents about the instance itself. It is no organization's id, so no request gets this scope. */
const INSTANCE_ID = 'instance'

/** A document without its organization, which the scope adds. */
export type Unbound<T extends TenantDocument> = Omit<T, 'organization_id'>
type OwnFilter<T extends TenantDocument> = Omit<Filter<T>, 'organization_id'>

/** A collection limited to one organization. Methods as those of `Collection`. */
export class ScopedCollection<T extends TenantDocument> {
  readonly #collection: Collection<T>
  readonly #organizationId: string

  constructor(collection: Collection<T>, organizationId: string) {
    this.#collection = collection
    this.#organizationId = organizationId
  }

  findOne(filter: OwnFilter<T>, options?: Pick<FindOptions<T>, 'sort'>): Promise<T | null> {
    return this.#collection.findOne(this.#bind(filter), options)
  }

  find(filter: OwnFilter<T>, options?: FindOptions<T>): Promise<T[]> {
    return this.#collection.find(this.#bind(filter), options)
  }

  count(filter: OwnFilter<T>): Promise<number> {
    return this.#collection.count(this.#bind(filter))
  }

  insert(document: Unbound<T>): Promise<void> {
    return this.#collection.insert(this.#own(document))
  }

  update(filter: OwnFilter<T>, update: Update<T>): Promise<T | null> {
    return this.#collection.update(this.#bind(filter), update)
  }

  updateMany(filter: OwnFilter<T>, update: Update<T>): Promise<number> {
    return this.#collection.updateMany(this.#bind(filter), update)
  }

  delete(filter: OwnFilter<T>): Promise<boolean> {
    return this.#collection.delete(this.#bind(filter))
  }

  deleteMany(filter: OwnFilter<T>): Promise<number> {
    return this.#collection.deleteMany(this.#bind(filter))
  }

  inserting(document: Unbound<T>): Write {
    return this.#collection.inserting(this.#own(document))
  }

  updating(filter: OwnFilter<T>, update: Update<T>, options?: WriteOptions): Write {
    return this.#collection.updating(this.#bind(filter), update, options)
  }

  updatingMany(filter: OwnFilter<T>, update: Update<T>): Write {
    return this.#collection.updatingMany(this.#bind(filter), update)
  }

  deleting(filter: OwnFilter<T>, options?: WriteOptions): Write {
    return this.#collection.deleting(this.#bind(filter), options)
  }

  deletingMany(filter: OwnFilter<T>): Write {
    return this.#collection.deletingMany(this.#bind(filter))
  }

  /** Adds the organization as an outer condition, so that no filter of the caller, `anyOf` included, can match documents of another one. */
  #bind(filter: OwnFilter<T>): Filter<T> {
    return { ...(filter as Filter<T>), organization_id: this.#organizationId } as Filter<T>
  }

  #own(document: Unbound<T>): T {
    return { ...document, organization_id: this.#organizationId } as T
  }
}

/** The documents of one organization. */
export class Scope {
  readonly organizationId: string
  readonly #storage: Storage
  readonly #opened = new Map<string, ScopedCollection<TenantDocument>>()

  constructor(storage: Storage, organizationId: string) {
    this.#storage = storage
    this.organizationId = organizationId
  }

  collection<T extends TenantDocument>(definition: TenantCollection<T>): ScopedCollection<T> {
    let opened = this.#opened.get(definition.name) as ScopedCollection<T> | undefined
    if (opened === undefined) {
      opened = new ScopedCollection(this.#storage.openTenant(definition), this.organizationId)
      this.#opened.set(definition.name, opened as unknown as ScopedCollection<TenantDocument>)
    }
    return opened
  }

  /** Commits all writes or none; see `Storage.commit`. */
  commit(writes: readonly Write[]): Promise<(StoredDocument | null)[]> {
    return this.#storage.commit(writes)
  }
}

/** The organization of a document; null: the document is about the instance. */
export function organizationOf({ organization_id }: Pick<TenantDocument, 'organization_id'>): string | null {
  return organization_id === INSTANCE_ID ? null : organization_id
}

/** Creates scopes. Its caller has to decide from the credentials which organization may be used. */
export class Tenancy {
  readonly #storage: Storage

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /** @param organizationId from a checked principal or from `locate` */
  of(organizationId: string): Scope {
    return new Scope(this.#storage, organizationId)
  }

  /** The scope of documents about the instance: what platform admins do outside of organizations. */
  get instance(): Scope {
    return new Scope(this.#storage, INSTANCE_ID)
  }

  /** Documents of all organizations, to read. @param reader a checked principal @throws ApiError platform_admin_required */
  allOrganizations(reader: { readonly isPlatformAdmin: boolean }): AllOrganizations {
    if (!reader.isPlatformAdmin) throw new ApiError('platform_admin_required')
    return new AllOrganizations(this.#storage)
  }

  /** Finds a document by a locator (an API key's public id, an invitation's token hash), with the scope of its organization. Null: there is none. */
  async locate<T extends TenantDocument>(definition: TenantCollection<T>, locator: string, value: string): Promise<{ readonly scope: Scope; readonly document: T } | null> {
    if (!definition.locators.includes(locator)) throw new TypeError(`${locator} is not a locator of ${definition.name}`)
    const document = await this.#storage.openTenant(definition).findOne({ [locator]: value } as Filter<T>)
    return document === null ? null : { scope: this.of(document.organization_id), document }
  }
}
