/**
 * Which children of a placement can match at all, found by what the event has rather than by walking: first by the decoder that
 * answered, then by the exact value of the field that most children ask for. Leaves out only rules that cannot match, and keeps the
 * order of the rest.
 *
 * The index hangs on the placement and only depends on its children, so that layers on the same base share it.
 */
import type { RuleNode } from '../rules/compiled-rule.js'
import type { Subject } from '../rules/condition.js'
import { SUBJECT_DYNAMIC, SUBJECT_PROGRAM_NAME } from '../rules/condition.js'
import type { ConditionEvaluator } from '../rules/evaluate.js'

/** Shorter lists are walked. */
const LEAST_INDEXED = 4
/** Program names for which a list is narrowed; further ones make do with the list of their decoder. */
const PROGRAM_NAMES_REMEMBERED = 512

/** Children that may match, with what each of them needs at least. */
export interface Candidates {
  readonly nodes: readonly RuleNode[]
  /** For each node: number of a gate on the log, -1 = none; and a dynamic field that must be there, -1 = none. */
  readonly gates: Int32Array
  readonly fields: Int32Array
}

/** Children split by the exact value of one subject where that helps. */
interface Branch extends Candidates {
  /** Subject to look at, -1 = walk the nodes. */
  readonly subject: Subject
  /** Folded value to the children that remain; made at first use. */
  readonly byValue: ReadonlyMap<string, LazyBranch>
  /** Children that ask nothing exact of the subject. */
  readonly rest: Branch | null
}

interface LazyBranch {
  branch: Branch | null
}

const NO_VALUES: ReadonlyMap<string, LazyBranch> = new Map()

class CandidateIndex {
  readonly #children: readonly RuleNode[]
  readonly #byDecoder = new Map<number, Branch>()
  /** Narrowed further by program name, where children ask for it. */
  readonly #byProgram: Map<string, Map<number, Branch>> | null

  constructor(children: readonly RuleNode[]) {
    this.#children = children
    const asked = children.filter(({ rule }) => rule.conditions.some(({ subject }) => subject === SUBJECT_PROGRAM_NAME)).length
    this.#byProgram = asked >= LEAST_INDEXED ? new Map() : null
  }

  branch(identity: number, evaluator: ConditionEvaluator): Branch {
    const programName = this.#byProgram === null ? undefined : evaluator.text(SUBJECT_PROGRAM_NAME)
    if (programName === undefined || this.#byProgram === null) return this.#branchIn(this.#byDecoder, identity, null)
    let branches = this.#byProgram.get(programName)
    if (branches === undefined) {
      if (this.#byProgram.size >= PROGRAM_NAMES_REMEMBERED) return this.#branchIn(this.#byDecoder, identity, null)
      branches = new Map()
      this.#byProgram.set(programName, branches)
    }
    return this.#branchIn(branches, identity, evaluator)
  }

  /** @param evaluator stands on an event whose program name decides; null = that is left open */
  #branchIn(branches: Map<number, Branch>, identity: number, evaluator: ConditionEvaluator | null): Branch {
    let branch = branches.get(identity)
    if (branch === undefined) {
      const passes = ({ rule }: RuleNode): boolean =>
        (rule.identity < 0 || rule.identity === identity) &&
        (evaluator === null || rule.conditions.every((condition) => condition.subject !== SUBJECT_PROGRAM_NAME || evaluator.passes(condition)))
      branch = makeBranch(this.#children.filter(passes), [])
      branches.set(identity, branch)
    }
    return branch
  }
}

/** The children to try, in order. @param identity of the event's decoder, -1 = none */
export function candidatesOf(node: RuleNode, identity: number, evaluator: ConditionEvaluator): Candidates {
  let index = node.candidates as CandidateIndex | null
  if (index === null) {
    index = new CandidateIndex(node.children)
    node.candidates = index
  }
  let branch = index.branch(identity, evaluator)
  if (branch.subject < 0) return branch
  const used: Subject[] = []
  while (branch.subject >= 0) {
    const { subject, nodes } = branch
    const text = evaluator.text(subject)
    const value = text === undefined ? '' : evaluator.lower(subject, text)
    const lazy = text === undefined ? undefined : branch.byValue.get(value)
    used.push(subject)
    if (lazy === undefined) branch = branch.rest as Branch
    else {
      lazy.branch ??= makeBranch(
        nodes.filter((candidate) => exactValues(candidate, subject)?.includes(value) !== false),
        used,
      )
      branch = lazy.branch
    }
  }
  return branch
}

/** @param used subjects that are already decided */
function makeBranch(nodes: readonly RuleNode[], used: readonly Subject[]): Branch {
  const subject = nodes.length < LEAST_INDEXED ? -1 : bestSubject(nodes, used)
  if (subject < 0) return { nodes, ...needsOf(nodes), subject, byValue: NO_VALUES, rest: null }
  const byValue = new Map<string, LazyBranch>()
  for (const node of nodes) for (const value of exactValues(node, subject) ?? []) byValue.set(value, { branch: null })
  const rest = nodes.filter((node) => exactValues(node, subject) === null)
  return { nodes, ...needsOf(nodes), subject, byValue, rest: makeBranch(rest, [...used, subject]) }
}

function needsOf(nodes: readonly RuleNode[]): { gates: Int32Array; fields: Int32Array } {
  const gates = Int32Array.from(nodes, ({ rule }) => rule.conditions.find(({ logGate }) => logGate >= 0)?.logGate ?? -1)
  const fields = Int32Array.from(nodes, ({ rule }) => rule.conditions.find(({ subject }) => subject >= SUBJECT_DYNAMIC)?.subject ?? -1)
  return { gates, fields }
}

/** The subject of which most rules ask an exact value; -1 when that would not rule out enough. */
function bestSubject(nodes: readonly RuleNode[], used: readonly Subject[]): Subject {
  const counts = new Map<Subject, number>()
  for (const { rule } of nodes) {
    const subjects = new Set(rule.conditions.filter(({ gate, subject }) => gate?.kind === 'exact' && !used.includes(subject)).map(({ subject }) => subject))
    for (const subject of subjects) counts.set(subject, (counts.get(subject) ?? 0) + 1)
  }
  let best = -1
  for (const [subject, count] of counts) if (count >= LEAST_INDEXED - 1 && (best < 0 || count > (counts.get(best) as number))) best = subject
  return best
}

/** Values of which the subject must have one, or null. */
function exactValues(node: RuleNode, subject: Subject): readonly string[] | null {
  for (const condition of node.rule.conditions) if (condition.subject === subject && condition.gate?.kind === 'exact') return condition.gate.values
  return null
}
