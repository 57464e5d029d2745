/** Erros na entrada de um comando, em português: uma linha de JSON, um caso em um arquivo. */
import type { None, SameShape, StrayPlaceholders } from '../../texts.js'
import type { cases as casesEnglish, lines as linesEnglish, remarks as remarksEnglish } from '../en-US/input.js'

export const lines = {
  invalid_json: 'não é um JSON legível: {reason}',
  line_too_long: 'a linha tem mais de {limit} bytes',
  line_not_object: 'a linha não é um objeto',
  event_not_object: 'o evento {number} não é um objeto',
  file_not_object: 'o arquivo {number} não é um objeto',
  not_text: '"{member}" não é um texto',
  not_list: '"{member}" não é uma lista',
  not_choice: '"{member}" deve ser um destes: {choices}',
  too_long: '"{member}" tem mais de {limit} caracteres',
  line_event_not_text: '"event" da linha não é um texto',
  event_not_text: '"event" do evento {number} não é um texto',
  events_missing: 'a linha não tem "event" nem "events"',
  record_of_wazuh: 'a linha é uma linha do archives.json ou do alerts.json; --unwrap executa o log que está nela',
  record_without_log: 'a linha é uma linha do archives.json ou do alerts.json, e o log que chegou não está nela',
  events_both: 'a linha tem "event" e "events" ao mesmo tempo',
  file_member_not_text: '"{member}" do arquivo {number} não é um texto',
  file_kind: '"kind" do arquivo {number} deve ser um destes: {choices}',
  flags: '"substrings" e "case_sensitive" devem ser true ou false',
} as const satisfies SameShape<typeof linesEnglish>

export const cases = {
  name: 'linha {line}',
  line_unread: 'não é uma seção, nem um comentário, nem uma chave (log N pass, log N fail, rule, alert, decoder)',
  clock_misplaced: 'o relógio ("; now = …") deve ser uma hora ISO com fuso, como 2026-01-05T22:30:00-03:00, acima de uma seção',
  section_empty: 'a seção "{section}" não tem nenhum evento e não testa nada',
  not_json: 'não é JSON: {reason}',
  list_missing: 'o arquivo não tem uma lista "cases"',
  not_object: 'o caso não é um objeto',
  not_text: '"{member}" não é um texto',
  not_text_list: '"{member}" não é uma lista de textos',
  not_rule_id: '"{member}" não é um texto (ids de regras são textos)',
  not_choice: '"{member}" não é um destes: {choices}',
  not_events: '"{member}" não é uma lista de {form}',
  not_number: '"{member}" não é um número',
  not_flag: '"{member}" não é true nem false',
  not_fields: '"{member}" não é um objeto de textos',
  not_time: '"{member}" não é uma hora ISO com fuso, como 2026-01-05T22:30:00-03:00',
  name_missing: 'o caso não tem "name"',
  member_unknown: 'um caso não tem "{member}"',
  member_misspelt: 'um caso não tem "{member}"; você quis dizer "{near}"?',
  event_missing: 'o caso não tem "event_text" nem "events"',
  events_both: 'o caso tem "event_text" e "events" ao mesmo tempo',
  events_backwards: 'os segundos "at" de "events" diminuem',
} as const satisfies SameShape<typeof casesEnglish>

export const remarks = {
  member_ignored: 'um caso não tem "{member}", por isso ele é ignorado',
  clock_of_case: 'o resultado depende da hora da execução, porque uma regra com <time> ou <weekday> foi testada; defina o relógio do caso: "now": "2026-01-05T22:30:00-03:00"',
  clock_of_section:
    'o resultado depende da hora da execução, porque uma regra com <time> ou <weekday> foi testada; defina o relógio em uma linha acima da seção: ; now = 2026-01-05T22:30:00-03:00',
} as const satisfies SameShape<typeof remarksEnglish>

/** Does not compile when a text has a placeholder that the English one lacks. */
export type InputAgrees = None<
  StrayPlaceholders<typeof linesEnglish, typeof lines> | StrayPlaceholders<typeof casesEnglish, typeof cases> | StrayPlaceholders<typeof remarksEnglish, typeof remarks>
>
