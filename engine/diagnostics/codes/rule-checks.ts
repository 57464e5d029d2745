import type { DiagnosticDeclaration } from '../entry.js'

/** Diagnostics over the whole set and advice about rules; the engine is silent about all of them. */
export const RULE_CHECKS_DIAGNOSTICS = {
  rule_no_condition: {
    severity: 'warning',
    title: ['Rule without condition', 'Regra sem condição'],
    message: [
      'Rule {id} has no condition and no parent: it matches every event of its category.',
      'A regra {id} não tem condição nem pai: ela casa com todo evento da sua categoria.',
    ],
    hint: ['Add a parent with <if_sid>, a <decoded_as>, or a <match>.', 'Adicione um pai com <if_sid>, um <decoded_as> ou um <match>.'],
    doc: [
      'Such a rule answers every event of its category that no rule before it takes, and hides the rules sorted after it.',
      'Uma regra assim responde a todo evento da sua categoria que nenhuma regra anterior assume e encobre as regras que vêm depois dela.',
    ],
  },
  rule_field_never_extracted: {
    severity: 'warning',
    title: ['Field never extracted', 'Campo nunca extraído'],
    message: ['Rule {id} tests the field "{field}", which no decoder that leads here extracts.', 'A regra {id} testa o campo "{field}", que nenhum decoder que chega aqui extrai.'],
    hint: ['Correct the name, or add it to the <order> of the decoder.', 'Corrija o nome ou adicione-o ao <order> do decoder.'],
    doc: [
      'A condition on a field that is absent fails, also when it is negated. Fields of JSON logs are not known in advance and are left out of this check.',
      'Uma condição sobre um campo ausente falha, mesmo quando negada. Campos de logs JSON não são conhecidos de antemão e ficam fora desta verificação.',
    ],
  },
  rule_field_data_prefix: {
    severity: 'warning',
    example: {
      wrong: '<field name="data.aws.source">cloudtrail</field>',
      right: '<field name="aws.source">cloudtrail</field>',
    },
    title: ['Field with the prefix of stored alerts', 'Campo com o prefixo dos alertas armazenados'],
    message: [
      'Rule {id} names the field "{field}", but only stored alerts have the prefix "data."; for rules it is "{known}".',
      'A regra {id} cita o campo "{field}", mas só os alertas armazenados têm o prefixo "data."; para as regras ele é "{known}".',
    ],
    hint: ['Write {write}.', 'Escreva {write}.'],
    doc: [
      'Dashboards show the fields of an alert below "data". Decoders and rules know them without it, and the fixed fields by tags of their own.',
      'Os painéis mostram os campos de um alerta abaixo de "data". Decoders e regras os conhecem sem isso, e os campos fixos por tags próprias.',
    ],
  },
  rule_field_array_member: {
    severity: 'warning',
    example: {
      wrong: '<field name="items[0].type">^disk$</field>',
      right: '<field name="items">"type":\\s*"disk"</field>',
    },
    title: ['Member of an array as a field', 'Membro de uma lista como campo'],
    message: [
      'Rule {id} names the field "{field}", but an array of a JSON log is one field, "{known}", with the text of the whole array.',
      'A regra {id} cita o campo "{field}", mas uma lista de um log JSON é um só campo, "{known}", com o texto da lista inteira.',
    ],
    hint: ['Write {write} with a pattern for the text of the array.', 'Escreva {write} com um padrão para o texto da lista.'],
    doc: [
      'The JSON decoder does not look into arrays: their members, and the members of objects in them, have no names.',
      'O decoder JSON não olha dentro de listas: os membros delas, e os membros de objetos nelas, não têm nome.',
    ],
  },
  rule_status_switch: {
    severity: 'warning',
    title: ['status as a switch', 'status como interruptor'],
    message: [
      '<status> of rule {id} is a condition on the field status, which nothing is known to set to "{value}": it does not switch the rule on or off.',
      '<status> da regra {id} é uma condição sobre o campo status, e nada conhecido o define como "{value}": não liga nem desliga a regra.',
    ],
    hint: [
      'Remove it: every rule of a loaded file is on. To switch a rule off, remove it, or overwrite it with level 0.',
      'Retire-o: toda regra de um arquivo carregado está ligada. Para desligar uma regra, remova-a ou sobrescreva-a com level 0.',
    ],
    doc: [
      'The tag compares the field status that a decoder extracts. Without the field the condition fails, so the rule never matches.',
      'A tag compara o campo status que um decoder extrai. Sem o campo a condição falha; por isso a regra nunca casa.',
    ],
  },
  rule_field_single_backslash: {
    severity: 'warning',
    example: {
      wrong: '<field name="win.eventdata.image">Tools\\\\sync.exe$</field>',
      right: '<field name="win.eventdata.image">Tools\\\\\\\\sync.exe$</field>',
    },
    title: ['Single backslash for a Windows event', 'Barra invertida simples para um evento do Windows'],
    message: [
      'The {dialect} pattern of <{tag}> ({owner}) has one backslash in "{value}" where the value has two, {effect}.',
      'O padrão {dialect} de <{tag}> ({owner}) tem uma barra invertida em "{value}" onde o valor tem duas, {effect}.',
    ],
    hint: ['Write {right} for each backslash of the path.', 'Escreva {right} para cada barra invertida do caminho.'],
    doc: [
      'Fields of Windows events have each backslash of the event twice: C:\\Tools arrives as C:\\\\Tools. osregex and pcre2 need two characters for each of them, four for one separator; osmatch needs two.',
      'Os campos de eventos do Windows têm cada barra invertida do evento duas vezes: C:\\Tools chega como C:\\\\Tools. osregex e pcre2 precisam de dois caracteres para cada uma, quatro para um separador; osmatch precisa de dois.',
    ],
  },
  rule_overlapping_level: {
    severity: 'warning',
    title: ['Rule hidden by a sibling', 'Regra encoberta por uma irmã'],
    message: [
      'Rule {id} is never reached: rule {other} is tried first and matches the same events.',
      'A regra {id} nunca é alcançada: a regra {other} é testada antes e casa com os mesmos eventos.',
    ],
    hint: [
      'Give this rule a higher level than rule {other}, make it a child of rule {other}, or narrow that rule.',
      'Dê a esta regra um level maior que o da regra {other}, torne-a filha da regra {other} ou restrinja aquela regra.',
    ],
    doc: [
      'Siblings are tried by descending level (level 0 first of all), equal levels in load order, and the first that matches wins. A broad one in front hides all that follow.',
      'As irmãs são testadas por level decrescente (level 0 antes de todas), na ordem de carga quando empatam, e a primeira que casa vence. Uma regra ampla na frente encobre todas as seguintes.',
    ],
  },
  rule_unreachable: {
    severity: 'warning',
    title: ['Rule that can never match', 'Regra que nunca casa'],
    message: ['Rule {id} can never match: {reason}.', 'A regra {id} nunca casa: {reason}.'],
    hint: ['Remove the contradiction, or place the rule under another parent.', 'Remova a contradição ou coloque a regra sob outro pai.'],
    doc: [
      'A rule inherits every condition of the rules above it. Where two of them exclude each other, no event reaches the rule.',
      'Uma regra herda todas as condições das regras acima dela. Onde duas se excluem, nenhum evento chega à regra.',
    ],
  },
  rule_condition_redundant: {
    severity: 'warning',
    title: ['Redundant condition', 'Condição redundante'],
    message: ['<{tag}> of rule {id} adds nothing: {reason}.', '<{tag}> da regra {id} não acrescenta nada: {reason}.'],
    hint: ['Remove it; the rule then says only what it adds.', 'Remova-a; a regra passa a dizer só o que acrescenta.'],
    doc: [
      'A condition that holds wherever those of the rules above hold, or others of the rule, costs time on every event and misleads readers.',
      'Uma condição que vale sempre que valem as das regras acima, ou outras da regra, custa tempo em todo evento e confunde quem lê.',
    ],
  },
  rule_condition_always_true: {
    severity: 'warning',
    example: {
      wrong: '<match>error|</match>',
      right: '<match>error</match>',
    },
    title: ['Condition that always matches', 'Condição que sempre casa'],
    message: ['<{tag}> of rule {id} always matches: {reason}.', '<{tag}> da regra {id} sempre casa: {reason}.'],
    hint: ['Remove the condition, or write the text that should really be there.', 'Remova a condição ou escreva o texto que realmente deveria estar ali.'],
    doc: [
      'An empty alternative, as in error| or |error, matches every log, and so does a pattern like \\.*.',
      'Uma alternativa vazia, como em erro| ou |erro, casa com todo log, e o mesmo vale para um padrão como \\.*.',
    ],
  },
  rule_duplicate_logic: {
    severity: 'info',
    title: ['Same conditions as another rule', 'Mesmas condições de outra regra'],
    message: ['Rule {id} has the same conditions as rule {other}.', 'A regra {id} tem as mesmas condições da regra {other}.'],
    hint: ['Keep one of the two, or give them different conditions.', 'Mantenha uma das duas ou dê a elas condições diferentes.'],
    doc: ['If two siblings have equal conditions, only the first ever matches.', 'Se duas irmãs têm condições iguais, só a primeira casa.'],
  },
  rule_orphan: {
    severity: 'info',
    title: ['Isolated rule', 'Regra isolada'],
    message: ['Rule {id} is connected to no other rule and to no decoder.', 'A regra {id} não está ligada a nenhuma outra regra nem a um decoder.'],
    hint: ['Give it a parent with <if_sid>, or name its decoder with <decoded_as>.', 'Dê a ela um pai com <if_sid> ou indique o decoder dela com <decoded_as>.'],
    doc: [
      'A rule without parent, children or decoder is tried for every event of its category, which is slow and seldom meant.',
      'Uma regra sem pai, filhos ou decoder é testada em todo evento da sua categoria, o que é lento e raramente intencional.',
    ],
  },
  rule_level_zero_leaf: {
    severity: 'info',
    title: ['Level 0 without children', 'Level 0 sem filhos'],
    message: ['Rule {id} has level 0 and no child rules, so it only silences events.', 'A regra {id} tem level 0 e nenhuma regra filha; ela apenas silencia eventos.'],
    hint: [
      'Nothing to do if silencing is meant; say so in its description. Otherwise raise the level.',
      'Nada a fazer se a intenção for silenciar; diga isso na descrição. Caso contrário, aumente o level.',
    ],
    doc: [
      'Level 0 means no alert and no history. Without children it only takes events away from its siblings.',
      'Level 0 significa sem alerta e sem histórico. Sem filhos, a regra apenas tira eventos das irmãs.',
    ],
  },
  rule_level_vs_group: {
    severity: 'info',
    title: ['Level and group do not fit', 'Nível e grupo não combinam'],
    message: ['Level {level} of rule {id} does not fit its group "{group}".', 'O level {level} da regra {id} não combina com o grupo "{group}" dela.'],
    hint: ['Compare with shipped rules of the group and adjust the level or the group.', 'Compare com as regras padrão do grupo e ajuste o level ou o grupo.'],
    doc: [
      'Levels drive mails, tickets and active response; people expect rules of one group to be of similar weight.',
      'Os levels definem e-mails, chamados e active response; espera-se que regras de um grupo tenham peso parecido.',
    ],
  },
  rule_container_without_children: {
    severity: 'warning',
    title: ['Container without children', 'Contêiner sem filhos'],
    message: ['Rule {id} has noalert="1" and no child rules, so it never shows.', 'A regra {id} tem noalert="1" e nenhuma regra filha; ela nunca aparece.'],
    hint: ['Add child rules, or remove noalert="1".', 'Adicione regras filhas ou remova noalert="1".'],
    doc: [
      'A noalert rule only opens the way to its children. When none of them matches, Wazuh leaves the branch as if the rule had not matched.',
      'Uma regra noalert apenas abre caminho para os filhos. Quando nenhum deles casa, o Wazuh deixa o ramo como se a regra não tivesse casado.',
    ],
  },
  rule_untested: {
    severity: 'info',
    title: ['Untested rule', 'Regra sem teste'],
    message: ['No test case expects rule {id}.', 'Nenhum caso de teste espera a regra {id}.'],
    hint: ['Add a test case with a log that this rule must match.', 'Adicione um caso de teste com um log que esta regra deve casar.'],
    doc: ['A case keeps the rule working when decoders, parents or Wazuh itself change.', 'Um caso mantém a regra funcionando quando decoders, pais ou o próprio Wazuh mudam.'],
  },
  rule_without_negative_case: {
    severity: 'info',
    title: ['No case that must not match', 'Nenhum caso que não deva casar'],
    message: ['Rule {id} has only test cases in which it must match.', 'A regra {id} só tem casos de teste em que ela deve casar.'],
    hint: [
      'Add a test case with a similar, harmless log that expects another rule, or none.',
      'Adicione um caso de teste com um log parecido e inofensivo que espere outra regra, ou nenhuma.',
    ],
    doc: ['Only a counterexample shows that a rule is narrow enough.', 'Só um contraexemplo mostra que uma regra é restrita o bastante.'],
  },
  case_expectation_impossible: {
    severity: 'warning',
    source: 'engine',
    title: ['Impossible expectation', 'Expectativa impossível'],
    message: ['The case "{case}" expects {expected}, which does not exist in this ruleset.', 'O caso "{case}" espera {expected}, que não existe neste conjunto de regras.'],
    hint: ['Correct the expectation, or add what it names.', 'Corrija a expectativa ou adicione o que ela indica.'],
    doc: [
      'A case that expects a rule, decoder or field the ruleset does not have fails with every log.',
      'Um caso que espera uma regra, um decoder ou um campo inexistente falha qualquer que seja o log.',
    ],
  },
  suppression_unused: {
    severity: 'info',
    source: 'engine',
    title: ['Suppression without use', 'Supressão sem uso'],
    message: ['This suppression of {code} hides nothing.', 'Esta supressão de {code} não esconde nada.'],
    hint: ['Remove it, so that it does not hide a later diagnostic.', 'Remova-a, para que não esconda um problema futuro.'],
    doc: [
      'A suppression stays after its diagnostic is fixed, until somebody removes it.',
      'Uma supressão sobrevive ao problema para o qual foi escrita, a menos que alguém a remova.',
    ],
  },
} as const satisfies Record<string, DiagnosticDeclaration>
