/** What a test of a provider shows: what the provider sent, and what a login with it would do. It has names of claims and not their values, which may be private. */
import type { Static } from 'typebox'
import { ApiError } from '../../../core/errors.js'
import type { ProvenIdentity } from '../oidc/gateway.js'
import { errorBody } from '../../../core/http/response/error-response.js'
import type { RequestContext } from '../../../core/auth/request-context.js'
import type { UserDocument } from '../../../core/auth/users.js'
import type { Memberships } from '../../../core/tenancy/memberships.js'
import type { MembersService } from '../../accounts/index.js'
import type { ScopedProvider, SsoAdmission, SsoOutcome } from './admission.js'
import { type SentGroups, sentGroups } from './groups.js'
import type { SsoTestReport } from './schema.js'

export interface TestReportParts {
  readonly memberships: Pick<Memberships, 'of'>
  readonly members: Pick<MembersService, 'previewGroups'>
  readonly admission: Pick<SsoAdmission, 'preview'>
}

/** Composes the report, and changes nothing. */
export async function testReport(parts: TestReportParts, place: ScopedProvider, identity: ProvenIdentity, requestContext: RequestContext): Promise<Static<typeof SsoTestReport>> {
  const { provider } = place
  const { issuer, subject, email, emailVerified, name, claims } = identity
  const sent = sentGroups(provider.groups_claim, identity)
  const sentFields = {
    provider_id: provider._id,
    provider_name: provider.name,
    issuer,
    subject,
    email,
    email_verified: emailVerified,
    name,
    claims: Object.keys(claims).sort(),
    groups: sent.kind === 'read' ? [...sent.groups] : null,
    groups_status: sent.kind,
  }
  const decision = await decide(parts, place, identity)
  if (decision instanceof ApiError) {
    const { code, message, hint } = errorBody(decision, requestContext.locale, requestContext.requestId)
    return { ...sentFields, outcome: 'refused', refusal: { code, message, hint }, account: null, role: null, project_roles: [] }
  }
  const { outcome, user } = decision
  const roles = await rolesOf(parts, place, sent, user)
  return { ...sentFields, outcome, refusal: null, account: user?.email ?? null, role: roles.role, project_roles: [...roles.projects] }
}

async function decide({ admission }: TestReportParts, place: ScopedProvider, identity: ProvenIdentity): Promise<{ outcome: SsoOutcome; user: UserDocument | null } | ApiError> {
  try {
    return await admission.preview(place, identity)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

async function rolesOf({ memberships, members }: TestReportParts, { scope, provider }: ScopedProvider, sent: SentGroups, user: UserDocument | null) {
  const membership = user === null ? null : await memberships.of(scope.organizationId, user._id)
  const role = membership?.role ?? provider.default_role
  return sent.kind === 'read' ? members.previewGroups(scope, user?._id ?? null, role, sent.groups, provider.default_role) : { role, projects: [] }
}
