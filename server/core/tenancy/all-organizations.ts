/**
 * The only reads of documents over all organizations, for platform administration. Invariants:
 *  1. `Tenancy.allOrganizations` creates it for a platform admin only, and refuses everybody else
 *  2. it reads only collections that declare indexes for it, and it writes nothing: changes go through the `Scope` of one organization
 */
import type { Collection, Filter, FindOptions, Storage, TenantCollection, TenantDocument } from '../storage/contract.js'

/** A collection over all organizations. Methods as those of `Collection`. */
export type ReadCollection<T extends TenantDocument> = Pick<Collection<T>, 'findOne' | 'find' | 'count'>

export class AllOrganizations {
  readonly #storage: Pick<Storage, 'openTenant'>

  constructor(storage: Pick<Storage, 'openTenant'>) {
    this.#storage = storage
  }

  collection<T extends TenantDocument>(definition: TenantCollection<T>): ReadCollection<T> {
    if (!definition.isReadInstanceWide) throw new TypeError(`${definition.name} is not read over all organizations`)
    const opened = this.#storage.openTenant(definition)
    return {
      findOne: (filter: Filter<T>, options?: Pick<FindOptions<T>, 'sort'>) => opened.findOne(filter, options),
      find: (filter: Filter<T>, options?: FindOptions<T>) => opened.find(filter, options),
      count: (filter: Filter<T>) => opened.count(filter),
    }
  }
}
