/**
 * The rule tree (BEHAVIOUR.md#rule-placement): top-level placements, children ordered by descending level. Rules are placed once, below rules
 * already placed. A layer starts from the tree of its base and copies only the way down to what it changes, so that base rules are
 * shared by all the layers on top of them.
 */
import { FREQUENCY_MINIMUM } from './attributes.js'
import type { CompiledRule, RuleNode } from './compiled-rule.js'
import type { RuleDefinition } from './rule.js'

/** Ids below this are always top-level (BEHAVIOUR.md#rule-placement). */
export const TOP_LEVEL_IDS = 10

/** Of a survey: the rule that stands above those whose place is not known. No rule has an id of seven digits. */
export const UNPLACED_ID = 1_000_000
/** Of a survey: rules without an id of their own have one from here on. */
export const STAND_IN_IDS = UNPLACED_ID + 1

/** Of level 0 (BEHAVIOUR.md#sibling-order). No rule has a higher one, and so the ranks that can be asked for are few. */
const HIGHEST_RANK = 9900

/**
 * Placements of a tree. The stock ruleset has 9,000, and the largest that is known 93,000; a rule under `if_group` can double them, so that thirty short
 * rules would take all memory. At this number they take about 100 MB.
 */
export const PLACEMENTS_LIMIT = 500_000

/**
 * Entries of `Wiring.feeds`. The stock ruleset has 250; every composite on a group adds as many as the group has rules, so that 10,000 on one
 * of 10,000 would make 100 million. So many take about 100 MB, with what is found out about them.
 */
export const FEEDS_LIMIT = 2_000_000

/** Who counts what: histories that composites search, wired while loading (BEHAVIOUR.md#histories). A layer shares that of its base until it adds to it. */
interface Wiring {
  /** Indexes of rules whose events are remembered for some `if_matched_sid`. */
  matched: ReadonlySet<number>
  /** For each rule index: the composites whose group history it feeds, and how often per event (once per placement). */
  feeds: ReadonlyMap<number, Feeds>
}

type Feeds = readonly { readonly composite: number; readonly times: number }[]

/** A map on top of another one that it does not change. */
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

  *[Symbol.iterator](): Iterator<[K, V]> {
    if (this.#base !== null) for (const entry of this.#base) if (!this.#own.has(entry[0])) yield entry
    yield* this.#own
  }
}

/** Builds a tree, rule by rule, on top of a base or from nothing. When no more is added it is the tree. */
export class RuleTree {
  readonly top: RuleNode[]
  readonly wiring: Wiring
  /** Rules placed so far, which is also the next free index. */
  ruleCount: number
  /** Placements so far. */
  nodeCount: number
  /** Entries of `wiring.feeds` so far. */
  feedCount: number
  /** A rule found no room: those after it are left out. */
  isFull: boolean
  /** Largest `frequency - 2` of all rules, overwritten ones included (BEHAVIOUR.md#event-memory). */
  largestFrequency: number
  readonly #rules: LayeredMap<number, CompiledRule>
  readonly #nodes: LayeredMap<number, RuleNode[]>
  /** Nodes that this layer made, and may therefore change. */
  readonly #own = new Set<RuleNode>()
  /** Base nodes and the copies that took their place. */
  readonly #copies: LayeredMap<RuleNode, RuleNode>
  /** For each `if_group` text: the ids found so far, so that equal texts search only what was added since. */
  readonly #groupSearches = new Map<string, { upTo: number; found: number[] }>()
  /** Rules so far by their group string, made when somebody asks. */
  #idsByGroups: { upTo: number; readonly ids: Map<string, Set<number>> } | null = null
  /** The ids found so far for each rank that an `if_level` asks for. */
  readonly #rankSearches = new Map<number, { upTo: number; found: number[] }>()
  /** Those of this layer, and all of them once placing a rule has asked for them: what is asked later is put together each time. */
  readonly #ownInOrder: CompiledRule[] = []
  #allInOrder: CompiledRule[] | null
  readonly #base: RuleTree | null
  /** In every list of siblings the rank falls; until an overwrite changes a rank, as that changes no order. */
  #isOrdered: boolean
  /** Made when this layer first adds to the wiring. */
  #ownMatched: Set<number> | null = null
  #ownFeeds: Map<number, Feeds> | null = null
  /** Lists in it that this layer made, and may therefore add to. */
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

  /** The rule of an id that is in the tree. */
  find(id: number): CompiledRule | undefined {
    return this.#rules.get(id)
  }

  /** Rules in the order in which they were first placed. */
  inOrder(): readonly CompiledRule[] {
    const all = this.#allInOrder ?? [...(this.#base as RuleTree).inOrder(), ...this.#ownInOrder]
    return all.map(({ id }) => this.#rules.get(id) as CompiledRule)
  }

  /** Their definitions as they were first read, in the same order: what an overwrite took the place of. */
  originals(): readonly RuleDefinition[] {
    const own = this.#ownInOrder.map(({ definition }) => definition)
    return this.#base === null ? own : [...this.#base.originals(), ...own]
  }

  get #inOrder(): readonly CompiledRule[] {
    this.#allInOrder ??= [...(this.#base === null ? [] : this.#base.#inOrder), ...this.#ownInOrder]
    return this.#allInOrder
  }

  /** Where the rules of an id stand in this tree. */
  placements(id: number): readonly RuleNode[] {
    return (this.#nodes.get(id) ?? []).map((node) => this.#current(node))
  }

  /** The node above, as it is in this tree: a node of the base still names the one of the base. Null at the top. */
  parentOf(node: RuleNode): RuleNode | null {
    return this.#parent(node)
  }

  /** Makes a rule known, once it has a place. */
  register(rule: CompiledRule): void {
    this.largestFrequency = Math.max(this.largestFrequency, (rule.definition.frequency ?? FREQUENCY_MINIMUM) - 2)
    if (this.#rules.get(rule.id) === undefined) {
      this.#ownInOrder.push(rule)
      if (this.#base !== null) this.#allInOrder?.push(rule)
      this.ruleCount++
    } else {
      this.#groupSearches.clear()
      this.#rankSearches.clear()
      this.#idsByGroups = null
    }
    this.#rules.set(rule.id, rule)
  }

  /** Places a rule at the top. */
  addTop(rule: CompiledRule): void {
    this.#insert(this.top, null, rule)
  }

  /** Places a rule below each of these, which may be of the base: their copies take it. */
  addBelow(parents: readonly RuleNode[], rule: CompiledRule): void {
    for (const parent of parents) {
      const own = this.#ownNode(parent)
      this.#insert(own.children, own, rule)
    }
  }

  /**
   * Placements of an id that an `if_sid` reaches (BEHAVIOUR.md#rule-placement): searching stops in a sibling list at the first hit, so later hits of the same
   * list, and those below its later siblings, are left out.
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
    // Most hits have nothing behind them in their list, nor below them, that they could keep out: they need not be looked for above others.
    for (const [list, hit] of hits) if (hit.children.length === 0 && (list?.children ?? this.top).at(-1) === hit) hits.delete(list)
    if (hits.size === 0) return first
    return first.filter((node) => {
      let parent = this.#parent(node)
      // Above a node that this layer made there are only such nodes.
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

  /** Compares siblings by their places. Where ranks fall all the way these need not be looked for: there may be thousands of siblings, at each of a thousand levels. */
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

  /** Placements of all rules whose group string holds one of the alternatives (`^` = at its start), any case. */
  withGroup(pattern: string, exceptId: number): RuleNode[] {
    const alternatives = pattern.toLowerCase().split('|')
    const isIn = (groupText: string): boolean => alternatives.some((word) => (word.startsWith('^') ? groupText.startsWith(word.slice(1)) : word !== '' && groupText.includes(word)))
    const matches = ({ groupText }: CompiledRule): boolean => isIn(groupText)
    const all = this.#inOrder
    let search = this.#groupSearches.get(pattern)
    if (search === undefined) search = { upTo: all.length, found: this.#idsWith((groups) => isIn(groups.toLowerCase())) }
    for (; search.upTo < all.length; search.upTo++) {
      const { id } = all[search.upTo]
      if (this.#rulesOf(id).some(matches)) search.found.push(id)
    }
    this.#groupSearches.set(pattern, search)
    return search.found.filter((id) => id !== exceptId).flatMap((id) => (id < TOP_LEVEL_IDS ? this.placements(id).filter((node) => matches(node.rule)) : this.placements(id)))
  }

  /** Placements of all rules of at least that rank. */
  withRank(rank: number, exceptId: number): RuleNode[] {
    if (rank > HIGHEST_RANK) return []
    const search = this.#rankSearches.get(rank) ?? { upTo: 0, found: [] }
    const all = this.#inOrder
    for (; search.upTo < all.length; search.upTo++) {
      const { id } = all[search.upTo]
      if (this.#rulesOf(id).some((rule) => rule.rank >= rank)) search.found.push(id)
    }
    this.#rankSearches.set(rank, search)
    return search.found.flatMap((id) => (id === exceptId ? [] : this.placements(id).filter((node) => node.rule.rank >= rank)))
  }

  /** Ids of rules whose group string passes, in order. Most rules have the groups of some other rule, so that there is less to look at than rules. */
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

  /** A rule, which has one placement or more, has got other groups. */
  #changeGroups(id: number, before: string, after: string): void {
    if (this.#idsByGroups === null) return
    if (id < TOP_LEVEL_IDS) {
      this.#idsByGroups = null
      return
    }
    const ids = this.#idsByGroups.ids.get(before)
    // Those not yet taken in are so with the groups that they have by then.
    if (ids === undefined || !ids.delete(id)) return
    if (ids.size === 0) this.#idsByGroups.ids.delete(before)
    this.#noteGroups(id, after)
  }

  /** The rules of an id: one, but that a top-level id may be given again, which adds a rule instead of replacing one. */
  #rulesOf(id: number): readonly CompiledRule[] {
    return id < TOP_LEVEL_IDS ? this.placements(id).map((node) => node.rule) : [this.#rules.get(id) as CompiledRule]
  }

  /** Puts a new definition in the place of one with the same id: placements, order and children stay. */
  replace(rule: CompiledRule): void {
    this.largestFrequency = Math.max(this.largestFrequency, (rule.definition.frequency ?? FREQUENCY_MINIMUM) - 2)
    for (const node of this.placements(rule.id)) {
      if (node.rule.rank !== rule.rank) {
        this.#isOrdered = false
        this.#rankSearches.clear()
      }
      this.#ownNode(node).rule = rule
    }
    const before = this.#rules.get(rule.id)?.definition.groups
    // An id that is given again has other groups at other places, which are all replaced.
    if (before !== undefined && (before !== rule.definition.groups || rule.id < TOP_LEVEL_IDS)) {
      this.#groupSearches.clear()
      this.#changeGroups(rule.id, before, rule.definition.groups)
    }
    this.#rules.set(rule.id, rule)
  }

  /** From now on events of this rule are remembered. False: it has no placement. */
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

  /** Every placement there is now, of a rule that passes, feeds the composite. */
  wireGroup(composite: number, test: (groups: string) => boolean): void {
    // Most rules have the groups of some other rule.
    const known = new Map<string, boolean>()
    const passes = (groups: string): boolean => {
      let result = known.get(groups)
      if (result === undefined) known.set(groups, (result = test(groups)))
      return result
    }
    // One entry does for all rules of the same number of placements.
    let feed = { composite, times: 1 }
    for (const id of this.#idsWith(passes)) {
      const { index } = this.#rules.get(id) as CompiledRule
      const times = this.placements(id).filter((node) => passes(node.rule.definition.groups)).length
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

  /** A base node's copy of this layer, or the node itself. */
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

  /** The node itself when this layer made it, else a copy that takes its place, on a way down that is copied too. */
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

  /** Before the first sibling of a lower rank, else at the end. */
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

/** Index of the first node of a lower rank; the length: there is none. */
function search(siblings: readonly RuleNode[], rank: number): number {
  let at = 0
  while (at < siblings.length && siblings[at].rule.rank >= rank) at++
  return at
}

/** The same where ranks fall all the way: thousands of rules may stand below one. */
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
