/** Billing over HTTP: plans, the overview, checkout, portal, and what the events of the gateway do. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { signatureOf } from '../../server/features/billing/gateways/signature.js'
import { JOBS } from '../../server/core/jobs/queue.js'
import { GATEWAY_SUBSCRIPTIONS } from '../../server/features/billing/store.js'
import { SUBSCRIPTION_CANCEL, TRIAL_NOTICE } from '../../server/features/billing/updates.js'
import { PLANS } from '../../server/core/tenancy/plans.js'
import { type Scope, Tenancy } from '../../server/core/tenancy/scope.js'
import { PLAN_SUBSCRIPTIONS } from '../../server/core/tenancy/subscriptions.js'
import { USAGE } from '../../server/core/tenancy/usage.js'
import { type Actor, addMember, anonymous, bootstrap, createKey, register } from '../support/actors.js'
import { startTestApp, type TestApp } from '../support/app.js'
import { changeEvent, deliver, FakeBilling, gatewaySubscription, paymentEvent } from '../support/billing.js'
import { from, PROXIED, refused, SIGNUP, waitFor } from './steps.js'

interface Overview {
  readonly organization_id: string
  readonly organization_name: string
  readonly subscription: Readonly<Record<string, unknown>>
  readonly plan: { readonly id: string; readonly limits: Readonly<Record<string, number | null>>; readonly features: Readonly<Record<string, unknown>> }
  readonly available_plans: readonly { readonly id: string }[]
  readonly usage: readonly { readonly metric: string; readonly consumed: number; readonly limit: number | null }[]
  readonly usage_history: readonly Readonly<Record<string, unknown>>[]
  readonly gateway: Readonly<Record<string, unknown>>
}

const DAY = 24 * 60 * 60 * 1000
const pathOf = ({ organizationId }: Actor): string => `/platform/organizations/${organizationId}/billing`
const overviewOf = async (actor: Actor): Promise<Overview> => {
  const { status, body, text } = await actor.client.get<Overview>(pathOf(actor))
  assert.equal(status, 200, text)
  return body
}
const TEAM = { plan_id: 'team', billing_interval: 'month', seat_count: 5 }

describe('billing', () => {
  const gateway = new FakeBilling()
  let app: TestApp
  let admin: Actor
  /** How far the clock of the service is ahead. */
  let ahead = 0
  const clock = (): number => Date.now() + ahead
  let names = 0

  before(async () => {
    app = await startTestApp({
      billing: gateway,
      clock,
      env: {
        // The clock is set weeks ahead.
        NATIVE_SERVICE_SESSION_TTL_SECONDS: '31536000',
        NATIVE_SERVICE_BILLING_GATEWAY: 'stripe',
        NATIVE_SERVICE_PUBLIC_BASE_URL: 'https://app.example.test',
        NATIVE_SERVICE_BILLING_SUCCESS_PATH: '/settings/plan?tab=billing',
        NATIVE_SERVICE_BILLING_TRIAL_DAYS: '14',
        ...SIGNUP,
        ...PROXIED,
      },
    })
    admin = await bootstrap(app.client)
  })
  after(() => app.close())

  /** A new organization, so that the cases don't disturb each other. */
  const tenant = (): Promise<Actor> => register(anonymous(app.client).as(from(`192.0.2.${++names}`)), `tenant-${names}`)
  const scopeOf = ({ organizationId }: Actor): Scope => new Tenancy(app.service.storage).of(organizationId)
  const sends = async (event: Parameters<typeof deliver>[1], expected = 'applied'): Promise<void> => {
    const { status, body, text } = await deliver(app.client, event)
    assert.deepEqual([status, body?.status], [200, expected], text)
  }
  const auditOf = async ({ client }: Actor, action: string) =>
    (await client.get<{ actor_type: string; diff: Record<string, { before: unknown; after: unknown }> }[]>(`/platform/audit?action=${action}`)).body
  /** A plan that the clock has ended is kept for less than a second. */
  const onPlan = (actor: Actor, plan: string) => waitFor(async () => ((await overviewOf(actor)).plan.id === plan ? true : undefined))
  const noticesOf = async ({ client }: Actor, kind: string) => {
    const { items } = (
      await client.get<{ items: readonly { readonly kind: string; readonly title: string; readonly body: string; readonly link: string | null }[] }>('/notifications')
    ).body
    return items.filter((item) => item.kind === kind)
  }
  const nonEmpty = <T>(items: readonly T[]): readonly T[] | undefined => (items.length > 0 ? items : undefined)
  const listed = async ({ organizationId }: Actor): Promise<string> => (await admin.client.get<{ plan: string }>(`/platform/admin/organizations/${organizationId}`)).body.plan

  test('lists the public plans for everyone, in the language of the request', async () => {
    const { status, body } = await anonymous(app.client).get<{ id: string; description: string }[]>('/billing/plans/public')
    assert.equal(status, 200)
    assert.deepEqual(
      body.map(({ id }) => id),
      ['free', 'team', 'enterprise'],
    )
    assert.equal(body[1].description, PLANS.team.description['en-US'])
    const portuguese = await anonymous(app.client).get<{ description: string }[]>('/billing/plans/public', { headers: { 'x-locale': 'pt-BR' } })
    assert.equal(portuguese.body[1].description, PLANS.team.description['pt-BR'])
  })

  test('shows an organization that has bought nothing on free, with an active record', async () => {
    const owner = await tenant()
    const { subscription, plan, gateway: shown, available_plans, usage, usage_history, organization_id } = await overviewOf(owner)
    assert.equal(organization_id, owner.organizationId)
    assert.deepEqual([subscription.plan_id, subscription.status, subscription.gateway_subscription_id, plan.id], ['free', 'active', null, 'free'])
    assert.deepEqual(shown, { provider: 'stripe', status: 'ready', publishable_key: 'pk_test_1' })
    assert.deepEqual(
      available_plans.map(({ id }) => id),
      ['free', 'team', 'enterprise'],
    )
    assert.deepEqual(
      usage.map(({ metric, limit }) => [metric, limit]),
      [
        ['analysis_runs', 10_000],
        ['projects', 5],
        ['api_requests', null],
        ['webhooks', 2],
        ['members', 10],
      ],
    )
    assert.deepEqual(usage_history, [])
  })

  test('shows the usage of past months, the newest first, without those of other organizations', async () => {
    const [owner, other] = [await tenant(), await tenant()]
    const put = ({ organizationId }: Actor, metric: 'analysis_runs' | 'api_requests', year: number, month: number, consumed: number) => {
      const period = { period_start: new Date(Date.UTC(year, month, 1)), period_end: new Date(Date.UTC(year, month + 1, 1)) }
      return new Tenancy(app.service.storage)
        .of(organizationId)
        .collection(USAGE)
        .insert({ _id: `${organizationId}:${metric}:${year}-${month}`, metric, ...period, consumed })
    }
    const year = new Date(clock()).getUTCFullYear() - 1
    for (let month = 0; month < 12; month++) await put(owner, 'analysis_runs', year, month, month + 1)
    await put(owner, 'analysis_runs', year - 1, 11, 99)
    await put(owner, 'api_requests', year, 11, 500)
    await put(other, 'analysis_runs', year, 11, 7)
    const { usage_history } = await overviewOf(owner)
    assert.equal(usage_history.length, 12)
    assert.deepEqual(usage_history[0], { month: `${year}-12`, analysis_runs: 12, api_requests: 500 })
    assert.deepEqual(usage_history[11], { month: `${year}-01`, analysis_runs: 1, api_requests: 0 })
    assert.deepEqual((await overviewOf(other)).usage_history, [{ month: `${year}-12`, analysis_runs: 7, api_requests: 0 }])
  })

  test('shows it to every member, and to no other organization', async () => {
    const owner = await tenant()
    const reader = await addMember(owner, 'read_only', `reader-${names}@example.test`)
    assert.equal((await overviewOf(reader)).plan.id, 'free')
    const stranger = await tenant()
    refused(await stranger.client.get(pathOf(owner)), 404, 'not_found')
    refused(await (await createKey(owner, ['admin:*'])).client.get(pathOf(owner)), 401, 'unauthorized')
    refused(await anonymous(app.client).get(pathOf(owner)), 401, 'unauthorized')
  })

  test('begins a checkout that returns to the page of the settings, remembers the customer, and is in the audit log', async () => {
    const owner = await tenant()
    const { status, body } = await owner.client.post<{ provider: string; url: string; session_id: string }>(`${pathOf(owner)}/checkout`, TEAM)
    assert.equal(status, 200)
    assert.deepEqual([body.provider, body.url, body.session_id], ['stripe', `https://pay.example.test/${gateway.checkouts.length}`, `cs_${gateway.checkouts.length}`])
    const asked = gateway.checkouts.at(-1)!
    assert.deepEqual(
      [asked.organizationId, asked.email, asked.customerId, asked.planId, asked.interval, asked.seats, asked.trialDays],
      [owner.organizationId, owner.email, null, 'team', 'month', 5, 14],
    )
    assert.equal(asked.successUrl, 'https://app.example.test/settings/plan?tab=billing&checkout=success')
    assert.equal(asked.cancelUrl, 'https://app.example.test/settings/plan?tab=billing&checkout=canceled')
    assert.equal((await owner.client.post(`${pathOf(owner)}/checkout`, { ...TEAM, seat_count: 50 })).status, 200)
    assert.equal(gateway.checkouts.at(-1)!.customerId, `cus_${owner.organizationId}`)
    assert.equal((await auditOf(owner, 'billing.checkout_created')).length, 2)
    assert.equal((await overviewOf(owner)).plan.id, 'free', 'nothing is bought before the gateway says so')
    await sends(changeEvent(gatewaySubscription(owner.organizationId, 'active')))
    await owner.client.post(`${pathOf(owner)}/checkout`, TEAM)
    assert.equal(gateway.checkouts.at(-1)!.trialDays, undefined, 'a trial is for the first subscription')
    // The operator has changed the gateway.
    await scopeOf(owner)
      .collection(PLAN_SUBSCRIPTIONS)
      .updateMany({}, { set: { gateway_provider: 'mock' } })
    refused(await owner.client.post(`${pathOf(owner)}/portal`, { return_path: '/' }), 402, 'billing_subscription_required')
  })

  test('refuses a checkout with each error of the contract', async () => {
    const owner = await tenant()
    const checkout = (body: object, actor = owner) => actor.client.post(`${pathOf(owner)}/checkout`, body)
    for (const plan_id of ['gold', 'self_hosted', 'free', 'enterprise']) refused(await checkout({ ...TEAM, plan_id }), 400, 'bad_request')
    for (const seat_count of [0, 100_001, 51, 1.5]) refused(await checkout({ ...TEAM, seat_count }), 422, 'request_validation_failed')
    refused(await checkout({ ...TEAM, billing_interval: 'week' }), 422, 'request_validation_failed')
    refused(await checkout({ ...TEAM, coupon: 'x' }), 422, 'request_validation_failed')
    for (const role of ['security_content_lead', 'reviewer', 'engineer', 'read_only'] as const) {
      const member = await addMember(owner, role, `${role}-${names}@example.test`)
      refused(await checkout(TEAM, member), 403, 'forbidden')
      refused(await member.client.post(`${pathOf(owner)}/portal`, { return_path: '/' }), 403, 'forbidden')
    }
    gateway.isFailing = true
    try {
      refused(await checkout(TEAM), 402, 'payment_required')
    } finally {
      gateway.isFailing = false
    }
    assert.deepEqual(await auditOf(owner, 'billing.checkout_created'), [])
  })

  test('opens the portal of a customer, at a path that stays on the own site', async () => {
    const owner = await tenant()
    const portal = (return_path: string) => owner.client.post<{ provider: string; url: string }>(`${pathOf(owner)}/portal`, { return_path })
    refused(await portal('/settings'), 402, 'billing_subscription_required')
    await owner.client.post(`${pathOf(owner)}/checkout`, TEAM)
    const { status, body } = await portal('/settings?tab=1')
    assert.deepEqual([status, body.provider, body.url], [200, 'stripe', `https://portal.example.test/cus_${owner.organizationId}`])
    assert.equal(gateway.portals.at(-1)!.returnUrl, 'https://app.example.test/settings?tab=1')
    for (const path of ['settings', '//evil.example', '/\\evil.example', 'https://evil.example/', '/%2f/evil.example'])
      refused(await portal(path), 422, 'request_validation_failed')
    assert.equal((await auditOf(owner, 'billing.portal_opened')).length, 1)
  })

  test('puts an organization on the plan that it has paid, in its lists and limits too, and says so in the audit log', async () => {
    const owner = await tenant()
    const bought = gatewaySubscription(owner.organizationId, 'active', { seats: 7 })
    await sends(changeEvent(bought))
    const { subscription, plan, usage } = await overviewOf(owner)
    assert.deepEqual([plan.id, plan.limits.projects, plan.limits.members], ['team', 100, 7])
    assert.deepEqual([subscription.status, subscription.seat_count, subscription.gateway_subscription_id, subscription.billing_interval], ['active', 7, bought.id, 'month'])
    assert.equal(subscription.current_period_end, bought.currentPeriodEnd?.toISOString())
    assert.equal(usage.find(({ metric }) => metric === 'members')?.limit, 7)
    assert.equal(await listed(owner), 'team')
    const [entry] = await auditOf(owner, 'subscription.updated')
    assert.deepEqual([entry.actor_type, entry.diff.plan_id, entry.diff.status.after], ['system', { before: null, after: 'team' }, 'active'])
    assert.deepEqual((await auditOf(owner, 'subscription.plan_changed'))[0].diff, { plan_id: { before: 'free', after: 'team' } })
  })

  test('limits the members to the seats, exactly', async () => {
    const owner = await tenant()
    const bought = gatewaySubscription(owner.organizationId, 'active', { seats: 2 })
    await sends(changeEvent(bought))
    await addMember(owner, 'engineer', `seat-${names}@example.test`)
    const third = { email: `third-${names}@example.test`, display_name: 'Third', password: 'correct horse battery', role: 'engineer' }
    const refusal = refused(await owner.client.post(`/auth/organizations/${owner.organizationId}/members`, third), 403, 'plan_quota_exceeded')
    assert.deepEqual(refusal.details, { metric: 'members', limit: 2 })
    await sends(changeEvent({ ...bought, seats: 3 }))
    assert.equal((await owner.client.post(`/auth/organizations/${owner.organizationId}/members`, third)).status, 200)
    assert.deepEqual((await auditOf(owner, 'subscription.updated'))[0].diff, { seat_count: { before: 2, after: 3 } })
  })

  test('applies an event once, ignores what it does not know, and refuses a wrong signature', async () => {
    const owner = await tenant()
    const event = changeEvent(gatewaySubscription(owner.organizationId, 'active'))
    await sends(event)
    await sends(event, 'duplicate')
    assert.equal((await auditOf(owner, 'subscription.updated')).length, 1)
    await sends(null, 'ignored')
    await sends(changeEvent(gatewaySubscription(owner.organizationId, 'active'), { kind: 'checkout_completed', subscriptionId: null, subscription: null }), 'ignored')
    assert.equal(app.log.filter((line) => line.includes('checkout_without_subscription')).length, 1)
    await sends(changeEvent(gatewaySubscription('b0c4a1de-0000-4c6e-9f57-0a6f6c1d2e3f', 'active')), 'ignored')
    await sends(changeEvent(gatewaySubscription(owner.organizationId, 'active', { id: 'sub_elsewhere', organizationId: null }), { organizationId: null }), 'ignored')
    refused(await deliver(app.client, event, { signature: 'forged' }), 400, 'bad_request')
    refused(await deliver(app.client, event, { provider: 'mock' }), 404, 'not_found')
  })

  test('keeps a known subscription in its organization, whatever a later event names', async () => {
    const [owner, other] = [await tenant(), await tenant()]
    const bought = gatewaySubscription(owner.organizationId, 'active')
    await sends(changeEvent(bought))
    await sends(changeEvent({ ...bought, organizationId: other.organizationId, seats: 9 }))
    assert.equal((await overviewOf(other)).plan.id, 'free')
    assert.equal((await overviewOf(owner)).subscription.seat_count, 9)
  })

  test('asks a gateway that does not send in order, and believes the answer', async () => {
    const owner = await tenant()
    const old = gatewaySubscription(owner.organizationId, 'active')
    gateway.objects.set(old.id, { ...old, status: 'past_due' })
    await sends(changeEvent(old, { isOrderCertain: false }))
    assert.equal((await overviewOf(owner)).subscription.status, 'past_due')
    gateway.isFailing = true
    const event = changeEvent(old, { isOrderCertain: false })
    try {
      refused(await deliver(app.client, event), 402, 'payment_required')
    } finally {
      gateway.isFailing = false
    }
    gateway.objects.set(old.id, old)
    await sends(event)
    assert.equal((await overviewOf(owner)).subscription.status, 'active', 'an event that failed is applied by its next delivery')
    gateway.objects.delete(old.id)
  })

  test('keeps the plan through the grace after a failed payment, then falls back to free by the clock, and nothing is deleted', async () => {
    const owner = await tenant()
    const bought = gatewaySubscription(owner.organizationId, 'active')
    await sends(changeEvent(bought))
    for (let i = 0; i < 6; i++) assert.equal((await owner.client.post('/platform/projects', { name: `Project ${i}` })).status, 200)
    await sends(paymentEvent('invoice_failed', bought, { createdAt: new Date(Date.now() + 1000) }))
    const late = await overviewOf(owner)
    assert.deepEqual([late.subscription.status, late.plan.id], ['past_due', 'team'])
    await sends(paymentEvent('invoice_failed', bought, { createdAt: new Date(Date.now() + 2000) }))
    const [failed, ...more] = await waitFor(async () => nonEmpty(await noticesOf(owner, 'billing.payment_failed')))
    assert.deepEqual(more, [], 'a retry is not told')
    assert.ok(failed.body.includes(`The plan Team applies until ${(late.subscription.ends_at as string).slice(0, 10)}.`), failed.body)
    assert.equal(failed.link, pathOf(owner))
    try {
      ahead = Date.parse(late.subscription.ends_at as string) - Date.now() - DAY
      assert.equal((await overviewOf(owner)).plan.id, 'team')
      ahead += DAY + 2000
      await onPlan(owner, 'free')
      await waitFor(async () => ((await auditOf(owner, 'subscription.plan_changed')).length === 2 ? true : undefined))
      assert.equal(await listed(owner), 'free')
      const [ended] = await waitFor(async () => nonEmpty(await noticesOf(owner, 'billing.plan_ended')))
      assert.deepEqual([ended.title, ended.body.startsWith('The organization is on the plan Free now.')], ['The plan Team has ended', true])
      assert.equal((await owner.client.get<unknown[]>('/platform/projects')).body.length, 6)
      const paid = paymentEvent('invoice_paid', bought, { createdAt: new Date(clock()) })
      await sends(paid)
      assert.deepEqual([(await overviewOf(owner)).plan.id, await listed(owner)], ['team', 'team'])
    } finally {
      ahead = 0
    }
  })

  test('serves a canceled organization until its paid period ends, and lets it buy again afterwards', async () => {
    const owner = await tenant()
    const canceled = gatewaySubscription(owner.organizationId, 'canceled', { currentPeriodEnd: new Date(clock() + 5 * DAY) })
    await sends(changeEvent(canceled))
    const { subscription, plan } = await overviewOf(owner)
    assert.deepEqual([subscription.status, plan.id], ['canceled', 'team'])
    const refusal = refused(await owner.client.post(`${pathOf(owner)}/checkout`, TEAM), 403, 'forbidden')
    const until = canceled.currentPeriodEnd!.toISOString()
    assert.deepEqual([refusal.details, refusal.message.includes(until)], [{ ends_at: until }, true])
    try {
      ahead = 5 * DAY
      assert.equal((await owner.client.post(`${pathOf(owner)}/checkout`, TEAM)).status, 200)
      await onPlan(owner, 'free')
    } finally {
      ahead = 0
    }
  })

  test('cancels a replaced subscription at the gateway, whose late events change nothing', async () => {
    const owner = await tenant()
    const old = gatewaySubscription(owner.organizationId, 'active', { id: `sub_old_${names}`, createdAt: new Date(clock() - 2 * DAY) })
    const fresh = gatewaySubscription(owner.organizationId, 'active', { id: `sub_new_${names}`, createdAt: new Date(clock()), seats: 9 })
    await sends(changeEvent(old))
    await sends(changeEvent(fresh))
    await waitFor(() => (gateway.canceled.includes(old.id) ? true : undefined))
    await sends(changeEvent({ ...old, status: 'canceled' }))
    await sends(paymentEvent('invoice_failed', old))
    const { subscription, plan } = await overviewOf(owner)
    assert.deepEqual([subscription.gateway_subscription_id, subscription.status, subscription.seat_count, plan.limits.members], [fresh.id, 'active', 9, 9])
    await waitFor(async () => ((await auditOf(owner, 'subscription.replaced')).length === 1 ? true : undefined))
  })

  test('does not cancel at the gateway what another one sold', async () => {
    const owner = await tenant()
    const old = gatewaySubscription(owner.organizationId, 'active', { id: `sub_other_${names}`, createdAt: new Date(clock() - 2 * DAY) })
    await sends(changeEvent(old))
    await scopeOf(owner)
      .collection(GATEWAY_SUBSCRIPTIONS)
      .updateMany({}, { set: { provider: 'mock' } })
    await sends(changeEvent(gatewaySubscription(owner.organizationId, 'active', { createdAt: new Date(clock()) })))
    const { organizationId: organization_id } = owner
    await waitFor(async () => ((await app.service.storage.open(JOBS).count({ kind: SUBSCRIPTION_CANCEL, organization_id })) === 0 ? true : undefined))
    assert.ok(!gateway.canceled.includes(old.id))
    assert.deepEqual(await auditOf(owner, 'subscription.replaced'), [])
  })

  test('applies a trial until its end and a day longer, and announces its end once', async () => {
    const owner = await tenant()
    const trialEndsAt = new Date(clock() + 3 * DAY + 5000)
    await sends(changeEvent(gatewaySubscription(owner.organizationId, 'trialing', { trialEndsAt })))
    const { subscription, plan } = await overviewOf(owner)
    assert.deepEqual([subscription.status, subscription.trial_ends_at, plan.id], ['trialing', trialEndsAt.toISOString(), 'team'])
    assert.equal(subscription.ends_at, new Date(trialEndsAt.getTime() + DAY).toISOString())
    assert.deepEqual(await noticesOf(owner, 'billing.trial_ending'), [])
    const { organizationId } = owner
    const canceled = await tenant()
    await sends(changeEvent(gatewaySubscription(canceled.organizationId, 'trialing', { trialEndsAt, cancelAt: trialEndsAt })))
    try {
      ahead = 10_000
      const [notice] = await waitFor(async () => nonEmpty(await noticesOf(owner, 'billing.trial_ending')))
      assert.equal(notice.title, `The trial of the plan Team ends on ${trialEndsAt.toISOString().slice(0, 10)}`)
      await waitFor(async () => ((await app.service.storage.open(JOBS).count({ kind: TRIAL_NOTICE, organization_id: organizationId })) === 0 ? true : undefined))
      await sends(changeEvent(gatewaySubscription(organizationId, 'trialing', { trialEndsAt, seats: 3 })))
      assert.equal(await app.service.storage.open(JOBS).count({ kind: TRIAL_NOTICE }), 0)
      assert.deepEqual(await noticesOf(canceled, 'billing.trial_ending'), [])
    } finally {
      ahead = 0
    }
  })

  test('lets the plan that a platform admin set win over the subscription', async () => {
    const owner = await tenant()
    await sends(changeEvent(gatewaySubscription(owner.organizationId, 'active', { seats: 2 })))
    const set = await admin.client.call('PUT', `/platform/admin/organizations/${owner.organizationId}/plan`, { body: { plan: 'enterprise' } })
    assert.equal(set.status, 200, set.text)
    const { plan, subscription } = await overviewOf(owner)
    assert.deepEqual([plan.id, plan.limits.members, subscription.plan_id], ['enterprise', null, 'team'])
    await sends(changeEvent(gatewaySubscription(owner.organizationId, 'unpaid')))
    assert.equal(await listed(owner), 'enterprise')
    assert.equal((await admin.client.delete(`/platform/admin/organizations/${owner.organizationId}/plan`)).status, 204)
    assert.equal(await listed(owner), 'free')
  })

  test('compares all subscriptions with the gateway on demand, and mends differences', async () => {
    const [owner, same, behind] = [await tenant(), await tenant(), await tenant()]
    const lost = gatewaySubscription(owner.organizationId, 'active')
    const known = gatewaySubscription(same.organizationId, 'active')
    const missed = gatewaySubscription(behind.organizationId, 'active')
    await sends(changeEvent(known))
    await sends(changeEvent(missed))
    gateway.objects.clear()
    for (const one of [known, missed, { ...lost, status: 'unpaid' as const }, gatewaySubscription('b0c4a1de-0000-4c6e-9f57-0a6f6c1d2e3f', 'active')])
      gateway.objects.set(one.id, one)
    refused(await owner.client.post('/platform/admin/billing/reconciliation'), 403, 'forbidden')
    // The daily one may be running.
    await finished()
    const entries = (await auditOf(same, 'subscription.reconciled')).length
    gateway.objects.set(lost.id, lost)
    gateway.objects.set(missed.id, { ...missed, status: 'past_due' })
    assert.equal((await admin.client.post<{ status: string }>('/platform/admin/billing/reconciliation')).body.status, 'running')
    const report = await finished()
    assert.deepEqual([report.checked, report.mended, report.unknown], [3, 2, 1])
    assert.equal((await overviewOf(behind)).subscription.status, 'past_due')
    assert.equal((await overviewOf(owner)).plan.id, 'team')
    assert.ok((await auditOf(owner, 'subscription.reconciled')).length > 0)
    assert.equal((await auditOf(same, 'subscription.reconciled')).length, entries)
    gateway.objects.clear()
  })

  const finished = () =>
    waitFor(async () => {
      const { body } = await admin.client.get<{ status: string; checked: number; mended: number; unknown: number }>('/platform/admin/billing/reconciliation')
      return body.status === 'finished' ? body : undefined
    })
})

test('without billing every organization is on self_hosted, and there is nothing to buy', async () => {
  const app = await startTestApp()
  try {
    const admin = await bootstrap(app.client)
    const { subscription, plan, gateway, available_plans } = await overviewOf(admin)
    assert.deepEqual([subscription.plan_id, subscription.status, plan.id], ['self_hosted', 'active', 'self_hosted'])
    assert.deepEqual(gateway, { provider: 'disabled', status: 'disabled', publishable_key: null })
    assert.equal(available_plans.length, 3)
    refused(await admin.client.post(`${pathOf(admin)}/checkout`, TEAM), 402, 'billing_gateway_disabled')
    refused(await admin.client.post(`${pathOf(admin)}/portal`, { return_path: '/' }), 402, 'billing_gateway_disabled')
    refused(await deliver(app.client, null), 402, 'billing_gateway_disabled')
    refused(await admin.client.post('/platform/admin/billing/reconciliation'), 402, 'billing_gateway_disabled')
    assert.equal((await admin.client.get<{ status: string }>('/platform/admin/billing/reconciliation')).body.status, 'never')
  } finally {
    await app.close()
  }
})

test('with the mock, signed events in the form of Stripe move a subscription through its states', async () => {
  const secret = 'whsec_of_the_tests_0123456789'
  const app = await startTestApp({ env: { NATIVE_SERVICE_BILLING_GATEWAY: 'mock', NATIVE_SERVICE_GATEWAY_WEBHOOK_SECRET: secret } })
  try {
    const admin = await bootstrap(app.client)
    const started = Math.floor(Date.now() / 1000)
    let events = 0
    const send = (type: string, object: object, { header = 'Gateway-Signature', signedAt = Date.now(), key = secret, created = started + events } = {}) => {
      const raw = JSON.stringify({ id: `evt_${events++}`, object: 'event', type, created, data: { object } })
      return app.client.call<{ status: string }>('POST', '/billing/webhooks/mock', {
        raw,
        headers: { 'Content-Type': 'application/json', [header]: signatureOf(raw, key, signedAt) },
      })
    }
    const sends = async (...sent: Parameters<typeof send>): Promise<void> => {
      const { status, body, text } = await send(...sent)
      assert.deepEqual([status, body?.status], [200, 'applied'], text)
    }
    const stateOf = async () => {
      const { subscription, plan } = await overviewOf(admin)
      return [subscription.status, subscription.plan_id, subscription.seat_count, plan.id]
    }
    const subscription = (status: string, seats: number, fields: object = {}) => ({
      id: 'sub_mock_1',
      object: 'subscription',
      customer: 'cus_mock_1',
      status,
      metadata: { organization_id: admin.organizationId, plan_id: 'team' },
      items: {
        data: [{ quantity: seats, price: { id: 'price_unknown', recurring: { interval: 'month' } }, current_period_start: started, current_period_end: started + 30 * 24 * 3600 }],
      },
      trial_end: null,
      cancel_at: null,
      cancel_at_period_end: false,
      canceled_at: null,
      ended_at: null,
      created: started,
      ...fields,
    })

    refused(await send('customer.subscription.created', subscription('active', 3), { key: 'another secret' }), 400, 'bad_request')
    refused(await send('customer.subscription.created', subscription('active', 3), { signedAt: Date.now() - 301_000 }), 400, 'bad_request')
    assert.deepEqual(await stateOf(), ['active', 'free', 1, 'free'])
    await sends('checkout.session.completed', {
      id: 'cs_1',
      object: 'checkout.session',
      mode: 'subscription',
      client_reference_id: admin.organizationId,
      subscription: 'sub_mock_1',
      customer: 'cus_mock_1',
      payment_status: 'paid',
      metadata: { plan_id: 'team' },
    })
    assert.deepEqual(await stateOf(), ['active', 'team', 1, 'team'])
    await sends('customer.subscription.updated', subscription('active', 3), { header: 'Stripe-Signature' })
    assert.deepEqual(await stateOf(), ['active', 'team', 3, 'team'])
    await sends('invoice.payment_failed', { id: 'in_1', object: 'invoice', subscription: 'sub_mock_1', customer: 'cus_mock_1' })
    assert.deepEqual(await stateOf(), ['past_due', 'team', 3, 'team'])
    await sends('customer.subscription.updated', subscription('active', 50), { created: started })
    assert.deepEqual(await stateOf(), ['past_due', 'team', 3, 'team'], 'an older event changes nothing')
    await sends('customer.subscription.updated', { id: 'sub_mock_1', status: 'active' })
    assert.deepEqual(await stateOf(), ['active', 'team', 3, 'team'], 'what an event does not say stays')
    await sends('invoice.paid', { id: 'in_2', object: 'invoice', subscription: 'sub_mock_1', customer: 'cus_mock_1' })
    assert.deepEqual(await stateOf(), ['active', 'team', 3, 'team'])
    await sends('customer.subscription.deleted', subscription('canceled', 3, { ended_at: started, canceled_at: started }))
    assert.deepEqual(await stateOf(), ['canceled', 'team', 3, 'team'], 'the paid period goes on')
    refused(await admin.client.post(`${pathOf(admin)}/checkout`, TEAM), 403, 'forbidden')
    assert.equal((await send('product.created', { id: 'prod_1', object: 'product' })).body.status, 'ignored')
    assert.equal((await send('customer.subscription.updated', subscription('active', 1, { id: 'sub_else', metadata: {} }))).body.status, 'ignored')
  } finally {
    await app.close()
  }
})
