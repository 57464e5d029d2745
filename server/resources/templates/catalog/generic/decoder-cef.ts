import { type Template, xml } from '../template.js'

const cef = (product: string, extension: string): string => `Jan  5 10:11:12 gw1 CEF:0|Example|${product}|2.1|4001|Policy violation|7|${extension}`

export const decoderCef: Template = {
  id: 'decoder-cef',
  category: 'generic',
  kind: 'decoder',
  platform: ['any', 'network', 'application'],
  attackIds: [],
  tags: ['decoder', 'cef', 'starter'],
  texts: {
    'en-US': {
      title: 'Decoder for the common event format (CEF) of one product',
      description: 'Takes the head of a CEF event apart and the usual parts of its extension: addresses, ports, users, action, message.',
      tips: [
        'Put vendor and product of your device into the prematch: a decoder for all CEF would also take the events of other decoders.',
        'Behind a syslog header CEF is taken for the name of the program. Without a header there is none: drop program_name, and begin the prematch with CEF:.',
        'Severity is 0 to 10: make rules with field cef.severity of it.',
      ],
    },
    'pt-BR': {
      title: 'Decodificador para o common event format (CEF) de um produto',
      description: 'Separa o cabeçalho de um evento CEF e as partes usuais da extensão: endereços, portas, usuários, ação, mensagem.',
      tips: [
        'Coloque fabricante e produto do seu dispositivo no prematch: um decodificador para todo CEF pegaria também eventos de outros decodificadores.',
        'Depois de um cabeçalho syslog, CEF é tomado pelo nome do programa. Sem cabeçalho não há nome: retire program_name e comece o prematch com CEF:.',
        'A severidade vai de 0 a 10: faça dela regras com o campo cef.severity.',
      ],
    },
  },
  xml: xml`
    <decoder name="cef-example-gateway">
      <type>firewall</type>
      <program_name>^CEF$</program_name>
      <prematch type="pcre2">^\d\|Example\|Gateway\|</prematch>
    </decoder>

    <decoder name="cef-example-gateway-field">
      <parent>cef-example-gateway</parent>
      <type>firewall</type>
      <regex type="pcre2" offset="after_parent">^([^|]*)\|([^|]*)\|([^|]*)\|([^|]*)\|</regex>
      <order>cef.version,id,cef.name,cef.severity</order>
    </decoder>

    <decoder name="cef-example-gateway-field">
      <parent>cef-example-gateway</parent>
      <regex type="pcre2">\bsrc=(\S+)</regex>
      <order>srcip</order>
    </decoder>

    <decoder name="cef-example-gateway-field">
      <parent>cef-example-gateway</parent>
      <regex type="pcre2">\bdst=(\S+)</regex>
      <order>dstip</order>
    </decoder>

    <decoder name="cef-example-gateway-field">
      <parent>cef-example-gateway</parent>
      <regex type="pcre2">\bdpt=(\d+)</regex>
      <order>dstport</order>
    </decoder>

    <decoder name="cef-example-gateway-field">
      <parent>cef-example-gateway</parent>
      <regex type="pcre2">\bduser=(\S+)</regex>
      <order>dstuser</order>
    </decoder>

    <decoder name="cef-example-gateway-field">
      <parent>cef-example-gateway</parent>
      <regex type="pcre2">\bact=(\S+)</regex>
      <order>action</order>
    </decoder>

    <decoder name="cef-example-gateway-field">
      <parent>cef-example-gateway</parent>
      <regex type="pcre2">\bmsg=(.*?)(?: \w+=|$)</regex>
      <order>cef.message</order>
    </decoder>
  `,
  samples: [
    {
      shows: 'an event',
      events: cef('Gateway', 'act=blocked src=203.0.113.7 dst=192.0.2.10 dpt=443 duser=alice msg=not allowed here cs1=x'),
      gives: {
        rule: 4101,
        decoder: 'cef-example-gateway',
        fields: {
          id: '4001',
          'cef.severity': '7',
          action: 'blocked',
          srcip: '203.0.113.7',
          dstip: '192.0.2.10',
          dstport: '443',
          dstuser: 'alice',
          'cef.message': 'not allowed here',
        },
      },
    },
  ],
  lookalikes: [{ shows: 'another product of the vendor', events: cef('Mailer', 'act=blocked src=203.0.113.7'), not: 'cef-example-gateway' }],
}
