import { security } from '../events.js'
import { type Template, xml } from '../template.js'

const logon = (type: string, address: string, computer: string): string =>
  security('4624', { targetUserName: 'alice', targetDomainName: 'EXAMPLE', logonType: type, ipAddress: address }, computer)

export const rdpBetweenWorkstations: Template = {
  id: 'rdp-between-workstations',
  category: 'endpoint',
  kind: 'rule',
  platform: ['windows'],
  attackIds: ['T1021.001'],
  tags: ['rdp', 'lateral-movement', 'active-directory'],
  texts: {
    'en-US': {
      title: 'Remote desktop from one workstation to another',
      description:
        'Workstations talk to servers, not to each other. A remote desktop session between two of them is the way of an intruder through the network, or a habit to end.',
      tips: ['Replace the network of the workstations, and the pattern of their names.', 'The help desk works from a network of its own: it does not match then.'],
    },
    'pt-BR': {
      title: 'Área de trabalho remota de uma estação para outra',
      description: 'Estações falam com servidores, não entre si. Uma sessão remota entre duas delas é o caminho de um invasor pela rede, ou um hábito a encerrar.',
      tips: ['Troque a rede das estações e o padrão dos nomes delas.', 'O suporte trabalha de uma rede própria: assim não casa.'],
    },
  },
  xml: xml`
    <group name="local,windows,windows_security,">
      <rule id="112040" level="11">
        <if_sid>92653</if_sid>
        <field name="win.eventdata.ipAddress" type="pcre2">^10\.20\.</field>
        <field name="win.system.computer" type="pcre2">(?i)^(?:pc|nb|ws)\d+\.</field>
        <description>Remote desktop between workstations: $(win.eventdata.targetUserName) from $(win.eventdata.ipAddress) to $(win.system.computer)</description>
        <mitre>
          <id>T1021.001</id>
        </mitre>
        <group>authentication_success,rdp,pci_dss_10.2.5,</group>
      </rule>
    </group>
  `,
  samples: [{ shows: 'from one to the other', events: logon('10', '10.20.3.4', 'PC17.example.com'), gives: { rule: 112040, level: 11 } }],
  lookalikes: [
    { shows: 'to a server', events: logon('10', '10.20.3.4', 'srv1.example.com'), not: 112040, gives: { rule: 92653 } },
    { shows: 'of the help desk', events: logon('10', '10.30.0.4', 'PC17.example.com'), not: 112040 },
    { shows: 'a file share between workstations', events: logon('3', '10.20.3.4', 'PC17.example.com'), not: 112040 },
  ],
}
