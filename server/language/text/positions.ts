/**
 * The only place where positions are converted. The engine counts bytes of the UTF-8 form, the protocol counts lines and UTF-16 units, and this module's
 * offsets are UTF-16 units of the text. A line ends at `\n`, `\r\n` or `\r`, as the protocol defines; for the engine only `\n` ends a line, so its lines and
 * columns are never used.
 */
import { lastAtMost } from '#engine'
import type { Position, Range } from 'vscode-languageserver-types'

/** Units between two entries of the table of bytes: an offset scans at most one block. */
const BLOCK = 256

/** Lines and bytes of one text. */
export class Positions {
  readonly #text: string
  readonly #lineStarts: readonly number[]
  /** Bytes before each block; null: every unit is one byte. */
  readonly #bytes: Uint32Array | null

  constructor(text: string) {
    this.#text = text
    this.#lineStarts = lineStartsOf(text)
    this.#bytes = isAscii(text) ? null : bytesOf(text)
  }

  get lineCount(): number {
    return this.#lineStarts.length
  }

  /** @param offset outside of the text: the nearest place in it */
  positionAt(offset: number): Position {
    const at = Math.max(0, Math.min(offset, this.#text.length))
    const line = lastAtMost(this.#lineStarts, at)
    return { line, character: at - this.#lineStarts[line] }
  }

  /** @param position behind the end of its line: the end of the line */
  offsetAt({ line, character }: Position): number {
    if (line < 0) return 0
    if (line >= this.#lineStarts.length) return this.#text.length
    const start = this.#lineStarts[line]
    const next = this.#lineStarts[line + 1] ?? this.#text.length + 1
    let end = next - 1
    if (end > start && this.#text[end] === '\n' && this.#text[end - 1] === '\r') end--
    return Math.max(start, Math.min(start + character, end))
  }

  range(start: number, end: number): Range {
    return { start: this.positionAt(start), end: this.positionAt(end) }
  }

  /** The range of a span of the engine. @param start byte offset @param end byte offset after it */
  rangeOfBytes({ start, end }: { readonly start: number; readonly end: number }): Range {
    return this.range(this.offsetOfByte(start), this.offsetOfByte(end))
  }

  /** @param byte inside a character: the beginning of the character */
  offsetOfByte(byte: number): number {
    const bytes = this.#bytes
    if (bytes === null) return Math.max(0, Math.min(byte, this.#text.length))
    const block = lastAtMost(bytes, byte)
    let count = bytes[block]
    let at = block * BLOCK
    while (at < this.#text.length) {
      const size = sizeAt(this.#text, at)
      if (count + size > byte) break
      count += size
      at++
    }
    return at
  }

  byteOfOffset(offset: number): number {
    const at = Math.max(0, Math.min(offset, this.#text.length))
    const bytes = this.#bytes
    if (bytes === null) return at
    const block = Math.floor(at / BLOCK)
    let count = bytes[block]
    for (let i = block * BLOCK; i < at; i++) count += sizeAt(this.#text, i)
    return count
  }
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= 0x80) return false
  return true
}

function bytesOf(text: string): Uint32Array {
  const counts = new Uint32Array(Math.floor(text.length / BLOCK) + 1)
  let count = 0
  for (let at = 0; at < text.length; at++) {
    if (at % BLOCK === 0) counts[at / BLOCK] = count
    count += sizeAt(text, at)
  }
  if (text.length % BLOCK === 0) counts[text.length / BLOCK] = count
  return counts
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}

/** Bytes of the character that begins at the unit: the first half of a pair has all of them, the second none. Half a pair alone becomes U+FFFD, which has three. */
function sizeAt(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  if (unit < 0x80) return 1
  if (unit < 0x800) return 2
  if (isHigh(unit)) return isLow(text.charCodeAt(at + 1)) ? 4 : 3
  return isLow(unit) && at > 0 && isHigh(text.charCodeAt(at - 1)) ? 0 : 3
}

function lineStartsOf(text: string): number[] {
  const starts = [0]
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x0a || (unit === 0x0d && text.charCodeAt(at + 1) !== 0x0a)) starts.push(at + 1)
  }
  return starts
}
