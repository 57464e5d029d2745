import type { DiagnosticDeclaration } from '../entry.js'

/** What the decoder loader accepts in silence and should not (BEHAVIOUR.md#silent-decoder-mistakes). */
export const DECODER_CHECKS_DIAGNOSTICS = {
  decoder_regex_no_group: {
    severity: 'warning',
    example: {
      wrong: '<regex>user \\S+ from \\S+</regex>',
      right: '<regex>user (\\S+) from (\\S+)</regex>',
    },
    title: ['regex without group', 'regex sem grupo'],
    message: ['The <regex> of decoder "{decoder}" has no group, so {effect}.', 'O <regex> do decoder "{decoder}" não tem grupo; por isso {effect}.'],
    hint: ['Put parentheses around what <order> should receive.', 'Coloque entre parênteses o que <order> deve receber.'],
    doc: [
      'Only text inside ( ) is extracted. In osregex write \\( for a literal parenthesis. A pcre2 match without groups takes the captures that the last pcre2 match left, of another decoder or an earlier event; if nothing was captured before, Wazuh 4.14.7 crashes.',
      'Só o texto dentro de ( ) é extraído. Em osregex, escreva \\( para um parêntese literal. Uma correspondência pcre2 sem grupos usa as capturas que a última correspondência pcre2 deixou, de outro decoder ou de um evento anterior; se nada foi capturado antes, o Wazuh 4.14.7 quebra.',
    ],
  },
  decoder_group_count_mismatch: {
    severity: 'warning',
    example: {
      wrong: `<regex>(\\S+) from (\\S+)</regex>
| <order>dstuser, srcip, srcport</order>`,
      right: `<regex>(\\S+) from (\\S+)</regex>
| <order>dstuser, srcip</order>`,
    },
    title: ['Groups and names do not match', 'Grupos e nomes não correspondem'],
    message: ['Decoder "{decoder}" has {groups} groups but {fields} names in <order>.', 'O decoder "{decoder}" tem {groups} grupos, mas {fields} nomes em <order>.'],
    hint: ['Write one name in <order> for each group of <regex>.', 'Escreva um nome em <order> para cada grupo de <regex>.'],
    doc: [
      'Extra groups are dropped, extra names stay empty, and one missing group moves every value after it to the wrong field.',
      'Grupos a mais são descartados, nomes a mais ficam vazios, e um grupo que falta desloca todos os valores seguintes para o campo errado.',
    ],
  },
  decoder_order_duplicate_field: {
    severity: 'warning',
    title: ['Field named twice in order', 'Campo repetido em order'],
    message: ['The <order> of decoder "{decoder}" names "{field}" twice.', 'O <order> do decoder "{decoder}" nomeia "{field}" duas vezes.'],
    hint: ['Give one of them another name.', 'Dê outro nome a um deles.'],
    doc: [
      'A static field keeps the last value. For a dynamic field rules see only the first.',
      'Um campo estático fica com o último valor. Para um campo dinâmico, as regras veem só o primeiro.',
    ],
  },
  decoder_order_whitespace: {
    severity: 'warning',
    example: {
      wrong: `<order>dstuser,
|   srcip</order>`,
      right: '<order>dstuser, srcip</order>',
    },
    title: ['Line break or tab in order', 'Quebra de linha ou tab em order'],
    message: [
      'A name in the <order> of decoder "{decoder}" contains a tab or newline, which becomes part of the field name.',
      'Um nome no <order> do decoder "{decoder}" contém um tab ou uma quebra de linha, que passa a fazer parte do nome do campo.',
    ],
    hint: ['Write <order> on one line, with blanks at most.', 'Escreva <order> em uma só linha, com espaços no máximo.'],
    doc: [
      'Only blanks are trimmed. After a line break the next name begins with that break: srcip becomes a dynamic field that no rule finds.',
      'Só espaços são aparados. Depois de uma quebra de linha, o próximo nome começa com ela: srcip vira um campo dinâmico que ninguém encontra.',
    ],
  },
  decoder_field_name_style: {
    severity: 'info',
    title: ['Unusual field name', 'Nome de campo incomum'],
    message: ['The field name "{field}" of decoder "{decoder}" is unusual: {reason}.', 'O nome de campo "{field}" do decoder "{decoder}" é incomum: {reason}.'],
    hint: ['Use lower case letters, digits, "_" and "." only.', 'Use apenas letras minúsculas, dígitos, "_" e ".".'],
    doc: [
      'A name is cut at its first blank, and names that differ only in case are hard to tell apart in rules.',
      'Um nome é cortado no primeiro espaço, e nomes que só diferem em maiúsculas são difíceis de distinguir nas regras.',
    ],
  },
  decoder_attribute_misspelled: {
    severity: 'warning',
    effect: 'ignore',
    example: {
      wrong: '<regex ofset="after_parent">',
      right: '<regex offset="after_parent">',
    },
    title: ['Misspelt attribute', 'Atributo com erro de grafia'],
    message: ['Wazuh ignores the attribute "{name}" of <{tag}> in decoder "{decoder}".', 'O Wazuh ignora o atributo "{name}" de <{tag}> no decoder "{decoder}".'],
    hint: ['Correct the name, in lower case.', 'Corrija o nome, em minúsculas.'],
    doc: [
      'Unknown attributes are skipped in silence. With ofset="after_parent" the search begins at the start of the log.',
      'Atributos desconhecidos são pulados em silêncio. Com ofset="after_parent", a busca começa no início do log.',
    ],
  },
  decoder_attribute_ignored: {
    severity: 'warning',
    effect: 'ignore',
    title: ['Unknown attribute in a decoder', 'Atributo desconhecido em um decoder'],
    message: [
      'Wazuh does not know the attribute "{name}" of <{tag}> in decoder "{decoder}" and ignores it.',
      'O Wazuh não conhece o atributo "{name}" de <{tag}> no decoder "{decoder}" e o ignora.',
    ],
    hint: [
      'Remove it. Patterns know type, and <prematch>, <regex> and <plugin_decoder> also offset.',
      'Remova-o. Padrões conhecem type, e <prematch>, <regex> e <plugin_decoder> também offset.',
    ],
    doc: [
      'Wazuh skips unknown attributes of all children of a decoder without notice.',
      'Atributos que o Wazuh não conhece são pulados em silêncio, aqui e em qualquer outro filho de um decoder.',
    ],
  },
  decoder_date_taken: {
    severity: 'warning',
    title: ['Logs with this date go to an earlier decoder', 'Logs com esta data vão para um decoder anterior'],
    message: [
      'A log like "{log} …" does not reach decoder "{decoder}": decoder "{other}" is tried first, and takes every log that begins with such a date.',
      'Um log como "{log} …" não chega ao decoder "{decoder}": o decoder "{other}" é testado antes e assume todo log que começa com uma data assim.',
    ],
    hint: [
      'Give this file a name that sorts before {file}, or make this decoder a child of "{other}" with <parent>.',
      'Dê a este arquivo um nome que venha antes de {file} ou torne este decoder filho de "{other}" com <parent>.',
    ],
    doc: [
      'The first root decoder that matches ends the search, and files load by name. A decoder of the default ruleset that asks only for a date takes the logs of all decoders behind it that begin with that date.',
      'O primeiro decoder raiz que casa encerra a busca, e os arquivos são carregados por nome. Um decoder do conjunto padrão que só pede uma data assume os logs de todos os decoders depois dele que começam com essa data.',
    ],
  },
  decoder_plugin_whole_log: {
    severity: 'warning',
    example: {
      wrong: `<parent>app</parent>
| <plugin_decoder offset="after_parent">JSON_Decoder</plugin_decoder>`,
      right: `<parent>app</parent>
| <prematch offset="after_parent">{</prematch>
| <plugin_decoder offset="after_parent">JSON_Decoder</plugin_decoder>`,
    },
    title: ['Plugin that does not begin at the object', 'Plugin que não começa no objeto'],
    message: [
      'JSON_Decoder of decoder "{decoder}" does not get the text behind the match of the root, because {reason}; it finds no object and sets no field.',
      'O JSON_Decoder do decoder "{decoder}" não recebe o texto depois da correspondência da raiz, porque {reason}; não encontra objeto e não define campo nenhum.',
    ],
    hint: ['Write {fix}.', 'Escreva {fix}.'],
    doc: [
      'JSON_Decoder reads from the offset of the decoder that is reported: of the child whose <prematch> selected it, otherwise of the root. Without such an offset it reads the log from its beginning, where the prematch of the root requires other text than an object.',
      'O JSON_Decoder lê a partir do offset do decoder informado: o do filho que o próprio <prematch> selecionou, senão o da raiz. Sem esse offset ele lê o log desde o início, onde o prematch da raiz exige outro texto que não um objeto.',
    ],
  },
  decoder_plugin_ignored: {
    severity: 'warning',
    title: ['Plugin that never runs', 'Plugin que nunca é executado'],
    message: ['The plugin of decoder "{decoder}" never runs, because the decoder has children.', 'O plugin do decoder "{decoder}" nunca é executado, porque o decoder tem filhos.'],
    hint: ['Move the plugin to a child decoder without <prematch>.', 'Mova o plugin para um decoder filho sem <prematch>.'],
    doc: ['As soon as a root decoder has children, only children extract fields.', 'Assim que um decoder raiz tem filhos, só os filhos extraem campos.'],
  },
  decoder_regex_ignored: {
    severity: 'warning',
    title: ['regex that never runs', 'regex que nunca é executado'],
    message: [
      'The <regex> of decoder "{decoder}" never runs, because the decoder has children.',
      'O <regex> do decoder "{decoder}" nunca é executado, porque o decoder tem filhos.',
    ],
    hint: ['Move <regex> and <order> to a child decoder without <prematch>.', 'Mova <regex> e <order> para um decoder filho sem <prematch>.'],
    doc: ['As soon as a root decoder has children, only children extract fields.', 'Assim que um decoder raiz tem filhos, só os filhos extraem campos.'],
  },
  decoder_sibling_name_breaks_chain: {
    severity: 'warning',
    title: ['Chain of decoders interrupted', 'Cadeia de decoders interrompida'],
    message: [
      'Decoder "{other}" is between two decoders called "{decoder}" and breaks their chain.',
      'O decoder "{other}" está entre dois decoders chamados "{decoder}" e quebra a cadeia deles.',
    ],
    hint: ['Put all decoders called "{decoder}" directly one after the other.', 'Coloque todos os decoders chamados "{decoder}" em sequência direta.'],
    doc: [
      'After a member of a chain Wazuh runs the next child in load order, even if it has another name. Wazuh does not test its <prematch>, and the chain ends there.',
      'Depois de um membro da cadeia, o Wazuh executa o próximo filho na ordem de carga, mesmo que tenha outro nome. O Wazuh não testa o <prematch> dele, e a cadeia termina ali.',
    ],
  },
  decoder_empty_alternative: {
    severity: 'warning',
    example: {
      wrong: '<regex>user=(\\S+)|(\\.*)$</regex>',
      right: '<regex>user=(\\S+)</regex>',
    },
    title: ['Alternative that takes everything', 'Alternativa que toma tudo'],
    message: [
      'An alternative in <{name}> of decoder "{decoder}" matches every log: "{value}".',
      'Uma alternativa em <{name}> do decoder "{decoder}" casa com todo log: "{value}".',
    ],
    hint: ['Remove the alternative, or anchor it to text that must be there.', 'Remova a alternativa ou ancore-a em um texto que precise estar lá.'],
    doc: [
      'An alternative that matches anything wins wherever the others fail and puts the whole log into the first field.',
      'Uma alternativa que casa com qualquer coisa vence onde as outras falham e põe o log inteiro no primeiro campo.',
    ],
  },
  decoder_shadowed: {
    severity: 'warning',
    title: ['Decoder hidden by an earlier one', 'Decoder encoberto por um anterior'],
    message: [
      'Decoder "{decoder}" is never tried: decoder "{other}" comes first and takes the same logs.',
      'O decoder "{decoder}" nunca é testado: o decoder "{other}" vem antes e toma os mesmos logs.',
    ],
    hint: [
      'Load this decoder first by renaming its file, or narrow the <prematch> of "{other}".',
      'Carregue este decoder primeiro, renomeando o arquivo, ou restrinja o <prematch> de "{other}".',
    ],
    doc: [
      'The first root that matches keeps the event, even when none of its children match.',
      'A primeira raiz que casa fica com o evento, mesmo quando nenhum dos seus filhos casa.',
    ],
  },
  decoder_unreachable: {
    severity: 'info',
    title: ['Decoder without rules', 'Decoder sem regras'],
    message: ['No rule uses what decoder "{decoder}" produces.', 'Nenhuma regra usa o que o decoder "{decoder}" produz.'],
    hint: ['Add a rule with <decoded_as>{decoder}</decoded_as>, or remove the decoder.', 'Adicione uma regra com <decoded_as>{decoder}</decoded_as> ou remova o decoder.'],
    doc: [
      'Fields that no rule reads are extracted for nothing, unless people search for them in stored events.',
      'Campos que nenhuma regra lê são extraídos à toa, a menos que alguém os pesquise nos eventos guardados.',
    ],
  },
  decoder_child_behind_catch_all: {
    severity: 'warning',
    title: ['Child behind a catch-all', 'Filho atrás de um que toma tudo'],
    message: [
      'Decoder "{decoder}" is never tried: its sibling "{other}" has no <prematch> and always takes the log first.',
      'O decoder "{decoder}" nunca é testado: o irmão "{other}" não tem <prematch> e sempre toma o log antes.',
    ],
    hint: ['Move "{other}" after all its siblings, or give it a <prematch>.', 'Mova "{other}" para depois de todos os irmãos ou dê a ele um <prematch>.'],
    doc: [
      'A child without <prematch> is taken unconditionally, so children after it, and after its namesakes, are never tried.',
      'Um filho sem <prematch> é tomado incondicionalmente; os filhos depois dele e dos seus homônimos nunca são testados.',
    ],
  },
  decoder_program_name_in_child: {
    severity: 'warning',
    title: ['program_name in a child', 'program_name em um filho'],
    message: ['<program_name> in the child decoder "{decoder}" is never tested.', '<program_name> no decoder filho "{decoder}" nunca é testado.'],
    hint: ['Move <program_name> to the root decoder, or write the condition as <prematch>.', 'Mova <program_name> para o decoder raiz ou escreva a condição como <prematch>.'],
    doc: [
      'Wazuh compiles the pattern, so a mistake in it still stops the ruleset, but never compares it with anything.',
      'O Wazuh compila o padrão, de modo que um erro nele ainda impede a carga, mas nunca o compara com nada.',
    ],
  },
  decoder_option_ineffective: {
    severity: 'warning',
    title: ['Option without effect in this child', 'Opção sem efeito neste filho'],
    message: [
      '<{name}> of decoder "{decoder}" has no effect, because the decoder is a child without <prematch>.',
      '<{name}> do decoder "{decoder}" não tem efeito, porque o decoder é um filho sem <prematch>.',
    ],
    hint: ['Give the decoder a <prematch>, or move <{name}> to the root.', 'Dê ao decoder um <prematch> ou mova <{name}> para a raiz.'],
    doc: [
      'Name, type, fts, accumulate and the JSON options are those of the decoder that is reported, and for a child without <prematch> that is the root.',
      'Nome, tipo, fts, accumulate e as opções JSON são as do decoder informado no resultado, e para um filho sem <prematch> esse é a raiz.',
    ],
  },
  decoder_option_value_ignored: {
    severity: 'warning',
    effect: 'ignore',
    example: {
      wrong: '<use_own_name>yes</use_own_name>',
      right: '<use_own_name>true</use_own_name>',
    },
    title: ['Ignored value', 'Valor ignorado'],
    message: [
      '<{name}> of decoder "{decoder}" has the value "{value}" and is ignored; only {expected} counts.',
      '<{name}> do decoder "{decoder}" tem o valor "{value}" e é ignorado; só {expected} conta.',
    ],
    hint: ['Write exactly {expected}, or remove the element.', 'Escreva exatamente {expected} ou remova o elemento.'],
    doc: [
      'Wazuh compares the exact text, including blanks and case, and silently ignores every other value.',
      'O Wazuh compara o texto como está, com espaços e maiúsculas, e ignora em silêncio qualquer outro valor.',
    ],
  },
  decoder_accumulate_content: {
    severity: 'warning',
    title: ['accumulate is always on', 'accumulate está sempre ligado'],
    message: [
      '<accumulate> of decoder "{decoder}" is on, although its text says "{value}".',
      '<accumulate> do decoder "{decoder}" está ligado, diga o que disser o texto "{value}".',
    ],
    hint: ['Write <accumulate />, or remove the element to switch it off.', 'Escreva <accumulate /> ou remova o elemento para desligá-lo.'],
    doc: ['The element itself is the switch; even <accumulate>no</accumulate> turns it on.', 'O próprio elemento é a chave; até <accumulate>no</accumulate> o liga.'],
  },
  decoder_fts_before_order: {
    severity: 'warning',
    effect: 'ignore',
    title: ['fts before order', 'fts antes de order'],
    message: [
      '<fts> of decoder "{decoder}" is before <order>, so its word "{value}" is ignored.',
      '<fts> do decoder "{decoder}" está antes de <order>; por isso a palavra "{value}" é ignorada.',
    ],
    hint: ['Move <fts> below <order>.', 'Mova <fts> para baixo de <order>.'],
    doc: [
      'Names of dynamic fields are looked up in the <order> read so far. Before it they are unknown and skipped.',
      'Nomes de campos dinâmicos são procurados no <order> lido até ali. Antes dele, são desconhecidos e pulados.',
    ],
  },
  decoder_fts_extra_data: {
    severity: 'warning',
    title: ['extra_data in fts', 'extra_data em fts'],
    message: ['extra_data in <fts> of decoder "{decoder}" means the field data.', 'extra_data em <fts> do decoder "{decoder}" significa o campo data.'],
    hint: ['Use another field, or extract the value into data.', 'Use outro campo ou extraia o valor para data.'],
    doc: [
      'In <fts> the word extra_data is taken for data, so the value of the field extra_data is never remembered.',
      'Em <fts>, a palavra extra_data é tomada por data; o valor do campo extra_data nunca é lembrado.',
    ],
  },
} as const satisfies Record<string, DiagnosticDeclaration>
