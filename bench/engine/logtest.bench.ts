/** A cached logtest with full trace, as a caller gets it, and what the compiled ruleset weighs. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { compileRuleset, EventRunner, readLocation, runLogtest, runPrinted, toByteString } from '#engine'
import { haveRecordings, referenceData, stockData } from './data.js'
import { MOMENT } from './measure.js'
import { median } from '../median.js'
import { reportJson } from '../../workers/tasks/report-json.js'

const EVENTS = 1_000_000
const TRACED = { trace: true, locale: 'en-US' } as const

function heapMegabytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  return process.memoryUsage().heapUsed / 1024 / 1024
}

/** Runs all lines in some rounds, the first of them to get warm, and says what one takes. */
function report(what: string, lines: readonly string[], run: (event: string) => unknown): void {
  const durations: number[] = []
  let total = 0
  for (let round = 0; round < 6; round++) {
    for (const event of lines) {
      const started = performance.now()
      run(event)
      const duration = performance.now() - started
      if (round === 0) continue
      durations.push(duration)
      total += duration
    }
  }
  durations.sort((a, b) => a - b)
  const mean = ((total * 1000) / durations.length).toFixed(1)
  console.log(`  ${what}: p50 ${median(durations).toFixed(3)} ms, p99 ${durations[Math.floor(durations.length * 0.99)].toFixed(3)} ms, mean ${mean} µs`)
}

export function benchLogtest(): void {
  const data = haveRecordings() ? stockData('default') : referenceData()
  const lines = data.lines.get('all') ?? []
  const before = heapMegabytes()
  const ruleset = compileRuleset(data.files)
  const runner = new EventRunner(ruleset)
  console.log(`logtest: ${data.name} ruleset`)
  console.log(`  compiled: ${(heapMegabytes() - before).toFixed(1)} MB over the idle heap`)
  report('with full trace', lines, (event) => runLogtest(runner, { event, log_format: 'auto' }, MOMENT, null, TRACED))
  report('as JSON', lines, (event) => Buffer.byteLength(reportJson(runPrinted(runner, { event, log_format: 'auto' }, MOMENT, null, TRACED), true).join('')))
  const origin = readLocation('stdin')
  if (origin === null) throw new Error('stdin is a location')
  const warm = heapMegabytes()
  for (let count = 0; count < EVENTS; ) for (const line of lines) if (count++ < EVENTS) runner.run(toByteString(line), origin, MOMENT, null)
  console.log(
    `  after ${EVENTS.toLocaleString('en-US')} events: ${(heapMegabytes() - warm).toFixed(1)} MB more than before them (${(heapMegabytes() - before).toFixed(1)} MB over idle)`,
  )
}
