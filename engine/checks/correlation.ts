/** Checks rules that count: which rules feed them, and whether they can ever reach their frequency (BEHAVIOUR.md#histories, #frequency). */
import { FREQUENCY_MINIMUM } from '../rules/attributes.js'
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import { DEFAULT_TIMEFRAME, isComposite, type RuleDefinition } from '../rules/rule.js'
import { type Condition, type Subject, staticSubject, SUBJECT_DYNAMIC, SUBJECT_LIST_USER, SUBJECT_STATIC, SUBJECT_USER } from '../rules/condition.js'
import { field } from '../rules/options/field.js'
import { foldCase } from '../source/byte-string.js'
import { nameInRule } from '../source/list-name.js'
import type { CheckContext } from './context.js'
import { alwaysMatches, PLACEMENT_LIMIT, placesAbove } from './decoder-facts.js'
import { matchingEverything } from './patterns.js'
import type { RuleReporter } from '../rules/reporter.js'
import { placeOf } from '../xml/definition-reporter.js'

/** Rules that a message names. */
const RULES_QUOTED = 20
/** Maximum number of counting siblings that are compared with one rule. */
const SIBLING_LIMIT = 64
/** Minimum frequency at which firing marks the counted events. */
const MARKING_FREQUENCY = 3

/** Tags that place a rule beside what it counts. */
const PARENT_TAGS = ['if_sid', 'if_group', 'if_level'] as const

const MATCHED_TAGS = ['if_matched_sid', 'if_matched_group', 'if_matched_regex'] as const

interface Feeder {
  readonly rule: CompiledRule
  readonly times: number
}

export class Correlation {
  readonly #context: CheckContext
  #feeders: Map<number, Feeder[]> | null = null
  /** For counted rules: whether a child takes all of their events. */
  readonly #taken = new Map<number, boolean>()
  readonly #counting = new Map<RuleNode, RuleNode[]>()
  /** The first rule that names each rule in `<if_matched_sid>`, by the index of the named one. */
  #takers: Map<number, CompiledRule> | null = null

  constructor(context: CheckContext) {
    this.#context = context
  }

  check(reporter: RuleReporter): void {
    const { rule } = reporter
    const { definition } = rule
    if (!definition.isSure('frequency', 'timeframe', ...MATCHED_TAGS, 'check_diff')) return
    if (!isComposite(definition)) {
      if (definition.frequency === 2 && !definition.checkDiff) reporter.atAttribute('rule_frequency_without_context', 'frequency', {})
      if (definition.attribute('timeframe') !== undefined && !definition.checkDiff) reporter.atAttribute('rule_timeframe_without_frequency', 'timeframe', {})
      return
    }
    const kinds = MATCHED_TAGS.filter((tag) => definition.places.has(tag))
    if (kinds.length > 1) reporter.at('rule_if_matched_several', kinds[1], { tag: kinds[0], other: kinds[1] })
    if (definition.checkDiff) return
    if (definition.frequency === null || definition.frequency === 2) reporter.atAttribute('rule_frequency_default', 'frequency', {})
    if (definition.attribute('timeframe') === undefined) reporter.at('rule_frequency_without_timeframe', null, { seconds: DEFAULT_TIMEFRAME })
    if (rule.search?.kind === 'memory' && !definition.globalFrequency) reporter.at('rule_if_matched_regex_agents', kinds[0], { tag: kinds[0] })
    // The overwritten rule decided how an overwriting rule searches.
    if (definition.original !== null) return
    if (definition.ifMatchedSid !== null) this.#checkCountedRule(reporter, definition.ifMatchedSid)
    else if (definition.ifMatchedGroup !== null && rule.search?.kind === 'group') this.#checkCountedGroup(reporter, definition.ifMatchedGroup)
    this.#checkBlocked(reporter)
    this.#checkLastEvent(reporter)
  }

  #checkCountedRule(reporter: RuleReporter, text: string): void {
    const { search } = reporter.rule
    const { rules } = this.#context.ruleset
    if (search?.kind === 'unwired') {
      if (isReportedAsParent(reporter)) return
      reporter.at('rule_if_matched_sid_unwired', 'if_matched_sid', { parent: text })
      return
    }
    if (search?.kind !== 'rule') return
    const counted = this.#context.order[search.target] as CompiledRule | undefined
    if (counted === undefined) return
    const related = { related: [placeOf(counted.definition)] }
    const cause = counted.definition.fault
    if (cause !== null) {
      // A rule whose only parent is the lost rule is already reported.
      if (reporter.rule.definition.fault === null) reporter.at('rule_if_matched_sid_unwired', 'if_matched_sid', { parent: text }, { cause })
      return
    }
    const reason = counted.definition.noalert ? 'noalert="1"' : counted.level === 0 ? 'level 0' : null
    if (reason !== null) {
      reporter.at('rule_matched_level_zero', 'if_matched_sid', { parent: counted.id, reason }, related)
      return
    }
    const nodes = rules.placements(counted.id)
    if (nodes.length > PLACEMENT_LIMIT) return
    // Cached: thousands of composites may count one rule, and each is a child of it.
    let isTaken = this.#taken.get(counted.id)
    if (isTaken === undefined) {
      isTaken = nodes.every(({ children }) => children.some(({ rule: child }) => alwaysMatches(child) && !child.definition.noalert && child.definition.fault === null))
      this.#taken.set(counted.id, isTaken)
    }
    if (nodes.length > 0 && isTaken) reporter.at('rule_if_matched_sid_shadowed', 'if_matched_sid', { parent: counted.id }, related)
  }

  #checkCountedGroup(reporter: RuleReporter, pattern: string): void {
    const { rule } = reporter
    const { rules, expressions } = this.#context.ruleset
    const all = (this.#feedersOf(rule.index) ?? []).filter((feeder) => feeder.rule.id !== rule.id)
    const feeders = all.filter((feeder) => feeder.rule.definition.fault === null)
    if (feeders.length === 0) {
      if (!isReportedAsParent(reporter) && (all.length === 0 || rule.definition.fault === null)) {
        reporter.at('rule_if_matched_group_unwired', 'if_matched_group', { value: pattern }, { cause: all[0]?.rule.definition.fault ?? null })
      }
      return
    }
    const live = feeders.filter((feeder) => feeder.rule.level > 0 && !feeder.rule.definition.noalert)
    const taken = live.filter((feeder) => rules.wiring.matched.has(feeder.rule.index)).map((feeder) => feeder.rule)
    const takers = [...new Set(taken.flatMap(({ index }) => this.#takerOf(index) ?? []))]
    const named = { value: pattern, others: takers.length === 0 ? '?' : idsOf(takers) }
    const related = { related: takers.slice(0, RULES_QUOTED).map(({ definition }) => placeOf(definition)) }
    if (live.length > 0 && taken.length === live.length) {
      reporter.at('rule_if_matched_group_starved', 'if_matched_group', named, related)
      return
    }
    if (taken.length > 0) reporter.at('rule_if_matched_group_member_taken', 'if_matched_group', { ...named, members: idsOf(taken) }, related)
    const many = live.filter((feeder) => feeder.times > 1 && !rules.wiring.matched.has(feeder.rule.index)).sort((a, b) => b.times - a.times)
    if (many.length > 0) {
      reporter.at(
        'rule_frequency_multi_parent',
        'if_matched_group',
        { member: many[0].rule.id, count: many[0].times },
        { related: many.map((feeder) => placeOf(feeder.rule.definition)) },
      )
    }
    const outcome = expressions.compile('osmatch', pattern)
    if (!outcome.ok) return
    const later: CompiledRule[] = []
    const { order } = this.#context
    for (let index = rule.index + 1; index < order.length; index++) {
      const other = order[index]
      if (other.level === 0 || other.definition.noalert || other.definition.fault !== null || isComposite(other.definition) || rules.wiring.matched.has(index)) continue
      const { groups } = other.definition
      if (outcome.expression.test(groups, foldCase(groups), 0)) later.push(other)
    }
    if (later.length > 0) {
      reporter.at('rule_if_matched_group_later_members', 'if_matched_group', { count: later.length, value: pattern }, { related: later.map((other) => placeOf(other.definition)) })
    }
  }

  /** The first rule that names this one in `<if_matched_sid>`. */
  #takerOf(index: number): CompiledRule | undefined {
    if (this.#takers === null) {
      this.#takers = new Map()
      for (const rule of this.#context.order) if (rule.search?.kind === 'rule' && !this.#takers.has(rule.search.target)) this.#takers.set(rule.search.target, rule)
    }
    return this.#takers.get(index)
  }

  /** The rules that feed the group history of a composite. */
  #feedersOf(composite: number): Feeder[] | undefined {
    if (this.#feeders === null) {
      this.#feeders = new Map()
      const { order, ruleset } = this.#context
      for (const [index, feeds] of ruleset.rules.wiring.feeds) {
        const rule = order[index] as CompiledRule | undefined
        if (rule === undefined) continue
        for (const feed of feeds) {
          const known = this.#feeders.get(feed.composite)
          if (known === undefined) this.#feeders.set(feed.composite, [{ rule, times: feed.times }])
          else known.push({ rule, times: feed.times })
        }
      }
    }
    return this.#feeders.get(composite)
  }

  /** Reports another rule that counts the same events, fires earlier and marks those that this rule would need. */
  #checkBlocked(reporter: RuleReporter): void {
    const { rule, nodes } = reporter
    if (nodes.length === 0 || nodes.length > PLACEMENT_LIMIT || rule.search === null) return
    const blockers = nodes.map((node) => {
      const parent = reporter.tree.parentOf(node)
      return parent === null ? null : (this.#countingBelow(parent).find((other) => blocks(other.rule, rule))?.rule ?? null)
    })
    const [first] = blockers
    if (first !== null && !blockers.includes(null)) reporter.at('rule_frequency_sibling_blocked', null, { other: first.id }, { related: [placeOf(first.definition)] })
  }

  /**
   * Reports conditions on fields that only the event meets which completes the count. Under a parent of its own, or with a text of its own, a rule may be meant
   * for another event than those it counts; what the rule requires to be equal holds for all of them.
   */
  #checkLastEvent(reporter: RuleReporter): void {
    const { rule, nodes, tree } = reporter
    const { definition } = rule
    if (nodes.length === 0 || nodes.length > PLACEMENT_LIMIT || hasOtherParents(definition) || !definition.isSure(...PARENT_TAGS)) return
    if (rule.search?.kind !== 'rule' && rule.search?.kind !== 'group') return
    for (const condition of rule.conditions) {
      const isField = condition.subject >= SUBJECT_STATIC || condition.subject === SUBJECT_USER
      if (!isField || isSubjectCompared(rule, condition.subject) || isPresence(condition)) continue
      const isImplied = nodes.every((node) => [...placesAbove(tree, node)].some((above) => above.rule.conditions.includes(condition)))
      if (isImplied) continue
      const name = condition.option.name
      const element = condition.field === null ? definition.places.get(name) : definition.valueOf(field)?.accepted.find((one) => one.name === condition.field)?.elements[0]
      const tag = condition.field === null ? name : `${name} name="${condition.field}"`
      reporter.report('rule_condition_last_event', element ?? reporter.owner, { tag })
    }
    for (const { field: name, element } of definition.lists) {
      const subject = rule.lists.find(({ path }) => path === nameInRule(element.content))?.subject
      if (subject === undefined || isSubjectCompared(rule, subject)) continue
      reporter.report('rule_condition_last_event', element, { tag: `list field="${name}"` })
    }
  }

  #countingBelow(parent: RuleNode): readonly RuleNode[] {
    let found = this.#counting.get(parent)
    if (found === undefined) {
      found = parent.children
        .filter(({ rule }) => rule.search !== null && rule.definition.fault === null && (rule.definition.frequency ?? FREQUENCY_MINIMUM) >= MARKING_FREQUENCY)
        .slice(0, SIBLING_LIMIT)
      this.#counting.set(parent, found)
    }
    return found
  }
}

function idsOf(rules: readonly CompiledRule[]): string {
  const ids = rules.slice(0, RULES_QUOTED).map(({ id }) => id)
  return ids.join(', ') + (rules.length > RULES_QUOTED ? `, … +${rules.length - RULES_QUOTED}` : '')
}

/** Whether the rule has other parents than the rule that it counts. */
function hasOtherParents({ places, ifSid, ifMatchedSid }: RuleDefinition): boolean {
  return PARENT_TAGS.some((tag) => places.has(tag) && (tag !== 'if_sid' || ifSid?.trim() !== ifMatchedSid))
}

/** Whether the counted events have the same value in what the condition tests. */
function isSubjectCompared({ same, sameKeys }: CompiledRule, subject: Subject): boolean {
  if (subject === SUBJECT_USER || subject === SUBJECT_LIST_USER) return same.includes(staticSubject('dstuser')) || same.includes(staticSubject('srcuser'))
  return same.includes(subject) || (subject >= SUBJECT_DYNAMIC && sameKeys.includes(subject - SUBJECT_DYNAMIC))
}

/** Whether the condition only requires that there is a text. */
function isPresence({ test }: Condition): boolean {
  return test.kind === 'pattern' && !test.negate && matchingEverything(test.expression) !== null
}

/** Whether the rule was left out because what it counts is missing: without other parents, that is its parent as well. */
function isReportedAsParent({ rule: { definition } }: RuleReporter): boolean {
  return definition.fault !== null && !definition.places.has('if_sid') && !definition.places.has('if_group')
}

function blocks(other: CompiledRule, rule: CompiledRule): boolean {
  if (other.id === rule.id || other.level < rule.level || !countsSame(other, rule)) return false
  const [theirs, ours] = [other.definition, rule.definition]
  if ((theirs.frequency ?? FREQUENCY_MINIMUM) >= (ours.frequency ?? FREQUENCY_MINIMUM) || theirs.timeframe < ours.timeframe) return false
  if (ours.globalFrequency && !theirs.globalFrequency) return false
  if (theirs.ifFts || theirs.checkDiff || other.lists.some((list) => !rule.lists.includes(list))) return false
  return other.conditions.every((condition) => rule.conditions.includes(condition)) && (other.identity < 0 || other.identity === rule.identity)
}

/** Whether both rules search the same history, and the first has no stricter filter. */
function countsSame(other: CompiledRule, rule: CompiledRule): boolean {
  const [a, b] = [other.search, rule.search]
  if (a === null || b === null || a.kind !== b.kind) return false
  if (a.kind === 'rule' ? b.kind !== 'rule' || a.target !== b.target : a.kind !== 'group' || other.definition.ifMatchedGroup !== rule.definition.ifMatchedGroup) return false
  return (
    other.same.every((subject) => rule.same.includes(subject)) &&
    other.sameKeys.every((key) => rule.sameKeys.includes(key)) &&
    other.different.every((subject) => rule.different.includes(subject)) &&
    other.differentKeys.every((key) => rule.differentKeys.includes(key))
  )
}
