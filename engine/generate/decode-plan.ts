/** The ways in which the decoders of a ruleset can decode an event: the root that is chosen, the child that is entered, and the members of its family that run. */
import type { DecoderTree } from '../decoders/link.js'
import type { CompiledDecoder } from '../event/decoder.js'
import { EVENTCHANNEL_DECODER } from '../logtest/eventchannel-event.js'
import { type Subject, SUBJECT_DYNAMIC, SUBJECT_LOG, SUBJECT_PROGRAM_NAME, SUBJECT_STATIC } from '../rules/condition.js'
import { foldCase } from '../source/byte-string.js'
import { type Goal, isSameField } from './goal.js'

/** Plans that are tried for one rule. */
const PLANS_LIMIT = 24

export interface DecodePlan {
  readonly kind: 'plain' | 'text' | 'json' | 'eventchannel'
  readonly root: CompiledDecoder | null
  /** The child that is entered; null: the root has none, or none is entered. */
  readonly entry: CompiledDecoder | null
  /** Decoders whose regexes run. */
  readonly members: readonly CompiledDecoder[]
  /** The decoder that the event has. */
  readonly reported: CompiledDecoder | null
}

const PLAIN: DecodePlan = { kind: 'plain', root: null, entry: null, members: [], reported: null }
const EVENTCHANNEL: DecodePlan = { kind: 'eventchannel', root: null, entry: null, members: [], reported: EVENTCHANNEL_DECODER }

const NOTHING: ReadonlySet<number> = new Set()

const PLANS = new WeakMap<DecoderTree, readonly DecodePlan[]>()

/** All plans of a tree, in the order in which decoders are tried. */
export function plansOf(tree: DecoderTree): readonly DecodePlan[] {
  let plans = PLANS.get(tree)
  if (plans === undefined) PLANS.set(tree, (plans = [...[...tree.programRoots, ...tree.plainRoots].flatMap(rootPlans), EVENTCHANNEL]))
  return plans
}

/** The plans that can meet a goal, the likeliest first. @param taken decoders whose events other rules take */
export function plansFor(tree: DecoderTree, goal: Goal, taken: ReadonlySet<number> = NOTHING): readonly DecodePlan[] {
  const { path, required } = goal
  const identity = path.findLast((rule) => rule.identity >= 0)?.identity ?? -1
  const { category } = path[0]
  const needsFts = path.some(({ definition }) => definition.ifFts)
  const fitting = plansOf(tree).filter(
    (plan) =>
      plan.reported !== null &&
      (identity < 0 || plan.reported.identity === identity) &&
      typeFits(plan, category) &&
      (!needsFts || plan.reported.definition.fts !== null) &&
      !taken.has(plan.reported.identity) &&
      required.every(([subject]) => supplies(plan, subject)),
  )
  const words = wordsOf(
    path.flatMap(({ conditions }) => conditions.flatMap(({ test, subject }) => (subject === SUBJECT_LOG && test.kind === 'pattern' ? [test.expression.pattern] : []))),
  )
  const program = goal.of(SUBJECT_PROGRAM_NAME)
  const ranked = fitting
    .map((plan) => ({ plan, score: scoreOf(plan, words, goal) }))
    .sort((a, b) => b.score - a.score)
    .map(({ plan }) => plan)
  const mayBePlain = identity < 0 && !needsFts && category === 'syslog' && required.length === 0
  // Without a wanted field the text alone decides; a program name selects its own decoders.
  return [...(mayBePlain ? [PLAIN] : []), ...ranked.slice(0, mayBePlain && program === undefined ? PLANS_LIMIT / 2 : PLANS_LIMIT)]
}

/** The fields that the groups of a decoder fill, in their order. */
export function subjectsOf({ order }: CompiledDecoder): Subject[] {
  return (order ?? []).map(({ staticIndex, key }) => (staticIndex >= 0 ? SUBJECT_STATIC + staticIndex : SUBJECT_DYNAMIC + key))
}

function rootPlans(root: CompiledDecoder): DecodePlan[] {
  const { children } = root
  if (children.length === 0) return [planOf(root, null, [root])]
  const plans: DecodePlan[] = []
  for (let at = 0; at < children.length; at++) {
    const entry = children[at]
    let end = at
    while (end < children.length && children[end].continues) end++
    plans.push(planOf(root, entry, children.slice(at, end + 1)))
    // Nothing behind a child without a prematch is entered.
    if (entry.prematch === null) return plans
    at = end
  }
  return [...plans, planOf(root, null, [])]
}

function planOf(root: CompiledDecoder, entry: CompiledDecoder | null, members: readonly CompiledDecoder[]): DecodePlan {
  const isJson = members.some(({ definition }) => definition.plugin?.name === 'JSON_Decoder')
  return { kind: isJson ? 'json' : 'text', root, entry, members, reported: entry === null || entry.prematch === null ? root : entry }
}

export function typeFits({ reported, members }: DecodePlan, category: string): boolean {
  return reported?.definition.type === category || members.some(({ definition }) => definition.plugin !== null && definition.plugin.name !== 'JSON_Decoder')
}

/** Whether the event can have the field. What plugins read is not known. */
export function supplies({ kind, members }: DecodePlan, wanted: Subject): boolean {
  return (
    kind === 'json' ||
    (kind === 'eventchannel' && wanted >= SUBJECT_DYNAMIC) ||
    members.some((member) => (member.definition.plugin !== null && wanted < SUBJECT_DYNAMIC) || subjectsOf(member).some((own) => isSameField(own, wanted)))
  )
}

function wordsOf(patterns: readonly string[]): readonly string[] {
  return patterns.flatMap((pattern) => foldCase(pattern).split(/[^a-z0-9]+/)).filter((word) => word.length > 2)
}

function scoreOf({ kind, root, members, entry }: DecodePlan, words: readonly string[], goal: Goal): number {
  const pattern = foldCase([root?.prematch, entry?.prematch, ...members.map(({ regex }) => regex)].map((expression) => expression?.pattern ?? '').join(' '))
  const shared = Math.max(0, ...words.map((word) => (pattern.includes(word) ? word.length : 0)))
  const program = goal.of(SUBJECT_PROGRAM_NAME)
  const hasProgram = root?.programName != null
  const programFits = program === undefined ? 0 : hasProgram && program.value(null) !== undefined && accepts(root, program.value(null) ?? '') ? 20 : -20
  return shared + programFits + (kind !== 'json' ? 0 : hasProgram && program === undefined ? -2 : -1)
}

function accepts(root: CompiledDecoder, name: string): boolean {
  return root.programName?.test(name, foldCase(name), 0) === true
}
