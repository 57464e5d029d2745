/**
 * A connection to one SQLite file, which exists. `libsql` aborts the process on a parameter of a type that it does not know, so `Param` names those that it knows; and a
 * statement whose rows were not read to the end keeps its snapshot, so `rows` must be.
 */
import { pathToFileURL } from 'node:url'
import Database from 'libsql'
import { LRUCache } from 'lru-cache'

export type Param = string | number | null | Uint8Array

/** A row, as an array of its columns. */
export type Row = readonly unknown[]

/** What a commit survives: a power cut; the end of the process; nothing, in a file that nobody else knows yet. */
export type Durability = 'disk' | 'process' | 'none'

export interface ConnectionOptions {
  readonly path: string
  readonly durability: Durability
  /** How long a statement waits for a writer of another process. Default: `BUSY_TIMEOUT_MS`. */
  readonly busyTimeoutMs?: number
}

/** Transactions of another process take some milliseconds. */
const BUSY_TIMEOUT_MS = 10_000
/** Statements that stay prepared: their texts depend on the fields of a filter, and on the number of values in a list. */
const STATEMENT_LIMIT = 300

const PRAGMAS: Readonly<Record<Durability, string>> = {
  // On macOS only `fullfsync` waits for the disk itself.
  disk: 'PRAGMA synchronous = FULL; PRAGMA fullfsync = ON',
  // A small file deserves a small log.
  process: 'PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 200',
  none: 'PRAGMA synchronous = OFF',
}

type Statement = ReturnType<InstanceType<typeof Database>['prepare']>

export class Connection {
  readonly #database: InstanceType<typeof Database>
  readonly #statements = new LRUCache<string, Statement>({ max: STATEMENT_LIMIT })

  constructor({ path, durability, busyTimeoutMs = BUSY_TIMEOUT_MS }: ConnectionOptions) {
    // SQLite would make a file that is gone anew.
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
    return this.#prepare(sql, true).all(params) as Row[]
  }

  /** Rows one by one; to be read to the end. */
  rows(sql: string, params: readonly Param[]): Iterable<Row> {
    return this.#prepare(sql, true).iterate(params) as Iterable<Row>
  }

  /** @returns the number of rows that changed, and the last row that was inserted */
  run(sql: string, params: readonly Param[]): { readonly changes: number; readonly lastInsertRowid: number } {
    return this.#prepare(sql, false).run(params) as { changes: number; lastInsertRowid: number }
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }

  #prepare(sql: string, reads: boolean): Statement {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.#database.prepare(sql)
      if (reads) statement.raw()
      this.#statements.set(sql, statement)
    }
    return statement
  }
}
