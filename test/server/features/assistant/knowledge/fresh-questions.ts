/**
 * 80 questions that were written on 2026-11-23 by someone who had read neither the search nor the other questions, only the names of the records, and that were
 * committed before the first search. The search may be tuned on every second one of each table, from the first on; the others only
 * measure it. The records of a question are not changed after a search.
 */
import type { Question } from './questions.js'

export const FRESH_ENGLISH: readonly Question[] = [
  {
    ask: "WARNING: (7617): Signature ID '100150' was not found and will be ignored in the 'if_sid' option of rule '100151'",
    needs: ['diagnostic:rule_parent_missing | diagnostic:rule_parent_partly_missing | diagnostic:rule_parent_loaded_later'],
  },
  {
    ask: 'my rule with frequency="8" timeframe="120" never triggers even though I sent ten failed logins',
    needs: ['behaviour:rules.frequency | rule_option:attribute.frequency | diagnostic:rule_frequency_without_matched | behaviour:rules.correlation-tags'],
  },
  { ask: 'two rules ended up with the same id, which one wins?', needs: ['diagnostic:rule_duplicate_id'] },
  { ask: 'is 87000 ok as the id of my own rule or does it collide with yours', needs: ['diagnostic:rule_id_reserved_range'] },
  {
    ask: '<rule id="100200"><if_sid>5716</if_sid><description>x</description></rule> why is this thrown away?',
    needs: ['diagnostic:rule_level_missing | rule_option:attribute.level'],
  },
  {
    ask: 'I redefined 5710 with overwrite="yes" but it still hangs below the old parent',
    needs: ['behaviour:rules.overwriting-rules | diagnostic:rule_overwrite_ignored_option | rule_option:attribute.overwrite'],
  },
  { ask: 'can srcip hold several networks separated by commas or just one CIDR', needs: ['rule_option:srcip | behaviour:rules.addresses | diagnostic:rule_ip_invalid'] },
  { ask: 'alert on logins outside office hours and on weekends', needs: ['template:login-outside-business-hours | rule_option:time | rule_option:weekday'] },
  { ask: 'time range that crosses midnight, 10 pm until 6 am', needs: ['rule_option:time | behaviour:rules.time-and-weekday | diagnostic:rule_time_wrapped_negated'] },
  {
    ask: 'how do I mute one noisy message without losing the other alerts',
    needs: ['template:silence-known-message | template:suricata-known-noise | rule_option:attribute.noalert | rule_option:attribute.level'],
  },
  { ask: 'check an address against a blocklist file', needs: ['rule_option:list | behaviour:lists.cdb-lists | behaviour:lists.list-look-ups'] },
  { ask: 'cdb list entreis like 10.0.0.0/8 dont match anything', needs: ['diagnostic:list_cidr_key | behaviour:lists.list-look-ups'] },
  { ask: "List 'etc/lists/bad-ips' could not be loaded. Rule '100300' will be ignored.", needs: ['diagnostic:rule_list_not_loaded | diagnostic:list_file_missing'] },
  {
    ask: 'the second child decoder is never reached, the first one always takes the event',
    needs: ['diagnostic:decoder_child_behind_catch_all | diagnostic:decoder_unreachable | diagnostic:decoder_shadowed'],
  },
  {
    ask: "ERROR: (2101): Parent decoder name invalid: 'acme-fw'",
    needs: ['diagnostic:decoder_missing_parent | diagnostic:decoder_parent_loaded_later | diagnostic:decoder_parent_is_child | diagnostic:decoder_parent_self'],
  },
  {
    ask: '<regex>user=(\\w+) ip=(\\S+)</regex>\n<order>srcuser</order>\nwhat happens with the second group?',
    needs: ['diagnostic:decoder_group_count_mismatch | decoder_option:order'],
  },
  { ask: 'difference between after_parent and after_prematch', needs: ['decoder_option:tag_attribute.offset | behaviour:decoders.offsets'] },
  { ask: 'which characters does \\p match', needs: ['regex:construct.\\p | behaviour:expressions.osregex-classes'] },
  { ask: 'can I use a negative lookahead in a pattern', needs: ['regex:construct.(?...) | behaviour:expressions.pcre2'] },
  { ask: 'does a plain dot mean any character in OS_Regex?', needs: ['regex:construct.. | regex:construct.\\. | diagnostic:regex_unescaped_dot'] },
  { ask: 'my pattern takes ages, catastrophic backtracking?', needs: ['diagnostic:regex_backtracking | diagnostic:regex_slow'] },
  { ask: 'how are nested json arrays turned into fields', needs: ['behaviour:decoders.json-arrays | decoder_option:json_array_structure'] },
  {
    ask: "host name stays empty for RFC5424 syslog messages, predecoder doesn't recognise the header",
    needs: ['behaviour:predecoding.header-forms | behaviour:predecoding.host-and-program'],
  },
  { ask: 'parse CEF:0|Vendor|Product|1.0|100|name|5|src=10.0.0.1', needs: ['template:decoder-cef'] },
  { ask: 'which built-in rules cover vsftpd and proftpd?', needs: ['reference:rules.0105-ftp'] },
  {
    ask: 'detect encoded powershell commands',
    needs: ['reference:rules.0420-windows-powershell | reference:rules.0435-sysmon-process'],
  },
  { ask: 'somebody deleted everything in an S3 bucket', needs: ['template:aws-bucket-emptied'] },
  { ask: 'kubectl exec into a production pod', needs: ['template:kubernetes-shell-in-production'] },
  { ask: 'run my test cases in CI from the terminal and get a junit file', needs: ['command:test | command:document.introduction'] },
  { ask: 'how do I save a copy of all data before an upgrade', needs: ['command:backup | interface:document.service.the-store'] },
  { ask: 'environment variable for the number of threads', needs: ['command:setting.NATIVE_SERVICE_WORKERS'] },
  {
    ask: 'I get 429 when our pipeline posts logs, how can I raise the limit',
    needs: [
      'interface:error.rate_limited | command:setting.NATIVE_SERVICE_API_RATE_LIMIT_PER_MINUTE | command:setting.NATIVE_SERVICE_API_RATE_LIMIT_PER_HOUR | command:setting.NATIVE_SERVICE_API_RATE_LIMIT_ENABLED | interface:document.contract.limits',
    ],
  },
  {
    ask: 'create an api key that stops working after 30 days',
    needs: [
      'interface:route.api-keys.create | interface:document.contract.api-keys | interface:document.service.passwords-addresses-and-keys | interface:document.service.first-calls',
    ],
  },
  { ask: 'PATCH project answers 412, what is wrong', needs: ['interface:error.precondition_failed | interface:document.contract.headers'] },
  { ask: 'pci_dss_10.2.4 in the group, is that spelling right?', needs: ['diagnostic:rule_compliance_tag_invalid | rule_option:group'] },
  {
    ask: '<mitre><id>T1059,001</id></mitre> is reported, how must a sub-technique look?',
    needs: ['diagnostic:mitre_id_invalid | rule_option:mitre | diagnostic:mitre_mixed_format | behaviour:rules.mitre'],
  },
  {
    ask: 'alert text shows $(srcuser) instead of the name of the user',
    needs: ['diagnostic:rule_description_unknown_field | behaviour:rules.description-text | rule_option:description'],
  },
  { ask: 'only alert the first time a user logs in on a host', needs: ['rule_option:if_fts | decoder_option:fts | behaviour:decoders.first-time-seen'] },
  { ask: "don't fire again for an hour after the alert", needs: ['template:alert-once-an-hour | rule_option:attribute.ignore | behaviour:rules.ignore'] },
  { ask: 'set up login with Okta', needs: ['interface:document.identity.okta'] },
]

export const FRESH_PORTUGUESE: readonly Question[] = [
  { ask: 'ERROR: (1450): Syntax error on regex: o que eu faço com isso?', needs: ['diagnostic:regex_invalid'] },
  {
    ask: 'regra de correlação não conta os eventos que caem numa regra de level 0',
    needs: ['diagnostic:rule_matched_level_zero | behaviour:rules.histories | behaviour:rules.event-memory'],
  },
  {
    ask: 'como alertar quando o mesmo ip erra a senha várias vezes',
    needs: [
      'rule_option:same_srcip | rule_option:same_source_ip | rule_option:if_matched_sid | rule_option:attribute.frequency | behaviour:rules.correlation-tags | behaviour:rules.frequency',
    ],
  },
  { ask: 'arquivo salvo no bloco de notas do windows com BOM dá problema?', needs: ['diagnostic:xml_bom'] },
  { ask: 'esqueci de fechar a tag </group>', needs: ['diagnostic:xml_unclosed_element'] },
  { ask: 'posso usar & dentro da regra ou tem que ser &amp;', needs: ['diagnostic:xml_entity_literal | behaviour:files.xml-dialect'] },
  { ask: '<![CDATA[ ... ]]> funciona nos arquivos de regras?', needs: ['diagnostic:xml_cdata | behaviour:files.xml-dialect'] },
  { ask: 'como reaproveitar a mesma lista de usuários em várias regras com uma variável', needs: ['rule_option:element.var | behaviour:files.xml-variables'] },
  { ask: '<decoder name="acme"><parent>acme</parent></decoder> pode o decoder ser pai dele mesmo', needs: ['diagnostic:decoder_parent_self'] },
  { ask: 'decoder sem prematch e sem program_name', needs: ['diagnostic:decoder_no_prematch'] },
  {
    ask: 'em que ordem os decodificadores são experimentados',
    needs: ['behaviour:decoders.choice-of-decoders | behaviour:decoders.decoder-linking | behaviour:files.load-order | behaviour:decoders.decoder-checks'],
  },
  { ask: 'juntar campos que vêm em várias linhas de log do mesmo evento', needs: ['decoder_option:accumulate | behaviour:decoders.accumulate'] },
  { ask: 'decodificar log com campos separados por ponto e vírgula', needs: ['template:decoder-separated-fields'] },
  { ask: 'o log é json mas vem um cabeçalho antes', needs: ['template:decoder-json-after-header'] },
  { ask: 'diferença entre osmatch, osregex e pcre2', needs: ['regex:dialects | behaviour:expressions.expression-types'] },
  { ask: '\\d{4} funciona sem type="pcre2"?', needs: ['regex:construct.{n}'] },
  {
    ask: 'a expressão diferencia maiúsculas de minúsculas?',
    needs: ['regex:construct.A-Z | diagnostic:regex_case_redundant | behaviour:expressions.osregex-matching | behaviour:expressions.osmatch | behaviour:expressions.pcre2'],
  },
  { ask: 'quero tudo que NÃO seja do usuário root', needs: ['rule_option:tag_attribute.negate'] },
  { ask: 'usei negate="yes" em duas tags match e a negação sumiu', needs: ['diagnostic:rule_negate_lost_on_repeat | diagnostic:rule_repeat_glued'] },
  {
    ask: 'quais regras tratam o evento 4625 do windows',
    needs: ['reference:rules.0410-windows-security | reference:rules.0400-windows-base'],
  },
  { ask: 'tem modelo pronto pra detectar webshell?', needs: ['template:webshell-written-by-web-server'] },
  { ask: 'monitorar uso de pendrive', needs: ['template:usb-storage-not-approved'] },
  { ask: 'acesso remoto rdp de uma estação pra outra', needs: ['template:rdp-between-workstations'] },
  { ask: 'mineração de bitcoin no servidor', needs: ['template:cryptominer-started'] },
  { ask: 'quais regras existem pra postgres e mysql', needs: ['reference:rules.0140-databases'] },
  { ask: 'alguém entrou no console da aws de um ip que não é nosso', needs: ['template:aws-console-login-outside-company'] },
  { ask: 'como testar uma linha de log sem subir o servidor', needs: ['command:logtest | command:document.introduction'] },
  { ask: 'conferir meus xml antes do deploy', needs: ['command:validate | interface:route.analysis.validate | command:document.introduction'] },
  { ask: 'onde ficam gravados os dados e como mudo essa pasta', needs: ['command:setting.NATIVE_SERVICE_DATA_DIR'] },
  { ask: 'configurar o servidor de e-mail', needs: ['command:setting.NATIVE_SERVICE_SMTP_URL'] },
  { ask: 'conectar num mongo com replica set', needs: ['command:setting.NATIVE_SERVICE_MONGODB_URL | interface:document.service.the-store'] },
  { ask: 'não consigo aprovar minha própria revisão', needs: ['interface:error.own_review'] },
  {
    ask: 'puxar as regras de um repositório do gitlab',
    needs: ['interface:document.git.a-first-import | interface:document.git.introduction | interface:route.git-bindings.create'],
  },
  {
    ask: 'esqueci minha senha',
    needs: ['interface:route.auth.request-password-reset | interface:route.auth.confirm-password-reset'],
  },
  {
    ask: 'perdi o celular com o aplicativo do segundo fator',
    needs: [
      'interface:document.identity.second-factor | interface:document.contract.second-factor | interface:document.service.passwords-addresses-and-keys | interface:route.second-factor.rotate-recovery-codes | interface:route.platform-admin.delete-second-factor',
    ],
  },
  {
    ask: 'quero ser chamado por webhook quando uma versão for publicada',
    needs: ['interface:document.service.webhooks | interface:document.contract.webhooks | interface:route.webhooks.create'],
  },
  {
    ask: 'mandar aviso no slack quando os testes falham',
    needs: ['interface:document.integrations.messages-to-chats | interface:document.integrations.messages-to-chats.a-message'],
  },
  { ask: 'quantas técnicas do mitre cabem numa regra', needs: ['diagnostic:mitre_too_many | rule_option:mitre | behaviour:rules.mitre'] },
  {
    ask: 'minha descrição aparece cortada no alerta',
    needs: ['diagnostic:rule_description_truncated | diagnostic:rule_description_too_long | behaviour:rules.description-text'],
  },
  { ask: "Group 'acme' was not found. Invalid 'if_group'. Rule 100400 será ignorada", needs: ['diagnostic:rule_if_group_missing'] },
]
