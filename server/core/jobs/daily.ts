/** Jobs of the instance that run every day. Each is stored once, at the first start of a version that knows it, by one of the instances. */
import { platformCollection, type Storage, type StoredDocument } from '../storage/contract.js'
import { DuplicateKeyError } from '../storage/errors.js'
import { INSTANCE_JOBS, type JobQueue, LONGEST_WAIT_MS } from './queue.js'

export interface DailyJobDocument extends StoredDocument {
  readonly created_at: Date
}

/** The ids are the kinds of the jobs. */
export const DAILY_JOBS = platformCollection<DailyJobDocument>('daily_jobs', [])

/** Pause between two runs. */
export const DAILY_PAUSE_MS = LONGEST_WAIT_MS

/** Stores the job, unless it was stored before. */
export async function scheduleDaily(storage: Pick<Storage, 'open' | 'commit'>, jobs: Pick<JobQueue, 'enqueuing'>, kind: string, now: Date): Promise<void> {
  const documents = storage.open(DAILY_JOBS)
  if ((await documents.findOne({ _id: kind })) !== null) return
  try {
    await storage.commit([documents.inserting({ _id: kind, created_at: now }), jobs.enqueuing(INSTANCE_JOBS, { kind, subject: kind })])
  } catch (error) {
    // Another instance was first.
    if (!(error instanceof DuplicateKeyError)) throw error
  }
}
