/** A part of a text around a character of it, for lines that a reader overlooks at once. */

export interface Excerpt {
  /** Whether text is left out before and after. */
  readonly isCutBefore: boolean
  readonly isCutAfter: boolean
  readonly before: string
  /** The character itself, which may have two units; empty at the end of the text. */
  readonly at: string
  readonly after: string
}

const BEFORE = 64
const AFTER = 32

/** @param at offset in UTF-16 units */
export function excerptAround(text: string, at: number, before = BEFORE, after = AFTER): Excerpt {
  const start = atBorder(text, Math.max(0, at - before))
  const character = at < text.length ? String.fromCodePoint(text.codePointAt(at) as number) : ''
  const next = at + character.length
  const end = atBorder(text, Math.min(text.length, next + after))
  return { isCutBefore: start > 0, isCutAfter: end < text.length, before: text.slice(start, at), at: character, after: text.slice(next, end) }
}

/** Never between the two units of a character. */
function atBorder(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at
}

/** Number of the character at an offset, from 1, as a reader counts. */
export function characterNumber(text: string, at: number): number {
  return Array.from(text.slice(0, at)).length + 1
}
