/** Measures events per second by kind of line, with one thread, new sessions and no trace; compares with the C engine if the recordings are present. */
import type { BenchData } from './data.js'
import { cEngineFloor, eventchannelInputs, haveRecordings, haveReplay, referenceData, stockData } from './data.js'
import { measure, MOMENT } from './measure.js'
import { report } from '../report.js'
import { compileRuleset, EventRunner, type LogtestInput, receiveEvent, runReceived, toByteString } from '#engine'

/** The kind of Windows events as agents send them, of which the recordings have no speed of the C engine. */
const EVENTCHANNEL = 'event channel'
/** All lines in random order, as those of many sources arrive. In the recordings similar lines are side by side, and share what a core has at hand. */
const MIXED = 'all, in random order'
/** One of so many events of the replay corpus is measured. */
const REPLAYED_STEP = 6

function eventsPerSecond(runner: EventRunner, inputs: readonly LogtestInput[], seconds: number): number {
  const events = inputs.flatMap((input) => {
    const received = receiveEvent(input)
    return received === null ? [] : [{ ...received, event: input.event }]
  })
  return 1e9 / measure(events, ({ event, origin, format }) => runReceived(runner, { text: toByteString(event), origin, format }, MOMENT, null), seconds)
}

/** The same order in each run. */
function inRandomOrder<T>(items: readonly T[]): T[] {
  let state = 1
  // The generator of Park and Miller.
  const next = (): number => (state = (state * 48_271) % 0x7fffffff)
  return items
    .map((item) => ({ item, key: next() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)
}

export function benchEvents(seconds: number): void {
  const measured = (data: BenchData, kinds: readonly string[], floor: Record<string, number> | null): (string | number | null)[][] => {
    const runner = new EventRunner(compileRuleset(data.files))
    return kinds.map((kind) => {
      const lines = kind === MIXED ? inRandomOrder(data.lines.get('all') ?? []) : (data.lines.get(kind) ?? [])
      const inputs = kind === EVENTCHANNEL ? eventchannelInputs(REPLAYED_STEP) : lines.map((event): LogtestInput => ({ event, log_format: 'syslog' }))
      const rate = eventsPerSecond(runner, inputs, seconds)
      const other = floor?.[kind] ?? null
      return [`${kind}, ${data.name}`, rate, other, other === null ? null : rate / other]
    })
  }
  const reference = measured(referenceData(), ['all'], null)
  const floor = haveRecordings() ? cEngineFloor().events : null
  if (!haveReplay()) console.error('events: the replay corpus is not there, so no event of the event channel is measured')
  const replayed = haveReplay() ? [EVENTCHANNEL] : []
  const stock =
    floor === null
      ? []
      : [
          ...measured(stockData('default'), ['all', MIXED, 'sshd', 'json-cloud', 'cisco', 'web', 'other', ...replayed], floor),
          ...measured(stockData('test'), ['windows-json'], floor),
        ]
  report('events', { title: 'Events a second by kind of line, one thread', columns: ['lines, ruleset', 'events/s', 'C engine here', 'ratio'], rows: [...reference, ...stock] })
}
