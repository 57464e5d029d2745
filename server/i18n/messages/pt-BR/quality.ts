/** Os termos da nota de qualidade em português. */
import type { None, StrayPlaceholders } from '../../texts.js'
import type { quality as english } from '../en-US/quality.js'

export const quality = {
  errors: { title: 'Erros', explanation: 'Erros no conteúdo: {count}. Cada um tira {each} pontos, até {most}. Enquanto houver um, a nota é no máximo 59.' },
  warnings: { title: 'Avisos', explanation: 'Avisos no conteúdo: {count}. Cada um tira {each} pontos, até {most}.' },
  infos: { title: 'Observações', explanation: 'Observações sobre o conteúdo: {count}. Cada uma tira {each} ponto, até {most}.' },
  untested_rules: { title: 'Regras sem teste', explanation: 'Regras pelas quais nenhum caso passa: {count} de {of}. Todas tirariam {most} pontos; algumas, a sua parte.' },
  failed_cases: { title: 'Casos com falha', explanation: 'Casos que falham: {count} de {of}. Todos tirariam {most} pontos; alguns, a sua parte.' },
} as const satisfies { readonly [T in keyof typeof english]: { readonly [P in keyof (typeof english)[T]]: string } }

/** Does not compile when a text has a placeholder of its own. */
export type QualityAgree = None<StrayPlaceholders<typeof english, typeof quality>>
