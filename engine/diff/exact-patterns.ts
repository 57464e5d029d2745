/**
 * Patterns whose automaton accepts exactly the texts that the engine accepts, and searches that look at all of its states: they prove that no text is in a set, while
 * other searches only fail to find one. A pattern that is not exact has no automaton here.
 */
import type { Expression } from '../expressions/expression.js'
import { OsMatchExpression } from '../expressions/osmatch/osmatch.js'
import { OsRegexExpression } from '../expressions/osregex/osregex.js'
import { isNegated, literalNode, partsOf } from '../expressions/pattern-nodes.js'
import { alternationOf, type Node, sequenceOf } from '../expressions/pcre2/ast.js'
import { singleByte } from '../expressions/pcre2/byte-set.js'
import { Pcre2Expression } from '../expressions/pcre2/compile.js'
import { alphabetOf } from '../generate/find-text.js'
import { COPIES_LIMIT, DEAD, END_OF_TEXT, FOUND, OPTIONAL_LIMIT, TextAutomaton } from '../generate/text-automaton.js'
import type { ConditionTest } from '../rules/condition.js'

/** States of all automata together that one search looks at. */
const STATES_SEARCHED = 4_000
/** Steps of one search: states by bytes that its patterns tell apart. */
const STEPS_LIMIT = 200_000

/** Texts that a condition accepts: those that have each of some patterns, and none of others. */
export interface ExactTexts {
  readonly wanted: readonly TextAutomaton[]
  readonly unwanted: readonly TextAutomaton[]
}

const AUTOMATA = new WeakMap<Expression, TextAutomaton | null>()

/** The texts that pass a test, and those that do not. Null: they are not known exactly. */
export function exactTexts(test: ConditionTest): { readonly pass: ExactTexts; readonly fail: ExactTexts } | null {
  if (test.kind !== 'pattern' && test.kind !== 'exact') return null
  const automaton = test.kind === 'exact' ? TextAutomaton.of([{ node: literalNode(test.text) }], true) : automatonOf(test.expression)
  if (automaton === null) return null
  const has: ExactTexts = { wanted: [automaton], unwanted: [] }
  const lacks: ExactTexts = { wanted: [], unwanted: [automaton] }
  const isNegative = test.negate !== (test.kind === 'pattern' && isNegated(test.expression))
  return isNegative ? { pass: lacks, fail: has } : { pass: has, fail: lacks }
}

/** The texts that have an expression. Null: they are not known exactly. */
export function automatonOf(expression: Expression): TextAutomaton | null {
  let found = AUTOMATA.get(expression)
  if (found === undefined) {
    const node = exactNode(expression)
    AUTOMATA.set(expression, (found = node === null ? null : TextAutomaton.of([{ node }])))
  }
  return found
}

/** Whether no text is in all of these sets. False: there is one, or the search met its limit. */
export function isProvenEmpty(sets: readonly ExactTexts[]): boolean {
  const wanted = sets.flatMap((set) => set.wanted)
  const all = [...wanted, ...sets.flatMap((set) => set.unwanted)]
  const bytes = alphabetOf(all)
  const isIn = (states: readonly number[]): boolean => states.every((state, at) => (all[at].step(state, END_OF_TEXT) === FOUND) === at < wanted.length)
  const first = all.map(({ initial }) => initial)
  const seen = new Set([first.join()])
  const open: (readonly number[])[] = [first]
  let steps = 0
  for (let states = open.pop(); states !== undefined; states = open.pop()) {
    if (isIn(states)) return false
    const reached: { readonly states: readonly number[]; readonly needed: number }[] = []
    for (const byte of bytes) {
      if (++steps > STEPS_LIMIT) return false
      const next = states.map((state, at) => all[at].step(state, byte))
      if (next.some((state, at) => state === (at < wanted.length ? DEAD : FOUND))) continue
      const key = next.join()
      if (seen.has(key)) continue
      if (seen.size >= STATES_SEARCHED) return false
      seen.add(key)
      reached.push({ states: next, needed: wanted.reduce((sum, automaton, at) => sum + automaton.needed(next[at]), 0) })
    }
    // Where there is a text, the states that need the fewest bytes lead to it at once.
    for (const { states: next } of reached.sort((a, b) => b.needed - a.needed)) open.push(next)
  }
  // A state beyond the limit of an automaton is dead there, though texts go on from it.
  return !all.some(({ isCut }) => isCut)
}

const FINAL_NEWLINE: Node = alternationOf([
  { kind: 'assertion', test: 'subject_end' },
  sequenceOf([
    { kind: 'set', set: singleByte(0x0a) },
    { kind: 'assertion', test: 'subject_end' },
  ]),
])

/** The tree of an expression if it is exact. OSRegex gives up after some repetitions, so that only patterns without them are. */
function exactNode(expression: Expression): Node | null {
  const { main, also, never } = partsOf(expression)
  if (also.length + never.length > 0) return null
  if (expression instanceof OsMatchExpression) return main
  if (expression instanceof OsRegexExpression) return hasOnlySets(main) ? main : null
  if (!(expression instanceof Pcre2Expression)) return null
  const { utf, notEmpty, limitMatch } = expression.tree
  return utf || notEmpty !== 'no' || limitMatch !== null ? null : outermost(main)
}

function hasOnlySets(node: Node): boolean {
  switch (node.kind) {
    case 'sequence':
      return node.items.every(hasOnlySets)
    case 'alternation':
      return node.branches.every(hasOnlySets)
    case 'assertion':
      return node.test === 'subject_start' || node.test === 'subject_end'
    default:
      return node.kind === 'set' || node.kind === 'empty'
  }
}

/** A pattern of PCRE2 with anchors at its beginning and end only. Null: it is not exact. */
function outermost(node: Node): Node | null {
  if (node.kind === 'alternation') {
    const branches = node.branches.map(outermost)
    return branches.includes(null) ? null : alternationOf(branches as Node[])
  }
  if (node.kind === 'capture') return outermost(node.body)
  const items = node.kind === 'sequence' ? [...node.items] : [node]
  const first = items[0]
  const last = items.at(-1)
  const before: Node[] = first?.kind === 'assertion' && first.test === 'subject_start' ? items.splice(0, 1) : []
  const after: Node[] = []
  if (items.length > 0 && last?.kind === 'assertion' && (last.test === 'subject_end' || last.test === 'final_end')) {
    items.pop()
    after.push(last.test === 'subject_end' ? last : FINAL_NEWLINE)
  }
  return items.every(isRegular) ? sequenceOf([...before, ...items, ...after]) : null
}

/** Whether an automaton reads the tree exactly. */
function isRegular(node: Node): boolean {
  switch (node.kind) {
    case 'set':
    case 'empty':
      return true
    case 'sequence':
      return node.items.every(isRegular)
    case 'alternation':
      return node.branches.every(isRegular)
    case 'capture':
      return isRegular(node.body)
    case 'repeat':
      return (
        node.mode !== 'possessive' && node.min <= COPIES_LIMIT && (node.max === Number.POSITIVE_INFINITY || node.max - node.min <= OPTIONAL_LIMIT) && isRegular(node.body)
      )
    default:
      return false
  }
}
