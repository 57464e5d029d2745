/** The texts of reports, in each language. */
import type { Locale } from '#engine'

export interface ReportWords {
  readonly header: string
  readonly host: string
  readonly program: string
  readonly log: string
  readonly alertHost: (host: string | null) => string
  readonly decoder: string
  readonly noDecoder: string
  readonly fields: string
  readonly rule: string
  readonly level: string
  readonly noRule: string
  readonly fired: (times: number) => string
  readonly composite: (frequency: number) => string
  readonly groups: string
  readonly norms: string
  readonly path: string
  readonly alert: string
  readonly alertYes: string
  readonly alertLow: (limit: number) => string
  readonly alertSilenced: string
  readonly counted: string
  readonly insight: string
  readonly refused: string
  readonly trace: string
  readonly explained: string
  readonly notThere: (expected: string) => string
  readonly nearest: string
  readonly events: (count: number, text: string) => string
  readonly alerts: (count: number, text: string) => string
  readonly silent: (count: number, text: string) => string
  readonly unmatched: (count: number, text: string) => string
  readonly undecoded: (count: number, text: string) => string
  readonly refusedCount: (count: number, text: string) => string
  readonly top: string
  readonly notLoaded: string
  readonly ownDiagnostics: (counts: string, areShown: boolean) => string
  readonly noCases: string
  readonly typeEvents: string
  readonly lineTooLong: (limit: number) => string
  readonly sessionsEvicted: (limit: number, count: number) => string
  readonly eventsRefused: (refused: number, all: number) => string
  readonly linesRead: (count: string, perSecond: string) => string
  readonly measuring: Readonly<Record<'warmUp' | 'throughput' | 'stages' | 'latency' | 'compiling' | 'profile', string>>
  readonly backedUp: StoreSentence
  readonly restored: StoreSentence
}

/** The sentence about a finished backup or restore. */
type StoreSentence = (documents: number, collections: number, file: string, moment: string) => string

const plural =
  (one: string, many: string) =>
  (count: number, text: string): string =>
    `${text} ${count === 1 ? one : many}`

export const REPORT_WORDS: Readonly<Record<Locale, ReportWords>> = {
  'en-US': {
    header: 'Header',
    host: 'host',
    program: 'program',
    log: 'log',
    alertHost: (host) => (host === null ? '(the alert of Wazuh has no predecoder.hostname)' : `(the alert of Wazuh has predecoder.hostname ${host})`),
    decoder: 'Decoder',
    noDecoder: 'none: no decoder matches this log',
    fields: 'Fields',
    rule: 'Rule',
    level: 'level',
    noRule: 'none: no rule matches',
    fired: (times) => `matched ${times} times in this session`,
    composite: (frequency) => `counts ${frequency} events`,
    groups: 'Groups',
    norms: 'Norms',
    path: 'Path',
    alert: 'Alert',
    alertYes: 'yes',
    alertLow: (limit) => `no: alerts begin at level ${limit}`,
    alertSilenced: "no: silenced by the rule's ignore window",
    counted: 'Counted',
    insight: 'Hint',
    refused: 'Not run',
    trace: 'Trace',
    explained: 'Reason',
    notThere: (expected) => `"${expected}" not found here`,
    nearest: 'nearest decoder',
    events: plural('event', 'events'),
    alerts: plural('alert', 'alerts'),
    silent: plural('with a rule but no alert', 'with a rule but no alert'),
    unmatched: plural('without a rule', 'without a rule'),
    undecoded: plural('without a decoder', 'without a decoder'),
    refusedCount: plural('not run', 'not run'),
    top: 'Most frequent',
    notLoaded: 'Wazuh would not start with this ruleset, so no event is run.',
    ownDiagnostics: (counts, areShown) => `${counts} in your own content.${areShown ? '' : ' `detection-content validate` shows all diagnostics.'}`,
    noCases: 'no case was run; use --allow-empty to accept this',
    typeEvents: 'Type or paste events, one per line. End with Ctrl-D.',
    lineTooLong: (limit) => `longer than ${limit} bytes, skipped`,
    sessionsEvicted: (limit, count) => `more than ${limit} sessions at once; ${count} were evicted and started again`,
    eventsRefused: (refused, all) => `${refused} of ${all} events were skipped: Wazuh refuses their location`,
    linesRead: (count, perSecond) => `${count} lines, ${perSecond}/s`,
    measuring: { warmUp: 'warming up', throughput: 'throughput', stages: 'stages', latency: 'latency', compiling: 'compiling', profile: 'profile' },
    backedUp: (documents, collections, file, moment) => `${documents} documents of ${collections} collections written to ${file}, as of ${moment}`,
    restored: (documents, collections, file, moment) => `${documents} documents of ${collections} collections restored from ${file}, as of ${moment}`,
  },
  'pt-BR': {
    header: 'Cabeçalho',
    host: 'host',
    program: 'programa',
    log: 'log',
    alertHost: (host) => (host === null ? '(o alerta do Wazuh não tem predecoder.hostname)' : `(o alerta do Wazuh tem predecoder.hostname ${host})`),
    decoder: 'Decoder',
    noDecoder: 'nenhum: nenhum decoder casa este log',
    fields: 'Campos',
    rule: 'Regra',
    level: 'nível',
    noRule: 'nenhuma: nenhuma regra casa',
    fired: (times) => `casou ${times} vezes nesta sessão`,
    composite: (frequency) => `conta ${frequency} eventos`,
    groups: 'Grupos',
    norms: 'Normas',
    path: 'Caminho',
    alert: 'Alerta',
    alertYes: 'sim',
    alertLow: (limit) => `não: alertas começam no nível ${limit}`,
    alertSilenced: 'não: silenciado pela janela ignore da regra',
    counted: 'Contados',
    insight: 'Dica',
    refused: 'Não rodou',
    trace: 'Rastro',
    explained: 'Motivo',
    notThere: (expected) => `"${expected}" não encontrado aqui`,
    nearest: 'decoder mais próximo',
    events: plural('evento', 'eventos'),
    alerts: plural('alerta', 'alertas'),
    silent: plural('com regra mas sem alerta', 'com regra mas sem alerta'),
    unmatched: plural('sem regra', 'sem regra'),
    undecoded: plural('sem decoder', 'sem decoder'),
    refusedCount: plural('não executado', 'não executados'),
    top: 'Mais frequentes',
    notLoaded: 'O Wazuh não iniciaria com este conjunto de regras, então nenhum evento é executado.',
    ownDiagnostics: (counts, areShown) => `${counts} no seu próprio conteúdo.${areShown ? '' : ' `detection-content validate` mostra todos os diagnósticos.'}`,
    noCases: 'nenhum caso foi executado; use --allow-empty para aceitar isso',
    typeEvents: 'Digite ou cole eventos, um por linha. Termine com Ctrl-D.',
    lineTooLong: (limit) => `mais de ${limit} bytes, linha ignorada`,
    sessionsEvicted: (limit, count) => `mais de ${limit} sessões ao mesmo tempo; ${count} foram descartadas e recomeçaram`,
    eventsRefused: (refused, all) => `${refused} de ${all} eventos foram ignorados: o Wazuh recusa a location deles`,
    linesRead: (count, perSecond) => `${count} linhas, ${perSecond}/s`,
    measuring: { warmUp: 'aquecimento', throughput: 'eventos por segundo', stages: 'etapas', latency: 'latência', compiling: 'compilação', profile: 'perfil' },
    backedUp: (documents, collections, file, moment) => `${documents} documentos de ${collections} coleções gravados em ${file}, no estado de ${moment}`,
    restored: (documents, collections, file, moment) => `${documents} documentos de ${collections} coleções restaurados de ${file}, no estado de ${moment}`,
  },
}
