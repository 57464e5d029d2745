/**
 * Reads filters (RFC 7644, 3.4.2.2) and the paths of PATCH (3.5.2), which contain filters:
 *
 *     userType eq "Employee" and (emails co "example.com" or not (title pr))
 *     emails[type eq "work" and value co "@example.com"]          an element that satisfies both
 *     emails[type eq "work"].value eq "ana@example.com"           as Entra ID sends it: and whose sub-attribute does as well
 *
 * Invariants:
 *  1. each character is read once, by expressions that do not backtrack
 *  2. the depth of the recursion is at most `FILTER_DEPTH`; chains of `and` and `or` are loops
 */
import type { ResourceType } from '../attribute.js'
import { type AttributePath, pathText, resolvePath, resolveSub } from '../attribute-path.js'
import { ScimError } from '../errors.js'
import { type Filter, type FilterValue, type Operator, OPERATORS } from './filter.js'
import { compareFilter } from './values.js'

/** The longest filters of Okta and Entra ID have some hundred characters. */
export const FILTER_CHARACTERS = 4096
/** Parentheses, brackets and `not` in one another. Also bounds the recursion of evaluation and translation. */
export const FILTER_DEPTH = 16
/** Comparisons of a filter. Each is evaluated for up to ten thousand resources. */
export const FILTER_TERMS = 32

/** A path of PATCH: `members`, `name.familyName`, `emails[type eq "work"].value`. */
export interface PatchPath {
  readonly path: AttributePath
  /** Selects values of a multi-valued attribute; null: the path has no filter. */
  readonly filter: Filter | null
}

/** @throws ScimError invalidFilter */
export function parseFilter(type: ResourceType, text: string): Filter {
  const reader = new Reader(type, text)
  const filter = reader.any(0)
  reader.end()
  return filter
}

/** @throws ScimError invalidPath for what is wrong with the path, invalidFilter for what is wrong with its filter */
export function parsePatchPath(type: ResourceType, text: string): PatchPath {
  const bracket = text.indexOf('[')
  const name = (bracket === -1 ? text : text.slice(0, bracket)).trim()
  const path = resolvePath(type, name)
  if (path === null) throw new ScimError(NAME_FORM.test(name) ? 'path_unknown' : 'path_syntax', { path: shown(text) })
  if (bracket === -1) return { path, filter: null }
  if (!path.attribute.multiValued || path.sub !== null) throw new ScimError('path_filter_unsupported', { path: shown(text) })
  const reader = new Reader(type, text, bracket)
  const filter = reader.element(path, 0)
  const sub = reader.subName()
  reader.end()
  if (sub === null) return { path, filter }
  const resolved = resolveSub(path, sub)
  if (resolved === null) throw new ScimError('path_unknown', { path: shown(text) })
  return { path: resolved, filter }
}

/** Characters of a path that an error repeats. */
const SHOWN_CHARACTERS = 200
const shown = (path: string): string => (path.length > SHOWN_CHARACTERS ? `${path.slice(0, SHOWN_CHARACTERS)}…` : path)

const NAME_FORM = /^[\w$:.-]+$/

const SPACE = /\s*/y
/** A name, a word or `$ref`. */
const WORD = /[A-Za-z$_][\w$:.-]*/y
/** A text, number, `true`, `false` or `null` in JSON. */
const VALUE = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)\b/iy
const SUB_NAME = /\.([\w$-]+)/y

class Reader {
  readonly #type: ResourceType
  readonly #text: string
  #at: number
  #terms = 0

  constructor(type: ResourceType, text: string, at = 0) {
    if (text.length > FILTER_CHARACTERS) throw new ScimError('filter_too_long', { limit: FILTER_CHARACTERS })
    this.#type = type
    this.#text = text
    this.#at = at
  }

  /** Alternatives. @param element the attribute whose value the brackets filter; null: the resource */
  any(depth: number, element: AttributePath | null = null): Filter {
    return this.#chain('or', () => this.#chain('and', () => this.#unary(depth, element)))
  }

  /** `[…]` after the name of an attribute. */
  element(path: AttributePath, depth: number): Filter {
    if (path.sub !== null || path.attribute.subAttributes.length === 0) this.#fail()
    this.#expect('[')
    const filter = this.any(this.#deeper(depth), path)
    this.#expect(']')
    return filter
  }

  /** `.value` after brackets; null: there is none. */
  subName(): string | null {
    return this.#match(SUB_NAME)?.[1] ?? null
  }

  end(): void {
    this.#match(SPACE)
    if (this.#at < this.#text.length) this.#fail()
  }

  #chain(operator: 'and' | 'or', next: () => Filter): Filter {
    const filters = [next()]
    while (this.#word(operator)) filters.push(next())
    return filters.length === 1 ? filters[0] : { kind: operator, filters }
  }

  #unary(depth: number, element: AttributePath | null): Filter {
    if (this.#word('not')) {
      this.#expect('(')
      return { kind: 'not', filter: this.#rest(depth, element) }
    }
    return this.#takes('(') ? this.#rest(depth, element) : this.#term(depth, element)
  }

  #rest(depth: number, element: AttributePath | null): Filter {
    const filter = this.any(this.#deeper(depth), element)
    this.#expect(')')
    return filter
  }

  #term(depth: number, element: AttributePath | null): Filter {
    if (++this.#terms > FILTER_TERMS) throw new ScimError('filter_too_many_terms', { limit: FILTER_TERMS })
    this.#match(SPACE)
    const name = this.#match(WORD)?.[0] ?? this.#fail()
    const path = element === null ? resolvePath(this.#type, name) : resolveSub(element, name)
    if (path === null) throw new ScimError('filter_attribute_unknown', { attribute: shown(name) })
    if (element === null && this.#text[this.#at] === '[') {
      const filter = this.element(path, depth)
      const sub = this.subName()
      if (sub === null) return { kind: 'element', path, filter }
      const further = resolveSub(path, sub)
      if (further === null) throw new ScimError('filter_attribute_unknown', { attribute: `${pathText(path)}.${shown(sub)}` })
      return { kind: 'element', path, filter: { kind: 'and', filters: [filter, this.#comparison(further)] } }
    }
    return this.#comparison(path)
  }

  #comparison(path: AttributePath): Filter {
    if (this.#word('pr')) return { kind: 'present', path }
    this.#match(SPACE)
    const word = this.#match(WORD)?.[0].toLowerCase()
    const operator = OPERATORS.find((one) => one === word) ?? this.#fail()
    return compareFilter(path, operator as Operator, this.#value())
  }

  #value(): FilterValue {
    this.#match(SPACE)
    const start = this.#at
    const text = this.#match(VALUE)?.[0] ?? this.#fail()
    try {
      return JSON.parse(text.startsWith('"') ? text : text.toLowerCase()) as FilterValue
    } catch {
      // An escape or a control character that JSON does not allow.
      this.#at = start
      return this.#fail()
    }
  }

  /** Reads a keyword in any letter case, if it is next. */
  #word(keyword: string): boolean {
    const start = this.#at
    this.#match(SPACE)
    if (this.#match(WORD)?.[0].toLowerCase() === keyword) return true
    this.#at = start
    return false
  }

  #takes(character: string): boolean {
    const start = this.#at
    this.#match(SPACE)
    if (this.#text[this.#at] === character) {
      this.#at++
      return true
    }
    this.#at = start
    return false
  }

  #expect(character: string): void {
    if (!this.#takes(character)) this.#fail()
  }

  #deeper(depth: number): number {
    if (depth >= FILTER_DEPTH) throw new ScimError('filter_too_deep', { limit: FILTER_DEPTH })
    return depth + 1
  }

  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at
    const found = expression.exec(this.#text)
    if (found !== null) this.#at = expression.lastIndex
    return found
  }

  /** Positions count from 1. */
  #fail(): never {
    throw new ScimError('filter_syntax', { position: this.#at + 1 })
  }
}
