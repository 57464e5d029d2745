/** Responses of lists with large entries: one JSON text while the list is small, otherwise a stream of entries, so that a list does not fill the memory. */
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'

/** Larger lists are streamed. */
const WHOLE_BYTES = 4 * 1024 * 1024

/**
 * @param bytes approximate size of all entries
 * @param load returns the records of the given entries
 */
export async function jsonList<T, R>(entries: readonly T[], bytes: number, load: (some: readonly T[]) => Promise<readonly R[]>): Promise<readonly R[] | Readable> {
  return bytes <= WHOLE_BYTES ? load(entries) : Readable.from(inPieces(entries, load))
}

async function* inPieces<T, R>(entries: readonly T[], load: (some: readonly T[]) => Promise<readonly R[]>): AsyncGenerator<string> {
  let before = '['
  for (const entry of entries) {
    for (const record of await load([entry])) {
      yield before + JSON.stringify(record)
      before = ','
    }
    // Yields to other requests: with a fast store and a fast reader this loop would not.
    await setImmediate()
  }
  yield before === '[' ? '[]' : ']'
}
