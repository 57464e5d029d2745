/** Lists the refusals of a route: those it declares, and those that follow from its access, body and limits. */
import type { ErrorReason } from '../core/errors.js'
import { needsChangeableProject } from '../core/http/limits/over-limit.js'
import type { Route } from '../core/http/route.js'

const CREDENTIAL = ['credential_missing', 'credential_invalid'] as const
/** For callers that act in an organization. */
const IN_ORGANIZATION = ['organization_not_yours', 'organization_suspended', 'sso_required', 'second_factor_missing', 'user_inactive', 'plan_quota_exceeded'] as const

const BY_ACCESS: Readonly<Record<Route['access']['kind'], readonly ErrorReason[]>> = {
  public: [],
  optional_session: [],
  credential: [...CREDENTIAL, ...IN_ORGANIZATION, 'api_access_not_in_plan'],
  user: ['credential_missing', 'credential_invalid', 'session_required', 'organization_not_yours', 'user_inactive', 'plan_quota_exceeded'],
  session: [...CREDENTIAL, 'session_required', 'organization_missing', ...IN_ORGANIZATION],
  permission: [...CREDENTIAL, 'permission_missing', 'organization_missing', ...IN_ORGANIZATION, 'api_access_not_in_plan'],
  scim: ['credential_missing', 'credential_invalid', 'scim_token_required', 'organization_not_yours', 'organization_suspended', 'plan_quota_exceeded'],
  platform_admin: ['credential_missing', 'credential_invalid', 'session_required', 'platform_admin_required', 'user_inactive'],
}

/** Unordered, without duplicates. */
export function refusalsOf(route: Route): readonly ErrorReason[] {
  const reasons = new Set<ErrorReason>([...BY_ACCESS[route.access.kind], ...(route.errors ?? [])])
  if (route.access.kind === 'permission' && route.method !== 'GET') reasons.add('over_plan_limit')
  if (needsChangeableProject(route)) reasons.add('project_archived')
  if (route.access.kind !== 'public' && route.access.kind !== 'scim' && route.method !== 'GET') reasons.add('origin_refused')
  if (route.responses[200]?.isStrict === true) reasons.add('not_acceptable')
  if (route.path.includes('{')) reasons.add('resource_missing').add('path_malformed')
  if (route.rateLimit !== undefined) reasons.add('rate_limited')
  if (readsBody(route)) {
    for (const reason of ['body_unparseable', 'payload_too_large', 'media_type_unsupported', 'media_type_missing', 'body_encoded', 'request_timeout', 'chunks_too_small'] as const)
      reasons.add(reason)
  }
  if (route.body?.as === 'stream' && route.body.isEncodable === true) reasons.add('body_encoding_broken')
  if (route.invalidBody !== undefined) reasons.add(route.invalidBody)
  if (route.ifMatch !== undefined && route.ifMatch !== false) reasons.add('precondition_failed').add('header_malformed')
  if (route.idempotencyKey === true) reasons.add('idempotency_key_reused').add('idempotency_in_progress').add('header_malformed')
  // All other routes refuse query parameters that are not declared.
  if (route.body?.as === 'ignored') reasons.add('payload_too_large')
  else reasons.add('request_validation_failed')
  return [...reasons.add('internal_error').add('database_unavailable').add('handler_timeout').add('shutting_down').add('limit_reached')]
}

/** Routes without a declared body refuse one that is sent, except where it has no meaning (RFC 9110, 9.3.1 and 9.3.5). */
function readsBody({ method, body }: Route): boolean {
  return body === undefined ? method !== 'GET' && method !== 'DELETE' : body.as !== 'ignored'
}
