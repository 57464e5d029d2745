/**
 * The names that a file defines and uses, with their places: ids of rules, names of decoders, groups, fields and lists. Read from the text that is being typed,
 * so that a fault elsewhere in it changes nothing here.
 */
import type { FileKind } from '#engine'
import { allElements, attributeOf, childrenOf, type Element, firstCommentAfter, type ScannedText, textOf } from '../text/scan.js'

export type NameKind = 'rule' | 'decoder' | 'group' | 'list' | 'field'

/** One name at one place. */
export interface NamePlace {
  readonly kind: NameKind
  readonly name: string
  readonly start: number
  readonly end: number
  /** Whether it is defined here; otherwise it is used. */
  readonly isDefinition: boolean
  /** The rule or decoder; null: a group around rules. */
  readonly item: Element | null
  /** The tag, or the attribute, that has the name. */
  readonly at: string
}

export interface DefinedRule {
  readonly id: string
  readonly level: string
  readonly description: string
  /** Names of groups, from the surrounding `<group>` and from the rule. */
  readonly groups: readonly string[]
  /** Ids in `if_sid` and `if_matched_sid`. */
  readonly parents: readonly string[]
  readonly decodedAs: string | null
  readonly isOverwrite: boolean
  readonly element: Element
  /** The group around it. */
  readonly group: Element | null
  readonly idStart: number
  readonly idEnd: number
}

export interface DefinedDecoder {
  readonly name: string
  readonly parent: string | null
  /** Words of `order`. */
  readonly fields: readonly string[]
  readonly isJson: boolean
  readonly element: Element
  readonly nameStart: number
  readonly nameEnd: number
}

export interface Names {
  readonly places: readonly NamePlace[]
  readonly rules: readonly DefinedRule[]
  readonly decoders: readonly DefinedDecoder[]
}

/** What the text of each tag names. */
const IN_RULE_TAGS: Readonly<Record<string, NameKind>> = {
  if_sid: 'rule',
  if_matched_sid: 'rule',
  if_group: 'group',
  if_matched_group: 'group',
  group: 'group',
  decoded_as: 'decoder',
  list: 'list',
  same_field: 'field',
  different_field: 'field',
  not_same_field: 'field',
}
const IN_DECODER_TAGS: Readonly<Record<string, NameKind>> = { parent: 'decoder', order: 'field', fts: 'field' }

/** Tags in which a name is defined. */
const DEFINING: ReadonlySet<string> = new Set(['group', 'order'])

/** What separates names: ids by commas and blanks, groups by commas, and alternatives by bars. */
const SEPARATORS: Readonly<Record<NameKind, RegExp>> = {
  rule: /[^\s,]+/g,
  group: /[^,|\n\r\t]+/g,
  decoder: /[^\n\r\t]+/g,
  list: /[^\n\r\t]+/g,
  field: /[^\s,]+/g,
}

export function readNames(scanned: ScannedText, kind: FileKind): Names {
  const reader = new NameReader(scanned)
  if (kind !== 'lists') for (const element of allElements(scanned.roots)) reader.read(element)
  return reader
}

class NameReader implements Names {
  readonly places: NamePlace[] = []
  readonly rules: DefinedRule[] = []
  readonly decoders: DefinedDecoder[] = []
  readonly #scanned: ScannedText

  constructor(scanned: ScannedText) {
    this.#scanned = scanned
  }

  read(element: Element): void {
    const name = element.name.toLowerCase()
    const { parent } = element
    if (name === 'rule') this.#readRule(element)
    else if (name === 'decoder' && parent === null) this.#readDecoder(element)
    else if (name === 'group' && parent === null) {
      const attribute = attributeOf(element, 'name')
      if (attribute !== undefined) this.#addWords('group', attribute.valueStart, attribute.valueEnd, null, 'name', true)
    } else if (parent?.name.toLowerCase() === 'rule') this.#readOption(element, parent, name, IN_RULE_TAGS[name])
    else if (parent?.name.toLowerCase() === 'decoder') this.#readOption(element, parent, name, IN_DECODER_TAGS[name])
  }

  #readRule(element: Element): void {
    const id = attributeOf(element, 'id')
    if (id === undefined) return
    const text = (tag: string): string[] => childrenOf(element, tag).map((child) => textOf(this.#scanned, child))
    const words = (texts: readonly string[], pattern: RegExp): string[] => texts.flatMap((one) => one.match(pattern) ?? []).map((word) => word.trim())
    const group = element.parent?.name.toLowerCase() === 'group' ? element.parent : null
    const groupName = group === null ? '' : (attributeOf(group, 'name')?.value ?? '')
    this.rules.push({
      id: id.value,
      level: attributeOf(element, 'level')?.value ?? '',
      description: text('description').join('').trim(),
      groups: words([groupName, ...text('group')], SEPARATORS.group).filter((word) => word !== ''),
      parents: words([...text('if_sid'), ...text('if_matched_sid')], SEPARATORS.rule),
      decodedAs: text('decoded_as')[0]?.trim() ?? null,
      isOverwrite: attributeOf(element, 'overwrite')?.value === 'yes',
      element,
      group,
      idStart: id.valueStart,
      idEnd: id.valueEnd,
    })
    this.#add('rule', id.value, id.valueStart, id.valueEnd, element, 'id', true)
  }

  #readDecoder(element: Element): void {
    const name = attributeOf(element, 'name')
    if (name === undefined) return
    const text = (tag: string): string[] => childrenOf(element, tag).map((child) => textOf(this.#scanned, child).trim())
    this.decoders.push({
      name: name.value,
      parent: text('parent')[0] ?? null,
      fields: text('order').flatMap((order) => order.match(SEPARATORS.field) ?? []),
      isJson: text('plugin_decoder').some((plugin) => plugin === 'JSON_Decoder'),
      element,
      nameStart: name.valueStart,
      nameEnd: name.valueEnd,
    })
    this.#add('decoder', name.value, name.valueStart, name.valueEnd, element, 'name', true)
  }

  #readOption(element: Element, item: Element, tag: string, kind: NameKind | undefined): void {
    const field = tag === 'field' ? attributeOf(element, 'name') : tag === 'list' ? attributeOf(element, 'field') : undefined
    if (field !== undefined) this.#addWords('field', field.valueStart, field.valueEnd, item, tag, false)
    if (tag === 'description') this.#readFields(element, item)
    if (kind !== undefined && element.children.length === 0) this.#addWords(kind, element.contentStart, element.contentEnd, item, tag, DEFINING.has(tag))
  }

  /** Fields in a description: `$(name)`. */
  #readFields({ contentStart, contentEnd }: Element, item: Element): void {
    for (const match of this.#scanned.text.slice(contentStart, contentEnd).matchAll(/\$\(([^()<>\s]+)\)/g)) {
      const start = contentStart + match.index + 2
      this.#add('field', match[1], start, start + match[1].length, item, 'description', false)
    }
  }

  #addWords(kind: NameKind, from: number, to: number, item: Element | null, at: string, isDefinition: boolean): void {
    const { text, comments } = this.#scanned
    for (const match of text.slice(from, to).matchAll(SEPARATORS[kind])) {
      const trimmed = match[0].trim()
      const start = from + match.index + match[0].indexOf(trimmed)
      const comment = comments[firstCommentAfter(comments, start)]
      if (trimmed !== '' && !(comment !== undefined && comment.start < start + trimmed.length)) this.#add(kind, trimmed, start, start + trimmed.length, item, at, isDefinition)
    }
  }

  #add(kind: NameKind, name: string, start: number, end: number, item: Element | null, at: string, isDefinition: boolean): void {
    this.places.push({ kind, name, start, end, isDefinition, item, at })
  }
}

/** The name at an offset, also right behind its last letter; undefined: there is none. */
export function nameAt({ places }: Names, offset: number): NamePlace | undefined {
  return places.find(({ start, end }) => start <= offset && offset <= end)
}
