/**
 * Lists of stored resources. The store selects the page if it can evaluate the query exactly. Otherwise all resources that the store's filter matches are read,
 * and the page is selected in memory.
 */
import { ScimError } from '../protocol/errors.js'
import { type Query, type ResourcePage, selectPage } from '../protocol/query.js'
import type { ScimObject } from '../protocol/resource.js'
import { CANDIDATES_LIMIT, planQuery, type StoredFields } from '../protocol/store-query.js'
import type { Filter, TenantDocument } from '../../../core/storage/contract.js'
import type { ScopedCollection } from '../../../core/tenancy/scope.js'

/** The stored resources of one type, and how a query presents them. */
export interface StoredResources<T extends TenantDocument> {
  readonly collection: ScopedCollection<T>
  readonly fields: StoredFields
  /** `id` of the resource. */
  idOf(document: T): string
  /** Limits the documents that are read for a selection in memory. Default: those that the store's filter matches. */
  narrow?(filter: Filter<T>): Promise<Filter<T>>
  /** The resources with all attributes that the filter and the order name. */
  compared(documents: readonly T[]): Promise<readonly ScimObject[]>
  /** The resources with all attributes that the response shows. */
  shown(documents: readonly T[]): Promise<readonly ScimObject[]>
}

/** @throws ScimError tooMany */
export async function listStored<T extends TenantDocument>(query: Query, stored: StoredResources<T>): Promise<ResourcePage> {
  const { collection, fields, idOf } = stored
  const { filter, options, isExact } = planQuery<T>(query, fields)
  if (!isExact) {
    const candidates = await candidatesOf(query, stored)
    const page = selectPage(query, await stored.compared(candidates))
    const byId = new Map(candidates.map((document) => [idOf(document), document]))
    return { ...page, resources: await stored.shown(page.resources.map(({ id }) => byId.get(String(id))!)) }
  }
  const found = query.count === 0 ? [] : await collection.find(filter, options)
  // A page that is not full is the last one: the number of all resources follows from it.
  const isLast = found.length < query.count && (found.length > 0 || query.startIndex === 1)
  const total = isLast ? query.startIndex - 1 + found.length : await collection.count(filter)
  return { resources: await stored.shown(found), total }
}

/** Documents of all resources that the query matches, and perhaps others, in any order. @throws ScimError tooMany */
export async function candidatesOf<T extends TenantDocument>(query: Query, { collection, fields, narrow }: StoredResources<T>): Promise<readonly T[]> {
  const { filter } = planQuery<T>(query, fields)
  const candidates = await collection.find(narrow === undefined ? filter : await narrow(filter), { limit: CANDIDATES_LIMIT + 1 })
  if (candidates.length > CANDIDATES_LIMIT) throw new ScimError('too_many_comparisons', {})
  return candidates
}
