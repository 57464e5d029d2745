/**
 * Reads a document that is being typed: the same dialect as the engine's reader (BEHAVIOUR.md#xml-dialect), which stops at the first fault. Offsets are UTF-16
 * units. Invariants:
 *  1. it never throws on any text, and is linear in it
 *  2. of a text that the engine reads, it finds the same elements, attributes and contents (tested)
 *  3. of any other text, an unclosed element ends where the next one of its kind begins, so that a fault hides little
 */
import { DECODER_TAGS, INNER_TAGS, RULE_TAGS } from './tags.js'

export interface Attribute {
  readonly name: string
  readonly nameStart: number
  readonly nameEnd: number
  /** As written, without quotes. */
  readonly value: string
  /** Equal to `valueEnd` and to `nameEnd` if there is no value. */
  readonly valueStart: number
  readonly valueEnd: number
  /** Whether the value is in quotes on both sides. */
  readonly isQuoted: boolean
}

export interface Element {
  /** Empty while only `<` is written. */
  readonly name: string
  readonly parent: Element | null
  readonly attributes: readonly Attribute[]
  readonly children: readonly Element[]
  /** Offset of its `<`. */
  readonly start: number
  readonly nameEnd: number
  /** Offset after the opening tag. */
  readonly tagEnd: number
  /** Whether the opening tag has its `>`. */
  readonly isTagClosed: boolean
  readonly isSelfClosed: boolean
  /** The text between the tags, if there is no child: where it begins, and where the closing tag or the next part begins. */
  readonly contentStart: number
  readonly contentEnd: number
  /** The name in the closing tag; null: it has none. */
  readonly closing: { readonly start: number; readonly nameStart: number; readonly nameEnd: number } | null
  readonly end: number
}

export interface Comment {
  readonly start: number
  readonly end: number
}

export interface ScannedText {
  readonly text: string
  readonly roots: readonly Element[]
  readonly comments: readonly Comment[]
  /** Whether each element has its closing tag, and each closing tag its element. */
  readonly isWellFormed: boolean
}

/** Elements inside each other. The engine refuses 1,024; deeper ones are siblings here. */
const DEPTH_LIMIT = 64

type Open = { -readonly [Member in keyof Element]: Element[Member] } & { attributes: Attribute[]; children: Element[] }

export function scanText(text: string): ScannedText {
  return new Scanner(text).scan()
}

/** The engine's white space. */
export function isSpace(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d)
}

const NAME_END = /[\s<>/="']/g

class Scanner {
  readonly #text: string
  readonly #roots: Element[] = []
  readonly #comments: Comment[] = []
  readonly #stack: Open[] = []
  /** The next ends of comments, so that many beginnings do not search the same text again. */
  readonly #commentEnds = { bang: -2, dash: -2 }
  #at = 0
  #isWellFormed = true

  constructor(text: string) {
    this.#text = text
  }

  scan(): ScannedText {
    const text = this.#text
    for (let next = text.indexOf('<', this.#at); next >= 0; next = text.indexOf('<', this.#at)) {
      const escaped = isEscaped(text, this.#at, next)
      this.#at = next
      if (text[next + 1] === '!') this.#readComment()
      else if (escaped) this.#at++
      else if (text[next + 1] === '/') this.#readClosing()
      else this.#readOpening()
    }
    while (this.#stack.length > 0) this.#cut(text.length)
    return { text, roots: this.#roots, comments: this.#comments, isWellFormed: this.#isWellFormed }
  }

  #readComment(): void {
    const text = this.#text
    const start = this.#at
    const ends = this.#commentEnds
    if (ends.bang !== -1 && ends.bang < start + 2) ends.bang = text.indexOf('!>', start + 2)
    if (ends.dash !== -1 && ends.dash < start + 2) ends.dash = text.indexOf('-->', start + 2)
    const bang = ends.bang < 0 ? Number.POSITIVE_INFINITY : ends.bang + 2
    const dash = ends.dash < 0 ? Number.POSITIVE_INFINITY : ends.dash + 3
    let end = Math.min(bang, dash)
    if (end === Number.POSITIVE_INFINITY) {
      this.#isWellFormed = false
      // A comment that is being typed hides its line, not the rest of the file.
      const line = text.indexOf('\n', start)
      end = line < 0 ? text.length : line
    }
    this.#comments.push({ start, end })
    this.#at = end
  }

  #readOpening(): void {
    const text = this.#text
    const start = this.#at
    this.#at++
    const name = this.#readName()
    const nameEnd = this.#at
    const attributes: Attribute[] = []
    let isSelfClosed = false
    let isTagClosed = false
    while (this.#at < text.length) {
      const unit = text.charCodeAt(this.#at)
      if (isSpace(unit)) this.#at++
      else if (unit === 0x3e) {
        this.#at++
        isTagClosed = true
        break
      } else if (unit === 0x2f) {
        isSelfClosed = true
        this.#at++
      } else if (unit === 0x3c) break
      else attributes.push(this.#readAttribute())
    }
    this.#isWellFormed &&= isTagClosed && name !== ''
    this.#closeBefore(name, attributes, start)
    const parent = this.#stack.at(-1) ?? null
    const end = this.#at
    const element: Open = {
      name,
      parent,
      attributes,
      children: [],
      start,
      nameEnd,
      tagEnd: end,
      isTagClosed,
      isSelfClosed,
      contentStart: end,
      contentEnd: end,
      closing: null,
      end,
    }
    if (parent === null) this.#roots.push(element)
    else parent.children.push(element)
    if (isTagClosed && !isSelfClosed && name !== '') this.#stack.push(element)
    if (this.#stack.length > DEPTH_LIMIT) this.#cut(end)
  }

  #readName(): string {
    NAME_END.lastIndex = this.#at
    const end = NAME_END.exec(this.#text)?.index ?? this.#text.length
    const name = this.#text.slice(this.#at, end)
    this.#at = end
    return name
  }

  #readAttribute(): Attribute {
    const text = this.#text
    const nameStart = this.#at
    const name = this.#readName()
    // A quote or "=" without a name: one unit, so that reading continues.
    if (name === '') this.#at++
    const nameEnd = this.#at
    let at = this.#at
    while (isSpace(text.charCodeAt(at))) at++
    const none = { name, nameStart, nameEnd, value: '', valueStart: nameEnd, valueEnd: nameEnd, isQuoted: false }
    if (text[at] !== '=' || name === '') return none
    at++
    while (isSpace(text.charCodeAt(at))) at++
    const quote = text[at]
    if (quote !== '"' && quote !== "'") {
      this.#at = at
      const valueStart = at
      const value = this.#readName()
      return { name, nameStart, nameEnd, value, valueStart, valueEnd: this.#at, isQuoted: false }
    }
    const valueStart = at + 1
    let valueEnd = valueStart
    // An unended value ends before the tag does.
    while (valueEnd < text.length && text[valueEnd] !== quote && text[valueEnd] !== '>' && text[valueEnd] !== '<') valueEnd++
    const isQuoted = text[valueEnd] === quote
    this.#at = isQuoted ? valueEnd + 1 : valueEnd
    return { name, nameStart, nameEnd, value: text.slice(valueStart, valueEnd), valueStart, valueEnd, isQuoted }
  }

  #readClosing(): void {
    const text = this.#text
    const start = this.#at
    this.#at += 2
    const nameStart = this.#at
    const name = this.#readName()
    const nameEnd = this.#at
    while (isSpace(text.charCodeAt(this.#at))) this.#at++
    const isEnded = text[this.#at] === '>'
    if (isEnded) this.#at++
    const found = this.#findOpen(name)
    this.#isWellFormed &&= isEnded && found === this.#stack.length - 1 && this.#stack[found]?.name === name
    if (found < 0) return
    while (this.#stack.length > found + 1) this.#cut(start)
    const element = this.#stack.pop() as Open
    element.contentEnd = start
    element.closing = { start, nameStart, nameEnd }
    element.end = this.#at
  }

  /** The innermost open element of the name, else one that differs in case, else the innermost option; -1: none. */
  #findOpen(name: string): number {
    const exact = this.#stack.findLastIndex((open) => open.name === name)
    if (exact >= 0) return exact
    const lower = name.toLowerCase()
    const folded = this.#stack.findLastIndex((open) => open.name.toLowerCase() === lower)
    if (folded >= 0) return folded
    const last = this.#stack.at(-1)
    // A misspelt closing tag of a text.
    return last !== undefined && last.children.length === 0 && isItem(last.parent) && !isKnownOption(lower) ? this.#stack.length - 1 : -1
  }

  /** Closes what cannot contain an element. */
  #closeBefore(name: string, attributes: readonly Attribute[], start: number): void {
    const lower = name.toLowerCase()
    const isGroup = lower === 'group' && attributes.some((attribute) => attribute.name.toLowerCase() === 'name')
    if (lower === 'decoder' || isGroup) this.#cutTo(0, start)
    else if (lower === 'rule') {
      const inside = this.#stack.findIndex((open) => open.name.toLowerCase() === 'rule' || open.name.toLowerCase() === 'decoder')
      if (inside >= 0) this.#cutTo(inside, start)
    } else {
      const top = this.#stack.at(-1)
      if (top === undefined || !isItem(top.parent) || (INNER_TAGS.get(top.name.toLowerCase()) ?? []).includes(lower)) return
      if (optionsOf(top.parent).has(lower)) this.#cutTo(this.#stack.length - 1, start)
    }
  }

  #cutTo(depth: number, at: number): void {
    while (this.#stack.length > depth) this.#cut(at)
  }

  /** Ends the innermost element without its closing tag. */
  #cut(at: number): void {
    this.#isWellFormed = false
    const element = this.#stack.pop() as Open
    element.contentEnd = at
    element.end = at
  }
}

/** Whether the unit at `to` is escaped by the backslashes before it, none of which is before `from`. */
function isEscaped(text: string, from: number, to: number): boolean {
  let at = to
  while (at > from && text[at - 1] === '\\') at--
  return (to - at) % 2 === 1
}

export function isItem(element: Element | null): element is Element {
  const name = element?.name.toLowerCase()
  return name === 'rule' || name === 'decoder'
}

function optionsOf(item: Element): ReadonlySet<string> {
  return item.name.toLowerCase() === 'rule' ? RULE_TAGS : DECODER_TAGS
}

function isKnownOption(name: string): boolean {
  return RULE_TAGS.has(name) || DECODER_TAGS.has(name)
}

/** The attribute of the name in any case; undefined: it is absent. */
export function attributeOf(element: Element, name: string): Attribute | undefined {
  return element.attributes.find((attribute) => attribute.name.toLowerCase() === name)
}

/** Children with the name in any case. @param name in lower case */
export function childrenOf(element: Element, name: string): Element[] {
  return element.children.filter((child) => child.name.toLowerCase() === name)
}

/** The text of an element without children. */
export function textOf({ text, comments }: ScannedText, { contentStart, contentEnd }: Element): string {
  return withoutComments(text, comments, contentStart, contentEnd)
}

/** The part of a text that is in no comment. */
export function withoutComments(text: string, comments: readonly Comment[], from: number, to: number): string {
  let at = from
  let kept = ''
  for (let i = firstCommentAfter(comments, from); i < comments.length && comments[i].start < to; i++) {
    kept += text.slice(at, comments[i].start)
    at = comments[i].end
  }
  return at === from ? text.slice(from, to) : kept + text.slice(at, to)
}

/** Index of the first comment that ends after the offset. */
export function firstCommentAfter(comments: readonly Comment[], offset: number): number {
  let low = 0
  let high = comments.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (comments[middle].end <= offset) low = middle + 1
    else high = middle
  }
  return low
}

/** The innermost element that contains the offset; null: none does. */
export function elementAt(roots: readonly Element[], offset: number): Element | null {
  let found: Element | null = null
  for (let siblings = roots; ; ) {
    const inner = lastBefore(siblings, offset)
    if (inner === null || offset > inner.end || (offset === inner.end && isComplete(inner))) return found
    found = inner
    siblings = inner.children
  }
}

/** Whether nothing more can be written into an element at its end. */
function isComplete({ closing, isSelfClosed, isTagClosed }: Element): boolean {
  return isTagClosed && (closing !== null || isSelfClosed)
}

/** The last of the siblings that begins before the offset. */
function lastBefore(siblings: readonly Element[], offset: number): Element | null {
  let low = 0
  let high = siblings.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (siblings[middle].start < offset) low = middle + 1
    else high = middle
  }
  return siblings[low - 1] ?? null
}

/** Every element, in document order. */
export function* allElements(roots: readonly Element[]): Generator<Element> {
  for (const element of roots) {
    yield element
    yield* allElements(element.children)
  }
}
