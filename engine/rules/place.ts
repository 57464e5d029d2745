/** Places rules in the tree, wires composites to histories and applies overwrites (BEHAVIOUR.md#rule-placement, #overwriting-rules, #histories). */
import { readInt32 } from '../conditions/number.js'
import { Collector } from '../diagnostics/collector.js'
import { CRASHES } from '../diagnostics/crashes.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { foldCase, fromByteString } from '../source/byte-string.js'
import { ElementReporter } from '../xml/element-reporter.js'
import type { XmlElement } from '../xml/node.js'
import type { RuleTables } from './compile.js'
import { compileRule } from './compile.js'
import type { CompiledRule, HistorySearch, RuleNode } from './compiled-rule.js'
import { keptGeoip } from './kept-geoip.js'
import { readParentIds } from './options/if-sid.js'
import { RULE_OPTIONS } from './options/index.js'
import type { RuleDefinition } from './rule.js'
import { isComposite, isLeftOut } from './rule.js'
import { FEEDS_LIMIT, PLACEMENTS_LIMIT, type RuleTree, STAND_IN_IDS, TOP_LEVEL_IDS, UNPLACED_ID } from './tree.js'

/** Tags of conditions. An overwriting rule that omits one of them matches more events. */
const CONDITION_TAGS = RULE_OPTIONS.filter(({ part }) => part === 'condition').map(({ name }) => name)

/** Maximum length of the path that is followed when parents may form a cycle. */
const CYCLE_LIMIT = 64

/** Data about ids beyond the rules placed so far, which placing a rule needs. */
export interface PlacementContext {
  /** Ids of rules that are read later, with the names of their files. */
  readonly later: ReadonlyMap<number, readonly string[]>
  /** Ids whose rule was left out, with the diagnostic that says why. */
  readonly dropped: Map<number, Diagnostic>
  /** Ids named by an `if_sid` that were missing. A layer that adds one of them changes the diagnostics of that rule. */
  readonly awaited: Set<number>
  /** The survey; null when rules are placed to be loaded. */
  readonly survey: PlacementSurvey | null
}

/** Data of a survey in addition to the rules that it has placed. */
export interface PlacementSurvey {
  /** The fault of an unread text that contains the word; null when there is none. */
  findUnread(word: string): Diagnostic | null
  /** Whether the budget allows a search for the pattern in the groups of this many rules. */
  maySearch(pattern: string, rules: number): boolean
  /** The diagnostic with which the loader left out the rule of an id. */
  droppedByLoader(id: number): Diagnostic | undefined
}

/** `placed`: the rule is in the tree. `skipped`: it was silently left out. `refused`: the engine does not start. */
export type Placement = 'placed' | 'skipped' | 'refused'

/** Places one rule, or overwrites the rule of the same id. */
export function placeRule(definition: RuleDefinition, tree: RuleTree, tables: RuleTables, context: PlacementContext, collector: Collector): Placement {
  return new Placer(definition, tree, tables, context, collector).place()
}

/** The parents below which a rule is placed. */
interface Parents {
  readonly top: boolean
  readonly nodes: readonly RuleNode[]
  readonly category: string | null
  /** Counts of the nodes that precede each self-reference in `if_sid`. There the rule is also placed below the placements that it has at that point. */
  readonly selfAfter: readonly number[]
}

const NEVER_ITSELF: readonly number[] = []

/** Details of a reference that was not found. */
interface MissingReference {
  /** Existing names, for suggestions. */
  readonly known?: () => readonly string[]
  /** Rules that would be the parents if they loaded. */
  readonly lost?: readonly RuleNode[]
  /** Words of which an unread text must contain one, if it declares what is missing. */
  readonly words?: readonly string[]
}

/** Whether the rule loads. Only the tree of a survey contains rules that do not. */
function isWhole({ rule }: RuleNode): boolean {
  return rule.definition.fault === null
}

function placeBelow(nodes: readonly RuleNode[]): Parents | null {
  return nodes.length === 0 ? null : { top: false, nodes, category: null, selfAfter: NEVER_ITSELF }
}

class Placer extends ElementReporter {
  readonly #definition: RuleDefinition
  readonly #tree: RuleTree
  readonly #tables: RuleTables
  readonly #context: PlacementContext

  constructor(definition: RuleDefinition, tree: RuleTree, tables: RuleTables, context: PlacementContext, collector: Collector) {
    super(definition.source, collector, definition.element)
    if (definition.id >= 0) this.subject = { id: definition.id }
    this.#definition = definition
    this.#tree = tree
    this.#tables = tables
    this.#context = context
  }

  place(): Placement {
    if (this.#context.survey !== null) return this.#survey()
    const definition = this.#definition
    const existing = this.#tree.find(definition.id)
    if (existing !== undefined && definition.id >= TOP_LEVEL_IDS) return this.#overwrite(existing)
    // The full tree is reported already, and a search for parents in a tree of this size is expensive.
    if (this.#tree.isFull) return 'skipped'
    if (existing !== undefined) this.report('rule_overwrite_below_ten', this.owner, {})
    this.#addAutomaticParents()
    if (!this.#checkMatchedPatterns()) return 'refused'
    const compiled = compileRule(definition, this.#tree.ruleCount, null, this.#tables, this.collector)
    if (compiled === null) return 'refused'
    const parents = this.#findParents(compiled)
    if (parents === null) return 'skipped'
    if (this.#tree.nodeCount + parents.nodes.length > PLACEMENTS_LIMIT) return this.#refuseFull()
    const placed: CompiledRule = { ...compiled, category: parents.category ?? compiled.category }
    if (parents.top) this.#tree.addTop(placed)
    else this.#addBelow(parents, placed)
    this.#tree.register(placed)
    if (this.#tree.nodeCount > PLACEMENTS_LIMIT) return this.#refuseFull()
    this.#wire(placed)
    if (this.#tree.feedCount > FEEDS_LIMIT) {
      this.#tree.isFull = true
      this.refuse('rule_too_many_placements', this.owner, { limit: FEEDS_LIMIT })
      return 'refused'
    }
    return 'placed'
  }

  /** Parents are processed in order, so a rule that names itself finds the placements that it has at that point. */
  #addBelow({ nodes, selfAfter }: Parents, placed: CompiledRule): void {
    if (selfAfter.length === 0) return this.#tree.addBelow(nodes, placed)
    let from = 0
    for (const to of selfAfter) {
      this.#tree.addBelow(nodes.slice(from, to), placed)
      from = to
      // Beyond the limit the rule is refused anyway.
      if (this.#tree.nodeCount <= PLACEMENTS_LIMIT) this.#tree.addBelow(this.#tree.reachable(placed.id), placed)
    }
    this.#tree.addBelow(nodes.slice(from), placed)
  }

  #refuseFull(): Placement {
    this.#tree.isFull = true
    this.refuse('rule_too_many_placements', this.owner, { limit: PLACEMENTS_LIMIT })
    return 'refused'
  }

  /**
   * Gives every rule a place, to find its faults and those of the rules below it. A rule that does not load gets the place that it would have
   * without its fault. When that place is unknown, the rule goes below a placeholder rule (`UNPLACED_ID`).
   */
  #survey(): Placement {
    const definition = this.#definition
    const namesake = definition.id < 0 ? undefined : this.#tree.find(definition.id)
    const existing = namesake === undefined || isLeftOut(namesake.definition) ? undefined : namesake
    const overwrites = existing !== undefined && definition.overwrite
    if (definition.overwrite && definition.id >= TOP_LEVEL_IDS && namesake !== undefined) definition.original = namesake.definition.original ?? namesake.definition
    this.unread = isLeftOut(definition)
    if (overwrites && definition.id >= TOP_LEVEL_IDS && this.#overwrite(existing) === 'placed') return 'placed'
    if (this.#tree.isFull) return 'skipped'
    const isTemplate = overwrites && definition.id < TOP_LEVEL_IDS
    if (isTemplate) this.report('rule_overwrite_below_ten', this.owner, {})
    let parents: Parents | null = null
    let compiled: CompiledRule | null
    const needsStandIn = definition.id < 0 || (existing !== undefined && !isTemplate)
    const index = needsStandIn || isTemplate ? this.#tree.ruleCount : (namesake?.index ?? this.#tree.ruleCount)
    if (overwrites && !isTemplate) compiled = compileRule(definition, index, null, this.#tables, new Collector(), true)
    else {
      if (definition.isSure('if_sid', 'if_group')) this.#addAutomaticParents()
      this.#checkMatchedPatterns()
      compiled = compileRule(definition, index, null, this.#tables, this.collector, true)
      parents = this.#isPlaceKnown() ? this.#findParents(compiled as CompiledRule) : null
    }
    const placed: CompiledRule = {
      ...(compiled as CompiledRule),
      id: needsStandIn ? STAND_IN_IDS + index : definition.id,
      category: parents?.category ?? (compiled as CompiledRule).category,
    }
    const nodes = parents === null ? this.#unplaced(placed) : parents.nodes
    if (this.#tree.nodeCount + nodes.length > PLACEMENTS_LIMIT || this.#tree.feedCount > FEEDS_LIMIT) {
      this.#tree.isFull = true
      return 'skipped'
    }
    if (parents?.top === true) this.#tree.addTop(placed)
    else if (parents !== null) this.#addBelow(parents, placed)
    else this.#tree.addBelow(nodes, placed)
    this.#tree.register(placed)
    this.#wire(placed)
    return definition.fault === null ? 'placed' : isLeftOut(definition) ? 'skipped' : 'refused'
  }

  /** Whether everything that determines the parents of the rule was read. */
  #isPlaceKnown(): boolean {
    const definition = this.#definition
    if (definition.ifSid !== null && definition.ifSid !== '') return true
    if (!definition.isSure('if_sid')) return false
    // Without `if_group`, the `if_matched_*` tags determine the parents.
    if (definition.ifGroup === null && !definition.isSure('if_group', 'if_matched_sid', 'if_matched_group')) return false
    if (definition.ifLevel !== null) return true
    return definition.isSure('if_level') && (definition.ifGroup !== null || definition.isSure('category'))
  }

  #unplaced(rule: CompiledRule): readonly RuleNode[] {
    if (this.#tree.placements(UNPLACED_ID).length === 0) this.#tree.addTop({ ...rule, id: UNPLACED_ID, category: '', conditions: [], identity: -1 })
    return this.#tree.placements(UNPLACED_ID)
  }

  /** A composite with `if_matched_*` alone also uses it to find its parents; the group takes precedence over the id (BEHAVIOUR.md#parent-tags). */
  #addAutomaticParents(): void {
    const definition = this.#definition
    if (definition.ifSid !== null || definition.ifGroup !== null) return
    if (definition.ifMatchedGroup !== null) definition.ifGroup = definition.ifMatchedGroup
    else if (definition.ifMatchedSid !== null) definition.ifSid = definition.ifMatchedSid
  }

  #checkMatchedPatterns(): boolean {
    const { ifMatchedGroup, ifMatchedRegex } = this.#definition
    for (const [tag, dialect, pattern] of [
      ['if_matched_group', 'osmatch', ifMatchedGroup],
      ['if_matched_regex', 'osregex', ifMatchedRegex],
    ] as const) {
      if (pattern === null) continue
      const outcome = this.#tables.expressions.compile(dialect, pattern)
      if (outcome.ok) continue
      this.refuse('regex_invalid', this.#placeOf(tag), { name: tag, dialect, reason: outcome.error.message })
      this.#definition.fault ??= this.fault
      this.#definition.addUnsure(tag)
    }
    return !this.refused
  }

  /** Returns null after reporting the reason when the rule is left out. */
  #findParents(rule: CompiledRule): Parents | null {
    const definition = this.#definition
    if (rule.id >= 0 && rule.id < TOP_LEVEL_IDS) return { top: true, nodes: [], category: null, selfAfter: NEVER_ITSELF }
    if (definition.ifSid !== null && definition.ifSid !== '') return this.#findByIds(rule, definition.ifSid)
    if (definition.ifLevel !== null) return this.#findByLevel(rule, definition.ifLevel)
    if (definition.ifGroup !== null) return this.#findByGroup(rule, definition.ifGroup)
    return this.#findByCategory(rule)
  }

  #findByCategory(rule: CompiledRule): Parents | null {
    const isTemplate = (node: RuleNode): boolean => node.rule.category === rule.category
    const template = this.#tree.top.find((node) => isTemplate(node) && isWhole(node))
    if (template !== undefined) return placeBelow([template])
    const lost = this.#tree.top.filter(isTemplate)
    this.#drop('rule_category_unreachable', this.#placeOf('category'), { value: rule.category }, { lost, words: [rule.category] })
    return placeBelow(lost.slice(0, 1))
  }

  #findByLevel(rule: CompiledRule, text: string): Parents | null {
    const level = readInt32(text)
    const place = this.#placeOf('if_level')
    if (level <= 0) {
      this.#drop('rule_if_level_invalid', place, { value: text })
      return null
    }
    if (level !== Number(text)) this.report('rule_number_wrapped', place, { name: 'if_level', value: text, read: level })
    const nodes = this.#tree.withRank(level * 100, rule.id)
    if (!nodes.some(isWhole)) this.#drop('rule_if_level_missing', place, { value: text }, { lost: nodes })
    return placeBelow(nodes)
  }

  #findByGroup(rule: CompiledRule, pattern: string): Parents | null {
    const { survey } = this.#context
    const isSearched = survey === null || survey.maySearch(pattern, this.#tree.ruleCount)
    // Without a search, the survey relies on the result of the loader.
    if (!isSearched && !survey.droppedByLoader(rule.id)?.code.endsWith('_group_missing')) return null
    const nodes = isSearched ? this.#tree.withGroup(pattern, rule.id) : []
    if (nodes.some(isWhole)) return placeBelow(nodes)
    const { places } = this.#definition
    const code = places.has('if_group') ? 'rule_if_group_missing' : 'rule_if_matched_group_missing'
    // Many rules repeat the same groups; every occurrence counts as one comparison.
    const known = (): string[] => this.#tree.inOrder().flatMap((other) => other.groups.map(fromByteString))
    const words = pattern.split('|').map((word) => word.replace(/^\^/, ''))
    this.#drop(code, places.get('if_group') ?? this.#placeOf('if_matched_group'), { value: pattern }, { known, lost: nodes, words })
    return placeBelow(nodes)
  }

  #findByIds(rule: CompiledRule, text: string): Parents | null {
    const { ifMatchedSid, places } = this.#definition
    const place = (): XmlElement => places.get('if_sid') ?? this.#placeOf('if_matched_sid')
    const ids = readParentIds(text)
    for (const { value, read } of ids)
      if (read !== Number(value)) this.report('rule_number_wrapped', place(), { name: places.has('if_sid') ? 'if_sid' : 'if_matched_sid', value, read })
    const newline = text.endsWith('\n')
    const nodes: RuleNode[] = []
    let category: string | null = null
    const missing: number[] = []
    let found = 0
    const selfAfter: number[] = []
    if (/[ ,]$/.test(text)) this.report('rule_if_sid_whitespace', place(), { value: text })
    for (const { read: id } of ids) {
      if (id === 0) {
        // At this point the rule has the category of the parents before.
        const template = this.#findByCategory(category === null ? rule : { ...rule, category })
        if (template !== null) {
          nodes.push(...template.nodes)
          found++
        }
        continue
      }
      if (id === rule.id && found > 0) {
        selfAfter.push(nodes.length)
        continue
      }
      const parents = this.#tree.reachable(id)
      if (parents.length > 0) {
        for (const parent of parents) nodes.push(parent)
        category = parents[parents.length - 1].rule.category
      }
      if (parents.some(isWhole)) found++
      else if (ifMatchedSid !== null) {
        this.#context.awaited.add(id)
        this.#dropForMissing('rule_if_matched_sid_missing', place(), [id])
        if (found > 0) this.report('wazuh_crash', place(), CRASHES.placement_left)
        return this.#context.survey === null ? null : placeBelow(nodes)
      } else {
        this.#context.awaited.add(id)
        missing.push(id)
      }
    }
    if (newline) this.report('rule_if_sid_whitespace', place(), { value: text })
    if (found === 0) this.#dropForMissing('rule_parent_missing', place(), missing)
    // A rule with one lost parent: the other missing parents are reported as they will be once that parent is fixed.
    if (nodes.length > 0) for (const id of missing) this.#reportPartlyMissing(id, place(), found > 0)
    return nodes.length === 0 ? null : { top: false, nodes, category, selfAfter }
  }

  #reportPartlyMissing(id: number, place: XmlElement, isFound: boolean): void {
    const { later, dropped } = this.#context
    const cause = dropped.get(id) ?? null
    if (cause !== null && !isFound) return
    const file = later.get(id)?.[0]
    if (file === undefined) this.report('rule_parent_partly_missing', place, { parent: id }, { cause })
    else this.report('rule_parent_partly_loaded_later', place, { parent: id, file })
  }

  /** Leaves the rule out because parents are missing, and reports the cause. */
  #dropForMissing(code: 'rule_parent_missing' | 'rule_if_matched_sid_missing', element: XmlElement, ids: readonly number[]): void {
    const { later, dropped } = this.#context
    const own = this.#definition.id
    const [first] = ids
    const cause = ids.map((id) => dropped.get(id)).find((diagnostic) => diagnostic !== undefined)
    const ring = cause === undefined ? null : this.#cycleThrough(ids)
    const params = { parent: ids.join(', ') }
    if (ids.includes(own)) this.#remember(this.report('rule_parent_self', element, params))
    else if (ring !== null) this.#remember(this.report('rule_parent_cycle', element, { path: ring.join(' > ') }))
    else if (cause !== undefined) this.#remember(this.report('rule_parent_dropped', element, params, { cause: cause.cause ?? cause }))
    else if (first !== undefined && later.has(first)) {
      this.#remember(this.report('rule_parent_loaded_later', element, { ...params, file: later.get(first)?.[0] ?? '' }))
    } else {
      const known = (): string[] => this.#tree.inOrder().map((rule) => String(rule.id))
      this.#remember(this.report(code, element, params, { suggestion: first === undefined ? null : this.collector.suggest(String(first), known) }))
    }
  }

  /** The cycle from this rule through its left-out parents back to itself; null when there is none. */
  #cycleThrough(ids: readonly number[]): number[] | null {
    const { dropped } = this.#context
    const own = this.#definition.id
    const ways = ids.map((id) => [own, id])
    for (let i = 0; i < ways.length && i < CYCLE_LIMIT; i++) {
      const way = ways[i]
      const parents = String(dropped.get(way[way.length - 1])?.params.parent ?? '').split(', ')
      for (const parent of parents.filter((word) => word !== '').map(Number)) {
        if (parent === own) return [...way, own]
        if (!way.includes(parent)) ways.push([...way, parent])
      }
    }
    return null
  }

  #drop(
    code: Parameters<ElementReporter['report']>[0],
    element: XmlElement,
    params: Record<string, string | number>,
    { known, lost = [], words = [] }: MissingReference = {},
  ): void {
    let cause = lost[0]?.rule.definition.fault ?? null
    for (const word of words) cause ??= this.#context.survey?.findUnread(word) ?? null
    this.#remember(this.report(code, element, params, { cause, ...(known !== undefined && cause === null && { known }) }))
  }

  #remember(diagnostic: Diagnostic): void {
    this.#definition.fault ??= diagnostic
    if (this.#context.survey === null) this.#context.dropped.set(this.#definition.id, diagnostic)
  }

  #placeOf(tag: string): XmlElement {
    return this.#definition.places.get(tag) ?? this.owner
  }

  /** Wires the composite to the histories that it searches, as far as their source rules are loaded at this point. */
  #wire(rule: CompiledRule): void {
    const { ifSid, ifMatchedSid, ifMatchedGroup, ifMatchedRegex } = this.#definition
    let search: HistorySearch | null = null
    if (ifMatchedSid !== null && ifMatchedSid !== '') {
      const read = readInt32(ifMatchedSid)
      // Where it is the only parent as well, this is reported already.
      if (read !== Number(ifMatchedSid) && ifSid !== ifMatchedSid)
        this.report('rule_number_wrapped', this.#placeOf('if_matched_sid'), { name: 'if_matched_sid', value: ifMatchedSid, read })
      const target = this.#tree.wireMatched(read)
      search = target === null ? { kind: 'unwired' } : { kind: 'rule', target: target.index }
    } else if (ifMatchedGroup !== null && ifMatchedSid === null) {
      const outcome = this.#tables.expressions.compile('osmatch', ifMatchedGroup)
      if (outcome.ok && this.#context.survey?.maySearch(ifMatchedGroup, this.#tree.ruleCount) !== false) {
        this.#tree.wireGroup(rule.index, (groups) => outcome.expression.test(groups, foldCase(groups), 0))
        search = { kind: 'group' }
      }
    } else if (ifMatchedSid !== null || ifMatchedRegex !== null) {
      const outcome = ifMatchedRegex === null || ifMatchedRegex === '' ? null : this.#tables.expressions.compile('osregex', ifMatchedRegex)
      search = { kind: 'memory', expression: outcome?.ok === true ? outcome.expression : null }
    }
    if (search !== null) this.#tree.replace({ ...rule, conditionsOnly: false, search: this.#definition.checkDiff ? null : search, wired: search })
  }

  /** Replaces the conditions; placements, histories and the kind of search stay (BEHAVIOUR.md#overwriting-rules). */
  #overwrite(existing: CompiledRule): Placement {
    const definition = this.#definition
    const before = existing.definition
    const original = before.original ?? before
    definition.original = original
    this.#reportIgnoredParents(original)
    if (!this.#checkMatchedPatterns()) return 'refused'
    // Quirk: the new definition decides whether the rule searches, the old one decides how.
    const searches = isComposite(definition) && !definition.checkDiff
    let search = searches ? existing.wired : null
    if (search?.kind === 'memory') {
      const text = definition.ifMatchedRegex
      const outcome = text === null || text === '' ? null : this.#tables.expressions.compile('osregex', text)
      search = { kind: 'memory', expression: outcome?.ok === true ? outcome.expression : null }
    }
    this.#reportLosses(before)
    if (isComposite(definition) !== (existing.wired !== null)) this.report('rule_overwrite_search_kind', this.owner, {})
    const compiled = compileRule(definition, existing.index, search, this.#tables, this.collector, this.#context.survey !== null)
    if (compiled === null || definition.fault !== null) return 'refused'
    definition.ifSid = before.ifSid
    definition.ifGroup = before.ifGroup
    definition.ifLevel = before.ifLevel
    this.#reportOrder(compiled, existing)
    this.#tree.replace({ ...compiled, wired: existing.wired })
    return 'placed'
  }

  /** Reports conditions of the original that the new definition does not repeat. */
  #reportLosses(before: RuleDefinition): void {
    const kept = keptGeoip(this.#definition)
    for (const tag of CONDITION_TAGS) {
      if (kept.some(({ kind }) => kind.name === tag)) continue
      if (!before.places.has(tag) || this.#definition.places.has(tag) || !this.#definition.isSure(tag)) continue
      this.report('rule_overwrite_drops_option', this.owner, { tag }, { related: [{ filename: before.source.filename, span: before.span }] })
    }
  }

  /** Reports a new level that would give the rule another position among its siblings. */
  #reportOrder(compiled: CompiledRule, existing: CompiledRule): void {
    if (compiled.rank === existing.rank) return
    const moves = this.#tree.placements(existing.id).some((node) => {
      const siblings = this.#tree.parentOf(node)?.children ?? this.#tree.top
      const at = siblings.indexOf(node)
      return (at > 0 && siblings[at - 1].rule.rank < compiled.rank) || (at >= 0 && at + 1 < siblings.length && siblings[at + 1].rule.rank > compiled.rank)
    })
    if (moves) this.report('rule_overwrite_level_order', this.owner, { before: existing.definition.level, level: this.#definition.level })
  }

  #reportIgnoredParents(before: RuleDefinition): void {
    const definition = this.#definition
    const differs = (tag: string, written: string | null, original: string | null, always = false): void => {
      if (written !== null && (always || written !== original)) {
        this.report('rule_overwrite_ignored_option', this.#placeOf(tag), {
          name: tag,
          value: written,
          original: original ?? '',
          file: before.source.filename,
          line: before.span.line,
        })
      }
    }
    if (definition.ifMatchedSid === null) differs('if_sid', definition.ifSid, before.ifSid)
    if (definition.ifMatchedGroup === null) differs('if_group', definition.ifGroup, before.ifGroup, true)
    differs('if_level', definition.ifLevel, before.ifLevel)
    differs('if_matched_sid', definition.ifMatchedSid, before.ifMatchedSid)
    differs('if_matched_group', definition.ifMatchedGroup, before.ifMatchedGroup)
  }
}
