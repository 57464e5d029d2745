/** Tells members of something, as resources do it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { NOTICE_JOB, type Notice, Notices } from '../../server/core/events/notices.js'
import { JOBS, JobQueue } from '../../server/core/jobs/queue.js'
import type { Storage } from '../../server/core/storage/contract.js'
import { Tenancy } from '../../server/core/tenancy/scope.js'

/** Stores the notices, each in a commit of its own, and waits until notifications are made of all. */
export async function notify(storage: Storage, organizationId: string, ...notices: readonly Notice[]): Promise<void> {
  const scope = new Tenancy(storage).of(organizationId)
  const told = new Notices(new JobQueue(storage))
  for (const notice of notices) {
    await scope.commit(told.notifying(scope, notice))
    // No two of them in one millisecond: they are listed by time.
    await sleep(2)
  }
  await allTold(storage)
}

/** Resolves when no notice waits. */
export async function allTold(storage: Storage): Promise<void> {
  const jobs = storage.open(JOBS)
  for (let i = 0; i < 6000; i++) {
    if ((await jobs.count({ kind: NOTICE_JOB })) === 0) return
    await sleep(20)
  }
  throw new Error('the notices are not told')
}

/** One for these users; the title says which. */
export function reviewFor(users: readonly string[], title = 'SSH'): Notice {
  return { kind: 'review.created', params: { project: 'Linux', title, actor: 'Ana' }, recipients: { users }, link: '/platform/projects/p/reviews/r' }
}
