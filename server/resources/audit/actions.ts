/** THE table of audited actions: `resource.verb`, and what it says. */
export const AUDIT_ACTIONS = {
  'organization.created': 'An organization was made, by bootstrap or registration.',
  'organization.updated': 'A platform admin changed an organization.',
  'user.created': 'A user account was made.',
  'user.updated': 'A user account was changed.',
  'user.password_reset_requested': 'A password reset was asked for.',
  'user.password_reset': 'A password was set with a reset token; all sessions of the user ended.',
  'session.created': 'A user logged in.',
  'session.revoked': 'A user logged out.',
  'member.added': 'A user became a member.',
  'member.updated': "A member's role was changed.",
  'member.removed': 'A member was removed.',
  'invitation.created': 'Someone was invited.',
  'invitation.revoked': 'An invitation was taken back.',
  'invitation.accepted': 'An invitation was accepted.',
  'api_key.created': 'An API key was made.',
  'api_key.rotated': 'An API key got a new secret.',
  'api_key.revoked': 'An API key was revoked.',
} as const

export type AuditAction = keyof typeof AUDIT_ACTIONS
