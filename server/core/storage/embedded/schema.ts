/**
 * Tables of collections: the id, the document as JSON, and a generated column for each indexed field. SQLite orders the values of a column as the contract requires,
 * and values of different types are never equal:
 *
 *   null, missing   -infinity, which no document contains; unlike NULL it is equal to itself, also in a unique index
 *   number          REAL
 *   text            TEXT, by code point
 *   boolean         BLOB 00 or 01
 *   date            BLOB of 17 digits: milliseconds since the earliest date of JavaScript
 *   array           BLOB ff
 */
import type { CollectionDefinition, IndexDefinition, Scalar } from '../contract.js'
import type { Connection, Param } from './connection.js'
import { Refusal } from './plain-fault.js'

/** Version of the format, stored in `user_version`. LMDB had format 1. */
export const FORMAT_VERSION = 2
/** Identifies a store among SQLite files: "DCst". */
export const APPLICATION_ID = 0x44437374

export const NULL_LITERAL = '-9e999'
const NULL_VALUE = Number.NEGATIVE_INFINITY
/** Distance of JavaScript's earliest date from 1970. */
const FIRST_DATE_MS = 8_640_000_000_000_000
const DATE_DIGITS = 17
const INDEX_FIELD_LIMIT = 6
const FIELD = /^\w+$/

/** The schema of a table; plain data, because a thread creates the table. */
export interface TableSchema {
  readonly name: string
  /** Fields with a column, and their expressions. */
  readonly columns: Readonly<Record<string, string>>
  /** Statements that create indexes, by name. */
  readonly indexes: Readonly<Record<string, string>>
}

/** Returns the schema of a collection. @throws TypeError for an invalid index */
export function schemaOf(definition: CollectionDefinition): TableSchema {
  const columns: Record<string, string> = {}
  const indexes: Record<string, string> = {}
  for (const index of indexesOf(definition)) {
    const fields = Object.entries(index.keys)
    const what = `index of ${Object.keys(index.keys).join(', ')} in ${definition.name}`
    if (fields.length === 0 || fields.length > INDEX_FIELD_LIMIT) throw new TypeError(`the ${what} has to have 1 to ${INDEX_FIELD_LIMIT} fields`)
    if (index.expireAfterSeconds !== undefined && fields.length !== 1) throw new TypeError(`the ${what} can't let documents expire: only one of a single field can`)
    for (const [field] of fields) if (field !== '_id') columns[field] = expressionOf(field)
    const name = `${definition.name}: ${fields.map(([field, direction]) => (direction === 1 ? field : `-${field}`)).join(', ')}${index.unique === true ? ' (unique)' : ''}`
    const keys = fields.map(([field, direction]) => `"${field}"${direction === 1 ? '' : ' DESC'}`).join(', ')
    indexes[name] = `CREATE ${index.unique === true ? 'UNIQUE ' : ''}INDEX "${name}" ON "${definition.name}" (${keys})`
  }
  return { name: definition.name, columns, indexes }
}

/** Returns the indexes of the definition, and for a tenant collection at least one that begins with the organization. */
function indexesOf({ kind, indexes }: CollectionDefinition): readonly IndexDefinition[] {
  if (kind !== 'tenant' || indexes.some(({ keys }) => Object.keys(keys)[0] === 'organization_id')) return indexes
  return [{ keys: { organization_id: 1 } }, ...indexes]
}

/** Returns the SQL expression of the generated column of a field. */
export function expressionOf(field: string): string {
  if (!FIELD.test(field)) throw new TypeError(`${field} is no field of the embedded store`)
  const value = `document->>'$."${field}"'`
  return `CASE json_type(document, '$."${field}"') WHEN 'text' THEN ${value} WHEN 'integer' THEN CAST(${value} AS REAL) WHEN 'real' THEN ${value} WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' WHEN 'object' THEN CAST(printf('%0${DATE_DIGITS}d', document->>'$."${field}"."$date"' + ${FIRST_DATE_MS}) AS BLOB) WHEN 'array' THEN x'ff' ELSE ${NULL_LITERAL} END`
}

/** Converts a value to the form that its column has. */
export function paramOf(value: Scalar): Param {
  if (value === null) return NULL_VALUE
  if (typeof value === 'boolean') return Uint8Array.of(Number(value))
  if (value instanceof Date) return Buffer.from(String(value.getTime() + FIRST_DATE_MS).padStart(DATE_DIGITS, '0'))
  return value
}

/** Creates missing tables, columns and indexes, and drops indexes that are no longer defined. It must run in a transaction. @throws Refusal for a unique index that existing documents violate */
export function createTables(connection: Connection, tables: readonly TableSchema[]): void {
  for (const { name, columns, indexes } of tables) {
    createTable(connection, name, columns)
    const present = new Set(connection.all('SELECT name FROM pragma_table_xinfo(?)', [name]).map(([column]) => column))
    for (const [field, expression] of Object.entries(columns)) if (!present.has(field)) connection.exec(`ALTER TABLE "${name}" ADD COLUMN ${columnSql(field, expression)}`)
    const created = new Set(connection.all("SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL", [name]).map(([index]) => index as string))
    for (const index of created) if (!(index in indexes)) connection.exec(`DROP INDEX "${index}"`)
    for (const [index, sql] of Object.entries(indexes)) {
      if (created.has(index)) continue
      try {
        connection.exec(sql)
      } catch (fault) {
        throw duplicateOf(fault) ?? fault
      }
    }
  }
}

/** Creates a table with all its columns, because SQLite reads the whole schema again for each column that is added later. */
function createTable(connection: Connection, name: string, columns: TableSchema['columns']): void {
  const generated = Object.entries(columns).map(([field, expression]) => `, ${columnSql(field, expression)}`)
  connection.exec(`CREATE TABLE IF NOT EXISTS "${name}" (_id TEXT NOT NULL PRIMARY KEY, document TEXT NOT NULL${generated.join('')})`)
}

function columnSql(field: string, expression: string): string {
  return `"${field}" GENERATED ALWAYS AS (${expression}) VIRTUAL`
}

const DUPLICATE = /^UNIQUE constraint failed: (.+)$/

/** Converts a violation of a unique index to a refusal; null: the fault is another one. */
export function duplicateOf(fault: unknown): Refusal | null {
  const found = DUPLICATE.exec((fault as Error).message)
  if (found === null) return null
  const columns = found[1].split(', ').map((column) => column.split('.'))
  return new Refusal({ kind: 'duplicate', collection: columns[0][0], fields: columns.map(([, field]) => field) })
}
