/** Filters, updates and documents of the contract in the driver's form. All are checked on the way: the driver takes anything, and leaves out what is undefined. */
import type { Collection, Filter as DriverFilter, UpdateFilter } from 'mongodb'
import type { Filter, StoredDocument, Update } from '../contract.js'
import { DocumentTooLargeError } from '../errors.js'
import { type FieldCondition, patternOf, readFilter, readUpdate } from '../questions.js'
import { measureDocument } from '../measure.js'
import { DOCUMENT_BYTES } from '../values.js'

/** A document as it lies in MongoDB: as the contract has it. */
export interface Stored extends StoredDocument {
  readonly [field: string]: unknown
}

export type Native = Collection<Stored>
export type NativeFilter = DriverFilter<Stored>
export type NativeUpdate = UpdateFilter<Stored>

const OPERATORS = {
  is: '$eq',
  not: '$ne',
  in: '$in',
  notIn: '$nin',
  gt: '$gt',
  gte: '$gte',
  lt: '$lt',
  lte: '$lte',
  contains: '$regex',
  // MongoDB compares an array with a scalar by its elements.
  has: '$eq',
} as const satisfies Record<FieldCondition['operator'], string>

/** @throws TypeError */
export function nativeFilter<T extends StoredDocument>(filter: Filter<T>): NativeFilter {
  const { conditions, anyOf } = readFilter(filter)
  const native = nativeConditions(conditions)
  return (anyOf === null ? native : { ...native, $or: anyOf.map(nativeConditions) }) as NativeFilter
}

function nativeConditions(conditions: readonly FieldCondition[]): object {
  const fields = new Map<string, Record<string, unknown>>()
  for (const { field, operator, value } of conditions) {
    const native = { [OPERATORS[operator]]: operator === 'contains' ? patternOf(value) : value }
    fields.set(field, { ...fields.get(field), ...native })
  }
  return Object.fromEntries(fields)
}

/** @throws TypeError, DocumentTooLargeError */
export function nativeUpdate<T extends StoredDocument>(collection: string, update: Update<T>): NativeUpdate {
  const { set, increment, bytes } = readUpdate(update)
  if (bytes > DOCUMENT_BYTES) throw new DocumentTooLargeError(collection)
  // MongoDB takes an empty operator, but no update without one.
  return { $set: set, $inc: increment } as NativeUpdate
}

/** A copy: the caller may change its document while the driver is at work. @throws TypeError, DocumentTooLargeError */
export function nativeDocument(collection: string, document: StoredDocument): Stored {
  return measureDocument(collection, document).value as unknown as Stored
}
