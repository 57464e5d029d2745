/** One attribute as written. Offsets are byte offsets in the file. */
export interface XmlAttribute {
  readonly name: string
  /** After variable substitution. */
  value: string
  readonly nameStart: number
  readonly valueStart: number
  readonly valueEnd: number
}

/** One element of the ruleset dialect (BEHAVIOUR.md#xml-dialect). */
export interface XmlElement {
  readonly name: string
  readonly attributes: readonly XmlAttribute[]
  /** Text after the last child, without comments, with variables replaced; never trimmed. */
  content: string
  children: readonly XmlElement[]
  /** Offset of its `<`. */
  readonly start: number
  /** Offset after its last `>`. */
  end: number
  /** Offset of the first byte after the name. */
  readonly nameEnd: number
  /** Offsets of the content in the file. */
  contentStart: number
  contentEnd: number
  /**
   * Pairs (content offset, file offset): bytes from that content offset on are at that file offset. They map a position in a pattern to the
   * file if a comment interrupts the content. Null if the content is contiguous.
   */
  pieces: number[] | null
  /** A variable was replaced: positions in the content cannot be mapped to the file. */
  substituted: boolean
}

/** Why parsing stopped. The whole file is refused. */
export interface XmlError {
  readonly code:
    | 'xml_unexpected_close'
    | 'xml_unclosed_element'
    | 'xml_comment_unclosed'
    | 'xml_limit_exceeded'
    | 'xml_attribute_syntax'
    | 'xml_attribute_duplicate'
    | 'xml_variable_invalid'
    | 'xml_variable_undefined'
  readonly start: number
  readonly end: number
  /** The {detail} of the message. */
  readonly detail: string
  /** Where the unclosed construct began, if that is elsewhere. */
  readonly origin: number | null
}

/** A `<var>` definition and whether it is used. */
export interface XmlVariable {
  readonly name: string
  readonly value: string
  readonly start: number
  readonly end: number
  used: boolean
}

/** A parsed file. `elements` are the top-level elements without `var`. */
export interface XmlDocument {
  elements: readonly XmlElement[]
  readonly variables: XmlVariable[]
}

export type XmlOutcome = { readonly ok: true; readonly document: XmlDocument } | { readonly ok: false; readonly error: XmlError }

/** Whether an element has a name, which is given in lower case; case is ignored. */
export function isNamed({ name }: XmlElement, wanted: string): boolean {
  return name.toLowerCase() === wanted
}

/** Whether an element that has no place is only around elements of a name, which have one. */
export function wraps({ children }: XmlElement, wanted: string): boolean {
  return children.some((child) => isNamed(child, wanted))
}

/**
 * The element in which a byte of a joined text stands, and its offset in the content of that element. The byte behind a text is the first of the text after it;
 * the byte behind all of them is behind the last one.
 */
export function placeInJoined(elements: readonly XmlElement[], offset: number): { readonly element: XmlElement; readonly offset: number } {
  let left = offset
  let at = 0
  for (; at + 1 < elements.length && left >= elements[at].content.length; at++) left -= elements[at].content.length
  return { element: elements[at], offset: Math.min(left, elements[at].content.length) }
}

/** File offset of a content offset. */
export function contentOffset(element: XmlElement, offset: number): number {
  if (element.substituted) return element.contentStart
  const pieces = element.pieces
  if (pieces === null) return element.contentStart + offset
  let at = 0
  while (at + 2 < pieces.length && pieces[at + 2] <= offset) at += 2
  return pieces[at + 1] + (offset - pieces[at])
}
