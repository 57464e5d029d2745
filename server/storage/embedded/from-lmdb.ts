/**
 * Copies the store of version 0.1, which was LMDB, into a SQLite file, once. The next release removes this file and the package `lmdb`.
 *  1. the LMDB files are first moved into a separate folder and never changed. A running service of version 0.1 then refuses writes
 *  2. the SQLite file is renamed to its final name when it is complete and on disk; after a crash, the next start copies again
 *  3. when two processes copy at the same time, the file of the first one stays
 */
import { randomUUID } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, openSync, readSync, renameSync, closeSync, rmSync, fsyncSync } from 'node:fs'
import { join } from 'node:path'
import type { Database, RootDatabase } from 'lmdb'
import { StoreError } from '../errors.js'
import { encode } from '../json-values.js'
import { Connection } from './connection.js'
import { DamagedStoreError, NewerFormatError } from './faults.js'
import { makeFile, syncDirectory } from './files.js'
import { APPLICATION_ID, createTable, FORMAT_VERSION } from './schema.js'

export interface LmdbMigration {
  readonly documents: number
  /** The folder of the old files, which are no longer needed. */
  readonly kept: string
}

/** The optional package `lmdb`, which reads the old files, is not installed. */
export class LmdbMissingError extends StoreError<'lmdb_missing'> {
  override readonly name = 'LmdbMissingError'
  constructor(directory: string, cause: unknown) {
    super('lmdb_missing', { directory }, { cause })
  }
}

const KEPT_FOLDER = 'lmdb-before-0.2'
const DATA_FILE = 'data.mdb'
const LMDB_FORMAT = 1
/** First bytes of an LMDB file on little-endian machines. `lmdb` crashes the process on other files. */
const MAGIC = Buffer.from([0xde, 0xc0, 0xef, 0xbe, 2, 0])
const MAGIC_AT = 24
/** Length of the number of the collection, with which keys of documents begin. */
const NUMBER_BYTES = 4

interface Catalog {
  readonly collections: Readonly<Record<string, { readonly number: number }>>
}

/** Copies the store of version 0.1. Returns null when there is none, or it was copied before. @throws DamagedStoreError, LmdbMissingError, NewerFormatError */
export async function migrateFromLmdb(directory: string, storeFile: string): Promise<LmdbMigration | null> {
  const target = join(directory, storeFile)
  const kept = join(directory, KEPT_FOLDER)
  if (existsSync(target) || (!existsSync(join(directory, DATA_FILE)) && !existsSync(join(kept, DATA_FILE)))) return null
  const lmdb = await import('lmdb').catch((fault: unknown) => {
    throw new LmdbMissingError(directory, fault)
  })
  moveAway(directory, kept)
  requireLmdb(join(kept, DATA_FILE))
  const root = lmdb.open<unknown, string>({ path: kept, noSubdir: false, readOnly: true, maxDbs: 3 })
  const partial = `${target}.${randomUUID()}.partial`
  try {
    const documents = copy(root, kept, partial)
    linkSync(partial, target)
    syncDirectory(directory)
    return { documents, kept }
  } catch (fault) {
    // Another process has finished the copy first.
    if ((fault as NodeJS.ErrnoException).code === 'EEXIST') return null
    throw fault
  } finally {
    rmSync(partial, { force: true })
    await root.close()
  }
}

/** Moves the LMDB files. @throws DamagedStoreError when there are moved files already: version 0.1 ran again after a failed copy and created a new store */
function moveAway(directory: string, kept: string): void {
  // This order prevents an error when another process moves the files between the two checks.
  if (existsSync(join(kept, DATA_FILE)) && existsSync(join(directory, DATA_FILE))) {
    throw new DamagedStoreError(join(directory, DATA_FILE), new Error(`${kept} contains another one; move the one without your data to another folder`))
  }
  mkdirSync(kept, { recursive: true, mode: 0o700 })
  for (const file of [DATA_FILE, 'lock.mdb']) {
    try {
      renameSync(join(directory, file), join(kept, file))
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== 'ENOENT') throw fault
    }
  }
  syncDirectory(kept)
  syncDirectory(directory)
}

function requireLmdb(path: string): void {
  const handle = openSync(path, 'r')
  try {
    const begin = Buffer.alloc(MAGIC_AT + MAGIC.length)
    readSync(handle, begin, 0, begin.length, 0)
    if (!begin.subarray(MAGIC_AT).equals(MAGIC)) throw new DamagedStoreError(path, new Error('it is not an LMDB file'))
  } finally {
    closeSync(handle)
  }
}

function copy(root: RootDatabase<unknown, string>, kept: string, path: string): number {
  const meta = root.openDB<unknown, string>({ name: 'meta', encoding: 'json' })
  const format = meta.get('format')
  if (format !== LMDB_FORMAT) throw new NewerFormatError(kept, Number(format), LMDB_FORMAT)
  const { collections } = (meta.get('catalog') ?? { collections: {} }) as Catalog
  const all: Database<Readonly<Record<string, unknown>>, Buffer> = root.openDB({ name: 'documents', keyEncoding: 'binary', encoding: 'msgpack', ...{ useRecords: false } })
  makeFile(path)
  const connection = new Connection({ path, durability: 'none' })
  let count = 0
  try {
    connection.exec(`BEGIN; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT_VERSION}`)
    for (const [name, { number }] of Object.entries(collections)) {
      createTable(connection, name)
      const start = Buffer.alloc(NUMBER_BYTES)
      start.writeUInt32BE(number)
      const end = Buffer.alloc(NUMBER_BYTES)
      end.writeUInt32BE(number + 1)
      for (const { value } of all.getRange({ start, end })) {
        connection.run(`INSERT INTO "${name}" (_id, document) VALUES (?, ?)`, [value._id as string, JSON.stringify(encode(value))])
        count++
      }
    }
    connection.exec('COMMIT')
  } finally {
    connection.close()
  }
  const handle = openSync(path, 'r+')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  return count
}
