/** Plans, the billing overview of an organization, and the ways to the pages of the payment gateway. */
import type { UserPrincipal } from '../../core/auth/principal.js'
import type { Actor } from '../../core/auth/request-context.js'
import type { Identities } from '../../core/auth/identities.js'
import type { OrganizationDocument } from '../../core/auth/organizations.js'
import { ApiError, required } from '../../core/errors.js'
import type { BillingGateway } from './gateways/gateway.js'
import { issue } from '../../core/http/validation/issue.js'
import { invalidRequest } from '../../core/http/validation/refuse.js'
import type { PublicAddress } from '../../core/public-address.js'
import { isRedirectPath, redirectUrl } from '../../core/redirect-path.js'
import { DuplicateKeyError, StaleWriteError } from '../../core/storage/errors.js'
import type { OverLimit, OverLimitMetric } from '../../core/tenancy/over-limit.js'
import { type Plan, PLAN_CODES, PLANS, planById } from '../../core/tenancy/plans.js'
import type { Quotas } from '../../core/tenancy/quotas.js'
import { retryStale } from '../../core/tenancy/retry-stale.js'
import type { Scope, Unbound } from '../../core/tenancy/scope.js'
import { PLAN_SUBSCRIPTIONS, type PlanSubscriptionDocument } from '../../core/tenancy/subscriptions.js'
import type { BillingUsageMetric } from '../../core/tenancy/usage-record.js'
import type { UsageMonth } from '../../core/tenancy/usage.js'
import { auditContext, auditing } from '../../core/audit/service.js'
import type { CheckoutSessionRequest } from './schema.js'

/** Past months of the overview: a year. */
const HISTORY_MONTHS = 12
/** Objects over a limit that an answer names. */
const IDS_SHOWN = 200
/** A webhook may write the subscription at the same time. */
const ATTEMPTS = 8

type UserActor = Actor<UserPrincipal>

export interface BillingParts {
  readonly identities: Identities
  readonly gateway: BillingGateway
  readonly quotas: Quotas
  readonly address: PublicAddress
  readonly overLimit: Pick<OverLimit, 'idsOver' | 'membersOver'>
  /** The page at which a checkout ends: a path at `PUBLIC_BASE_URL`. */
  readonly successPath: string
  /** Days before the first payment of an organization that has never subscribed. */
  readonly trialDays: number
}

export interface BillingOverview {
  readonly organization: OrganizationDocument
  readonly subscription: PlanSubscriptionDocument
  readonly plan: Plan
  readonly usage: readonly BillingUsageMetric[]
  readonly history: readonly UsageMonth[]
  readonly overLimit: readonly OverLimitReport[]
}

/** What of a metric can only be read. */
export interface OverLimitReport {
  readonly metric: OverLimitMetric | 'members'
  readonly limit: number
  readonly ids: readonly string[]
}

export class BillingService {
  readonly #parts: BillingParts

  constructor(parts: BillingParts) {
    this.#parts = parts
  }

  /** The public plans, in their order. */
  get publicPlans(): readonly Plan[] {
    return PLAN_CODES.map((code) => PLANS[code])
      .filter(({ is_public, status }) => is_public && status === 'active')
      .sort((a, b) => a.display_order - b.display_order)
  }

  get gateway() {
    const { provider } = this.#parts.gateway
    const { status, publishableKey } = this.#parts.gateway.status()
    return { provider, status, publishable_key: publishableKey }
  }

  /** @throws ApiError resource_missing */
  async overview(scope: Scope): Promise<BillingOverview> {
    const { quotas } = this.#parts
    const organization = await this.#organization(scope)
    const [subscription, plan, usage, history] = await Promise.all([
      scope.collection(PLAN_SUBSCRIPTIONS).findOne({ _id: scope.organizationId }),
      quotas.planOf(scope),
      quotas.usageMetrics(scope),
      quotas.usage.history(scope, HISTORY_MONTHS),
    ])
    const shown = this.#isBilled ? subscription : null
    return { organization, subscription: shown ?? this.#unsubscribed(organization), plan, usage, history, overLimit: await this.#overLimit(scope, plan) }
  }

  /** @throws ApiError permission_missing, billing_gateway_disabled, plan_not_for_sale, request_validation_failed, organization_canceled, billing_unconfigured, billing_unavailable, edit_conflict */
  async checkout(scope: Scope, { plan_id, billing_interval, seat_count }: CheckoutSessionRequest, actor: UserActor): Promise<{ readonly url: string; readonly sessionId: string }> {
    const { gateway, address, successPath, trialDays } = this.#parts
    this.#require(actor)
    const plan = planById(plan_id)
    if (plan === null || !isForSale(plan)) throw new ApiError('plan_not_for_sale')
    if (seat_count < plan.minimum_seats || seat_count > plan.maximum_seats)
      throw invalidRequest([issue('/seat_count', 'invalid', { minimum: plan.minimum_seats, maximum: plan.maximum_seats })], actor.locale)
    const organization = await this.#organization(scope)
    const subscription = await scope.collection(PLAN_SUBSCRIPTIONS).findOne({ _id: scope.organizationId })
    this.#requireNotCanceled(subscription)
    const page = redirectUrl(address.pages, successPath)
    const session = await gateway.checkout({
      organizationId: scope.organizationId,
      organizationName: organization.name,
      email: actor.principal.email,
      customerId: this.#customerOf(subscription),
      planId: plan.id,
      interval: billing_interval,
      seats: seat_count,
      successUrl: withOutcome(page, 'success'),
      cancelUrl: withOutcome(page, 'canceled'),
      ...(trialDays > 0 && (subscription?.gateway_subscription_id ?? null) === null ? { trialDays } : {}),
    })
    await this.#remember(scope, organization, session, { plan_id, billing_interval, seat_count }, actor)
    return { url: session.url, sessionId: session.sessionId }
  }

  /** @throws ApiError permission_missing, billing_gateway_disabled, request_validation_failed, billing_subscription_required, billing_unconfigured, billing_unavailable */
  async portal(scope: Scope, returnPath: string, actor: UserActor): Promise<{ readonly url: string }> {
    const { gateway, address, identities } = this.#parts
    this.#require(actor)
    if (!isRedirectPath(returnPath)) throw invalidRequest([issue('/return_path', 'invalid', { type: 'string', format: { words: 'own_path' } })], actor.locale)
    const customerId = this.#customerOf(await scope.collection(PLAN_SUBSCRIPTIONS).findOne({ _id: scope.organizationId }))
    if (customerId === null) throw new ApiError('billing_subscription_required')
    const { name } = await this.#organization(scope)
    const { url } = await gateway.portal({ organizationId: scope.organizationId, customerId, returnUrl: redirectUrl(address.pages, returnPath) })
    const resource = { type: 'organization', id: scope.organizationId, name }
    await scope.commit([auditing(scope, auditContext(actor), { action: 'billing.portal_opened', resource }, new Date(identities.clock()))])
    return { url }
  }

  async #overLimit(scope: Scope, { limits }: Plan): Promise<OverLimitReport[]> {
    const { overLimit } = this.#parts
    const idsOf = {
      projects: () => overLimit.idsOver(scope, 'projects', IDS_SHOWN),
      webhooks: () => overLimit.idsOver(scope, 'webhooks', IDS_SHOWN),
      members: () => overLimit.membersOver(scope),
    }
    const reports = Object.entries(idsOf).map(async ([name, ids]) => {
      const metric = name as OverLimitReport['metric']
      return { metric, limit: limits[metric] ?? 0, ids: limits[metric] === null ? [] : (await ids()).slice(0, IDS_SHOWN) }
    })
    return (await Promise.all(reports)).filter(({ ids }) => ids.length > 0)
  }

  get #isBilled(): boolean {
    return this.#parts.gateway.provider !== 'disabled'
  }

  #require({ principal }: UserActor): void {
    if (!principal.permissions.has('billing:manage')) throw new ApiError('permission_missing', { params: { permission: 'billing:manage' } })
    if (!this.#isBilled) throw new ApiError('billing_gateway_disabled')
  }

  #requireNotCanceled(subscription: PlanSubscriptionDocument | null): void {
    if (subscription?.status !== 'canceled') return
    const end = subscription.ends_at ?? null
    if (end === null || end.getTime() <= this.#parts.identities.clock()) return
    const until = { ends_at: end.toISOString() }
    throw new ApiError('organization_canceled', { params: until, details: until })
  }

  /** A customer of another gateway is unknown to this one. */
  #customerOf(subscription: PlanSubscriptionDocument | null): string | null {
    return subscription?.gateway_provider === this.#parts.gateway.provider ? (subscription.gateway_customer_id ?? null) : null
  }

  /** Stores the customer, so that the next checkout and the portal use it, with the audit entry. */
  async #remember(
    scope: Scope,
    organization: OrganizationDocument,
    session: { readonly customerId: string; readonly sessionId: string },
    bought: CheckoutSessionRequest,
    actor: UserActor,
  ) {
    const { identities, gateway } = this.#parts
    const subscriptions = scope.collection(PLAN_SUBSCRIPTIONS)
    await retryStale(
      ATTEMPTS,
      async () => {
        const now = new Date(identities.clock())
        const before = await subscriptions.findOne({ _id: scope.organizationId })
        const fields = { gateway_customer_id: session.customerId, gateway_provider: gateway.provider, updated_at: now }
        const { organization_id: _, ...created } = this.#unsubscribed(organization)
        const diff = Object.fromEntries(Object.entries(bought).map(([field, after]) => [field, { before: null, after }]))
        const entry = { action: 'billing.checkout_created', resource: { type: 'organization', id: organization._id, name: organization.name }, diff } as const
        await scope.commit([
          before === null
            ? subscriptions.inserting({ ...created, ...fields })
            : subscriptions.updating({ _id: before._id, revision: before.revision }, { set: fields, increment: { revision: 1 } }),
          auditing(scope, auditContext(actor), entry, now),
        ])
      },
      { isStale: (error) => error instanceof StaleWriteError || (error instanceof DuplicateKeyError && error.collection === PLAN_SUBSCRIPTIONS.name) },
    )
  }

  /** The subscription of an organization that has bought nothing. */
  #unsubscribed({ _id, created_at }: OrganizationDocument): Unbound<PlanSubscriptionDocument> & { readonly organization_id: string } {
    return {
      _id,
      organization_id: _id,
      plan_id: this.#isBilled ? PLANS.free.id : PLANS.self_hosted.id,
      status: 'active',
      billing_interval: 'month',
      seat_count: 1,
      gateway_provider: this.#parts.gateway.provider,
      gateway_subscription_id: null,
      trial_ends_at: null,
      current_period_start: null,
      current_period_end: null,
      cancel_at: null,
      canceled_at: null,
      created_at,
      updated_at: created_at,
      revision: 1,
    }
  }

  async #organization(scope: Scope): Promise<OrganizationDocument> {
    return required(await this.#parts.identities.organizations.byId(scope.organizationId))
  }
}

/** Whether a checkout can buy the plan: it is public and has a price. */
function isForSale({ is_public, status, contact_sales, monthly_price_cents }: Plan): boolean {
  return is_public && status === 'active' && !contact_sales && monthly_price_cents > 0
}

function withOutcome(page: string, outcome: 'success' | 'canceled'): string {
  const url = new URL(page)
  url.searchParams.set('checkout', outcome)
  return url.href
}
