/** The first byte of a text, as a number for tables, and the patterns that it excludes. */
import type { Expression } from './expression.js'

/** Represents the end of a text: it excludes nothing. */
export const NO_BYTE = 256
/** Entries of a table by leading byte. */
export const LEADING_BYTES = NO_BYTE + 1

export function byteAt(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : NO_BYTE
}

/** Whether the pattern can match a text with that first byte. A missing pattern always can. */
export function canBeginWith(expression: Expression | null, byte: number): boolean {
  const possible = expression?.firstBytes ?? null
  return possible === null || byte === NO_BYTE || possible[byte] === 1
}
