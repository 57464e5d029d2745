/**
 * How documents lie in MongoDB: as the contract has them. On a standalone, which has no transactions, there are two more fields of the store's own
 * while commits are under way (see `ordered-commit.ts`); they never come out.
 */
import { BSON, type Collection, type Document, type Filter } from 'mongodb'

/** Where a commit that is under way has written first, or has made a document ahead of its time. */
export interface Pending {
  /** The commit's id. */
  readonly id: string
  /** Counts who is at work on it: whoever takes over adds one, and so shuts out the one before. */
  readonly turn: number
  /** On the anchor only: what is yet to be done, as BSON; plain fields would have to be free of `$` and dots. */
  readonly writes?: Uint8Array
  /** On a document that is there ahead of its time: whose `_pending` decides whether it stays. */
  readonly anchor?: { readonly collection: string; readonly id: string }
  /** On such a document of a commit that is slow: how long it is waited for that decision, milliseconds; else for a turn. */
  readonly wait?: number
  /** The document goes when the commit is done. */
  readonly gone?: boolean
  /** The commit writes to this document again. */
  readonly again?: boolean
  /** The document has to go before the rest can be done, as the rest needs its keys: the rest moves to a document of its own. */
  readonly moves?: boolean
  /** On that one: where it was before, and still is the truth as long as it is there. */
  readonly from?: { readonly collection: string; readonly id: string }
}

export interface Stored {
  readonly _id: string
  readonly _pending?: Pending
  /** What commits have done to this document, as long as they are under way: `commit:step`. */
  readonly _applied?: readonly string[]
  readonly [field: string]: unknown
}

export type Native = Collection<Stored>
export type NativeFilter = Filter<Stored>

/** An index of every collection: finds what is pending, and is empty else. */
export const PENDING_INDEX = 'dc_pending'
export const RESERVED = ['_pending', '_applied'] as const
export const NOT_PENDING = { _pending: { $exists: false } } as NativeFilter
export const IS_PENDING = { '_pending.id': { $exists: true } } as NativeFilter

/** The document as its caller knows it. It is the caller's own: what the driver gives is nobody else's. */
export function strip<T>(stored: Stored): T {
  if (stored._pending === undefined && stored._applied === undefined) return stored as T
  const { _pending, _applied, ...document } = stored
  return document as T
}

export const both = (...filters: readonly object[]): NativeFilter => ({ $and: filters }) as NativeFilter

export const bytesOf = (document: object): number => BSON.calculateObjectSize(document as Document, { ignoreUndefined: true })

export const encode = (value: object): Uint8Array => BSON.serialize(value as Document, { ignoreUndefined: true })
export const decode = <T>(bytes: Uint8Array): T => BSON.deserialize(bytes, { promoteBuffers: true }) as T
