/** What `summary.json` says about two contents on the same events: `before` is the content of `--compare`, `after` that of the call. */
import { type CompiledRule, type CompiledRuleset, fromByteString } from '#engine'
import { type Comparison, type Difference, samplesOf } from './comparison.js'
import type { ContentCost } from './cost.js'
import { stepsAnEvent } from './cost-summary.js'
import type { Counters } from './counters.js'
import { round, timeOf } from './summary-values.js'

/** A limit of the call. */
export interface Threshold {
  readonly option: 'max-new-alerts-per-day' | 'max-cost'
  readonly limit: number
}

/** One of the contents. */
export interface ComparedSide {
  readonly ruleset: CompiledRuleset
  readonly counters: Counters
  readonly cost: ContentCost
}

export interface ComparisonInput {
  /** As the call names it. */
  readonly other: string
  readonly after: ComparedSide
  readonly before: ComparedSide
  readonly comparison: Comparison
  /** Days that the events cover; null: not known. */
  readonly days: number | null
  readonly thresholds: readonly Threshold[]
}

export type ComparisonSummary = ReturnType<typeof comparisonSummary>

/** Counts for the old and the new content. Null: the rule is not in it, or nothing is known. */
export interface Pair<Value> {
  readonly before: Value
  readonly after: Value
}

export function comparisonSummary({ other, after, before, comparison, days, thresholds }: ComparisonInput) {
  const added = total(comparison, 'added')
  const lost = total(comparison, 'lost')
  const aDay = (count: number): number | null => (days === null ? null : round(count / days))
  const cost = { before: stepsAnEvent(before.cost), after: stepsAnEvent(after.cost) }
  const change = cost.before === 0 ? null : round((100 * (cost.after - cost.before)) / cost.before)
  const values: Readonly<Record<Threshold['option'], number | null>> = { 'max-new-alerts-per-day': aDay(added), 'max-cost': change }
  return {
    with: other,
    alerts: { before: before.counters.alerts, after: after.counters.alerts },
    new_alerts: added,
    lost_alerts: lost,
    newly_alerted_events: comparison.newlyAlerted,
    no_longer_alerted_events: comparison.noLongerAlerted,
    a_day: days === null ? null : { before: aDay(before.counters.alerts), after: aDay(after.counters.alerts), new: aDay(added), lost: aDay(lost) },
    steps_an_event: cost,
    cost_change_percent: change,
    rules: rulesOf(after, before, comparison, aDay),
    thresholds: thresholds.map(({ option, limit }) => {
      const value = values[option]
      // What is not known is not below a limit.
      return { option, limit, value, crossed: value === null || value > limit }
    }),
  }
}

/** Rules of which anything differs, those with the most different alerts first. */
function rulesOf(after: ComparedSide, before: ComparedSide, { rules }: Comparison, aDay: (count: number) => number | null) {
  const [now, then] = [byId(after), byId(before)]
  return [...new Set([...now.keys(), ...then.keys()])]
    .flatMap((id) => {
      const [one, two] = [now.get(id) ?? null, then.get(id) ?? null]
      const shown = (one ?? two) as SideRule
      const difference = rules.get(id)
      const pair = <Value>(read: (side: SideRule) => Value): Pair<Value | null> => ({ before: two === null ? null : read(two), after: one === null ? null : read(one) })
      const steps = pair((side) => side.steps)
      const alerts = pair((side) => side.alerts)
      const level = pair(({ rule }) => rule.level)
      if (difference === undefined && steps.before === steps.after && level.before === level.after && (alerts.before ?? 0) === (alerts.after ?? 0)) return []
      const { definition } = shown.rule
      return {
        id: String(id),
        description: fromByteString(definition.description ?? ''),
        file: definition.source.filename,
        line: definition.span.line,
        level,
        alerts,
        alerts_a_day: pair((side) => aDay(side.alerts)),
        steps,
        new: differenceOf(difference?.added),
        lost: differenceOf(difference?.lost),
      }
    })
    .sort((a, b) => b.new.alerts + b.lost.alerts - (a.new.alerts + a.lost.alerts) || changeOf(b.steps) - changeOf(a.steps) || Number(a.id) - Number(b.id))
}

interface SideRule {
  readonly rule: CompiledRule
  readonly alerts: number
  /** Steps on the sample. */
  readonly steps: number
}

function byId({ ruleset, counters, cost }: ComparedSide): ReadonlyMap<number, SideRule> {
  const steps = new Map(cost.rules.map((item) => [item.name, item.steps]))
  return new Map(ruleset.rules.inOrder().map((rule) => [rule.id, { rule, alerts: counters.rules.get(rule.index)?.alerts ?? 0, steps: steps.get(String(rule.id)) ?? 0 }]))
}

function differenceOf(difference: Difference | undefined) {
  const samples = difference === undefined ? [] : samplesOf(difference)
  return {
    alerts: difference?.count ?? 0,
    of_other_rules: difference?.moved ?? 0,
    samples: samples.map(({ source, line, seconds, log, other }) => ({ source, line, time: timeOf(seconds), other_rule: other === null ? null : String(other), log })),
  }
}

function total({ rules }: Comparison, side: 'added' | 'lost'): number {
  return [...rules.values()].reduce((sum, rule) => sum + rule[side].count, 0)
}

function changeOf({ before, after }: Pair<number | null>): number {
  return Math.abs((after ?? 0) - (before ?? 0))
}
