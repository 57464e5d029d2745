/** A ajuda da linha de comando em português. */
import type { None, SameShape, StrayPlaceholders } from '../../texts.js'
import type { help as english } from '../en-US/help.js'

export const help = {
  program: {
    summary: 'escreva, teste e execute conteúdo de detecção no estilo do Wazuh, com os resultados do Wazuh 4.14.7.',
    usage: ['COMANDO [OPÇÕES] [...]', 'COMANDO --help'],
    version: 'mostra a versão',
    exitCodes: {
      fine: 'sucesso',
      failed: 'erros no conteúdo, um caso que falhou, nenhum caso ou uma linha que não pode ser lida',
      usage: 'chamada incorreta, ou um arquivo que não existe',
    },
  },
  headings: {
    usage: 'Uso',
    commands: 'Comandos',
    options: 'Opções',
    commonOptions: 'Opções de todos os comandos',
    exitCodes: 'Códigos de saída',
    examples: 'Exemplos',
    begin: 'Comece com',
  },
  values: {
    dialect: 'DIALETO',
    folder: 'DIR',
    format: 'FORMATO',
    locale: 'IDIOMA',
    number: 'N',
    output: 'FORMATO=ARQUIVO',
    path: 'CAMINHO',
    revision: 'REV',
    ruleId: 'ID_DA_REGRA',
    unitTest: 'REGRA:NÍVEL:DECODER',
    url: 'URL',
  },
  shared: {
    locale: 'idioma da ajuda, dos erros e dos relatórios (padrão: o de LANG)',
    color: 'cores mesmo quando a saída não é um terminal; --no-color: nunca (NO_COLOR também é respeitado)',
    help: 'mostra esta ajuda',
    ruleset: 'conjunto de regras de base: uma pasta com decoders/, rules/ e lists/, ou "none", nenhum (padrão: o de referência, que acompanha o programa)',
    custom:
      'o seu próprio conteúdo por cima dele: uma pasta com a mesma estrutura, qualquer pasta com conteúdo, ou um arquivo de regras, de decoders ou de lista; pode ser indicado várias vezes',
    output: 'grava também este relatório em um arquivo; pode ser indicado várias vezes',
    'help-url': 'onde está publicada a saída de schema --diagnostics; o SARIF aponta para o título de cada código',
    quiet: 'nenhum progresso no erro padrão',
    jsonl: 'linhas JSON na entrada e na saída',
    'data-dir': 'o armazenamento embutido de um serviço com este DATA_DIR (padrão: NATIVE_SERVICE_DATA_DIR, ou ./data)',
    'mongodb-url': 'em vez dele um MongoDB, com o banco de dados no caminho (padrão: NATIVE_SERVICE_MONGODB_URL, que a esconde dos outros usuários da máquina)',
  },
  commands: {
    logtest: {
      summary: 'executa linhas de log: que decoder e que regra casam, com quais campos e por quê',
      usage: ['[--ruleset DIR] [--custom CAMINHO] [ARQUIVO...]', '--jsonl [--trace] [ARQUIVO...]'],
      description: [
        'Lê um evento por linha, de arquivos ou da entrada padrão, e escreve um relatório para cada um. Cada evento começa uma nova sessão, a menos que se use --session: regras de frequência e outras de correlação precisam de uma sessão. Em um terminal, todos os eventos são uma só sessão, e JSON ou XML colado em várias linhas é um só evento.',
        'Linhas do archives.log, do archives.json, do alerts.json e do alerts.log, o membro full_log, e linhas entre aspas ou escapadas são registros sobre um log, que o Wazuh nunca decodifica como estão. Eles são reconhecidos: uma dica o diz, e em um terminal o log que está dentro também é executado.',
        'Com --jsonl uma linha de entrada é {"event", "location"?, "log_format"?, "session_id"?}, ou {"events": [...]} para uma sessão em ordem; a saída tem uma linha JSON para cada uma: uma LogtestResponse com "alert" a mais, ou {"results": [...]}. Para uma linha inválida, é um objeto de erro.',
        'Erros e avisos no conteúdo de --custom são informados na saída de erros antes do primeiro evento. Com um erro, o código de saída é 1 e "ok" é false em toda resposta JSON, mesmo que o Wazuh apenas descarte uma regra e os eventos sejam executados.',
      ],
      options: {
        session: 'todas as linhas pertencem a uma só sessão, de modo que regras de correlação as contam (padrão em um terminal); --no-session: cada uma tem a sua',
        location: 'de onde vêm os eventos (linhas de texto; padrão: stdin)',
        unwrap:
          'executa o log que está dentro de tais registros, com a location e o agente que eles citam; JSON, XML e entradas do alerts.log em várias linhas são um só evento. Um evento do Windows decodificado vira um evento com os mesmos campos',
        trace: 'mostra cada decoder e cada regra que foram testados, e por que casaram ou não',
        explain: 'diz, para cada evento, por que esta regra casou ou não',
        'unit-test': 'código de saída 0 só se o último evento resulta nesta regra, neste nível e neste decoder; todos os eventos são uma sessão, como em wazuh-logtest -U',
        quiet: 'sem convite e sem resumo; com --unit-test só o código de saída',
        fast: 'sem dicas nos relatórios; calculá-las demora mais do que executar os eventos',
      },
      examples: [
        'um log com as regras de referência',
        'as suas próprias regras, em um log que cresce',
        'por que uma regra de correlação não casa',
        'os logs que um manager arquivou',
        'um teste unitário, como com wazuh-logtest',
        'para programas',
      ],
    },
    validate: {
      summary: 'encontra erros em regras e decoders, e o efeito deles no Wazuh',
      usage: ['[--ruleset DIR] [--custom CAMINHO] [ARQUIVO...]', '--jsonl < requests.jsonl'],
      description: [
        'ARQUIVO é um arquivo de regras, de decoders ou de lista (reconhecido pela pasta ou, senão, pelo conteúdo), ou uma pasta com tais arquivos. Eles são verificados por cima do conjunto de regras, como o Wazuh os carregaria juntos. Um arquivo chamado local_*.xml substitui o arquivo desse nome no conjunto, e um arquivo de uma pasta do conjunto é verificado como parte dele.',
        'Sem ARQUIVO, verifica-se o conteúdo de --custom ou, sem ele, a pasta de --ruleset; um dos três precisa ser indicado.',
        'Com --jsonl uma linha de entrada é {"files": [{"kind", "filename", "content"}]}; a linha de saída é uma ValidationResponse com "loads" (se o Wazuh iniciaria) e "rules_present" (ids destes arquivos que existem no conjunto compilado) a mais.',
      ],
      options: {
        format: 'formato da saída (padrão: pretty)',
        baseline: 'mostra também os diagnósticos do conjunto de base',
        strict: 'avisos também causam o código de saída 1',
        'only-named': 'informa só os diagnósticos de ARQUIVO e o que decorre deles; o resto de --custom é compilado, e não informado',
        fix: 'corrige aquilo de que o engine tem certeza e mostra as mudanças como diff; nada é gravado',
        suggested: 'com --fix: aplica também a melhor proposta, como um nome quase igual ao escrito',
        write: 'com --fix: grava os arquivos',
        watch: 'executa de novo quando um arquivo muda; só o que mudou é compilado. Termina com a entrada padrão ou Ctrl-C',
      },
      examples: [
        'um arquivo, sobre as regras de referência',
        'o seu conteúdo sobre o conjunto de regras do seu manager',
        'para code scanning',
        'anotações em um workflow do GitHub',
        'vários relatórios de uma só execução',
        'um arquivo do seu conteúdo, como um que mudou',
        'o que poderia ser corrigido',
        'corrige',
        'enquanto você edita',
      ],
    },
    test: {
      summary: 'executa suítes de testes (arquivos .ini do Wazuh e casos em JSON), com cobertura',
      usage: ['[--ruleset DIR] [--custom CAMINHO] ARQUIVO...'],
      description: [
        'ARQUIVO é uma suíte no formato do Wazuh (.ini), um arquivo JSON {"cases": [...]}, ou uma pasta com tais arquivos. Cada caso é executado em uma sessão nova, exceto que os casos de um arquivo com o mesmo session_id compartilham uma sessão, em ordem. Casos de arquivos JSON podem conter: expected_decoder, expected_rule, expected_level, expected_rule_ids, forbidden_rule_ids, expect_no_rule, expected_fields; "events" com "at" (segundos) é uma sequência.',
        'Regras com <time> ou <weekday> leem o relógio da máquina, a menos que um caso o defina: "now": "2026-01-05T22:30:00-03:00" em JSON, e "; now = 2026-01-05T22:30:00-03:00" acima de uma seção em arquivos .ini. O fuso é o do manager. Um caso cujo resultado depende do relógio da máquina é apontado.',
        'Os formatos github e sarif contêm também os diagnósticos do conteúdo de --custom. Os caminhos são relativos à raiz do repositório.',
        'A cobertura conta as regras e os decoders de --custom, ou os do conjunto de base quando não há --custom. Uma regra que o Wazuh descarta conta como não testada.',
        'Erros e avisos no conteúdo de --custom são informados na saída de erros. Com um erro, o código de saída é 1, mesmo que o Wazuh apenas descarte uma regra e todos os casos passem. Ele também é 1 se não há nenhum caso, a menos que se use --allow-empty.',
      ],
      options: {
        format: 'formato da saída (padrão: pretty)',
        strict: 'falham os casos cujo resultado depende do relógio da máquina e os casos com membros desconhecidos',
        untested: 'lista as regras e os decoders que nenhum caso cobre',
        'cases-only': 'deixa os diagnósticos do conteúdo fora de todo relatório; validate os informa',
        'allow-empty': 'aceita que não haja nenhum caso',
        verbose: 'lista também os casos que passaram',
        watch: 'executa de novo quando um arquivo do conteúdo ou dos casos muda. Termina com a entrada padrão ou Ctrl-C',
      },
      examples: [
        'o seu próprio conteúdo contra as suas próprias suítes',
        'uma das suítes do Wazuh sobre o conjunto de regras dele',
        'para CI',
        'falhas e diagnósticos nas suas linhas, no GitHub',
        'o que ainda não tem teste',
        'faz falhar também casos que podem passar hoje e falhar à noite',
        'vários relatórios de uma só execução, além dos de validate',
        'enquanto você edita',
        'uma página com gráficos, para ler e imprimir',
      ],
    },
    diff: {
      summary: 'o que muda na detecção entre dois conteúdos, com um evento para cada diferença',
      usage: ['[--ruleset PASTA] [--custom CAMINHO] ANTIGO NOVO', '--jsonl ANTIGO NOVO'],
      description: [
        'ANTIGO e NOVO são pastas com conteúdo, arquivos, ou REV:caminho de uma revisão do Git; um caminho que começa com ./ é relativo à pasta atual, como no Git. Os dois são comparados sobre o mesmo conjunto de regras e --custom. Sem --ruleset não há nenhum abaixo deles se cada um começa com os modelos de um conjunto inteiro.',
        'Para cada regra e decoder alterado, ou afetado por uma alteração, o comando diz: é diferente, com o menor evento encontrado e as duas respostas; é igual, com prova ou só pela busca; ou é desconhecido. Cada evento foi executado com os dois conteúdos, em uma sessão nova que começa em 1700000000 UTC.',
        'Com --jsonl cada linha é {"item": {"rule_id"} ou {"decoder"}, "result": "equal", "differs" ou "unknown", "proven", "witness": {"events"}, "old", "new"}, com a causa. "advance" de um evento é o número de segundos antes dele (padrão: 1).',
        'Código de saída 0: nada é diferente, ou só há itens desconhecidos; 1: algo é diferente; 2: uso errado, ou o Wazuh não iniciaria com um dos conteúdos.',
      ],
      options: {
        jsonl: 'um objeto JSON para cada item',
        seconds: 'tempo da busca; o que não foi examinado até lá é desconhecido (padrão: {seconds})',
        verbose: 'mostra também o que não é diferente, e o que está provado',
      },
      examples: [
        'duas pastas',
        'o último commit, sobre as regras do seu manager',
        'uma atualização das regras do Wazuh abaixo do seu conteúdo',
        'para programas: a pasta de trabalho e um branch',
        'uma página para uma revisão',
      ],
    },
    bisect: {
      summary: 'a revisão do Git desde a qual um evento tem uma regra, ou não a tem mais',
      usage: ['--expect ID [--path CAMINHO] [--from REV] [--to REV] [EVENTO...]'],
      description: [
        'EVENTO é um evento, ou um arquivo com um evento em cada linha; vários são uma sessão, e vale a regra do último. Sem EVENTO lê a entrada padrão. Uma linha também pode ser JSON como o diff escreve: {"event", "log_format"?, "location"?, "advance"?}, ou um objeto com "events".',
        'As revisões são as que alteraram CAMINHO, ao longo dos primeiros pais. Uma revisão com a qual o Wazuh não iniciaria é pulada e citada. A alteração encontrada é mostrada como no diff.',
        'Código de saída 0: a revisão mais nova dá a regra; 1: não dá; 2: uso errado.',
      ],
      options: {
        expect: 'a regra que o último evento deveria ter',
        path: 'o conteúdo no repositório, como em REV:caminho do diff (padrão: a pasta atual)',
        from: 'a revisão mais antiga (padrão: a primeira de todas)',
        to: 'a revisão mais nova (padrão: HEAD)',
        jsonl: 'um objeto JSON',
        seconds: 'tempo para comparar a alteração encontrada (padrão: {seconds})',
      },
      examples: ['desde quando um evento tem outra regra', 'uma sequência de eventos, em algumas revisões'],
    },
    shrink: {
      summary: 'o menor evento com o mesmo caminho e os mesmos campos, sem o que outros não precisam ver',
      usage: ['[--ruleset PASTA] [--custom CAMINHO] [EVENTO...]'],
      description: [
        'EVENTO é um evento, ou um arquivo com um evento em cada linha; vários são uma sessão, e vale o último. Sem EVENTO lê a entrada padrão.',
        'Eventos, palavras e caracteres são retirados enquanto as mesmas regras casam, o mesmo decoder lê o evento e os mesmos campos existem. Endereços, nomes e números são trocados por dados fictícios, o mesmo valor sempre pelo mesmo. O que uma regra ou decoder precisa fica: leia o evento antes de compartilhar.',
      ],
      options: { jsonl: 'um objeto JSON com os eventos e a resposta' },
      examples: ['um evento', 'uma sequência para o seu conteúdo', 'a última linha de um log, para programas'],
    },
    generate: {
      summary: 'crie eventos que disparam regras: para cada regra os seus, executados pelo motor, ou o motivo de não haver nenhum',
      usage: ['[--ruleset DIR] [--custom CAMINHO] [--rule ID_DA_REGRA] [--near]', '--jsonl > witnesses.jsonl'],
      description: [
        'Para cada regra se procura o menor evento legível cuja regra final é ela, ou uma sequência de eventos com horários, se a regra conta eventos. Com --custom são criados eventos só para as regras desse conteúdo; com --rule, para as regras indicadas; sem as duas opções, para todas as regras do conjunto. Cada resultado é executado antes de ser mostrado, também com outro nome do manager e em outra hora, a não ser que a regra leia o relógio.',
        'Uma regra sem eventos "não pode disparar", o que é provado e diz o que exclui o quê, ou é "desconhecida". Alertas de outro manager, que citam a regra sem teste algum, não contam como eventos; eventos de módulos internos, como os do syscheck, não têm log. O código de saída é 0 também quando há regras que não podem disparar.',
        'Com --jsonl cada linha é {"rule_id", "status": "fires" | "cannot_fire" | "unknown", "events": [{"event", "log_format", "location"?, "advance"?}], "near", "reason": {"code", "text"} | null}. "advance" é o número de segundos antes do evento, 1 quando falta; o primeiro evento de uma sessão chega esse tempo depois de 1700000000 (UTC). "near" é [{"option", "field", "rule_id", "events"}]: eventos que falham nessa opção da regra, e a regra que fica com o último.',
        'Os formatos de --output são json e ini (suítes para o comando test; o formato do Wazuh não tem location nem horários, então regras que precisam deles são apenas citadas), jsonl e html.',
      ],
      options: {
        rule: 'só esta regra; pode ser indicada várias vezes',
        near: 'também os eventos mais próximos que não disparam a regra: para cada condição dela, eventos em que só essa falha',
        jsonl: 'linhas JSON, na ordem das regras',
      },
      examples: [
        'eventos para as suas regras',
        'uma regra e o que quase a dispara',
        'uma suíte de casos dos dois lados de cada condição',
        'todas as regras de uma instalação do Wazuh',
      ],
    },
    regex: {
      summary: 'executa um padrão (osregex, osmatch ou pcre2) em textos: se casou, onde, e as capturas',
      usage: ['[--engine osregex|osmatch|pcre2] PADRÃO [ENTRADA...]', '--jsonl < trials.jsonl'],
      description: [
        'Sem ENTRADA, são usadas as linhas da entrada padrão. As diferenças para os outros dialetos são mostradas: um <match> é osmatch, um <regex> é osregex, e ambos podem ser pcre2 com type="pcre2". Código de saída 1: nenhuma entrada casou, ou o padrão não compila.',
        'Com --jsonl uma linha de entrada é {"engine", "pattern", "input", "substrings", "case_sensitive"}; a linha de saída é {"compiled", "error"?, "matched", "end", "captures"}; "end" é a posição, em bytes, do último byte que casou (null em osmatch).',
      ],
      options: {
        engine: 'dialeto em que o padrão está escrito (se omitido: osregex)',
        'case-sensitive': 'a flag OS_CASE_SENSITIVE, com a qual maiúsculas no padrão nunca casam',
        captures: 'casa como os decoders (o que vale se omitido); --no-captures: como as regras, o que pode mudar o que um osregex casa',
        quiet: 'só o código de saída',
      },
      examples: ['o regex de um decoder', 'em cada linha de um log', 'o match de uma regra'],
    },
    bench: {
      summary: 'mede a velocidade de um conjunto de regras com os seus eventos; --profile: encontra as partes mais caras',
      usage: ['EVENTOS [--ruleset DIR] [--custom CAMINHO]'],
      description: [
        'EVENTOS é um arquivo com um evento por linha, ou linhas JSON com um membro "event" e, opcionalmente, "log_format", "location" e "kind"; - é a entrada padrão. Um evento é executado no seu "log_format" ou no formato detectado. A medição é feita em uma thread, depois de um aquecimento: eventos por segundo em cada etapa, percentis de latência e tempos de compilação (a frio, e de 50 regras pequenas sobre a base compilada).',
        'Com --profile, mede-se cada regra, decoder e padrão: quantas vezes foi testado, casou ou foi excluído por um pré-filtro, os mais caros primeiro.',
      ],
      options: {
        seconds: 'quanto tempo medir (padrão: {seconds})',
        profile: 'mede cada regra, decoder e padrão',
        json: 'escreve os números em JSON',
      },
      examples: ['as regras de referência em um log seu', 'a mais cara das suas regras', 'para CI', 'uma página com as regras mais caras'],
    },
    schema: {
      summary: 'escreve todas as tags e atributos de regras e decoders em JSON; --diagnostics: todos os códigos em Markdown',
      usage: ['[--locale IDIOMA]', '--diagnostics [--locale IDIOMA]'],
      description: ['Escreve a ValidationSchemaResponse, que editores usam para completar e verificar, ou a referência de todos os códigos de diagnóstico.'],
      options: { diagnostics: 'a referência de todos os códigos de diagnóstico, em Markdown' },
      examples: ['todas as tags de regras', 'os códigos, em português'],
    },
    explain: {
      summary: 'mostra a página de um diagnóstico: causa, efeito no Wazuh, um exemplo errado e um certo',
      usage: ['CÓDIGO...'],
      description: ['CÓDIGO é o código de um diagnóstico, ou o número que o Wazuh escreve antes da sua própria mensagem. As páginas são Markdown.'],
      options: {},
      examples: ['um código', 'todos os códigos desta mensagem do Wazuh'],
    },
    lsp: {
      summary: 'inicia um language server para editores: diagnósticos, completar, hover, referências',
      usage: ['--stdio [--ruleset DIR] [--custom CAMINHO]'],
      description: [
        'Os editores o iniciam sozinhos; server/language/EDITORS.md tem as configurações deles. O conteúdo é o de --custom ou, senão, a pasta aberta no editor, por cima de --ruleset, como validate o compila. Arquivos ainda não salvos são incluídos.',
        'Em vez das opções, o editor pode enviar as initialization options "ruleset", um texto, e "custom", uma lista; os caminhos delas são relativos à pasta dele.',
      ],
      options: {
        stdio: 'fala o protocolo na entrada e na saída padrão',
        'help-url': 'onde está publicada a saída de schema --diagnostics; os diagnósticos apontam para o título do seu código',
      },
      examples: ['a pasta do editor, sobre as regras de referência', 'o seu conteúdo sobre o conjunto de regras do seu manager'],
    },
    playground: {
      summary: 'edita e experimenta conteúdo em uma página no navegador',
      usage: ['[--port N]', 'DIR [--ruleset DIR] [--port N]', '--export DIR'],
      description: [
        'Mostra o endereço da página e a serve em 127.0.0.1 até que seja encerrado. O motor é executado no navegador: nada do que se digita sai desta máquina.',
        'Com DIR, a página abre as regras, os decoders, as listas e os casos dessa pasta, como validate e test os veem, mostra as alterações de outros programas e salva na pasta quando você pede. Um arquivo que mudou no disco desde que a página o leu não é sobrescrito: a página une os dois por regra. Nada fora da pasta é lido ou gravado, e links dentro dela não são seguidos. O endereço contém um segredo, sem o qual a pasta não pode ser lida.',
        'Com --export DIR, a página é gravada em uma pasta nova, para qualquer servidor web.',
      ],
      options: {
        port: 'porta em que escuta; 0: qualquer porta livre (padrão: {port})',
        export: 'grava a página nesta pasta, que é nova ou está vazia, e termina',
      },
      examples: ['a página com um exemplo', 'seu próprio conteúdo', 'seu conteúdo sobre o conjunto de regras do seu manager', 'a página para um servidor web'],
    },
    serve: {
      summary: 'inicia o serviço HTTP',
      usage: ['[--accept-new-secret-key]'],
      description: [
        'Escuta em http://127.0.0.1:8080 até que seja encerrado. Por padrão, guarda os seus dados em ./data e não precisa de banco de dados.',
        'As configurações são variáveis de ambiente: {settings}.',
      ],
      options: {
        'accept-new-secret-key':
          'inicia com uma chave secreta que não é a do armazenamento: perdem-se sessões, chaves de API, tokens de SCIM, convites, redefinições de senha, autenticadores de segundos fatores (os códigos de recuperação são mantidos), segredos de cliente de provedores de identidade, segredos de webhooks e credenciais de integrações da chave anterior. Sem esta opção, o início é recusado',
      },
      examples: ['o armazenamento embutido em ./data', 'com NATIVE_SERVICE_MONGODB_URL e NATIVE_SERVICE_SECRET_KEY definidas: MongoDB', 'a chave secreta anterior se perdeu'],
    },
    backup: {
      summary: 'grava todo o armazenamento em um arquivo',
      usage: ['[--data-dir DIR | --mongodb-url URL] ARQUIVO'],
      description: [
        'ARQUIVO é um gzip de linhas JSON com soma de verificação. Ele substitui um arquivo existente quando está completo. Só você pode lê-lo, porque contém hashes de senhas.',
        'O serviço pode continuar em uso. O backup de um armazenamento embutido reflete o momento em que começou; mudanças em um MongoDB durante o backup podem estar nele ou não.',
        'Guarde com ele a chave secreta do serviço (NATIVE_SERVICE_SECRET_KEY, ou a que o serviço gerou na sua pasta de dados): o serviço restaurado não inicia com outra.',
      ],
      options: {},
      examples: ['o armazenamento embutido', 'um MongoDB'],
    },
    restore: {
      summary: 'preenche um armazenamento vazio a partir de um backup',
      usage: ['[--data-dir DIR | --mongodb-url URL] ARQUIVO'],
      description: [
        'ARQUIVO foi gravado por backup, a partir de qualquer um dos dois tipos de armazenamento. O arquivo inteiro é verificado antes que algo seja gravado; um armazenamento que não está vazio não é alterado. Depois de uma restauração interrompida, o serviço não inicia até que ela seja repetida.',
        'Depois, inicie o serviço com a chave secreta que ele tinha. Ele recusa outra, porque o backup contém uma impressão digital da chave.',
      ],
      options: {},
      examples: ['em uma pasta de dados nova'],
    },
  },
} as const satisfies SameShape<typeof english>

/** Does not compile when a text has a placeholder that the English one lacks. */
export type HelpAgrees = None<StrayPlaceholders<(typeof english)['commands'], (typeof help)['commands']>>
