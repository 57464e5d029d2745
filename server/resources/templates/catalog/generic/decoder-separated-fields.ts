import { type Template, xml } from '../template.js'

export const decoderSeparatedFields: Template = {
  id: 'decoder-separated-fields',
  category: 'generic',
  kind: 'decoder',
  platform: ['any', 'application'],
  attackIds: [],
  tags: ['decoder', 'csv', 'pipe', 'access-log', 'starter'],
  texts: {
    'en-US': {
      title: 'Decoder for fields between separators',
      description:
        'A file whose lines are fields between vertical bars (or commas, or tabs), always in the same order: one expression takes them all. Here an access log, which all rules about web attacks then read.',
      tips: [
        'Write [^|]* for a field, not .*: it cannot run past its separator, and it stays fast.',
        'The prematch decides whose line it is; make it as long as the line allows.',
        'The type web-log brings the events to the web rules (31100 and below), which expect srcip, protocol (the method), url and id (the status); leave it out for other files, and write a rule with decoded_as.',
      ],
    },
    'pt-BR': {
      title: 'Decodificador para campos entre separadores',
      description:
        'Um arquivo cujas linhas são campos entre barras verticais (ou vírgulas, ou tabulações), sempre na mesma ordem: uma expressão pega todos. Aqui, um log de acesso, que todas as regras de ataques web passam a ler.',
      tips: [
        'Escreva [^|]* para um campo, e não .*: ele não passa do separador e continua rápido.',
        'O prematch decide de quem é a linha; torne-o tão longo quanto a linha permitir.',
        'O tipo web-log leva os eventos às regras web (31100 e abaixo), que esperam srcip, protocol (o método), url e id (o status); retire-o para outros arquivos e escreva uma regra com decoded_as.',
      ],
    },
  },
  xml: xml`
    <!-- EDGE|<time>|<address>|<method>|<url>|<status>|<user> -->
    <decoder name="edge-access">
      <type>web-log</type>
      <prematch type="pcre2">^EDGE\|\d{4}-\d\d-\d\dT[^|]*\|</prematch>
      <regex type="pcre2" offset="after_prematch">^([^|]*)\|([^|]*)\|([^|]*)\|([^|]*)\|([^|]*)$</regex>
      <order>srcip,protocol,url,id,dstuser</order>
    </decoder>
  `,
  samples: [
    {
      shows: 'a request that is refused',
      events: 'EDGE|2026-01-05T10:11:12Z|203.0.113.7|GET|/private/list|403|alice',
      gives: { rule: 31101, decoder: 'edge-access', fields: { srcip: '203.0.113.7', protocol: 'GET', url: '/private/list', id: '403', dstuser: 'alice' } },
    },
    {
      shows: 'an attack, in a line with an empty field',
      events: "EDGE|2026-01-05T10:11:12Z|203.0.113.7|GET|/item?id=1'%20union%20select%201,2|404|",
      gives: { rule: 31103, decoder: 'edge-access' },
    },
  ],
  lookalikes: [
    { shows: 'the heading of the file', events: 'EDGE|time|address|method|url|status|user', not: 'edge-access' },
    { shows: 'another file', events: 'CORE|2026-01-05T10:11:12Z|203.0.113.7|GET|/private/list|403|alice', not: 'edge-access' },
  ],
}
