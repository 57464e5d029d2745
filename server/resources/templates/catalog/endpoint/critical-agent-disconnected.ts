import { type Template, xml } from '../template.js'

const agent = (what: string, name: string): string => `ossec: Agent ${what}: '${name}'.`

export const criticalAgentDisconnected: Template = {
  id: 'critical-agent-disconnected',
  category: 'endpoint',
  kind: 'rule',
  platform: ['any', 'linux', 'windows'],
  attackIds: ['T1562.001'],
  tags: ['agent', 'monitoring', 'defense-evasion'],
  texts: {
    'en-US': {
      title: 'Agent of a critical server falls silent',
      description:
        'A workstation may be switched off, a domain controller may not. When its agent falls silent or is removed, either the server is down, or somebody does not want to be seen.',
      tips: [
        'Adapt the pattern to the names of your critical agents; the name stands before the address.',
        'How long the manager waits is agents_disconnection_time in its configuration; ten minutes by default.',
      ],
    },
    'pt-BR': {
      title: 'Agente de um servidor crítico silencia',
      description: 'Uma estação pode estar desligada, um controlador de domínio não. Se o agente dele silencia ou é removido, ou o servidor caiu, ou alguém não quer ser visto.',
      tips: [
        'Adapte o padrão aos nomes dos seus agentes críticos; o nome vem antes do endereço.',
        'Quanto o manager espera é agents_disconnection_time na configuração; dez minutos por padrão.',
      ],
    },
  },
  xml: xml`
    <group name="local,agent,">
      <rule id="112080" level="12">
        <if_sid>504, 506</if_sid>
        <field name="agent_name" type="pcre2">^(?:dc|db|pay)\d+-</field>
        <description>Critical agent $(agent_name) fell silent</description>
        <mitre>
          <id>T1562.001</id>
        </mitre>
        <group>service_availability,pci_dss_10.2.6,</group>
      </rule>

      <rule id="112081" level="13">
        <if_sid>505</if_sid>
        <field name="agent_name" type="pcre2">^(?:dc|db|pay)\d+-</field>
        <description>Critical agent $(agent_name) was removed</description>
        <mitre>
          <id>T1562.001</id>
        </mitre>
        <group>service_availability,pci_dss_10.2.6,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'a domain controller', events: agent('disconnected', 'dc1-any'), gives: { rule: 112080, level: 12 } },
    { shows: 'a database that is removed', events: agent('removed', 'db12-10.0.0.12'), gives: { rule: 112081, level: 13 } },
  ],
  lookalikes: [
    { shows: 'a workstation', events: agent('disconnected', 'pc17-any'), not: 112080, gives: { rule: 504 } },
    { shows: 'a domain controller that comes back', events: agent('started', 'dc1-any'), not: 112080 },
  ],
}
