/** An answer that is made and held in pieces, as one text of it would be another copy, or longer than a string can be. */
export class Pieces {
  readonly chunks: readonly Uint8Array[]
  readonly byteLength: number

  constructor(chunks: readonly Uint8Array[]) {
    this.chunks = chunks
    this.byteLength = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }
}
