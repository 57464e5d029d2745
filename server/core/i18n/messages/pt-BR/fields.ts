/** Erros de campos, em português. */
import type { None, StrayPlaceholders } from '../../texts.js'
import type { fields as english } from '../en-US/fields.js'

export const fields = {
  required: 'é obrigatório',
  required_unless: 'é obrigatório se {other} não for informado',
  unknown: 'não é um campo deste objeto',
  type: 'deve ser do tipo {type}',
  choice: 'deve ser um dos valores permitidos',
  format: 'não é um {format} válido',
  too_short: 'deve ter pelo menos {limit} caractere(s)',
  too_long: 'deve ter no máximo {limit} caractere(s)',
  too_many_bytes: 'deve ter no máximo {limit} bytes de UTF-8',
  either: 'não pode estar junto com {other}',
  too_small: 'deve ser no mínimo {limit}',
  too_large: 'deve ser no máximo {limit}',
  too_few: 'deve ter pelo menos {limit} itens',
  too_many: 'deve ter no máximo {limit} itens',
  duplicate: 'não pode conter um item duas vezes',
  too_deep: 'deve ter no máximo {limit} níveis',
  too_many_members: 'deve ter no máximo {limit} membros em um objeto',
  too_many_values: 'deve ter no máximo {limit} valores',
  too_many_names: 'deve ter no máximo {limit} nomes de membros diferentes',
  repeated: 'só pode ser informado uma vez',
  pattern: 'não tem a forma esperada',
  lacks_permission: 'indica alguém sem a permissão {permission}',
  differs: 'deve ser igual à de cima',
  too_many_cases: 'é possível para no máximo {limit} casos',
  past: 'deve estar no futuro',
  outlives: 'não pode ser posterior a {limit}, quando expira a chave que faz o pedido',
  invalid: 'não é válido',
} as const satisfies Record<keyof typeof english, string>

/** Does not compile when a text has a placeholder that the English one lacks. */
export type FieldsAgree = None<StrayPlaceholders<typeof english, typeof fields>>
