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
  utcMoment,
} from '#engine'
import { type BlockAnswer, EVENT } from '#workers'
import type { AlertSink } from './alert-sink.js'
import { type BlockEvent, lineOf } from './block-event.js'
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

/** No alert. */
export const NO_RULE = -1

export class ContentRun {
  readonly state: ContentState
  readonly ruleset: CompiledRuleset
  /** Whether decoders take what earlier events captured. */
  readonly #inherits: boolean
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
    this.#inherits = inheritsCaptures(ruleset)
    const rules: CompiledRule[] = []
    for (const rule of ruleset.rules.inOrder()) rules[rule.index] = rule
    this.#rules = rules
  }

  /** Finishes an event whose final rule is known. @param content its position in the lists of contents @returns the id of the rule, if that makes an alert */
  finish(content: number, event: BlockEvent): number {
    const { block, at, seconds } = event
    const answer = block.answers[content]
    this.#meet(seconds)
    const index = answer.rules[at]
    if (index < 0) return NO_RULE
    const rule = this.#rules[index]
    const counted = countRule(this.state.counters, index, seconds)
    const times = this.#second.take(rule, seconds, answer.stored.get(at) ?? null)
    if (times <= 0) return NO_RULE
    this.#countAlert(counted, block.hosts[content][answer.hostOf[at]], seconds)
    if (this.#alerts?.begin(index, event) === true) this.#write(this.#alerts, answer, at, times)
    return rule.id
  }

  /** Runs an event that depends on earlier ones. @returns the id of the rule, if that makes an alert */
  run(content: number, event: BlockEvent, { text, format, origin }: ReplayEvent): number {
    const { block, at, seconds } = event
    const { states, hostOf } = block.answers[content]
    const { counters } = this.state
    counters.marked++
    this.#meet(seconds)
    const outcome = this.#second.run(text, format, origin, utcMoment(seconds), (states[at] & EVENT.lacksCaptures) !== 0)
    if (outcome === null || outcome.rule === null) return NO_RULE
    const { rule, description, previous, firedTimes, alert } = outcome
    const counted = countRule(counters, rule.index, seconds)
    if (!alert) return NO_RULE
    this.#countAlert(counted, block.hosts[content][hostOf[at]], seconds)
    if (this.#alerts?.begin(rule.index, event) === true) {
      const writer = this.#writer
      writer.clear()
      this.#line.write(writer, { source: jsonBytes(JSON.stringify(block.source)), line: lineOf(event), event: outcome.event, rule, description, previous, firedTimes })
      this.#alerts.add(writer.written, 0, writer.length)
    }
    return rule.id
  }

  /** Whether what an event with these flags has captured may matter later, so that `pass` has to be called. */
  leavesCaptures(flags: number): boolean {
    return this.#inherits && (flags & (EVENT.keepsCaptures | EVENT.lacksCaptures)) === 0
  }

  /** Notes that such an event is finished. @param read reads it again */
  pass(read: () => ReplayEvent | null): void {
    this.#second.pass(read)
  }

  /** Brings the state up to date, before it is kept. */
  settle(): void {
    this.#second.settle()
  }

  /** Writes the line that a thread has prepared. @param times that its rule has fired */
  #write(alerts: AlertSink, { alerts: lines, alertEnds, places }: BlockAnswer, at: number, times: number): void {
    const start = at === 0 ? 0 : alertEnds[at - 1]
    const end = alertEnds[at]
    if (!this.#line.countsFired) return alerts.add(lines, start, end)
    alerts.add(lines, start, places[at])
    alerts.text(String(times))
    alerts.add(lines, places[at], end)
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
