/** Finds the witnesses of many rules, or audits them, in threads. Which thread a rule is given to changes nothing: each search depends on the ruleset and the rule only. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { AuditRecord, WitnessRecord } from '#engine'
import { sharedNow } from '../shared/clock.js'
import type { WitnessThreadData } from './witness-thread.js'

/** Rules that a thread is given at once: few, so that all threads end at about the same time. */
const CHUNK = 16
/** Each thread compiles the ruleset, for a second and 100 MB; beyond a few that costs more than it gains. */
const THREADS_LIMIT = 8

/** Receives records in the order of the ids. */
type OnRecords<R> = (records: readonly R[]) => Promise<void>

const MS = 1000

/** @param ids of rules of the ruleset @throws when a thread ends */
export function findWitnesses(data: Pick<WitnessThreadData, 'files' | 'locale' | 'near'>, ids: readonly number[], onRecords: OnRecords<WitnessRecord>): Promise<void> {
  return inThreads({ ...data, of: 'witness', ends: Number.POSITIVE_INFINITY }, ids, onRecords)
}

/** @param seconds after which rules are not tried any more; null: no limit @throws when a thread ends */
export function auditRules(data: Pick<WitnessThreadData, 'files' | 'locale'>, ids: readonly number[], seconds: number | null, onRecords: OnRecords<AuditRecord>): Promise<void> {
  const ends = seconds === null ? Number.POSITIVE_INFINITY : sharedNow() + seconds * MS
  return inThreads({ ...data, of: 'audit', near: false, ends }, ids, onRecords)
}

async function inThreads<R>(data: WitnessThreadData, ids: readonly number[], onRecords: OnRecords<R>): Promise<void> {
  const chunks = Array.from({ length: Math.ceil(ids.length / CHUNK) }, (_, index) => ids.slice(index * CHUNK, (index + 1) * CHUNK))
  const answers = new Map<number, readonly R[]>()
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
