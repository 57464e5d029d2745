/** Mail in English. */
export const mail = {
  invitation: {
    subject: 'Invitation to {organization}',
    text: `Hello,

{inviter} invites you to the organization "{organization}", with the role {role}.

To accept, open this address:

{link}

The invitation expires on {expires_at} (UTC). If you did not expect it, ignore this message.`,
  },
  password_reset: {
    subject: 'Set a new password',
    text: `Hello,

someone, probably you, asked to set a new password for this address.

To set one, open this address:

{link}

It can be used once, until {expires_at} (UTC). If it was not you, ignore this message: your password stays as it is.`,
  },
  webhook_disabled: {
    subject: 'A webhook of {organization} was disabled',
    text: `Hello,

the webhook of the organization "{organization}" that sends to {host}{description} was disabled. {reason}

Nothing is sent to it until someone enables it again:

PATCH {path}
{"is_active": true}`,
  },
  integration_disabled: {
    subject: 'An integration of {organization} was disabled',
    text: `Hello,

the integration "{name}" of the organization "{organization}" was disabled. {reason}

Nothing is posted to the chat until someone enables it again:

PATCH {path}
{"is_active": true}`,
  },
  integration_gone: { text: 'The incoming webhook of the chat does not exist any more.' },
  integration_failing: { text: 'The incoming webhook of the chat has accepted nothing for five days.' },
  webhook_gone: { text: 'Its receiver responded 410 (Gone).' },
  webhook_failing: { text: 'Its receiver has accepted nothing for five days.' },
  account_notice: {
    text: `Hello,

{change}

Time: {at} (UTC)
{origin}
If it was not you, set a new password at once, and tell an administrator of your organization:

{link}`,
  },
  account_origin: { text: 'Address: {address}\n' },
  account_password_changed: {
    subject: 'Your password was changed',
    text: 'the password of your account was changed. All other sessions have ended.',
  },
  account_password_reset: {
    subject: 'Your password was reset',
    text: 'the password of your account was set with a link that was mailed to you. All sessions have ended.',
  },
  account_second_factor_enabled: {
    subject: 'A second factor was added to your account',
    text: 'a second factor was added to your account: logins with the password need a code now. All other sessions have ended.',
  },
  account_second_factor_removed: {
    subject: 'The second factor of your account was removed',
    text: 'the second factor of your account was removed: logins need the password alone. All other sessions have ended.',
  },
  account_second_factor_removed_by_admin: {
    subject: 'An administrator removed the second factor of your account',
    text: 'an administrator of the service removed the second factor of your account: logins need the password alone. All sessions have ended. Set it up again after the next login.',
  },
  account_recovery_code_used: {
    subject: 'A recovery code was used',
    text: 'a recovery code was used in place of the second factor of your account. It is not valid any more.',
  },
  account_recovery_codes_created: {
    subject: 'Your recovery codes were replaced',
    text: 'the recovery codes of your account were replaced. Earlier ones are not valid any more.',
  },
} as const satisfies Record<string, { readonly subject?: string; readonly text: string }>
