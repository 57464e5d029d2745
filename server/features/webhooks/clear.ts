/** The job that deletes the deliveries of a deleted receiver, which may be many. Pending deliveries are not sent. */
import type { JobKind } from '../../core/jobs/runner.js'
import { DELIVERIES } from './store.js'

/** Kind of the job. Its subject is the deleted webhook, or another receiver. */
export const WEBHOOK_CLEAR = 'webhook.clear'

const CONCURRENCY = 2
const PER_ORGANIZATION = 1
const LEASE_MS = 5 * 60 * 1000
/** Deliveries that are deleted at once. They are read first, with their bodies. */
const SLICE = 200

export function clearJob(): JobKind {
  return {
    kind: WEBHOOK_CLEAR,
    concurrency: CONCURRENCY,
    perOrganization: PER_ORGANIZATION,
    leaseMs: LEASE_MS,
    async run({ subject }, scope, signal) {
      const deliveries = scope.collection(DELIVERIES)
      while (!signal.aborted) {
        const some = await deliveries.find({ webhook_id: subject }, { sort: { created_at: -1, _id: -1 }, limit: SLICE })
        if (some.length > 0) await deliveries.deleteMany({ _id: { in: some.map(({ _id }) => _id) } })
        if (some.length < SLICE) return 'done'
      }
      return { again: new Date() }
    },
  }
}
