import type { DiagnosticDeclaration } from '../entry.js'

/** Patterns of the three dialects: osregex, osmatch, pcre2 (BEHAVIOUR.md#expression-types). */
export const EXPRESSIONS_DIAGNOSTICS = {
  regex_invalid: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [1450, 1451, 1452, 1453, 5107],
    example: {
      wrong: '<regex>user\\[(\\w+)\\]</regex>',
      right: '<regex>user[(\\w+)]</regex>',
    },
    title: ['Pattern that does not compile', 'Padrão que não compila'],
    message: ['The {dialect} pattern of <{name}> does not compile: {reason}.', 'O padrão {dialect} de <{name}> não compila: {reason}.'],
    hint: ['Correct the pattern, or set type="pcre2" if it is written in that syntax.', 'Corrija o padrão ou defina type="pcre2" se ele estiver escrito nessa sintaxe.'],
    doc: [
      'osregex knows only \\d \\w \\s \\p \\D \\W \\S \\t \\. and a backslash before ( ) \\ $ | <. Every other escape is an error there, and so are nested groups and "|" inside a group.',
      'osregex só conhece \\d \\w \\s \\p \\D \\W \\S \\t \\. e uma barra invertida antes de ( ) \\ $ | <. Qualquer outro escape é erro ali, assim como grupos aninhados e "|" dentro de um grupo.',
    ],
  },
  regex_wrong_dialect: {
    severity: 'warning',
    example: {
      wrong: '<regex>port=[0-9]{2,5}</regex>',
      right: '<regex type="pcre2">port=[0-9]{2,5}</regex>',
    },
    title: ['Pattern in the wrong dialect', 'Padrão no dialeto errado'],
    message: ['The pattern of <{name}> is read as {dialect}, but "{value}" looks like {other}.', 'O padrão de <{name}> é lido como {dialect}, mas "{value}" parece {other}.'],
    hint: ['Set type to the dialect you mean, or rewrite the pattern in {dialect}.', 'Defina type com o dialeto desejado ou reescreva o padrão em {dialect}.'],
    doc: [
      'A pattern without type is osmatch or osregex, where [a-z], ?, {2} and . are plain characters; in pcre2 \\p and \\. mean something else than in osregex.',
      'Um padrão sem type é osmatch ou osregex, onde [a-z], ?, {2} e . são caracteres comuns; em pcre2, \\p e \\. significam outra coisa que em osregex.',
    ],
  },
  regex_never_matches: {
    severity: 'warning',
    title: ['Pattern that never matches', 'Padrão que nunca casa'],
    message: ['The {dialect} pattern "{value}" of <{tag}> ({owner}) {effect}: {reason}.', 'O padrão {dialect} "{value}" de <{tag}> ({owner}) {effect}: {reason}.'],
    hint: ['Rewrite the part that cannot match.', 'Reescreva a parte que não pode casar.'],
    doc: [
      'Some valid patterns match no text at all: a text after "$", an anchor after required text, or an osregex quantifier that consumes what must follow.',
      'Alguns padrões válidos não casam com texto nenhum: um texto depois de "$", uma âncora atrás de texto obrigatório ou um quantificador osregex que consome o que precisa vir depois.',
    ],
  },
  regex_negation_literal: {
    severity: 'warning',
    example: {
      wrong: '<field name="process">!updater$</field>',
      right: '<field name="process" negate="yes">updater$</field>',
    },
    title: ['Exclamation mark that does not negate', 'Ponto de exclamação que não nega'],
    message: [
      'The "!" of "{value}" in the {dialect} pattern of <{tag}> ({owner}) is a literal exclamation mark: it negates only at the head of a whole osmatch pattern.',
      'O "!" de "{value}" no padrão {dialect} de <{tag}> ({owner}) é um ponto de exclamação literal: ele só nega no início de um padrão osmatch inteiro.',
    ],
    hint: [
      'Remove the "!" and write negate="yes". If the mark is meant, nothing has to change.',
      'Retire o "!" e escreva negate="yes". Se o sinal for intencional, nada precisa mudar.',
    ],
    doc: [
      'Only osmatch, the default of <match> and of the tags for single fields, knows "!", and it then negates all alternatives. The defaults of <field> and <regex> are osregex, where "!" is an ordinary character, as in pcre2.',
      'Só o osmatch, padrão de <match> e das tags de campos fixos, conhece "!", e então nega todas as alternativas. O padrão de <field> e <regex> é osregex, em que "!" é um caractere comum, como em pcre2.',
    ],
  },
  regex_dollar_literal: {
    severity: 'warning',
    example: {
      wrong: '<field name="image" negate="yes">$agent.exe</field>',
      right: '<field name="image" negate="yes">agent.exe$</field>',
    },
    title: ['Dollar sign that is no end of the text', 'Cifrão que não é o fim do texto'],
    message: [
      'The "$" of "{value}" in the {dialect} pattern of <{tag}> ({owner}) is a literal dollar sign, {effect}: "$" is the end of the text only as the last character.',
      'O "$" de "{value}" no padrão {dialect} de <{tag}> ({owner}) é um cifrão literal, {effect}: "$" só é o fim do texto como último caractere.',
    ],
    hint: [
      'Write "$" behind the text that has to be at the end. For a dollar sign write \\$ in osregex or pcre2.',
      'Escreva "$" depois do texto que precisa estar no fim. Para um cifrão, escreva \\$ em osregex ou pcre2.',
    ],
    doc: [
      'In osregex and osmatch "$" is the end of the text only as the last character of an alternative, not in front of a text nor inside a group. In pcre2 it is the end everywhere, and no text can follow it.',
      'Em osregex e osmatch, "$" só é o fim do texto como último caractere de uma alternativa, não antes de um texto nem dentro de um grupo. Em pcre2 é o fim em qualquer lugar, e nenhum texto pode vir depois.',
    ],
  },
  regex_header_removed: {
    severity: 'warning',
    example: {
      wrong: '<prematch>^\\w\\w\\w \\d\\d \\d\\d:\\d\\d:\\d\\d gate opened</prematch>',
      right: '<prematch>^gate opened</prematch>',
    },
    title: ['Pattern that begins with the header', 'Padrão que começa com o cabeçalho'],
    message: [
      'The {dialect} pattern of <{tag}> ({owner}) begins with {part}. Wazuh removes that from a log like "{log} …" before decoders and rules read it, {effect}.',
      'O padrão {dialect} de <{tag}> ({owner}) começa com {part}. O Wazuh retira isso de um log como "{log} …" antes que decoders e regras o leiam, {effect}.',
    ],
    hint: [
      'Begin the pattern with what follows the header: date, host and program name are removed together. A logtest shows what remains.',
      'Comece o padrão com o que vem depois do cabeçalho: data, host e nome do programa são retirados juntos. Um logtest mostra o que resta.',
    ],
    doc: [
      'Pre-decoding takes a date in one of its forms, with the host and the program name behind it, for the header, and removes it. Decoders and rules read the rest; the program name is compared by <program_name>, the host by <hostname>.',
      'A pré-decodificação toma uma data em uma das formas que conhece, com o host e o nome do programa depois dela, pelo cabeçalho e a retira. Decoders e regras leem o resto; o nome do programa se compara com <program_name>, o host com <hostname>.',
    ],
  },
  regex_line_break: {
    severity: 'warning',
    example: {
      wrong: `<regex type="pcre2">user=(\\S+)
|   from=(\\S+)</regex>`,
      right: '<regex type="pcre2">user=(\\S+) from=(\\S+)</regex>',
    },
    title: ['Line break inside a pattern', 'Quebra de linha dentro de um padrão'],
    message: [
      'The {dialect} pattern of <{tag}> ({owner}) has a line break in "{value}", which the log must have as well.',
      'O padrão {dialect} de <{tag}> ({owner}) tem uma quebra de linha em "{value}", que o log também precisa ter.',
    ],
    hint: [
      'Write the pattern on one line. In pcre2, (?x) at its head makes white space meaningless.',
      'Escreva o padrão em uma só linha. Em pcre2, (?x) no início faz os espaços não contarem.',
    ],
    doc: [
      'Line breaks and indentation belong to a pattern like all other characters. Hardly any log has them, so the pattern, or the alternative behind the break, does not match.',
      'Quebras de linha e recuos pertencem ao padrão como qualquer outro caractere. Quase nenhum log os tem; por isso o padrão, ou a alternativa depois da quebra, não casa.',
    ],
  },
  regex_backtracking: {
    severity: 'warning',
    example: {
      wrong: '<regex type="pcre2">^(\\w+\\s?)+$</regex>',
      right: '<regex type="pcre2">^\\w+(?:\\s\\w+)*$</regex>',
    },
    title: ['Pattern with runaway backtracking', 'Padrão com backtracking descontrolado'],
    message: [
      'The pattern of <{name}> has runaway backtracking: on {event} ({bytes} bytes) {effect}.',
      'O padrão de <{name}> tem backtracking descontrolado: em {event} ({bytes} bytes) {effect}.',
    ],
    hint: [
      'Make the parts exclude each other, for instance [^ ]+ instead of .+, or use an atomic group or possessive quantifier.',
      'Faça as partes se excluírem, por exemplo [^ ]+ em vez de .+, ou use um grupo atômico ou quantificador possessivo.',
    ],
    doc: [
      'Where two repetitions can share the same text in many ways, a log that almost matches makes PCRE2 try them all. Above ten million steps from one position it gives up, and the rule is blind to the log; below them one log blocks the manager for seconds. The text in the message was run and its steps were counted as PCRE2 counts them; a stall is reported from five seconds on. `validate --json` has that text as `attack`: `prefix`, `pump` as often as `copies` says, `suffix`. A correction is offered where it is proven that the corrected pattern accepts the same texts, and where no attack on it is found. `regex --redos` searches one pattern more thoroughly, `redos` those of a whole ruleset.',
      'Onde duas repetições podem dividir o mesmo texto de muitas formas, um log que quase casa faz o PCRE2 tentar todas. Acima de dez milhões de passos a partir de uma posição ele desiste, e a regra não vê o log; abaixo disso um único log bloqueia o manager por segundos. O texto da mensagem foi executado e seus passos foram contados como o PCRE2 os conta; uma parada é relatada a partir de cinco segundos. `validate --json` traz esse texto em `attack`: `prefix`, `pump` tantas vezes quanto diz `copies`, `suffix`. Uma correção é oferecida onde está provado que o padrão corrigido aceita os mesmos textos, e onde não se encontra ataque contra ele. `regex --redos` examina um padrão mais a fundo, `redos` os de um conjunto inteiro.',
    ],
  },
  regex_attacks_not_searched: {
    severity: 'info',
    title: ['Search for attacks ended early', 'Busca por ataques encerrada antes do fim'],
    message: [
      'The search for attacks ended at its limit of steps. Not searched: {count}, of which this is the first.',
      'A busca por ataques terminou no limite de passos. Não examinados: {count}; este é o primeiro.',
    ],
    hint: ['Search them with `detection-content redos`, which takes its time.', 'Examine-os com `detection-content redos`, que leva o tempo necessário.'],
    doc: [
      'The search for events that stall or blind PCRE2 is the most expensive check, so it ends after a number of steps, and what comes behind is left out.',
      'A busca por eventos que travem ou ceguem o PCRE2 é a verificação mais cara; por isso termina depois de um número de passos, e o que vem depois fica de fora.',
    ],
  },
  regex_slow: {
    severity: 'warning',
    example: {
      wrong: '<regex type="pcre2">.*error.*</regex>',
      right: '<regex type="pcre2">error</regex>',
    },
    title: ['Slow pattern', 'Padrão lento'],
    message: ['The pattern of <{name}> is slow: {reason}.', 'O padrão de <{name}> é lento: {reason}.'],
    hint: ['Begin the pattern with fixed text or "^", and drop a leading .*.', 'Comece o padrão com texto fixo ou "^" e retire um .* inicial.'],
    doc: [
      'The pattern runs on every event that reaches it. With fixed text, Wazuh and this service can skip most logs without running it.',
      'O padrão é executado em todo evento que chega até ele. Com texto fixo, o Wazuh e este serviço podem pular a maioria dos logs sem executá-lo.',
    ],
  },
  regex_re2_unsupported: {
    severity: 'info',
    title: ['Pattern for the slower matcher', 'Padrão para o motor mais lento'],
    message: ['The pattern of <{name}> uses {value}, which only the slower matcher supports.', 'O padrão de <{name}> usa {value}, que só o motor mais lento suporta.'],
    hint: ['Nothing is wrong; rewrite without {value} if speed matters here.', 'Não há erro; reescreva sem {value} se a velocidade importar aqui.'],
    doc: [
      'Lookaround and backreferences cannot run in linear time. They give the same result as in Wazuh, with a step limit per event.',
      'Lookaround e retrorreferências não podem rodar em tempo linear. O resultado é o mesmo do Wazuh, com um limite de passos por evento.',
    ],
  },
  regex_unanchored_program_name: {
    severity: 'info',
    example: {
      wrong: '<program_name>sshd</program_name>',
      right: '<program_name>^sshd$</program_name>',
    },
    title: ['program_name not anchored', 'program_name sem âncora'],
    message: [
      'The program_name pattern "{value}" also matches longer names; it is not anchored.',
      'O padrão de program_name "{value}" também casa com nomes mais longos; ele não está ancorado.',
    ],
    hint: ['Write ^name$, or ^name if versions or suffixes are meant.', 'Escreva ^nome$, ou ^nome se versões ou sufixos forem intencionais.'],
    doc: [
      "sshd also matches my-sshd-proxy, and then this decoder takes that program's logs.",
      'sshd também casa com my-sshd-proxy, e então este decoder toma os logs daquele programa.',
    ],
  },
  regex_anchor_after_offset: {
    severity: 'info',
    title: ['Anchor together with an offset', 'Âncora junto com offset'],
    message: [
      'The "^" of <{name}> means the place after the earlier match, not for the beginning of the log.',
      'O "^" de <{name}> indica o ponto depois da correspondência anterior, não o início do log.',
    ],
    hint: ['Keep it if the text must follow directly; otherwise remove "^".', 'Mantenha-o se o texto precisa vir logo em seguida; caso contrário, remova "^".'],
    doc: [
      'With an offset the search begins behind the earlier match, and "^" is that place.',
      'Com offset, a busca começa depois da correspondência anterior, e "^" é esse ponto.',
    ],
  },
  regex_unescaped_dot: {
    severity: 'info',
    example: {
      wrong: '<match type="pcre2">cmd.exe</match>',
      right: '<match type="pcre2">cmd\\.exe</match>',
    },
    title: ['Dot that matches anything', 'Ponto que casa com qualquer coisa'],
    message: [
      'A "." in the pattern of <{name}> matches any character; a literal dot was probably meant.',
      'Um "." no padrão de <{name}> casa com qualquer caractere; provavelmente a intenção era um ponto literal.',
    ],
    hint: ['Write \\. for a literal dot.', 'Escreva \\. para um ponto literal.'],
    doc: [
      'In pcre2 10.0.0.1 also matches 10a0b0c1. In osregex it is the other way round: "." is a dot and \\. is any character.',
      'Em pcre2, 10.0.0.1 também casa com 10a0b0c1. Em osregex é o contrário: "." é um ponto e \\. é qualquer caractere.',
    ],
  },
  regex_case_redundant: {
    severity: 'info',
    example: {
      wrong: '<match>Error|ERROR|error</match>',
      right: '<match>error</match>',
    },
    title: ['Needless case handling', 'Tratamento de maiúsculas desnecessário'],
    message: [
      '"{value}" in the pattern of <{name}> is not needed: {dialect} ignores case anyway.',
      '"{value}" no padrão de <{name}> não é necessário: {dialect} já ignora maiúsculas e minúsculas.',
    ],
    hint: ['Remove it.', 'Remova-o.'],
    doc: [
      'osregex and osmatch never distinguish case, so spelling a word twice, or adding (?i), does nothing there.',
      'osregex e osmatch nunca distinguem maiúsculas de minúsculas; escrever a palavra duas vezes, ou adicionar (?i), não muda nada.',
    ],
  },
  regex_idle_alternative: {
    severity: 'info',
    example: {
      wrong: '<match>root|toor root</match>',
      right: '<match>root</match>',
    },
    title: ['Alternative that decides nothing', 'Alternativa que nada decide'],
    message: ['"{value}" in the pattern of <{name}> decides nothing: {reason}.', '"{value}" no padrão de <{name}> nada decide: {reason}.'],
    hint: ['Remove it, or write what it was to find beyond the others.', 'Remova-a ou escreva o que ela deveria achar além das outras.'],
    doc: [
      'It is proven that the pattern accepts the same texts without the alternative. Either it is superfluous, or another one is wider than was meant.',
      'Está provado que o padrão aceita os mesmos textos sem a alternativa. Ou ela sobra, ou outra é mais ampla do que se queria.',
    ],
  },
  regex_unused_capture: {
    severity: 'info',
    title: ['Group without use', 'Grupo sem uso'],
    message: ['The pattern of <{name}> has a group whose text is not used.', 'O padrão de <{name}> tem um grupo cujo texto não é usado.'],
    hint: ['In pcre2 write (?:…); in osregex drop the parentheses.', 'Em pcre2, escreva (?:…); em osregex, retire os parênteses.'],
    doc: [
      'Only the <regex> of a decoder extracts. Groups elsewhere cost time, and in osregex they can change what matches.',
      'Só o <regex> de um decoder extrai. Grupos em outros lugares custam tempo e, em osregex, podem mudar o que casa.',
    ],
  },
  regex_literal_only: {
    severity: 'info',
    example: {
      wrong: '<regex>login failed</regex>',
      right: '<match>login failed</match>',
    },
    title: ['Plain text as a pattern', 'Texto simples como padrão'],
    message: ['The pattern of <{name}> is plain text; <match> would do, and is faster.', 'O padrão de <{name}> é texto simples; <match> bastaria e é mais rápido.'],
    hint: ['Write it as <match>.', 'Escreva-o como <match>.'],
    doc: ['<match> searches plain text without a pattern machine.', '<match> procura texto simples sem usar o motor de padrões.'],
  },
  regex_non_ascii: {
    severity: 'warning',
    example: {
      wrong: '<match>usuário</match>',
      right: '<match type="pcre2">usuário</match>',
    },
    title: ['Character outside ASCII', 'Caractere fora do ASCII'],
    message: [
      '"{value}" in the {dialect} pattern of <{name}> never matches: {dialect} does not handle characters outside ASCII.',
      '"{value}" no padrão {dialect} de <{name}> nunca casa: {dialect} não trata caracteres fora do ASCII.',
    ],
    hint: ['Use type="pcre2", or \\. (osregex) for each byte of the character.', 'Use type="pcre2" ou \\. (osregex) para cada byte do caractere.'],
    doc: [
      'osregex and osmatch work on bytes and fold case in a way that keeps letters such as é from ever matching.',
      'osregex e osmatch trabalham com bytes e tratam maiúsculas de um modo que impede letras como é de casar.',
    ],
  },
  regex_adjacent_groups: {
    severity: 'warning',
    example: {
      wrong: '<regex>(\\w+)(\\d+)</regex>',
      right: '<regex type="pcre2">(\\w+?)(\\d+)</regex>',
    },
    title: ['Groups without text between them', 'Grupos sem texto entre eles'],
    message: [
      'The osregex of <{name}> has two groups without text between them, which does not capture as expected.',
      'O osregex de <{name}> tem dois grupos sem texto entre eles, que não capturam como esperado.',
    ],
    hint: ['Put a separator between the groups, or use pcre2.', 'Coloque um separador entre os grupos ou use pcre2.'],
    doc: [
      'In osregex ")(" leaves two marks in one place and the second group is not opened: (\\w+)(\\d+) does not match ab12.',
      'Em osregex, ")(" deixa duas marcas no mesmo lugar e o segundo grupo não é aberto: (\\w+)(\\d+) não casa com ab12.',
    ],
  },
  regex_open_end_before_offset: {
    severity: 'warning',
    example: {
      wrong: '<prematch>^session \\d+</prematch>',
      right: '<prematch>^session \\d+ </prematch>',
    },
    title: ['Open end before an offset', 'Fim aberto antes de um offset'],
    message: [
      'The osregex of <{name}> ends in "{value}", so the text after it begins at the wrong byte.',
      'O osregex de <{name}> termina em "{value}"; por isso o texto depois dele começa no byte errado.',
    ],
    hint: ['End the pattern with the fixed text that follows, even if it is only a blank.', 'Termine o padrão com o texto fixo que vem em seguida, mesmo que seja só um espaço.'],
    doc: [
      'Where an osregex ends in a repetition, Wazuh does not report the end of the repeated text, so a pattern with an after_* offset begins one byte late or in the middle of a word.',
      'Quando um osregex termina em uma repetição, o Wazuh não informa o fim do texto repetido; um padrão com offset after_* começa um byte depois ou no meio de uma palavra.',
    ],
  },
  regex_captures_reused: {
    severity: 'warning',
    title: ['Captures of prematch handed on', 'Capturas do prematch repassadas'],
    message: [
      'The pcre2 <regex> of decoder "{decoder}" has no group, so it hands on what <prematch> captured.',
      'O <regex> pcre2 do decoder "{decoder}" não tem grupo; por isso repassa o que <prematch> capturou.',
    ],
    hint: ['Add the group you want to the <regex>, and use (?:…) in <prematch>.', 'Adicione ao <regex> o grupo desejado e use (?:…) em <prematch>.'],
    doc: [
      'A pcre2 match without groups leaves the captures of the pattern before it in place, and these then fill the names in <order>.',
      'Uma correspondência pcre2 sem grupos mantém as capturas do padrão anterior, e são elas que preenchem os nomes em <order>.',
    ],
  },
} as const satisfies Record<string, DiagnosticDeclaration>
