/** Compares the meaning of the rules and decoders of two contents: added and removed ones, and changed options. */
import { longestRise } from './longest-rise.js'
import type { RulesetSemantics, SemanticItem } from './semantics.js'

/** Marks a rule or decoder that changed only its position among its siblings, which are tried in order. */
const POSITION = 'position'

export interface ItemChange {
  readonly before: SemanticItem
  readonly after: SemanticItem
  /** Names of options, or `position`; sorted. */
  readonly changes: readonly string[]
}

/** Items in the load order of the content that has them. */
export interface ItemComparison {
  readonly added: readonly SemanticItem[]
  readonly removed: readonly SemanticItem[]
  readonly changed: readonly ItemChange[]
}

export interface SemanticsComparison {
  readonly rules: ItemComparison
  readonly decoders: ItemComparison
}

/** Returns the rules and decoders that were added, removed or changed between two contents. */
export function compareSemantics(before: RulesetSemantics, after: RulesetSemantics): SemanticsComparison {
  return { rules: compareItems(before.rules, after.rules), decoders: compareItems(before.decoders, after.decoders) }
}

interface Pair {
  readonly before: SemanticItem
  readonly after: SemanticItem
}

function compareItems(before: readonly SemanticItem[], after: readonly SemanticItem[]): ItemComparison {
  const pairs = pairUp(before, after)
  const kept = new Set(pairs.map((pair) => pair.before))
  const arrived = new Set(pairs.map((pair) => pair.after))
  const moved = movedPairs(pairs, before, after)
  return {
    added: after.filter((item) => !arrived.has(item)),
    removed: before.filter((item) => !kept.has(item)),
    changed: pairs.map((pair) => ({ ...pair, changes: [...changedOptions(pair), ...(moved.has(pair) ? [POSITION] : [])].sort() })).filter(({ changes }) => changes.length > 0),
  }
}

/**
 * Pairs the items of both contents. Decoder names may repeat (families, children under several roots): items with the same meaning are paired first, the
 * rest in order. The result has the order of `after`.
 */
function pairUp(before: readonly SemanticItem[], after: readonly SemanticItem[]): Pair[] {
  const nameOf = ({ name }: SemanticItem): string => name
  const namesakes = groupBy(before, nameOf)
  const pairs = new Map<SemanticItem, SemanticItem>()
  for (const [name, items] of groupBy(after, nameOf)) {
    const others = namesakes.get(name) ?? []
    if (items.length === 1 && others.length === 1) {
      pairs.set(items[0], others[0])
      continue
    }
    const left = new Set(others)
    const byMeaning = groupBy(left, meaningOf)
    const take = (item: SemanticItem, counterpart: SemanticItem | undefined): void => {
      if (counterpart === undefined) return
      pairs.set(item, counterpart)
      left.delete(counterpart)
    }
    for (const item of items) take(item, byMeaning.get(meaningOf(item))?.shift())
    for (const item of items) if (!pairs.has(item)) take(item, left.values().next().value)
  }
  return after.flatMap((item) => {
    const counterpart = pairs.get(item)
    return counterpart === undefined ? [] : [{ before: counterpart, after: item }]
  })
}

function groupBy(items: Iterable<SemanticItem>, keyOf: (item: SemanticItem) => string): Map<string, SemanticItem[]> {
  const groups = new Map<string, SemanticItem[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

function meaningOf({ options }: SemanticItem): string {
  return JSON.stringify(Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function changedOptions({ before, after }: Pair): string[] {
  if (before.options === after.options) return []
  const names = new Set([...Object.keys(before.options), ...Object.keys(after.options)])
  return [...names].filter((name) => before.options[name] !== after.options[name])
}

/** Pairs whose position among common siblings changed: the smallest set of moves that explains the new order. */
function movedPairs(pairs: readonly Pair[], before: readonly SemanticItem[], after: readonly SemanticItem[]): Set<Pair> {
  const oldPlaces = new Map(before.map((item, place) => [item, place]))
  const newPlaces = new Map(after.map((item, place) => [item, place]))
  const lists = new Map<string, Pair[]>()
  for (const pair of pairs) {
    for (const list of pair.after.siblings) {
      if (!pair.before.siblings.includes(list)) continue
      const known = lists.get(list)
      if (known === undefined) lists.set(list, [pair])
      else known.push(pair)
    }
  }
  const moved = new Set<Pair>()
  for (const list of lists.values()) {
    const inNewOrder = [...list].sort((a, b) => (newPlaces.get(a.after) ?? 0) - (newPlaces.get(b.after) ?? 0))
    const stayed = longestRise(inNewOrder.map((pair) => oldPlaces.get(pair.before) ?? 0))
    inNewOrder.forEach((pair, index) => {
      if (!stayed.has(index)) moved.add(pair)
    })
  }
  return moved
}
