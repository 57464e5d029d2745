/** Writes alerts to the end of a file, in large pieces. */
import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'

/** Bytes that are collected for one write. */
const PIECE = 1024 * 1024

export class AlertFile {
  readonly #descriptor: number
  readonly #piece = Buffer.allocUnsafeSlow(PIECE)
  #used = 0
  /** Bytes of the file, with those that are not written yet. */
  size: number

  /** @param size bytes that stay of a file that is there */
  constructor(path: string, size: number) {
    this.#descriptor = openSync(path, size === 0 ? 'w' : 'r+')
    if (size > 0) ftruncateSync(this.#descriptor, size)
    this.size = size
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    const length = end - start
    if (this.#used + length > PIECE) this.flush()
    if (length > PIECE) this.#write(bytes, start, end)
    else {
      // A loop would be slower, and so would a part of the array for `set`.
      Buffer.prototype.copy.call(bytes, this.#piece, this.#used, start, end)
      this.#used += length
    }
    this.size += length
  }

  text(ascii: string): void {
    if (this.#used + ascii.length > PIECE) this.flush()
    this.#used += this.#piece.write(ascii, this.#used, 'latin1')
    this.size += ascii.length
  }

  flush(): void {
    this.#write(this.#piece, 0, this.#used, this.size - this.#used)
    this.#used = 0
  }

  /** Everything so far is on the disk. */
  sync(): void {
    this.flush()
    fsyncSync(this.#descriptor)
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  /** @param position in the file */
  #write(bytes: Uint8Array, start: number, end: number, position = this.size): void {
    for (let at = start; at < end; ) at += writeSync(this.#descriptor, bytes, at, end - at, position + at - start)
  }
}
