/** Palavras entre os textos dos registros de conhecimento, em português. */
import type { knowledge as english } from '../en-US/knowledge.js'

export const knowledge = {
  ruleOption: 'opção de regra',
  ruleAttribute: 'atributo de regra',
  tagAttribute: 'atributo de uma tag',
  tagsWithIt: 'Tags que o têm',
  decoderOption: 'opção de decoder',
  element: 'elemento',
  attributes: 'Atributos',
  values: 'Valores permitidos',
  children: 'Elementos dentro dele',
  removed: 'O Wazuh lê sem nenhum efeito.',
  example: 'Exemplo',
  events: 'Eventos que casam',
  dialects: 'Diferenças entre os dialetos de padrões osregex, osmatch e pcre2',
  construct: 'em osregex, osmatch e pcre2',
  template: 'modelo',
  tips: 'Antes de usar',
  tags: 'Etiquetas',
  usage: 'Uso',
  options: 'Opções',
  setting: 'configuração',
  error: 'erro',
} as const satisfies { readonly [Word in keyof typeof english]: string }
