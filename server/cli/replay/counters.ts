/** What a replay counts, as plain data: a checkpoint contains it. Each count is the same with any number of threads, because blocks are counted in their order. */
import type { BlockAnswer, Cluster, LineFault } from '#workers'
import type { CutBlock } from './blocks.js'
import { createTimeCounts, type TimeCounts } from './time-buckets.js'

/** Hosts that are counted apart. */
const HOSTS_LIMIT = 10_000
/** Kinds of unknown events that are counted apart. */
const CLUSTERS_LIMIT = 5000
/** Lines whose places are kept for each fault. */
const PLACES_LIMIT = 100

export interface RuleCount {
  /** How often it was the final rule, and how many alerts that made. */
  events: number
  alerts: number
  /** Seconds since the epoch of the first and last event. */
  first: number
  last: number
}

export interface HostCount {
  events: number
  alerts: number
}

/** Lines with a fault, and the places of the first of them. */
export interface FaultCount {
  lines: number
  readonly places: { readonly source: string; readonly line: number }[]
}

export interface Counters {
  lines: number
  events: number
  alerts: number
  /** Events that the second phase ran, those that came later than their time, and those without a time of their own. */
  marked: number
  late: number
  timeless: number
  /** Seconds since the epoch of the first and last event; infinite = there is none. */
  first: number
  last: number
  readonly rules: Map<number, RuleCount>
  readonly decoders: Map<string, number>
  readonly hosts: Map<string, HostCount>
  /** Events of hosts that are not counted apart. */
  readonly otherHosts: HostCount
  readonly unknown: Map<string, Cluster>
  unknownEvents: number
  readonly faults: Map<LineFault | 'not_utf8', FaultCount>
  readonly time: TimeCounts
}

export function createCounters(): Counters {
  return {
    ...{ lines: 0, events: 0, alerts: 0, marked: 0, late: 0, timeless: 0, unknownEvents: 0 },
    ...{ first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY },
    ...{ rules: new Map(), decoders: new Map(), hosts: new Map(), otherHosts: { events: 0, alerts: 0 }, unknown: new Map(), faults: new Map() },
    time: createTimeCounts(),
  }
}

/** Counts a block of a source. @param answer what the threads found in it; null: it has no lines */
export function countBlock(counters: Counters, answer: BlockAnswer | null, { lines, firstLine, beforeTooLong }: Omit<CutBlock, 'bytes'>, source: string): void {
  if (answer !== null) countAnswer(counters, answer, source, firstLine)
  if (beforeTooLong) countFault(counters, 'too_long', source, firstLine + lines)
  counters.lines += lines + (beforeTooLong ? 1 : 0)
}

/** @param firstLine its number in the source */
function countAnswer(counters: Counters, { count, hosts, decoders, unknown, faults, notUtf8, firstNotUtf8 }: BlockAnswer, source: string, firstLine: number): void {
  counters.events += count
  for (const [name, events] of decoders) {
    if (name === '') counters.unknownEvents += events
    else counters.decoders.set(name, (counters.decoders.get(name) ?? 0) + events)
  }
  for (const cluster of unknown) {
    const known = counters.unknown.get(cluster.template)
    if (known !== undefined) known.count += cluster.count
    else if (counters.unknown.size < CLUSTERS_LIMIT) counters.unknown.set(cluster.template, cluster)
  }
  for (const [fault, line] of faults) countFault(counters, fault, source, firstLine + line)
  if (notUtf8 > 0) countFault(counters, 'not_utf8', source, firstLine + firstNotUtf8, notUtf8)
  for (const [name, events] of hosts) {
    let host = counters.hosts.get(name)
    if (host === undefined && counters.hosts.size < HOSTS_LIMIT) counters.hosts.set(name, (host = { events: 0, alerts: 0 }))
    host ??= counters.otherHosts
    host.events += events
  }
}

/** The counts of the hosts of a block that was counted. */
export function hostsOf(counters: Counters, { hosts }: BlockAnswer): readonly HostCount[] {
  return hosts.map(([name]) => counters.hosts.get(name) ?? counters.otherHosts)
}

export function countFault({ faults }: Counters, fault: LineFault | 'not_utf8', source: string, line: number, lines = 1): void {
  let known = faults.get(fault)
  if (known === undefined) faults.set(fault, (known = { lines: 0, places: [] }))
  known.lines += lines
  if (known.places.length < PLACES_LIMIT) known.places.push({ source, line })
}

/** Counts a final rule. */
export function countRule({ rules }: Counters, index: number, seconds: number): RuleCount {
  let known = rules.get(index)
  if (known === undefined) rules.set(index, (known = { events: 0, alerts: 0, first: seconds, last: seconds }))
  known.events++
  if (seconds < known.first) known.first = seconds
  if (seconds > known.last) known.last = seconds
  return known
}
