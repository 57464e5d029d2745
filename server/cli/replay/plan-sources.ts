/** The order in which the sources of a replay begin. */
import { firstTimeIn, type RecordFields } from '#engine'
import { BEGINNING_BYTES, type ReplayClock } from '#workers'
import type { PlannedSource } from './place.js'
import { openFile, type Source } from './sources.js'

/** By the clock `event` sources begin in the order of their first times, so that those of several hosts run together; by `arrival` in that of the call. */
export async function planSources(sources: readonly Source[], clock: ReplayClock, fields: RecordFields): Promise<readonly PlannedSource[]> {
  const planned: PlannedSource[] = []
  for (const [source, { size }] of sources.entries()) planned.push({ source, size, first: clock === 'event' ? await firstTime(sources[source], fields) : null })
  return inOrder(planned)
}

/** Sorts sources by their first times; sources without a time begin first. */
export function inOrder(planned: readonly PlannedSource[]): readonly PlannedSource[] {
  const begin = ({ first }: PlannedSource): number => first ?? Number.NEGATIVE_INFINITY
  return [...planned].sort((a, b) => (begin(a) === begin(b) ? a.source - b.source : begin(a) - begin(b)))
}

/** The time of the first line that has one, in seconds since the epoch. Null: none of the first lines has, or the source is read only once, such as a pipe. */
export async function firstTime(source: Source, fields: RecordFields): Promise<number | null> {
  return source.size === null ? null : timeIn(await beginningOf(source), fields)
}

/** As `firstTime`, in the beginning of a source. */
export function timeIn(beginning: readonly Buffer[], fields: RecordFields): number | null {
  return firstTimeIn(Buffer.concat(beginning).toString('latin1', 0, BEGINNING_BYTES), fields)
}

async function beginningOf(source: Source): Promise<Buffer[]> {
  const parts: Buffer[] = []
  let bytes = 0
  const { stream } = openFile(source)
  try {
    for await (const chunk of stream) {
      parts.push(chunk as Buffer)
      bytes += (chunk as Buffer).length
      if (bytes >= BEGINNING_BYTES) break
    }
  } catch {
    // The replay itself reports what is wrong with it.
  } finally {
    stream.destroy()
  }
  return parts
}
