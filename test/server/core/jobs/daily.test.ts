/** Jobs that run every day: stored once, whatever starts at the same time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAILY_JOBS, scheduleDaily } from '../../../../server/core/jobs/daily.js'
import { JOB_FAILURES } from '../../../../server/core/jobs/failures.js'
import { JobQueue, JOBS } from '../../../../server/core/jobs/queue.js'
import { openTestStorage } from '../../../support/storage.js'

test('a daily job is stored once, by instances that start at the same time, and not again at a later start', async () => {
  const { storage, close } = await openTestStorage([JOBS, JOB_FAILURES, DAILY_JOBS])
  try {
    const jobs = new JobQueue(storage)
    const schedule = () => scheduleDaily(storage, jobs, 'things.daily', new Date())
    await Promise.all(Array.from({ length: 5 }, schedule))
    const due = await jobs.due('things.daily', [], 10)
    assert.deepEqual(
      due.map(({ kind, organization_id }) => [kind, organization_id]),
      [['things.daily', 'instance']],
    )
    const claimed = await jobs.claim(due[0], 1000)
    await jobs.finish(claimed!)
    await schedule()
    assert.deepEqual(await jobs.due('things.daily', [], 10), [])
  } finally {
    await close()
  }
})
