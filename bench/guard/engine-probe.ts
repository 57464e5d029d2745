/**
 * A process of the guard that runs the engine of the build in its first argument: it does the work in its second one for as long as a message says, and answers
 * with the processor time of an operation in microseconds. It uses nothing but the public engine of the build, so that builds with other folders are comparable.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { eventchannelInputs, haveRecordings, referenceData, stockData } from '../engine/data.js'
import { MOMENT } from '../engine/measure.js'

const [root, work] = process.argv.slice(2)
const load = async <Module>(path: string): Promise<Module> => (await import(pathToFileURL(join(root, 'dist', path)).href)) as Module
const { compileRuleset, EventRunner, readLocation, runUnwritten, toByteString } = await load<typeof import('#engine')>('engine/index.js')
const { tuneV8 } = await load<typeof import('#basics')>('workers/basics.js')

/** One of so many events of the replay corpus runs in each step; a turn ends between two steps. */
const REPLAYED_STEP = 60

tuneV8()
const data = haveRecordings() ? stockData('default') : referenceData()
const step = work === 'compile' ? compile : work === 'eventchannel' ? runEventchannel() : runAll()
process.on('message', (milliseconds: number) => {
  const until = performance.now() + milliseconds
  const before = process.cpuUsage()
  let count = 0
  do count += step()
  while (performance.now() < until)
  const { user, system } = process.cpuUsage(before)
  process.send?.((user + system) / count)
})
process.send?.('ready')

function compile(): number {
  compileRuleset(data.files)
  return 1
}

/** @returns runs the events of all kinds, and returns their number */
function runAll(): () => number {
  const runner = new EventRunner(compileRuleset(data.files))
  const origin = readLocation('stdin')
  if (origin === null) throw new Error('stdin is a location')
  const lines = data.lines.get('all') ?? []
  return () => {
    for (const line of lines) runner.run(toByteString(line), origin, MOMENT, null)
    return lines.length
  }
}

/** The same for events of the event channel, whose format is that of an input. */
function runEventchannel(): () => number {
  const runner = new EventRunner(compileRuleset(data.files))
  const inputs = eventchannelInputs(REPLAYED_STEP)
  return () => {
    for (const input of inputs) runUnwritten(runner, input, MOMENT, null, { trace: false, locale: 'en-US' })
    return inputs.length
  }
}
