/** Decides which tasks may take long, by their kind and size. */
import type { MergeRequest } from '#engine'
import { type SuiteCase, suiteCaseInputs } from '#engine-data'
import type { Reading } from '../reading/read.js'
import type { FileSource } from '../shared/protocol.js'
import type { Task } from '../thread/tasks/index.js'

/** A ruleset of this size takes about 0.1 s to compile, and a body of this size about as long to read. */
const HEAVY_BYTES = 256 * 1024
/**
 * JSON of this size takes 10 ms to read, and 0.1 s in the worst case, which then counts against its organization as slow (`fair-queue.ts`). Webhooks, and most requests
 * that change content, have less: they don't wait for a heavy task of somebody else.
 */
const HEAVY_READING_BYTES = 1024 * 1024
/** Events in the cases of one task. */
const HEAVY_EVENTS = 1_000
const HEAVY_EVENT_BYTES = 1024 * 1024

/** @param isCompiled whether a thread has the ruleset */
export function isHeavyTask(task: Task, source: FileSource, isCompiled: boolean): boolean {
  if ('body' in task && task.body !== null) return task.body.byteLength > HEAVY_BYTES
  switch (task.kind) {
    case 'locate':
    case 'behaviour':
    case 'audit':
    case 'witnesses':
    case 'wazuh5':
    case 'upgrade':
    case 'mutate':
      return true
    case 'read':
      return isHeavyReading(task.reading)
    case 'compare':
      return task.before.byteLength + task.after.byteLength > HEAVY_BYTES
    case 'merge':
      return charactersOf(task.request) > HEAVY_BYTES
    case 'cases':
      if (hasManyEvents(task.cases)) return true
      break
    default:
      break
  }
  return !isCompiled && bytesOf(source) > HEAVY_BYTES
}

/** A pack of 66 KB may take as long as one of megabytes; a file of one is short. */
function isHeavyReading(reading: Reading): boolean {
  if (reading.of === 'fetch') return true
  return 'bytes' in reading ? reading.bytes.byteLength > HEAVY_READING_BYTES : reading.pack.bytes.byteLength > HEAVY_BYTES && reading.of !== 'file'
}

function bytesOf(source: FileSource): number {
  if ('body' in source) return source.body.byteLength
  let bytes = 0
  for (const { content } of source.files) bytes += content.length
  return bytes
}

function charactersOf({ base, ours, theirs }: MergeRequest): number {
  let characters = ours.rules_xml.length + ours.decoders_xml.length
  for (const texts of [base, ours.lists, theirs]) for (const { content } of texts) characters += content.length
  return characters
}

function hasManyEvents(cases: readonly SuiteCase[]): boolean {
  let events = 0
  let bytes = 0
  for (const suiteCase of cases) {
    for (const { input } of suiteCaseInputs(suiteCase)) {
      events++
      bytes += input.event.length
    }
  }
  return events > HEAVY_EVENTS || bytes > HEAVY_EVENT_BYTES
}

/** Whether the thread may end the task early and leave the rest to another one. */
export function isSlice({ kind }: Task): boolean {
  return kind === 'lines' || kind === 'cases' || kind === 'mutate'
}
