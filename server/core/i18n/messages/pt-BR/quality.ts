/** Os termos da nota de qualidade em português. */
import type { None, StrayPlaceholders } from '../../texts.js'
import type { quality as english } from '../en-US/quality.js'

export const quality = {
  errors: { title: 'Erros', explanation: 'Erros no conteúdo: {count}. Cada um desconta {each} pontos, até {most}. Com qualquer erro, a nota é no máximo 59.' },
  warnings: { title: 'Avisos', explanation: 'Avisos no conteúdo: {count}. Cada um desconta {each} pontos, até {most}.' },
  infos: { title: 'Observações', explanation: 'Observações sobre o conteúdo: {count}. Cada uma desconta {each} ponto, até {most}.' },
  untested_rules: { title: 'Regras sem teste', explanation: 'Regras que nenhum caso cobre: {count} de {of}. O desconto é proporcional, até {most} pontos.' },
  failed_cases: { title: 'Casos com falha', explanation: 'Casos que falham: {count} de {of}. O desconto é proporcional, até {most} pontos.' },
} as const satisfies { readonly [T in keyof typeof english]: { readonly [P in keyof (typeof english)[T]]: string } }

/** Does not compile when a text has a placeholder that the English one lacks. */
export type QualityAgree = None<StrayPlaceholders<typeof english, typeof quality>>
