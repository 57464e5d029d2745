/** What is stored, at one moment. Read in pieces, each in one go: a cursor that stays open while the file is closed would end the process. */
import type { Documents, Entries } from './environment.js'
import { StorageUnavailableError } from '../errors.js'
import type { ValueObject } from '../values.js'

/** Documents are of a kilobyte, but may be of 15 MB. */
const PIECE_BYTES = 4 * 1024 * 1024

/** Keys from `start` on, or in a reverse range from there back. */
export interface Range {
  readonly start: Buffer
  readonly end: Buffer
  readonly reverse?: boolean
  readonly exclusiveStart?: boolean
  readonly inclusiveEnd?: boolean
}

export interface Found<V> {
  readonly key: Uint8Array
  readonly value: V
}

export class Snapshot {
  readonly #documents: Documents
  readonly #entries: Entries
  readonly #transaction: ReturnType<Documents['useReadTransaction']>
  readonly #onEnd: () => void
  #ended = false

  constructor(documents: Documents, entries: Entries, onEnd: () => void) {
    this.#documents = documents
    this.#entries = entries
    this.#transaction = documents.useReadTransaction()
    this.#onEnd = onEnd
  }

  /** Documents in pieces of at most so many. @throws StorageUnavailableError when the store was closed meanwhile */
  documents(range: Range, limit: number): Generator<Found<ValueObject>[]> {
    return this.#pieces(this.#documents, range, limit)
  }

  /** The same of the entries of indexes. */
  entries(range: Range, limit: number): Generator<Found<Uint8Array>[]> {
    return this.#pieces(this.#entries, range, limit)
  }

  document(key: Buffer): ValueObject | undefined {
    if (this.#ended) throw new StorageUnavailableError()
    return this.#documents.get(key, { transaction: this.#transaction })
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#onEnd()
    this.#transaction.done()
  }

  *#pieces<V>(database: Pick<Documents, 'getRange'> | Entries, range: Range, limit: number): Generator<Found<V>[]> {
    // lmdb says how long the value was that it has read last; its types don't.
    const measured = database as unknown as { readonly lastSize: number }
    for (let from: Range | null = range; from !== null; ) {
      if (this.#ended) throw new StorageUnavailableError()
      const piece: Found<V>[] = []
      let bytes = 0
      for (const found of database.getRange({ ...from, limit, transaction: this.#transaction })) {
        piece.push(found as unknown as Found<V>)
        bytes += measured.lastSize
        if (bytes > PIECE_BYTES) break
      }
      const last = piece.at(-1)
      from = last === undefined ? null : { ...range, start: Buffer.from(last.key), exclusiveStart: true }
      if (last !== undefined) yield piece
    }
  }
}
