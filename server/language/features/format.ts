/**
 * Formats a document: white space between tags, and nothing else. Invariants:
 *  1. texts, attributes and comments stay as they are, so the compiled result is equal (tested on the reference and on random documents)
 *  2. a document with an unclosed tag is not touched
 *  3. formatting twice changes nothing more
 */
import type { TextEdit } from 'vscode-languageserver-types'
import type { ContentDocument } from '../content/document.js'
import { type Comment, type Element, isItem, type ScannedText, scanText } from '../text/scan.js'

export interface FormatOptions {
  readonly tabSize: number
  readonly insertSpaces: boolean
}

/** Wider indentations are not used. */
const TAB_LIMIT = 8

/** Tags whose children are tags of their own line. The white space in them has no meaning. */
function isContainer({ name, children, parent }: Element): boolean {
  const tag = name.toLowerCase()
  return children.length > 0 && (parent === null || tag === 'rule' || tag === 'decoder' || (tag === 'mitre' && isItem(parent)))
}

/** A comment or an element between the tags of a container. */
type Part = { readonly start: number; readonly end: number; readonly element: Element | null }

export function format(document: ContentDocument, options: FormatOptions): TextEdit[] {
  const { scanned, positions, kind } = document
  if (kind === 'lists' || !scanned.isWellFormed) return []
  const formatter = new Formatter(scanned, options)
  const edits = formatter.edits()
  if (!isSameContent(scanned, scanText(apply(scanned.text, edits)))) return []
  return edits.map(({ start, end, text }) => ({ range: positions.range(start, end), newText: text }))
}

interface GapEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

class Formatter {
  readonly #scanned: ScannedText
  readonly #unit: string
  readonly #newline: string
  readonly #edits: GapEdit[] = []

  constructor(scanned: ScannedText, { tabSize, insertSpaces }: FormatOptions) {
    this.#scanned = scanned
    this.#unit = insertSpaces ? ' '.repeat(Math.max(1, Math.min(tabSize, TAB_LIMIT))) : '\t'
    this.#newline = scanned.text.includes('\r\n') ? '\r\n' : '\n'
  }

  edits(): readonly GapEdit[] {
    const { text, roots } = this.#scanned
    this.#formatParts(roots, 0, text.length, 0, null)
    return this.#edits
  }

  /** Puts each part of a container on its own line. @param element the container; null: the file */
  #formatParts(children: readonly Element[], from: number, to: number, depth: number, element: Element | null): void {
    const parts = this.#partsOf(children, from, to)
    let at = from
    for (const part of parts) {
      this.#formatGap(at, part.start, depth, at === from, element === null, false, part.element === null)
      if (part.element !== null && isContainer(part.element)) {
        const { contentEnd, closing, tagEnd, children: inner } = part.element
        this.#formatParts(inner, tagEnd, closing === null ? contentEnd : closing.start, depth + 1, part.element)
      }
      at = part.end
    }
    if (parts.length > 0) this.#formatGap(at, to, Math.max(0, depth - 1), false, element === null, true, false)
  }

  #partsOf(children: readonly Element[], from: number, to: number): Part[] {
    const parts: Part[] = children.map((element) => ({ start: element.start, end: element.end, element }))
    const isInside = ({ start }: Comment): boolean => start >= from && start < to && !children.some((child) => child.start <= start && start < child.end)
    for (const { start, end } of commentsBetween(this.#scanned.comments, from, to)) if (isInside({ start, end })) parts.push({ start, end, element: null })
    return parts.sort((a, b) => a.start - b.start)
  }

  /** @param isFirst it is before the first part @param isLast it is behind the last one @param isComment a comment follows, which may stay on its line */
  #formatGap(start: number, end: number, depth: number, isFirst: boolean, isFile: boolean, isLast: boolean, isComment: boolean): void {
    const gap = this.#scanned.text.slice(start, end)
    // Text between tags stays where it is, with its white space.
    if (gap.trim() !== '' || gap.includes('\uFEFF')) return
    const lines = gap.split('\n').length - 1
    if (isComment && lines === 0 && !(isFile && isFirst) && !isFirst) return this.#replace(start, end, gap === '' ? gap : ' ')
    if (isFile && isFirst) return this.#replace(start, end, '')
    if (isFile && isLast) return this.#replace(start, end, this.#newline)
    const blank = lines > 1 && !isFirst && !isLast ? this.#newline : ''
    this.#replace(start, end, blank + this.#newline + this.#unit.repeat(depth))
  }

  #replace(start: number, end: number, text: string): void {
    if (this.#scanned.text.slice(start, end) !== text) this.#edits.push({ start, end, text })
  }
}

function commentsBetween(comments: readonly Comment[], from: number, to: number): readonly Comment[] {
  let low = 0
  let high = comments.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (comments[middle].start < from) low = middle + 1
    else high = middle
  }
  let end = low
  while (end < comments.length && comments[end].start < to) end++
  return comments.slice(low, end)
}

function apply(text: string, edits: readonly GapEdit[]): string {
  let at = 0
  let result = ''
  for (const { start, end, text: replacement } of edits) {
    result += text.slice(at, start) + replacement
    at = end
  }
  return result + text.slice(at)
}

/** Whether two texts have the same tags, attributes, texts and comments, in the same order. */
function isSameContent(a: ScannedText, b: ScannedText): boolean {
  const comments = ({ text, comments: all }: ScannedText): string[] => all.map(({ start, end }) => text.slice(start, end))
  return b.isWellFormed && areEqual(comments(a), comments(b)) && areEqual(shapesOf(a), shapesOf(b))
}

function areEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index])
}

function shapesOf({ text, roots }: ScannedText): string[] {
  const shapes: string[] = []
  const visit = (elements: readonly Element[]): void => {
    for (const element of elements) {
      const { start, tagEnd, contentStart, contentEnd, end, children } = element
      shapes.push(text.slice(start, tagEnd))
      if (isContainer(element)) visit(children)
      else shapes.push(text.slice(contentStart, contentEnd), text.slice(contentEnd, end))
      shapes.push('/')
    }
  }
  visit(roots)
  return shapes
}
