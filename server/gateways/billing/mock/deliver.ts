/**
 * The job that sends the events of the gateway `mock` to this service's own webhook, over HTTP as Stripe does. The events of a subscription are sent in order: one
 * that is refused holds back those behind it. An event may be sent twice, with the same id.
 */
import type { JobKind } from '../../../jobs/runner.js'
import type { PublicAddress } from '../../../public-address.js'
import type { Storage } from '../../../storage/contract.js'
import type { HttpClient } from '../../http/client.js'
import { signatureOf } from '../signature.js'
import { MOCK_SUBSCRIPTIONS } from './store.js'

export const MOCK_EVENTS_JOB = 'billing.mock_events'
/** Path of the webhook. */
export const MOCK_WEBHOOK_PATH = '/api/v1/billing/webhooks/mock'
/** Time limit of one event. */
const SEND_MS = 10_000
/** Events of one run; the next run sends the rest. */
const RUN_LIMIT = 10
/** Longer than a run may take. */
const LEASE_MS = 2 * RUN_LIMIT * SEND_MS
/** Bytes of the answer, which is not read. */
const ANSWER_BYTES = 1024

export interface MockDeliveryParts {
  readonly storage: Pick<Storage, 'open'>
  readonly address: Pick<PublicAddress, 'local'>
  /** Reaches this machine, which the client for tenants' targets refuses. */
  readonly http: Pick<HttpClient, 'send'>
  readonly webhookSecret: string
  readonly clock: () => number
}

export function mockEventsJob({ storage, address, http, webhookSecret, clock }: MockDeliveryParts): JobKind {
  const documents = storage.open(MOCK_SUBSCRIPTIONS)

  async function send(body: string, signal: AbortSignal): Promise<void> {
    const { status } = await http.send({
      method: 'POST',
      url: new URL(`${address.local}${MOCK_WEBHOOK_PATH}`),
      headers: { 'Content-Type': 'application/json', 'Gateway-Signature': signatureOf(body, webhookSecret, clock()) },
      body,
      timeoutMs: SEND_MS,
      signal,
      bodyLimit: ANSWER_BYTES,
      beyondLimit: 'cut',
    })
    if (status < 200 || status > 299) throw new Error(`the webhook answered ${status}`)
  }

  return {
    kind: MOCK_EVENTS_JOB,
    // The order of a subscription's events is kept by one job at a time.
    concurrency: 1,
    perOrganization: 1,
    leaseMs: LEASE_MS,
    async run({ subject: _id }, _, signal) {
      for (let sent = 0; sent < RUN_LIMIT; sent++) {
        const found = await documents.findOne({ _id })
        if (found === null || found.pending.length === 0) return 'done'
        const [body, ...rest] = found.pending
        await send(body, signal)
        // After a change meanwhile the event is sent once more.
        await documents.update({ _id, revision: found.revision }, { set: { pending: rest }, increment: { revision: 1 } })
      }
      return { again: new Date(clock()) }
    },
  }
}
