/** Plans that platform admins set by hand (`tenancy/plan-grants.ts`), and the job that ends them. */
import type { Config } from '../../../core/config.js'
import type { Identities } from '../../../core/auth/identities.js'
import type { OrganizationDocument } from '../../../core/auth/organizations.js'
import { ApiError, required } from '../../../core/errors.js'
import type { Notices } from '../../../core/events/notices.js'
import { issue } from '../../../core/http/validation/issue.js'
import { invalidRequest } from '../../../core/http/validation/refuse.js'
import { dueBy, type JobQueue } from '../../../core/jobs/queue.js'
import type { JobKind } from '../../../core/jobs/runner.js'
import type { Write } from '../../../core/storage/contract.js'
import { isGranted, listedPlan, PLAN_GRANTS, type PlanGrantDocument, planInForce } from '../../../core/tenancy/plan-grants.js'
import { type PlanCode, planById } from '../../../core/tenancy/plans.js'
import type { Quotas } from '../../../core/tenancy/quotas.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { PLAN_SUBSCRIPTIONS } from '../../../core/tenancy/subscriptions.js'
import { type AuditContext, type AuditEntry, auditing, diffOf, platformContext } from '../../../core/audit/service.js'
import { planEnded } from '../../../core/events/plan-notices.js'
import type { Admin } from './service.js'
import type { PlanGrantRequest } from './schema.js'

/** Its subject is the organization. */
const EXPIRY = 'plan.expiry'
const LEASE_MS = 30_000

export interface PlanParts {
  readonly identities: Identities
  readonly gateway: Config['billingGateway']
  readonly quotas: Pick<Quotas, 'planChanged' | 'planOf'>
  readonly jobs: JobQueue
  readonly notices: Pick<Notices, 'notifying'>
}

export class OrganizationPlans {
  readonly #parts: PlanParts

  constructor(parts: PlanParts) {
    this.#parts = parts
  }

  get isBilled(): boolean {
    return this.#parts.gateway !== 'disabled'
  }

  /** The plan that a list shows. */
  listed({ plan_id }: OrganizationDocument): PlanCode {
    return this.isBilled ? (plan_id ?? 'free') : 'self_hosted'
  }

  async inForce(scope: Scope): Promise<PlanCode> {
    return (await this.#parts.quotas.planOf(scope)).code
  }

  /** The grant in force; null: none. */
  async grantOf(scope: Scope): Promise<PlanGrantDocument | null> {
    const grant = this.isBilled ? await grantOf(scope) : null
    return grant !== null && isGranted(grant, this.#parts.identities.clock()) ? grant : null
  }

  /** @throws ApiError billing_gateway_disabled, request_validation_failed; StaleWriteError or DuplicateKeyError after a concurrent change */
  async set(organization: OrganizationDocument, { plan, expires_at = null }: PlanGrantRequest, actor: Admin): Promise<void> {
    const { identities, jobs } = this.#parts
    const scope = this.#scopeOf(organization)
    const now = new Date(identities.clock())
    const end = expires_at === null ? null : new Date(expires_at)
    if (end !== null && end <= now) throw invalidRequest([issue('/expires_at', 'invalid', { formatMinimum: now.toISOString() })], actor.locale)
    const before = await grantOf(scope)
    const fields = { plan_id: plan, expires_at: end, set_by: actor.principal.userId, set_by_name: actor.principal.email, set_at: now }
    const grants = scope.collection(PLAN_GRANTS)
    const writes = [
      before === null
        ? grants.inserting({ _id: scope.organizationId, ...fields, revision: 1 })
        : grants.updating({ _id: before._id, revision: before.revision }, { set: fields, increment: { revision: 1 } }),
      ...(end === null ? [] : [jobs.enqueuing(scope, { kind: EXPIRY, subject: scope.organizationId, dueAt: dueBy(end, now) })]),
    ]
    const diff = diffOf<Pick<PlanGrantDocument, 'plan_id' | 'expires_at'>>(before, fields, ['plan_id', 'expires_at'])
    await this.#change(organization, scope, fields, writes, platformContext(actor), { action: 'organization.plan_set', diff }, now)
  }

  /** @throws ApiError billing_gateway_disabled, resource_missing; StaleWriteError after a concurrent change */
  async remove(organization: OrganizationDocument, actor: Admin): Promise<void> {
    const scope = this.#scopeOf(organization)
    const grant = required(await this.grantOf(scope))
    const now = new Date(this.#parts.identities.clock())
    const diff = diffOf(grant, null, ['plan_id', 'expires_at'])
    await this.#change(organization, scope, null, [removing(scope, grant)], platformContext(actor), { action: 'organization.plan_removed', diff }, now)
  }

  /** The job that removes a grant that has ended. Limits follow the clock and do not wait for it. */
  expiryJob(): JobKind {
    const { identities, notices } = this.#parts
    return {
      kind: EXPIRY,
      concurrency: 2,
      perOrganization: 1,
      leaseMs: LEASE_MS,
      run: async ({ subject }, scope) => {
        const [organization, grant] = await Promise.all([identities.organizations.byId(subject), grantOf(scope)])
        if (organization === null || grant === null || grant.expires_at === null) return 'done'
        const now = new Date(identities.clock())
        if (isGranted(grant, now.getTime())) return { again: dueBy(grant.expires_at, now) }
        const diff = diffOf(grant, null, ['plan_id', 'expires_at'])
        const context = { actor: { kind: 'system', name: 'plans' }, requestId: null, address: null } as const
        const plan = planInForce(null, await scope.collection(PLAN_SUBSCRIPTIONS).findOne({ _id: subject }), now.getTime())
        const told = plan.code === codeOf(grant) ? [] : notices.notifying(scope, planEnded(subject, grant.plan_id, plan.id))
        await this.#change(organization, scope, null, [removing(scope, grant), ...told], context, { action: 'organization.plan_expired', diff }, now)
        return 'done'
      },
    }
  }

  async #change(
    organization: OrganizationDocument,
    scope: Scope,
    grant: Pick<PlanGrantDocument, 'plan_id' | 'expires_at'> | null,
    writes: readonly Write[],
    context: AuditContext,
    entry: Pick<AuditEntry, 'action' | 'diff'>,
    now: Date,
  ): Promise<void> {
    const { identities, quotas } = this.#parts
    const { _id, name, revision } = organization
    const subscription = await scope.collection(PLAN_SUBSCRIPTIONS).findOne({ _id })
    const plan_id = listedPlan(planInForce(grant, subscription, now.getTime()))
    await identities.commitAddition([
      ...writes,
      identities.organizations.updating({ _id, revision }, { set: { plan_id, updated_at: now }, increment: { revision: 1 } }),
      auditing(scope, context, { ...entry, resource: { type: 'organization', id: _id, name } }, now),
    ])
    await quotas.planChanged(scope)
  }

  #scopeOf({ _id }: OrganizationDocument): Scope {
    if (!this.isBilled) throw new ApiError('billing_gateway_disabled')
    return this.#parts.identities.tenancy.of(_id)
  }
}

/** The code of a stored plan; a plan that was retired counts as `free`. */
export function codeOf({ plan_id }: Pick<PlanGrantDocument, 'plan_id'>): PlanCode {
  return planById(plan_id)?.code ?? 'free'
}

function grantOf(scope: Scope): Promise<PlanGrantDocument | null> {
  return scope.collection(PLAN_GRANTS).findOne({ _id: scope.organizationId })
}

function removing(scope: Scope, { _id, revision }: PlanGrantDocument): Write {
  return scope.collection(PLAN_GRANTS).deleting({ _id, revision })
}
