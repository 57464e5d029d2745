/**
 * The rule tree (BEHAVIOUR.md#rule-placement): top-level placements, with children ordered by descending level. A rule is placed once, below rules
 * that are already placed. A layer starts from the tree of its base and copies only the path down to what it changes. All layers on a base
 * share its rules.
 */
import { FREQUENCY_MINIMUM } from './attributes.js'
import type { CompiledRule, RuleNode } from './compiled-rule.js'
import { foldCase } from '../source/byte-string.js'
import type { RuleDefinition } from './rule.js'

/** Ids below this are always top-level (BEHAVIOUR.md#rule-placement). */
export const TOP_LEVEL_IDS = 10

/** In a survey: the placeholder above rules whose place is unknown. Rule ids have at most six digits, so the id is free. */
export const UNPLACED_ID = 1_000_000
/** In a survey: first id for rules that have no usable id. */
export const STAND_IN_IDS = UNPLACED_ID + 1

/** Rank of level 0 (BEHAVIOUR.md#sibling-order), the highest of all. It bounds the ranks that can be searched for. */
const HIGHEST_RANK = 9900

/**
 * Maximum number of placements in a tree. The stock ruleset has 9,000, the largest known ruleset 93,000. A rule under `if_group` can double the
 * number, so thirty short rules could exhaust the memory. This many placements take about 100 MB.
 */
export const PLACEMENTS_LIMIT = 500_000

/**
 * Maximum number of entries in `Wiring.feeds`. The stock ruleset has 250. Every composite on a group adds one for each rule of the group, so
 * 10,000 composites on a group of 10,000 rules would add 100 million. This many entries take about 100 MB.
 */
export const FEEDS_LIMIT = 2_000_000

/** Histories that composites search, wired while loading (BEHAVIOUR.md#histories). A layer shares the wiring of its base until it adds to it. */
interface Wiring {
  /** Indexes of rules whose events are remembered for an `if_matched_sid`. */
  matched: ReadonlySet<number>
  /** For each rule index: the composites whose group history it feeds, and how often per event (once per placement). */
  feeds: ReadonlyMap<number, Feeds>
}

type Feeds = readonly { readonly composite: number; readonly times: number }[]

/** A map layered on another map, which it does not change. */
class LayeredMap<K, V> implements Iterable<[K, V]> {
  readonly #base: LayeredMap<K, V> | null
  readonly #own = new Map<K, V>()

  constructor(base: LayeredMap<K, V> | null) {
    this.#base = base
  }

  get(key: K): V | undefined {
    return this.#own.get(key) ?? this.#base?.get(key)
  }

  getOwn(key: K): V | undefined {
    return this.#own.get(key)
  }

  set(key: K, value: V): void {
    this.#own.set(key, value)
  }

  own(): Iterable<V> {
    return this.#own.values()
  }

  *[Symbol.iterator](): Iterator<[K, V]> {
    if (this.#base !== null) for (const entry of this.#base) if (!this.#own.has(entry[0])) yield entry
    yield* this.#own
  }
}

/** Builds a tree rule by rule, from a base or from nothing. The finished builder is the tree. */
export class RuleTree {
  readonly top: RuleNode[]
  readonly wiring: Wiring
  /** Number of rules placed so far, which is also the next free index. */
  ruleCount: number
  /** Number of placements so far. */
  nodeCount: number
  /** Number of entries in `wiring.feeds` so far. */
  feedCount: number
  /** A rule exceeded a limit; all later rules are left out. */
  isFull: boolean
  /** Largest `frequency - 2` of all rules, overwritten ones included (BEHAVIOUR.md#event-memory). */
  largestFrequency: number
  readonly #rules: LayeredMap<number, CompiledRule>
  readonly #nodes: LayeredMap<number, RuleNode[]>
  /** Nodes that this layer created and may therefore change. */
  readonly #own = new Set<RuleNode>()
  /** Copies of this layer by the base node that they replace. */
  readonly #copies: LayeredMap<RuleNode, RuleNode>
  /** The ids found so far for each `if_group` text. Equal texts search only the rules added since. */
  readonly #groupSearches = new Map<string, { upTo: number; found: number[] }>()
  /** Ids of the rules so far by their group string. Created on first use. */
  #idsByGroups: { upTo: number; readonly ids: Map<string, Set<number>> } | null = null
  /** The ids found so far for each rank that an `if_level` searches for. */
  readonly #rankSearches = new Map<number, { upTo: number; found: number[] }>()
  /** Rules of this layer. `#allInOrder` adds those of the base once a placement needs them; later readers concatenate each time. */
  readonly #ownInOrder: CompiledRule[] = []
  #allInOrder: CompiledRule[] | null
  /** What `inOrder` returned, of a tree without a base: its layers copy it, which takes a tenth of the time. */
  #latestInOrder: readonly CompiledRule[] | null = null
  readonly #base: RuleTree | null
  /** Every list of siblings is sorted by descending rank. An overwrite that changes a rank ends this, because it moves no rule. */
  #isOrdered: boolean
  /** Created when this layer first adds to the wiring. */
  #ownMatched: Set<number> | null = null
  #ownFeeds: Map<number, Feeds> | null = null
  /** Lists in `#ownFeeds` that this layer created and may therefore extend. */
  readonly #ownFeedLists = new Map<number, { readonly composite: number; readonly times: number }[]>()

  constructor(base: RuleTree | null = null) {
    this.top = [...(base?.top ?? [])]
    this.#base = base
    this.#isOrdered = base === null || base.#isOrdered
    this.wiring = { matched: base?.wiring.matched ?? new Set(), feeds: base?.wiring.feeds ?? new Map() }
    this.ruleCount = base?.ruleCount ?? 0
    this.nodeCount = base?.nodeCount ?? 0
    this.feedCount = base?.feedCount ?? 0
    this.isFull = base?.isFull ?? false
    this.largestFrequency = base?.largestFrequency ?? 0
    this.#rules = new LayeredMap(base === null ? null : base.#rules)
    this.#nodes = new LayeredMap(base === null ? null : base.#nodes)
    this.#copies = new LayeredMap(base === null ? null : base.#copies)
    this.#allInOrder = base === null ? this.#ownInOrder : null
  }

  /** The rule of an id in this tree. */
  find(id: number): CompiledRule | undefined {
    return this.#rules.get(id)
  }

  /** Rules in the order in which they were first placed. */
  inOrder(): readonly CompiledRule[] {
    if (this.#latestInOrder !== null) return this.#latestInOrder
    const all = [...(this.#base?.inOrder() ?? []), ...this.#ownInOrder]
    // The current rule of each id has the index of the first one.
    for (const rule of this.#rules.own()) all[rule.index] = rule
    if (this.#base === null) this.#latestInOrder = all
    return all
  }

  /** Definitions as first read, in the same order, before any overwrite. */
  originals(): readonly RuleDefinition[] {
    const own = this.#ownInOrder.map(({ definition }) => definition)
    return this.#base === null ? own : [...this.#base.originals(), ...own]
  }

  get #inOrder(): readonly CompiledRule[] {
    this.#allInOrder ??= [...(this.#base === null ? [] : this.#base.#inOrder), ...this.#ownInOrder]
    return this.#allInOrder
  }

  /** The placements of the rules of an id in this tree. */
  placements(id: number): readonly RuleNode[] {
    return (this.#nodes.get(id) ?? []).map((node) => this.#current(node))
  }

  /** The parent of a node in this tree; null at the top. A node of the base refers to its parent in the base, which may have a copy here. */
  parentOf(node: RuleNode): RuleNode | null {
    return this.#parent(node)
  }

  /** Registers a rule after it was placed. */
  register(rule: CompiledRule): void {
    this.#latestInOrder = null
    this.largestFrequency = Math.max(this.largestFrequency, (rule.definition.frequency ?? FREQUENCY_MINIMUM) - 2)
    const known = this.#rules.get(rule.id)
    if (known !== undefined) {
      this.#groupSearches.clear()
      this.#rankSearches.clear()
      this.#idsByGroups = null
    }
    if (rule.index === this.ruleCount) {
      // A repeated top-level id adds a rule to the first one, of which only this list still has the current form.
      const at = (known?.index ?? -1) - (this.#base?.ruleCount ?? 0)
      if (known !== undefined && at >= 0) this.#ownInOrder[at] = known
      this.#ownInOrder.push(rule)
      if (this.#base !== null) this.#allInOrder?.push(rule)
      this.ruleCount++
    }
    this.#rules.set(rule.id, rule)
  }

  /** Places a rule at the top. */
  addTop(rule: CompiledRule): void {
    this.#insert(this.top, null, rule)
  }

  /** Places a rule below each of the parents. Parents that belong to the base are copied first. */
  addBelow(parents: readonly RuleNode[], rule: CompiledRule): void {
    for (const parent of parents) {
      const own = this.#ownNode(parent)
      this.#insert(own.children, own, rule)
    }
  }

  /**
   * Placements of an id that an `if_sid` reaches (BEHAVIOUR.md#rule-placement). The search stops in a sibling list at its first hit, so it misses later
   * hits in that list and everything below later siblings.
   */
  reachable(id: number): RuleNode[] {
    const nodes = this.placements(id)
    if (nodes.length < 2) return [...nodes]
    const order = this.#siblingOrder()
    const hits = new Map<RuleNode | null, RuleNode>()
    for (const node of nodes) {
      const list = this.#parent(node)
      const hit = hits.get(list)
      if (hit === undefined || order(node, hit) < 0) hits.set(list, node)
    }
    const first = nodes.filter((node) => hits.get(this.#parent(node)) === node)
    // A hit without children at the end of its list hides nothing. That is the usual case, so these lists need no check.
    for (const [list, hit] of hits) if (hit.children.length === 0 && (list?.children ?? this.top).at(-1) === hit) hits.delete(list)
    if (hits.size === 0) return first
    return first.filter((node) => {
      let parent = this.#parent(node)
      // All ancestors of a node that this layer created were created by it too.
      let isOwn = this.#own.has(node)
      for (let at = parent; at !== null; at = parent) {
        isOwn ||= this.#own.has(at)
        parent = isOwn ? at.parent : this.#parent(at)
        const hit = hits.get(parent)
        if (hit !== undefined && order(at, hit) >= 0) return false
      }
      return true
    })
  }

  /** Compares siblings by position. Sorted lists compare by rank, without an index of positions: a tree can have thousands of siblings at each of its levels. */
  #siblingOrder(): (a: RuleNode, b: RuleNode) => number {
    if (this.#isOrdered) return (a, b) => b.rule.rank - a.rule.rank || a.order - b.order
    const lists = new Map<RuleNode[], Map<RuleNode, number>>()
    return (a, b) => {
      const siblings = this.#siblings(a)
      let positions = lists.get(siblings)
      if (positions === undefined) lists.set(siblings, (positions = new Map(siblings.map((node, position) => [node, position]))))
      return (positions.get(a) as number) - (positions.get(b) as number)
    }
  }

  /** Placements of all rules whose group string contains one of the alternatives (`^` = at its start), ignoring case. */
  withGroup(pattern: string, exceptId: number): RuleNode[] {
    const alternatives = foldCase(pattern).split('|')
    const isIn = (groupText: string): boolean => alternatives.some((word) => (word.startsWith('^') ? groupText.startsWith(word.slice(1)) : word !== '' && groupText.includes(word)))
    const matches = ({ groupText }: CompiledRule): boolean => isIn(groupText)
    const all = this.#inOrder
    let search = this.#groupSearches.get(pattern)
    if (search === undefined) search = { upTo: all.length, found: this.#idsWith((groups) => isIn(foldCase(groups))) }
    for (; search.upTo < all.length; search.upTo++) {
      const { id } = all[search.upTo]
      if (this.#rulesOf(id).some(matches)) search.found.push(id)
    }
    this.#groupSearches.set(pattern, search)
    return search.found.filter((id) => id !== exceptId).flatMap((id) => (id < TOP_LEVEL_IDS ? this.placements(id).filter((node) => matches(node.rule)) : this.placements(id)))
  }

  /** Placements of all rules of at least the given rank. */
  withRank(rank: number, exceptId: number): RuleNode[] {
    if (rank > HIGHEST_RANK) return []
    const search = this.#rankSearches.get(rank) ?? { upTo: 0, found: [] }
    const all = this.#inOrder
    for (; search.upTo < all.length; search.upTo++) {
      const { id } = all[search.upTo]
      if (id < TOP_LEVEL_IDS && search.found.includes(id)) continue
      if (this.#rulesOf(id).some((rule) => rule.rank >= rank)) search.found.push(id)
    }
    this.#rankSearches.set(rank, search)
    return search.found.flatMap((id) => (id === exceptId ? [] : this.placements(id).filter((node) => node.rule.rank >= rank)))
  }

  /** Ids of rules whose group string passes the test, in order. Many rules share a group string, so each distinct string is tested once. */
  #idsWith(passes: (groups: string) => boolean): number[] {
    const all = this.#inOrder
    this.#idsByGroups ??= { upTo: 0, ids: new Map() }
    for (; this.#idsByGroups.upTo < all.length; this.#idsByGroups.upTo++) {
      const { id } = all[this.#idsByGroups.upTo]
      for (const { definition } of this.#rulesOf(id)) this.#noteGroups(id, definition.groups)
    }
    const found = new Set<number>()
    for (const [groups, ids] of this.#idsByGroups.ids) if (passes(groups)) for (const id of ids) found.add(id)
    const indexOf = (id: number): number => (this.#rules.get(id) as CompiledRule).index
    return [...found].sort((a, b) => indexOf(a) - indexOf(b))
  }

  #noteGroups(id: number, groups: string): void {
    const ids = this.#idsByGroups?.ids.get(groups)
    if (ids === undefined) this.#idsByGroups?.ids.set(groups, new Set([id]))
    else ids.add(id)
  }

  /** Updates the index after the groups of a placed rule changed. */
  #changeGroups(id: number, before: string, after: string): void {
    if (this.#idsByGroups === null) return
    if (id < TOP_LEVEL_IDS) {
      this.#idsByGroups = null
      return
    }
    const ids = this.#idsByGroups.ids.get(before)
    // Rules that are not indexed yet are indexed later, with their groups of that time.
    if (ids === undefined || !ids.delete(id)) return
    if (ids.size === 0) this.#idsByGroups.ids.delete(before)
    this.#noteGroups(id, after)
  }

  /** The rules of an id. There is one, except for a top-level id: declaring it again adds a rule instead of replacing one. */
  #rulesOf(id: number): readonly CompiledRule[] {
    return id < TOP_LEVEL_IDS ? this.placements(id).map((node) => node.rule) : [this.#rules.get(id) as CompiledRule]
  }

  /** Replaces the rule of the same id; placements, order and children stay. */
  replace(rule: CompiledRule): void {
    this.#latestInOrder = null
    this.largestFrequency = Math.max(this.largestFrequency, (rule.definition.frequency ?? FREQUENCY_MINIMUM) - 2)
    for (const node of this.placements(rule.id)) {
      // A repeated top-level id has several rules.
      if (node.rule.index !== rule.index) continue
      if (node.rule.rank !== rule.rank) {
        this.#isOrdered = false
        this.#rankSearches.clear()
      }
      this.#ownNode(node).rule = rule
    }
    const before = this.#rules.get(rule.id)?.definition.groups
    // A repeated top-level id may have other groups at each placement, and all of them are replaced.
    if (before !== undefined && (before !== rule.definition.groups || rule.id < TOP_LEVEL_IDS)) {
      this.#groupSearches.clear()
      this.#changeGroups(rule.id, before, rule.definition.groups)
    }
    this.#rules.set(rule.id, rule)
  }

  /**
   * Takes the placements of a rule, each with all below it, to where they would be had the rule been loaded with its current rank, and below another parent.
   * The caller has made sure that no overwrite has changed the rank of a sibling.
   * @param parent null: each stays below its own
   */
  resettle(id: number, parent: RuleNode | null): void {
    for (const node of this.placements(id)) {
      const own = this.#ownNode(node)
      const from = own.parent?.children ?? this.top
      from.splice(from.indexOf(own), 1)
      if (parent !== null) own.parent = this.#ownNode(parent)
      const to = own.parent?.children ?? this.top
      const { rank } = own.rule
      const at = to.findIndex(({ rule, order }) => rule.rank < rank || (rule.rank === rank && order > own.order))
      to.splice(at < 0 ? to.length : at, 0, own)
      if (own.parent !== null) own.parent.candidates = null
    }
  }

  /** Makes a session remember the events of this rule. Returns the rule, or null when the id has none. */
  wireMatched(id: number): CompiledRule | null {
    const rule = this.#rules.get(id)
    if (rule === undefined) return null
    if (this.#ownMatched === null) {
      this.#ownMatched = new Set(this.wiring.matched)
      this.wiring.matched = this.#ownMatched
    }
    this.#ownMatched.add(rule.index)
    return rule
  }

  /** Makes every current placement of a rule that passes the test feed the composite. */
  wireGroup(composite: number, test: (groups: string) => boolean): void {
    // Many rules share a group string.
    const known = new Map<string, boolean>()
    const passes = (groups: string): boolean => {
      let result = known.get(groups)
      if (result === undefined) known.set(groups, (result = test(groups)))
      return result
    }
    // Rules with equal numbers of placements share one entry.
    let feed = { composite, times: 1 }
    for (const { id, index } of this.#idsWith(passes).flatMap((found) => this.#rulesOf(found))) {
      const times = this.placements(id).filter((node) => node.rule.index === index && passes(node.rule.definition.groups)).length
      if (times === 0) continue
      if (this.#ownFeeds === null) {
        this.#ownFeeds = new Map(this.wiring.feeds)
        this.wiring.feeds = this.#ownFeeds
      }
      let feeds = this.#ownFeedLists.get(index)
      if (feeds === undefined) {
        feeds = [...(this.#ownFeeds.get(index) ?? [])]
        this.#ownFeedLists.set(index, feeds)
        this.#ownFeeds.set(index, feeds)
      }
      if (feed.times !== times) feed = { composite, times }
      feeds.push(feed)
      this.feedCount++
    }
  }

  /** The copy that replaces a base node in this layer, or the node itself. */
  #current(node: RuleNode): RuleNode {
    let current = node
    for (let next = this.#copies.get(current); next !== undefined; next = this.#copies.get(current)) current = next
    return current
  }

  #parent(node: RuleNode): RuleNode | null {
    return node.parent === null ? null : this.#current(node.parent)
  }

  #siblings(node: RuleNode): RuleNode[] {
    return this.#parent(node)?.children ?? this.top
  }

  /** The node itself when this layer created it; else a copy that replaces it. The path above it is copied too. */
  #ownNode(node: RuleNode): RuleNode {
    let own: RuleNode | null = this.#current(node)
    const shared: RuleNode[] = []
    for (; own !== null && !this.#own.has(own); own = this.#parent(own)) shared.push(own)
    for (const current of shared.reverse()) {
      const copy: RuleNode = { rule: current.rule, parent: own, children: [...current.children], order: current.order, candidates: null }
      const siblings: RuleNode[] = own?.children ?? this.top
      siblings[siblings.indexOf(current)] = copy
      this.#copies.set(current, copy)
      this.#own.add(copy)
      own = copy
    }
    return own as RuleNode
  }

  /** Inserts before the first sibling of a lower rank, or at the end. */
  #insert(siblings: RuleNode[], parent: RuleNode | null, rule: CompiledRule): void {
    const node: RuleNode = { rule, parent, children: [], order: this.nodeCount++, candidates: null }
    this.#own.add(node)
    siblings.splice(this.#isOrdered ? searchOrdered(siblings, rule.rank) : search(siblings, rule.rank), 0, node)
    if (parent !== null) parent.candidates = null
    const own = this.#nodes.getOwn(rule.id)
    if (own === undefined) this.#nodes.set(rule.id, [...(this.#nodes.get(rule.id) ?? []), node])
    else own.push(node)
  }
}

/** Index of the first node of a lower rank, or the length when there is none. */
function search(siblings: readonly RuleNode[], rank: number): number {
  let at = 0
  while (at < siblings.length && siblings[at].rule.rank >= rank) at++
  return at
}

/** Same as `search` for a sorted list, by bisection: a rule may have thousands of children. */
function searchOrdered(siblings: readonly RuleNode[], rank: number): number {
  let low = 0
  let high = siblings.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (siblings[middle].rule.rank >= rank) low = middle + 1
    else high = middle
  }
  return low
}
