/** Invitations as the API returns them. */
import type { Static } from 'typebox'
import type { InvitationStatus, OrganizationInvitationRecord } from './schema.js'
import type { InvitationDocument } from './store.js'

/** @param token empty if the reader may not see it @param now milliseconds since the epoch */
export function presentInvitation(invitation: InvitationDocument, token: string, now: number): Static<typeof OrganizationInvitationRecord> {
  return {
    id: invitation._id,
    organization_id: invitation.organization_id,
    email: invitation.email,
    role: invitation.role,
    token,
    status: statusOf(invitation, now),
    expires_at: invitation.expires_at.toISOString(),
    created_at: invitation.created_at.toISOString(),
  }
}

/** @param now milliseconds since the epoch */
export function statusOf({ status, expires_at }: InvitationDocument, now: number): InvitationStatus {
  return status === 'pending' && expires_at.getTime() <= now ? 'expired' : status
}
