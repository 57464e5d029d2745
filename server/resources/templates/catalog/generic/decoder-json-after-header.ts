import { type Template, xml } from '../template.js'

const line = (message: string, program = 'shopd[77]'): string => `Jan  5 10:11:12 web1 ${program}: ${message}`

export const decoderJsonAfterHeader: Template = {
  id: 'decoder-json-after-header',
  category: 'generic',
  kind: 'decoder',
  platform: ['any', 'application'],
  attackIds: [],
  tags: ['decoder', 'json', 'syslog', 'starter'],
  texts: {
    'en-US': {
      title: 'Decoder for JSON behind a text',
      description: 'A program that logs JSON, but with a text before it that the JSON decoder does not take. The decoder cuts the text off and hands over the rest.',
      tips: [
        'Events that are JSON as a whole need no decoder: the one called json takes them.',
        'Every member becomes a field with the name of its path: request.user, request.client.ip.',
        'A child cannot follow a plugin decoder: further conditions go into the rules.',
      ],
    },
    'pt-BR': {
      title: 'Decodificador para JSON depois de um texto',
      description: 'Um programa que registra JSON, mas com um texto antes que o decodificador JSON não aceita. O decodificador corta o texto e entrega o resto.',
      tips: [
        'Eventos que são JSON por inteiro não precisam de decodificador: o chamado json os aceita.',
        'Todo membro vira um campo com o nome do caminho: request.user, request.client.ip.',
        'Um filho não pode seguir um decodificador de plugin: outras condições vão nas regras.',
      ],
    },
  },
  xml: xml`
    <!-- shopd: AUDIT v1 {"action": "login", …} -->
    <decoder name="shopd-audit">
      <program_name>^shopd$</program_name>
      <prematch type="pcre2">^AUDIT v\d+ (?=\{)</prematch>
      <plugin_decoder offset="after_prematch">JSON_Decoder</plugin_decoder>
    </decoder>
  `,
  samples: [
    {
      shows: 'an audit line',
      events: line('AUDIT v1 {"action": "login", "request": {"client": {"ip": "203.0.113.7"}}}'),
      gives: { decoder: 'shopd-audit', fields: { 'request.client.ip': '203.0.113.7' } },
    },
  ],
  lookalikes: [
    { shows: 'another line of the program', events: line('started in 123 ms'), not: 'shopd-audit' },
    { shows: 'JSON without the text', events: line('{"action": "login"}'), not: 'shopd-audit' },
  ],
}
