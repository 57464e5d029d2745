/** Erros de chamadas inválidas da linha de comando, em português. */
import type { None, SameShape, StrayPlaceholders } from '../../texts.js'
import type { usage as english } from '../en-US/usage.js'

const seeHelp = 'Veja {call} --help.'

export const usage = {
  command_unknown: { message: 'comando desconhecido: {command}', hint: 'Comandos: {commands}.' },
  command_misspelt: { message: 'comando desconhecido: {command}', hint: 'Você quis dizer {near}?' },
  option_before_command: { message: 'opção desconhecida: {option}', hint: 'Escreva primeiro o comando: {call} COMANDO.' },
  option_unknown: { message: 'opção desconhecida: {option}', hint: seeHelp },
  option_of_wazuh: { message: 'opção desconhecida {option}', hint: 'O que ela faz no wazuh-logtest, --{here} faz aqui.' },
  option_misspelt: { message: 'opção desconhecida: {option}', hint: 'Você quis dizer --{near}?' },
  option_without_value: { message: 'falta o valor da opção {option}', hint: seeHelp },
  option_value_ambiguous: { message: 'o valor da opção {option} é ambíguo', hint: seeHelp },
  option_takes_no_value: { message: 'a opção {option} não recebe valor', hint: seeHelp },
  value_not_choice: { message: '--{option} não pode ser "{value}"', hint: 'Os valores possíveis são: {choices}.' },
  output_without_file: { message: '--output {format} não indica um arquivo', hint: 'Escreva --output {format}=ARQUIVO.' },
  value_not_number: { message: '--{option} não pode ser "{value}"', hint: 'Deve ser um número de pelo menos {min}.' },
  value_not_rule_id: { message: '--{option} não pode ser "{value}"', hint: 'Deve ser o id de uma regra.' },
  value_not_unit_test: { message: '--unit-test não pode ser "{value}"', hint: 'Deve ser REGRA:NÍVEL:DECODER, como 5710:5:sshd.' },
  operand_unexpected: { message: 'o argumento "{operand}" não é aceito', hint: seeHelp },
  session_of_json_lines: { message: '--session não pode ser combinada com --jsonl', hint: 'Com --jsonl, cada linha pode ter um "session_id".' },
  unit_test_of_json_lines: { message: '--unit-test não pode ser combinado com --jsonl', hint: 'Serve para linhas comuns.' },
  options_both: { message: '--{first} e --{second} não podem ser combinadas', hint: seeHelp },
  option_needs: { message: '--{option} precisa de --{other}', hint: seeHelp },
  value_not_port: { message: '--port não pode ser "{value}"', hint: 'Deve ser um número de 0, para qualquer porta livre, a {max}.' },
  port_taken: { message: 'a porta {port} está em uso', hint: 'Indique outra com --port, ou 0 para qualquer porta livre.' },
  ruleset_without_folder: { message: '--ruleset precisa de uma pasta de conteúdo', hint: 'Sem ela, solte um conjunto de regras na página.' },
  stores_both: { message: '--data-dir e --mongodb-url não podem ser combinadas', hint: seeHelp },

  content_missing: { message: 'nada a validar', hint: 'Indique arquivos ou pastas, ou --custom CAMINHO, ou --ruleset DIR.' },
  contents_not_two: { message: 'diff compara dois conteúdos', hint: 'Escreva {call} ANTIGO NOVO: pastas, arquivos ou REV:caminho.' },
  upgrade_incomplete: { message: 'guard compara dois conjuntos de regras sob o seu conteúdo', hint: 'Escreva {call} --from CONJUNTO --to CONJUNTO --custom CAMINHO.' },
  content_not_loaded: { message: 'o Wazuh não iniciaria com {content}: {reason}', hint: 'validate mostra todos os diagnósticos.' },
  expect_missing: { message: 'nenhuma regra', hint: 'Indique a regra esperada com --expect ID.' },
  git_failed: { message: 'o git falhou: {reason}', hint: 'REV:caminho e bisect precisam do programa git e de um repositório na pasta atual.' },
  revision_unknown: { message: 'não há aqui uma revisão {revision} do Git', hint: 'Indique um commit, branch ou tag do repositório na pasta atual.' },
  revision_too_large: { message: '{revision} tem mais de {files} arquivos de conteúdo ou {bytes} bytes', hint: 'Indique uma pasta só com conteúdo.' },
  revisions_none: { message: 'nenhuma revisão altera {path}', hint: 'Indique o conteúdo no repositório com --path.' },
  revisions_none_load: { message: 'o Wazuh não iniciaria com nenhuma de {count} revisões', hint: 'Indique a base com --ruleset, ou outras revisões com --from e --to.' },
  events_too_many: { message: 'mais de {limit} eventos', hint: 'Indique uma sequência menor.' },
  code_missing: { message: 'falta o código', hint: 'Indique o código de um diagnóstico, como rule_parent_missing.' },
  code_unknown: { message: 'não existe o diagnóstico {code}', hint: 'schema --diagnostics mostra todos.' },
  code_misspelt: { message: 'não existe o diagnóstico {code}', hint: 'Você quis dizer {near}?' },
  transport_missing: { message: 'falta o transporte', hint: 'Editores o chamam com --stdio.' },
  cases_missing: { message: 'nenhum arquivo de testes', hint: 'Indique suítes de testes, ou pastas com suítes.' },
  pattern_missing: { message: 'nenhum padrão', hint: "Uso: regex --engine pcre2 'PADRÃO' 'ENTRADA'." },
  events_missing: { message: 'nenhum evento', hint: 'Indique um arquivo com eventos, ou {stdin} para a entrada padrão.' },
  backup_missing: { message: 'nenhum arquivo', hint: 'Indique um arquivo.' },
  backups_several: { message: 'mais de um arquivo', hint: 'Indique um único arquivo.' },

  file_not_found: { message: 'arquivo não encontrado: {file}', hint: seeHelp },
  path_not_folder: { message: '{path} não é uma pasta', hint: 'Indique a pasta do arquivo.' },
  folder_too_large: { message: '{folder} tem mais de {files} arquivos de conteúdo, {bytes} bytes dele, ou {entries} entradas', hint: 'Indique uma pasta só com conteúdo.' },
  folder_not_empty: { message: '{folder} não está vazia', hint: 'Indique uma pasta nova.' },
  file_is_folder: { message: '{file} é uma pasta', hint: 'Indique os arquivos que estão nela.' },
  file_too_large: { message: '{file} tem mais de {limit} bytes', hint: seeHelp },
  file_not_content: {
    message: '{file} não contém regras, decoders nem uma lista',
    hint: 'Cada linha de uma lista é chave:valor ou chave:; todo arquivo em uma pasta chamada lists é lido como lista.',
  },
  folder_without_content: { message: '{folder}: não há regras, decoders nem listas nesta pasta', hint: seeHelp },
  folder_without_cases: { message: '{folder}: não há arquivos .ini nem .json nesta pasta', hint: 'Indique outra pasta ou aceite-a com --allow-empty.' },
  folder_without_ruleset: { message: '{folder}: não há um conjunto de regras aqui', hint: 'A pasta de um conjunto de regras contém decoders/, rules/ ou lists/.' },
  folder_without_store: { message: 'não há um armazenamento embutido em {folder}', hint: seeHelp },
  events_none: { message: 'não há eventos na entrada', hint: seeHelp },
  events_refused: { message: 'nenhum dos eventos pode ser executado', hint: 'O Wazuh recusa uma "location" que comece com "[" e não tenha "]".' },
} as const satisfies SameShape<typeof english>

/** Does not compile when a text has a placeholder that the English one lacks. */
export type UsageAgrees = None<StrayPlaceholders<typeof english, typeof usage>>
