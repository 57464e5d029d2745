/**
 * Takes what the threads found, in the order of the input or of the times of the events, and finishes it with one session: runs the events that depend on earlier
 * ones, counts, and writes the alerts.
 */
import {
  AlertLine,
  type CompiledRule,
  type CompiledRuleset,
  createSession,
  EventRunner,
  inheritsCaptures,
  JsonWriter,
  jsonBytes,
  readRecord,
  type RecordFields,
  SecondPhase,
  type Session,
  type StoredForm,
  utcMoment,
} from '#engine'
import { ARRIVAL_START, type BlockAnswer, EVENT, type ReplayClock } from '#workers'
import type { AlertFile } from './alert-file.js'
import { type Counters, countBlock, countRule, createCounters, type HostCount } from './counters.js'
import { createWindow, enter, isFull, leave, type OrderWindow, type Waiting } from './order-window.js'
import { countAt } from './time-buckets.js'

/** Bytes of the memory for one alert that is kept. */
const ALERT_BYTES = 64 * 1024

/** An event that waits for earlier ones. */
interface Held extends Waiting {
  readonly flags: number
  readonly rule: number
  readonly form: StoredForm | null
  readonly host: HostCount
  /** The line of its possible alert, and where the number of times belongs in it. */
  readonly alert: Uint8Array
  readonly place: number
  /** Its line, a byte string, if it is read again; else empty. */
  readonly text: string
  readonly source: string
  readonly line: number
}

/** What a replay remembers between blocks. Plain data. */
export interface ReplayState {
  readonly session: Session
  readonly counters: Counters
  readonly window: OrderWindow<Held>
  /** Number of the next event. */
  order: number
  /** The last time that a line has had of its own. */
  lastTime: number
  /** The time of the last event that was finished. */
  now: number
}

export function createState(): ReplayState {
  return { session: createSession(), counters: createCounters(), window: createWindow(), order: 0, lastTime: ARRIVAL_START, now: Number.NEGATIVE_INFINITY }
}

export interface CorrelatorOptions {
  readonly fields: RecordFields
  readonly clock: ReplayClock
  readonly select: readonly string[] | null
  /** Alerts of a rule that are written at most; null: all. */
  readonly sample: number | null
}

const NO_ALERT = new Uint8Array(0)

export class Correlator {
  readonly state: ReplayState
  readonly #options: CorrelatorOptions
  readonly #second: SecondPhase
  readonly #inherits: boolean
  readonly #rules: readonly CompiledRule[]
  readonly #alerts: AlertFile
  readonly #line: AlertLine
  readonly #writer = new JsonWriter(ALERT_BYTES)

  constructor(ruleset: CompiledRuleset, options: CorrelatorOptions, state: ReplayState, alerts: AlertFile) {
    this.#options = options
    this.state = state
    this.#alerts = alerts
    this.#line = new AlertLine(options.select)
    this.#second = new SecondPhase(new EventRunner(ruleset), state.session)
    this.#inherits = inheritsCaptures(ruleset)
    const rules: CompiledRule[] = []
    for (const rule of ruleset.rules.inOrder()) rules[rule.index] = rule
    this.#rules = rules
  }

  /** @param firstLine number of the first line of the block in its source */
  take(answer: BlockAnswer, source: string, firstLine: number): void {
    const { counters } = this.state
    const { count, states, rules, seconds, lines, hostOf, alerts, alertEnds, places, stored } = answer
    const hosts = countBlock(counters, answer, source, firstLine)
    const isOrdered = this.#options.clock === 'event'
    let form = 0
    for (let i = 0, start = 0; i < count; i++) {
      const state = states[i]
      const end = alertEnds[i]
      const host = hosts[hostOf[i]]
      const known = (state & EVENT.stored) !== 0 ? stored[form++] : null
      if (isOrdered) this.#order(answer, i, known, host, start, source, firstLine)
      else {
        if ((state & EVENT.marked) !== 0) this.#run(textOf(answer, i), state, seconds[i], host, source, firstLine + lines[i])
        else this.#finish(rules[i], seconds[i], known, host, alerts, start, end, places[i])
        if (this.#inherits) this.#pass(state, () => textOf(answer, i))
      }
      start = end
    }
  }

  /** Brings the state up to date, before it is kept. */
  settle(): void {
    this.#second.settle()
  }

  /** Finishes the events that wait. */
  end(): void {
    for (let held = leave(this.state.window); held !== undefined; held = leave(this.state.window)) this.#release(held)
  }

  #order(answer: BlockAnswer, i: number, form: StoredForm | null, host: HostCount, start: number, source: string, firstLine: number): void {
    const { state } = this
    const { counters, window } = state
    const flags = answer.states[i]
    if ((flags & EVENT.timeless) !== 0) counters.timeless++
    else state.lastTime = answer.seconds[i]
    const seconds = state.lastTime
    const line = firstLine + answer.lines[i]
    if (seconds < state.now) {
      counters.late++
      const late = textOf(answer, i)
      this.#run(late, flags, state.now, host, source, line)
      return this.#pass(flags, () => late)
    }
    const end = answer.alertEnds[i]
    const text = this.#inherits || (flags & EVENT.marked) !== 0 ? textOf(answer, i) : ''
    const alert = end > start ? answer.alerts.slice(start, end) : NO_ALERT
    const bytes = end - start + text.length
    enter(window, { seconds, order: state.order++, bytes, flags, rule: answer.rules[i], form, host, alert, place: answer.places[i] - start, text, source, line })
    while (isFull(window)) this.#release(leave(window) as Held)
  }

  #release({ seconds, flags, rule, form, host, alert, place, text, source, line }: Held): void {
    this.state.now = seconds
    if ((flags & EVENT.marked) !== 0) this.#run(text, flags, seconds, host, source, line)
    else this.#finish(rule, seconds, form, host, alert, 0, alert.length, place)
    this.#pass(flags, () => text)
  }

  /** Notes that an event is finished. @param read reads its line again */
  #pass(flags: number, read: () => string): void {
    if (!this.#inherits || (flags & (EVENT.keepsCaptures | EVENT.lacksCaptures)) !== 0) return
    this.#second.pass(() => {
      const record = readRecord(read(), this.#options.fields)
      return typeof record === 'string' ? null : record
    })
  }

  /** Finishes an event whose final rule is known. @param index of the rule, -1 = none @param place where in the alert the number of times belongs */
  #finish(index: number, seconds: number, form: StoredForm | null, host: HostCount, alert: Uint8Array, start: number, end: number, place: number): void {
    this.#meet(seconds)
    if (index < 0) return
    const counted = countRule(this.state.counters, index, seconds)
    const times = this.#second.take(this.#rules[index], seconds, form)
    if (times <= 0) return
    if (!this.#countAlert(counted, host, seconds)) return
    if (!this.#line.countsFired) return this.#alerts.add(alert, start, end)
    this.#alerts.add(alert, start, place)
    this.#alerts.text(String(times))
    this.#alerts.add(alert, place, end)
  }

  /** Runs an event that depends on earlier ones. @param text its line, a byte string */
  #run(text: string, flags: number, seconds: number, host: HostCount, source: string, line: number): void {
    const { counters } = this.state
    counters.marked++
    this.#meet(seconds)
    const record = readRecord(text, this.#options.fields)
    if (typeof record === 'string') return
    const outcome = this.#second.run(record.text, record.format, record.origin, utcMoment(seconds), (flags & EVENT.lacksCaptures) !== 0)
    if (outcome === null || outcome.rule === null) return
    const { event, rule, description, previous, firedTimes, alert } = outcome
    const counted = countRule(counters, rule.index, seconds)
    if (!alert || !this.#countAlert(counted, host, seconds)) return
    const writer = this.#writer
    writer.clear()
    this.#line.write(writer, { source: jsonBytes(JSON.stringify(source)), line, event, rule, description, previous, firedTimes })
    this.#alerts.add(writer.written, 0, writer.length)
  }

  #meet(seconds: number): void {
    const { counters } = this.state
    if (seconds < counters.first) counters.first = seconds
    if (seconds > counters.last) counters.last = seconds
  }

  /** @returns whether the alert is written */
  #countAlert(rule: { alerts: number }, host: HostCount, seconds: number): boolean {
    const { counters } = this.state
    const { sample } = this.#options
    counters.alerts++
    host.alerts++
    rule.alerts++
    countAt(counters.time, seconds)
    return sample === null || rule.alerts <= sample
  }
}

/** The line of an event, a byte string. */
function textOf({ bytes, starts, ends }: BlockAnswer, i: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1', starts[i], ends[i])
}
