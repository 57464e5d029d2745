/** How SQLite would find documents: without statistics its plan depends on the definition and the question alone. */
import type { CollectionDefinition, Filter, FindOptions, StoredDocument } from '../../server/core/storage/contract.js'
import { Connection } from '../../server/core/storage/embedded/connection.js'
import { createTables, schemaOf } from '../../server/core/storage/embedded/schema.js'
import { orderOf, selectionOf } from '../../server/core/storage/embedded/selection.js'
import { readFilter, readOptions } from '../../server/core/storage/queries.js'

export interface SqlitePlan {
  /** Fields of the index; `['_id']` for a look-up by id. Null: the whole collection is read. */
  readonly index: readonly string[] | null
  /** How many of its fields have a value or a bound. */
  readonly bound: number
  /** No order was asked for, or the index has it. */
  readonly sorted: boolean
}

const INDEX = /USING (?:COVERING )?INDEX (\S+) ?([^(]*)(?:\(unique\))?(?: ?\((.*)\))?$/

export function sqlitePlan(definition: CollectionDefinition, filter: Filter<StoredDocument>, options: FindOptions<StoredDocument> = {}): SqlitePlan {
  const connection = new Connection({ path: ':memory:', durability: 'none' })
  try {
    const schema = schemaOf(definition)
    createTables(connection, [schema])
    const { sort } = readOptions(options)
    const { where } = selectionOf(schema, readFilter(filter), sort)
    const order = orderOf(schema, sort)
    const details = connection.all(`EXPLAIN QUERY PLAN SELECT document FROM "${definition.name}" WHERE ${where.sql}${order}`, where.params).map((row) => row[3] as string)
    const sorted = !details.some((detail) => detail.includes('TEMP B-TREE'))
    const found = details.map((detail) => INDEX.exec(detail)).find((match) => match !== null)
    if (found === undefined) return { index: null, bound: 0, sorted }
    const [, name, fields, terms = ''] = found
    if (name.startsWith('sqlite_autoindex')) return { index: ['_id'], bound: 1, sorted }
    return {
      index: fields
        .trim()
        .split(', ')
        .map((field) => field.replace('-', '')),
      bound: terms.split(' AND ').filter((term) => term !== '').length,
      sorted,
    }
  } finally {
    connection.close()
  }
}

/** What SQLite finds wrong with a file: rows and indexes that do not agree, pages that are damaged. */
export function integrityFaults(path: string): string[] {
  const connection = new Connection({ path, durability: 'disk' })
  try {
    const found = connection.all('PRAGMA integrity_check').map(([line]) => line as string)
    return found.length === 1 && found[0] === 'ok' ? [] : found
  } finally {
    connection.close()
  }
}
