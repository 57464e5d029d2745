/** Queries of lists: the parameters of GET and the body of POST `.search` (RFC 7644, 3.4.2 and 3.4.3), and their evaluation in memory. */
import type { ResourceType } from './attribute.js'
import { type AttributePath, attributeValue, leafOf, resolvePath, resolveSub } from './attribute-path.js'
import { ScimError } from './errors.js'
import { ComparisonBudget, matches } from './filter/evaluate.js'
import type { Filter } from './filter/filter.js'
import { parseFilter } from './filter/parse.js'
import { typedValue } from './filter/values.js'
import { isPrimary } from './read-value.js'
import { type Projection, project, readProjection } from './projection.js'
import { requireSchema } from './read-resource.js'
import { isObject, type ScimObject, valuesOf } from './resource.js'
import { compareTexts } from './text-order.js'

export const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
export const SEARCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'

/** Resources of a response when the client sends no `count`. */
export const PAGE_DEFAULT = 100
/** Maximum number of resources of a response; `filter.maxResults` of the service provider configuration. */
export const PAGE_LIMIT = 200
/** Greatest index that a client may ask for: no organization has as many resources. */
const INDEX_LIMIT = 1_000_000_000

/** The parameters as a client sends them. */
export interface QueryParameters {
  readonly filter?: string | undefined
  readonly sortBy?: string | undefined
  readonly sortOrder?: string | undefined
  readonly startIndex?: string | number | undefined
  readonly count?: string | number | undefined
  /** Separated by commas, or a list. */
  readonly attributes?: string | readonly string[] | undefined
  readonly excludedAttributes?: string | readonly string[] | undefined
}

export interface Sort {
  /** Leads to a value that is not complex. */
  readonly path: AttributePath
  readonly isDescending: boolean
}

export interface Query {
  readonly filter: Filter | null
  readonly sort: Sort | null
  /** From 1. */
  readonly startIndex: number
  /** 0: the client asks for `totalResults` only. */
  readonly count: number
  readonly projection: Projection
}

/** A page and the number of resources on all pages. */
export interface ResourcePage {
  readonly resources: readonly ScimObject[]
  readonly total: number
}

/** @throws ScimError invalidFilter, invalidValue */
export function readQuery(type: ResourceType, parameters: QueryParameters): Query {
  const { filter, sortBy, sortOrder, startIndex, count, attributes, excludedAttributes } = parameters
  return {
    filter: filter === undefined || filter.trim() === '' ? null : parseFilter(type, filter),
    sort: readSort(type, sortBy, sortOrder),
    // Less than 1 means 1, and a negative count means 0 (RFC 7644, 3.4.2.4).
    startIndex: Math.max(1, integer('startIndex', startIndex) ?? 1),
    count: Math.min(PAGE_LIMIT, Math.max(0, integer('count', count) ?? PAGE_DEFAULT)),
    projection: readProjection(type, attributes, excludedAttributes),
  }
}

/** Reads the body of POST `.search`; its members are the parameters of GET. @throws ScimError invalidSyntax, invalidValue */
export function readSearchRequest(body: unknown): QueryParameters {
  if (!isObject(body)) throw new ScimError('body_wrong', {})
  requireSchema(body, SEARCH_SCHEMA)
  const texts = (name: string): string[] | undefined => optional(body, name, (value): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string'))
  const text = (name: string): string | undefined => optional(body, name, (value): value is string => typeof value === 'string')
  const number = (name: string): number | undefined => optional(body, name, (value): value is number => typeof value === 'number')
  return {
    filter: text('filter'),
    sortBy: text('sortBy'),
    sortOrder: text('sortOrder'),
    startIndex: number('startIndex'),
    count: number('count'),
    attributes: texts('attributes'),
    excludedAttributes: texts('excludedAttributes'),
  }
}

/**
 * Filters, sorts and pages in memory. Resources that are equal in the order, and all without `sortBy`, are in the order of their ids.
 * @param resources complete, with `id`, `schemas` and `meta` @throws ScimError tooMany
 */
export function selectPage({ filter, sort, startIndex, count }: Query, resources: readonly ScimObject[]): ResourcePage {
  const budget = new ComparisonBudget()
  const found = filter === null ? [...resources] : resources.filter((resource) => matches(filter, resource, budget))
  const keyed = found.map((resource) => ({ resource, key: sort === null ? undefined : sortKey(sort, resource), id: String(resource.id) }))
  const sign = sort?.isDescending === true ? -1 : 1
  keyed.sort((a, b) => sign * (compareKeys(a.key, b.key) || compareTexts(a.id, b.id)))
  return { resources: keyed.slice(startIndex - 1, startIndex - 1 + count).map(({ resource }) => resource), total: found.length }
}

/** The body of a response with a page. @param page of complete resources; the projection of the query is applied */
export function listResponse(type: ResourceType, { startIndex, projection }: Pick<Query, 'startIndex' | 'projection'>, { resources, total }: ResourcePage) {
  return {
    schemas: [LIST_SCHEMA],
    totalResults: total,
    itemsPerPage: resources.length,
    startIndex,
    Resources: resources.map((resource) => project(type, resource, projection)),
  }
}

function readSort(type: ResourceType, sortBy: string | undefined, sortOrder: string | undefined): Sort | null {
  const order = sortOrder?.trim().toLowerCase() || 'ascending'
  if (order !== 'ascending' && order !== 'descending') throw new ScimError('parameter_wrong', { parameter: 'sortOrder' })
  if (sortBy === undefined || sortBy.trim() === '') return null
  const named = resolvePath(type, sortBy.trim())
  const path = named !== null && leafOf(named).type === 'complex' ? resolveSub(named, 'value') : named
  if (path === null) throw new ScimError('sort_attribute_wrong', { attribute: sortBy.slice(0, NAME_SHOWN) })
  return { path, isDescending: order === 'descending' }
}

/** Characters of a name that an error repeats. */
const NAME_SHOWN = 200

type SortKey = string | number | boolean | undefined

/** Returns the value by which a resource is sorted: the primary value of a multi-valued attribute, or else the first (RFC 7644, 3.4.2.3). */
function sortKey({ path }: Sort, resource: ScimObject): SortKey {
  const values = valuesOf(attributeValue(resource, path))
  const value = values.find(isPrimary) ?? values[0]
  return typedValue(leafOf(path), path.sub === null ? value : (value as ScimObject | undefined)?.[path.sub.name])
}

/** Resources without a value are last in ascending order, and first in descending order (RFC 7644, 3.4.2.3). */
function compareKeys(a: SortKey, b: SortKey): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  return typeof a === 'string' ? compareTexts(a, String(b)) : Number(a) - Number(b)
}

function integer(parameter: string, value: string | number | undefined): number | undefined {
  if (value === undefined || value === '') return undefined
  const number = typeof value === 'number' ? value : INTEGER.test(value) ? Number(value) : Number.NaN
  if (!Number.isInteger(number) || number > INDEX_LIMIT) throw new ScimError('parameter_wrong', { parameter })
  return number
}

const INTEGER = /^[+-]?\d{1,15}$/

function optional<T>(body: Readonly<Record<string, unknown>>, name: string, is: (value: unknown) => value is T): T | undefined {
  const value = Object.entries(body).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1] ?? undefined
  if (value !== undefined && !is(value)) throw new ScimError('parameter_wrong', { parameter: name })
  return value
}
