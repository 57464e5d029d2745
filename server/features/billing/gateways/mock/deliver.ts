/**
 * The job that hands the events of the gateway `mock` to the webhook of this service, in the process: no network, proxy or address is between them. Events are
 * signed, and the webhook verifies them like those of a request. Those of a subscription are sent in order: one that is refused holds back those behind it. An
 * event may be sent twice, with the same id.
 */
import type { JobKind } from '../../../../core/jobs/runner.js'
import type { Storage } from '../../../../core/storage/contract.js'
import { signatureOf } from '../signature.js'
import { MOCK_SUBSCRIPTIONS } from './store.js'

export const MOCK_EVENTS_JOB = 'billing.mock_events'
/** Events of one run; the next run sends the rest. */
const RUN_LIMIT = 10
/** Longer than a run takes. */
const LEASE_MS = 60_000

/** The webhook: verifies the signature and applies the event. Throws if it does not accept the event. */
export type ReceiveEvent = (body: Buffer, signature: string) => Promise<unknown>

export interface MockDeliveryParts {
  readonly storage: Pick<Storage, 'open'>
  readonly webhookSecret: string
  readonly clock: () => number
}

export function mockEventsJob({ storage, webhookSecret, clock }: MockDeliveryParts, receive: ReceiveEvent): JobKind {
  const documents = storage.open(MOCK_SUBSCRIPTIONS)
  return {
    kind: MOCK_EVENTS_JOB,
    // The order of a subscription's events is kept by one job at a time.
    concurrency: 1,
    perOrganization: 1,
    leaseMs: LEASE_MS,
    async run({ subject: _id }, _, signal) {
      for (let sent = 0; sent < RUN_LIMIT; sent++) {
        signal.throwIfAborted()
        const found = await documents.findOne({ _id })
        if (found === null || found.pending.length === 0) return 'done'
        const [body, ...rest] = found.pending
        await receive(Buffer.from(body), signatureOf(body, webhookSecret, clock()))
        // After a change meanwhile the event is sent once more.
        await documents.update({ _id, revision: found.revision }, { set: { pending: rest }, increment: { revision: 1 } })
      }
      return { again: new Date(clock()) }
    },
  }
}
