/** The sentences of an explanation. */
import type { Locale } from '../diagnostics/text.js'

const ENGLISH = {
  notLoadedSet: (why: string) => `Wazuh refuses to load this ruleset, so no rule is tried. ${why}`.trim(),
  unknownRule: (id: string, known: string | null) => `No rule ${id} is loaded, and no file defines one.${known === null ? '' : ` There is a rule ${known}.`}`,
  droppedRule: (id: string, message: string) => `Rule ${id} is not loaded. ${message}`,
  refusedEvent: (why: string | null) => why ?? 'Wazuh drops this event before any rule is tried.',
  final: (id: string) => `Rule ${id} is the final rule of this event.`,
  overruled: (id: string, child: string) => `Rule ${id} matches, but its child ${child} matches too, and a child that matches replaces its parent.`,
  container: (id: string) => `Rule ${id} matches, but it has noalert="1": it is only a container for its children, and none of them matches.`,
  wonInstead: (id: string, wanted: string, sibling: string, level: number, why: string) =>
    `Rule ${id} is never tried: rule ${sibling} (level ${level}) is before ${wanted === id ? 'it' : `its ancestor ${wanted}`} in the tree, because ${why}, and matches first, and the first match wins.`,
  /** Why a rule is tried before its sibling. */
  order: { 'level-zero': 'level 0 is tried first', level: 'its level is higher', load: 'it is loaded earlier' },
  neverTried: (id: string) => `Rule ${id} is never tried for this event: another rule matches first.`,
  at: (id: string, failing: string) => (id === failing ? '' : `The event does not reach rule ${id}, because it fails at its ancestor ${failing}. `),
  decoderProgram: (pattern: string, program: string | null) =>
    program === null ? `program_name "${pattern}": the event has no program name` : `program_name "${pattern}": the program is "${program}"`,
  decoderPattern: (tag: string, pattern: string, matched: string) =>
    matched === '' ? `${tag} "${pattern}": no part of it matches` : `${tag} "${pattern}": it matches up to "${matched}"`,
  decoderLater: (winner: string) => `decoder "${winner}" is tried before it and matches`,
}

export type ExplainWords = typeof ENGLISH

export const EXPLAIN_WORDS: Readonly<Record<Locale, ExplainWords>> = {
  'en-US': ENGLISH,
  'pt-BR': {
    notLoadedSet: (why) => `O Wazuh se recusa a carregar este conjunto de regras, então nenhuma regra é testada. ${why}`.trim(),
    unknownRule: (id, known) => `Nenhuma regra ${id} está carregada, e nenhum arquivo a define.${known === null ? '' : ` Existe uma regra ${known}.`}`,
    droppedRule: (id, message) => `A regra ${id} não está carregada. ${message}`,
    refusedEvent: (why) => why ?? 'O Wazuh descarta este evento antes de testar qualquer regra.',
    final: (id) => `A regra ${id} é a regra final deste evento.`,
    overruled: (id, child) => `A regra ${id} casa, mas a filha ${child} também casa, e a regra filha que casa substitui a regra pai.`,
    container: (id) => `A regra ${id} casa, mas tem noalert="1": é só um recipiente para as filhas, e nenhuma delas casa.`,
    wonInstead: (id, wanted, sibling, level, why) =>
      `A regra ${id} nunca é testada: a regra ${sibling} (nível ${level}) está antes ${wanted === id ? 'dela' : `da ancestral ${wanted}`} na árvore, porque ${why}, e casa primeiro, e a primeira que casa vence.`,
    order: { 'level-zero': 'o nível 0 é testado primeiro', level: 'o nível dela é maior', load: 'ela é carregada antes' },
    neverTried: (id) => `A regra ${id} nunca é testada para este evento: outra regra casa antes.`,
    at: (id, failing) => (id === failing ? '' : `O evento não chega à regra ${id}, porque falha na ancestral ${failing}. `),
    decoderProgram: (pattern, program) =>
      program === null ? `program_name "${pattern}": o evento não tem nome de programa` : `program_name "${pattern}": o programa é "${program}"`,
    decoderPattern: (tag, pattern, matched) => (matched === '' ? `${tag} "${pattern}": nenhuma parte dele casa` : `${tag} "${pattern}": casa até "${matched}"`),
    decoderLater: (winner) => `o decoder "${winner}" é testado antes e casa`,
  },
}
