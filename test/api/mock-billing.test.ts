/** The pages of the payment gateway `mock`: a checkout and a portal, walked as a browser does. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { deriveSecrets } from '../../server/core/auth/secrets.js'
import type { CheckoutRequest } from '../../server/features/billing/gateways/gateway.js'
import { MockBilling } from '../../server/features/billing/gateways/mock/gateway.js'
import { signatureOf } from '../../server/features/billing/gateways/signature.js'
import { JobQueue } from '../../server/core/jobs/queue.js'
import { bootstrap } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { Browser, CHROMIUM_SKIP } from '../support/chromium.js'
import { headingOf, type PageAnswer, PageClient } from '../support/forms.js'
import { DEFAULT_STORE, TEST_SECRET } from '../support/stores.js'
import { waitFor, withApp } from './steps.js'
import { READER } from '../support/reader.js'

const MOCK = { NATIVE_SERVICE_BILLING_GATEWAY: 'mock', NATIVE_SERVICE_SECRET_KEY: TEST_SECRET }
const CHECKOUT = '/billing/mock/checkout'
const PORTAL = '/billing/mock/portal'
const REQUEST: CheckoutRequest = {
  organizationId: 'org-1',
  organizationName: 'Example <b>SOC</b>',
  email: 'ana@example.com',
  customerId: null,
  planId: 'team',
  interval: 'month',
  seats: 3,
  successUrl: 'https://soc.example/billing?checkout=success&x="',
  cancelUrl: 'https://soc.example/billing?checkout=canceled',
}
const tokenOf = (url: string): string => new URL(url).searchParams.get('token') ?? assert.fail(url)
/** Labels of the buttons, in order. */
const buttonsOf = ({ text }: PageAnswer): string[] => [...text.matchAll(/<button type="submit">(.*?)<\/button>/g)].map(([, label]) => label)

describe(`the pages of the mock of a payment gateway, ${DEFAULT_STORE.name}`, () => {
  let app: TestApp
  let pages: PageClient
  /** The gateway of the service, on its store and with its key. */
  let billing: MockBilling

  before(async () => {
    app = await startTestApp({ env: MOCK })
    const { storage } = app.service
    const key = deriveSecrets(TEST_SECRET).billingMock
    billing = new MockBilling({ storage, jobs: new JobQueue(storage), address: { own: app.client.origin }, reader: READER, key, webhookSecret: 'whsec_x', clock: Date.now })
    pages = new PageClient(app.client.origin)
  })
  after(() => app?.close())

  const checkout = async (changes: Partial<CheckoutRequest> = {}): Promise<{ path: string; token: string; id: string }> => {
    const { url, sessionId } = await billing.checkout({ ...REQUEST, ...changes })
    assert.ok(url.startsWith(`${app.client.origin}${CHECKOUT}?token=`), url)
    return { path: url.slice(app.client.origin.length), token: tokenOf(url), id: sessionId.replace(/^cs_/, 'sub_') }
  }
  const portal = async (organizationId: string): Promise<string> =>
    tokenOf((await billing.portal({ organizationId, customerId: 'cus_1', returnUrl: 'https://soc.example/billing' })).url)

  test('a checkout shows who buys what for how much, declines, and is paid once', async () => {
    const { path, token, id } = await checkout()
    const shown = await pages.get(path)
    assert.equal(shown.status, 200)
    assert.equal(headingOf(shown), 'Test checkout')
    assert.deepEqual(buttonsOf(shown), ['Pay', 'Pay with a card that is declined'])
    for (const text of ['<bdi>Example &lt;b&gt;SOC&lt;/b&gt;</bdi>', 'Plan Team, per month, seats: 3', 'Total: $147.00', 'href="https://soc.example/billing?checkout=canceled"'])
      assert.ok(shown.text.includes(text), `${text}\n${shown.text}`)
    const portuguese = await pages.get(`${path}&lang=pt-BR`)
    assert.equal(headingOf(portuguese), 'Pagamento de teste')
    assert.ok(portuguese.text.includes('assentos: 3'))
    const declined = await pages.post(CHECKOUT, { token, action: 'decline' })
    assert.ok(declined.text.includes('The card was declined') && buttonsOf(declined).length === 2, declined.text)
    assert.equal(await billing.subscription(id), null)
    const paid = await pages.post(CHECKOUT, { token, action: 'pay' })
    assert.equal(headingOf(paid), 'Paid')
    assert.ok(paid.text.includes('href="https://soc.example/billing?checkout=success&amp;x=&quot;"'), paid.text)
    const state = await billing.subscription(id)
    assert.deepEqual([state?.status, state?.organizationId, state?.planId, state?.seats], ['active', 'org-1', 'team', 3])
    for (const again of [await pages.post(CHECKOUT, { token, action: 'pay' }), await pages.get(path)]) assert.equal(headingOf(again), 'Paid')
  })

  test('nobody pays by guessing, from another site, or with a link for something else', async () => {
    const { path, token, id } = await checkout({ organizationId: 'org-2' })
    const portalToken = await portal('org-2')
    for (const wrong of ['', 'x', portalToken, `${token}x`, token.slice(0, -3)]) {
      for (const answer of [await pages.get(`${CHECKOUT}?token=${wrong}`), await pages.post(CHECKOUT, { token: wrong, action: 'pay' })]) {
        assert.equal(answer.status, 404)
        assert.equal(headingOf(answer), 'This link is not valid')
      }
    }
    assert.equal((await pages.get(`${PORTAL}?token=${token}`)).status, 404)
    const foreign = await pages.post(CHECKOUT, { token, action: 'pay' }, { headers: { Origin: 'https://evil.example' } })
    assert.equal(foreign.status, 403)
    assert.equal((await pages.post(path, { token, action: 'pay' }, { headers: { 'Content-Type': 'text/plain' } })).status, 415)
    assert.equal(await billing.subscription(id), null)
    assert.ok(!app.log.some((line) => line.includes(token) || line.includes(portalToken)))
  })

  test('the portal shows the buttons of the state, and does what they say', async () => {
    const token = await portal('org-3')
    assert.ok((await pages.get(`${PORTAL}?token=${token}`)).text.includes('There is no subscription yet.'))
    assert.equal((await pages.post(PORTAL, { token, action: 'cancel_now' })).status, 409)
    const { token: paying, id } = await checkout({ organizationId: 'org-3' })
    await pages.post(CHECKOUT, { token: paying, action: 'pay' })
    const shown = await pages.get(`${PORTAL}?token=${token}`)
    const running = ['Change seats', 'Change to Team, per year', 'Cancel at the end of the period', 'Cancel now', 'Next period, with payment', 'Next period, payment fails']
    assert.deepEqual(buttonsOf(shown), running)
    for (const seats of ['0', '-1', '1.5', '100001', 'many', '']) {
      const refused = await pages.post(PORTAL, { token, action: 'change', plan_id: 'team', interval: 'month', seats })
      assert.ok(refused.text.includes('Enter a number of seats from 1 to 100000'), refused.text)
    }
    await pages.post(PORTAL, { token, action: 'change', plan_id: 'enterprise', interval: 'month', seats: '5' })
    assert.equal((await billing.subscription(id))?.seats, 3)
    assert.ok((await pages.post(PORTAL, { token, action: 'change', plan_id: 'team', interval: 'year', seats: '5' })).text.includes('Plan Team, per year, seats: 5'))
    const failed = await pages.post(PORTAL, { token, action: 'fail_payment' })
    assert.ok(failed.text.includes('Status: past_due') && buttonsOf(failed).includes('Pay the open invoice'), failed.text)
    assert.ok((await pages.post(PORTAL, { token, action: 'retry_payment' })).text.includes('Status: active'))
    const canceled = await pages.post(PORTAL, { token, action: 'cancel_at_period_end' })
    assert.ok(canceled.text.includes('The subscription ends on ') && buttonsOf(canceled).includes('Resume'), canceled.text)
    const ended = await pages.post(PORTAL, { token, action: 'next_period' })
    assert.ok(ended.text.includes('Status: canceled'))
    assert.deepEqual(buttonsOf(ended), [])
    assert.equal((await pages.post(PORTAL, { token, action: 'resume' })).status, 409)
    assert.equal((await pages.post(PORTAL, { token, action: 'drop' })).status, 404)
    assert.equal((await billing.subscription(id))?.status, 'canceled')
  })

  test('from the checkout to a failed payment', async (t) => {
    const admin = await bootstrap(app.client)
    const billed = `/platform/organizations/${admin.organizationId}/billing`
    const untilStatus = (status: string) =>
      waitFor(async () => {
        const { subscription, plan } = (await admin.client.get<{ subscription: { status: string; gateway_subscription_id: string }; plan: { id: string } }>(billed)).body
        return subscription.status === status && plan.id === 'team' ? subscription : undefined
      })
    const { url } = (await admin.client.post<{ url: string }>(`${billed}/checkout`, { plan_id: 'team', billing_interval: 'month', seat_count: 3 })).body
    let id = ''
    await t.test('a member pays, and the plan follows', async () => {
      await pages.post(CHECKOUT, { token: tokenOf(url), action: 'pay' })
      id = (await untilStatus('active')).gateway_subscription_id
    })
    await t.test('a signed event of the developer counts like those of the pages', async () => {
      const raw = JSON.stringify({ id: 'evt_by_hand', type: 'invoice.payment_failed', created: Math.ceil(Date.now() / 1000) + 1, data: { object: { subscription: id } } })
      const secret = `whsec_${deriveSecrets(TEST_SECRET).billingMock.toString('hex')}`
      const headers = { 'Content-Type': 'application/json', 'Gateway-Signature': signatureOf(raw, secret, Date.now()) }
      assert.equal((await app.client.call<{ status: string }>('POST', '/billing/webhooks/mock', { raw, headers })).body.status, 'applied')
      await untilStatus('past_due')
    })
    await t.test('a comparison with the gateway changes nothing', async () => {
      await waitFor(async () => {
        // One that began at the start may still be running.
        const { body } = await admin.client.get<{ status: string }>('/platform/admin/billing/reconciliation')
        return body.status === 'finished' ? true : undefined
      })
      const { started_at } = (await admin.client.post<{ started_at: string }>('/platform/admin/billing/reconciliation')).body
      await waitFor(async () => {
        const { body } = await admin.client.get<{ status: string; started_at: string }>('/platform/admin/billing/reconciliation')
        return body.status === 'finished' && body.started_at >= started_at ? true : undefined
      })
      await untilStatus('past_due')
    })
  })

  test('a checkout is paid in a browser without scripts', { skip: CHROMIUM_SKIP }, async () => {
    const { path, id } = await checkout({ organizationId: 'org-4' })
    const browser = await Browser.start()
    try {
      const tab = await browser.open({ width: 320 })
      await tab.goto(`${app.client.origin}${path}`)
      assert.ok((await tab.contentWidth()) <= 320)
      await tab.follow('form button')
      assert.equal((await tab.accessibilityTree())[0], 'RootWebArea | Paid')
      assert.deepEqual(tab.complaints, [])
    } finally {
      await browser.close()
    }
    assert.equal((await billing.subscription(id))?.status, 'active')
  })
})

test('the pages exist only with the gateway mock', () =>
  withApp({}, async ({ client }) => {
    for (const path of [CHECKOUT, PORTAL]) assert.equal((await new PageClient(client.origin).get(path)).status, 404)
  }))
