import { suricataAlert } from '../events.js'
import { type Template, xml } from '../template.js'

export const suricataPrioritySignatures: Template = {
  id: 'suricata-priority-signatures',
  category: 'ids',
  kind: 'rule',
  platform: ['network'],
  attackIds: ['T1071', 'T1190'],
  tags: ['suricata', 'tuning', 'severity'],
  texts: {
    'en-US': {
      title: 'Suricata: raise signatures that matter here',
      description:
        'The severity of a signature is that of its author. These rules raise what is serious in your network: chosen signature ids, and whole categories against chosen servers.',
      tips: [
        'Replace the ids by those of the signatures that you trust; three to twenty are usual.',
        'Replace the addresses of the second rule by those of the servers that you cannot afford to lose.',
      ],
    },
    'pt-BR': {
      title: 'Suricata: elevar as assinaturas que importam aqui',
      description:
        'A severidade de uma assinatura é a do seu autor. Estas regras elevam o que é grave na sua rede: ids de assinaturas escolhidas e categorias inteiras contra servidores escolhidos.',
      tips: [
        'Troque os ids pelos das assinaturas em que você confia; de três a vinte é o usual.',
        'Troque os endereços da segunda regra pelos dos servidores que você não pode perder.',
      ],
    },
  },
  xml: xml`
    <group name="local,ids,suricata,">
      <rule id="108000" level="13">
        <if_sid>86601</if_sid>
        <field name="alert.signature_id">^2024897$|^2030171$|^2034647$</field>
        <description>Suricata: $(alert.signature), $(src_ip) to $(dest_ip), a signature of highest priority</description>
        <mitre>
          <id>T1071</id>
        </mitre>
        <group>attack,pci_dss_11.4,</group>
      </rule>

      <rule id="108001" level="12">
        <if_sid>86601</if_sid>
        <field name="dest_ip">^192.0.2.10$|^192.0.2.11$</field>
        <field name="alert.category">^Web Application Attack$|^Attempted Administrator Privilege Gain$</field>
        <description>Suricata: $(alert.signature) of $(src_ip) against the critical server $(dest_ip)</description>
        <mitre>
          <id>T1190</id>
        </mitre>
        <group>attack,pci_dss_11.4,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'a chosen signature', events: suricataAlert('192.0.2.50', '203.0.113.7', { signature_id: 2030171, severity: 3 }), gives: { rule: 108000, level: 13 } },
    {
      shows: 'an attack on a critical server',
      events: suricataAlert('203.0.113.7', '192.0.2.10', { category: 'Web Application Attack', severity: 1 }),
      gives: { rule: 108001, level: 12 },
    },
  ],
  lookalikes: [
    { shows: 'another signature', events: suricataAlert('192.0.2.50', '203.0.113.7', { signature_id: 20301710 }), not: 108000, gives: { rule: 86601 } },
    { shows: 'an attack on another server', events: suricataAlert('203.0.113.7', '192.0.2.100', { category: 'Web Application Attack', severity: 1 }), not: 108001 },
  ],
}
