/**
 * Splits the text of rules or decoders into items: rules, decoders and variables, each with its place. All other bytes (comments, white space) belong to the
 * text itself. Invariants:
 *  1. an item is one element; items do not overlap, and are in the order of the text
 *  2. a text with anything else than items and groups of them is not split: where an element belongs would be a guess
 */
import type { XmlElement } from '../xml/node.js'
import { parseElements } from '../xml/parse.js'
import { comparisonText, openingEnd } from './item-text.js'
import type { MergeItemKind } from './merge-request.js'

/** Kinds of text that have items. */
export type TextKind = 'rules' | 'decoders'

/** Kinds of items inside a text. */
export type ElementKind = Extract<MergeItemKind, 'rule' | 'decoder' | 'variable'>

/** A `<group>` of rules. Offsets are those of the text. */
export interface Group {
  readonly source: SplitText
  /** The opening tag without its notation: two groups with the same tag mean the same to their rules. */
  readonly tag: string
  /** Names of the group, separated by commas. */
  readonly name: string
  readonly start: number
  /** Offset after the opening tag. */
  readonly openEnd: number
  /** Offset of the closing tag; null: the group closes itself and cannot contain an item. */
  readonly closeStart: number | null
  readonly end: number
  readonly items: Item[]
}

/** A rule, a decoder or a variable in a text. */
export class Item {
  readonly start: number
  readonly end: number
  #text: string | null = null

  constructor(
    readonly source: SplitText,
    readonly element: XmlElement,
    readonly kind: ElementKind,
    /** Id of the rule, name of the decoder or of the variable, as a byte string. */
    readonly name: string,
    readonly group: Group | null,
  ) {
    this.start = element.start
    this.end = element.end
  }

  /** Identifies the items that are merged with each other. Names of variables ignore case (BEHAVIOUR.md#xml-variables). */
  get key(): string {
    return `${this.kind} ${this.kind === 'variable' ? this.name.toLowerCase() : this.name}`
  }

  /** The element as written. */
  get raw(): string {
    return this.source.bytes.slice(this.start, this.end)
  }

  /** The element without line ends and indentation of its notation. */
  get text(): string {
    this.#text ??= comparisonText(this.source.bytes, this.element)
    return this.#text
  }

  hasSameText(other: Item): boolean {
    return this.raw === other.raw || this.text === other.text
  }

  /** The tag of its group; empty for items without one. The group of a variable has no effect. */
  get tag(): string {
    return this.kind === 'rule' ? (this.group?.tag ?? '') : ''
  }
}

/** A text and its items. */
export interface SplitText {
  /** Path of the file; null: the text is a composed content. */
  readonly path: string | null
  readonly kind: TextKind
  readonly bytes: string
  readonly items: Item[]
  /** Groups and items outside of groups, in order. */
  readonly roots: (Group | Item)[]
}

/** Returns the items of a text, or null if it cannot be read or contains other elements. @param bytes a byte string */
export function splitText(bytes: string, kind: TextKind, path: string | null): SplitText | null {
  const outcome = parseElements(bytes)
  if (!outcome.ok) return null
  const split: SplitText = { path, kind, bytes, items: [], roots: [] }
  for (const element of outcome.document.elements) {
    const name = element.name.toLowerCase()
    const isAdded = kind === 'rules' && name === 'group' ? addGroup(split, element) : addItem(split, element, kind === 'decoders' ? 'decoder' : null, null)
    if (!isAdded) return null
  }
  return split
}

function addGroup(split: SplitText, element: XmlElement): boolean {
  const { bytes } = split
  const openEnd = openingEnd(bytes, element)
  const group: Group = {
    source: split,
    tag: element.attributes.map(({ name, value }) => `${name}=${value}`).join('\n'),
    name: element.attributes.find(({ name }) => name.toLowerCase() === 'name')?.value ?? '',
    start: element.start,
    openEnd,
    closeStart: bytes.startsWith('</', element.contentEnd) ? element.contentEnd : null,
    end: element.end,
    items: [],
  }
  split.roots.push(group)
  return element.children.every((child) => addItem(split, child, 'rule', group))
}

/** @param expected the kind of item that may be here beside variables */
function addItem(split: SplitText, element: XmlElement, expected: 'rule' | 'decoder' | null, group: Group | null): boolean {
  const tag = element.name.toLowerCase()
  const kind: ElementKind | null = tag === 'var' ? 'variable' : tag === expected ? expected : null
  if (kind === null) return false
  const attribute = element.attributes.find(({ name }) => name.toLowerCase() === (kind === 'rule' ? 'id' : 'name'))
  // A variable without a name takes that of another element (BEHAVIOUR.md#xml-variables).
  if (attribute === undefined && kind === 'variable') return false
  const written = attribute?.value ?? ''
  const item = new Item(split, element, kind, kind === 'rule' ? written.replace(/^0+(?=[0-9])/, '') : written, group)
  split.items.push(item)
  if (group === null) split.roots.push(item)
  else group.items.push(item)
  return true
}
