/** Metrics of the table of limits in Prometheus format: allowed, held, waiting and refused amounts. */
import type { LimitReading } from '../limits/limits.js'
import { metricText } from './metric-text.js'

/** The lines of all limits, each with a line break. Holders are not named; the largest amount shows how near a holder is to a limit. */
export function limitText(readings: readonly LimitReading[]): string {
  const rows = (name: string, amountOf: (reading: LimitReading) => number): [string, number][] =>
    readings.map((reading) => [`${name}{resource="${reading.resource}",scope="${reading.scope}"}`, amountOf(reading)])
  const waiting = new Map(readings.map((reading) => [reading.resource, reading.waiting]))
  return [
    metricText(
      'concurrency_limit',
      'gauge',
      'Maximum amount of one holder in the scope.',
      rows('concurrency_limit', ({ limit }) => limit),
    ),
    metricText(
      'concurrency_held',
      'gauge',
      'Amount of all holders in the scope.',
      rows('concurrency_held', ({ held }) => held),
    ),
    metricText(
      'concurrency_largest',
      'gauge',
      'Largest amount of one holder in the scope.',
      rows('concurrency_largest', ({ largest }) => largest),
    ),
    metricText(
      'concurrency_waiting',
      'gauge',
      'Requests that wait for the limit.',
      [...waiting].map(([resource, count]) => [`concurrency_waiting{resource="${resource}"}`, count]),
    ),
    metricText(
      'concurrency_refused_total',
      'counter',
      'Requests refused by the limit, by scope.',
      rows('concurrency_refused_total', ({ refused }) => refused),
    ),
  ].join('')
}
