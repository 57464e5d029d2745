/** Why a rule has no Sigma text, and what a text leaves out, in each language. */
import { type Locale, LOCALES } from '../diagnostics/text.js'
import type { Construct } from './detection.js'

type Pair = readonly [english: string, portuguese: string]

export const CONSTRUCT_TEXTS = {
  counts: [
    'It counts earlier events of several rules, of a rule that counts, or by a text, or a rule above it counts.',
    'Ela conta eventos anteriores de várias regras, de uma regra que conta ou por um texto, ou uma regra acima dela conta.',
  ],
  time: ['It depends on the time of day; a rule of Sigma sees only the event.', 'Depende da hora do dia; uma regra Sigma só vê o evento.'],
  weekday: ['It depends on the day of the week; a rule of Sigma sees only the event.', 'Depende do dia da semana; uma regra Sigma só vê o evento.'],
  if_fts: ['It asks whether the values are seen for the first time; Sigma has no memory.', 'Pergunta se os valores aparecem pela primeira vez; Sigma não tem memória.'],
  check_diff: ['It compares the log with an earlier one; Sigma has no memory.', 'Compara o log com um anterior; Sigma não tem memória.'],
  compiled_rule: ['It uses a test that is built into Wazuh 4.', 'Usa um teste embutido no Wazuh 4.'],
  list: [
    'It uses a list that is empty, is too long for a rule, or is looked up in a way that Sigma does not have.',
    'Usa uma lista vazia, longa demais para uma regra ou consultada de um modo que Sigma não tem.',
  ],
  regex: [
    "Its pattern needs more than the regular expressions that Sigma's specification names, such as a look-ahead or a back-reference.",
    'Seu padrão precisa de mais do que as expressões regulares que a especificação Sigma cita, como um look-ahead ou uma retrorreferência.',
  ],
  geoip: ['It reads a field that only builds with GeoIP have.', 'Lê um campo que só existe em builds com GeoIP.'],
  address: ['Its addresses are no networks in CIDR notation.', 'Seus endereços não são redes em notação CIDR.'],
  field_name: ['It reads a field with "|" in its name, which separates modifiers in Sigma.', 'Lê um campo com "|" no nome, que em Sigma separa modificadores.'],
  parents: [
    'It has too many parents, or parents for too many decoders: write a rule for those that matter.',
    'Tem pais demais, ou pais de decoders demais: escreva uma regra para os que importam.',
  ],
  never: ['It has a condition that no text meets.', 'Tem uma condição que nenhum texto satisfaz.'],
  compares: [
    'It counts events with different values, one by one against the last; Sigma only counts distinct values.',
    'Conta eventos com valores diferentes, um a um contra o último; Sigma só conta valores distintos.',
  ],
} as const satisfies Readonly<Record<Construct, Pair>>

export const NOTE_TEXTS = {
  not_excluded: [
    'The rules {rules} take some of these events in Wazuh 4 and are not excluded, because Sigma cannot say their conditions or they have none: there are more findings.',
    'As regras {rules} ficam com parte destes eventos no Wazuh 4 e não são excluídas, porque Sigma não expressa suas condições ou elas não têm nenhuma: há mais achados.',
  ],
  ignore: [
    'After an alert Wazuh 4 ignores the rule for {seconds} s. Set that where findings are made into alerts.',
    'Depois de um alerta o Wazuh 4 ignora a regra por {seconds} s. Configure isso onde achados viram alertas.',
  ],
  placeholders: ['The description names fields of the event; here they are only named.', 'A descrição cita campos do evento; aqui eles só são nomeados.'],
  correlation_not_read: [
    'Wazuh\'s pages about rules of version 5 do not name "correlation": count the findings of the first rule with a monitor instead.',
    'As páginas do Wazuh sobre regras da versão 5 não citam "correlation": conte os achados da primeira regra com um monitor.',
  ],
  last_event: [
    'In Wazuh 4 the last event also has to meet the conditions of rule {rule} itself, which a correlation cannot say.',
    'No Wazuh 4 o último evento também precisa satisfazer as condições da própria regra {rule}, o que uma correlação não expressa.',
  ],
} as const satisfies Readonly<Record<string, Pair>>

export type NoteCode = keyof typeof NOTE_TEXTS

export function sayPair(pair: Pair, params: Readonly<Record<string, string | number>>, locale: Locale): string {
  return pair[LOCALES.indexOf(locale)].replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole))
}
