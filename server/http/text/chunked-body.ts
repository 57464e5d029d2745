/** A response body in chunks: one string of it would be another copy, or longer than a string may be. */
export class ChunkedBody {
  readonly chunks: readonly Uint8Array[]
  readonly byteLength: number

  constructor(chunks: readonly Uint8Array[]) {
    this.chunks = chunks
    this.byteLength = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }
}
