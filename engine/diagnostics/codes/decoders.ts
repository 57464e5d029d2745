import type { DiagnosticDeclaration } from '../entry.js'

/** What the decoder loader refuses or reports (BEHAVIOUR.md#decoder-tags, #letter-case-of-decoder-tags, #order-and-fts-words, #decoder-checks). */
export const DECODERS_DIAGNOSTICS = {
  decoders_root_invalid: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [1230],
    example: {
      wrong: '<decoders><decoder name="myapp">…</decoder></decoders>',
      right: '<decoder name="myapp">…</decoder>',
    },
    title: ['Wrong top-level element in a decoders file', 'Elemento raiz incorreto em arquivo de decoders'],
    message: [
      '<{name}> is not allowed at the top of a decoders file; only <decoder> and <var> are.',
      '<{name}> não é permitido no nível superior de um arquivo de decoders; só <decoder> e <var> são.',
    ],
    hint: [
      'Write <decoder name="…"> at the top, without a wrapper; rules belong in a rules file.',
      'Escreva <decoder name="…"> no nível superior, sem elemento externo; regras pertencem a um arquivo de regras.',
    ],
    doc: [
      'A decoders file is a plain sequence of <decoder> elements and <var> definitions. <decoders> or <group> around them is refused.',
      'Um arquivo de decoders é uma simples sequência de elementos <decoder> e definições <var>. <decoders> ou <group> em volta deles é recusado.',
    ],
  },
  decoder_name_missing: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [1230],
    example: {
      wrong: '<decoder type="syslog" name="myapp">',
      right: '<decoder name="myapp">',
    },
    title: ['Decoder without name', 'Decoder sem nome'],
    message: ['The first attribute of <decoder> must be name.', 'O primeiro atributo de <decoder> deve ser name.'],
    hint: ['Write <decoder name="…"> with name as the first attribute.', 'Escreva <decoder name="…"> com name como primeiro atributo.'],
    doc: ['Wazuh looks at the first attribute only; name in second place is not found.', 'O Wazuh olha apenas o primeiro atributo; name em segundo lugar não é encontrado.'],
  },
  decoder_attribute_invalid: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [1230],
    example: {
      wrong: '<decoder name="myapp" type="web-log">',
      right: `<decoder name="myapp">
|   <type>web-log</type>`,
    },
    title: ['Extra attribute of a decoder', 'Atributo a mais em um decoder'],
    message: ['The attribute "{name}" is not allowed on <decoder> ("{decoder}").', 'O atributo "{name}" não é permitido em <decoder> ("{decoder}").'],
    hint: ['Remove it. type, parent and the rest are child elements of <decoder>.', 'Remova-o. type, parent e os demais são elementos filhos de <decoder>.'],
    doc: ['Beside name only status is tolerated, in second place, and it does nothing.', 'Além de name, só status é tolerado, em segundo lugar, e não faz nada.'],
  },
  decoder_empty: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [1231],
    title: ['Decoder without content', 'Decoder sem conteúdo'],
    message: ['The decoder "{decoder}" has no child elements.', 'O decoder "{decoder}" não tem elementos filhos.'],
    hint: ['Add a <program_name>, a <prematch>, or a <parent> with a <regex> and <order>.', 'Adicione um <program_name>, um <prematch>, ou um <parent> com <regex> e <order>.'],
    doc: ['A decoder needs at least one child element.', 'Um decoder precisa de pelo menos um elemento filho.'],
  },
  decoder_element_unknown: {
    severity: 'error',
    effect: 'refuse',
    example: {
      wrong: '<pre_match>login</pre_match>',
      right: '<prematch>login</prematch>',
    },
    title: ['Unknown decoder option', 'Opção de decoder desconhecida'],
    message: ['Wazuh knows no decoder option <{name}> (decoder "{decoder}").', 'O Wazuh não conhece a opção de decoder <{name}> (decoder "{decoder}").'],
    hint: ['Correct the name or remove the element; <type> must be in lower case.', 'Corrija o nome ou remova o elemento; <type> precisa estar em minúsculas.'],
    doc: [
      'Wazuh knows parent, program_name, prematch, regex, order, type, use_own_name, plugin_decoder, accumulate, fts, ftscomment, json_null_field and json_array_structure.',
      'O Wazuh conhece parent, program_name, prematch, regex, order, type, use_own_name, plugin_decoder, accumulate, fts, ftscomment, json_null_field e json_array_structure.',
    ],
  },
  decoder_element_empty: {
    severity: 'warning',
    title: ['Empty pattern in a decoder', 'Padrão vazio em um decoder'],
    message: ['<{name}> of decoder "{decoder}" is empty and matches every log.', '<{name}> do decoder "{decoder}" está vazio e casa com todo log.'],
    hint: ['Write the pattern, or remove the element.', 'Escreva o padrão ou remova o elemento.'],
    doc: [
      'An empty pattern is valid and matches everything. An empty <prematch> in a root decoder takes every log, so no decoder after it is tried.',
      'Um padrão vazio é válido e casa com tudo. Um <prematch> vazio em um decoder raiz toma todos os logs, e nenhum decoder depois dele é testado.',
    ],
  },
  decoder_element_duplicate: {
    severity: 'warning',
    title: ['Decoder option repeated', 'Opção de decoder repetida'],
    message: ['Decoder "{decoder}" has several <{name}>; only the last one counts.', 'O decoder "{decoder}" tem vários <{name}>; só o último conta.'],
    hint: ['Keep one <{name}>.', 'Mantenha um <{name}>.'],
    doc: [
      'For repeated order, type and plugin_decoder elements the last one counts. Only patterns are joined.',
      'Entre elementos order, type e plugin_decoder repetidos, vence o último. Só padrões são unidos.',
    ],
  },
  decoder_text_too_long: {
    severity: 'error',
    effect: 'ignore',
    engineNumbers: [1104],
    title: ['Decoder text over the limit', 'Texto de decoder acima do limite'],
    message: [
      '<{name}> of decoder "{decoder}" has {length} bytes; above {limit} Wazuh drops the whole text.',
      '<{name}> do decoder "{decoder}" tem {length} bytes; acima de {limit} o Wazuh descarta o texto inteiro.',
    ],
    hint: [
      'Shorten the text, or split a pattern over several decoders of one name. Repeats of one element count together.',
      'Encurte o texto ou divida um padrão em vários decoders de mesmo nome. Repetições do mesmo elemento contam juntas.',
    ],
    doc: [
      'Wazuh drops the whole text as if the element were not there; a decoder that needs it is then refused.',
      'O Wazuh descarta o texto inteiro, como se o elemento não existisse; um decoder que precise dele é então recusado.',
    ],
  },
  decoder_expression_type_invalid: {
    severity: 'warning',
    effect: 'ignore',
    engineNumbers: [7601],
    example: {
      wrong: '<prematch type="osmatch">^login</prematch>',
      right: '<prematch>^login</prematch>',
    },
    title: ['Expression type not allowed here', 'Tipo de expressão não permitido aqui'],
    message: [
      'type="{value}" of <{name}> in decoder "{decoder}" is not one of {expected}; Wazuh uses {default}.',
      'type="{value}" de <{name}> no decoder "{decoder}" não é um entre {expected}; o Wazuh usa {default}.',
    ],
    hint: ['Write one of {expected}, or leave type out.', 'Escreva um entre {expected} ou omita type.'],
    doc: [
      'In another dialect the pattern usually means something else, and may silently never match.',
      'Em outro dialeto o padrão costuma significar outra coisa e pode, em silêncio, nunca casar.',
    ],
  },
  decoder_missing_parent: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [2101],
    example: {
      wrong: '<parent>SSHD</parent>',
      right: '<parent>sshd</parent>',
    },
    title: ['Missing parent decoder', 'Decoder pai ausente'],
    message: ['The parent "{parent}" of decoder "{decoder}" does not exist.', 'O pai "{parent}" do decoder "{decoder}" não existe.'],
    hint: [
      'Correct the name, letter for letter, or add a root decoder called "{parent}" before this one.',
      'Corrija o nome, letra por letra, ou adicione um decoder raiz chamado "{parent}" antes deste.',
    ],
    doc: ['<parent> names a root decoder that is already loaded; upper and lower case count.', '<parent> indica um decoder raiz já carregado; maiúsculas e minúsculas contam.'],
  },
  decoder_parent_loaded_later: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [2101],
    title: ['Parent decoder loaded later', 'Decoder pai carregado depois'],
    message: ['The parent "{parent}" of decoder "{decoder}" is loaded later ({file}).', 'O pai "{parent}" do decoder "{decoder}" é carregado depois ({file}).'],
    hint: [
      'Move the parent above this decoder, or rename this file so that it sorts after {file}.',
      'Mova o pai para cima deste decoder ou renomeie este arquivo para que venha depois de {file}.',
    ],
    doc: [
      'Decoder files load in the order of their names, and a parent must be loaded before its children.',
      'Os arquivos de decoders são carregados na ordem dos nomes, e um pai precisa ser carregado antes dos filhos.',
    ],
  },
  decoder_parent_is_child: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [2101],
    title: ['Parent is itself a child', 'O pai também é filho'],
    message: ['The parent "{parent}" of decoder "{decoder}" is itself a child decoder.', 'O pai "{parent}" do decoder "{decoder}" é ele próprio um decoder filho.'],
    hint: [
      'Name the root decoder as <parent>; to chain extractions, give decoders one name and use offset="after_regex".',
      'Indique o decoder raiz em <parent>; para encadear extrações, dê o mesmo nome aos decoders e use offset="after_regex".',
    ],
    doc: ['Decoders have exactly two levels: roots, and children of roots.', 'Decoders têm exatamente dois níveis: raízes e filhos de raízes.'],
  },
  decoder_parent_self: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [2101],
    title: ['Decoder as its own parent', 'Decoder como pai de si mesmo'],
    message: ['Decoder "{decoder}" names itself as its parent.', 'O decoder "{decoder}" indica a si mesmo como pai.'],
    hint: ['Write a root decoder first, or name another parent.', 'Escreva antes um decoder raiz ou indique outro pai.'],
    doc: [
      'A child may bear the name of its parent, but then a root decoder of that name must be loaded before it.',
      'Um filho pode ter o nome do pai, mas então um decoder raiz com esse nome precisa ser carregado antes.',
    ],
  },
  decoder_parent_ambiguous: {
    severity: 'info',
    title: ["Several roots of the parent's name", 'Várias raízes com o nome do pai'],
    message: [
      'The parent "{parent}" of decoder "{decoder}" is the name of {count} root decoders; the child belongs to all of them.',
      'O pai "{parent}" do decoder "{decoder}" é o nome de {count} decoders raiz; o filho pertence a todos.',
    ],
    hint: ['Nothing to do if the child is meant for all of them; otherwise rename one root.', 'Nada a fazer se o filho serve para todos; caso contrário, renomeie uma das raízes.'],
    doc: [
      "A child is attached to every root decoder of its parent's name that is loaded before it. It is reported at the first such child of each file.",
      'Um filho é ligado a todo decoder raiz com o nome do pai que tenha sido carregado antes dele. O aviso aparece no primeiro filho desse tipo em cada arquivo.',
    ],
  },
  decoder_duplicate_root: {
    severity: 'info',
    title: ['Root decoder of the same name', 'Decoder raiz com o mesmo nome'],
    message: ['There is already a root decoder called "{decoder}".', 'Já existe um decoder raiz chamado "{decoder}".'],
    hint: ['Nothing to do if both are meant; otherwise rename one.', 'Nada a fazer se os dois são intencionais; caso contrário, renomeie um.'],
    doc: [
      'Several roots may share a name. Each event is taken by the first that matches, and children loaded before the second root belong to the first only.',
      'Várias raízes podem ter o mesmo nome. Cada evento fica com a primeira que casa, e filhos carregados antes da segunda raiz pertencem só à primeira.',
    ],
  },
  decoder_no_prematch: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [2108],
    example: {
      wrong: `<decoder name="myapp">
|   <type>syslog</type>
| </decoder>`,
      right: `<decoder name="myapp">
|   <program_name>^myapp$</program_name>
| </decoder>`,
    },
    title: ['Root decoder without condition', 'Decoder raiz sem condição'],
    message: ['The root decoder "{decoder}" has neither <prematch> nor <program_name>.', 'O decoder raiz "{decoder}" não tem <prematch> nem <program_name>.'],
    hint: ['Add <program_name> or <prematch>; or <parent> if this should be a child.', 'Adicione <program_name> ou <prematch>; ou <parent>, se ele deve ser um filho.'],
    doc: ['A root decoder must say which logs it is for.', 'Um decoder raiz precisa dizer para quais logs serve.'],
  },
  decoder_regex_without_order: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [2107],
    example: {
      wrong: '<regex>user (\\S+) from (\\S+)</regex>',
      right: `<regex>user (\\S+) from (\\S+)</regex>
| <order>dstuser, srcip</order>`,
    },
    title: ['regex without order', 'regex sem order'],
    message: ['Decoder "{decoder}" has a <regex> but no <order> to name what it extracts.', 'O decoder "{decoder}" tem <regex>, mas não <order> para nomear o que ele extrai.'],
    hint: ['Add <order> with one name for each group of the <regex>.', 'Adicione <order> com um nome para cada grupo do <regex>.'],
    doc: ['The groups of <regex> are given to the names in <order>, from left to right.', 'Os grupos de <regex> são atribuídos aos nomes em <order>, da esquerda para a direita.'],
  },
  decoder_order_without_regex: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [2107],
    title: ['order without regex', 'order sem regex'],
    message: ['Decoder "{decoder}" has an <order> but no <regex>.', 'O decoder "{decoder}" tem <order>, mas não <regex>.'],
    hint: ['Add the <regex> whose groups <order> names, or remove <order>.', 'Adicione o <regex> cujos grupos <order> nomeia ou remova <order>.'],
    doc: ['<order> only names what <regex> extracts; plugins name their fields themselves.', '<order> apenas nomeia o que <regex> extrai; plugins nomeiam os próprios campos.'],
  },
  decoder_fts_without_regex: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [2107],
    title: ['fts without regex', 'fts sem regex'],
    message: ['Decoder "{decoder}" has <fts> but no <regex>.', 'O decoder "{decoder}" tem <fts>, mas não <regex>.'],
    hint: ['Add <regex> and <order>, or remove <fts>.', 'Adicione <regex> e <order> ou remova <fts>.'],
    doc: [
      '"First time seen" remembers values of extracted fields, and without <regex> there are none.',
      '"Visto pela primeira vez" lembra valores de campos extraídos; sem <regex> não há nenhum.',
    ],
  },
  decoder_order_field_invalid: {
    severity: 'error',
    effect: 'refuse',
    example: {
      wrong: '<order>dstuser,,srcip</order>',
      right: '<order>dstuser, srcip</order>',
    },
    title: ['Empty name in order', 'Nome vazio em order'],
    message: ['The <order> of decoder "{decoder}" contains an empty field name.', 'O <order> do decoder "{decoder}" contém um nome de campo vazio.'],
    hint: ['Remove the extra comma, or write the missing name.', 'Remova a vírgula sobrando ou escreva o nome que falta.'],
    doc: ['Names are separated by single commas; nothing may follow the last one.', 'Os nomes são separados por uma só vírgula; nada pode vir depois do último.'],
  },
  decoder_order_too_many: {
    severity: 'error',
    effect: 'refuse',
    title: ['Too many fields in order', 'Campos demais em order'],
    message: ['The <order> of decoder "{decoder}" names {count} fields; Wazuh allows {limit}.', 'O <order> do decoder "{decoder}" nomeia {count} campos; o Wazuh permite {limit}.'],
    hint: [
      'Split the decoder into several of the same name, each with its own <regex> and <order>.',
      'Divida o decoder em vários de mesmo nome, cada um com seu <regex> e <order>.',
    ],
    doc: [
      'The limit is the internal option analysisd.decoder_order_size, 256 unless changed.',
      'O limite é a opção interna analysisd.decoder_order_size, 256 se não for alterada.',
    ],
  },
  decoder_fts_field_invalid: {
    severity: 'error',
    effect: 'refuse',
    title: ['Unknown field in fts', 'Campo desconhecido em fts'],
    message: [
      '"{value}" in <fts> of decoder "{decoder}" is neither a known word nor a field of its <order>.',
      '"{value}" em <fts> do decoder "{decoder}" não é uma palavra conhecida nem um campo do <order> dele.',
    ],
    hint: [
      'Use user, srcuser, srcip, dstip, id, location, data, system_name or name, or a dynamic field at the beginning of <order>.',
      'Use user, srcuser, srcip, dstip, id, location, data, system_name ou name, ou um campo dinâmico que esteja no início de <order>.',
    ],
    doc: [
      'Dynamic fields are only found in <fts> when they come before the first static name of <order>.',
      'Campos dinâmicos só são encontrados em <fts> quando vêm antes do primeiro nome estático de <order>.',
    ],
  },
  decoder_offset_invalid: {
    severity: 'warning',
    effect: 'ignore',
    engineNumbers: [7601],
    example: {
      wrong: '<regex offset="after_match">',
      right: '<regex offset="after_prematch">',
    },
    title: ['Unknown offset', 'Offset desconhecido'],
    message: [
      'offset="{value}" of <{name}> in decoder "{decoder}" is unknown; Wazuh ignores it.',
      'offset="{value}" de <{name}> no decoder "{decoder}" é desconhecido; o Wazuh o ignora.',
    ],
    hint: ['Write after_parent, after_prematch or after_regex.', 'Escreva after_parent, after_prematch ou after_regex.'],
    doc: [
      'Without its offset the pattern searches the whole log and may find an earlier, wrong place.',
      'Sem o offset, o padrão procura no log inteiro e pode achar um ponto anterior, errado.',
    ],
  },
  decoder_prematch_offset_unknown: {
    severity: 'error',
    effect: 'ignore',
    engineNumbers: [7601],
    title: ['Unknown offset of prematch', 'Offset de prematch desconhecido'],
    message: ['offset="{value}" of <prematch> in decoder "{decoder}" is unknown.', 'offset="{value}" de <prematch> no decoder "{decoder}" é desconhecido.'],
    hint: ['Write offset="after_parent" in a child decoder, or remove the attribute.', 'Escreva offset="after_parent" em um decoder filho ou remova o atributo.'],
    doc: [
      'Wazuh searches the whole log instead. It logs this at error level; the same mistake in <regex> is only a warning.',
      'O Wazuh procura então no log inteiro. Ele registra isso em nível de erro; o mesmo engano em <regex> gera apenas um aviso.',
    ],
  },
  decoder_prematch_offset_invalid: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [2107],
    title: ['Offset not allowed for prematch', 'Offset não permitido em prematch'],
    message: ['<prematch> of decoder "{decoder}" cannot have offset="{value}".', '<prematch> do decoder "{decoder}" não pode ter offset="{value}".'],
    hint: ['Use offset="after_parent" in a child decoder, or no offset.', 'Use offset="after_parent" em um decoder filho ou nenhum offset.'],
    doc: [
      "<prematch> is the first thing a decoder tests, so only the parent's match can come before it.",
      '<prematch> é a primeira coisa que um decoder testa; só a correspondência do pai pode vir antes.',
    ],
  },
  decoder_offset_anchor_missing: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [2120],
    example: {
      wrong: `<decoder name="myapp">
|   <program_name>^myapp$</program_name>
|   <regex offset="after_parent">user (\\S+)</regex>`,
      right: `<decoder name="myapp">
|   <parent>myapp</parent>
|   <regex offset="after_parent">user (\\S+)</regex>`,
    },
    title: ['Offset without its anchor', 'Offset sem a sua âncora'],
    message: [
      '<{name}> of decoder "{decoder}" has offset="{value}", but there is no such earlier match.',
      '<{name}> do decoder "{decoder}" tem offset="{value}", mas não existe tal correspondência anterior.',
    ],
    hint: [
      'after_parent needs a <parent>, after_prematch a <prematch> of its own, after_regex an earlier decoder of the same name; or remove the offset.',
      'after_parent exige <parent>, after_prematch um <prematch> próprio, after_regex um decoder anterior de mesmo nome; ou remova o offset.',
    ],
    doc: [
      'An offset says after which earlier match the search begins. Without that match Wazuh refuses the decoder.',
      'Um offset diz depois de qual correspondência anterior a busca começa. Sem essa correspondência, o Wazuh recusa o decoder.',
    ],
  },
  decoder_offset_duplicate: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [2109],
    title: ['Second offset', 'Segundo offset'],
    message: ['A second <{name}> of decoder "{decoder}" has an offset; only the first may.', 'Um segundo <{name}> do decoder "{decoder}" tem offset; só o primeiro pode ter.'],
    hint: [
      'Keep the offset of the first <{name}> only: repeats are joined into one pattern.',
      'Mantenha o offset apenas no primeiro <{name}>: as repetições são unidas em um só padrão.',
    ],
    doc: ['Repeated patterns are one pattern and can begin at one place only.', 'Padrões repetidos são um só padrão e só podem começar em um lugar.'],
  },
  decoder_plugin_unknown: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [2110],
    example: {
      wrong: '<plugin_decoder>JSON</plugin_decoder>',
      right: '<plugin_decoder>JSON_Decoder</plugin_decoder>',
    },
    title: ['Unknown plugin', 'Plugin desconhecido'],
    message: ['"{value}" is not a plugin decoder of Wazuh (decoder "{decoder}").', '"{value}" não é um plugin de decoder do Wazuh (decoder "{decoder}").'],
    hint: [
      'Use JSON_Decoder, PF_Decoder, SymantecWS_Decoder, SonicWall_Decoder or OSSECAlert_Decoder, exactly so.',
      'Use JSON_Decoder, PF_Decoder, SymantecWS_Decoder, SonicWall_Decoder ou OSSECAlert_Decoder, exatamente assim.',
    ],
    doc: ['Plugins are built into Wazuh, and their names are compared letter by letter.', 'Os plugins fazem parte do Wazuh, e seus nomes são comparados letra por letra.'],
  },
  decoder_plugin_repeat_ignored: {
    severity: 'warning',
    effect: 'ignore',
    title: ['Second plugin that is ignored', 'Segundo plugin ignorado'],
    message: [
      '"{value}" is not a plugin decoder of Wazuh; decoder "{decoder}" keeps {kept}.',
      '"{value}" não é um plugin de decoder do Wazuh; o decoder "{decoder}" fica com {kept}.',
    ],
    hint: ['Keep one <plugin_decoder>.', 'Mantenha um só <plugin_decoder>.'],
    doc: [
      'Wazuh refuses an unknown plugin only if the decoder has no valid one before it. Otherwise it ignores the tag without a message.',
      'O Wazuh só recusa um plugin desconhecido se o decoder não tem um válido antes dele. Caso contrário, ignora a tag sem nenhuma mensagem.',
    ],
  },
  decoder_plugin_with_regex: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [2111],
    title: ['Plugin together with regex', 'Plugin junto com regex'],
    message: ['Decoder "{decoder}" has both the plugin {name} and a <regex>.', 'O decoder "{decoder}" tem o plugin {name} e também um <regex>.'],
    hint: ['Keep one of the two; use a second decoder of the same name for the other.', 'Mantenha um dos dois; use um segundo decoder de mesmo nome para o outro.'],
    doc: ['A decoder extracts either with a plugin or with <regex> and <order>.', 'Um decoder extrai ou com um plugin ou com <regex> e <order>.'],
  },
  decoder_plugin_offset_invalid: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [2107],
    title: ['Unknown offset of a plugin', 'Offset de plugin desconhecido'],
    message: ['offset="{value}" of <plugin_decoder> in decoder "{decoder}" is unknown.', 'offset="{value}" de <plugin_decoder> no decoder "{decoder}" é desconhecido.'],
    hint: ['Write after_parent or after_prematch, or remove the attribute.', 'Escreva after_parent ou after_prematch ou remova o atributo.'],
    doc: [
      'For plugins an unknown offset stops Wazuh; for <regex> it is only ignored.',
      'Em plugins, um offset desconhecido impede o Wazuh de iniciar; em <regex>, é apenas ignorado.',
    ],
  },
  decoder_type_invalid: {
    severity: 'error',
    effect: 'refuse',
    title: ['Unknown decoder type', 'Tipo de decoder desconhecido'],
    message: ['"{value}" is not a decoder type (decoder "{decoder}").', '"{value}" não é um tipo de decoder (decoder "{decoder}").'],
    hint: ['Use syslog, firewall, ids, web-log, squid, windows, host-information or ossec.', 'Use syslog, firewall, ids, web-log, squid, windows, host-information ou ossec.'],
    doc: [
      'The type decides which rules an event meets: only those under the template of that category. Without <type> it is syslog.',
      'O tipo decide quais regras um evento encontra: só as que estão sob o modelo daquela categoria. Sem <type>, é syslog.',
    ],
  },
  decoder_json_option_invalid: {
    severity: 'warning',
    effect: 'ignore',
    engineNumbers: [7602],
    title: ['Invalid JSON option', 'Opção JSON inválida'],
    message: [
      '"{value}" in <{name}> of decoder "{decoder}" is not one of {expected}; Wazuh uses the default.',
      '"{value}" em <{name}> do decoder "{decoder}" não é um entre {expected}; o Wazuh usa o padrão.',
    ],
    hint: ['Write one of {expected}.', 'Escreva um entre {expected}.'],
    doc: [
      'json_null_field says whether null values become the text null or are left out, json_array_structure how arrays are shown.',
      'json_null_field diz se valores null viram o texto null ou são omitidos; json_array_structure diz como arrays são exibidos.',
    ],
  },
  decoder_json_option_deprecated: {
    severity: 'warning',
    effect: 'ignore',
    engineNumbers: [7603],
    title: ['Deprecated JSON option', 'Opção JSON obsoleta'],
    message: [
      'The value "{value}" of <{name}> in decoder "{decoder}" is deprecated and means the default.',
      'O valor "{value}" de <{name}> no decoder "{decoder}" é obsoleto e equivale ao padrão.',
    ],
    hint: ['Write string or discard.', 'Escreva string ou discard.'],
    doc: ['Wazuh warns about empty and treats it as string.', 'O Wazuh avisa sobre empty e o trata como string.'],
  },
  decoder_sibling_prematch: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [2102],
    title: ['Second prematch in a family', 'Segundo prematch em uma família'],
    message: [
      'A second decoder called "{decoder}" under the same parent has a <prematch>; only the first may.',
      'Um segundo decoder chamado "{decoder}" sob o mesmo pai tem <prematch>; só o primeiro pode ter.',
    ],
    hint: ['Remove <prematch> here, or give this decoder another name.', 'Remova <prematch> daqui ou dê outro nome a este decoder.'],
    doc: [
      'Decoders of one name under one parent run one after the other once the first has matched, so only the first has a <prematch>.',
      'Decoders de mesmo nome sob um pai são executados em sequência depois que o primeiro casa; por isso só o primeiro tem <prematch>.',
    ],
  },
  decoder_sibling_fts: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [2103],
    title: ['Second fts in a family', 'Segundo fts em uma família'],
    message: [
      'A second decoder called "{decoder}" under the same parent has <fts>; only the first may.',
      'Um segundo decoder chamado "{decoder}" sob o mesmo pai tem <fts>; só o primeiro pode ter.',
    ],
    hint: ['Move <fts> to the first decoder of this name.', 'Mova <fts> para o primeiro decoder com esse nome.'],
    doc: [
      'Decoders of one name under one parent act as one; only the first may carry <fts>.',
      'Decoders de mesmo nome sob um pai atuam como um só; apenas o primeiro pode ter <fts>.',
    ],
  },
  decoder_sibling_duplicate: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [2104],
    title: ['Same-named decoder that extracts nothing', 'Decoder de mesmo nome que nada extrai'],
    message: [
      'Decoders called "{decoder}" under the same parent must each have a <regex> or a plugin.',
      'Decoders chamados "{decoder}" sob o mesmo pai precisam ter, cada um, um <regex> ou um plugin.',
    ],
    hint: ['Give each a <regex> with <order> or a plugin, or rename one of them.', 'Dê a cada um um <regex> com <order> ou um plugin, ou renomeie um deles.'],
    doc: [
      'Decoders of one name under one parent form a chain of extractions. A link that extracts nothing is refused.',
      'Decoders de mesmo nome sob um pai formam uma cadeia de extrações. Um elo que nada extrai é recusado.',
    ],
  },
  decoder_list_empty: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [2106],
    title: ['No decoder of one kind', 'Nenhum decoder de um dos tipos'],
    message: ['There is no root decoder {kind} <program_name>; Wazuh needs at least one.', 'Não há decoder raiz {kind} <program_name>; o Wazuh precisa de pelo menos um.'],
    hint: ['Load the shipped decoders, or add one root decoder of that kind.', 'Carregue os decoders padrão ou adicione um decoder raiz desse tipo.'],
    doc: [
      'Wazuh keeps roots with <program_name> and roots without it in two lists, and both must have at least one entry.',
      'O Wazuh mantém em duas listas as raízes com <program_name> e as raízes sem ele, e ambas precisam de ao menos uma entrada.',
    ],
  },
} as const satisfies Record<string, DiagnosticDeclaration>
