/** Mensagens de e-mail em português. */
import type { None, StrayPlaceholders } from '../../texts.js'
import type { mail as english } from '../en-US/mail.js'

export const mail = {
  invitation: {
    subject: 'Convite para {organization}',
    text: `Olá,

{inviter} convida você para a organização "{organization}", com o papel {role}.

Para aceitar, abra este endereço:

{link}

O convite expira em {expires_at} (UTC). Se você não o esperava, ignore esta mensagem.`,
  },
  password_reset: {
    subject: 'Defina uma nova senha',
    text: `Olá,

alguém, provavelmente você, pediu para definir uma nova senha para este endereço.

Para definir uma, abra este endereço:

{link}

O endereço pode ser usado uma vez, até {expires_at} (UTC). Se não foi você, ignore esta mensagem: sua senha continua a mesma.`,
  },
  webhook_disabled: {
    subject: 'Um webhook de {organization} foi desativado',
    text: `Olá,

o webhook da organização "{organization}" que envia a {host}{description} foi desativado. {reason}

Nada será enviado a ele até que alguém o ative novamente:

PATCH {path}
{"is_active": true}`,
  },
  integration_disabled: {
    subject: 'Uma integração de {organization} foi desativada',
    text: `Olá,

a integração "{name}" da organização "{organization}" foi desativada. {reason}

Nada será publicado no chat até que alguém a ative novamente:

PATCH {path}
{"is_active": true}`,
  },
  integration_gone: { text: 'O webhook de entrada do chat não existe mais.' },
  integration_failing: { text: 'O webhook de entrada do chat não aceita nada há cinco dias.' },
  webhook_gone: { text: 'O receptor respondeu 410 (Gone).' },
  webhook_failing: { text: 'O receptor não aceita nada há cinco dias.' },
} as const satisfies { readonly [K in keyof typeof english]: { readonly [P in keyof (typeof english)[K]]: string } }

/** Does not compile when a text has a placeholder that the English one lacks. */
export type MailAgrees = None<StrayPlaceholders<typeof english, typeof mail>>
