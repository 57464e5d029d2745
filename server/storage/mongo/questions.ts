/**
 * Filters, updates and documents on their way to the driver, which would take anything and leaves out what is undefined: a filter without its only
 * condition matches everything. The embedded store's reader checks them, so that both stores refuse the same with the same TypeErrors.
 */
import type { Filter, StoredDocument, Update } from '../contract.js'
import { measureDocument } from '../language/document.js'
import { compileFilter } from '../language/filter.js'
import { compileUpdate } from '../language/update.js'
import { copyDocument, type ValueObject } from '../language/values.js'
import { DOCUMENT_BYTES, DocumentTooLargeError } from '../errors.js'
import { type NativeFilter, RESERVED, type Stored } from './stored.js'

export type UpdateDocument = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** @throws TypeError */
export function filterOf<T extends StoredDocument>(filter: Filter<T>): NativeFilter {
  compileFilter(filter)
  return filter as NativeFilter
}

/** Without operators that have nothing to do; MongoDB refuses an update of nothing, but takes an empty `$set`. @throws TypeError, DocumentTooLargeError */
export function updateOf<T extends StoredDocument>(collection: string, update: Update<T>): UpdateDocument {
  compileUpdate(update as Update<StoredDocument>)
  const operators = Object.entries(update as UpdateDocument).flatMap(([operator, fields]): [string, Record<string, unknown>][] => {
    const given = Object.entries(fields ?? {}).filter(([, value]) => value !== undefined)
    return given.length === 0 ? [] : [[operator, Object.fromEntries(given)]]
  })
  if (operators.length === 0) return { $set: {} }
  const changed = Object.fromEntries(operators)
  if (copyDocument(changed).bytes > DOCUMENT_BYTES) throw new DocumentTooLargeError(collection)
  return changed
}

/** A copy, as the caller may change its own while the driver is at work. @throws TypeError, DocumentTooLargeError */
export function documentOf(collection: string, document: StoredDocument): Stored {
  const { value } = measureDocument(collection, document)
  for (const field of RESERVED) if (field in value) throw new TypeError(`${field} belongs to the store`)
  return value as unknown as Stored
}

/** Whether a document matches, without asking the database. */
export function matches(document: Stored, filter: Filter<StoredDocument>): boolean {
  return compileFilter(filter).test(document as unknown as ValueObject)
}

/** What becomes of a document, without asking the database. */
export function changed(document: Stored, update: Update<StoredDocument>): Stored {
  return compileUpdate(update)(document as unknown as ValueObject) as unknown as Stored
}
