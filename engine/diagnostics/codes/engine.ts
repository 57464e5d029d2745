import type { DiagnosticEntry } from '../entry.js'

/** Findings about a run rather than a file: limits, faults, sessions. */
export const ENGINE_DIAGNOSTICS = {
  engine_timeout: {
    severity: 'error',
    source: 'engine',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'Analysis took too long',
      message: 'The analysis was stopped after {seconds} seconds.',
      hint: 'Try fewer files or logs at once, and look for regex_backtracking and regex_slow among the findings.',
      doc: 'A time limit keeps one request from holding up everyone else. What was found before it is still reported.',
    },
    pt: {
      title: 'A análise demorou demais',
      message: 'A análise foi interrompida depois de {seconds} segundos.',
      hint: 'Tente com menos arquivos ou logs de cada vez e procure regex_backtracking e regex_slow entre os problemas.',
      doc: 'Um limite de tempo impede que uma requisição prenda todas as outras. O que foi encontrado antes dele ainda é informado.',
    },
  },
  engine_step_limit: {
    severity: 'error',
    source: 'engine',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'Pattern gave up on a log',
      message: 'The pattern of <{name}> needed more than {limit} steps on this log and was stopped.',
      hint: 'Rewrite the pattern so that its parts cannot share the same text, see regex_backtracking. For this log it counts as not matching.',
      doc: 'Patterns that only a backtracking matcher can run get a budget of steps per log, so that one log cannot stop the service. Wazuh has a limit of its own and also takes such a log as not matching.',
    },
    pt: {
      title: 'Padrão desistiu de um log',
      message: 'O padrão de <{name}> precisou de mais de {limit} passos neste log e foi interrompido.',
      hint: 'Reescreva o padrão para que as partes não possam dividir o mesmo texto; veja regex_backtracking. Para este log, conta como se não casasse.',
      doc: 'Padrões que só um motor com backtracking executa recebem um orçamento de passos por log, para que um único log não pare o serviço. O Wazuh tem um limite próprio e também toma um log assim como não correspondente.',
    },
  },
  engine_memory_limit: {
    severity: 'error',
    source: 'engine',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'Analysis needed too much memory',
      message: 'The analysis needed more than {limit} MB of memory and was stopped.',
      hint: 'Split the ruleset or the test into smaller requests.',
      doc: 'Each analysis runs in a worker with a memory limit of its own; exceeding it ends that worker and nothing else.',
    },
    pt: {
      title: 'A análise precisou de memória demais',
      message: 'A análise precisou de mais de {limit} MB de memória e foi interrompida.',
      hint: 'Divida o conjunto de regras ou o teste em requisições menores.',
      doc: 'Cada análise roda em um worker com limite de memória próprio; ultrapassá-lo encerra aquele worker e nada mais.',
    },
  },
  engine_internal_error: {
    severity: 'error',
    source: 'engine',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'Fault in this service',
      message: 'The analysis failed because of a fault in this service ({reference}).',
      hint: 'Try again; if it happens once more, report the reference {reference} with the files that cause it.',
      doc: 'This is a fault of ours and not of the content: Wazuh may load it without trouble.',
    },
    pt: {
      title: 'Falha neste serviço',
      message: 'A análise falhou por um defeito neste serviço ({reference}).',
      hint: 'Tente de novo; se acontecer outra vez, informe a referência {reference} com os arquivos que a causam.',
      doc: 'É um defeito nosso, e não do conteúdo: o Wazuh talvez o carregue sem problema.',
    },
  },
  ruleset_loaded: {
    severity: 'success',
    source: 'engine',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'Ruleset loads',
      message: 'The ruleset loads: {rules} rules and {decoders} decoders.',
      hint: 'Wazuh would start with it.',
      doc: 'The whole set was read and linked in load order, and nothing in it keeps Wazuh from starting. Warnings may still deserve a look.',
    },
    pt: {
      title: 'Conjunto de regras carregado',
      message: 'O conjunto de regras carrega: {rules} regras e {decoders} decoders.',
      hint: 'O Wazuh iniciaria com ele.',
      doc: 'O conjunto inteiro foi lido e ligado na ordem de carga, e nada nele impede o Wazuh de iniciar. Avisos ainda podem merecer atenção.',
    },
  },
  session_refused: {
    severity: 'error',
    source: 'session',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'Test session refused',
      message: 'A Wazuh test session is refused, because the ruleset logs {count} errors while it loads.',
      hint: 'Repair the findings of severity error; the manager itself may start without that, but wazuh-logtest does not.',
      doc: 'wazuh-logtest refuses a ruleset that logs anything at error level, even where the manager only leaves out a part and goes on.',
    },
    pt: {
      title: 'Sessão de teste recusada',
      message: 'Uma sessão de teste do Wazuh é recusada, porque o conjunto de regras registra {count} erros durante a carga.',
      hint: 'Corrija os problemas de severidade error; o manager até pode iniciar sem isso, mas o wazuh-logtest não.',
      doc: 'O wazuh-logtest recusa um conjunto de regras que registre qualquer coisa em nível de erro, mesmo quando o manager apenas deixa uma parte de fora e segue.',
    },
  },
  session_location_invalid: {
    severity: 'error',
    source: 'session',
    effect: 'none',
    engineNumbers: [1106],
    en: {
      title: 'Invalid location',
      message: 'The location "{value}" is not valid: "[" without "]".',
      hint: 'Write the location of an agent as [001] (name) ip->/path, or leave out the bracket.',
      doc: 'A location that begins with "[" must hold an agent id up to "]"; otherwise Wazuh rejects the event.',
    },
    pt: {
      title: 'Location inválida',
      message: 'A location "{value}" não é válida: "[" sem "]".',
      hint: 'Escreva a location de um agente como [001] (nome) ip->/caminho ou omita o colchete.',
      doc: 'Uma location que começa com "[" precisa conter um id de agente até "]"; caso contrário, o Wazuh rejeita o evento.',
    },
  },
  session_event_truncated: {
    severity: 'warning',
    source: 'session',
    effect: 'none',
    engineNumbers: [],
    en: {
      title: 'Log cut off',
      message: 'The log has {length} bytes; only the first {limit} are read.',
      hint: 'Test with a shorter log; the live manager cuts it off as well.',
      doc: 'Wazuh receives at most 64 KB for one event. Patterns that look for text behind that never match.',
    },
    pt: {
      title: 'Log cortado',
      message: 'O log tem {length} bytes; apenas os primeiros {limit} são lidos.',
      hint: 'Teste com um log mais curto; o manager em produção também o corta.',
      doc: 'O Wazuh recebe no máximo 64 KB por evento. Padrões que procuram texto depois disso nunca casam.',
    },
  },
} as const satisfies Record<string, DiagnosticEntry>
