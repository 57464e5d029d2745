/** What a request shows of who it is, before anything is checked. */
import type { Principal } from './principal.js'

export type Credential =
  | { readonly kind: 'api_key'; readonly key: string }
  /** A JWT, by header or cookie. */
  | { readonly kind: 'token'; readonly token: string; readonly via: 'bearer' | 'cookie' }

/** Which organization a request is for. */
export interface RequestedOrganization {
  /** `{organization_id}` of the path: one that isn't the caller's is 404 `resource_missing`. */
  readonly path: string | null
  /** `X-Org-Id`: one that isn't the caller's is 403 `organization_not_yours`, whether or not it exists. */
  readonly header: string | null
  /** A suspended organization will do as well: a session in it can still be ended. */
  readonly evenSuspended?: boolean
}

/**
 * Checks a credential and finds the organization.
 * @throws ApiError credential_invalid, user_inactive, organization_suspended, organization_not_yours, resource_missing
 */
export type Authenticate = (credential: Credential, requested: RequestedOrganization) => Promise<Principal>
