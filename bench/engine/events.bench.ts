/** Measures events per second by kind of line, with one thread, new sessions and no trace; compares with the C engine if the recordings are present. */
import type { BenchData } from './data.js'
import { cEngineFloor, haveRecordings, referenceData, stockData } from './data.js'
import { measure, MOMENT } from './measure.js'
import { report } from '../report.js'
import { compileRuleset, EventRunner, readLocation, toByteString } from '#engine'

function eventsPerSecond(runner: EventRunner, lines: readonly string[], seconds: number): number {
  const origin = readLocation('stdin')
  if (origin === null) throw new Error('stdin is a location')
  return 1e9 / measure(lines, (line) => runner.run(toByteString(line), origin, MOMENT, null), seconds)
}

export function benchEvents(seconds: number): void {
  const measured = (data: BenchData, kinds: readonly string[], floor: Record<string, number> | null): (string | number | null)[][] => {
    const runner = new EventRunner(compileRuleset(data.files))
    return kinds.map((kind) => {
      const rate = eventsPerSecond(runner, data.lines.get(kind) ?? [], seconds)
      const other = floor?.[kind] ?? null
      return [`${kind}, ${data.name}`, rate, other, other === null ? null : rate / other]
    })
  }
  const reference = measured(referenceData(), ['all'], null)
  const floor = haveRecordings() ? cEngineFloor().events : null
  const stock =
    floor === null
      ? []
      : [...measured(stockData('default'), ['all', 'sshd', 'json-cloud', 'cisco', 'web', 'other'], floor), ...measured(stockData('test'), ['windows-json'], floor)]
  report('events', { title: 'Events a second by kind of line, one thread', columns: ['lines, ruleset', 'events/s', 'C engine here', 'ratio'], rows: [...reference, ...stock] })
}
