/** The texts of the pictures, in each language. */
import type { Locale } from '#engine'

type Count = (count: number) => string

export interface PictureWords {
  readonly level: (level: number) => string
  readonly header: string
  readonly noHeader: string
  readonly decoder: string
  readonly noDecoder: string
  readonly rule: string
  readonly noRule: string
  readonly definition: (name: string) => string
  readonly way: string
  readonly triedBefore: Count
  readonly childrenTried: Count
  readonly nothingMatched: string
  readonly container: string
  readonly notMatched: string
  readonly captured: (fields: string) => string
  readonly notCaptured: string
  readonly builtIn: string
  readonly negated: string
  readonly absent: string
  readonly absentField: (field: string) => string
  readonly counted: (counted: number, needed: number, seconds: number) => string
  readonly duration: (seconds: number) => string
  readonly states: Readonly<Record<'met' | 'failed' | 'skipped', string>>
  readonly itemStates: Readonly<Record<'met' | 'failed' | 'skipped', string>>
  readonly wouldHold: string
  readonly wouldFail: string
  readonly nearest: string
  readonly nearestNone: string
  readonly conditionsHold: (met: number, of: number) => string
  readonly matchesUpTo: (text: string) => string
  readonly verdict: (kind: 'rule' | 'decoder', name: string, state: 'met' | 'failed' | 'skipped') => string
  readonly failsAt: (name: string) => string
  readonly takenBy: (kind: 'rule' | 'decoder', name: string) => string
  readonly notLoaded: string
  readonly pattern: string
  readonly text: string
  readonly stop: (character: number) => string
  readonly expected: string
  readonly found: string
  readonly endOfText: string
  readonly nothingMore: string
  readonly noPart: string
  readonly matchesThough: string
  readonly isOther: (text: string) => string
  readonly notInList: (text: string) => string
  readonly noProgramDecoder: (program: string) => string
  readonly missingEvents: (counted: number | null, needed: number, duration: string) => string
  readonly known: string
  readonly unchanged: string
  readonly noConditions: string
  readonly fields: string
  readonly event: string
  readonly notInText: string
  readonly noFields: string
  readonly timeLine: string
  readonly windowOf: (duration: string) => string
  readonly windowEnds: (at: string) => string
  readonly firedOn: (number: number) => string
  readonly waiting: (missing: number) => string
  readonly silentUntil: (at: string) => string
  readonly silenced: string
  readonly counts: string
  readonly mayCount: string
  readonly fired: string
  readonly costs: string
  readonly predecoding: string
  readonly decoding: string
  readonly rules: Count
  readonly decoders: Count
  readonly matching: string
  readonly graph: (name: string) => string
  readonly parents: string
  readonly children: string
  readonly overwrites: (place: string) => string
  readonly more: Count
  readonly unknownRule: (id: string) => string
  readonly withoutRules: (part: 'file' | 'group') => string
  readonly linkKinds: Readonly<Record<'if_sid' | 'if_group' | 'if_level' | 'category' | 'if_matched_sid' | 'if_matched_group', string>>
  readonly map: string
  readonly mapOf: (rules: number, files: number) => string
  readonly matrix: string
  readonly techniquesOf: (covered: number, all: number) => string
  readonly withRule: string
  readonly withCase: string
  readonly withoutRule: string
  readonly tested: Count
  readonly levels: Readonly<Record<'none' | 'low' | 'medium' | 'high' | 'critical', string>>
}

const plural =
  (one: string, many: string): Count =>
  (count) =>
    `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
const pluralPt =
  (one: string, many: string): Count =>
  (count) =>
    `${count.toLocaleString('pt-BR')} ${count === 1 ? one : many}`

function duration(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes >= 120) return `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? '' : ` ${minutes % 60} min`}`
  return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`
}

export const PICTURE_WORDS: Readonly<Record<Locale, PictureWords>> = {
  'en-US': {
    level: (level) => `level ${level}`,
    header: 'Header',
    noHeader: 'The log has no header that Wazuh knows: the whole line is the log.',
    decoder: 'Decoder',
    noDecoder: 'No decoder matches this log.',
    rule: 'Rule',
    noRule: 'No rule matches.',
    definition: (name) => `Show the definition: ${name}`,
    way: 'The way of the event',
    triedBefore: plural('tried before it', 'tried before it'),
    childrenTried: plural('child was tried', 'children were tried'),
    nothingMatched: 'none matched',
    container: 'It matches, but only as a container (noalert): none of its children matches, so the search goes on.',
    notMatched: 'did not match',
    captured: (fields) => `captured ${fields}`,
    notCaptured: 'Its expression does not match, so it sets no field.',
    builtIn: 'built-in',
    negated: 'not',
    absent: 'the event has none',
    absentField: (field) => `The event has no ${field}.`,
    counted: (counted, needed, seconds) => `${counted} of ${needed} earlier events in ${duration(seconds)}`,
    duration,
    states: { met: 'holds', failed: 'fails', skipped: 'not reached' },
    itemStates: { met: 'matches', failed: 'does not match', skipped: 'is not reached' },
    wouldHold: 'would hold',
    wouldFail: 'would fail',
    nearest: 'Nearest misses',
    nearestNone: 'No other rule or decoder came near to this event.',
    conditionsHold: (met, of) => (of === 1 ? 'its one condition fails' : `${met} of ${of} conditions hold`),
    matchesUpTo: (text) => `matches up to “${text}”`,
    verdict: (kind, name, state) => `${kind === 'rule' ? 'Rule' : 'Decoder'} ${name} ${state === 'met' ? 'matches' : state === 'failed' ? 'does not match' : 'is not reached'}`,
    failsAt: (name) => `The event does not get there: it already fails at ${name}.`,
    takenBy: (kind, name) => `${kind === 'rule' ? 'Rule' : 'Decoder'} ${name} is tried before it and matches.`,
    notLoaded: 'It is not loaded, or the event does not run.',
    pattern: 'pattern',
    text: 'text',
    stop: (character) => `Stopped at character ${character}`,
    expected: 'expected',
    found: 'found',
    endOfText: 'end of the text',
    nothingMore: 'the end of the text',
    noPart: 'No part of the pattern is found in the text.',
    matchesThough: 'The pattern matches, and the condition is negated.',
    isOther: (text) => `It is ${text}.`,
    notInList: (text) => `“${text}” is not found in the list.`,
    noProgramDecoder: (program) => `The event has the program ${program}, so only decoders with program_name are tried.`,
    missingEvents: (counted, needed, within) => (counted === null ? `needs ${needed} earlier events in ${within}` : `${counted} of ${needed} earlier events in ${within}`),
    known: 'This combination of values was seen before.',
    unchanged: 'There is no earlier log that differs from this one.',
    noConditions: 'No condition of its own.',
    fields: 'Fields',
    event: 'Event',
    notInText: 'not a part of the text',
    noFields: 'No field was captured.',
    timeLine: 'Events over time',
    windowOf: (within) => `window of ${within}`,
    windowEnds: (at) => `ends at ${at}`,
    firedOn: (number) => `fired on event ${number}`,
    waiting: (missing) => `needs ${missing} more`,
    silentUntil: (at) => `silent until ${at}`,
    silenced: 'silenced',
    counts: 'counted',
    mayCount: 'may count',
    fired: 'fired',
    costs: 'Cost of each step',
    predecoding: 'Header',
    decoding: 'Decoders',
    rules: plural('rule', 'rules'),
    decoders: plural('decoder', 'decoders'),
    matching: 'Rules',
    graph: (name) => `Graph of ${name}`,
    parents: 'Parents',
    children: 'Children',
    overwrites: (place) => `overwrites ${place}`,
    more: (count) => `${count} more`,
    unknownRule: (id) => `There is no rule ${id}.`,
    withoutRules: (part) => `This ${part} has no rules.`,
    linkKinds: {
      if_sid: 'if_sid',
      if_group: 'if_group',
      if_level: 'if_level',
      category: 'category',
      if_matched_sid: 'if_matched_sid',
      if_matched_group: 'if_matched_group',
    },
    map: 'Map of the rules',
    mapOf: (rules, files) => `${rules.toLocaleString('en-US')} rules in ${files.toLocaleString('en-US')} files`,
    matrix: 'MITRE ATT&CK',
    techniquesOf: (covered, all) => `${covered} of ${all}`,
    withRule: 'has rules',
    withCase: 'has rules and cases',
    withoutRule: 'has no rule',
    tested: plural('tested', 'tested'),
    levels: { none: '0, no alert', low: '1 to 6', medium: '7 to 11', high: '12 to 14', critical: '15 and 16' },
  },
  'pt-BR': {
    level: (level) => `nível ${level}`,
    header: 'Cabeçalho',
    noHeader: 'O log não tem cabeçalho que o Wazuh conheça: a linha inteira é o log.',
    decoder: 'Decoder',
    noDecoder: 'Nenhum decoder casa com este log.',
    rule: 'Regra',
    noRule: 'Nenhuma regra casa.',
    definition: (name) => `Mostrar a definição: ${name}`,
    way: 'O caminho do evento',
    triedBefore: pluralPt('tentativa antes', 'tentativas antes'),
    childrenTried: pluralPt('filha foi testada', 'filhas foram testadas'),
    nothingMatched: 'nenhuma casou',
    container: 'Ela casa, mas só como recipiente (noalert): nenhuma das filhas casa, então a busca continua.',
    notMatched: 'não casou',
    captured: (fields) => `capturou ${fields}`,
    notCaptured: 'A expressão dele não casa, então nenhum campo é preenchido.',
    builtIn: 'interno',
    negated: 'não',
    absent: 'o evento não tem',
    absentField: (field) => `O evento não tem ${field}.`,
    counted: (counted, needed, seconds) => `${counted} de ${needed} eventos anteriores em ${duration(seconds)}`,
    duration,
    states: { met: 'é atendida', failed: 'falha', skipped: 'não foi testada' },
    itemStates: { met: 'casa', failed: 'não casa', skipped: 'não foi alcançado' },
    wouldHold: 'seria atendida',
    wouldFail: 'falharia',
    nearest: 'Os que mais se aproximaram',
    nearestNone: 'Nenhuma outra regra e nenhum outro decoder se aproximou deste evento.',
    conditionsHold: (met, of) => (of === 1 ? 'a única condição falha' : `${met} de ${of} condições são atendidas`),
    matchesUpTo: (text) => `casa até “${text}”`,
    verdict: (kind, name, state) =>
      `${kind === 'rule' ? 'A regra' : 'O decoder'} ${name} ${state === 'met' ? 'casa' : state === 'failed' ? 'não casa' : kind === 'rule' ? 'não é alcançada' : 'não é alcançado'}`,
    failsAt: (name) => `O evento não chega lá: ele já falha em ${name}.`,
    takenBy: (kind, name) => `${kind === 'rule' ? 'A regra' : 'O decoder'} ${name} é ${kind === 'rule' ? 'testada' : 'testado'} antes e casa.`,
    notLoaded: 'Não está em uso, ou o evento não é executado.',
    pattern: 'padrão',
    text: 'texto',
    stop: (character) => `Parou no caractere ${character}`,
    expected: 'esperado',
    found: 'encontrado',
    endOfText: 'fim do texto',
    nothingMore: 'o fim do texto',
    noPart: 'Nenhuma parte do padrão está no texto.',
    matchesThough: 'O padrão casa, e a condição é negada.',
    isOther: (text) => `É ${text}.`,
    notInList: (text) => `“${text}” não está na lista.`,
    noProgramDecoder: (program) => `O evento tem o programa ${program}, então só decoders com program_name são testados.`,
    missingEvents: (counted, needed, within) =>
      counted === null ? `precisa de ${needed} eventos anteriores em ${within}` : `${counted} de ${needed} eventos anteriores em ${within}`,
    known: 'Esta combinação de valores já apareceu antes.',
    unchanged: 'Não há log anterior que seja diferente deste.',
    noConditions: 'Nenhuma condição própria.',
    fields: 'Campos',
    event: 'Evento',
    notInText: 'não é parte do texto',
    noFields: 'Nenhum campo foi capturado.',
    timeLine: 'Eventos no tempo',
    windowOf: (within) => `janela de ${within}`,
    windowEnds: (at) => `termina em ${at}`,
    firedOn: (number) => `disparou no evento ${number}`,
    waiting: (missing) => (missing === 1 ? 'falta 1' : `faltam ${missing}`),
    silentUntil: (at) => `em silêncio até ${at}`,
    silenced: 'silenciado',
    counts: 'contado',
    mayCount: 'pode contar',
    fired: 'disparou',
    costs: 'Custo de cada etapa',
    predecoding: 'Cabeçalho',
    decoding: 'Decoders',
    rules: pluralPt('regra', 'regras'),
    decoders: pluralPt('decoder', 'decoders'),
    matching: 'Regras',
    graph: (name) => `Grafo de ${name}`,
    parents: 'Regras pai',
    children: 'Filhas',
    overwrites: (place) => `substitui ${place}`,
    more: (count) => `mais ${count}`,
    unknownRule: (id) => `Não existe a regra ${id}.`,
    withoutRules: (part) => `${part === 'file' ? 'Este arquivo' : 'Este grupo'} não tem regras.`,
    linkKinds: {
      if_sid: 'if_sid',
      if_group: 'if_group',
      if_level: 'if_level',
      category: 'category',
      if_matched_sid: 'if_matched_sid',
      if_matched_group: 'if_matched_group',
    },
    map: 'Mapa das regras',
    mapOf: (rules, files) => `${rules.toLocaleString('pt-BR')} regras em ${files.toLocaleString('pt-BR')} arquivos`,
    matrix: 'MITRE ATT&CK',
    techniquesOf: (covered, all) => `${covered} de ${all}`,
    withRule: 'tem regras',
    withCase: 'tem regras e casos',
    withoutRule: 'não tem regra',
    tested: pluralPt('testada', 'testadas'),
    levels: { none: '0, sem alerta', low: '1 a 6', medium: '7 a 11', high: '12 a 14', critical: '15 e 16' },
  },
}
