/** The table of limits in Prometheus's words: what is allowed, what is held, what waits, and what was refused. */
import type { LimitReading } from '../limits/limits.js'
import { metricText } from './metric-text.js'

/** The lines of all limits, each ended. Holders are not named: the largest one's amount is enough to see who is near a limit. */
export function limitText(readings: readonly LimitReading[]): string {
  const rows = (name: string, amountOf: (reading: LimitReading) => number): [string, number][] =>
    readings.map((reading) => [`${name}{resource="${reading.resource}",scope="${reading.scope}"}`, amountOf(reading)])
  const waiting = new Map(readings.map((reading) => [reading.resource, reading.waiting]))
  return [
    metricText(
      'concurrency_limit',
      'gauge',
      'What one holder of the scope may hold at once.',
      rows('concurrency_limit', ({ limit }) => limit),
    ),
    metricText(
      'concurrency_held',
      'gauge',
      'What all holders of the scope hold together.',
      rows('concurrency_held', ({ held }) => held),
    ),
    metricText(
      'concurrency_largest',
      'gauge',
      'What the largest holder of the scope holds.',
      rows('concurrency_largest', ({ largest }) => largest),
    ),
    metricText(
      'concurrency_waiting',
      'gauge',
      'Requests that wait for their turn.',
      [...waiting].map(([resource, count]) => [`concurrency_waiting{resource="${resource}"}`, count]),
    ),
    metricText(
      'concurrency_refused_total',
      'counter',
      'Requests that were refused, by whose limit it was.',
      rows('concurrency_refused_total', ({ refused }) => refused),
    ),
  ].join('')
}
