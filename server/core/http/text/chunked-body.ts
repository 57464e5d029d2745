/** A response body in chunks. One string would be another copy, and could exceed the maximum length of a string. */
export class ChunkedBody {
  readonly chunks: readonly Uint8Array[]
  readonly byteLength: number

  constructor(chunks: readonly Uint8Array[]) {
    this.chunks = chunks
    this.byteLength = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }
}
