/**
 * Finds places for items of ours, where the usual ones would change what the content means: Wazuh drops a rule whose parent is loaded later, and does not start
 * with such a decoder.
 *
 *     ours:  100, 150 (new), 101, now a child of 150     a.xml:   100, [150], 101     150 goes before 101
 *     ours:  500, 501 (new, a child of 500)              web.xml: 500, [501]          if the file for new items is loaded before web.xml
 *     ours:  200, 101, now a child of 200                b.xml:   200, [101]          101 leaves a.xml, and its children with it
 *
 * Invariants:
 *  1. an item gets such a place only if ours has what it refers to before it: what is wrong in ours stays as it is
 *  2. an item that ours did not change moves only with what it refers to
 */
import type { Family, MemberChange } from './families.js'
import { namesOf, referencesOf } from './references.js'
import type { Group, Item, SplitText } from './split-text.js'

/** Beside an item of theirs, or at the end of the usual file of a new item. */
export type Place = { readonly beside: Item; readonly isAfter: boolean } | { readonly beside: null; readonly family: Family }

/** A new item, or one that moves. Several at one place are in their order. */
export interface PlacedItem {
  readonly item: Item
  /** Its group after the merge. */
  readonly group: Group | null
  /** Where the item was in theirs; null: it is new. */
  readonly from: Item | null
  readonly place: Place
}

/** A family with what happens to it. */
export interface DecidedFamily {
  readonly family: Family
  readonly changes: readonly MemberChange[]
}

/** Where an item is in the load order. */
interface Position {
  readonly file: number
  /** Item `i` of the file; `i + 0.25`: directly after it; `i - 0.5`: directly before it. */
  readonly slot: number
  /** The order of those with one slot. */
  readonly order: number
  readonly place: Place
}

/**
 * Returns new items and those that move, in the order of ours.
 * @param endOf returns the file of a new item, as an index in theirs; 0.5: a file that is loaded between the first and the second
 */
export function placeItems(ours: readonly SplitText[], theirs: readonly SplitText[], decided: readonly DecidedFamily[], endOf: (family: Family) => number): readonly PlacedItem[] {
  return new Placing(ours, theirs, decided, endOf).placedItems()
}

class Placing {
  readonly #ours: readonly Item[]
  readonly #positions = new Map<Item, Position>()
  readonly #endOf: (family: Family) => number
  /** The families of new items. */
  readonly #new = new Map<Item, Family>()
  /** The items of theirs that items of ours stand for. */
  readonly #counterparts = new Map<Item, Item>()
  /** Items of ours whose text or group ours changed, with the change. */
  readonly #changed = new Map<Item, Extract<MemberChange, { change: 'replaced' }>>()
  readonly #movable = new Set<Item>()
  /** From where on what a key names can be referred to. */
  readonly #defined = new Map<string, Position>()
  /** Keys of items that are new or moved. */
  readonly #unsettled = new Set<string>()
  readonly #placed: PlacedItem[] = []

  constructor(ours: readonly SplitText[], theirs: readonly SplitText[], decided: readonly DecidedFamily[], endOf: (family: Family) => number) {
    this.#ours = ours.flatMap(({ items }) => items.filter(({ kind }) => kind !== 'variable'))
    this.#endOf = endOf
    for (const [file, { items }] of theirs.entries())
      for (const [slot, item] of items.entries()) this.#positions.set(item, { file, slot, order: 0, place: { beside: item, isAfter: true } })
    for (const { family, changes } of decided) {
      this.#read(family, changes)
      this.#defineOthers(family, changes)
    }
  }

  placedItems(): readonly PlacedItem[] {
    if (this.#new.size + this.#changed.size === 0) return []
    const users = this.#firstUsers()
    for (const item of this.#ours) {
      const family = this.#new.get(item)
      this.#define(family === undefined ? this.#placeKnown(item) : this.#placeNew(item, family, users), item)
    }
    return this.#placed
  }

  #read(family: Family, changes: readonly MemberChange[]): void {
    const { ours, theirs } = family
    const replaced = new Map<Item, Extract<MemberChange, { change: 'replaced' }>>()
    for (const one of changes) {
      if (one.change === 'added') this.#new.set(one.item, family)
      else if (one.change === 'replaced') {
        replaced.set(one.at, one)
        if (one.text !== null) this.#counterparts.set(one.text, one.at)
      }
    }
    if (theirs.length > 0) for (const [index, item] of ours.entries()) if (!this.#counterparts.has(item)) this.#counterparts.set(item, theirs[Math.min(index, theirs.length - 1)])
    for (const item of ours) {
      const there = this.#counterparts.get(item)
      const change = there && replaced.get(there)
      if (change !== undefined && (change.text === null || change.text === item)) this.#changed.set(item, change)
      if (ours.length === theirs.length && changes.length === replaced.size) this.#movable.add(item)
    }
  }

  /** What ours does not have can be referred to from the beginning. */
  #defineOthers({ ours, theirs }: Family, changes: readonly MemberChange[]): void {
    if (ours.length === 0 && changes.length === 0) for (const item of theirs) this.#define(this.#positions.get(item) ?? null, item)
  }

  /** Positions of the first items of theirs that refer to new items before them in ours, by the keys of these. */
  #firstUsers(): Map<string, Position> {
    const users = new Map<string, Position>()
    const passed = new Set<string>()
    for (const item of this.#ours) {
      const there = this.#counterparts.get(item)
      const position = there && this.#positions.get(there)
      if (position !== undefined)
        for (const key of referencesOf(item)) {
          const first = users.get(key)
          if (passed.has(key) && (first === undefined || compare(position, first) < 0)) users.set(key, position)
        }
      if (this.#new.has(item)) passed.add(item.key)
    }
    return users
  }

  #placeNew(item: Item, family: Family, users: ReadonlyMap<string, Position>): Position {
    const usual: Position = { file: this.#endOf(family), slot: Number.POSITIVE_INFINITY, order: 0, place: { beside: null, family } }
    const added = { item, group: item.group, from: null }
    const user = users.get(item.key)
    const last = this.#lastOf(referencesOf(item))
    this.#unsettled.add(item.key)
    if (user !== undefined && user.place.beside !== null && compare(user, usual) < 0 && (last === null || compare(last, user) < 0))
      return this.#place(added, { file: user.file, slot: user.slot - 0.5, place: { beside: user.place.beside, isAfter: false } })
    return this.#place(added, last !== null && compare(last, usual) > 0 ? behind(last) : usual)
  }

  /** Places an item that theirs has. Null: its position is not known. */
  #placeKnown(item: Item): Position | null {
    const there = this.#counterparts.get(item)
    const position = there && this.#positions.get(there)
    if (there === undefined || position === undefined) return null
    const change = this.#changed.get(item)
    const merged = change?.text ?? there
    const references = referencesOf(merged)
    const last = this.#movable.has(item) && (change !== undefined || references.some((key) => this.#unsettled.has(key))) ? this.#lastOf(references) : null
    if (last === null || compare(last, position) < 0) return position
    this.#unsettled.add(item.key)
    return this.#place({ item: merged, group: change?.group ?? there.group, from: there }, behind(last))
  }

  #place(item: Omit<PlacedItem, 'place'>, position: Omit<Position, 'order'>): Position {
    this.#placed.push({ ...item, place: position.place })
    return { ...position, order: this.#placed.length }
  }

  /** The last position of what is referred to; null: nothing of it is known. */
  #lastOf(references: readonly string[]): Position | null {
    let last: Position | null = null
    for (const key of references) {
      const position = this.#defined.get(key)
      if (position !== undefined && (last === null || compare(position, last) > 0)) last = position
    }
    return last
  }

  #define(position: Position | null, item: Item): void {
    if (position === null) return
    for (const key of namesOf(item)) {
      const known = this.#defined.get(key)
      // The first rule of an id is the parent. A child belongs to all decoders of a name, and to all rules of a group.
      const isOne = item.kind === 'rule' && key === item.key
      if (known === undefined || (!isOne && compare(position, known) > 0)) this.#defined.set(key, position)
    }
  }
}

/** The position directly after another one. */
function behind({ file, slot, place }: Position): Omit<Position, 'order'> {
  return { file, slot: Number.isInteger(slot) ? slot + 0.25 : slot, place }
}

function compare(a: Position, b: Position): number {
  return a.file - b.file || (a.slot === b.slot ? 0 : a.slot - b.slot) || a.order - b.order
}
