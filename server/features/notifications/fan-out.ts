/**
 * The job that creates the notifications of a notice, a slice of recipients at a time. Invariants:
 *  1. a slice is committed together with the position in the recipients, so that nobody is notified twice after a crash or by two instances
 *  2. memberships are read for each slice: a member who left before is not notified
 *  3. the notice and its job are deleted in the commit of the last slice
 */
import { NOTICE_JOB, type NoticeDocument, NOTICES } from '../../core/events/notices.js'
import type { ClaimedJob, JobQueue } from '../../core/jobs/queue.js'
import type { JobKind, JobOutcome } from '../../core/jobs/runner.js'
import { StaleWriteError } from '../../core/storage/errors.js'
import type { Memberships } from '../../core/tenancy/memberships.js'
import type { Scope } from '../../core/tenancy/scope.js'
import type { UnreadFeed } from './feed.js'
import { NOTIFICATIONS, type NotificationStore } from './store.js'

/** Recipients of a commit: it blocks other writers of the embedded store for some milliseconds. */
const SLICE = 200
/** Timeout of the job. A notice for 11,000 members takes a few seconds. */
const LEASE_MS = 120_000
const CONCURRENCY = 4
const PER_ORGANIZATION = 2
/** One in this many notifications removes those beyond `KEPT_PER_USER`. Doing it for each would cost more than creating them. */
const TRIM_EVERY = 32

export interface FanOutParts {
  readonly memberships: Pick<Memberships, 'after' | 'ofUsers'>
  readonly jobs: Pick<JobQueue, 'finishing'>
  readonly notifications: Pick<NotificationStore, 'trim'>
  readonly feed: Pick<UnreadFeed, 'changed'>
  readonly clock: () => number
}

/** The next recipients of a notice. */
interface Slice {
  readonly userIds: readonly string[]
  /** Last user id of the slice; null: there are no more recipients. */
  readonly reached: string | null
}

export function noticeJob(parts: FanOutParts): JobKind {
  return {
    kind: NOTICE_JOB,
    concurrency: CONCURRENCY,
    perOrganization: PER_ORGANIZATION,
    leaseMs: LEASE_MS,
    run: (job, scope, signal) => fanOut(parts, job, scope, signal),
    abandoning: ({ subject }, scope) => [scope.collection(NOTICES).deleting({ _id: subject }, { optional: true })],
  }
}

async function fanOut(parts: FanOutParts, job: ClaimedJob, scope: Scope, signal: AbortSignal): Promise<JobOutcome> {
  const { jobs, feed, notifications, clock } = parts
  for (;;) {
    if (signal.aborted) return { again: new Date(clock()) }
    const notice = await scope.collection(NOTICES).findOne({ _id: job.subject })
    if (notice === null) return 'done'
    const { userIds, reached } = await nextSlice(parts, notice)
    const here = { _id: notice._id, reached: notice.reached }
    const inserts = userIds.map((userId) => scope.collection(NOTIFICATIONS).inserting(notificationOf(notice, userId)))
    try {
      if (reached === null) await scope.commit([scope.collection(NOTICES).deleting(here), ...inserts, jobs.finishing(job)])
      else await scope.commit([scope.collection(NOTICES).updating(here, { set: { reached } }), ...inserts])
    } catch (error) {
      // Another instance holds the lease of the job by now, and continues.
      if (error instanceof StaleWriteError) return 'settled'
      throw error
    }
    feed.changed(scope.organizationId, userIds)
    for (const userId of userIds) if (isSelectedForTrim(notice._id, userId)) await notifications.trim(scope, userId)
    if (reached === null) return 'settled'
  }
}

async function nextSlice({ memberships }: FanOutParts, { organization_id, users, roles, but, reached }: NoticeDocument): Promise<Slice> {
  if (users !== null) {
    const named = users.filter((userId) => userId > reached).slice(0, SLICE)
    const members = await memberships.ofUsers(organization_id, named)
    return { userIds: members.map(({ user_id }) => user_id), reached: named.length < SLICE ? null : named[named.length - 1] }
  }
  const members = await memberships.after(organization_id, reached, roles, SLICE)
  return { userIds: members.map(({ user_id }) => user_id).filter((userId) => userId !== but), reached: members.length < SLICE ? null : members[members.length - 1].user_id }
}

function notificationOf({ _id, kind, params, link, created_at }: NoticeDocument, userId: string) {
  return { _id: `${_id}:${userId}`, user_id: userId, kind, params, link, is_read: false, read_at: null, created_at }
}

/** Selects by the random id, so that each user is selected sometimes, and never all at once. */
export function isSelectedForTrim(noticeId: string, userId: string): boolean {
  let sum = 0
  for (const text of [noticeId, userId]) for (let at = 0; at < text.length; at++) sum += text.charCodeAt(at)
  return sum % TRIM_EVERY === 0
}
