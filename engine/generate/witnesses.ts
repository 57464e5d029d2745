/**
 * A witness for each rule: the events that fire it, or the reason why none does. Invariants:
 *  1. a witness is replayed from its record before it is returned, with another name of the manager, too, and at another time unless the rule reads the clock
 *  2. `cannot_fire` is proven (`cannot-fire.ts`); else a rule without events is `unknown`
 *  3. the answer depends on the ruleset and the rule only: not on the clock, the zone, or the rules that were asked for before
 */
import type { Locale } from '../diagnostics/text.js'
import { DEFAULT_LOCATION } from '../predecoding/location.js'
import { runStages } from '../logtest/logtest.js'
import { later, utcMoment } from '../logtest/virtual-clock.js'
import type { Outcome } from '../match/outcome.js'
import { EventRunner, type Moment } from '../match/run-event.js'
import { createSession } from '../match/session.js'
import type { WitnessEventRecord, WitnessRecord } from '../records/witness.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { pathTo } from '../rules/placement-path.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { CannotFireProver, type Conflict } from './cannot-fire.js'
import { NearSearch } from './near-events.js'
import { describeConflict, type UnknownCode, unknownReason, type WitnessReason } from './reasons.js'
import { FIRST_EFFORT, FULL_EFFORT, PLACEMENTS_SEARCHED, readsClock, RuleSearch, type SearchContext, type Witness } from './rule-search.js'
import { PatternCache } from './text-tests.js'

/** Second 0 of every witness: Tuesday, 14 November 2023, 22:13:20 UTC. */
export const WITNESS_EPOCH = 1_700_000_000
/** Seconds before an event, where its record does not say it. */
export const USUAL_ADVANCE = 1
/** Events of one witness: the stock ruleset has a rule that counts a hundred. */
const EVENTS_LIMIT = 200
/** What else is the same for a witness that depends on neither the manager nor the date: another zone, season and weekday. */
const OTHER_TIME = { seconds: 200 * 86_400 + 11 * 3600, zoneHours: -7 } as const
const OTHER_MANAGER = 'mgr-2'
const WITNESS_START = utcMoment(WITNESS_EPOCH)

export interface WitnessOptions {
  readonly locale: Locale
  /** Whether the nearest events that do not fire the rule are looked for. */
  readonly near: boolean
  /** Whether there is time for another event. */
  readonly mayGoOn: () => boolean
}

/** The result of the search for a rule. */
export type Examined =
  | { readonly status: 'fires'; readonly witness: Witness; readonly events: readonly WitnessEventRecord[] }
  | { readonly status: 'cannot_fire'; readonly conflict: Conflict }
  | { readonly status: 'unknown'; readonly code: UnknownCode }

/** An event that one rule wants and another gets. */
export interface Taken {
  readonly events: readonly WitnessEventRecord[]
  readonly final: CompiledRule
}

/** Finds the witnesses of one ruleset. */
export class WitnessFinder {
  #context: SearchContext
  readonly #others: EventRunner
  readonly #prover: CannotFireProver
  readonly #options: WitnessOptions
  /** Events of rules that take those of others. */
  readonly #takers = new Map<number, string | null>()

  constructor(ruleset: CompiledRuleset, options: WitnessOptions) {
    const moment = utcMoment(WITNESS_EPOCH + USUAL_ADVANCE)
    this.#context = { runner: new EventRunner(ruleset), moment, cache: new PatternCache(), eventsLimit: EVENTS_LIMIT, mayGoOn: options.mayGoOn }
    this.#others = new EventRunner(ruleset, { managerName: OTHER_MANAGER })
    this.#prover = new CannotFireProver(ruleset)
    this.#options = options
  }

  find(rule: CompiledRule): WitnessRecord {
    const { locale, near } = this.#options
    const examined = this.examine(rule)
    if (examined.status === 'cannot_fire') return recordOf(rule, 'cannot_fire', [], this.#describe(examined.conflict))
    if (examined.status === 'unknown') return recordOf(rule, 'unknown', [], unknownReason(examined.code, locale))
    const { witness, events } = examined
    const record = recordOf(rule, 'fires', events, null)
    if (!near) return record
    const nearest = new NearSearch(this.#context, rule, witness).run().map(({ option, field, witness: other }) => {
      const otherEvents = eventRecords(other)
      return { option, field, rule_id: this.#replay(this.#context.runner, otherEvents, WITNESS_START)?.rule?.id ?? null, events: otherEvents }
    })
    return { ...record, near: nearest.filter(({ rule_id }) => rule_id !== rule.id).map((one) => ({ ...one, rule_id: one.rule_id === null ? null : String(one.rule_id) })) }
  }

  /** As `find`, in the terms of the engine and without the events near it. */
  examine(rule: CompiledRule): Examined {
    const { mayGoOn } = this.#options
    if (!mayGoOn()) return { status: 'unknown', code: 'time_limit' }
    // What automata have visited decides how much more they may: each rule begins with new ones.
    this.#context = { ...this.#context, cache: new PatternCache() }
    const first = new RuleSearch(this.#context, rule, FIRST_EFFORT)
    let witness = first.run()
    if (witness === null) {
      const conflict = this.#prover.prove(rule)
      if (conflict !== null) return { status: 'cannot_fire', conflict }
    }
    let isExhausted = false
    if (witness === null && first.isExhausted) {
      const full = new RuleSearch(this.#context, rule, FULL_EFFORT)
      witness = full.run()
      isExhausted = full.isExhausted
    }
    if (witness === null) return { status: 'unknown', code: mayGoOn() ? (isExhausted ? 'search_limit' : 'not_found') : 'time_limit' }
    const events = eventRecords(witness)
    return this.#isRepeatable(rule, events) ? { status: 'fires', witness, events } : { status: 'unknown', code: 'not_repeatable' }
  }

  /** An event that meets the conditions of a rule and of those above it, and goes to one of the takers. Null: none was found. */
  taken(rule: CompiledRule, takers: ReadonlySet<CompiledRule>): Taken | null {
    const found = new RuleSearch(this.#context, rule, FIRST_EFFORT).taken(takers)
    if (found === null) return null
    const events = eventRecords({ events: [found], start: 0 })
    const final = this.#replay(this.#context.runner, events, WITNESS_START)?.rule ?? null
    return final === null || final === rule ? null : { events, final }
  }

  /** The rules from the top of the tree to the one that events of a witness fire. */
  chainOf(rule: CompiledRule, events: readonly WitnessEventRecord[]): readonly CompiledRule[] {
    const { runner } = this.#context
    const matched = new Set(this.#replay(runner, events, WITNESS_START)?.path)
    const { rules } = runner.ruleset
    const chains = rules
      .placements(rule.id)
      .slice(0, PLACEMENTS_SEARCHED)
      .map((placement) => pathTo(rules, placement).map((node) => node.rule))
    return chains.find((chain) => chain.every((each) => matched.has(each))) ?? [rule]
  }

  #describe(conflict: Conflict): WitnessReason {
    return describeConflict(conflict, this.#options.locale, (id) => {
      let event = this.#takers.get(id)
      if (event === undefined) this.#takers.set(id, (event = this.#eventOf(id)))
      return event
    })
  }

  #eventOf(id: number): string | null {
    const rule = this.#context.runner.ruleset.rules.find(id)
    const events = rule === undefined ? undefined : new RuleSearch(this.#context, rule, FIRST_EFFORT).run()?.events
    return events?.length === 1 ? events[0].input.event : null
  }

  /** Runs the events that the caller gets, as the caller would run them. */
  #isRepeatable(rule: CompiledRule, events: readonly WitnessEventRecord[]): boolean {
    const { runner } = this.#context
    if (this.#replay(runner, events, WITNESS_START)?.rule !== rule) return false
    const { rules } = runner.ruleset
    const isTimed = rules.placements(rule.id).some((placement) => pathTo(rules, placement).some((node) => node.rule.conditions.some(readsClock)))
    const other = isTimed ? WITNESS_START : utcMoment(WITNESS_EPOCH + OTHER_TIME.seconds, OTHER_TIME.zoneHours)
    return this.#replay(this.#others, events, other)?.rule === rule
  }

  /** The outcome of the last event. */
  #replay(runner: EventRunner, events: readonly WitnessEventRecord[], epoch: Moment): Outcome | null {
    const session = createSession()
    let seconds = 0
    let last: Outcome | null = null
    for (const { event, log_format, location, advance } of events) {
      seconds += advance ?? USUAL_ADVANCE
      const stages = runStages(runner, { event, log_format, location: location ?? DEFAULT_LOCATION }, later(epoch, seconds), session, null, { locale: 'en-US' })
      last = stages.kind === 'run' ? stages.outcome : null
    }
    return last
  }
}

function recordOf(rule: CompiledRule, status: WitnessRecord['status'], events: readonly WitnessEventRecord[], reason: WitnessReason | null): WitnessRecord {
  return { rule_id: String(rule.id), status, events, near: [], reason }
}

function eventRecords({ events, start }: Witness): WitnessEventRecord[] {
  return events.map(({ input, at }, index) => {
    const advance = index === 0 ? start + USUAL_ADVANCE : at - events[index - 1].at
    return {
      event: input.event,
      log_format: input.log_format === 'auto' ? 'syslog' : input.log_format,
      ...(input.location === undefined ? {} : { location: input.location }),
      ...(advance === USUAL_ADVANCE ? {} : { advance }),
    }
  })
}
