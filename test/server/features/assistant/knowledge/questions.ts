/**
 * Questions as users ask them, with the records that answer them. They were written before the records were read, with the mistakes, the mixture of languages
 * and the lack of terms of real questions. A record is named without its language; of alternatives (`a | b`) one is enough.
 */
export interface Question {
  readonly ask: string
  readonly needs: readonly string[]
}

export const ENGLISH: readonly Question[] = [
  { ask: 'what does if_matched_sid do?', needs: ['rule_option:if_matched_sid'] },
  {
    ask: 'alert when the same ip fails 5 times within 2 minutes',
    needs: ['rule_option:same_srcip | rule_option:same_source_ip | rule_option:attribute.frequency | rule_option:attribute.timeframe'],
  },
  { ask: 'difference between osregex and pcre2', needs: ['regex:dialects'] },
  { ask: 'why doesnt [a-z] work inside <regex>', needs: ['regex:construct.[...]'] },
  { ask: 'which id can i use for my own rules', needs: ['rule_option:attribute.id | diagnostic:rule_id_reserved_range'] },
  { ask: 'manager log says ERROR: (1230) what is wrong', needs: ['diagnostic:decoders_root_invalid | diagnostic:decoder_name_missing | diagnostic:decoder_attribute_invalid'] },
  { ask: 'rule_no_condition', needs: ['diagnostic:rule_no_condition'] },
  { ask: 'two rules have the same id', needs: ['diagnostic:rule_duplicate_id'] },
  { ask: 'how can I overwritte a default rule', needs: ['rule_option:attribute.overwrite'] },
  { ask: 'make a rule quiet for 10 min after it fired once', needs: ['rule_option:attribute.ignore | rule_option:ignore'] },
  { ask: 'read fields out of json logs', needs: ['decoder_option:plugin_decoder | behaviour:decoders.json-decoder'] },
  { ask: 'regex has 3 capture groups but order lists only 2 fields', needs: ['diagnostic:decoder_group_count_mismatch'] },
  { ask: 'after_parent vs after_prematch', needs: ['decoder_option:tag_attribute.offset | decoder_option:regex | behaviour:decoders.offsets'] },
  { ask: 'check the source address against a cdb list', needs: ['rule_option:list | behaviour:lists.list-look-ups'] },
  { ask: 'alert on login outside of office hours', needs: ['template:login-outside-business-hours'] },
  { ask: 'add mitre technique T1110 to my rule', needs: ['rule_option:mitre'] },
  { ask: 'ssh root login not from jump host template', needs: ['template:ssh-root-login-outside-admin-network'] },
  { ask: 'somebody mounts usb sticks that are not allowed', needs: ['template:usb-storage-not-approved'] },
  { ask: 'do you have rules for cisco asa firewall', needs: ['reference:rules.0240-cisco-asa'] },
  { ask: 'run my ini test suites from the terminal in ci', needs: ['command:test'] },
  { ask: 'how do I make a backup of the store', needs: ['command:backup'] },
  { ask: 'start the service with mongo db instead of embedded', needs: ['command:setting.NATIVE_SERVICE_MONGODB_URL'] },
  { ask: 'error 403 plan_quota_exceeded', needs: ['interface:error.plan_quota_exceeded | interface:document.contract.plans'] },
  { ask: 'publish a version over the api', needs: ['interface:route.versions.publish'] },
  { ask: 'rotate an api key', needs: ['interface:route.api-keys.rotate'] },
  { ask: 'the decoder parent does not exist', needs: ['diagnostic:decoder_missing_parent'] },
  { ask: 'how does not_same_field compare dynamic fields', needs: ['rule_option:not_same_field | rule_option:different_field | rule_option:same_field'] },
  { ask: 'my pcre2 pattern is very slow, backtracking', needs: ['diagnostic:regex_backtracking | diagnostic:regex_slow'] },
  { ask: 'rule is never reached becuase another sibling is tried first', needs: ['diagnostic:rule_overlapping_level'] },
  { ask: 'frequncy without if_matched', needs: ['diagnostic:rule_frequency_without_matched'] },
]

export const PORTUGUESE: readonly Question[] = [
  { ask: 'para que serve o if_sid?', needs: ['rule_option:if_sid'] },
  { ask: 'como uso uma lista cdb com ips numa regra', needs: ['rule_option:list'] },
  { ask: 'o ponto casa com qualquer caractere no osregex?', needs: ['regex:construct.. | regex:construct.\\.'] },
  { ask: 'como negar uma condição', needs: ['rule_option:tag_attribute.negate'] },
  { ask: 'aviso regra orfã', needs: ['diagnostic:rule_orphan'] },
  { ask: 'a regra pai não existe', needs: ['diagnostic:rule_parent_missing'] },
  { ask: 'erro (7613) no log do manager', needs: ['diagnostic:rule_overwrite_target_missing'] },
  { ask: 'decoder_regex_without_order', needs: ['diagnostic:decoder_regex_without_order'] },
  { ask: 'faltou fechar uma tag no xml', needs: ['diagnostic:xml_unclosed_element'] },
  { ask: 'qual o level máximo de uma regra', needs: ['rule_option:attribute.level | diagnostic:rule_level_invalid'] },
  { ask: 'quantos segundos é o timeframe padrao', needs: ['rule_option:attribute.timeframe'] },
  { ask: 'regra só pra fim de semana', needs: ['rule_option:weekday'] },
  { ask: 'dar nome aos campos capturados pelo decoder', needs: ['decoder_option:order'] },
  { ask: 'colocar o nome do usuário na descrição do alerta', needs: ['rule_option:description'] },
  { ask: 'primeiro login visto de um usuário fts', needs: ['decoder_option:fts | rule_option:if_fts'] },
  { ask: 'modelo pra detectar brute force na api com várias contas', needs: ['template:api-credential-stuffing'] },
  { ask: 'minerador de criptomoeda', needs: ['template:cryptominer-started'] },
  { ask: 'arquivos de log apagados', needs: ['template:log-files-deleted'] },
  { ask: 'webshell gravado pelo servidor web', needs: ['template:webshell-written-by-web-server'] },
  { ask: 'como silenciar uma mensagem conhecida', needs: ['template:silence-known-message'] },
  { ask: 'decodificar logs CEF', needs: ['template:decoder-cef'] },
  { ask: 'tem regras de sysmon?', needs: ['reference:rules.0430-sysmon | reference:rules.0435-sysmon-process | reference:rules.0436-sysmon-system'] },
  { ask: 'medir a velocidade das minhas regras', needs: ['command:bench'] },
  { ask: 'validar um arquivo pela linha de comando', needs: ['command:validate'] },
  { ask: 'restaurar o banco de um backup', needs: ['command:restore'] },
  { ask: 'configurar servidor smtp de email', needs: ['command:setting.NATIVE_SERVICE_SMTP_URL'] },
  { ask: 'erro cota do plano excedida', needs: ['interface:error.plan_quota_exceeded'] },
  { ask: 'opção do decoder desconhecida, tag errada', needs: ['diagnostic:decoder_element_unknown'] },
  { ask: 'regra repetida com a mesma logica de outra', needs: ['diagnostic:rule_duplicate_logic'] },
  { ask: 'padrão \\S+ o que significa', needs: ['regex:construct.\\S'] },
]

/** Asked after the weights and the thesaurus were chosen, which were not changed for them. */
export const LATER_ENGLISH: readonly Question[] = [
  { ask: 'rule matches every event, how do i narrow it', needs: ['diagnostic:rule_no_condition | diagnostic:rule_condition_always_true'] },
  { ask: 'what happens if level is 17', needs: ['diagnostic:rule_level_invalid | rule_option:attribute.level'] },
  { ask: 'match hostname of the agent', needs: ['rule_option:hostname'] },
  { ask: 'alert only when the user is different each time', needs: ['rule_option:different_user | rule_option:not_same_user | rule_option:different_srcuser'] },
  { ask: 'my list file is not loaded by the rule', needs: ['diagnostic:rule_list_not_loaded | diagnostic:list_file_missing'] },
  { ask: 'decoder for key=value logs', needs: ['template:decoder-key-value'] },
  { ask: 'what is use_own_name for', needs: ['decoder_option:use_own_name'] },
  { ask: 'xml comment was not closed', needs: ['diagnostic:xml_comment_unclosed'] },
  { ask: 'variable $FOO is not defined', needs: ['diagnostic:xml_variable_undefined'] },
  { ask: 'crypto miner running on a host', needs: ['template:cryptominer-started'] },
  { ask: 'try a pattern against some text in the shell', needs: ['command:regex'] },
  { ask: 'how many threads analyse events', needs: ['command:setting.NATIVE_SERVICE_WORKERS'] },
]

export const LATER_PORTUGUESE: readonly Question[] = [
  { ask: 'qual regra é testada primeiro entre irmãs', needs: ['diagnostic:rule_overlapping_level | behaviour:rules.sibling-order'] },
  { ask: 'grupo de captura dentro de grupo de captura', needs: ['diagnostic:regex_adjacent_groups | diagnostic:regex_invalid | regex:construct.(...)'] },
  { ask: 'comparar porta de destino', needs: ['rule_option:dstport'] },
  { ask: 'mesmo usuário de ips diferentes no ssh', needs: ['template:ssh-user-from-two-addresses'] },
  { ask: 'texto da descrição muito longo', needs: ['diagnostic:rule_description_too_long | diagnostic:rule_description_truncated'] },
  { ask: 'acesso ao bucket s3 esvaziado', needs: ['template:aws-bucket-emptied'] },
  { ask: 'agente crítico desconectado', needs: ['template:critical-agent-disconnected'] },
  { ask: 'atributo desconhecido na tag rule', needs: ['diagnostic:rule_attribute_unknown'] },
  { ask: 'plugin_decoder com regex', needs: ['diagnostic:decoder_plugin_with_regex'] },
  { ask: 'tempo de validade do convite', needs: ['command:setting.NATIVE_SERVICE_INVITATION_TTL_SECONDS'] },
  { ask: 'rodar casos de teste', needs: ['command:test'] },
  { ask: 'arquivo não é utf-8', needs: ['diagnostic:file_encoding'] },
]
