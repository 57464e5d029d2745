/**
 * Merges a rule that own content overwrites with the changes that the new ruleset made to the original, option by option: what only the new ruleset changed is taken
 * over, what only the own rule changed stays, and words of groups and techniques of both are joined. Parents are left alone, because an overwrite keeps those of
 * the original.
 */
import { applyReplacements, type Replacement } from '../diagnostics/fixes.js'
import { RULE_ATTRIBUTES } from '../rules/attributes.js'
import { RULE_OPTIONS } from '../rules/options/index.js'
import type { RuleDefinition } from '../rules/rule.js'
import { foldCase, fromByteString } from '../source/byte-string.js'
import type { XmlAttribute, XmlElement } from '../xml/node.js'
import type { MergedOption } from './findings.js'

/** Options that an overwrite does not change, and what makes it one. */
const LEFT_ALONE: ReadonlySet<string> = new Set(['@id', '@overwrite', 'if_sid', 'if_group', 'if_level', 'if_matched_sid', 'if_matched_group'])
/** Tags whose conditions are apart by an attribute. */
const APART: Readonly<Record<string, string>> = { field: 'name', list: 'field', info: 'type' }

export interface OverwriteMerge {
  readonly options: readonly MergedOption[]
  /** Edits in the file of the own rule. */
  readonly edits: readonly Replacement[]
  /** The merged rule as XML. */
  readonly xml: string
}

/** An option of one rule: an attribute, or all tags of a name. */
interface Part {
  readonly attribute: XmlAttribute | null
  readonly elements: readonly XmlElement[]
}

const ABSENT: Part = { attribute: null, elements: [] }

/** Null: the new ruleset changed nothing that the own rule does not have as well. */
export function mergeOverwrite(before: RuleDefinition, own: RuleDefinition, upstream: RuleDefinition): OverwriteMerge | null {
  const [old, ours, theirs] = [before, own, upstream].map(partsOf)
  const writer = new RuleWriter(own)
  const options: MergedOption[] = []
  for (const key of new Set([...old.keys(), ...theirs.keys(), ...ours.keys()])) {
    const [was, mine, yours] = [old, ours, theirs].map((parts) => parts.get(key) ?? ABSENT)
    const [b, o, t] = [was, mine, yours].map(meaningOf)
    if (LEFT_ALONE.has(key) || b === t || o === t || isSameMeaning(key, before, upstream)) continue
    const words = o === b ? null : joinedWords(key, was, mine, yours)
    const taken = o === b ? 'upstream' : words !== null ? 'both' : 'own'
    if (taken === 'both' && words === wordsOf(key, mine)?.join()) continue
    options.push({ option: key, before: writtenPart(was, before), own: writtenPart(mine, own), upstream: writtenPart(yours, upstream), taken })
    if (taken === 'upstream') writer.replace(mine, yours, upstream)
    else if (words !== null) writer.write(mine, wordsText(key, words.split(',')))
  }
  if (options.length === 0) return null
  return { options, edits: writer.edits.sort((a, b) => a.start - b.start), xml: writer.merged() }
}

function partsOf({ element }: RuleDefinition): ReadonlyMap<string, Part> {
  const parts = new Map<string, Part>()
  for (const attribute of element.attributes) parts.set(`@${attribute.name.toLowerCase()}`, { attribute, elements: [] })
  for (const child of element.children) {
    const tag = child.name.toLowerCase()
    const apart = child.attributes.find(({ name }) => name.toLowerCase() === APART[tag])
    const key = apart === undefined ? tag : `${tag} ${fromByteString(foldCase(apart.value))}`
    parts.set(key, { attribute: null, elements: [...(parts.get(key)?.elements ?? []), child] })
  }
  return parts
}

/** Equal for parts that are written alike, after variables. */
function meaningOf({ attribute, elements }: Part): string {
  return JSON.stringify([attribute?.value ?? null, elements.map(shapeOf)])
}

function shapeOf({ attributes, content, children }: XmlElement): unknown {
  const named = attributes.map(({ name, value }) => `${name.toLowerCase()}=${value}`).sort()
  return [named, children.length === 0 ? content : children.map((child) => [child.name.toLowerCase(), shapeOf(child)])]
}

/** Whether the option means the same in two rules, however it is written. Fields and lists are compared by what is written alone: each has several conditions. */
function isSameMeaning(key: string, one: RuleDefinition, other: RuleDefinition): boolean {
  const option = key.startsWith('@') ? RULE_ATTRIBUTES.find(({ name }) => `@${name}` === key) : RULE_OPTIONS.find(({ name }) => name === key)
  return option !== undefined && key !== 'group' && JSON.stringify(option.meaning(one)) === JSON.stringify(option.meaning(other))
}

/** The words of an option that is a set. Null: it is none, or has other parts. */
function wordsOf(key: string, { elements }: Part): string[] | null {
  if (key === 'group') return elements.flatMap(({ content }) => content.split(',')).flatMap((word) => (word.trim() === '' ? [] : [word.trim()]))
  if (key !== 'mitre' || elements.some(({ children }) => children.some(({ name }) => name.toLowerCase() !== 'id'))) return null
  return elements.flatMap(({ children }) => children.map(({ content }) => content))
}

/** The own words, without those that the new ruleset removed and with those that it added. */
function joinedWords(key: string, before: Part, own: Part, upstream: Part): string | null {
  const [was, mine, yours] = [before, own, upstream].map((part) => wordsOf(key, part))
  if (was === null || mine === null || yours === null) return null
  const kept = mine.filter((word) => yours.includes(word) || !was.includes(word))
  return [...kept, ...yours.filter((word) => !was.includes(word) && !kept.includes(word))].join()
}

function wordsText(key: string, words: readonly string[]): string {
  return key === 'group' ? `<group>${words.map((word) => `${word},`).join('')}</group>` : `<mitre>${words.map((word) => `<id>${word}</id>`).join('')}</mitre>`
}

function writtenPart({ attribute, elements }: Part, definition: RuleDefinition): string {
  return fromByteString(attribute !== null ? `${attribute.name}="${attribute.value}"` : elements.map((element) => writtenElement(element, definition)).join('\n'))
}

/** An element as it is written, with the values of variables, which another file does not have. */
function writtenElement(element: XmlElement, { source: { bytes } }: RuleDefinition): string {
  const { start, end, contentStart, contentEnd, content, substituted, children } = element
  return substituted && children.length === 0 ? bytes.slice(start, contentStart) + content + bytes.slice(contentEnd, end) : bytes.slice(start, end)
}

/** Collects edits of the own rule. */
class RuleWriter {
  readonly edits: Replacement[] = []
  readonly #rule: RuleDefinition

  constructor(rule: RuleDefinition) {
    this.#rule = rule
  }

  replace(own: Part, upstream: Part, from: RuleDefinition): void {
    const { element } = this.#rule
    if (own.attribute === null && upstream.attribute === null) return this.write(own, upstream.elements.map((each) => writtenElement(each, from)).join(this.#gap()))
    const { attribute } = upstream
    if (own.attribute === null) {
      const at = element.attributes.at(-1)
      const end = at === undefined ? element.nameEnd : at.valueEnd + 1
      this.#edit(end, end, ` ${attribute?.name}="${attribute?.value}"`)
    } else if (attribute !== null) this.#edit(own.attribute.valueStart, own.attribute.valueEnd, attribute.value)
    else this.#edit(own.attribute.nameStart - 1, own.attribute.valueEnd + 1, '')
  }

  /** Writes all tags of an option. Empty: it is removed. */
  write({ elements }: Part, text: string): void {
    const [first, ...others] = elements
    const { children } = this.#rule.element
    const last = children.at(-1)
    if (first === undefined) {
      const end = last?.end ?? this.#rule.element.contentStart
      this.#edit(end, end, this.#gap() + text)
    } else if (text === '') this.#remove(first)
    else this.#edit(first.start, first.end, text)
    for (const other of others) this.#remove(other)
  }

  #remove({ start, end }: XmlElement): void {
    const { bytes } = this.#rule.source
    let from = start
    while (/\s/.test(bytes.charAt(from - 1))) from--
    this.#edit(from, end, '')
  }

  /** The white space between two tags of the rule. */
  #gap(): string {
    const { element, source } = this.#rule
    const first = element.children[0]
    return first === undefined ? '\n' : (/\s*$/.exec(source.bytes.slice(element.start, first.start))?.[0] ?? '')
  }

  #edit(start: number, end: number, text: string): void {
    this.edits.push({ start, end, text: fromByteString(text) })
  }

  merged(): string {
    const { element, source } = this.#rule
    const shifted = this.edits.map(({ start, end, text }) => ({ start: start - element.start, end: end - element.start, text }))
    return fromByteString(applyReplacements(source.bytes.slice(element.start, element.end), shifted))
  }
}
