/**
 * Finds the children of a placement that can match an event, by an index instead of a scan: first by the event's decoder, then by the exact
 * value of the field that most children test. It omits only rules that cannot match, and keeps the order of the rest.
 *
 * The index is stored on the placement and depends only on its children, so layers on the same base share it.
 */
import { canBeginWith, LEADING_BYTES, NO_BYTE } from '../expressions/leading-byte.js'
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import type { Condition, Subject } from '../rules/condition.js'
import { SUBJECT_DYNAMIC, SUBJECT_LOG, SUBJECT_PROGRAM_NAME } from '../rules/condition.js'
import type { ConditionEvaluator, RuleList } from '../rules/evaluate.js'

/** Minimum length of a list with an index. Shorter lists are scanned. */
const MIN_INDEXED = 4
/** Maximum number of program names with their own lists. Events of further names use the list of their decoder. */
const PROGRAM_NAMES_REMEMBERED = 512

/** Children that may match, with the minimal requirements of each. */
export interface Candidates extends RuleList {
  readonly nodes: readonly RuleNode[]
  /** What a test of each reads; null: it was not tried yet, or none was. */
  tried: (Candidate | null)[] | null
}

/** Shared by all rules with at most two conditions. */
const NO_CONDITIONS: readonly Condition[] = []

/**
 * What the test of a rule reads. It is created at the first test, because few rules of a ruleset are ever tried: side by side these fit the pages that a core
 * has at hand, where the rules themselves, each of them between all that compiling it left, do not.
 */
export class Candidate {
  readonly node: RuleNode
  readonly rule: CompiledRule
  /** Its first two conditions, and all further ones: few rules have more than two. */
  readonly first: Condition | null
  readonly second: Condition | null
  readonly further: readonly Condition[]
  readonly conditionsOnly: boolean
  /** Whether it never passes without earlier events, and its test changes nothing then. */
  readonly needsHistory: boolean
  readonly noalert: boolean
  /** Null: it has no children. */
  readonly children: CandidateIndex | null

  constructor(node: RuleNode) {
    const { rule } = node
    this.node = node
    this.rule = rule
    const conditions = rule.conditions.map(({ tried }) => tried)
    this.first = conditions[0] ?? null
    this.second = conditions[1] ?? null
    this.further = conditions.length > 2 ? conditions.slice(2) : NO_CONDITIONS
    this.conditionsOnly = rule.conditionsOnly
    this.needsHistory = rule.search !== null && !rule.definition.ifFts
    this.noalert = rule.definition.noalert
    this.children = node.children.length === 0 ? null : indexOf(node)
  }
}

/** Returns what the test of a candidate reads. @param at its position in the list */
export function candidateAt(list: Candidates, at: number): Candidate {
  const tried = (list.tried ??= new Array<Candidate | null>(list.size).fill(null))
  return (tried[at] ??= new Candidate(list.nodes[at]))
}

/** Children split by the exact value of one subject, where that helps. */
interface Branch extends Candidates {
  /** Subject of the split, -1 = scan the nodes. */
  readonly subject: Subject
  /** Folded value to the remaining children; null: they are not selected yet. */
  readonly byValue: Map<string, Branch | null>
  /** Children that require no exact value of the subject. */
  readonly rest: Branch | null
  /** Subjects of the splits above this branch. */
  readonly used: readonly Subject[]
}

const NO_VALUES = new Map<string, Branch | null>()

/** Minimum length of a list that is split by the first byte of the log. */
const MIN_BY_BYTE = 12

/** The children of a placement, by what rules most of them out. */
export class CandidateIndex {
  readonly #children: readonly RuleNode[]
  /** Candidates by decoder and first byte of the log. */
  readonly #branches = new Map<number, Branch>()
  /** Split further by program name (undefined = the event has none); null when no child tests it. */
  readonly #byProgram: Map<string | undefined, Map<number, Branch>> | null
  readonly #byByte: boolean
  /** The result of the last call, which the next event often needs again. */
  #last: Branch | null = null
  #lastKey = 0
  #lastProgram: string | undefined

  constructor(children: readonly RuleNode[]) {
    this.#children = children
    this.#byProgram = children.some(({ rule }) => rule.conditions.some(({ subject }) => subject === SUBJECT_PROGRAM_NAME)) ? new Map() : null
    this.#byByte = children.length >= MIN_BY_BYTE
  }

  branch(identity: number, evaluator: ConditionEvaluator): Branch {
    const key = identity * LEADING_BYTES + (this.#byByte ? evaluator.logByte() : NO_BYTE)
    const programName = this.#byProgram === null ? undefined : evaluator.text(SUBJECT_PROGRAM_NAME)
    if (this.#last === null || key !== this.#lastKey || programName !== this.#lastProgram) {
      this.#last = this.#find(key, programName, identity, evaluator)
      this.#lastKey = key
      this.#lastProgram = programName
    }
    return this.#last
  }

  #find(key: number, programName: string | undefined, identity: number, evaluator: ConditionEvaluator): Branch {
    if (this.#byProgram === null) return this.#branchIn(this.#branches, key, identity, evaluator, false)
    let branches = this.#byProgram.get(programName)
    if (branches === undefined) {
      if (this.#byProgram.size >= PROGRAM_NAMES_REMEMBERED) return this.#branchIn(this.#branches, key, identity, evaluator, false)
      branches = new Map()
      this.#byProgram.set(programName, branches)
    }
    return this.#branchIn(branches, key, identity, evaluator, true)
  }

  /** @param byProgram whether to split by the program name of the event too */
  #branchIn(branches: Map<number, Branch>, key: number, identity: number, evaluator: ConditionEvaluator, byProgram: boolean): Branch {
    let branch = branches.get(key)
    if (branch === undefined) {
      const byte = this.#byByte ? ((key % LEADING_BYTES) + LEADING_BYTES) % LEADING_BYTES : NO_BYTE
      branch = makeBranch(
        this.#children.filter(
          ({ rule }) => (rule.identity < 0 || rule.identity === identity) && rule.conditions.every((condition) => mayPass(condition, byte, byProgram ? evaluator : null)),
        ),
        [],
        evaluator,
      )
      branches.set(key, branch)
    }
    return branch
  }
}

/** Whether the condition can pass for a log that begins with `byte`, and for the program name of the evaluator's event. */
function mayPass(condition: Condition, byte: number, evaluator: ConditionEvaluator | null): boolean {
  const { subject, test } = condition
  if (subject === SUBJECT_PROGRAM_NAME) return evaluator === null || evaluator.passes(condition)
  return subject !== SUBJECT_LOG || test.kind !== 'pattern' || test.negate || canBeginWith(test.expression, byte)
}

/** The index of the children of a placement. */
export function indexOf(node: RuleNode): CandidateIndex {
  const known = node.candidates as CandidateIndex | null
  if (known !== null) return known
  const index = new CandidateIndex(node.children)
  node.candidates = index
  return index
}

/** The children to try, in order. @param identity of the event's decoder, -1 = none */
export function candidatesOf(index: CandidateIndex, identity: number, evaluator: ConditionEvaluator): Candidates {
  let branch = index.branch(identity, evaluator)
  while (branch.subject >= 0) {
    const { subject, nodes } = branch
    const text = evaluator.text(subject)
    const value = text === undefined ? '' : evaluator.lower(subject)
    const known = text === undefined ? undefined : branch.byValue.get(value)
    if (known === undefined) branch = branch.rest as Branch
    else if (known !== null) branch = known
    else {
      const selected = makeBranch(
        nodes.filter((candidate) => exactValues(candidate, subject)?.includes(value) !== false),
        [...branch.used, subject],
        evaluator,
      )
      branch.byValue.set(value, selected)
      branch = selected
    }
  }
  return branch
}

/** @param used subjects of the splits above */
function makeBranch(nodes: readonly RuleNode[], used: readonly Subject[], evaluator: ConditionEvaluator): Branch {
  const subject = nodes.length < MIN_INDEXED ? -1 : bestSubject(nodes, used)
  const needs = needsOf(nodes, evaluator)
  if (subject < 0) return { nodes, tried: null, ...needs, subject, byValue: NO_VALUES, rest: null, used }
  const byValue = new Map<string, Branch | null>()
  for (const node of nodes) for (const value of exactValues(node, subject) ?? []) byValue.set(value, null)
  const rest = nodes.filter((node) => exactValues(node, subject) === null)
  return { nodes, tried: null, ...needs, subject, byValue, rest: makeBranch(rest, [...used, subject], evaluator), used }
}

function needsOf(nodes: readonly RuleNode[], evaluator: ConditionEvaluator): RuleList {
  const prefilters = nodes.map(({ rule }) => rule.conditions.find(({ logPrefilter }) => logPrefilter >= 0)?.logPrefilter ?? -1)
  const tests = nodes.map(({ rule }) => rule.conditions.find(({ subject }) => subject >= SUBJECT_DYNAMIC)?.tried ?? null)
  if (tests.every((test) => test === null)) return { ...evaluator.prefilterListOf(prefilters, []), tests: null }
  const subjects = tests.map((test) => test?.subject ?? -1)
  return { ...evaluator.prefilterListOf(prefilters, subjects), tests }
}

/** The subject for which most rules require an exact value; -1 when a split would not rule out enough. */
function bestSubject(nodes: readonly RuleNode[], used: readonly Subject[]): Subject {
  const counts = new Map<Subject, number>()
  for (const { rule } of nodes) {
    const subjects = new Set(rule.conditions.filter(({ prefilter, subject }) => prefilter?.kind === 'exact' && !used.includes(subject)).map(({ subject }) => subject))
    for (const subject of subjects) counts.set(subject, (counts.get(subject) ?? 0) + 1)
  }
  let best = -1
  for (const [subject, count] of counts) if (count >= MIN_INDEXED - 1 && (best < 0 || count > (counts.get(best) as number))) best = subject
  return best
}

/** Values of which the subject must have one, or null. */
function exactValues(node: RuleNode, subject: Subject): readonly string[] | null {
  for (const condition of node.rule.conditions) if (condition.subject === subject && condition.prefilter?.kind === 'exact') return condition.prefilter.values
  return null
}
