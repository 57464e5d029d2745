/** Converts the query of a list to options of a find. */
import type { FindOptions } from '../storage/contract.js'

/** The query that `listQuery` parses. */
export interface PageQuery<Sort extends string = string> {
  readonly limit: number
  readonly offset: number
  readonly sort: Sort
  readonly order: 'asc' | 'desc'
}

/** A page of a list and the total number of entries. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly total: number
}

/** Returns a page as the response of a list. */
export function presentPage<T, R>({ items, total }: Page<T>, present: (item: T) => R): { readonly body: R[]; readonly total: number } {
  return { body: items.map((item) => present(item)), total }
}

/** Options of a find with a limit. */
export type PageOptions<T> = FindOptions<T> & { readonly limit: number }

/** Sorts equal values by id, so that no page repeats or misses an entry. */
export function findOptions<T>({ limit, offset, sort, order }: PageQuery): PageOptions<T> {
  const direction = order === 'asc' ? 1 : -1
  return { sort: { [sort]: direction, _id: direction }, skip: offset, limit } as PageOptions<T>
}

/** A collection to read a page from, scoped or not. */
interface Listed<T, F> {
  find(filter: F, options: FindOptions<T>): Promise<T[]>
  count(filter: F): Promise<number>
}

/** Reads a page and the total number of matches. The count is skipped when the page itself shows it, because counting visits every match. */
export async function findPage<T, F>(listed: Listed<T, F>, filter: F, options: PageOptions<T>): Promise<Page<T>> {
  const { skip = 0, limit } = options
  const items = await listed.find(filter, options)
  const isLast = items.length < limit && (items.length > 0 || skip === 0)
  return { items, total: isLast ? skip + items.length : await listed.count(filter) }
}
