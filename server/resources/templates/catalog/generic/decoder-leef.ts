import { type Template, xml } from '../template.js'

const leef = (product: string, ...pairs: readonly string[]): string => `Jan  5 10:11:12 gw1 LEEF:1.0|Example|${product}|3.0|4711|${pairs.join('\t')}`

export const decoderLeef: Template = {
  id: 'decoder-leef',
  category: 'generic',
  kind: 'decoder',
  platform: ['any', 'network', 'application'],
  attackIds: [],
  tags: ['decoder', 'leef', 'starter'],
  texts: {
    'en-US': {
      title: 'Decoder for the log event extended format (LEEF) of one product',
      description: 'Takes apart LEEF 1.0 events of a sensor, whose pairs stand between tabs: addresses, user, severity, and the id of the event.',
      tips: [
        'Put vendor and product of your device into the prematch.',
        'The type ids brings the events to the rules of intrusion detection (20100 and 20101); leave it out for anything else, and write a rule with decoded_as.',
        'LEEF 2.0 names its separator in the head; replace the tabs by it.',
      ],
    },
    'pt-BR': {
      title: 'Decodificador para o log event extended format (LEEF) de um produto',
      description: 'Separa eventos LEEF 1.0 de um sensor, cujos pares ficam entre tabulações: endereços, usuário, severidade e o id do evento.',
      tips: [
        'Coloque fabricante e produto do seu dispositivo no prematch.',
        'O tipo ids leva os eventos às regras de detecção de intrusão (20100 e 20101); retire-o em outros casos e escreva uma regra com decoded_as.',
        'O LEEF 2.0 informa o separador no cabeçalho; troque as tabulações por ele.',
      ],
    },
  },
  xml: xml`
    <decoder name="leef-example-sensor">
      <type>ids</type>
      <program_name>^LEEF$</program_name>
      <prematch type="pcre2">^1\.0\|Example\|Sensor\|</prematch>
    </decoder>

    <decoder name="leef-example-sensor-field">
      <parent>leef-example-sensor</parent>
      <type>ids</type>
      <regex type="pcre2" offset="after_parent">^([^|]*)\|([^|]*)\|</regex>
      <order>leef.version,id</order>
    </decoder>

    <decoder name="leef-example-sensor-field">
      <parent>leef-example-sensor</parent>
      <regex type="pcre2">[|\t]src=([^\t]+)</regex>
      <order>srcip</order>
    </decoder>

    <decoder name="leef-example-sensor-field">
      <parent>leef-example-sensor</parent>
      <regex type="pcre2">[|\t]dst=([^\t]+)</regex>
      <order>dstip</order>
    </decoder>

    <decoder name="leef-example-sensor-field">
      <parent>leef-example-sensor</parent>
      <regex type="pcre2">[|\t]usrName=([^\t]+)</regex>
      <order>dstuser</order>
    </decoder>

    <decoder name="leef-example-sensor-field">
      <parent>leef-example-sensor</parent>
      <regex type="pcre2">[|\t]sev=(\d+)</regex>
      <order>leef.severity</order>
    </decoder>
  `,
  samples: [
    {
      shows: 'an event',
      events: leef('Sensor', 'src=203.0.113.7', 'dst=192.0.2.10', 'usrName=alice smith', 'sev=5'),
      gives: { rule: 20101, decoder: 'leef-example-sensor', fields: { id: '4711', srcip: '203.0.113.7', dstip: '192.0.2.10', dstuser: 'alice smith', 'leef.severity': '5' } },
    },
  ],
  lookalikes: [{ shows: 'another product of the vendor', events: leef('Mailer', 'src=203.0.113.7'), not: 'leef-example-sensor' }],
}
