/** Translates the driver's errors to those of the contract. An error without a counterpart is returned unchanged. */
import { MongoBulkWriteError, MongoError, MongoServerError, MongoWriteConcernError } from 'mongodb'
import { DocumentTooLargeError, DuplicateKeyError, StorageFullError, StorageUnavailableError } from '../errors.js'

/** Errors are recognized by name, because the driver does not export all of these classes. */
const UNAVAILABLE_NAMES =
  /^Mongo(ServerSelectionError|Network(Timeout)?Error|PoolClearedError|PoolClosedError|WaitQueueTimeoutError|TopologyClosedError|NotConnectedError|ServerClosedError|ClientClosedError|OperationTimeoutError|StalePrimaryError|ExpiredSessionError)$|^PoolClearedOnNetworkError$/

// MongoDB's error codes.
/** HostUnreachable, HostNotFound, MaxTimeMSExpired, WriteConcernTimeout, NetworkTimeout, ExceededTimeLimit, SocketException. */
const NOT_REACHED = [6, 7, 50, 64, 89, 262, 9001]
/** No primary, stepping down or shutting down. */
const NO_PRIMARY = [91, 133, 134, 189, 10058, 10107, 11600, 11602, 13435, 13436]
/** LockTimeout, CursorNotFound, WriteConflict, QueryPlanKilled, TransactionTooOld, CursorKilled, NoSuchTransaction, TransactionExceededLifetimeLimit, Interrupted. */
const INTERRUPTED = [24, 43, 112, 175, 225, 237, 251, 290, 11601]
/** UserNotFound, Unauthorized, AuthenticationFailed, ReauthenticationRequired: the user was changed while the service was connected. */
const USER_CHANGED = [11, 13, 18, 391]
const UNAVAILABLE_CODES: ReadonlySet<number> = new Set([...NOT_REACHED, ...NO_PRIMARY, ...INTERRUPTED, ...USER_CHANGED])
const TEMPORARY_LABELS = ['RetryableWriteError', 'ResetPool', 'UnknownTransactionCommitResult', 'TransientTransactionError', 'HandshakeError'] as const
/** Documents that are too large, and TransactionTooLargeForCache, which a retry cannot avoid. */
const TOO_LARGE_CODES: ReadonlySet<number> = new Set([10334, 17419, 17420, 388])
const DUPLICATE_CODES: ReadonlySet<number> = new Set([11000, 11001, 12582])
/** An increment of a field that is not a number; the embedded store throws a TypeError as well. */
const TYPE_CODES: ReadonlySet<number> = new Set([2, 14, 28])
const DISK_FULL_CODES: ReadonlySet<number> = new Set([14031])

/** Codes of socket errors that the driver throws unchanged. */
const SOCKET_CODES =
  /^(EPIPE|ECONN(RESET|REFUSED|ABORTED)|ETIMEDOUT|E(HOST|NET)UNREACH|ENOTFOUND|EAI_AGAIN|ERR_STREAM_(DESTROYED|WRITE_AFTER_END|PREMATURE_CLOSE)|ERR_SOCKET_CLOSED)$/

/** Returns the fields of an index by its name. */
export type IndexFields = (collection: string, index: string) => readonly string[] | undefined

/** Translates an error of the driver. @param fieldsOf finds the fields of a unique index */
export function translateError(error: unknown, collection: string, fieldsOf: IndexFields): unknown {
  // The driver wraps the error that interrupted a bulk write; only the inner error is informative.
  const wrapped: unknown = error instanceof MongoBulkWriteError ? error.errorResponse : undefined
  if (wrapped instanceof Error) return translateError(wrapped, collection, fieldsOf)
  if (!(error instanceof MongoError)) {
    const { code } = (error ?? {}) as { readonly code?: unknown }
    // The driver's buffer has 17 MB.
    if (error instanceof RangeError && code === 'ERR_OUT_OF_RANGE') return new DocumentTooLargeError(collection)
    return error instanceof Error && SOCKET_CODES.test(String(code)) ? new StorageUnavailableError({ cause: error }) : error
  }
  const code = typeof error.code === 'number' ? error.code : 0
  if (DUPLICATE_CODES.has(code)) return new DuplicateKeyError(collection, duplicateFields(error, collection, fieldsOf))
  if (TOO_LARGE_CODES.has(code)) return new DocumentTooLargeError(collection)
  if (TYPE_CODES.has(code)) return new TypeError(error.message, { cause: error })
  if (DISK_FULL_CODES.has(code)) return new StorageFullError({ cause: error })
  if (isUnavailable(error, code)) return new StorageUnavailableError({ cause: error })
  return error
}

function isUnavailable(error: MongoError, code: number): boolean {
  if (UNAVAILABLE_NAMES.test(error.name) || UNAVAILABLE_CODES.has(code) || error instanceof MongoWriteConcernError) return true
  return TEMPORARY_LABELS.some((label) => error.hasErrorLabel(label))
}

function duplicateFields(error: MongoError, collection: string, fieldsOf: IndexFields): readonly string[] {
  const { keyPattern } = error instanceof MongoServerError ? (error as { keyPattern?: Record<string, unknown> }) : {}
  if (keyPattern !== undefined) return Object.keys(keyPattern)
  // Errors of bulk writes have only the message.
  const first = error instanceof MongoBulkWriteError ? [error.writeErrors].flat()[0] : undefined
  const index = /index: (\S+) dup key/.exec(first?.errmsg ?? error.message)?.[1] ?? ''
  return index === '_id_' ? ['_id'] : (fieldsOf(collection, index) ?? [index])
}
