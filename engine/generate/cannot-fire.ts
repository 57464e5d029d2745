/**
 * Proofs that no event fires a rule: every placement of the rule is excluded, by the conditions on the way, by siblings and children that always take its events,
 * by the decoders, or by the history that it searches. Invariants:
 *  1. what is not understood exactly is no part of a proof: patterns count by their bounds, rules that search histories or lists never take an event here
 *  2. a proof has limited steps, whatever the content is
 *  3. an alert of another manager, which names its rule without any test (BEHAVIOUR.md#imported-alerts), is no event that fires a rule here
 */
import { BUILT_IN_DECODERS } from '../decoders/identities.js'
import { accumulate as ACCUMULATE } from '../decoders/options/accumulate.js'
import type { CompiledDecoder } from '../event/decoder.js'
import type { Expression } from '../expressions/expression.js'
import { EVENTCHANNEL_DECODER } from '../logtest/eventchannel-event.js'
import { neededEvents } from '../match/history.js'
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
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
import { fromByteString } from '../source/byte-string.js'
import { type DecodePlan, plansOf, supplies, typeFits } from './decode-plan.js'
import { coreOf, excludeEachOther, patternRequirement, type Requirement, requirementOf } from './exclusion.js'
import { fieldName } from './goal.js'

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
  'sibling_always_first',
  'child_always_matches',
  'source_not_loaded',
  'source_never_stored',
  'source_ignored',
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

type Sourced = Requirement & { readonly part: ConflictPart }

export class CannotFireProver {
  readonly #ruleset: CompiledRuleset
  readonly #known = new Map<CompiledRule, Conflict | null>()

  constructor(ruleset: CompiledRuleset) {
    this.#ruleset = ruleset
  }

  /** The conflict of the rule's first placement, if all of them have one. Null: nothing is proven. */
  prove(rule: CompiledRule, depth = 0): Conflict | null {
    const known = this.#known.get(rule)
    if (known !== undefined) return known
    // A rule that counts itself proves nothing.
    this.#known.set(rule, null)
    const conflict = this.#prove(rule, depth)
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
    const { rules } = this.#ruleset
    const nodes: RuleNode[] = []
    for (let node: RuleNode | null = placement; node !== null; node = rules.parentOf(node)) nodes.unshift(node)
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
    if (plans.length > 0) return plans.some((plan) => typeFits(plan, path[0].category)) ? null : { code: 'decoder_of_other_type', parts: [{ kind: 'name', name }, { kind: 'rule', rule: path[0] }] }
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
        if (subject === SUBJECT_NEVER) return { code: 'field_never_decoded', parts: [{ kind: 'name', name: condition.option.name }, { kind: 'rule', rule }] }
        present.add(subject)
        add(subject, requirementOf(test, true), { kind: 'condition', rule, condition })
      }
      for (const { subject } of rule.lists) present.add(subject)
    }
    const own = conflictIn(bySubject)
    if (own !== null) return own
    const takers = this.#takers(nodes, path)
    if (takers === null) return null
    for (const { rule, isChild } of takers) {
      const open = rule.conditions.filter((condition) => !held.has(condition) && !isImplied(condition, bySubject, present))
      if (open.length === 0) return { code: isChild ? 'child_always_matches' : 'sibling_always_first', parts: [{ kind: 'taker', rule, condition: null, isChild }] }
      const [condition] = open
      if (open.length === 1 && present.has(condition.subject) && condition.test.kind !== 'event') add(condition.subject, requirementOf(condition.test, false), { kind: 'taker', rule, condition, isChild })
    }
    return conflictIn(bySubject) ?? this.#planConflict(path, bySubject, present)
  }

  /**
   * Rules that are tried before a rule of the path is final, and that are final or lead to a final rule as soon as their conditions hold: siblings before the rules
   * of the path, and the children of the last. Null: too many.
   */
  #takers(nodes: readonly RuleNode[], path: readonly CompiledRule[]): readonly { readonly rule: CompiledRule; readonly isChild: boolean }[] | null {
    const identity = path.findLast((rule) => rule.identity >= 0)?.identity ?? -1
    const takers: { rule: CompiledRule; isChild: boolean }[] = []
    const own = new Set(path)
    const take = (list: readonly RuleNode[], until: RuleNode | null): boolean => {
      for (const node of list) {
        if (node === until) return true
        const { rule } = node
        // Another placement of a rule of the path is proven by itself.
        if (own.has(rule) || rule.definition.noalert || !rule.conditionsOnly || rule.category !== path[0].category) continue
        if (rule.identity >= 0 && rule.identity !== identity) continue
        takers.push({ rule, isChild: until === null })
        if (takers.length > TAKERS_LIMIT) return false
      }
      // A list without the rule is not what the events pass through.
      return until === null
    }
    if (!take(this.#ruleset.rules.top, nodes[0])) return null
    for (let depth = 0; depth < nodes.length; depth++) if (!take(nodes[depth].children, nodes[depth + 1] ?? null)) return null
    return takers
  }

  /** Every way to decode an event is excluded. */
  #planConflict(path: readonly CompiledRule[], bySubject: ReadonlyMap<Subject, readonly Sourced[]>, present: ReadonlySet<Subject>): Conflict | null {
    const { decoders } = this.#ruleset
    const named = path.findLast(({ identity }) => identity >= 0)
    const { category } = path[0]
    const fields = [...present].filter((subject) => subject >= SUBJECT_STATIC || subject === SUBJECT_USER || subject === SUBJECT_LIST_USER)
    // An event without a decoder is of the type syslog, and has no fields.
    if (named === undefined && category === 'syslog' && fields.length === 0) return null
    const possible = plansOf(decoders).filter((plan) => plan.reported !== null && (named === undefined || plan.reported.identity === named.identity) && typeFits(plan, category))
    const adds = possible.some(({ reported }) => reported !== null && reported.definition.valueOf(ACCUMULATE))
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
      const conflict = this.#conflictIn(plan, bySubject)
      if (conflict === null) return null
      first ??= conflict
    }
    if (first !== null) return first
    return missing === null ? null : { code: 'field_never_decoded', parts: [{ kind: 'name', name: nameOf(missing, path) }, ...(named === undefined ? [] : [{ kind: 'rule', rule: named } as const])] }
  }

  /** What the choice of the decoders wants of the texts, together with the rules. */
  #conflictIn({ kind, root, entry }: DecodePlan, bySubject: ReadonlyMap<Subject, readonly Sourced[]>): Conflict | null {
    if (root === null || kind === 'eventchannel') return null
    const { programRoots, plainRoots } = this.#ruleset.decoders
    const own: Sourced[] = []
    const names: Sourced[] = []
    const require = (to: Sourced[], expression: Expression | null, matches: boolean, decoder: CompiledDecoder): void => {
      const requirement = expression === null ? null : patternRequirement(expression, matches)
      if (requirement !== null) to.push({ ...requirement, part: { kind: 'decoder', decoder, isOther: !matches } })
    }
    require(own, root.prematch, true, root)
    require(names, root.programName, true, root)
    const list = root.programName === null ? plainRoots : programRoots
    for (const other of list) {
      if (other === root) break
      if (other.programName === null || isSamePattern(other.programName, root.programName)) {
        if (other.prematch === null) return { code: 'decoder_never_chosen', parts: [{ kind: 'decoder', decoder: other, isOther: true }, { kind: 'decoder', decoder: root, isOther: false }] }
        require(own, other.prematch, false, other)
      } else if (other.prematch === null) require(names, other.programName, false, other)
    }
    if (entry !== null && entry.prematch !== null && entry.definition.prematch?.offset === 'none') require(own, entry.prematch, true, entry)
    for (const child of root.children) {
      if (child === entry) break
      if (!child.continues && child.prematch !== null && child.definition.prematch?.offset === 'none') require(own, child.prematch, false, child)
    }
    const merged = new Map<Subject, readonly Sourced[]>([
      [SUBJECT_LOG, [...(bySubject.get(SUBJECT_LOG) ?? []), ...own]],
      [SUBJECT_PROGRAM_NAME, [...(bySubject.get(SUBJECT_PROGRAM_NAME) ?? []), ...names]],
    ])
    return conflictIn(merged)
  }
}

/** A conflict on one of the texts. */
function conflictIn(bySubject: ReadonlyMap<Subject, readonly Sourced[]>): Conflict | null {
  for (const requirements of bySubject.values()) {
    const core = conflictAmong(requirements)
    if (core === null) continue
    const taker = core.find(({ part }) => part.kind === 'taker')?.part
    const other = core.find(({ part }) => part.kind === 'decoder' && part.isOther)
    const code = taker !== undefined && taker.kind === 'taker' ? (taker.isChild ? 'child_always_matches' : 'sibling_always_first') : other !== undefined ? 'decoder_never_chosen' : 'conditions_exclude'
    return { code, parts: core.map(({ part }) => part) }
  }
  return null
}

/** Wanted patterns alone, then each unwanted one with them, then all. */
function conflictAmong(requirements: readonly Sourced[]): readonly Sourced[] | null {
  const wanted = requirements.filter(({ isUnwanted }) => !isUnwanted).slice(0, TOGETHER_LIMIT)
  const unwanted = requirements.filter(({ isUnwanted }) => isUnwanted)
  if (wanted.length > 1 && excludeEachOther(wanted)) return coreOf(wanted)
  for (const one of unwanted) if (excludeEachOther([...wanted, one])) return coreOf([...wanted, one])
  const together = [...wanted, ...unwanted.slice(0, TOGETHER_LIMIT)]
  return unwanted.length > 1 && excludeEachOther(together) ? coreOf(together) : null
}

/** Whether every text that meets the requirements so far passes the condition. */
function isImplied({ subject, test }: Condition, bySubject: ReadonlyMap<Subject, readonly Sourced[]>, present: ReadonlySet<Subject>): boolean {
  if (!present.has(subject) || test.kind === 'event') return false
  const fails = requirementOf(test, false)
  if (fails === null) return false
  const wanted = (bySubject.get(subject) ?? []).filter(({ isUnwanted }) => !isUnwanted).slice(0, TOGETHER_LIMIT)
  return excludeEachOther([...wanted, fails])
}

function isSamePattern(a: Expression, b: Expression | null): boolean {
  return b !== null && (a === b || (a.dialect === b.dialect && a.pattern === b.pattern && isNegatedAlike(a, b)))
}

function isNegatedAlike(a: Expression, b: Expression): boolean {
  return a.constructor === b.constructor
}

/** Whether an event that is decoded so may have the field. */
function maySupply(plan: DecodePlan, subject: Subject, path: readonly CompiledRule[]): boolean {
  if (plan.reported !== EVENTCHANNEL_DECODER) return supplies(plan, subject)
  return subject >= SUBJECT_DYNAMIC && nameOf(subject, path).toLowerCase().startsWith('win.')
}

function nameOf(subject: Subject, path: readonly CompiledRule[]): string {
  if (subject < SUBJECT_DYNAMIC) return fieldName(subject)
  for (const { conditions, lists } of path) {
    const condition = conditions.find((one) => one.subject === subject)
    if (condition !== undefined) return fromByteString(condition.field ?? '')
    const list = lists.find((one) => one.subject === subject)
    if (list !== undefined) return fromByteString(list.field)
  }
  return ''
}
