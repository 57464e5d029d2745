import { sysmon } from '../events.js'
import { type Template, xml } from '../template.js'

const start = (image: string, computer = 'pc1.example.com'): string =>
  sysmon('1', { image, commandLine: image, user: 'EXAMPLE\\alice', parentImage: 'C:\\Windows\\explorer.exe' }, computer)

export const remoteControlSoftware: Template = {
  id: 'remote-control-software',
  category: 'endpoint',
  kind: 'rule',
  platform: ['windows'],
  attackIds: ['T1219.002'],
  tags: ['sysmon', 'remote-access', 'shadow-it', 'ransom'],
  texts: {
    'en-US': {
      title: 'Remote control software that is not approved',
      description: 'Attackers like programs that no antivirus reports. Alerts when remote control software starts on a computer on which the help desk does not use it.',
      tips: [
        'Take your own product out of the first pattern, or leave it in and list the computers of the help desk in the second rule.',
        'Renamed programs keep their original file name: a condition on win.eventdata.originalFileName finds them as well.',
      ],
    },
    'pt-BR': {
      title: 'Software de controle remoto não aprovado',
      description: 'Atacantes gostam de programas que nenhum antivírus aponta. Alerta quando um software de controle remoto inicia em um computador em que o suporte não o usa.',
      tips: [
        'Retire o seu próprio produto do primeiro padrão, ou mantenha-o e liste os computadores do suporte na segunda regra.',
        'Programas renomeados conservam o nome original: uma condição sobre win.eventdata.originalFileName também os encontra.',
      ],
    },
  },
  xml: xml`
    <group name="local,windows,sysmon,">
      <rule id="112000" level="10">
        <if_sid>61603</if_sid>
        <field name="win.eventdata.image" type="pcre2">(?i)\\(?:anydesk|teamviewer|rustdesk|screenconnect[^\\]*|splashtop[^\\]*|atera[^\\]*|ultraviewer)\.exe$</field>
        <description>Remote control software $(win.eventdata.image) started on $(win.system.computer) by $(win.eventdata.user)</description>
        <mitre>
          <id>T1219.002</id>
        </mitre>
        <group>policy_violation,pci_dss_10.2.7,</group>
      </rule>

      <rule id="112001" level="0">
        <if_sid>112000</if_sid>
        <field name="win.system.computer" type="pcre2">(?i)^helpdesk\d+\.example\.com$</field>
        <description>Remote control software on a computer of the help desk</description>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'AnyDesk out of the downloads', events: start('C:\\Users\\alice\\Downloads\\AnyDesk.exe'), gives: { rule: 112000, level: 10 } },
    { shows: 'AnyDesk of the help desk', events: start('C:\\Program Files\\AnyDesk\\AnyDesk.exe', 'HELPDESK3.example.com'), gives: { rule: 112001, level: 0 } },
  ],
  lookalikes: [
    { shows: 'another program', events: start('C:\\Program Files\\Desk\\desk.exe'), not: 112000 },
    { shows: 'a folder of that name', events: start('C:\\AnyDesk.exe\\readme.exe'), not: 112000 },
  ],
}
