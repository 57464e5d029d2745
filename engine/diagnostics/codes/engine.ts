import type { DiagnosticDeclaration } from '../entry.js'

/** Diagnostics about a run rather than a file: limits, faults, sessions; and crashes of Wazuh's, which files alone can cause as well. */
export const ENGINE_DIAGNOSTICS = {
  wazuh_crash: {
    severity: 'error',
    effect: 'crash',
    example: {
      wrong: '<regex type="pcre2">^login(?: of (\\w+))?</regex>',
      right: '<regex type="pcre2">^login of (\\w+)</regex>',
    },
    title: ['Wazuh itself crashes or hangs', 'O próprio Wazuh quebra ou trava'],
    message: ['Wazuh 4.14.7 crashes or hangs here: {reason}.', 'O Wazuh 4.14.7 quebra ou trava aqui: {reason}.'],
    hint: ['Change the content so that this cannot happen: {advice}.', 'Altere o conteúdo para que isto não possa acontecer: {advice}.'],
    doc: [
      'Some content, or some events on it, make Wazuh 4.14.7 itself crash or hang. Causes in the content alone are reported when it is compiled. Causes that depend on an event are reported with the answer to that event, at the rule or decoder that was running.',
      'Certos conteúdos, ou certos eventos sobre eles, fazem o próprio Wazuh 4.14.7 quebrar ou travar. Causas que estão só no conteúdo são informadas na compilação. Causas que dependem de um evento são informadas com a resposta a esse evento, na regra ou no decoder em execução.',
    ],
  },
  captures_of_earlier_event: {
    severity: 'warning',
    example: {
      wrong: '<regex type="pcre2">^logout</regex>',
      right: '<regex type="pcre2">^logout of (\\w+)</regex>',
    },
    title: ['Value of an earlier event', 'Valor de um evento anterior'],
    message: [
      'The pcre2 <regex> of decoder "{decoder}" captures nothing in this event, so what an earlier event captured is in: {fields}.',
      'O <regex> pcre2 do decoder "{decoder}" nada captura neste evento; por isso o que um evento anterior capturou está em: {fields}.',
    ],
    hint: [
      'Write the pattern so that every match fills a group, or put the constant part into <prematch> and remove <regex> and <order>.',
      'Escreva o padrão de modo que toda correspondência preencha um grupo, ou ponha a parte constante em <prematch> e remova <regex> e <order>.',
    ],
    doc: [
      'Wazuh keeps the captures of the last pcre2 match until a decoder takes them or an osregex runs, also from one event to the next. The value therefore depends on what was received before. On the first event of a manager there is no list of captures, and Wazuh crashes.',
      'O Wazuh guarda as capturas da última correspondência pcre2 até um decoder usá-las ou um osregex ser executado, também de um evento para o seguinte. O valor depende, portanto, do que foi recebido antes. No primeiro evento de um manager não há lista de capturas, e o Wazuh quebra.',
    ],
  },
  engine_timeout: {
    severity: 'error',
    title: ['Analysis took too long', 'A análise demorou demais'],
    message: ['The analysis was stopped after {seconds} seconds.', 'A análise foi interrompida depois de {seconds} segundos.'],
    hint: [
      'Try fewer files or logs at once, and look for regex_backtracking and regex_slow among the diagnostics.',
      'Tente com menos arquivos ou logs de cada vez e procure regex_backtracking e regex_slow entre os problemas.',
    ],
    doc: [
      'A time limit keeps one request from holding up everyone else. What was found before it is still reported.',
      'Um limite de tempo impede que uma requisição prenda todas as outras. O que foi encontrado antes dele ainda é informado.',
    ],
  },
  engine_step_limit: {
    severity: 'error',
    title: ['Pattern stopped at the step limit', 'Padrão parado no limite de passos'],
    message: [
      'The pattern of <{name}> needed more than {limit} steps on this log and was stopped.',
      'O padrão de <{name}> precisou de mais de {limit} passos neste log e foi interrompido.',
    ],
    hint: [
      'Rewrite the pattern so that its parts cannot share the same text, see regex_backtracking. For this log it counts as not matching.',
      'Reescreva o padrão para que as partes não possam dividir o mesmo texto; veja regex_backtracking. Para este log, conta como se não casasse.',
    ],
    doc: [
      'Patterns that only a backtracking matcher can run have a limit of steps per log, so that one log cannot stop the service. Wazuh also has a limit, and also treats such a log as not matching.',
      'Padrões que só um motor com backtracking executa têm um limite de passos por log, para que um único log não pare o serviço. O Wazuh também tem um limite e também trata um log assim como não correspondente.',
    ],
  },
  engine_memory_limit: {
    severity: 'error',
    title: ['Analysis needed too much memory', 'A análise precisou de memória demais'],
    message: ['The analysis needed more than {limit} MB of memory and was stopped.', 'A análise precisou de mais de {limit} MB de memória e foi interrompida.'],
    hint: ['Split the ruleset or the test into smaller requests.', 'Divida o conjunto de regras ou o teste em requisições menores.'],
    doc: [
      'Each analysis runs in a worker with its own memory limit. Exceeding it ends only that worker.',
      'Cada análise roda em um worker com limite de memória próprio. Ultrapassá-lo encerra apenas aquele worker.',
    ],
  },
  engine_internal_error: {
    severity: 'error',
    title: ['Fault in this service', 'Falha neste serviço'],
    message: ['The analysis failed because of a fault in this service ({reference}).', 'A análise falhou por um defeito neste serviço ({reference}).'],
    hint: [
      'Try again; if it happens once more, report the reference {reference} with the files that cause it.',
      'Tente de novo; se acontecer outra vez, informe a referência {reference} com os arquivos que a causam.',
    ],
    doc: ['This is a fault of ours and not of the content: Wazuh may load it without trouble.', 'É um defeito nosso, e não do conteúdo: o Wazuh talvez o carregue sem problema.'],
  },
  custom_content_stale: {
    severity: 'warning',
    source: 'filesystem',
    title: ['Custom content is not the latest', 'O conteúdo da instância não é o mais recente'],
    message: [
      'The custom content of this instance does not load since {since}; the service uses the last content that loaded.',
      'O conteúdo próprio desta instância não carrega desde {since}; o serviço usa o último conteúdo que carregou.',
    ],
    hint: [
      'Tell the operator of this service: its log names the file, the line and the code of the error.',
      'Avise o operador deste serviço: o log informa o arquivo, a linha e o código do erro.',
    ],
    doc: [
      'Wazuh would not start with the current files of the custom content folder of the instance. The service therefore keeps the previous content, so that the error does not affect all users. Every answer that uses custom content says so.',
      'O Wazuh não iniciaria com os arquivos atuais da pasta de conteúdo próprio da instância. Por isso o serviço mantém o conteúdo anterior, para que o erro não pare todos. Toda resposta que usa o conteúdo da instância informa isso.',
    ],
  },
  custom_content_left_out: {
    severity: 'warning',
    source: 'filesystem',
    title: ['Custom content is left out', 'O conteúdo da instância fica de fora'],
    message: [
      'The custom content of this instance does not load since {since}; it is left out.',
      'O conteúdo próprio desta instância não carrega desde {since}; ele fica de fora.',
    ],
    hint: [
      'Tell the operator of this service: its log names the file, the line and the code of the error.',
      'Avise o operador deste serviço: o log informa o arquivo, a linha e o código do erro.',
    ],
    doc: [
      'Wazuh would not start with the files of the custom content folder of the instance, and no content of that folder has loaded since the service started. The service therefore uses only the default ruleset, so that the error does not affect all users. Every answer that asks for custom content says so.',
      'O Wazuh não iniciaria com os arquivos da pasta de conteúdo próprio da instância, e nenhum conteúdo dessa pasta foi carregado desde que o serviço iniciou. Por isso o serviço usa apenas o conjunto de regras padrão, para que o erro não pare todos. Toda resposta que pede o conteúdo da instância informa isso.',
    ],
  },
  ruleset_loaded: {
    severity: 'success',
    title: ['Ruleset loads', 'Conjunto de regras carregado'],
    message: ['The ruleset loads: {rules} rules and {decoders} decoders.', 'O conjunto de regras carrega: {rules} regras e {decoders} decoders.'],
    hint: ['Wazuh would start with it.', 'O Wazuh iniciaria com ele.'],
    doc: [
      'The whole ruleset was read and linked in load order, and nothing in it prevents Wazuh from starting. Check the warnings all the same.',
      'O conjunto inteiro foi lido e ligado na ordem de carga, e nada nele impede o Wazuh de iniciar. Avisos ainda podem merecer atenção.',
    ],
  },
  session_refused: {
    severity: 'error',
    source: 'session',
    title: ['Test session refused', 'Sessão de teste recusada'],
    message: [
      'A Wazuh test session is refused, because the ruleset logs {count} errors while it loads.',
      'Uma sessão de teste do Wazuh é recusada, porque o conjunto de regras registra {count} erros durante a carga.',
    ],
    hint: [
      'Fix the diagnostics of severity error. The manager itself may start with them, but wazuh-logtest does not.',
      'Corrija os problemas de severidade error; o manager até pode iniciar sem isso, mas o wazuh-logtest não.',
    ],
    doc: [
      'wazuh-logtest refuses a ruleset that logs anything at error level, even where the manager only drops a part and continues.',
      'O wazuh-logtest recusa um conjunto de regras que registre qualquer coisa em nível de erro, mesmo quando o manager apenas deixa uma parte de fora e segue.',
    ],
  },
  session_location_invalid: {
    severity: 'error',
    source: 'session',
    engineNumbers: [1106],
    title: ['Invalid location', 'Location inválida'],
    message: ['The location "{value}" is not valid: "[" without "]".', 'A location "{value}" não é válida: "[" sem "]".'],
    hint: [
      'Write the location of an agent as [001] (name) ip->/path, or leave out the bracket.',
      'Escreva a location de um agente como [001] (nome) ip->/caminho ou omita o colchete.',
    ],
    doc: [
      'A location that begins with "[" must hold an agent id up to "]"; otherwise Wazuh rejects the event.',
      'Uma location que começa com "[" precisa conter um id de agente até "]"; caso contrário, o Wazuh rejeita o evento.',
    ],
  },
  session_lost: {
    severity: 'warning',
    source: 'session',
    title: ['Session lost', 'Sessão perdida'],
    message: [
      'The session was discarded to limit memory, or its process has ended; this event starts it again, empty.',
      'A sessão foi descartada para limitar a memória, ou seu processo terminou; este evento a recomeça, vazia.',
    ],
    hint: [
      'Send the earlier events again, or use fewer or shorter sessions. Rules that count start from zero with this event.',
      'Envie de novo os eventos anteriores ou use menos sessões, ou sessões mais curtas. Regras que contam começam do zero com este evento.',
    ],
    doc: [
      'The service keeps a limited number of sessions in limited memory. The session that is unused for the longest time is discarded first; a session that is too large on its own is discarded at once. In a service of several processes, a process that ends unexpectedly loses its sessions.',
      'O serviço mantém um número limitado de sessões em memória limitada. A sessão sem uso há mais tempo é descartada primeiro; uma que sozinha é grande demais é descartada imediatamente. Em um serviço de vários processos, um processo que termina inesperadamente perde as suas sessões.',
    ],
  },
  session_event_dropped: {
    severity: 'error',
    source: 'session',
    title: ['Not a Windows event', 'Não é um evento do Windows'],
    message: ['The event is no Windows eventchannel event, so Wazuh drops it.', 'O evento não é um evento do Windows eventchannel, por isso o Wazuh o descarta.'],
    hint: [
      'Send JSON with the members "Event" (the XML of the event) and "Message", or the XML of one event as Event Viewer shows it; for other logs choose another log format.',
      'Envie um JSON com os membros "Event" (o XML do evento) e "Message", ou o XML de um evento como o Visualizador de Eventos mostra; para outros logs escolha outro formato de log.',
    ],
    doc: [
      'An eventchannel event without the XML of an event is dropped before decoding. No decoder and no rule sees it.',
      'Um evento do eventchannel sem o XML de um evento é descartado antes da decodificação. Nenhum decoder e nenhuma regra o vê.',
    ],
  },
  session_event_truncated: {
    severity: 'warning',
    source: 'session',
    title: ['Log cut off', 'Log cortado'],
    message: ['The log has {length} bytes; only the first {limit} are read.', 'O log tem {length} bytes; apenas os primeiros {limit} são lidos.'],
    hint: ['Test with a shorter log; the live manager cuts it off as well.', 'Teste com um log mais curto; o manager em produção também o corta.'],
    doc: [
      'Wazuh receives at most 64 KB for one event. Patterns never match text after that limit.',
      'O Wazuh recebe no máximo 64 KB por evento. Os padrões nunca casam com texto depois desse limite.',
    ],
  },
} as const satisfies Record<string, DiagnosticDeclaration>
