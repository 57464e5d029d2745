/** Takes what the threads found, in the order of the input or of the times of the events, and lets each content finish the events in one order. */
import { type ReplayEvent, readRecord, type RecordFields, type StoredForm } from '#engine'
import { ARRIVAL_START, type BlockAnswer, createOrderWindow, enterWindow, EVENT, isWindowFull, leaveWindow, type OrderWindow, type ReplayClock, type Waiting } from '#workers'
import { type Comparison, noteAnswers } from './comparison.js'
import { type ContentRun, type ContentState, createContentState, type EventPlace, type Found } from './content-run.js'
import { type CostSample, createCostSample, joinSample, noteEvent } from './cost-sample.js'
import { type Coverage, cover, createCoverage } from './coverage.js'
import { countBlock, hostsOf, type HostCount } from './counters.js'
import type { Lane } from './lane.js'
import type { Samples } from './alert-sink.js'
import { createComparison } from './comparison.js'

/** An event that waits for earlier ones. */
interface Held extends Waiting, EventPlace {
  /** For each content. */
  readonly found: readonly Found[]
  /** Its line, a byte string, if it is read again; else empty. */
  readonly text: string
}

/** What a replay remembers between blocks. Plain data. */
export interface ReplayState {
  readonly contents: readonly ContentState[]
  readonly window: OrderWindow<Held>
  readonly samples: Samples
  readonly cost: CostSample
  readonly coverage: Coverage
  /** Null: there is one content. */
  readonly comparison: Comparison | null
  /** Number of the next event. */
  order: number
  /** The time of the last event that was finished. */
  now: number
}

export function createState(contents: number): ReplayState {
  return {
    contents: Array.from({ length: contents }, createContentState),
    window: createOrderWindow(),
    samples: new Map(),
    cost: createCostSample(),
    coverage: createCoverage(),
    comparison: contents > 1 ? createComparison() : null,
    order: 0,
    now: Number.NEGATIVE_INFINITY,
  }
}

/** Where another source goes on: its next event is not to be overtaken. */
export interface Bound {
  readonly seconds: number
  readonly rank: number
}

/** An event of a partial result came late, and its line is not there: more parts overlap than run together. */
export class LateLine extends Error {
  override readonly name = 'LateLine'
  readonly source: string
  readonly line: number

  constructor(source: string, line: number) {
    super(`${source}:${line} came late`)
    this.source = source
    this.line = line
  }
}

const NO_ALERT = new Uint8Array(0)

/** What is known of the block of a source whose turn it is. */
interface BlockWork {
  readonly lane: Lane
  readonly answers: readonly BlockAnswer[]
  readonly hosts: readonly (readonly HostCount[])[]
  /** For each content, the next one of `stored`. */
  readonly forms: number[]
}

export class Correlator {
  readonly state: ReplayState
  readonly #contents: readonly ContentRun[]
  readonly #fields: RecordFields
  readonly #clock: ReplayClock
  /** Whether lines are read again for what they capture. */
  readonly #inherits: boolean
  readonly #works = new Map<Lane, BlockWork>()
  readonly #answers: number[]

  constructor(contents: readonly ContentRun[], fields: RecordFields, clock: ReplayClock, state: ReplayState) {
    this.#contents = contents
    this.#fields = fields
    this.#clock = clock
    this.state = state
    this.#inherits = contents.some(({ inherits }) => inherits)
    this.#answers = contents.map(() => -1)
  }

  /** Begins the block of a source. @param isNew else its events are counted already */
  begin(lane: Lane, isNew: boolean): void {
    const { block, source } = lane
    if (block === null) return
    const { answers, cut, next } = block
    if (isNew) for (const [content, { counters }] of this.state.contents.entries()) countBlock(counters, answers[content] ?? null, cut, source.name)
    if (answers.length === 0) return
    if (answers.some(({ count }) => count !== answers[0].count)) throw new Error('contents differ in what is an event')
    const hosts = answers.map((answer, content) => hostsOf(this.state.contents[content].counters, answer))
    const forms = answers.map(({ states }) => {
      let before = 0
      for (let i = 0; i < next; i++) if ((states[i] & EVENT.stored) !== 0) before++
      return before
    })
    this.#works.set(lane, { lane, answers, hosts, forms })
  }

  /** Takes the events of the block of a source up to the next event of another one. @returns whether that is all of the block */
  take(lane: Lane, bound: Bound | null): boolean {
    const { block } = lane
    const work = this.#works.get(lane)
    if (block === null || work === undefined) return true
    const { count } = block.answers[0]
    for (; block.next < count; block.next++) {
      if (bound !== null && isBehind(lane.headTime, lane.rank, bound)) return false
      this.#takeEvent(work, block.next, lane.source.name, block.cut.firstLine)
    }
    this.#works.delete(lane)
    return true
  }

  /** Adds the sample of a source whose lines are not there. */
  addSample(sample: CostSample): void {
    joinSample(this.state.cost, sample)
  }

  /** Brings the state up to date, before it is kept. */
  settle(): void {
    for (const content of this.#contents) content.settle()
  }

  /** Finishes the events that wait. */
  end(): void {
    for (let held = leaveWindow(this.state.window); held !== undefined; held = leaveWindow(this.state.window)) this.#release(held)
  }

  #takeEvent({ lane, answers, hosts, forms }: BlockWork, i: number, source: string, firstLine: number): void {
    const [shared] = answers
    const line = firstLine + shared.lines[i]
    const read = (): string => textOf(shared, i)
    if (!lane.feed.isSampled) noteEvent(this.state.cost, lane.seed, line, shared.ends[i] - shared.starts[i], read)
    const foundAt = (content: number): Found => {
      const { states, rules, stored, alerts, alertEnds, places, hostOf } = answers[content]
      const start = i === 0 ? 0 : alertEnds[i - 1]
      const form: StoredForm | null = (states[i] & EVENT.stored) !== 0 ? stored[forms[content]++] : null
      return { flags: states[i], rule: rules[i], form, host: hosts[content][hostOf[i]], alert: alerts, start, end: alertEnds[i], place: places[i] - start }
    }
    if (this.#clock === 'event') this.#order(lane, i, shared, foundAt, { source, line }, read)
    else this.#finish(foundAt, { seconds: shared.seconds[i], source, line }, read)
  }

  #order(lane: Lane, i: number, shared: BlockAnswer, foundAt: (content: number) => Found, { source, line }: Omit<EventPlace, 'seconds'>, read: () => string): void {
    const { state } = this
    const flags = shared.states[i]
    if ((flags & EVENT.timeless) !== 0) for (const { counters } of state.contents) counters.timeless++
    else lane.lastTime = shared.seconds[i]
    const seconds = lane.lastTime
    if (seconds < state.now) {
      if ((flags & EVENT.textless) !== 0) throw new LateLine(source, line)
      for (const { counters } of state.contents) counters.late++
      const late = read()
      // It runs at another time than that of the thread, so nothing that the thread found holds.
      const runAgain = (found: Found): Found => ({ ...found, flags: found.flags | EVENT.marked })
      this.#finish(
        (content) => runAgain(foundAt(content)),
        { seconds: state.now, source, line },
        () => late,
      )
      return
    }
    const found = this.#contents.map((_, content) => heldAlert(foundAt(content)))
    const needsText = this.#inherits || state.comparison !== null || found.some((one) => (one.flags & EVENT.marked) !== 0)
    // What waits is counted by the line alone, so that the order does not depend on the content.
    enterWindow(state.window, { seconds, order: state.order++, bytes: shared.ends[i] - shared.starts[i], found, text: needsText ? read() : '', source, line })
    while (isWindowFull(state.window)) this.#release(leaveWindow(state.window) as Held)
  }

  #release({ found, text, seconds, source, line }: Held): void {
    this.state.now = seconds
    this.#finish(
      (content) => found[content],
      { seconds, source, line },
      () => text,
    )
  }

  #finish(foundAt: (content: number) => Found, event: EventPlace, read: () => string): void {
    const { state } = this
    cover(state.coverage, event.seconds)
    const contents = this.#contents
    const again = (): ReplayEvent | null => {
      const record = readRecord(read(), this.#fields)
      return typeof record === 'string' ? null : record
    }
    for (let content = 0; content < contents.length; content++) {
      const found = foundAt(content)
      const one = contents[content]
      if ((found.flags & EVENT.marked) === 0) this.#answers[content] = one.finish(found, event)
      else {
        const record = again()
        this.#answers[content] = record === null ? -1 : one.run(record, found.flags, found.host, event)
      }
      one.pass(found.flags, again)
    }
    if (state.comparison !== null) noteAnswers(state.comparison, this.#answers[0], this.#answers[1], event, read)
  }
}

function isBehind(seconds: number, rank: number, bound: Bound): boolean {
  return seconds > bound.seconds || (seconds === bound.seconds && rank > bound.rank)
}

/** The block of an event that waits is not kept. */
function heldAlert(found: Found): Found {
  const { alert, start, end } = found
  return end > start ? { ...found, alert: alert.slice(start, end), start: 0, end: end - start } : { ...found, alert: NO_ALERT, start: 0, end: 0 }
}

/** The line of an event, a byte string. */
function textOf({ bytes, starts, ends }: BlockAnswer, i: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1', starts[i], ends[i])
}

/** Seconds of an event without a time before which no line of any source had one. */
export function firstSeconds(times: readonly (number | null)[]): number {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? ARRIVAL_START : known.reduce((least, time) => Math.min(least, time))
}
