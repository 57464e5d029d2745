import { syslog } from '../events.js'
import { type Template, xml } from '../template.js'

const snort = (source: string): string =>
  `01/05/2026-10:11:12.412345  [**] [1:2009582:3] EXAMPLE SCAN syn [**] [Classification: Attempted Information Leak] [Priority: 2] {TCP} ${source}:51234 -> 198.51.100.20:22`
const refused = (source: string): string =>
  syslog('kernel', `[UFW BLOCK] IN=eth1 OUT=eth2 SRC=${source} DST=10.2.0.9 LEN=60 PROTO=TCP SPT=50022 DPT=445 WINDOW=1024 RES=0x00 SYN URGP=0`, 'fw1')

export const authorizedScanner: Template = {
  id: 'authorized-scanner',
  category: 'ids',
  kind: 'rule',
  platform: ['network', 'any'],
  attackIds: [],
  tags: ['snort', 'firewall', 'vulnerability-scanner', 'silence', 'tuning'],
  texts: {
    'en-US': {
      title: 'Authorized vulnerability scanner stays silent',
      description: 'The own scanner sets off the intrusion detection and the firewall by design. These rules silence exactly its address, and leave everybody else as they are.',
      tips: [
        'Replace 192.0.2.200 by the address of your scanner; give it one of its own that nothing else uses.',
        'A scanner is a worthwhile target: keep the alerts on logins to the scanner itself.',
      ],
    },
    'pt-BR': {
      title: 'Scanner de vulnerabilidades autorizado fica em silêncio',
      description:
        'O próprio scanner dispara a detecção de intrusão e o firewall por natureza. Estas regras silenciam exatamente o endereço dele e deixam todos os outros como estão.',
      tips: [
        'Troque 192.0.2.200 pelo endereço do seu scanner; dê a ele um endereço próprio, que nada mais use.',
        'Um scanner é um alvo valioso: mantenha os alertas sobre logins no próprio scanner.',
      ],
    },
  },
  xml: xml`
    <group name="local,ids,">
      <rule id="108060" level="0">
        <if_sid>20100, 20101</if_sid>
        <srcip>192.0.2.200</srcip>
        <description>IDS: alerts about the authorized scanner</description>
      </rule>

      <rule id="108061" level="0">
        <if_sid>4101</if_sid>
        <srcip>192.0.2.200</srcip>
        <description>Firewall: packets of the authorized scanner refused</description>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'an alert about the scanner', events: snort('192.0.2.200'), gives: { rule: 108060, level: 0 } },
    { shows: 'a packet of the scanner', events: refused('192.0.2.200'), gives: { rule: 108061, level: 0 } },
  ],
  lookalikes: [
    { shows: 'the same alert about another host', events: snort('192.0.2.201'), not: 108060 },
    { shows: 'a packet of another host', events: refused('192.0.2.20'), not: 108061, gives: { rule: 4101 } },
  ],
}
