/**
 * Which children of a placement can match at all, found by what the event has rather than by walking: first by the decoder that
 * answered, then by the exact value of the field that most children ask for. Leaves out only rules that cannot match, and keeps the
 * order of the rest.
 *
 * The index hangs on the placement and only depends on its children, so that layers on the same base share it.
 */
import type { RuleNode } from '../rules/compiled-rule.js'
import type { Subject } from '../rules/condition.js'
import type { ConditionEvaluator } from '../rules/evaluate.js'

/** Shorter lists are walked. */
const LEAST_INDEXED = 4

/** Children for one decoder, split by the exact value of one subject where that helps. */
interface Branch {
  readonly nodes: readonly RuleNode[]
  /** Subject to look at, -1 = walk `nodes`. */
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

  constructor(children: readonly RuleNode[]) {
    this.#children = children
  }

  branch(identity: number): Branch {
    let branch = this.#byDecoder.get(identity)
    if (branch === undefined) {
      branch = makeBranch(
        this.#children.filter(({ rule }) => rule.identity < 0 || rule.identity === identity),
        [],
      )
      this.#byDecoder.set(identity, branch)
    }
    return branch
  }
}

/** The children to try, in order. @param identity of the event's decoder, -1 = none */
export function candidatesOf(node: RuleNode, identity: number, evaluator: ConditionEvaluator): readonly RuleNode[] {
  const { children } = node
  if (children.length < LEAST_INDEXED) return children
  let index = node.candidates as CandidateIndex | null
  if (index === null) {
    index = new CandidateIndex(children)
    node.candidates = index
  }
  let branch = index.branch(identity)
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
  return branch.nodes
}

/** @param used subjects that are already decided */
function makeBranch(nodes: readonly RuleNode[], used: readonly Subject[]): Branch {
  const subject = nodes.length < LEAST_INDEXED ? -1 : bestSubject(nodes, used)
  if (subject < 0) return { nodes, subject, byValue: NO_VALUES, rest: null }
  const byValue = new Map<string, LazyBranch>()
  for (const node of nodes) for (const value of exactValues(node, subject) ?? []) byValue.set(value, { branch: null })
  const rest = nodes.filter((node) => exactValues(node, subject) === null)
  return { nodes, subject, byValue, rest: makeBranch(rest, [...used, subject]) }
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
