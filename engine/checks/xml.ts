/** Text that the reader accepts without a message, but that rarely means what its author intended (BEHAVIOUR.md#xml-dialect). */
import type { DiagnosticCode } from '../diagnostics/codes.js'
import { fromByteString } from '../source/byte-string.js'
import type { SourceText } from '../source/source-text.js'
import { trimBytes } from '../source/white-space.js'
import { blankComments, commentsOf } from '../xml/comments.js'
import type { XmlElement } from '../xml/node.js'
import { parseXml } from '../xml/parse.js'
import { isSure } from '../xml/unsure.js'
import { unreplacedIn } from '../xml/variable-index.js'
import { UNSCANNED_LENGTH } from '../xml/variables.js'
import type { CheckContext } from './context.js'

/** Maximum number of diagnostics per file. A file with more control characters is not text. */
const CONTROL_LIMIT = 100
/** Maximum number of diagnostics per file about variables that are not replaced. */
const UNREPLACED_LIMIT = 100
/** Maximum number of quoted characters of a text outside of elements. */
const QUOTE_LIMIT = 40

const BOM = '\u00ef\u00bb\u00bf'
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for control characters
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g
const ENTITY = /&(?:lt|gt|amp|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});/g
const BARE_AMPERSAND = /&(?!(?:lt|gt|amp|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});)/g

type Range = readonly [start: number, end: number]

/** Runs all text checks on the files of the scope. */
export function checkXml(context: CheckContext): void {
  const tops = topLevelElements(context)
  const refused = refusedReferences(context)
  for (const source of context.files) {
    if (source.kind === 'lists') continue
    new FileCheck(source, context, tops.get(source) ?? []).run()
    checkUnreplaced(context, source, refused)
  }
  // The unread part of an element is not text before a child.
  for (const { definition } of context.rules) if (definition.isSure()) checkMixed(context, definition.source, definition.element)
  for (const { source, element, unsure } of context.decoders) if (isSure(unsure)) checkMixed(context, source, element)
}

/** Where the loader reported a variable that is not replaced, as keys of `placeKey`. */
function refusedReferences({ ruleset, scope }: CheckContext): ReadonlySet<string> {
  const refused = new Set<string>()
  for (const { code, span, filename, kind, scope: owner } of ruleset.loadDiagnostics) {
    if (code === 'xml_variable_undefined' && span !== null && owner === scope) refused.add(placeKey(kind, filename, span.start))
  }
  return refused
}

function placeKey(kind: string, filename: string, start: number): string {
  return `${kind} ${start} ${filename}`
}

/** Reports names of variables that stay as they are written, although some `<var>` has that name. */
function checkUnreplaced({ collector, variables }: CheckContext, source: SourceText, refused: ReadonlySet<string>): void {
  let count = 0
  for (const { name, start, end, later } of unreplacedIn(source)) {
    if (refused.has(placeKey(source.kind, source.filename, start))) continue
    const place = later === null ? variables.definedElsewhere(name, source) : { filename: source.filename, span: source.span(later.start, later.end) }
    if (place === null) continue
    if (++count > UNREPLACED_LIMIT) return
    const value = fromByteString(source.bytes.slice(start, end))
    const reason = later === null ? `the <var> of ${place.filename} is known in that file only` : 'its <var> is below this place'
    collector.add('xml_variable_not_replaced', { file: source, span: source.span(start, end), evidence: value }, { value, reason }, { related: [place] })
  }
}

class FileCheck {
  readonly #source: SourceText
  readonly #context: CheckContext
  readonly #tops: readonly XmlElement[]
  readonly #comments: readonly Range[]

  constructor(source: SourceText, context: CheckContext, tops: readonly XmlElement[]) {
    this.#source = source
    this.#context = context
    this.#tops = tops
    this.#comments = commentsOf(source.bytes)
  }

  run(): void {
    const { bytes } = this.#source
    if (bytes.startsWith(BOM)) this.#report('xml_bom', 0, BOM.length, {})
    this.#checkControl(bytes)
    this.#checkComments(bytes)
    if (bytes.includes('&')) this.#checkAmpersands(bytes)
    if (bytes.includes('<var') || bytes.includes('<VAR')) this.#checkVariables(bytes)
    this.#checkOutside(bytes)
  }

  #report(code: DiagnosticCode, start: number, end: number, params: Record<string, string>): void {
    const { bytes } = this.#source
    this.#context.collector.add(code, { file: this.#source, span: this.#source.span(start, end), evidence: fromByteString(bytes.slice(start, end)) }, params)
  }

  #checkControl(bytes: string): void {
    let count = 0
    for (const match of bytes.matchAll(CONTROL)) {
      if (++count > CONTROL_LIMIT) return
      this.#report('xml_control_character', match.index, match.index + 1, { value: `0x${bytes.charCodeAt(match.index).toString(16).padStart(2, '0')}` })
    }
  }

  #checkComments(bytes: string): void {
    let dashes = false
    for (const [start, end] of this.#comments) {
      if (bytes.startsWith('<![CDATA[', start)) this.#report('xml_cdata', start, start + '<![CDATA['.length, {})
      if (dashes || !bytes.startsWith('<!--', start)) continue
      const inside = bytes.slice(start + 4, end - 3).indexOf('--')
      if (inside < 0) continue
      dashes = true
      this.#report('xml_non_portable', start + 4 + inside, start + 6 + inside, { detail: '"--" inside a comment' })
    }
  }

  /** Reports a bare `&` once per file, and each entity. */
  #checkAmpersands(bytes: string): void {
    const bare = [...bytes.matchAll(BARE_AMPERSAND)].find(({ index }) => !this.#isComment(index))
    if (bare !== undefined) this.#report('xml_non_portable', bare.index, bare.index + 1, { detail: 'a bare "&"' })
    for (const match of bytes.matchAll(ENTITY)) {
      if (!this.#isComment(match.index)) this.#report('xml_entity_literal', match.index, match.index + match[0].length, { value: match[0] })
    }
  }

  #isComment(offset: number): boolean {
    let low = 0
    let high = this.#comments.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#comments[middle][1] <= offset) low = middle + 1
      else high = middle
    }
    return low < this.#comments.length && this.#comments[low][0] <= offset
  }

  #checkVariables(bytes: string): void {
    const outcome = parseXml(bytes)
    if (!outcome.ok || outcome.document.variables.length === 0) return
    const names = new Set<string>()
    for (const variable of outcome.document.variables) {
      const key = variable.name.toLowerCase()
      if (names.has(key)) this.#report('xml_variable_duplicate', variable.start, variable.end, { name: fromByteString(variable.name) })
      names.add(key)
    }
    for (const element of outcome.document.elements) this.#checkReferences(element, names)
  }

  #checkReferences(element: XmlElement, names: ReadonlySet<string>): void {
    const { bytes } = this.#source
    const written = element.children.length === 0 ? bytes.slice(element.contentStart, element.contentEnd) : ''
    this.#checkShort(written, element.contentStart, names)
    for (const { value, valueStart } of element.attributes) this.#checkShort(value, valueStart, names)
    const field = written.indexOf('$(')
    if (field >= 0) {
      const later = [...written.slice(field + 2).matchAll(/\$([^$.|, ()]+)/g)].find(([, name]) => names.has(name.toLowerCase()))
      if (later !== undefined) this.#report('xml_variable_hazard', element.contentStart, element.contentEnd, { value: fromByteString(written) })
    }
    for (const child of element.children) this.#checkReferences(child, names)
  }

  /** Reports the name of a variable that is a whole text, too short to be searched for variables. */
  #checkShort(text: string, start: number, names: ReadonlySet<string>): void {
    if (text.length !== UNSCANNED_LENGTH || !text.startsWith('$') || !names.has(text.slice(1).toLowerCase())) return
    this.#report('xml_variable_short_text', start, start + text.length, { value: fromByteString(text) })
  }

  /** Reports text between top-level elements. The loader reports unknown elements. */
  #checkOutside(bytes: string): void {
    let from = bytes.startsWith(BOM) ? BOM.length : 0
    for (const [start, end] of [...this.#tops.map((top) => [top.start, top.end] as const), [bytes.length, bytes.length] as const]) {
      if (this.#tops.length > 0 && start > from) this.#checkGap(bytes, from, start)
      from = Math.max(from, end)
    }
  }

  #checkGap(bytes: string, from: number, to: number): void {
    const text = blankComments(bytes.slice(from, to)).replace(/<var\b[^>]*>[^<]*<\/var>/gi, (variable) => ' '.repeat(variable.length))
    const first = text.search(/\S/)
    if (first < 0 || text.includes('<')) return
    const stray = trimBytes(text)
    this.#report('xml_text_outside', from + first, from + first + stray.length, { value: fromByteString(stray.slice(0, QUOTE_LIMIT)) })
  }
}

/** The known top-level elements of each file, in order. */
function topLevelElements({ rules, decoders }: CheckContext): Map<SourceText, XmlElement[]> {
  const tops = new Map<SourceText, XmlElement[]>()
  const add = (source: SourceText, element: XmlElement): void => {
    const list = tops.get(source)
    if (list === undefined) tops.set(source, [element])
    else if (list[list.length - 1] !== element) list.push(element)
  }
  for (const { definition } of rules) add(definition.source, definition.groupElement)
  for (const { source, element } of decoders) add(source, element)
  // An overwriting rule is listed at the position of the overwritten one.
  for (const list of tops.values()) list.sort((a, b) => a.start - b.start)
  return tops
}

/** Reports text before a child, which is lost. */
function checkMixed(context: CheckContext, source: SourceText, element: XmlElement): void {
  let from = -1
  for (const child of element.children) {
    if (from < 0) from = bodyStart(source.bytes, element)
    if (child.start > from && trimBytes(source.bytes.slice(from, child.start)) !== '') {
      const text = blankComments(source.bytes.slice(from, child.start))
      const first = text.search(/\S/)
      if (first >= 0) {
        const span = source.span(from + first, from + first + trimBytes(text).length)
        const name = fromByteString(element.name)
        context.collector.add('xml_mixed_content', { file: source, span, evidence: fromByteString(source.bytes.slice(span.start, span.end)) }, { name })
      }
    }
    from = child.end
    if (child.children.length > 0) checkMixed(context, source, child)
  }
}

/** Offset after the opening tag. No attribute value can contain a `>`. */
function bodyStart(bytes: string, element: XmlElement): number {
  return bytes.indexOf('>', Math.max(element.nameEnd, element.attributes.at(-1)?.valueEnd ?? 0)) + 1
}
