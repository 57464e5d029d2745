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

/** Entries with equal values keep one order, by id, so that no page repeats or misses one. */
export function findOptions<T>({ limit, offset, sort, order }: PageQuery): FindOptions<T> {
  const direction = order === 'asc' ? 1 : -1
  return { sort: { [sort]: direction, _id: direction }, skip: offset, limit } as FindOptions<T>
}
