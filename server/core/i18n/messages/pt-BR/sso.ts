/** What a validation of an identity provider finds, in Brazilian Portuguese. */
import type { sso as english } from '../en-US/sso.js'

export const sso = {
  client_unconfirmed: 'O endpoint de token não diz se aceita client_id e client_secret.',
  authorization_unconfirmed: 'O endpoint de autorização recusou uma requisição sem a participação de uma pessoa. Faça login uma vez para ver se funciona.',
  scope_unsupported: 'O provedor não anuncia um dos escopos. Ele pode recusar logins que o solicitam.',
  domain_unproven:
    'A organização não comprovou este domínio: outra organização que o comprove fica com ele, e contas existentes com esses endereços não são vinculadas. Comprove-o com POST …/domains.',
  default_role_admin: 'Todas as pessoas que entram com este provedor tornam-se administradoras da organização.',
  email_unverified: 'O Entra ID não envia email_verified. Sem trust_email, ninguém entra com este provedor.',
} as const satisfies Record<keyof typeof english, string>
