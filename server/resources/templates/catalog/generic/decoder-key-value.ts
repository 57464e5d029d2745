import { type Template, xml } from '../template.js'

const line = (message: string, program = 'acme-gateway[77]'): string => `Jan  5 10:11:12 gw1 ${program}: ${message}`

export const decoderKeyValue: Template = {
  id: 'decoder-key-value',
  category: 'generic',
  kind: 'decoder',
  platform: ['any', 'application'],
  attackIds: [],
  tags: ['decoder', 'key-value', 'sibling-decoders', 'starter'],
  texts: {
    'en-US': {
      title: 'Decoder for key=value messages',
      description:
        'A program that writes key=value pairs, in any order and with some of them missing. One decoder for the program, and one sibling for each field: each is tried on its own.',
      tips: [
        'All children must have the same name: then each of them may add its fields. With different names the first that matches ends it.',
        'The type firewall brings the events to the firewall rules (4100 and below); leave it out for anything else, and write a rule with decoded_as.',
        'Use the static names where they fit (srcip, dstuser, action, status): correlation and active responses know them.',
      ],
    },
    'pt-BR': {
      title: 'Decodificador para mensagens chave=valor',
      description:
        'Um programa que escreve pares chave=valor, em qualquer ordem e com alguns faltando. Um decodificador para o programa e um irmão para cada campo: cada um é testado por si.',
      tips: [
        'Todos os filhos devem ter o mesmo nome: assim cada um pode acrescentar seus campos. Com nomes diferentes, o primeiro que casar encerra.',
        'O tipo firewall leva os eventos às regras de firewall (4100 e abaixo); retire-o em outros casos e escreva uma regra com decoded_as.',
        'Use os nomes estáticos onde couberem (srcip, dstuser, action, status): correlação e respostas ativas os conhecem.',
      ],
    },
  },
  xml: xml`
    <decoder name="acme-gateway">
      <type>firewall</type>
      <program_name>^acme-gateway$</program_name>
    </decoder>

    <decoder name="acme-gateway-pair">
      <parent>acme-gateway</parent>
      <type>firewall</type>
      <regex type="pcre2">\bsrc=(\S+)</regex>
      <order>srcip</order>
    </decoder>

    <decoder name="acme-gateway-pair">
      <parent>acme-gateway</parent>
      <regex type="pcre2">\bdst=(\S+)</regex>
      <order>dstip</order>
    </decoder>

    <decoder name="acme-gateway-pair">
      <parent>acme-gateway</parent>
      <regex type="pcre2">\buser=([^\s"]+)</regex>
      <order>dstuser</order>
    </decoder>

    <decoder name="acme-gateway-pair">
      <parent>acme-gateway</parent>
      <regex type="pcre2">\baction=([^\s"]+)</regex>
      <order>action</order>
    </decoder>

    <decoder name="acme-gateway-pair">
      <parent>acme-gateway</parent>
      <regex type="pcre2">\breason="([^"]*)"</regex>
      <order>acme.reason</order>
    </decoder>
  `,
  samples: [
    {
      shows: 'all pairs',
      events: line('action=deny user=alice src=203.0.113.7 dst=192.0.2.10 reason="no such policy"'),
      gives: { rule: 4101, decoder: 'acme-gateway', fields: { action: 'deny', dstuser: 'alice', srcip: '203.0.113.7', dstip: '192.0.2.10', 'acme.reason': 'no such policy' } },
    },
    {
      shows: 'another order, and some missing',
      events: line('src=2001:db8::7 action=allow'),
      gives: { decoder: 'acme-gateway', fields: { action: 'allow', srcip: '2001:db8::7' } },
    },
  ],
  lookalikes: [{ shows: 'another program', events: line('action=deny user=alice', 'acme-gateway-sync[78]'), not: 'acme-gateway' }],
}
