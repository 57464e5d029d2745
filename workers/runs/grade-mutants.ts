/** Grades cases by mutants in threads. Which thread an item is given to changes nothing: its rows depend on the content, the cases and the item only. */
import type { MutantRow } from '#engine'
import { sharedNow } from '../shared/clock.js'
import type { MutationThreadData } from './mutation-thread.js'
import { type OnRecords, shareAmongThreads } from './share-among-threads.js'

/** Items that a thread is given at once. */
const CHUNK = 4
const MS = 1000

/** The rows of one item; null: the time was over. */
export interface GradedItem {
  readonly rows: readonly MutantRow[] | null
}

/** @param items number of items of the content @param limit seconds after which none is tried any more; null: no limit @throws when a thread ends */
export function gradeInThreads(data: Omit<MutationThreadData, 'ends'>, items: number, limit: number | null, onItems: OnRecords<GradedItem>): Promise<void> {
  const ends = limit === null ? Number.POSITIVE_INFINITY : sharedNow() + limit * MS
  const numbers = Array.from({ length: items }, (_, index) => index)
  return shareAmongThreads(new URL('./mutation-thread.js', import.meta.url), { ...data, ends } satisfies MutationThreadData, numbers, CHUNK, onItems)
}
