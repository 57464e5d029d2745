/** What the driver throws, as the contract's errors. What has no counterpart is a fault, and stays as it is. */
import { MongoBulkWriteError, MongoError, MongoServerError, MongoWriteConcernError } from 'mongodb'
import { DocumentTooLargeError, DuplicateKeyError, StorageFullError, StorageUnavailableError } from '../errors.js'

/** Names, as the driver doesn't export all of these classes. */
const UNAVAILABLE_NAMES =
  /^Mongo(ServerSelectionError|Network(Timeout)?Error|PoolClearedError|PoolClosedError|WaitQueueTimeoutError|TopologyClosedError|NotConnectedError|ServerClosedError|ClientClosedError|OperationTimeoutError|StalePrimaryError|ExpiredSessionError)$|^PoolClearedOnNetworkError$/

// MongoDB's error codes.
/** HostUnreachable, HostNotFound, MaxTimeMSExpired, WriteConcernTimeout, NetworkTimeout, ExceededTimeLimit, SocketException. */
const NOT_REACHED = [6, 7, 50, 64, 89, 262, 9001]
/** No primary, stepping down or shutting down. */
const NO_PRIMARY = [91, 133, 134, 189, 10058, 10107, 11600, 11602, 13435, 13436]
/** LockTimeout, CursorNotFound, WriteConflict, QueryPlanKilled, TransactionTooOld, CursorKilled, NoSuchTransaction, TransactionExceededLifetimeLimit, Interrupted. */
const ENDED_MIDWAY = [24, 43, 112, 175, 225, 237, 251, 290, 11601]
/** UserNotFound, Unauthorized, AuthenticationFailed, ReauthenticationRequired: the user was changed while we were connected. */
const USER_CHANGED = [11, 13, 18, 391]
const UNAVAILABLE_CODES: ReadonlySet<number> = new Set([...NOT_REACHED, ...NO_PRIMARY, ...ENDED_MIDWAY, ...USER_CHANGED])
const PASSING_LABELS = ['RetryableWriteError', 'ResetPool', 'UnknownTransactionCommitResult', 'TransientTransactionError', 'HandshakeError'] as const
/** Documents; and a transaction that the server's cache can't hold (TransactionTooLargeForCache), which no attempt would make smaller. */
const TOO_LARGE_CODES: ReadonlySet<number> = new Set([10334, 17419, 17420, 388])
const DUPLICATE_CODES: ReadonlySet<number> = new Set([11000, 11001, 12582])
/** A number added to what is none: the embedded store throws a TypeError as well. */
const IMPOSSIBLE_CODES: ReadonlySet<number> = new Set([2, 14, 28])
const DISK_FULL_CODES: ReadonlySet<number> = new Set([14031])

/** The driver lets some errors of sockets through as they are. */
const SOCKET_CODES =
  /^(EPIPE|ECONN(RESET|REFUSED|ABORTED)|ETIMEDOUT|E(HOST|NET)UNREACH|ENOTFOUND|EAI_AGAIN|ERR_STREAM_(DESTROYED|WRITE_AFTER_END|PREMATURE_CLOSE)|ERR_SOCKET_CLOSED)$/

/** Where the index of that name stands, to name its fields. */
export type IndexFields = (collection: string, index: string) => readonly string[] | undefined

export function translated(error: unknown, collection: string, fieldsOf: IndexFields): unknown {
  // Writes of many that never came to an answer: the driver wraps whatever ended them, and the wrapping says nothing of it.
  const wrapped: unknown = error instanceof MongoBulkWriteError ? error.errorResponse : undefined
  if (wrapped instanceof Error) return translated(wrapped, collection, fieldsOf)
  if (!(error instanceof MongoError)) {
    const { code } = (error ?? {}) as { readonly code?: unknown }
    // The driver's buffer ends at 17 MB.
    if (error instanceof RangeError && code === 'ERR_OUT_OF_RANGE') return new DocumentTooLargeError(collection)
    return error instanceof Error && SOCKET_CODES.test(String(code)) ? new StorageUnavailableError({ cause: error }) : error
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
  if (UNAVAILABLE_NAMES.test(error.name) || UNAVAILABLE_CODES.has(code) || error instanceof MongoWriteConcernError) return true
  return PASSING_LABELS.some((label) => error.hasErrorLabel(label))
}

function duplicateFields(error: MongoError, collection: string, fieldsOf: IndexFields): readonly string[] {
  const { keyPattern } = error instanceof MongoServerError ? (error as { keyPattern?: Record<string, unknown> }) : {}
  if (keyPattern !== undefined) return Object.keys(keyPattern)
  // Writes of many have the message only.
  const first = error instanceof MongoBulkWriteError ? [error.writeErrors].flat()[0] : undefined
  const index = /index: (\S+) dup key/.exec(first?.errmsg ?? error.message)?.[1] ?? ''
  return index === '_id_' ? ['_id'] : (fieldsOf(collection, index) ?? [index])
}
