/**
 * Proofs that no event fires a rule: every placement of the rule is excluded, by the conditions on the way, by siblings and children that always take its events,
 * by the decoders, or by the history that it searches. Invariants:
 *  1. what is not understood exactly is no part of a proof: patterns count by their bounds, rules that search histories or lists never take an event here
 *  2. a proof has limited steps for any content
 *  3. an alert of another manager, which names its rule without any test (BEHAVIOUR.md#imported-alerts), is no event that fires a rule here
 */
import { BUILT_IN_DECODERS } from '../decoders/identities.js'
import { accumulate as ACCUMULATE } from '../decoders/options/accumulate.js'
import type { CompiledDecoder } from '../event/decoder.js'
import type { Expression } from '../expressions/expression.js'
import { OsRegexExpression } from '../expressions/osregex/osregex.js'
import { MARK } from '../expressions/osregex/parse.js'
import { boundsOf } from '../expressions/pattern-bounds.js'
import { isAnchored, isNegated } from '../expressions/pattern-nodes.js'
import { type Node, someNode } from '../expressions/pcre2/ast.js'
import { EVENTCHANNEL_DECODER } from '../logtest/eventchannel-event.js'
import { neededEvents } from '../match/history.js'
import { lookUp } from '../lists/list.js'
import type { CompiledListCondition, CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import { pathTo } from '../rules/placement-path.js'
import {
  type Condition,
  type Subject,
  SUBJECT_DYNAMIC,
  SUBJECT_HOSTNAME,
  SUBJECT_LIST_USER,
  SUBJECT_LOCATION,
  SUBJECT_LOG,
  SUBJECT_NEVER,
  SUBJECT_PROGRAM_NAME,
  SUBJECT_STATIC,
  SUBJECT_USER,
} from '../rules/condition.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { foldCase, fromByteString } from '../source/byte-string.js'
import { type DecodePlan, plansOf, subjectsOf, supplies, typeFits } from './decode-plan.js'
import { BoundPrograms, Bounds, patternRequirement, type Requirement, requirementOf } from './exclusion.js'
import { comparedFields, fieldName } from './goal.js'
import { TextAutomaton } from './text-automaton.js'

/** Placements of a rule that are read; one more, and nothing is proven. */
const PLACEMENTS_LIMIT = 64
/** Ways to decode an event that are excluded one by one. */
const PLANS_LIMIT = 48
/** Rules that may take an event, at all depths. */
const TAKERS_LIMIT = 2_000
/** Rules whose events a composite counts, which are proven one by one. */
const SOURCES_LIMIT = 24
/** Composites that count events of composites. */
const DEPTH_LIMIT = 3
/** Keys of a list that are tried. */
const KEYS_LIMIT = 20_000
/** Requirements of one text that are tried together. */
const TOGETHER_LIMIT = 24

export const CANNOT_FIRE_CODES = [
  'noalert',
  'decoder_of_manager',
  'decoders_exclude',
  'decoder_of_other_type',
  'decoder_never_chosen',
  'field_never_decoded',
  'fts_never',
  'conditions_exclude',
  'list_excludes',
  'sibling_always_first',
  'child_always_matches',
  'source_not_loaded',
  'source_never_stored',
  'source_ignored',
  'other_counts_first',
  'level_zero_counts_nothing',
] as const
export type CannotFireCode = (typeof CANNOT_FIRE_CODES)[number]

/** Something that takes part in a conflict. */
export type ConflictPart =
  | { readonly kind: 'condition'; readonly rule: CompiledRule; readonly condition: Condition }
  /** A condition of a rule that takes the event if it holds. */
  | { readonly kind: 'taker'; readonly rule: CompiledRule; readonly condition: Condition | null; readonly isChild: boolean }
  | { readonly kind: 'decoder'; readonly decoder: CompiledDecoder; readonly isOther: boolean }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'rule'; readonly rule: CompiledRule }

/** Why one placement is never final. */
export interface Conflict {
  readonly code: CannotFireCode
  readonly parts: readonly ConflictPart[]
}

/** A rule that takes an event if its conditions hold. */
interface Taker {
  readonly rule: CompiledRule
  readonly isChild: boolean
}

type Sourced = Requirement & { readonly part: ConflictPart }

export class CannotFireProver {
  readonly #ruleset: CompiledRuleset
  readonly #programs = new BoundPrograms()
  #bounds = new Bounds(this.#programs)
  readonly #known = new Map<CompiledRule, Conflict | null>()

  constructor(ruleset: CompiledRuleset) {
    this.#ruleset = ruleset
  }

  /** Steps of all proofs so far. */
  get steps(): number {
    return this.#programs.steps
  }

  /** The conflict of the rule's first placement, if all of them have one. Null: nothing is proven. */
  prove(rule: CompiledRule, depth = 0): Conflict | null {
    if (depth === 0) this.#known.clear()
    const known = this.#known.get(rule)
    if (known !== undefined) return known
    // A rule that counts itself proves nothing.
    this.#known.set(rule, null)
    // A rule is proven by itself, so that nothing depends on what was proven before.
    const outer = this.#bounds
    this.#bounds = new Bounds(this.#programs)
    const conflict = this.#prove(rule, depth)
    this.#bounds = outer
    this.#known.set(rule, conflict)
    return conflict
  }

  #prove(rule: CompiledRule, depth: number): Conflict | null {
    if (rule.definition.noalert) return { code: 'noalert', parts: [{ kind: 'rule', rule }] }
    const placements = this.#ruleset.rules.placements(rule.id)
    if (placements.length === 0 || placements.length > PLACEMENTS_LIMIT) return null
    let first: Conflict | null = null
    for (const placement of placements) {
      const conflict = this.#conflictOf(placement, depth)
      if (conflict === null) return null
      first ??= conflict
    }
    return first
  }

  #conflictOf(placement: RuleNode, depth: number): Conflict | null {
    const nodes = pathTo(this.#ruleset.rules, placement)
    const path = nodes.map(({ rule }) => rule)
    return this.#decoderConflict(path) ?? this.#historyConflict(path, depth) ?? this.#textConflict(nodes, path)
  }

  #decoderConflict(path: readonly CompiledRule[]): Conflict | null {
    const named = path.filter(({ identity }) => identity >= 0)
    const last = named.at(-1)
    if (last === undefined) return null
    const other = named.find(({ identity }) => identity !== last.identity)
    if (other !== undefined) return { code: 'decoders_exclude', parts: [other, last].map((rule) => ({ kind: 'rule', rule })) }
    const name = fromByteString(last.definition.decodedAs?.name ?? '')
    const plans = plansOf(this.#ruleset.decoders).filter(({ reported }) => reported?.identity === last.identity)
    if (plans.length > 0)
      return plans.some((plan) => typeFits(plan, path[0].category))
        ? null
        : {
            code: 'decoder_of_other_type',
            parts: [
              { kind: 'name', name },
              { kind: 'rule', rule: path[0] },
            ],
          }
    return BUILT_IN_DECODERS.includes(name as (typeof BUILT_IN_DECODERS)[number]) ? { code: 'decoder_of_manager', parts: [{ kind: 'name', name }] } : null
  }

  /** A history that a rule on the path searches, and that has never enough events. */
  #historyConflict(path: readonly CompiledRule[], depth: number): Conflict | null {
    for (const rule of path) {
      const { search, definition } = rule
      if (search === null || definition.checkDiff) continue
      const own: ConflictPart = { kind: 'rule', rule }
      if (search.kind === 'unwired') return { code: 'source_not_loaded', parts: [own] }
      if (rule.level === 0) return { code: 'level_zero_counts_nothing', parts: [own] }
      if (search.kind === 'memory') continue
      const earlier = this.#countsEarlier(rule)
      if (earlier !== null) return { code: 'other_counts_first', parts: [own, { kind: 'rule', rule: earlier }] }
      const sources = this.#sourcesOf(rule)
      if (sources === null) continue
      const stored = sources.filter(({ level, definition: source }) => level > 0 && !source.noalert)
      if (stored.length === 0) return { code: 'source_never_stored', parts: [own, ...sources.slice(0, 3).map((source): ConflictPart => ({ kind: 'rule', rule: source }))] }
      if (depth < DEPTH_LIMIT && stored.every((source) => source !== rule && this.prove(source, depth + 1) !== null))
        return { code: 'source_never_stored', parts: [own, ...stored.slice(0, 3).map((source): ConflictPart => ({ kind: 'rule', rule: source }))] }
      const [only] = stored
      if (stored.length === 1 && search.kind === 'rule' && only.definition.ignore > 0) {
        // Two events pass at the end of each window of silence.
        const most = 2 * (Math.floor(definition.timeframe / only.definition.ignore) + 1)
        if (neededEvents(rule) + 1 > most) return { code: 'source_ignored', parts: [own, { kind: 'rule', rule: only }] }
      }
    }
    return null
  }

  /** A composite on the same history that fires at fewer of the same events: it marks them as counted (BEHAVIOUR.md#frequency), and what fires it is not stored. */
  #countsEarlier(rule: CompiledRule): CompiledRule | null {
    const { search } = rule
    if (search?.kind !== 'rule') return null
    const { rules } = this.#ruleset
    const source = rules.inOrder().find(({ index }) => index === search.target)
    if (source === undefined) return null
    const places = rules.placements(source.id)
    const isSame = (a: ReadonlyMap<Subject, string>, b: ReadonlyMap<Subject, string>): boolean => a.size === b.size && [...a.keys()].every((subject) => b.has(subject))
    const compared = comparedFields(rule)
    const counts = ({ rule: other }: RuleNode): boolean => {
      const { definition, level, conditions, lists, identity } = other
      if (other === rule || other.search?.kind !== 'rule' || other.search.target !== search.target || level < rule.level) return false
      if (conditions.length > 0 || lists.length > 0 || identity >= 0 || definition.ifFts || definition.checkDiff || definition.noalert) return false
      if (definition.globalFrequency !== rule.definition.globalFrequency || definition.timeframe < rule.definition.timeframe) return false
      const theirs = comparedFields(other)
      const locations = [other, rule].map(({ same, different }) => `${same.includes(SUBJECT_LOCATION)} ${different.includes(SUBJECT_LOCATION)}`)
      return neededEvents(other) < neededEvents(rule) && isSame(theirs.same, compared.same) && isSame(theirs.different, compared.different) && locations[0] === locations[1]
    }
    const found = places[0]?.children.find(counts)
    return found !== undefined && places.every(({ children }) => children.some(({ rule: other }) => other === found.rule)) ? found.rule : null
  }

  /** The values that a list accepts. Null: not known, or too many. */
  #keysOf({ path, lookup, check }: CompiledListCondition): readonly string[] | null {
    const list = this.#ruleset.lists.get(path)
    if (list === undefined || list.entries.size > KEYS_LIMIT || (lookup !== 'match_key' && lookup !== 'match_key_value')) return null
    return [...list.entries.keys()].filter((key) => lookUp(list, lookup, key, check))
  }

  /** The rules whose events a composite counts; null: too many. */
  #sourcesOf({ search, index }: CompiledRule): readonly CompiledRule[] | null {
    const { rules } = this.#ruleset
    const known = rules.inOrder()
    if (search?.kind === 'rule') return known.filter((rule) => rule.index === search.target)
    const sources = known.filter((rule) => !rules.wiring.matched.has(rule.index) && rules.wiring.feeds.get(rule.index)?.some(({ composite }) => composite === index) === true)
    return sources.length > SOURCES_LIMIT ? null : sources
  }

  #textConflict(nodes: readonly RuleNode[], path: readonly CompiledRule[]): Conflict | null {
    const bySubject = new Map<Subject, Sourced[]>()
    const present = new Set<Subject>([SUBJECT_LOG, SUBJECT_HOSTNAME, SUBJECT_LOCATION])
    const held = new Set<Condition>()
    const add = (subject: Subject, requirement: Requirement | null, part: ConflictPart): void => {
      if (requirement === null) return
      const list = bySubject.get(subject) ?? []
      bySubject.set(subject, list)
      list.push({ ...requirement, part })
    }
    for (const rule of path) {
      for (const condition of rule.conditions) {
        held.add(condition)
        const { subject, test } = condition
        if (test.kind === 'event') continue
        if (subject === SUBJECT_NEVER)
          return {
            code: 'field_never_decoded',
            parts: [
              { kind: 'name', name: condition.option.name },
              { kind: 'rule', rule },
            ],
          }
        present.add(subject)
        add(subject, requirementOf(this.#bounds, test, true), { kind: 'condition', rule, condition })
      }
      for (const list of rule.lists) {
        present.add(list.subject)
        const keys = this.#keysOf(list)
        const tests = rule.lists.length === 0 ? [] : path.flatMap(({ conditions }) => conditions.filter(({ subject }) => subject === list.subject))
        if (keys !== null && !keys.some((key) => tests.every((condition) => passesText(condition, key))))
          return { code: 'list_excludes', parts: [{ kind: 'name', name: list.path }, ...tests.map((condition): ConflictPart => ({ kind: 'condition', rule, condition }))] }
      }
      // A composite without the compared field searches nothing.
      if (rule.search !== null && !rule.definition.checkDiff) for (const subject of comparedFields(rule).same.keys()) present.add(subject)
    }
    const own = conflictIn(this.#bounds, bySubject)
    if (own !== null) return own
    const takers = this.#takers(nodes, path)
    const identity = path.findLast((rule) => rule.identity >= 0)?.identity ?? -1
    if (takers === null) return null
    /** Rules that take every event of their decoder. */
    const byDecoder: Taker[] = []
    for (const taker of takers) {
      const { rule, isChild } = taker
      const open = rule.conditions.filter((condition) => !held.has(condition) && !isImplied(this.#bounds, condition, bySubject, present))
      if (open.length === 0 && rule.identity >= 0 && identity < 0) {
        byDecoder.push(taker)
        continue
      }
      if (rule.identity >= 0 && identity < 0) continue
      if (open.length === 0) return { code: isChild ? 'child_always_matches' : 'sibling_always_first', parts: [{ kind: 'taker', rule, condition: null, isChild }] }
      const [condition] = open
      if (open.length === 1 && present.has(condition.subject) && condition.test.kind !== 'event')
        add(condition.subject, requirementOf(this.#bounds, condition.test, false), { kind: 'taker', rule, condition, isChild })
    }
    return conflictIn(this.#bounds, bySubject) ?? this.#planConflict(path, bySubject, present, byDecoder)
  }

  /**
   * Rules that are tried before a rule of the path is final, and that are final or lead to a final rule as soon as their conditions hold: siblings before the rules
   * of the path, and the children of the last. Null: too many.
   */
  #takers(nodes: readonly RuleNode[], path: readonly CompiledRule[]): readonly Taker[] | null {
    const identity = path.findLast((rule) => rule.identity >= 0)?.identity ?? -1
    const takers: Taker[] = []
    const own = new Set(path)
    const take = (list: readonly RuleNode[], until: RuleNode | null): boolean => {
      for (const node of list) {
        if (node === until) return true
        const { rule } = node
        // Another placement of a rule of the path is proven by itself.
        if (own.has(rule) || rule.definition.noalert || !rule.conditionsOnly) continue
        if (rule.identity >= 0 && identity >= 0 && rule.identity !== identity) continue
        takers.push({ rule, isChild: until === null })
        if (takers.length > TAKERS_LIMIT) return false
      }
      // A list without the rule is not what the events pass through.
      return until === null
    }
    if (
      !take(
        this.#ruleset.rules.top.filter(({ rule }) => rule.category === path[0].category),
        nodes[0],
      )
    )
      return null
    for (let depth = 0; depth < nodes.length; depth++) if (!take(nodes[depth].children, nodes[depth + 1] ?? null)) return null
    return takers
  }

  /** Every way to decode an event is excluded. */
  #planConflict(path: readonly CompiledRule[], bySubject: ReadonlyMap<Subject, readonly Sourced[]>, present: ReadonlySet<Subject>, takers: readonly Taker[]): Conflict | null {
    const { decoders } = this.#ruleset
    const named = path.findLast(({ identity }) => identity >= 0)
    const { category } = path[0]
    const fields = [...present].filter((subject) => subject >= SUBJECT_STATIC || subject === SUBJECT_USER || subject === SUBJECT_LIST_USER)
    // An event without a decoder is of the type syslog, and has no fields.
    if (named === undefined && category === 'syslog' && fields.length === 0) return null
    const possible = plansOf(decoders).filter((plan) => plan.reported !== null && (named === undefined || plan.reported.identity === named.identity) && typeFits(plan, category))
    const adds = possible.some(({ reported }) => reported?.definition.valueOf(ACCUMULATE) === true)
    const needsFts = path.find(({ definition }) => definition.ifFts)
    if (needsFts !== undefined && possible.every(({ reported }) => reported === null || (reported.definition.fts ?? null) === null))
      return { code: 'fts_never', parts: [{ kind: 'rule', rule: needsFts }] }
    let missing: Subject | null = null
    const decoding = possible.filter((plan) => {
      const absent = adds ? undefined : fields.find((subject) => !maySupply(plan, subject, path))
      if (absent !== undefined) missing ??= absent
      return absent === undefined
    })
    if (decoding.length > PLANS_LIMIT) return null
    let first: Conflict | null = null
    for (const plan of decoding) {
      const taker = named === undefined ? takers.find(({ rule }) => rule.identity === plan.reported?.identity) : undefined
      const conflict: Conflict | null =
        taker === undefined
          ? this.#conflictIn(plan, bySubject, path)
          : { code: 'sibling_always_first', parts: [{ kind: 'taker', rule: taker.rule, condition: null, isChild: taker.isChild }] }
      if (conflict === null) return null
      first ??= conflict
    }
    if (first !== null) return first
    return missing === null
      ? null
      : { code: 'field_never_decoded', parts: [{ kind: 'name', name: nameOf(missing, path) }, ...(named === undefined ? [] : [{ kind: 'rule', rule: named } as const])] }
  }

  /** What the choice of the decoders wants of the texts, together with the rules. */
  #conflictIn({ kind, root, entry, members }: DecodePlan, bySubject: ReadonlyMap<Subject, readonly Sourced[]>, path: readonly CompiledRule[]): Conflict | null {
    if (root === null || kind === 'eventchannel') return null
    const { programRoots, plainRoots } = this.#ruleset.decoders
    const own: Sourced[] = []
    const names: Sourced[] = []
    const want = (to: Sourced[], expression: Expression | null, matches: boolean, decoder: CompiledDecoder): void => {
      const requirement = expression === null ? null : patternRequirement(this.#bounds, expression, matches)
      if (requirement !== null) to.push({ ...requirement, part: { kind: 'decoder', decoder, isOther: !matches } })
    }
    want(own, root.prematch, true, root)
    want(names, root.programName, true, root)
    const list = root.programName === null ? plainRoots : programRoots
    for (const other of list) {
      if (other === root) break
      if (other.programName === null || isSamePattern(other.programName, root.programName)) {
        if (other.prematch === null)
          return {
            code: 'decoder_never_chosen',
            parts: [
              { kind: 'decoder', decoder: other, isOther: true },
              { kind: 'decoder', decoder: root, isOther: false },
            ],
          }
        want(own, other.prematch, false, other)
      } else if (other.prematch === null) want(names, other.programName, false, other)
    }
    if (entry !== null && entry.prematch !== null && entry.definition.prematch?.offset === 'none') want(own, entry.prematch, true, entry)
    // What follows the match of the root begins where that ends, if all of it has one byte for each item.
    const before = root.prematch === null ? null : endOf(root.prematch)
    if (before !== null) {
      if (entry !== null && entry.prematch !== null && entry.definition.prematch?.offset === 'after_parent') {
        const node = boundsOf(entry.prematch).upper
        const automaton = node === null ? null : TextAutomaton.of([{ node: before }, { node }])
        if (automaton !== null) own.push({ automaton, isUnwanted: false, part: { kind: 'decoder', decoder: entry, isOther: false } })
      }
      for (const { rule, condition, node } of beginningsIn(path, members)) {
        const automaton = TextAutomaton.of([{ node: before }, { node }])
        if (automaton !== null) own.push({ automaton, isUnwanted: false, part: { kind: 'condition', rule, condition } })
      }
    }
    for (const child of root.children) {
      if (child === entry) break
      if (!child.continues && child.prematch !== null && child.definition.prematch?.offset === 'none') want(own, child.prematch, false, child)
    }
    const merged = new Map<Subject, readonly Sourced[]>([
      [SUBJECT_LOG, [...(bySubject.get(SUBJECT_LOG) ?? []), ...own]],
      [SUBJECT_PROGRAM_NAME, [...(bySubject.get(SUBJECT_PROGRAM_NAME) ?? []), ...names]],
    ])
    return conflictIn(this.#bounds, merged)
  }
}

/** The tree of a prematch whose matches end where its last item does; null: the machine may report another end. */
function endOf(expression: Expression): Node | null {
  const { upper, lower } = boundsOf(expression)
  return upper !== null && lower !== null && expression.dialect !== 'pcre2' && !someNode(upper, ({ kind }) => kind === 'repeat') ? upper : null
}

/** Conditions on the beginning of a field that is itself the beginning of what follows the match of the root. */
function beginningsIn(path: readonly CompiledRule[], members: readonly CompiledDecoder[]): { readonly rule: CompiledRule; readonly condition: Condition; readonly node: Node }[] {
  const found: { rule: CompiledRule; condition: Condition; node: Node }[] = []
  for (const { regex, regexOffset, ...member } of members) {
    if (!(regex instanceof OsRegexExpression) || regexOffset !== 'after_parent' || !regex.alternatives.every(({ anchoredStart, kinds }) => anchoredStart && kinds[0] === MARK))
      continue
    const [subject] = subjectsOf({ ...member, regex, regexOffset })
    // Another decoder of the family may set the field, too.
    if (subject === undefined || members.some((other) => other.regex !== regex && (other.plugin !== null || subjectsOf(other).includes(subject)))) continue
    if (subjectsOf({ ...member, regex, regexOffset }).filter((one) => one === subject).length > 1) continue
    for (const rule of path) {
      for (const condition of rule.conditions) {
        const { test } = condition
        if (condition.subject !== subject || test.kind !== 'pattern' || test.negate || isNegated(test.expression)) continue
        const node = boundsOf(test.expression).upper
        if (node !== null && isAnchored(node, 'subject_start') && !someNode(node, (each) => each.kind === 'look' || (each.kind === 'assertion' && each.test !== 'subject_start')))
          found.push({ rule, condition, node })
      }
    }
  }
  return found
}

/** A conflict on one of the texts. */
function conflictIn(bounds: Bounds, bySubject: ReadonlyMap<Subject, readonly Sourced[]>): Conflict | null {
  for (const requirements of bySubject.values()) {
    const core = conflictAmong(bounds, requirements)
    if (core === null) continue
    const taker = core.find(({ part }) => part.kind === 'taker')?.part
    const other = core.find(({ part }) => part.kind === 'decoder' && part.isOther)
    const code =
      taker !== undefined && taker.kind === 'taker'
        ? taker.isChild
          ? 'child_always_matches'
          : 'sibling_always_first'
        : other !== undefined
          ? 'decoder_never_chosen'
          : 'conditions_exclude'
    return { code, parts: core.map(({ part }) => part) }
  }
  return null
}

/** Wanted patterns alone, then each unwanted one with them, then all. */
function conflictAmong(bounds: Bounds, requirements: readonly Sourced[]): readonly Sourced[] | null {
  const wanted = requirements.filter(({ isUnwanted }) => !isUnwanted).slice(0, TOGETHER_LIMIT)
  const unwanted = requirements.filter(({ isUnwanted }) => isUnwanted)
  if (wanted.length > 1 && bounds.excludeEachOther(wanted)) return bounds.coreOf(wanted)
  for (const one of unwanted) if (bounds.excludeEachOther([...wanted, one])) return bounds.coreOf([...wanted, one])
  const together = [...wanted, ...unwanted.slice(0, TOGETHER_LIMIT)]
  return unwanted.length > 1 && bounds.excludeEachOther(together) ? bounds.coreOf(together) : null
}

/** Whether every text that passes the conditions of the path passes this one, too. */
function isImplied(bounds: Bounds, { subject, test }: Condition, bySubject: ReadonlyMap<Subject, readonly Sourced[]>, present: ReadonlySet<Subject>): boolean {
  if (!present.has(subject) || test.kind === 'event') return false
  const fails = requirementOf(bounds, test, false)
  if (fails === null) return false
  const wanted = (bySubject.get(subject) ?? []).filter(({ isUnwanted, part }) => !isUnwanted && part.kind === 'condition').slice(0, TOGETHER_LIMIT)
  return bounds.excludeEachOther([...wanted, fails])
}

function passesText({ test }: Condition, text: string): boolean {
  if (test.kind === 'pattern') return test.expression.test(text, foldCase(text), 0) !== test.negate
  return test.kind === 'event' || (test.kind === 'exact' ? text === test.text : test.passes(text)) !== test.negate
}

function isSamePattern(a: Expression, b: Expression | null): boolean {
  return b !== null && (a === b || (a.dialect === b.dialect && a.pattern === b.pattern))
}

/** Whether an event that is decoded so may have the field. */
function maySupply(plan: DecodePlan, subject: Subject, path: readonly CompiledRule[]): boolean {
  if (plan.reported !== EVENTCHANNEL_DECODER) return supplies(plan, subject)
  const name = nameOf(subject, path)
  return subject >= SUBJECT_DYNAMIC && (name === '' || name.toLowerCase().startsWith('win.'))
}

function nameOf(subject: Subject, path: readonly CompiledRule[]): string {
  if (subject < SUBJECT_DYNAMIC) return fieldName(subject)
  for (const rule of path) {
    const { conditions, lists } = rule
    const compared = comparedFields(rule).same.get(subject)
    if (compared !== undefined) return fromByteString(compared)
    const condition = conditions.find((one) => one.subject === subject)
    if (condition !== undefined) return fromByteString(condition.field ?? '')
    const list = lists.find((one) => one.subject === subject)
    if (list !== undefined) return fromByteString(list.field)
  }
  return ''
}
