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
  /** @param inSession whether all events are one session */
  readonly typeEvents: (inSession: boolean) => string
  readonly blockOpen: string
  readonly lineCut: (limit: number) => string
  readonly firstLine: string
  readonly useUnwrap: string
  readonly useUnwrapOfFrame: string
  readonly useJsonLines: string
  readonly inside: (location: string, isRebuilt: boolean) => string
  readonly linesSkipped: (count: number, text: string) => string
  readonly unitTestPassed: (verdict: string) => string
  readonly unitTestFailed: (expected: string, actual: string) => string
  readonly unitTestWithoutEvent: string
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
    typeEvents: (inSession) =>
      `Type or paste events, one per line; JSON and XML of one event can have several. ${inSession ? 'They are one session, so correlation rules count them (--no-session: each is a session of its own).' : 'Each is a session of its own.'} End with Ctrl-D.`,
    blockOpen: '… the event goes on; two empty lines end it',
    lineCut: (limit) => `This line has ${limit} bytes, after which a terminal drops the rest. Run a longer event from a file or a pipe.`,
    firstLine: 'The line is only the first of a JSON or XML document, and each line is run as an event. --unwrap runs the document as one event.',
    useUnwrap: '--unwrap runs it.',
    useUnwrapOfFrame: '--unwrap runs only the log.',
    useJsonLines: '--jsonl runs such lines, and --unwrap the log in them.',
    inside: (location, isRebuilt) => `The log inside, from ${location}${isRebuilt ? ', made from the decoded fields' : ''}:`,
    linesSkipped: plural('line of alerts.log or of wazuh-logtest is not a log and was skipped', 'lines of alerts.log or of wazuh-logtest are not logs and were skipped'),
    unitTestPassed: (verdict) => `Unit test passed: ${verdict}`,
    unitTestFailed: (expected, actual) => `Unit test failed: expected ${expected}, got ${actual}`,
    unitTestWithoutEvent: 'Unit test failed: there is no event',
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
    typeEvents: (inSession) =>
      `Digite ou cole eventos, um por linha; JSON e XML de um evento podem ter várias. ${inSession ? 'Eles são uma sessão, então as regras de correlação os contam (--no-session: cada um é uma sessão própria).' : 'Cada um é uma sessão própria.'} Termine com Ctrl-D.`,
    blockOpen: '… o evento continua; duas linhas vazias o terminam',
    lineCut: (limit) => `Esta linha tem ${limit} bytes, depois dos quais um terminal descarta o resto. Execute um evento mais longo de um arquivo ou de um pipe.`,
    firstLine: 'A linha é só a primeira de um documento JSON ou XML, e cada linha é executada como um evento. --unwrap executa o documento como um só evento.',
    useUnwrap: '--unwrap o executa.',
    useUnwrapOfFrame: '--unwrap executa só o log.',
    useJsonLines: '--jsonl executa linhas assim, e --unwrap o log que está nelas.',
    inside: (location, isRebuilt) => `O log de dentro, vindo de ${location}${isRebuilt ? ', feito dos campos decodificados' : ''}:`,
    linesSkipped: plural('linha do alerts.log ou do wazuh-logtest não é um log e foi ignorada', 'linhas do alerts.log ou do wazuh-logtest não são logs e foram ignoradas'),
    unitTestPassed: (verdict) => `Teste unitário passou: ${verdict}`,
    unitTestFailed: (expected, actual) => `Teste unitário falhou: esperado ${expected}, obtido ${actual}`,
    unitTestWithoutEvent: 'Teste unitário falhou: não há evento',
    lineTooLong: (limit) => `mais de ${limit} bytes, linha ignorada`,
    sessionsEvicted: (limit, count) => `mais de ${limit} sessões ao mesmo tempo; ${count} foram descartadas e recomeçaram`,
    eventsRefused: (refused, all) => `${refused} de ${all} eventos foram ignorados: o Wazuh recusa a location deles`,
    linesRead: (count, perSecond) => `${count} linhas, ${perSecond}/s`,
    measuring: { warmUp: 'aquecimento', throughput: 'eventos por segundo', stages: 'etapas', latency: 'latência', compiling: 'compilação', profile: 'perfil' },
    backedUp: (documents, collections, file, moment) => `${documents} documentos de ${collections} coleções gravados em ${file}, no estado de ${moment}`,
    restored: (documents, collections, file, moment) => `${documents} documentos de ${collections} coleções restaurados de ${file}, no estado de ${moment}`,
  },
}
