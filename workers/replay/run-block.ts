/** The first phase of a replay, for the lines of a block: reads the events, runs each as far as it does not depend on others, and prepares their alerts. */
import { isUtf8 } from 'node:buffer'
import {
  AlertLine,
  type CompiledRuleset,
  EventRunner,
  FirstPhase,
  fromByteString,
  JsonWriter,
  jsonBytes,
  LOG_ALERT_LEVEL,
  readRecord,
  type StoredForm,
  StoredForms,
  utcMoment,
} from '#engine'
import { ARRIVAL_STEP, type Block, type BlockAnswer, type Cluster, EVENT, type LineFault, type ReplayThreadData } from './block.js'
import { templateOf } from './template.js'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const BLANK = /^\s*$/
/** Bytes of the memory for alerts that is kept from block to block. */
const ALERT_BYTES = 1024 * 1024
/** Bytes of an example of an unknown event. */
const EXAMPLE_LENGTH = 1024
/** Kinds of unknown events of a block that are told apart. */
const CLUSTERS_LIMIT = 500

export class BlockRunner {
  readonly #data: Omit<ReplayThreadData, 'contents'>
  readonly #runner: EventRunner
  readonly #first: FirstPhase
  readonly #forms: StoredForms
  readonly #line: AlertLine
  readonly #writesAlerts: boolean
  readonly #writer = new JsonWriter(ALERT_BYTES)

  /** @param writesAlerts else only what the events come to is answered */
  constructor(ruleset: CompiledRuleset, data: Omit<ReplayThreadData, 'contents'>, writesAlerts: boolean) {
    this.#data = data
    this.#writesAlerts = writesAlerts
    this.#runner = new EventRunner(ruleset)
    this.#first = new FirstPhase(this.#runner)
    this.#forms = new StoredForms(this.#runner.ruleset)
    this.#line = new AlertLine(data.select)
  }

  run({ bytes, lines: size, firstLine, seconds: arrival, source }: Block): BlockAnswer {
    const { fields, clock } = this.#data
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    const sourceJson = jsonBytes(source)
    const writer = this.#writer
    writer.clear()
    const states = new Uint8Array(size)
    const rules = new Int32Array(size)
    const seconds = new Float64Array(size)
    const lines = new Uint32Array(size)
    const starts = new Uint32Array(size)
    const ends = new Uint32Array(size)
    const hostOf = new Uint32Array(size)
    const alertEnds = new Uint32Array(size)
    const places = new Uint32Array(size)
    const stored = new Map<number, StoredForm>()
    const hosts = new Tally()
    const decoders = new Tally()
    const unknown = new Map<string, Cluster>()
    const faults: [LineFault, number][] = []
    const allUtf8 = isUtf8(buffer)
    let notUtf8 = 0
    let firstNotUtf8 = 0
    let count = 0
    for (let start = 0, line = 0; start < buffer.length; line++) {
      const feed = buffer.indexOf(LINE_FEED, start)
      const next = feed < 0 ? buffer.length : feed
      const end = next > start && buffer[next - 1] === CARRIAGE_RETURN ? next - 1 : next
      const from = start
      start = next + 1
      const text = buffer.toString('latin1', from, end)
      if (BLANK.test(text)) continue
      if (!allUtf8 && !isUtf8(buffer.subarray(from, end)) && notUtf8++ === 0) firstNotUtf8 = line
      const record = readRecord(text, fields)
      if (typeof record === 'string') {
        faults.push([record, line])
        continue
      }
      const isTimeless = clock === 'event' && record.seconds === null
      const moment = utcMoment(clock === 'event' && record.seconds !== null ? record.seconds : arrival + line * ARRIVAL_STEP)
      const answer = this.#first.run(record.text, record.format, record.origin, moment)
      if (answer === null) {
        faults.push(['dropped', line])
        continue
      }
      const { event } = answer
      const rule = isTimeless ? undefined : answer.rule
      let state = (isTimeless ? EVENT.timeless : 0) | (answer.lacksCaptures ? EVENT.lacksCaptures : 0) | (record.format === 'eventchannel' ? EVENT.keepsCaptures : 0)
      hostOf[count] = hosts.add(event.hostname ?? '')
      decoders.add(event.decoder?.name ?? '')
      if (event.decoder === null) addUnknown(unknown, event.log)
      if (rule === undefined) state |= EVENT.marked
      else if (rule !== null) {
        const form = this.#forms.of(event, rule)
        if (form !== null) stored.set(count, form)
        if (this.#writesAlerts && rule.level >= LOG_ALERT_LEVEL) {
          const description = this.#runner.describe(rule)
          places[count] = this.#line.write(writer, { source: sourceJson, line: firstLine + line, event, rule, description, previous: [], firedTimes: null })
        }
      }
      states[count] = state
      rules[count] = rule?.index ?? -1
      seconds[count] = moment.seconds
      lines[count] = line
      starts[count] = from
      ends[count] = end
      alertEnds[count] = writer.length
      count++
    }
    return {
      bytes,
      count,
      ...{ states, rules, seconds, lines, starts, ends, hostOf, alertEnds, places, stored, faults, notUtf8, firstNotUtf8 },
      alerts: new Uint8Array(writer.written),
      hosts: hosts.list(),
      decoders: decoders.list(),
      unknown: [...unknown.values()],
    }
  }
}

/** Counts names, which have positions in the order in which they came. */
class Tally {
  readonly #places = new Map<string, number>()
  readonly #counts: number[] = []

  /** @param name a byte string @returns its position */
  add(name: string): number {
    let place = this.#places.get(name)
    if (place === undefined) {
      place = this.#counts.length
      this.#places.set(name, place)
      this.#counts.push(0)
    }
    this.#counts[place]++
    return place
  }

  list(): [string, number][] {
    return Array.from(this.#places, ([name, place]) => [fromByteString(name), this.#counts[place]])
  }
}

function addUnknown(unknown: Map<string, Cluster>, log: string): void {
  const template = templateOf(log)
  const cluster = unknown.get(template)
  if (cluster !== undefined) cluster.count++
  else if (unknown.size < CLUSTERS_LIMIT) unknown.set(template, { template: fromByteString(template), count: 1, example: fromByteString(log.slice(0, EXAMPLE_LENGTH)) })
}
