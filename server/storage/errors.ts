/** How a store refuses. Whatever else an adapter meets is a fault, and is thrown as it is. */

/** A unique index has that key already. */
export class DuplicateKeyError extends Error {
  override readonly name = 'DuplicateKeyError'
  constructor(
    readonly collection: string,
    /** The fields of the index. */
    readonly fields: readonly string[],
  ) {
    super(`duplicate ${fields.join(', ')} in ${collection}`)
  }
}

/** A write of a commit found nothing to change: someone was there before. */
export class StaleWriteError extends Error {
  override readonly name = 'StaleWriteError'
  constructor(
    readonly collection: string,
    /** Which of the commit's writes. */
    readonly index: number,
  ) {
    super(`write ${index} of a commit matches nothing in ${collection}`)
  }
}

/** The database doesn't answer. Nothing is known of a write that was under way. */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError'
  constructor(options?: ErrorOptions) {
    super('the database does not answer', options)
  }
}

/** The disk is full. Nothing was written. */
export class StorageFullError extends Error {
  override readonly name = 'StorageFullError'
  constructor(options?: ErrorOptions) {
    super('no space left for the database', options)
  }
}

/** A document is larger than a store takes (`DOCUMENT_BYTES`). */
export class DocumentTooLargeError extends Error {
  override readonly name = 'DocumentTooLargeError'
  constructor(readonly collection: string) {
    super(`document too large for ${collection}`)
  }
}

/** MongoDB's limit is 16 MB; what a commit on a standalone carries must fit as well. */
export const DOCUMENT_BYTES = 15 * 1024 * 1024
