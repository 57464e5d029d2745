/** Reads what came from outside. It needs no ruleset, so the thread runs it without one (`run-task.ts`). */
import { read as readOutside, type Reading } from '../../reading/read.js'
import type { TaskHead } from '../../shared/protocol.js'
import type { TaskResult } from './context.js'

export interface ReadTask extends TaskHead {
  readonly kind: 'read'
  readonly reading: Reading
}

/** Its value is a `ReadOf<Reading>`. A file is moved, not copied. */
export function read({ reading }: ReadTask): TaskResult {
  const found = readOutside(reading)
  if (found.kind === 'file') return { value: { ...found, bytes: null }, snapshot: null, bytes: found.bytes, place: null }
  const file = found.kind === 'valid' && 'file' in found ? (found.file ?? null) : null
  if (file !== null) return { value: { ...found, file: { ...file, bytes: null } }, snapshot: null, bytes: file.bytes, place: null }
  return { value: found, snapshot: null, bytes: null, place: null }
}
