/** What is at the cursor: the part of a tag, a value or a text, as far as it is written. */
import { type Attribute, type Element, elementAt, firstCommentAfter, type ScannedText } from './scan.js'

export type CursorContext =
  /** A name after `<`. `parent` is the element around it. */
  | { readonly kind: 'tag'; readonly parent: Element | null; readonly element: Element; readonly start: number; readonly end: number }
  /** A name after `</`. */
  | { readonly kind: 'closing'; readonly element: Element; readonly start: number; readonly end: number }
  /** A name of an attribute, or the blank where one may begin. */
  | { readonly kind: 'attribute'; readonly element: Element; readonly attribute: Attribute | null; readonly start: number; readonly end: number }
  | { readonly kind: 'value'; readonly element: Element; readonly attribute: Attribute; readonly start: number; readonly end: number }
  /** The text of an element without children; `element` is null at the top of the file. */
  | { readonly kind: 'text'; readonly element: Element | null; readonly start: number; readonly end: number }

/** Null: in a comment. */
export function contextAt({ text, roots, comments }: ScannedText, offset: number): CursorContext | null {
  const comment = comments[firstCommentAfter(comments, offset)]
  if (comment !== undefined && comment.start < offset) return null
  const element = elementAt(roots, offset)
  if (element === null) return { kind: 'text', element: null, start: offset, end: offset }
  const { parent, start, nameEnd, tagEnd, isTagClosed, closing } = element
  if (offset > start && offset <= nameEnd) return { kind: 'tag', parent, element, start: start + 1, end: nameEnd }
  if (offset < tagEnd || (offset === tagEnd && !isTagClosed)) return inTag(element, offset)
  if (closing !== null && offset > closing.start + 1 && offset <= closing.nameEnd) return { kind: 'closing', element, start: closing.nameStart, end: closing.nameEnd }
  // A closing tag that closes nothing is in the text.
  const unclosed = /<\/[^\s<>/]*$/.exec(text.slice(Math.max(tagEnd, offset - NAME_ROOM), offset))
  if (unclosed !== null) return { kind: 'closing', element, start: offset - unclosed[0].length + 2, end: offset }
  return { kind: 'text', element, start: element.contentStart, end: Math.max(element.contentEnd, offset) }
}

/** Longer names are not completed. */
const NAME_ROOM = 64

function inTag(element: Element, offset: number): CursorContext {
  for (const attribute of element.attributes) {
    if (offset < attribute.nameStart) break
    if (offset <= attribute.nameEnd) return { kind: 'attribute', element, attribute, start: attribute.nameStart, end: attribute.nameEnd }
    const hasValue = attribute.valueStart > attribute.nameEnd
    if (hasValue && offset >= attribute.valueStart && offset <= attribute.valueEnd)
      return { kind: 'value', element, attribute, start: attribute.valueStart, end: attribute.valueEnd }
  }
  return { kind: 'attribute', element, attribute: null, start: offset, end: offset }
}

/** The word of a list around an offset. @param isSeparator whether a unit parts words */
export function wordAround(text: string, from: number, to: number, offset: number, isSeparator: RegExp): { readonly start: number; readonly end: number } {
  let start = offset
  while (start > from && !isSeparator.test(text[start - 1])) start--
  let end = offset
  while (end < to && !isSeparator.test(text[end])) end++
  return { start, end }
}
