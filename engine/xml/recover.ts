/**
 * Recovers the readable parts of a refused file. The file is cut where only a new rule, decoder, group or variable can begin, and each part is read
 * by the same reader, so that an unclosed element affects only its own rule:
 *
 *     <group name="g,"> │ <rule id="1"> <match>x <bogus/> </rule> │ <rule id="2"> … </rule> </group>
 *                         ▲ not closed: read up to the next cut, its options one by one
 *
 * Invariants: 1. the first fault is the error of `parseXml`; 2. an element that was not read completely is in `broken`, so that
 * no diagnostic is based on what it seems to lack; 3. linear in the text: a part is read again at most RESTARTS_LIMIT times.
 */
import { append } from '../source/append.js'
import type { XmlAttribute, XmlDocument, XmlElement, XmlError } from './node.js'
import { COMMENT_QUOTED, parseElementAt, parseElements } from './parse.js'
import { substituteVariables } from './variables.js'

/** Maximum number of faulty options of one item. The item is read again after each, and the rest stays unread after the last. */
const RESTARTS_LIMIT = 16

/**
 * Maximum number of faults for each file; the rest stays unread, because people do not correct more before the next run. Without the limit, 8 MB of `</rule>`
 * would be a million diagnostics of half a kilobyte each.
 */
export const FAULTS_LIMIT = 1000

/** A valid attribute of a tag in which another one is faulty. */
const ATTRIBUTE = /\s([A-Za-z_]+)=\s*("[^"<>]*"|'[^'<>]*')/g

/** The structure of a kind of file. */
export interface FileShape {
  /** The tag that contains items; null: items are at the top level. */
  readonly wrapper: 'group' | null
  readonly item: 'rule' | 'decoder'
  /** Tags inside an item, in lower case, each with the tags that are allowed inside it. */
  readonly options: ReadonlyMap<string, readonly string[]>
}

export interface RecoveredXml {
  /** What was read; everything if there are no faults. */
  readonly document: XmlDocument
  readonly faults: readonly XmlError[]
  /** Elements that were not read completely, with the fault that prevented it. */
  readonly broken: ReadonlyMap<XmlElement, XmlError>
  /** Parts of the file that are in no element of the document. */
  readonly hidden: readonly HiddenText[]
}

export interface HiddenText {
  readonly start: number
  readonly end: number
  readonly error: XmlError
}

/** @param text a byte string */
export function recoverXml(text: string, shape: FileShape): RecoveredXml {
  const whole = parseElements(text)
  const recovery = whole.ok ? null : new Recovery(text, shape, whole.error)
  const document: XmlDocument = whole.ok ? whole.document : { elements: recovery?.readAll() ?? [], variables: [] }
  const faults: XmlError[] = recovery?.faults ?? []
  const broken = recovery?.broken ?? new Map<XmlElement, XmlError>()
  const hidden: HiddenText[] = recovery?.hidden ?? []
  // Where a definition may be lost, an undefined name is a consequence.
  let unsure = hidden.some(({ start, end }) => /<var\b/i.test(text.slice(start, end)))
  const stopped = substituteVariables(document, (error, element) => {
    if (error.code === 'xml_limit_exceeded') return false
    const isReported = faults.length < FAULTS_LIMIT && (error.code !== 'xml_variable_undefined' || !unsure)
    if (isReported) faults.push(error)
    broken.set(element, isReported ? error : faults[0])
    unsure ||= element.name.toLowerCase() === 'var'
    return true
  })
  if (stopped === null) return { document, faults, broken, hidden }
  return { document: { elements: [], variables: [] }, faults: [...faults, stopped], broken, hidden: [{ start: 0, end: text.length, error: stopped }] }
}

interface Cut {
  readonly start: number
  readonly kind: 'wrapper' | 'item' | 'var'
}

interface OpenGroup {
  readonly element: XmlElement
  /** An item in the group is broken and may have hidden the end of the group. */
  isUnsure: boolean
}

class Recovery {
  readonly faults: XmlError[] = []
  readonly broken = new Map<XmlElement, XmlError>()
  readonly hidden: HiddenText[] = []
  readonly #text: string
  readonly #shape: FileShape
  readonly #first: XmlError
  readonly #elements: XmlElement[] = []
  readonly #reported = new Map<string, XmlError>()
  readonly #gapComments: CommentEnds
  /** The comment at which reading ends, because nothing closes it. */
  #unclosedComment: XmlError | null = null
  #group: OpenGroup | null = null
  /** Unclosed groups inside which another one began, and where; reported at the end, unless a later closing tag matches. */
  readonly #interrupted: { readonly group: XmlElement; readonly at: number }[] = []
  /** Number of unclosed items inside which another one began. A later closing tag of one of them is not a separate fault. */
  #interruptedItems = 0

  constructor(text: string, shape: FileShape, first: XmlError) {
    this.#text = text
    this.#shape = shape
    this.#first = first
    this.#gapComments = new CommentEnds(text)
    this.#report(first)
    this.#reported.set(`${first.code} ${first.start}`, first)
  }

  get #itemDepth(): number {
    return this.#shape.wrapper === null ? 1 : 2
  }

  get #isFull(): boolean {
    return this.faults.length >= FAULTS_LIMIT
  }

  readAll(): XmlElement[] {
    const { cuts, end } = this.#findCuts()
    const text = this.#text
    if (end < text.length) {
      this.#unclosedComment = this.#report({ code: 'xml_comment_unclosed', start: text.length, end: text.length, detail: text.slice(end, end + COMMENT_QUOTED), origin: end })
    }
    let at = 0
    for (let i = 0; i < cuts.length; i++) {
      const { start, kind } = cuts[i]
      if (start < at) continue
      const limit = cuts[i + 1]?.start ?? end
      this.#readGap(at, start)
      if (this.#isFull) {
        this.hidden.push({ start, end: text.length, error: this.#first })
        return this.#elements
      }
      if (kind === 'wrapper') at = this.#openGroup(start, limit)
      else {
        const element = kind === 'item' ? this.#readItem(start, limit) : this.#readPlain(start, limit)
        if (element === null) at = limit
        else {
          if (kind === 'item') this.#put(element)
          else this.#elements.push(element)
          at = this.broken.has(element) ? limit : element.end
        }
      }
    }
    this.#readGap(at, end)
    if (this.#unclosedComment !== null) {
      this.hidden.push({ start: end, end: text.length, error: this.#unclosedComment })
      // What it seems to lack is in the comment.
      if (this.#group !== null && this.#group.element.children.length === 0) this.broken.set(this.#group.element, this.#unclosedComment)
    } else if (this.#group !== null && !this.#group.isUnsure) this.#reportUnclosed(this.#group.element, text.length, text.length)
    for (const { group, at: place } of this.#interrupted) this.#reportUnclosed(group, place, place + 1)
    return this.#elements
  }

  /** The positions of the cuts, and the end of reading: the end of the file, or an unclosed comment. */
  #findCuts(): { cuts: Cut[]; end: number } {
    const text = this.#text
    const { wrapper, item } = this.#shape
    const cuts: Cut[] = []
    const pattern = wrapper === null ? new RegExp(`<!|<(?:${item}|var)(?=[\\s/>])`, 'gi') : new RegExp(`<!|<(?:${item}|var|${wrapper}(?=\\s+name\\s*=))(?=[\\s/>])`, 'gi')
    const comments = new CommentEnds(text)
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const start = match.index
      if (match[0] === '<!') {
        const end = comments.endOf(start)
        if (end < 0) return { cuts, end: start }
        pattern.lastIndex = end
      } else if (!isEscaped(text, start)) {
        const name = match[0].slice(1).toLowerCase()
        cuts.push({ start, kind: name === item ? 'item' : name === 'var' ? 'var' : 'wrapper' })
      }
    }
    return { cuts, end: text.length }
  }

  /** Reads only the opening tag. @returns the offset at which the content of the group begins */
  #openGroup(start: number, limit: number): number {
    if (this.#group !== null && !this.#group.isUnsure) this.#interrupted.push({ group: this.#group.element, at: start })
    const tagEnd = endOfTag(this.#text, start, limit)
    const outcome = parseElementAt(this.#text.slice(0, tagEnd), start)
    const element = outcome.ok ? outcome.element : (outcome.partial ?? this.#readTag('group', start, tagEnd, outcome.error))
    if (!outcome.ok && outcome.partial === null) this.broken.set(element, this.#report(outcome.error))
    this.#elements.push(element)
    this.#group = outcome.ok ? null : { element, isUnsure: false }
    return outcome.ok ? element.end : tagEnd
  }

  #put(element: XmlElement): void {
    if (this.#shape.wrapper === null) {
      this.#elements.push(element)
      return
    }
    if (this.#group === null) {
      // The group of the item was not recognized.
      const group = elementOf('group', [], element.start, element.start)
      this.broken.set(group, this.#first)
      this.#elements.push(group)
      this.#group = { element: group, isUnsure: true }
    }
    if (this.broken.has(element) && /<\/group\b/i.test(this.#text.slice(element.start, element.end))) this.#group.isUnsure = true
    addChild(this.#group.element, element)
  }

  #readPlain(start: number, limit: number): XmlElement | null {
    const outcome = parseElementAt(this.#text.slice(0, limit), start)
    if (outcome.ok) return outcome.element
    this.hidden.push({ start, end: limit, error: this.#report(outcome.error) })
    return null
  }

  #readItem(start: number, limit: number): XmlElement {
    const outcome = parseElementAt(this.#text.slice(0, limit), start, this.#itemDepth)
    if (outcome.ok) return outcome.element
    const { partial } = outcome
    const error = this.#report(outcome.error)
    if (error.code === 'xml_unclosed_element' && error.origin === start) this.#interruptedItems++
    const tagEnd = endOfTag(this.#text, start, limit)
    const element = partial ?? this.#readTag(this.#shape.item, start, tagEnd, outcome.error)
    this.broken.set(element, error)
    this.hidden.push({ start, end: limit, error })
    const from = element.children.at(-1)?.end ?? tagEnd
    if (partial === null) this.#readOptions(element, from, limit, true)
    else this.#readOptions(element, this.#behind(from, limit, outcome.error), limit, false, this.#tagsInside(from, outcome.error))
    element.end = limit
    return element
  }

  /** Reads a faulty opening tag with the attributes before the fault. */
  #readTag(name: string, start: number, tagEnd: number, error: XmlError): XmlElement {
    const attributes: XmlAttribute[] = []
    for (const match of this.#text.slice(start, Math.min(tagEnd, error.start)).matchAll(ATTRIBUTE)) {
      const nameStart = start + match.index + 1
      const valueEnd = start + match.index + match[0].length - 1
      const value = match[2].slice(1, -1)
      // Its own quote is missing, and the value goes on to the next one.
      if (nameStart === error.origin && value.endsWith('=')) continue
      attributes.push({ name: match[1], value, nameStart, valueStart: valueEnd - value.length, valueEnd })
    }
    return elementOf(name, attributes, start, tagEnd)
  }

  /** Reads the remaining options of a broken item one by one. @param isBetween no option is open at `from`, so an element of any name is an option */
  #readOptions(item: XmlElement, from: number, limit: number, isBetween: boolean, tagsInside: readonly string[] = []): void {
    const { options } = this.#shape
    let restarts = 0
    const text = this.#text.slice(0, limit)
    const pattern = /<!|<(\/?)([A-Za-z_]+)(?=[\s/>])/g
    const comments = new CommentEnds(text)
    let between = isBetween
    let inside = tagsInside
    pattern.lastIndex = from
    for (let match = pattern.exec(text); match !== null && restarts <= RESTARTS_LIMIT; match = pattern.exec(text)) {
      if (match[0] === '<!') {
        const end = comments.endOf(match.index)
        if (end < 0) return
        pattern.lastIndex = end
        continue
      }
      const name = match[2].toLowerCase()
      const isClosing = match[1] !== ''
      if (isClosing && name === this.#shape.item) return
      if (isClosing) between = false
      if (isClosing || isEscaped(text, match.index) || (!between && (!options.has(name) || inside.includes(name)))) continue
      const outcome = parseElementAt(text, match.index, this.#itemDepth + 1)
      if (outcome.ok) {
        addChild(item, outcome.element)
        between = true
        pattern.lastIndex = outcome.element.end
        continue
      }
      restarts++
      this.#report(outcome.error)
      between = false
      inside = options.get(name) ?? []
      pattern.lastIndex = this.#behind(match.index, limit, outcome.error)
    }
  }

  /** Tags that are allowed in the unclosed option, and are therefore not options of the item. */
  #tagsInside(from: number, { code, origin }: XmlError): readonly string[] {
    if (code !== 'xml_unclosed_element' || origin === null || origin < from) return []
    const name = /^<([A-Za-z_]+)/.exec(this.#text.slice(origin, origin + 80))?.[1] ?? ''
    return this.#shape.options.get(name.toLowerCase()) ?? []
  }

  /** The offset at which an option may begin after an unreadable one that begins at or after `from`. */
  #behind(from: number, limit: number, error: XmlError): number {
    // An unclosed option contains the options after it.
    if (error.origin !== null && error.code === 'xml_unclosed_element' && error.origin >= from) return error.origin + 1
    if (error.origin !== null && error.code === 'xml_comment_unclosed') {
      const end = new CommentEnds(this.#text.slice(0, limit)).endOf(error.origin)
      if (end >= 0) return end
    }
    return Math.min(limit, Math.max(from + 1, error.start))
  }

  /** Reads the text between two parts: closing tags, and unexpected elements. */
  #readGap(from: number, to: number): void {
    const text = this.#text
    for (let at = text.indexOf('<', from); at >= 0 && at < to && !this.#isFull; at = text.indexOf('<', at)) {
      if (text[at + 1] === '!') {
        const end = this.#gapComments.endOf(at)
        if (end < 0) return
        at = end
      } else if (isEscaped(text, at)) at++
      else if (text[at + 1] === '/') {
        const end = endOfTag(text, at, to)
        this.#close(at, end)
        at = end
      } else {
        const element = this.#readPlain(at, to)
        if (element === null) return
        if (this.#group === null) this.#elements.push(element)
        else addChild(this.#group.element, element)
        at = element.end
      }
    }
  }

  #close(start: number, end: number): void {
    const name = this.#text.slice(start + 2, end - 1)
    const group = this.#group
    if (group !== null && name === group.element.name) {
      group.element.end = end
      this.#group = null
    } else if (group === null && name.toLowerCase() === this.#shape.wrapper && this.#interrupted.length > 0) this.#interrupted.pop()
    else if (name.toLowerCase() === this.#shape.item && this.#interruptedItems > 0) this.#interruptedItems--
    else if (group === null) this.#report({ code: 'xml_unexpected_close', start, end, detail: name, origin: null })
    else this.#report({ code: 'xml_unclosed_element', start, end, detail: group.element.name.slice(0, 40), origin: group.element.start }, start)
  }

  #reportUnclosed(element: XmlElement, start: number, end: number): void {
    this.#report({ code: 'xml_unclosed_element', start, end, detail: element.name.slice(0, 40), origin: element.start })
  }

  /** Reports each fault once: reading a part alone finds the fault of the whole file again. @param key its location, when its origin does not say */
  #report(error: XmlError, key: number = error.origin ?? error.start): XmlError {
    const comment = this.#unclosedComment
    // An element that ends nowhere before it may end in it.
    if (comment !== null && error.code === 'xml_unclosed_element' && error.start === comment.origin) return comment
    const reported = this.#reported.get(`${error.code} ${key}`)
    if (reported !== undefined) return reported
    if (this.#isFull) return this.#first
    this.#reported.set(`${error.code} ${key}`, error)
    this.faults.push(error)
    return error
  }
}

/** Finds the ends of comments, in linear time over all calls. */
class CommentEnds {
  readonly #text: string
  #bang = -2
  #dash = -2

  constructor(text: string) {
    this.#text = text
  }

  /** The offset after the comment that begins at `at`; -1 when it has no end. `at` must not decrease from call to call. */
  endOf(at: number): number {
    const text = this.#text
    if (text.startsWith('<![CDATA[', at)) return after(text.indexOf(']]>', at), 3)
    if (/^<!doctype\b/i.test(text.slice(at, at + 10))) return after(text.indexOf('>', at), 1)
    if (this.#bang !== -1 && this.#bang < at + 2) this.#bang = text.indexOf('!>', at + 2)
    if (this.#dash !== -1 && this.#dash < at + 2) this.#dash = text.indexOf('-->', at + 2)
    const ends = [after(this.#bang, 2), after(this.#dash, 3)].filter((end) => end >= 0)
    return ends.length === 0 ? -1 : Math.min(...ends)
  }
}

function after(found: number, length: number): number {
  return found < 0 ? -1 : found + length
}

/** The offset after the next `>`, or the limit. */
function endOfTag(text: string, start: number, limit: number): number {
  const end = text.slice(0, limit).indexOf('>', start)
  return end < 0 ? limit : end + 1
}

/** An odd number of backslashes before a `<` makes it text. */
function isEscaped(text: string, at: number): boolean {
  let count = 0
  while (text[at - 1 - count] === '\\') count++
  return count % 2 === 1
}

function addChild(parent: XmlElement, child: XmlElement): void {
  parent.children = append(parent.children, child)
}

function elementOf(name: string, attributes: XmlAttribute[], start: number, end: number): XmlElement {
  const nameEnd = Math.min(end, start + 1 + name.length)
  return { name, attributes, content: '', children: [], start, end, nameEnd, contentStart: end, contentEnd: end, pieces: null, substituted: false }
}
