import { json } from '../events.js'
import { type Template, xml } from '../template.js'

const connection = (duration: number, target: string, port = 443): string =>
  json({
    ts: 1767607872.412,
    uid: 'Cabc123DEF456gh',
    'id.orig_h': '10.1.2.3',
    'id.orig_p': 51234,
    'id.resp_h': target,
    'id.resp_p': port,
    proto: 'tcp',
    service: 'ssl',
    duration,
    conn_state: 'SF',
  })

export const zeekLongConnections: Template = {
  id: 'zeek-long-connections',
  category: 'ids',
  kind: 'rule',
  platform: ['network'],
  attackIds: ['T1071', 'T1572'],
  tags: ['zeek', 'beacon', 'tunnel', 'json'],
  texts: {
    'en-US': {
      title: 'Zeek: connections that last for hours',
      description: 'People close their connections; tunnels and remote control keep theirs. Reports connections to the outside that lasted for more than about three hours.',
      tips: [
        'Zeek writes a connection when it ends. The package zeek-long-connections reports it while it lasts.',
        'Leave out the addresses of your VPN and of services that keep connections by design (messaging, push).',
      ],
    },
    'pt-BR': {
      title: 'Zeek: conexões que duram horas',
      description: 'Pessoas fecham suas conexões; túneis e controle remoto mantêm as deles. Aponta conexões para fora que duraram mais de cerca de três horas.',
      tips: [
        'O Zeek escreve uma conexão quando ela termina. O pacote zeek-long-connections a aponta enquanto dura.',
        'Exclua os endereços da sua VPN e de serviços que mantêm conexões por natureza (mensagens, push).',
      ],
    },
  },
  xml: xml`
    <group name="local,zeek,">
      <!-- Seconds with five digits or more: 10,000 s are 2 h 46 min. -->
      <rule id="108080" level="7">
        <if_sid>212620</if_sid>
        <field name="duration" type="pcre2">^\d{5,}</field>
        <field name="id.resp_h" type="pcre2" negate="yes">^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)</field>
        <description>Zeek: connection of $(id.orig_h) to $(id.resp_h):$(id.resp_p) lasted for $(duration) seconds</description>
        <mitre>
          <id>T1071</id>
          <id>T1572</id>
        </mitre>
        <group>ids,pci_dss_11.4,</group>
      </rule>
    </group>
  `,
  samples: [{ shows: 'half a day', events: connection(43210.5, '203.0.113.7'), gives: { rule: 108080, level: 7 } }],
  lookalikes: [
    { shows: 'an hour', events: connection(3600.123456, '203.0.113.7'), not: 108080 },
    { shows: 'half a day to an internal server', events: connection(43210.5, '10.2.0.9'), not: 108080 },
  ],
}
