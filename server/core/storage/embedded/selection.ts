/** Translates filters and orders of the contract to SQL. `contains` is tested in JavaScript: SQLite folds only ASCII case, and libsql has no user-defined functions. */
import { type CheckedFilter, type CheckedOptions, type FieldCondition, patternOf } from '../queries.js'
import type { Bound } from '../contract.js'
import type { Connection, Param } from './connection.js'
import { expressionOf, NULL_LITERAL, paramOf, type TableSchema } from './schema.js'

/** A text that a field must contain. */
interface TextCondition {
  readonly field: string
  readonly text: string
}

interface Clause {
  readonly sql: string
  readonly params: readonly Param[]
  /** Text conditions, tested on the documents that the SQL selects. */
  readonly texts: readonly TextCondition[]
}

/** Selects documents of a table; plain data, because threads read and change documents. */
export interface Selection {
  readonly table: string
  readonly where: Clause
  /** The alternatives, if any of them has text conditions: one must hold. */
  readonly alternatives: readonly Clause[]
}

/** Converts a filter. @param sort order of the query, which decides the choice of the index, so that SQLite can stop at the end of the page instead of sorting a whole range */
export function selectionOf(schema: TableSchema, { conditions, anyOf }: CheckedFilter, sort: CheckedOptions['sort'] = []): Selection {
  const all = clauseOf(schema, conditions, sort)
  if (anyOf === null) return { table: schema.name, where: all, alternatives: [] }
  const alternatives = anyOf.map((one) => clauseOf(schema, one, sort))
  const where = {
    sql: `${all.sql} AND (${alternatives.map(({ sql }) => sql).join(' OR ')})`,
    params: [...all.params, ...alternatives.flatMap(({ params }) => params)],
    texts: all.texts,
  }
  return { table: schema.name, where, alternatives: alternatives.some(({ texts }) => texts.length > 0) ? alternatives : [] }
}

export function orderOf(schema: TableSchema, sort: CheckedOptions['sort']): string {
  if (sort.length === 0) return ''
  return ` ORDER BY ${sort.map(([field, direction]) => `${columnOf(schema, field)}${direction === 1 ? '' : ' DESC'}`).join(', ')}`
}

/** Whether the SQL alone selects the documents. */
export function isExact({ where, alternatives }: Selection): boolean {
  return where.texts.length === 0 && alternatives.length === 0
}

/** Yields the row id and JSON of every selected document. The caller must read all of them. @param tail end of the statement @param params parameters of the tail */
export function* selectRows(connection: Connection, selection: Selection, tail: string, params: readonly Param[]): Generator<{ readonly rowid: number; readonly json: string }> {
  const { table, where, alternatives } = selection
  const flags = alternatives.map(({ sql }) => `, (${sql})`).join('')
  const test = testOf(selection)
  const sql = `SELECT rowid, document${flags} FROM "${table}" WHERE ${where.sql}${tail}`
  for (const row of connection.rows(sql, [...alternatives.flatMap((clause) => clause.params), ...where.params, ...params])) {
    const [rowid, json] = row as [number, string]
    if (test === null || test(json, row.slice(2))) yield { rowid, json }
  }
}

/** Returns the test of the text conditions; null: there are none. */
function testOf(selection: Selection): ((json: string, flags: readonly unknown[]) => boolean) | null {
  if (isExact(selection)) return null
  const every = textsTest(selection.where.texts)
  const some = selection.alternatives.map(({ texts }) => textsTest(texts))
  return (json, flags) => {
    const document = JSON.parse(json) as Readonly<Record<string, unknown>>
    return every(document) && (some.length === 0 || some.some((test, index) => flags[index] === 1 && test(document)))
  }
}

function textsTest(texts: readonly TextCondition[]): (document: Readonly<Record<string, unknown>>) => boolean {
  const patterns = texts.map(({ field, text }) => [field, patternOf(text)] as const)
  return (document) =>
    patterns.every(([field, pattern]) => {
      const value = document[field]
      return typeof value === 'string' && pattern.test(value)
    })
}

function clauseOf(schema: TableSchema, conditions: readonly FieldCondition[], sort: CheckedOptions['sort']): Clause {
  const params: Param[] = []
  const texts: TextCondition[] = []
  const parts = conditions.map((condition) => {
    const { field } = condition
    const column = columnOf(schema, field)
    switch (condition.operator) {
      case 'is':
        params.push(paramOf(condition.value))
        return `${column} = ?`
      case 'not':
        params.push(paramOf(condition.value))
        return `${column} <> ?`
      case 'in':
      case 'notIn':
        params.push(...condition.value.map(paramOf))
        return `${column} ${condition.operator === 'in' ? 'IN' : 'NOT IN'} (${condition.value.map(() => '?').join(', ')})`
      case 'has':
        params.push(condition.value)
        return `(${column} = x'ff' AND EXISTS (SELECT 1 FROM json_each(document, '$."${field}"') WHERE type = 'text' AND value = ?))`
      case 'contains':
        texts.push({ field, text: condition.value })
        return '1'
      default:
        params.push(paramOf(condition.value))
        // The plus prevents SQLite from using an index of this column.
        return boundSql(sort.length === 0 || sort.some(([sorted]) => sorted === field) ? column : `+${column}`, condition.operator, condition.value)
    }
  })
  return { sql: parts.length === 0 ? '1' : `(${parts.join(' AND ')})`, params, texts }
}

/** Returns a comparison that is bounded by the range of the value's type, so that values of other types never match. */
function boundSql(column: string, operator: 'gt' | 'gte' | 'lt' | 'lte', value: Bound): string {
  if (operator === 'gt' || operator === 'gte') {
    const end = typeof value === 'number' ? "''" : typeof value === 'string' ? "x''" : "x'3a'"
    return `${column} ${operator === 'gt' ? '>' : '>='} ? AND ${column} < ${end}`
  }
  const start = typeof value === 'number' ? `> ${NULL_LITERAL}` : typeof value === 'string' ? ">= ''" : ">= x'30'"
  return `${column} ${operator === 'lt' ? '<' : '<='} ? AND ${column} ${start}`
}

function columnOf({ columns }: TableSchema, field: string): string {
  return field === '_id' || Object.hasOwn(columns, field) ? `"${field}"` : `(${expressionOf(field)})`
}
