/**
 * Windows of a volatile table. One statement adds to a window or begins it, on the main thread, because a request with a rate limit counts in two windows: 18 µs
 * each, where the operations of collections take 34. A statement that fails, for example because another process is writing, is left to those operations.
 */
import type { CountedWindow, Windows } from '../contract.js'
import type { Statement } from './connection.js'

/** The parameters are the id, the units, the time now, and the end of a window that begins now. */
export function windowSql(table: string): string {
  const end = `document->>'$.reset_at."$date"'`
  const begun = `json_object('_id', ?1, 'count', CAST(?2 AS INTEGER), 'reset_at', json_object('$date', CAST(?4 AS INTEGER)))`
  const added = `json_set(document, '$.count', document->>'$.count' + CAST(?2 AS INTEGER))`
  const change = `CASE WHEN ${end} > ?3 THEN ${added} ELSE excluded.document END`
  return `INSERT INTO "${table}" (_id, document) VALUES (?1, ${begun}) ON CONFLICT (_id) DO UPDATE SET document = ${change} RETURNING document->>'$.count', ${end}, rowid`
}

export interface TableWindowsParts {
  readonly statement: Statement
  /** Rows are numbered in the order of their insertion. */
  readonly limit: number
  /** Deletes the rows up to a number, if no other process is writing. */
  readonly prune: (rowid: number) => void
  readonly otherwise: Windows
}

export class TableWindows implements Windows {
  readonly #parts: TableWindowsParts
  #isClosed = false

  constructor(parts: TableWindowsParts) {
    this.#parts = parts
  }

  async add(id: string, units: number, windowMs: number, now: number): Promise<CountedWindow> {
    const { statement, limit, prune, otherwise } = this.#parts
    if (this.#isClosed) return otherwise.add(id, units, windowMs, now)
    let rows: readonly (readonly number[])[]
    try {
      rows = statement.all([id, units, now, now + windowMs]) as number[][]
    } catch {
      return otherwise.add(id, units, windowMs, now)
    }
    const [[count, resetAt, rowid]] = rows
    if (count === units && rowid > limit) prune(rowid - limit)
    return { count, resetAt }
  }

  /** `libsql` runs prepared statements of closed connections too. */
  close(): void {
    this.#isClosed = true
  }
}
