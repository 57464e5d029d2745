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
  readonly wonInstead: (id: string, asked: string, sibling: string, level: number) => string
  readonly neverAsked: (id: string) => string
  readonly at: (id: string, failing: string) => string
  readonly category: (wanted: string, actual: string) => string
  readonly decoder: (wanted: string, actual: string | null) => string
  readonly absent: (tag: string, field: string) => string
  readonly differs: (tag: string, pattern: string, text: string) => string
  readonly negated: (tag: string, pattern: string, text: string) => string
  readonly other: (tag: string, pattern: string) => string
  readonly stopped: (matched: string, expected: string) => string
  readonly list: (list: string, field: string, text: string | null) => string
  readonly history: (tag: string, counted: number, needed: number, timeframe: number) => string
  readonly historySilent: (tag: string, counted: string) => string
  readonly checkDiff: string
  readonly fts: string
  readonly noFts: (decoder: string | null) => string
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
    wonInstead: (id, asked, sibling, level) =>
      `Rule ${id} is never asked: rule ${sibling} (level ${level}) stands before ${asked === id ? 'it' : `its ancestor ${asked}`} in the tree and matches first, and the first match wins.`,
    neverAsked: (id) => `Rule ${id} is never asked for this event: another rule answers first.`,
    at: (id, failing) => (id === failing ? '' : `The event does not come as far as rule ${id}: it fails at its ancestor ${failing}. `),
    category: (wanted, actual) => `The rule stands under the category "${wanted}", but the decoder gives the event the type "${actual}".`,
    decoder: (wanted, actual) => `The rule asks for the decoder "${wanted}", but ${actual === null ? 'no decoder matched' : `"${actual}" answered`}.`,
    absent: (tag, field) => `<${tag}> looks at the field "${field}", which the event does not have.`,
    differs: (tag, pattern, text) => `<${tag}> "${pattern}" does not match "${text}".`,
    negated: (tag, pattern, text) => `<${tag} negate="yes"> "${pattern}" matches "${text}", so it fails.`,
    other: (tag, pattern) => `The condition ${tag} (${pattern}) does not hold.`,
    stopped: (matched, expected) => `It matches as far as "${matched}"; then "${expected}" does not fit.`,
    list: (list, field, text) =>
      text === null ? `The list ${list} is asked for the field "${field}", which the event does not have.` : `The look-up of ${field} "${text}" in the list ${list} fails.`,
    history: (tag, counted, needed, timeframe) => `${tag} needs ${needed} earlier events within ${timeframe} seconds, and found ${counted}.`,
    historySilent: (tag, counted) => `${tag} counts events of rule ${counted}, which has level 0 or noalert; such events are never remembered, so it can never fire.`,
    checkDiff: 'check_diff passes only when an earlier event of this host and rule had another text.',
    fts: 'if_fts passes only the first time, and these values were seen before.',
    noFts: (decoder) => `if_fts needs a decoder with <fts>, and ${decoder === null ? 'no decoder matched' : `"${decoder}" has none`}.`,
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
    wonInstead: (id, asked, sibling, level) =>
      `A regra ${id} nunca é consultada: a regra ${sibling} (nível ${level}) está antes ${asked === id ? 'dela' : `da ancestral ${asked}`} na árvore e casa primeiro, e a primeira que casa vence.`,
    neverAsked: (id) => `A regra ${id} nunca é consultada para este evento: outra regra responde antes.`,
    at: (id, failing) => (id === failing ? '' : `O evento não chega até a regra ${id}: ele falha na ancestral ${failing}. `),
    category: (wanted, actual) => `A regra está na categoria "${wanted}", mas o decoder dá ao evento o tipo "${actual}".`,
    decoder: (wanted, actual) => `A regra pede o decoder "${wanted}", mas ${actual === null ? 'nenhum decoder casou' : `quem respondeu foi "${actual}"`}.`,
    absent: (tag, field) => `<${tag}> olha para o campo "${field}", que o evento não tem.`,
    differs: (tag, pattern, text) => `<${tag}> "${pattern}" não casa com "${text}".`,
    negated: (tag, pattern, text) => `<${tag} negate="yes"> "${pattern}" casa com "${text}", por isso falha.`,
    other: (tag, pattern) => `A condição ${tag} (${pattern}) não é satisfeita.`,
    stopped: (matched, expected) => `Casa até "${matched}"; depois disso, "${expected}" não serve.`,
    list: (list, field, text) =>
      text === null ? `A lista ${list} é consultada para o campo "${field}", que o evento não tem.` : `A busca de ${field} "${text}" na lista ${list} falha.`,
    history: (tag, counted, needed, timeframe) => `${tag} precisa de ${needed} eventos anteriores em ${timeframe} segundos e encontrou ${counted}.`,
    historySilent: (tag, counted) => `${tag} conta eventos da regra ${counted}, que tem nível 0 ou noalert; eventos assim nunca são lembrados, então ela nunca dispara.`,
    checkDiff: 'check_diff só passa quando um evento anterior deste host e regra tinha outro texto.',
    fts: 'if_fts só passa na primeira vez, e estes valores já foram vistos.',
    noFts: (decoder) => `if_fts precisa de um decoder com <fts>, e ${decoder === null ? 'nenhum decoder casou' : `"${decoder}" não tem`}.`,
    decoderProgram: (pattern, program) =>
      program === null ? `program_name "${pattern}": o evento não tem nome de programa` : `program_name "${pattern}": o programa é "${program}"`,
    decoderPattern: (tag, pattern, matched) => (matched === '' ? `${tag} "${pattern}": nada dele casa` : `${tag} "${pattern}": casa até "${matched}"`),
    decoderLater: (winner) => `o decoder "${winner}" é tentado antes e casa`,
  },
}
