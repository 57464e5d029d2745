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
} as const satisfies Record<string, { readonly subject?: string; readonly text: string }>
