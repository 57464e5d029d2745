/**
 * The search for events that tell a mutant from the original. For each rule or decoder some sequences are made once, and tried with all of its mutants: its witness, and
 * what just misses it. Then events are composed for one mutant: what its conditions accept and those of the original do not, and what differs a little from either.
 */
import type { CompiledDecoder, DecoderDefinition } from '../event/decoder.js'
import { composeDecoded, composeEvents, limited, type Pin, type SearchBudget, sequenceOf, type Wishes, witnessOf } from '../diff/compose.js'
import { differentConditions } from '../diff/direct-changes.js'
import { nearAddresses, nearSequences, nearTexts, withValues } from '../diff/near-events.js'
import { type BehaviourEvent, type Observation, Side } from '../diff/side.js'
import { plansOf } from '../generate/decode-plan.js'
import { NearSearch } from '../generate/near-events.js'
import { FIRST_EFFORT, RuleSearch } from '../generate/rule-search.js'
import { PatternCache } from '../generate/text-tests.js'
import { USUAL_ADVANCE, WITNESS_EPOCH } from '../generate/witnesses.js'
import { utcMoment } from '../logtest/virtual-clock.js'
import type { EventRunner } from '../match/run-event.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { Condition } from '../rules/condition.js'
import { isComposite } from '../rules/rule.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { changedDecoder, decodersOf } from './changed-decoder.js'
import type { MutatedItem } from './mutant.js'

const MOMENT = utcMoment(WITNESS_EPOCH + USUAL_ADVANCE)
/** Events of one witness. */
const EVENTS_LIMIT = 60
/** Steps that the composition of an event counts for: it takes about as long as that many runs. */
export const COMPOSITION_STEPS = 20
/** What is spent once for a rule for which less does not suffice: most composites of composites. */
const SECOND_EFFORT = { runs: 400, compositions: 80, steps: 80_000 }
/** Addresses at the edges of the networks that a rule names. */
const ADDRESSES_TRIED = 12
/** Paths of a rule, and ways to decode, for which events are composed. */
const PLACES_TRIED = 2
const PLANS_TRIED = 3
/** Events of one composition, which differ in what took the one before. */
const EVENTS_OF_COMPOSITION = 2
/** Sequences that differ a little from a witness. */
const NEAR_TRIED = 80

/** Steps that are left for a mutant; a step is the run of one event on one ruleset. */
export interface Steps {
  left: number
}

export interface SearchOptions {
  readonly mayGoOn: () => boolean
}

type Sequence = readonly BehaviourEvent[]

/** A sequence with what the original answers. */
interface Observed {
  readonly events: Sequence
  readonly observations: readonly Observation[]
}

export class KillerSearch {
  readonly #runner: EventRunner
  readonly #options: SearchOptions
  #cache = new PatternCache()
  #original: Side
  /** The sequences of the current item; null: they are not made yet. */
  #pool: Observed[] | null = null

  constructor(runner: EventRunner, options: SearchOptions) {
    this.#runner = runner
    this.#options = options
    this.#original = new Side(runner.ruleset, this.#cache, runner)
  }

  /** Begins another item. What automata have visited decides how much more they may, so that each begins with new ones. */
  begin(): void {
    this.#cache = new PatternCache()
    this.#original = new Side(this.#runner.ruleset, this.#cache, this.#runner)
    this.#pool = null
  }

  get original(): Side {
    return this.#original
  }

  sideOf(mutant: CompiledRuleset): Side {
    return new Side(mutant, this.#cache)
  }

  /** Sequences on which both answer otherwise, at their last events. */
  *find(item: MutatedItem, mutant: Side, steps: Steps): Generator<Sequence> {
    this.#pool ??= this.#sequencesOf(item).map((events) => ({ events, observations: this.#original.run(events) }))
    for (const { events, observations } of this.#pool) {
      if (!this.#mayGoOn(steps)) return
      steps.left -= events.length
      yield* parting(events, observations, mutant.run(events))
    }
    for (const events of this.#composed(item, mutant, steps)) {
      if (!this.#mayGoOn(steps)) return
      steps.left -= 2 * events.length
      yield* parting(events, this.#original.run(events), mutant.run(events))
    }
  }

  #mayGoOn(steps: Steps): boolean {
    return steps.left > 0 && this.#options.mayGoOn()
  }

  #sequencesOf(item: MutatedItem): Sequence[] {
    return item.kind === 'rule'
      ? this.#sequencesOfRule(item.rule)
      : [...this.#decodedBy(item.definition.name, this.#original, { compositions: 12, mayGoOn: this.#options.mayGoOn })]
  }

  #sequencesOfRule(rule: CompiledRule): Sequence[] {
    const context = { runner: this.#original.runner, moment: MOMENT, cache: this.#cache, eventsLimit: EVENTS_LIMIT, mayGoOn: this.#options.mayGoOn }
    const first = new RuleSearch(context, rule, FIRST_EFFORT)
    const witness = first.run() ?? (first.isExhausted ? new RuleSearch(context, rule, SECOND_EFFORT).run() : null)
    if (witness === null) return []
    return [sequenceOf(witness), ...new NearSearch(context, rule, witness).run().map((near) => sequenceOf(near.witness))]
  }

  *#composed(item: MutatedItem, mutant: Side, steps: Steps): Generator<Sequence> {
    const budget: SearchBudget = { compositions: Math.floor(steps.left / COMPOSITION_STEPS / 2), mayGoOn: this.#options.mayGoOn }
    const before = budget.compositions
    const paid = (): void => {
      steps.left -= COMPOSITION_STEPS * (charged - budget.compositions)
      charged = budget.compositions
    }
    let charged = before
    const sources = item.kind === 'rule' ? this.#composedForRule(item.rule, mutant, budget) : this.#composedForDecoder(item.definition, mutant, budget)
    for (const events of sources) {
      paid()
      yield events
    }
    paid()
  }

  *#composedForRule(rule: CompiledRule, mutant: Side, budget: SearchBudget): Generator<Sequence> {
    const original = this.#original
    const changed = mutant.ruleset.rules.find(rule.id)
    const seeds: Sequence[] = this.#pool?.[0] === undefined ? [] : [this.#pool[0].events]
    if (changed !== undefined) {
      const { first, second } = differentConditions(rule, original, changed, mutant)
      for (const [side, other, own, others] of [
        [mutant, original, changed, first],
        [original, mutant, rule, second],
      ] as const) {
        const pins = addressPins(own, others)
        // Another address in place of the usual one costs no search.
        const [known] = this.#pool ?? []
        for (const { name, value } of pins) if (known !== undefined) yield* withValues(known.events, known.observations[known.events.length - 1].answer.fields[name], [value])
        for (const path of side.pathsTo(own.id, PLACES_TRIED)) {
          const wishes: Wishes[] = [
            ...pins.map((pin) => ({ pins: [pin] })),
            ...others.flatMap((condition) => side.translate(condition, other) ?? []).map((condition) => ({ mustNot: [condition] })),
            {},
          ]
          for (const wish of wishes) {
            for (const event of limited(composeEvents(side, path, wish, budget), EVENTS_OF_COMPOSITION)) {
              seeds.push([event])
              yield [event]
            }
          }
        }
      }
      if (seeds.length === 0 || isComposite(changed.definition)) {
        const witness = witnessOf(mutant, changed, false, budget.mayGoOn)
        if (witness !== null) {
          seeds.push(witness)
          yield witness
        }
      }
    }
    yield* this.#near(seeds, rule)
  }

  *#near(seeds: readonly Sequence[], rule: CompiledRule | null): Generator<Sequence> {
    let left = NEAR_TRIED
    for (const events of seeds.slice(0, PLACES_TRIED)) {
      const last = events[events.length - 1]
      if (rule !== null && isComposite(rule.definition)) {
        const values = Object.values(this.#original.run(events).at(-1)?.answer.fields ?? {})
        for (const sequence of nearSequences(events, [...new Set(values)], [rule.definition.timeframe])) {
          if (left-- <= 0) return
          yield sequence
        }
      }
      for (const event of nearTexts(last.event, [])) {
        if (left-- <= 0) return
        yield [...events.slice(0, -1), { ...last, event }]
      }
    }
  }

  *#composedForDecoder(definition: DecoderDefinition, mutant: Side, budget: SearchBudget): Generator<Sequence> {
    const seeds: Sequence[] = (this.#pool ?? []).map(({ events }) => events)
    const { before, after } = changedDecoder(definition, this.#original.ruleset, mutant.ruleset)
    if (before !== undefined && after !== undefined) {
      yield* this.#programsOf(after, before, mutant, budget)
      yield* this.#programsOf(before, after, this.#original, budget)
    }
    for (const events of this.#decodedBy(definition.name, mutant, budget)) {
      seeds.push(events)
      yield events
    }
    yield* this.#near(seeds, null)
  }

  /** Events of programs that one decoder accepts and the other does not. What the log could be for both costs too much for what is found. */
  *#programsOf(decoder: CompiledDecoder, { programName }: CompiledDecoder, side: Side, budget: SearchBudget): Generator<Sequence> {
    if (programName === null || decoder.programName === null || decoder.programName === programName) return
    const plans = plansOf(side.ruleset.decoders).filter(({ root }) => root === decoder)
    for (const plan of plans.slice(0, PLACES_TRIED)) for (const event of limited(composeDecoded(side, plan, null, [], budget, programName), EVENTS_OF_COMPOSITION)) yield [event]
  }

  /** Events that a decoder of the name reads, each also without what the other decoders of the name accept. */
  *#decodedBy(name: string, side: Side, budget: SearchBudget): Generator<Sequence> {
    const plans = plansOf(side.ruleset.decoders).filter(({ root, entry, members }) => [root, entry, ...members].some((one) => one?.definition.name === name))
    for (const plan of plans.slice(0, PLANS_TRIED)) {
      for (const event of limited(composeDecoded(side, plan, null, [], budget), EVENTS_OF_COMPOSITION)) yield [event]
      for (const pattern of patternsOf(this.#decodersOf(name)).slice(0, PLACES_TRIED))
        for (const event of limited(composeDecoded(side, plan, null, [pattern], budget), EVENTS_OF_COMPOSITION)) yield [event]
    }
  }

  #decodersOf(name: string): readonly CompiledDecoder[] {
    return decodersOf(this.#original.ruleset.decoders).filter(({ definition }) => definition.name === name)
  }
}

/** Addresses that only one of two networks has. */
function addressPins({ conditions, definition }: CompiledRule, others: readonly Condition[]): Pin[] {
  return others.flatMap(({ test, option }) => {
    const subject = conditions.find((condition) => condition.option === option)?.subject
    if (test.kind !== 'text' || subject === undefined) return []
    const written = definition.places.get(option.name)?.content ?? ''
    return nearAddresses(written)
      .slice(0, ADDRESSES_TRIED)
      .map((value) => ({ subject, name: option.name, value }))
  })
}

function patternsOf(decoders: readonly CompiledDecoder[]) {
  return [...new Set(decoders.flatMap(({ prematch, regex }) => [prematch, regex].filter((pattern) => pattern !== null)))]
}

/** The beginnings of a sequence at whose last events both answer otherwise. */
function* parting(events: Sequence, own: readonly Observation[], other: readonly Observation[]): Generator<Sequence> {
  for (let at = 0; at < events.length; at++) {
    if (own[at].key !== other[at].key || !isEqual(own[at].path, other[at].path)) {
      yield events.slice(0, at + 1)
      return
    }
  }
}

function isEqual(one: ReadonlySet<number>, other: ReadonlySet<number>): boolean {
  return one.size === other.size && [...one].every((id) => other.has(id))
}
