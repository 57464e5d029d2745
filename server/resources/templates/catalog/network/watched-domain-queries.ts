import { json, sysmon } from '../events.js'
import { type Template, xml } from '../template.js'

const query = (name: string): string =>
  json({
    timestamp: '2026-01-05T10:11:12.412345+0000',
    flow_id: 1234567890123,
    event_type: 'dns',
    src_ip: '192.0.2.10',
    src_port: 51234,
    dest_ip: '198.51.100.53',
    dest_port: 53,
    proto: 'UDP',
    dns: { type: 'query', rrname: name },
  })

export const watchedDomainQueries: Template = {
  id: 'watched-domain-queries',
  category: 'network',
  kind: 'rule',
  platform: ['network', 'windows'],
  attackIds: ['T1071.004', 'T1568'],
  tags: ['dns', 'indicator', 'suricata', 'sysmon', 'threat-intelligence'],
  texts: {
    'en-US': {
      title: 'Queries for watched domains',
      description: 'Alerts when a host asks for a domain of an investigation or advisory, or for any name below it: on the wire (Suricata) and on the endpoint (Sysmon).',
      tips: [
        'Replace the two domains; escape dots, and keep the group before and the $ behind, so that other names with the same ending do not match.',
        'For more than some dozen domains use a CDB list with <list field="dns.rrname">.',
      ],
    },
    'pt-BR': {
      title: 'Consultas a domínios vigiados',
      description: 'Alerta quando um host consulta um domínio de uma investigação ou aviso, ou qualquer nome abaixo dele: na rede (Suricata) e no endpoint (Sysmon).',
      tips: [
        'Troque os dois domínios; escape os pontos e mantenha o grupo antes e o $ depois, para que outros nomes com o mesmo final não casem.',
        'Para mais do que algumas dezenas de domínios use uma lista CDB com <list field="dns.rrname">.',
      ],
    },
  },
  xml: xml`
    <group name="local,watched_domain,">
      <rule id="102120" level="12">
        <if_sid>86603</if_sid>
        <field name="dns.rrname" type="pcre2">(?i)(?:^|\.)(?:malware\.example|c2-panel\.test)$</field>
        <description>$(src_ip) asks for the watched domain $(dns.rrname)</description>
        <mitre>
          <id>T1071.004</id>
          <id>T1568</id>
        </mitre>
        <group>ids,suricata,</group>
      </rule>

      <rule id="102121" level="12">
        <if_sid>61650</if_sid>
        <field name="win.eventdata.queryName" type="pcre2">(?i)(?:^|\.)(?:malware\.example|c2-panel\.test)$</field>
        <description>$(win.eventdata.image) on $(win.system.computer) asks for the watched domain $(win.eventdata.queryName)</description>
        <mitre>
          <id>T1071.004</id>
          <id>T1568</id>
        </mitre>
        <group>windows,sysmon,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'a name below the domain, on the wire', events: query('cdn.Malware.example'), gives: { rule: 102120, level: 12 } },
    { shows: 'the domain, on an endpoint', events: sysmon('22', { queryName: 'c2-panel.test', image: 'C:\\Users\\alice\\a.exe' }), gives: { rule: 102121, level: 12 } },
  ],
  lookalikes: [
    { shows: 'a name that only ends the same', events: query('notmalware.example'), not: 102120, gives: { rule: 86603 } },
    { shows: 'a name that goes on', events: sysmon('22', { queryName: 'c2-panel.test.example.com', image: 'C:\\Users\\alice\\a.exe' }), not: 102121 },
  ],
}
