/** A place in a source file. Lines and columns count from 1; columns count characters, offsets count bytes of the UTF-8 text. */
export interface Span {
  /** Byte offset of the first byte. */
  readonly start: number
  /** Byte offset after the last byte. */
  readonly end: number
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
}
