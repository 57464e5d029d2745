import type { DiagnosticDeclaration } from '../entry.js'

/** The root, `<group>` and the attributes of `<rule>`, with ids and overwriting (BEHAVIOUR.md#groups-of-rules, #rule-attributes, #overwriting-rules). */
export const RULE_ATTRIBUTES_DIAGNOSTICS = {
  rules_root_invalid: {
    severity: 'error',
    effect: 'refuse',
    example: {
      wrong: '<rules><rule id="100001" level="3">…</rule></rules>',
      right: '<group name="local,"><rule id="100001" level="3">…</rule></group>',
    },
    title: ['Wrong top-level element in a rules file', 'Elemento raiz incorreto em arquivo de regras'],
    message: [
      '<{name}> is not allowed at the top of a rules file; only <group> and <var> are.',
      '<{name}> não é permitido no nível superior de um arquivo de regras; só <group> e <var> são.',
    ],
    hint: ['Put rules inside <group name="…">; decoders belong in a decoders file.', 'Coloque as regras dentro de <group name="…">; decoders pertencem a um arquivo de decoders.'],
    doc: [
      'A rules file holds <group> elements and <var> definitions at its top, as many as you like, and nothing else.',
      'Um arquivo de regras contém, no nível superior, quantos elementos <group> e definições <var> você quiser, e nada mais.',
    ],
  },
  group_name_missing: {
    severity: 'error',
    effect: 'refuse',
    example: {
      wrong: '<group>',
      right: '<group name="local,">',
    },
    title: ['Group without name', 'Grupo sem nome'],
    message: ['<group> must have exactly one attribute, called name.', '<group> deve ter exatamente um atributo, chamado name.'],
    hint: ['Write <group name="your_group,"> and nothing more in the tag.', 'Escreva <group name="seu_grupo,"> e nada mais na tag.'],
    doc: [
      'Every <group> at the top of a rules file has exactly one attribute. Its value is the beginning of the group list of each rule inside.',
      'Todo <group> no nível superior de um arquivo de regras tem exatamente um atributo. O valor dele é o início da lista de grupos de cada regra contida nele.',
    ],
  },
  group_empty: {
    severity: 'error',
    effect: 'refuse',
    title: ['Group without rules', 'Grupo sem regras'],
    message: ['The group "{name}" has no <rule>.', 'O grupo "{name}" não tem nenhuma <rule>.'],
    hint: ['Add a rule, or remove the group.', 'Adicione uma regra ou remova o grupo.'],
    doc: ['Wazuh refuses a <group> without a <rule>. Commented-out rules do not count.', 'O Wazuh recusa um <group> que não contém nenhuma <rule>. Regras comentadas não contam.'],
  },
  group_child_invalid: {
    severity: 'error',
    effect: 'refuse',
    title: ['Wrong element inside a group', 'Elemento incorreto dentro do grupo'],
    message: ['<{name}> is not allowed directly inside <group>; only <rule> is.', '<{name}> não é permitido diretamente dentro de <group>; só <rule> é.'],
    hint: [
      'Put it inside a <rule>, or correct its name to rule. Groups cannot be nested.',
      'Coloque-o dentro de uma <rule> ou corrija o nome para rule. Grupos não podem ser aninhados.',
    ],
    doc: [
      'Only <rule> elements are allowed between <group name="…"> and </group>. A rule that was closed too early is the usual cause.',
      'Entre <group name="…"> e </group> só podem existir elementos <rule>. A causa mais comum é uma regra fechada cedo demais.',
    ],
  },
  group_name_style: {
    severity: 'info',
    example: {
      wrong: '<group name="Local Rules,sshd">',
      right: '<group name="local_rules,sshd,">',
    },
    title: ['Unusual group name', 'Nome de grupo incomum'],
    message: ['The group name "{value}" is unusual: {reason}.', 'O nome de grupo "{value}" é incomum: {reason}.'],
    hint: [
      'Use lower case words joined by "_", separated by commas without blanks, and end the list with a comma.',
      'Use palavras minúsculas unidas por "_", separadas por vírgulas sem espaços, e termine a lista com vírgula.',
    ],
    doc: [
      'Group names are compared as plain text by <if_group> and used in dashboards, so two spellings are two groups. The comma at the end is not required, but without it the next group is joined to this one.',
      'Nomes de grupo são comparados como texto simples por <if_group> e usados em painéis; duas grafias são dois grupos. A vírgula final não é obrigatória, mas sem ela o próximo grupo fica colado.',
    ],
  },
  rule_id_missing: {
    severity: 'error',
    effect: 'refuse',
    example: {
      wrong: '<rule level="5">',
      right: '<rule id="100001" level="5">',
    },
    title: ['Rule without id', 'Regra sem id'],
    message: ['A <rule> has no id.', 'Uma <rule> não tem id.'],
    hint: ['Add id="…" with a number from 100000 to 120000 that no other rule uses.', 'Adicione id="…" com um número de 100000 a 120000 que nenhuma outra regra use.'],
    doc: ['Wazuh needs both id and level on every rule. An empty id counts as missing.', 'O Wazuh exige id e level em toda regra. Um id vazio conta como ausente.'],
  },
  rule_id_invalid: {
    severity: 'error',
    effect: 'refuse',
    example: {
      wrong: '<rule id="1000001" level="5">',
      right: '<rule id="100001" level="5">',
    },
    title: ['Invalid rule id', 'Id de regra inválido'],
    message: ['The rule id "{value}" is not a number of one to six digits.', 'O id de regra "{value}" não é um número de um a seis dígitos.'],
    hint: ['Use one to six digits and nothing else.', 'Use de um a seis dígitos e nada mais.'],
    doc: ['Ids go from 0 to 999999. Leading zeros are dropped, so 000009 is rule 9.', 'Os ids vão de 0 a 999999. Zeros à esquerda são descartados; 000009 é a regra 9.'],
  },
  rule_level_missing: {
    severity: 'error',
    effect: 'refuse',
    example: {
      wrong: '<rule id="100001" level="high">',
      right: '<rule id="100001" level="12">',
    },
    title: ['Rule without level', 'Regra sem nível'],
    message: ['Rule {id} has no level that Wazuh can read.', 'A regra {id} não tem um level que o Wazuh consiga ler.'],
    hint: ['Add level="…" with a number from 0 to 16.', 'Adicione level="…" com um número de 0 a 16.'],
    doc: [
      'A level that is absent, or that is not made of digits only, counts as missing. An empty level counts as 0.',
      'Um level ausente, ou que não seja formado só por dígitos, conta como ausente. Um level vazio conta como 0.',
    ],
  },
  rule_level_invalid: {
    severity: 'error',
    effect: 'refuse',
    title: ['Level out of range', 'Nível fora da faixa'],
    message: ['The level "{value}" of rule {id} is not a number from 0 to 16.', 'O level "{value}" da regra {id} não é um número de 0 a 16.'],
    hint: ['Choose a level from 0 (no alert) to 16.', 'Escolha um level de 0 (sem alerta) a 16.'],
    doc: [
      'By default alerts are kept from level 3 and mailed from level 12. Level 0 makes Wazuh silent about what the rule matches.',
      'Por padrão, alertas são guardados a partir do level 3 e enviados por e-mail a partir do 12. O level 0 faz o Wazuh silenciar sobre o que a regra casa.',
    ],
  },
  rule_attribute_unknown: {
    severity: 'error',
    effect: 'refuse',
    example: {
      wrong: '<rule id="100001" level="5" freq="8">',
      right: '<rule id="100001" level="5" frequency="8">',
    },
    title: ['Unknown attribute of a rule', 'Atributo de regra desconhecido'],
    message: ['<rule> has no attribute called "{name}" (rule {id}).', '<rule> não tem nenhum atributo chamado "{name}" (regra {id}).'],
    hint: [
      'Use id, level, maxsize, frequency, timeframe, ignore, overwrite, noalert or accuracy; anything else belongs in a child element.',
      'Use id, level, maxsize, frequency, timeframe, ignore, overwrite, noalert ou accuracy; qualquer outra coisa pertence a um elemento filho.',
    ],
    doc: [
      'Attribute names of <rule> may be written in any case, but no other name is accepted.',
      'Os nomes de atributos de <rule> podem ser escritos em maiúsculas ou minúsculas, mas nenhum outro nome é aceito.',
    ],
  },
  rule_attribute_empty: {
    severity: 'warning',
    title: ['Empty attribute of a rule', 'Atributo de regra vazio'],
    message: ['The attribute {name} of rule {id} is empty.', 'O atributo {name} da regra {id} está vazio.'],
    hint: ['Give the attribute a value, or remove it.', 'Dê um valor ao atributo ou remova-o.'],
    doc: [
      'Wazuh takes an empty level as 0, which silences the rule, and an empty timeframe, maxsize, ignore or accuracy as absent.',
      'O Wazuh toma um level vazio como 0, o que silencia a regra, e um timeframe, maxsize, ignore ou accuracy vazio como ausente.',
    ],
  },
  rule_attribute_invalid: {
    severity: 'error',
    effect: 'refuse',
    example: {
      wrong: '<rule id="100001" level="5" overwrite="true">',
      right: '<rule id="100001" level="5" overwrite="yes">',
    },
    title: ['Invalid attribute value', 'Valor de atributo inválido'],
    message: ['"{value}" is not a valid value for the attribute {name} of rule {id}.', '"{value}" não é um valor válido para o atributo {name} da regra {id}.'],
    hint: ['Write digits only (overwrite: yes or no), or remove the attribute.', 'Escreva apenas dígitos (overwrite: yes ou no) ou remova o atributo.'],
    doc: [
      'maxsize, ignore and accuracy take digits only; overwrite takes exactly yes or no, in lower case.',
      'maxsize, ignore e accuracy aceitam apenas dígitos; overwrite aceita exatamente yes ou no, em minúsculas.',
    ],
  },
  rule_noalert_invalid: {
    severity: 'warning',
    effect: 'ignore',
    example: {
      wrong: '<rule id="100001" level="5" noalert="yes">',
      right: '<rule id="100001" level="5" noalert="1">',
    },
    title: ['Invalid noalert value', 'Valor de noalert inválido'],
    message: ['"{value}" is not a valid noalert value in rule {id}; Wazuh ignores it.', '"{value}" não é um valor válido de noalert na regra {id}; o Wazuh o ignora.'],
    hint: ['Write noalert="1" for a container rule, or remove the attribute.', 'Escreva noalert="1" para uma regra contêiner ou remova o atributo.'],
    doc: [
      'Only 0 and 1 are known. With any other value the rule is an ordinary one and alerts.',
      'Só 0 e 1 são conhecidos. Com qualquer outro valor a regra é comum e gera alertas.',
    ],
  },
  rule_number_truncated: {
    severity: 'warning',
    title: ['Number cut off', 'Número cortado'],
    message: [
      'Wazuh reads only the first {digits} digits of {name}="{value}" in rule {id}: it becomes {read}.',
      'O Wazuh lê apenas os primeiros {digits} dígitos de {name}="{value}" na regra {id}: o valor passa a ser {read}.',
    ],
    hint: ['Use a number with at most {digits} digits.', 'Use um número com no máximo {digits} dígitos.'],
    doc: [
      'Wazuh reads five digits of timeframe, six of ignore, four of maxsize and accuracy, and drops the rest without notice: timeframe="864000" is 86400.',
      'O Wazuh lê cinco dígitos de timeframe, seis de ignore, quatro de maxsize e de accuracy, e descarta o resto sem avisar: timeframe="864000" vira 86400.',
    ],
  },
  rule_number_wrapped: {
    severity: 'warning',
    example: {
      wrong: '<rule id="100001" level="4294967299">',
      right: '<rule id="100001" level="3">',
    },
    title: ['Number beyond 32 bits', 'Número além de 32 bits'],
    message: [
      'Wazuh keeps only 32 bits of {name}="{value}" in rule {id}: it becomes {read}.',
      'O Wazuh guarda apenas 32 bits de {name}="{value}" na regra {id}: o valor passa a ser {read}.',
    ],
    hint: ['Write the number that is meant.', 'Escreva o número pretendido.'],
    doc: [
      'A level, a frequency, an if_level or an id of if_sid and if_matched_sid of ten digits or more wraps around: 4294967296 is read as 0 and 4294967299 as 3. The result is then checked like any other value, so the rule may load with a level that nobody wrote.',
      'Um level, uma frequency, um if_level ou um id de if_sid e if_matched_sid com dez dígitos ou mais dá a volta: 4294967296 é lido como 0 e 4294967299 como 3. O resultado é depois verificado como qualquer outro valor, e a regra pode carregar com um nível que ninguém escreveu.',
    ],
  },
  rule_frequency_invalid: {
    severity: 'error',
    effect: 'refuse',
    example: {
      wrong: '<rule id="100001" level="10" frequency="1">',
      right: '<rule id="100001" level="10" frequency="8" timeframe="120">',
    },
    title: ['Invalid frequency', 'Frequência inválida'],
    message: ['The frequency "{value}" of rule {id} is not a number from 2 to 9999.', 'A frequency "{value}" da regra {id} não é um número de 2 a 9999.'],
    hint: [
      'Use a number from 2 to 9999. For a rule that needs only one event, leave frequency out.',
      'Use um número de 2 a 9999. Para uma regra que precisa de um só evento, omita frequency.',
    ],
    doc: [
      'frequency="8" fires on the eighth matching event inside the timeframe, the current one included.',
      'frequency="8" dispara no oitavo evento correspondente dentro do timeframe, contando o atual.',
    ],
  },
  rule_timeframe_invalid: {
    severity: 'error',
    effect: 'refuse',
    example: {
      wrong: 'timeframe="5m"',
      right: 'timeframe="300"',
    },
    title: ['Invalid timeframe', 'Timeframe inválido'],
    message: ['The timeframe "{value}" of rule {id} is not a number of seconds.', 'O timeframe "{value}" da regra {id} não é um número de segundos.'],
    hint: ['Write the window in seconds, digits only: 300, not 5m.', 'Escreva a janela em segundos, só com dígitos: 300, e não 5m.'],
    doc: [
      'The window reaches back from the current event; an event exactly that old still counts. Without timeframe Wazuh uses 360 seconds.',
      'A janela é contada para trás a partir do evento atual; um evento com exatamente essa idade ainda conta. Sem timeframe, o Wazuh usa 360 segundos.',
    ],
  },
  rule_id_reserved_range: {
    severity: 'warning',
    title: ["Id in the range of Wazuh's own rules", 'Id na faixa das regras do próprio Wazuh'],
    message: [
      'Rule id {id} is below 100000, in the range that Wazuh keeps for its own rules.',
      'O id de regra {id} está abaixo de 100000, na faixa que o Wazuh reserva para as próprias regras.',
    ],
    hint: [
      'Use an id from 100000 to 120000, or add overwrite="yes" if you mean to change the shipped rule.',
      'Use um id de 100000 a 120000 ou adicione overwrite="yes" se a intenção for alterar a regra padrão.',
    ],
    doc: [
      'Shipped rules use ids below 100000 and get new ones with every update. A custom rule there may collide, and then one of the two is dropped.',
      'As regras padrão usam ids abaixo de 100000 e ganham novos a cada atualização. Uma regra própria nessa faixa pode colidir, e então uma das duas é descartada.',
    ],
  },
  rule_id_internal: {
    severity: 'warning',
    title: ['Id with a special meaning', 'Id com significado especial'],
    message: ['Rule id {id} has a special meaning inside Wazuh.', 'O id de regra {id} tem um significado especial dentro do Wazuh.'],
    hint: ['Choose another id, from 100000 on.', 'Escolha outro id, a partir de 100000.'],
    doc: [
      'Rules with ids below 10 are always at the top of the tree and ignore their parents; 11, 12, 13 and 15 are used by Wazuh itself.',
      'Regras com id abaixo de 10 ficam sempre no topo da árvore e ignoram os pais; 11, 12, 13 e 15 são usados pelo próprio Wazuh.',
    ],
  },
  rule_id_outside_project_range: {
    severity: 'info',
    title: ["Id outside the project's range", 'Id fora da faixa do projeto'],
    message: ['Rule id {id} is outside the range {from}–{to} agreed for this project.', 'O id de regra {id} está fora da faixa {from}–{to} combinada para este projeto.'],
    hint: ["Take a free id from {from} to {to}, or widen the range in the project's settings.", 'Use um id livre de {from} a {to} ou amplie a faixa nas configurações do projeto.'],
    doc: [
      'A range per project keeps teams from using the same ids. Wazuh itself does not know it.',
      'Uma faixa por projeto evita que equipes usem os mesmos ids. O Wazuh em si não a conhece.',
    ],
  },
  rule_duplicate_id: {
    severity: 'error',
    effect: 'drop',
    engineNumbers: [7612],
    example: {
      wrong: '<rule id="5710" level="8">',
      right: '<rule id="5710" level="8" overwrite="yes">',
    },
    title: ['Rule id used twice', 'Id de regra repetido'],
    message: ['Rule id {id} is already in use ({file}:{line}).', 'O id de regra {id} já está em uso ({file}:{line}).'],
    hint: [
      'Give this rule a free id, or add overwrite="yes" if it is meant to replace the first one.',
      'Dê um id livre a esta regra ou adicione overwrite="yes" se ela deve substituir a primeira.',
    ],
    doc: [
      'The rule that is loaded first keeps the id; the second one is left out before its content is even read. Load order is by file name.',
      'A regra carregada primeiro fica com o id; a segunda é deixada de fora antes mesmo de seu conteúdo ser lido. A ordem de carga é pelo nome do arquivo.',
    ],
  },
  rule_overwrite_target_missing: {
    severity: 'warning',
    engineNumbers: [7613],
    title: ['Nothing to overwrite', 'Nada para sobrescrever'],
    message: [
      'Rule {id} says overwrite="yes", but no rule with this id is loaded before it.',
      'A regra {id} diz overwrite="yes", mas nenhuma regra com esse id é carregada antes dela.',
    ],
    hint: [
      'Remove overwrite="yes", correct the id, or rename the file so that it loads after the original.',
      'Remova overwrite="yes", corrija o id ou renomeie o arquivo para que ele seja carregado depois do original.',
    ],
    doc: [
      'Wazuh warns and loads the rule as a new one. If the original is loaded later, that one is then dropped as a duplicate.',
      'O Wazuh avisa e carrega a regra como nova. Se o original for carregado depois, é ele que será descartado como duplicado.',
    ],
  },
  rule_overwrite_ignored_option: {
    severity: 'warning',
    effect: 'ignore',
    engineNumbers: [7605],
    title: ['Parent of an overwrite ignored', 'Pai ignorado em uma sobrescrita'],
    message: [
      'The <{name}> of rule {id} is ignored: an overwrite keeps the parents and the counted events of the original.',
      'O <{name}> da regra {id} é ignorado: uma sobrescrita mantém os pais e os eventos contados da original.',
    ],
    hint: [
      'Leave the <{name}> as in the original. To change it, silence the original and write a new rule with its own id.',
      'Deixe o <{name}> igual ao original. Para mudá-lo, silencie a original e escreva uma regra nova com id próprio.',
    ],
    doc: [
      'An overwrite replaces the conditions of a rule, but if_sid, if_group, if_level, if_matched_sid and if_matched_group stay those of the original.',
      'Uma sobrescrita substitui as condições de uma regra, mas if_sid, if_group, if_level, if_matched_sid e if_matched_group continuam sendo os da original.',
    ],
  },
  rule_overwrite_drops_option: {
    severity: 'warning',
    title: ['Condition lost by an overwrite', 'Condição perdida em uma sobrescrita'],
    message: [
      'The overwrite of rule {id} leaves out <{tag}>, so the condition of the original is lost.',
      'A sobrescrita da regra {id} omite <{tag}>; a condição da original se perde.',
    ],
    hint: [
      'Copy <{tag}> from the original into the overwriting rule, unless you mean to drop it.',
      'Copie <{tag}> da original para a regra que sobrescreve, a menos que a intenção seja removê-lo.',
    ],
    doc: [
      'An overwrite replaces the whole definition: what it does not repeat is lost. A rule that loses its <match> may fire on every event of its parent.',
      'Uma sobrescrita substitui a definição inteira: o que ela não repete desaparece. Uma regra sem o seu <match> pode passar a disparar em todo evento do pai.',
    ],
  },
  rule_overwrite_level_order: {
    severity: 'warning',
    title: ['Overwrite with another level', 'Sobrescrita com outro nível'],
    message: [
      'The overwrite of rule {id} changes its level from {before} to {level}, but not its place among its siblings.',
      'A sobrescrita da regra {id} muda o level de {before} para {level}, mas não o lugar dela entre as irmãs.',
    ],
    hint: [
      'Check which sibling is tried first; if the order matters, write a new rule instead of an overwrite.',
      'Verifique qual irmã é testada primeiro; se a ordem importar, escreva uma regra nova em vez de sobrescrever.',
    ],
    doc: [
      'Siblings are tried by descending level, but the place is chosen once, by the original level. A raised level changes the alert, not the order.',
      'As irmãs são testadas por level decrescente, mas o lugar é escolhido uma vez, pelo level original. Um level maior muda o alerta, não a ordem.',
    ],
  },
  rule_overwrite_below_ten: {
    severity: 'warning',
    title: ['Overwrite of a template rule', 'Sobrescrita de uma regra-modelo'],
    message: [
      'The overwrite of rule {id} does not replace it: for ids below 10 Wazuh adds a second top-level rule.',
      'A sobrescrita da regra {id} não a substitui: para ids abaixo de 10 o Wazuh adiciona uma segunda regra no topo.',
    ],
    hint: ['Do not overwrite rules 1 to 9; change the rules below them.', 'Não sobrescreva as regras de 1 a 9; altere as regras abaixo delas.'],
    doc: [
      'Ids below 10 are the templates at the top of the tree. overwrite="yes" on one of them adds a second template beside the first.',
      'Os ids abaixo de 10 são os modelos no topo da árvore. overwrite="yes" em um deles adiciona um segundo modelo ao lado do primeiro.',
    ],
  },
  rule_overwrite_search_kind: {
    severity: 'warning',
    title: ['Overwrite that changes counting', 'Sobrescrita que muda a contagem'],
    message: [
      'The overwrite of rule {id} changes whether it counts events, but Wazuh keeps the search of the original.',
      'A sobrescrita da regra {id} muda se ela conta eventos ou não, mas o Wazuh mantém a busca da original.',
    ],
    hint: ['Keep the if_matched_* of the original, or write a new rule with its own id.', 'Mantenha o if_matched_* da original ou escreva uma regra nova com id próprio.'],
    doc: [
      'Adding if_matched_* to a simple rule by overwrite makes it match without counting anything; removing it makes a counting rule a plain one.',
      'Adicionar if_matched_* a uma regra simples por sobrescrita faz com que ela case sem contar nada; removê-lo transforma uma regra que conta em uma regra simples.',
    ],
  },
  rule_level_unusual: {
    severity: 'info',
    title: ['Unusual level', 'Nível incomum'],
    message: ['Rule {id} uses level {level}, which is unusual.', 'A regra {id} usa o level {level}, que é incomum.'],
    hint: ['Check that the level is meant; shipped rules use 0 to 15.', 'Confirme se o level é intencional; as regras padrão usam de 0 a 15.'],
    doc: [
      'Level 16 is accepted, but no shipped rule uses it, and most playbooks end at 15.',
      'O level 16 é aceito, mas nenhuma regra padrão o usa, e a maioria dos procedimentos termina no 15.',
    ],
  },
  rule_accuracy_used: {
    severity: 'warning',
    title: ['Undocumented attribute accuracy', 'Atributo accuracy não documentado'],
    message: ['Rule {id} uses the undocumented attribute accuracy.', 'A regra {id} usa o atributo não documentado accuracy.'],
    hint: ['Remove accuracy unless you know exactly why it is there.', 'Remova accuracy, a menos que você saiba exatamente por que ele está ali.'],
    doc: [
      'accuracy="0" moves a rule behind all its siblings, and turns a rule of level 0 into one of level 99. No shipped rule uses it.',
      'accuracy="0" move a regra para trás de todas as irmãs e transforma uma regra de level 0 em uma de level 99. Nenhuma regra padrão o usa.',
    ],
  },
  rule_maxsize_meaning: {
    severity: 'info',
    title: ['maxsize is a minimum', 'maxsize é um mínimo'],
    message: [
      'maxsize="{value}" of rule {id} is a minimum: the rule matches only logs of at least that many bytes.',
      'maxsize="{value}" da regra {id} é um mínimo: a regra só casa com logs de pelo menos esse número de bytes.',
    ],
    hint: [
      'Keep it if long logs are meant; Wazuh has no attribute for an upper limit.',
      'Mantenha se a intenção for pegar logs longos; o Wazuh não tem atributo para um limite superior.',
    ],
    doc: [
      'Despite its name, maxsize="900" makes the rule match logs of 900 bytes and more. Shipped rules use it to find suspiciously long URLs.',
      'Apesar do nome, maxsize="900" faz a regra casar com logs de 900 bytes ou mais. As regras padrão o usam para achar URLs suspeitamente longas.',
    ],
  },
} as const satisfies Record<string, DiagnosticDeclaration>
