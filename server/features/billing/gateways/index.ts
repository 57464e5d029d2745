/** Opens the payment gateway that the settings name. Only the library of that gateway is loaded. */
import type { Config } from '../../../core/config.js'
import type { JobQueue } from '../../../core/jobs/queue.js'
import type { JobKind } from '../../../core/jobs/runner.js'
import type { Log } from '../../../core/observability/log.js'
import type { PublicAddress } from '../../../core/public-address.js'
import type { Storage } from '../../../core/storage/contract.js'
import type { HttpClient } from '../../../core/egress/client.js'
import type { AnswerReader } from '../../../core/egress/reader.js'
import { DISABLED_BILLING } from './disabled.js'
import type { BillingGateway } from './gateway.js'
import { mockEventsJob, type ReceiveEvent } from './mock/deliver.js'
import { MockBilling } from './mock/gateway.js'
import { pricesOf } from './prices.js'

export interface BillingParts {
  readonly config: Pick<Config, 'billingGateway' | 'stripeSecretKey' | 'stripePublishableKey' | 'stripePrices' | 'gatewayWebhookSecret'>
  /** For Stripe. */
  readonly http: Pick<HttpClient, 'send'>
  /** The reader of the instance. */
  readonly reader: Pick<AnswerReader, 'json'>
  readonly storage: Pick<Storage, 'open' | 'commit'>
  readonly jobs: Pick<JobQueue, 'enqueuing'>
  readonly address: Pick<PublicAddress, 'own'>
  /** Signs the links of the mock, and its events where no secret is set. */
  readonly mockKey: Buffer
  readonly log: Pick<Log, 'warn'>
  readonly clock: () => number
}

export interface OpenBilling {
  readonly gateway: BillingGateway
  /** The gateway with what its pages need, and the job that hands its events to the webhook. Null: another gateway is open. */
  readonly mock: { readonly billing: MockBilling; readonly jobOf: (receive: ReceiveEvent) => JobKind } | null
}

/** @throws ConfigError if the prices name a plan that can't be bought */
export async function openBilling({ config, http, reader, storage, jobs, address, mockKey, log, clock }: BillingParts): Promise<OpenBilling> {
  const { billingGateway, stripeSecretKey: secretKey, stripePublishableKey: publishableKey, stripePrices, gatewayWebhookSecret: webhookSecret } = config
  if (billingGateway === 'disabled') return { gateway: DISABLED_BILLING, mock: null }
  if (billingGateway === 'stripe') {
    const prices = pricesOf(stripePrices)
    const { StripeGateway } = await import('./stripe.js')
    return { gateway: new StripeGateway({ http, reader, log, clock, secretKey, publishableKey, webhookSecret, prices }), mock: null }
  }
  const secret = webhookSecret ?? `whsec_${mockKey.toString('hex')}`
  const billing = new MockBilling({ storage, jobs, address, reader, key: mockKey, webhookSecret: secret, clock })
  return { gateway: billing, mock: { billing, jobOf: (receive) => mockEventsJob({ storage, webhookSecret: secret, clock }, receive) } }
}
