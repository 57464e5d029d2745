/**
 * The job that creates the deliveries of an event: one for each active receiver that selects it, each with its job, in the commit that deletes the event
 * from the outbox. The id of a delivery is derived from event and receiver, so that it cannot be created twice.
 */
import { createHash } from 'node:crypto'
import type { EventName } from '../../core/events/catalogue.js'
import { EVENT_DISPATCH, OUTBOX, type OutboxDocument } from '../../core/events/outbox.js'
import type { JobQueue } from '../../core/jobs/queue.js'
import type { JobKind } from '../../core/jobs/runner.js'
import type { Write } from '../../core/storage/contract.js'
import { StaleWriteError } from '../../core/storage/errors.js'
import type { Scope, Unbound } from '../../core/tenancy/scope.js'
import type { DeliveryCounts } from './attempt.js'
import { WEBHOOK_DELIVER } from './deliver.js'
import { type ReceiverKind, selectWebhooks } from './receivers.js'
import { DELIVERIES, type DeliveryDocument } from './store.js'

/** Maximum concurrent jobs of an instance; each is one short commit. */
const CONCURRENCY = 8
const PER_ORGANIZATION = 4
/** Much longer than reading some webhooks and one commit take. */
const LEASE_MS = 30_000
/** Maximum pending deliveries of a receiver. Beyond it a delivery is stored as failed, without a job; a caller can redeliver it. */
const WAITING_LIMIT = 10_000

export interface DispatchParts {
  readonly jobs: JobQueue
  readonly counts?: Pick<DeliveryCounts, 'ended'>
  /** Receivers other than webhooks. */
  readonly others?: readonly Pick<ReceiverKind, 'target' | 'selecting'>[]
  readonly clock: () => number
}

export function dispatchJob({ jobs, counts, others = [], clock }: DispatchParts): JobKind {
  return {
    kind: EVENT_DISPATCH,
    concurrency: CONCURRENCY,
    perOrganization: PER_ORGANIZATION,
    leaseMs: LEASE_MS,
    async run(job, scope) {
      const event = await scope.collection(OUTBOX).findOne({ _id: job.subject })
      if (event === null) return 'done'
      const selected = await Promise.all(
        [selectWebhooks, ...others].map(async ({ target, selecting }) => (await selecting(scope, event.name)).map((id) => ({ target, webhook_id: id }))),
      )
      const now = new Date(clock())
      const deliveries = await Promise.all(selected.flat().map((receiver) => delivering(jobs, scope, event, receiver, now)))
      try {
        await scope.commit([jobs.finishing(job), scope.collection(OUTBOX).deleting({ _id: event._id }, { optional: true }), ...deliveries.flatMap(({ writes }) => writes)])
        for (const { isFull } of deliveries) if (isFull) counts?.ended('failed')
      } catch (error) {
        // The lease expired and another instance has the job.
        if (!(error instanceof StaleWriteError)) throw error
      }
      return 'settled'
    },
    abandoning: ({ subject }, scope) => [scope.collection(OUTBOX).deleting({ _id: subject }, { optional: true })],
  }
}

type DeliveryReceiver = Pick<DeliveryDocument, 'target' | 'webhook_id'>

async function delivering(
  jobs: JobQueue,
  scope: Scope,
  event: OutboxDocument,
  receiver: DeliveryReceiver,
  now: Date,
): Promise<{ readonly writes: Write[]; readonly isFull: boolean }> {
  const waiting = await scope.collection(DELIVERIES).count({ webhook_id: receiver.webhook_id, status: 'pending' })
  const isFull = waiting >= WAITING_LIMIT
  const delivery = {
    ...newDelivery(receiver, event._id, event.name, bodyOf(event), now),
    ...(isFull ? ({ status: 'failed', reason: 'too_many_waiting', next_attempt_at: null } as const) : {}),
  }
  const stored = scope.collection(DELIVERIES).inserting(delivery)
  return { isFull, writes: isFull ? [stored] : [stored, jobs.enqueuing(scope, { kind: WEBHOOK_DELIVER, subject: delivery._id })] }
}

/** Returns the body of a request. Its timestamp is the time of the event, not of the attempt. */
export function bodyOf({ name, created_at, payload }: Pick<OutboxDocument, 'name' | 'created_at' | 'payload'>): string {
  return JSON.stringify({ type: name, timestamp: created_at.toISOString(), data: payload })
}

/** Returns a new delivery that is due now. */
export function newDelivery(receiver: DeliveryReceiver, eventId: string, event: EventName, body: string, now: Date): Unbound<DeliveryDocument> {
  return {
    _id: deliveryId(eventId, receiver.webhook_id),
    ...receiver,
    event_id: eventId,
    event,
    body,
    status: 'pending',
    reason: null,
    attempts: [],
    attempt_count: 0,
    failures: 0,
    next_attempt_at: now,
    delivered_at: null,
    created_at: now,
    updated_at: now,
  }
}

/** Returns an id in the form of a UUID, version 8. */
function deliveryId(eventId: string, receiverId: string): string {
  const hex = createHash('sha256').update(`${eventId} ${receiverId}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
