/** The texts around verdicts about Wazuh 5, in each language. */
import type { Locale, SigmaVerdict } from '#engine'

const ENGLISH = {
  title: 'Rules for Wazuh 5',
  verdicts: {
    as_is: 'as it is',
    flattened: 'with the conditions of its parents, without the events of other rules',
    needs_correlation: 'needs a correlation',
    impossible: 'impossible',
    not_needed: 'not needed, as it never alerts',
  } as Readonly<Record<SigmaVerdict, string>>,
  columns: ['Rule', 'Reasons, text and proof'] as readonly string[],
  above: (id: string) => `Rule ${id} above it`,
  matches: 'must match',
  matchesNot: 'must not match',
  assumed: [
    'Known from public documentation only: the Sigma specification 2, and the pages of Wazuh about rules of version 5.',
    'Assumed: the log source is the category and the decoder of Wazuh 4, "message" is the log without its header, dynamic fields keep their names, which Sigma compares with their case, and the others are named so:',
  ] as readonly string[],
}

export type SigmaWords = typeof ENGLISH

export const SIGMA_WORDS: Readonly<Record<Locale, SigmaWords>> = {
  'en-US': ENGLISH,
  'pt-BR': {
    title: 'Regras para o Wazuh 5',
    verdicts: {
      as_is: 'como está',
      flattened: 'com as condições dos pais, sem os eventos de outras regras',
      needs_correlation: 'precisa de correlação',
      impossible: 'impossível',
      not_needed: 'desnecessária, pois nunca alerta',
    },
    columns: ['Regra', 'Motivos, texto e prova'],
    above: (id) => `Regra ${id} acima dela`,
    matches: 'deve casar',
    matchesNot: 'não deve casar',
    assumed: [
      'Conhecido só pela documentação pública: a especificação Sigma 2 e as páginas do Wazuh sobre regras da versão 5.',
      'Suposto: a fonte de log é a categoria e o decoder do Wazuh 4, "message" é o log sem o cabeçalho, campos dinâmicos mantêm seus nomes, que Sigma compara com maiúsculas e minúsculas, e os outros se chamam assim:',
    ],
  },
}
