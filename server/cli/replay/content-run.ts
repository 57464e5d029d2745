/** What one content makes of the events, which it gets in their order: finishes what the threads found with one session, and counts it. */
import {
  AlertLine,
  type CompiledRule,
  type CompiledRuleset,
  createSession,
  EventRunner,
  inheritsCaptures,
  JsonWriter,
  jsonBytes,
  type ReplayEvent,
  SecondPhase,
  type Session,
  type StoredForm,
  utcMoment,
} from '#engine'
import { EVENT } from '#workers'
import type { AlertSink } from './alert-sink.js'
import { type Counters, countRule, createCounters, type HostCount } from './counters.js'
import { countAt } from './time-buckets.js'

/** Bytes of the memory for one alert that is kept. */
const ALERT_BYTES = 64 * 1024

/** What a content remembers between blocks. Plain data. */
export interface ContentState {
  readonly session: Session
  readonly counters: Counters
}

export function createContentState(): ContentState {
  return { session: createSession(), counters: createCounters() }
}

/** What a thread says of an event for one content. */
export interface Found {
  readonly flags: number
  /** Index of its final rule, -1 = none. */
  readonly rule: number
  readonly form: StoredForm | null
  readonly host: HostCount
  /** Bytes in which the line of its possible alert is, where it begins and ends, and where from its beginning the number of times belongs. */
  readonly alert: Uint8Array
  readonly start: number
  readonly end: number
  readonly place: number
}

/** An event, whatever the content. */
export interface EventPlace {
  readonly seconds: number
  readonly source: string
  readonly line: number
}

/** No alert. */
export const NO_RULE = -1

export class ContentRun {
  readonly state: ContentState
  readonly ruleset: CompiledRuleset
  /** Whether decoders take what earlier events captured, so that `pass` has to be called. */
  readonly inherits: boolean
  readonly #second: SecondPhase
  readonly #rules: readonly CompiledRule[]
  /** Null: only counts are wanted. */
  readonly #alerts: AlertSink | null
  readonly #line: AlertLine
  readonly #writer = new JsonWriter(ALERT_BYTES)

  constructor(ruleset: CompiledRuleset, select: readonly string[] | null, state: ContentState, alerts: AlertSink | null) {
    this.ruleset = ruleset
    this.state = state
    this.#alerts = alerts
    this.#line = new AlertLine(select)
    this.#second = new SecondPhase(new EventRunner(ruleset), state.session)
    this.inherits = inheritsCaptures(ruleset)
    const rules: CompiledRule[] = []
    for (const rule of ruleset.rules.inOrder()) rules[rule.index] = rule
    this.#rules = rules
  }

  /** Finishes an event whose final rule is known. @returns the id of the rule, if that makes an alert */
  finish({ rule: index, form, host, alert, start, end, place }: Found, event: EventPlace): number {
    const { seconds } = event
    this.#meet(seconds)
    if (index < 0) return NO_RULE
    const rule = this.#rules[index]
    const counted = countRule(this.state.counters, index, seconds)
    const times = this.#second.take(rule, seconds, form)
    if (times <= 0) return NO_RULE
    this.#countAlert(counted, host, seconds)
    if (this.#alerts?.begin(index, event) === true) {
      if (!this.#line.countsFired) this.#alerts.add(alert, start, end)
      else {
        this.#alerts.add(alert, start, start + place)
        this.#alerts.text(String(times))
        this.#alerts.add(alert, start + place, end)
      }
    }
    return rule.id
  }

  /** Runs an event that depends on earlier ones. @returns the id of the rule, if that makes an alert */
  run({ text, format, origin }: ReplayEvent, flags: number, host: HostCount, event: EventPlace): number {
    const { seconds, source, line } = event
    const { counters } = this.state
    counters.marked++
    this.#meet(seconds)
    const outcome = this.#second.run(text, format, origin, utcMoment(seconds), (flags & EVENT.lacksCaptures) !== 0)
    if (outcome === null || outcome.rule === null) return NO_RULE
    const { rule, description, previous, firedTimes, alert } = outcome
    const counted = countRule(counters, rule.index, seconds)
    if (!alert) return NO_RULE
    this.#countAlert(counted, host, seconds)
    if (this.#alerts?.begin(rule.index, event) === true) {
      const writer = this.#writer
      writer.clear()
      this.#line.write(writer, { source: jsonBytes(JSON.stringify(source)), line, event: outcome.event, rule, description, previous, firedTimes })
      this.#alerts.add(writer.written, 0, writer.length)
    }
    return rule.id
  }

  /** Notes that an event is finished. @param read reads it again */
  pass(flags: number, read: () => ReplayEvent | null): void {
    if (this.inherits && (flags & (EVENT.keepsCaptures | EVENT.lacksCaptures)) === 0) this.#second.pass(read)
  }

  /** Brings the state up to date, before it is kept. */
  settle(): void {
    this.#second.settle()
  }

  #meet(seconds: number): void {
    const { counters } = this.state
    if (seconds < counters.first) counters.first = seconds
    if (seconds > counters.last) counters.last = seconds
  }

  #countAlert(rule: { alerts: number }, host: HostCount, seconds: number): void {
    const { counters } = this.state
    counters.alerts++
    host.alerts++
    rule.alerts++
    countAt(counters.time, seconds)
  }
}
