/** Events a second by kind of line, one thread, fresh sessions, no trace; beside the C engine's where the recordings are. */
import type { BenchData } from './data.js'
import { cEngineFloor, haveRecordings, referenceData, stockData } from './data.js'
import { measure, MOMENT } from './measure.js'
import { compileRuleset, EventRunner, readLocation, toByteString } from '#engine'

function eventsPerSecond(runner: EventRunner, lines: readonly string[], seconds: number): number {
  const origin = readLocation('stdin')
  if (origin === null) throw new Error('stdin is a location')
  return 1e9 / measure(lines, (line) => runner.run(toByteString(line), origin, MOMENT, null), seconds)
}

export function benchEvents(seconds: number): void {
  const report = (data: BenchData, kinds: readonly string[], floor: Record<string, number> | null): void => {
    const runner = new EventRunner(compileRuleset(data.files))
    for (const kind of kinds) {
      const rate = eventsPerSecond(runner, data.lines.get(kind) ?? [], seconds)
      const ratio = floor?.[kind] === undefined ? '' : `  C engine ${Math.round(floor[kind]).toString().padStart(8)}  ratio ${(rate / floor[kind]).toFixed(2)}`
      console.log(`  ${kind.padEnd(14)}${Math.round(rate).toString().padStart(9)} events/s${ratio}`)
    }
  }
  console.log('events: reference ruleset')
  report(referenceData(), ['all'], null)
  if (!haveRecordings()) return
  const { events } = cEngineFloor()
  console.log('events: stock ruleset')
  report(stockData('default'), ['all', 'sshd', 'json-cloud', 'cisco', 'web', 'other'], events)
  report(stockData('test'), ['windows-json'], events)
}
