/** Events for two rulesets, made with the parts of `generate/`: all that this folder asks of it. */
import { composeEvent, VARIANTS } from '../generate/compose-event.js'
import { plansFor, subjectsOf, type DecodePlan } from '../generate/decode-plan.js'
import { Goal } from '../generate/goal.js'
import { otherWay, type Sharpened, withoutTaker } from '../generate/sharpened.js'
import { FIRST_EFFORT, FULL_EFFORT, inputOf, RuleSearch, type Witness } from '../generate/rule-search.js'
import type { LogtestInput } from '../records/records.js'
import { runStages } from '../logtest/logtest.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { type Condition, type Subject, SUBJECT_LOG, SUBJECT_PROGRAM_NAME } from '../rules/condition.js'
import type { Expression } from '../expressions/expression.js'
import { USUAL_ADVANCE, WITNESS_EPOCH } from '../generate/witnesses.js'
import { utcMoment } from '../logtest/virtual-clock.js'
import type { BehaviourEvent, Side } from './side.js'

/** Ways to decode that are tried for one wish. */
const PLANS_TRIED = 4
/** Times that an event is composed again without what took it. */
const ROUNDS_TRIED = 5
/** Events of one witness. */
const EVENTS_LIMIT = 60
const MOMENT = utcMoment(WITNESS_EPOCH + USUAL_ADVANCE)

/** What an event should have beside the conditions on a path. All of the side for which it is composed. */
/** A field that must have a value. */
export interface Pin {
  readonly subject: Subject
  readonly name: string
  readonly value: string
}

export interface Wishes {
  readonly must?: readonly Condition[]
  readonly mustNot?: readonly Condition[]
  readonly pins?: readonly Pin[]
  /** Patterns that the log must not have. */
  readonly logWithout?: readonly Expression[]
}

export interface SearchBudget {
  /** Compositions that are left. */
  compositions: number
  readonly mayGoOn: () => boolean
}

/** A sequence that fires the rule. Null: none was found. @param isThorough whether more is tried than what suffices for nearly every rule */
export function witnessOf(side: Side, rule: CompiledRule, isThorough: boolean, mayGoOn: () => boolean): readonly BehaviourEvent[] | null {
  const witness = new RuleSearch(
    { runner: side.runner, moment: MOMENT, cache: side.cache, eventsLimit: EVENTS_LIMIT, mayGoOn },
    rule,
    isThorough ? FULL_EFFORT : FIRST_EFFORT,
  ).run()
  return witness === null ? null : sequenceOf(witness)
}

/** The events of a witness, each with the seconds since the one before. */
export function sequenceOf({ events, start }: Witness): readonly BehaviourEvent[] {
  return events.map(({ input, at }, index) => asEvent(input, index === 0 ? USUAL_ADVANCE + start : at - events[index - 1].at))
}

/** The first items. */
export function* limited<T>(items: Iterable<T>, count: number): Generator<T> {
  let left = count
  for (const item of items) {
    yield item
    if (--left <= 0) return
  }
}

function asEvent({ event, log_format, location }: LogtestInput, advance = USUAL_ADVANCE): BehaviourEvent {
  return { event, log_format, ...(location === undefined ? {} : { location }), ...(advance === USUAL_ADVANCE ? {} : { advance }) }
}

/** Composes events for a path. Each was run on the side, and the next ones are without what took it. */
export function* composeEvents(side: Side, path: readonly CompiledRule[], wishes: Wishes, budget: SearchBudget): Generator<BehaviourEvent> {
  const { ruleset, cache } = side
  const last = path[path.length - 1]
  const wanted = wishes.must === undefined || wishes.must.length === 0 ? path : [...path, { ...last, conditions: wishes.must, lists: [] }]
  const goal = Goal.forPath(wanted, ruleset.lists, new Map(), new Set(), cache)
  for (const condition of wishes.mustNot ?? []) goal.refute({ ...last, conditions: [condition], lists: [] })
  for (const { subject, name, value } of wishes.pins ?? []) goal.pin(subject, name, value)
  for (const expression of wishes.logWithout ?? []) goal.exclude(SUBJECT_LOG, expression)
  const plans = plansFor(ruleset.decoders, goal).slice(0, PLANS_TRIED)
  for (let variant = 0; variant < VARIANTS; variant++) for (const plan of plans) yield* composeWith(side, plan, goal, variant, path, budget)
}

/**
 * Composes events that a way to decode reads; rules are not considered. @param name of the decoders whose fields the event has; null: any
 * @param programWithout a pattern that the name of the program must not have
 */
export function* composeDecoded(
  side: Side,
  plan: DecodePlan,
  name: string | null,
  logWithout: readonly Expression[],
  budget: SearchBudget,
  programWithout: Expression | null = null,
): Generator<BehaviourEvent> {
  const [template] = side.ruleset.rules.top
  const path: CompiledRule[] = [{ ...template.rule, identity: -1, category: plan.reported?.definition.type ?? '', conditions: [], lists: [] }]
  const own = plan.members.filter(({ definition }) => definition.name === name)
  const fields = new Map(own.flatMap((member) => subjectsOf(member).map((subject, at) => [subject, member.order?.[at].name ?? ''] as const)))
  const goal = Goal.forPath(path, side.ruleset.lists, fields, new Set(), side.cache)
  for (const expression of logWithout) goal.exclude(SUBJECT_LOG, expression)
  if (programWithout !== null) goal.exclude(SUBJECT_PROGRAM_NAME, programWithout)
  for (let variant = 0; variant < VARIANTS; variant++) yield* composeWith(side, plan, goal, variant, [], budget)
}

function* composeWith(side: Side, plan: DecodePlan, first: Goal, variant: number, path: readonly CompiledRule[], budget: SearchBudget): Generator<BehaviourEvent> {
  const { runner } = side
  const tried = new Set<string>()
  let sharpened: Sharpened | null = { goal: first, before: null }
  for (let round = 0; round < ROUNDS_TRIED; round++) {
    if (sharpened === null || budget.compositions <= 0 || !budget.mayGoOn()) return
    budget.compositions--
    side.cache.budget.steps = FIRST_EFFORT.steps
    const { goal }: Sharpened = sharpened
    const composed = composeEvent(plan, goal, variant, 0)
    if (composed === null || tried.has(composed.text)) {
      sharpened = otherWay(sharpened)
      continue
    }
    tried.add(composed.text)
    const event = asEvent(inputOf(composed))
    yield event
    const stages = runStages(runner, event, MOMENT, null, null, { locale: 'en-US' })
    if (stages.kind !== 'run') return
    const { decoder } = stages.event
    if (decoder !== null && decoder !== plan.reported) {
      const next = goal.copy()
      const { prematch, programName } = decoder
      if (prematch !== null && prematch !== plan.root?.prematch) next.exclude(SUBJECT_LOG, prematch)
      else if (programName !== null && programName !== plan.root?.programName) next.exclude(SUBJECT_PROGRAM_NAME, programName)
      else return
      sharpened = { goal: next, before: null }
    } else {
      const own = new Set(path.map(({ id }) => id))
      const taker = stages.outcome.path.find(({ id }) => !own.has(id))
      if (taker === undefined || path.length === 0) return
      sharpened = withoutTaker(taker, goal)
    }
  }
}
