/**
 * Applies what the gateway says to the subscription of an organization. Invariants:
 *  1. one commit has the whole effect of an event: its id, the facts, the subscription, the organization's listed plan, the audit entry and the jobs. After a crash
 *     the next delivery finds all of it or nothing
 *  2. every change of an organization's subscriptions writes the same document, so that two instances cannot decide on different sets of facts
 *  3. a gateway that does not send events in order is asked for the state, after the facts were read: a state that is older than stored facts meets a conflict
 */
import type { Identities } from '../../core/auth/identities.js'
import type { OrganizationDocument } from '../../core/auth/organizations.js'
import type { Notices } from '../../core/events/notices.js'
import type { BillingGateway, GatewayEvent, GatewaySubscription } from './gateways/gateway.js'
import { dueBy, type JobQueue } from '../../core/jobs/queue.js'
import type { Write } from '../../core/storage/contract.js'
import { DuplicateKeyError, StaleWriteError } from '../../core/storage/errors.js'
import { listedPlan, PLAN_GRANTS, type PlanGrantDocument, planInForce } from '../../core/tenancy/plan-grants.js'
import type { Quotas } from '../../core/tenancy/quotas.js'
import { retryStale } from '../../core/tenancy/retry-stale.js'
import type { Scope } from '../../core/tenancy/scope.js'
import { PLAN_SUBSCRIPTIONS, type PlanSubscriptionDocument } from '../../core/tenancy/subscriptions.js'
import { type AuditAction, type AuditContext, auditing, diffOf } from '../../core/audit/service.js'
import { type Facts, recordEvent, recordState } from './facts.js'
import { paymentFailed, planEnded, trialNoticeAt } from '../../core/events/plan-notices.js'
import { type Candidate, currentOf, replacedBy, stateOf } from './state.js'
import { GATEWAY_SUBSCRIPTIONS, type GatewaySubscriptionDocument, SUBSCRIPTIONS_READ } from './store.js'

/** Its subject is the organization. */
export const SUBSCRIPTION_END = 'billing.end'
/** Its subject is the subscription at the gateway. */
export const SUBSCRIPTION_CANCEL = 'billing.cancel'
/** Its subject is the organization. */
export const TRIAL_NOTICE = 'billing.trial_notice'

/** Deliveries to two instances conflict; one of them always succeeds. */
const ATTEMPTS = 12
const PAUSE_MS = 20
/** The fields of a change that an audit entry shows. */
const SHOWN = ['plan_id', 'status', 'billing_interval', 'seat_count', 'gateway_subscription_id', 'trial_ends_at', 'current_period_end', 'cancel_at', 'canceled_at'] as const

export interface UpdateParts {
  readonly identities: Identities
  readonly gateway: BillingGateway
  readonly quotas: Pick<Quotas, 'planChanged'>
  readonly jobs: Pick<JobQueue, 'enqueuing' | 'scheduling' | 'isWaiting'>
  readonly notices: Pick<Notices, 'notifying'>
}

/** Everything that decides the plan of an organization, as stored. */
interface Stored {
  readonly organization: OrganizationDocument
  readonly all: readonly GatewaySubscriptionDocument[]
  readonly subscription: PlanSubscriptionDocument | null
  readonly grant: PlanGrantDocument | null
}

interface Entry {
  readonly action: AuditAction
  readonly context: AuditContext
}

export class SubscriptionUpdates {
  readonly #parts: UpdateParts

  constructor(parts: UpdateParts) {
    this.#parts = parts
  }

  /**
   * Applies an event, in the commit with `marking`.
   * @returns false: the organization does not exist any more @throws ApiError edit_conflict, billing_unavailable; DuplicateKeyError of `marking`
   */
  applyEvent(scope: Scope, event: GatewayEvent & { readonly subscriptionId: string }, marking: Write, entry: Entry): Promise<boolean> {
    return this.#change(scope, event.subscriptionId, [marking], entry, async (facts, now) => {
      const told = recordEvent(facts, event)
      if (event.isOrderCertain) return told
      const fetched = await this.#parts.gateway.subscription(event.subscriptionId)
      return fetched === null ? told : recordState(told, fetched, now)
    })
  }

  /** Compares the subscription with its state at the gateway, and mends it. @returns whether there was a difference */
  async applyState(scope: Scope, subscription: GatewaySubscription, entry: Entry): Promise<boolean> {
    let isMended = false
    await this.#change(scope, subscription.id, [], entry, async (facts, now) => {
      isMended = false
      if (facts !== null && isSame(recordState(facts, subscription, now), facts)) return null
      // The list may be older than an event that has arrived since.
      const fetched = facts === null ? subscription : ((await this.#parts.gateway.subscription(subscription.id)) ?? subscription)
      const told = recordState(facts, fetched, now)
      if (facts !== null && isSame(told, facts)) return null
      isMended = true
      return told
    })
    return isMended
  }

  /** Writes the organization's listed plan after the clock has ended a subscription. @returns when to look again; null: nothing ends */
  async applyClock(scope: Scope, entry: Entry): Promise<Date | null> {
    return retryStale(ATTEMPTS, async () => {
      const now = this.#now()
      const stored = await this.#read(scope)
      if (stored?.subscription === undefined || stored.subscription === null) return null
      const { subscription } = stored
      const end = subscription.ends_at ?? null
      if (end !== null && end > now) return dueBy(end, now)
      const writes = await this.#deciding(scope, stored, stored.all, entry, now)
      if (writes.length > 0) await this.#commit(scope, writes)
      return null
    })
  }

  async #change(scope: Scope, id: string, marking: readonly Write[], entry: Entry, decide: (facts: Facts | null, now: Date) => Promise<Facts | null>): Promise<boolean> {
    const attempt = async (): Promise<boolean> => {
      const stored = await this.#read(scope)
      if (stored === null) return false
      const before = stored.all.find(({ _id }) => _id === id) ?? null
      const now = this.#now()
      const facts = await decide(before?.facts ?? null, now)
      if (facts === null) return true
      const fields = { provider: this.#parts.gateway.provider, facts, created_at: facts.createdAt, updated_at: now }
      const own = scope.collection(GATEWAY_SUBSCRIPTIONS)
      const writing =
        before === null ? own.inserting({ _id: id, ...fields, revision: 1 }) : own.updating({ _id: id, revision: before.revision }, { set: fields, increment: { revision: 1 } })
      const after: GatewaySubscriptionDocument = { ...(before ?? { _id: id, organization_id: scope.organizationId, revision: 0 }), ...fields }
      const deciding = await this.#deciding(scope, stored, [after, ...stored.all.filter(({ _id }) => _id !== id)], entry, now)
      await this.#commit(scope, [...marking, writing, ...deciding])
      return true
    }
    return retryStale(ATTEMPTS, attempt, { pauseMs: PAUSE_MS, isStale: isOvertaken })
  }

  /** The writes that follow from the facts of all subscriptions of the organization. */
  async #deciding(scope: Scope, { organization, subscription: before, grant }: Stored, all: readonly GatewaySubscriptionDocument[], entry: Entry, now: Date): Promise<Write[]> {
    const candidates = all.map(({ _id, facts }): Candidate & { readonly facts: Facts } => ({ id: _id, state: stateOf(facts), facts }))
    const current = currentOf(candidates, now.getTime())
    const { identities, jobs, notices } = this.#parts
    const writes: Write[] = []
    const subscription = current === null ? before : projected(before, current, this.#parts.gateway.provider, organization, now)
    if (subscription !== null && current !== null) {
      const { organization_id: _, revision: __, ...fields } = subscription
      const subscriptions = scope.collection(PLAN_SUBSCRIPTIONS)
      const { _id, ...set } = fields
      writes.push(
        before === null ? subscriptions.inserting({ ...fields, revision: 1 }) : subscriptions.updating({ _id, revision: before.revision }, { set, increment: { revision: 1 } }),
      )
      const diff = diffOf<PlanSubscriptionDocument>(before, subscription, SHOWN)
      if (Object.keys(diff).length > 0)
        writes.push(auditing(scope, entry.context, { action: entry.action, resource: { type: 'subscription', id: current.id, name: subscription.plan_id }, diff }, now))
      for (const { id } of replacedBy(current, candidates)) {
        if (!(await jobs.isWaiting(scope, SUBSCRIPTION_CANCEL, id))) writes.push(jobs.enqueuing(scope, { kind: SUBSCRIPTION_CANCEL, subject: id }))
      }
      const end = subscription.ends_at ?? null
      if (end !== null && end > now) writes.push(await jobs.scheduling(scope, { kind: SUBSCRIPTION_END, subject: scope.organizationId, dueAt: dueBy(end, now) }))
      const failed = paymentFailed(before, subscription)
      if (failed !== null) writes.push(...notices.notifying(scope, failed))
      const announced = trialNoticeAt(subscription)
      if (announced !== null && before?.trial_ends_at?.getTime() !== subscription.trial_ends_at?.getTime())
        writes.push(await jobs.scheduling(scope, { kind: TRIAL_NOTICE, subject: scope.organizationId, dueAt: dueBy(announced, now) }))
    }
    const plan_id = listedPlan(planInForce(grant, subscription, now.getTime()))
    if (plan_id !== (organization.plan_id ?? null)) {
      const { _id, revision, name } = organization
      writes.push(identities.organizations.updating({ _id, revision }, { set: { plan_id, updated_at: now }, increment: { revision: 1 } }))
      const ended = {
        action: 'subscription.plan_changed',
        resource: { type: 'organization', id: _id, name },
        diff: diffOf({ plan_id: organization.plan_id ?? 'free' }, { plan_id: plan_id ?? 'free' }, ['plan_id']),
      } as const
      writes.push(auditing(scope, entry.context, ended, now))
      if (plan_id === null) writes.push(...notices.notifying(scope, planEnded(_id, organization.plan_id ?? 'free', 'free')))
    }
    return writes
  }

  async #read(scope: Scope): Promise<Stored | null> {
    const own = { _id: scope.organizationId }
    // Read before the facts: if it is unchanged at the commit, no other change was decided meanwhile.
    const subscription = await scope.collection(PLAN_SUBSCRIPTIONS).findOne(own)
    const [organization, grant, all] = await Promise.all([
      this.#parts.identities.organizations.byId(scope.organizationId),
      scope.collection(PLAN_GRANTS).findOne(own),
      scope.collection(GATEWAY_SUBSCRIPTIONS).find({}, { sort: { created_at: -1, _id: -1 }, limit: SUBSCRIPTIONS_READ }),
    ])
    return organization === null ? null : { organization, all, subscription, grant }
  }

  async #commit(scope: Scope, writes: readonly Write[]): Promise<void> {
    await this.#parts.identities.commitAddition(writes)
    await this.#parts.quotas.planChanged(scope)
  }

  #now(): Date {
    return new Date(this.#parts.identities.clock())
  }
}

/** Returns the organization's subscription as its current subscription at the gateway says. */
function projected(
  before: PlanSubscriptionDocument | null,
  { id, state, facts }: Candidate & { readonly facts: Facts },
  gateway_provider: string,
  { _id }: OrganizationDocument,
  now: Date,
): PlanSubscriptionDocument {
  return {
    _id,
    organization_id: _id,
    plan_id: state.planId ?? 'free',
    status: state.status,
    billing_interval: state.interval,
    seat_count: state.seats,
    gateway_provider,
    gateway_subscription_id: id,
    gateway_customer_id: facts.customerId ?? before?.gateway_customer_id ?? null,
    ends_at: state.endsAt,
    trial_ends_at: state.trialEndsAt,
    current_period_start: state.currentPeriodStart,
    current_period_end: state.currentPeriodEnd,
    cancel_at: state.cancelAt,
    canceled_at: state.canceledAt,
    created_at: before?.created_at ?? now,
    updated_at: now,
    revision: before?.revision ?? 1,
  }
}

/** Whether a fetched state says nothing new. */
function isSame(fetched: Facts, stored: Facts): boolean {
  const [a, b] = [stateOf(fetched), stateOf(stored)]
  const shown = ({ endsAt: _, ...state }: typeof a) => JSON.stringify({ ...state, customerId: undefined })
  return shown(a) === shown(b) && fetched.customerId === stored.customerId
}

/** Another delivery, a checkout or a platform admin was first. */
function isOvertaken(error: unknown): boolean {
  if (error instanceof StaleWriteError) return true
  return error instanceof DuplicateKeyError && (error.collection === GATEWAY_SUBSCRIPTIONS.name || error.collection === PLAN_SUBSCRIPTIONS.name)
}
