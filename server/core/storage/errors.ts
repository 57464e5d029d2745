/** The errors of the storage contract. Stores throw all other errors unchanged. */
import { store as english } from '../i18n/messages/en-US/store.js'
import { store as portuguese } from '../i18n/messages/pt-BR/store.js'
import { type ErrorParams, type ErrorTexts, LocalizedError } from '../i18n/localized-error.js'

const TEXTS = { 'en-US': english, 'pt-BR': portuguese } as const satisfies ErrorTexts<typeof english>

/** The command line prints the localized text; the HTTP API translates it to an API error. */
export abstract class StoreError<Fault extends keyof typeof english> extends LocalizedError<typeof english, Fault> {
  constructor(fault: Fault, params: ErrorParams<typeof english, Fault>, options?: ErrorOptions) {
    super(TEXTS, fault, params, options)
  }
}

/** A unique index already contains the key. */
export class DuplicateKeyError extends StoreError<'duplicate'> {
  override readonly name = 'DuplicateKeyError'
  constructor(
    readonly collection: string,
    /** The fields of the index. */
    readonly fields: readonly string[],
  ) {
    super('duplicate', { fields: fields.join(', '), collection })
  }
}

/** A write of a commit matched no document, because another write changed or deleted it before. */
export class StaleWriteError extends StoreError<'stale'> {
  override readonly name = 'StaleWriteError'
  constructor(
    readonly collection: string,
    /** Position of the write in the commit. */
    readonly index: number,
  ) {
    super('stale', { index, collection })
  }
}

/** For commits whose work another one may have done already. @throws what else the commit throws */
export function ignoreStale(error: unknown): void {
  if (!(error instanceof StaleWriteError)) throw error
}

/** The database does not respond. A write that was in progress may have succeeded or not. */
export class StorageUnavailableError extends StoreError<'unavailable'> {
  override readonly name = 'StorageUnavailableError'
  constructor(options?: ErrorOptions) {
    super('unavailable', {}, options)
  }
}

/** The disk is full. Nothing was written. */
export class StorageFullError extends StoreError<'full'> {
  override readonly name = 'StorageFullError'
  constructor(options?: ErrorOptions) {
    super('full', {}, options)
  }
}

/** This MongoDB has no transactions. */
export class StandaloneMongoError extends StoreError<'standalone_refused'> {
  override readonly name = 'StandaloneMongoError'
  constructor() {
    super('standalone_refused', {})
  }
}

/** MongoDB contains an unfinished commit of version 0.1, which only that version can finish. */
export class UnfinishedCommitError extends StoreError<'unfinished_commits'> {
  override readonly name = 'UnfinishedCommitError'
  constructor(collection: string) {
    super('unfinished_commits', { collection })
  }
}

/** A document exceeds `DOCUMENT_BYTES`. */
export class DocumentTooLargeError extends StoreError<'too_large'> {
  override readonly name = 'DocumentTooLargeError'
  constructor(readonly collection: string) {
    super('too_large', { collection })
  }
}
