/** Shares numbered work among threads of one module, and gives the answers in order. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

/** Each thread compiles the ruleset, for a second and 100 MB; beyond a few that costs more than it gains. */
const THREADS_LIMIT = 8

/** Receives answers in the order of the numbers. */
export type OnRecords<R> = (records: readonly R[]) => Promise<void>

/**
 * @param module of the threads: each answers a list of numbers with a list of records, of which null is none
 * @param chunk numbers that a thread is given at once: few, so that all threads end at about the same time
 * @throws when a thread ends
 */
export async function shareAmongThreads<R>(module: URL, data: unknown, numbers: readonly number[], chunk: number, onRecords: OnRecords<R>): Promise<void> {
  const chunks = Array.from({ length: Math.ceil(numbers.length / chunk) }, (_, index) => numbers.slice(index * chunk, (index + 1) * chunk))
  const answers = new Map<number, readonly R[]>()
  const threads = Array.from({ length: Math.min(availableParallelism(), THREADS_LIMIT, chunks.length) }, () => new Worker(module, { workerData: data }))
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
            thread.on('message', (records: readonly (R | null)[]) => {
              answers.set(
                current,
                records.filter((record) => record !== null),
              )
              const ready: R[] = []
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
