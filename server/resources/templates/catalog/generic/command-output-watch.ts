import { type Template, xml } from '../template.js'

const output = (alias: string, text: string): string => `ossec: output: '${alias}': ${text}`

export const commandOutputWatch: Template = {
  id: 'command-output-watch',
  category: 'generic',
  kind: 'rule',
  platform: ['linux', 'any'],
  attackIds: [],
  tags: ['command-monitoring', 'availability', 'starter'],
  texts: {
    'en-US': {
      title: 'Watch the output of a command',
      description: 'The agent runs a command and sends each line of its output. Rules for a certificate that expires, a raid that is degraded, and an antivirus that does not run.',
      tips: [
        'In the agent: <localfile> with <log_format>command</log_format>, the command, its <alias> and a <frequency>.',
        'An alias keeps the rules independent of the command line; the rules match the alias first.',
        'Commands that come from the manager need logcollector.remote_commands=1 on the agent.',
      ],
    },
    'pt-BR': {
      title: 'Vigiar a saída de um comando',
      description: 'O agente executa um comando e envia cada linha da saída. Regras para um certificado que expira, um raid degradado e um antivírus que não roda.',
      tips: [
        'No agente: <localfile> com <log_format>command</log_format>, o comando, seu <alias> e uma <frequency>.',
        'Um alias mantém as regras independentes da linha de comando; as regras casam primeiro com o alias.',
        'Comandos vindos do manager precisam de logcollector.remote_commands=1 no agente.',
      ],
    },
  },
  xml: xml`
    <group name="local,command,">
      <rule id="114120" level="7" ignore="86400">
        <if_sid>530</if_sid>
        <match>output: 'certificate-days': </match>
        <regex type="pcre2">: (?:-\d+|1?\d)$</regex>
        <description>A certificate expires within 20 days</description>
        <group>service_availability,</group>
      </rule>

      <rule id="114121" level="10" ignore="3600">
        <if_sid>530</if_sid>
        <match>output: 'raid-state': </match>
        <regex type="pcre2">\[U*_[U_]*\]</regex>
        <description>A raid has lost a disk</description>
        <group>service_availability,</group>
      </rule>

      <rule id="114122" level="8" ignore="3600">
        <if_sid>530</if_sid>
        <match>output: 'antivirus-state': inactive|output: 'antivirus-state': failed</match>
        <description>The antivirus does not run</description>
        <group>service_availability,pci_dss_5.2,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'a certificate with 12 days', events: output('certificate-days', '12'), gives: { rule: 114120, level: 7 } },
    { shows: 'a certificate that expired', events: output('certificate-days', '-3'), gives: { rule: 114120, level: 7 } },
    { shows: 'a raid without its second disk', events: output('raid-state', '      1046528 blocks super 1.2 [2/1] [U_]'), gives: { rule: 114121, level: 10 } },
    { shows: 'an antivirus that does not run', events: output('antivirus-state', 'inactive'), gives: { rule: 114122, level: 8 } },
  ],
  lookalikes: [
    { shows: 'a certificate with 112 days', events: output('certificate-days', '112'), not: 114120, gives: { rule: 530 } },
    { shows: 'a whole raid', events: output('raid-state', '      1046528 blocks super 1.2 [2/2] [UU]'), not: 114121 },
    { shows: 'another command', events: output('uptime', '12'), not: 114120 },
  ],
}
