/** The sentences of an explanation. */
import type { Locale } from '../diagnostics/text.js'

export interface ExplainWords {
  readonly notLoadedSet: (why: string) => string
  readonly unknownRule: (id: string, known: string | null) => string
  readonly droppedRule: (id: string, message: string) => string
  readonly refusedEvent: (why: string | null) => string
  readonly final: (id: string) => string
  readonly overruled: (id: string, child: string) => string
  readonly container: (id: string) => string
  readonly wonInstead: (id: string, wanted: string, sibling: string, level: number) => string
  readonly neverTried: (id: string) => string
  readonly at: (id: string, failing: string) => string
  readonly decoderProgram: (pattern: string, program: string | null) => string
  readonly decoderPattern: (tag: string, pattern: string, matched: string) => string
  readonly decoderLater: (winner: string) => string
}

export const EXPLAIN_WORDS: Readonly<Record<Locale, ExplainWords>> = {
  'en-US': {
    notLoadedSet: (why) => `Wazuh refuses to load this ruleset, so no rule is tried. ${why}`.trim(),
    unknownRule: (id, known) => `No rule ${id} is loaded, and no file defines one.${known === null ? '' : ` There is a rule ${known}.`}`,
    droppedRule: (id, message) => `Rule ${id} is not loaded. ${message}`,
    refusedEvent: (why) => why ?? 'Wazuh drops this event before any rule is tried.',
    final: (id) => `Rule ${id} answers for this event.`,
    overruled: (id, child) => `Rule ${id} matches, but its child ${child} matches too, and a child's answer replaces its parent's.`,
    container: (id) => `Rule ${id} matches, but it has noalert="1": it is only a container for its children, and none of them matches.`,
    wonInstead: (id, wanted, sibling, level) =>
      `Rule ${id} is never tried: rule ${sibling} (level ${level}) is before ${wanted === id ? 'it' : `its ancestor ${wanted}`} in the tree and matches first, and the first match wins.`,
    neverTried: (id) => `Rule ${id} is never tried for this event: another rule matches first.`,
    at: (id, failing) => (id === failing ? '' : `The event does not come as far as rule ${id}: it fails at its ancestor ${failing}. `),
    decoderProgram: (pattern, program) =>
      program === null ? `program_name "${pattern}": the event has no program name` : `program_name "${pattern}": the program is "${program}"`,
    decoderPattern: (tag, pattern, matched) => (matched === '' ? `${tag} "${pattern}": nothing of it matches` : `${tag} "${pattern}": it matches as far as "${matched}"`),
    decoderLater: (winner) => `decoder "${winner}" is tried before it and matches`,
  },
  'pt-BR': {
    notLoadedSet: (why) => `O Wazuh se recusa a carregar este conjunto de regras, então nenhuma regra é tentada. ${why}`.trim(),
    unknownRule: (id, known) => `Nenhuma regra ${id} está carregada, e nenhum arquivo a define.${known === null ? '' : ` Existe uma regra ${known}.`}`,
    droppedRule: (id, message) => `A regra ${id} não está carregada. ${message}`,
    refusedEvent: (why) => why ?? 'O Wazuh descarta este evento antes de tentar qualquer regra.',
    final: (id) => `A regra ${id} responde por este evento.`,
    overruled: (id, child) => `A regra ${id} casa, mas a filha ${child} também casa, e a resposta da filha substitui a do pai.`,
    container: (id) => `A regra ${id} casa, mas tem noalert="1": é só um recipiente para as filhas, e nenhuma delas casa.`,
    wonInstead: (id, wanted, sibling, level) =>
      `A regra ${id} nunca é consultada: a regra ${sibling} (nível ${level}) está antes ${wanted === id ? 'dela' : `da ancestral ${wanted}`} na árvore e casa primeiro, e a primeira que casa vence.`,
    neverTried: (id) => `A regra ${id} nunca é consultada para este evento: outra regra responde antes.`,
    at: (id, failing) => (id === failing ? '' : `O evento não chega até a regra ${id}: ele falha na ancestral ${failing}. `),
    decoderProgram: (pattern, program) =>
      program === null ? `program_name "${pattern}": o evento não tem nome de programa` : `program_name "${pattern}": o programa é "${program}"`,
    decoderPattern: (tag, pattern, matched) => (matched === '' ? `${tag} "${pattern}": nada dele casa` : `${tag} "${pattern}": casa até "${matched}"`),
    decoderLater: (winner) => `o decoder "${winner}" é tentado antes e casa`,
  },
}
