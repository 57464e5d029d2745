/** Events for two rulesets, made with the parts of `generate/`: all that this folder asks of it. */
import { generateCases } from '../generate/generate-cases.js'
import { composeEvent, VARIANTS } from '../generate/compose-event.js'
import { plansFor, type DecodePlan } from '../generate/decode-plan.js'
import { Goal } from '../generate/goal.js'
import { detectFormat } from '../logtest/detect-format.js'
import { runStages } from '../logtest/logtest.js'
import type { TestCase } from '../records/records.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { type Condition, type Subject, SUBJECT_LOG, SUBJECT_PROGRAM_NAME } from '../rules/condition.js'
import type { Expression } from '../expressions/expression.js'
import { fromByteString } from '../source/byte-string.js'
import { type BehaviourEvent, SESSION_START, type Side, USUAL_ADVANCE, utcMoment } from './side.js'

/** Ways to decode that are tried for one wish. */
const PLANS_TRIED = 4
/** Times that an event is composed again without what took it. */
const ROUNDS_TRIED = 5
const MOMENT = utcMoment(SESSION_START + USUAL_ADVANCE)

/** What an event should have beside the conditions on a path. All of the side for which it is composed. */
export interface Wishes {
  readonly must?: readonly Condition[]
  readonly mustNot?: readonly Condition[]
  readonly pins?: readonly { readonly subject: Subject; readonly name: string; readonly value: string }[]
  /** Patterns that the log must not have. */
  readonly logWithout?: readonly Expression[]
}

export interface SearchBudget {
  /** Compositions that are left. */
  compositions: number
  readonly mayGoOn: () => boolean
}

/** A sequence that fires the rule. Null: none was found. */
export function witnessOf(side: Side, rule: CompiledRule, mayGoOn: () => boolean): readonly BehaviourEvent[] | null {
  const { cases } = generateCases(side.runner, MOMENT, { scopes: [rule.definition.source.scope], only: new Set([rule.id]), limit: 1, locale: 'en-US', mayGoOn })
  return cases.length === 0 ? null : eventsOfCase(cases[0])
}

function eventsOfCase({ event_text = '', events = [{ event_text }] }: TestCase): BehaviourEvent[] {
  let before = 0
  return events.map(({ event_text: event, at = 0 }, index) => {
    const advance = index === 0 ? USUAL_ADVANCE : at - before
    before = at
    return asEvent(event, advance)
  })
}

/** @param text Unicode */
export function asEvent(text: string, advance = USUAL_ADVANCE): BehaviourEvent {
  const log_format = detectFormat({ event: text, log_format: 'auto' })
  return advance === USUAL_ADVANCE ? { event: text, log_format } : { event: text, log_format, advance }
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

/** Composes events that a way to decode reads, whatever rules say of them. */
export function* composeDecoded(side: Side, plan: DecodePlan, logWithout: readonly Expression[], budget: SearchBudget): Generator<BehaviourEvent> {
  const [template] = side.ruleset.rules.top
  const path: CompiledRule[] = [{ ...template.rule, identity: -1, category: plan.reported?.definition.type ?? '', conditions: [], lists: [] }]
  const goal = Goal.forPath(path, side.ruleset.lists, new Map(), new Set(), side.cache)
  for (const expression of logWithout) goal.exclude(SUBJECT_LOG, expression)
  for (let variant = 0; variant < VARIANTS; variant++) yield* composeWith(side, plan, goal, variant, [], budget)
}

function* composeWith(side: Side, plan: DecodePlan, first: Goal, variant: number, path: readonly CompiledRule[], budget: SearchBudget): Generator<BehaviourEvent> {
  const { runner } = side
  const tried = new Set<string>()
  let goal = first
  for (let round = 0; round < ROUNDS_TRIED; round++) {
    if (budget.compositions <= 0 || !budget.mayGoOn()) return
    budget.compositions--
    const text = composeEvent(plan, goal, variant, 0)
    if (text === null || tried.has(text)) return
    tried.add(text)
    const event = asEvent(fromByteString(text))
    yield event
    const stages = runStages(runner, event, MOMENT, null, null, { locale: 'en-US' })
    if (stages.kind !== 'run') return
    const { decoder } = stages.event
    const next = goal.copy()
    if (decoder !== null && decoder !== plan.reported) {
      const { prematch, programName } = decoder
      if (prematch !== null && prematch !== plan.root?.prematch) next.exclude(SUBJECT_LOG, prematch)
      else if (programName !== null && programName !== plan.root?.programName) next.exclude(SUBJECT_PROGRAM_NAME, programName)
      else return
    } else {
      const own = new Set(path.map(({ id }) => id))
      const taker = stages.outcome.path.find(({ id }) => !own.has(id))
      if (taker === undefined || path.length === 0 || !next.refute(taker)) return
    }
    goal = next
  }
}
