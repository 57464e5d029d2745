/** Connections to identity providers: client secrets are sealed when they are stored, and opened for the gateway only. */
import { seal, UnsealError, unsealWithAny } from '../../../core/auth/sealing.js'
import { ApiError } from '../../../core/errors.js'
import type { OidcConnection } from '../oidc/gateway.js'
import type { IdentityProviderDocument } from './store.js'

type Place = Pick<IdentityProviderDocument, 'organization_id' | '_id'>

/** Returns the place to which the secret is bound when it is sealed. */
export function sealedFor({ organization_id, _id }: Place): string {
  return `identity-provider:${organization_id}:${_id}`
}

export function sealSecret(key: Buffer, secret: string, place: Place): string {
  return seal(key, secret, sealedFor(place))
}

/** @param keys of `Secrets`, for reading @throws ApiError credentials_unreadable */
export function connectionOf(keys: readonly Buffer[], provider: IdentityProviderDocument): OidcConnection {
  return {
    issuer: provider.issuer,
    discoveryUrl: provider.discovery_url,
    clientId: provider.client_id,
    clientSecret: provider.client_secret === null ? null : openSecret(keys, provider.client_secret, provider),
    scopes: provider.scopes,
    tenantIds: provider.tenant_ids,
    requiredClaims: provider.required_claims,
    emailClaim: provider.email_claim,
    groupsClaim: provider.groups_claim,
  }
}

function openSecret(keys: readonly Buffer[], sealed: string, place: Place): string {
  try {
    return unsealWithAny(keys, sealed, sealedFor(place))
  } catch (error) {
    if (error instanceof UnsealError) throw new ApiError('credentials_unreadable')
    throw error
  }
}
