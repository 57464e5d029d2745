/** Edits of a text, and where lines and indentations of a text are. */
import { indentationOf, isBlank } from './item-text.js'

export interface TextEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** Applies edits of a text. At one offset, insertions come before a replacement, in their order; what an earlier edit has removed stays removed. */
export function applyEdits(bytes: string, edits: readonly TextEdit[]): string {
  const pieces: string[] = []
  let at = 0
  for (const { start, end, text } of [...edits].sort((a, b) => a.start - b.start || Number(a.end > a.start) - Number(b.end > b.start))) {
    if (start > at) pieces.push(bytes.slice(at, start))
    pieces.push(text)
    at = Math.max(at, start, end)
  }
  pieces.push(bytes.slice(at))
  return pieces.join('')
}

/** Returns the edit that removes an element: with its lines if there is nothing else in them, and without leaving two empty lines. */
export function removalOf(bytes: string, start: number, end: number): TextEdit {
  const indentation = indentationOf(bytes, start)
  let after = end
  while (isBlank(bytes.charCodeAt(after))) after++
  if (indentation === null || (after < bytes.length && lineEndAt(bytes, after) === after)) return { start, end, text: '' }
  const lineStart = start - indentation.length
  after = lineEndAt(bytes, after)
  if (isBlankLineBefore(bytes, lineStart)) {
    let next = after
    while (isBlank(bytes.charCodeAt(next))) next++
    const lineEnd = lineEndAt(bytes, next)
    if (lineEnd > next) after = lineEnd
  }
  return { start: lineStart, end: after, text: '' }
}

/** Returns the offset after the line end at an offset; the offset itself: there is none. */
function lineEndAt(bytes: string, at: number): number {
  if (bytes.charCodeAt(at) === LINE_FEED) return at + 1
  return bytes.charCodeAt(at) === CARRIAGE_RETURN && bytes.charCodeAt(at + 1) === LINE_FEED ? at + 2 : at
}

/** Whether the line before the one that begins at the offset is empty. */
export function isBlankLineBefore(bytes: string, lineStart: number): boolean {
  if (bytes.charCodeAt(lineStart - 1) !== LINE_FEED) return false
  let at = lineStart - 1
  while (at > 0 && (isBlank(bytes.charCodeAt(at - 1)) || bytes.charCodeAt(at - 1) === CARRIAGE_RETURN)) at--
  return at > 0 && bytes.charCodeAt(at - 1) === LINE_FEED
}

/** Returns the beginning of the line of an element, or its own beginning if something is before it in its line. */
export function lineStartOf(bytes: string, at: number): number {
  return at - (indentationOf(bytes, at)?.length ?? 0)
}
