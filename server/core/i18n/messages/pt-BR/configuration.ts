/** Erros nas configurações do serviço, em português. */
import type { None, SameShape, StrayPlaceholders } from '../../texts.js'
import type { configuration as english } from '../en-US/configuration.js'

export const configuration = {
  unknown: '{variable} não é uma configuração deste serviço',
  secret_required: '{variable} é obrigatória quando {other} está definida',
  secret_file_wrong: '{path} não contém uma chave secreta; restaure o arquivo, ou defina {variable}',
  secret_file_lost: '{path} não pode ser lido depois de gravado',
  secret_changed:
    'a chave secreta não é aquela com que o armazenamento foi criado: defina {variable} com aquela (ou recoloque o arquivo secret.key na pasta de dados), defina {previous} com ela para trocar a chave, ou inicie uma vez com {option}, o que invalida sessões, chaves de API, convites, redefinições de senha, segredos de webhooks e credenciais de integrações',
  argument_unknown: '{argument} não é uma opção do serviço; ele só aceita {option}',
  ruleset_refused: '{variable}: o Wazuh não iniciaria com este conjunto de regras: {place}: {code} (erros: {count})',
  ruleset_refused_whole: '{variable}: o Wazuh não iniciaria com este conjunto de regras',
  processes_without_threads: '{variable}: deve ser no máximo {threads}, o número de threads de análise ({other}): cada processo precisa de uma',
  unparsed: '{variable}: não pode ser lida',
  empty: '{variable}: não pode ser vazia',
  too_short: '{variable}: deve ter pelo menos {characters} caracteres',
  not_bearer: '{variable}: só pode ter letras, dígitos e ._~+/=-',
  not_integer: '{variable}: deve ser um número inteiro de {min} a {max}',
  not_flag: '{variable}: deve ser true ou false',
  not_choice: '{variable}: deve ser um destes: {choices}',
  not_url: '{variable}: deve ser uma URL que comece com {first} ou {second} e um host',
  url_not_plain: '{variable}: deve ser uma URL sem usuário, sem query e sem fragmento',
  not_sender: '{variable}: deve ser um endereço de e-mail, ou um nome e <um endereço de e-mail>',
  not_address: '{variable}: deve ser um host e uma porta, como 10.0.0.7:8081; cada processo precisa de uma porta própria, a partir desta',
  not_mongodb: '{variable}: deve começar com mongodb:// ou mongodb+srv://',
  not_emails: '{variable}: devem ser endereços de e-mail separados por vírgulas',
  not_networks: '{variable}: devem ser endereços ou CIDRs separados por vírgulas',
  not_path: '{variable}: deve ser um caminho que comece com uma só /, sem fragmento',
  not_stripe_key: '{variable}: deve ser uma chave da Stripe que comece com {prefix}',
  not_prices: '{variable}: devem ser preços da Stripe como team.month=price_123, separados por vírgula, cada um uma só vez',
  price_without_plan: '{variable}: {plan} não é um plano que se possa comprar',
} as const satisfies SameShape<typeof english>

/** Does not compile when a text has a placeholder that the English one lacks. */
export type ConfigurationAgrees = None<StrayPlaceholders<typeof english, typeof configuration>>
