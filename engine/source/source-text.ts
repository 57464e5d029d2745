import { toByteString } from './byte-string.js'
import type { FileDigest } from './digest.js'
import { digestFile } from './digest.js'
import type { FileKind, FileScope, SourceFile } from './source-file.js'
import type { Span } from './span.js'

/** A file of the ruleset as a byte string, with the way from byte offsets to lines and columns. */
export class SourceText {
  readonly filename: string
  readonly kind: FileKind
  readonly scope: FileScope
  readonly bytes: string
  #lineStarts: number[] | null = null
  #digest: FileDigest | null = null

  constructor(readonly file: SourceFile) {
    this.filename = file.filename
    this.kind = file.kind
    this.scope = file.scope
    this.bytes = toByteString(file.content)
  }

  /** Its part of the ruleset's hash. */
  get digest(): FileDigest {
    this.#digest ??= digestFile(this.file)
    return this.#digest
  }

  /** Line and column of a byte range. Lines are found by binary search, so that many findings stay linear. */
  span(start: number, end: number): Span {
    const first = this.#place(start)
    const last = end === start ? first : this.#place(end)
    return { start, end, line: first.line, column: first.column, endLine: last.line, endColumn: last.column }
  }

  /** 1-based line number of a byte offset. */
  lineOf(offset: number): number {
    return this.#lineIndex(offset) + 1
  }

  #lineIndex(offset: number): number {
    this.#lineStarts ??= lineStartsOf(this.bytes)
    const starts = this.#lineStarts
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (starts[middle] <= offset) low = middle
      else high = middle - 1
    }
    return low
  }

  /** The column counts characters: UTF-8 continuation bytes before it don't count. */
  #place(offset: number): { line: number; column: number } {
    const index = this.#lineIndex(offset)
    const start = (this.#lineStarts as number[])[index]
    let column = offset - start + 1
    for (let i = start; i < offset; i++) if ((this.bytes.charCodeAt(i) & 0xc0) === 0x80) column--
    return { line: index + 1, column }
  }
}

function lineStartsOf(bytes: string): number[] {
  const starts = [0]
  for (let at = bytes.indexOf('\n'); at >= 0; at = bytes.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}
