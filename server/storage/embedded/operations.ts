/** The writes of the contract, on tables. Each runs in one go; what throws has to be taken back with its journal. */
import type { Update, StoredDocument, Write } from '../contract.js'
import { StaleWriteError } from '../errors.js'
import { type CompiledFilter, compileFilter } from '../language/filter.js'
import { type Journal, type Question, type Table, takeDocument } from './table.js'
import { compileUpdate } from '../language/update.js'
import type { ValueObject } from '../values.js'

export type Change = (document: ValueObject) => ValueObject

const first = (filter: CompiledFilter): Question => ({ filter, sort: [], skip: 0, limit: 1 })
const all = (filter: CompiledFilter): Question => ({ filter, sort: [], skip: 0, limit: Number.POSITIVE_INFINITY })

/** Changes the first that is found. Null: there is none. */
export function update(table: Table, journal: Journal, filter: CompiledFilter, change: Change): ValueObject | null {
  const [before] = table.find(first(filter))
  return before === undefined ? null : updateOne(table, journal, before, change)
}

/** Changes all that are found. @returns how many */
export function updateMany(table: Table, journal: Journal, filter: CompiledFilter, change: Change): number {
  const found = table.find(all(filter))
  for (const before of found) updateOne(table, journal, before, change)
  return found.length
}

/** Deletes the first that is found, and gives it. Null: there is none. */
export function remove(table: Table, journal: Journal, filter: CompiledFilter): ValueObject | null {
  const [before] = table.find(first(filter))
  if (before === undefined) return null
  journal.change(table, before, null)
  return before
}

/** Deletes all that are found. @returns how many */
export function removeMany(table: Table, journal: Journal, filter: CompiledFilter): number {
  const found = table.find(all(filter))
  for (const before of found) journal.change(table, before, null)
  return found.length
}

function updateOne(table: Table, journal: Journal, before: ValueObject, change: Change): ValueObject {
  const after = takeDocument(table.name, change(before))
  journal.change(table, before, after)
  return after
}

/** A write of a commit, ready to be made. What is wrong with it shows before the commit begins. */
export interface PreparedWrite {
  readonly collection: string
  run(table: Table, journal: Journal, index: number): StoredDocument | null
}

/** @throws TypeError, DocumentTooLargeError, for what the contract does not name or no store can hold */
export function prepareWrite({ collection, operation }: Write): PreparedWrite {
  if (operation.kind === 'insert') {
    const document = takeDocument(collection, operation.document)
    return {
      collection,
      run: (table, journal) => {
        journal.change(table, null, document)
        return null
      },
    }
  }
  const filter = compileFilter(operation.filter)
  const required = (count: number, index: number): null => {
    if (count === 0 && !operation.many && !operation.optional) throw new StaleWriteError(collection, index)
    return null
  }
  if (operation.kind === 'delete') {
    return {
      collection,
      run: (table, journal, index) => required(operation.many ? removeMany(table, journal, filter) : Number(remove(table, journal, filter) !== null), index),
    }
  }
  const change = compileUpdate(operation.update as Update<StoredDocument>)
  return {
    collection,
    run: (table, journal, index) => {
      if (operation.many) return required(updateMany(table, journal, filter, change), index)
      const after = update(table, journal, filter, change)
      required(after === null ? 0 : 1, index)
      return after as StoredDocument | null
    },
  }
}
