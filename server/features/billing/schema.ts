/** Requests and answers of billing. */
import Type, { type Static } from 'typebox'
import { EXAMPLE_ID, fields } from '../../core/auth/records.js'
import { nullable } from '../../core/nullable.js'
import { REDIRECT_PATH_CHARACTERS } from '../../core/redirect-path.js'
import { SUBSCRIPTION_STATUSES } from '../../core/tenancy/subscriptions.js'
import { BillingUsageMetric } from '../../core/tenancy/usage-record.js'

/** Seats of a checkout (CONTRACT.md#limits). A plan may have fewer. */
const SEATS_LIMIT = 100_000

export const BillingParams = Type.Object({ organization_id: fields.id('The organization.') })
export const GatewayParams = Type.Object({ gateway: fields.id('The payment gateway of this instance.', 'stripe') })

const count = (description: string) => Type.Integer({ minimum: 0, description })
const limit = (description: string) => nullable(count('Number.'), `${description} Null: unlimited.`)
const time = (description: string) => nullable(fields.timestamp('Time.'), description)

export const BillingPlanRecord = Type.Object(
  {
    id: Type.String({ examples: ['team'], description: 'Identifier.' }),
    code: Type.String({ examples: ['team'], description: 'Short name, for programs.' }),
    name: Type.String({ examples: ['Team'], description: 'Name.' }),
    description: Type.String({ examples: ['For a team that writes, reviews and publishes every day.'], description: 'For whom it is, in the language of the request.' }),
    currency: Type.String({ examples: ['USD'], description: 'Currency of the prices (ISO 4217).' }),
    monthly_price_cents: count('Price of a seat for a month, in cents. 0: free, or without a public price.'),
    annual_price_cents: count('Price of a seat for a year, in cents. 0: free, or without a public price.'),
    minimum_seats: count('Smallest number of seats of a checkout.'),
    maximum_seats: count('Largest number of seats of a checkout.'),
    display_order: Type.Integer({ description: 'Position in lists.' }),
    status: Type.Enum(['active', 'retired'], { description: '`retired`: it can no longer be bought.' }),
    is_public: Type.Boolean({ description: 'Whether it is listed for everyone.' }),
    contact_sales: Type.Boolean({ description: 'True: it has no public price and is sold by the operator.' }),
    features: Type.Object(
      {
        api_access: Type.Boolean({ description: 'API keys.' }),
        ai_assistant: Type.Boolean({ description: 'The assistant.' }),
        sso: Type.Boolean({ description: 'Single sign-on.' }),
        audit_log_retention_days: nullable(count('Days.'), 'How long entries of the audit log are kept. Null: as long as the organization exists.'),
      },
      { description: 'What the plan includes.' },
    ),
    limits: Type.Object(
      {
        projects: limit('Projects.'),
        analysis_runs_per_month: limit('Logtests and case runs in a month (UTC).'),
        api_requests_per_minute: limit('Requests of all callers together.'),
        webhooks: limit('Webhooks.'),
        members: limit('Members. A subscription limits them to its seats.'),
      },
      { description: 'What the plan limits.' },
    ),
    metadata: Type.Record(Type.String(), Type.String(), { description: 'For clients.' }),
    created_at: fields.timestamp('When the plan was created.'),
    updated_at: fields.timestamp('When the plan was last updated.'),
  },
  { $id: 'BillingPlanRecord', description: 'A plan.' },
)

export const OrganizationSubscriptionRecord = Type.Object(
  {
    id: Type.String({ examples: [EXAMPLE_ID], description: 'Identifier.' }),
    organization_id: Type.String({ examples: [EXAMPLE_ID], description: 'The organization.' }),
    plan_id: Type.String({ examples: ['team'], description: 'The plan that is subscribed. The plan in force is `plan` of the overview.' }),
    status: Type.Enum([...SUBSCRIPTION_STATUSES] as [(typeof SUBSCRIPTION_STATUSES)[number], ...(typeof SUBSCRIPTION_STATUSES)[number][]], {
      description: 'As the payment gateway reports it.',
    }),
    billing_interval: Type.Enum(['month', 'year'], { description: 'How often it is billed.' }),
    seat_count: count('Seats that were bought.'),
    gateway_provider: Type.String({ examples: ['stripe'], description: 'The payment gateway.' }),
    gateway_subscription_id: nullable(Type.String({ examples: ['sub_1MowQVLkdIwHu7ixeRlqHVzs'] }), 'Its id at the payment gateway; null: nothing was bought.'),
    trial_ends_at: time('When the trial ends; null: there is none.'),
    current_period_start: time('Start of the billed period; null: there is none.'),
    current_period_end: time('End of the billed period; null: there is none.'),
    cancel_at: time('When it will end; null: it will be renewed.'),
    canceled_at: time('When it was canceled; null: it was not.'),
    ends_at: time(
      'Until when its plan applies unless the gateway reports more: the end of a canceled period, of a trial, or of the grace after a failed payment. Null: as long as its status is in force.',
    ),
    created_at: fields.timestamp('When the organization first subscribed, or was created.'),
    updated_at: fields.timestamp('When it was last updated.'),
  },
  { $id: 'OrganizationSubscriptionRecord', description: 'The subscription of an organization.' },
)

const UsageMonth = Type.Object(
  {
    month: Type.String({ examples: ['2026-10'], description: 'The calendar month (UTC).' }),
    analysis_runs: count('Logtests and case runs.'),
    api_requests: count('Requests.'),
  },
  { $id: 'UsageMonth', description: 'Usage of a past month.' },
)

const OverLimitRecord = Type.Object(
  {
    metric: Type.Enum(['projects', 'webhooks', 'members'], { description: 'The limit that is exceeded.' }),
    limit: count('The limit of the plan.'),
    ids: Type.Array(Type.String({ examples: [EXAMPLE_ID] }), { description: 'What can only be read: projects, webhooks, or users. At most 200, the oldest first.' }),
  },
  { $id: 'OverLimitRecord', description: 'Objects over a limit of the plan. They can be read, and not changed.' },
)

export const OrganizationBillingOverviewResponse = Type.Object(
  {
    organization_id: Type.String({ examples: [EXAMPLE_ID], description: 'The organization.' }),
    organization_name: Type.String({ examples: ['Example SOC'], description: 'Its name.' }),
    subscription: OrganizationSubscriptionRecord,
    plan: BillingPlanRecord,
    available_plans: Type.Array(BillingPlanRecord, { description: 'The public plans.' }),
    usage: Type.Array(BillingUsageMetric, { description: 'Usage of this month, with the limits of the plan in force.' }),
    usage_history: Type.Array(UsageMonth, { description: 'Usage of the twelve months before, the newest first. Months without usage are missing.' }),
    over_limit: Type.Array(OverLimitRecord, { description: 'What the organization has more of than its plan allows; empty: nothing.' }),
    gateway: Type.Object(
      {
        provider: Type.String({ examples: ['stripe'], description: '`disabled`, `mock` or `stripe`.' }),
        status: Type.String({ examples: ['ready'], description: '`ready`, `disabled` or `unconfigured`.' }),
        publishable_key: nullable(Type.String({ examples: ['pk_live_51H8'] }), 'The public key of the payment gateway; null: not a real gateway.'),
      },
      { description: 'The payment gateway of this instance.' },
    ),
  },
  { $id: 'OrganizationBillingOverviewResponse', description: 'Subscription, plan and usage of an organization.' },
)

export const CheckoutSessionRequest = Type.Object(
  {
    plan_id: Type.String({ minLength: 1, maxLength: 64, examples: ['team'], description: 'A public plan with a price.' }),
    billing_interval: Type.Enum(['month', 'year'], { description: 'How often it is billed.' }),
    seat_count: Type.Integer({ minimum: 1, maximum: SEATS_LIMIT, examples: [5], description: 'Seats. The plan may allow fewer.' }),
  },
  { $id: 'CheckoutSessionRequest', description: 'What to buy.' },
)
export type CheckoutSessionRequest = Static<typeof CheckoutSessionRequest>

export const CheckoutSessionResponse = Type.Object(
  {
    provider: Type.String({ examples: ['stripe'], description: 'The payment gateway.' }),
    url: Type.String({ examples: ['https://checkout.stripe.com/c/pay/cs_test_a1b2'], description: 'The page at which the payer pays.' }),
    session_id: Type.String({ examples: ['cs_test_a1b2'], description: 'Identifier of the checkout at the gateway.' }),
  },
  { $id: 'CheckoutSessionResponse', description: 'A checkout that begins.' },
)

export const PortalSessionRequest = Type.Object(
  {
    return_path: Type.String({
      minLength: 1,
      maxLength: REDIRECT_PATH_CHARACTERS,
      examples: ['/settings/billing'],
      description: 'Where the browser goes afterwards: an absolute path at `PUBLIC_BASE_URL`.',
    }),
  },
  { $id: 'PortalSessionRequest', description: 'Where to go after the customer portal.' },
)

export const PortalSessionResponse = Type.Object(
  {
    provider: Type.String({ examples: ['stripe'], description: 'The payment gateway.' }),
    url: Type.String({ examples: ['https://billing.stripe.com/p/session/test_a1b2'], description: 'The customer portal: invoices, payment methods, seats, cancellation.' }),
  },
  { $id: 'PortalSessionResponse', description: 'The address of the customer portal.' },
)

export const GatewayEventBody = Type.Object(
  {},
  { $id: 'BillingGatewayEvent', additionalProperties: true, description: 'An event of the payment gateway, as the gateway documents it.' },
)

export const ReconciliationRecord = Type.Object(
  {
    status: Type.Enum(['never', 'running', 'finished'], { description: '`never`: no comparison was made yet.' }),
    started_at: time('When the latest comparison started; null: never.'),
    finished_at: time('When it finished; null: it has not.'),
    checked: count('Subscriptions that were compared.'),
    mended: count('Subscriptions that differed and were mended. The audit log of each organization has the change.'),
    unknown: count('Subscriptions of the gateway that belong to no organization of this instance.'),
  },
  { $id: 'BillingReconciliationRecord', description: 'The comparison of all subscriptions with the payment gateway.' },
)
