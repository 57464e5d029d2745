/** Measures a logtest with full trace on a cached ruleset, and the memory of the compiled ruleset. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { compileRuleset, EventRunner, JsonWriter, readLocation, runLogtest, runUnwritten, toByteString, writeReport } from '#engine'
import { haveRecordings, referenceData, stockData } from './data.js'
import { MOMENT } from './measure.js'
import { median } from '../median.js'
import { report } from '../report.js'

const EVENTS = 1_000_000
/** Bytes of the longest answers. */
const WRITER_BYTES = 256 * 1024
const TRACED = { trace: true, locale: 'en-US' } as const

function heapMegabytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  return process.memoryUsage().heapUsed / 1024 / 1024
}

/** Runs all lines in several rounds; the first one warms up. @returns p50 and p99 in milliseconds, and the mean in microseconds */
function latencies(lines: readonly string[], run: (event: string) => unknown): readonly [p50: number, p99: number, mean: number] {
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
  return [median(durations), durations[Math.floor(durations.length * 0.99)], (total * 1000) / durations.length]
}

export function benchLogtest(): void {
  const data = haveRecordings() ? stockData('default') : referenceData()
  const lines = data.lines.get('all') ?? []
  const idle = heapMegabytes()
  const ruleset = compileRuleset(data.files)
  const runner = new EventRunner(ruleset)
  const compiled = heapMegabytes() - idle
  const traced = latencies(lines, (event) => runLogtest(runner, { event, log_format: 'auto' }, MOMENT, null, TRACED))
  const writer = new JsonWriter(WRITER_BYTES)
  const written = latencies(lines, (event) => {
    const run = runUnwritten(runner, { event, log_format: 'auto' }, MOMENT, null, TRACED)
    writer.clear()
    writeReport(writer, run, run, null)
  })
  report('logtest', {
    title: `A cached logtest with its full trace, ruleset ${data.name}`,
    columns: ['form', 'p50 ms', 'p99 ms', 'mean µs'],
    rows: [
      ['object', ...traced],
      ['JSON', ...written],
    ],
  })
  const origin = readLocation('stdin')
  if (origin === null) throw new Error('stdin is a location')
  const warm = heapMegabytes()
  for (let count = 0; count < EVENTS; ) for (const line of lines) if (count++ < EVENTS) runner.run(toByteString(line), origin, MOMENT, null)
  report('logtest', {
    title: `Memory of the ruleset ${data.name}`,
    columns: ['moment', 'MB'],
    rows: [
      ['compiled, above the idle heap', compiled],
      [`after ${EVENTS.toLocaleString('en-US')} events, more than before them`, heapMegabytes() - warm],
    ],
  })
}
