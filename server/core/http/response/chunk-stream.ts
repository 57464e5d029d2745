/** Streams a response in chunks whose memory is reused once they are sent. */
import type { ServerResponse } from 'node:http'
import { Readable, Writable } from 'node:stream'
import { type ContentEncoding, createEncoder } from '../content-encoding.js'

export interface Chunk {
  readonly bytes: Uint8Array
  /** Called when the bytes are no longer needed. The creator releases a chunk that is never sent. Null: nothing to release. */
  readonly sent: (() => void) | null
}

/** Reads one chunk ahead of the one that is being sent. */
export class ChunkStream extends Readable {
  readonly #chunks: AsyncGenerator<Chunk, void, undefined>
  readonly #onUnread: () => void
  #hasBegun = false

  /** @param onUnread runs instead of the end of `chunks` when the stream is destroyed before the first read: a generator that has not begun skips its `finally` */
  constructor(chunks: AsyncGenerator<Chunk, void, undefined>, onUnread: () => void) {
    super({ objectMode: true, highWaterMark: 1 })
    this.#chunks = chunks
    this.#onUnread = onUnread
  }

  override _read(): void {
    this.#hasBegun = true
    this.#chunks.next().then(
      ({ value }) => this.push(value ?? null),
      (error: unknown) => this.destroy(error as Error),
    )
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.#hasBegun) this.#onUnread()
    this.#chunks.return().then(
      () => done(error),
      (failure: unknown) => done(error ?? (failure as Error)),
    )
  }
}

/** Sends each chunk after the operating system has taken the previous one. Destroying the sink or the connection destroys the other. */
export function chunkSink(res: ServerResponse): Writable {
  const sink = new Writable({
    objectMode: true,
    highWaterMark: 1,
    write({ bytes, sent }: Chunk, _encoding, done) {
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
    if (!res.writableFinished) sink.destroy(new Error('the connection is closed'))
  }
  res.once('close', onClose)
  return sink
}

/** The same, compressed. Each chunk is flushed, so that the client can read it while the next one is made. */
export function encodingSink(res: ServerResponse, encoding: ContentEncoding): Writable {
  const encoder = createEncoder(encoding)
  encoder.pipe(res)
  const sink = new Writable({
    objectMode: true,
    highWaterMark: 1,
    write({ bytes, sent }: Chunk, _encoding, done) {
      encoder.write(bytes, (error) => {
        sent?.()
        if (error) done(error)
        else encoder.flush(() => done())
      })
    },
    final(done) {
      res.once('finish', () => done())
      encoder.end()
    },
    destroy(error, done) {
      res.off('close', onClose)
      encoder.destroy()
      if (!res.writableEnded) res.destroy()
      done(error)
    },
  })
  function onClose(): void {
    if (!res.writableFinished) sink.destroy(new Error('the connection is closed'))
  }
  encoder.once('error', (error) => sink.destroy(error))
  res.once('close', onClose)
  return sink
}
