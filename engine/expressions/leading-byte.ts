/** The byte that a text begins with, as a number for tables, and the patterns that it rules out. */
import type { Expression } from './expression.js'

/** Stands for the byte of a text that is at its end: it rules nothing out. */
export const NO_BYTE = 256
/** Entries of a table by leading byte. */
export const LEADING_BYTES = NO_BYTE + 1

export function byteAt(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : NO_BYTE
}

/** Can the pattern match a text that begins so? No pattern can always. */
export function canBeginWith(expression: Expression | null, byte: number): boolean {
  const possible = expression?.firstBytes ?? null
  return possible === null || byte === NO_BYTE || possible[byte] === 1
}
