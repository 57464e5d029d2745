/** Writes of a database file. They are plain data, so that a thread can run many of them in one transaction, with one wait for the disk. */
import { decode } from '../json-values.js'
import { copyDocument, DOCUMENT_BYTES } from '../values.js'
import type { Connection } from './connection.js'
import { type PlainFault, Refusal } from './plain-fault.js'
import { createTables, duplicateOf, type TableSchema } from './schema.js'
import { type Selection, selectRows } from './selection.js'

export type Step =
  | { readonly kind: 'create'; readonly tables: readonly TableSchema[] }
  | { readonly kind: 'insert'; readonly table: string; readonly id: string; readonly json: string; readonly limit: number | null }
  | { readonly kind: 'update'; readonly selection: Selection; readonly change: Change; readonly match: Match }
  | { readonly kind: 'delete'; readonly selection: Selection; readonly match: Match }

/** `required`: one document, or the task is refused; `optional`: at most one document. A number: all documents that match, up to this number. */
export type Match = 'required' | 'optional' | number

/** A change of a document; values are encoded (`json-values.ts`). */
export interface Change {
  readonly set: Readonly<Record<string, unknown>>
  readonly increment: Readonly<Record<string, number>>
}

/** Steps that are executed all or not at all. */
export type Task = readonly Step[]

/** The result of a step: for an update of one document its new JSON; for other updates and deletes the number of documents; else null. */
export type StepResult = string | number | null

export type Outcome = { readonly results: readonly StepResult[] } | { readonly fault: PlainFault }

/** Maximum ratio of BSON to JSON, approximately: an array element of one digit has 2 characters in JSON and 10 bytes in BSON. */
const BSON_GROWTH = 8

/** Runs all tasks in one transaction. A refused task changes nothing and does not affect the others. @throws faults of the whole transaction, which then has changed nothing */
export function writeTasks(connection: Connection, tasks: readonly Task[]): Outcome[] {
  connection.exec('BEGIN IMMEDIATE')
  try {
    const outcomes = tasks.map((task) => writeTask(connection, task))
    connection.exec('COMMIT')
    return outcomes
  } catch (fault) {
    // SQLite ends the transaction itself when the disk is full.
    if (connection.inTransaction) connection.exec('ROLLBACK')
    throw fault
  }
}

function writeTask(connection: Connection, task: Task): Outcome {
  connection.exec('SAVEPOINT task')
  try {
    const results = task.map((step, index) => writeStep(connection, step, index))
    connection.exec('RELEASE task')
    return { results }
  } catch (fault) {
    const refusal = fault instanceof Refusal ? fault : duplicateOf(fault)
    // The fault is not specific to this task, so the whole transaction fails.
    if (refusal === null) throw fault
    connection.exec('ROLLBACK TO task; RELEASE task')
    return { fault: refusal.fault }
  }
}

function writeStep(connection: Connection, step: Step, index: number): StepResult {
  switch (step.kind) {
    case 'create':
      createTables(connection, step.tables)
      return null
    case 'insert':
      insert(connection, step)
      return null
    case 'update': {
      let updated: string | null = null
      const count = matching(connection, step.selection, step.match, index, (rowid, json) => {
        updated = changed(step.selection.table, json, step.change)
        connection.run(`UPDATE "${step.selection.table}" SET document = ? WHERE rowid = ?`, [updated, rowid])
      })
      return typeof step.match === 'number' ? count : updated
    }
    case 'delete':
      return matching(connection, step.selection, step.match, index, (rowid) => connection.run(`DELETE FROM "${step.selection.table}" WHERE rowid = ?`, [rowid]))
  }
}

function insert(connection: Connection, { table, id, json, limit }: Extract<Step, { kind: 'insert' }>): void {
  const { lastInsertRowid } = connection.run(`INSERT INTO "${table}" (_id, document) VALUES (?, ?)`, [id, json])
  // Rows are numbered in the order of their insertion.
  if (limit !== null && lastInsertRowid > limit) connection.run(`DELETE FROM "${table}" WHERE rowid <= ?`, [lastInsertRowid - limit])
}

/** @returns how many documents were changed */
function matching(connection: Connection, selection: Selection, match: Match, index: number, change: (rowid: number, json: string) => void): number {
  // All documents are found before the first change, because changed documents could stop matching or match again.
  const tail = selection.where.texts.length > 0 || selection.alternatives.length > 0 ? '' : ' LIMIT ?'
  const limit = typeof match === 'number' ? match : 1
  const found = [...selectRows(connection, selection, tail, tail === '' ? [] : [limit])].slice(0, limit)
  if (match === 'required' && found.length === 0) throw new Refusal({ kind: 'stale', collection: selection.table, index })
  for (const { rowid, json } of found) change(rowid, json)
  return found.length
}

function changed(table: string, json: string, { set, increment }: Change): string {
  const document = JSON.parse(json) as Record<string, unknown>
  Object.assign(document, set)
  for (const [field, step] of Object.entries(increment)) {
    const before = document[field] === undefined ? 0 : document[field]
    if (typeof before !== 'number') throw new Refusal({ kind: 'type', message: `${field} of a document of ${table} is no number` })
    document[field] = before + step
  }
  const text = JSON.stringify(document)
  if (text.length * BSON_GROWTH > DOCUMENT_BYTES && copyDocument(decode(JSON.parse(text)) as object).bytes > DOCUMENT_BYTES)
    throw new Refusal({ kind: 'too_large', collection: table })
  return text
}
