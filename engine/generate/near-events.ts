/**
 * The boundary of a rule: for each condition of its own the nearest event that fails it alone, beside an event that fires the rule. The smallest changes are tried
 * first: one byte of the text that the condition reads; then an event is composed without the condition. Each was run: its final rule is another one.
 */
import { later } from '../logtest/virtual-clock.js'
import { runStages } from '../logtest/logtest.js'
import type { Outcome } from '../match/outcome.js'
import { createSession, type Session } from '../match/session.js'
import { neededEvents } from '../match/history.js'
import { lookUp } from '../lists/list.js'
import type { LogtestInput } from '../records/records.js'
import type { CompiledListCondition, CompiledRule } from '../rules/compiled-rule.js'
import type { Condition, Subject } from '../rules/condition.js'
import { foldCase, fromByteString } from '../source/byte-string.js'
import { comparedFields } from './goal.js'
import { FIRST_EFFORT, missesOnly, readsClock, RuleSearch, type SearchContext, type Witness, type WitnessEvent } from './rule-search.js'
import { usualValue } from './usual-values.js'

/** Changed events that are run for one condition. */
const RUNS_LIMIT = 24
/** Changes of a text that are tried for one condition. */
const CHANGES_LIMIT = 2_000
/** Places of a text in an event at which it is changed. */
const PLACES_LIMIT = 3
const DAY = 86_400
/** Hours of a week, at which a condition on the time is tried. */
const HOURS = 7 * 24

/** Events in one session, of which the last one does not fire the rule. */
export interface NearEvents {
  /** The option that they fail, as it is written in the rule. */
  readonly option: string
  /** The field, of `<field>` and `<list>`; else null. */
  readonly field: string | null
  readonly witness: Witness
}

export class NearSearch {
  readonly #context: SearchContext
  readonly #rule: CompiledRule
  readonly #witness: Witness

  constructor(context: SearchContext, rule: CompiledRule, witness: Witness) {
    this.#context = context
    this.#rule = rule
    this.#witness = witness
  }

  run(): readonly NearEvents[] {
    const { conditions, lists, definition, search } = this.#rule
    const found: NearEvents[] = []
    const add = (option: string, field: string | null, witness: Witness | null): void => {
      if (witness !== null) found.push({ option, field, witness })
    }
    for (const condition of conditions) add(condition.option.name, condition.field === null ? null : fromByteString(condition.field), this.#withoutCondition(condition))
    for (const list of lists) add('list', fromByteString(list.field), this.#withoutList(list))
    if (definition.ifFts) add('if_fts', null, this.#again())
    if (definition.checkDiff) add('check_diff', null, this.#again())
    if (search !== null && !definition.checkDiff) this.#nearCounts(add)
    return found
  }

  #withoutCondition(condition: Condition): Witness | null {
    if (readsClock(condition)) return this.#atAnotherTime()
    const { test, subject } = condition
    if (test.kind === 'event') return null
    const fails = (text: string): boolean =>
      (test.kind === 'pattern' ? test.expression.test(text, foldCase(text), 0) : test.kind === 'exact' ? text === test.text : test.passes(text)) === test.negate
    const changed = this.#changed(subject, fails, (outcome) => missesOnly(this.#context.runner, this.#rule, outcome, condition))
    if (changed !== null || this.#rule.search !== null) return changed
    const composed = new RuleSearch(this.#context, this.#rule, FIRST_EFFORT).without(condition)
    return composed === null ? null : { events: [composed], start: this.#witness.start }
  }

  #withoutList({ path, subject, lookup, check }: CompiledListCondition): Witness | null {
    const list = this.#context.runner.ruleset.lists.get(path)
    if (list === undefined) return null
    return this.#changed(
      subject,
      (text) => !lookUp(list, lookup, text, check),
      ({ rule }) => rule !== this.#rule,
    )
  }

  /** The witness with one byte of a text of its last event changed. */
  #changed(subject: Subject, fails: (text: string) => boolean, accept: (outcome: Outcome) => boolean): Witness | null {
    const { runner } = this.#context
    this.#last(this.#witness.events)
    const text = runner.evaluator.text(subject)
    const last = this.#witness.events[this.#witness.events.length - 1]
    if (text === undefined || text === '') return null
    let runs = 0
    /** An event that fails other conditions, too: there may be none that fails one alone. */
    let second: Witness | null = null
    for (const other of changesOf(text)) {
      if (!fails(other)) continue
      for (const input of inputsWith(last.input, fromByteString(text), fromByteString(other))) {
        if (runs++ >= RUNS_LIMIT) return second
        const events = [...this.#witness.events.slice(0, -1), { ...last, input }]
        const outcome = this.#last(events)
        if (outcome === null || outcome.rule === this.#rule) continue
        if (accept(outcome)) return { ...this.#witness, events }
        second ??= { ...this.#witness, events }
      }
    }
    return second
  }

  #atAnotherTime(): Witness | null {
    for (let hour = 1; hour < HOURS; hour++) {
      const start = this.#witness.start + hour * 3600
      const witness = { events: this.#witness.events, start }
      if (this.#missed(witness)) return witness
    }
    return null
  }

  /** The last event once more: nothing is new. */
  #again(): Witness | null {
    const { events, start } = this.#witness
    const last = events[events.length - 1]
    return this.#checked({ events: [...events, { ...last, at: last.at + 1 }], start })
  }

  #nearCounts(add: (option: string, field: string | null, witness: Witness | null) => void): void {
    const { events, start } = this.#witness
    const { definition } = this.#rule
    const [first] = events
    const last = events[events.length - 1]
    if (events.length > 1)
      add(
        definition.frequency === null ? 'if_matched' : 'frequency',
        null,
        this.#checked({ events: events.slice(1).map(({ input, at }) => ({ input, at: at - events[1].at })), start }),
      )
    if (neededEvents(this.#rule) >= 0 && events.length > 1 && definition.timeframe < DAY)
      add('timeframe', null, this.#checked({ events: [...events.slice(0, -1), { ...last, at: last.at + definition.timeframe + 1 }], start }))
    const { same, different } = comparedFields(this.#rule)
    for (const [subject, name] of same) {
      this.#last(events)
      const text = this.#context.runner.evaluator.text(subject)
      if (text === undefined) continue
      const [other] = inputsWith(last.input, fromByteString(text), otherValue(name, fromByteString(text)))
      if (other !== undefined) add('same', name, this.#checked({ events: [...events.slice(0, -1), { ...last, input: other }], start }))
    }
    if (different.size > 0 && first !== last) add('different', [...different.values()][0], this.#checked({ events: events.map(({ at }) => ({ input: last.input, at })), start }))
  }

  #checked(witness: Witness): Witness | null {
    return this.#missed(witness) ? witness : null
  }

  #missed({ events, start }: Witness): boolean {
    const outcome = this.#last(events, start)
    return outcome !== null && outcome.rule !== this.#rule
  }

  /** Runs events in a session. */
  #last(events: readonly WitnessEvent[], start = this.#witness.start): Outcome | null {
    const session = createSession()
    let last: Outcome | null = null
    for (const { input, at } of events) last = this.#outcome(input, start + at, session)
    return last
  }

  #outcome(input: LogtestInput, second: number, session: Session): Outcome | null {
    const stages = runStages(this.#context.runner, input, later(this.#context.moment, second), session, null, { locale: 'en-US' })
    return stages.kind === 'run' ? stages.outcome : null
  }
}

/** Texts that differ in one byte, those in letters and digits first, and for each kind from the middle: there a change breaks what stands around it. */
function* changesOf(text: string): Generator<string> {
  const places = Array.from({ length: text.length }, (_, at) => at).sort((a, b) => Math.abs(a - text.length / 2) - Math.abs(b - text.length / 2) || a - b)
  const plain = places.filter((at) => /[A-Za-z0-9]/.test(text[at]))
  const ordered = [...plain, ...places.filter((at) => !plain.includes(at))]
  let count = 0
  for (const at of ordered) {
    for (const other of [replacementOf(text[at]), '']) {
      if (count++ >= CHANGES_LIMIT) return
      yield text.slice(0, at) + other + text.slice(at + 1)
    }
  }
  // What must not be there is added.
  for (const more of ['x', '1']) yield text + more
}

/** The next digit, or another letter of the same case. */
function replacementOf(byte: string): string {
  if (/[0-9]/.test(byte)) return String((Number(byte) + 1) % 10)
  if (/[a-z]/.test(byte)) return byte === 'x' ? 'y' : 'x'
  if (/[A-Z]/.test(byte)) return byte === 'X' ? 'Y' : 'X'
  return byte === '-' ? '_' : '-'
}

/** The event with the text replaced at one of its places. */
export function inputsWith(input: LogtestInput, text: string, other: string): LogtestInput[] {
  const found: LogtestInput[] = []
  for (let at = input.event.indexOf(text); at >= 0 && found.length < PLACES_LIMIT; at = input.event.indexOf(text, at + 1))
    found.push({ ...input, event: input.event.slice(0, at) + other + input.event.slice(at + text.length) })
  if (found.length === 0 && input.location === text) found.push({ ...input, location: other })
  return found
}

function otherValue(name: string, value: string): string {
  const usual = usualValue(name, 1)
  return usual === value ? usualValue(name, 2) : usual
}
