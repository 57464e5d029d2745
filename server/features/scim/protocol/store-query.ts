/**
 * Translates a query to the store's filter, order and page, as far as the store can evaluate it. Invariants:
 *  1. the store's filter matches every resource that the query's filter matches
 *  2. with `isExact` it matches no others, and the order and the page are the store's. Otherwise the caller reads what the store's filter matches, at most
 *     `CANDIDATES_LIMIT` documents, and calls `selectPage`
 */
import type { Bound, Conditions, Filter as StoreFilter, FindOptions, Scalar, StoredDocument } from '../../../core/storage/contract.js'
import type { Attribute } from './attribute.js'
import { type AttributePath, leafOf, pathText } from './attribute-path.js'
import type { Comparison, Filter, FilterValue } from './filter/filter.js'
import type { Query } from './query.js'
import { afterPrefix } from './text-order.js'

/** Documents that a query may read when the store cannot evaluate it exactly: as many as an organization has members (`MEMBERS_LIMIT` of tenancy). */
export const CANDIDATES_LIMIT = 11_000
/** Alternatives of a store's filter. A filter with more is evaluated in memory. */
const ALTERNATIVES_LIMIT = 16

/** The field of a document that holds the values of an attribute. */
export interface StoredField {
  /**
   * A text that ignores letter case is stored as `foldCase(text)`, another text as it is, a date as a Date, a boolean as a boolean; null or missing: unassigned.
   * A multi-valued attribute is stored as an array of such texts.
   */
  readonly field: string
  /** Every document has a value: the store can sort by the field (it orders null differently than RFC 7644). */
  readonly isAssigned?: boolean
}

/** Fields by the name of the attribute, as `pathText` writes it: `userName`, `meta.lastModified`, `members.value`. */
export type StoredFields = Readonly<Record<string, StoredField>>

export interface StoreQuery<T> {
  readonly filter: StoreFilter<T>
  /** Order and page; only an order if the query is not exact. */
  readonly options: FindOptions<T>
  /** Whether `find` and `count` with these arguments answer the query. */
  readonly isExact: boolean
}

/**
 * Everything is in the order of its creation unless the query says otherwise: what is added while a client reads page after page moves nothing to another page.
 * @param fields `id` is the field `_id`; attributes without a field are evaluated in memory
 */
export function planQuery<T extends StoredDocument>({ filter, sort, startIndex, count }: Query, fields: StoredFields): StoreQuery<T> {
  const known: StoredFields = { id: { field: '_id', isAssigned: true }, ...fields }
  const { alternatives, isExact } = filter === null ? { ...EVERYTHING, isExact: true } : translate(filter, false, known)
  const unsorted = (filter === null ? known['meta.created'] : undefined) ?? known.id
  const sorted = sort === null ? unsorted : fieldOf(sort.path, known)
  const direction = sort?.isDescending === true ? -1 : 1
  const isSorted = sorted?.isAssigned === true && (sort === null || !isMultiValued(sort.path))
  const order = isSorted ? { [sorted.field]: direction, _id: direction } : { _id: 1 }
  const page = isExact && isSorted ? { skip: startIndex - 1, limit: count } : {}
  return { filter: storeFilter<T>(alternatives), options: { sort: order, ...page } as FindOptions<T>, isExact: isExact && isSorted }
}

/** Conditions by operator. `in` with one value is equality. */
interface Operators {
  readonly in?: readonly Scalar[]
  readonly not?: Scalar
  readonly gt?: Bound
  readonly gte?: Bound
  readonly lt?: Bound
  readonly lte?: Bound
  readonly contains?: string
  readonly has?: string
}

/** Conditions on fields that all hold. */
type Conjunction = ReadonlyMap<string, Operators>

interface Translation {
  readonly alternatives: readonly Conjunction[]
  readonly isExact: boolean
}

const EVERYTHING: Translation = { alternatives: [new Map()], isExact: false }

/** @param isNegated the filter stands below an odd number of `not` */
function translate(filter: Filter, isNegated: boolean, fields: StoredFields): Translation {
  switch (filter.kind) {
    case 'not':
      return translate(filter.filter, !isNegated, fields)
    case 'and':
    case 'or': {
      const parts = filter.filters.map((one) => translate(one, isNegated, fields))
      return (filter.kind === 'and') === isNegated ? unite(parts) : intersect(parts)
    }
    case 'present':
      return present(filter.path, isNegated, fields)
    case 'compare':
      return compare(filter, isNegated, fields)
    case 'element': {
      if (isNegated) return EVERYTHING
      const inner = translate(filter.filter, false, fields)
      // One element must satisfy all conditions; the store checks at most that each is satisfied by some element.
      return { ...inner, isExact: inner.isExact && filter.filter.kind === 'compare' }
    }
  }
}

function present(path: AttributePath, isNegated: boolean, fields: StoredFields): Translation {
  const stored = fieldOf(path, fields)
  if (stored === null || isMultiValued(path)) return EVERYTHING
  return exactly(stored.field, isNegated ? { in: [null] } : { not: null })
}

function compare({ path, operator, value }: Comparison, isNegated: boolean, fields: StoredFields): Translation {
  const stored = fieldOf(path, fields)
  if (stored === null) return EVERYTHING
  const { field } = stored
  const leaf = leafOf(path)
  if (isMultiValued(path)) return operator === 'eq' && !isNegated && typeof value === 'string' ? exactly(field, { has: value }) : EVERYTHING
  const scalar = scalarOf(leaf, value)
  switch (isNegated ? (NEGATIONS[operator] ?? null) : operator) {
    case 'eq':
      return exactly(field, { in: [scalar] })
    case 'ne':
      return exactly(field, { not: scalar })
    case 'gt':
      return exactly(field, { gt: scalar as Bound })
    case 'ge':
      return exactly(field, { gte: scalar as Bound })
    case 'lt':
      return exactly(field, { lt: scalar as Bound })
    case 'le':
      return exactly(field, { lte: scalar as Bound })
    case 'sw': {
      const prefix = String(value)
      const end = afterPrefix(prefix)
      return exactly(field, { gte: prefix, ...(end === null ? {} : { lt: end }) })
    }
    case 'co':
    case 'ew':
      // The store ignores the letter case of more letters than `foldCase`, and has no condition on the end of a text.
      return { ...exactly(field, { contains: String(value) }), isExact: false }
    default:
      // A document without a value satisfies the negation, and none of the store's conditions.
      return EVERYTHING
  }
}

/** Only these negations hold for documents without a value as well. */
const NEGATIONS: Readonly<Partial<Record<Comparison['operator'], 'eq' | 'ne'>>> = { eq: 'ne', ne: 'eq' }

function scalarOf({ type }: Attribute, value: FilterValue): Scalar {
  return type === 'dateTime' && typeof value === 'number' ? new Date(value) : value
}

function fieldOf(path: AttributePath, fields: StoredFields): StoredField | null {
  const name = pathText(path)
  return Object.hasOwn(fields, name) ? fields[name] : null
}

function isMultiValued({ attribute, sub }: AttributePath): boolean {
  return attribute.multiValued || sub?.multiValued === true
}

function exactly(field: string, operators: Operators): Translation {
  return { alternatives: [new Map([[field, operators]])], isExact: true }
}

function unite(parts: readonly Translation[]): Translation {
  const alternatives = parts.flatMap((part) => part.alternatives)
  const isExact = parts.every((part) => part.isExact)
  if (alternatives.some((one) => one.size === 0)) return EVERYTHING
  return alternatives.length > ALTERNATIVES_LIMIT ? EVERYTHING : { alternatives, isExact }
}

function intersect(parts: readonly Translation[]): Translation {
  let alternatives: readonly Conjunction[] = [new Map()]
  let isExact = true
  for (const part of parts) {
    const products = alternatives.length * part.alternatives.length
    if (products > ALTERNATIVES_LIMIT) {
      isExact = false
      continue
    }
    const both = alternatives.flatMap((a) => part.alternatives.map((b) => conjunctionOf(a, b)))
    alternatives = both.map(({ conjunction }) => conjunction)
    isExact &&= part.isExact && both.every((one) => one.isExact)
  }
  return { alternatives, isExact }
}

function conjunctionOf(a: Conjunction, b: Conjunction): { readonly conjunction: Conjunction; readonly isExact: boolean } {
  const conjunction = new Map(a)
  let isExact = true
  for (const [field, operators] of b) {
    const own = conjunction.get(field) ?? {}
    // A second condition of the same operator is left to memory.
    if (Object.keys(operators).some((operator) => operator in own)) isExact = false
    conjunction.set(field, { ...operators, ...own })
  }
  return { conjunction, isExact }
}

function storeFilter<T>(alternatives: readonly Conjunction[]): StoreFilter<T> {
  const conditions = alternatives.map(conditionsOf) as unknown as readonly Conditions<T>[]
  return (conditions.length === 1 ? conditions[0] : { anyOf: conditions }) as StoreFilter<T>
}

function conditionsOf(conjunction: Conjunction): Readonly<Record<string, Scalar | Operators>> {
  return Object.fromEntries(
    [...conjunction].map(([field, operators]) => {
      const values = operators.in
      return [field, values?.length === 1 && Object.keys(operators).length === 1 ? values[0] : operators]
    }),
  )
}
