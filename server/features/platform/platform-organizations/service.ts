/** Administration of organizations by platform admins. Audit entries are stored in the organizations, whose admins read them. */
import type { Identities } from '../../../core/auth/identities.js'
import { newOrganization, type OrganizationDocument } from '../../../core/auth/organizations.js'
import type { EnterpriseRole } from '../../../core/tenancy/permissions.js'
import type { UserPrincipal } from '../../../core/auth/principal.js'
import type { Throttles } from '../../../core/auth/throttles.js'
import type { Actor } from '../../../core/auth/request-context.js'
import { required } from '../../../core/errors.js'
import { type IfMatch, requireCurrent } from '../../../core/etag.js'
import { issue } from '../../../core/http/validation/issue.js'
import { invalidRequest } from '../../../core/http/validation/refuse.js'
import type { Filter } from '../../../core/storage/contract.js'
import { DuplicateKeyError, StaleWriteError } from '../../../core/storage/errors.js'
import { newId } from '../../../core/storage/id.js'
import { listedPlan, PLAN_GRANTS, type PlanGrantDocument } from '../../../core/tenancy/plan-grants.js'
import type { PlanCode } from '../../../core/tenancy/plans.js'
import type { Quotas } from '../../../core/tenancy/quotas.js'
import type { BillingUsageMetric } from '../../../core/tenancy/usage-record.js'
import { findOptions, type Page } from '../../../core/tenancy/page.js'
import { type AuditResource, auditing, diffOf, platformContext } from '../../../core/audit/service.js'
import { retryStale } from '../../../core/tenancy/retry-stale.js'
import type { ApiKeysService } from '../../accounts/index.js'
import type { InvitationsService } from '../../accounts/index.js'
import { codeOf, type OrganizationPlans } from './plans.js'
import type { OrganizationCreateRequest, OrganizationListQuery, OrganizationUpdateRequest, PlanGrantRequest } from './schema.js'

/** Attempts of a change that conflicts with concurrent changes. */
const ATTEMPTS = 8

/** An organization and the caller's role in it. */
export interface ShownOrganization {
  readonly organization: OrganizationDocument
  readonly role: EnterpriseRole | null
  readonly plan: PlanCode
}

export interface OrganizationDetail extends ShownOrganization {
  readonly grant: (PlanGrantDocument & { readonly plan: PlanCode }) | null
  readonly apiKeys: number
  readonly usage: readonly BillingUsageMetric[]
}

export type Admin = Actor<UserPrincipal>

/** Fields that an audit entry shows. */
const AUDITED = ['is_active', 'suspension_reason'] as const

export interface PlatformOrganizationsParts {
  readonly identities: Identities
  readonly invitations: Pick<InvitationsService, 'prepare'>
  readonly throttles: Pick<Throttles, 'invitation'>
  readonly quotas: Pick<Quotas, 'usageMetrics'>
  readonly keys: Pick<ApiKeysService, 'count'>
  readonly plans: OrganizationPlans
}

export class PlatformOrganizationsService {
  readonly #parts: PlatformOrganizationsParts

  constructor(parts: PlatformOrganizationsParts) {
    this.#parts = parts
  }

  async list({ q, is_active, plan, ...page }: OrganizationListQuery, principal: UserPrincipal): Promise<Page<ShownOrganization>> {
    const { identities, plans } = this.#parts
    // Without billing every organization is on the same plan.
    if (plan !== undefined && !plans.isBilled && plan !== 'self_hosted') return { items: [], total: 0 }
    const filter: Filter<OrganizationDocument> = {
      ...(is_active === undefined ? {} : { is_active }),
      ...(plan === undefined || !plans.isBilled ? {} : { plan_id: listedPlan({ code: plan }) }),
      ...(q === undefined ? {} : { anyOf: [{ name: { contains: q } }, { slug: { contains: q } }] }),
    }
    const [{ items, total }, own] = await Promise.all([identities.organizations.list(filter, findOptions(page)), identities.memberships.ofUser(principal.userId)])
    const roles = new Map(own.map(({ organization_id, role }) => [organization_id, role]))
    return { items: items.map((organization) => ({ organization, role: roles.get(organization._id) ?? null, plan: plans.listed(organization) })), total }
  }

  /** @throws ApiError resource_missing */
  async get(organizationId: string, principal: UserPrincipal): Promise<OrganizationDetail> {
    const { identities, quotas, keys, plans } = this.#parts
    const scope = identities.tenancy.of(organizationId)
    const [organization, membership] = await Promise.all([this.#organization(organizationId), identities.memberships.of(organizationId, principal.userId)])
    const [plan, grant, apiKeys, usage] = await Promise.all([plans.inForce(scope), plans.grantOf(scope), keys.count(scope), quotas.usageMetrics(scope)])
    return { organization, role: membership?.role ?? null, plan, grant: grant === null ? null : { ...grant, plan: codeOf(grant) }, apiKeys, usage }
  }

  /** Creates an organization and invites its first org_admin. @throws ApiError rate_limited */
  async create({ name, description, admin_email }: OrganizationCreateRequest, actor: Admin): Promise<OrganizationDetail> {
    const { identities, invitations, throttles } = this.#parts
    const { organizations, tenancy, commitAddition, clock } = identities
    // Counted by inviter, because each call creates another organization.
    await throttles.invitation(actor.principal.userId, admin_email)
    const now = new Date(clock())
    const scope = tenancy.of(newId())
    const context = platformContext(actor)
    const { writes, post } = invitations.prepare(scope, { email: admin_email, role: 'org_admin' }, actor, now, context)
    await organizations.withSlug(name, async (slug) => {
      const made = newOrganization(scope.organizationId, slug, name.trim(), description?.trim() ?? '', now)
      const entry = { action: 'organization.created', resource: resourceOf(made), diff: diffOf(null, made, ['name', 'slug', 'description']) } as const
      await commitAddition([organizations.adding(made), auditing(scope, context, entry, now), ...writes])
    })
    post()
    return this.get(scope.organizationId, actor.principal)
  }

  /**
   * Suspends an organization, or ends its suspension. @param ifMatch ETags of which one must match; null: no condition.
   * @throws ApiError resource_missing, precondition_failed, request_validation_failed, edit_conflict
   */
  async update(organizationId: string, { is_active, reason }: OrganizationUpdateRequest, ifMatch: IfMatch, actor: Admin): Promise<OrganizationDetail> {
    const { organizations, tenancy, commit, clock } = this.#parts.identities
    await retryStale(ATTEMPTS, async () => {
      const organization = await this.#organization(organizationId)
      requireCurrent(organization.revision, ifMatch)
      const isActive = is_active ?? organization.is_active
      if (isActive && typeof reason === 'string') throw invalidRequest([issue('/reason', 'invalid', null)], actor.locale)
      const before = { is_active: organization.is_active, suspension_reason: organization.suspension_reason ?? null }
      const after = { is_active: isActive, suspension_reason: isActive ? null : reason === undefined ? before.suspension_reason : reason === null ? null : reason.trim() }
      const diff = diffOf(before, after, AUDITED)
      if (Object.keys(diff).length === 0) return
      const now = new Date(clock())
      const suspended_at = isActive ? null : before.is_active ? now : (organization.suspended_at ?? null)
      await commit(
        [
          organizations.updating({ _id: organizationId, revision: organization.revision }, { set: { ...after, suspended_at, updated_at: now }, increment: { revision: 1 } }),
          auditing(tenancy.of(organizationId), platformContext(actor), { action: 'organization.updated', resource: resourceOf(organization), diff }, now),
        ],
        { organization: organizationId },
      )
    })
    return this.get(organizationId, actor.principal)
  }

  /** @throws ApiError resource_missing, billing_gateway_disabled, request_validation_failed, edit_conflict */
  async setPlan(organizationId: string, request: PlanGrantRequest, actor: Admin): Promise<OrganizationDetail> {
    await retryStale(ATTEMPTS, async () => this.#parts.plans.set(await this.#organization(organizationId), request, actor), { isStale: isConflict })
    return this.get(organizationId, actor.principal)
  }

  /** @throws ApiError resource_missing, billing_gateway_disabled, edit_conflict */
  async removePlan(organizationId: string, actor: Admin): Promise<void> {
    await retryStale(ATTEMPTS, async () => this.#parts.plans.remove(await this.#organization(organizationId), actor))
  }

  async #organization(organizationId: string): Promise<OrganizationDocument> {
    return required(await this.#parts.identities.organizations.byId(organizationId))
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof StaleWriteError || (error instanceof DuplicateKeyError && error.collection === PLAN_GRANTS.name)
}

function resourceOf({ _id, name }: OrganizationDocument): AuditResource {
  return { type: 'organization', id: _id, name }
}
