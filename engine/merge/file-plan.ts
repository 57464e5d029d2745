/** The changes of one file of rules or decoders, and the text that they make. Every byte that no change concerns stays as it is. */
import { lineEndOf } from './compose.js'
import { indentationOf, reindented, reindentedGap } from './item-text.js'
import { type Group, Item, type SplitText } from './split-text.js'
import { applyEdits, isBlankLineBefore, lineStartOf, removalOf, type TextEdit } from './text-edits.js'

/** An item that goes to another place, or is new. */
export interface Arrival {
  readonly item: Item
  /** The group that it needs; null: none. */
  readonly group: Group | null
}

const INDENTATION = '  '

export class FilePlan {
  readonly #split: SplitText
  readonly #lineEnd: string
  readonly #replaced = new Map<Item, Item>()
  readonly #regrouped = new Map<Item, Group>()
  readonly #removed = new Set<Item>()
  readonly #inserted: (Arrival & { readonly at: Item; readonly isAfter: boolean })[] = []
  /** Items for a group of their own, at the end of the file. */
  readonly #appended: Arrival[] = []
  readonly #variables: Item[] = []
  /** Comments above items that the file gets. */
  readonly #comments = new Map<Item, readonly string[]>()
  readonly #edits: TextEdit[] = []
  /** Items for the last group of their tag. */
  readonly #moved: Arrival[] = []
  /** Groups in or beside which items are placed. */
  readonly #joined = new Set<Group>()
  /** Groups behind which items are inserted: what comes after these does not go into the group. */
  readonly #followed = new Set<Group>()
  /** Groups whose opening tag changes, with the new one. */
  readonly #retagged = new Map<Group, Group>()

  constructor(split: SplitText) {
    this.#split = split
    this.#lineEnd = lineEndOf(split.bytes)
  }

  get split(): SplitText {
    return this.#split
  }

  get path(): string {
    return this.#split.path ?? ''
  }

  get isChanged(): boolean {
    const { size } = this.#replaced
    return size + this.#regrouped.size + this.#removed.size + this.#inserted.length + this.#moved.length + this.#appended.length + this.#variables.length + this.#edits.length > 0
  }

  /** Whether the changes remove the last rule or decoder. Wazuh does not start with such a file (BEHAVIOUR.md#empty-files). */
  get isEmptied(): boolean {
    const hasLost = this.#split.items.some((item) => item.kind !== 'variable' && this.#removed.has(item))
    return (
      hasLost && this.#inserted.length + this.#moved.length + this.#appended.length === 0 && this.#split.items.every((item) => item.kind === 'variable' || this.#removed.has(item))
    )
  }

  /** Names of the variables that the file defines after the changes, in lower case. */
  variableNames(): Set<string> {
    return new Set(this.#split.items.flatMap((item) => (item.kind === 'variable' && !this.#removed.has(item) ? [item.name.toLowerCase()] : [])))
  }

  replace(at: Item, text: Item | null, group: Group | null): void {
    if (text !== null) this.#replaced.set(at, text)
    if (group !== null) this.#regrouped.set(at, group)
  }

  remove(at: Item): void {
    this.#replaced.delete(at)
    this.#removed.add(at)
  }

  /** Inserts an item beside another one, or into a group of its own if that has another tag. */
  insert(at: Item, isAfter: boolean, item: Item): void {
    if (item.tag === at.tag && !this.#regrouped.has(at)) this.#inserted.push({ at, isAfter, ...arrivalOf(item) })
    else this.#moved.push(arrivalOf(item))
  }

  /** Inserts an item exactly beside another one: a group with another tag is split. */
  place(at: Item, isAfter: boolean, arrival: Arrival): void {
    if (this.#regrouped.has(at)) this.#moved.push(arrival)
    else {
      this.#inserted.push({ at, isAfter, ...arrival })
      if (at.group !== null) this.#joined.add(at.group)
    }
  }

  /** Adds an item at the end: into the last group if it has the same tag, else into a group of its own. */
  append(arrival: Arrival): void {
    this.#appended.push(arrival)
  }

  /** Writes comments above an item that the file gets. */
  annotate(item: Item, comments: readonly string[]): void {
    this.#comments.set(item, [...(this.#comments.get(item) ?? []), ...comments])
  }

  /** Defines a variable before the first element. */
  define(variable: Item): void {
    this.#variables.push(variable)
  }

  /** Items of ours that the file gets. */
  *arrivals(): Generator<Item> {
    yield* this.#replaced.values()
    for (const { item } of this.#inserted) yield item
    for (const { item } of this.#moved) yield item
    for (const { item } of this.#appended) yield item
  }

  /** Items of the file that stay as they are. */
  *rest(): Generator<Item> {
    for (const item of this.#split.items) if (!this.#removed.has(item) && !this.#replaced.has(item)) yield item
  }

  /** Writes text of ours (with `\n` as line end) at an offset. */
  edit(start: number, end: number, text: string): void {
    this.#edits.push({ start, end, text: this.#adapted(text) })
  }

  /** Writes comments on lines of their own above an item or a group. */
  writeAbove({ start }: Item | Group, comments: readonly string[]): void {
    const { bytes } = this.#split
    const indentation = indentationOf(bytes, start)
    const text = comments.map((comment) => reindentedGap(comment, '', indentation ?? '')).join(`\n${indentation ?? ''}`)
    this.edit(start, start, `${text}\n${indentation ?? ''}`)
  }

  /** Writes comments on lines of their own below an item. */
  writeBelow({ start, end }: Item, comments: readonly string[]): void {
    const indentation = indentationOf(this.#split.bytes, start) ?? ''
    this.edit(end, end, comments.map((comment) => `\n${indentation}${reindentedGap(comment, '', indentation)}`).join(''))
  }

  keep(at: Item): void {
    this.#removed.delete(at)
  }

  isRemoved(at: Item): boolean {
    return this.#removed.has(at)
  }

  render(): string {
    const { bytes, roots, items } = this.#split
    for (const item of items) if (item.group === null) this.#renderItem(item)
    for (const root of roots) if (!(root instanceof Item)) this.#renderGroup(root)
    this.#renderInserted()
    const tail: string[] = []
    if (this.#moved.length > 0) this.#renderAdded(this.#moved, this.#groupsByTag(roots), tail)
    this.#renderAdded(this.#appended, tail.length === 0 ? this.#groupsByTag(roots.slice(-1)) : new Map(), tail)
    this.#renderVariables()
    const edited = applyEdits(bytes, this.#edits)
    return tail.length === 0 ? edited : this.#withTail(edited, tail)
  }

  #adapted(text: string): string {
    const plain = text.replaceAll('\r\n', '\n')
    return this.#lineEnd === '\n' ? plain : plain.replaceAll('\n', this.#lineEnd)
  }

  /** The last group of each tag to which items can be added. */
  #groupsByTag(roots: readonly (Group | Item)[]): Map<string, OpenGroup> {
    const groups = new Map<string, OpenGroup>()
    for (const root of roots) if (isOpenGroup(root) && !this.#isEmptied(root) && !this.#followed.has(root)) groups.set((this.#retagged.get(root) ?? root).tag, root)
    return groups
  }

  #renderItem(item: Item): void {
    const { bytes } = this.#split
    const text = this.#replaced.get(item)
    if (this.#removed.has(item)) this.#edits.push(removalOf(bytes, item.start, item.end))
    else if (text !== undefined) this.edit(item.start, item.end, reindented(text.source.bytes, text.element, indentationOf(bytes, item.start) ?? ''))
  }

  #renderGroup(group: Group): void {
    const { bytes } = this.#split
    const staying = group.items.filter((item) => !this.#removed.has(item))
    const wanted = staying.length === 0 ? undefined : this.#regrouped.get(staying[0])
    if (wanted !== undefined && staying.every((item) => this.#regrouped.get(item)?.tag === wanted.tag)) {
      this.#retagged.set(group, wanted)
      this.edit(group.start, group.openEnd, openingOf(wanted))
    } else {
      for (const item of staying) {
        const target = this.#regrouped.get(item)
        if (target === undefined) continue
        this.#moved.push({ item: this.#replaced.get(item) ?? item, group: target })
        this.#removed.add(item)
      }
    }
    if (this.#isEmptied(group)) this.#edits.push(removalOf(bytes, group.start, group.end))
    else for (const item of group.items) this.#renderItem(item)
  }

  /** Whether the changes leave nothing in a group that had items. Comments in it stay, with the group. */
  #isEmptied(group: Group): boolean {
    const { items, openEnd, closeStart } = group
    if (items.length === 0 || !items.every((item) => this.#removed.has(item)) || this.#joined.has(group)) return false
    const { bytes } = this.#split
    let at = openEnd
    for (const item of items) {
      if (bytes.slice(at, item.start).trim() !== '') return false
      at = item.end
    }
    return bytes.slice(at, closeStart ?? at).trim() === ''
  }

  /** Writes inserted items: into the group of the item beside them, or in groups of their own if one of them needs another. */
  #renderInserted(): void {
    const places = new Map<Item, { readonly before: Arrival[]; readonly after: Arrival[] }>()
    for (const { at, isAfter, item, group } of this.#inserted) {
      const place = places.get(at) ?? { before: [], after: [] }
      places.set(at, place)
      place[isAfter ? 'after' : 'before'].push({ item, group })
    }
    for (const [at, { before, after }] of places) {
      for (const [arrivals, isAfter] of [
        [before, false],
        [after, true],
      ] as const) {
        if (arrivals.some(({ group }) => (group?.tag ?? '') !== at.tag)) this.#renderBeside(at, isAfter, arrivals)
        else for (const { item } of arrivals) this.#renderInGroupOf(at, isAfter, item)
      }
    }
  }

  #renderInGroupOf(at: Item, isAfter: boolean, item: Item): void {
    const { bytes } = this.#split
    const indentation = indentationOf(bytes, at.start) ?? ''
    const isSpaced = isBlankLineBefore(bytes, lineStartOf(bytes, at.start))
    const text = this.#indented(item, indentation)
    const space = isSpaced ? '\n\n' : '\n'
    if (isAfter) this.edit(at.end, at.end, space + text)
    else this.edit(lineStartOf(bytes, at.start), lineStartOf(bytes, at.start), text + space)
  }

  /** Writes items in groups of their own beside the group of another item, or into that group, which continues after them. */
  #renderBeside(at: Item, isAfter: boolean, arrivals: readonly Arrival[]): void {
    const { bytes } = this.#split
    const { group } = at
    const texts: string[] = []
    this.#renderAdded(arrivals, new Map(), texts)
    const text = texts.join('\n\n')
    const isSplit = group !== null && group.items.at(isAfter ? -1 : 0) !== at
    const { start, end } = isSplit || group === null ? at : group
    const [before, next] = isSplit ? ['</group>\n\n', `\n\n${openingOf(group)}`] : ['', '']
    if (isAfter && !isSplit && group !== null) this.#followed.add(group)
    if (isAfter) this.edit(end, end, `\n${isSplit ? '' : '\n'}${before}${text}${next}`)
    else this.edit(lineStartOf(bytes, start), lineStartOf(bytes, start), `${before}${text}${next}\n${isSplit ? '' : '\n'}`)
  }

  /** Writes items into the groups of their tags, up to the first without one: from there on they go to the end of the file, in groups of their own. */
  #renderAdded(added: readonly Arrival[], groups: ReadonlyMap<string, OpenGroup>, tail: string[]): void {
    let tag: string | null = null
    let texts: string[] = []
    let isBehind = false
    const close = (): void => {
      if (tag !== null) tail.push(`${texts.join('\n')}\n</group>`)
      tag = null
    }
    for (const { item, group } of added) {
      const target: OpenGroup | undefined = group === null || isBehind ? undefined : groups.get(group.tag)
      isBehind ||= target === undefined
      if (group === null) {
        close()
        tail.push(this.#indented(item, ''))
      } else if (target !== undefined) this.#renderInGroup(target, item)
      else {
        if (tag === group.tag) texts.push('')
        else {
          close()
          tag = group.tag
          texts = [openingOf(group)]
        }
        texts.push(this.#indented(item, INDENTATION))
      }
    }
    close()
  }

  #renderInGroup(group: OpenGroup, item: Item): void {
    const { bytes } = this.#split
    const outer = indentationOf(bytes, group.closeStart)
    const last = group.items.at(-1)
    const inner = (last === undefined ? null : indentationOf(bytes, last.start)) ?? (outer ?? '') + INDENTATION
    const isSpaced = last !== undefined && isBlankLineBefore(bytes, lineStartOf(bytes, last.start))
    const text = this.#indented(item, inner)
    if (outer === null) this.edit(group.closeStart, group.closeStart, `\n${text}\n`)
    else {
      const at = group.closeStart - outer.length
      this.edit(at, at, `${isSpaced && !isBlankLineBefore(bytes, at) ? '\n' : ''}${text}\n`)
    }
  }

  #renderVariables(): void {
    if (this.#variables.length === 0) return
    const { bytes, roots } = this.#split
    const before = roots.find((root) => !(root instanceof Item) || root.kind !== 'variable')
    const at = before === undefined ? bytes.length : lineStartOf(bytes, before.start)
    const isEnded = at === 0 || at < bytes.length || bytes.endsWith('\n')
    this.edit(at, at, `${isEnded ? '' : '\n'}${this.#variables.map((variable) => `${reindented(variable.source.bytes, variable.element, '')}\n`).join('')}`)
  }

  /** The item with its comments, for a line of its own. */
  #indented(item: Item, indentation: string): string {
    const comments = this.#comments.get(item) ?? []
    const text = reindented(item.source.bytes, item.element, indentation)
    return [...comments.map((comment) => reindentedGap(comment, '', indentation)), text].map((part) => indentation + part).join('\n')
  }

  /** Appends groups and items, separated by empty lines. A file without a last line end gets none. */
  #withTail(edited: string, tail: readonly string[]): string {
    const added = this.#adapted(tail.join('\n\n'))
    if (edited.trim() === '') return edited.trimEnd() + added + this.#lineEnd
    const isEnded = edited.endsWith('\n')
    return `${edited}${isEnded ? '' : this.#lineEnd}${this.#lineEnd}${added}${isEnded ? this.#lineEnd : ''}`
  }
}

type OpenGroup = Group & { readonly closeStart: number }

function isOpenGroup(root: Group | Item): root is OpenGroup {
  return !(root instanceof Item) && root.closeStart !== null
}

function openingOf({ source, start, openEnd }: Group): string {
  return source.bytes.slice(start, openEnd)
}

function arrivalOf(item: Item): Arrival {
  return { item, group: item.kind === 'rule' ? item.group : null }
}
