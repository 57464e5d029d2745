/** One of the processes of `compare.ts`: works for the time that a message says, and answers with the processor time of an event. */
import { compileRuleset, EventRunner, readLocation, toByteString } from '#engine'
import { tuneV8, tuneV8ForRequests } from '#basics'
import { lineTexts } from '../server/analysis/refusal.js'
import { now } from '../workers/shared/clock.js'
import { diskContent } from '../workers/content/content.js'
import { LiveSessions } from '../workers/sessions/live-sessions.js'
import { PROTOCOL_VERSION } from '../workers/shared/protocol.js'
import { RulesetCache } from '../workers/thread/ruleset-cache.js'
import { runTask } from '../workers/thread/run-task.js'
import { SharedBuffers } from '../workers/shared/buffers.js'
import { haveRecordings, referenceData, stockData } from './engine/data.js'
import { MOMENT } from './engine/measure.js'
import { batchBody } from './server/batch-sender.js'

/** About a chunk of an upload. */
const CHUNK_BYTES = 120 * 1024
const CACHE_BYTES = 16 * 1024 * 1024
const LINE_FEED = 0x0a

const work = process.argv[2]
tuneV8()
const step = work === 'lines' ? linesOfBatch() : eventsOf(work)
process.on('message', (milliseconds: number) => {
  const before = process.cpuUsage()
  const until = now() + milliseconds
  let events = 0
  while (now() < until) events += step()
  const { user, system } = process.cpuUsage(before)
  process.send?.((user + system) / events)
})
process.send?.('ready')

/** @returns runs a chunk of a batch as a thread does, and returns the number of its events */
function linesOfBatch(): () => number {
  tuneV8ForRequests()
  const disk = diskContent(referenceData().files, [])
  const cache = new RulesetCache(CACHE_BYTES)
  cache.warm(disk)
  const buffers = new SharedBuffers()
  const thread = { cache, sessions: new LiveSessions(), buffers }
  const { body } = batchBody()
  let at = 0
  return () => {
    if (at === 0) at = body.indexOf(LINE_FEED) + 1
    const end = body.lastIndexOf(LINE_FEED, at + CHUNK_BYTES) + 1
    const lines = body.subarray(at, end)
    if (!buffers.writeLines(lines)) throw new RangeError('a chunk fits into the shared memory')
    const reply = runTask(thread, {
      kind: 'lines',
      version: PROTOCOL_VERSION,
      locale: 'en-US',
      prepareMs: 0,
      ruleset: { key: '', organization: '', diskId: disk.id, includeDefaults: true, includeCustom: true, source: { files: [] }, disk: null },
      lines: lines.length,
      from: 1,
      seconds: MOMENT.seconds,
      trace: false,
      includeBaseline: false,
      isContentOk: true,
      session: null,
      sessionId: '',
      requestId: '',
      texts: lineTexts('en-US'),
    })
    if (reply.outcome !== 'ok' || reply.place === null) throw new Error(`a chunk is answered: ${JSON.stringify(reply)}`)
    buffers.release(reply.place)
    const { read, count } = reply.value as { readonly read: number; readonly count: number }
    at = at + read < body.length ? at + read : 0
    return count
  }
}

/** @returns runs all events of a kind, and returns their number */
function eventsOf(kind: string): () => number {
  const data = haveRecordings() ? stockData(kind === 'windows-json' ? 'test' : 'default') : referenceData()
  const lines = data.lines.get(kind)
  const origin = readLocation('stdin')
  if (lines === undefined || origin === null) throw new RangeError(`no lines are of the kind ${kind}`)
  const runner = new EventRunner(compileRuleset(data.files))
  return () => {
    for (const line of lines) runner.run(toByteString(line), origin, MOMENT, null)
    return lines.length
  }
}
