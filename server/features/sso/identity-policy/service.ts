/**
 * The identity policy of an organization: read and changed (CONTRACT.md#identity-policy). `auth/session-reach.ts` enforces it. Invariants:
 *  1. while `sso_required` is set, an org_admin can log in with a password: the failure of a provider locks nobody out for good
 *  2. `sso_required` is set only in an organization that has a provider, and a plan with single sign-on; the last provider cannot be deleted meanwhile
 *  3. a change conflicts with concurrent changes of members and with the deletion of a provider, so that both hold afterwards
 */
import type { Identities } from '../../../core/auth/identities.js'
import { DEFAULT_IDENTITY_POLICY, type IdentityPolicy } from '../../../core/auth/organizations.js'
import type { Actor } from '../../../core/auth/request-context.js'
import { entersWithPassword, hasPassword } from '../../../core/auth/session-reach.js'
import { ApiError, required } from '../../../core/errors.js'
import { etagOf, type IfMatch, requireMatch } from '../../../core/etag.js'
import { issue } from '../../../core/http/validation/issue.js'
import { invalidRequest } from '../../../core/http/validation/refuse.js'
import type { Locale } from '../../../core/i18n/locale.js'
import { PROJECTS } from '../../../content/shared/project.js'
import type { Write } from '../../../core/storage/contract.js'
import { retryStale } from '../../../core/tenancy/retry-stale.js'
import type { Quotas } from '../../../core/tenancy/quotas.js'
import type { Scope } from '../../../core/tenancy/scope.js'
import { auditContext, auditing, diffOf } from '../../../core/audit/service.js'
import type { IdentityProvidersService } from '../identity-providers/service.js'
import { GROUPS_BYTES, type IdentityPolicyUpdateRequest } from './schema.js'

/** Attempts when members of the organization change concurrently. One of the concurrent changes always succeeds. */
const ATTEMPTS = 24
const PAUSE_MS = 20

const POLICY_FIELDS = ['sso_required', 'break_glass_user_ids', 'require_two_factor', 'group_mappings'] as const

export interface ShownIdentityPolicy {
  readonly policy: IdentityPolicy
  readonly etag: string
}

export interface IdentityPolicyParts {
  readonly identities: Pick<Identities, 'organizations' | 'memberships' | 'users' | 'commit' | 'clock'>
  readonly providers: Pick<IdentityProvidersService, 'hasAny'>
  readonly quotas: Pick<Quotas, 'requireFeature'>
  /** Writes for the commit that changes the group mappings. */
  readonly onMappings: (scope: Scope) => Promise<readonly Write[]>
}

export class IdentityPolicyService {
  readonly #identities: IdentityPolicyParts['identities']
  readonly #providers: IdentityPolicyParts['providers']
  readonly #quotas: IdentityPolicyParts['quotas']
  readonly #onMappings: IdentityPolicyParts['onMappings']

  constructor({ identities, providers, quotas, onMappings }: IdentityPolicyParts) {
    this.#identities = identities
    this.#providers = providers
    this.#quotas = quotas
    this.#onMappings = onMappings
  }

  /** @throws ApiError resource_missing */
  async get({ organizationId }: Scope): Promise<ShownIdentityPolicy> {
    const organization = required(await this.#identities.organizations.byId(organizationId))
    return { policy: organization.identity_policy ?? DEFAULT_IDENTITY_POLICY, etag: etagOf(organization) }
  }

  /**
   * Changes the policy. Sessions that it refuses end their requests within a second on every instance; roles follow changed mappings in the background.
   * @param ifMatch ETags of which one must match; null: no condition
   * @throws ApiError resource_missing (organization, user, project), break_glass_unusable, policy_locks_out, identity_provider_absent, sso_not_in_plan, precondition_failed, edit_conflict
   */
  update(scope: Scope, request: IdentityPolicyUpdateRequest, ifMatch: IfMatch, actor: Actor): Promise<ShownIdentityPolicy> {
    const { organizations, commit, clock } = this.#identities
    const _id = scope.organizationId
    requireShort(request, actor.locale)
    return retryStale(
      ATTEMPTS,
      async () => {
        const organization = required(await organizations.byId(_id))
        const etag = etagOf(organization)
        requireMatch(etag, ifMatch)
        const before = organization.identity_policy ?? DEFAULT_IDENTITY_POLICY
        const policy: IdentityPolicy = { ...before, ...request }
        const diff = diffOf(before, policy, POLICY_FIELDS)
        if (Object.keys(diff).length === 0) return { policy, etag }
        if (request.group_mappings !== undefined) await requireProjects(scope, policy, before)
        if (request.break_glass_user_ids !== undefined) await this.#requireUsable(_id, request.break_glass_user_ids)
        if (policy.sso_required) await this.#requireEntry(_id, policy)
        if (policy.sso_required && !before.sso_required) await this.#requireProvider(scope)
        const now = new Date(clock())
        const { revision, members_revision, name } = organization
        await commit(
          [
            organizations.updating({ _id, revision, members_revision }, { set: { identity_policy: policy, updated_at: now }, increment: { revision: 1, members_revision: 1 } }),
            auditing(scope, auditContext(actor), { action: 'identity_policy.updated', resource: { type: 'organization', id: _id, name }, diff }, now),
            ...('group_mappings' in diff ? await this.#onMappings(scope) : []),
          ],
          { organization: _id },
        )
        return { policy, etag: etagOf({ revision: revision + 1 }) }
      },
      { pauseMs: PAUSE_MS },
    )
  }

  /** @throws ApiError resource_missing for a user who is no member, break_glass_unusable for one who could not act */
  async #requireUsable(organizationId: string, userIds: readonly string[]): Promise<void> {
    const { memberships, users } = this.#identities
    const found = new Map((await memberships.ofUsers(organizationId, userIds)).map((membership) => [membership.user_id, membership]))
    const people = await users.byIds(userIds)
    for (const userId of userIds) {
      const membership = found.get(userId)
      const user = people.get(userId)
      if (membership === undefined || user === undefined) throw new ApiError('resource_missing')
      if (membership.role !== 'org_admin' || !hasPassword(user)) throw new ApiError('break_glass_unusable', { params: { user: user.email } })
    }
  }

  /** @throws ApiError sso_not_in_plan, identity_provider_absent */
  async #requireProvider(scope: Scope): Promise<void> {
    await this.#quotas.requireFeature(scope, 'sso')
    if (!(await this.#providers.hasAny(scope))) throw new ApiError('identity_provider_absent')
  }

  /** @throws ApiError policy_locks_out */
  async #requireEntry(organizationId: string, policy: IdentityPolicy): Promise<void> {
    const { memberships, users } = this.#identities
    const people = await users.byIds((await memberships.admins(organizationId)).map(({ user_id }) => user_id))
    if (![...people.values()].some((user) => entersWithPassword(user, policy, users.isPlatformAdmin(user)))) throw new ApiError('policy_locks_out')
  }
}

/** The policy is a part of the organization, which each of its requests reads. @throws ApiError request_validation_failed */
function requireShort({ group_mappings = [] }: IdentityPolicyUpdateRequest, locale: Locale): void {
  const bytes = group_mappings.reduce((sum, { group }) => sum + Buffer.byteLength(group), 0)
  if (bytes > GROUPS_BYTES) throw invalidRequest([issue('/group_mappings', 'too_many_bytes', { max_bytes: GROUPS_BYTES }, { limit: GROUPS_BYTES })], locale)
}

/** Mappings of projects that were deleted since may stay. @throws ApiError resource_missing for a new mapping of a project of another organization */
async function requireProjects(scope: Scope, { group_mappings }: IdentityPolicy, before: IdentityPolicy): Promise<void> {
  const known = new Set(before.group_mappings.map(({ project_id }) => project_id))
  const ids = [...new Set(group_mappings.flatMap(({ project_id }) => (project_id === undefined || known.has(project_id) ? [] : [project_id])))]
  if (ids.length > 0 && (await scope.collection(PROJECTS).count({ _id: { in: ids } })) < ids.length) throw new ApiError('resource_missing')
}
