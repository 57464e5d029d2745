/** A cached logtest with full trace, as a caller gets it, and what the compiled ruleset weighs. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { compileRuleset, EventRunner, readLocation, runLogtest, toByteString } from '#engine'
import { haveRecordings, referenceData, stockData } from './data.js'
import { median } from '../median.js'

const MOMENT = { seconds: 1_700_000_000, local: () => ({ timeOfDay: '12:00', weekday: 3 }) }
const EVENTS = 1_000_000

function heapMegabytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  return process.memoryUsage().heapUsed / 1024 / 1024
}

export function benchLogtest(): void {
  const data = haveRecordings() ? stockData('default') : referenceData()
  const lines = data.lines.get('all') ?? []
  const before = heapMegabytes()
  const ruleset = compileRuleset(data.files)
  const runner = new EventRunner(ruleset)
  console.log(`logtest: ${data.name} ruleset`)
  console.log(`  compiled: ${(heapMegabytes() - before).toFixed(1)} MB over the idle heap`)
  const durations: number[] = []
  for (let round = 0; round < 6; round++) {
    for (const event of lines) {
      const started = performance.now()
      runLogtest(runner, { event, log_format: 'auto' }, MOMENT, null, { trace: true, locale: 'en-US' })
      if (round > 0) durations.push(performance.now() - started)
    }
  }
  durations.sort((a, b) => a - b)
  console.log(`  with full trace: p50 ${median(durations).toFixed(3)} ms, p99 ${durations[Math.floor(durations.length * 0.99)].toFixed(3)} ms`)
  const origin = readLocation('stdin')
  if (origin === null) throw new Error('stdin is a location')
  const warm = heapMegabytes()
  for (let count = 0; count < EVENTS; ) for (const line of lines) if (count++ < EVENTS) runner.run(toByteString(line), origin, MOMENT, null)
  console.log(
    `  after ${EVENTS.toLocaleString('en-US')} events: ${(heapMegabytes() - warm).toFixed(1)} MB more than before them (${(heapMegabytes() - before).toFixed(1)} MB over idle)`,
  )
}
