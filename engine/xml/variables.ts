/**
 * Substitutes variables: `<var name="X">value</var>` and `$X` (BEHAVIOUR.md#xml-variables). One pass in document order over contents, attribute
 * values and children, after the whole file was read. Definitions are removed from the tree.
 */
import type { XmlAttribute, XmlDocument, XmlElement, XmlError, XmlVariable } from './node.js'

/** Maximum length of a variable name (BEHAVIOUR.md#xml-limits). */
const VARIABLE_NAME_LIMIT = 255
/** Texts up to this length are never scanned (BEHAVIOUR.md#xml-variables). */
export const UNSCANNED_LENGTH = 2
/**
 * Maximum total length of the texts of one file after substitution. The largest known file has some kilobytes. A value of 20 KB that is used 7,000
 * times in a text of 20 KB would have 140 MB.
 */
export const FILLED_LIMIT = 16 * 1024 * 1024

/** Called with a fault in the variables of an element; true: continue and leave the text as it is. */
type OnError = (error: XmlError, element: XmlElement) => boolean

/** Substitutes all variables in place. Returns the first error for which `onError` returns false, which refuses the file; else null. */
export function substituteVariables(document: XmlDocument, onError: OnError = () => false): XmlError | null {
  const pass = new Substitution(document.variables, onError)
  const error = pass.visitAll(document.elements)
  if (error !== null) return error
  document.elements = withoutVariables(document.elements)
  return null
}

function withoutVariables(elements: readonly XmlElement[]): readonly XmlElement[] {
  return elements.some(isVariable) ? elements.filter((element) => !isVariable(element)) : elements
}

function isVariable(element: XmlElement): boolean {
  return element.name.length === 3 && element.name.toLowerCase() === 'var'
}

class Substitution {
  readonly #variables: XmlVariable[]
  readonly #byName = new Map<string, XmlVariable>()
  /** Length of all texts after substitution so far. */
  #filled = 0
  /** The attribute that the last variable without attributes took; variables before it take the same one. */
  #next: { readonly siblings: readonly XmlElement[]; readonly at: number; readonly attribute: XmlAttribute } | null = null

  readonly #onError: OnError

  constructor(variables: XmlVariable[], onError: OnError) {
    this.#variables = variables
    this.#onError = onError
  }

  visitAll(siblings: readonly XmlElement[]): XmlError | null {
    for (let i = 0; i < siblings.length; i++) {
      const element = siblings[i]
      const error = isVariable(element) ? this.#define(element, siblings, i) : this.#visit(element)
      if (error !== null) return error
    }
    return null
  }

  #visit(element: XmlElement): XmlError | null {
    const filled = this.#fill(element.content, element.contentStart)
    if (typeof filled !== 'string') {
      if (this.#stopAt(filled, element) !== null) return filled
    } else if (filled !== element.content) {
      element.content = filled
      element.substituted = true
    }
    for (const attribute of element.attributes) {
      const isNamedVar = attribute.name.length === 3 && attribute.name.toLowerCase() === 'var'
      const value = isNamedVar ? invalid(attribute.nameStart, attribute.valueEnd, 'an attribute must not be called "var"') : this.#fill(attribute.value, attribute.valueStart)
      if (typeof value === 'string') attribute.value = value
      else if (this.#stopAt(value, element) !== null) return value
    }
    const error = this.visitAll(element.children)
    if (error !== null) return error
    element.children = withoutVariables(element.children)
    return null
  }

  /** Returns the error, or null when `onError` ignores it. */
  #stopAt(error: XmlError, element: XmlElement): XmlError | null {
    return this.#onError(error, element) ? null : error
  }

  #define(element: XmlElement, siblings: readonly XmlElement[], index: number): XmlError | null {
    const attribute = element.attributes[0] ?? firstAttribute(element.children) ?? this.#nextAttribute(siblings, index)
    if (attribute === undefined || attribute.name.toLowerCase() !== 'name') {
      return this.#stopAt(invalid(element.start, element.nameEnd, 'the first attribute of <var> must be "name"'), element)
    }
    const name = attribute.value
    if (name.length > VARIABLE_NAME_LIMIT) {
      return this.#stopAt(invalid(attribute.valueStart, attribute.valueEnd, `a variable name over ${VARIABLE_NAME_LIMIT} bytes`), element)
    }
    const key = name.toLowerCase()
    const variable: XmlVariable = { name, value: element.content, start: element.start, end: element.end, used: false }
    this.#variables.push(variable)
    if (!this.#byName.has(key)) this.#byName.set(key, variable)
    return null
  }

  /**
   * Substitutes the variables of one text. The cursor is not advanced over `$(…)`, so a later variable truncates the text: Wazuh does the same
   * (BEHAVIOUR.md#xml-variables).
   */
  #fill(text: string, offset: number): string | XmlError {
    if (this.#byName.size === 0 || text.length <= UNSCANNED_LENGTH || !text.includes('$')) return text
    let output = ''
    // `output` continues with the text from `rest` on, of which `copied` bytes are before the cursor.
    let rest = 0
    let copied = 0
    let at = 0
    while (at < text.length) {
      if (text.charCodeAt(at) !== 0x24) {
        copied++
        at++
        continue
      }
      const end = referenceEnd(text, at + 1)
      const name = text.slice(at + 1, end)
      if (name.length > VARIABLE_NAME_LIMIT) return invalid(offset + at, offset + end, `a variable name over ${VARIABLE_NAME_LIMIT} bytes`)
      const variable = this.#byName.get(name.toLowerCase())
      if (variable !== undefined && name !== '') {
        variable.used = true
        output += text.slice(rest, rest + copied) + variable.value
        if (this.#filled + output.length > FILLED_LIMIT) {
          return { code: 'xml_limit_exceeded', start: offset + at, end: offset + end, detail: `variables that fill in over ${FILLED_LIMIT} bytes`, origin: null }
        }
        rest = end
        copied = 0
        at = end
      } else if (name === '') {
        copied++
        at++
      } else if (name.charCodeAt(0) === 0x28) at = end
      else return { code: 'xml_variable_undefined', start: offset + at, end: offset + end, detail: name, origin: null }
    }
    if (output === '' && rest === 0) return text
    this.#filled += output.length
    return output + text.slice(rest)
  }

  /** Quirk: a `<var>` without attributes takes the next attribute of the file, unless that is at a shallower depth (BEHAVIOUR.md#xml-variables). */
  #nextAttribute(siblings: readonly XmlElement[], index: number): XmlAttribute | undefined {
    if (this.#next?.siblings === siblings && this.#next.at > index) return this.#next.attribute
    for (let at = index + 1; at < siblings.length; at++) {
      const attribute = siblings[at].attributes[0] ?? firstAttribute(siblings[at].children)
      if (attribute === undefined) continue
      this.#next = { siblings, at, attribute }
      return attribute
    }
    return undefined
  }
}

function firstAttribute(elements: readonly XmlElement[]): XmlAttribute | undefined {
  for (const element of elements) {
    const found = element.attributes[0] ?? firstAttribute(element.children)
    if (found !== undefined) return found
  }
  return undefined
}

function referenceEnd(text: string, from: number): number {
  let at = from
  for (; at < text.length; at++) {
    const byte = text.charCodeAt(at)
    if (byte === 0x24 || byte === 0x2e || byte === 0x7c || byte === 0x2c || byte === 0x20) break
  }
  return at
}

function invalid(start: number, end: number, detail: string): XmlError {
  return { code: 'xml_variable_invalid', start, end, detail, origin: null }
}
