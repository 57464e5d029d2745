import type { DiagnosticDeclaration } from '../entry.js'

/** The child elements of `<rule>` that are conditions or metadata (BEHAVIOUR.md#rule-tags, #pattern-tags, #other-filters, #rule-metadata). */
export const RULE_OPTIONS_DIAGNOSTICS = {
  rule_no_options: {
    severity: 'error',
    effect: 'refuse',
    title: ['Rule without content', 'Regra sem conteúdo'],
    message: ['Rule {id} has no child elements.', 'A regra {id} não tem elementos filhos.'],
    hint: ['Add at least a <description> and a condition or parent.', 'Adicione ao menos um <description> e uma condição ou um pai.'],
    doc: ['A <rule> needs at least one child element; comments do not count.', 'Uma <rule> precisa de pelo menos um elemento filho; comentários não contam.'],
  },
  rule_description_missing: {
    severity: 'error',
    effect: 'refuse',
    example: {
      wrong: `<rule id="100001" level="5">
|   <if_sid>5716</if_sid>
| </rule>`,
      right: `<rule id="100001" level="5">
|   <if_sid>5716</if_sid>
|   <description>sshd: login failed for $(dstuser).</description>
| </rule>`,
    },
    title: ['Missing description', 'Descrição ausente'],
    message: ['Rule {id} has no <description>.', 'A regra {id} não tem <description>.'],
    hint: ['Add <description>…</description> that says what happened.', 'Adicione <description>…</description> dizendo o que aconteceu.'],
    doc: [
      'The description is what people see in the alert. Wazuh requires the element; it may contain $(field) to show values of the event.',
      'A descrição é o que as pessoas veem no alerta. O Wazuh exige o elemento; ele pode conter $(campo) para mostrar valores do evento.',
    ],
  },
  rule_description_empty: {
    severity: 'warning',
    title: ['Empty description', 'Descrição vazia'],
    message: ['The description of rule {id} is empty.', 'A descrição da regra {id} está vazia.'],
    hint: ['Say in one sentence what the alert means.', 'Diga em uma frase o que o alerta significa.'],
    doc: ['Wazuh accepts an empty <description>, but the alert then has no text at all.', 'O Wazuh aceita um <description> vazio, mas o alerta fica sem texto nenhum.'],
  },
  rule_description_too_long: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [1104],
    title: ['Description over the limit', 'Descrição acima do limite'],
    message: ['The description of rule {id} has {length} bytes; Wazuh accepts at most {limit}.', 'A descrição da regra {id} tem {length} bytes; o Wazuh aceita no máximo {limit}.'],
    hint: ['Shorten it; details belong in <info> or in your playbook.', 'Encurte-a; detalhes cabem em <info> ou no seu procedimento.'],
    doc: [
      'Wazuh drops a text over the limit. A rule whose description was dropped counts as having none, and that stops the whole ruleset.',
      'O Wazuh descarta um texto acima do limite. Uma regra cuja descrição foi descartada conta como sem descrição, e isso impede a carga de tudo.',
    ],
  },
  rule_description_truncated: {
    severity: 'warning',
    title: ['Description over the limit', 'Descrição acima do limite'],
    message: [
      'The description of rule {id} has {length} bytes; with more than {limit}, Wazuh leaves its $(fields) as they are written, or cuts it.',
      'A descrição da regra {id} tem {length} bytes; com mais de {limit}, o Wazuh deixa os $(campos) como estão escritos, ou a corta.',
    ],
    hint: ['Shorten it to at most {limit} bytes.', 'Encurte-a para no máximo {limit} bytes.'],
    doc: [
      'Wazuh reads 1,024 bytes and fills in their $(fields). Where the result is shorter, that is shown, without what stood behind; otherwise the whole description is shown as it is written.',
      'O Wazuh lê 1.024 bytes e preenche os $(campos) deles. Se o resultado é mais curto, é ele que aparece, sem o que vinha depois; se não, a descrição inteira aparece como está escrita.',
    ],
  },
  rule_description_style: {
    severity: 'info',
    title: ['Description that could be clearer', 'Descrição que poderia ser mais clara'],
    message: ['The description of rule {id} could be clearer: {reason}.', 'A descrição da regra {id} poderia ser mais clara: {reason}.'],
    hint: [
      "Write one sentence that begins with a capital letter or the program's name, and keep it under 255 characters.",
      'Escreva uma frase que comece com maiúscula ou com o nome do programa e mantenha-a abaixo de 255 caracteres.',
    ],
    doc: [
      'Descriptions are read in lists, mails and tickets. One style makes them easy to scan.',
      'Descrições são lidas em listas, e-mails e chamados. Um estilo único facilita a leitura rápida.',
    ],
  },
  rule_description_repeated: {
    severity: 'info',
    title: ['Several descriptions', 'Várias descrições'],
    message: ['Rule {id} has {count} descriptions; Wazuh joins them without a separator.', 'A regra {id} tem {count} descrições; o Wazuh as junta sem separador.'],
    hint: ['Merge them into one <description>, or end each piece with a blank.', 'Una-as em um só <description> ou termine cada parte com um espaço.'],
    doc: [
      'Repeated descriptions become one text: "Login" and "failed" give "Loginfailed".',
      'Descrições repetidas viram um único texto: "Login" e "falhou" resultam em "Loginfalhou".',
    ],
  },
  rule_description_unknown_field: {
    severity: 'warning',
    example: {
      wrong: '<description>Login of $(user) failed.</description>',
      right: '<description>Login of $(dstuser) failed.</description>',
    },
    title: ['Unknown field in a description', 'Campo desconhecido na descrição'],
    message: [
      '$({field}) in the description of rule {id} is always empty: no decoder that leads here extracts it.',
      '$({field}) na descrição da regra {id} fica sempre vazio: nenhum decoder que chega aqui o extrai.',
    ],
    hint: [
      "Use a name from the decoder's <order>; for the user write $(dstuser) or $(srcuser).",
      'Use um nome do <order> do decoder; para o usuário, escreva $(dstuser) ou $(srcuser).',
    ],
    doc: [
      'A $(name) without value is replaced by nothing. $(user), $(location) and $(log) never have one unless a decoder makes a field of that name.',
      'Um $(nome) sem valor é substituído por nada. $(user), $(location) e $(log) nunca têm valor, a menos que um decoder crie um campo com esse nome.',
    ],
  },
  rule_element_unknown: {
    severity: 'error',
    effect: 'refuse',
    example: {
      wrong: '<if_sids>5716</if_sids>',
      right: '<if_sid>5716</if_sid>',
    },
    title: ['Unknown rule option', 'Opção de regra desconhecida'],
    message: ['Wazuh knows no rule option <{name}> (rule {id}).', 'O Wazuh não conhece a opção de regra <{name}> (regra {id}).'],
    hint: [
      'Correct the name or remove the element. A condition on a field of your own is written <field name="…">.',
      'Corrija o nome ou remova o elemento. Uma condição sobre um campo próprio se escreve <field name="…">.',
    ],
    doc: [
      'Wazuh refuses every element it does not know. There is no <srcuser>, <dstuser> or <if_matched_level>; some same_* and different_* names must be in lower case.',
      'O Wazuh recusa todo elemento que não conhece. Não existem <srcuser>, <dstuser> nem <if_matched_level>; alguns nomes same_* e different_* precisam estar em minúsculas.',
    ],
  },
  rule_element_deprecated: {
    severity: 'info',
    example: {
      wrong: '<same_source_ip />',
      right: '<same_srcip />',
    },
    title: ['Old spelling of an option', 'Grafia antiga de uma opção'],
    message: ['<{name}> in rule {id} is an old spelling; <{instead}> is the current one.', '<{name}> na regra {id} é uma grafia antiga; a atual é <{instead}>.'],
    hint: ['Write <{instead}>.', 'Escreva <{instead}>.'],
    doc: [
      'The old name works exactly like the current one today; a later version of Wazuh may drop it.',
      'Hoje o nome antigo funciona exatamente como o atual; uma versão futura do Wazuh pode removê-lo.',
    ],
  },
  rule_element_removed: {
    severity: 'warning',
    effect: 'ignore',
    title: ['Option without function', 'Opção sem função'],
    message: ['<{name}> in rule {id} no longer does anything.', '<{name}> na regra {id} não faz mais nada.'],
    hint: [
      'Remove it. Events of different agents are counted apart anyway, unless <global_frequency> says otherwise.',
      'Remova-o. Eventos de agentes diferentes já são contados separadamente, a menos que <global_frequency> diga o contrário.',
    ],
    doc: ['same_agent and not_same_agent once compared agents. Wazuh warns and ignores them.', 'same_agent e not_same_agent antes comparavam agentes. O Wazuh avisa e os ignora.'],
  },
  rule_element_duplicate: {
    severity: 'warning',
    title: ['Option repeated', 'Opção repetida'],
    message: ['Rule {id} repeats <{name}>, which Wazuh does not take as alternatives.', 'A regra {id} repete <{name}>, o que o Wazuh não toma como alternativas.'],
    hint: [
      'Keep one <{name}>. To test alternatives, join them with "|" in one pattern or write two rules.',
      'Mantenha um <{name}>. Para testar alternativas, una-as com "|" em um só padrão ou escreva duas regras.',
    ],
    doc: [
      'For options with a single value, such as decoded_as, category, time or if_matched_sid, the last one counts. Patterns and parents are joined without a separator.',
      'Em opções de valor único, como decoded_as, category, time ou if_matched_sid, vale a última. Padrões e pais são unidos sem separador.',
    ],
  },
  rule_element_order: {
    severity: 'info',
    title: ['Order of options', 'Ordem das opções'],
    message: ["<{name}> of rule {id} is not where the project's order expects it.", '<{name}> da regra {id} não está onde a ordem do projeto espera.'],
    hint: ['Move it to its place: parents first, then conditions, description, groups.', 'Mova-o para o lugar: primeiro os pais, depois as condições, a descrição e os grupos.'],
    doc: [
      'The order of options in a rule makes no difference to Wazuh; one order everywhere helps reviewers.',
      'A ordem das opções em uma regra não faz diferença para o Wazuh; uma ordem única em todo lugar ajuda quem revisa.',
    ],
  },
  rule_text_too_long: {
    severity: 'error',
    effect: 'ignore',
    engineNumbers: [1104],
    title: ['Text over the limit', 'Texto acima do limite'],
    message: [
      'The text of <{tag}> in rule {id} has {length} bytes; Wazuh drops it because it exceeds {limit}.',
      'O texto de <{tag}> na regra {id} tem {length} bytes; o Wazuh o descarta porque passa de {limit}.',
    ],
    hint: [
      'Split the pattern over several rules, or move the words to a CDB list. Repeats of one element count together.',
      'Divida o padrão em várias regras ou mova as palavras para uma lista CDB. Repetições do mesmo elemento contam juntas.',
    ],
    doc: [
      'Wazuh drops the whole text and loads the rule without it. A rule whose only condition is dropped matches every event of its parent.',
      'O Wazuh descarta o texto inteiro e carrega a regra sem ele. Uma regra cuja única condição é descartada casa com todo evento do pai.',
    ],
  },
  rule_repeat_glued: {
    severity: 'warning',
    example: {
      wrong: `<match>error</match>
| <match>failed</match>`,
      right: '<match>error|failed</match>',
    },
    title: ['Repeated texts joined without a separator', 'Textos repetidos unidos sem separador'],
    message: [
      'The texts of the repeated <{tag}> in rule {id} are joined without a separator: "{value}".',
      'Os textos dos <{tag}> repetidos na regra {id} são unidos sem separador: "{value}".',
    ],
    hint: ['Join the texts yourself in one <{tag}>, with "|" between patterns.', 'Una os textos você mesmo em um só <{tag}>, com "|" entre padrões.'],
    doc: [
      'Repeated elements become one text without a separator: error and failed give errorfailed, which matches neither.',
      'Elementos repetidos viram um único texto sem separador: error e failed resultam em errorfailed, que não casa com nenhum dos dois.',
    ],
  },
  rule_negate_lost_on_repeat: {
    severity: 'warning',
    title: ['Attribute lost on a repeat', 'Atributo perdido na repetição'],
    message: ['<{tag}> is repeated in rule {id} with another {name}; only that of the last one counts.', '<{tag}> se repete na regra {id} com outro {name}; só o do último conta.'],
    hint: ['Give every repeat the same {name}, or write one <{tag}>.', 'Use o mesmo {name} em todas as repetições ou escreva um só <{tag}>.'],
    doc: [
      'Repeats of one pattern element share one type and one negate: those of the last. An attribute the last one lacks goes back to its default.',
      'Repetições de um mesmo padrão compartilham um só type e um só negate: os do último. Um atributo que falta no último volta ao padrão.',
    ],
  },
  rule_double_negation: {
    severity: 'warning',
    example: {
      wrong: '<match negate="yes">!error</match>',
      right: '<match negate="yes">error</match>',
    },
    title: ['Double negation', 'Negação dupla'],
    message: ['<{tag}> in rule {id} is negated twice, by "!" and by negate="yes".', '<{tag}> na regra {id} é negado duas vezes, por "!" e por negate="yes".'],
    hint: ['Remove either the "!" or negate="yes".', 'Remova o "!" ou o negate="yes".'],
    doc: [
      'Both invert the result, so together they cancel out and the rule tests that the pattern does match.',
      'Os dois invertem o resultado; juntos se anulam, e a regra testa se o padrão casa.',
    ],
  },
  rule_text_edge_whitespace: {
    severity: 'info',
    example: {
      wrong: `<match>
|   Failed password
| </match>`,
      right: '<match>Failed password</match>',
    },
    title: ['White space at the edge of a text', 'Espaço na borda de um texto'],
    message: [
      'The text of <{tag}> in rule {id} begins or ends with white space, which is part of the value.',
      'O texto de <{tag}> na regra {id} começa ou termina com espaço em branco, que faz parte do valor.',
    ],
    hint: [
      'Remove it if it is not meant; in <match> a blank is sometimes there on purpose.',
      'Remova-o se não for intencional; em <match> um espaço às vezes está ali de propósito.',
    ],
    doc: [
      'Nothing is trimmed: blanks, tabs and newlines around a pattern or name must appear in the event as well.',
      'Nada é aparado: espaços, tabs e quebras de linha em volta de um padrão ou nome também precisam aparecer no evento.',
    ],
  },
  rule_attribute_ignored: {
    severity: 'warning',
    effect: 'ignore',
    example: {
      wrong: '<match Negate="yes">test</match>',
      right: '<match negate="yes">test</match>',
    },
    title: ['Ignored attribute', 'Atributo ignorado'],
    message: ['Wazuh ignores the attribute "{name}" of <{tag}> in rule {id}.', 'O Wazuh ignora o atributo "{name}" de <{tag}> na regra {id}.'],
    hint: ['Correct the name, in lower case, or remove it.', 'Corrija o nome, em minúsculas, ou remova-o.'],
    doc: [
      'Inside a rule, attributes that are not known, or not written in lower case, are skipped in silence: with Negate="yes" the condition is not negated.',
      'Dentro de uma regra, atributos desconhecidos ou não escritos em minúsculas são pulados em silêncio: com Negate="yes" a condição não é negada.',
    ],
  },
  rule_attribute_type_invalid: {
    severity: 'warning',
    effect: 'ignore',
    engineNumbers: [7600],
    example: {
      wrong: '<regex type="pcre">\\bsudo\\b</regex>',
      right: '<regex type="pcre2">\\bsudo\\b</regex>',
    },
    title: ['Unknown expression type', 'Tipo de expressão desconhecido'],
    message: [
      'type="{value}" of <{tag}> in rule {id} is not an expression type; Wazuh uses the default.',
      'type="{value}" de <{tag}> na regra {id} não é um tipo de expressão; o Wazuh usa o padrão.',
    ],
    hint: ['Write osregex, osmatch or pcre2.', 'Escreva osregex, osmatch ou pcre2.'],
    doc: [
      'With an unknown type the pattern is read in the default dialect of its element, where it usually means something else.',
      'Com um tipo desconhecido, o padrão é lido no dialeto padrão do elemento, onde costuma significar outra coisa.',
    ],
  },
  rule_negate_invalid: {
    severity: 'warning',
    effect: 'ignore',
    engineNumbers: [7600],
    example: {
      wrong: '<match negate="true">test</match>',
      right: '<match negate="yes">test</match>',
    },
    title: ['Invalid negate value', 'Valor de negate inválido'],
    message: [
      'negate="{value}" of <{tag}> in rule {id} is neither yes nor no; Wazuh takes it as no.',
      'negate="{value}" de <{tag}> na regra {id} não é yes nem no; o Wazuh o toma como no.',
    ],
    hint: ['Write negate="yes", or remove the attribute.', 'Escreva negate="yes" ou remova o atributo.'],
    doc: [
      'Only yes and no are known. Any other value leaves the condition as it is, not negated.',
      'Só yes e no são conhecidos. Qualquer outro valor deixa a condição como está, sem negação.',
    ],
  },
  rule_action_exact: {
    severity: 'warning',
    example: {
      wrong: '<action>deny|drop</action>',
      right: '<action type="osmatch">deny|drop</action>',
    },
    title: ['action compares exact text', 'action compara texto exato'],
    message: ['<action> of rule {id} compares exact text, but "{value}" looks like a pattern.', '<action> da regra {id} compara texto exato, mas "{value}" parece um padrão.'],
    hint: ['Add type="osmatch", "osregex" or "pcre2" to make it a pattern.', 'Adicione type="osmatch", "osregex" ou "pcre2" para torná-lo um padrão.'],
    doc: [
      '<action> without type is the only text condition that must equal the field letter by letter, with case; "|" and "^" have no meaning there.',
      '<action> sem type é a única condição de texto que precisa ser igual ao campo letra por letra, com maiúsculas e minúsculas; "|" e "^" não têm significado ali.',
    ],
  },
  rule_options_invalid: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [1235],
    example: {
      wrong: '<options>no_log,no_email_alert</options>',
      right: `<options>no_log</options>
| <options>no_email_alert</options>`,
    },
    title: ['Unknown option word', 'Palavra de options desconhecida'],
    message: ['"{value}" is not a word that <options> knows (rule {id}).', '"{value}" não é uma palavra que <options> conheça (regra {id}).'],
    hint: [
      'Use one of alert_by_email, no_email_alert, log_alert, no_log, no_ar, no_full_log, no_counter; one word in each <options>.',
      'Use uma entre alert_by_email, no_email_alert, log_alert, no_log, no_ar, no_full_log, no_counter; uma palavra em cada <options>.',
    ],
    doc: [
      'Words are exact and in lower case. To set two options, write two <options> elements.',
      'As palavras são exatas e em minúsculas. Para definir duas opções, escreva dois elementos <options>.',
    ],
  },
  rule_option_order: {
    severity: 'warning',
    title: ['no_counter cancelled', 'no_counter cancelado'],
    message: ['In rule {id}, {value} cancels the no_counter before it.', 'Na regra {id}, {value} cancela o no_counter que está antes dele.'],
    hint: ['Put no_counter last.', 'Coloque no_counter por último.'],
    doc: [
      'no_email_alert and no_log, where they really switch something off, also clear a no_counter that was read before them.',
      'no_email_alert e no_log, quando de fato desligam algo, também apagam um no_counter lido antes deles.',
    ],
  },
  rule_time_invalid: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [1274],
    example: {
      wrong: '<time>18h to 8h</time>',
      right: '<time>18:00-08:00</time>',
    },
    title: ['Invalid time range', 'Intervalo de horário inválido'],
    message: ['"{value}" is not a time range that Wazuh can read (rule {id}).', '"{value}" não é um intervalo de horário que o Wazuh consiga ler (regra {id}).'],
    hint: ['Write two times joined by a hyphen, such as 6 pm - 8:30 am or 18:00-08:30.', 'Escreva dois horários unidos por hífen, como 6 pm - 8:30 am ou 18:00-08:30.'],
    doc: [
      'Hours go from 0 to 23, or 1 to 12 with am or pm. A "!" in front means outside of the range.',
      'As horas vão de 0 a 23, ou de 1 a 12 com am ou pm. Um "!" na frente significa fora do intervalo.',
    ],
  },
  rule_time_wrapped_negated: {
    severity: 'warning',
    example: {
      wrong: '<time>!18:00-08:00</time>',
      right: '<time>08:00-18:00</time>',
    },
    title: ['Negation lost over midnight', 'Negação perdida na virada da meia-noite'],
    message: [
      'The "!" of the time range "{value}" in rule {id} has no effect, because the range crosses midnight.',
      'O "!" do intervalo "{value}" na regra {id} não tem efeito, porque o intervalo passa da meia-noite.',
    ],
    hint: [
      'Write the complementary range without "!": instead of !18:00-08:00 use 08:00-18:00.',
      'Escreva o intervalo complementar sem "!": em vez de !18:00-08:00, use 08:00-18:00.',
    ],
    doc: [
      'Wazuh handles a range over midnight as "not between" and drops the "!", so !18:00-08:00 means the same as 18:00-08:00.',
      'O Wazuh trata um intervalo que passa da meia-noite como "não entre" e perde o "!"; !18:00-08:00 significa o mesmo que 18:00-08:00.',
    ],
  },
  rule_time_minutes: {
    severity: 'warning',
    title: ['Minutes above 59', 'Minutos acima de 59'],
    message: ['The time "{value}" in rule {id} has more than 59 minutes; Wazuh does not notice.', 'O horário "{value}" na regra {id} tem mais de 59 minutos; o Wazuh não percebe.'],
    hint: ['Correct the minutes.', 'Corrija os minutos.'],
    doc: [
      'Wazuh compares times as text and does not check minutes, so 17:75 is simply later than 17:59.',
      'O Wazuh compara horários como texto e não verifica os minutos; 17:75 é apenas mais tarde que 17:59.',
    ],
  },
  rule_time_incomplete: {
    severity: 'warning',
    example: {
      wrong: '<time>7:00 -</time>',
      right: '<time>7:00 - 23:59</time>',
    },
    title: ['Incomplete time', 'Horário incompleto'],
    message: [
      'The time "{value}" in rule {id} is incomplete; Wazuh loads it and reads it as "{read}".',
      'O horário "{value}" na regra {id} está incompleto; o Wazuh o carrega e o lê como "{read}".',
    ],
    hint: ['Write both times in full, with two digits for the minutes.', 'Escreva os dois horários por inteiro, com dois dígitos para os minutos.'],
    doc: [
      'A time that is missing on one side of the hyphen counts as 00:00, so "7:00 -" begins after 07:00 and ends at midnight. Minutes of one digit before a blank count from the full hour: 06:5 is 06:05.',
      'Um horário ausente de um dos lados do hífen conta como 00:00; "7:00 -" começa depois das 07:00 e termina à meia-noite. Minutos de um dígito antes de um espaço contam a partir da hora cheia: 06:5 é 06:05.',
    ],
  },
  rule_weekday_invalid: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [1241],
    example: {
      wrong: '<weekday>thurs</weekday>',
      right: '<weekday>thursday</weekday>',
    },
    title: ['Invalid weekday', 'Dia da semana inválido'],
    message: ['"{value}" is not a list of weekdays that Wazuh can read (rule {id}).', '"{value}" não é uma lista de dias da semana que o Wazuh consiga ler (regra {id}).'],
    hint: [
      'Use English names such as monday or mon, or weekdays or weekends, separated by commas or blanks.',
      'Use nomes em inglês como monday ou mon, ou weekdays ou weekends, separados por vírgulas ou espaços.',
    ],
    doc: ['"!" is not accepted here: for every day but Sunday, list the six others.', '"!" não é aceito aqui: para todos os dias menos domingo, liste os outros seis.'],
  },
  rule_ip_invalid: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [1237],
    example: {
      wrong: '<srcip>10.0.0.</srcip>',
      right: '<srcip>10.0.0.0/24</srcip>',
    },
    title: ['Invalid IP address', 'Endereço IP inválido'],
    message: ['"{value}" in <{tag}> of rule {id} is not an IP address or network.', '"{value}" em <{tag}> da regra {id} não é um endereço IP nem uma rede.'],
    hint: [
      'Write one IPv4 or IPv6 address, one network with a prefix such as 10.0.0.0/8, or any; repeat <{tag}> for alternatives.',
      'Escreva um endereço IPv4 ou IPv6, uma rede com prefixo como 10.0.0.0/8, ou any; repita <{tag}> para alternativas.',
    ],
    doc: ['No blanks, commas, ranges, host names or prefixes like 10.0.0. are accepted.', 'Espaços, vírgulas, faixas, nomes de host e prefixos como 10.0.0. não são aceitos.'],
  },
  rule_ip_negation_ignored: {
    severity: 'warning',
    example: {
      wrong: '<srcip>!10.0.0.0/8</srcip>',
      right: '<srcip negate="yes">10.0.0.0/8</srcip>',
    },
    title: ['Ignored negation of an address', 'Negação de endereço ignorada'],
    message: [
      'The "!" of "{value}" in <{tag}> of rule {id} is ignored: the address is not negated.',
      'O "!" de "{value}" em <{tag}> da regra {id} é ignorado: o endereço não é negado.',
    ],
    hint: ['Write <{tag} negate="yes"> and remove the "!".', 'Escreva <{tag} negate="yes"> e remova o "!".'],
    doc: [
      'Wazuh accepts a "!" before an address and ignores it, so !10.0.0.0/8 matches exactly the addresses it should exclude.',
      'O Wazuh aceita um "!" antes de um endereço e o ignora; !10.0.0.0/8 casa exatamente com os endereços que deveria excluir.',
    ],
  },
  rule_ip_cross_family: {
    severity: 'warning',
    title: ['IPv6 entry against IPv4 addresses', 'Entrada IPv6 contra endereços IPv4'],
    message: [
      'The IPv6 entry "{value}" in <{tag}> of rule {id} is compared with IPv4 addresses, which has unexpected results.',
      'A entrada IPv6 "{value}" em <{tag}> da regra {id} é comparada com endereços IPv4, o que dá resultados inesperados.',
    ],
    hint: ['Write an IPv4 entry, or keep the rule to events that carry IPv6 addresses.', 'Escreva uma entrada IPv4 ou restrinja a regra a eventos com endereços IPv6.'],
    doc: [
      'Wazuh compares an IPv4 address with parts of the IPv6 entry. ::1 then matches every IPv4 address, and most networks match none.',
      'O Wazuh compara um endereço IPv4 com partes da entrada IPv6. ::1 passa a casar com todo endereço IPv4, e a maioria das redes não casa com nenhum.',
    ],
  },
  rule_ip_all_ipv4: {
    severity: 'warning',
    example: {
      wrong: '<srcip>0.0.0.0/0</srcip>',
      right: '<srcip>any</srcip>',
    },
    title: ['Network of all IPv4 addresses', 'Rede com todos os endereços IPv4'],
    message: [
      'The entry "{value}" in <{tag}> of rule {id} holds every IPv4 address; whether it also holds IPv6 addresses is undefined in Wazuh.',
      'A entrada "{value}" em <{tag}> da regra {id} contém todo endereço IPv4; se também contém endereços IPv6 é indefinido no Wazuh.',
    ],
    hint: [
      'Write "any" for addresses of both families; to leave IPv6 addresses out, test the field with a pattern.',
      'Escreva "any" para endereços das duas famílias; para deixar de fora endereços IPv6, teste o campo com um padrão.',
    ],
    doc: [
      'Wazuh compares an IPv6 address with an IPv4 entry by reading memory that does not hold an IPv4 address. A network of /0 matches any memory, and did so in tests. This engine answers that an IPv6 address is in no IPv4 entry.',
      'O Wazuh compara um endereço IPv6 com uma entrada IPv4 lendo memória que não contém um endereço IPv4. Uma rede /0 casa com qualquer memória, e foi assim nos testes. Este motor responde que um endereço IPv6 não está em nenhuma entrada IPv4.',
    ],
  },
  rule_category_invalid: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [1273],
    example: {
      wrong: '<category>weblog</category>',
      right: '<category>web-log</category>',
    },
    title: ['Unknown category', 'Categoria desconhecida'],
    message: ['"{value}" is not an event category (rule {id}).', '"{value}" não é uma categoria de eventos (regra {id}).'],
    hint: [
      'Use one of firewall, ids, syslog, web-log, squid, windows, ossec, in lower case.',
      'Use uma entre firewall, ids, syslog, web-log, squid, windows, ossec, em minúsculas.',
    ],
    doc: [
      "Wazuh fails on an unknown category without a message in a test session; only the manager's log names it.",
      'O Wazuh falha com uma categoria desconhecida sem mensagem na sessão de teste; só o log do manager a menciona.',
    ],
  },
  rule_category_ignored: {
    severity: 'warning',
    effect: 'ignore',
    title: ['Category beside a parent', 'Categoria junto de um pai'],
    message: ['The <category> of rule {id} is ignored, because the rule has a parent (<{tag}>).', 'O <category> da regra {id} é ignorado, porque a regra tem um pai (<{tag}>).'],
    hint: ['Remove <category>; the rule belongs to the category of its parent.', 'Remova <category>; a regra pertence à categoria do pai.'],
    doc: [
      '<category> only chooses the template under which a rule without parent is placed. It is never tested as a condition.',
      '<category> só escolhe o modelo sob o qual fica uma regra sem pai. Ele nunca é testado como condição.',
    ],
  },
  rule_decoded_as_unknown: {
    severity: 'error',
    effect: 'refuse',
    example: {
      wrong: '<decoded_as>SSHD</decoded_as>',
      right: '<decoded_as>sshd</decoded_as>',
    },
    title: ['Unknown decoder', 'Decoder desconhecido'],
    message: ['Rule {id} is for events of the decoder "{value}", which is not loaded.', 'A regra {id} é para eventos do decoder "{value}", que não está carregado.'],
    hint: [
      'Write the name of a root decoder exactly as in its <decoder name="…">, or add the decoder.',
      'Escreva o nome de um decoder raiz exatamente como no seu <decoder name="…"> ou adicione o decoder.',
    ],
    doc: [
      'The name is compared with its case and without trimming. Wazuh stops when no decoder of that name is loaded.',
      'O nome é comparado com maiúsculas e minúsculas e sem aparar espaços. O Wazuh para quando nenhum decoder com esse nome está carregado.',
    ],
  },
  rule_decoded_as_child_decoder: {
    severity: 'warning',
    title: ['Child decoder in decoded_as', 'Decoder filho em decoded_as'],
    message: [
      'Rule {id} can never match: "{value}" is a child decoder, and its events carry the name of its parent.',
      'A regra {id} nunca casa: "{value}" é um decoder filho, e os eventos dele levam o nome do pai.',
    ],
    hint: [
      'Write the name of the parent decoder, or give the child <use_own_name>true</use_own_name> and a <prematch>.',
      'Escreva o nome do decoder pai, ou dê ao filho <use_own_name>true</use_own_name> e um <prematch>.',
    ],
    doc: [
      'An event is known by the name of its root decoder unless the child that matched uses its own name.',
      'Um evento é conhecido pelo nome do seu decoder raiz, a menos que o filho que casou use o próprio nome.',
    ],
  },
  rule_field_name_missing: {
    severity: 'error',
    effect: 'refuse',
    example: {
      wrong: '<field>^admin$</field>',
      right: '<field name="user.name">^admin$</field>',
    },
    title: ['Field without name', 'field sem nome'],
    message: ['A <field> of rule {id} has no attribute name.', 'Um <field> da regra {id} não tem o atributo name.'],
    hint: [
      'Write <field name="…"> with the name from the decoder\'s <order> or the path of the JSON key.',
      'Escreva <field name="…"> com o nome do <order> do decoder ou o caminho da chave JSON.',
    ],
    doc: [
      '<field> tests one dynamic field and needs to know which. Without any attribute Wazuh fails without a message.',
      '<field> testa um campo dinâmico e precisa saber qual. Sem nenhum atributo, o Wazuh falha sem mensagem.',
    ],
  },
  rule_too_many_fields: {
    severity: 'error',
    effect: 'refuse',
    title: ['Too many fields', 'Campos demais'],
    message: ['Rule {id} has more than {limit} <field> elements.', 'A regra {id} tem mais de {limit} elementos <field>.'],
    hint: ['Join conditions on one field into one pattern, or split the rule.', 'Una condições sobre o mesmo campo em um só padrão ou divida a regra.'],
    doc: [
      'A rule may have as many <field> elements as an event may have dynamic fields.',
      'Uma regra pode ter tantos elementos <field> quantos campos dinâmicos um evento pode ter.',
    ],
  },
  rule_static_field_as_dynamic: {
    severity: 'error',
    effect: 'refuse',
    example: {
      wrong: '<field name="srcip">10.0.0.1</field>',
      right: '<srcip>10.0.0.1</srcip>',
    },
    title: ['Static field in field', 'Campo estático em field'],
    message: ['Rule {id} tests the static field "{name}" with <field>; Wazuh refuses that.', 'A regra {id} testa o campo estático "{name}" com <field>; o Wazuh recusa isso.'],
    hint: ['Write <{tag}>…</{tag}> instead.', 'Escreva <{tag}>…</{tag}> no lugar.'],
    doc: [
      'srcip, dstip, user, id, url, action and the other static names have their own elements, also in other letter case. <field> is for every other name.',
      'srcip, dstip, user, id, url, action e os demais nomes estáticos têm elementos próprios, em maiúsculas ou minúsculas. <field> é para todos os outros nomes.',
    ],
  },
  rule_list_field_missing: {
    severity: 'error',
    effect: 'refuse',
    example: {
      wrong: '<list>etc/lists/bad-ips</list>',
      right: '<list field="srcip" lookup="address_match_key">etc/lists/bad-ips</list>',
    },
    title: ['List without field', 'list sem field'],
    message: ['A <list> of rule {id} has no attribute field.', 'Um <list> da regra {id} não tem o atributo field.'],
    hint: ['Add field="…" with the name of the field to look up.', 'Adicione field="…" com o nome do campo a consultar.'],
    doc: ['A CDB lookup needs the field whose value is the key.', 'Uma consulta CDB precisa do campo cujo valor é a chave.'],
  },
  rule_list_attribute_unknown: {
    severity: 'error',
    effect: 'refuse',
    title: ['Unknown attribute of list', 'Atributo de list desconhecido'],
    message: ['<list> has no attribute called "{name}" (rule {id}).', '<list> não tem nenhum atributo chamado "{name}" (regra {id}).'],
    hint: ['Use field, lookup and check_value, in lower case.', 'Use field, lookup e check_value, em minúsculas.'],
    doc: [
      'Unlike other elements of a rule, <list> accepts no attribute it does not know.',
      'Diferente de outros elementos de uma regra, <list> não aceita nenhum atributo que não conheça.',
    ],
  },
  rule_list_lookup_invalid: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [1274],
    title: ['Unknown lookup mode', 'Modo de consulta desconhecido'],
    message: ['"{value}" is not a lookup mode of <list> (rule {id}).', '"{value}" não é um modo de consulta de <list> (regra {id}).'],
    hint: [
      'Use match_key, not_match_key, match_key_value, address_match_key, not_address_match_key or address_match_key_value.',
      'Use match_key, not_match_key, match_key_value, address_match_key, not_address_match_key ou address_match_key_value.',
    ],
    doc: [
      "Without lookup, match_key is used: the rule matches when the field's value is a key of the list.",
      'Sem lookup, vale match_key: a regra casa quando o valor do campo é uma chave da lista.',
    ],
  },
  rule_list_check_value_invalid: {
    severity: 'error',
    effect: 'refuse',
    engineNumbers: [1450],
    title: ['Invalid check_value', 'check_value inválido'],
    message: ['The check_value of a <list> in rule {id} does not compile: {reason}.', 'O check_value de um <list> na regra {id} não compila: {reason}.'],
    hint: ['Write an osmatch pattern.', 'Escreva um padrão osmatch.'],
    doc: [
      'check_value is compared with the value found in the list and is always an osmatch pattern, also where other patterns of the rule have another type.',
      'check_value é comparado com o valor encontrado na lista e é sempre um padrão osmatch, quaisquer que sejam os tipos usados no resto da regra.',
    ],
  },
  rule_list_not_loaded: {
    severity: 'error',
    effect: 'drop',
    engineNumbers: [7616],
    example: {
      wrong: '<list field="srcip">bad-ips</list>',
      right: '<list field="srcip">etc/lists/bad-ips</list>',
    },
    title: ['List not loaded', 'Lista não carregada'],
    message: ['Rule {id} looks up the list "{value}", which is not loaded.', 'A regra {id} consulta a lista "{value}", que não está carregada.'],
    hint: [
      'Register the list with <list> in ossec.conf and write the path here exactly like there, or add the list to this ruleset.',
      'Registre a lista com <list> no ossec.conf e escreva aqui o caminho exatamente como lá, ou adicione a lista a este conjunto.',
    ],
    doc: [
      'The text of <list> must equal the registered path to the letter: a blank or a missing etc/lists/ is enough to lose the rule.',
      'O texto de <list> precisa ser idêntico ao caminho registrado: um espaço ou um etc/lists/ faltando bastam para perder a regra.',
    ],
  },
  rule_list_more_than_two: {
    severity: 'warning',
    title: ['More than two lists', 'Mais de duas listas'],
    message: ['Rule {id} has {count} <list> elements; Wazuh evaluates only the last two.', 'A regra {id} tem {count} elementos <list>; o Wazuh avalia apenas os dois últimos.'],
    hint: ['Split the rule: test two lists here and the others in a parent rule.', 'Divida a regra: teste duas listas aqui e as demais em uma regra pai.'],
    doc: [
      'Every <list> of a rule should pass, but with three or more Wazuh evaluates only the last two.',
      'Todos os <list> de uma regra deveriam passar, mas com três ou mais o Wazuh avalia apenas os dois últimos.',
    ],
  },
  rule_list_inverted_lookup: {
    severity: 'warning',
    title: ['Inverted lookup', 'Consulta invertida'],
    message: [
      'address_match_key_value in rule {id} works the other way round: it matches when the value does not.',
      'address_match_key_value na regra {id} funciona ao contrário: casa quando o valor não corresponde.',
    ],
    hint: [
      'Use match_key_value, or two rules with address_match_key; do not rely on the inverted result.',
      'Use match_key_value, ou duas regras com address_match_key; não conte com o resultado invertido.',
    ],
    doc: [
      'address_match_key_value passes when nothing is found or the value does not match check_value, and fails when it does. This is a defect of Wazuh that a later version may correct.',
      'address_match_key_value passa quando nada é encontrado ou quando o valor não casa com check_value, e falha quando casa. É um defeito do Wazuh que uma versão futura pode corrigir.',
    ],
  },
  rule_list_value_without_check: {
    severity: 'warning',
    example: {
      wrong: '<list field="user" lookup="match_key_value">etc/lists/users</list>',
      right: '<list field="user" lookup="match_key_value" check_value="^admin">etc/lists/users</list>',
    },
    title: ['Lookup and check_value do not fit', 'lookup e check_value não combinam'],
    message: [
      'lookup="{lookup}" and check_value do not go together in a <list> of rule {id}: {reason}.',
      'lookup="{lookup}" e check_value não combinam em um <list> da regra {id}: {reason}.',
    ],
    hint: ['Use check_value with match_key_value, and only with it.', 'Use check_value com match_key_value, e só com ele.'],
    doc: [
      'match_key_value without check_value never passes, and check_value with another lookup is ignored.',
      'match_key_value sem check_value nunca passa, e check_value com outro lookup é ignorado.',
    ],
  },
  rule_list_field_unresolvable: {
    severity: 'warning',
    example: {
      wrong: '<list field="dstuser">etc/lists/users</list>',
      right: '<list field="user">etc/lists/users</list>',
    },
    title: ['List field without value', 'Campo de lista sem valor'],
    message: ['The list field "{value}" of rule {id} never has a value.', 'O campo de lista "{value}" da regra {id} nunca tem valor.'],
    hint: [
      'Name a field that a decoder extracts; write user for srcuser or dstuser. location and the GeoIP names cannot be looked up.',
      'Indique um campo que um decoder extrai; escreva user para srcuser ou dstuser. location e os nomes de GeoIP não podem ser consultados.',
    ],
    doc: [
      'srcuser, dstuser, location, srcgeoip and dstgeoip are read as dynamic fields here, and no event has dynamic fields of those names. A lookup without value fails in every mode.',
      'srcuser, dstuser, location, srcgeoip e dstgeoip são lidos aqui como campos dinâmicos, e nenhum evento tem campos dinâmicos com esses nomes. Uma consulta sem valor falha em todos os modos.',
    ],
  },
  rule_list_user_order: {
    severity: 'info',
    title: ['user means srcuser first', 'user significa srcuser primeiro'],
    message: [
      'The list field "user" of rule {id} takes srcuser before dstuser, unlike <user>.',
      'O campo de lista "user" da regra {id} toma srcuser antes de dstuser, ao contrário de <user>.',
    ],
    hint: [
      'Check which user your events carry; where both are set, the lookup uses srcuser.',
      'Verifique qual usuário seus eventos trazem; quando os dois existem, a consulta usa srcuser.',
    ],
    doc: [
      'The list field user takes srcuser and only then dstuser, while the element <user> does it the other way round.',
      'O campo de lista user toma srcuser e só depois dstuser, enquanto o elemento <user> faz o contrário.',
    ],
  },
  rule_compiled_rule_unknown: {
    severity: 'error',
    effect: 'refuse',
    title: ['Unknown compiled function', 'Função compilada desconhecida'],
    message: ['"{value}" is not a compiled function of Wazuh (rule {id}).', '"{value}" não é uma função compilada do Wazuh (regra {id}).'],
    hint: [
      'Use check_id_size, comp_srcuser_dstuser, comp_mswin_targetuser_calleruser_diff, is_simple_http_request or is_valid_crawler.',
      'Use check_id_size, comp_srcuser_dstuser, comp_mswin_targetuser_calleruser_diff, is_simple_http_request ou is_valid_crawler.',
    ],
    doc: ['These five functions are built into Wazuh; you cannot add your own.', 'Essas cinco funções fazem parte do Wazuh; não é possível adicionar outras.'],
  },
  rule_info_type_invalid: {
    severity: 'error',
    effect: 'ignore',
    example: {
      wrong: '<info type="url">https://example.com/</info>',
      right: '<info type="link">https://example.com/</info>',
    },
    title: ['Unknown type of info', 'Tipo de info desconhecido'],
    message: ['"{value}" is not a type of <info> (rule {id}).', '"{value}" não é um tipo de <info> (regra {id}).'],
    hint: ['Use text, link, cve or osvdb, or leave type out.', 'Use text, link, cve ou osvdb, ou omita type.'],
    doc: ['The text is kept in the alert, but the message counts as an error.', 'O texto é mantido no alerta, mas a mensagem conta como erro.'],
  },
  rule_info_attribute_invalid: {
    severity: 'error',
    effect: 'ignore',
    title: ['Unknown attribute of info', 'Atributo de info desconhecido'],
    message: ['<info> has no attribute called "{name}" (rule {id}).', '<info> não tem nenhum atributo chamado "{name}" (regra {id}).'],
    hint: ['Remove it; <info> knows only type.', 'Remova-o; <info> só conhece type.'],
    doc: ['The text is kept in the alert, but the message counts as an error.', 'O texto é mantido no alerta, mas a mensagem conta como erro.'],
  },
  rule_ignore_too_many_fields: {
    severity: 'warning',
    title: ['Many fields in an ignore list', 'Muitos campos em uma lista ignore'],
    message: ['<{tag}> of rule {id} lists {count} fields, which is more than useful.', '<{tag}> da regra {id} lista {count} campos, mais do que é útil.'],
    hint: ['Keep to the one or two fields that make events alike.', 'Fique com o campo, ou os dois campos, que tornam os eventos iguais.'],
    doc: [
      'Wazuh 4.14.7 sets no limit here. The code is kept for compatibility with other checkers.',
      'O Wazuh 4.14.7 não impõe limite aqui. O código existe por compatibilidade com outros verificadores.',
    ],
  },
  rule_ignore_option_invalid: {
    severity: 'error',
    effect: 'refuse',
    example: {
      wrong: '<ignore>user, srcip,</ignore>',
      right: '<ignore>user, srcip</ignore>',
    },
    title: ['Empty word in an ignore list', 'Palavra vazia em uma lista ignore'],
    message: ['The list "{value}" in <{tag}> of rule {id} contains an empty word.', 'A lista "{value}" em <{tag}> da regra {id} contém uma palavra vazia.'],
    hint: ['Remove the extra comma; separate field names by single commas.', 'Remova a vírgula sobrando; separe os nomes de campos com uma só vírgula.'],
    doc: [
      '<ignore> and <check_if_ignored> hold comma-separated field names, and an empty one between two commas or at the end is refused.',
      '<ignore> e <check_if_ignored> contêm nomes de campos separados por vírgula, e um nome vazio entre duas vírgulas ou no final é recusado.',
    ],
  },
  rule_ignore_ineffective: {
    severity: 'warning',
    title: ['Ignore list without effect', 'Lista ignore sem efeito'],
    message: ['<{tag}> of rule {id} has no effect in Wazuh 4.14.7.', '<{tag}> da regra {id} não tem efeito no Wazuh 4.14.7.'],
    hint: ['To silence repeats, use the attribute ignore="seconds" of <rule>.', 'Para silenciar repetições, use o atributo ignore="segundos" de <rule>.'],
    doc: [
      '<ignore> and <check_if_ignored> are checked while loading but never silence anything: their keys are compared in a way that cannot succeed.',
      '<ignore> e <check_if_ignored> são verificados na carga, mas nunca silenciam nada: suas chaves são comparadas de um modo que não pode dar certo.',
    ],
  },
  rule_if_fts_without_fts: {
    severity: 'warning',
    title: ['if_fts without fts', 'if_fts sem fts'],
    message: [
      'Rule {id} can never match: it has <if_fts>, but no decoder that leads here defines <fts>.',
      'A regra {id} nunca casa: ela tem <if_fts>, mas nenhum decoder que chega aqui define <fts>.',
    ],
    hint: ['Add <fts> with the fields to remember to the decoder, or remove <if_fts>.', 'Adicione ao decoder um <fts> com os campos a lembrar ou remova <if_fts>.'],
    doc: [
      '"First time seen" needs a decoder that says which fields make an event new. Without it the condition always fails.',
      '"Visto pela primeira vez" precisa de um decoder que diga quais campos tornam um evento novo. Sem isso, a condição sempre falha.',
    ],
  },
  rule_check_diff_disables_search: {
    severity: 'warning',
    title: ['check_diff disables counting', 'check_diff desativa a contagem'],
    message: ['<check_diff> switches off the counting of rule {id}: its <{tag}> has no effect.', '<check_diff> desliga a contagem da regra {id}: o <{tag}> dela não tem efeito.'],
    hint: [
      'Split it: check_diff in one rule, counting in another that has the first as <if_matched_sid>.',
      'Divida: check_diff em uma regra e a contagem em outra que tenha a primeira como <if_matched_sid>.',
    ],
    doc: [
      'A rule with <check_diff> compares a log with the previous one of the same host. It counts nothing, so <if_matched_*> and frequency have no effect.',
      'Uma regra com <check_diff> compara um log com o anterior do mesmo host. Ela não conta nada; <if_matched_*> e frequency não têm efeito.',
    ],
  },
  rule_group_merged: {
    severity: 'warning',
    example: {
      wrong: '<group name="local"> … <group>sshd,</group>',
      right: '<group name="local,"> … <group>sshd,</group>',
    },
    title: ['Groups joined without a comma', 'Grupos unidos sem vírgula'],
    message: ['The groups of rule {id} are joined into "{value}", because a comma is missing.', 'Os grupos da regra {id} são unidos em "{value}", porque falta uma vírgula.'],
    hint: ['End the name of the surrounding <group>, and each <group> of the rule, with a comma.', 'Termine com vírgula o nome do <group> externo e cada <group> da regra.'],
    doc: [
      'The groups of a rule are appended to those of its surrounding <group> without separator, so local and sshd become localsshd and belong to neither group.',
      'Os grupos de uma regra são acrescentados aos do <group> externo sem separador; local e sshd viram localsshd e não pertencem a nenhum dos dois.',
    ],
  },
  rule_group_blank: {
    severity: 'info',
    example: {
      wrong: '<group>sshd, pci_dss_10.2.4,</group>',
      right: '<group>sshd,pci_dss_10.2.4,</group>',
    },
    title: ['Blank in a group name', 'Espaço em nome de grupo'],
    message: [
      'The group "{value}" of rule {id} begins or ends with a blank, which becomes part of its name.',
      'O grupo "{value}" da regra {id} começa ou termina com um espaço, que passa a fazer parte do nome.',
    ],
    hint: ['Remove the blanks around the commas.', 'Remova os espaços em volta das vírgulas.'],
    doc: [
      'Blanks stay in the name. A compliance tag such as " pci_dss_10.2.4" with a blank in front is not recognised and ends up among the groups.',
      'Os espaços ficam no nome. Uma tag de conformidade como " pci_dss_10.2.4", com um espaço na frente, não é reconhecida e vai parar entre os grupos.',
    ],
  },
  rule_group_missing: {
    severity: 'info',
    title: ['Rule without group', 'Regra sem grupo'],
    message: ['Rule {id} belongs to no group.', 'A regra {id} não pertence a nenhum grupo.'],
    hint: ['Name a group in the surrounding <group name="…"> or in the rule.', 'Informe um grupo no <group name="…"> externo ou na regra.'],
    doc: ['Dashboards, active response and <if_group> find rules by their groups.', 'Painéis, active response e <if_group> encontram regras pelos grupos.'],
  },
  rule_compliance_tag_invalid: {
    severity: 'info',
    title: ['Unknown compliance tag', 'Tag de conformidade desconhecida'],
    message: [
      'The group "{value}" of rule {id} looks like a compliance tag of {standard}, but is not in its list.',
      'O grupo "{value}" da regra {id} parece uma tag de conformidade de {standard}, mas não está na lista.',
    ],
    hint: [
      'Check the number in the {standard} document and write it like the shipped rules do, for instance pci_dss_10.2.4.',
      'Confira o número no documento {standard} e escreva como as regras padrão, por exemplo pci_dss_10.2.4.',
    ],
    doc: [
      'Tags with a known prefix go to the compliance dashboards unchanged, so a typing error creates a new category there.',
      'Tags com prefixo conhecido vão para os painéis de conformidade sem alteração; um erro de digitação cria ali uma categoria nova.',
    ],
  },
} as const satisfies Record<string, DiagnosticDeclaration>
