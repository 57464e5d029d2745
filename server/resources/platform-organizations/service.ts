/** Administration of organizations by platform admins. Audit entries are stored in the organizations, whose admins read them. */
import type { Identities } from '../../auth/identities.js'
import { newOrganization, type OrganizationDocument } from '../../auth/organizations.js'
import type { EnterpriseRole } from '../../tenancy/permissions.js'
import type { UserPrincipal } from '../../auth/principal.js'
import type { Throttles } from '../../auth/throttles.js'
import type { Actor } from '../../auth/request-context.js'
import { ApiError } from '../../errors.js'
import { etagOf, type IfMatch, requireMatch } from '../../etag.js'
import type { Filter } from '../../storage/contract.js'
import { newId } from '../../storage/id.js'
import { findOptions, type Page } from '../../tenancy/page.js'
import { type AuditResource, auditing, diffOf, platformContext } from '../audit/service.js'
import { retryStale } from '../../tenancy/retry-stale.js'
import type { InvitationsService } from '../invitations/service.js'
import type { OrganizationCreateRequest, OrganizationListQuery, OrganizationUpdateRequest } from './schema.js'

/** Attempts of a change that conflicts with concurrent changes. */
const ATTEMPTS = 8

/** An organization and the caller's role in it. */
export interface ShownOrganization {
  readonly organization: OrganizationDocument
  readonly role: EnterpriseRole | null
}

type Admin = Actor<UserPrincipal>

export interface PlatformOrganizationsParts {
  readonly identities: Identities
  readonly invitations: Pick<InvitationsService, 'prepare'>
  readonly throttles: Pick<Throttles, 'invitation'>
}

export class PlatformOrganizationsService {
  readonly #identities: Identities
  readonly #invitations: Pick<InvitationsService, 'prepare'>
  readonly #throttles: Pick<Throttles, 'invitation'>

  constructor({ identities, invitations, throttles }: PlatformOrganizationsParts) {
    this.#identities = identities
    this.#invitations = invitations
    this.#throttles = throttles
  }

  async list(query: OrganizationListQuery, principal: UserPrincipal): Promise<Page<ShownOrganization>> {
    const filter: Filter<OrganizationDocument> = {
      ...(query.is_active === undefined ? {} : { is_active: query.is_active }),
      ...(query.q === undefined ? {} : { anyOf: [{ name: { contains: query.q } }, { slug: { contains: query.q } }] }),
    }
    const { organizations, memberships } = this.#identities
    const [{ items, total }, own] = await Promise.all([organizations.list(filter, findOptions(query)), memberships.ofUser(principal.userId)])
    const roles = new Map(own.map(({ organization_id, role }) => [organization_id, role]))
    return { items: items.map((organization) => ({ organization, role: roles.get(organization._id) ?? null })), total }
  }

  /** @throws ApiError resource_missing */
  async get(organizationId: string, principal: UserPrincipal): Promise<ShownOrganization> {
    const { organizations, memberships } = this.#identities
    const [organization, membership] = await Promise.all([organizations.byId(organizationId), memberships.of(organizationId, principal.userId)])
    if (organization === null) throw new ApiError('resource_missing')
    return { organization, role: membership?.role ?? null }
  }

  /** Creates an organization and invites its first org_admin. @throws ApiError rate_limited */
  async create({ name, description, admin_email }: OrganizationCreateRequest, actor: Admin): Promise<ShownOrganization> {
    const { organizations, tenancy, commitAddition, clock } = this.#identities
    // Counted by inviter, because each call creates another organization.
    await this.#throttles.invitation(actor.principal.userId, admin_email)
    const now = new Date(clock())
    const scope = tenancy.of(newId())
    const { writes, post } = this.#invitations.prepare(scope, { email: admin_email, role: 'org_admin' }, actor, now, platformContext(actor))
    const organization = await organizations.withSlug(name, async (slug) => {
      const made = newOrganization(scope.organizationId, slug, name.trim(), description?.trim() ?? '', now)
      const entry = { action: 'organization.created', resource: resourceOf(made), diff: diffOf(null, made, ['name', 'slug', 'description']) } as const
      await commitAddition([organizations.adding(made), auditing(scope, platformContext(actor), entry, now), ...writes])
      return made
    })
    post()
    return { organization, role: null }
  }

  /** Suspends an organization or ends its suspension. @param ifMatch ETags of which one must match; null: no condition. @throws ApiError resource_missing, precondition_failed, edit_conflict */
  async update(organizationId: string, { is_active }: OrganizationUpdateRequest, ifMatch: IfMatch, actor: Admin): Promise<ShownOrganization> {
    const { organizations, tenancy, commit, clock } = this.#identities
    return retryStale(ATTEMPTS, async () => {
      const shown = await this.get(organizationId, actor.principal)
      const { organization } = shown
      requireMatch(etagOf(organization), ifMatch)
      if (is_active === undefined || is_active === organization.is_active) return shown
      const now = new Date(clock())
      const diff = diffOf(organization, { ...organization, is_active }, ['is_active'])
      await commit(
        [
          organizations.updating({ _id: organizationId, revision: organization.revision }, { set: { is_active, updated_at: now }, increment: { revision: 1 } }),
          auditing(tenancy.of(organizationId), platformContext(actor), { action: 'organization.updated', resource: resourceOf(organization), diff }, now),
        ],
        { organization: organizationId },
      )
      return this.get(organizationId, actor.principal)
    })
  }
}

function resourceOf({ _id, name }: OrganizationDocument): AuditResource {
  return { type: 'organization', id: _id, name }
}
