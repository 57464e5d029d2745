/**
 * The search for events that fire one rule: events are composed for its placements and the ways to decode them, and run; what took an event is excluded from the
 * next one. Invariants:
 *  1. every witness was run in a fresh session: the final rule of its last event is the rule
 *  2. a search has a limited number of runs, compositions and steps (`Effort`) for any content
 *  3. it depends on the ruleset, the rule and the moment only
 */
import type { DecoderTree } from '../decoders/link.js'
import type { CompiledDecoder } from '../event/decoder.js'
import { Event } from '../event/event.js'
import { runStages } from '../logtest/logtest.js'
import { later } from '../logtest/virtual-clock.js'
import { neededEvents } from '../match/history.js'
import type { Outcome } from '../match/outcome.js'
import type { EventRunner, Moment } from '../match/run-event.js'
import { createSession, type Session } from '../match/session.js'
import type { LogtestInput } from '../records/records.js'
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import { pathTo } from '../rules/placement-path.js'
import type { RuleTree } from '../rules/tree.js'
import { type Condition, type Subject, SUBJECT_LOG, SUBJECT_PROGRAM_NAME } from '../rules/condition.js'
import { time } from '../rules/options/time.js'
import { weekday } from '../rules/options/weekday.js'
import { isComposite } from '../rules/rule.js'
import { fromByteString } from '../source/byte-string.js'
import { type ComposedEvent, composeEvent, VARIANTS } from './compose-event.js'
import { type DecodePlan, plansFor } from './decode-plan.js'
import { comparedFields, type Fields, Goal } from './goal.js'
import { readableForms } from './readable.js'
import { otherWay, type Sharpened, withoutTaker } from './sharpened.js'
import { partsBehind, type PatternCache } from './text-tests.js'

/** Limits of one search. */
export interface Effort {
  /** Runs of events. */
  readonly runs: number
  /** Events that are composed: each is a search of a limited number of steps. */
  readonly compositions: number
  /** Steps of all searches for texts. */
  readonly steps: number
}

/** All that one rule may take. */
export const FULL_EFFORT: Effort = { runs: 1_000, compositions: 300, steps: 150_000 }
/** What suffices for nearly every rule that can fire: before more is spent, it is tried to prove that the rule cannot. */
export const FIRST_EFFORT: Effort = { runs: 120, compositions: 20, steps: 30_000 }
/** Runs after each of which one plan is sharpened: a decoder or a rule that took the event is excluded. */
const REFINEMENTS_LIMIT = 12
/** Placements of a rule that are tried: below `if_group` it may have thousands. */
const PLACEMENTS_TRIED = 6
/** Placements of a rule that took an event, of which the one that matched is searched for. */
export const PLACEMENTS_SEARCHED = 64
/** Rules whose events a composite may count, of which that many are tried. */
const FEEDERS_TRIED = 6
/** A composite first repeats one event, with that part of the effort; then it counts events of other rules. */
const STAGES = 2
/** Each placement and comparison of fields may take that part of the effort. */
const PLACES = 5
/** Composites that count events of composites: how deep they are followed. */
const DEPTH_LIMIT = 2
/** Events of a sequence that is made easier to read. */
const READABLE_EVENTS = 40
const MINUTES_PER_WEEK = 7 * 24 * 60

/** An event of a witness. Texts are Unicode. */
export interface WitnessEvent {
  readonly input: LogtestInput
  /** Seconds after the first event. */
  readonly at: number
}

/** Events in one session, of which the last one fires the rule. */
export interface Witness {
  readonly events: readonly WitnessEvent[]
  /** Seconds from the caller's moment to the first event; 0, unless the rule wants another time of day or weekday. */
  readonly start: number
}

/** The parts that the searches for several rules share. */
export interface SearchContext {
  readonly runner: EventRunner
  readonly moment: Moment
  readonly cache: PatternCache
  /** Events of one witness. */
  readonly eventsLimit: number
  /** Whether there is time for another event. */
  readonly mayGoOn: () => boolean
}

type Pinned = readonly { readonly subject: Subject; readonly name: string; readonly value: string }[]
/** The fields that a search for a sequence is about. */
interface Comparison {
  /** Equal in all events. */
  readonly same: Fields
  /** Another one in each event. */
  readonly different: Fields
  /** Equal in the events that are counted. */
  readonly steady: Fields
}

const NO_FIELDS: Fields = new Map()

type Compose = (round: number) => ComposedEvent | null

/** What a search, and those for the rules whose events it counts, have taken. */
interface Spent {
  runs: number
  compositions: number
}

/** A placement of a rule. */
interface Path {
  /** From the top of the tree. */
  readonly rules: readonly CompiledRule[]
  /** Decoders whose events rules before it take. */
  readonly taken: ReadonlySet<number>
}

export class RuleSearch {
  readonly #context: SearchContext
  readonly #rule: CompiledRule
  /** The rule whose counting the events have to meet: itself, or the one that counts above it. */
  readonly #counter: CompiledRule
  readonly #effort: Effort
  readonly #depth: number
  /** Seconds to a time at which the rule may fire. */
  readonly #start: number
  readonly #moment: Moment
  /** Compositions at which the present part of the search ends. */
  #stageEnd = Number.POSITIVE_INFINITY
  /** Whether a part ended before its search did. */
  #isCut = false
  readonly #spent: Spent

  constructor(context: SearchContext, rule: CompiledRule, effort: Effort = FULL_EFFORT, depth = 0, spent: Spent = { runs: 0, compositions: 0 }) {
    this.#context = context
    this.#rule = rule
    this.#counter = counterOf(context.runner.ruleset.rules, rule)
    this.#effort = effort
    this.#depth = depth
    this.#spent = spent
    this.#start = startFor(this.#clockConditions(), context.moment)
    this.#moment = later(context.moment, this.#start)
    if (depth === 0) context.cache.budget.steps = effort.steps
  }

  /** The effort that the search has spent so far. */
  get spent(): Readonly<Spent> {
    return this.#spent
  }

  /** Whether the search ended at a limit. */
  get isExhausted(): boolean {
    return this.#isCut || this.#isSpent
  }

  get #isSpent(): boolean {
    return this.#spent.runs >= this.#effort.runs || this.#spent.compositions >= this.#effort.compositions || this.#context.cache.budget.steps <= 0
  }

  /** Conditions on the time of all placements. */
  #clockConditions(): readonly Condition[] {
    const { rules } = this.#context.runner.ruleset
    const placements = rules.placements(this.#rule.id).slice(0, PLACEMENTS_TRIED)
    return placements.flatMap((placement) => pathTo(rules, placement).flatMap(({ rule }) => rule.conditions.filter(readsClock)))
  }

  /** Null: none was found. */
  run(pinned: Pinned = []): Witness | null {
    const { definition } = this.#rule
    if (definition.noalert) return null
    const witness = isComposite(this.#counter.definition) ? this.#composite(pinned) : this.#single(pinned)
    return witness === null ? null : { events: this.#depth === 0 ? this.#readable(witness) : witness, start: this.#start }
  }

  /** The events in a form that is easier to read, as far as they fire the rule in it. */
  #readable(events: readonly WitnessEvent[]): readonly WitnessEvent[] {
    let best = events
    if (events.length > READABLE_EVENTS) return best
    for (const change of readableForms(events[events.length - 1].input.event)) {
      const changed = best.map(({ input, at }): WitnessEvent => ({ input: { ...input, event: change(input.event) }, at }))
      const session = createSession()
      let last: Outcome | null = null
      for (const { input, at } of changed) last = this.#outcome(input, at, session)
      if (last?.rule === this.#rule) best = changed
    }
    return best
  }

  /** An event that passes all conditions but one of the rule itself. Null: none was found. */
  without(condition: Condition): WitnessEvent | null {
    for (const path of this.#paths(this.#rule)) {
      const found = this.#search(path, new Map(), new Set(), (event) => (this.#missesOnly(event, condition) ? { input: inputOf(event), at: 0 } : null), [], condition)
      if (found !== null) return found
    }
    return null
  }

  /** An event that meets the conditions of the rule and of those above it, and reaches one of the takers. Null: none was found. */
  taken(takers: ReadonlySet<CompiledRule>): WitnessEvent | null {
    const { evaluator } = this.#context.runner
    for (const path of this.#paths(this.#rule)) {
      const meets = ({ conditions, lists, identity }: CompiledRule, { event: { decoder } }: Outcome): boolean =>
        (identity < 0 || decoder?.identity === identity) && conditions.every((one) => evaluator.passes(one)) && lists.every((list) => evaluator.passesList(list))
      const found = this.#search(
        path,
        NO_FIELDS,
        new Set(),
        (event) => {
          const outcome = this.#outcomeOf(event)
          if (outcome === null || outcome.rule === this.#rule || !outcome.path.some((rule) => takers.has(rule))) return null
          return path.rules.every((rule) => meets(rule, outcome)) ? { input: inputOf(event), at: 0 } : null
        },
        [],
      )
      if (found !== null) return found
    }
    return null
  }

  #missesOnly(event: ComposedEvent, condition: Condition): boolean {
    const outcome = this.#outcomeOf(event)
    return outcome !== null && missesOnly(this.#context.runner, this.#rule, outcome, condition)
  }

  #single(pinned: Pinned): readonly WitnessEvent[] | null {
    const { different } = comparedFields(this.#rule)
    for (const path of this.#paths(this.#rule)) {
      const found = this.#search(path, new Map(), new Set(different.keys()), (event, compose) => this.#fired(event, compose), pinned)
      if (found !== null) return found
    }
    return null
  }

  /** The placements of a rule that events may reach. */
  #paths(rule: CompiledRule): readonly Path[] {
    const { rules, decoders, lists } = this.#context.runner.ruleset
    const found: Path[] = []
    for (const placement of rules.placements(rule.id).slice(0, PLACEMENTS_SEARCHED)) {
      const nodes = pathTo(rules, placement)
      const path = { rules: nodes.map((node) => node.rule), taken: takenDecoders(nodes, rules.top) }
      if (plansFor(decoders, Goal.forPath(path.rules, lists, new Map(), new Set(), this.#context.cache), path.taken).length > 0) found.push(path)
      if (found.length === PLACEMENTS_TRIED) break
    }
    return found
  }

  /**
   * Composes events for a path until one is accepted.
   * @param accept returns what was searched for, or null: the event is run, and the goal sharpened by what took it
   */
  #search<T>(
    { rules, taken }: Path,
    fields: Fields,
    varied: ReadonlySet<Subject>,
    accept: (event: ComposedEvent, compose: Compose) => T | null,
    pinned: Pinned,
    without: Condition | null = null,
  ): T | null {
    const { runner, cache } = this.#context
    const { ruleset } = runner
    const goal = Goal.forPath(rules, ruleset.lists, fields, varied, cache, without)
    for (const { subject, name, value } of pinned) goal.pin(subject, name, value)
    const plans = plansFor(ruleset.decoders, goal, taken)
    if (plans.length === 0) return null
    for (let variant = 0; variant < VARIANTS; variant++) {
      for (const plan of plans) {
        let sharpened: Sharpened = { goal, before: null }
        const tried = new Set<string>()
        for (let round = 0; round < REFINEMENTS_LIMIT; round++) {
          this.#isCut ||= this.#spent.compositions >= this.#stageEnd
          if (this.#spent.compositions >= this.#stageEnd || this.#isSpent || !this.#context.mayGoOn()) return null
          this.#spent.compositions++
          const event = composeEvent(plan, sharpened.goal, variant, 0)
          if (event === null || tried.has(event.text)) {
            const other = otherWay(sharpened)
            if (other === null) break
            sharpened = other
            continue
          }
          tried.add(event.text)
          const current = sharpened.goal
          const found = accept(event, (other) => composeEvent(plan, current, variant, other))
          if (found !== null) return found
          const next = this.#sharpen(plan, current, event)
          if (next === null) break
          sharpened = next
        }
      }
    }
    return null
  }

  /** A single event, or several where the rule compares logs. */
  #fired(event: ComposedEvent, compose: Compose): readonly WitnessEvent[] | null {
    if (this.#rule.definition.checkDiff) return this.#repeat((round) => compose(round) ?? event, ' ')
    const outcome = this.#outcomeOf(event)
    if (outcome === null) return null
    const input = inputOf(event)
    if (outcome.rule === this.#rule) return [{ input, at: 0 }]
    // A rule on what is seen for the first time does not take the second one.
    return outcome.path.some(({ definition }) => definition.ifFts) ? this.#run([input, input], null) : null
  }

  #composite(pinned: Pinned): readonly WitnessEvent[] | null {
    const paths = this.#paths(this.#rule)
    const feeders = this.#feeders()
    for (const comparison of this.#comparisons(feeders)) {
      const { same, different, steady } = comparison
      const varied = new Set(different.keys())
      const fields = new Map([...same, ...different, ...steady])
      for (const path of paths) {
        this.#stageEnd = Math.min(this.#effort.compositions / STAGES, this.#spent.compositions + this.#effort.compositions / PLACES)
        const found = this.#search(path, fields, varied, (event, compose) => this.#repeat((round) => compose(round) ?? event, ''), pinned)
        if (found !== null) return found
      }
    }
    // Events of one rule, then one of another: the fields that are compared are those of the last one.
    for (const comparison of this.#comparisons(feeders)) {
      for (const feeder of feeders) {
        for (const path of paths) {
          this.#stageEnd = this.#spent.compositions + this.#effort.compositions / PLACES
          const { same, different } = comparison
          const found = this.#search(
            path,
            new Map([...same, ...different]),
            new Set(different.keys()),
            (event, compose) => this.#followed(feeder, comparison, event, compose),
            pinned,
          )
          if (found !== null) return found
        }
      }
    }
    return null
  }

  /** The fields that events compare; then also those that keep other composites from counting the same events. */
  #comparisons(feeders: readonly CompiledRule[]): readonly Comparison[] {
    const { same, different } = comparedFields(this.#counter)
    const own: Comparison = { same, different, steady: NO_FIELDS }
    const sources = new Set(feeders.map(({ index }) => index))
    const { rules } = this.#context.runner.ruleset
    const composites = new Set([...sources].flatMap((index) => (rules.wiring.feeds.get(index) ?? []).map(({ composite }) => composite)))
    const others = rules
      .inOrder()
      .filter((rule) => rule !== this.#counter && rule.search !== null && (composites.has(rule.index) || (rule.search.kind === 'rule' && sources.has(rule.search.target))))
      .map(comparedFields)
    const steady = new Map(others.flatMap((other) => [...other.different]).filter(([subject]) => !different.has(subject) && !same.has(subject)))
    const changing = new Map(others.flatMap((other) => [...other.same]).filter(([subject]) => !same.has(subject) && !different.has(subject) && !steady.has(subject)))
    const all: Comparison[] = [own]
    if (steady.size > 0) all.push({ same, different, steady })
    if (changing.size > 0) all.push({ same, different: new Map([...different, ...changing]), steady: NO_FIELDS })
    return all
  }

  /** Whether the composite counts events of a rule. */
  #counts({ index, level }: CompiledRule): boolean {
    const { search, index: own } = this.#counter
    const { wiring } = this.#context.runner.ruleset.rules
    if (level === 0) return false
    if (search?.kind === 'rule') return search.target === index
    return search?.kind !== 'group' || (!wiring.matched.has(index) && wiring.feeds.get(index)?.some(({ composite }) => composite === own) === true)
  }

  /** Rules whose events the composite counts. */
  #feeders(): CompiledRule[] {
    const { search } = this.#counter
    const { rules } = this.#context.runner.ruleset
    const known = rules.inOrder()
    if (search?.kind === 'rule') return known.filter((rule) => rule.index === search.target)
    if (search?.kind !== 'group') return []
    const feeders = known.filter((rule) => this.#counts(rule))
    const simple = feeders.filter(({ definition }) => !isComposite(definition))
    return [...simple.slice(0, FEEDERS_TRIED), ...feeders.filter(({ definition }) => isComposite(definition)).slice(0, FEEDERS_TRIED)]
  }

  #followed(feeder: CompiledRule, { same, different, steady }: Comparison, event: ComposedEvent, compose: Compose): readonly WitnessEvent[] | null {
    const { runner } = this.#context
    if (this.#outcomeOf(event) === null) return null
    const pinned: { subject: Subject; name: string; value: string }[] = []
    for (const [subject, name] of same) {
      const value = runner.evaluator.text(subject)
      if (value === undefined) return null
      pinned.push({ subject, name, value })
    }
    if (isComposite(feeder.definition)) return this.#followedComposite(feeder, pinned, event)
    const fields = new Map([...same, ...different, ...steady])
    for (const path of this.#paths(feeder)) {
      const found = this.#search(
        path,
        fields,
        new Set(different.keys()),
        (other, composeFeeder) => {
          if (this.#outcomeOf(other)?.rule !== feeder) return null
          const count = Math.min(neededEvents(this.#counter) + 1, this.#context.eventsLimit - 1)
          const before = Array.from({ length: count }, (_, round) => composeFeeder(round) ?? other)
          return this.#sequence([...before, compose(before.length) ?? event], feeder)
        },
        pinned,
      )
      if (found !== null) return found
    }
    return null
  }

  /** Sequences that fire a composite, each counted once, and then the event. */
  #followedComposite(feeder: CompiledRule, pinned: Pinned, event: ComposedEvent): readonly WitnessEvent[] | null {
    if (this.#depth >= DEPTH_LIMIT) return null
    const one = new RuleSearch(this.#context, feeder, this.#effort, this.#depth + 1, this.#spent).run(pinned)
    if (one === null) return null
    const times = neededEvents(this.#counter) + 1
    if (one.events.length * times >= this.#context.eventsLimit) return null
    const inputs = Array.from({ length: times }, () => one.events.map(({ input }) => input)).flat()
    return this.#run([...inputs, inputOf(event)], feeder)
  }

  #sequence(events: readonly ComposedEvent[], feeder: CompiledRule): readonly WitnessEvent[] | null {
    return this.#run(events.map(inputOf), feeder)
  }

  #run(inputs: readonly LogtestInput[], feeder: CompiledRule | null): readonly WitnessEvent[] | null {
    for (const gap of this.#gaps(inputs.length, feeder)) {
      const session = createSession()
      const events = inputs.map((input, round): WitnessEvent => ({ input, at: Math.floor(round * gap) }))
      let last: Outcome | null = null
      for (const { input, at } of events) last = this.#outcome(input, at, session)
      if (last?.rule === this.#rule) return events
    }
    return null
  }

  /** Seconds between events: one each, fewer where the rule counts for a shorter time, more where the rule that is counted is silenced after it fired, or where another rule counts for a shorter time. */
  #gaps(count: number, feeder: CompiledRule | null): readonly number[] {
    const { timeframe } = this.#counter.definition
    const usual = Math.min(1, timeframe / (2 * count))
    const widest = Math.floor(timeframe / Math.max(1, count - 1))
    const ignore = feeder?.definition.ignore ?? 0
    const gaps = ignore > 0 && ignore + 1 <= widest ? [ignore + 1, usual] : [usual]
    return widest > 1 ? [...gaps, widest] : gaps
  }

  /** Repeats an event until the rule that counts fires. The parents have to match at once, or nothing is counted. @param differs put before the number of the round */
  #repeat(compose: (round: number) => ComposedEvent, differs: string): readonly WitnessEvent[] | null {
    const { frequency, checkDiff } = this.#counter.definition
    const { evaluator } = this.#context.runner
    const { same } = comparedFields(this.#counter)
    const count = Math.min((frequency ?? 2) + 3, this.#context.eventsLimit)
    const inputs: LogtestInput[] = []
    for (const gap of this.#gaps(neededEvents(this.#counter) + 2, null)) {
      const session = createSession()
      const events: WitnessEvent[] = []
      let isChecked = false
      for (let round = 0; round < count; round++) {
        if (round === inputs.length) {
          const input = inputOf(compose(round))
          inputs.push(differs === '' ? input : { ...input, event: `${input.event}${differs}${round}` })
        }
        const at = Math.floor(round * gap)
        events.push({ input: inputs[round], at })
        const outcome = this.#outcome(inputs[round], at, session)
        if (outcome?.rule === this.#rule) return events
        if (isChecked || checkDiff) continue
        // The first event may be taken by a rule on what is seen for the first time.
        if (round === 0 && outcome?.rule?.definition.ifFts === true) continue
        isChecked = true
        // What is not counted, or lacks the fields that are compared, fires nothing however often it is repeated.
        if (outcome === null || outcome.rule === null || !this.#counts(outcome.rule) || ![...same.keys()].every((subject) => evaluator.text(subject) !== undefined)) return null
      }
    }
    return null
  }

  /** Excludes what took the event: another decoder, or another rule. Null: nothing did, or it cannot be excluded. */
  #sharpen(plan: DecodePlan, goal: Goal, event: ComposedEvent): Sharpened | null {
    const { runner } = this.#context
    const outcome = this.#outcomeOf(event)
    if (outcome === null) return null
    const { decoder } = outcome.event
    const next = goal.copy()
    if (decoder !== plan.reported && (plan.kind !== 'plain' || goal.path.some(({ identity }) => identity >= 0)))
      return decoder !== null && excludeDecoder(next, plan, decoder, runner.ruleset.decoders) ? { goal: next, before: null } : null
    const matched = new Set(outcome.path)
    const own = new Set(goal.path)
    const missing = goal.path.find((rule) => !matched.has(rule))
    const isMet = missing === undefined || missing.conditions.every((condition) => runner.evaluator.passes(condition))
    // A condition that the decoder could have met does not hold: an event of another form is needed.
    if (!isMet) return plan.kind === 'plain' && decoder !== null && excludeDecoder(next, plan, decoder, runner.ruleset.decoders) ? { goal: next, before: null } : null
    const taker = this.#taker(outcome, own, matched)
    return taker === null ? null : withoutTaker(taker, goal)
  }

  /** The first rule beside the path on the way to the final one. */
  #taker({ rule }: Outcome, own: ReadonlySet<CompiledRule>, matched: ReadonlySet<CompiledRule>): CompiledRule | null {
    if (rule === null) return null
    const { rules } = this.#context.runner.ruleset
    for (const placement of rules.placements(rule.id).slice(0, PLACEMENTS_SEARCHED)) {
      const chain = pathTo(rules, placement).map((node) => node.rule)
      if (chain.every((each) => matched.has(each))) return chain.find((each) => !own.has(each)) ?? null
    }
    return null
  }

  #outcomeOf(event: ComposedEvent): Outcome | null {
    return this.#outcome(inputOf(event), 0, null)
  }

  #outcome(input: LogtestInput, second: number, session: Session | null): Outcome | null {
    this.#spent.runs++
    const stages = runStages(this.#context.runner, input, later(this.#moment, second), session, null, { locale: 'en-US' })
    return stages.kind === 'run' ? stages.outcome : null
  }
}

/** The nearest rule that counts events, from a rule up; the rule itself if none does. */
function counterOf(rules: RuleTree, rule: CompiledRule): CompiledRule {
  if (isComposite(rule.definition)) return rule
  for (const placement of rules.placements(rule.id).slice(0, PLACEMENTS_TRIED)) {
    const counter = pathTo(rules, placement).findLast((node) => isComposite(node.rule.definition))
    if (counter !== undefined) return counter.rule
  }
  return rule
}

/** Whether the outcome of a condition depends on when the event is received. */
export function readsClock({ option }: Condition): boolean {
  return option === time || option === weekday
}

/** Seconds from a moment to one at which the conditions hold; 0 if there is none within a week. */
function startFor(conditions: readonly Condition[], moment: Moment): number {
  if (conditions.length === 0) return 0
  // Neither of them reads the event.
  const event = new Event('', moment.seconds)
  for (let minute = 0; minute < MINUTES_PER_WEEK; minute++) {
    const clock = later(moment, minute * 60)
    if (conditions.every(({ test }) => test.kind !== 'event' || test.passes(event, clock))) return minute * 60
  }
  return 0
}

/** Decoders of which rules before a placement take all events: rules on a decoder without a condition of their own. */
function takenDecoders(nodes: readonly RuleNode[], top: readonly RuleNode[]): ReadonlySet<number> {
  const held = new Set(nodes.flatMap(({ rule }) => rule.conditions))
  const taken = new Set<number>()
  for (const [depth, node] of nodes.entries()) {
    for (const { rule } of depth === 0 ? top : nodes[depth - 1].children) {
      if (rule === node.rule) break
      const { identity, category, conditions, conditionsOnly, definition } = rule
      if (identity >= 0 && (depth > 0 || category === node.rule.category) && conditionsOnly && !definition.noalert && conditions.every((condition) => held.has(condition)))
        taken.add(identity)
    }
  }
  return taken
}

/** Whether an event that was run last reached the rule's parent, and passes all of the rule's conditions but one. */
export function missesOnly(runner: EventRunner, rule: CompiledRule, outcome: Outcome, condition: Condition): boolean {
  if (outcome.rule === rule || runner.evaluator.passes(condition)) return false
  if (!rule.conditions.every((other) => other === condition || runner.evaluator.passes(other))) return false
  const { rules } = runner.ruleset
  const matched = new Set(outcome.path)
  return rules.placements(rule.id).some((placement) => {
    const parent = rules.parentOf(placement)
    return parent === null || matched.has(parent.rule)
  })
}

export function inputOf({ text, location, format }: ComposedEvent): LogtestInput {
  return { event: fromByteString(text), log_format: format, ...(location === null ? {} : { location: fromByteString(location) }) }
}

/** Excludes the patterns of a decoder that another plan has in its place. Returns false if it has none. */
function excludeDecoder(goal: Goal, plan: DecodePlan, decoder: CompiledDecoder, tree: DecoderTree): boolean {
  const root = decoder.definition.parent === null ? decoder : [...tree.programRoots, ...tree.plainRoots].find(({ children }) => children.includes(decoder))
  if (root === undefined) return false
  if (root !== plan.root) {
    const { prematch, programName } = root
    if (prematch !== null) goal.exclude(SUBJECT_LOG, prematch)
    else if (programName !== null && programName !== plan.root?.programName) goal.exclude(SUBJECT_PROGRAM_NAME, programName)
    else return false
    return true
  }
  const { prematch, definition } = decoder
  if (decoder === root || prematch === null) return false
  const before = definition.prematch?.offset === 'after_parent' && root.prematch !== null ? partsBehind(root.prematch, []) : []
  goal.exclude(SUBJECT_LOG, prematch, before)
  return true
}
