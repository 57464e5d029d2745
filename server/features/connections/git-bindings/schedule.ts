/**
 * When a binding is imported on schedule. The job names the schedule with which it was stored, so that after a change of the interval, or of two changes at
 * the same time, one job continues and the others end without work.
 */
import type { JobQueue } from '../../../core/jobs/queue.js'
import type { Write } from '../../../core/storage/contract.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import type { GitBindingDocument } from './store.js'

/** Kind of the job. Its subject is the binding and its schedule. */
export const GIT_SYNC = 'git.sync'

type Scheduled = Pick<GitBindingDocument, '_id' | 'schedule' | 'scheduled_sync_interval_minutes'>
type Jobs = Pick<JobQueue, 'enqueuing' | 'rescheduling'>

const SEPARATOR = '/'
const MINUTE_MS = 60_000

/** When the next import is due; null: the binding has no schedule. */
export function nextSync({ scheduled_sync_interval_minutes: minutes }: Pick<Scheduled, 'scheduled_sync_interval_minutes'>, now: Date): Date | null {
  return minutes === 0 ? null : new Date(now.getTime() + minutes * MINUTE_MS)
}

/** Returns the writes that store the job of a new schedule. */
export function scheduling(jobs: Jobs, scope: Scope, binding: Scheduled, now: Date): readonly Write[] {
  const dueAt = nextSync(binding, now)
  return dueAt === null ? [] : [jobs.enqueuing(scope, { kind: GIT_SYNC, subject: subjectOf(binding), dueAt })]
}

/** Returns the writes that end the job of a schedule, at its next run, and store the one of its successor. @param after null: the binding is deleted */
export function replacingSchedule(jobs: Jobs, scope: Scope, before: Scheduled, after: Scheduled | null, now: Date): readonly Write[] {
  return [jobs.rescheduling(scope, GIT_SYNC, subjectOf(before), now), ...(after === null ? [] : scheduling(jobs, scope, after, now))]
}

/** Returns the binding and the schedule of a job. */
export function readSubject(subject: string): { readonly bindingId: string; readonly schedule: number } {
  const [bindingId, schedule] = subject.split(SEPARATOR)
  return { bindingId, schedule: Number(schedule) }
}

function subjectOf({ _id, schedule }: Scheduled): string {
  return `${_id}${SEPARATOR}${schedule}`
}
