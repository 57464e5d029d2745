/** Takes what the threads found, in the order of the input or of the times of the events, and lets each content finish the events in one order. */
import { type ReplayEvent, readRecord, type RecordFields } from '#engine'
import { ARRIVAL_START, createOrderWindow, enterWindow, EVENT, forgetLeft, isWindowFull, leaveWindow, type OrderWindow, type ReplayClock, type Waiting } from '#workers'
import { type BlockEvent, type EventBlock, lineOf, textOf } from './block-event.js'
import type { BlockMemory } from './block-memory.js'
import { type Comparison, createComparison, noteAnswers } from './comparison.js'
import { type ContentRun, type ContentState, createContentState, NO_RULE } from './content-run.js'
import { type CostSample, createCostSample, joinSample, noteEvent } from './cost-sample.js'
import { type Coverage, cover, createCoverage } from './coverage.js'
import { countBlock, hostsOf } from './counters.js'
import type { Lane } from './lane.js'
import type { Samples } from './alert-sink.js'

/** An event that waits for earlier ones. */
type Held = Waiting & BlockEvent

/** What a replay remembers between blocks. Plain data. */
export interface ReplayState {
  readonly contents: readonly ContentState[]
  readonly window: OrderWindow<Held>
  readonly samples: Samples
  readonly cost: CostSample
  readonly coverage: Coverage
  /** Null: there is one content. */
  readonly comparison: Comparison | null
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
    now: Number.NEGATIVE_INFINITY,
  }
}

/** Where another source continues: its next event is not to be overtaken. */
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

export class Correlator {
  readonly state: ReplayState
  readonly #contents: readonly ContentRun[]
  readonly #fields: RecordFields
  readonly #clock: ReplayClock
  readonly #memory: BlockMemory
  /** The block of each source whose events are being taken. */
  readonly #blocks = new Map<Lane, EventBlock>()
  /** For each content, the id of the rule that alerted on the last event, or `NO_RULE`. */
  readonly #answers: number[]

  /** @param memory of the blocks */
  constructor(contents: readonly ContentRun[], fields: RecordFields, clock: ReplayClock, state: ReplayState, memory: BlockMemory) {
    this.#contents = contents
    this.#fields = fields
    this.#clock = clock
    this.#memory = memory
    this.state = state
    this.#answers = contents.map(() => NO_RULE)
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
    const left = answers[0].count - next
    if (left === 0) this.#memory.give(answers[0].bytes)
    this.#blocks.set(lane, { source: source.name, firstLine: cut.firstLine, answers, hosts, left })
  }

  /** Takes the events of the block of a source up to the next event of another one. @returns whether that is all of the block */
  take(lane: Lane, bound: Bound | null): boolean {
    const { block } = lane
    const taken = this.#blocks.get(lane)
    if (block === null || taken === undefined) return true
    const { count } = block.answers[0]
    for (; block.next < count; block.next++) {
      if (bound !== null && isBehind(lane.headTime, lane.rank, bound)) return false
      this.#takeEvent(lane, taken, block.next)
    }
    this.#blocks.delete(lane)
    return true
  }

  /** Adds the sample of a source whose lines are not there. */
  addSample(sample: CostSample): void {
    joinSample(this.state.cost, sample)
  }

  /** Brings the state up to date, before it is kept. */
  settle(): void {
    forgetLeft(this.state.window)
    for (const content of this.#contents) content.settle()
  }

  /** Finishes the events that wait. */
  end(): void {
    for (let held = leaveWindow(this.state.window); held !== undefined; held = leaveWindow(this.state.window)) this.#finish(held, false)
  }

  #takeEvent(lane: Lane, block: EventBlock, at: number): void {
    const [{ lines, starts, ends, seconds }] = block.answers
    const bytes = ends[at] - starts[at]
    if (!lane.feed.isSampled) noteEvent(this.state.cost, lane.seed, block.firstLine + lines[at], bytes, () => textOf(block, at))
    if (this.#clock === 'event') this.#order(lane, block, at, bytes)
    else this.#finish({ block, at, seconds: seconds[at] }, false)
  }

  #order(lane: Lane, block: EventBlock, at: number, bytes: number): void {
    const { state } = this
    const [{ states, seconds: times }] = block.answers
    if ((states[at] & EVENT.timeless) !== 0) for (const { counters } of state.contents) counters.timeless++
    else lane.lastTime = times[at]
    const seconds = lane.lastTime
    if (seconds >= state.now) {
      // What waits is counted by the line alone, so that the order does not depend on the content.
      enterWindow(state.window, { block, at, seconds, bytes })
      while (isWindowFull(state.window)) this.#finish(leaveWindow(state.window) as Held, false)
      return
    }
    const late = { block, at, seconds: state.now }
    if ((states[at] & EVENT.textless) !== 0) throw new LateLine(block.source, lineOf(late))
    for (const { counters } of state.contents) counters.late++
    this.#finish(late, true)
  }

  /** @param isLate it runs at another time than that of the thread, so nothing that the thread found holds */
  #finish(event: BlockEvent, isLate: boolean): void {
    const { state } = this
    const { block, at, seconds } = event
    state.now = seconds
    cover(state.coverage, seconds)
    const contents = this.#contents
    for (let content = 0; content < contents.length; content++) {
      const one = contents[content]
      const flags = block.answers[content].states[at]
      if (!isLate && (flags & EVENT.marked) === 0) this.#answers[content] = one.finish(content, event)
      else {
        const record = this.#read(textOf(block, at))
        this.#answers[content] = record === null ? NO_RULE : one.run(content, event, record)
      }
      if (!one.leavesCaptures(flags)) continue
      // The block is not kept.
      const text = textOf(block, at)
      one.pass(() => this.#read(text))
    }
    if (state.comparison !== null) noteAnswers(state.comparison, this.#answers[0], this.#answers[1], event)
    block.left--
    if (block.left === 0) this.#memory.give(block.answers[0].bytes)
  }

  #read(line: string): ReplayEvent | null {
    const record = readRecord(line, this.#fields)
    return typeof record === 'string' ? null : record
  }
}

function isBehind(seconds: number, rank: number, bound: Bound): boolean {
  return seconds > bound.seconds || (seconds === bound.seconds && rank > bound.rank)
}

/** Seconds of an event without a time before which no line of any source had one. */
export function firstSeconds(times: readonly (number | null)[]): number {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? ARRIVAL_START : known.reduce((least, time) => Math.min(least, time))
}
