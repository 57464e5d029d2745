import type { DiagnosticDeclaration } from '../entry.js'

/** The place of a rule in the tree and what it counts: parents, categories, correlation (BEHAVIOUR.md#parent-tags, #correlation-tags, #rule-placement, #histories, #frequency). */
export const RULE_TREE_DIAGNOSTICS = {
  rule_category_unreachable: {
    severity: 'error',
    effect: 'drop',
    engineNumbers: [7611],
    title: ['Category without top-level rule', 'Categoria sem regra no topo'],
    message: [
      'Rule {id} has the category "{value}", but no top-level rule of this category is loaded.',
      'A regra {id} tem a categoria "{value}", mas nenhuma regra de topo dessa categoria está carregada.',
    ],
    hint: [
      'Load the shipped file 0010-rules_config.xml, which holds one top-level rule for each category.',
      'Carregue o arquivo padrão 0010-rules_config.xml, que contém uma regra de topo para cada categoria.',
    ],
    doc: [
      'A rule without parent is placed under the first top-level rule of its category, syslog by default. Without such a rule Wazuh drops it.',
      'Uma regra sem pai fica sob a primeira regra de topo da sua categoria, syslog por padrão. Sem essa regra, o Wazuh a descarta.',
    ],
  },
  rule_category_decoder_mismatch: {
    severity: 'warning',
    title: ['Category and decoder do not fit', 'Categoria e decoder não combinam'],
    message: [
      'Rule {id} can never match: events of "{decoder}" have the category {found}, but the rule is placed under {category}.',
      'A regra {id} nunca casa: eventos de "{decoder}" têm a categoria {found}, mas a regra fica sob {category}.',
    ],
    hint: [
      'Add <category>{found}</category>, or place the rule under a parent of that category.',
      'Adicione <category>{found}</category> ou coloque a regra sob um pai dessa categoria.',
    ],
    doc: [
      "An event enters only the rules of its decoder's type. A rule for a decoder of type firewall under the syslog template never sees its events.",
      'Um evento só entra nas regras do tipo do seu decoder. Uma regra para um decoder do tipo firewall sob o modelo syslog nunca vê os eventos dele.',
    ],
  },
  rule_parent_missing: {
    severity: 'error',
    effect: 'drop',
    engineNumbers: [7617, 7619],
    example: {
      wrong: '<if_sid>571600</if_sid>',
      right: '<if_sid>5716</if_sid>',
    },
    title: ['Missing parent rule', 'Regra pai ausente'],
    message: ['Rule {id} has the parent rule {parent}, which does not exist.', 'A regra {id} tem como pai a regra {parent}, que não existe.'],
    hint: [
      'Correct the id in <if_sid>, or add rule {parent} to a file that loads before this one.',
      'Corrija o id em <if_sid> ou adicione a regra {parent} a um arquivo carregado antes deste.',
    ],
    doc: [
      'A rule with <if_sid> is only tried after its parent matched. If none of the named rules exists, Wazuh drops the rule.',
      'Uma regra com <if_sid> só é testada depois que o pai casa. Se nenhuma das regras indicadas existe, o Wazuh descarta a regra.',
    ],
  },
  rule_parent_partly_missing: {
    severity: 'warning',
    effect: 'ignore',
    engineNumbers: [7617],
    title: ['One parent missing', 'Um dos pais ausente'],
    message: [
      'One of the parents of rule {id}, rule {parent}, does not exist; Wazuh ignores that id.',
      'Um dos pais da regra {id}, a regra {parent}, não existe; o Wazuh ignora esse id.',
    ],
    hint: [
      'Correct the id, or remove it from <if_sid>. The other parents still lead to this rule.',
      'Corrija o id ou remova-o de <if_sid>. Os demais pais continuam levando a esta regra.',
    ],
    doc: [
      'Wazuh warns and uses the parents it finds. Events below the missing one do not reach this rule.',
      'O Wazuh avisa e usa os pais que encontra. Eventos que viriam pelo pai ausente não chegam a esta regra.',
    ],
  },
  rule_parent_loaded_later: {
    severity: 'error',
    effect: 'drop',
    engineNumbers: [7617, 7619],
    example: {
      wrong: 'a_children.xml (if_sid 100100), b_parents.xml (100100)',
      right: '10-parents.xml (100100), 20-children.xml (if_sid 100100)',
    },
    title: ['Parent loaded later', 'Pai carregado depois'],
    message: ['Rule {id} has the parent rule {parent}, which is loaded later ({file}).', 'A regra {id} tem como pai a regra {parent}, que é carregada depois ({file}).'],
    hint: [
      'Rename the file of this rule so that it sorts after {file}, or, in the same file, move the rule below its parent.',
      'Renomeie o arquivo desta regra para que venha depois de {file} ou, se for o mesmo arquivo, mova a regra para baixo do pai.',
    ],
    doc: [
      'Files load in the order of their names, and a parent must be in the tree before its children. local_rules.xml sorts before sysmon_rules.xml, so a child in local_rules.xml of a rule in sysmon_rules.xml is dropped.',
      'Os arquivos são carregados na ordem dos nomes, e um pai precisa estar na árvore antes dos filhos. local_rules.xml vem antes de sysmon_rules.xml; assim, um filho em local_rules.xml de uma regra de sysmon_rules.xml é descartado.',
    ],
  },
  rule_parent_partly_loaded_later: {
    severity: 'warning',
    effect: 'ignore',
    engineNumbers: [7617],
    title: ['One parent loaded later', 'Um dos pais carregado depois'],
    message: [
      'One of the parents of rule {id}, rule {parent}, is loaded later ({file}); Wazuh ignores that id.',
      'Um dos pais da regra {id}, a regra {parent}, é carregado depois ({file}); o Wazuh ignora esse id.',
    ],
    hint: [
      'Rename the file of this rule so that it sorts after {file}, or, in the same file, move the rule below its parent. The other parents still lead to this rule.',
      'Renomeie o arquivo desta regra para que venha depois de {file} ou, se for o mesmo arquivo, mova a regra para baixo do pai. Os demais pais continuam levando a esta regra.',
    ],
    doc: [
      'Wazuh warns and uses the parents that are already loaded. Events below the later one do not reach this rule.',
      'O Wazuh avisa e usa os pais já carregados. Eventos que viriam pelo pai carregado depois não chegam a esta regra.',
    ],
  },
  rule_parent_dropped: {
    severity: 'error',
    effect: 'drop',
    engineNumbers: [7617, 7619],
    title: ['Parent dropped', 'Pai descartado'],
    message: ['Rule {id} has the parent rule {parent}, which is not loaded.', 'A regra {id} tem como pai a regra {parent}, que não é carregada.'],
    hint: ['Fix rule {parent} first; this diagnostic then disappears.', 'Corrija primeiro a regra {parent}; este aviso então desaparece.'],
    doc: [
      'If Wazuh drops a rule, it also drops all rules below it. The diagnostic at the first rule is the cause; the others are consequences.',
      'Se o Wazuh descarta uma regra, descarta também todas as regras abaixo dela. O problema na primeira regra é a causa; os demais são consequências.',
    ],
  },
  rule_parent_self: {
    severity: 'error',
    effect: 'drop',
    engineNumbers: [7617, 7619],
    title: ['Rule as its own parent', 'Regra como pai de si mesma'],
    message: ['Rule {id} names itself as its parent.', 'A regra {id} indica a si mesma como pai.'],
    hint: ['Name the rule that should match first, or remove <if_sid>.', 'Indique a regra que deve casar primeiro ou remova <if_sid>.'],
    doc: [
      'While a rule is read it is not in the tree yet, so its own id is a missing parent.',
      'Enquanto é lida, a regra ainda não está na árvore; por isso o próprio id conta como pai ausente.',
    ],
  },
  rule_parent_cycle: {
    severity: 'error',
    effect: 'drop',
    engineNumbers: [7617, 7619],
    title: ['Cycle of parents', 'Ciclo de pais'],
    message: ['The parents of rule {id} form a cycle: {path}.', 'Os pais da regra {id} formam um ciclo: {path}.'],
    hint: ['Break the cycle: give one of these rules a parent outside of it.', 'Quebre o ciclo: dê a uma dessas regras um pai fora dele.'],
    doc: [
      'A parent must be placed before its children, so none of these rules can be placed and all are dropped.',
      'Um pai precisa ser colocado antes dos filhos; por isso nenhuma dessas regras pode ser colocada e todas são descartadas.',
    ],
  },
  rule_several_parent_kinds: {
    severity: 'warning',
    effect: 'ignore',
    title: ['Several kinds of parent', 'Vários tipos de pai'],
    message: ['Rule {id} has <{tag}> and <{other}>; Wazuh uses only <{tag}>.', 'A regra {id} tem <{tag}> e <{other}>; o Wazuh usa apenas <{tag}>.'],
    hint: ['Keep one kind. To require a group as well, name its rules in <if_sid>.', 'Mantenha um só tipo. Para exigir também um grupo, indique as regras dele em <if_sid>.'],
    doc: [
      'if_sid takes precedence over if_level, and if_level over if_group. The others have no effect; they are not extra conditions.',
      'if_sid prevalece sobre if_level, que prevalece sobre if_group. Os demais não têm efeito; não são condições adicionais.',
    ],
  },
  rule_if_sid_invalid: {
    severity: 'error',
    effect: 'drop',
    engineNumbers: [7618],
    example: {
      wrong: '<if_sid>5710-5716</if_sid>',
      right: '<if_sid>5710,5716</if_sid>',
    },
    title: ['Invalid if_sid', 'if_sid inválido'],
    message: ['"{value}" in <if_sid> of rule {id} is not a list of rule ids.', '"{value}" em <if_sid> da regra {id} não é uma lista de ids de regras.'],
    hint: ['Write rule ids separated by commas: digits, commas and blanks only.', 'Escreva ids de regras separados por vírgulas: só dígitos, vírgulas e espaços.'],
    doc: ['Group names, ranges and line breaks are not allowed in <if_sid>.', 'Nomes de grupos, faixas e quebras de linha não são permitidos em <if_sid>.'],
  },
  rule_if_sid_empty: {
    severity: 'error',
    effect: 'drop',
    engineNumbers: [7618],
    title: ['Empty if_sid', 'if_sid vazio'],
    message: ['The <if_sid> of rule {id} is empty.', 'O <if_sid> da regra {id} está vazio.'],
    hint: [
      'Write the id of the parent, or remove the element to place the rule under its category.',
      'Escreva o id do pai ou remova o elemento para colocar a regra sob a sua categoria.',
    ],
    doc: ['An empty <if_sid> counts as an invalid value.', 'Um <if_sid> vazio conta como valor inválido.'],
  },
  rule_if_sid_whitespace: {
    severity: 'warning',
    engineNumbers: [7607],
    example: {
      wrong: '<if_sid>5716, </if_sid>',
      right: '<if_sid>5716</if_sid>',
    },
    title: ['Separator at the end of if_sid', 'Separador no fim de if_sid'],
    message: ['The <if_sid> "{value}" of rule {id} ends in a separator.', 'O <if_sid> "{value}" da regra {id} termina em um separador.'],
    hint: [
      'Remove everything after the last digit: with a blank or comma at the end, Wazuh also places the rule under its category.',
      'Remova tudo o que vem depois do último dígito: com um espaço ou vírgula no final, o Wazuh também coloca a regra sob a sua categoria.',
    ],
    doc: [
      'A blank or comma at the end is read as one more id, 0, which also places the rule under the template of its category. The rule is then tried for events that its parent did not match. A newline at the end ends the list with a warning.',
      'Um espaço ou vírgula no final é lido como mais um id, 0, que coloca a regra também sob o modelo da sua categoria. Ela passa a ser testada em eventos com os quais o pai não casou. Uma quebra de linha no final encerra a lista com um aviso.',
    ],
  },
  rule_if_sid_repeated_tag: {
    severity: 'warning',
    example: {
      wrong: `<if_sid>5700</if_sid>
| <if_sid>5710</if_sid>`,
      right: '<if_sid>5700,5710</if_sid>',
    },
    title: ['Parents joined without a separator', 'Pais colados'],
    message: ['The repeated <{tag}> of rule {id} are joined without a separator: "{value}".', 'Os <{tag}> repetidos da regra {id} são unidos sem separador: "{value}".'],
    hint: ['Write one <{tag}>; separate ids by commas, groups by "|".', 'Escreva um só <{tag}>; separe ids por vírgulas e grupos por "|".'],
    doc: ['Repeats are joined without separator: 5700 and 5710 become the id 57005710.', 'As repetições são unidas sem separador: 5700 e 5710 viram o id 57005710.'],
  },
  rule_if_sid_duplicate_parent: {
    severity: 'info',
    title: ['Parent named twice', 'Pai indicado duas vezes'],
    message: ['<if_sid> of rule {id} names rule {parent} twice.', '<if_sid> da regra {id} indica a regra {parent} duas vezes.'],
    hint: ['Remove one of the two.', 'Remova uma das duas ocorrências.'],
    doc: [
      'The rule is then placed twice under the same parent. The only effect is that a counting rule over its group counts it twice.',
      'A regra fica duas vezes sob o mesmo pai. O único efeito é que uma regra que conta o grupo dela a conta duas vezes.',
    ],
  },
  rule_too_many_placements: {
    severity: 'error',
    effect: 'refuse',
    title: ['Rule tree too large', 'Árvore de regras grande demais'],
    message: [
      'With rule {id} the rule tree would have more than {limit} places, or rules counted by <if_matched_group>, and the rules from here on were left out.',
      'Com a regra {id} a árvore de regras teria mais de {limit} lugares, ou regras contadas por <if_matched_group>, e as regras a partir daqui foram deixadas de fora.',
    ],
    hint: [
      'Name the parents by <if_sid>, or give rules with <if_group> or <if_level> another group or level than their parents.',
      'Indique os pais com <if_sid>, ou dê às regras com <if_group> ou <if_level> outro grupo ou nível que o dos pais.',
    ],
    doc: [
      'A rule is placed under every place of all its parents. Where rules with <if_group> or <if_level> are parents of the next ones, each rule doubles the tree. Every composite with <if_matched_group> also keeps a list of all rules of that group. Wazuh has no limit: it builds the tree until its memory is exhausted, and does not start.',
      'Uma regra fica sob cada lugar de todos os seus pais. Onde regras com <if_group> ou <if_level> são pais das seguintes, cada regra dobra a árvore. Toda composta com <if_matched_group> guarda também uma lista de todas as regras desse grupo. O Wazuh não tem limite: constrói a árvore até acabar a memória e não inicia.',
    ],
  },
  rule_if_group_missing: {
    severity: 'error',
    effect: 'drop',
    engineNumbers: [7610],
    title: ['No rule of this group', 'Nenhuma regra desse grupo'],
    message: ['No rule loaded before rule {id} has a group that contains "{value}".', 'Nenhuma regra carregada antes da regra {id} tem um grupo que contenha "{value}".'],
    hint: [
      'Correct the group, or rename the file so that it loads after the rules of that group.',
      'Corrija o grupo ou renomeie o arquivo para que seja carregado depois das regras desse grupo.',
    ],
    doc: [
      '<if_group> places the rule under every rule already loaded whose group list contains the text. If there is none, Wazuh drops the rule.',
      '<if_group> coloca a regra sob toda regra já carregada cuja lista de grupos contenha o texto. Se não há nenhuma, o Wazuh descarta a regra.',
    ],
  },
  rule_if_group_accidental_substring: {
    severity: 'warning',
    title: ['Group found only inside longer names', 'Grupo encontrado só dentro de nomes maiores'],
    message: [
      '<if_group> "{value}" of rule {id} is only found inside longer group names: {found}.',
      '<if_group> "{value}" da regra {id} só aparece dentro de nomes de grupo maiores: {found}.',
    ],
    hint: ['Write the whole group name; check that these groups are the ones you mean.', 'Escreva o nome completo do grupo; confirme se são esses os grupos desejados.'],
    doc: [
      '<if_group> looks for the text anywhere in the group list: web finds webshell and spiderweb too.',
      '<if_group> procura o texto em qualquer ponto da lista de grupos: web também encontra webshell e spiderweb.',
    ],
  },
  rule_if_level_invalid: {
    severity: 'error',
    effect: 'drop',
    engineNumbers: [7609],
    title: ['Invalid if_level', 'if_level inválido'],
    message: ['"{value}" in <if_level> of rule {id} is not a number above 0.', '"{value}" em <if_level> da regra {id} não é um número acima de 0.'],
    hint: ['Write a number from 1 to 16.', 'Escreva um número de 1 a 16.'],
    doc: ['0 and everything that is not a number is refused for this rule.', '0 e tudo que não seja número é recusado para esta regra.'],
  },
  rule_if_level_missing: {
    severity: 'error',
    effect: 'drop',
    engineNumbers: [7608],
    title: ['No rule of this level', 'Nenhuma regra desse nível'],
    message: ['No rule reaches the level {value} that <if_level> of rule {id} requires.', 'Nenhuma regra atinge o level {value} que <if_level> da regra {id} pede.'],
    hint: ['Write a lower level; rules have at most level 16.', 'Escreva um level menor; as regras têm no máximo level 16.'],
    doc: [
      'The number is compared with the levels of all rules already loaded; from 100 on nothing can reach it.',
      'O número é comparado com os levels de todas as regras já carregadas; a partir de 100 nada o alcança.',
    ],
  },
  rule_if_level_matches_everything: {
    severity: 'warning',
    title: ['if_level reaches nearly every event', 'if_level alcança quase todo evento'],
    message: [
      '<if_level> of rule {id} places it under {count} rules, among them every rule of level 0.',
      '<if_level> da regra {id} a coloca sob {count} regras, entre elas todas as de level 0.',
    ],
    hint: ['Use <if_sid> or <if_group> to name the parents you mean.', 'Use <if_sid> ou <if_group> para indicar os pais desejados.'],
    doc: [
      'While loading, level 0 counts as 99, so the templates at the top and all silencing rules qualify for every <if_level>. The rule is tried for practically every event.',
      'Durante a carga, o level 0 conta como 99; assim, os modelos do topo e todas as regras que silenciam atendem a qualquer <if_level>. A regra é testada em praticamente todo evento.',
    ],
  },
  rule_if_matched_sid_invalid: {
    severity: 'error',
    effect: 'drop',
    engineNumbers: [7615],
    example: {
      wrong: '<if_matched_sid>5710,5716</if_matched_sid>',
      right: '<if_matched_group>authentication_failed</if_matched_group>',
    },
    title: ['Invalid if_matched_sid', 'if_matched_sid inválido'],
    message: ['"{value}" in <if_matched_sid> of rule {id} is not one rule id.', '"{value}" em <if_matched_sid> da regra {id} não é um único id de regra.'],
    hint: [
      'Write exactly one rule id, digits only. To count several rules give them a common group and use <if_matched_group>.',
      'Escreva exatamente um id de regra, só dígitos. Para contar várias regras, dê a elas um grupo comum e use <if_matched_group>.',
    ],
    doc: ['Unlike <if_sid>, this element takes one id and no list.', 'Diferente de <if_sid>, este elemento aceita um id e nenhuma lista.'],
  },
  rule_if_matched_sid_missing: {
    severity: 'error',
    effect: 'drop',
    engineNumbers: [7620],
    title: ['Counted rule missing', 'Regra contada ausente'],
    message: ['Rule {id} counts events below rule {parent}, which is not loaded before it.', 'A regra {id} conta eventos sob a regra {parent}, que não é carregada antes dela.'],
    hint: ['Correct the id, or rename the file so that it loads after rule {parent}.', 'Corrija o id ou renomeie o arquivo para que seja carregado depois da regra {parent}.'],
    doc: [
      'A rule with <if_matched_sid> needs all of its parents. Without <if_sid> it is placed under the rule it counts, so that rule must be loaded first.',
      'Uma regra com <if_matched_sid> precisa de todos os seus pais. Sem <if_sid>, ela fica sob a regra que conta; por isso aquela regra precisa ser carregada antes.',
    ],
  },
  rule_if_matched_sid_unwired: {
    severity: 'warning',
    title: ['Counted rule never found', 'Regra contada nunca encontrada'],
    message: [
      'Rule {id} can never fire: it counts matches of rule {parent}, which is not loaded before it.',
      'A regra {id} nunca dispara: ela conta as ocorrências da regra {parent}, que não é carregada antes dela.',
    ],
    hint: ['Correct the id, or rename the file so that it loads after rule {parent}.', 'Corrija o id ou renomeie o arquivo para que seja carregado depois da regra {parent}.'],
    doc: [
      'With <if_sid> or <if_group> the rule is loaded without any message, but it has no history to search.',
      'Com um <if_sid> ou <if_group> próprio, a regra é carregada sem nenhuma mensagem, mas não há histórico para ela consultar.',
    ],
  },
  rule_if_matched_group_missing: {
    severity: 'error',
    effect: 'drop',
    engineNumbers: [7610],
    title: ['Counted group missing', 'Grupo contado ausente'],
    message: [
      'Rule {id} counts matches of the group "{value}", which no rule loaded before it has.',
      'A regra {id} conta ocorrências do grupo "{value}", que nenhuma regra carregada antes dela tem.',
    ],
    hint: [
      'Correct the group, or rename the file so that it loads after the rules of that group.',
      'Corrija o grupo ou renomeie o arquivo para que seja carregado depois das regras desse grupo.',
    ],
    doc: [
      'A counting rule without <if_sid> and <if_group> is placed under every rule of the group it counts. Only rules loaded before it are found.',
      'Uma regra de contagem sem <if_sid> e <if_group> fica sob toda regra do grupo que ela conta. Só regras carregadas antes dela são encontradas.',
    ],
  },
  rule_if_matched_group_unwired: {
    severity: 'warning',
    title: ['Counted group never found', 'Grupo contado nunca encontrado'],
    message: [
      'Rule {id} can never fire: no rule loaded before it has the group "{value}" that it counts.',
      'A regra {id} nunca dispara: nenhuma regra carregada antes dela tem o grupo "{value}" que ela conta.',
    ],
    hint: [
      'Correct the group, or rename the file so that it loads after the rules of that group.',
      'Corrija o grupo ou renomeie o arquivo para que seja carregado depois das regras desse grupo.',
    ],
    doc: [
      'With <if_sid> or <if_group> the rule is loaded without any message, but its history stays empty.',
      'Com um <if_sid> ou <if_group> próprio, a regra é carregada sem nenhuma mensagem, mas nada alimenta o histórico dela.',
    ],
  },
  rule_frequency_without_matched: {
    severity: 'error',
    effect: 'refuse',
    example: {
      wrong: `<rule id="100002" level="10" frequency="8" timeframe="120">
|   <if_sid>5716</if_sid>`,
      right: `<rule id="100002" level="10" frequency="8" timeframe="120">
|   <if_matched_sid>5716</if_matched_sid>`,
    },
    title: ['Frequency without anything to count', 'Frequência sem nada para contar'],
    message: [
      'Rule {id} has frequency="{value}" but no <if_matched_sid> or <if_matched_group>, so there is nothing to count.',
      'A regra {id} tem frequency="{value}", mas nenhum <if_matched_sid> ou <if_matched_group>; não há o que contar.',
    ],
    hint: ['Add <if_matched_sid> with the rule to count, or remove frequency.', 'Adicione <if_matched_sid> com a regra a contar ou remova frequency.'],
    doc: [
      '<if_sid> says when the rule is tried, <if_matched_sid> what is counted. A frequency needs the second.',
      '<if_sid> diz quando a regra é testada; <if_matched_sid>, o que é contado. Uma frequency precisa do segundo.',
    ],
  },
  rule_correlation_without_matched: {
    severity: 'error',
    effect: 'refuse',
    example: {
      wrong: `<if_sid>5716</if_sid>
| <same_srcip />`,
      right: `<if_matched_sid>5716</if_matched_sid>
| <same_srcip />`,
    },
    title: ['Comparison without anything to compare with', 'Comparação sem nada com que comparar'],
    message: [
      'Rule {id} has <{name}> but no <if_matched_sid> or <if_matched_group>, so there is nothing to compare with.',
      'A regra {id} tem <{name}>, mas nenhum <if_matched_sid> ou <if_matched_group>; não há com o que comparar.',
    ],
    hint: ['Add <if_matched_sid> or <if_matched_group>, or remove <{name}>.', 'Adicione <if_matched_sid> ou <if_matched_group>, ou remova <{name}>.'],
    doc: [
      'same_*, different_* and global_frequency compare the current event with earlier ones, and only a counting rule remembers earlier ones.',
      'same_*, different_* e global_frequency comparam o evento atual com anteriores, e só uma regra de contagem lembra os anteriores.',
    ],
  },
  rule_frequency_without_context: {
    severity: 'warning',
    title: ['Frequency 2 without effect', 'Frequência 2 sem efeito'],
    message: [
      'frequency="2" of rule {id} has no effect without an <if_matched_sid> or <if_matched_group>.',
      'frequency="2" da regra {id} não tem efeito sem um <if_matched_sid> ou <if_matched_group>.',
    ],
    hint: ['Add <if_matched_sid>, or remove frequency.', 'Adicione <if_matched_sid> ou remova frequency.'],
    doc: [
      'Wazuh refuses any higher frequency without if_matched_*, but lets 2 pass. The rule then fires on the first event.',
      'O Wazuh recusa qualquer frequency maior sem if_matched_*, mas deixa 2 passar. A regra então dispara no primeiro evento.',
    ],
  },
  rule_frequency_default: {
    severity: 'info',
    title: ['Counting to two', 'Contagem até dois'],
    message: ['Rule {id} counts to 2 and fires on every event from the second on.', 'A regra {id} conta até 2 e dispara em cada evento a partir do segundo.'],
    hint: [
      'Write the frequency you mean; 3 and more also keep the rule from firing on every further event.',
      'Escreva a frequency desejada; com 3 ou mais, a regra também deixa de disparar em cada novo evento.',
    ],
    doc: [
      'Without frequency, or with 2, the second event fires, and after it each further one while an earlier event is inside the timeframe.',
      'Sem frequency, ou com 2, o segundo evento dispara e, depois dele, cada novo evento enquanto houver um anterior dentro do timeframe.',
    ],
  },
  rule_frequency_without_timeframe: {
    severity: 'info',
    title: ['Default timeframe', 'Timeframe padrão'],
    message: ['Rule {id} has no timeframe; Wazuh uses {seconds} seconds.', 'A regra {id} não tem timeframe; o Wazuh usa {seconds} segundos.'],
    hint: ['Write timeframe="…" to say which window you mean.', 'Escreva timeframe="…" para dizer qual janela você quer.'],
    doc: [
      "The default comes from the manager's internal options and can differ between installations.",
      'O valor padrão vem das opções internas do manager e pode variar entre instalações.',
    ],
  },
  rule_timeframe_without_frequency: {
    severity: 'warning',
    title: ['Timeframe without effect', 'Timeframe sem efeito'],
    message: ['The timeframe of rule {id} has no effect, because the rule counts nothing.', 'O timeframe da regra {id} não tem efeito, porque a regra não conta nada.'],
    hint: ['Remove timeframe, or make the rule count with frequency and <if_matched_sid>.', 'Remova timeframe ou faça a regra contar, com frequency e <if_matched_sid>.'],
    doc: [
      'A timeframe limits how far back a counting rule looks. A rule that counts nothing fires on each event.',
      'Um timeframe limita até onde no passado uma regra de contagem olha. Uma regra que não conta nada dispara em cada evento.',
    ],
  },
  rule_if_matched_several: {
    severity: 'warning',
    effect: 'ignore',
    title: ['Several kinds of counting', 'Vários tipos de contagem'],
    message: ['Rule {id} has <{tag}> and <{other}>; Wazuh counts only by <{tag}>.', 'A regra {id} tem <{tag}> e <{other}>; o Wazuh conta apenas por <{tag}>.'],
    hint: ['Keep one of them.', 'Mantenha um deles.'],
    doc: [
      'if_matched_sid takes precedence over if_matched_group, and that over if_matched_regex. The others are ignored, not combined.',
      'if_matched_sid prevalece sobre if_matched_group, que prevalece sobre if_matched_regex; os demais são ignorados, não combinados.',
    ],
  },
  rule_matched_level_zero: {
    severity: 'warning',
    title: ['Counted rule is never stored', 'Regra contada nunca é guardada'],
    message: [
      'Rule {id} can never fire: it counts rule {parent}, whose matches are never stored ({reason}).',
      'A regra {id} nunca dispara: ela conta a regra {parent}, cujas ocorrências nunca são guardadas ({reason}).',
    ],
    hint: ['Give rule {parent} a level above 0, or count a rule that alerts.', 'Dê à regra {parent} um level acima de 0 ou conte uma regra que gere alerta.'],
    doc: [
      'Only events whose final rule has a level above 0 are remembered. Matches of level-0 and noalert rules are not remembered, so there is nothing to count.',
      'Só são lembrados eventos cuja regra final tem level acima de 0. Ocorrências de regras de level 0 ou noalert não deixam rastro; não há o que contar.',
    ],
  },
  rule_if_matched_sid_shadowed: {
    severity: 'warning',
    title: ['Counted rule hidden by its children', 'Regra contada encoberta pelos filhos'],
    message: [
      'Rule {id} may never fire: every match of rule {parent} is taken over by one of its child rules.',
      'A regra {id} talvez nunca dispare: toda ocorrência da regra {parent} é assumida por uma das regras filhas.',
    ],
    hint: ['Count the child rules instead, by a group they share.', 'Conte as regras filhas, por um grupo que elas compartilhem.'],
    doc: [
      'An event is stored under its final rule only. Where a child always answers, the parent collects nothing.',
      'Um evento é guardado apenas sob a sua regra final. Onde um filho sempre responde, o pai não acumula nada.',
    ],
  },
  rule_if_matched_group_starved: {
    severity: 'warning',
    title: ['Counted group is fed to other rules', 'Grupo contado alimenta outras regras'],
    message: [
      'Rule {id} can never fire: the <if_matched_sid> of {others} names every rule of the group "{value}", whose events then count only there.',
      'A regra {id} nunca dispara: o <if_matched_sid> de {others} cita toda regra do grupo "{value}", cujos eventos então só contam ali.',
    ],
    hint: [
      'Count one rule with <if_matched_sid>, or give the events another rule that no <if_matched_sid> names.',
      'Conte uma só regra com <if_matched_sid> ou dê aos eventos uma regra própria que ninguém conte por id.',
    ],
    doc: [
      'Once any <if_matched_sid> names a rule, its matches go to that history only and never to the history of a group.',
      'Assim que algum <if_matched_sid> indica uma regra, as ocorrências dela vão só para aquele histórico e nunca para o de um grupo.',
    ],
  },
  rule_if_matched_group_member_taken: {
    severity: 'info',
    title: ['Member of a counted group feeds another rule', 'Membro de um grupo contado alimenta outra regra'],
    message: [
      'Rule {id} counts no events of {members} of the group "{value}": the <if_matched_sid> of {others} takes them.',
      'A regra {id} não conta eventos de {members} do grupo "{value}": o <if_matched_sid> de {others} os toma.',
    ],
    hint: [
      'Count such a rule with <if_matched_sid>, or give the events another rule that no <if_matched_sid> names.',
      'Conte essa regra com <if_matched_sid> ou dê aos eventos outra regra que nenhum <if_matched_sid> cite.',
    ],
    doc: [
      'Once any <if_matched_sid> names a rule, its matches go to that history only and never to the history of a group.',
      'Assim que algum <if_matched_sid> indica uma regra, as ocorrências dela vão só para aquele histórico e nunca para o de um grupo.',
    ],
  },
  rule_condition_last_event: {
    severity: 'warning',
    example: {
      wrong: `<rule id="100101" level="10" frequency="3" timeframe="60">
|   <if_matched_sid>100100</if_matched_sid>
|   <field name="who">^root$</field>`,
      right: `<rule id="100101" level="5">
|   <if_sid>100100</if_sid>
|   <field name="who">^root$</field>
| …
| <rule id="100102" level="10" frequency="3" timeframe="60">
|   <if_matched_sid>100101</if_matched_sid>`,
    },
    title: ['Condition on the last counted event only', 'Condição só sobre o último evento contado'],
    message: [
      'Rule {id} tests <{tag}> only on the event that completes the count; the events before it are counted without that.',
      'A regra {id} testa <{tag}> só no evento que completa a contagem; os eventos anteriores são contados sem isso.',
    ],
    hint: [
      'Put the condition into a rule of its own, and count that rule with <if_matched_sid>. If only the last event has to meet it, give this rule a parent with <if_sid>.',
      'Coloque a condição em uma regra própria e conte essa regra com <if_matched_sid>. Se só o último evento precisa atendê-la, dê a esta regra um pai com <if_sid>.',
    ],
    doc: [
      'A counting rule is tried for each event below the rule that it counts. Its conditions decide about that event; of the earlier ones only same_* and different_* are compared.',
      'Uma regra que conta é testada em cada evento abaixo da regra que ela conta. As condições dela decidem sobre esse evento; dos anteriores só se comparam same_* e different_*.',
    ],
  },
  rule_if_matched_group_later_members: {
    severity: 'warning',
    title: ['Members of the group loaded later', 'Membros do grupo carregados depois'],
    message: [
      'Rule {id} does not count the rules of the group "{value}" that are loaded after it ({count}).',
      'A regra {id} não conta as regras do grupo "{value}" que são carregadas depois dela ({count}).',
    ],
    hint: [
      'Rename the file of this rule so that it loads after all rules of the group.',
      'Renomeie o arquivo desta regra para que seja carregado depois de todas as regras do grupo.',
    ],
    doc: [
      'A group history is fed only by rules that were loaded when the counting rule was read.',
      'O histórico de um grupo só é alimentado por regras já carregadas quando a regra de contagem foi lida.',
    ],
  },
  rule_if_matched_regex_agents: {
    severity: 'warning',
    example: {
      wrong: '<if_matched_regex>^Failed</if_matched_regex>',
      right: '<if_matched_regex>^Failed</if_matched_regex><global_frequency />',
    },
    title: ['Search that hangs with several agents', 'Busca que trava com vários agentes'],
    message: [
      'Rule {id} searches all remembered events by <{tag}> without <global_frequency />: Wazuh hangs as soon as one of them is from another agent.',
      'A regra {id} busca em todos os eventos lembrados com <{tag}> sem <global_frequency />: o Wazuh trava assim que um deles é de outro agente.',
    ],
    hint: [
      'Add <global_frequency />, or count the events of one rule by <if_matched_sid>.',
      'Adicione <global_frequency /> ou conte os eventos de uma única regra com <if_matched_sid>.',
    ],
    doc: [
      'Such a search should skip events of other agents, but Wazuh 4.14.7 hangs at the first one within the timeframe. It works only while all events come from one agent. A test with events of two agents reports wazuh_crash.',
      'Essa busca deveria pular eventos de outros agentes, mas o Wazuh 4.14.7 trava no primeiro deles dentro do timeframe. Só funciona enquanto todos os eventos vêm de um mesmo agente. Um teste com eventos de dois agentes informa wazuh_crash.',
    ],
  },
  rule_frequency_multi_parent: {
    severity: 'warning',
    title: ['Matches counted several times', 'Ocorrências contadas várias vezes'],
    message: [
      'Rule {id} counts each match of rule {member} {count} times, because that rule has {count} places in the tree.',
      'A regra {id} conta cada ocorrência da regra {member} {count} vezes, porque essa regra está em {count} lugares da árvore.',
    ],
    hint: ['Raise frequency accordingly, or give rule {member} a single parent.', 'Aumente frequency na mesma proporção ou dê à regra {member} um só pai.'],
    doc: [
      'A rule of the group adds its event to the history once for each of its places in the tree. With four parents, two events already count as eight.',
      'Uma regra do grupo acrescenta o evento ao histórico uma vez por lugar que tem na árvore. Com quatro pais, dois eventos já contam como oito.',
    ],
  },
  rule_frequency_sibling_blocked: {
    severity: 'warning',
    title: ['Counting rule blocked by another', 'Regra de contagem bloqueada por outra'],
    message: [
      'Rule {id} can never fire: rule {other} counts the same events and always fires first.',
      'A regra {id} nunca dispara: a regra {other} conta os mesmos eventos e sempre dispara antes.',
    ],
    hint: [
      'Give this rule a higher level than rule {other}, or let it count the alerts of rule {other} instead.',
      'Dê a esta regra um level maior que o da regra {other} ou faça-a contar os alertas da regra {other}.',
    ],
    doc: [
      'When a counting rule fires, the events it counted are marked, and another rule of the same or a lower level stops counting at the mark. If two rules count the same events, the larger count is never reached.',
      'Quando uma regra de contagem dispara, os eventos contados são marcados, e outra de level igual ou menor para de contar na marca. Se duas regras contam os mesmos eventos, a contagem maior nunca é atingida.',
    ],
  },
  rule_same_different_conflict: {
    severity: 'warning',
    title: ['Contradicting comparisons', 'Comparações contraditórias'],
    message: ['Rule {id} can never fire: <{tag}> and <{other}> contradict each other.', 'A regra {id} nunca dispara: <{tag}> e <{other}> se contradizem.'],
    hint: ['Keep one of the two.', 'Mantenha um dos dois.'],
    doc: [
      'An event cannot have the same and a different value at once, so the count stays at zero.',
      'Um evento não pode ter ao mesmo tempo o mesmo valor e um valor diferente; a contagem fica em zero.',
    ],
  },
  rule_same_field_static: {
    severity: 'warning',
    example: {
      wrong: '<same_field>srcip</same_field>',
      right: '<same_srcip />',
    },
    title: ['Static field in same_field', 'Campo estático em same_field'],
    message: ['<{tag}> of rule {id} names "{value}", which is not a dynamic field: {reason}.', '<{tag}> da regra {id} indica "{value}", que não é um campo dinâmico: {reason}.'],
    hint: [
      'Use the element for it, such as <same_srcip />, and write names of dynamic fields without blanks.',
      'Use o elemento próprio, como <same_srcip />, e escreva nomes de campos dinâmicos sem espaços.',
    ],
    doc: [
      '<same_field> and <different_field> know dynamic fields only. With a static name the first never counts and the second always does.',
      '<same_field> e <different_field> só conhecem campos dinâmicos. Com um nome estático, o primeiro nunca conta e o segundo sempre conta.',
    ],
  },
  rule_same_field_never_extracted: {
    severity: 'warning',
    title: ['Compared field is never extracted', 'Campo comparado nunca é extraído'],
    message: [
      '<{tag}> of rule {id} compares "{field}", which no decoder that leads here extracts.',
      '<{tag}> da regra {id} compara "{field}", que nenhum decoder que chega aqui extrai.',
    ],
    hint: ['Correct the name, or add it to the <order> of the decoder.', 'Corrija o nome ou adicione-o ao <order> do decoder.'],
    doc: ['<same_field> needs the field in both events. Without it nothing is ever counted.', '<same_field> precisa do campo nos dois eventos. Sem ele, nada é contado.'],
  },
} as const satisfies Record<string, DiagnosticDeclaration>
