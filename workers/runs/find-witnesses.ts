/** Finds the witnesses of many rules in threads. Which thread a rule is given to changes nothing: each search depends on the ruleset and the rule only. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { WitnessRecord } from '#engine'
import type { WitnessThreadData } from './witness-thread.js'

/** Rules that a thread is given at once: few, so that all threads end at about the same time. */
const CHUNK = 16
/** Each thread compiles the ruleset, for a second and 100 MB; beyond a few that costs more than it gains. */
const THREADS_LIMIT = 8

/**
 * @param ids of rules of the ruleset
 * @param onRecords receives the records in the order of the ids
 * @throws when a thread ends
 */
export async function findWitnesses(data: WitnessThreadData, ids: readonly number[], onRecords: (records: readonly WitnessRecord[]) => Promise<void>): Promise<void> {
  const chunks = Array.from({ length: Math.ceil(ids.length / CHUNK) }, (_, index) => ids.slice(index * CHUNK, (index + 1) * CHUNK))
  const answers = new Map<number, readonly WitnessRecord[]>()
  const threads = Array.from(
    { length: Math.min(availableParallelism(), THREADS_LIMIT, chunks.length) },
    () => new Worker(new URL('./witness-thread.js', import.meta.url), { workerData: data }),
  )
  let next = 0
  let written = 0
  let writing = Promise.resolve()
  try {
    await Promise.all(
      threads.map(
        (thread) =>
          new Promise<void>((resolve, reject) => {
            let current = -1
            const giveNext = (): void => {
              if (next >= chunks.length) return resolve()
              current = next++
              thread.postMessage(chunks[current])
            }
            thread.on('error', reject)
            thread.on('exit', () => reject(new Error('a thread ended before its answer')))
            thread.on('message', (records: readonly (WitnessRecord | null)[]) => {
              answers.set(
                current,
                records.filter((record) => record !== null),
              )
              const ready: WitnessRecord[] = []
              for (let answer = answers.get(written); answer !== undefined; answer = answers.get(written)) {
                ready.push(...answer)
                answers.delete(written++)
              }
              if (ready.length > 0) writing = writing.then(() => onRecords(ready))
              // A reader that is gone, or a full pipe: the thread waits for it.
              writing.then(giveNext, reject)
            })
            giveNext()
          }),
      ),
    )
    await writing
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()))
  }
}
