/** Edits of elements in the text of a file. Offsets are those of bytes. */
import type { SourceText } from '../source/source-text.js'
import { fromByteString } from '../source/byte-string.js'
import type { XmlAttribute, XmlElement } from '../xml/node.js'
import type { ByteEdit, Mutant, MutationOperator } from './mutant.js'

/** Characters of the text that is shown of a change. */
const SHOWN_LIMIT = 300

/** Makes the mutants of one file. */
export class ElementEditor {
  readonly #source: SourceText

  constructor(source: SourceText) {
    this.#source = source
  }

  /** A mutant of edits at an element, which is shown before and after. */
  mutant(operator: MutationOperator, { start, end }: { readonly start: number; readonly end: number }, edits: readonly ByteEdit[]): Mutant {
    const { bytes } = this.#source
    const sorted = edits.toSorted((a, b) => a.start - b.start)
    return {
      operator,
      line: this.#source.span(start, start).line,
      edits: sorted,
      before: shown(bytes.slice(start, end)),
      after: shown(applyEdits(bytes, sorted, start, end)),
    }
  }

  /** Takes an element out. */
  without({ start, end }: XmlElement): ByteEdit {
    return { start, end, text: '' }
  }

  /** Replaces the content of an element, with comments in it. */
  content({ contentStart, contentEnd }: XmlElement, text: string): ByteEdit {
    return { start: contentStart, end: contentEnd, text }
  }

  value({ valueStart, valueEnd }: XmlAttribute, text: string): ByteEdit {
    return { start: valueStart, end: valueEnd, text }
  }

  /** Adds an attribute behind the name. */
  attribute({ nameEnd }: XmlElement, name: string, value: string): ByteEdit {
    return { start: nameEnd, end: nameEnd, text: ` ${name}="${value}"` }
  }

  /** Takes an attribute out, with its closing quote. */
  withoutAttribute({ nameStart, valueEnd }: XmlAttribute): ByteEdit {
    return { start: nameStart, end: valueEnd + 1, text: '' }
  }

  /** Gives an element another name. */
  renamed({ start, nameEnd, contentEnd, end }: XmlElement, name: string): ByteEdit[] {
    const opening = { start: start + 1, end: nameEnd, text: name }
    return this.#source.bytes.startsWith('</', contentEnd) ? [opening, { start: contentEnd, end, text: `</${name}>` }] : [opening]
  }
}

/** A part of a text with the edits in it. */
export function applyEdits(bytes: string, edits: readonly ByteEdit[], start = 0, end = bytes.length): string {
  let text = ''
  let at = start
  for (const edit of edits) {
    if (edit.start < start || edit.end > end) continue
    text += bytes.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return text + bytes.slice(at, end)
}

function shown(bytes: string): string {
  const text = fromByteString(bytes).replace(/\s+/g, ' ').trim()
  return text.length > SHOWN_LIMIT ? `${text.slice(0, SHOWN_LIMIT)}…` : text
}
