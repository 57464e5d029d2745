/**
 * Measures which share of an event's time passes over its bytes, by kind of line: what reading them faster could save at most. The bound is the factor
 * that would follow if those passes took no time at all.
 */
import { Session } from 'node:inspector'
import { EventRunner, runReceived } from '#engine'
import { report } from '../report.js'
import { haveRecordings, haveReplay } from './data.js'
import { type Kind, kindsOfEvents } from './kinds.js'
import { MOMENT } from './measure.js'

/** Files whose functions look at each byte of a line or a value: headers, patterns, JSON and XML, copies and other cases of texts. */
const PASSES = /^wasm:|engine\/(?:kernel|expressions\/(?:osregex|osmatch|pcre2|literal|window-scan)|predecoding|json|source)\b/
/** Names of the profiler that are no work on an event. */
const NO_WORK: ReadonlySet<string> = new Set(['(idle)', '(program)', '(root)'])
const COLLECTOR = '(garbage collector)'
const SAMPLING_MICROSECONDS = 200
/** Calls between two looks at the clock. */
const SLICE = 200

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string }
}

interface Profile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

export function benchPasses(seconds: number): void {
  if (!haveRecordings() || !haveReplay()) return console.error('passes: the recorded events are not there, so nothing is measured')
  report('passes', {
    title: 'Time of an event that passes over its bytes, and the factor if it took none',
    columns: ['lines', 'bytes', 'µs an event', 'passes', 'collector', 'bound'],
    rows: kindsOfEvents().map((kind) => rowOf(kind, seconds)),
  })
}

function rowOf({ name, ruleset, events }: Kind, seconds: number): (string | number)[] {
  const runner = new EventRunner(ruleset)
  let next = 0
  const run = (ms: number): number => {
    const end = performance.now() + ms
    let count = 0
    do {
      for (let i = 0; i < SLICE; i++) {
        const { text, origin, format } = events[next++ % events.length]
        runReceived(runner, { text, origin, format }, MOMENT, null)
      }
      count += SLICE
    } while (performance.now() < end)
    return count
  }
  run(seconds * 1000)
  let count = 0
  const before = process.cpuUsage()
  const profile = profileOf(() => {
    count = run(seconds * 2000)
  })
  const { user } = process.cpuUsage(before)
  const { passes, collector } = sharesOf(profile)
  const bytes = events.reduce((sum, { text }) => sum + text.length, 0) / events.length
  return [name, Math.round(bytes), user / count, passes, collector, 1 / (1 - passes)]
}

function profileOf(work: () => void): Profile {
  const session = new Session()
  session.connect()
  let profile: Profile = { nodes: [], samples: [], timeDeltas: [] }
  session.post('Profiler.enable')
  session.post('Profiler.setSamplingInterval', { interval: SAMPLING_MICROSECONDS })
  session.post('Profiler.start')
  work()
  session.post('Profiler.stop', (_, answer) => {
    profile = answer.profile as Profile
  })
  session.disconnect()
  return profile
}

function sharesOf({ nodes, samples, timeDeltas }: Profile): { readonly passes: number; readonly collector: number } {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  let [all, passes, collector] = [0, 0, 0]
  for (const [index, id] of samples.entries()) {
    const { functionName = '', url = '' } = frames.get(id) ?? {}
    if (NO_WORK.has(functionName)) continue
    const time = timeDeltas[index]
    all += time
    if (functionName === COLLECTOR) collector += time
    // Native code of patterns and texts has no file.
    else if (url === '' || PASSES.test(url)) passes += time
  }
  return { passes: passes / all, collector: collector / all }
}
