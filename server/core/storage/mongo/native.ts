/** Converts filters, updates and documents of the contract to the driver's form, and checks them: the driver accepts any input, and omits undefined values. */
import type { Collection, Filter as DriverFilter, UpdateFilter } from 'mongodb'
import type { Filter, StoredDocument, Update } from '../contract.js'
import { DocumentTooLargeError } from '../errors.js'
import { type FieldCondition, patternOf, readFilter, readUpdate } from '../queries.js'
import { measureDocument } from '../measure.js'
import { DOCUMENT_BYTES } from '../values.js'

/** A document in MongoDB, in the form of the contract. */
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
  // MongoDB compares each element of an array with the scalar.
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
  // MongoDB accepts an empty operator, but refuses an update without operators.
  return { $set: set, $inc: increment } as NativeUpdate
}

/** Returns a checked copy, because the caller may change its document while the driver uses it. @throws TypeError, DocumentTooLargeError */
export function nativeDocument(collection: string, document: StoredDocument): Stored {
  return measureDocument(collection, document).value as unknown as Stored
}
