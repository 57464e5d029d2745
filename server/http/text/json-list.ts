/** Answers of lists whose entries hold large texts: whole while they are small, one entry after the other when they are not, so that no list fills the memory. */
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'

/** Up to that, entries go out together. */
const WHOLE_BYTES = 4 * 1024 * 1024

/**
 * @param bytes of all entries together, about
 * @param load gives the records of some of the entries
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
    // A store that answers at once and a reader who is fast would leave nobody else a turn until the list is over.
    await setImmediate()
  }
  yield before === '[' ? '[]' : ']'
}
