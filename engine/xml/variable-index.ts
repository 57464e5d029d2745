/**
 * Finds variables by name in all files: people define them in one file and name them in another, where Wazuh does not know them (BEHAVIOUR.md#xml-variables).
 * Files are read at the first question, because most rulesets have none.
 */
import type { RelatedPlace } from '../diagnostics/diagnostic.js'
import type { FileScope } from '../source/source-file.js'
import type { SourceText } from '../source/source-text.js'
import { blankComments } from './comments.js'
import { UNSCANNED_LENGTH } from './variables.js'

const DEFINITION = /<var\s[^<>]*?\bname\s*=\s*(?:"([^"<>]{1,255})"|'([^'<>]{1,255})')/gi
const REFERENCE = /\$([A-Za-z_]\w{0,254})/g
/** A whole text or value that is too short to be searched for variables. */
const SHORT_TEXT = /(?<=>)\$([A-Za-z_])(?=<\/)|(?<==\s*["'])\$([A-Za-z_])(?=["'])/g
const RANKS: Readonly<Record<FileScope, number>> = { default: 0, custom: 1, adhoc: 2 }
/** Files of each scope that are kept for a name: one of two is another one than that of the question. */
const FILES_KEPT = 2

/** A part of a file. */
export interface NamedRange {
  readonly file: SourceText
  /** In lower case. */
  readonly name: string
  readonly start: number
  readonly end: number
}

export class VariableIndex {
  readonly #files: readonly SourceText[]
  #definitions: Map<string, NamedRange[]> | null = null
  readonly #byFile = new Map<SourceText, ReadonlyMap<string, NamedRange>>()
  readonly #unreplaced = new Map<FileScope, Set<string>>()

  /** @param files all files in load order */
  constructor(files: readonly SourceText[]) {
    this.#files = files.filter(({ kind }) => kind !== 'lists')
  }

  /** Where another file of the same or a lower scope defines the variable. */
  definedElsewhere(name: string, file: SourceText): RelatedPlace | null {
    this.#definitions ??= this.#readDefinitions()
    const found = this.#definitions.get(name.toLowerCase())?.find((one) => one.file !== file && RANKS[one.file.scope] <= RANKS[file.scope])
    return found === undefined ? null : { filename: found.file.filename, span: found.file.span(found.start, found.end) }
  }

  /** Whether this file or another that loads with it defines the variable. */
  isKnown(name: string, file: SourceText): boolean {
    return this.#definitionsIn(file).has(name.toLowerCase()) || this.definedElsewhere(name, file) !== null
  }

  /** Whether a file of the scope names the variable where it is not replaced. */
  isNamedInVain(name: string, scope: FileScope): boolean {
    let names = this.#unreplaced.get(scope)
    if (names === undefined) {
      names = new Set(this.#files.filter((file) => file.scope === scope).flatMap((file) => [...unreplacedIn(file).map((one) => one.name), ...shortTextsIn(file)]))
      this.#unreplaced.set(scope, names)
    }
    return names.has(name.toLowerCase())
  }

  /** Whether a text is the name of a variable of its file, and too short to be searched for variables. */
  isShortText(text: string, file: SourceText): boolean {
    return text.length <= UNSCANNED_LENGTH && text.startsWith('$') && this.#definitionsIn(file).has(text.slice(1).toLowerCase())
  }

  #definitionsIn(file: SourceText): ReadonlyMap<string, NamedRange> {
    let known = this.#byFile.get(file)
    if (known === undefined) this.#byFile.set(file, (known = definitionsIn(file)))
    return known
  }

  #readDefinitions(): Map<string, NamedRange[]> {
    const definitions = new Map<string, NamedRange[]>()
    for (const file of this.#files) {
      for (const one of this.#definitionsIn(file).values()) {
        const known = definitions.get(one.name)
        if (known === undefined) definitions.set(one.name, [one])
        else if (known.filter((other) => other.file.scope === file.scope).length < FILES_KEPT) known.push(one)
      }
    }
    return definitions
  }
}

/** The parameter `elsewhere` of `xml_variable_undefined`. */
export function definedIn(place: RelatedPlace | null): string {
  return place === null ? '' : `: the one of ${place.filename} is known in that file only`
}

/** A place that names a variable which no `<var>` above it defines. */
export interface Unreplaced extends NamedRange {
  /** The definition further down in the file, or null. */
  readonly later: NamedRange | null
}

export function unreplacedIn(file: SourceText): Unreplaced[] {
  if (!file.bytes.includes('$')) return []
  const definitions = definitionsIn(file)
  return [...blankComments(file.bytes).matchAll(REFERENCE)].flatMap(({ 0: text, 1: written, index }) => {
    const name = written.toLowerCase()
    const definition = definitions.get(name)
    if (definition !== undefined && definition.start < index) return []
    return [{ file, name, start: index, end: index + text.length, later: definition ?? null }]
  })
}

/** The names, in lower case, that texts and values of a file consist of which are too short to be searched for variables. */
function shortTextsIn({ bytes }: SourceText): string[] {
  if (!bytes.includes('$')) return []
  return [...blankComments(bytes).matchAll(SHORT_TEXT)].map(([, text, value]) => (text ?? value).toLowerCase())
}

/** The first definition of each variable of a file. */
function definitionsIn(file: SourceText): Map<string, NamedRange> {
  const definitions = new Map<string, NamedRange>()
  if (!/<var\s/i.test(file.bytes)) return definitions
  for (const { 0: text, 1: double, 2: single, index } of blankComments(file.bytes).matchAll(DEFINITION)) {
    const name = (double ?? single).toLowerCase()
    if (!definitions.has(name)) definitions.set(name, { file, name, start: index, end: index + text.length })
  }
  return definitions
}
