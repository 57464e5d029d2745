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
  account_notice: {
    text: `Olá,

{change}

Horário: {at} (UTC)
{origin}
Se não foi você, defina uma nova senha imediatamente e avise um administrador da sua organização:

{link}`,
  },
  account_origin: { text: 'Endereço: {address}\n' },
  account_password_changed: {
    subject: 'Sua senha foi alterada',
    text: 'a senha da sua conta foi alterada. Todas as outras sessões foram encerradas.',
  },
  account_password_reset: {
    subject: 'Sua senha foi redefinida',
    text: 'a senha da sua conta foi definida com um link enviado por e-mail. Todas as sessões foram encerradas.',
  },
  account_second_factor_enabled: {
    subject: 'Um segundo fator foi adicionado à sua conta',
    text: 'um segundo fator foi adicionado à sua conta: os logins com a senha agora precisam de um código. Todas as outras sessões foram encerradas.',
  },
  account_second_factor_removed: {
    subject: 'O segundo fator da sua conta foi removido',
    text: 'o segundo fator da sua conta foi removido: os logins precisam apenas da senha. Todas as outras sessões foram encerradas.',
  },
  account_second_factor_removed_by_admin: {
    subject: 'Um administrador removeu o segundo fator da sua conta',
    text: 'um administrador do serviço removeu o segundo fator da sua conta: os logins precisam apenas da senha. Todas as sessões foram encerradas. Configure-o novamente após o próximo login.',
  },
  account_recovery_code_used: {
    subject: 'Um código de recuperação foi usado',
    text: 'um código de recuperação foi usado no lugar do segundo fator da sua conta. Ele não é mais válido.',
  },
  account_recovery_codes_created: {
    subject: 'Seus códigos de recuperação foram substituídos',
    text: 'os códigos de recuperação da sua conta foram substituídos. Os anteriores não são mais válidos.',
  },
} as const satisfies { readonly [K in keyof typeof english]: { readonly [P in keyof (typeof english)[K]]: string } }

/** Does not compile when a text has a placeholder that the English one lacks. */
export type MailAgrees = None<StrayPlaceholders<typeof english, typeof mail>>
