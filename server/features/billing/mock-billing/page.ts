/**
 * The pages of the payment gateway `mock`, for development: a checkout that pays, declines or is left, and a portal whose buttons change the subscription and let
 * time pass. They exist only with that gateway, and only a signed link opens them (`gateways/mock/links.ts`).
 */
import { ApiError } from '../../../core/errors.js'
import type { BillingInterval } from '../gateways/gateway.js'
import { effectOf, MOCK_ACTIONS, type MockAction, type MockChange } from '../gateways/mock/actions.js'
import type { MockBilling } from '../gateways/mock/gateway.js'
import { CHECKOUT_PATH, type MockCheckout, type MockPortal, PORTAL_PATH } from '../gateways/mock/links.js'
import { MOCK_PLANS } from '../gateways/mock/objects.js'
import type { MockSubscription } from '../gateways/mock/store.js'
import { type Field, formMarkup } from '../../../core/http/pages/form-markup.js'
import { failureOf, type Form, type FormPage, type Page, type PageContext } from '../../../core/http/pages/form-pages.js'
import { fillMarkup, html, isolated, type Markup, verbatim } from '../../../core/http/text/html.js'
import type { Locale } from '../../../core/i18n/locale.js'
import { fill, pageTexts } from '../../../core/i18n/translate.js'
import { StaleWriteError } from '../../../core/storage/errors.js'
import { planById } from '../../../core/tenancy/plans.js'

/** Maximum seats of a subscription (CONTRACT.md#limits). */
const SEATS_LIMIT = 100_000
const NO_ERRORS: ReadonlyMap<string, string> = new Map()

/** @param clock milliseconds since the epoch */
export function mockBillingPages(billing: MockBilling, clock: () => number): readonly FormPage[] {
  return [checkoutPage(billing), portalPage(billing, clock)]
}

function checkoutPage(billing: MockBilling): FormPage {
  /** @param then makes the page of an open checkout */
  const withLink = async (context: PageContext, token: string | null | undefined, then: (checkout: MockCheckout, token: string) => Promise<Page> | Page): Promise<Page> => {
    const found = await billing.openCheckout(token ?? '')
    if (found === null) return linkPage(context)
    return found.isPaid ? paidPage(context, found.checkout) : then(found.checkout, token!)
  }
  return {
    path: CHECKOUT_PATH,
    show: (context) => withLink(context, context.query.get('token'), (checkout, token) => openPage(context, checkout, token, null)),
    submit: (context, form) =>
      withLink(context, form.get('token'), async (checkout, token) => {
        if (form.get('action') !== 'pay') return openPage(context, checkout, token, html`<p>${pageTexts(context.locale).mockBilling.declined}</p>`)
        await billing.pay(checkout)
        return paidPage(context, checkout)
      }),
  }
}

function openPage({ locale }: PageContext, checkout: MockCheckout, token: string, failure: Markup | null): Page {
  const texts = pageTexts(locale).mockBilling
  const { organizationName, planId, interval, seats, cancelUrl, trialDays } = checkout
  const button = (action: string, submit: string, shown: Markup | null): Markup =>
    formMarkup({ fields: [], values: NO_ERRORS, errors: NO_ERRORS, failure: shown, hidden: { token, action }, submit }, locale)
  const body = html`<h1>${texts.checkoutTitle}</h1>
<p class="quiet">${texts.mock}</p>
<ul>
<li>${fillMarkup(texts.payer, { organization: isolated(organizationName) })}</li>
<li>${planText({ planId, interval, seats }, locale)}</li>
<li>${fill(texts.total, { price: priceText({ planId, interval, seats }, locale) })}</li>
${trialDays === 0 ? '' : html`<li>${fill(texts.trial, { days: trialDays })}</li>`}</ul>
${button('pay', texts.pay, failure)}
${button('decline', texts.decline, null)}
<p><a href="${verbatim(cancelUrl)}">${texts.leave}</a></p>`
  return { title: texts.checkoutTitle, body, query: { token } }
}

function paidPage({ locale }: PageContext, { sessionId, successUrl, organizationName }: MockCheckout): Page {
  const texts = pageTexts(locale).mockBilling
  const body = html`<h1>${texts.paidTitle}</h1>
<p>${fillMarkup(texts.paid, { organization: isolated(organizationName) })} ${texts.sending}</p>
<p><a href="${verbatim(successUrl.replaceAll('{CHECKOUT_SESSION_ID}', sessionId))}">${texts.back}</a></p>`
  return { title: texts.paidTitle, body }
}

function portalPage(billing: MockBilling, clock: () => number): FormPage {
  const show = async (context: PageContext, token: string, failure: Markup | null, refusal?: ApiError): Promise<Page> => {
    const found = await billing.openPortal(token)
    if (found === null) return linkPage(context)
    const { portal, subscription } = found
    return { ...statePage(context, { portal, subscription, token, failure, now: Math.floor(clock() / 1000) }), refusal }
  }
  return {
    path: PORTAL_PATH,
    show: (context) => show(context, context.query.get('token') ?? '', null),
    async submit(context, form) {
      const token = form.get('token') ?? ''
      const found = await billing.openPortal(token)
      const action = MOCK_ACTIONS.find((name) => name === form.get('action'))
      if (found === null || action === undefined) return linkPage(context)
      const texts = pageTexts(context.locale).mockBilling
      const change = action === 'change' ? changeOf(form) : null
      if (action === 'change' && change === null) return show(context, token, html`<p>${fill(texts.seatsWrong, { limit: SEATS_LIMIT })}</p>`)
      try {
        await billing.act(found.portal, action, change)
      } catch (error) {
        // Another window was first, or the state does not allow it any more: the page shows the state now.
        const refusal = error instanceof StaleWriteError ? new ApiError('edit_conflict') : error
        if (!(refusal instanceof ApiError)) throw error
        return show(context, token, failureOf(refusal, context), refusal)
      }
      return show(context, token, null)
    },
  }
}

interface PortalState {
  readonly portal: MockPortal
  readonly subscription: MockSubscription | null
  readonly token: string
  readonly failure: Markup | null
  readonly now: number
}

function statePage({ locale }: PageContext, { portal, subscription, token, failure, now }: PortalState): Page {
  const texts = pageTexts(locale).mockBilling
  const back = html`<p><a href="${verbatim(portal.returnUrl)}">${texts.back}</a></p>`
  const page = (content: Markup): Page => ({
    title: texts.portalTitle,
    body: html`<h1>${texts.portalTitle}</h1>\n<p class="quiet">${texts.mock}</p>\n${content}\n${back}`,
    query: { token },
  })
  const failed = failure === null ? '' : html`<div class="failure" role="alert">${failure}</div>`
  if (subscription === null) return page(html`${failed}<p>${texts.none}</p>`)
  const [{ quantity: seats, current_period_end: end, price }] = subscription.items.data
  const current = MOCK_PLANS.find(({ planId, interval }) => price.id.endsWith(`${planId}_${interval}`))!
  const form = (action: MockAction, submit: string, hidden: Readonly<Record<string, string>> = {}, fields: readonly Field[] = []): Markup =>
    formMarkup({ fields, values: new Map([['seats', String(seats)]]), errors: NO_ERRORS, failure: null, hidden: { token, action, ...hidden }, submit }, locale)
  const applies = (action: MockAction, change: MockChange | null = null): boolean => effectOf(action, subscription, now, change) !== null
  const seatsField: Field = { name: 'seats', label: texts.seats, type: 'text', autocomplete: 'off' }
  const changes = MOCK_PLANS.filter((plan) => plan !== current).map((plan) =>
    form('change', fill(texts.changeTo, { plan: nameOf(plan.planId), interval: texts[plan.interval] }), { plan_id: plan.planId, interval: plan.interval, seats: String(seats) }),
  )
  const buttons = MOCK_ACTIONS.filter((action) => action !== 'change' && applies(action)).map((action) => form(action, texts[action as Exclude<MockAction, 'change'>]))
  return page(html`${failed}<ul>
<li>${planText({ ...current, seats }, locale)}</li>
<li>${fill(texts.status, { status: subscription.status })}</li>
<li>${fill(subscription.cancel_at_period_end ? texts.endsOn : texts.periodEnd, { date: new Date(end * 1000).toISOString().slice(0, 10) })}</li>
</ul>
${applies('change', { ...current, seats }) ? html`${form('change', texts.changeSeats, { plan_id: current.planId, interval: current.interval }, [seatsField])}\n${changes}` : ''}
${buttons}`)
}

/** The page of a link that is wrong or has expired. */
function linkPage({ locale }: PageContext): Page {
  const { linkTitle, link } = pageTexts(locale).mockBilling
  return { title: linkTitle, body: html`<h1>${linkTitle}</h1><p>${link}</p>`, refusal: new ApiError('resource_missing') }
}

/** Null: the form has no valid plan or number of seats. */
function changeOf(form: Form): MockChange | null {
  const plan = MOCK_PLANS.find(({ planId, interval }) => planId === form.get('plan_id') && interval === form.get('interval'))
  const seats = form.get('seats') ?? ''
  const count = /^\d{1,6}$/.test(seats) ? Number(seats) : 0
  return plan === undefined || count < 1 || count > SEATS_LIMIT ? null : { ...plan, seats: count }
}

interface Purchase {
  readonly planId: string
  readonly interval: BillingInterval
  readonly seats: number
}

function nameOf(planId: string): string {
  return planById(planId)?.name ?? planId
}

function planText({ planId, interval, seats }: Purchase, locale: Locale): string {
  const texts = pageTexts(locale).mockBilling
  return fill(texts.plan, { plan: nameOf(planId), seats, interval: texts[interval] })
}

function priceText({ planId, interval, seats }: Purchase, locale: Locale): string {
  const plan = planById(planId)!
  const cents = seats * (interval === 'month' ? plan.monthly_price_cents : plan.annual_price_cents)
  return new Intl.NumberFormat(locale, { style: 'currency', currency: plan.currency }).format(cents / 100)
}
