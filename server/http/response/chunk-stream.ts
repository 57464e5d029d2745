/** An answer in pieces whose memory is used again once they are sent: a stream of them, and its way out. */
import type { ServerResponse } from 'node:http'
import { Readable, Writable } from 'node:stream'

export interface Parcel {
  readonly bytes: Uint8Array
  /** To be called when nobody looks at the bytes any more; a parcel that never goes out is its maker's to see to. Null: nobody wants to know. */
  readonly sent: (() => void) | null
}

/** Parcels as they come, one made ahead of the one that is on its way. */
export class ParcelStream extends Readable {
  readonly #parcels: AsyncGenerator<Parcel, void, undefined>
  readonly #onUnread: () => void
  #hasBegun = false

  /** @param onUnread what `parcels` would do at its end, for when it is thrown away unread: a generator that has not begun ends without doing anything */
  constructor(parcels: AsyncGenerator<Parcel, void, undefined>, onUnread: () => void) {
    super({ objectMode: true, highWaterMark: 1 })
    this.#parcels = parcels
    this.#onUnread = onUnread
  }

  override _read(): void {
    this.#hasBegun = true
    this.#parcels.next().then(
      ({ value }) => this.push(value ?? null),
      (error: unknown) => this.destroy(error as Error),
    )
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.#hasBegun) this.#onUnread()
    this.#parcels.return().then(
      () => done(error),
      (failure: unknown) => done(error ?? (failure as Error)),
    )
  }
}

/** Sends parcels one after the other, each when the system has taken the one before. It breaks when the connection does, and the connection when it does. */
export function parcelSink(res: ServerResponse): Writable {
  const sink = new Writable({
    objectMode: true,
    highWaterMark: 1,
    write({ bytes, sent }: Parcel, _encoding, done) {
      res.write(bytes, (error) => {
        sent?.()
        done(error)
      })
    },
    final(done) {
      res.end(() => done())
    },
    destroy(error, done) {
      res.off('close', onClose)
      if (!res.writableEnded) res.destroy()
      done(error)
    },
  })
  function onClose(): void {
    if (!res.writableFinished) sink.destroy(new Error('the connection is gone'))
  }
  res.once('close', onClose)
  return sink
}
