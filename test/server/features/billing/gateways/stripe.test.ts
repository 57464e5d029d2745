/** The gateway of Stripe: every call against Stripe's own mock of its API, and what it does when Stripe fails. */
import assert from 'node:assert/strict'
import test, { after, before, beforeEach, describe } from 'node:test'
import { ApiError } from '../../../../../server/core/errors.js'
import type { CheckoutRequest } from '../../../../../server/features/billing/gateways/gateway.js'
import { Prices } from '../../../../../server/features/billing/gateways/prices.js'
import { StripeGateway, type StripeParts } from '../../../../../server/features/billing/gateways/stripe.js'
import { STRIPE_API_VERSION } from '../../../../../server/features/billing/gateways/version.js'
import { HttpClient } from '../../../../../server/core/egress/client.js'
import { EgressGuard } from '../../../../../server/core/egress/egress-guard.js'
import { type Receiver, startReceiver } from '../../../../support/receiver.js'
import { startStripeMock, STRIPE_MOCK_SKIP } from '../../../../support/stripe/mock.js'
import { event, ORGANIZATION, signed, subscription } from '../../../../support/stripe/objects.js'
import { READER } from '../../../../support/reader.js'

const SECRETS = { secretKey: 'sk_test_51SecretOfStripe', webhookSecret: 'whsec_SecretOfTheEndpoint' }
const PRICES = new Prices([
  { planId: 'team', interval: 'month', price: 'price_team_month' },
  { planId: 'team', interval: 'year', price: 'price_team_year' },
])
const REQUEST: CheckoutRequest = {
  organizationId: ORGANIZATION,
  organizationName: 'Example SOC',
  email: 'ana@example.com',
  customerId: null,
  planId: 'team',
  interval: 'month',
  seats: 3,
  successUrl: 'https://soc.example/billing?checkout=success',
  cancelUrl: 'https://soc.example/billing?checkout=canceled',
}
const http = new HttpClient(new EgressGuard({ allowPrivateTargets: true }))
const guarded = new HttpClient(new EgressGuard({ allowPrivateTargets: false }))
after(() => {
  http.close()
  guarded.close()
})

const logged: unknown[] = []
const open = (url: string, parts: Partial<StripeParts> = {}): StripeGateway =>
  new StripeGateway({
    http,
    reader: READER,
    log: { warn: (...entry: unknown[]) => void logged.push(entry) },
    clock: () => 1_763_900_000_000,
    ...SECRETS,
    publishableKey: 'pk_test_1',
    prices: PRICES,
    url,
    ...parts,
  })
/** Fails with a 402 of this failure, and shows no secret anywhere. */
const fails = (work: Promise<unknown>, failure: string): Promise<void> =>
  assert.rejects(work, (error) => {
    assert.ok(error instanceof ApiError, String(error))
    assert.deepEqual([error.status, error.code, error.details], [402, 'payment_required', { failure }])
    const shown = `${JSON.stringify([logged, error.details, error.params])}${error.stack}${String(error.cause)}`
    for (const secret of Object.values(SECRETS)) assert.ok(!shown.includes(secret.slice(-10)), shown)
    return true
  })

describe("with Stripe's own mock of its API", { skip: STRIPE_MOCK_SKIP }, () => {
  let mock: Awaited<ReturnType<typeof startStripeMock>>
  before(async () => {
    mock = await startStripeMock()
  })
  after(() => mock.close())

  test('every call is one of the API, and its answer is understood', async () => {
    const gateway = open(mock.url)
    const session = await gateway.checkout(REQUEST)
    assert.match(session.url, /^https:\/\/checkout\.stripe\.com\//)
    assert.match(session.sessionId, /^cs_/)
    assert.match(session.customerId, /^cus_/)
    assert.equal((await gateway.checkout({ ...REQUEST, customerId: 'cus_known', trialDays: 14, interval: 'year' })).customerId, 'cus_known')
    assert.match((await gateway.portal({ organizationId: ORGANIZATION, customerId: 'cus_1', returnUrl: 'https://soc.example/billing' })).url, /^https:/)
    const found = await gateway.subscription('sub_123')
    assert.deepEqual([found?.id, found?.status, found?.interval], ['sub_123', 'active', 'month'])
    assert.ok(found?.currentPeriodEnd instanceof Date)
    const { subscriptions, next } = await gateway.subscriptions(null)
    assert.ok(subscriptions.length > 0 && next === null)
    assert.ok((await gateway.subscriptions('sub_123')).subscriptions.length > 0)
    assert.equal((await gateway.cancel('sub_123'))?.id, 'sub_123')
    // The mock's search finds a customer; creating one is a call of its own.
    const creating = new WithoutCustomers(http)
    const created = await open(mock.url, { http: creating }).checkout(REQUEST)
    assert.match(created.customerId, /^cus_/)
    assert.ok(creating.paths.includes('POST /v1/customers') && creating.paths.some((path) => path.startsWith('POST /v1/customers/cus_')), creating.paths.join())
  })

  test('what the API refuses is refused here', async () => {
    const gateway = open(mock.url)
    await fails(gateway.checkout({ ...REQUEST, seats: 1.5 }), 'request_refused')
    await fails(open(mock.url, { secretKey: 'sk_live_wrong' }).subscription('sub_1'), 'credentials_refused')
  })
})

/** Sends everything on, but answers searches for customers as if there were none. */
class WithoutCustomers {
  readonly paths: string[] = []
  constructor(readonly next: Pick<HttpClient, 'send'>) {}

  send: HttpClient['send'] = (request) => {
    this.paths.push(`${request.method} ${request.url.pathname}`)
    if (request.url.pathname === '/v1/customers/search')
      return Promise.resolve({ status: 200, headers: {}, body: Buffer.from('{"object":"search_result","data":[],"has_more":false}') })
    return this.next.send(request)
  }
}

describe('requests and failures', () => {
  let stripe: Receiver
  /** Answers by method and path; what is not named is 404. */
  const answers = (table: Readonly<Record<string, object | number | string>>): void =>
    stripe.answers(({ method, path }, response) => {
      const answer = table[`${method} ${path.split('?')[0]}`] ?? 404
      if (typeof answer === 'number') response.writeHead(answer, { 'Content-Type': 'application/json', 'Request-Id': 'req_Abc123' }).end(errorOf(answer))
      else response.writeHead(200, { 'Content-Type': 'application/json' }).end(typeof answer === 'string' ? answer : JSON.stringify(answer))
    })
  const errorOf = (status: number): string => {
    const type = status === 401 ? 'authentication_error' : status >= 500 ? 'api_error' : 'invalid_request_error'
    return JSON.stringify({ error: { type, code: status === 404 ? 'resource_missing' : undefined, param: 'customer', message: `Invalid API Key provided: ${SECRETS.secretKey}` } })
  }
  const calls = (): string[] => stripe.received.map(({ method, path }) => `${method} ${path.split('?')[0]}`)
  const SESSION = { id: 'cs_1', object: 'checkout.session', url: 'https://checkout.stripe.com/c/pay/cs_1' }
  const fast = { callMs: 500, operationMs: 1500 }

  before(async () => {
    stripe = await startReceiver()
  })
  beforeEach(() => {
    ;(stripe.received as unknown[]).length = 0
    logged.length = 0
  })
  after(() => stripe.close())

  test('a first checkout finds the customer of the organization, or creates one with a key of the organization', async () => {
    answers({ 'GET /v1/customers/search': { data: [{ id: 'cus_found' }] }, 'POST /v1/checkout/sessions': SESSION })
    assert.deepEqual(await open(stripe.origin).checkout(REQUEST), { url: SESSION.url, sessionId: 'cs_1', customerId: 'cus_found' })
    assert.match(stripe.received[0].path, new RegExp(encodeURIComponent(ORGANIZATION)))
    ;(stripe.received as unknown[]).length = 0
    answers({
      'GET /v1/customers/search': { data: [] },
      'POST /v1/customers': { id: 'cus_new' },
      'POST /v1/customers/cus_new': { id: 'cus_new' },
      'POST /v1/checkout/sessions': SESSION,
    })
    for (const email of ['ana@example.com', 'rui@example.com']) assert.equal((await open(stripe.origin).checkout({ ...REQUEST, email })).customerId, 'cus_new')
    const created = stripe.received.filter(({ path }) => path === '/v1/customers')
    assert.deepEqual(
      created.map(({ headers, body }) => [headers['idempotency-key'], decodeURIComponent(body)]),
      Array(2).fill([`customer-${ORGANIZATION}`, `metadata[organization_id]=${ORGANIZATION}`]),
    )
  })

  test('a checkout says who buys what, with the pinned version, and has the same key for a second click', async () => {
    answers({ 'POST /v1/checkout/sessions': SESSION })
    const gateway = open(stripe.origin)
    await gateway.checkout({ ...REQUEST, customerId: 'cus_1', trialDays: 14 })
    const [{ headers, body }] = stripe.received
    assert.equal(headers.authorization, `Bearer ${SECRETS.secretKey}`)
    assert.equal(headers['stripe-version'], STRIPE_API_VERSION)
    assert.equal(headers['x-stripe-client-telemetry'], undefined)
    assert.deepEqual(Object.fromEntries(new URLSearchParams(body)), {
      mode: 'subscription',
      customer: 'cus_1',
      client_reference_id: ORGANIZATION,
      'line_items[0][price]': 'price_team_month',
      'line_items[0][quantity]': '3',
      success_url: REQUEST.successUrl,
      cancel_url: REQUEST.cancelUrl,
      'metadata[organization_id]': ORGANIZATION,
      'metadata[plan_id]': 'team',
      'subscription_data[metadata][organization_id]': ORGANIZATION,
      'subscription_data[metadata][plan_id]': 'team',
      'subscription_data[trial_period_days]': '14',
    })
    await gateway.checkout({ ...REQUEST, customerId: 'cus_1', trialDays: 14 })
    await gateway.checkout({ ...REQUEST, customerId: 'cus_1', trialDays: 14, seats: 4 })
    await open(stripe.origin, { clock: () => 1_763_900_060_000 }).checkout({ ...REQUEST, customerId: 'cus_1', trialDays: 14 })
    const keys = stripe.received.map(({ headers: { 'idempotency-key': key } }) => key)
    assert.equal(keys[0], keys[1])
    assert.equal(new Set(keys).size, 3)
  })

  test('a customer that was deleted at Stripe is replaced', async () => {
    stripe.answers(({ method, path, body }, response) => {
      const isGone = body.includes('customer=cus_gone')
      const answer = path.startsWith('/v1/customers/search') ? { data: [{ id: 'cus_gone' }] } : path.startsWith('/v1/customers') ? { id: 'cus_next' } : SESSION
      assert.ok(method !== '')
      response.writeHead(isGone ? 400 : 200, { 'Content-Type': 'application/json' }).end(isGone ? errorOf(404) : JSON.stringify(answer))
    })
    assert.equal((await open(stripe.origin).checkout({ ...REQUEST, customerId: 'cus_gone' })).customerId, 'cus_next')
  })

  test('a subscription that Stripe does not know is null, one that has ended is still read', async () => {
    answers({})
    assert.equal(await open(stripe.origin).subscription('sub_1'), null)
    assert.equal(await open(stripe.origin).cancel('sub_1'), null)
    answers({ 'GET /v1/subscriptions/sub_1': subscription({ status: 'canceled' }) })
    assert.equal((await open(stripe.origin).cancel('sub_1'))?.status, 'canceled')
    ;(stripe.received as unknown[]).length = 0
    for (const id of ['../customers', 'sub_1/x', '', 'a'.repeat(300)]) assert.equal(await open(stripe.origin).subscription(id), null)
    assert.deepEqual(calls(), [])
  })

  test('pages continue behind the last subscription, also where it is not one of ours', async () => {
    answers({ 'GET /v1/subscriptions': { object: 'list', data: [subscription(), { id: 'sub_other', object: 'subscription' }], has_more: true } })
    const page = await open(stripe.origin).subscriptions(null)
    assert.deepEqual([page.subscriptions.map(({ id }) => id), page.next], [[subscription().id], 'sub_other'])
    await open(stripe.origin).subscriptions('sub_other')
    assert.deepEqual(
      stripe.received.map(({ path }) => path),
      ['/v1/subscriptions?status=all&limit=100', '/v1/subscriptions?status=all&limit=100&starting_after=sub_other'],
    )
  })

  test('without a key, a secret of the webhook or a price it is unconfigured, and calls nothing', async () => {
    const unconfigured = (work: Promise<unknown>): Promise<void> =>
      assert.rejects(work, (error) => error instanceof ApiError && error.reason === 'billing_unconfigured' && error.code === 'payment_required')
    for (const parts of [{ secretKey: null }, { webhookSecret: null }, { prices: new Prices([]) }]) {
      const gateway = open(stripe.origin, parts)
      assert.deepEqual(gateway.status(), { status: 'unconfigured', publishableKey: 'pk_test_1' })
      await unconfigured(gateway.checkout(REQUEST))
    }
    await unconfigured(open(stripe.origin).checkout({ ...REQUEST, planId: 'enterprise' }))
    await unconfigured(open(stripe.origin, { secretKey: null }).subscription('sub_1'))
    assert.deepEqual(open(stripe.origin).status(), { status: 'ready', publishableKey: 'pk_test_1' })
    assert.deepEqual(calls(), [])
  })

  test('events are read after their signature was checked', async () => {
    const now = 1_763_900_000_000
    const content = event('customer.subscription.updated', subscription())
    const { body, header } = signed(content, SECRETS.webhookSecret, now)
    open(stripe.origin).verifyEvent(body, header, now)
    const read = await open(stripe.origin).readEvent(body)
    assert.deepEqual([read?.id, read?.isOrderCertain], [content.id, false])
    const refuses = (gateway: StripeGateway, wrong: string | undefined): void =>
      assert.throws(
        () => gateway.verifyEvent(body, wrong, now),
        (error) => error instanceof ApiError && error.reason === 'billing_signature_invalid',
      )
    refuses(open(stripe.origin), undefined)
    refuses(open(stripe.origin), signed(content, 'whsec_of_somebody', now).header)
    refuses(open(stripe.origin, { webhookSecret: null }), header)
  })

  test('a call is tried again after 429, 500 and 503, with the same key, and then succeeds', async () => {
    const statuses = [500, 429]
    stripe.answers((_, response) => {
      const status = statuses.shift() ?? 200
      response
        .writeHead(status, { 'Content-Type': 'application/json', ...(status === 429 ? { 'Stripe-Should-Retry': 'true' } : {}) })
        .end(status === 200 ? JSON.stringify(SESSION) : errorOf(status))
    })
    assert.equal((await open(stripe.origin).checkout({ ...REQUEST, customerId: 'cus_1' })).sessionId, 'cs_1')
    assert.equal(stripe.received.length, 3)
    assert.equal(new Set(stripe.received.map(({ headers }) => headers['idempotency-key'])).size, 1)
  })

  test('every failure is a 402 with its kind, in a bounded time, and what Stripe says is not repeated', async () => {
    const faults: readonly (readonly [name: string, failure: string, answer: Parameters<Receiver['answers']>[0], times?: typeof fast])[] = [
      ['500', 'failed', (_, response) => void response.writeHead(500).end(errorOf(500))],
      ['500 with a page', 'failed', (_, response) => void response.writeHead(503).end('<html>Service Unavailable</html>')],
      ['429', 'rate_limited', (_, response) => void response.writeHead(429, { 'Stripe-Should-Retry': 'false' }).end(errorOf(429))],
      ['401', 'credentials_refused', (_, response) => void response.writeHead(401, { 'Request-Id': 'req_Abc123' }).end(errorOf(401))],
      ['403', 'credentials_refused', (_, response) => void response.writeHead(403).end(errorOf(403))],
      ['400', 'request_refused', (_, response) => void response.writeHead(400).end(errorOf(400))],
      ['a page', 'answer_malformed', (_, response) => void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>Welcome</html>')],
      ['a redirect', 'answer_malformed', (_, response) => void response.writeHead(302, { Location: 'https://example.com/' }).end()],
      ['half a body', 'answer_malformed', (_, response) => void response.end('{"id": "sub_1", "obj')],
      ['a body that is cut', 'connection_closed', (_, response) => void response.writeHead(200, { 'Content-Length': '100' }).end('{"id"')],
      // For these the library throws outside of its promise.
      ['a number', 'answer_malformed', (_, response) => void response.end('5')],
      ['a text', 'answer_malformed', (_, response) => void response.end('"sub_1"')],
      ['null', 'answer_malformed', (_, response) => void response.end('null')],
      ['a list', 'answer_malformed', (_, response) => void response.end('[]')],
      ['an object of another kind', 'answer_malformed', (_, response) => void response.end('{"id": 5}')],
      ['an error that is none', 'answer_malformed', (_, response) => void response.end('{"error": 5}')],
      ['too much', 'answer_too_large', (_, response) => void response.end(`{"id": "${'x'.repeat(5 * 1024 * 1024)}"}`)],
      ['silence', 'timeout', () => undefined, fast],
    ]
    // All at once, as the pauses of the library take most of the time.
    stripe.answers((received, ...rest) => {
      const [, , answer] = faults[Number(received.path.split('sub_')[1])]
      if (typeof answer !== 'number') answer(received, ...rest)
    })
    const work = faults.map(async ([name, failure, , times], index) => {
      const gateway = open(stripe.origin, times === undefined ? {} : { times })
      await fails(gateway.subscription(`sub_${index}`), failure).catch((error: unknown) => assert.fail(`${name}: ${String(error)}`))
    })
    await Promise.all(work)
    assert.equal(logged.length, faults.length)
    stripe.answers((_, response) => void response.writeHead(401, { 'Request-Id': 'req_Abc123' }).end(errorOf(401)))
    logged.length = 0
    await fails(open(stripe.origin).portal({ organizationId: ORGANIZATION, customerId: 'cus_1', returnUrl: 'https://soc.example/' }), 'credentials_refused')
    assert.deepEqual(logged, [
      [{ provider: 'stripe', failure: 'credentials_refused', status: 401, stripe_param: 'customer', stripe_request: 'req_Abc123' }, 'the payment gateway failed'],
    ])
  })

  test('an address that a browser must not open is refused', async () => {
    for (const url of ['javascript:alert(1)', 'checkout', '']) {
      answers({ 'POST /v1/checkout/sessions': { id: 'cs_1', url } })
      await fails(open(stripe.origin).checkout({ ...REQUEST, customerId: 'cus_1' }), 'answer_malformed')
    }
  })

  test('a private address is refused, and so is a server that nobody runs', async () => {
    await fails(open(stripe.origin, { http: guarded }).subscription('sub_1'), 'target_refused')
    assert.deepEqual(calls(), [])
    await fails(open('http://127.0.0.1:1').subscription('sub_1'), 'connection_refused')
  })
})
