import { security } from '../events.js'
import { type Template, xml } from '../template.js'

const logon = (user: string, type: string): string => security('4624', { targetUserName: user, targetDomainName: 'EXAMPLE', logonType: type, ipAddress: '10.1.2.3' })

export const windowsServiceAccountInteractiveLogon: Template = {
  id: 'windows-service-account-interactive-logon',
  category: 'authentication',
  kind: 'rule',
  platform: ['windows'],
  attackIds: ['T1021.001', 'T1078.002'],
  tags: ['service-account', 'rdp', 'lateral-movement'],
  texts: {
    'en-US': {
      title: 'Service account logs on interactively on Windows',
      description: 'Service accounts log on as a service or over the network. At the console or by remote desktop, a person is behind them who should not be.',
      tips: [
        'Adapt the pattern to how your service accounts are called.',
        'Deny them the right to log on locally and by remote desktop in a group policy; this rule then proves that it works.',
      ],
    },
    'pt-BR': {
      title: 'Conta de serviço faz logon interativo no Windows',
      description: 'Contas de serviço fazem logon como serviço ou pela rede. No console ou por área de trabalho remota, há por trás uma pessoa que não deveria estar ali.',
      tips: [
        'Adapte o padrão aos nomes das suas contas de serviço.',
        'Negue a elas, por política de grupo, o logon local e por área de trabalho remota; a regra prova então que isso funciona.',
      ],
    },
  },
  xml: xml`
    <group name="local,windows,windows_security,">
      <rule id="100200" level="12">
        <if_sid>60106</if_sid>
        <field name="win.eventdata.logonType" type="pcre2">^(?:2|10|11)$</field>
        <field name="win.eventdata.targetUserName" type="pcre2">(?i)^(?:svc|sa|sql|gmsa)[-_.]</field>
        <description>Service account $(win.eventdata.targetUserName) logged on interactively (type $(win.eventdata.logonType)) to $(win.system.computer)</description>
        <mitre>
          <id>T1021.001</id>
          <id>T1078.002</id>
        </mitre>
        <group>authentication_success,service_account,pci_dss_10.2.5,</group>
      </rule>
    </group>
  `,
  samples: [
    { shows: 'by remote desktop', events: logon('svc-backup', '10'), gives: { rule: 100200, level: 12 } },
    { shows: 'at the console', events: logon('SQL_agent', '2'), gives: { rule: 100200, level: 12 } },
  ],
  lookalikes: [
    { shows: 'as a service', events: logon('svc-backup', '5'), not: 100200 },
    { shows: 'a person by remote desktop', events: logon('svetlana', '10'), not: 100200, gives: { rule: 92653 } },
  ],
}
