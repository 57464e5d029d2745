/**
 * The job that delivers an event to a webhook, or to another receiver. It is repeated until the receiver has accepted the event or the last attempt has failed. The result of an
 * attempt is stored in the commit that ends or postpones the job, so an instance that has lost the lease changes nothing.
 */
import { OutboundError } from '../../core/egress/client.js'
import type { JobQueue } from '../../core/jobs/queue.js'
import type { JobKind, JobOutcome } from '../../core/jobs/runner.js'
import type { Update, Write } from '../../core/storage/contract.js'
import { StaleWriteError } from '../../core/storage/errors.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { ATTEMPT_TIMEOUT_MS } from './attempt.js'
import { type ReceiverKind, type WebhookReceiverParts, webhookReceivers } from './receivers.js'
import { AT_ONCE_PER_WEBHOOK, WebhookPace } from './webhook-pace.js'
import { nextAttempt } from './retry.js'
import { DELIVERIES, type DeliveryAttempt, type DeliveryDocument } from './store.js'

/** Kind of the job. Its subject is the delivery. */
export const WEBHOOK_DELIVER = 'webhook.deliver'

/** Maximum concurrent attempts of an instance. An attempt mostly waits for its receiver. */
const CONCURRENCY = 64
const PER_ORGANIZATION = 2 * AT_ONCE_PER_WEBHOOK
/** Time for an attempt, with the reads and commits around it. After a crash, a delivery is repeated when this lease has expired. */
const LEASE_MS = ATTEMPT_TIMEOUT_MS + 15_000
/** Maximum stored attempts. A delivery that is requested repeatedly may have more. */
const ATTEMPTS_KEPT = 20

export interface DeliverParts extends WebhookReceiverParts {
  readonly jobs: JobQueue
  /** Receivers other than webhooks. */
  readonly others?: readonly ReceiverKind[]
}

export function deliverJob(parts: DeliverParts): JobKind {
  const { jobs, counts, others = [], clock } = parts
  const webhooks = webhookReceivers(parts)
  const pace = new WebhookPace()
  return {
    kind: WEBHOOK_DELIVER,
    concurrency: CONCURRENCY,
    perOrganization: PER_ORGANIZATION,
    leaseMs: LEASE_MS,
    async run(job, scope, signal): Promise<JobOutcome> {
      const deliveries = scope.collection(DELIVERIES)
      const delivery = await deliveries.findOne({ _id: job.subject })
      if (delivery === null || delivery.status !== 'pending') return 'done'
      const { target = 'webhook', webhook_id: receiverId } = delivery
      const receiver = await [webhooks, ...others].find((kind) => kind.target === target)?.find(scope, receiverId)
      if (receiver === null || receiver === undefined) return settle(scope, [jobs.finishing(job), deliveries.deleting({ _id: delivery._id }, { optional: true })])
      const settling = (update: Update<DeliveryDocument>) => deliveries.updating({ _id: delivery._id }, update, { optional: true })
      if (!receiver.isActive)
        return settle(scope, [jobs.finishing(job), settling(undelivered('cancelled', 'webhook_inactive', new Date(clock())))], () => counts?.ended('cancelled'))

      const postponed = pace.begin(receiverId, clock())
      if (postponed !== null) return { again: postponed }
      const attempt = await timed(
        () => receiver.attempt(delivery, signal),
        (ms) => pace.end(receiverId, ms),
      ).catch((error: unknown) => {
        // This instance stops, so another one repeats the attempt.
        if (error instanceof OutboundError && signal.aborted) return null
        throw error
      })
      if (attempt === null) return { again: new Date(clock()) }
      const now = new Date(clock())
      const noted = withAttempt(delivery, attempt)
      if (attempt.error === null) {
        await receiver.succeeded()
        return settle(scope, [jobs.finishing(job), settling({ set: { ...noted, ...DELIVERED, delivered_at: now, updated_at: now } })], () => counts?.ended('delivered'))
      }
      const isGone = receiver.isGone(attempt)
      const failures = delivery.failures + 1
      const planned = isGone ? null : nextAttempt(failures, now)
      const next = planned === null ? null : new Date(Math.max(planned.getTime(), attempt.retryAt?.getTime() ?? 0))
      if (isGone) await receiver.gone()
      else await receiver.failed(next === null)
      if (next === null) {
        const { set } = undelivered('failed', isGone ? 'gone' : 'attempts_exhausted', now)
        return settle(scope, [jobs.finishing(job), settling({ set: { ...noted, ...set, failures } })], () => counts?.ended('failed'))
      }
      return settle(scope, [jobs.postponing(job, next), settling({ set: { ...noted, failures, next_attempt_at: next, updated_at: now } })])
    },
    recordingFailure: ({ subject }, scope) => [
      scope.collection(DELIVERIES).updating({ _id: subject, status: 'pending' }, undelivered('failed', 'attempts_exhausted', new Date(clock())), { optional: true }),
    ],
  }
}

const DELIVERED = { status: 'delivered', reason: null, next_attempt_at: null } as const

/** Returns the update of a delivery that ends without success. */
function undelivered(status: 'failed' | 'cancelled', reason: NonNullable<DeliveryDocument['reason']>, now: Date) {
  return { set: { status, reason, next_attempt_at: null, updated_at: now } } as const
}

/** Returns the attempts of a delivery with one more. */
export function withAttempt({ attempts, attempt_count }: Pick<DeliveryDocument, 'attempts' | 'attempt_count'>, { at, duration_ms, status_code, error }: DeliveryAttempt) {
  return { attempts: [...attempts, { at, duration_ms, status_code, error }].slice(-ATTEMPTS_KEPT), attempt_count: attempt_count + 1 }
}

/** Commits the result. @param onSettled called if this instance has stored it */
async function settle(scope: Scope, writes: readonly Write[], onSettled?: () => void): Promise<JobOutcome> {
  try {
    await scope.commit(writes)
    onSettled?.()
  } catch (error) {
    // The lease expired and another instance has the job. Its result counts.
    if (!(error instanceof StaleWriteError)) throw error
  }
  return 'settled'
}

async function timed<T>(work: () => Promise<T>, onEnd: (ms: number) => void): Promise<T> {
  const started = performance.now()
  try {
    return await work()
  } finally {
    onEnd(performance.now() - started)
  }
}
