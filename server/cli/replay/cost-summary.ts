/** What `summary.json` says about the cost of a content. */
import type { StepItem } from '../bench/profile.js'
import type { ContentCost } from './cost.js'

/** Rules, decoders and patterns that are listed, those with the most steps first. */
const LISTED = 100

export type CostSummary = ReturnType<typeof costSummary>

export function costSummary({ events, steps, rules, decoders, patterns }: ContentCost) {
  const first = (items: readonly StepItem[]) =>
    items.slice(0, LISTED).map(({ name, filename, line, checks, matches, steps: own }) => ({ name, file: filename, line, checks, matches, steps: own }))
  return {
    sampled_events: events,
    steps_an_event: stepsAnEvent({ events, steps }),
    rules: first(rules),
    decoders: first(decoders),
    patterns: first(patterns).map(({ name, checks, matches, steps: own }) => ({ pattern: name, checks, matches, steps: own })),
  }
}

/** To one decimal place. */
export function stepsAnEvent({ events, steps }: Pick<ContentCost, 'events' | 'steps'>): number {
  return events === 0 ? 0 : Math.round((10 * steps) / events) / 10
}
