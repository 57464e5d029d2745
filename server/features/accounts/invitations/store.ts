/** Stored invitations. Only a hash of the token is stored, by which the invitation and its organization are found. */
import type { EnterpriseRole } from '../../../core/tenancy/permissions.js'
import { type TenantDocument, tenantCollection } from '../../../core/storage/contract.js'
import type { Scope, ScopedCollection, Tenancy } from '../../../core/tenancy/scope.js'

export interface InvitationDocument extends TenantDocument {
  readonly email: string
  readonly email_key: string
  readonly role: EnterpriseRole
  readonly token_hash: string
  /** A pending invitation may have expired: `expires_at` decides. */
  readonly status: 'pending' | 'accepted' | 'linked'
  /**
   * Whether a platform admin invited an address that the settings list as a platform admin's. Only such an invitation can create that user, and only
   * platform admins see its token, because the person who accepts it becomes a platform admin.
   */
  readonly makes_platform_admin: boolean
  readonly expires_at: Date
  readonly accepted_at: Date | null
  readonly created_at: Date
}

export const INVITATIONS = tenantCollection<InvitationDocument>(
  'invitations',
  [{ keys: { created_at: -1, _id: -1 } }, { keys: { expires_at: -1, _id: -1 } }, { keys: { email: 1, _id: 1 } }, { keys: { email_key: 1 } }],
  ['token_hash'],
)

export class InvitationStore {
  readonly #tenancy: Tenancy

  constructor(tenancy: Tenancy) {
    this.#tenancy = tenancy
  }

  of(scope: Scope): ScopedCollection<InvitationDocument> {
    return scope.collection(INVITATIONS)
  }

  /** Finds the invitation of a token, of any organization. */
  async byTokenHash(hash: string): Promise<{ readonly scope: Scope; readonly invitation: InvitationDocument } | null> {
    const found = await this.#tenancy.locate(INVITATIONS, 'token_hash', hash)
    return found === null ? null : { scope: found.scope, invitation: found.document }
  }
}
