/**
 * Runs a replay: asks for the blocks of the sources, takes what was found in them in one order, and writes checkpoints meanwhile. By the clock `event` sources
 * run together: the next event is the earliest of those that come next in each. By `arrival` one source follows another.
 */
import type { ReplayClock } from '#workers'
import type { AlertFile } from './alert-file.js'
import { type IncompleteSource, writeCheckpoint } from './checkpoint.js'
import { type Bound, type Correlator, firstSeconds } from './correlator.js'
import { type Feeds, Lane } from './lane.js'
import type { LanePlace, PlannedSource, ReplayPlace } from './place.js'
import type { Source } from './sources.js'

/** Milliseconds between two checkpoints, which is the work that a crash loses. */
const CHECKPOINT_MS = 10_000
/** Sources that run together. Each has one or two blocks in memory; a further one begins when one has ended. */
export const LANES_LIMIT = 32

export interface ReplayRun {
  readonly sources: readonly Source[]
  readonly feeds: Feeds
  readonly clock: ReplayClock
  readonly correlator: Correlator
  readonly alerts: AlertFile
  readonly incomplete: IncompleteSource[]
  readonly folder: string
  /** A text that identifies the call. */
  readonly call: string
  /** Where it begins. */
  readonly place: ReplayPlace
  readonly isStopped: () => boolean
  /** Called after each block. @param bytesRead of the sources */
  readonly onBlock: (bytesRead: number) => Promise<void>
  readonly milliseconds: () => number
}

/** @returns where it continues, and whether the input was read to its end. A checkpoint says so too: the results are not complete yet */
export async function runReplay(run: ReplayRun): Promise<{ readonly place: ReplayPlace; readonly isWhole: boolean }> {
  const { correlator, alerts, incomplete, folder, call, isStopped } = run
  const lanes = new Lanes(run)
  let lastCheckpoint = run.milliseconds()
  const save = (): void => {
    alerts.sync()
    correlator.settle()
    writeCheckpoint(folder, call, { place: lanes.place(), state: correlator.state, alerts: alerts.size, incomplete, isFinished: false, isFine: false })
    lastCheckpoint = run.milliseconds()
  }
  let isWhole = false
  try {
    while (!isStopped()) {
      await lanes.fill()
      const lane = await lanes.next()
      if (lane === null) {
        correlator.end()
        isWhole = true
        break
      }
      if (!correlator.take(lane, lanes.boundFor(lane))) continue
      await run.onBlock(lanes.bytesRead())
      if (run.milliseconds() - lastCheckpoint >= CHECKPOINT_MS) save()
    }
    save()
  } finally {
    await lanes.close()
  }
  return { place: lanes.place(), isWhole }
}

/** The sources that are being read. */
class Lanes {
  readonly #run: ReplayRun
  readonly #order: readonly PlannedSource[]
  /** Sources whose events have their turn, and those behind them of which blocks are read ahead. */
  #active: Lane[] = []
  #ahead: Lane[] = []
  /** Sources that have, or had, their turn. */
  #begun: number
  #linesBefore: number
  #bytesBefore: number
  readonly #firstSeconds: number

  constructor(run: ReplayRun) {
    const { order, begun, lanes, linesBefore, bytesBefore } = run.place
    this.#run = run
    this.#order = order
    this.#begun = begun
    this.#linesBefore = linesBefore
    this.#bytesBefore = bytesBefore
    this.#firstSeconds = firstSeconds(order.map(({ first }) => first))
    this.#active = lanes.map((place) => this.#open(place, linesBefore))
  }

  /** Reads ahead, as much as is given at once. */
  async fill(): Promise<void> {
    const capacity = this.#run.feeds.capacity + this.#active.length
    for (;;) {
      const open = [...this.#active, ...this.#ahead]
      if (open.reduce((sum, { inFlight }) => sum + inFlight, 0) >= capacity) return
      const behind = open.filter(({ hasEnded }) => !hasEnded)
      if (behind.length === 0) {
        if (!this.#openAhead()) return
        continue
      }
      await behind.reduce((least, lane) => (lane.inFlight < least.inFlight ? lane : least)).give()
    }
  }

  /** The source with the next event; null: all are finished. */
  async next(): Promise<Lane | null> {
    for (;;) {
      for (const lane of this.#active) if (needsBlock(lane)) await this.#goOn(lane)
      const first = this.#first()
      if (!this.#begins(first)) return first
      if (this.#ahead.length === 0) this.#openAhead()
      this.#active.push(...this.#ahead.splice(0, 1))
      this.#begun++
    }
  }

  /** Up to where a source may run. Null: to the end of its block. */
  boundFor(lane: Lane): Bound | null {
    if (this.#run.clock === 'arrival') return null
    let bound: Bound | null = null
    for (const other of this.#active) {
      if (other === lane) continue
      const { headTime: seconds, rank } = other
      if (bound === null || isBefore(seconds, rank, bound)) bound = { seconds, rank }
    }
    const next = this.#active.length < LANES_LIMIT ? this.#order[this.#begun] : undefined
    if (next === undefined) return bound
    const seconds = next.first ?? Number.NEGATIVE_INFINITY
    return bound === null || isBefore(seconds, this.#begun, bound) ? { seconds, rank: this.#begun } : bound
  }

  place(): ReplayPlace {
    const places = this.#active.map((lane): LanePlace => lane.place())
    return { order: this.#order, begun: this.#begun, lanes: places, linesBefore: this.#linesBefore, bytesBefore: this.#bytesBefore }
  }

  bytesRead(): number {
    return this.#active.reduce((sum, lane) => sum + lane.feed.bytesRead(), this.#bytesBefore)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#active, ...this.#ahead].map((lane) => lane.feed.close()))
  }

  /** Takes the next block of a source that has one; others leave. */
  async #goOn(lane: Lane): Promise<void> {
    const { correlator, incomplete } = this.#run
    do {
      const isNew = await lane.take()
      if (isNew === null) {
        // A replay that continues may have noted it before.
        const { fault, sample } = lane.feed
        if (fault !== null && !incomplete.some(({ source }) => source === lane.source.name)) incomplete.push({ source: lane.source.name, reason: fault })
        if (sample !== null) correlator.addSample(sample)
        this.#active = this.#active.filter((other) => other !== lane)
        this.#linesBefore += lane.linesRead
        this.#bytesBefore += lane.source.size ?? 0
        return
      }
      correlator.begin(lane, isNew)
    } while (needsBlock(lane))
  }

  #first(): Lane | null {
    let first: Lane | null = null
    for (const lane of this.#active) if (first === null || isBefore(lane.headTime, lane.rank, { seconds: first.headTime, rank: first.rank })) first = lane
    return first
  }

  /** Whether the next source begins before the event that comes next. */
  #begins(first: Lane | null): boolean {
    if (this.#begun >= this.#order.length || this.#active.length >= LANES_LIMIT) return false
    if (first === null) return true
    return this.#run.clock === 'event' && isBefore(this.#order[this.#begun].first ?? Number.NEGATIVE_INFINITY, this.#begun, { seconds: first.headTime, rank: first.rank })
  }

  /** Opens the next source. @returns false: there is none */
  #openAhead(): boolean {
    const rank = this.#begun + this.#ahead.length
    if (rank >= this.#order.length) return false
    const linesBefore = [...this.#active, ...this.#ahead].reduce((sum, { linesRead }) => sum + linesRead, this.#linesBefore)
    const lastTime = this.#order[rank].first ?? this.#firstSeconds
    this.#ahead.push(this.#open({ rank, offset: 0, lines: 0, finished: null, lastTime }, linesBefore))
    return true
  }

  #open(place: LanePlace, linesBefore: number): Lane {
    const { source, size } = this.#order[place.rank]
    const { sources, feeds } = this.#run
    return new Lane({ name: sources[source].name, size }, place, feeds.open(source, size, { ...place, linesBefore }))
  }
}

/** Whether no event of a block waits for its turn. */
function needsBlock({ block }: Lane): boolean {
  return block === null || block.answers.length === 0 || block.next >= block.answers[0].count
}

function isBefore(seconds: number, rank: number, other: Bound): boolean {
  return seconds < other.seconds || (seconds === other.seconds && rank < other.rank)
}
