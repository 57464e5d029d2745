/** Detalhes dos erros de SCIM, em português. */
import type { None, SameShape, StrayPlaceholders } from '../../texts.js'
import type { scim as english } from '../en-US/scim.js'

export const scim = {
  filter_too_long: 'O filtro tem mais de {limit} caracteres.',
  filter_too_deep: 'O filtro tem mais de {limit} níveis de aninhamento.',
  filter_too_many_terms: 'O filtro tem mais de {limit} comparações.',
  filter_syntax: 'O filtro não pode ser lido no caractere {position}.',
  filter_attribute_unknown: 'O filtro usa um atributo que o recurso não tem: {attribute}.',
  filter_comparison_unsupported: 'O operador {operator} não pode ser aplicado ao atributo {attribute}.',
  filter_value_wrong: 'O filtro compara {attribute} com um valor que não é do tipo {type}.',
  too_many_comparisons: 'A requisição exige mais comparações do que o serviço faz em uma requisição. Filtre por userName, externalId, displayName ou id, ou envie menos operações.',
  path_syntax: 'O caminho não pode ser lido: {path}',
  path_unknown: 'O caminho usa um atributo que o recurso não tem: {path}',
  path_filter_unsupported: 'O caminho tem um filtro em um atributo que não tem vários valores: {path}',
  path_required: 'A operação remove exige um caminho.',
  target_missing: 'Nenhum valor corresponde ao caminho: {path}',
  attribute_read_only: 'O atributo {attribute} é somente leitura.',
  attribute_immutable: 'O atributo {attribute} não pode ser alterado depois de ter um valor.',
  attribute_required: 'O atributo {attribute} é obrigatório e não pode ser removido.',
  value_missing: 'O atributo {attribute} é obrigatório.',
  value_wrong: 'O valor de {attribute} não é do tipo {type}.',
  value_too_long: 'Um valor de {attribute} tem mais de {limit} caracteres.',
  values_too_many: 'O atributo {attribute} tem mais de {limit} valores.',
  values_primary: 'Mais de um valor de {attribute} é primário.',
  member_unknown: 'Não há usuário com o identificador {member}. Provisione os usuários antes de torná-los membros.',
  member_type_wrong: 'Os membros de um grupo são usuários; grupos não podem ser membros.',
  members_too_many: 'Os grupos da resposta têm, juntos, mais de {limit} membros. Envie excludedAttributes=members ou um count menor.',
  resource_too_large: 'Os textos do recurso têm, juntos, mais de {limit} caracteres.',
  email_missing: 'O usuário precisa de um endereço de e-mail: em emails ou como userName.',
  body_wrong: 'O corpo não é um objeto JSON.',
  schema_missing: 'O atributo schemas deve conter {schema}.',
  operations_missing: 'O corpo exige uma lista Operations com ao menos uma operação.',
  operations_too_many: 'O corpo tem mais de {limit} operações.',
  operation_wrong: 'A operação de índice {index} exige um op, que é add, remove ou replace, e no máximo um caminho que é um texto.',
  operation_value_missing: 'A operação de índice {index} exige um valor. Sem caminho, o valor é um objeto.',
  parameter_wrong: 'O parâmetro {parameter} tem um valor incorreto.',
  parameters_exclusive: 'Envie attributes ou excludedAttributes, não os dois.',
  sort_attribute_wrong: 'Os recursos não podem ser ordenados por {attribute}.',
} as const satisfies SameShape<typeof english>

/** Does not compile when a text has a placeholder that the English one lacks. */
export type ScimAgrees = None<StrayPlaceholders<typeof english, typeof scim>>
