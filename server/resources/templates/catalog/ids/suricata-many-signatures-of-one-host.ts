import { series, suricataAlert } from '../events.js'
import { type Template, xml } from '../template.js'

const alert = (source: string, id: number): string => suricataAlert(source, '203.0.113.7', { signature_id: id, signature: `EXAMPLE INFO thing ${id}` })

export const suricataManySignaturesOfOneHost: Template = {
  id: 'suricata-many-signatures-of-one-host',
  category: 'ids',
  kind: 'rule',
  platform: ['network'],
  attackIds: ['T1046', 'T1071'],
  tags: ['suricata', 'correlation', 'compromised-host'],
  texts: {
    'en-US': {
      title: 'Suricata: one internal host, many signatures',
      description: 'Each alert of low severity says little. Five different ones about the same internal host within ten minutes say that something is at work on it.',
      tips: [
        'Replace the pattern of src_ip by your internal networks.',
        'Proxies and resolvers speak for many clients: leave them out with a second, negated condition on src_ip.',
      ],
    },
    'pt-BR': {
      title: 'Suricata: um host interno, muitas assinaturas',
      description: 'Cada alerta de baixa severidade diz pouco. Cinco diferentes sobre o mesmo host interno em dez minutos dizem que há algo em ação nele.',
      tips: ['Troque o padrão de src_ip pelas suas redes internas.', 'Proxies e resolvedores falam por muitos clientes: exclua-os com uma segunda condição negada sobre src_ip.'],
    },
  },
  xml: xml`
    <group name="local,ids,suricata,">
      <rule id="108040" level="4">
        <if_sid>86601</if_sid>
        <field name="alert.severity">^3$</field>
        <field name="src_ip" type="pcre2">^(?:10\.|192\.168\.)</field>
        <description>Suricata: $(alert.signature), from the internal host $(src_ip) to $(dest_ip)</description>
        <group>pci_dss_11.4,</group>
      </rule>

      <rule id="108041" level="11" frequency="5" timeframe="600" ignore="600">
        <if_matched_sid>108040</if_matched_sid>
        <same_field>src_ip</same_field>
        <different_field>alert.signature_id</different_field>
        <description>Suricata: many different signatures match the traffic of $(src_ip)</description>
        <mitre>
          <id>T1046</id>
          <id>T1071</id>
        </mitre>
        <group>attack,pci_dss_11.4,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'one alert', events: alert('10.1.2.3', 1000001), gives: { rule: 108040, level: 4 } },
    { shows: 'five signatures', events: series(5, 60, (index) => alert('10.1.2.3', 1000001 + index)), gives: { rule: 108041, level: 11 } },
  ],
  lookalikes: [
    { shows: 'one signature five times', events: series(5, 60, () => alert('10.1.2.3', 1000001)), not: 108041, gives: { rule: 108040 } },
    { shows: 'five signatures of five hosts', events: series(5, 60, (index) => alert(`10.1.2.${index}`, 1000001 + index)), not: 108041 },
    { shows: 'five signatures of a host outside', events: series(5, 60, (index) => alert('198.51.100.7', 1000001 + index)), not: 108041 },
  ],
}
