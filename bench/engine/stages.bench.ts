/** Measures what each stage of an event costs, by kind of line. Each run ends after one more stage; the difference of two runs is the cost of a stage. */
import { EventRunner, toByteString } from '#engine'
import { decodeAs } from '../../engine/logtest/received-event.js'
import { predecode } from '../../engine/predecoding/predecode.js'
import { median } from '../median.js'
import { report } from '../report.js'
import { haveRecordings, haveReplay } from './data.js'
import { type Kind, kindsOfEvents } from './kinds.js'
import { MOMENT } from './measure.js'

/** Turns of each run in the given seconds: the machine changes its speed, so the runs take short turns. */
const TURNS = 40
const MICROSECONDS = 1e6

export function benchStages(seconds: number): void {
  if (!haveRecordings() || !haveReplay()) return console.error('stages: the recorded events are not there, so nothing is measured')
  report('stages', {
    title: 'Microseconds of an event by stage, one thread, processor time',
    columns: ['lines', 'bytes', 'header', 'lower case', 'decoders', 'rules', 'all'],
    rows: kindsOfEvents().map((kind) => rowOf(kind, seconds)),
  })
}

function rowOf({ name, ruleset, events }: Kind, seconds: number): (string | number)[] {
  const runner = new EventRunner(ruleset)
  const runs: ((one: Kind['events'][number]) => unknown)[] = [
    ({ event }) => toByteString(event),
    ({ event, origin }) => predecode(toByteString(event), origin, MOMENT.seconds),
    // The event channel's text is folded where it is read.
    ({ event, origin, format }) => {
      const predecoded = predecode(toByteString(event), origin, MOMENT.seconds)
      return format === 'eventchannel' ? predecoded : predecoded.logLower
    },
    ({ event, origin, format }) => decodeAs(format, predecode(toByteString(event), origin, MOMENT.seconds), runner, null, null),
    ({ event, origin, format }) => {
      const predecoded = predecode(toByteString(event), origin, MOMENT.seconds)
      return decodeAs(format, predecoded, runner, null, null) && runner.runRules(predecoded, MOMENT, null, null)
    },
  ]
  const measured: number[][] = runs.map(() => [])
  for (let turn = -TURNS; turn < TURNS; turn++) {
    for (const [index, run] of runs.entries()) {
      const cost = costOf(events, run, (seconds * MICROSECONDS) / TURNS)
      // The first half of the turns is to warm up.
      if (turn >= 0) measured[index].push(cost)
    }
  }
  const costs = measured.map(median)
  return [name, ...costs.map((cost, index) => cost - (costs[index - 1] ?? 0)), costs[costs.length - 1]]
}

/** Microseconds of processor time for one event. @param atLeast how long the events are repeated */
function costOf<T>(events: readonly T[], run: (event: T) => unknown, atLeast: number): number {
  const before = process.cpuUsage()
  let count = 0
  let used = 0
  do {
    for (const event of events) run(event)
    count += events.length
    used = process.cpuUsage(before).user
  } while (used < atLeast)
  return used / count
}
