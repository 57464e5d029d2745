/**
 * Measures one thread with one ruleset: throughput, stages, latency, compile time. Each event starts a new session and is not traced, as in the measurement
 * of the C engine for comparison. Everything is warmed up first, because a service runs warm.
 */
import type { CompiledRuleset, LogFormat, LogtestInput, ReceivedEvent, SourceFile, StageTimes } from '#engine'
import { compileLayer, compileRuleset, detectFormat, EventRunner, JsonWriter, receiveEvent, runLogtest, runReceived, runUnwritten, writeReport } from '#engine'
import { momentNow, roundMs } from '#workers'
import type { BenchEvent } from '../input/event-file.js'

/** Time after which V8 has optimised the hot functions. */
const WARM_UP_MS = 700
/** Minimum rounds of all events before the measurement. */
const WARM_UP_ROUNDS = 2
/** Maximum latencies that are stored; more would not change the percentiles. */
const SAMPLES_LIMIT = 2_000_000
/** Rules in the layer whose compilation is measured. */
const LAYER_RULES = 50
const COMPILE_ROUNDS = 5
const LAYER_ROUNDS = 40
/** Shares of the available time. */
const SHARES = { throughput: 0.45, stages: 0.2, json: 0.15, latency: 0.2 }
/** Bytes in which a report is written as JSON. */
const JSON_BYTES = 64 * 1024
/** Events between two reads of the clock. */
const EVENTS_PER_LOOK = 64

export interface PhaseSpeed {
  readonly events_per_second: number
  readonly us_per_event: number
}

export interface Measurement {
  readonly events: number
  /** Events by the format in which they run: that of their line, or the detected one. */
  readonly formats: Readonly<Partial<Record<LogFormat, number>>>
  /** Predecoding, decoding and rules: the engine's own work on an event. */
  readonly events_per_second: number
  readonly bytes_per_second: number
  readonly phases: {
    readonly predecode: PhaseSpeed
    readonly decode: PhaseSpeed
    readonly rules: PhaseSpeed
    readonly whole: PhaseSpeed
    readonly report: PhaseSpeed
    readonly json: PhaseSpeed
  }
  readonly latency_us: { readonly p50: number; readonly p90: number; readonly p99: number; readonly max: number }
  /** By the kind of the event, if the events have kinds. */
  readonly kinds: Readonly<Record<string, number>>
  readonly compile_ms: { readonly cold: number; readonly warm: number; readonly layered: number }
  readonly memory_mb: { readonly heap_used: number; readonly rss: number }
}

/** An event as the engine receives it, whose format is known. */
export interface PreparedEvent {
  readonly received: ReceivedEvent
  readonly input: LogtestInput
  readonly kind: string | null
}

export function prepareEvents(events: readonly BenchEvent[]): PreparedEvent[] {
  return events.flatMap(({ input: given, kind }) => {
    const input = { ...given, log_format: detectFormat(given) }
    const received = receiveEvent(input)
    return received === null ? [] : [{ received, input, kind }]
  })
}

/** Counts the events of each format. */
function formatsOf(events: readonly PreparedEvent[]): Measurement['formats'] {
  const counts: Partial<Record<LogFormat, number>> = {}
  for (const { input } of events) counts[input.log_format] = (counts[input.log_format] ?? 0) + 1
  return counts
}

/** Compile times. The first one is that of a starting process. */
export function measureCompile(files: readonly SourceFile[], ruleset: CompiledRuleset, coldMs: number): Measurement['compile_ms'] {
  const warm = median(COMPILE_ROUNDS, () => compileRuleset(files))
  const layer = smallLayer(ruleset)
  for (let round = 0; round < LAYER_ROUNDS; round++) compileLayer(ruleset, layer)
  return { cold: roundMs(coldMs), warm: roundMs(warm), layered: roundMs(median(LAYER_ROUNDS, () => compileLayer(ruleset, layer))) }
}

function median(rounds: number, run: () => unknown): number {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const started = performance.now()
    run()
    times.push(performance.now() - started)
  }
  return times.sort((a, b) => a - b)[rounds >> 1]
}

/** Typical small rules; half of them are children of rules in the ruleset. The file name sorts after all others. */
function smallLayer({ rules }: CompiledRuleset): SourceFile[] {
  const parent = rules.inOrder().find(({ level, definition }) => level > 0 && definition.noalert !== true)?.id
  let free = 999_999
  const written = Array.from({ length: LAYER_RULES }, (_, index) => {
    while (rules.find(free) !== undefined) free--
    const above = index % 2 === 0 && parent !== undefined ? `<if_sid>${parent}</if_sid>` : ''
    return `  <rule id="${free--}" level="${3 + (index % 9)}">${above}<match>bench ${index}</match><description>Bench ${index}: $(srcip)</description></rule>`
  })
  return [{ filename: '~bench.xml', kind: 'rules', scope: 'adhoc', content: `<group name="bench,">\n${written.join('\n')}\n</group>\n` }]
}

/** Called with the share of a measurement that is done, after each round of the events. */
export type OnPart = (part: number) => void

/** @param onStep called when a step begins, and returns what is called during it */
export async function measureEvents(
  ruleset: CompiledRuleset,
  events: readonly PreparedEvent[],
  seconds: number,
  onStep: (step: 'warmUp' | 'throughput' | 'stages' | 'latency') => Promise<OnPart>,
): Promise<Omit<Measurement, 'compile_ms'>> {
  const runner = new EventRunner(ruleset)
  const moment = momentNow()
  const runOne = ({ received }: PreparedEvent): void => {
    runReceived(runner, received, moment, null)
  }
  await onStep('warmUp')
  warmUp(events, runOne)
  const whole = throughput(events, seconds * 1000 * SHARES.throughput, runOne, await onStep('throughput'))
  const onStage = await onStep('stages')
  const inputs = events.map(({ input }) => input)
  const { report, ...stages } = measureStages(runner, inputs, seconds * 1000 * SHARES.stages, onStage)
  const json = measureJson(runner, inputs, seconds * 1000 * SHARES.json, onStage)
  const onLatency = await onStep('latency')
  const latency_us = measureLatency(events, seconds * 1000 * SHARES.latency, runOne, onLatency)
  const kinds = measureKinds(events, runOne, seconds, onLatency)
  const bytes = events.reduce((sum, { received }) => sum + received.text.length, 0) / events.length
  const { heapUsed, rss } = process.memoryUsage()
  return {
    events: events.length,
    formats: formatsOf(events),
    events_per_second: Math.round(whole.perSecond),
    bytes_per_second: Math.round(whole.perSecond * bytes),
    phases: { ...stages, whole: speedOf(1000 / whole.perSecond), report, json },
    latency_us,
    kinds,
    memory_mb: { heap_used: Math.round(heapUsed / 1024 / 1024), rss: Math.round(rss / 1024 / 1024) },
  }
}

function warmUp<Item>(events: readonly Item[], run: (event: Item) => void): void {
  const until = performance.now() + WARM_UP_MS
  for (let round = 0; round < WARM_UP_ROUNDS || performance.now() < until; round++) for (const event of events) run(event)
}

/** Runs whole rounds of the events, so that every kind has its share. */
function throughput<Item>(events: readonly Item[], milliseconds: number, run: (event: Item) => void, onPart: OnPart): { readonly count: number; readonly perSecond: number } {
  const started = performance.now()
  let count = 0
  let elapsed = 0
  do {
    for (const event of events) run(event)
    count += events.length
    elapsed = performance.now() - started
    onPart(elapsed / milliseconds)
  } while (elapsed < milliseconds)
  return { count, perSecond: (count * 1000) / elapsed }
}

/** Measures the stages, and with them the reports that the command line prints. */
function measureStages(
  runner: EventRunner,
  inputs: readonly LogtestInput[],
  milliseconds: number,
  onPart: OnPart,
): Pick<Measurement['phases'], 'predecode' | 'decode' | 'rules' | 'report'> {
  const now = (): number => performance.now()
  const moment = momentNow()
  const totals = { predecode: 0, decode: 0, rules: 0 }
  const run = (input: LogtestInput): StageTimes => runLogtest(runner, input, moment, null, { trace: false, locale: 'en-US', now }).times
  warmUp(inputs, run)
  const { count, perSecond } = throughput(
    inputs,
    milliseconds,
    (input) => {
      const times = run(input)
      totals.predecode += times.predecode_ms
      totals.decode += times.decode_ms
      totals.rules += times.rule_ms
    },
    onPart,
  )
  return {
    predecode: speedOf(totals.predecode / count),
    decode: speedOf(totals.decode / count),
    rules: speedOf(totals.rules / count),
    report: speedOf(1000 / perSecond),
  }
}

/** Measures the reports that the service writes: as the JSON of an answer, without their objects. */
function measureJson(runner: EventRunner, inputs: readonly LogtestInput[], milliseconds: number, onPart: OnPart): PhaseSpeed {
  const moment = momentNow()
  const writer = new JsonWriter(JSON_BYTES)
  const write = (input: LogtestInput): void => {
    const run = runUnwritten(runner, input, moment, null, { trace: false, locale: 'en-US' })
    writer.clear()
    writeReport(writer, run, run, null)
  }
  warmUp(inputs, write)
  return speedOf(1000 / throughput(inputs, milliseconds, write, onPart).perSecond)
}

function speedOf(msPerEvent: number): PhaseSpeed {
  return { events_per_second: msPerEvent === 0 ? 0 : Math.round(1000 / msPerEvent), us_per_event: roundMs(msPerEvent * 1000) }
}

function measureLatency(events: readonly PreparedEvent[], milliseconds: number, run: (event: PreparedEvent) => void, onPart: OnPart): Measurement['latency_us'] {
  const samples = new Float64Array(Math.min(SAMPLES_LIMIT, Math.max(events.length, EVENTS_PER_LOOK) * 1000))
  const until = performance.now() + milliseconds
  let count = 0
  do {
    for (const event of events) {
      const started = performance.now()
      run(event)
      samples[count++] = performance.now() - started
      if (count === samples.length) break
    }
    onPart(1 - (until - performance.now()) / milliseconds)
  } while (count < samples.length && performance.now() < until)
  const sorted = samples.subarray(0, count).sort()
  const at = (share: number): number => roundMs(sorted[Math.min(count - 1, Math.floor(share * count))] * 1000)
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) }
}

/** Additional share of the time for all kinds together. */
const KINDS_SHARE = 0.4

function measureKinds(events: readonly PreparedEvent[], run: (event: PreparedEvent) => void, seconds: number, onPart: OnPart): Record<string, number> {
  const kinds = new Map<string, PreparedEvent[]>()
  for (const event of events) {
    if (event.kind === null) continue
    const known = kinds.get(event.kind)
    if (known === undefined) kinds.set(event.kind, [event])
    else known.push(event)
  }
  return Object.fromEntries([...kinds].map(([kind, some]) => [kind, Math.round(throughput(some, (seconds * 1000 * KINDS_SHARE) / kinds.size, run, onPart).perSecond)]))
}
