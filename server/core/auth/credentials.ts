/** The credential and the organization of a request, unchecked. */
import type { Caller } from './principal.js'

export type Credential =
  | { readonly kind: 'api_key'; readonly key: string }
  /** A JWT, from the header or the cookie. */
  | { readonly kind: 'token'; readonly token: string; readonly via: 'bearer' | 'cookie' }
  /** A token for provisioning (SCIM). */
  | { readonly kind: 'scim_token'; readonly token: string }

/** The organization that a request names. */
export interface RequestedOrganization {
  /** `{organization_id}` of the path. If it isn't the caller's, the response is 404 `resource_missing`. */
  readonly path: string | null
  /** `X-Org-Id`. If it isn't the caller's, the response is 403 `organization_not_yours`, whether or not it exists. */
  readonly header: string | null
  /** Accepts a suspended organization, so that a session in it can be ended. */
  readonly evenSuspended?: boolean
  /** The request is about the caller's own account: the organization's identity policy does not apply, so that a second factor can be set up. */
  readonly isAccount?: boolean
}

/**
 * Checks a credential and finds the organization.
 * @throws ApiError credential_invalid, user_inactive, organization_suspended, organization_not_yours, resource_missing, sso_required, second_factor_missing
 */
export type Authenticate = (credential: Credential, requested: RequestedOrganization) => Promise<Caller>
