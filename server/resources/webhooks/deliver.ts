/**
 * Delivers: a job for each delivery, which comes again until the receiver has taken it or the last attempt has failed. What came of an attempt is
 * stored in the commit that ends or postpones the job, so that an instance that lost the job to another one changes nothing.
 */
import { OutboundError } from '../../gateways/http/client.js'
import type { JobQueue } from '../../jobs/queue.js'
import type { JobKind, JobOutcome } from '../../jobs/runner.js'
import type { Update, Write } from '../../storage/contract.js'
import { StaleWriteError } from '../../storage/errors.js'
import type { Scope } from '../../tenancy/scope.js'
import { ATTEMPT_TIMEOUT_MS, type AttemptParts, attemptDelivery, saysGone } from './attempt.js'
import type { WebhookHealth } from './health.js'
import { AT_ONCE_PER_WEBHOOK, Pace } from './pace.js'
import { nextAttempt } from './retry.js'
import { DELIVERIES, type DeliveryAttempt, type DeliveryDocument, WEBHOOKS } from './store.js'

/** Kind of the job; its subject is the delivery. */
export const WEBHOOK_DELIVER = 'webhook.deliver'

/** Attempts at a time on an instance: each mostly waits for others. */
const CONCURRENCY = 64
const PER_ORGANIZATION = 2 * AT_ONCE_PER_WEBHOOK
/** An attempt, and what is read and committed before and after it. So long waits what was under way when an instance dies. */
const LEASE_MS = ATTEMPT_TIMEOUT_MS + 15_000
/** Attempts that are shown; a delivery that is asked for again and again may have more. */
const ATTEMPTS_KEPT = 20

export interface DeliverParts extends AttemptParts {
  readonly jobs: JobQueue
  readonly health: Pick<WebhookHealth, 'succeeded' | 'failed' | 'gone'>
}

export function deliverJob(parts: DeliverParts): JobKind {
  const { jobs, health, counts, clock } = parts
  const pace = new Pace()
  return {
    kind: WEBHOOK_DELIVER,
    concurrency: CONCURRENCY,
    perOrganization: PER_ORGANIZATION,
    leaseMs: LEASE_MS,
    async run(job, scope, signal): Promise<JobOutcome> {
      const deliveries = scope.collection(DELIVERIES)
      const delivery = await deliveries.findOne({ _id: job.subject })
      if (delivery === null || delivery.status !== 'pending') return 'done'
      const webhook = await scope.collection(WEBHOOKS).findOne({ _id: delivery.webhook_id })
      if (webhook === null) return settle(scope, [jobs.finishing(job), deliveries.deleting({ _id: delivery._id }, { optional: true })])
      const settling = (update: Update<DeliveryDocument>) => deliveries.updating({ _id: delivery._id }, update, { optional: true })
      if (!webhook.is_active)
        return settle(scope, [jobs.finishing(job), settling(undelivered('cancelled', 'webhook_inactive', new Date(clock())))], () => counts?.ended('cancelled'))

      const turn = pace.begin(webhook._id, clock())
      if (turn !== null) return { again: turn }
      const attempt = await timed(
        () => attemptDelivery(parts, webhook, delivery, signal),
        (ms) => pace.end(webhook._id, ms),
      ).catch((error: unknown) => {
        // The instance stops: the next one begins again.
        if (error instanceof OutboundError && signal.aborted) return null
        throw error
      })
      if (attempt === null) return { again: new Date(clock()) }
      const now = new Date(clock())
      const noted = withAttempt(delivery, attempt)
      if (attempt.error === null) {
        await health.succeeded(scope, webhook)
        return settle(scope, [jobs.finishing(job), settling({ set: { ...noted, ...DELIVERED, delivered_at: now, updated_at: now } })], () => counts?.ended('delivered'))
      }
      const isGone = saysGone(attempt)
      const failures = delivery.failures + 1
      const next = isGone ? null : nextAttempt(failures, now)
      if (isGone) await health.gone(scope, webhook)
      else await health.failed(scope, webhook, next === null)
      if (next === null) {
        const { set } = undelivered('failed', isGone ? 'gone' : 'attempts_exhausted', now)
        return settle(scope, [jobs.finishing(job), settling({ set: { ...noted, ...set, failures } })], () => counts?.ended('failed'))
      }
      return settle(scope, [jobs.postponing(job, next), settling({ set: { ...noted, failures, next_attempt_at: next, updated_at: now } })])
    },
    abandoning: ({ subject }, scope) => [
      scope.collection(DELIVERIES).updating({ _id: subject, status: 'pending' }, undelivered('failed', 'attempts_exhausted', new Date(clock())), { optional: true }),
    ],
  }
}

const DELIVERED = { status: 'delivered', reason: null, next_attempt_at: null } as const

/** What a delivery becomes that was not delivered. */
function undelivered(status: 'failed' | 'cancelled', reason: NonNullable<DeliveryDocument['reason']>, now: Date) {
  return { set: { status, reason, next_attempt_at: null, updated_at: now } } as const
}

/** The attempts of a delivery with one more. */
export function withAttempt({ attempts, attempt_count }: Pick<DeliveryDocument, 'attempts' | 'attempt_count'>, attempt: DeliveryAttempt) {
  return { attempts: [...attempts, attempt].slice(-ATTEMPTS_KEPT), attempt_count: attempt_count + 1 }
}

/** @param onSettled told when it is stored, by this instance */
async function settle(scope: Scope, writes: readonly Write[], onSettled?: () => void): Promise<JobOutcome> {
  try {
    await scope.commit(writes)
    onSettled?.()
  } catch (error) {
    // The lease was over, and another instance has the job: what it does counts.
    if (!(error instanceof StaleWriteError)) throw error
  }
  return 'settled'
}

async function timed<T>(work: () => Promise<T>, tell: (ms: number) => void): Promise<T> {
  const started = performance.now()
  try {
    return await work()
  } finally {
    tell(performance.now() - started)
  }
}
