/** The job that follows a run to its end: it asks the provider, with pauses that grow with the age of the run. */
import type { JobKind } from '../../../core/jobs/runner.js'
import type { Fields } from '../../../core/storage/contract.js'
import { giveUp, isOpen, type RefreshParts, refreshRun } from './refresh.js'
import { PIPELINE_RUNS, type PipelineRunDocument } from './store.js'

/** Kind of the job. Its subject is the run's record. */
export const PIPELINE_RUN_FOLLOW = 'pipeline_run.follow'

/** Concurrent checks of this instance. Each mostly waits for its provider. */
const CONCURRENCY = 16
const PER_ORGANIZATION = 4
/** Time for a check: up to three calls with their time limits. */
const LEASE_MS = 120_000
/** First pause; most runs do not end earlier. */
export const FIRST_PAUSE_MS = 5_000
/** Longest pause: how late the end of a long run is seen. A GET asks earlier. */
const PAUSE_LIMIT_MS = 2 * 60 * 1000
/** A pause is this part of the run's age. */
const PAUSE_OF_AGE = 1 / 10
/** How long a run is followed. GitHub ends jobs of its own runners after 6 hours; three days allow for those that wait for a person. */
export const FOLLOW_LIMIT_MS = 3 * 24 * 60 * 60 * 1000

export function followJob(parts: RefreshParts): JobKind {
  const { clock } = parts
  return {
    kind: PIPELINE_RUN_FOLLOW,
    concurrency: CONCURRENCY,
    perOrganization: PER_ORGANIZATION,
    leaseMs: LEASE_MS,
    async run({ subject }, scope, signal) {
      const run = await scope.collection(PIPELINE_RUNS).findOne({ _id: subject })
      if (run === null || !isOpen(run)) return 'done'
      if (clock() - run.created_at.getTime() >= FOLLOW_LIMIT_MS) {
        await giveUp(scope, run, 'follow_limit', new Date(clock()))
        return 'done'
      }
      // The provider asked to wait after a check of a caller.
      if (run.retry_at !== null && run.retry_at.getTime() > clock()) return { again: run.retry_at }
      const checked = await refreshRun(parts, scope, run, signal)
      return isOpen(checked) ? { again: nextCheck(checked, clock()) } : 'done'
    },
    recordingFailure: ({ subject }, scope) => {
      const change: Fields<PipelineRunDocument> = { status: 'failed', reason: 'follow_limit', finished_at: new Date(clock()) }
      return [scope.collection(PIPELINE_RUNS).updating({ _id: subject, status: { in: ['queued', 'running'] } }, { set: change }, { optional: true })]
    },
  }
}

/** Returns when a run is checked again. */
function nextCheck({ created_at, retry_at }: PipelineRunDocument, now: number): Date {
  const pause = Math.min(Math.max((now - created_at.getTime()) * PAUSE_OF_AGE, FIRST_PAUSE_MS), PAUSE_LIMIT_MS)
  return new Date(Math.max(now + pause, retry_at?.getTime() ?? 0))
}
