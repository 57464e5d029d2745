/** What `summary.json` says about a replay. */
import { type CompiledRule, type CompiledRuleset, fromByteString } from '#engine'
import type { ReplayClock } from '#workers'
import type { IncompleteSource } from './checkpoint.js'
import type { ComparisonSummary } from './comparison-summary.js'
import type { ContentCost } from './cost.js'
import { costSummary } from './cost-summary.js'
import type { Counters } from './counters.js'
import { round, timeOf } from './summary-values.js'
import { stepSeconds, timeSeries } from './time-buckets.js'

/** Hosts and kinds of unknown events that are listed, those with the most first. */
const LISTED = 500

/** What only this run of the replay was: everything else is the same in each run. */
export interface RunFacts {
  readonly seconds: number
  readonly events_per_second: number
  readonly threads: number
  readonly peak_memory_mb: number
}

export interface SummaryInput {
  readonly ruleset: CompiledRuleset
  readonly counters: Counters
  /** Whether a rule is of the caller's own content. */
  readonly isOwn: (rule: CompiledRule) => boolean
  /** Days that the events cover; null: not known. */
  readonly days: number | null
  readonly cost: ContentCost
  /** Null: contents are not compared. */
  readonly comparison: ComparisonSummary | null
  readonly sources: number
  readonly incomplete: readonly IncompleteSource[]
  readonly clock: ReplayClock
  /** The input was not read to its end. */
  readonly isPartial: boolean
  readonly run: RunFacts
}

export type Summary = ReturnType<typeof summaryOf>

export function summaryOf({ ruleset, counters, isOwn, days, cost, comparison, sources, incomplete, clock, isPartial, run }: SummaryInput) {
  const { lines, events, alerts, marked, late, timeless, unknownEvents, first, last } = counters
  const inOrder = ruleset.rules.inOrder()
  const byIndex = new Map(inOrder.map((rule) => [rule.index, rule]))
  const rules = [...counters.rules].flatMap(([index, count]) => {
    const rule = byIndex.get(index)
    if (rule === undefined) return []
    const { groups, mitreIds } = rule
    return {
      ...placeOf(rule),
      events: count.events,
      alerts: count.alerts,
      first: timeOf(count.first),
      last: timeOf(count.last),
      groups: groups.map(fromByteString),
      attack_ids: mitreIds.map(fromByteString),
    }
  })
  rules.sort((a, b) => b.alerts - a.alerts || b.events - a.events || Number(a.id) - Number(b.id))
  const levels = new Map<number, { level: number; events: number; alerts: number }>()
  for (const { level, events: final, alerts: made } of rules) {
    const known = levels.get(level) ?? { level, events: 0, alerts: 0 }
    levels.set(level, { level, events: known.events + final, alerts: known.alerts + made })
  }
  const hosts = [...counters.hosts].map(([name, count]) => ({ host: name === '' ? null : name, ...count })).sort((a, b) => b.alerts - a.alerts || b.events - a.events)
  const unknown = [...counters.unknown.values()].sort((a, b) => b.count - a.count)
  return {
    partial: isPartial,
    clock,
    sources,
    incomplete_sources: incomplete,
    lines,
    events,
    alerts,
    events_with_history: marked,
    late_events: late,
    events_without_time: timeless,
    first_event: Number.isFinite(first) ? timeOf(first) : null,
    last_event: Number.isFinite(last) ? timeOf(last) : null,
    days_covered: days === null ? null : round(days),
    alerts_a_day: days === null ? null : round(alerts / days),
    rules,
    own_rules_without_events: inOrder.filter((rule) => isOwn(rule) && !counters.rules.has(rule.index)).map(placeOf),
    levels: [...levels.values()].sort((a, b) => a.level - b.level),
    decoders: [...counters.decoders].map(([name, count]) => ({ name, events: count })).sort((a, b) => b.events - a.events),
    hosts: hosts.slice(0, LISTED),
    hosts_not_listed: Math.max(0, hosts.length - LISTED),
    events_of_hosts_beyond_limit: counters.otherHosts.events,
    unknown_events: unknownEvents,
    unknown_kinds: unknown.slice(0, LISTED).map(({ template, count, example }) => ({ template, events: count, example })),
    wrong_lines: Object.fromEntries([...counters.faults].map(([fault, { lines: count, places }]) => [fault, { lines: count, first: places }])),
    alerts_over_time: { seconds: stepSeconds(counters.time), counts: timeSeries(counters.time).map(([seconds, count]) => ({ from: timeOf(seconds), alerts: count })) },
    cost: costSummary(cost),
    compare: comparison,
    run,
  }
}

function placeOf({ definition, id, level }: CompiledRule) {
  return { id: String(id), level, description: fromByteString(definition.description ?? ''), file: definition.source.filename, line: definition.span.line }
}
