import { suricataAlert } from '../events.js'
import { type Template, xml } from '../template.js'

export const suricataKnownNoise: Template = {
  id: 'suricata-known-noise',
  category: 'ids',
  kind: 'rule',
  platform: ['network'],
  attackIds: [],
  tags: ['suricata', 'tuning', 'silence', 'false-positive'],
  texts: {
    'en-US': {
      title: 'Suricata: silence known noise',
      description:
        'Sets alerts to level 0 that are known to be harmless here: one signature between two known hosts, and whole signatures that describe ordinary use. The events remain in the archive.',
      tips: [
        'Be as narrow as the noise is: signature and source and target. A rule on the signature alone also silences the attack.',
        'Note the reason and the date in the description, and look through these rules twice a year.',
      ],
    },
    'pt-BR': {
      title: 'Suricata: silenciar ruído conhecido',
      description:
        'Põe em nível 0 alertas sabidamente inofensivos aqui: uma assinatura entre dois hosts conhecidos e assinaturas inteiras que descrevem uso comum. Os eventos permanecem no arquivo.',
      tips: [
        'Seja tão específico quanto o ruído: assinatura, origem e destino. Uma regra só pela assinatura silencia também o ataque.',
        'Anote o motivo e a data na descrição e revise estas regras duas vezes por ano.',
      ],
    },
  },
  xml: xml`
    <group name="local,ids,suricata,">
      <rule id="108020" level="0">
        <if_sid>86601</if_sid>
        <field name="alert.signature_id">^2013028$</field>
        <field name="src_ip">^192.0.2.30$</field>
        <field name="dest_ip">^192.0.2.40$</field>
        <description>Suricata: the backup of 192.0.2.30 uses curl, since 2026-01</description>
      </rule>

      <rule id="108021" level="0">
        <if_sid>86601</if_sid>
        <field name="alert.signature" type="pcre2">^ET INFO Session Traversal Utilities for NAT</field>
        <description>Suricata: calls over the Internet use STUN</description>
      </rule>
    </group>
  `,
  samples: [
    {
      shows: 'the backup',
      events: suricataAlert('192.0.2.30', '192.0.2.40', { signature_id: 2013028, signature: 'ET POLICY curl User-Agent Outbound', severity: 2 }),
      gives: { rule: 108020, level: 0 },
    },
    {
      shows: 'a call',
      events: suricataAlert('192.0.2.77', '203.0.113.7', { signature_id: 2016150, signature: 'ET INFO Session Traversal Utilities for NAT (STUN Binding Response)', severity: 3 }),
      gives: { rule: 108021, level: 0 },
    },
  ],
  lookalikes: [
    {
      shows: 'the same signature from another host',
      events: suricataAlert('192.0.2.31', '192.0.2.40', { signature_id: 2013028, signature: 'ET POLICY curl User-Agent Outbound' }),
      not: 108020,
      gives: { rule: 86601 },
    },
    { shows: 'another signature of the backup', events: suricataAlert('192.0.2.30', '192.0.2.40', { signature_id: 2013029, signature: 'ET MALWARE Example' }), not: 108020 },
  ],
}
