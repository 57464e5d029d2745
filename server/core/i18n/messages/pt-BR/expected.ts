/** O que deveria ser um campo errado de uma requisição, onde nenhum esquema o diz; em português. */
import type { None, StrayPlaceholders } from '../../texts.js'
import type { expected as english } from '../en-US/expected.js'

export const expected = {
  value: 'um valor',
  value_or_null: 'um valor ou null',
  value_or_events: 'um valor, ou events',
  distinct_entries: 'itens diferentes entre si',
  review_of_workspace: 'uma revisão de source_workspace_id',
  relative_path: 'caminho relativo sem `..`',
  branch_name: 'nome de um branch do Git',
  own_path: 'caminho absoluto na própria origem',
  rules_xml: 'XML de regras em grupos',
  decoders_xml: 'XML de decoders',
  url_without_credentials: 'http-uri sem credenciais',
  plain_url: 'http-uri sem credenciais, query e fragmento',
  plain_https_url: 'https-uri sem credenciais, query e fragmento',
  metadata_url: 'http-uri sem credenciais e fragmento',
  metadata_https_url: 'https-uri sem credenciais e fragmento',
  metadata_address: 'o endereço dos metadados',
  own_condition: 'uma condição que só as suas pessoas cumprem',
  login_tenants: 'os tenants cujos usuários podem entrar',
  new_client_secret: 'o segredo para o novo issuer ou discovery_url',
  new_credentials: 'as credenciais para o novo base_url',
  rsa_key: 'uma chave RSA em PEM',
} as const satisfies Record<keyof typeof english, string>

/** Compiles only if no text has a placeholder that the English one lacks. */
export type ExpectedAgree = None<StrayPlaceholders<typeof english, typeof expected>>
