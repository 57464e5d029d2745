import { toByteString } from './byte-string.js'
import type { FileDigest } from './digest.js'
import { digestFile } from './digest.js'
import { lastAtMost } from './last-at-most.js'
import type { FileKind, FileScope, SourceFile } from './source-file.js'
import type { Span } from './span.js'

/** A file of the ruleset as a byte string, with its table of lines and columns. */
export class SourceText {
  readonly filename: string
  readonly kind: FileKind
  readonly scope: FileScope
  readonly bytes: string
  #lineStarts: number[] | null = null
  #continuations: Uint32Array | null = null
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

  /**
   * Returns line and column of a byte range. The time depends neither on the length of the file nor on that of the line: one line may have thousands of
   * diagnostics.
   */
  span(start: number, end: number): Span {
    const first = this.#place(start)
    const last = end === start ? first : this.#place(end)
    return { start, end, line: first.line, column: first.column, endLine: last.line, endColumn: last.column }
  }

  #lineIndex(offset: number): number {
    this.#lineStarts ??= lineStartsOf(this.bytes)
    return lastAtMost(this.#lineStarts, offset)
  }

  #place(offset: number): { line: number; column: number } {
    const index = this.#lineIndex(offset)
    const start = (this.#lineStarts as number[])[index]
    return { line: index + 1, column: offset - start + 1 - (this.#continuationsTo(offset) - this.#continuationsTo(start)) }
  }

  /** Returns the number of UTF-8 continuation bytes before an offset: columns count characters. */
  #continuationsTo(offset: number): number {
    // Each character of the file is one byte.
    if (this.bytes.length === this.file.content.length) return 0
    this.#continuations ??= continuationsOf(this.bytes)
    const block = Math.floor(offset / BLOCK)
    let count = this.#continuations[block]
    for (let at = block * BLOCK; at < offset; at++) if (isContinuation(this.bytes.charCodeAt(at))) count++
    return count
  }
}

/** Block size of the table of counts: one count is stored for each block, and at most one block is scanned for an offset. */
const BLOCK = 128

/** Number of continuation bytes before each block. */
function continuationsOf(bytes: string): Uint32Array {
  const counts = new Uint32Array(Math.floor(bytes.length / BLOCK) + 1)
  let count = 0
  for (let at = 0; at < bytes.length; at++) {
    if (at % BLOCK === 0) counts[at / BLOCK] = count
    if (isContinuation(bytes.charCodeAt(at))) count++
  }
  if (bytes.length % BLOCK === 0) counts[bytes.length / BLOCK] = count
  return counts
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}

function lineStartsOf(bytes: string): number[] {
  const starts = [0]
  for (let at = bytes.indexOf('\n'); at >= 0; at = bytes.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}
