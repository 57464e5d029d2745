/**
 * 40 questions that were written after the search was finished, about subjects that no other table has, and asked once: nothing was changed for them. They say
 * what a question has to expect that nobody has asked before. Add none, and change none after a search.
 */
import type { Question } from './questions.js'

export const LAST_ENGLISH: readonly Question[] = [
  { ask: 'rule id 0 or letters in the id', needs: ['diagnostic:rule_id_invalid | rule_option:attribute.id'] },
  { ask: 'ERROR: (1237): Invalid ip address: 10.0.0.300', needs: ['diagnostic:rule_ip_invalid'] },
  { ask: '<timeframe> is set but there is no frequency', needs: ['diagnostic:rule_timeframe_without_frequency'] },
  { ask: 'my decoder has order but no regex', needs: ['diagnostic:decoder_order_without_regex'] },
  { ask: 'how many fields can a decoder have at most', needs: ['diagnostic:decoder_order_too_many | decoder_option:order'] },
  { ask: 'what is $var in wazuh xml and why is it undefined', needs: ['diagnostic:xml_variable_undefined | rule_option:element.var | behaviour:files.xml-variables'] },
  { ask: 'description longer than allowed', needs: ['diagnostic:rule_description_too_long | diagnostic:rule_description_truncated'] },
  { ask: 'same file name twice in the upload', needs: ['diagnostic:file_duplicate_name'] },
  { ask: 'what happens to events that are too long', needs: ['diagnostic:session_event_truncated | behaviour:predecoding.received-message | rule_option:attribute.maxsize'] },
  { ask: 'parse LEEF messages from QRadar', needs: ['template:decoder-leef'] },
  { ask: 'employee downloads hundreds of sharepoint documents', needs: ['template:sharepoint-sensitive-downloads'] },
  { ask: 'dns queries that bypass our resolver', needs: ['template:dns-past-the-resolver'] },
  { ask: 'workstation sends mail directly to the internet on port 25', needs: ['template:egress-smtp-from-clients'] },
  { ask: 'which rules exist for nginx error log', needs: ['reference:rules.0212-web-errors | reference:rules.0210-web-access'] },
  { ask: 'are there decoders for fortinet', needs: ['reference:decoders.0250-fortigate | reference:rules.0250-fortigate'] },
  { ask: 'forward client ip behind nginx reverse proxy', needs: ['command:setting.NATIVE_SERVICE_TRUSTED_PROXIES | interface:document.service.behind-a-proxy'] },
  { ask: 'where do I see prometheus metrics', needs: ['interface:document.service.metrics-and-alerts | command:setting.NATIVE_SERVICE_METRICS_TOKEN'] },
  {
    ask: 'sync users from entra id automatically',
    needs: ['interface:document.identity.provision-with-scim | interface:document.identity.entra-id | interface:document.contract.scim'],
  },
  { ask: 'who changed the project, audit trail', needs: ['interface:route.audit.list | interface:route.audit.list-project'] },
  { ask: 'github check on every pull request', needs: ['interface:document.git.checks-of-pull-and-merge-requests'] },
]

export const LAST_PORTUGUESE: readonly Question[] = [
  { ask: 'level 20 é aceito?', needs: ['diagnostic:rule_level_invalid | rule_option:attribute.level'] },
  { ask: 'coloquei segunda-feira em português no weekday', needs: ['diagnostic:rule_weekday_invalid | rule_option:weekday'] },
  { ask: 'regra sem descrição', needs: ['diagnostic:rule_description_missing | diagnostic:rule_description_empty'] },
  { ask: 'regra a não dispara porque a regra b é filha dela mesma', needs: ['diagnostic:rule_parent_self | diagnostic:rule_parent_cycle'] },
  { ask: 'nome de grupo não existe no if_matched_group', needs: ['diagnostic:rule_if_matched_group_missing'] },
  { ask: 'chave repetida na lista cdb', needs: ['diagnostic:list_key_duplicate'] },
  { ask: 'lista que nenhuma regra usa', needs: ['diagnostic:list_unused'] },
  { ask: 'técnica do mitre que não existe mais', needs: ['diagnostic:mitre_technique_deprecated'] },
  { ask: 'o \\w pega hífen?', needs: ['regex:construct.\\w'] },
  { ask: 'qual campo guarda o usuário de destino', needs: ['rule_option:user | behaviour:decoders.fields | decoder_option:order'] },
  { ask: 'padrão muito lento para o motor, limite de passos', needs: ['diagnostic:engine_step_limit | diagnostic:regex_slow | diagnostic:regex_backtracking'] },
  { ask: 'fail2ban baniu um ip', needs: ['template:fail2ban-bans'] },
  { ask: 'antivírus clamav achou um vírus', needs: ['template:clamav-detections'] },
  { ask: 'login na azure de um país estranho', needs: ['template:entra-sign-in-from-unexpected-country'] },
  { ask: 'não alertar durante a janela de manutenção', needs: ['template:maintenance-window'] },
  { ask: 'quais decoders existem pra mysql', needs: ['reference:decoders.0140-databases'] },
  { ask: 'trocar a chave secreta do serviço', needs: ['command:setting.NATIVE_SERVICE_SECRET_KEY_PREVIOUS | interface:document.service.the-secret-key'] },
  { ask: 'como convido um colega para a organização', needs: ['interface:route.invitations.create'] },
  { ask: 'desfazer uma versão publicada e voltar para a anterior', needs: ['interface:route.versions.restore'] },
  {
    ask: 'usar o chatgpt no assistente',
    needs: ['interface:document.assistant.with-a-language-model | interface:route.platform-ai.update-config | interface:document.assistant.introduction'],
  },
]
