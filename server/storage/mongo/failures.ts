/** What the driver throws, as the contract's errors. What has no counterpart is a fault, and stays as it is. */
import { MongoBulkWriteError, MongoError, MongoServerError, MongoWriteConcernError } from 'mongodb'
import { DocumentTooLargeError, DuplicateKeyError, StorageFullError, StorageUnavailableError } from '../errors.js'

/** Names, as the driver doesn't export all of these classes. */
const UNAVAILABLE_NAMES: ReadonlySet<string> = new Set([
  'MongoServerSelectionError',
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoPoolClearedError',
  'PoolClearedOnNetworkError',
  'MongoPoolClosedError',
  'MongoWaitQueueTimeoutError',
  'MongoTopologyClosedError',
  'MongoNotConnectedError',
  'MongoServerClosedError',
  'MongoClientClosedError',
  'MongoOperationTimeoutError',
  'MongoStalePrimaryError',
  'MongoExpiredSessionError',
])

/** No primary, shutting down, stepping down, not reachable, out of time: MongoDB's error codes. */
const UNAVAILABLE_CODES: ReadonlySet<number> = new Set([6, 7, 43, 50, 64, 89, 91, 133, 134, 189, 262, 9001, 10058, 10107, 11600, 11602, 13435, 13436])
const TOO_LARGE_CODES: ReadonlySet<number> = new Set([10334, 17419, 17420])
const DUPLICATE_CODES: ReadonlySet<number> = new Set([11000, 11001, 12582])
/** A number added to a text, a field of something that has none: what the embedded store refuses as it reads the update. */
const IMPOSSIBLE_CODES: ReadonlySet<number> = new Set([2, 14, 28])
const DISK_FULL_CODES: ReadonlySet<number> = new Set([14031])
/** Someone else writes to the document at this moment. */
export const WRITE_CONFLICT = 112

/** The driver lets some errors of sockets through as they are. */
const SOCKET_CODES: ReadonlySet<unknown> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ERR_SOCKET_CLOSED',
  'ERR_STREAM_PREMATURE_CLOSE',
])

/** Where the index of that name stands, to name its fields. */
export type IndexFields = (collection: string, index: string) => readonly string[] | undefined

export function translated(error: unknown, collection: string, fieldsOf: IndexFields): unknown {
  if (!(error instanceof MongoError)) {
    const { code } = (error ?? {}) as { readonly code?: unknown }
    // The driver's buffer ends at 17 MB.
    if (error instanceof RangeError && code === 'ERR_OUT_OF_RANGE') return new DocumentTooLargeError(collection)
    return error instanceof Error && SOCKET_CODES.has(code) ? new StorageUnavailableError({ cause: error }) : error
  }
  const code = typeof error.code === 'number' ? error.code : 0
  if (DUPLICATE_CODES.has(code)) return new DuplicateKeyError(collection, duplicateFields(error, collection, fieldsOf))
  if (TOO_LARGE_CODES.has(code)) return new DocumentTooLargeError(collection)
  if (IMPOSSIBLE_CODES.has(code)) return new TypeError(error.message, { cause: error })
  if (DISK_FULL_CODES.has(code)) return new StorageFullError({ cause: error })
  if (isUnavailable(error, code)) return new StorageUnavailableError({ cause: error })
  return error
}

function isUnavailable(error: MongoError, code: number): boolean {
  if (UNAVAILABLE_NAMES.has(error.name) || UNAVAILABLE_CODES.has(code) || error instanceof MongoWriteConcernError) return true
  return error.hasErrorLabel('RetryableWriteError') || error.hasErrorLabel('ResetPool') || error.hasErrorLabel('UnknownTransactionCommitResult')
}

function duplicateFields(error: MongoError, collection: string, fieldsOf: IndexFields): readonly string[] {
  const { keyPattern } = error instanceof MongoServerError ? (error as { keyPattern?: Record<string, unknown> }) : {}
  if (keyPattern !== undefined) return Object.keys(keyPattern)
  // Writes of many have the message only.
  const first = error instanceof MongoBulkWriteError ? [error.writeErrors].flat()[0] : undefined
  const index = /index: (\S+) dup key/.exec(first?.errmsg ?? error.message)?.[1] ?? ''
  return index === '_id_' ? ['_id'] : (fieldsOf(collection, index) ?? [index])
}
