/** The groups of an identity, as its provider sends them. */
import type { ProvenIdentity } from '../oidc/gateway.js'

export type SentGroups =
  | { readonly kind: 'read'; readonly groups: readonly string[] }
  /** Roles stay as they are. */
  | { readonly kind: 'not_requested' | 'overage' | 'malformed' }

/**
 * A claim that is missing means no group: Okta and Entra ID leave an empty list out. Entra ID replaces a list that is too long for a token with a reference in
 * `_claim_names` (overage); what cannot be read says nothing about roles.
 */
export function sentGroups(groupsClaim: string | null, { groups, claims }: Pick<ProvenIdentity, 'groups' | 'claims'>): SentGroups {
  if (groupsClaim === null) return { kind: 'not_requested' }
  if (groups !== null) return { kind: 'read', groups }
  const references = claims._claim_names
  if (typeof references === 'object' && references !== null && Object.hasOwn(references, groupsClaim)) return { kind: 'overage' }
  return (claims[groupsClaim] ?? null) === null ? { kind: 'read', groups: [] } : { kind: 'malformed' }
}
