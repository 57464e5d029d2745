/**
 * A connection to one existing SQLite file. `libsql` aborts the process on a parameter of an unknown type, so `Param` lists the allowed types. A statement keeps its
 * snapshot until its rows are read to the end, so callers of `rows` must read all of them.
 */
import { pathToFileURL } from 'node:url'
import Database from 'libsql'
import { LRUCache } from 'lru-cache'

export type Param = string | number | null | Uint8Array

/** A row: an array of its columns. */
export type Row = readonly unknown[]

/** What a commit survives: `disk` a power failure, `process` a crash of the process, `none` nothing (for a temporary file). */
export type Durability = 'disk' | 'process' | 'none'

export interface ConnectionOptions {
  readonly path: string
  readonly durability: Durability
  /** Maximum time that a statement waits for a writer of another process. Default: `BUSY_TIMEOUT_MS`. */
  readonly busyTimeoutMs?: number
}

/** Ample, because transactions of another process take some milliseconds. */
const BUSY_TIMEOUT_MS = 10_000
/** Maximum number of prepared statements. Their texts depend on the fields of a filter and on the number of values in a list. */
const STATEMENT_LIMIT = 300

const PRAGMAS: Readonly<Record<Durability, string>> = {
  // On macOS only `fullfsync` waits for the disk itself.
  disk: 'PRAGMA synchronous = FULL; PRAGMA fullfsync = ON',
  // The file is small, so its log is kept small too.
  process: 'PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 200',
  none: 'PRAGMA synchronous = OFF',
}

/** A prepared statement. */
export type Statement = ReturnType<InstanceType<typeof Database>['prepare']>

export class Connection {
  readonly #database: InstanceType<typeof Database>
  readonly #statements = new LRUCache<string, Statement>({ max: STATEMENT_LIMIT })

  constructor({ path, durability, busyTimeoutMs = BUSY_TIMEOUT_MS }: ConnectionOptions) {
    // Without `mode=rw` SQLite would create a missing file.
    const file = path === ':memory:' ? path : `${pathToFileURL(path).href}?mode=rw`
    this.#database = new Database(file, { timeout: busyTimeoutMs })
    this.exec(`PRAGMA journal_mode = ${durability === 'none' ? 'OFF' : 'WAL'}; ${PRAGMAS[durability]}`)
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction
  }

  exec(sql: string): void {
    this.#database.exec(sql)
  }

  all(sql: string, params: readonly Param[] = []): Row[] {
    return this.prepare(sql, true).all(params) as Row[]
  }

  /** Returns rows one by one. The caller must read them to the end. */
  rows(sql: string, params: readonly Param[]): Iterable<Row> {
    return this.prepare(sql, true).iterate(params) as Iterable<Row>
  }

  /** Executes a write. @returns the number of changed rows, and the id of the last inserted row */
  run(sql: string, params: readonly Param[]): { readonly changes: number; readonly lastInsertRowid: number } {
    return this.prepare(sql, false).run(params) as { changes: number; lastInsertRowid: number }
  }

  /** @param reads whether it returns rows, each an array of its columns */
  prepare(sql: string, reads: boolean): Statement {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.#database.prepare(sql)
      if (reads) statement.raw()
      this.#statements.set(sql, statement)
    }
    return statement
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }
}
