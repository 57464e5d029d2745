/** From a list's query to what a store is asked. */
import type { FindOptions } from '../storage/contract.js'

/** What `listQuery` reads. */
export interface PageQuery<Sort extends string = string> {
  readonly limit: number
  readonly offset: number
  readonly sort: Sort
  readonly order: 'asc' | 'desc'
}

/** A page of a list, and how many entries there are in all. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly total: number
}

/** Of a find that has an end. */
export type PageOptions<T> = FindOptions<T> & { readonly limit: number }

/** Entries with equal values keep one order, by id, so that no page repeats or misses one. */
export function findOptions<T>({ limit, offset, sort, order }: PageQuery): PageOptions<T> {
  const direction = order === 'asc' ? 1 : -1
  return { sort: { [sort]: direction, _id: direction }, skip: offset, limit } as PageOptions<T>
}

/** What a page is read from: a collection, whether of one organization or not. */
interface Listed<T, F> {
  find(filter: F, options: FindOptions<T>): Promise<T[]>
  count(filter: F): Promise<number>
}

/** A page, and how many match in all. These are counted only when the page doesn't tell: counting looks at every one of them. */
export async function findPage<T, F>(listed: Listed<T, F>, filter: F, options: PageOptions<T>): Promise<Page<T>> {
  const { skip = 0, limit } = options
  const items = await listed.find(filter, options)
  const isLast = items.length < limit && (items.length > 0 || skip === 0)
  return { items, total: isLast ? skip + items.length : await listed.count(filter) }
}
