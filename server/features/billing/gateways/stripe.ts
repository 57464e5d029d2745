/**
 * Stripe, over its own library on the guarded HTTP client. Invariants:
 *  1. an operation ends within `OPERATION_MS`, however many calls and retries it takes
 *  2. what is created has an idempotency key: a retry, a second click or a second instance creates nothing twice
 *  3. an organization has one customer: it is found by its metadata, or created with a key of the organization
 *  4. an answer is a JSON object before the library sees it, and is checked before it is used
 *  5. of a failure only its kind, Stripe's code and the id of the request are logged: Stripe's messages repeat parts of keys and of the request
 */
import { createHash } from 'node:crypto'
import Stripe from 'stripe'
import Type from 'typebox'
import { SMALL_JSON_BYTES, validateBytes } from '#requests'
import { ApiError } from '../../../core/errors.js'
import type { Log } from '../../../core/observability/log.js'
import { isValid, pageUrl } from '../../../core/egress/answers.js'
import { type HttpClient, OutboundError } from '../../../core/egress/client.js'
import { guardedFetch } from '../../../core/egress/fetch.js'
import type { AnswerReader } from '../../../core/egress/reader.js'
import { readEvent } from './events.js'
import type { BillingGateway, CheckoutRequest, CheckoutSession, GatewayEvent, GatewaySubscription, PortalRequest, SubscriptionPage } from './gateway.js'
import { METADATA, readSubscription, StripeSubscriptions } from './objects.js'
import type { Prices } from './prices.js'
import { checkSignature } from './signature.js'
import { STRIPE_API_VERSION } from './version.js'

/** Address of Stripe's API. */
const STRIPE_URL = 'https://api.stripe.com'
/** Time limit of one call; Stripe answers within two seconds, checkouts included. */
const CALL_MS = 8_000
/** Time limit of an operation, less than that of a request of a member (30 s). */
const OPERATION_MS = 20_000
/** Further attempts after a 409, 429, 5xx or a lost connection. */
const RETRIES = 2
/** Bytes of an answer: a page of subscriptions with full metadata (25 KB each) has less. */
const ANSWER_BYTES = 4 * 1024 * 1024
/** Characters of a pruned page: 100 subscriptions with two items each have a third. The library parses its known names in a millisecond. */
const PRUNED_CHARACTERS = 256 * 1024
/** Subscriptions of a page; Stripe's limit. */
const PAGE_SIZE = 100
/** How long the same request gets the same checkout: for a second click. Not longer, as Stripe repeats the first answer, even if that checkout was paid meanwhile. */
const SAME_CHECKOUT_MS = 60 * 1000
/** Customers that a search returns; one is expected. */
const CUSTOMERS_SEARCHED = 10
/** Ids that may be part of a path. */
const ID = /^[A-Za-z0-9_]{1,255}$/
/** What of Stripe's answers may be logged. */
const CODE = /^[a-z0-9_]{1,60}$/
const REQUEST_ID = /^req_[A-Za-z0-9]{1,60}$/

const AN_OBJECT = { type: 'object', additionalProperties: true } as const
const Session = Type.Object({ id: Type.String({ minLength: 1, maxLength: 255 }), url: Type.String() })
const Portal = Type.Object({ url: Type.String() })
const Customer = Type.Object({ id: Type.String({ minLength: 1, maxLength: 255 }), deleted: Type.Optional(Type.Boolean()) })
const Customers = Type.Object({ data: Type.Array(Customer, { maxItems: CUSTOMERS_SEARCHED }) })
const Subscriptions = Type.Object({ data: Type.Array(Type.Object({ id: Type.String({ maxLength: 255 }) }), { maxItems: PAGE_SIZE }), has_more: Type.Boolean() })

export interface StripeParts {
  readonly http: Pick<HttpClient, 'send'>
  readonly reader: Pick<AnswerReader, 'json'>
  readonly log: Pick<Log, 'warn'>
  readonly clock: () => number
  /** Null: not set. Without it, the webhook secret or a price, the gateway is unconfigured. */
  readonly secretKey: string | null
  readonly publishableKey: string | null
  readonly webhookSecret: string | null
  readonly prices: Prices
  /** For tests. Default: Stripe's address and the time limits above. */
  readonly url?: string
  readonly times?: { readonly callMs: number; readonly operationMs: number }
}

export class StripeGateway implements BillingGateway {
  readonly provider = 'stripe'
  readonly #parts: StripeParts

  constructor(parts: StripeParts) {
    this.#parts = parts
  }

  status(): ReturnType<BillingGateway['status']> {
    const { secretKey, webhookSecret, prices, publishableKey } = this.#parts
    const isReady = secretKey !== null && webhookSecret !== null && !prices.isEmpty
    return { status: isReady ? 'ready' : 'unconfigured', publishableKey }
  }

  async checkout(request: CheckoutRequest): Promise<CheckoutSession> {
    const { planId, interval, seats, organizationId, successUrl, cancelUrl, trialDays } = request
    const price = this.#parts.prices.priceOf(planId, interval)
    // A checkout whose events could not be verified would take money for nothing.
    if (price === null || this.status().status !== 'ready') throw new ApiError('billing_unconfigured')
    const metadata = { [METADATA.organization]: organizationId, [METADATA.plan]: planId }
    return this.#operation(async (stripe) => {
      const open = (customerId: string): Promise<unknown> =>
        stripe.checkout.sessions.create(
          {
            mode: 'subscription',
            customer: customerId,
            client_reference_id: organizationId,
            line_items: [{ price, quantity: seats }],
            success_url: successUrl,
            cancel_url: cancelUrl,
            metadata,
            subscription_data: { metadata, ...(trialDays === undefined ? {} : { trial_period_days: trialDays }) },
          },
          { idempotencyKey: `checkout-${this.#checkoutKey(request, customerId, price)}` },
        )
      let customerId = request.customerId ?? (await this.#customer(stripe, request))
      let answer: unknown
      try {
        answer = await open(customerId)
      } catch (error) {
        // The customer was deleted at Stripe, or belongs to the other mode (test, live).
        if (request.customerId === null || !isMissing(error, 'customer')) throw error
        customerId = await this.#customer(stripe, request)
        answer = await open(customerId)
      }
      const session = checked(Session, answer)
      return { url: addressOf(session.url), sessionId: session.id, customerId }
    })
  }

  async portal({ customerId, returnUrl }: PortalRequest): Promise<{ readonly url: string }> {
    return this.#operation(async (stripe) => ({
      url: addressOf(checked(Portal, await stripe.billingPortal.sessions.create({ customer: customerId, return_url: returnUrl })).url),
    }))
  }

  verifyEvent(body: Buffer, signature: string | undefined, now: number): void {
    const { webhookSecret } = this.#parts
    if (webhookSecret === null) throw new ApiError('billing_signature_invalid')
    checkSignature(body, signature, webhookSecret, now)
  }

  readEvent(body: Buffer): Promise<GatewayEvent | null> {
    const { reader, prices } = this.#parts
    return readEvent(body, { reader, prices, isOrderCertain: false })
  }

  async subscription(id: string): Promise<GatewaySubscription | null> {
    if (!ID.test(id)) return null
    return this.#operation((stripe) => this.#unlessMissing(() => stripe.subscriptions.retrieve(id)))
  }

  async subscriptions(next: string | null): Promise<SubscriptionPage> {
    return this.#operation(async (stripe) => {
      const answer = await stripe.subscriptions.list({ status: 'all', limit: PAGE_SIZE, ...(next === null ? {} : { starting_after: next }) })
      const { data, has_more } = checked(Subscriptions, answer)
      // Subscriptions that this service can't read belong to something else that is sold with the same account.
      const subscriptions = data.map((each) => readSubscription(each, this.#parts.prices)).filter((each) => each !== null)
      return { subscriptions, next: has_more ? (data.at(-1)?.id ?? null) : null }
    })
  }

  async cancel(id: string): Promise<GatewaySubscription | null> {
    if (!ID.test(id)) return null
    // Stripe answers `resource_missing` to a subscription that has ended, too.
    return this.#operation(async (stripe) => (await this.#unlessMissing(() => stripe.subscriptions.cancel(id))) ?? this.#unlessMissing(() => stripe.subscriptions.retrieve(id)))
  }

  async #unlessMissing(call: () => Promise<unknown>): Promise<GatewaySubscription | null> {
    let answer: unknown
    try {
      answer = await call()
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
    const subscription = readSubscription(answer, this.#parts.prices)
    if (subscription === null) throw unavailable('answer_malformed')
    return subscription
  }

  /** Finds the customer of an organization, or creates it. The name and e-mail are not part of what the key stands for, so that two admins create one. */
  async #customer(stripe: Stripe, { organizationId, organizationName, email, customerId: former }: CheckoutRequest): Promise<string> {
    const query = `metadata['${METADATA.organization}']:'${organizationId.replace(/[^\w-]/g, '')}'`
    const found = checked(Customers, await stripe.customers.search({ query, limit: CUSTOMERS_SEARCHED }))
    const existing = found.data.find(({ id, deleted }) => deleted !== true && id !== former)
    if (existing !== undefined) return existing.id
    const key = `customer-${organizationId}${former === null ? '' : `-after-${former}`}`
    const created = checked(Customer, await stripe.customers.create({ metadata: { [METADATA.organization]: organizationId } }, { idempotencyKey: key }))
    await stripe.customers.update(created.id, { name: organizationName, email })
    return created.id
  }

  #checkoutKey({ organizationId, planId, interval, seats, successUrl, cancelUrl, trialDays = 0 }: CheckoutRequest, customerId: string, price: string): string {
    const period = Math.floor(this.#parts.clock() / SAME_CHECKOUT_MS)
    const parts = [organizationId, planId, interval, seats, successUrl, cancelUrl, trialDays, customerId, price, period]
    return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  }

  /** Runs calls with one deadline. @throws ApiError */
  async #operation<T>(run: (stripe: Stripe) => Promise<T>): Promise<T> {
    const { secretKey, url = STRIPE_URL, times = { callMs: CALL_MS, operationMs: OPERATION_MS } } = this.#parts
    if (secretKey === null) throw new ApiError('billing_unconfigured')
    const deadline = AbortSignal.timeout(times.operationMs)
    const { protocol, hostname, port } = new URL(url)
    // One for each operation, for its deadline; creating it takes a tenth of a millisecond.
    const stripe = new Stripe(secretKey, {
      apiVersion: STRIPE_API_VERSION,
      httpClient: Stripe.createFetchHttpClient(stripeFetch(this.#parts, times.callMs, deadline)),
      maxNetworkRetries: RETRIES,
      // The guarded client ends a call.
      timeout: times.operationMs,
      telemetry: false,
      protocol: protocol === 'https:' ? 'https' : 'http',
      host: hostname,
      port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
    })
    try {
      return await unlessPast(deadline, run(stripe))
    } catch (error) {
      if (error instanceof ApiError && error.reason !== 'billing_unavailable') throw error
      const refusal = error instanceof ApiError ? error : unavailable(deadline.aborted ? 'timeout' : failureOf(error))
      this.#parts.log.warn({ provider: 'stripe', ...refusal.details, ...traceOf(error) }, 'the payment gateway failed')
      throw refusal
    }
  }
}

/**
 * The fetch of the library. It refuses an answer that is not a JSON object: the library throws outside of its promise for a number or a text, which would end
 * the process. It hides `stripe-notice`, which the library prints.
 */
function stripeFetch({ http, reader }: Pick<StripeParts, 'http' | 'reader'>, timeoutMs: number, deadline: AbortSignal): typeof fetch {
  const request = guardedFetch(http, { timeoutMs, bodyLimit: ANSWER_BYTES })
  return async (input, init) => {
    if (deadline.aborted) throw new OutboundError('timeout')
    const signal = init?.signal === null || init?.signal === undefined ? deadline : AbortSignal.any([deadline, init.signal])
    const answer = await request(input, { ...init, signal })
    const text = await textOf(new Uint8Array(await answer.arrayBuffer()), reader, signal)
    // Errors of a proxy are pages; the status says enough for a retry.
    if (text === null && answer.status < 500 && answer.status !== 429) throw new OutboundError('answer_malformed')
    const headers = new Headers(answer.headers)
    headers.delete('stripe-notice')
    return new Response(text ?? '{"error":{"type":"api_error"}}', { status: answer.status, headers })
  }
}

/** The text of an answer for the library, which parses it on the event loop: of a large one only what is read. Null: it is no JSON object. @throws OutboundError answer_too_large */
async function textOf(body: Uint8Array, reader: Pick<AnswerReader, 'json'>, signal: AbortSignal): Promise<string | null> {
  if (body.length <= SMALL_JSON_BYTES) return validateBytes(AN_OBJECT, body, true).kind === 'valid' ? new TextDecoder().decode(body) : null
  // Only pages of subscriptions have as much.
  const page = await reader.json(StripeSubscriptions, body, { signal, isLast: true })
  const text = page.kind === 'valid' ? JSON.stringify(page.value) : null
  if (page.kind === 'over' || (text !== null && text.length > PRUNED_CHARACTERS)) throw new OutboundError('answer_too_large')
  return text
}

/** The pauses of the library between attempts don't end with the deadline. */
function unlessPast<T>(deadline: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(new OutboundError('timeout'))
    deadline.addEventListener('abort', end, { once: true })
    work.then(resolve, reject).finally(() => deadline.removeEventListener('abort', end))
  })
}

function checked<T extends Parameters<typeof isValid>[0]>(schema: T, answer: unknown): import('typebox').Static<T> {
  if (!isValid(schema, answer)) throw unavailable('answer_malformed')
  return answer
}

/** @throws ApiError if it is no address that a browser should open */
function addressOf(url: string): string {
  const address = pageUrl(url)
  if (address === null) throw unavailable('answer_malformed')
  return address
}

function isMissing(error: unknown, param?: string): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === 'resource_missing' && (param === undefined || error.param === param)
}

function unavailable(failure: string): ApiError {
  return new ApiError('billing_unavailable', { details: { failure } })
}

/** The kind of a failure, for the caller and the log. */
function failureOf(error: unknown): string {
  const { StripeError, StripeConnectionError, StripeAuthenticationError, StripePermissionError, StripeRateLimitError, StripeAPIError } = Stripe.errors
  if (error instanceof OutboundError) return error.failure
  if (error instanceof StripeConnectionError) return error.detail instanceof OutboundError ? error.detail.failure : 'connection_failed'
  if (error instanceof StripeAuthenticationError || error instanceof StripePermissionError) return 'credentials_refused'
  if (error instanceof StripeRateLimitError || (error instanceof StripeError && error.statusCode === 429)) return 'rate_limited'
  if (error instanceof StripeAPIError) return error.statusCode === undefined ? 'answer_malformed' : 'failed'
  return error instanceof StripeError ? 'request_refused' : 'answer_malformed'
}

/** What the log has of Stripe's answer. */
function traceOf(error: unknown): Readonly<Record<string, string | number>> {
  if (!(error instanceof Stripe.errors.StripeError)) return {}
  const { statusCode, code, param, requestId } = error
  return {
    ...(statusCode === undefined ? {} : { status: statusCode }),
    ...(code !== undefined && CODE.test(code) ? { stripe_code: code } : {}),
    ...(param !== undefined && CODE.test(param) ? { stripe_param: param } : {}),
    ...(requestId !== undefined && REQUEST_ID.test(requestId) ? { stripe_request: requestId } : {}),
  }
}
