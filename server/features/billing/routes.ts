/** `/billing` and `{org}/billing` (CONTRACT.md#billing-endpoints). */
import Type from 'typebox'
import { EVENT_BYTES } from './gateways/signature.js'
import { defineRoute, JSON_MEDIA_TYPE, PLATFORM_ADMIN, PUBLIC, type Route, SESSION } from '../../core/http/route.js'
import { presentPlan, presentReconciliation, presentSubscription } from './present.js'
import type { Reconciliation } from './reconcile.js'
import {
  BillingParams,
  BillingPlanRecord,
  CheckoutSessionRequest,
  CheckoutSessionResponse,
  GatewayEventBody,
  GatewayParams,
  OrganizationBillingOverviewResponse,
  PortalSessionRequest,
  PortalSessionResponse,
  ReconciliationRecord,
} from './schema.js'
import type { BillingService } from './service.js'
import { type BillingWebhook, RECEIPTS } from './webhook.js'

const TAG = 'Billing'
const ORGANIZATION = '/platform/organizations/{organization_id}/billing'
const RECONCILIATION = '/platform/admin/billing/reconciliation'
const CALL_ERRORS = ['permission_missing', 'billing_gateway_disabled', 'billing_unconfigured', 'billing_unavailable'] as const

const BillingEventReceipt = Type.Object(
  {
    status: Type.Enum([...RECEIPTS], {
      description: '`duplicate`: the event was received before. `ignored`: it is of another kind, or about an object that no organization of this instance has.',
    }),
  },
  { $id: 'BillingEventReceipt', description: 'What the service did with an event.' },
)

export function billingRoutes(billing: BillingService, webhook: BillingWebhook, reconciliation: Reconciliation): readonly Route[] {
  return [
    defineRoute({
      id: 'billing.list-public-plans',
      method: 'GET',
      path: '/billing/plans/public',
      tag: TAG,
      summary: 'List the public plans',
      description: 'Lists what can be bought, with limits and features, also where billing is disabled.',
      access: PUBLIC,
      responses: { 200: { description: 'The plans, in their order.', schema: Type.Array(BillingPlanRecord) } },
      handle: async ({ locale }) => ({ body: billing.publicPlans.map((plan) => presentPlan(plan, locale)) }),
    }),
    defineRoute({
      id: 'billing.accept-event',
      method: 'POST',
      path: '/billing/webhooks/{gateway}',
      tag: TAG,
      summary: 'Receive an event of the payment gateway',
      description:
        'For the payment gateway only. The event needs a signature of the gateway that is at most five minutes old, in `Gateway-Signature` or `Stripe-Signature`: `t=<seconds>,v1=<HMAC-SHA256 of t.body>`. An event has an effect once. The path names the gateway of `NATIVE_SERVICE_BILLING_GATEWAY`; any other is 404.',
      access: PUBLIC,
      params: GatewayParams,
      body: { as: 'bytes', schema: GatewayEventBody, mediaType: JSON_MEDIA_TYPE, maxBytes: EVENT_BYTES },
      bodyExamples: { paid: { id: 'evt_1', type: 'invoice.paid', created: 1_767_225_600, data: { object: { id: 'in_1', subscription: 'sub_1' } } } },
      responses: { 200: { description: 'The event was received.', schema: BillingEventReceipt } },
      errors: [
        'rate_limited',
        'resource_missing',
        'billing_gateway_disabled',
        'billing_signature_invalid',
        'billing_event_malformed',
        'billing_unavailable',
        'billing_unconfigured',
        'edit_conflict',
      ],
      handle: async (request) => {
        const signature = request.header('gateway-signature') ?? request.header('stripe-signature')
        const { body, requestId, address } = request
        return { body: { status: await webhook.receive(request.params.gateway, { body, signature, requestId, address }) } }
      },
    }),
    defineRoute({
      id: 'billing.get-overview',
      method: 'GET',
      path: ORGANIZATION,
      tag: TAG,
      summary: 'Get subscription, plan and usage',
      description: 'Without a subscription an organization is on `free`, or on `self_hosted` where billing is disabled; its record is `active`.',
      access: SESSION,
      params: BillingParams,
      responses: { 200: { description: 'Subscription, plan and usage.', schema: OrganizationBillingOverviewResponse } },
      errors: ['resource_missing'],
      handle: async ({ scope, locale }) => {
        const { organization, subscription, plan, usage, history, overLimit } = await billing.overview(scope)
        return {
          body: {
            organization_id: organization._id,
            organization_name: organization.name,
            subscription: presentSubscription(subscription),
            plan: presentPlan(plan, locale),
            available_plans: billing.publicPlans.map((one) => presentPlan(one, locale)),
            usage,
            usage_history: history,
            over_limit: overLimit.map(({ ids, ...report }) => ({ ...report, ids: [...ids] })),
            gateway: billing.gateway,
          },
        }
      },
    }),
    defineRoute({
      id: 'billing.create-checkout',
      method: 'POST',
      path: `${ORGANIZATION}/checkout`,
      tag: TAG,
      summary: 'Begin a checkout',
      description:
        'Needs `billing:manage`. Answers the page of the payment gateway at which the payer pays. The browser then returns to `NATIVE_SERVICE_BILLING_SUCCESS_PATH` at `PUBLIC_BASE_URL`, with `checkout=success` or `checkout=canceled`; the subscription follows when the gateway reports the payment. A plan that does not exist, is not public or has no price is 400. After a cancellation a checkout is 403 until the paid period ends; `details.ends_at` has the time.',
      access: SESSION,
      params: BillingParams,
      body: { as: 'json', schema: CheckoutSessionRequest },
      bodyExamples: { team: { plan_id: 'team', billing_interval: 'month', seat_count: 5 } },
      responses: { 200: { description: 'The checkout.', schema: CheckoutSessionResponse } },
      errors: [...CALL_ERRORS, 'plan_not_for_sale', 'organization_canceled', 'resource_missing', 'edit_conflict'],
      handle: async (request) => {
        const { url, sessionId } = await billing.checkout(request.scope, request.body, request)
        return { body: { provider: billing.gateway.provider, url, session_id: sessionId } }
      },
    }),
    defineRoute({
      id: 'billing.create-portal',
      method: 'POST',
      path: `${ORGANIZATION}/portal`,
      tag: TAG,
      summary: 'Open the customer portal',
      description:
        'Needs `billing:manage`. Answers the page of the payment gateway with invoices, payment methods, seats and cancellation. Without an earlier checkout it is 402 `billing_subscription_required`.',
      access: SESSION,
      params: BillingParams,
      body: { as: 'json', schema: PortalSessionRequest },
      bodyExamples: { settings: { return_path: '/settings/billing' } },
      responses: { 200: { description: 'The address of the portal.', schema: PortalSessionResponse } },
      errors: [...CALL_ERRORS, 'billing_subscription_required', 'resource_missing'],
      handle: async (request) => {
        const { url } = await billing.portal(request.scope, request.body.return_path, request)
        return { body: { provider: billing.gateway.provider, url } }
      },
    }),
    defineRoute({
      id: 'platform-admin.get-billing-reconciliation',
      method: 'GET',
      path: RECONCILIATION,
      tag: 'Platform administration',
      summary: 'Get the latest comparison with the payment gateway',
      description: 'Once a day every subscription is compared with the payment gateway. Differences are mended, and are in the audit log of their organization.',
      access: PLATFORM_ADMIN,
      responses: { 200: { description: 'The latest comparison.', schema: ReconciliationRecord } },
      handle: async () => ({ body: presentReconciliation(await reconciliation.read()) }),
    }),
    defineRoute({
      id: 'platform-admin.create-billing-reconciliation',
      method: 'POST',
      path: RECONCILIATION,
      tag: 'Platform administration',
      summary: 'Compare all subscriptions with the payment gateway',
      description: 'Starts a comparison in the background, unless one is running.',
      access: PLATFORM_ADMIN,
      responses: { 200: { description: 'The comparison.', schema: ReconciliationRecord } },
      errors: ['billing_gateway_disabled', 'edit_conflict'],
      handle: async (request) => ({ body: presentReconciliation(await reconciliation.start(request)) }),
    }),
  ]
}
