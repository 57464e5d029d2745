import { security, syslog } from '../events.js'
import { type Template, xml } from '../template.js'

export const breakGlassAccountUsed: Template = {
  id: 'break-glass-account-used',
  category: 'authentication',
  kind: 'rule',
  platform: ['any', 'linux', 'windows'],
  attackIds: ['T1078'],
  tags: ['emergency-account', 'valid-accounts', 'privileged-access'],
  texts: {
    'en-US': {
      title: 'Emergency account logs in',
      description: 'Break-glass accounts stay in the safe. Each login with one of them must be known beforehand, or it is an incident.',
      tips: ['Put the names of your emergency accounts into both rules.', 'Level 14 is meant to page somebody: route the group break_glass to your on-call channel.'],
    },
    'pt-BR': {
      title: 'Conta de emergência faz login',
      description: 'Contas break-glass ficam no cofre. Cada login com uma delas deve ser conhecido de antemão, ou é um incidente.',
      tips: ['Coloque os nomes das suas contas de emergência nas duas regras.', 'O nível 14 serve para acionar alguém: encaminhe o grupo break_glass ao canal de plantão.'],
    },
  },
  xml: xml`
    <group name="local,authentication,">
      <rule id="100180" level="14">
        <if_group>authentication_success</if_group>
        <user>^breakglass$|^emergency-admin$</user>
        <description>Emergency account $(dstuser) logged in from $(srcip)</description>
        <mitre>
          <id>T1078</id>
        </mitre>
        <group>break_glass,pci_dss_10.2.2,</group>
      </rule>

      <rule id="100181" level="14">
        <if_sid>60106</if_sid>
        <field name="win.eventdata.targetUserName" type="pcre2">(?i)^(?:breakglass|emergency-admin)$</field>
        <description>Emergency account $(win.eventdata.targetUserName) logged on to $(win.system.computer) from $(win.eventdata.ipAddress)</description>
        <mitre>
          <id>T1078</id>
        </mitre>
        <group>break_glass,pci_dss_10.2.2,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'over SSH', events: syslog('sshd[2201]', 'Accepted password for breakglass from 198.51.100.7 port 50122 ssh2'), gives: { rule: 100180, level: 14 } },
    { shows: 'on Windows', events: security('4624', { targetUserName: 'BreakGlass', logonType: '10', ipAddress: '198.51.100.7' }), gives: { rule: 100181, level: 14 } },
  ],
  lookalikes: [
    { shows: 'a wrong password', events: syslog('sshd[2201]', 'Failed password for breakglass from 198.51.100.7 port 50122 ssh2'), not: 100180 },
    { shows: 'a name that only begins the same', events: security('4624', { targetUserName: 'breakglass-test', logonType: '10', ipAddress: '198.51.100.7' }), not: 100181 },
  ],
}
