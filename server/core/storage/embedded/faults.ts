/** Translates faults of a database file to errors of the contract. */
import { DocumentTooLargeError, DuplicateKeyError, StaleWriteError, StorageFullError, StorageUnavailableError, StoreError } from '../errors.js'
import { isFull } from './files.js'
import { type PlainFault, resultCode } from './plain-fault.js'

/** SQLite could not open the file, or found it damaged. */
export class DamagedStoreError extends StoreError<'damaged'> {
  override readonly name = 'DamagedStoreError'
  constructor(file: string, cause: unknown) {
    super('damaged', { file, reason: (cause as Error).message }, { cause })
  }
}

/** The file has the format of a newer version of this program. */
export class NewerFormatError extends StoreError<'newer_format'> {
  override readonly name = 'NewerFormatError'
  constructor(directory: string, version: number, known: number) {
    super('newer_format', { directory, version, known })
  }
}

/** The folder contains a store of version 0.1, which was LMDB. Version 0.2 copies it. */
export class LmdbStoreError extends StoreError<'lmdb_store'> {
  override readonly name = 'LmdbStoreError'
  constructor(directory: string) {
    super('lmdb_store', { directory })
  }
}

/** Result codes of SQLite; `IO_ERROR_WRITE` is a write that the operating system refused. */
const SQLITE = { busy: 5, locked: 6, readonly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 } as const
const IO_ERROR_WRITE = 778
const UNAVAILABLE: ReadonlySet<number> = new Set([SQLITE.busy, SQLITE.locked, SQLITE.readonly, SQLITE.ioError, SQLITE.corrupt, SQLITE.cannotOpen, SQLITE.notADatabase])
const DAMAGED: ReadonlySet<number> = new Set([SQLITE.corrupt, SQLITE.notADatabase])

export function isBusy(fault: unknown): boolean {
  return ((resultCode(fault) ?? 0) & 0xff) === SQLITE.busy
}

export function isDamage(fault: unknown): boolean {
  return DAMAGED.has((resultCode(fault) ?? 0) & 0xff)
}

/** Returns the error for callers of the contract. @param path path of the database file */
export function contractFault(fault: PlainFault, path: string): Error {
  switch (fault.kind) {
    case 'duplicate':
      return new DuplicateKeyError(fault.collection, fault.fields)
    case 'stale':
      return new StaleWriteError(fault.collection, fault.index)
    case 'too_large':
      return new DocumentTooLargeError(fault.collection)
    case 'type':
      return new TypeError(fault.message)
    case 'other': {
      const cause = new Error(fault.message)
      if (fault.code === null) return cause
      const primary = fault.code & 0xff
      if (primary === SQLITE.full || (fault.code === IO_ERROR_WRITE && isFull(path))) return new StorageFullError({ cause })
      return UNAVAILABLE.has(primary) ? new StorageUnavailableError({ cause }) : cause
    }
  }
}
