/** Which tasks may take long, as far as their kind and size tell. */
import { type SuiteCase, suiteCaseInputs } from '#engine'
import type { FileSource, Task } from './protocol.js'

/** Of a ruleset that is to be compiled, or a body that is to be read: about a tenth of a second. */
const HEAVY_BYTES = 256 * 1024
/** Of cases that run in one task. */
const HEAVY_EVENTS = 1_000
const HEAVY_EVENT_BYTES = 1024 * 1024

/** @param isCompiled a thread has the ruleset */
export function isHeavyTask(task: Task, source: FileSource, isCompiled: boolean): boolean {
  switch (task.kind) {
    case 'body':
      return task.body.byteLength > HEAVY_BYTES
    case 'locate':
      return true
    case 'compare':
      return task.before.byteLength + task.after.byteLength > HEAVY_BYTES
    case 'run-cases':
      if (hasManyEvents(task.cases)) return true
      break
    default:
      break
  }
  return !isCompiled && bytesOf(source) > HEAVY_BYTES
}

function bytesOf(source: FileSource): number {
  if ('body' in source) return source.body.byteLength
  let bytes = 0
  for (const { content } of source.files) bytes += content.length
  return bytes
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
