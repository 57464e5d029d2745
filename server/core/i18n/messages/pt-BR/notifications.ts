/** Notificações no aplicativo em português. */
import type { None, StrayPlaceholders } from '../../texts.js'
import type { notifications as english } from '../en-US/notifications.js'

export const notifications = {
  'review.created': { title: 'Revisão solicitada: {title}', body: '{actor} abriu uma revisão no projeto {project}.' },
  'review.approved': { title: 'Revisão aprovada: {title}', body: '{actor} aprovou a revisão no projeto {project}.' },
  'review.changes_requested': { title: 'Mudanças solicitadas: {title}', body: '{actor} solicitou mudanças no projeto {project}.' },
  'review.rejected': { title: 'Revisão rejeitada: {title}', body: '{actor} rejeitou a revisão no projeto {project}.' },
  'review.closed': { title: 'Revisão encerrada: {title}', body: '{actor} encerrou a revisão no projeto {project}.' },
  'review.commented': { title: 'Novo comentário: {title}', body: '{actor} comentou na revisão do projeto {project}.' },
  'version.published': { title: 'Versão publicada: {version}', body: '{actor} publicou uma versão do projeto {project}.' },
  'publish.failed': { title: 'Versão não publicada: {version}', body: 'O projeto {project} não passou no controle de qualidade.' },
  'project.member_added': { title: 'Você foi adicionado a {project}', body: '{actor} deu a você o papel {role} no projeto {project}.' },
  'api.quota.warning': { title: 'Limite do plano quase atingido: {metric}', body: '{consumed} de {limit} em uso.' },
  'billing.payment_failed': { title: 'Um pagamento falhou', body: 'O plano {plan} vale até {until}. Verifique a forma de pagamento no portal do cliente.' },
  'billing.trial_ending': {
    title: 'O período de teste do plano {plan} termina em {until}',
    body: 'Depois vem o primeiro pagamento. Altere ou cancele a assinatura no portal do cliente.',
  },
  'billing.plan_ended': {
    title: 'O plano {former} terminou',
    body: 'A organização está agora no plano {plan}. Nada foi excluído; o que passa dos limites só pode ser lido.',
  },
  'webhook.disabled': { title: 'Webhook desativado', body: 'O serviço não envia mais nada a {host}. Verifique o receptor e ative o webhook novamente.' },
  'integration.disabled': { title: 'Integração desativada: {name}', body: 'O serviço não publica mais nada no chat. Verifique o webhook de entrada e ative a integração de novo.' },
  'api_key.owner_left': {
    title: 'Chaves de API de um ex-membro: {count}',
    body: '{member} deixou a organização, e as suas chaves de API continuam funcionando. Revogue as que não são usadas; gere um novo segredo para as outras, e você passa a ser responsável por elas.',
  },
  'api_key.owner_left_revoked': {
    title: 'Chaves de API revogadas: {count}',
    body: '{member} deixou a organização, e as suas chaves de API foram revogadas, como exige a política de chaves.',
  },
  'feedback.updated': { title: 'Seu feedback: {title}', body: 'O estado agora é {status}.' },
  'feedback.created': { title: 'Novo feedback: {title}', body: 'Alguém enviou um relato de feedback.' },
  'replay.finished': { title: 'Replay de {corpus}: {status}', body: 'O replay que você iniciou terminou.' },
  'account.password_changed': { title: 'Sua senha foi alterada', body: 'Se não foi você, defina uma nova senha e avise um administrador da sua organização.' },
  'account.password_reset': { title: 'Sua senha foi redefinida', body: 'Se não foi você, defina uma nova senha e avise um administrador da sua organização.' },
  'account.second_factor_enabled': {
    title: 'Um segundo fator foi adicionado à sua conta',
    body: 'Se não foi você, defina uma nova senha e avise um administrador da sua organização.',
  },
  'account.second_factor_removed': {
    title: 'O segundo fator da sua conta foi removido',
    body: 'Se não foi você, defina uma nova senha e avise um administrador da sua organização.',
  },
  'account.second_factor_removed_by_admin': {
    title: 'Um administrador removeu o segundo fator da sua conta',
    body: 'Se não foi você, defina uma nova senha e avise um administrador da sua organização.',
  },
  'account.recovery_code_used': { title: 'Um código de recuperação foi usado', body: 'Se não foi você, defina uma nova senha e avise um administrador da sua organização.' },
  'account.recovery_codes_created': {
    title: 'Seus códigos de recuperação foram substituídos',
    body: 'Se não foi você, defina uma nova senha e avise um administrador da sua organização.',
  },
} as const satisfies { readonly [K in keyof typeof english]: { readonly [P in keyof (typeof english)[K]]: string } }

/** Does not compile when a text has a placeholder that the English one lacks. */
export type NotificationsAgree = None<StrayPlaceholders<typeof english, typeof notifications>>
