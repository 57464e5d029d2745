/** Mensagens a chats em português. */
import type { None, SameShape, StrayPlaceholders } from '../../texts.js'
import type { messaging as english } from '../en-US/messaging.js'

export const messaging = {
  open: 'Abrir',
  test: { title: 'Mensagem de teste', text: 'A integração {integration} publica aqui os seus eventos.' },
  events: {
    'validation.completed': { title: 'Conteúdo validado', text: 'Diagnósticos: {diagnostic_count}. Regras: {total_rules}. Decoders: {total_decoders}.' },
    'logtest.completed': { title: 'Evento testado', text: 'Regra final: {matched_rule_id}.' },
    'regression.completed': { title: 'Casos executados: {project_name}', text: 'Aprovados: {passed_cases}. Com falha: {failed_cases}. Total: {total_cases}.' },
    'regression.passed': { title: 'Casos aprovados: {project_name}', text: 'Aprovados: {passed_cases} de {total_cases}.' },
    'regression.failed': { title: 'Casos com falha: {project_name}', text: 'Com falha: {failed_cases} de {total_cases}.' },
    'review.created': { title: 'Revisão solicitada: {title}', text: 'Projeto: {project_name}.' },
    'review.approved': { title: 'Revisão aprovada: {title}', text: 'Projeto: {project_name}.' },
    'review.changes_requested': { title: 'Mudanças solicitadas: {title}', text: 'Projeto: {project_name}.' },
    'review.rejected': { title: 'Revisão rejeitada: {title}', text: 'Projeto: {project_name}.' },
    'version.created': { title: 'Versão criada: {name}', text: 'Projeto: {project_name}. Nota de qualidade: {quality_score}.' },
    'version.published': { title: 'Versão publicada: {name}', text: 'Projeto: {project_name}. Nota de qualidade: {quality_score}.' },
    'publish.failed': {
      title: 'Versão não publicada: {name}',
      text: 'Projeto: {project_name}. Nota de qualidade: {quality_score}. Condições do controle de qualidade que não foram atendidas: {failed_rules}.',
    },
    'feedback.created': { title: 'Novo relato: {title}', text: 'Tipo: {kind}.' },
    'api_key.created': { title: 'Chave de API criada: {name}', text: 'Escopos: {scopes}.' },
    'api_key.revoked': { title: 'Chave de API revogada: {name}', text: '' },
  },
} as const satisfies SameShape<typeof english>

/** Does not compile when a text has a placeholder that the English one lacks. */
export type MessagingAgrees = None<StrayPlaceholders<(typeof english)['events'], (typeof messaging)['events']>>
