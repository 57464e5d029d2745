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
  readonly attributes: XmlAttribute[]
  /** Text after the last child, comments left out, variables filled in; never trimmed. */
  content: string
  readonly children: XmlElement[]
  /** Offset of its `<`. */
  readonly start: number
  /** Offset after its last `>`. */
  end: number
  /** Offset of the first byte after the name. */
  readonly nameEnd: number
  /** Where the content begins in the file (its first byte), and where it ends. */
  contentStart: number
  contentEnd: number
  /**
   * Pairs (content offset, file offset): from that content offset on, bytes lie at that place. Null when the content lies
   * in one piece; so a position inside a pattern still finds its place when a comment stands in the middle.
   */
  pieces: number[] | null
  /** A variable was filled in: positions inside the content don't lead back to the file. */
  substituted: boolean
}

/** Why reading stopped; the whole file is refused. */
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
  /** What was found, for the message's {detail}. */
  readonly detail: string
  /** Where the thing began that was not ended well, when that is elsewhere. */
  readonly origin: number | null
}

/** A `<var>` definition and whether anything used it. */
export interface XmlVariable {
  readonly name: string
  readonly value: string
  readonly start: number
  readonly end: number
  used: boolean
}

/** A file that was read. `elements` are the top-level elements without `var`s. */
export interface XmlDocument {
  readonly elements: XmlElement[]
  readonly variables: XmlVariable[]
}

export type XmlOutcome = { readonly ok: true; readonly document: XmlDocument } | { readonly ok: false; readonly error: XmlError }

/** File offset of a content offset. */
export function contentOffset(element: XmlElement, offset: number): number {
  if (element.substituted) return element.contentStart
  const pieces = element.pieces
  if (pieces === null) return element.contentStart + offset
  let at = 0
  while (at + 2 < pieces.length && pieces[at + 2] <= offset) at += 2
  return pieces[at + 1] + (offset - pieces[at])
}
